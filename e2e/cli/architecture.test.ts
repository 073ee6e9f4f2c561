/**
 * docs/architecture.md is true: the files that it lists for the life of a record and of a query exist and take
 * part, by V8's coverage of both (`.ci/sizes.mjs --lives`), and the numbers of them are right; its picture has
 * the imports that there are. Sources and documents name no file of the repository that is gone.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** The files in a life's table, and their number according to its title. */
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
    // The entry point only chooses a Node and starts main.ts, which runs here.
    expect(life.files.filter((file) => !files.includes(file))).toEqual(['app/cli/daybook.mjs']);
  }
});

/** Sources and documents below a folder, by their paths in the repository. */
function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file))
    .filter((file) => name.test(file) && !/(?:^|\/)(?:dist|node_modules|out)\//.test(file));
}

/** Nodes of the picture by their contents. Other files of `app/` build and start the program. */
const NODES: readonly (readonly [RegExp, string])[] = [
  [/^app\/engine\//, 'engineProcess'],
  [/^app\/(cli|web|electron)\//, '$1'],
  [/^app\/(?:compose|readers|scan-tools|settings|threads)(?:\.ts$|\/)/, 'compose'],
  [/^(importers|renderer)\//, '$1'],
  [/^engine\/util\//, 'contract'],
  [/^engine\/(\w+)(?:\/|\.ts)/, '$1'],
];

function nodeOf(file: string): string | undefined {
  for (const [pattern, name] of NODES) {
    const found = pattern.exec(file);
    if (found !== null) return name.replace('$1', found[1] ?? '');
  }
  return undefined;
}

/** `a --> b` of each import between files of two nodes. */
function importsBetweenNodes(): Set<string> {
  const product = ['app', 'engine', 'importers', 'renderer'].flatMap((folder) =>
    filesIn(folder, /\.tsx?$/).filter((file) => !/\.test\.tsx?$|\/testing\//.test(file)),
  );
  const out = new Set<string>();
  for (const file of product) {
    const text = readFileSync(path.join(root, file), 'utf8');
    for (const [, target] of text.matchAll(/\b(?:from|import\() ?'(\.[^']+)'/g)) {
      const a = nodeOf(file);
      const b = nodeOf(path.posix.join(path.posix.dirname(file), target!));
      if (a !== undefined && b !== undefined && a !== b) out.add(`${a} --> ${b}`);
    }
  }
  return out;
}

test('the picture of the modules has the imports that there are', () => {
  const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  const [, picture] = /```mermaid\n([^]*?)```/.exec(page) ?? ['', ''];
  const drawn = [...picture.matchAll(/^ *(\w+)(?:\[.*?\])? --> (\w+)/gm)].map(
    ([, a, b]) => [a!, b!] as const,
  );
  expect(drawn.length).toBeGreaterThan(20);
  const real = importsBetweenNodes();
  expect(drawn.map(([a, b]) => `${a} --> ${b}`).filter((arrow) => !real.has(arrow))).toEqual([]);
  const reached = (from: string): string[] =>
    drawn.filter(([a]) => a === from).flatMap(([, b]) => [b, ...reached(b)]);
  const missing = [...real].filter((arrow) => {
    const [a, b] = arrow.split(' --> ');
    return !reached(a!).includes(b!);
  });
  expect(missing).toEqual([]);
});

/** Results of a build, and placeholders in capitals. */
const NO_FILE = /\/(?:dist|out)\/|[A-Z]{4}/;
const COMMENT = /^ *(?:\*|\/\/|\/\*\*) .*$/gm;
const WITH_FOLDER =
  /(?<![\w./-])(?:engine|importers|app|renderer|e2e|bench|fixtures|docs)\/[\w./-]+\.(?:tsx?|mjs|md)\b/g;
const WITHOUT_FOLDER = /(?<![\w./{}-])[a-z]\w*(?:-\w+)*\.tsx?\b/g;

test('comments and documents name no file that is gone', () => {
  const folders = ['app', 'engine', 'importers', 'renderer', 'e2e', 'bench', 'fixtures', '.ci'];
  const sources = folders.flatMap((folder) => filesIn(folder, /\.(?:tsx?|mjs)$/));
  // Decision records describe past states.
  const pages = filesIn('docs', /\.md$/).filter((page) => !page.startsWith('docs/adr/'));
  const names = new Set(sources.map((file) => path.posix.basename(file)));
  const gone = [...sources, ...pages, 'README.md', 'CONTRIBUTING.md', 'vitest.config.ts'].flatMap(
    (file) => {
      const whole = readFileSync(path.join(root, file), 'utf8');
      const isCode = sources.includes(file);
      const text = isCode ? (whole.match(COMMENT)?.join('\n') ?? '') : whole;
      const found = [...text.matchAll(WITH_FOLDER)].filter(
        ([name]) =>
          !NO_FILE.test(name) &&
          ![root, path.join(root, path.dirname(file))].some((folder) =>
            existsSync(path.join(folder, name)),
          ),
      );
      const alone = isCode
        ? [...text.matchAll(WITHOUT_FOLDER)].filter(([name]) => !names.has(name))
        : [];
      return [...found, ...alone].map(([name]) => `${file}: ${name}`);
    },
  );
  expect(gone).toEqual([]);
});
