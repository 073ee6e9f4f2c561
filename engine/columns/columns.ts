/** Columns of a batch: typed arrays with a value for each row that has one. */
export class U8Column {
  readonly type = 'u8' as const;
  readonly values: Uint8Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    this.values = new Uint8Array(rows);
    this.present = new Uint8Array(rows);
  }
  set(row: number, value: number): void {
    this.values[row] = value;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

export class U16Column {
  readonly type = 'u16' as const;
  readonly values: Uint16Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    this.values = new Uint16Array(rows);
    this.present = new Uint8Array(rows);
  }
  set(row: number, value: number): void {
    this.values[row] = value;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

export class U32Column {
  readonly type = 'u32' as const;
  readonly values: Uint32Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    this.values = new Uint32Array(rows);
    this.present = new Uint8Array(rows);
  }
  set(row: number, value: number): void {
    this.values[row] = value;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

export class I32Column {
  readonly type = 'i32' as const;
  readonly values: Int32Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    this.values = new Int32Array(rows);
    this.present = new Uint8Array(rows);
  }
  set(row: number, value: number): void {
    this.values[row] = value;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

/** Whole numbers of up to 53 bits (u64, i64, micros) or real numbers (f64), kept as doubles. */
export class NumberColumn {
  readonly type: 'u64' | 'i64' | 'f64' | 'micros';
  readonly values: Float64Array;
  readonly present: Uint8Array;
  constructor(rows: number, type: 'u64' | 'i64' | 'f64' | 'micros') {
    this.type = type;
    this.values = new Float64Array(rows);
    this.present = new Uint8Array(rows);
  }
  set(row: number, value: number): void {
    this.values[row] = value;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

/** IPv6 addresses, 16 bytes a row in network order. */
export class Ip6Column {
  readonly type = 'ip6' as const;
  readonly values: Uint8Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    this.values = new Uint8Array(rows * 16);
    this.present = new Uint8Array(rows);
  }
  /** Copies 16 bytes of `bytes` from `start`. */
  set(row: number, bytes: Uint8Array, start: number): void {
    const to = row * 16;
    for (let i = 0; i < 16; i++) this.values[to + i] = bytes[start + i]!;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

const utf8 = new TextEncoder();

/** A column that is cleared keeps a buffer of at most this size: only one huge text makes it larger. */
const MAX_KEPT = 64 * 1024 * 1024;
/** Up to this many characters are copied one by one, which is faster. */
const SHORT_TEXT = 64;

const NO_BYTES = Buffer.alloc(0);

const lossyUtf8 = new TextDecoder('utf-8', { fatal: true });

const windows1252 = new TextDecoder('windows-1252');

/**
 * UTF-8 text. `data` holds, row after row, a 32-bit little-endian length and the bytes: the layout
 * of Parquet's PLAIN encoding, so that a full column is written to disk as it is.
 */
export class TextColumn {
  readonly type = 'text' as const;
  data: Uint8Array;
  /** Number of bytes of `data` in use. */
  size = 0;
  /** Where the length of each present row's text starts in `data`. */
  readonly starts: Uint32Array;
  readonly present: Uint8Array;
  constructor(rows: number) {
    // Most columns of a batch stay empty.
    this.data = new Uint8Array(0);
    this.starts = new Uint32Array(rows);
    this.present = new Uint8Array(rows);
  }

  /**
   * A column with the same texts, without those of rows in which `other` has one. Valid until either column
   * changes.
   */
  without(other: TextColumn): TextColumn {
    const present = this.present.map((here, row) => here & ~other.present[row]!);
    return Object.assign(Object.create(TextColumn.prototype) as TextColumn, this, { present });
  }

  /** Copies `bytes[start, end)`, which must be valid UTF-8 cut at character boundaries. */
  set(row: number, bytes: Uint8Array, start: number, end: number): void {
    const n = end - start;
    const at = this.size;
    if (at + n + 4 > this.data.length) this.grow(at + n + 4);
    const data = this.data;
    this.starts[row] = at;
    this.present[row] = 1;
    data[at] = n & 255;
    data[at + 1] = (n >>> 8) & 255;
    data[at + 2] = (n >>> 16) & 255;
    data[at + 3] = n >>> 24;
    const to = at + 4;
    if (n < 48) {
      for (let i = 0; i < n; i++) data[to + i] = bytes[start + i]!;
    } else {
      // `set` would have to allocate an array view of these bytes for each text.
      NO_BYTES.copy.call(bytes, data, to, start, end);
    }
    this.size = to + n;
  }

  /**
   * Repeats the text of the row before `row` in `n` rows from `row` on, which must be the last that have one.
   * Copying all at once takes a tenth of the time of setting each.
   */
  repeat(row: number, n: number): void {
    const start = this.starts[row - 1]!;
    const { size } = this;
    const step = size - start;
    const end = size + n * step;
    if (end > this.data.length) this.grow(end);
    const { data, starts } = this;
    // Each copy doubles what is there.
    for (let to = size; to < end;) {
      const most = Math.min(to - start, end - to);
      data.copyWithin(to, start, start + most);
      to += most;
    }
    for (let i = 0; i < n; i++) starts[row + i] = size + i * step;
    this.present.fill(1, row, row + n);
    this.size = end;
  }

  setString(row: number, value: string): void {
    const most = value.length * 3 + 4;
    const at = this.size;
    if (at + most > this.data.length) this.grow(at + most);
    const { data } = this;
    const n = value.length;
    let written = 0;
    // The encoder would need an array view of the free space for each text.
    if (n < SHORT_TEXT)
      for (; written < n; written++) {
        const code = value.charCodeAt(written);
        if (code > 127) break;
        data[at + 4 + written] = code;
      }
    if (written < n) ({ written } = utf8.encodeInto(value, data.subarray(at + 4)));
    this.starts[row] = at;
    this.present[row] = 1;
    data[at] = written & 255;
    data[at + 1] = (written >>> 8) & 255;
    data[at + 2] = (written >>> 16) & 255;
    data[at + 3] = written >>> 24;
    this.size = at + 4 + written;
  }

  /** Sets a text. @param valid whether its bytes are UTF-8; otherwise as `setLossy` */
  setBytes(row: number, bytes: Uint8Array, start: number, end: number, valid: boolean): void {
    if (valid) this.set(row, bytes, start, end);
    else this.setLossy(row, bytes, start, end);
  }

  /**
   * Like `set`, for bytes that may not be valid UTF-8: such texts are read as Windows-1252, which old syslog
   * senders write. The original bytes remain in the evidence. Returns whether the text was valid.
   */
  setLossy(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    const part = bytes.subarray(start, end);
    let ascii = 0;
    for (let i = 0; i < part.length; i++) ascii |= part[i]!;
    if (ascii < 128) {
      this.set(row, bytes, start, end);
      return true;
    }
    try {
      lossyUtf8.decode(part);
      this.set(row, bytes, start, end);
      return true;
    } catch {
      this.setString(row, windows1252.decode(part));
      return false;
    }
  }

  /**
   * Replaces the texts of rows: row `rows[i]` gets the bytes from `starts[i]` to `ends[i]`. Texts stay in the order
   * of their rows.
   * @param rows ascending; only the first `count` are used
   * @param n number of rows in the column
   */
  replace(
    rows: Int32Array,
    bytes: Uint8Array,
    starts: Int32Array,
    ends: Int32Array,
    count: number,
    n: number,
  ): void {
    let more = 0;
    for (let i = 0; i < count; i++) more += ends[i]! - starts[i]! + 4;
    const old = this.data;
    this.data = new Uint8Array(Math.max(4096, this.size + more));
    this.size = 0;
    for (let row = 0, i = 0; row < n; row++) {
      if (i < count && rows[i] === row) {
        this.set(row, bytes, starts[i]!, ends[i]!);
        i += 1;
      } else if (this.present[row] === 1) {
        const at = this.starts[row]!;
        const length = old[at]! | (old[at + 1]! << 8) | (old[at + 2]! << 16) | (old[at + 3]! << 24);
        this.set(row, old, at + 4, at + 4 + length);
      }
    }
  }

  /**
   * Sorts the texts of these rows by row, if some were set after those of later rows: readers of whole columns rely
   * on the order.
   */
  putInOrder(from: number, to: number): void {
    const { present, starts } = this;
    let last = -1;
    for (let row = from; row < to; row++) {
      if (present[row] === 0) continue;
      if (starts[row]! < last) {
        this.replace(NO_ROWS, NO_BYTES, NO_ROWS, NO_ROWS, 0, to);
        return;
      }
      last = starts[row]!;
    }
  }

  clear(): void {
    this.present.fill(0);
    this.size = 0;
    if (this.data.length > MAX_KEPT) this.data = new Uint8Array(4096);
  }

  private grow(need: number): void {
    const bigger = new Uint8Array(Math.max(4096, need, this.data.length * 2));
    bigger.set(this.data.subarray(0, this.size));
    this.data = bigger;
  }
}

/**
 * A dictionary-encoded text column: each row holds a code. For passes that look at each row once, where writing a
 * text and reading it back would be most of the work.
 */
export class CodedColumn {
  readonly values: Uint32Array;
  readonly present: Uint8Array;
  /** The text for a code, as UTF-8. */
  readonly bytesOf: (code: number) => Uint8Array;
  constructor(rows: number, bytesOf: (code: number) => Uint8Array) {
    this.values = new Uint32Array(rows);
    this.present = new Uint8Array(rows);
    this.bytesOf = bytesOf;
  }
  set(row: number, code: number): void {
    this.values[row] = code;
    this.present[row] = 1;
  }
  clear(): void {
    this.present.fill(0);
  }
}

export type Column =
  U8Column | U16Column | U32Column | I32Column | NumberColumn | Ip6Column | TextColumn;

const NO_ROWS = new Int32Array(0);
