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

interface Layout {
  /** Bytes of the texts. */
  readonly size: number;
  readonly texts: number;
  readonly mode: number;
  readonly lengthWidth: number;
  readonly numberWidth: number;
  readonly symbolsAt: number;
  readonly symbolBytes: number;
  readonly lengthsAt: number;
  readonly numbersAt: number;
}

function layoutOf(pages: Pages): Layout {
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
  const at = { symbolsAt, symbolBytes, lengthsAt, numbersAt };
  return { size, texts, mode, lengthWidth, numberWidth, ...at };
}

/** Texts at `positions` (ascending) of a piece into `out` from `at` on. */
export function readTexts(
  pages: Pages,
  piece: Piece,
  positions: readonly number[],
  out: Value[],
  at: number,
): void {
  const [count, encoding] = piece;
  if (encoding !== 'DICT_FSST') throw new Unreadable(encoding);
  pages.open(piece);
  const { size, texts, mode, lengthWidth, numberWidth, ...places } = layoutOf(pages);
  const { symbolsAt, symbolBytes, lengthsAt, numbersAt } = places;
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

/** What codes stand for: bytes, where each begins and ends in them. */
interface Symbols {
  readonly bytes: Uint8Array;
  readonly starts: Uint16Array;
  readonly ends: Uint16Array;
  readonly count: number;
}

/** Those of two bytes come first, then longer ones, then those of one. */
function readSymbols(pages: Pages, start: number, length: number): Symbols {
  pages.need(start, start + Math.max(length, SYMBOLS));
  if (pages.u32(start + 4) !== VERSION || (pages.u8(start + 8) & 1) !== 0)
    throw new Unreadable('symbols');
  const bytes = pages.bytes.slice(start, start + length);
  const starts = new Uint16Array(MOST_SYMBOLS);
  const ends = new Uint16Array(MOST_SYMBOLS);
  let count = 0;
  let at = SYMBOLS;
  for (let step = 2; step <= 9; step++) {
    const size = step === 9 ? 1 : step;
    for (let left = bytes[LENGTHS + size - 1]!; left > 0; left--) {
      if (at + size > length || count === MOST_SYMBOLS) throw new Unreadable('symbols');
      starts[count] = at;
      ends[count++] = at += size;
    }
  }
  return { bytes, starts, ends, count };
}

function decoded(codes: Uint8Array, { bytes, starts, ends, count }: Symbols): Uint8Array {
  const out = new Uint8Array(codes.length * 8);
  let length = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code === ESCAPE) {
      i += 1;
      if (i === codes.length) throw new Unreadable('code');
      out[length++] = codes[i]!;
      continue;
    }
    if (code >= count) throw new Unreadable('code');
    for (let at = starts[code]!; at < ends[code]!; at++) out[length++] = bytes[at]!;
  }
  return out.subarray(0, length);
}
