import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { EventBatch } from '../../columns/event-batch.ts';
import { rowList, rowSpan } from './batch-rows.ts';
import { sqlOf } from '../expression.ts';
import { type CutMessages, SHAPE, anyMessage, groupShapes } from '../messages/message-columns.ts';
import { ParquetPart } from './parquet-part.ts';
import { numberedSql, tableLayout } from '../table-layout.ts';

let folder: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let number = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-parquet-'));
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

/** One row of a batch's possible contents, as plain values. */
interface Row {
  seq: number;
  ts: number | null;
  ts_ns: number | null;
  proto: number | null;
  src_port: number | null;
  src_ip4: number | null;
  tz_offset: number | null;
  duration: number | null;
  message: string | null;
  ip6: number | null;
  attr: string | null;
  host: string | null;
  pid: number | null;
}

/** Often the same: a column with one text is encoded differently. */
const SAME = fc.constantFrom('x', 'x', 'x', 'y');

const ORDERS = fc.constantFrom('as they are', 'in two', 'reversed');

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 3 });
const ROW: fc.Arbitrary<Row> = fc.record({
  seq: fc.integer({ min: -(2 ** 40), max: 2 ** 45 }),
  ts: maybe(fc.integer({ min: -(2 ** 50), max: 2 ** 51 })),
  ts_ns: maybe(fc.integer({ min: 0, max: 999 })),
  proto: maybe(fc.integer({ min: 0, max: 255 })),
  src_port: maybe(fc.integer({ min: 0, max: 65_535 })),
  src_ip4: maybe(fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  tz_offset: maybe(fc.integer({ min: -86_400, max: 86_400 })),
  duration: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
  message: fc.oneof(
    maybe(fc.string({ unit: 'grapheme', maxLength: 80 })),
    // Often similar, so that they are cut.
    fc.constantFrom('', 'always', 'always', '7', '300', '70000'),
    fc.constantFrom(7, 300, 70_000).map((n) => `sshd[${n}]: closed`),
    fc.integer({ min: 0, max: 300 }).map((n) => `user${n} from 10.0.0.${n & 3}: it's x${n >> 4}`),
  ),
  ip6: maybe(fc.integer({ min: 0, max: 255 })),
  attr: fc.oneof(SAME, maybe(fc.string({ maxLength: 10 }))),
  host: fc.constantFrom('one host', 'one host', 'one host', null),
  pid: fc.constantFrom(7, 300, 70_000, null),
});

function fill(batch: EventBatch, row: Row): void {
  const at = batch.length;
  batch.seq.set(at, row.seq);
  if (row.ts !== null) batch.ts.set(at, row.ts);
  if (row.ts_ns !== null) batch.ts_ns.set(at, row.ts_ns);
  if (row.proto !== null) batch.proto.set(at, row.proto);
  if (row.src_port !== null) batch.src_port.set(at, row.src_port);
  if (row.src_ip4 !== null) batch.src_ip4.set(at, row.src_ip4);
  if (row.tz_offset !== null) batch.tz_offset.set(at, row.tz_offset);
  if (row.duration !== null) batch.duration.set(at, row.duration);
  if (row.message !== null) batch.message.setString(at, row.message);
  if (row.ip6 !== null) batch.src_ip6.set(at, new Uint8Array(16).fill(row.ip6), 0);
  if (row.host !== null) batch.host.setString(at, row.host);
  if (row.pid !== null) batch.pid.set(at, row.pid);
  if (row.attr !== null) batch.setAttribute('some "name"', row.attr);
  batch.endRow();
}

const COLUMNS = [
  'seq',
  'ts',
  'ts_ns',
  'proto',
  'src_port',
  'src_ip4',
  'tz_offset',
  'duration',
  'message',
  'src_ip6',
  'a:some "name"',
  'host',
  'pid',
];

async function readBack(
  path: string,
  present: readonly string[],
  messages: CutMessages | undefined,
): Promise<unknown[][]> {
  const stored = messages && groupShapes(messages.shapes);
  const list = COLUMNS.map((name) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    if (!present.includes(name)) return 'NULL';
    if (name === 'message' && stored !== undefined)
      return sqlOf(anyMessage(stored.shapes, 'bytes'));
    if (name === 'ts') return 'epoch_us(ts)::DOUBLE';
    if (name === 'seq') return 'seq::DOUBLE';
    if (name === 'src_ip6') return 'src_ip6::VARCHAR';
    return quoted;
  });
  const result = await connection.runAndReadAll(
    `SELECT ${list.join(', ')} FROM (SELECT *${stored === undefined ? '' : ` REPLACE (${numberedSql(stored.numbers)} AS "${SHAPE}")`} FROM read_parquet('${path}'))`,
  );
  return result.getRowsJS();
}

function expected(row: Row): unknown[] {
  const byte = row.ip6?.toString(16).padStart(2, '0');
  return [
    row.seq,
    row.ts,
    row.ts_ns,
    row.proto,
    row.src_port,
    row.src_ip4,
    row.tz_offset,
    row.duration === 0 ? 0 : row.duration,
    row.message,
    byte === undefined
      ? null
      : `${byte.repeat(4)}-${byte.repeat(2)}-${byte.repeat(2)}-${byte.repeat(2)}-${byte.repeat(6)}`,
    row.attr,
    row.host,
    row.pid,
  ];
}

/** The columns of a file as DuckDB describes them. */
async function described(path: string) {
  const found = await connection.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${path}')`);
  return found.getRowsJS().map(([name, type]) => ({ name, type }));
}

describe('ParquetPart', () => {
  it('gives back to DuckDB what batches held, in the order of the chosen rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(ROW, { minLength: 1, maxLength: 40 }), ORDERS), {
          minLength: 1,
          maxLength: 4,
        }),
        async (groups) => {
          const path = join(folder, `${number++}.parquet`);
          const part = new ParquetPart(path);
          const want: unknown[][] = [];
          for (const [rows, order] of groups) {
            const batch = new EventBatch('log', () => undefined, 64);
            for (const row of rows) fill(batch, row);
            if (order === 'reversed') {
              const list = Uint32Array.from(rows.map((_, i) => i)).reverse();
              part.addRowGroup(batch, rowList(list));
              want.push(...rows.toReversed().map(expected));
            } else if (order === 'in two') {
              const middle = rows.length >>> 1;
              part.addRowGroup(batch, rowSpan(0, middle));
              part.addRowGroup(batch, rowSpan(middle, rows.length));
              want.push(...rows.map(expected));
            } else {
              part.addRowGroup(batch);
              want.push(...rows.map(expected));
            }
            batch.clear();
          }
          part.finish();
          const got = await readBack(path, part.columns, part.messages);
          expect(got.map((row) => row.map((value) => (value === 0 ? 0 : value)))).toEqual(want);
          expect(part.selected).toEqual(await described(path));
        },
      ),
      { numRuns: 60, seed: 7 },
    );
  });

  it.each([
    ['in case', ['Note', 'note'], 'a1:note'],
    // DuckDB numbers them.
    ['in what is no character', ['a\ud800', 'a\ud801'], 'a:a\ufffd_1'],
  ])('tells columns apart that differ %s only', async (_, names, second) => {
    const path = join(folder, `${number++}.parquet`);
    const part = new ParquetPart(path);
    const batch = new EventBatch('log', () => undefined, 4);
    for (const name of names) batch.setAttribute(name, 'x');
    batch.endRow();
    part.addRowGroup(batch);
    part.finish();
    expect(part.selected).toBeUndefined();
    expect((await described(path)).at(-1)?.name).toBe(second);
  });

  it('knows every type that a column has', async () => {
    const path = join(folder, `${number++}.parquet`);
    const part = new ParquetPart(path);
    const batch = new EventBatch('flow', () => undefined, 4);
    for (const [, column] of batch.columns()) {
      if (column.type === 'text') column.setString(0, 'x');
      else if (column.type === 'ip6') column.set(0, new Uint8Array(16), 0);
      else column.set(0, 1);
    }
    batch.endRow();
    part.addRowGroup(batch);
    part.finish();
    const selected = await described(path);
    expect(part.selected).toEqual(selected);
    expect(new Set(selected.map(({ type }) => type)).size).toBeGreaterThan(8);
  });

  it.each([
    { every: [20], shapes: 0, wholeShare: undefined, rare: true },
    { every: [2], shapes: 1, wholeShare: 7 / 100, rare: false },
    { every: [20, 2], shapes: 1, wholeShare: 17 / 110, rare: false },
    { every: [2, 20, 20], shapes: 1, wholeShare: 27 / 120, rare: false },
  ])(
    'cuts no messages of row groups where one of $every rows has one',
    async ({ every, shapes, wholeShare, rare }) => {
      const path = join(folder, `${number++}.parquet`);
      const part = new ParquetPart(path);
      const want: (string | null)[] = [];
      for (const step of every) {
        const batch = new EventBatch('packet', () => undefined, 201);
        for (let i = 0; i < 200; i++) {
          const message = i % step === 0 ? `who has ${1000 + i}, asks ${70_000 + i * 7}` : null;
          if (message !== null) batch.message.setString(i, message);
          want.push(message);
          batch.endRow();
        }
        part.addRowGroup(batch);
      }
      part.finish();
      const { messages } = part;
      expect(messages?.shapes.length ?? 0).toBe(shapes);
      if (wholeShare === undefined) expect(messages).toBeUndefined();
      else expect(messages?.wholeShare).toBeCloseTo(wholeShare);
      expect(part.hasRareMessages).toBe(rare);
      const at = COLUMNS.indexOf('message');
      expect((await readBack(path, part.columns, messages)).map((row) => row[at])).toEqual(want);
    },
  );

  it.each([1, 2, 9, 255, 256, 1000])('gives back the bytes of %d rows', async (rows) => {
    const path = join(folder, `${number++}.parquet`);
    const part = new ParquetPart(path);
    const want: (number | null)[] = [];
    for (const step of [1, 3]) {
      const batch = new EventBatch('packet', () => undefined, rows + 1);
      for (let i = 0; i < rows; i++) {
        const proto = i % step === 2 ? null : (i * 255) % 256;
        if (proto !== null) batch.proto.set(i, proto);
        want.push(proto);
        batch.endRow();
      }
      part.addRowGroup(batch);
    }
    part.finish();
    const found = await connection.runAndReadAll(`SELECT proto FROM read_parquet('${path}')`);
    expect(found.getRowsJS().flat()).toEqual(want);
  });

  it('gives back messages without numbers', async () => {
    const path = join(folder, `${number++}.parquet`);
    const part = new ParquetPart(path);
    const batch = new EventBatch('log', () => undefined, 401);
    for (let i = 0; i < 400; i++) {
      batch.message.setString(i, 'nothing is to be counted here');
      batch.endRow();
    }
    part.addRowGroup(batch);
    part.finish();
    expect(part.messages?.wholeShare).toBeLessThan(0.1);
    const at = COLUMNS.indexOf('message');
    const texts = (await readBack(path, part.columns, part.messages)).map((row) => row[at]);
    expect(new Set(texts)).toEqual(new Set(['nothing is to be counted here']));
  });

  it.each([10, 256, 257, 300])('gives back %d texts that rows share', async (different) => {
    const path = join(folder, `${number++}.parquet`);
    const part = new ParquetPart(path);
    const want: (string | null)[] = [];
    for (const rows of [Math.max(600, different * 21 + 3), 300]) {
      const batch = new EventBatch('log', () => undefined, rows + 1);
      for (let i = 0; i < rows; i++) {
        const host = i % 5 === 2 ? null : `Größe ${(i * 7) % different}`;
        if (host !== null) batch.host.setString(i, host);
        want.push(host);
        batch.endRow();
      }
      part.addRowGroup(batch);
      expect(part.coded.has('host')).toBe(rows > 300);
    }
    part.finish();
    const found = await connection.runAndReadAll(`SELECT host FROM read_parquet('${path}')`);
    expect(found.getRowsJS().flat()).toEqual(want);
  });

  it.each([
    { of: 'whole packets', captured: [60, 1500, 90], made: 'length - 16::UINTEGER' },
    { of: 'packets in which a length is wrong', captured: [60, 1500, 107], made: undefined },
    { of: 'packets, one of them cut', captured: [60, 1500, 64], made: undefined },
    { of: 'packets, one of unknown capture', captured: [60, 1500, null], made: undefined },
    { of: 'packets that are all cut', captured: [54, 54, 54], made: '54' },
  ])('says what `captured` of $of is made of', async ({ captured, made }) => {
    const path = join(folder, `${number++}.parquet`);
    const part = new ParquetPart(path);
    const rows = captured.map((one, i) => ({ length: [76, 1516, 106][i]!, captured: one }));
    for (const order of [
      [0, 1],
      [1, 0],
      [0, 2, 1],
    ]) {
      const batch = new EventBatch('packet', () => undefined, 8);
      for (const row of rows) {
        batch.record_length.set(batch.length, row.length);
        if (row.captured !== null) batch.captured.set(batch.length, row.captured);
        batch.endRow();
      }
      part.addRowGroup(batch, rowList(Uint32Array.from(order)));
    }
    part.finish();
    const constants = part.constants();
    expect(constants.find(({ name }) => name === 'captured')?.value).toBe(made);
    const selected = part.selected!;
    const layout = tableLayout({ selected, timeUnit: 1, rareMessages: true }, constants, undefined);
    const table = `whole_${number}`;
    await connection.run(
      `CREATE TABLE ${table} (${layout.definitions.join(', ')});
       INSERT INTO ${table} (${layout.stored}) SELECT ${layout.values} FROM read_parquet('${path}')`,
    );
    const found = await connection.runAndReadAll(`SELECT length, captured FROM ${table}`);
    const want = [0, 1, 1, 0, 0, 2, 1].map((i) => [rows[i]!.length, rows[i]!.captured]);
    expect(found.getRowsJS()).toEqual(want);
  });

  it('leaves out columns that no row uses', () => {
    const part = new ParquetPart(join(folder, `${number++}.parquet`));
    const batch = new EventBatch('log', () => undefined, 4);
    batch.seq.set(0, 1);
    batch.endRow();
    part.addRowGroup(batch);
    part.finish();
    expect(part.columns).toEqual(['seq', 'source_id']);
  });
});
