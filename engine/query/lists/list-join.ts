/**
 * Finds the rows of a segment that a list matches by comparing columns in memory: one pass over a hash of each
 * row's keys, and a comparison of the columns for the few whose hash some row of the list has.
 *
 * Invariant: a row matches if and only if all of its keys equal those of one list row; hashes only exclude rows.
 */
import type { ColumnName } from '../../contract/event.ts';
import { HASH_SEED, hashColumn, hashWord } from '../../util/hash-table/hash.ts';
import { TupleDictionary } from '../../util/hash-table/tuple-dictionary.ts';
import type { ListGroup, MatchList } from './match-list.ts';

/** A column of a segment's rows. */
export interface JoinColumn {
  readonly values: Uint8Array | Uint16Array | Uint32Array | Int32Array;
  /** 1 for each row without a value. */
  readonly nulls: Uint8Array | undefined;
}

/** A column to compare with a group's keys, and the bits that count. */
export interface JoinKey {
  readonly column: ColumnName;
  /** SQL type of the column. */
  readonly type: string;
  readonly mask: number;
}

const TYPES: ReadonlySet<string> = new Set(['UTINYINT', 'USMALLINT', 'UINTEGER', 'INTEGER']);

/** The keys of each group; undefined if some are not 32-bit whole numbers. */
export function joinKeys(list: MatchList): readonly (readonly JoinKey[])[] | undefined {
  const out: JoinKey[][] = [];
  for (const { keys } of list.columnGroups) {
    const groupKeys: JoinKey[] = [];
    for (const { key, type, values } of keys) {
      if (key.key !== 'address4' && key.key !== 'number') return undefined;
      if (!TYPES.has(type) || !(values instanceof Float64Array)) return undefined;
      const prefix = key.key === 'address4' ? key.prefix : 32;
      const mask = prefix === 0 ? 0 : (0xffff_ffff << (32 - prefix)) >>> 0;
      groupKeys.push({ column: key.column, type, mask });
    }
    out.push(groupKeys);
  }
  return out;
}

/** Rows whose hashes stay in the processor's cache while all keys are mixed into them. */
const BLOCK = 4096;

/** A hash of the keys of each row of a segment. */
export function hashRows(
  keys: readonly JoinKey[],
  columns: readonly JoinColumn[],
  total: number,
): Int32Array {
  const hashes = new Int32Array(total).fill(HASH_SEED);
  for (let from = 0; from < total; from += BLOCK) {
    const to = Math.min(total, from + BLOCK);
    for (let key = 0; key < keys.length; key++)
      mixInto(hashes, columns[key]!.values, keys[key]!.mask, from, to);
  }
  return hashes;
}

function mixInto(
  hashes: Int32Array,
  values: JoinColumn['values'],
  mask: number,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) hashes[row] = hashWord(hashes[row]!, values[row]! & mask);
}

/** Bits of the filter for each row of a list; of the whole filter, at the least and at the most, as powers of two. */
const FILTER_BITS = 32;
const [LEAST_FILTER, MOST_FILTER] = [18, 23];

/** A group's rows, and a filter of their hashes. */
export class JoinTable {
  private readonly rows: TupleDictionary;
  /** A bit for each hash, by its upper bits. */
  private readonly filter: Uint32Array;
  private readonly shift: number;

  /** @param group whose keys `joinKeys` takes */
  constructor({ keys, lines }: ListGroup) {
    const columns = keys.map(({ values }) => {
      if (!(values instanceof Float64Array)) throw new TypeError('keys that are no numbers');
      return Int32Array.from(values);
    });
    const bits = Math.ceil(Math.log2(lines.length * FILTER_BITS + 1));
    const filterBits = Math.min(MOST_FILTER, Math.max(LEAST_FILTER, bits));
    this.shift = 32 - filterBits;
    this.filter = new Uint32Array(2 ** (filterBits - 5));
    this.rows = new TupleDictionary(keys.length, { room: lines.length });
    for (let from = 0; from < lines.length; from += BLOCK)
      this.insert(columns.map((column) => column.subarray(from, from + BLOCK)));
  }

  private insert(words: readonly Int32Array[]): void {
    const { filter, shift } = this;
    const { length } = words[0]!;
    this.rows.idsOf(words, length, new Int32Array(length));
    const hashes = new Int32Array(length).fill(HASH_SEED);
    for (const column of words) hashColumn(hashes, column, length);
    for (const hash of hashes) filter[(hash >>> shift) >>> 5]! |= 1 << ((hash >>> shift) & 31);
  }

  /**
   * Sets the bits of the rows that are in the table.
   * @param hashes of `hashRows`, for these keys and columns
   */
  markRows(
    words: Uint32Array,
    hashes: Int32Array,
    keys: readonly JoinKey[],
    columns: readonly JoinColumn[],
  ): void {
    const candidates = new Uint32Array(BLOCK);
    const tuples = keys.map(() => new Int32Array(BLOCK));
    const found = new Int32Array(BLOCK);
    for (let from = 0; from < hashes.length; from += BLOCK) {
      const count = this.candidates(hashes, from, candidates);
      for (const [key, { mask }] of keys.entries()) {
        const { values } = columns[key]!;
        const tuple = tuples[key]!;
        for (let at = 0; at < count; at++) tuple[at] = values[candidates[at]!]! & mask;
      }
      this.rows.find(tuples, count, found);
      for (let at = 0; at < count; at++) {
        const row = candidates[at]!;
        if (found[at]! >= 0 && columns.every(({ nulls }) => nulls?.[row] !== 1))
          words[row >>> 5]! |= 1 << (row & 31);
      }
    }
  }

  /** Rows of the block from `from` on whose hash passes the filter: a loop that does nothing else is fast. */
  private candidates(hashes: Int32Array, from: number, out: Uint32Array): number {
    const { filter, shift } = this;
    const to = Math.min(hashes.length, from + BLOCK);
    let count = 0;
    for (let row = from; row < to; row++) {
      const bit = hashes[row]! >>> shift;
      if ((filter[bit >>> 5]! & (1 << (bit & 31))) !== 0) out[count++] = row;
    }
    return count;
  }
}
