import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineSettings } from './settings.ts';
import { readRecent, readSettings, rememberCase } from './state.ts';
import { called } from '../testing/called.ts';
import { systemHandlers } from './handlers.ts';

let root: string;
let settings: EngineSettings;
let handlers: ReturnType<typeof systemHandlers>;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'daybook-system-'));
  settings = {
    limits: {
      ...{ memory: 1e9, importMemory: 5e8, threads: 2, jobs: 2 },
      chunkRows: undefined,
    },
    casesFolder: join(root, 'cases'),
    stateFolder: join(root, 'state'),
  };
  handlers = systemHandlers(
    { settings },
    { version: '9.9.9', sample: async () => [join(root, 'sample')] },
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('settings', () => {
  it('are in force at once, and kept', async () => {
    const { result } = await called(handlers, 'settings.set', { memory: 2e8, threads: 1 });
    expect(result).toEqual({ memory: 2e8, threads: 1, jobs: 2, window: {} });
    expect(settings.limits).toMatchObject({ memory: 2e8, importMemory: 96e6, threads: 1 });
    await called(handlers, 'settings.set', { window: { zone: 'Europe/Berlin' } });
    expect(readSettings(settings.stateFolder)).toEqual({
      ...{ memory: 2e8, threads: 1, window: { zone: 'Europe/Berlin' } },
    });
    expect(readdirSync(settings.stateFolder)).toEqual(['settings.json']);
    const { result: info } = await called(handlers, 'engine.info', {});
    expect(info).toMatchObject({ version: '9.9.9', pid: process.pid, home: homedir() });
    expect(info.settings.window).toEqual({ zone: 'Europe/Berlin' });
  });

  it.each([
    [{ memory: 1e6 }],
    [{ memory: totalmem() * 2 }],
    [{ threads: 0 }],
    [{ jobs: 1000 }],
    [{ window: { x: 'y'.repeat(2 << 20) } }],
  ])('are refused where they make no sense (%#)', async (wrong) => {
    await expect(called(handlers, 'settings.set', wrong)).rejects.toMatchObject({ code: 'usage' });
    expect(readSettings(settings.stateFolder)).toEqual({});
    expect(settings.limits.threads).toBe(2);
  });

  it.each(['', '{', '[]', '7', '{"memory": "much", "threads": -1, "window": []}'])(
    'that are damaged on disk count as none: %s',
    async (text) => {
      mkdirSync(settings.stateFolder);
      writeFileSync(join(settings.stateFolder, 'settings.json'), text);
      writeFileSync(join(settings.stateFolder, 'recent.json'), text);
      const { result } = await called(handlers, 'engine.info', {});
      expect(result.recent).toEqual([]);
      expect(readSettings(settings.stateFolder)).toEqual({});
    },
  );

  it('say why they cannot be kept', async () => {
    writeFileSync(settings.stateFolder, 'a file where the folder should be');
    await expect(called(handlers, 'settings.set', { threads: 1 })).rejects.toThrow();
    // A case opens all the same.
    rememberCase(settings.stateFolder, '/x');
  });
});

describe('recent cases', () => {
  it('are the last opened first, each once, and can be forgotten', async () => {
    for (const one of ['/a', '/b', '/a']) rememberCase(settings.stateFolder, one);
    const { result } = await called(handlers, 'engine.info', {});
    expect(result.recent.map((one) => one.case)).toEqual(['/a', '/b']);
    expect(result.recent[0]).toMatchObject({ name: 'a', exists: false });
    await called(handlers, 'recent.forget', { case: '/a' });
    expect(readRecent(settings.stateFolder).map((one) => one.case)).toEqual(['/b']);
  });

  it('are fifty at most', () => {
    for (let i = 0; i < 60; i++) rememberCase(settings.stateFolder, `/case-${i}`);
    const recent = readRecent(settings.stateFolder);
    expect(recent.length).toBe(50);
    expect(recent[0]?.case).toBe('/case-59');
  });
});

describe('files.list', () => {
  it('has folders and cases first, by name, and leaves out what is hidden or neither', async () => {
    for (const folder of ['b', 'A', 'c.daybook', '.hidden']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'c.daybook', 'case.sqlite'), '');
    for (const file of ['log.10', 'log.9', 'Log.1', '.profile']) {
      writeFileSync(join(root, file), 'x'.repeat(3));
    }
    symlinkSync(join(root, 'nowhere'), join(root, 'broken'));
    symlinkSync(join(root, 'b'), join(root, 'to-b'));
    const { result } = await called(handlers, 'files.list', { folder: root });
    expect(result.entries.map(({ name, type }) => `${type} ${name}`)).toEqual([
      ...['folder A', 'folder b', 'case c.daybook', 'folder to-b'],
      ...['file Log.1', 'file log.9', 'file log.10'],
    ]);
    expect(result.entries.at(-1)).toMatchObject({ path: join(root, 'log.10'), size: 3 });
    expect(result).toMatchObject({ folder: root, parent: tmpdir(), left: 0 });
  });

  it('starts at home, and knows where there is nothing above', async () => {
    expect((await called(handlers, 'files.list', {})).result.folder).toBe(homedir());
    const { result } = await called(handlers, 'files.list', { folder: '/' });
    expect(result.parent).toBeUndefined();
  });

  it('lists five thousand entries and counts the others', async () => {
    for (let i = 0; i < 5003; i++) writeFileSync(join(root, `f${i}`), '');
    const { result } = await called(handlers, 'files.list', { folder: root });
    expect(result.entries.length).toBe(5000);
    expect(result.left).toBe(3);
  });

  it.each([
    ['missing', 'not-found', 'there is no folder'],
    ['file', 'usage', 'is a file, not a folder'],
  ])('says what is wrong with a folder that is %s', async (name, code, message) => {
    writeFileSync(join(root, 'file'), '');
    const listing = called(handlers, 'files.list', { folder: join(root, name) });
    await expect(listing).rejects.toMatchObject({
      ...{ code, message: expect.stringContaining(message) as string },
    });
  });
});

it('suggests a case that is not there yet for the sample', async () => {
  const names = [];
  for (let i = 0; i < 3; i++) {
    const { result } = await called(handlers, 'sample.prepare', {});
    expect(result.paths).toEqual([join(root, 'sample')]);
    mkdirSync(result.suggestedCase, { recursive: true });
    names.push(result.suggestedCase.slice(settings.casesFolder.length + 1));
  }
  expect(names).toEqual(['sample.daybook', 'sample-2.daybook', 'sample-3.daybook']);
});
