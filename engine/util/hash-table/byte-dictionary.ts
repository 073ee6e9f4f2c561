/** Numbers for byte strings: equal strings have equal numbers, from 0 in the order they first came. */
import { areBytesEqual, hashBytes } from './hash.ts';
import { HashIndex } from './hash-index.ts';

const FIRST_STRINGS = 256;
const MOST_BYTES = 2 ** 32 - 1;

export interface DictionaryLimits {
  readonly strings?: number;
  /** Of all strings together: 4 GiB at most. */
  readonly bytes?: number;
  /** Called with bytes that are allocated next; what it throws ends the call. */
  readonly onGrow?: (bytes: number) => void;
}

export class ByteDictionary {
  private readonly maxStrings: number;
  private readonly maxBytes: number;
  private readonly onGrow: (bytes: number) => void;
  private data = new Uint8Array(4096);
  private view = viewOf(this.data);
  /** The array that was given last, and a view of it. */
  private given: Uint8Array = this.data;
  private givenView = this.view;
  /** Where string n begins; one more entry than there is room for strings. */
  private starts = new Uint32Array(FIRST_STRINGS + 1);
  private readonly index = new HashIndex(FIRST_STRINGS);

  constructor(limits: DictionaryLimits = {}) {
    this.maxStrings = limits.strings ?? Infinity;
    this.maxBytes = Math.min(limits.bytes ?? MOST_BYTES, MOST_BYTES);
    this.onGrow = limits.onGrow ?? (() => undefined);
  }

  get size(): number {
    return this.index.size;
  }

  /** The number of `data[from, to)`; -1 if it is new and exceeds the limits. */
  idOf(data: Uint8Array, from: number, to: number): number {
    if (data !== this.given) {
      this.given = data;
      this.givenView = viewOf(data);
    }
    const { index, givenView } = this;
    const hash = hashBytes(givenView, from, to);
    let id = index.first(hash);
    while (id >= 0 && !this.is(id, givenView, from, to)) id = index.next(hash);
    return id < 0 ? this.add(hash, data, from, to) : id;
  }

  bytesOf(id: number): Uint8Array {
    return this.data.subarray(this.starts[id], this.starts[id + 1]);
  }

  /** All strings one after the other, and where each begins: copies. */
  joined(): { data: Uint8Array; starts: Uint32Array } {
    const { data, starts, size } = this;
    return { data: data.slice(0, starts[size]), starts: starts.slice(0, size) };
  }

  /** The strings in the order of their bytes, and the place of each number among them. */
  sorted(): { values: Uint8Array[]; ranks: Uint32Array } {
    const strings = Array.from({ length: this.size }, (_, id) => this.bytesOf(id));
    const order = strings
      .map((_, id) => id)
      .sort((a, b) => Buffer.compare(strings[a]!, strings[b]!));
    const ranks = new Uint32Array(this.size);
    order.forEach((id, rank) => (ranks[id] = rank));
    return { values: order.map((id) => strings[id]!), ranks };
  }

  private is(id: number, given: DataView, from: number, to: number): boolean {
    const start = this.starts[id]!;
    const length = to - from;
    return (
      this.starts[id + 1]! - start === length &&
      areBytesEqual(this.view, start, given, from, length)
    );
  }

  private add(hash: number, data: Uint8Array, from: number, to: number): number {
    const id = this.size;
    const start = this.starts[id]!;
    const end = start + to - from;
    if (id >= this.maxStrings || end > this.maxBytes) return -1;
    if (end > this.data.length) {
      const size = Math.max(end, this.data.length * 2);
      this.onGrow(size - this.data.length);
      const bigger = new Uint8Array(size);
      bigger.set(this.data.subarray(0, start));
      this.data = bigger;
      this.view = viewOf(bigger);
    }
    if (id === this.index.room) this.grow();
    this.data.set(data.subarray(from, to), start);
    this.starts[id + 1] = end;
    this.index.put(id, hash);
    return id;
  }

  /** Room for twice as many strings: `put` grows the index. */
  private grow(): void {
    const { room } = this.index;
    this.onGrow(room * 20);
    const starts = new Uint32Array(room * 2 + 1);
    starts.set(this.starts);
    this.starts = starts;
  }
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
