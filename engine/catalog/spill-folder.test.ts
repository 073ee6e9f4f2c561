import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeSpillFolder, removeLeftSpill, removeSpillFolder } from './spill-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-spill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('is one of its own each time, private, and removed by nobody else while it is in use', () => {
  const [one, other] = [makeSpillFolder(folder), makeSpillFolder(folder)];
  expect(one.path).not.toBe(other.path);
  if (process.platform !== 'win32') expect(statSync(one.path).mode & 0o777).toBe(0o700);
  writeFileSync(join(one.path, 'spilled'), 'x');
  expect(removeSpillFolder(folder, basename(one.path))).toBe(false);
  expect(existsSync(join(one.path, 'spilled'))).toBe(true);
  one.release();
  expect(readdirSync(join(folder, 'staging'))).toEqual([basename(other.path)]);
  other.release();
});

it('is kept as long as its process lives, and removed when that was killed', async () => {
  const module = join(import.meta.dirname, 'spill-folder.ts');
  const program = `
    const { makeSpillFolder } = await import(${JSON.stringify(module)});
    const { path } = makeSpillFolder(${JSON.stringify(folder)});
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      gc();
    }
    console.log(path);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', program]);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const name = basename(line.toString().trim());
  expect(removeSpillFolder(folder, name)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const spill = makeSpillFolder(folder);
  writeFileSync(join(folder, 'staging/other'), 'x');
  removeLeftSpill(folder);
  expect(readdirSync(join(folder, 'staging')).sort()).toEqual(['other', basename(spill.path)]);
  spill.release();
});
