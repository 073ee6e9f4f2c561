/**
 * Every function of expressions, on the same rows: DuckDB's SQL defines the result, and rows in memory give the
 * same. A function without an entry fails.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STAGE_NAMES } from '../syntax/lexemes.ts';
import { computeAgain } from '../batch/batch-scope.ts';
import { Budget } from '../batch/budget.ts';
import { Params } from '../dialect/duckdb.ts';
import { buildTable, gridOf } from '../plan/plan-tables.ts';
import { outputsOf } from '../statements/statements.ts';
import { shapeAnswer } from '../answers/answer.ts';
import { stageOperatorOf } from '../stages/stages.ts';
import { allOf, filterColumns } from '../filters/filter.ts';
import { batchScope } from '../batch/batch-scope.ts';
import { batchesOf } from '../testing/batches.ts';
import { DAY1 } from '../testing/fixture.ts';
import { parseIp4 } from '../values/address.ts';
import { type TestCase, type TestEvent, openTestCase } from '../testing/test-case.ts';
import { foldless } from './case.ts';
import { VALUE_FUNCTIONS, VALUE_FUNCTION_LIST } from './functions.ts';

const TEXTS = [
  'Failed password for alice from 192.0.2.7 port 4711',
  '  spaced\tout \n',
  '',
  'naïve ÄÖÜ ß ſ K ς 😀 x',
  'aGVsbG8=',
  'aABlAGwAbABvAA==',
  '68656c6c6f',
  'ff41',
  'a%20b%2Fc%zz+d',
  '%ff%fe',
  '2001:db8::1',
  '192.0.2.200',
  '::ffff:192.0.2.1',
  '1.5e3',
  '-0.25',
  '12345678901234567890',
  'a,b,,c',
  'user=bob user=carol',
  '\\1 $& /x/',
  'null',
];
const NUMBERS = [0, 1, 7, 22, 443, 1e6, 123_456_789_012, 2 ** 53 - 1];
const HOUR = 3600e6;

function events(): TestEvent[] {
  return TEXTS.flatMap((message, i) =>
    [0, 1].map((twice): TestEvent => {
      const n = NUMBERS[(i + twice) % NUMBERS.length]!;
      const isLog = (i + twice) % 3 !== 0;
      return {
        ...{ kind: isLog ? 'log' : 'flow', source: 1, seq: 2 * i + twice },
        ts: i % 7 === 6 ? undefined : DAY1 + i * 17 * HOUR + twice * 12_345_678,
        fields: {
          ...(twice === 0 || message !== '' ? { message } : {}),
          ...(i % 3 === 0 ? {} : { host: i % 2 === 0 ? 'Web01' : 'sshd' }),
          ...(i % 2 === 0 ? { program: 'SSHD' } : {}),
          ...(i % 5 === 4 ? {} : { bytes: n, packets: (i * 3) % 5 }),
          ...(i % 4 === 1
            ? {
                src_ip6: '20010db8-0000-0000-0000-0000000000ff',
                dst_ip6: '20010db8-0000-0000-0001-000000000000',
              }
            : {
                src_ip4: parseIp4(`10.1.${i}.${twice}`)!,
                dst_ip4: parseIp4(twice === 1 ? `10.1.${i}.1` : '192.0.2.1')!,
              }),
        },
        attributes: { value: message, ...(i % 2 === 0 ? { other: String(n) } : {}) },
      };
    }),
  );
}

const EXPRESSIONS: Readonly<Record<string, readonly string[]>> = {
  if: [
    'if(bytes > 1000, "big", "small")',
    'if(failed, bytes)',
    'if(src_ip = dst_ip, src_ip, dst_ip)',
    'if(src_ip:private or host:web*, 1, 0)',
  ],
  case: [
    'case(bytes < 10, "a", bytes < 1000, "b", "c")',
    'case(host:web01, 1, program:sshd, 2)',
    'case(match(message, /x/), len(message), 0 - 1)',
  ],
  coalesce: [
    'coalesce(host, program, "none")',
    'coalesce(null, bytes)',
    'coalesce(src_ip, dst_ip)',
  ],
  isnull: ['isnull(host)', 'if(isnull(src_ip), 1, 0)'],
  isnotnull: ['isnotnull(host)'],
  lower: ['lower(message)', 'lower(host)'],
  upper: ['upper(message)', 'upper(other)'],
  len: ['len(message)', 'len(bytes)'],
  trim: ['concat("<", trim(message), ">")'],
  ltrim: ['concat("<", ltrim(message), ">")'],
  rtrim: ['concat("<", rtrim(message), ">")'],
  replace: [
    'replace(message, "a", "<a>")',
    'replace(message, /[0-9]+/, "#")',
    'replace(message, /x*/, "-")',
    'replace(message, /USER/i, "\\\\1")',
    'replace(message, "", "x")',
  ],
  split: ['split(message, ",", 2)', 'split(message, " ", -1)', 'split(message, "user=", 9)'],
  substr: [
    'substr(message, 2)',
    'substr(message, 2, 3)',
    'substr(message, -3)',
    'substr(message, -3, 2)',
    'substr(message, 1, 0)',
    'substr(message, 99, 2)',
  ],
  concat: ['concat(host, "/", program, bytes)', 'concat(src_ip, ">", dst_ip)', 'concat(ts)'],
  reverse: ['reverse(message)'],
  indexof: ['indexof(message, "user")', 'indexof(message, "x")', 'indexof(message, "")'],
  match: ['match(message, /^[a-z ]+$/i)', 'if(match(lower(message), /naïve|port \\d+$/), 1, 0)'],
  tostring: [
    'tostring(bytes)',
    'tostring(bytes / 7)',
    'tostring(ts)',
    'tostring(src_ip)',
    'tostring(bytes * 1e20)',
    'tostring(packets / 1e6)',
  ],
  '+': ['bytes + packets', 'ts + 5m', '1h + ts', 'bytes + 1e308 + 1e308'],
  '-': ['bytes - packets', 'ts - 1.5', 'ts - (ts - 5m)'],
  '*': ['bytes * 2', 'packets * packets'],
  '/': ['bytes / packets', 'bytes / 0', 'src_ip/24', 'dst_ip/16'],
  '%': ['bytes % 7', '(0 - bytes) % 7', 'bytes % packets'],
  negate: ['-bytes', '-(bytes - 5)'],
  abs: ['abs(0 - bytes)'],
  floor: ['floor(bytes / 7)', 'floor(0 - bytes / 7)'],
  ceil: ['ceil(bytes / 7)', 'ceil(0 - packets / 7)'],
  round: ['round(bytes / 7)', 'round(0 - packets / 2)', 'round(bytes / 7, 2)'],
  sqrt: ['sqrt(bytes)', 'sqrt(0 - bytes)'],
  tonumber: ['tonumber(message)', 'tonumber(other) + 1', 'other * 2'],
  hour: ['hour(ts)'],
  minute: ['minute(ts)'],
  monthday: ['monthday(ts)'],
  month: ['month(ts)'],
  year: ['year(ts)'],
  weekday: ['weekday(ts)'],
  date: ['date(ts)'],
  epoch: ['epoch(ts)'],
  date_diff: ['date_diff("m", ts, ts + 90)', 'date_diff("hour", ts - 1d, ts)'],
  bin: [
    'bin(ts, 5m)',
    'bin(ts, 1d)',
    'bin(ts, 1w)',
    'bin(ts, 7h)',
    'bin(bytes, 100)',
    'bin(0 - bytes, 100)',
  ],
  cidr: ['cidr(src_ip, 24)', 'cidr(src_ip, 8, 33)', 'cidr(value, 13, 62)', 'cidr(dst_ip, 0)'],
  toip: ['toip(value)', 'cidr(toip(value), 24)'],
  base64: ['base64(message)', 'base64(value)'],
  hexdecode: ['hexdecode(message)'],
  urldecode: ['urldecode(message)'],
  // These depend on the order of rows: see stages/eval.test.ts.
  ...{ prev: [], delta: [] },
};

let test: TestCase;
beforeAll(async () => {
  test = await openTestCase(events());
});
afterAll(() => test.close());

/** The values of a query from batches. */
function fromBatches(text: string, zone: string): unknown {
  const plan = test.plan(text, { zone });
  const [stage] = plan.stages;
  const { columns } = buildTable(plan, new Params(), undefined);
  const { resolve, extent, range } = plan;
  const taker = stageOperatorOf(stage!).batches?.(stage!, {
    ...{ resolve, extent, range, columns, budget: new Budget(), wanted: undefined, zone },
    grid: (matched) => gridOf(plan, matched),
  });
  for (const batch of batchesOf(test.events)) {
    computeAgain(batch, undefined);
    const rows = Int32Array.from({ length: batch.length }, (_, i) => i);
    const n = filterColumns(allOf(plan.filters), batchScope(batch, undefined))(rows, batch.length);
    if (n > 0) taker?.scoped(batch)(rows, n);
  }
  const { table } = taker!.finish();
  const { outputs } = outputsOf(columns, 0);
  const statement = { sql: '', params: [], grid: undefined, columns: outputs };
  return sortedRows(shapeAnswer(plan, statement, table.rows, test.context));
}

function sortedRows(answer: unknown): string[] {
  const rows = typeof answer === 'object' && answer !== null && 'rows' in answer ? answer.rows : [];
  return (rows as unknown[]).map((row) => JSON.stringify(row)).sort();
}

it('is documented, every function and stage', () => {
  const page = readFileSync(
    path.join(import.meta.dirname, '../../../docs/query-language.md'),
    'utf8',
  );
  for (const { form, gives } of VALUE_FUNCTION_LIST) {
    expect(page).toContain(`\`${form}\``);
    expect(page).toContain(gives);
  }
  for (const name of STAGE_NAMES) expect(page).toContain(`\`${name}`);
});

it('has an entry for every function', () => {
  expect(Object.keys(EXPRESSIONS).sort()).toEqual([...VALUE_FUNCTIONS.keys()].sort());
});

describe.each(['UTC', 'Europe/Berlin', '+05:30'])('in %s', (zone) => {
  const all = Object.values(EXPRESSIONS).flat();
  it.each(zone === 'UTC' ? all : all.filter((one) => /\bts\b/.test(one)))(
    '%s',
    async (expression) => {
      const text = `* | eval x = ${expression} | stats count() by seq, x`;
      const plan = test.plan(text, { zone });
      const right = sortedRows(await test.answer(plan));
      expect(right.length).toBeGreaterThan(1);
      expect(fromBatches(text, zone)).toEqual(right);
    },
  );
});

it('makes small letters and capitals as DuckDB does, of every character', async () => {
  const sql =
    'SELECT i, lower(chr(CAST(i AS INTEGER))), upper(chr(CAST(i AS INTEGER))) FROM range(1, 1114112) AS t(i) WHERE i NOT BETWEEN 55296 AND 57343 AND i <> 65279';
  const wrong: unknown[] = [];
  for (const [i, lower, upper] of await test.raw({ sql, params: [], columns: [] })) {
    const one = String.fromCodePoint(Number(i));
    if (foldless.lower(one) !== lower || foldless.upper(one) !== upper)
      wrong.push([i, lower, upper]);
  }
  expect(wrong).toEqual([]);
});
