/**
 * Texts as DuckDB stores them: those that are different once in each piece, and of each row which one it has. Where
 * most are different, each row's by itself, compressed. `../texts.ts` reads them.
 * https://github.com/duckdb/duckdb, src/storage/compression/dict_fsst.
 *
 * Holds always: text 0 stands for none, so a piece says itself which rows have no text.
 */
import { textLength } from '../../batch-rows.ts';
import {
  type EncodedPiece,
  GROUP,
  type TextStats,
  aligned,
  bitsOf,
  effectiveWidth,
  packedSize,
  pieceBytes,
  pieceView,
  putPacked,
  putPackedCodes,
} from './pieces.ts';
import type { SymbolTable } from './symbols.ts';

/** Different texts, and of each text that is there which of them it is: as `CodedTexts` has them, or more. */
export interface NumberedTexts {
  /** Of each different text a 32-bit little-endian length and its bytes. */
  readonly data: Uint8Array;
  /** Where each different text begins. */
  readonly starts: Uint32Array;
  readonly codes: Uint16Array | Uint32Array;
}

const HEAD = 16;
/** Of a piece: `unique`: the text of each row is that behind the one before, and compressed. */
const Mode = { plain: 0, unique: 2 } as const;
/** DuckDB gives what it unpacks so much room. */
const MOST_COMPRESSED = 4096;
/** Numbers are of 32 bits. */
const NUMBER_BYTES = 4;
const MOST_TEXTS = 1 << 16;
/** How much of the least and the greatest text is known. */
const BOUND_BYTES = 8;

/** The piece that is being made; its texts lie in `pieceBytes` already. */
class Piece {
  /** Text 0 is none. */
  count = 1;
  size = 0;
  longest = 0;
  /** As it is stored. */
  longestStored = 0;
  hasUnicode = false;
  least: Uint8Array = new Uint8Array(BOUND_BYTES).fill(0xff);
  greatest: Uint8Array = new Uint8Array(BOUND_BYTES);
  readonly lengths = new Uint32Array(MOST_TEXTS);
  maxBytes = 0;
  /** If each row's text is a text of its own. */
  symbols: SymbolTable | undefined;

  begin(maxBytes: number, symbols?: SymbolTable): void {
    this.symbols = symbols;
    this.count = 1;
    this.size = 0;
    this.longest = 0;
    this.longestStored = 0;
    this.hasUnicode = false;
    this.least = new Uint8Array(BOUND_BYTES).fill(0xff);
    this.greatest = new Uint8Array(BOUND_BYTES);
    this.maxBytes = maxBytes;
  }

  private bytesWith(rows: number, count: number, bytes: number): number {
    const own = this.bytesOfTexts(count, bytes);
    return this.symbols === undefined ? own + packedSize(rows, widthOf(count - 1)) : own;
  }

  private bytesOfTexts(count: number, bytes: number): number {
    const lengthWidth = widthOf(Math.max(this.longestStored, bytes));
    const symbolBytes = this.symbols?.bytes.length ?? 0;
    return (
      aligned(aligned(HEAD + this.size + bytes) + symbolBytes) +
      aligned(packedSize(count, lengthWidth))
    );
  }

  /** For how many rows there is room. */
  get room(): number {
    const { width } = this;
    if (width === 0) return Infinity;
    const left = this.maxBytes - this.bytesOfTexts(this.count, 0);
    // The room of numbers is taken for 32 rows at a time.
    return Math.floor((left * 8) / width) & -32;
  }

  /** Adds a text of `data`, if it fits beside so many rows. */
  add(data: Uint8Array, start: number, rows: number): boolean {
    const { count, size, symbols } = this;
    const length = textLength(data, start);
    const from = start + 4;
    const to = HEAD + size;
    if (count === MOST_TEXTS) return false;
    let stored = length;
    if (symbols !== undefined) {
      if (length > MOST_COMPRESSED) return false;
      stored = symbols.compress(data, from, length, pieceBytes, to);
    }
    if (this.bytesWith(rows, count + 1, stored) > this.maxBytes) return false;
    let bits = 0;
    if (symbols === undefined)
      for (let i = 0; i < length; i++) bits |= pieceBytes[to + i] = data[from + i]!;
    else for (let i = from; i < from + length; i++) bits |= data[i]!;
    if (bits > 127) this.hasUnicode = true;
    this.lengths[count] = stored;
    this.count = count + 1;
    this.size = size + stored;
    if (stored > this.longestStored) this.longestStored = stored;
    if (length > this.longest) this.longest = length;
    if (compare(data, from, length, this.least) < 0) this.least = boundOf(data, from, length);
    if (compare(data, from, length, this.greatest) > 0) this.greatest = boundOf(data, from, length);
    return true;
  }

  /** In how many bits the texts of rows are numbered. */
  get width(): number {
    return this.symbols === undefined ? widthOf(this.count - 1) : 0;
  }

  /** @param putNumbers writes those of the rows at a place of the piece, and gives the place behind */
  finish(rows: number, putNumbers: (at: number) => number): EncodedPiece {
    const { count, size, lengths, longest, longestStored, width, symbols } = this;
    const lengthWidth = widthOf(longestStored);
    const mode = symbols === undefined ? Mode.plain : Mode.unique;
    pieceView.setUint32(0, size, true);
    pieceView.setUint32(4, count, true);
    pieceView.setUint32(8, mode | (lengthWidth << 8) | (width << 16), true);
    pieceView.setUint32(12, symbols?.bytes.length ?? 0, true);
    let at = zeroTo(HEAD + size, aligned(HEAD + size));
    if (symbols !== undefined) {
      pieceBytes.set(symbols.bytes, at);
      at = zeroTo(at + symbols.bytes.length, aligned(at + symbols.bytes.length));
    }
    at = putPackedCodes(at, lengths, count, lengthWidth);
    at = zeroTo(at, aligned(at));
    at = putNumbers(at);
    const stats: TextStats = {
      ...{ kind: 'text', min: this.least, max: this.greatest },
      ...{ hasUnicode: this.hasUnicode, maxLength: longest },
    };
    return { encoding: 'DICT_FSST', rows, bytes: pieceBytes.slice(0, at), stats };
  }
}

function widthOf(most: number): number {
  return effectiveWidth(bitsOf(most), NUMBER_BYTES);
}

function zeroTo(from: number, to: number): number {
  pieceBytes.fill(0, from, to);
  return to;
}

/** The begin of a text against a bound, both filled up with zeros. */
function compare(data: Uint8Array, from: number, length: number, bound: Uint8Array): number {
  for (let i = 0; i < BOUND_BYTES; i++) {
    const more = (i < length ? data[from + i]! : 0) - bound[i]!;
    if (more !== 0) return more;
  }
  return 0;
}

function boundOf(data: Uint8Array, from: number, length: number): Uint8Array {
  const out = new Uint8Array(BOUND_BYTES);
  out.set(data.subarray(from, from + Math.min(length, BOUND_BYTES)));
  return out;
}

const piece = new Piece();
/** Numbers of the texts of a group of rows. */
const group = new Float64Array(GROUP);
/** As many different texts as are put into a piece before it is known whether all rows fit. */
const MOST_AT_ONCE = 4096;
/** Of each row of the piece the number of its text. */
let numbers = new Uint32Array(1 << 17);
/** By a text's number in all rows: that in a piece, and in which. */
let known = new Uint32Array(1 << 12);
let knownIn = new Uint32Array(1 << 12);
let pieces = 0;

/**
 * @param texts of the rows that have one
 * @param present 1 where there is one, 0 elsewhere; undefined: in all rows
 * @param maxBytes of a piece
 * @returns undefined where a text is longer than a piece
 */
export function encodeTexts(
  texts: NumberedTexts,
  present: Uint8Array | undefined,
  rows: number,
  maxBytes: number,
): EncodedPiece[] | undefined {
  const only = inOnePiece(texts, present, rows, maxBytes);
  if (only !== undefined) return [only];
  const different = texts.starts.length;
  if (known.length < different) {
    known = new Uint32Array(different * 2);
    knownIn = new Uint32Array(different * 2);
  }
  if (numbers.length < rows) numbers = new Uint32Array(rows);
  const out: EncodedPiece[] = [];
  const place = { row: 0, code: 0 };
  while (place.row < rows) {
    const first = place.row;
    piece.begin(maxBytes);
    pieces += 1;
    fill(texts, present, rows, place);
    if (place.row === first) return undefined;
    const own = place.row - first;
    out.push(piece.finish(own, (at) => putPackedCodes(at, numbers, own, piece.width)));
  }
  return out;
}

/**
 * Texts of which most are different, each by itself.
 * @param texts of all rows, one after the other, each a 32-bit little-endian length and its bytes
 * @param maxBytes of a piece
 * @returns undefined where a text is too long
 */
export function encodeEach(
  texts: Uint8Array,
  symbols: SymbolTable,
  maxBytes: number,
): EncodedPiece[] | undefined {
  const out: EncodedPiece[] = [];
  for (let at = 0; at < texts.length;) {
    piece.begin(maxBytes, symbols);
    at = fillEach(texts, at);
    if (piece.count === 1) return undefined;
    out.push(piece.finish(piece.count - 1, (end) => end));
  }
  return out;
}

/** Takes texts into the piece from a place on, as many as fit; gives the place behind them. */
function fillEach(texts: Uint8Array, start: number): number {
  let at = start;
  while (at < texts.length && piece.add(texts, at, 0)) at += 4 + textLength(texts, at);
  return at;
}

/** Texts, few of them different, are numbered in it as they are already, but for none, which is the first. */
function inOnePiece(
  { data, starts, codes }: NumberedTexts,
  present: Uint8Array | undefined,
  rows: number,
  maxBytes: number,
): EncodedPiece | undefined {
  if (starts.length > MOST_AT_ONCE) return undefined;
  piece.begin(maxBytes);
  for (const start of starts) if (!piece.add(data, start, rows)) return undefined;
  if (piece.room < rows) return undefined;
  return piece.finish(rows, (at) => putNumbers(at, codes, present, rows, piece.width));
}

/** The numbers of rows that have a text, 0 for others. */
function putNumbers(
  start: number,
  codes: NumberedTexts['codes'],
  present: Uint8Array | undefined,
  rows: number,
  width: number,
): number {
  if (present !== undefined && width <= MOST_AT_A_BIT && codes.length * MANY_ROWS < rows)
    return putFew(start, codes, present, rows, width);
  let at = start;
  let code = 0;
  for (let from = 0; from < rows; from += GROUP) {
    const count = Math.min(GROUP, rows - from);
    if (present === undefined) {
      group.set(codes.subarray(from, from + count));
      at = putPacked(at, group, 0, count, -1, width);
    } else {
      code = spread(codes, code, present, from, count, group);
      at = putPacked(at, group, 0, count, 0, width);
    }
  }
  return at;
}

/** Numbers of a group's rows; gives the place of the next code. */
function spread(
  codes: NumberedTexts['codes'],
  first: number,
  present: Uint8Array,
  from: number,
  count: number,
  out: Float64Array,
): number {
  let at = first;
  for (let i = 0; i < count; i++) out[i] = present[from + i] === 1 ? codes[at++]! + 1 : 0;
  return at;
}

/** Of so many rows for each that has a text, these are looked for and put in one by one. */
const MANY_ROWS = 32;
/** What begins in a byte lies in 32 bits from there on. */
const MOST_AT_A_BIT = 24;

function putFew(
  start: number,
  codes: NumberedTexts['codes'],
  present: Uint8Array,
  rows: number,
  width: number,
): number {
  const end = start + packedSize(rows, width);
  // A number may be read and written with bytes behind the last.
  pieceBytes.fill(0, start, end + 4);
  for (let code = 0, row = -1; code < codes.length; code++) {
    row = present.indexOf(1, row + 1);
    const bit = row * width;
    const at = start + (bit >>> 3);
    const own = (codes[code]! + 1) << (bit & 7);
    pieceView.setInt32(at, pieceView.getInt32(at, true) | own, true);
  }
  return end;
}

/** Takes rows into the piece from a place on, as many as fit, and moves the place behind them. */
function fill(
  { data, starts, codes }: NumberedTexts,
  present: Uint8Array | undefined,
  rows: number,
  place: { row: number; code: number },
): void {
  const { row: first } = place;
  let { code } = place;
  numbers.fill(0, 0, rows - first);
  let end = Math.min(rows, first + piece.room);
  for (let row = nextOf(present, first, end); row < end; row = nextOf(present, row + 1, end)) {
    const text = codes[code]!;
    if (knownIn[text] !== pieces) {
      const { count } = piece;
      if (!piece.add(data, starts[text]!, row - first + 1)) {
        end = row;
        break;
      }
      end = Math.min(rows, first + piece.room);
      known[text] = count;
      knownIn[text] = pieces;
    }
    numbers[row - first] = known[text]!;
    code += 1;
  }
  place.row = end;
  place.code = code;
}

/** The first row from one on that has a text; `end` where there is none. */
function nextOf(present: Uint8Array | undefined, from: number, end: number): number {
  if (present === undefined) return from;
  let row = from;
  while (row < end && present[row] === 0) row++;
  return row;
}

/** Numbers plus 1, by hash; twice as many at least as there are texts. */
let slots = new Uint32Array(1 << 12);

/**
 * Finds the texts that are different, however many they are.
 * @param texts one after the other, each a 32-bit little-endian length and its bytes
 * @param count of them
 */
export function numberTexts(texts: Uint8Array, count: number): NumberedTexts {
  const bits = Math.max(12, 33 - Math.clz32(count));
  if (slots.length < 1 << bits) slots = new Uint32Array(1 << bits);
  else slots.fill(0, 0, 1 << bits);
  const starts = new Uint32Array(count);
  const codes = new Uint32Array(count);
  const different = findTexts(texts, slots, bits, starts, codes);
  return { data: texts, starts: starts.subarray(0, different), codes };
}

function findTexts(
  texts: Uint8Array,
  table: Uint32Array,
  bits: number,
  starts: Uint32Array,
  codes: Uint32Array,
): number {
  const mask = (1 << bits) - 1;
  let different = 0;
  let at = 0;
  for (let i = 0; i < codes.length; i++) {
    const length = textLength(texts, at);
    const end = at + 4 + length;
    let hash = length;
    for (let k = at + 4; k < end; k++) hash = Math.imul(hash ^ texts[k]!, 0x0100_0193);
    let slot = Math.imul(hash ^ (hash >>> 15), 0x9e37_79b1) >>> (32 - bits);
    let code = table[slot]! - 1;
    while (code >= 0 && !areAlike(texts, starts[code]!, at, end)) {
      slot = (slot + 1) & mask;
      code = table[slot]! - 1;
    }
    if (code < 0) {
      code = different++;
      table[slot] = different;
      starts[code] = at;
    }
    codes[i] = code;
    at = end;
  }
  return different;
}

/** Whether what lies from `at` to `end`, length and all, lies at `begin`, too. */
function areAlike(texts: Uint8Array, begin: number, at: number, end: number): boolean {
  for (let k = at, from = begin; k < end; k++) if (texts[k] !== texts[from++]) return false;
  return true;
}
