/** Evidence that is no file: pipes that nobody writes to, devices. Nothing hangs, and the first signal ends it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { daybook, scratch, start } from './harness.ts';

const { folder, remove } = scratch();
afterAll(remove);
const at = (...names: string[]): string => path.join(folder, ...names);

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
