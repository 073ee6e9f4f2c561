/**
 * The variables of the messages of one row group, by width: a cutter fills them, a part writes them. The arrays are
 * reused for the next row group.
 */

/** The width of a variable: selects one of the lists of a row, or none if the value equals the column `pid`. */
export const Width = { u8: 0, u16: 1, u32: 2, text: 3, pid: 4 } as const;
export type VariableWidth = (typeof Width)[keyof typeof Width];

export const MOST_VARIABLES = 64;

/** The numbers of all rows, concatenated, and how many each row has. */
export class NumberLists {
  values = new Uint32Array(1 << 12);
  used = 0;
  counts = new Uint16Array(1 << 10);

  begin(rows: number): void {
    this.used = 0;
    this.counts = emptyCounts(this.counts, rows);
  }
  /** Makes room for the variables of another message. */
  reserve(): void {
    if (this.used + MOST_VARIABLES <= this.values.length) return;
    const bigger = new Uint32Array(this.values.length * 2);
    bigger.set(this.values);
    this.values = bigger;
  }
}

/** Texts of the rows in Parquet's PLAIN encoding, concatenated: length and bytes. */
class TextLists {
  data = new Uint8Array(1 << 14);
  size = 0;
  used = 0;
  counts = new Uint16Array(1 << 10);

  begin(rows: number): void {
    this.size = 0;
    this.used = 0;
    this.counts = emptyCounts(this.counts, rows);
  }
  add(bytes: Uint8Array, from: number, to: number): void {
    const length = to - from;
    if (this.size + length + 4 > this.data.length) {
      const bigger = new Uint8Array((this.data.length + length) * 2);
      bigger.set(this.data);
      this.data = bigger;
    }
    const { data } = this;
    let at = this.size;
    data[at++] = length;
    data[at++] = length >>> 8;
    data[at++] = length >>> 16;
    data[at++] = length >>> 24;
    for (let i = from; i < to; i++) data[at++] = bytes[i]!;
    this.size = at;
    this.used += 1;
  }
}

export class CutRows {
  /** By width. */
  readonly numbers: readonly [NumberLists, NumberLists, NumberLists] = [
    new NumberLists(),
    new NumberLists(),
    new NumberLists(),
  ];
  readonly texts = new TextLists();

  begin(rows: number): void {
    for (const list of this.numbers) list.begin(rows);
    this.texts.begin(rows);
  }
}

function emptyCounts(counts: Uint16Array<ArrayBuffer>, rows: number): Uint16Array<ArrayBuffer> {
  if (counts.length < rows) return new Uint16Array(rows * 2);
  return counts.fill(0, 0, rows);
}
