/**
 * docs/architecture.md is true: the files that it lists for the life of a record and of a query exist and take
 * part, by V8's coverage of both (`.ci/sizes.mjs --lives`), and the numbers of them are right.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** The files in a life's table, and the number that its title gives. */
function listed(page: string, title: RegExp): { files: string[]; count: number } {
  const from = title.exec(page);
  if (from === null) throw new Error(`docs/architecture.md has no ${String(title)}`);
  const [table] = /(?:^\|.*\n)+/m.exec(page.slice(from.index)) ?? [''];
  const files = [...table.matchAll(/^\| `(.+\/)` \| (.+) \|$/gm)].flatMap(([, folder, names]) =>
    [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => `${folder!}${name!}`),
  );
  return { files, count: Number(from[1]) };
}

test('the files on the way of a record and of a query are those that run', () => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [path.join(root, '.ci/sizes.mjs'), '--lives', '--json'],
    { encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const ran = JSON.parse(stdout) as { record: string[]; query: string[] };
  const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  for (const [title, files] of [
    [/\*\*A record: (\d+) files\*\*/, ran.record],
    [/\*\*A query: (\d+) files\.\*\*/, ran.query],
  ] as const) {
    const life = listed(page, title);
    expect(life.files.length).toBeGreaterThan(10);
    expect(life.count).toBe(life.files.length);
    // The entry point only chooses a Node and starts main.ts, which is what runs here.
    expect(life.files.filter((file) => !files.includes(file))).toEqual(['app/cli/daybook.mjs']);
  }
});
