/**
 * Finds the rows of a segment that a list matches by comparing columns in memory: one pass over a hash of each
 * row's keys, and a comparison of the columns for the few whose hash some row of the list has.
 *
 * Invariants: a row matches if and only if all of its keys equal those of one list row; hashes only exclude rows.
 * Multipliers differ between processes, so that nobody can craft colliding values.
 */
import type { ColumnName } from '../../contract/event.ts';
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
    const own: JoinKey[] = [];
    for (const { key, type, values } of keys) {
      if (key.key !== 'address4' && key.key !== 'number') return undefined;
      if (!TYPES.has(type) || !(values instanceof Float64Array)) return undefined;
      const prefix = key.key === 'address4' ? key.prefix : 32;
      const mask = prefix === 0 ? 0 : (0xffff_ffff << (32 - prefix)) >>> 0;
      own.push({ column: key.column, type, mask });
    }
    out.push(own);
  }
  return out;
}

/** Odd numbers. */
const MULTIPLIERS = Uint32Array.from({ length: 16 }, () => (Math.random() * 2 ** 32) | 1);

function multiplier(key: number): number {
  return Math.imul(MULTIPLIERS[key % MULTIPLIERS.length]!, 2 * key + 1);
}

/** Rows whose hashes stay in the processor's cache while all keys are mixed into them. */
const BLOCK = 4096;

/** A hash of the keys of each row of a segment. */
export function hashRows(
  keys: readonly JoinKey[],
  columns: readonly JoinColumn[],
  total: number,
): Int32Array {
  const hashes = new Int32Array(total);
  for (let from = 0; from < total; from += BLOCK) {
    const to = Math.min(total, from + BLOCK);
    for (let key = 0; key < keys.length; key++)
      mixInto(hashes, columns[key]!.values, keys[key]!.mask, multiplier(key), from, to);
  }
  return hashes;
}

function mixInto(
  hashes: Int32Array,
  values: JoinColumn['values'],
  mask: number,
  by: number,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) hashes[row] = mixed(hashes[row]!, values[row]! & mask, by);
}

function mixed(hash: number, value: number, by: number): number {
  const product = Math.imul(hash ^ value, by);
  return product ^ (product >>> 15);
}

/** Adds a key of each row of a list to its `keys`, and to the row's hash. */
function putKey(
  to: Uint32Array,
  keys: number,
  key: number,
  values: Float64Array,
  hashes: Int32Array,
): void {
  const by = multiplier(key);
  for (let row = 0; row < hashes.length; row++) {
    const value = values[row]! >>> 0;
    to[row * keys + key] = value;
    hashes[row] = mixed(hashes[row]!, value, by);
  }
}

const EMPTY = 0;
/** Bits of the filter for each row of a list; of the whole filter, at the least and at the most, as powers of two. */
const FILTER_BITS = 32;
const [LEAST_FILTER, MOST_FILTER] = [18, 23];

/** A group's rows by a hash of their values. */
export class JoinTable {
  private readonly keys: number;
  /** The values of each distinct row, concatenated. */
  private readonly values: Uint32Array;
  /** Pairs of a row's number, plus 1, and its hash, from the place that the hash names on. */
  private readonly slots: Int32Array;
  /** A bit for each hash, by its upper bits. */
  private readonly filter: Uint32Array;
  private readonly shift: number;

  /** @param group whose keys `joinKeys` takes */
  constructor({ keys, lines }: ListGroup) {
    const rows = lines.length;
    this.keys = keys.length;
    this.values = new Uint32Array(rows * keys.length);
    this.slots = new Int32Array(2 * 2 ** Math.ceil(Math.log2(rows * 2 + 1)));
    const bits = Math.ceil(Math.log2(rows * FILTER_BITS + 1));
    const filterBits = Math.min(MOST_FILTER, Math.max(LEAST_FILTER, bits));
    this.shift = 32 - filterBits;
    this.filter = new Uint32Array(2 ** (filterBits - 5));
    const hashes = new Int32Array(rows);
    keys.forEach(({ values }, key) => {
      if (!(values instanceof Float64Array)) throw new TypeError('keys that are no numbers');
      putKey(this.values, keys.length, key, values, hashes);
    });
    for (let row = 0; row < rows; row++) this.insert(row, hashes[row]!);
  }

  private insert(row: number, hash: number): void {
    const { slots, filter, shift } = this;
    const mask = slots.length - 1;
    let slot = (hash << 1) & mask;
    for (; slots[slot] !== EMPTY; slot = (slot + 2) & mask) {
      // Duplicates in the list are stored once.
      if (slots[slot + 1] === hash && this.isSame(row, slots[slot]! - 1)) return;
    }
    slots[slot] = row + 1;
    slots[slot + 1] = hash;
    const bit = hash >>> shift;
    filter[bit >>> 5]! |= 1 << (bit & 31);
  }

  private isSame(row: number, other: number): boolean {
    const { keys, values } = this;
    for (let key = 0; key < keys; key++)
      if (values[row * keys + key] !== values[other * keys + key]) return false;
    return true;
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
    for (let from = 0; from < hashes.length; from += BLOCK) {
      const count = this.candidates(hashes, from, candidates);
      for (let at = 0; at < count; at++) {
        const row = candidates[at]!;
        if (this.has(hashes[row]!, row, keys, columns)) words[row >>> 5]! |= 1 << (row & 31);
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

  private has(
    hash: number,
    row: number,
    keys: readonly JoinKey[],
    columns: readonly JoinColumn[],
  ): boolean {
    const { slots, values } = this;
    const mask = slots.length - 1;
    for (let slot = (hash << 1) & mask; slots[slot] !== EMPTY; slot = (slot + 2) & mask) {
      if (slots[slot + 1] !== hash) continue;
      const other = (slots[slot]! - 1) * this.keys;
      let key = 0;
      for (; key < this.keys; key++) {
        const { values: own, nulls } = columns[key]!;
        if ((own[row]! & keys[key]!.mask) >>> 0 !== values[other + key]) break;
        if (nulls !== undefined && nulls[row] === 1) break;
      }
      if (key === this.keys) return true;
    }
    return false;
  }
}
