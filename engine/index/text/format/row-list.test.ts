import { expect, test } from 'vitest';
import { BitReader, BitWriter } from '../../../util/bit-codec.ts';
import { putRows, readRows, writeRows } from './row-list.ts';

const TOTAL = 500_000;

function every(step: number, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => i * step);
}
/** Runs of rows, far from each other. */
function bursts(runs: number, length: number): Uint32Array {
  const apart = Math.floor(TOTAL / runs);
  return Uint32Array.from(
    { length: runs * length },
    (_, i) => Math.floor(i / length) * apart + (i % length),
  );
}

/** Maximum number of bits per row: few for rows in bursts, however rare they are. */
test.each([
  ['few rows', every(40_000, 12), 18],
  ['rows spread evenly', every(7, 60_000), 6],
  ['rows in bursts', bursts(20, 1500), 1.2],
  ['bursts that a look at some gaps meets between', bursts(16, 129), 1.5],
  [
    'a burst among rows far from each other',
    every(1, 9000).map((row) => (row < 8000 ? row : row * 50)),
    4,
  ],
])('%s come back, in few bits', (_, rows, most) => {
  const written = new BitWriter();
  writeRows(written, rows, 0, rows.length, TOTAL);
  expect(written.bits / rows.length).toBeLessThan(most);

  // As in a page: after other content.
  const page = new BitWriter();
  page.put(5, 3);
  page.append(written);
  page.put(1, 1);
  expect(page.bits).toBe(written.bits + 4);
  const bits = new BitReader(page.bytes());
  expect(bits.get(3)).toBe(5);
  const back = new Uint32Array(rows.length);
  readRows(bits, rows.length, TOTAL, back);
  expect(back).toEqual(rows);
  expect(bits.get(1)).toBe(1);

  const places = new Uint8Array(TOTAL);
  const again = new BitReader(page.bytes());
  again.get(3);
  putRows(again, rows.length, TOTAL, places, 7);
  const expected = new Uint8Array(TOTAL);
  for (const row of rows) expected[row] = 7;
  expect(Buffer.compare(places, expected)).toBe(0);
});
