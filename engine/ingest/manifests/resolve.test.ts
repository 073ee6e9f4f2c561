import { expect, it } from 'vitest';
import { FilesByPath, filePlace, resolveManifest } from './resolve.ts';

function resolved(folder: string, above: number, files: string[], listed: string[]) {
  const known = new FilesByPath<string>();
  for (const file of files) known.set(file, file);
  const entries = listed.map((path, i) => ({ line: i + 1, path, algorithm: 'md5', hash: '' }));
  const { folder: from, fileOf } = resolveManifest(entries, known, folder, above);
  return { from, found: entries.map(fileOf) };
}

const none = undefined;
it.each([
  ['beside it', '/e', 0, ['/e/a', '/e/x/b'], ['a', './x/b', 'c'], ['/e/a', '/e/x/b', none]],
  ['above it', '/e/sums', 1, ['/e/x/a', '/e/b'], ['x/a', 'b'], ['/e/x/a', '/e/b']],
  ['not beyond the evidence', '/e/sums', 0, ['/e/a'], ['a'], [none]],
  ['not by `..` above the evidence', 'e', 0, ['a'], ['../a'], [none]],
  [
    'on another machine',
    '/e',
    0,
    ['/e/C/a', '/e/C/d/b'],
    ['F:/k/o/C/a', 'F:/k/o/C/d/b'],
    ['/e/C/a', '/e/C/d/b'],
  ],
  ['one file of another machine', '/e', 0, ['/e/a.log'], ['/mnt/x/a.log'], ['/e/a.log']],
  ['at the absolute path', '/other', 0, ['/e/a'], ['/e/a'], ['/e/a']],
  [
    'in a collection of UAC',
    'hashes',
    1,
    ['[root]/bin/ls', 'ls'],
    ['/bin/ls', '/sbin/x'],
    ['[root]/bin/ls', none],
  ],
  [
    'in a collection of Velociraptor',
    'results',
    1,
    ['uploads/auto/C%3A/Windows/a'],
    ['C:/windows/a'],
    ['uploads/auto/C%3A/Windows/a'],
  ],
  [
    'never a file that is merely called alike',
    '/e',
    0,
    ['/e/ls'],
    ['/usr/bin/ls', '/usr/sbin/x'],
    [none, none],
  ],
  [
    'in another case if there is one only',
    '',
    0,
    ['A/x', 'B/y', 'b/Y'],
    ['a/X', 'b/y'],
    ['A/x', none],
  ],
])('finds files %s', (_, folder, above, files, listed, expected) => {
  expect(resolved(folder, above, files, listed).found).toEqual(expected);
});

it('takes an archive for a place of its own', () => {
  const file = filePlace({ path: '/e/a.zip', members: [] });
  const member = filePlace({ path: '/e/a.zip', members: ['x/b.log'] });
  expect(file).toEqual({ container: '', path: '/e/a.zip' });
  expect(member.path).toBe('x/b.log');
  expect(member.container).not.toBe(file.container);
});
