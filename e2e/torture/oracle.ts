/**
 * `npm run oracle`: random queries, each answered in several ways that must agree; the `queries` attack alone, with
 * any number of queries; with `--clickhouse` the attack of that name. docs/torture.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { attack, report } from './attack.ts';
import { clickhouse } from './clickhouse.ts';
import { queries } from './queries.ts';

const { values } = parseArgs({
  options: {
    queries: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    size: { type: 'string', default: '3' },
    query: { type: 'string' },
    clickhouse: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const given = [values.queries, values.seed, values.size, values.query ?? '0'];
if (values.help || given.some((text) => !/^\d{1,9}$/.test(text))) {
  process.stdout.write(`npm run oracle -- [options]

  --queries N   how many random queries (default 300)
  --seed S      where all chance comes from (default: a fresh one, which is printed)
  --query I     only query number I, as a failure names it
  --clickhouse  against ClickHouse instead, which has loaded what the cases hand over
  --size N      how large the cases are (default 3)
`);
  process.exit(values.help ? 0 : 2);
}

const folder = mkdtempSync(path.join(tmpdir(), 'daybook-oracle-'));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
say(`seed ${values.seed}`);
const outcome = await attack(values.clickhouse ? clickhouse : queries, {
  seed: Number(values.seed),
  runs: Number(values.queries),
  only: values.query === undefined ? undefined : Number(values.query),
  size: Number(values.size),
  folder,
  say,
});
say(report(outcome));
if (outcome.failures.length > 0) say(`the cases are in ${folder}`);
else rmSync(folder, { recursive: true, force: true });
process.exitCode = outcome.failures.length > 0 ? 1 : 0;
