/** Numbers come back from their bytes, as the engine and as SQL read them. */
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { column, sqlOf } from '../expression.ts';
import { NumberLists, type VariableWidth, Width } from './cut-rows.ts';
import {
  NumberBytes,
  bytesIn,
  bytesOfLists,
  numberAt,
  numberOf,
  numberStarts,
} from './number-bytes.ts';

type Row = readonly [number[], number[], number[]];

const most = (max: number) => fc.array(fc.integer({ min: 0, max }), { maxLength: 40 });
const row = fc.tuple(most(255), most(65_535), most(4_294_967_295));

/** The bytes of each row. */
function bytesOf(rows: readonly Row[], into = new NumberBytes()): number[][] {
  const lists = ([0, 1, 2] as const).map((width) => {
    const list = new NumberLists();
    list.begin(rows.length);
    const values = rows.flatMap((one) => one[width]);
    list.values = Uint32Array.from(values);
    list.used = values.length;
    for (const [i, one] of rows.entries()) list.counts[i] = one[width].length;
    return list;
  });
  into.fill(lists, rows.length);
  let at = 0;
  const out = rows.map((_, i) => [...into.values.subarray(at, (at += into.counts[i]!))]);
  expect(into.used).toBe(at);
  return out;
}

/** Where each number of a row begins. */
function places(one: Row): { at: number; width: 0 | 1 | 2; value: number }[] {
  const widths = one.flatMap((list, width) => list.map(() => width as VariableWidth));
  const starts = numberStarts([...widths, Width.text, Width.pid]);
  return ([0, 1, 2] as const).flatMap((width) =>
    one[width].map((value, i) => ({ at: starts[width] + i * bytesIn(width), width, value })),
  );
}

it('is read back', () => {
  const into = new NumberBytes();
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
      for (const [i, bytes] of bytesOf(rows, into).entries()) {
        for (const { at, width, value } of places(rows[i]!))
          expect(numberAt(bytes, at, width)).toBe(value);
      }
    }),
    { numRuns: 200 },
  );
});

it('is missing where a byte is', () => {
  expect([numberAt([1, 2, 3], 2, Width.u16), numberAt([], 0, Width.u8)]).toEqual([
    undefined,
    undefined,
  ]);
});

it('is the same to SQL, also made from lists', async () => {
  const one: Row = [
    [0, 255, 7],
    [0, 65_535, 256, 300],
    [0, 4_294_967_295, 65_536],
  ];
  const [bytes] = bytesOf([one]);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const list = (values: readonly number[], type: string) => `[${values.join(', ')}]::${type}[]`;
  const made = bytesOfLists('a', 'b', 'c');
  const from = `(SELECT ${list(one[0], 'UTINYINT')} AS a, ${list(one[1], 'USMALLINT')} AS b, ${list(one[2], 'UINTEGER')} AS c)`;
  const numbers = places(one).map(
    ({ at, width }) => `${sqlOf(numberOf(column('d'), at, width))}::VARCHAR`,
  );
  const found = await connection.runAndReadAll(
    `SELECT d::VARCHAR, ${numbers.join(', ')} FROM (SELECT ${made} AS d FROM ${from})`,
  );
  expect(found.getRowsJS()[0]).toEqual([
    `[${bytes!.join(', ')}]`,
    ...places(one).map(({ value }) => String(value)),
  ]);
  const empty = await connection.runAndReadAll(
    `SELECT ${bytesOfLists('[]::UTINYINT[]', '[]::USMALLINT[]', '[]::UINTEGER[]')}::VARCHAR`,
  );
  expect(empty.getRowsJS()).toEqual([['[]']]);
  connection.closeSync();
});
