import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, homedir, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cacheFolder, casesFolder, stateFolder } from './folders.ts';
import { engineSettings, settings } from './settings.ts';

const root = mkdtempSync(join(tmpdir(), 'daybook-settings-'));
const state = join(root, 'state');
const saved = { DAYBOOK_STATE: state };
beforeAll(() => {
  mkdirSync(state);
  const text = JSON.stringify({ memory: 3e8, threads: 7, jobs: 5 });
  writeFileSync(join(state, 'settings.json'), text);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each([
  [
    'the environment comes first',
    { ...saved, DAYBOOK_MEMORY: '200000000', DAYBOOK_THREADS: '3' },
    { queryMemory: 2e8, importMemory: 96e6, threads: 3, jobs: 3 },
  ],
  [
    'then what was set in the window',
    saved,
    { queryMemory: 3e8, importMemory: 96e6, threads: 7, jobs: 5 },
  ],
  [
    'then the machine',
    { DAYBOOK_STATE: root },
    { queryMemory: Math.min(Math.floor(totalmem() / 4), 4e9), threads: availableParallelism() },
  ],
  [
    'what is no number counts as nothing',
    { DAYBOOK_STATE: root, DAYBOOK_THREADS: 'many', DAYBOOK_MEMORY: '' },
    { threads: availableParallelism() },
  ],
])('%s', (_what, env: NodeJS.ProcessEnv, found) => {
  expect(settings(env)).toMatchObject(found);
  expect(engineSettings(env).limits).toMatchObject({ threads: found.threads });
});

it.skipIf(process.platform !== 'linux')('keeps to the folders of the system', () => {
  expect(stateFolder({})).toBe(join(homedir(), '.config/daybook'));
  expect(stateFolder({ XDG_CONFIG_HOME: '/c' })).toBe('/c/daybook');
  expect(cacheFolder({})).toBe(join(homedir(), '.cache/daybook'));
  expect(cacheFolder({ XDG_CACHE_HOME: '/k' })).toBe('/k/daybook');
  expect(cacheFolder({ DAYBOOK_STATE: '/s' })).toBe('/s/cache');
  expect(casesFolder({})).toBe(join(homedir(), 'Daybook'));
  expect(casesFolder({ DAYBOOK_CASES: '/e' })).toBe('/e');
});

it.each([
  ['512MB', 512e6],
  ['2 GiB', 2 ** 31],
  ['1.5g', 1.5e9],
  ['300000000', 3e8],
])('DAYBOOK_MEMORY may be written %s', (text, bytes) => {
  expect(settings({ DAYBOOK_STATE: root, DAYBOOK_MEMORY: text }).queryMemory).toBe(bytes);
});

it.each(['-1', 'much', '12 parsecs', '0'])('DAYBOOK_MEMORY of %s is an error', (text) => {
  expect(() => settings({ DAYBOOK_STATE: root, DAYBOOK_MEMORY: text })).toThrow('is not a size');
});
