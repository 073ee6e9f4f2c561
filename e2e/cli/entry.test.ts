/**
 * The entry point: help, version, and the Node it runs on.
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { daybook } from './harness.ts';

/** A Node on this machine that is too old for the engine, if there is one. */
function oldNode(): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const file = path.join(folder, 'node');
    if (folder.includes('node_modules')) continue;
    try {
      accessSync(file, constants.X_OK);
      const version = execFileSync(file, ['--version'], { encoding: 'utf8' });
      if (Number(/^v(\d+)/.exec(version)?.[1]) < 24) return file;
    } catch {
      // Not there, or no Node that starts.
    }
  }
  return undefined;
}
const old = oldNode();

describe('entry point', () => {
  it('runs on Node 24 or later in the tests', () => {
    expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(24);
  });

  it('explains itself', async () => {
    const help = await daybook(['--help']);
    expect(help.status).toBe(0);
    for (const command of ['import', 'query', 'count', 'top', 'timeline', 'verify']) {
      expect(help.out).toContain(`  ${command} `);
    }
    const command = await daybook(['import', '--help']);
    expect(command.status).toBe(0);
    expect(command.out).toContain('--no-packets');
    const version = await daybook(['--version']);
    expect(version.out).toMatch(/^daybook \d+\.\d+\.\d+\n$/);
  });

  it.skipIf(old === undefined)(
    'on an older Node, runs itself again on the pinned one (skipped where no older Node is installed)',
    async () => {
      const outcome = await daybook(['--version'], { node: old! });
      expect(outcome).toMatchObject({ status: 0, err: '' });
      const wrong = await daybook(['frobnicate'], { node: old! });
      expect(wrong.status).toBe(2);
    },
  );
});
