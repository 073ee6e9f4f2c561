/**
 * The catalog of a table with cut messages is, to DuckDB, what it makes itself of the same shapes: it reads a file of
 * its own whose catalog is replaced.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../texts-as-they-are.ts';
import { literal } from '../../expression.ts';
import { type VariableWidth, Width } from '../../messages/cut-rows.ts';
import { BYTES, SHAPE, TEXTS, groupShapes } from '../../messages/message-columns.ts';
import type { MessageShape } from '../../messages/message-cutter.ts';
import { wholeMessage } from '../../messages/whole-message.ts';
import { SMALL_BLOCK } from '../../segment-blocks.ts';
import { type TimeUnit, TIME_UNITS, tableLayout } from '../../table-layout.ts';
import { HEADERS_BYTES } from './block-file.ts';
import { putSum } from './block-sum.ts';
import { catalogBytes } from './catalog-entries.ts';
import type { DraftColumn, GeneratedColumn, SegmentDraft } from './draft.ts';
import { type MetadataPlace, MetadataBlocks } from './metadata-blocks.ts';

const HEADER = 4096;
const SUB_BLOCKS = 64;
const LAST = 0xffff_ffff_ffff_ffffn;

let folder: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-catalog-'));
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

const HOST = `it's "höst"`;
const SELECTED = [
  { name: 'ts', type: 'TIMESTAMP' },
  { name: 'seq', type: 'BIGINT' },
  { name: 'host', type: 'VARCHAR' },
  { name: 'record_length', type: 'UINTEGER' },
  { name: 'captured', type: 'UINTEGER' },
  { name: 'pid', type: 'UINTEGER' },
  { name: 'message', type: 'VARCHAR' },
  { name: SHAPE, type: 'USMALLINT' },
  { name: BYTES, type: 'UTINYINT[]' },
  { name: TEXTS, type: 'VARCHAR[]' },
];

function draftOf(shapes: readonly MessageShape[], unit: TimeUnit): SegmentDraft {
  const values: Record<string, GeneratedColumn['value']> = {
    host: { kind: 'text', text: HOST },
    captured: { kind: 'less', column: 'record_length', by: 16 },
    message: { kind: 'whole' },
  };
  const columns: DraftColumn[] = [];
  for (const { name, type } of SELECTED) {
    if (name === 'ts' && unit !== 1) {
      const column = TIME_UNITS[unit];
      columns.push({ name: column, type: 'BIGINT', groups: [] });
      columns.push({ name, type, value: { kind: 'time', column, unit } });
      continue;
    }
    const value = values[name];
    columns.push(value === undefined ? { name, type, groups: [] } : { name, type, value });
  }
  return { path: '', block: SMALL_BLOCK, pieces: [], groups: [], columns, shapes };
}

/** Replaces the catalog of a file that DuckDB made, of which rows stay as they are. */
function replaceCatalog(path: string, draft: SegmentDraft, rows: number): void {
  const file = readFileSync(path);
  const word = (header: number, field: number) => header * HEADER + 8 + field * 8;
  const header = file.readBigUInt64LE(word(1, 0)) > file.readBigUInt64LE(word(2, 0)) ? 1 : 2;
  const count = Number(file.readBigUInt64LE(word(header, 3)));
  const metadata = new MetadataBlocks(draft.block, count);
  const stream = metadata.stream();
  const { pointer } = stream.place;
  const table = tablePlace(streamAt(file, file.readBigUInt64LE(word(header, 1)), draft.block));
  stream.write(catalogBytes(draft, table, rows));
  const freeList = metadata.stream();
  const { pointer: unused } = freeList.place;
  const known = streamAt(file, file.readBigUInt64LE(word(header, 2)), draft.block);
  freeList.write(withMetadata(known, metadata.unused()));
  const blocks = metadata.finish();
  file.writeBigUInt64LE(pointer, word(header, 1));
  file.writeBigUInt64LE(unused, word(header, 2));
  file.writeBigUInt64LE(BigInt(count + blocks.length), word(header, 3));
  putSum(file.subarray(header * HEADER, (header + 1) * HEADER));
  writeFileSync(
    path,
    Buffer.concat([file.subarray(0, HEADERS_BYTES + count * draft.block), ...blocks]),
  );
}

function streamAt(file: Buffer, first: bigint, block: number): Buffer {
  const size = Math.floor((block - 8) / SUB_BLOCKS / 8) * 8;
  const parts: Buffer[] = [];
  for (let next = first; next !== LAST;) {
    const [number, index] = [next & ((1n << 56n) - 1n), next >> 56n];
    const at = HEADERS_BYTES + Number(number) * block + 8 + Number(index) * size;
    parts.push(file.subarray(at + 8, at + size));
    next = file.readBigUInt64LE(at);
  }
  return Buffer.concat(parts);
}

/** The list of free blocks with other blocks of metadata, which it has last. */
function withMetadata(known: Buffer, more: readonly [number, bigint][]): Uint8Array {
  let at = 8 + 8 * Number(known.readBigUInt64LE(0));
  at += 8 + 12 * Number(known.readBigUInt64LE(at));
  const count = Number(known.readBigUInt64LE(at));
  const words = [BigInt(count + more.length)];
  for (let i = 0; i < 2 * count; i++) words.push(known.readBigUInt64LE(at + 8 + i * 8));
  for (const [block, bits] of more) words.push(BigInt(block), bits);
  return Buffer.concat([known.subarray(0, at), new Uint8Array(BigUint64Array.from(words).buffer)]);
}

/** Where DuckDB's catalog says that the rows of its only table begin. */
function tablePlace(catalog: Buffer): MetadataPlace {
  const number = '([\\x80-\\xff]*[\\x00-\\x7f])';
  const place = new RegExp(
    `\\xff\\xffe\\0d\\0${number}(?:e\\0${number})?\\xff\\xfff\\0${number}g\\0\\0h\\0\\0\\xff\\xff`,
  );
  const [, pointer, offset] = place.exec(catalog.toString('latin1'))!;
  return { pointer: leb128(pointer!), offset: Number(leb128(offset ?? '\0')) };
}

function leb128(bytes: string): bigint {
  return [...bytes].reduceRight((sum, byte) => {
    return (sum << 7n) | BigInt(byte.charCodeAt(0) & 127);
  }, 0n);
}

interface StoredMessage {
  readonly values: string;
  readonly message: string | null;
}

/** Rows of every shape, with the least and greatest of its variables, and of no shape. */
function messagesOf(shapes: readonly MessageShape[]): StoredMessage[] {
  const texts = ['', "l'été €", 'a'.repeat(300)];
  const out = shapes.flatMap((shape, i) =>
    [0, 1, 2].map((n) => {
      const { widths } = shape;
      const bytes: number[] = [];
      for (const [width, size] of [
        [Width.u8, 1],
        [Width.u16, 2],
        [Width.u32, 4],
      ] as const)
        for (const one of widths)
          if (one === width)
            for (let b = 0; b < size; b++) bytes.push(n === 0 ? 0 : n === 1 ? 255 : (i + b) & 255);
      const own = widths.filter((one) => one === Width.text).map((_, t) => texts[(n + t) % 3]!);
      const pid = 4_294_967_295 - i;
      const message = wholeMessage(shape, { numbers: { bytes }, texts: own, pid });
      const list = `[${own.map(literal).join(', ')}]::VARCHAR[]`;
      return { message, values: `${pid}, ${i + 1}, [${bytes.join(', ')}]::UTINYINT[], ${list}` };
    }),
  );
  const whole = { message: "is 'whole'", values: `7, NULL, NULL, [${literal("is 'whole'")}]` };
  return [...out, whole, { message: null, values: 'NULL, NULL, NULL, NULL' }];
}

async function rowsOf(sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRowsJS();
}

/** What DuckDB knows of the database `name`, and its rows. A type that it has not looked up yet it quotes. */
async function knownOf(name: string): Promise<unknown> {
  const sql = `replace(sql, '"UINTEGER"', 'UINTEGER')`;
  return {
    views: await rowsOf(
      `SELECT view_name, comment, column_count, ${sql} FROM duckdb_views() WHERE database_name = '${name}' AND NOT internal`,
    ),
    tables: await rowsOf(
      `SELECT table_name, comment, column_count, ${sql} FROM duckdb_tables() WHERE database_name = '${name}'`,
    ),
    columns: await rowsOf(
      `SELECT table_name, column_name, column_index, is_nullable, data_type FROM duckdb_columns() WHERE database_name = '${name}' AND NOT internal ORDER BY ALL`,
    ),
    described: await rowsOf(`DESCRIBE ${name}.events`),
    rows: await rowsOf(`SELECT rowid, *, message IS NULL FROM ${name}.events ORDER BY ts, rowid`),
  };
}

const { u8, u16, u32, text, pid } = Width;
function shape(widths: readonly VariableWidth[], ...constants: string[]): MessageShape {
  return { constants, widths };
}

const CASES: Readonly<Record<string, readonly MessageShape[]>> = {
  'one without variables': [shape([], 'link is up')],
  'one without anything': [shape([], '')],
  'one of each width': [u8, u16, u32, text, pid].map((width) => shape([width], 'a ', ' b')),
  'several with alike widths': [
    shape([u8, text], 'user ', " o'clock ", ''),
    shape([u32, u16, u8, u32], '', '.', '.', '.', ' é€😀 "x"'),
    shape([u8, text], 'user ', ' minutes ', ' of %s\\n'),
    shape([], ''),
    shape([u8, text], 'USER ', '', ';'),
    shape([], `';DROP TABLE stored;--`),
  ],
  'the most': Array.from({ length: 400 }, (_, i) =>
    shape(
      Array.from({ length: i % 20 }, (_, k) => [u8, u16, u32, text, pid][(i + k) % 5]!),
      ...Array.from({ length: (i % 20) + 1 }, (_, k) => `'${'x'.repeat(i % 7)}${k}\n`),
    ),
  ),
};

describe('the catalog of a table of shapes', () => {
  it.each([
    ...Object.keys(CASES).map((name) => [name, 1_000_000] as const),
    ['one of each width', 1000],
    ['one of each width', 1],
  ] as const)('%s, times in units of %i', async (name, unit) => {
    const { shapes } = groupShapes(CASES[name]!);
    const layout = tableLayout(
      { selected: SELECTED, timeUnit: unit, rareMessages: false },
      [
        { name: 'host', type: 'VARCHAR', value: literal(HOST) },
        { name: 'captured', type: 'UINTEGER', value: 'record_length - 16::UINTEGER' },
      ],
      { shapes, wholeShare: 0 },
    );
    const messages = messagesOf(shapes);
    const [theirs, ours] = [join(folder, 'theirs'), join(folder, 'ours')];
    const names = layout.stored.split(', ').filter((name) => !name.startsWith('"message:'));
    const values = messages.map((one, i) => {
      const ts = unit === 1 ? `make_timestamp(${i})` : String(i);
      const plain: Record<string, string> = { '"seq"': `${i}`, '"record_length"': `${i + 16}` };
      const own = names.flatMap((name) => (name === '"pid"' ? [] : (plain[name] ?? ts)));
      return `(${own.join(', ')}, ${one.values})`;
    });
    const options = `(STORAGE_VERSION 'v1.5.0', BLOCK_SIZE ${SMALL_BLOCK})`;
    await connection.run(
      `ATTACH ${literal(theirs)} AS segment ${options};
       CREATE TABLE segment.${layout.table} (${layout.definitions.join(', ')});
       INSERT INTO segment.${layout.table} (${layout.stored}) VALUES ${values.join(', ')};
       ${layout.view!('segment')}; CHECKPOINT segment; DETACH segment;`,
    );
    try {
      copyFileSync(theirs, ours);
      replaceCatalog(ours, draftOf(shapes, unit), messages.length);
      await connection.run(`ATTACH ${literal(theirs)} AS segment (READ_ONLY)`);
      const want = await knownOf('segment');
      await connection.run(`DETACH segment; ATTACH ${literal(ours)} AS segment`);
      expect(await knownOf('segment')).toEqual(want);
      const found = await rowsOf('SELECT message FROM segment.events ORDER BY seq');
      expect(found.map(([message]) => message)).toEqual(messages.map(({ message }) => message));

      // As what it is copied to and written again.
      await connection.run(`ATTACH ':memory:' AS other; COPY FROM DATABASE segment TO other`);
      const copied = await rowsOf('SELECT message FROM other.events ORDER BY seq');
      expect(copied).toEqual(found);
      const exported = join(folder, 'exported');
      await connection.run(`USE segment; EXPORT DATABASE ${literal(exported)}`);
      await connection.run(`ATTACH ':memory:' AS again; USE again`);
      await connection.run(`IMPORT DATABASE ${literal(exported)}`);
      await connection.run('USE memory');
      rmSync(exported, { recursive: true });
      expect(await rowsOf('SELECT message FROM again.events ORDER BY seq')).toEqual(found);
      await connection.run(
        `INSERT INTO segment.stored (seq, "${SHAPE}", "${TEXTS}") VALUES (-1, NULL, ['more']);
         CHECKPOINT segment; DETACH segment; ATTACH ${literal(ours)} AS segment (READ_ONLY)`,
      );
      expect(await rowsOf('SELECT message FROM segment.events ORDER BY seq')).toEqual([
        ['more'],
        ...found,
      ]);
    } finally {
      await connection.run(
        'USE memory; DETACH DATABASE IF EXISTS segment; DETACH DATABASE IF EXISTS other; DETACH DATABASE IF EXISTS again',
      );
      for (const path of [theirs, ours]) rmSync(path, { force: true });
    }
  });
});
