/**
 * Attribute columns found by the bytes of their names, without making a string of a name that was
 * seen before. Names are `prefix.name` for structured data, or just a name.
 */
import { HASH_SEED, hashByte, scramble } from '../../engine/util/hash-table/hash.ts';
import { HashIndex } from '../../engine/util/hash-table/hash-index.ts';
import type { TextColumn } from '../../engine/columns/columns.ts';
import type { EventBatch } from '../../engine/columns/event-batch.ts';

interface Entry {
  readonly bytes: Uint8Array;
  readonly prefixLength: number;
  readonly fullName: string;
  /** Without its prefix. */
  readonly name: string;
  /** Undefined if the batch already has too many attributes. */
  readonly column: TextColumn | undefined;
}

const text = new TextDecoder('utf-8', { ignoreBOM: true });
const DOT = 46;
/** Number of cached names; beyond it each is looked up as a string. */
const MAX_NAMES = 4096;

export class AttributeNames {
  private readonly batch: EventBatch;
  private readonly entries: Entry[] = [];
  private readonly index = new HashIndex();

  constructor(batch: EventBatch) {
    this.batch = batch;
  }

  /**
   * Sets an attribute of the row being filled to bytes that are valid UTF-8 (`valid`) or may not be. A name that is
   * repeated in the row gets `.2`, `.3`, …: nothing is lost.
   * @returns the name without its prefix
   */
  set(
    names: Uint8Array,
    prefixStart: number,
    prefixEnd: number,
    nameStart: number,
    nameEnd: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    valid: boolean,
  ): string {
    const entry = this.find(names, prefixStart, prefixEnd, nameStart, nameEnd);
    const row = this.batch.length;
    if (entry.column !== undefined && entry.column.present[row] === 0) {
      entry.column.setBytes(row, bytes, start, end, valid);
      return entry.name;
    }
    let name = entry.fullName;
    for (let n = 2; n < 1000 && this.batch.hasAttribute(name); n++) {
      name = `${entry.fullName}.${n}`;
    }
    this.batch.setAttribute(name, text.decode(bytes.subarray(start, end)));
    return entry.name;
  }

  private find(b: Uint8Array, p1: number, p2: number, n1: number, n2: number): Entry {
    const { entries, index } = this;
    let hash = HASH_SEED;
    for (let i = p1; i < p2; i++) hash = hashByte(hash, b[i]!);
    hash = hashByte(hash, DOT);
    for (let i = n1; i < n2; i++) hash = hashByte(hash, b[i]!);
    hash = scramble(hash);
    for (let at = index.first(hash); at >= 0; at = index.next(hash))
      if (same(entries[at]!, b, p1, p2, n1, n2)) return entries[at]!;
    const prefix = text.decode(b.subarray(p1, p2));
    const name = text.decode(b.subarray(n1, n2));
    const fullName = prefix === '' || name === '' ? prefix + name : `${prefix}.${name}`;
    const bytes = new Uint8Array(p2 - p1 + n2 - n1);
    bytes.set(b.subarray(p1, p2));
    bytes.set(b.subarray(n1, n2), p2 - p1);
    const column = this.batch.attributeColumn(fullName);
    const entry = { bytes, prefixLength: p2 - p1, fullName, name, column };
    if (entries.length < MAX_NAMES) index.put(entries.push(entry) - 1, hash);
    return entry;
  }
}

function same(
  entry: Entry,
  b: Uint8Array,
  p1: number,
  p2: number,
  n1: number,
  n2: number,
): boolean {
  const bytes = entry.bytes;
  const size = p2 - p1;
  if (entry.prefixLength !== size || bytes.length !== size + n2 - n1) return false;
  for (let i = 0; i < size; i++) if (bytes[i] !== b[p1 + i]) return false;
  for (let i = size; i < bytes.length; i++) if (bytes[i] !== b[n1 + i - size]) return false;
  return true;
}
