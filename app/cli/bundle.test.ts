/** The command line runs its bundle only while that is made of what is beside it. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'daybook-bundle-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const cli = join(root, 'app/cli');
const source = join(cli, 'main.ts');

function run(): string {
  const env = { ...process.env, DAYBOOK_STATE: join(root, 'state') };
  const { stdout } = spawnSync(process.execPath, [join(cli, 'daybook.mjs')], { env });
  return stdout.toString();
}

it('by size and time of change of each source', () => {
  mkdirSync(join(cli, 'dist'), { recursive: true });
  copyFileSync(join(import.meta.dirname, 'daybook.mjs'), join(cli, 'daybook.mjs'));
  copyFileSync(
    join(import.meta.dirname, '../cache-folder.mjs'),
    join(root, 'app/cache-folder.mjs'),
  );
  writeFileSync(source, 'process.stdout.write("sources");');
  writeFileSync(join(cli, 'dist/main.mjs'), 'process.stdout.write("bundle");');
  expect(run()).toBe('sources');

  const made = (size: number, mtimeMs: number) =>
    writeFileSync(
      join(cli, 'dist/bundle.json'),
      JSON.stringify({ entry: 'main.mjs', sources: { 'app/cli/main.ts': [size, mtimeMs] } }),
    );
  const { size, mtimeMs } = statSync(source);
  made(size, mtimeMs);
  expect(run()).toBe('bundle');
  made(size, mtimeMs - 1);
  expect(run()).toBe('sources');
  made(size + 1, mtimeMs);
  expect(run()).toBe('sources');
  writeFileSync(join(cli, 'dist/bundle.json'), '{"entry": "ma');
  expect(run()).toBe('sources');
});
