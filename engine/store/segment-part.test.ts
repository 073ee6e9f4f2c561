/** What is written as a segment is what DuckDB reads of it, and what is read of its file without DuckDB. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import './texts-as-they-are.ts';
import { BATCH_ROWS, EventBatch } from '../contract/event-batch.ts';
import { rowList, rowSpan } from './batch-rows.ts';
import { finishSegment } from './finish-segment.ts';
import { Scratch, Unreadable } from './segment-file/pages.ts';
import { EventColumns } from './segment-file/event-columns.ts';
import { unpackMap } from './segment-file/segment-map.ts';
import { SegmentReader } from './segment-file/segment-reader.ts';
import { selectedOf } from './segment-file/write/draft.ts';
import { BLOCK, SMALL_BLOCK } from './segment-blocks.ts';
import { SegmentPart } from './segment-part.ts';
import { type TimeUnit, identifier, literal } from './table-layout.ts';

let folder: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let number = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-segment-part-'));
  instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

type Value = number | string | null;

/** Numbers by a generator of its own: `fc` would take minutes for so many rows. */
class Random {
  private state: number;
  constructor(seed: number) {
    this.state = seed | 1;
  }
  below(limit: number): number {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x;
    return Math.floor(((x >>> 0) / 2 ** 32) * limit);
  }
}

/** How a column's values follow each other. */
const SHAPES = ['same', 'steps', 'runs', 'few', 'any', 'extremes', 'late'] as const;
type Shape = (typeof SHAPES)[number];
/** Which rows have one. */
const GAPS = ['none', 'half', 'most', 'blocks', 'all'] as const;
type Gap = (typeof GAPS)[number];

interface Range {
  readonly low: number;
  readonly high: number;
  /** Instead of both. */
  readonly extremes?: readonly number[];
}

const NUMBERS: Readonly<Record<string, Range>> = {
  seq: { low: -(2 ** 52), high: 2 ** 52 },
  ts: { low: -(2 ** 50), high: 2 ** 51 },
  proto: { low: 0, high: 255 },
  src_port: { low: 0, high: 65_535 },
  src_ip4: { low: 0, high: 2 ** 32 - 1 },
  tz_offset: { low: -(2 ** 31), high: 2 ** 31 - 1 },
  bytes: { low: 0, high: 2 ** 53 - 1 },
  duration: { low: 0, high: 1e9, extremes: [0, -0, NaN, Infinity, -Infinity, 5e-324, -1e300, 0.1] },
};
const TEXTS = ['host', 'message', 'a:some "name"'];
const ADDRESS = 'src_ip6';

function numberAt(shape: Shape, range: Range, row: number, random: Random): number {
  const { low, high, extremes = [low, high] } = range;
  const span = high - low;
  const middle = low + Math.floor(span / 3);
  switch (shape) {
    case 'same':
    case 'late':
      return middle;
    case 'steps':
      return Math.min(high, middle + row * Math.max(1, Math.min(997, Math.floor(span / 2 ** 20))));
    case 'runs':
      return middle + (Math.floor(row / 700) % Math.min(200, span));
    case 'few':
      return middle + random.below(Math.min(5, span));
    case 'any':
      return low + Math.floor((random.below(2 ** 31) / 2 ** 31) * span);
    case 'extremes':
      return extremes[random.below(extremes.length)]!;
  }
}

const WORDS = [
  '',
  'x',
  'ssh',
  'a longer text than eight',
  "it's",
  'grün',
  '日本語',
  'a\0b',
  '\0',
  '😀',
];

function textAt(shape: Shape, row: number, random: Random): string {
  switch (shape) {
    case 'same':
    case 'late':
      return WORDS[3]!;
    case 'steps':
    case 'any':
      return `text ${random.below(1_000_000)}`;
    case 'runs':
      return WORDS[Math.floor(row / 700) % WORDS.length]!;
    case 'few':
      return WORDS[random.below(WORDS.length)]!;
    case 'extremes':
      return random.below(50) === 0 ? 'ü'.repeat(random.below(3000)) : '';
  }
}

function isThere(gap: Gap, row: number, random: Random): boolean {
  switch (gap) {
    case 'none':
      return true;
    case 'half':
      return random.below(2) === 0;
    case 'most':
      return random.below(40) === 0;
    case 'blocks':
      return Math.floor(row / 3000) % 2 === 0;
    case 'all':
      return false;
  }
}

interface Plan {
  readonly seed: number;
  /** Rows of each group. */
  readonly groups: readonly number[];
  readonly shapes: readonly Shape[];
  readonly gaps: readonly Gap[];
  readonly unit: TimeUnit;
  readonly picked: boolean;
  /** Bytes; left out: as of large ones. */
  readonly block?: number;
}

const NAMES = [...Object.keys(NUMBERS), ...TEXTS, ADDRESS];

function fillRow(batch: EventBatch, name: string, value: Value): void {
  const row = batch.length;
  if (value === null) return;
  if (name === ADDRESS) {
    batch.src_ip6.set(row, Buffer.from(String(value).replaceAll('-', ''), 'hex'), 0);
  } else if (name.startsWith('a:')) batch.setAttribute(name.slice(2), String(value));
  else if (name === 'host' || name === 'message') batch[name].setString(row, String(value));
  else batch[name as 'seq'].set(row, Number(value));
}

const WIDE: ReadonlySet<string> = new Set(['seq', 'bytes', 'ts', 'duration', ADDRESS]);

/** Columns of a plan's rows. */
function valuesOf({ seed, groups, shapes, gaps, unit }: Plan): Map<string, Value[]> {
  const random = new Random(seed);
  const out = new Map<string, Value[]>();
  NAMES.forEach((name, i) => {
    const shape = shapes[i]!;
    // A batch's message is a rare one here; every row has a number.
    const gap = name === 'seq' ? 'none' : name === 'message' ? 'most' : gaps[i]!;
    const values: Value[] = [];
    groups.forEach((rows, group) => {
      for (let at = 0; at < rows; at++) {
        const row = values.length;
        if (!isThere(gap, row, random) || (shape === 'late' && group === 0 && name !== 'seq'))
          values.push(null);
        else if (TEXTS.includes(name)) values.push(textAt(shape, row, random));
        else if (name === ADDRESS) values.push(addressAt(shape, row, random));
        else {
          const value = numberAt(shape, NUMBERS[name]!, row, random);
          values.push(name === 'ts' ? Math.floor(value / unit) * unit : value);
        }
      }
    });
    out.set(name, values);
  });
  return out;
}

function addressAt(shape: Shape, row: number, random: Random): string {
  const low = numberAt(shape, { low: 0, high: 2 ** 32 - 1 }, row, random)
    .toString(16)
    .padStart(8, '0');
  const text = `${shape === 'extremes' ? low : '20010db8'}000000000000aaaa${low}`;
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const SQL: Readonly<Record<string, string>> = {
  ts: 'epoch_us(ts)::DOUBLE',
  seq: 'seq::DOUBLE',
  bytes: 'bytes::DOUBLE',
  [ADDRESS]: `${ADDRESS}::VARCHAR`,
};

async function rowsOf(sql: string): Promise<unknown[][]> {
  const result = await connection.runAndReadAll(sql);
  return result.getRowsJS();
}

/** Writes rows as a segment; undefined where the part does not take them. */
async function written(plan: Plan, values: ReadonlyMap<string, readonly Value[]>, recordShift = 0) {
  const part = new SegmentPart(join(folder, `${(number += 1)}.duckdb`), plan.block);
  let row = 0;
  for (const [group, rows] of plan.groups.entries()) {
    // The unit of times is known at once, or from the second group on.
    const unit = group < (plan.seed & 1) ? 1_000_000 : plan.unit;
    const batch = new EventBatch('flow', () => undefined, rows + 2);
    const order = Array.from({ length: rows }, (_, i) => i);
    for (const i of order) {
      for (const [name, own] of values) fillRow(batch, name, own[row + i]!);
      batch.endRow();
    }
    row += rows;
    const picked = plan.picked ? rowList(Uint32Array.from(order)) : rowSpan(0, rows);
    if (!part.add(batch, picked, unit)) {
      part.abandon();
      return undefined;
    }
    // What was added was copied.
    batch.clear();
  }
  const draft = part.finish(plan.unit);
  const known = { minTs: undefined, maxTs: undefined, sources: [] };
  const built = await finishSegment(structuredClone(draft), known, recordShift);
  return { draft, built };
}

const PLAN: fc.Arbitrary<Plan> = fc.record({
  seed: fc.integer(),
  groups: fc.oneof(
    fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 3 }),
    fc.array(fc.constantFrom(2047, 2048, 2049, 9000), { minLength: 1, maxLength: 2 }),
  ),
  shapes: fc.array(fc.constantFrom(...SHAPES), {
    minLength: NAMES.length,
    maxLength: NAMES.length,
  }),
  gaps: fc.array(fc.constantFrom(...GAPS), { minLength: NAMES.length, maxLength: NAMES.length }),
  unit: fc.constantFrom<TimeUnit>(1, 1000, 1_000_000),
  picked: fc.boolean(),
  block: fc.constantFrom(BLOCK, SMALL_BLOCK),
});

async function check(plan: Plan): Promise<void> {
  const values = valuesOf(plan);
  const made = await written(plan, values);
  if (made === undefined) return;
  const { draft, built } = made;
  const name = `s${number}`;
  await connection.run(`ATTACH ${literal(draft.path)} AS ${name} (READ_ONLY)`);
  try {
    const names = selectedOf(draft).map((column) => column.name);
    expect(built.columns).toEqual(names);
    const total = plan.groups.reduce((sum, rows) => sum + rows, 0);
    expect(await rowsOf(`SELECT count(*)::INTEGER FROM ${name}.events`)).toEqual([[total]]);
    for (const [column, own] of values) {
      const isIn = names.includes(column);
      expect(isIn).toBe(own.some((value) => value !== null));
      if (isIn) await checkColumn(name, column, own);
    }
    await checkReader(built.path, built.map!, values, names, new Random(plan.seed));
  } finally {
    await connection.run(`DETACH ${name}`);
    rmSync(draft.path);
  }
}

/** All values; by their statistics what a filter leaves out; the least and the greatest. */
async function checkColumn(name: string, column: string, own: readonly Value[]): Promise<void> {
  const sql = SQL[column] ?? identifier(column);
  const read = await rowsOf(`SELECT ${sql} FROM ${name}.events ORDER BY rowid`);
  expect(read.map(([value]) => value)).toEqual(own);
  const table = `FROM ${name}.events WHERE ${identifier(column)}`;
  const counted = async (rest: string) =>
    (await rowsOf(`SELECT count(*)::INTEGER ${table} ${rest}`))[0]![0];
  expect(await counted('IS NULL')).toBe(own.filter((value) => value === null).length);
  const some = own.filter((value) => value !== null);
  for (const value of [some[0]!, some.at(-1)!, some[some.length >> 1]!]) {
    const bound = boundOf(column, value);
    expect(await counted(`= ${bound}`)).toBe(
      some.filter((one) => compare(one, value) === 0).length,
    );
    if (typeof value === 'number') {
      expect(await counted(`> ${bound}`)).toBe(
        some.filter((one) => compare(one, value) > 0).length,
      );
      expect(await counted(`< ${bound}`)).toBe(
        some.filter((one) => compare(one, value) < 0).length,
      );
    }
  }
  if (!some.every((value) => typeof value === 'number')) return;
  const least = some.reduce((a, b) => (compare(b, a) < 0 ? b : a));
  const most = some.reduce((a, b) => (compare(b, a) > 0 ? b : a));
  const lower = sql.replace(identifier(column), `min(${identifier(column)})`);
  const bounds = sql === identifier(column) ? [lower, lower.replace('min', 'max')] : undefined;
  if (bounds !== undefined)
    expect(
      await rowsOf(
        `SELECT ${bounds[0]} = ${boundOf(column, least)}, ${bounds[1]} = ${boundOf(column, most)} FROM ${name}.events`,
      ),
    ).toEqual([[true, true]]);
}

/** In DuckDB's order: NaN is itself and greater than any number, a zero below 0 is zero. */
function compare(a: Value, b: Value): number {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b ? 0 : NaN;
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : Number(a > b);
}

function boundOf(column: string, value: Value): string {
  if (column === 'ts') return `make_timestamp(${String(value)}::BIGINT)`;
  if (typeof value === 'number') return column === 'duration' ? `'${value}'::DOUBLE` : `${value}`;
  // No statement can have NUL.
  return String(value)
    .split('\0')
    .map((part) => literal(part))
    .join(' || chr(0) || ');
}

async function checkReader(
  path: string,
  packed: Uint8Array,
  values: ReadonlyMap<string, readonly Value[]>,
  names: readonly string[],
  random: Random,
): Promise<void> {
  const map = unpackMap(packed)!;
  const reader = new SegmentReader(path, map, new Scratch());
  try {
    for (const name of names) {
      const own = values.get(name);
      if (own === undefined) continue;
      const rows = [
        ...new Set([
          0,
          own.length - 1,
          ...Array.from({ length: 20 }, () => random.below(own.length)),
        ]),
      ].sort((a, b) => a - b);
      try {
        const read = new EventColumns(reader, rows).values(name);
        expect(read).toEqual(rows.map((row) => own[row]));
      } catch (error) {
        // What that cannot read is left to DuckDB: real numbers that are packed, and very wide ones.
        if (!(error instanceof Unreadable) || !WIDE.has(name)) throw error;
      }
    }
  } finally {
    reader.close();
  }
  await Promise.resolve();
}

describe('a segment', () => {
  it('has the rows that were added, and true statistics', async () => {
    await fc.assert(fc.asyncProperty(PLAN, check), { numRuns: 25 });
  });

  it('has rows whose real numbers are behind a group of those that are none', async () => {
    for (const groups of [
      [
        [NaN, NaN],
        [1, 2, 3],
      ],
      [
        [1, 2, 3],
        [NaN, NaN],
      ],
      [[NaN], [NaN]],
    ]) {
      const part = new SegmentPart(join(folder, `${(number += 1)}.duckdb`));
      for (const values of groups) {
        const batch = new EventBatch('flow', () => undefined, values.length);
        for (const value of values) {
          batch.duration.set(batch.length, value);
          batch.endRow();
        }
        expect(part.add(batch)).toBe(true);
      }
      const known = { minTs: undefined, maxTs: undefined, sources: [] };
      const { path } = await finishSegment(part.finish(1), known, 0);
      const name = `s${number}`;
      await connection.run(`ATTACH ${literal(path)} AS ${name} (READ_ONLY)`);
      const all = groups.flat();
      for (const value of new Set(all))
        expect(
          await rowsOf(
            `SELECT count(*)::INTEGER FROM ${name}.events WHERE duration = '${value}'::DOUBLE`,
          ),
        ).toEqual([[all.filter((one) => Object.is(one, value)).length]]);
      await connection.run(`DETACH ${name}`);
    }
  });

  it('of one row, whose values are all kept as statistics, is a file', async () => {
    const part = new SegmentPart(join(folder, `${(number += 1)}.duckdb`));
    const batch = new EventBatch('flow', () => undefined, 1);
    batch.seq.set(0, 7);
    batch.host.setString(0, 'one');
    batch.endRow();
    expect(part.add(batch)).toBe(true);
    const known = { minTs: undefined, maxTs: undefined, sources: [] };
    const { path } = await finishSegment(part.finish(1), known, 0);
    const name = `s${number}`;
    await connection.run(`ATTACH ${literal(path)} AS ${name} (READ_ONLY)`);
    expect(await rowsOf(`SELECT seq::INTEGER, host FROM ${name}.events`)).toEqual([[7, 'one']]);
    await connection.run(`DETACH ${name}`);
  });

  it('has numbers of records that are shifted when it is finished', async () => {
    const plan: Plan = {
      ...{ seed: 3, groups: [5000, 9000], unit: 1, picked: false },
      shapes: NAMES.map(() => 'few'),
      gaps: NAMES.map(() => 'none'),
    };
    for (const shape of ['steps', 'runs', 'few', 'any', 'same'] as const) {
      const values = valuesOf({ ...plan, shapes: [shape, ...plan.shapes.slice(1)] });
      const made = await written(plan, values, -1234);
      const shifted = values.get('seq')!.map((value) => Number(value) - 1234);
      const name = `s${number}`;
      await connection.run(`ATTACH ${literal(made!.built.path)} AS ${name} (READ_ONLY)`);
      await checkColumn(name, 'seq', shifted);
      await checkColumn(name, 'src_port', values.get('src_port')!);
      await connection.run(`DETACH ${name}`);
    }
  });

  it('has whole batches', async () => {
    await check({
      seed: 7,
      groups: [BATCH_ROWS, BATCH_ROWS - 1, 1],
      shapes: NAMES.map((_, at) => SHAPES[at % SHAPES.length]!),
      gaps: NAMES.map((_, at) => GAPS[at % 4]!),
      unit: 1000,
      picked: false,
    });
  }, 120_000);

  it('leaves many small groups to DuckDB, and takes what is larger', async () => {
    const groups = [3000, ...Array<number>(16).fill(5)];
    const seq = (list: readonly number[]) => Array.from({ length: sum(list) }, (_, row) => row);
    const taken = await written(planOf(groups), new Map([['seq', seq(groups)]]));
    expect(taken?.built.rows).toBe(sum(groups));
    expect(await written(planOf([...groups, 5]), new Map([['seq', seq([...groups, 5])]]))).toBe(
      undefined,
    );
    const larger = [...groups, 3000];
    const again = await written(planOf(larger), new Map([['seq', seq(larger)]]));
    expect(again?.built.rows).toBe(sum(larger));
  });

  it('does not take attributes whose names would become one', async () => {
    const values = new Map<string, Value[]>([
      ['seq', [1, 2]],
      ['a:x\ud800', ['a', null]],
      ['a:x\udc00', [null, 'b']],
    ]);
    expect(await written(planOf([2]), values)).toBeUndefined();
  });
});

function sum(list: readonly number[]): number {
  return list.reduce((all, n) => all + n, 0);
}

function planOf(groups: readonly number[]): Plan {
  return { seed: 1, groups, shapes: [], gaps: [], unit: 1, picked: false };
}
