/**
 * Evidence that is not a file: pipes that nobody writes to, devices. Nothing hangs, and the first signal ends it.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { daybook, scratch, start } from './harness.ts';

const { folder, remove } = scratch();
afterAll(remove);
const at = (...names: string[]): string => path.join(folder, ...names);

/** The pipe, opened for writing, which fails until a reader has opened it. */
function writerOf(pipe: string): number | undefined {
  try {
    return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

describe.skipIf(process.platform === 'win32')('evidence that is no file', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'a silent pipe: one %s ends the import',
    async (signal) => {
      const pipe = at(signal);
      execFileSync('mkfifo', [pipe]);
      const folderOf = at(`${signal}.daybook`);
      const running = start(['import', folderOf, pipe]);
      running.child.stdin.end();
      const staging = path.join(folderOf, 'staging');
      await vi.waitUntil(
        () => existsSync(staging) && readdirSync(staging).some((name) => name.startsWith('spool-')),
        { timeout: 60_000 },
      );
      running.child.kill(signal);
      const { status, err } = await running.outcome;
      expect(status, err).toBe(130);
      expect(readdirSync(staging)).toEqual([]);
    },
  );

  it.each([
    ['a list', ['query', 'CASE', '*', '--list', 'PIPE']],
    ['a lookup', ['query', 'CASE', '* | lookup "PIPE" on src_ip']],
    ['an extractor', ['fields', '--test', 'PIPE']],
  ])('%s in a silent pipe: one signal ends the command', async (name, words) => {
    const pipe = at(name.replace(' ', '-'));
    execFileSync('mkfifo', [pipe]);
    const running = start(words.map((word) => word.replace('CASE', at('x')).replace('PIPE', pipe)));
    running.child.stdin.end();
    // It waits once it has opened the pipe.
    const writer = await vi.waitUntil(() => writerOf(pipe), { timeout: 60_000 });
    running.child.kill('SIGTERM');
    const { status, err } = await running.outcome;
    closeSync(writer);
    expect(status, err).toBe(130);
  });

  it('a list and a lookup are read from a pipe, and a device is refused', async () => {
    const log = at('hosts.log');
    writeFileSync(
      log,
      '2026-03-01T10:00:00Z a app: from 192.0.2.1\n2026-03-01T10:00:01Z a app: no\n',
    );
    const folderOf = at('read.daybook');
    await daybook(['import', folderOf, log]);
    const query = (text: string, ...more: string[]) => daybook(['query', folderOf, text, ...more]);
    expect((await query('*', '--list', '/dev/zero')).err).toContain('is a device');
    expect((await query('* | lookup /dev/zero on host')).err).toContain('is a device');
    const pipe = at('written');
    execFileSync('mkfifo', [pipe]);
    const asked = query(`* | lookup "${pipe}" on host | top owner`);
    writeFileSync(pipe, 'host,owner\na,somebody\n');
    expect((await asked).out).toContain('somebody');
  });

  it('a device is refused, and a pipe where evidence is looked at again', async () => {
    const run = await daybook(['import', at('zero.daybook'), '/dev/zero']);
    expect(run.status).toBe(1);
    expect(run.err).toContain('/dev/zero: neither a file nor a folder');
    execFileSync('mkfifo', [at('looked-at')]);
    const scanned = await daybook(['scan', at('looked-at'), '*']);
    expect(scanned.status).toBe(1);
    expect(scanned.err).toContain('not a regular file');
  });
});
