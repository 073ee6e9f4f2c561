/** What is read of a file is what DuckDB reads of it, or nothing. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../texts-as-they-are.ts';
import { Scratch, Unreadable } from './pages.ts';
import {
  PAGE,
  PageSums,
  type SegmentMap,
  mapOf,
  packMap,
  piecesSql,
  unpackMap,
} from './segment-map.ts';
import { type FileValue, SegmentReader } from './segment-reader.ts';

let folder: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-segment-file-'));
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

/** Columns by name: SQL type and value of row `i`. */
type Columns = Readonly<Record<string, readonly [type: string, value: string]>>;

const MIX = `(hash(i) % 1000)::INTEGER`;

const TABLES: Readonly<Record<string, { rows: number; columns: Columns }>> = {
  'numbers, whatever their sizes and steps': {
    rows: 130_000,
    columns: {
      same: ['BIGINT', '5'],
      steps: ['BIGINT', '1790000000000 + i * 250'],
      'uneven steps': ['BIGINT', `1790000000000 + i * 250 + ${MIX}`],
      falling: ['BIGINT', `9000000000 - i * 7 - ${MIX}`],
      below: ['BIGINT', `(${MIX} - 500) * 1000003`],
      wide: ['BIGINT', '(hash(i) % 4000000000000)::BIGINT - 1000000000000'],
      runs: ['BIGINT', 'i // 700'],
      u32: ['UINTEGER', 'hash(i)::UBIGINT % 4294967296'],
      'u32 steps': ['UINTEGER', '4294967295 - i * 3'],
      i32: ['INTEGER', '(hash(i) % 4294967296)::BIGINT - 2147483648'],
      u16: ['USMALLINT', 'hash(i) % 65536'],
      'u16 few': ['USMALLINT', `CASE WHEN ${MIX} < 400 THEN NULL ELSE ${MIX} % 7 + 1 END`],
      u8: ['UTINYINT', 'hash(i) % 256'],
      'u8 runs': ['UTINYINT', 'CASE WHEN (i // 3000) % 2 = 0 THEN 6 ELSE 17 END'],
      time: ['TIMESTAMP', `make_timestamp(1790000000000000 + i * 999983 + ${MIX})`],
    },
  },
  'rows without a value': {
    rows: 130_000,
    columns: {
      none: ['BIGINT', 'NULL'],
      'half of them': ['BIGINT', `CASE WHEN ${MIX} % 2 = 0 THEN i END`],
      'very few': ['UINTEGER', `CASE WHEN ${MIX} <> 7 THEN i END`],
      most: ['UINTEGER', `CASE WHEN ${MIX} = 7 THEN i END`],
      'in runs': ['USMALLINT', 'CASE WHEN (i // 613) % 3 <> 0 THEN i % 999 END'],
      'in few runs': ['USMALLINT', 'CASE WHEN (i // 90000) % 2 <> 0 THEN i % 999 END'],
      'in some places': [
        'UTINYINT',
        'CASE WHEN (i // 5000) % 2 = 0 OR i % 11 <> 0 THEN i % 200 END',
      ],
      'short runs': ['UTINYINT', `CASE WHEN i % 300 > (i // 2048) % 5 THEN 1 END`],
      text: ['VARCHAR', `CASE WHEN ${MIX} % 3 <> 0 THEN 'host' || ${MIX} % 60 END`],
    },
  },
  texts: {
    rows: 30_000,
    columns: {
      same: ['VARCHAR', `'only'`],
      few: ['VARCHAR', `'host' || ${MIX} % 90`],
      many: ['VARCHAR', `'user ' || (hash(i) % 20000)::VARCHAR || ' of 10.0.0.1'`],
      unlike: ['VARCHAR', `md5(i::VARCHAR)`],
      'beyond ASCII': ['VARCHAR', `'日本 Bénédicte 𝔸 ' || (hash(i) % 5000)::VARCHAR`],
      empty: ['VARCHAR', `CASE WHEN i % 3 = 0 THEN '' WHEN i % 3 = 1 THEN 'x' END`],
      long: ['VARCHAR', `repeat('abc' || ${MIX}::VARCHAR, (hash(i) % 400)::INTEGER)`],
      mark: ['VARCHAR', `chr(65279) || 'mark' || (i % 5)::VARCHAR`],
      uuid: ['UUID', `md5((i % 300)::VARCHAR)::UUID`],
    },
  },
  lists: {
    rows: 126_000,
    columns: {
      bytes: ['UTINYINT[]', 'list_transform(range(i % 9), x -> (hash(i, x) % 256)::UTINYINT)'],
      'alike bytes': ['UTINYINT[]', '[1, 2, 3]'],
      texts: [
        'VARCHAR[]',
        `CASE WHEN i % 5 = 0 THEN [md5(i::VARCHAR), 'x'] WHEN i % 5 = 1 THEN [] END`,
      ],
      'no element': ['VARCHAR[]', `CASE WHEN i % 5 = 0 THEN [] END`],
      'few elements': ['VARCHAR[]', `CASE WHEN i % 900 = 0 THEN [NULL, 'a' || i] ELSE [] END`],
    },
  },
  'few rows': {
    rows: 700,
    columns: {
      number: ['BIGINT', 'i * 3'],
      u16: ['USMALLINT', 'hash(i) % 65536'],
      real: ['DOUBLE', 'i / 3'],
      'very long': ['VARCHAR', `repeat(i::VARCHAR, 9000)`],
      text: ['VARCHAR', `'a' || (i % 7)`],
      list: ['UTINYINT[]', '[i % 256]'],
      uuid: ['UUID', `md5(i::VARCHAR)::UUID`],
    },
  },
};

interface Made {
  readonly path: string;
  readonly map: SegmentMap;
  /** Values of each column by row. */
  readonly values: Readonly<Record<string, readonly unknown[]>>;
}

async function made(name: string, rows: number, columns: Columns, block: number): Promise<Made> {
  const path = join(folder, `${name.replaceAll(/\W/g, '-')}-${block}.duckdb`);
  await connection.run(
    `ATTACH '${path}' AS made (STORAGE_VERSION 'v1.5.0', BLOCK_SIZE ${block}, RECOVERY_MODE 'no_wal_writes')`,
  );
  const list = Object.entries(columns);
  await connection.run(
    `CREATE TABLE made.t (${list.map(([own, [type]]) => `"${own}" ${type}`).join(', ')});
     INSERT INTO made.t SELECT ${list.map(([, [type, sql]]) => `(${sql})::${type}`).join(', ')} FROM (SELECT range AS i FROM range(${rows}));
     CHECKPOINT made`,
  );
  const pieces = (await connection.runAndReadAll(piecesSql('made', 't'))).getRowsJS();
  const values: Record<string, readonly unknown[]> = {};
  for (const [own, [type]] of list) {
    const sql = type === 'TIMESTAMP' ? `epoch_us("${own}")` : `"${own}"`;
    const shown =
      type === 'UUID' ? `${sql}::VARCHAR` : /BIGINT|TIMESTAMP/.test(type) ? `${sql}::DOUBLE` : sql;
    const found = await connection.runAndReadAll(`SELECT ${shown} FROM made.t ORDER BY rowid`);
    values[own] = found.getColumnsJS()[0]!;
  }
  await connection.run('DETACH made');
  const sums = new PageSums();
  const bytes = readFileSync(path);
  // As a stream may cut it.
  sums.add(bytes.subarray(0, 5000));
  sums.add(bytes.subarray(5000));
  const map = mapOf(pieces, { constants: [], shapes: undefined, block, sums: sums.sums });
  return { path, map: unpackMap(packMap(map))!, values };
}

/** Rows of a table of so many: at its ends, at those of groups, side by side, and here and there. */
function someRows(rows: number, seed: number): number[] {
  const out = new Set([0, 1, rows - 1, 2047, 2048, 122_879, 122_880]);
  for (let i = 0; i < 40; i++) out.add((seed + i * 104_729 + i * i * 1009) % rows);
  for (let i = 0; i < 40; i++) out.add(((seed * 31) % rows) + i);
  return [...out].filter((row) => row < rows).sort((a, b) => a - b);
}

function valuesOf({ path, map }: Made, name: string, rows: readonly number[]): FileValue[] {
  const reader = new SegmentReader(path, map, new Scratch());
  try {
    return reader.values(name, rows);
  } finally {
    reader.close();
  }
}

/** What DuckDB stores in ways that are left to it. */
const LEFT: ReadonlySet<string> = new Set(['few rows: real', 'few rows: very long']);

describe.each([16_384, 65_536])('in blocks of %i bytes', (block) => {
  it.each(Object.entries(TABLES))('%s', async (name, { rows, columns }) => {
    const table = await made(name, rows, columns, block);
    for (const [own, values] of Object.entries(table.values)) {
      for (let seed = 0; seed < 3; seed++) {
        const some = someRows(rows, seed * 7919);
        const read = () => valuesOf(table, own, some);
        if (LEFT.has(`${name}: ${own}`)) expect(read, own).toThrow(Unreadable);
        else expect(read(), own).toEqual(some.map((row) => values[row]));
      }
      expect(valuesOf(table, own, []), own).toEqual([]);
      expect(() => valuesOf(table, own, [rows]), own).toThrow(Unreadable);
    }
  });
});

it.each([
  [
    'steps of all sizes',
    'sum((hash(i) % 140737488355328)::BIGINT - 70368744177664) OVER (ORDER BY i)',
  ],
  ['one large step', '-9007199254740991 + (i % 2048) * 8796093022209'],
])('gives no number that was rounded on the way: %s', async (name, sql) => {
  const rows = 3000;
  const table = await made(`rounded ${name}`, rows, { v: ['BIGINT', sql] }, 65_536);
  expect(table.map.columns['v']![0]!.data[0]![1]).toBe('BitPacking');
  for (let row = 0; row < rows; row += 13) {
    try {
      expect(valuesOf(table, 'v', [row])).toEqual([table.values['v']![row]]);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
    }
  }
});

describe('a damaged file', () => {
  it('gives no other values, whichever page is damaged', async () => {
    const { rows, columns } = TABLES['few rows']!;
    const table = await made('damaged', rows, columns, 16_384);
    const whole = readFileSync(table.path);
    const path = `${table.path}.damaged`;
    let refused = 0;
    for (let page = 3; page < whole.length / PAGE; page++) {
      const bytes = Buffer.from(whole);
      bytes[page * PAGE + ((page * 131) % PAGE)]! ^= 1 << (page % 8);
      writeFileSync(path, bytes);
      for (const [name, values] of Object.entries(table.values)) {
        const some = someRows(rows, page);
        try {
          expect(valuesOf({ ...table, path }, name, some)).toEqual(some.map((row) => values[row]));
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error;
          if (!LEFT.has(`few rows: ${name}`)) refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  it('gives what is kept of it, and nothing that is read since', async () => {
    const u32 = ['UINTEGER', 'hash(i)::UBIGINT % 4294967296'] as const;
    const table = await made('kept', 60_000, { u32, other: u32 }, 65_536);
    const values = table.values['u32']!;
    const path = `${table.path}.damaged`;
    writeFileSync(path, readFileSync(table.path));
    const reader = new SegmentReader(path, table.map, new Scratch());
    try {
      expect(reader.values('u32', [1])).toEqual([values[1]]);
      // The block that was read last is another's.
      reader.values('other', [50_000]);
      writeFileSync(
        path,
        readFileSync(path).map((byte) => byte ^ 1),
      );
      for (const [rows, known] of [
        [[1], true],
        [[1, 3000], false],
        [[1], true],
      ] as const) {
        if (known) expect(reader.values('u32', rows)).toEqual(rows.map((row) => values[row]));
        else expect(() => reader.values('u32', rows)).toThrow(Unreadable);
      }
    } finally {
      reader.close();
    }
  });

  it('is not read beyond its end', async () => {
    const { rows, columns } = TABLES['few rows']!;
    const table = await made('cut', rows, columns, 16_384);
    writeFileSync(table.path, readFileSync(table.path).subarray(0, 3 * PAGE + 100));
    for (const name of ['number', 'u16', 'text', 'list', 'uuid'])
      expect(() => valuesOf(table, name, someRows(rows, 1))).toThrow(Unreadable);
  });
});

describe('a map', () => {
  it('that leads elsewhere gives no value that is not there', async () => {
    const { rows, columns } = TABLES['rows without a value']!;
    const table = await made('elsewhere', rows, columns, 65_536);
    const blocks = table.map.sums.length;
    for (const [own] of Object.entries(columns)) {
      for (const shift of [1, 7, blocks]) {
        const moved = table.map.columns[own]!.map((stored) => ({
          ...stored,
          data: stored.data.map(([count, encoding, id, offset, ...rest]) => {
            return [count, encoding, id + shift, offset + shift, ...rest] as const;
          }),
        }));
        const map = { ...table.map, columns: { ...table.map.columns, [own]: moved } } as SegmentMap;
        // Numbers are read from wherever it says; nothing else may happen than that, or a refusal.
        try {
          expect(valuesOf({ ...table, map }, own, someRows(rows, 3))).toHaveLength(
            someRows(rows, 3).length,
          );
        } catch (error) {
          expect(error).toBeInstanceOf(Unreadable);
        }
      }
    }
  });

  it('with bytes of the file behind its sums, as they were made for two days, gives the same', async () => {
    const { rows, columns } = TABLES['few rows']!;
    const table = await made('as before', rows, columns, 16_384);
    const { sums, ...rest } = table.map;
    const text = Buffer.from(JSON.stringify({ ...rest, pages: sums.length }));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    const behind = Buffer.from([1, 2, 3, 4, 5, 6, 7]);
    const map = unpackMap(Buffer.concat([length, text, Buffer.from(sums.buffer), behind]))!;
    expect(map.sums).toEqual(sums);
    const some = someRows(rows, 5);
    expect(valuesOf({ ...table, map }, 'number', some)).toEqual(valuesOf(table, 'number', some));
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['no JSON', Uint8Array.of(2, 0, 0, 0, 0x7b, 0x7b)],
    ['another object', Buffer.concat([Uint8Array.of(2, 0, 0, 0), Buffer.from('{}')])],
    ['a length beyond its end', Uint8Array.of(255, 255, 255, 255)],
  ])('that is %s is none', (_, bytes) => {
    expect(unpackMap(bytes)).toBeUndefined();
  });
});
