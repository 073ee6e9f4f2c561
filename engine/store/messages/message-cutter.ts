/**
 * Cuts the messages of one part into a shape, which is the text that many of them share, and variables: numbers of
 * 8, 16 and 32 bits and short texts. A segment then stores for each message the number of its shape and lists of
 * its variables (see docs/adr/0017).
 *
 * Invariants: shape and variables reproduce every byte of the message (a number is one only as JavaScript would
 * write it, without leading zeros); a message that fits no shape is kept whole. Shapes are found as rows arrive: a
 * message seen a few times becomes a shape, with everything that these messages have in common in its text. When a
 * variable turns out to be wider, another shape replaces it. Memory is bounded by the numbers below, whatever the
 * messages are.
 */
import { type CutRows, type VariableWidth, MOST_VARIABLES, Width } from './cut-rows.ts';
import { BYTE_CLASS, DIGIT, LETTER } from '../../util/tokens.ts';

/** Text and variables, alternating: `constants[0]`, the first variable, `constants[1]`, …, the last constant. */
export interface MessageShape {
  readonly constants: readonly string[];
  readonly widths: readonly VariableWidth[];
}

/** How the messages of one row group were cut. Valid until the next row group, of whichever part. */
export interface CutRowGroup {
  /** All shapes of the part so far: shapes are only added. */
  readonly shapes: readonly MessageShape[];
  /** By row: the number of the shape from 1, or 0. */
  readonly shapeOf: Uint16Array;
  /** By row: 1 if there is a message that is kept whole. */
  readonly whole: Uint8Array;
  readonly variables: CutRows;
  /** By row; arbitrary for rows without one. */
  readonly pids: Uint32Array;
}

/** Limits on what is read with every message: shapes, bytes of their texts, variables of different shapes. */
const MOST_SHAPES = 400;
const MOST_SHAPE_BYTES = 65_536;
const MOST_UNLIKE = 1500;
/** Limits on messages that may become shapes, and their bytes. */
const MOST_CANDIDATES = 4096;
const MOST_CANDIDATE_BYTES = 1 << 19;
/** Number of similar messages before they get a shape. */
const SEEN_OFTEN = 8;
/** A longer message is kept whole. */
const MOST_BYTES = 2048;
/** Minimum number of letters before a number that belong to the shape: `user` in `user17`, but not `a` in `a17`. */
const LEAST_PREFIX = 3;
/** Number of rows after which it is clear whether shapes pay. */
const TRIAL_ROWS = 8192;
/** Minimum share of all bytes that shapes must cover. */
const LEAST_SHARE = 0.4;

/** Number of shapes that are remembered by how their messages begin. */
const GUESSES = 1024;
const BEGINNING = 12;

/** A shape in the form that messages are compared with. */
interface CutShape {
  readonly number: number;
  /** Concatenated constants; `ends[i]` is the end of the i-th. */
  readonly bytes: Uint8Array;
  readonly words: DataView;
  readonly ends: Int32Array;
  readonly widths: Uint8Array;
  /** Number of variables by width. */
  readonly counts: Uint8Array;
}

interface Candidate {
  /** Values in the first message. */
  readonly values: string[];
  readonly constants: string[];
  /** By variable: CONSTANT while all messages have the same value. */
  readonly widths: Int8Array;
  /** By variable: 1 while it equals the process identifier in every message's row. */
  readonly pids: Uint8Array;
  seen: number;
  current: CutShape | undefined;
}
const CONSTANT = -1;

export class MessageCutter {
  readonly shapes: MessageShape[] = [];
  /** Number of the shape of the last cut message, from 1. */
  number = 0;
  private readonly out: CutRows;
  private readonly guesses: (CutShape | undefined)[] = new Array<CutShape | undefined>(GUESSES);
  /** By the hash of a message's constants. */
  private readonly candidates = new Map<number, Candidate>();
  private readonly found = {
    starts: new Int32Array(MOST_VARIABLES),
    ends: new Int32Array(MOST_VARIABLES),
  };
  private pid = -1;
  /** The buffer of the messages, also as words. */
  private data: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(new ArrayBuffer(0));
  private count = 0;
  private hash = 0;
  /** Number of messages that were cut, and that were not. */
  cut = 0;
  whole = 0;
  private bytes = 0;
  private shared = 0;
  private off = false;
  private shapeBytes = 0;
  private candidateBytes = 0;
  private readonly unlike = new Set<string>();
  private unlikeVariables = 0;

  /** @param out filled by row; other cutters may use it between row groups */
  constructor(out: CutRows) {
    this.out = out;
  }

  /** Begins a row group of `rows` rows. */
  begin(rows: number): void {
    this.out.begin(rows);
    if (this.cut + this.whole >= TRIAL_ROWS && this.shared < this.bytes * LEAST_SHARE)
      this.off = true;
  }

  /**
   * Cuts one message of the row group; false if it must be kept whole.
   * @param pid the row's process identifier; -1 if it has none
   */
  add(row: number, data: Uint8Array, start: number, end: number, pid: number): boolean {
    this.pid = pid;
    if (data !== this.data) {
      this.data = data;
      this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    }
    const length = end - start;
    const may = !this.off && length > 0 && length <= MOST_BYTES;
    const done = may && this.cutOne(row, data, start, end);
    if (done) this.cut += 1;
    else this.whole += 1;
    this.bytes += length;
    return done;
  }

  private cutOne(row: number, data: Uint8Array, start: number, end: number): boolean {
    for (const list of this.out.numbers) list.reserve();
    const place = beginning(data, start, end);
    let shape = this.guesses[place];
    if (shape === undefined || !this.fits(shape, data, start, end)) {
      shape = this.find(data, start, end);
      if (shape === undefined) return false;
      this.guesses[place] = shape;
    }
    this.take(shape, row, data);
    return true;
  }

  /**
   * Whether a message has this shape. If so, its numbers are after those in use, and `found` has the positions of
   * its texts.
   */
  private fits(shape: CutShape, data: Uint8Array, start: number, end: number): boolean {
    const { bytes, words, ends, widths } = shape;
    const { view } = this;
    const [list8, list16, list32] = this.out.numbers;
    const { values: values8 } = list8;
    const { values: values16 } = list16;
    const { values: values32 } = list32;
    let to8 = list8.used;
    let to16 = list16.used;
    let to32 = list32.used;
    let texts = 0;
    let at = start;
    let c = 0;
    const last = widths.length;
    for (let i = 0; ; i++) {
      const stop = ends[i]!;
      if (at + stop - c > end) return false;
      for (; c + 4 <= stop; c += 4, at += 4)
        if (words.getInt32(c) !== view.getInt32(at)) return false;
      while (c < stop) if (bytes[c++] !== data[at++]) return false;
      if (i === last) return at === end;
      const first = at;
      const width = widths[i]!;
      if (width === Width.text) {
        while (at < end && BYTE_CLASS[data[at]!] !== 0) at += 1;
        if (at === first) return false;
        this.found.starts[texts] = first;
        this.found.ends[texts++] = at;
        continue;
      }
      let value = 0;
      const most = Math.min(end, first + 10);
      while (at < most) {
        const digit = data[at]! - 48;
        if (digit < 0 || digit > 9) break;
        value = value * 10 + digit;
        at += 1;
      }
      if (at === first || (at > first + 1 && data[first] === 48)) return false;
      if (width === Width.u8) {
        if (value > MOST[0]) return false;
        values8[to8++] = value;
      } else if (width === Width.u16) {
        if (value > MOST[1]) return false;
        values16[to16++] = value;
      } else if (width === Width.u32) {
        if (value > MOST[2]) return false;
        values32[to32++] = value;
      } else if (value !== this.pid) return false;
    }
  }

  /** Stores the variables that `fits` found. */
  private take(shape: CutShape, row: number, data: Uint8Array): void {
    const { counts } = shape;
    this.number = shape.number + 1;
    this.shared += shape.bytes.length;
    for (let i = 0; i < 3; i++) {
      const list = this.out.numbers[i as 0 | 1 | 2];
      const count = counts[i]!;
      list.counts[row] = count;
      list.used += count;
    }
    const texts = counts[Width.text]!;
    this.out.texts.counts[row] = texts;
    const { starts, ends } = this.found;
    for (let i = 0; i < texts; i++) this.out.texts.add(data, starts[i]!, ends[i]!);
  }

  /** The shape of a message, if there is one yet; `found` then has the positions of its variables. */
  private find(data: Uint8Array, start: number, end: number): CutShape | undefined {
    if (!this.tokens(data, start, end)) return undefined;
    const known = this.candidates.get(this.hash);
    if (known === undefined) {
      if (this.candidates.size >= MOST_CANDIDATES) return undefined;
      if (this.candidateBytes > MOST_CANDIDATE_BYTES) return undefined;
      this.candidateBytes += end - start;
      const { constants, values } = this.pieces(data, start, end);
      const widths = new Int8Array(this.count).fill(CONSTANT);
      const pids = Uint8Array.from(values, (value) => Number(value === String(this.pid)));
      const candidate = { values, constants, widths, pids, seen: 1, current: undefined };
      this.candidates.set(this.hash, candidate);
      return undefined;
    }
    const { current } = known;
    if (current !== undefined && this.fits(current, data, start, end)) return current;
    if (known.seen >= SEEN_OFTEN && this.full) return undefined;
    if (current !== undefined) this.tokens(data, start, end);
    const shape = this.learn(known, data, start, end);
    return shape !== undefined && this.fits(shape, data, start, end) ? shape : undefined;
  }

  /** The constants and variables of a message that was cut. */
  private pieces(
    data: Uint8Array,
    start: number,
    end: number,
  ): { constants: string[]; values: string[] } {
    const { starts, ends } = this.found;
    const constants: string[] = [];
    const values: string[] = [];
    let at = start;
    for (let i = 0; i < this.count; i++) {
      constants.push(latin(data, at, starts[i]!));
      values.push(latin(data, starts[i]!, ends[i]!));
      at = ends[i]!;
    }
    constants.push(latin(data, at, end));
    return { constants, values };
  }

  /** Records another similar message; returns its shape once it has one. */
  private learn(
    known: Candidate,
    data: Uint8Array,
    start: number,
    end: number,
  ): CutShape | undefined {
    const { constants, values } = this.pieces(data, start, end);
    // Others may have the same hash.
    if (constants.length !== known.constants.length) return undefined;
    if (constants.some((text, i) => text !== known.constants[i])) return undefined;
    const count = values.length;
    let wider = false;
    for (let i = 0; i < count; i++) {
      const value = values[i]!;
      const width = known.widths[i]!;
      if (known.pids[i] === 1 && value !== String(this.pid)) {
        known.pids[i] = 0;
        wider ||= width !== CONSTANT;
      }
      if (width === Width.text || (width === CONSTANT && value === known.values[i])) continue;
      const valueWidth = widthOf(value);
      const first =
        width === CONSTANT ? Math.max(valueWidth, widthOf(known.values[i]!)) : valueWidth;
      if (first <= width) continue;
      known.widths[i] = first;
      // The width of a process identifier does not matter.
      wider ||= width === CONSTANT || known.pids[i] === 0;
    }
    known.seen += 1;
    if (known.seen < SEEN_OFTEN) return undefined;
    if (known.current === undefined || wider) {
      if (this.full) return undefined;
      known.current = this.shapeOf(known);
    }
    return known.current;
  }

  /** Finds the tokens of a message that may be variables, and a hash of the rest; false if no shape is possible. */
  private tokens(data: Uint8Array, start: number, end: number): boolean {
    const { starts, ends } = this.found;
    let count = 0;
    let at = start;
    let hash = 0;
    while (at < end) {
      const byte = data[at]!;
      const kind = BYTE_CLASS[byte]!;
      if (kind === 0) {
        if (byte < 2) return false;
        hash = (Math.imul(hash, 31) + byte) | 0;
        at += 1;
        continue;
      }
      const first = at;
      const before = hash;
      while (at < end) {
        const letter = data[at]!;
        if (BYTE_CLASS[letter] !== LETTER) break;
        hash = (Math.imul(hash, 31) + letter) | 0;
        at += 1;
      }
      const letters = at - first;
      while (at < end) {
        if (BYTE_CLASS[data[at]!] === 0) break;
        at += 1;
      }
      if (at === first + letters) continue;
      if (count === MOST_VARIABLES) return false;
      if (letters >= LEAST_PREFIX && isNumber(data, first + letters, at)) {
        starts[count] = first + letters;
      } else {
        starts[count] = first;
        hash = before;
      }
      ends[count] = at;
      count += 1;
      hash = (Math.imul(hash, 31) + 1) | 0;
    }
    this.count = count;
    this.hash = hash;
    return true;
  }

  private get full(): boolean {
    return (
      this.shapes.length >= MOST_SHAPES ||
      this.shapeBytes >= MOST_SHAPE_BYTES ||
      this.unlikeVariables >= MOST_UNLIKE
    );
  }

  private shapeOf({ constants, values, widths, pids }: Candidate): CutShape {
    const texts: string[] = [constants[0]!];
    const open: VariableWidth[] = [];
    for (let i = 0; i < values.length; i++) {
      const width = widths[i]!;
      if (width === CONSTANT) texts[texts.length - 1] += values[i]! + constants[i + 1]!;
      else {
        open.push(pids[i] === 1 ? Width.pid : (width as VariableWidth));
        texts.push(constants[i + 1]!);
      }
    }
    const bytes = Buffer.from(texts.join(''), 'latin1');
    const ends = new Int32Array(texts.length);
    texts.reduce((sum, text, i) => (ends[i] = sum + text.length), 0);
    this.shapeBytes += bytes.length;
    const kind = open.join();
    if (!this.unlike.has(kind)) this.unlikeVariables += open.length + 1;
    this.unlike.add(kind);
    const number = this.shapes.length;
    this.shapes.push({
      constants: texts.map((text) => Buffer.from(text, 'latin1').toString('utf8')),
      widths: open,
    });
    const counts = new Uint8Array(5);
    for (const width of open) counts[width]! += 1;
    const copy = new Uint8Array(bytes);
    const words = new DataView(copy.buffer);
    return { number, bytes: copy, words, ends, widths: Uint8Array.from(open), counts };
  }
}

const MOST = [0xff, 0xffff, 0xffff_ffff] as const;

function isNumber(data: Uint8Array, start: number, end: number): boolean {
  if (start === end || end - start > 10) return false;
  if (data[start] === 48 && end - start > 1) return false;
  for (let at = start; at < end; at++) if (BYTE_CLASS[data[at]!] !== DIGIT) return false;
  return true;
}

function widthOf(value: string): VariableWidth {
  if (!/^(?:0|[1-9][0-9]{0,9})$/.test(value)) return Width.text;
  const number = Number(value);
  if (number <= MOST[0]) return Width.u8;
  if (number <= MOST[1]) return Width.u16;
  return number <= MOST[2] ? Width.u32 : Width.text;
}

function latin(data: Uint8Array, start: number, end: number): string {
  return Buffer.from(data.buffer, data.byteOffset + start, end - start).toString('latin1');
}

/** A hash of a message's beginning that ignores the values of digits. */
function beginning(data: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start, n = 0; at < end && n < BEGINNING; at++) {
    const byte = data[at]!;
    if (BYTE_CLASS[byte] === DIGIT) continue;
    hash = (Math.imul(hash, 31) + byte) | 0;
    n += 1;
  }
  return (hash ^ (hash >>> 10)) & (GUESSES - 1);
}
