/** The command line and the engine run their bundle only if it was built from the current sources. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'daybook-bundle-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const dist = join(root, 'app/cli/dist');
mkdirSync(dist, { recursive: true });
for (const file of ['bundled.mjs', 'cache-folder.mjs', 'cli/daybook.mjs', 'engine/start.mjs']) {
  const to = join(root, 'app', file);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(join(import.meta.dirname, '..', file), to);
}

it.each([
  ['cli/daybook.mjs', 'app/cli/main.ts'],
  ['engine/start.mjs', 'app/engine/main.ts'],
])('by size and time of change of each source: %s', (program, main) => {
  const run = (): string => {
    const env = { ...process.env, DAYBOOK_STATE: join(root, 'state') };
    return spawnSync(process.execPath, [join(root, 'app', program)], { env }).stdout.toString();
  };
  const source = join(root, main);
  rmSync(join(dist, 'bundle.json'), { force: true });
  writeFileSync(source, 'process.stdout.write("sources");');
  writeFileSync(join(dist, 'main.mjs'), 'process.stdout.write("bundle");');
  expect(run()).toBe('sources');

  const made = (size: number, mtimeMs: number) =>
    writeFileSync(
      join(dist, 'bundle.json'),
      JSON.stringify({ entries: { [main]: 'main.mjs' }, sources: { [main]: [size, mtimeMs] } }),
    );
  const { size, mtimeMs } = statSync(source);
  made(size, mtimeMs);
  expect(run()).toBe('bundle');
  made(size, mtimeMs - 1);
  expect(run()).toBe('sources');
  made(size + 1, mtimeMs);
  expect(run()).toBe('sources');
  writeFileSync(join(dist, 'bundle.json'), '{"entries": {"ap');
  expect(run()).toBe('sources');
});
