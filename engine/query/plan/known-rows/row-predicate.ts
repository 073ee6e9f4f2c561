/**
 * What is known about the events of a filter in one segment before a statement runs, and how a statement is
 * restricted to it.
 */
import { RowSet } from '../../../util/row-set.ts';
import { bitOf, type Params, rowBetween, rowIn, rowIs } from '../../dialect/duckdb.ts';
import { FALSE, type Predicate, TRUE } from '../scope.ts';
import { type Rows, rowsOf } from './rows.ts';

/**
 * To DuckDB a number in a list costs about 5 µs, to be parsed and compared; a bit for every row 6 ns a
 * row; comparing a column of numbers 3 ns. Longer lists lose to either.
 */
const LISTED = 2048;
const FEW_LISTED = 16;
const MOST_LISTED = 512;

/** Number of rows up to which it is best to list them, in a `span` from the first to the last. */
export function mostListed(span: number): number {
  return Math.min(MOST_LISTED, Math.max(FEW_LISTED, Math.floor(span / LISTED)));
}

/** The condition that holds a segment's rows to a set. */
export function rowsPredicate(rows: Rows, params: Params): Predicate {
  if (rows === 'all') return TRUE;
  if (rows === 'none') return FALSE;
  const low = rows.slice(0, 1)[0]!;
  const high = rows.slice(rows.count - 1, rows.count)[0]!;
  if (low === high) return { sql: rowIs(low) };
  const range = rowBetween(low, high);
  if (high - low + 1 === rows.count) return { sql: `(${range})` };
  // With a range, however wide, DuckDB skips vectors without a listed row; a list alone makes it read all of them.
  if (rows.count <= mostListed(high - low + 1))
    return { sql: `(${range} AND ${rowIn(rows.slice(0, rows.count))})` };
  const within = bitOf(bitText(rows), params);
  return { sql: high - low > rows.total * MOST ? within : `(${range} AND ${within})` };
}

/** A range with a larger part of the rows skips little. */
const MOST = 0.9;

/** Bits of all rows in base64, the first row in the highest bit of the first byte. */
function bitText(rows: RowSet): string {
  const words = rows.toWords();
  const bytes = new Uint8Array(words.buffer, words.byteOffset, Math.ceil(rows.total / 8));
  for (let i = 0; i < bytes.length; i++) bytes[i] = REVERSED[bytes[i]!]!;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** The set that the aggregate `bitsOfRows` returned for a segment of `total` rows; NULL: empty. */
export function rowsOfBits(bits: unknown, total: number): Rows {
  if (typeof bits !== 'string') return 'none';
  const bytes = Buffer.from(bits, 'base64');
  const words = new Uint32Array((total + 31) >>> 5);
  for (let i = 0; i < bytes.length; i++) words[i >>> 2]! |= REVERSED[bytes[i]!]! << ((i & 3) * 8);
  return rowsOf(RowSet.ofWords(words, total));
}

/** Bytes with their bits in the other order. */
const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let out = 0;
  for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) out |= 0x80 >>> bit;
  return out;
});
