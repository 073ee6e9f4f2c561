import { expect, it } from 'vitest';
import type { Source } from './source-state.tsx';
import { sourcesNear } from './sources-near.ts';

/** Only the location of a source matters: the file on disk, and its name in an archive. */
const at = (path: string, ...members: string[]) => ({ path, members }) as unknown as Source;

it.each([
  ['a folder', ['/ev/logs/a.log', '/ev/logs/b.log', '/ev/c.log'], 'logs/'],
  ['a folder of Windows', ['C:\\ev\\logs\\a.log', 'C:\\ev\\logs\\b.log', 'C:\\c.log'], 'logs\\'],
  ['a share', ['\\\\nas\\ev\\a.log', '\\\\nas\\ev\\b.log', 'C:\\c.log'], 'ev\\'],
  ['the root', ['/a.log', '/b.log', '/ev/c.log'], '/'],
  ['a name with a backslash', ['/ev/x\\a.log', '/ev/y\\b.log', '/c.log'], 'ev/'],
])('names %s by its last part', (_, paths, name) => {
  const sources = paths.map((path) => at(path));
  const scopes = sourcesNear(sources[0]!, sources);
  expect(scopes.map(({ label }) => label)).toEqual([
    'this source',
    `2 sources in ${name}`,
    '3 sources of the case',
  ]);
  expect(scopes[1]!.sources).toEqual(sources.slice(0, 2));
});

it('takes an archive for the place of what is in it', () => {
  const sources = [at('C:\\ev\\a.zip', 'x.log'), at('C:\\ev\\a.zip', 'y.log'), at('C:\\ev\\b.log')];
  expect(sourcesNear(sources[1]!, sources)[1]).toEqual({
    label: '2 sources in a.zip',
    sources: sources.slice(0, 2),
  });
  expect(sourcesNear(sources[2]!, sources).map(({ label }) => label)).toEqual([
    'this source',
    '3 sources of the case',
  ]);
});
