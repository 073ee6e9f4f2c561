/**
 * Checks the import rules (`.dependency-cruiser.cjs`) on the repository.
 *
 * `--self-test` checks the rules themselves instead: it writes a small tree in which every file makes
 * one import, some allowed and some not, and fails unless exactly the forbidden ones are reported.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const cruiser = path.join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const config = path.join(root, '.dependency-cruiser.cjs');
const FOLDERS = ['app', 'bench', 'e2e', 'engine', 'fixtures', 'importers', 'renderer'];

function cruise(cwd, outputType) {
  const there = readdirSync(cwd);
  const targets = there.filter((f) => FOLDERS.includes(f) || /^[^.].*\.config\.(js|ts)$/.test(f));
  return spawnSync(
    process.execPath,
    [cruiser, '--config', config, '--output-type', outputType, ...targets],
    { cwd, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
}

/** [importing file, imported module, whether that is allowed]. */
const CASES = [
  ['engine/contract/a.ts', 'zod', true],
  ['engine/contract/b.ts', 'node:fs', false],
  ['engine/contract/c.ts', '../util/target.ts', false],
  ['engine/contract/d.ts', 'better-sqlite3', false],
  ['engine/contract/e.ts', '../columns/target.ts', false],
  ['engine/columns/a.ts', '../contract/target.ts', true],
  ['engine/columns/b.ts', '../util/target.ts', false],
  ['engine/evidence/a.ts', '../columns/target.ts', true],
  ['engine/query/a.ts', '../contract/target.ts', true],
  ['engine/query/l.ts', '../columns/target.ts', true],
  ['engine/query/m.ts', '../evidence/target.ts', false],
  ['engine/index/a.ts', '../columns/target.ts', false],
  ['engine/query/b.ts', '../store/target.ts', false],
  ['engine/query/c.ts', '@duckdb/node-api', false],
  ['engine/query/filters/d.ts', '../../catalog/target.ts', false],
  ['engine/query/filters/j.ts', '../../index/target.ts', false],
  ['engine/query/testing/k.ts', '../../index/target.ts', true],
  ['engine/search/a.ts', '../index/target.ts', true],
  ['engine/search/rows/b.ts', '../../store/target.ts', true],
  ['engine/search/c.ts', '../operations/target.ts', false],
  ['engine/search/d.ts', '../ingest/target.ts', false],
  ['engine/search/e.test.ts', '../operations/target.ts', true],
  ['engine/operations/cluster/a.ts', '@clickhouse/client', true],
  ['engine/operations/query/f.ts', '@clickhouse/client', false],
  ['engine/operations/f.ts', 'node:http', false],
  ['engine/store/f.ts', 'node:net', false],
  ['engine/operations/c.ts', '../search/index.ts', true],
  ['engine/operations/d.ts', '../search/rows/target.ts', false],
  ['engine/operations/g.ts', '../ingest/index.ts', true],
  ['engine/operations/h.ts', '../ingest/case/target.ts', false],
  ['engine/operations/i.ts', '../store/target.ts', false],
  ['engine/operations/j.ts', '../catalog/tables/target.ts', false],
  ['engine/operations/k.ts', '../index/target.ts', false],
  ['engine/operations/l.test.ts', '../store/target.ts', true],
  ['engine/query/e.test.ts', '@duckdb/node-api', true],
  ['engine/query/f.test.ts', '../store/target.ts', false],
  ['engine/query/testing/g.ts', '@duckdb/node-api', true],
  ['engine/query/h.ts', './testing/target.ts', false],
  ['engine/query/i.test.ts', './testing/target.ts', true],
  ['engine/query/syntax/l.ts', '../values/address.ts', true],
  ['engine/query/syntax/m.ts', '../filters/target.ts', false],
  ['engine/catalog/a.ts', 'better-sqlite3', true],
  ['engine/catalog/b.ts', '../store/target.ts', false],
  ['engine/catalog/c.ts', '@duckdb/node-api', false],
  ['engine/store/a.ts', '@duckdb/node-api', true],
  ['engine/store/b.ts', '../catalog/target.ts', false],
  ['engine/store/c.ts', '../ingest/target.ts', false],
  ['engine/ingest/a.ts', '../store/target.ts', true],
  ['engine/ingest/b.ts', '../query/target.ts', false],
  ['engine/ingest/c.ts', '../../importers/pcap/target.ts', false],
  ['engine/operations/a.ts', '../query/target.ts', true],
  ['engine/operations/b.ts', '../../app/compose.ts', false],
  ['importers/pcap/a.ts', '../shared/target.ts', true],
  ['importers/pcap/b.ts', '../../engine/contract/target.ts', true],
  ['importers/pcap/g.ts', '../../engine/evidence/target.ts', true],
  ['importers/pcap/c.ts', '../syslog/target.ts', false],
  ['importers/pcap/d.ts', '../../engine/util/target.ts', false],
  ['importers/pcap/g.ts', '../../engine/util/hash-table/target.ts', true],
  ['importers/pcap/e.ts', '@duckdb/node-api', false],
  ['importers/shared/f.ts', '../pcap/target.ts', false],
  ['app/cli/a.ts', '../compose.ts', true],
  ['app/cli/b.ts', '../../engine/store/target.ts', false],
  ['app/cli/c.ts', '../web/target.ts', false],
  ['renderer/panels/rows/a.ts', '../../panel-api.ts', true],
  ['renderer/panels/rows/b.ts', '../map/target.ts', false],
  ['renderer/panels/rows/c.ts', '../../client/target.ts', false],
  ['renderer/client/a.ts', '../../engine/contract/target.ts', true],
  ['renderer/client/b.ts', '../../engine/query/target.ts', false],
  ['renderer/state/d.ts', '../../engine/query/syntax/index.ts', true],
  ['renderer/state/e.ts', '../../engine/query/syntax/target.ts', false],
  ['renderer/client/c.ts', 'node:fs', false],
  ['e2e/a.test.ts', '../fixtures/target.ts', true],
  ['e2e/b.test.ts', '../app/compose.ts', false],
  ['e2e/c.test.ts', '../engine/contract/target.ts', false],
  ['fixtures/a.ts', '../engine/contract/target.ts', false],
  ['engine/util/a.ts', './no-such-file.ts', false],
  ['engine/index/one.ts', './two.ts', false],
  // A circle is reported once.
  ['engine/index/two.ts', './one.ts', true],
];

function selfTest() {
  // The real path: modules resolved through a symbolic link would be outside the tree.
  const tree = realpathSync(mkdtempSync(path.join(tmpdir(), 'daybook-imports-')));
  const put = (file, text) => {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
  };
  try {
    put('tsconfig.json', '{ "compilerOptions": { "module": "nodenext", "noEmit": true } }');
    put('app/compose.ts', 'export const x = 1;\n');
    put('renderer/panel-api.ts', 'export const x = 1;\n');
    const packages = ['zod', 'better-sqlite3', '@duckdb/node-api', '@clickhouse/client'];
    for (const name of packages) {
      put(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
      put(`node_modules/${name}/index.js`, 'exports.x = 1;\n');
    }
    put(
      'package.json',
      JSON.stringify({ dependencies: Object.fromEntries(packages.map((name) => [name, '*'])) }),
    );
    const cases = CASES;
    for (const [file, target] of cases) {
      if (target.startsWith('.') && !target.includes('no-such')) {
        put(path.join(path.dirname(file), target), 'export const x = 1;\n');
      }
    }
    for (const [file, target] of cases)
      put(file, `import type { x } from '${target}';\nexport type X = typeof x;\n`);
    const run = cruise(tree, 'json');
    const reported = new Set(JSON.parse(run.stdout).summary.violations.map((v) => v.from));
    const wrong = cases.filter(([file, , allowed]) => reported.has(file) === allowed);
    for (const [file, target, allowed] of wrong) {
      console.error(`${file} -> ${target}: should be ${allowed ? 'allowed' : 'reported'}, is not`);
    }
    if (wrong.length === 0)
      console.log(`import rules: ${cases.length} sample imports judged right`);
    return wrong.length === 0 ? 0 : 1;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function check() {
  const run = cruise(root, 'err-long');
  process.stdout.write(run.stdout);
  process.stderr.write(run.stderr);
  return run.status ?? 1;
}

process.exitCode = process.argv.includes('--self-test') ? selfTest() : check();
