/**
 * `npm run sizes`: lines of product code and of tests by folder, and the longest functions, as the
 * Markdown of docs/architecture.md. Product code is what is not a test, a test helper, a benchmark or a fixture.
 * With `-- --long` all functions of more than 80 lines are listed, not only the ten longest; with `-- --write` both
 * tables of docs/architecture.md are replaced.
 *
 * `npm run sizes -- --lives` imports 50,000 generated log lines and asks one query, from the sources and under
 * V8's coverage, and prints how many files run, for docs/architecture.md, "Files on the way"; with `--json`, which.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '..');
const PRODUCT = ['engine', 'importers', 'renderer', 'app'];
const BESIDE = ['e2e', 'bench', 'fixtures', '.ci'];
/** A function of more lines than this is long. */
const LONG = 80;
/** Longest functions that are named. */
const NAMED = 10;
/** Lines of the log that is imported under coverage. */
const RECORDS = 50_000;

const isTest = (file) => /\.test\.tsx?$|\/testing\/|\/torture\/|^e2e\//.test(file);

/** Source files below a folder, relative to the repository. */
function sources(folder) {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs|cjs|js)$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => !/(^|\/)(node_modules|dist|out|bundle)\//.test(file));
}

const linesOf = (text) => text.split('\n').length - 1;

/** Functions of a file with a body, with their lengths in lines. */
function functionsOf(file, text) {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const line = (at) => tree.getLineAndCharacterOfPosition(at).line;
      const name = node.name ?? (ts.isVariableDeclaration(node.parent) && node.parent.name);
      found.push({
        file,
        name: name ? name.getText(tree) : '(anonymous)',
        lines: line(node.getEnd()) - line(node.getStart(tree)) + 1,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Both tables, as Markdown. */
function sizes() {
  const out = [];
  const rows = new Map();
  const functions = [];
  const count = (folder, file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    const row = rows.get(folder) ?? { files: 0, product: 0, tests: 0 };
    if (isTest(file)) row.tests += linesOf(text);
    else {
      row.files++;
      row.product += linesOf(text);
      if (PRODUCT.includes(file.split('/')[0])) functions.push(...functionsOf(file, text));
    }
    rows.set(folder, row);
  };
  for (const top of [...PRODUCT, ...BESIDE])
    for (const file of sources(top)) {
      const parts = file.split('/');
      const deep = top === 'engine' || top === 'importers' || top === 'renderer' || top === 'app';
      count(deep && parts.length > 2 ? parts.slice(0, 2).join('/') : top, file);
    }
  const n = (value) => value.toLocaleString('en-US');
  out.push('| folder | files | lines | lines of tests |\n|---|---:|---:|---:|');
  const total = { files: 0, product: 0, tests: 0 };
  for (const [folder, row] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
    out.push(`| \`${folder}\` | ${n(row.files)} | ${n(row.product)} | ${n(row.tests)} |`);
    if (PRODUCT.includes(folder.split('/')[0])) {
      total.files += row.files;
      total.product += row.product;
    }
    total.tests += row.tests;
  }
  out.push(
    `| **product** (${PRODUCT.join(', ')}); all tests | ${n(total.files)} | ${n(total.product)} | ${n(total.tests)} |`,
  );
  out.push('\n| longest functions | lines |\n|---|---:|');
  functions.sort((a, b) => b.lines - a.lines);
  const long = functions.filter(({ lines }) => lines > LONG).length;
  const named = process.argv.includes('--long') ? long : NAMED;
  for (const { file, name, lines } of functions.slice(0, named))
    out.push(`| \`${name}\` in \`${file}\` | ${lines} |`);
  out.push(`| functions of more than ${LONG} lines, of ${n(functions.length)} | ${long} |`);
  return out.join('\n');
}

/** Puts the tables into docs/architecture.md, with today's date. */
function writeSizes() {
  const page = path.join(root, 'docs/architecture.md');
  const text = readFileSync(page, 'utf8');
  const today = new Date().toLocaleDateString('en-GB', { dateStyle: 'long' });
  const place = /(?<=^`npm run sizes`, ).*:\n\n\| folder [^]*?(?=\n\n## )/m;
  if (!place.test(text)) throw new Error('docs/architecture.md has no tables of sizes');
  writeFileSync(
    page,
    text.replace(place, () => `${today}:\n\n${sizes()}`),
  );
}

/**
 * Runs the command line from its sources. Resolves to the highest execution count of any block of each source file.
 */
function covered(scratch, name, args) {
  const dir = path.join(scratch, name);
  const ended = spawnSync(process.execPath, [path.join(root, 'app/cli/main.ts'), ...args], {
    cwd: scratch,
    env: { ...process.env, NODE_V8_COVERAGE: dir },
    encoding: 'utf8',
  });
  if (ended.status !== 0) throw new Error(`daybook ${args.join(' ')}: ${ended.stderr}`);
  const ran = new Map();
  for (const file of readdirSync(dir))
    for (const { url, functions } of JSON.parse(readFileSync(path.join(dir, file), 'utf8'))
      .result) {
      if (!url.startsWith('file://')) continue;
      const source = path.relative(root, fileURLToPath(url));
      if (source.startsWith('..') || source.includes('node_modules')) continue;
      // The first range of a module is its top level, which runs whenever it is loaded.
      const inside = functions.filter(
        ({ functionName, ranges }) => functionName !== '' || ranges[0].startOffset > 0,
      );
      const called = inside.flatMap(({ ranges }) => ranges.map(({ count }) => count));
      ran.set(source, Math.max(ran.get(source) ?? 0, ...called));
    }
  return ran;
}

/** @returns for both lives, the source files of which a function ran, with the highest count of a block of each */
function lives() {
  const scratch = mkdtempSync(path.join(tmpdir(), 'daybook-lives-'));
  try {
    mkdirSync(path.join(scratch, 'evidence'));
    let log = '';
    for (let i = 0; i < RECORDS; i++) {
      const time = new Date(Date.UTC(2026, 0, 5) + i * 500).toISOString();
      log += `${time} host${i % 7} sshd[${1000 + (i % 50)}]: Failed password for user${i % 31} from 10.0.${i % 4}.${i % 250} port ${1024 + (i % 5000)} ssh2\n`;
    }
    writeFileSync(path.join(scratch, 'evidence/auth.log'), log);
    const record = covered(scratch, 'record', ['import', 'c.daybook', 'evidence/auth.log']);
    const query = covered(scratch, 'query', ['query', 'c.daybook', 'host:host3 | top 5 program']);
    return { record, query };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function printLives() {
  const { record, query } = lives();
  if (process.argv.includes('--json')) {
    const called = (ran) => [...ran].filter(([, count]) => count > 0).map(([file]) => file);
    console.log(JSON.stringify({ record: called(record), query: called(query) }));
    return;
  }
  const all = (ran, least) => [...ran.values()].filter((count) => count >= least).length;
  console.log('| | import of a log | `host:host3 \\| top 5 program` |\n|---|---:|---:|');
  console.log(`| files loaded | ${record.size} | ${query.size} |`);
  console.log(`| files of which a function runs | ${all(record, 1)} | ${all(query, 1)} |`);
  console.log(
    `| files that run code for each record | ${all(record, RECORDS)} | ${all(query, RECORDS)} |`,
  );
}

if (process.argv.includes('--lives')) printLives();
else if (process.argv.includes('--write')) writeSizes();
else console.log(sizes());
