/**
 * Cuts rows into cells: by a delimiter with quotes as in RFC 4180 (https://www.rfc-editor.org/rfc/rfc4180), or into
 * words as nfdump prints them.
 *
 * Invariants: bytes are copied only for rows with quotes, and a cell is given by its position in `bytes`, until the
 * next row.
 */
const QUOTE = 34;
const LF = 10;

export abstract class Splitter {
  /** Positions of the last row's cells. */
  bytes: Uint8Array = new Uint8Array(0);
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  count = 0;

  /** Splits `bytes[start, end)`. False if a quote is still open: then `more` takes the next line. */
  abstract split(bytes: Uint8Array, start: number, end: number): boolean;
  abstract more(bytes: Uint8Array, start: number, end: number): boolean;

  protected grow(): void {
    const starts = new Int32Array(this.starts.length * 4);
    const ends = new Int32Array(starts.length);
    starts.set(this.starts);
    ends.set(this.ends);
    this.starts = starts;
    this.ends = ends;
  }
}

export class DelimitedSplitter extends Splitter {
  readonly delimiter: number;
  readonly quoted: boolean;
  /** Rows with quotes, without their quotes. */
  private unquoted = new Uint8Array(4096);
  private size = 0;
  private cell = 0;
  private inside = false;
  /** Whether a cell of the last row continues after its closing quote. */
  isOdd = false;

  constructor(delimiter: number, quoted: boolean) {
    super();
    this.delimiter = delimiter;
    this.quoted = quoted;
  }

  split(bytes: Uint8Array, start: number, end: number): boolean {
    const delimiter = this.delimiter;
    const quoted = this.quoted;
    this.isOdd = false;
    if (quoted && bytes[start] === QUOTE) return this.splitQuoted(bytes, start, end);
    let starts = this.starts;
    let ends = this.ends;
    let count = 0;
    let from = start;
    for (let at = start; at < end; at++) {
      if (bytes[at] !== delimiter) continue;
      starts[count] = from;
      ends[count] = at;
      count += 1;
      if (count === starts.length) {
        this.grow();
        starts = this.starts;
        ends = this.ends;
      }
      from = at + 1;
      if (quoted && bytes[from] === QUOTE && from < end) return this.splitQuoted(bytes, start, end);
    }
    starts[count] = from;
    ends[count] = end;
    this.count = count + 1;
    this.bytes = bytes;
    return true;
  }

  more(bytes: Uint8Array, start: number, end: number): boolean {
    this.reserve(end - start + 1);
    this.unquoted[this.size++] = LF;
    return this.copy(bytes, start, end);
  }

  private splitQuoted(bytes: Uint8Array, start: number, end: number): boolean {
    this.size = 0;
    this.cell = 0;
    this.count = 0;
    this.inside = false;
    this.isOdd = false;
    this.reserve(end - start);
    return this.copy(bytes, start, end);
  }

  /**
   * Cuts a row whose cells are all in quotes and have quotes that are not doubled, as tshark writes them. False where that does not
   * make `width` cells.
   */
  splitEnclosed(bytes: Uint8Array, start: number, end: number, width: number): boolean {
    if (end - start < 2 || bytes[start] !== QUOTE || bytes[end - 1] !== QUOTE) return false;
    let count = 0;
    for (let at = start; at < end - 1; count++) at = this.enclosedEnd(bytes, at + 1, end) + 2;
    if (count !== width || width > this.starts.length) return false;
    for (let at = start, cell = 0; cell < width; cell++) {
      this.starts[cell] = at + 1;
      this.ends[cell] = this.enclosedEnd(bytes, at + 1, end);
      at = this.ends[cell]! + 2;
    }
    this.count = count;
    this.bytes = bytes;
    return true;
  }

  /** The quote that ends a cell: it is followed by the row's end, or by a delimiter and another quote. */
  private enclosedEnd(bytes: Uint8Array, from: number, end: number): number {
    for (let at = from; at < end - 1; at++)
      if (bytes[at] === QUOTE && bytes[at + 1] === this.delimiter && bytes[at + 2] === QUOTE)
        return at;
    return end - 1;
  }

  /** Takes on a line in the state that the last one left. */
  private copy(bytes: Uint8Array, start: number, end: number): boolean {
    const delimiter = this.delimiter;
    const to = this.unquoted;
    let size = this.size;
    let cell = this.cell;
    let inside = this.inside;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      if (inside) {
        if (byte !== QUOTE) {
          to[size++] = byte;
        } else if (at + 1 < end && bytes[at + 1] === QUOTE) {
          to[size++] = QUOTE;
          at += 1;
        } else {
          inside = false;
          if (at + 1 < end && bytes[at + 1] !== delimiter) this.isOdd = true;
        }
      } else if (byte === delimiter) {
        this.starts[this.count] = cell;
        this.ends[this.count] = size;
        this.count += 1;
        if (this.count === this.starts.length) this.grow();
        cell = size;
        if (at + 1 < end && bytes[at + 1] === QUOTE) {
          inside = true;
          at += 1;
        }
      } else if (byte === QUOTE && at === start && size === 0) {
        inside = true;
      } else {
        to[size++] = byte;
      }
    }
    this.size = size;
    this.cell = cell;
    this.inside = inside;
    if (inside) return false;
    this.starts[this.count] = cell;
    this.ends[this.count] = size;
    this.count += 1;
    this.bytes = to;
    return true;
  }

  private reserve(size: number): void {
    if (this.size + size <= this.unquoted.length) return;
    const larger = new Uint8Array(Math.max(this.size + size, this.unquoted.length * 2));
    larger.set(this.unquoted.subarray(0, this.size));
    this.unquoted = larger;
  }
}

/** Words separated by blanks and commas; arrows are dropped; `1.8 M` is one cell. */
export class WordSplitter extends Splitter {
  private readonly words: readonly number[];

  /** @param words how many words each column's cells have */
  constructor(words: readonly number[]) {
    super();
    this.words = words;
  }

  split(bytes: Uint8Array, start: number, end: number): boolean {
    const words = this.words;
    this.bytes = bytes;
    this.count = 0;
    let at = start;
    let count = 0;
    let open = 0;
    let last = -1;
    while (at < end) {
      while (at < end && isBlank(bytes[at]!)) at += 1;
      const from = at;
      while (at < end && !isBlank(bytes[at]!)) at += 1;
      if (at === from) break;
      if (isArrow(bytes, from, at)) continue;
      if (open > 0) {
        this.ends[count - 1] = at;
        open -= 1;
      } else if (last === count - 1 && last >= 0 && isUnit(bytes, from, at)) {
        this.ends[last] = at;
        last = -1;
      } else {
        if (count === this.starts.length) this.grow();
        this.starts[count] = from;
        this.ends[count] = at;
        last = bytes[from]! >= 48 && bytes[from]! <= 57 ? count : -1;
        open = (words[count] ?? 1) - 1;
        count += 1;
      }
    }
    this.count = count;
    return true;
  }

  more(): boolean {
    return true;
  }
}

function isBlank(byte: number): boolean {
  return byte === 32 || byte === 44 || byte === 9;
}

function isArrow(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte !== 45 && byte !== 60 && byte !== 62) return false;
  }
  return end - start > 1;
}

function isUnit(bytes: Uint8Array, start: number, end: number): boolean {
  const byte = bytes[start]!;
  return end - start === 1 && (byte === 75 || byte === 77 || byte === 71 || byte === 84);
}
