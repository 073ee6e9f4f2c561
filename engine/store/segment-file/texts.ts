/**
 * Texts in a dictionary of their piece, which may be compressed by FSST.
 * https://github.com/duckdb/duckdb, src/storage/compression/dict_fsst; https://github.com/cwida/fsst.
 *
 * Layout: a head, the texts one behind the other, FSST's symbols, the texts' lengths, and of each row the number of
 * its text; each begins at a multiple of eight. Text 0 stands for none.
 */
import { checkWidth, packedAt, packedBytes, readPacked } from './bit-packing.ts';
import type { Value } from './numbers.ts';
import { type Pages, Unreadable } from './pages.ts';
import type { Piece } from './segment-map.ts';

const HEAD = 16;
/** `unique`: the text of each row is that behind the one before, and compressed. */
const Mode = { plain: 0, compressed: 1, unique: 2 } as const;

/** Texts at `positions` (ascending) of a piece into `out` from `at` on. */
export function readTexts(
  pages: Pages,
  [count, encoding, block, offset]: Piece,
  positions: readonly number[],
  out: Value[],
  at: number,
): void {
  if (encoding !== 'DICT_FSST') throw new Unreadable(encoding);
  pages.open(block, offset);
  const size = pages.u32(0);
  const texts = pages.u32(4);
  const mode = pages.u8(8);
  const lengthWidth = pages.u8(9);
  const numberWidth = pages.u8(10);
  const symbolBytes = pages.u32(12);
  if (mode > Mode.unique) throw new Unreadable('mode');
  checkWidth(lengthWidth);
  checkWidth(numberWidth);
  const symbolsAt = aligned(HEAD + size);
  const lengthsAt = aligned(symbolsAt + symbolBytes);
  const numbersAt = aligned(lengthsAt + packedBytes(texts, lengthWidth));
  const symbols = mode === Mode.plain ? undefined : readSymbols(pages, symbolsAt, symbolBytes);
  const numbers = positions.map((position) => {
    if (position >= count) throw new Unreadable('position');
    return mode === Mode.unique
      ? position + 1
      : readPacked(pages, numbersAt, position, numberWidth);
  });
  const most = numbers.reduce((a, b) => Math.max(a, b), 0);
  if (most >= texts) throw new Unreadable('text');
  const ends = new Uint32Array(most + 1);
  if (lengthWidth > 0) pages.need(lengthsAt, lengthsAt + packedBytes(most + 1, lengthWidth));
  for (let i = 0, end = 0; i <= most; i++) {
    if (lengthWidth > 0) end += packedAt(pages.view, lengthsAt, i, lengthWidth);
    ends[i] = end;
  }
  const known = new Map<number, string>();
  numbers.forEach((number, i) => {
    let text = number === 0 ? null : known.get(number);
    if (text === undefined) {
      const [from, to] = [HEAD + ends[number - 1]!, HEAD + ends[number]!];
      if (to > HEAD + size) throw new Unreadable('text');
      pages.need(from, to);
      const bytes = pages.bytes.subarray(from, to);
      text = textOf(symbols === undefined ? bytes : decoded(bytes, symbols));
      known.set(number, text);
    }
    out[at + i] = text;
  });
}

function aligned(at: number): number {
  return Math.ceil(at / 8) * 8;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

const VERSION = 20_190_218;
const LENGTHS = 9;
const SYMBOLS = 17;
const MOST_SYMBOLS = 255;
/** The byte behind it stands for itself. */
const ESCAPE = 255;

/** What each code stands for: those of two bytes first, then longer ones, then those of one. */
function readSymbols(pages: Pages, start: number, length: number): readonly Uint8Array[] {
  pages.need(start, start + Math.max(length, SYMBOLS));
  if (pages.u32(start + 4) !== VERSION || (pages.u8(start + 8) & 1) !== 0)
    throw new Unreadable('symbols');
  const out: Uint8Array[] = [];
  let at = start + SYMBOLS;
  for (let bytes = 2; bytes <= 9; bytes++) {
    const size = bytes === 9 ? 1 : bytes;
    for (let left = pages.u8(start + LENGTHS + (size - 1)); left > 0; left--) {
      if (at + size > start + length) throw new Unreadable('symbols');
      out.push(pages.bytes.slice(at, at + size));
      at += size;
    }
  }
  if (out.length > MOST_SYMBOLS) throw new Unreadable('symbols');
  return out;
}

function decoded(bytes: Uint8Array, symbols: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(bytes.length * 8);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes[i]!;
    if (code === ESCAPE) {
      i += 1;
      if (i === bytes.length) throw new Unreadable('code');
      out[length++] = bytes[i]!;
      continue;
    }
    const symbol = symbols[code];
    if (symbol === undefined) throw new Unreadable('code');
    out.set(symbol, length);
    length += symbol.length;
  }
  return out.subarray(0, length);
}
