/**
 * Records the runs of two and three bytes in each page of words: a word that is searched by its middle or its end
 * is searched only in pages that have its runs. There may be false positives, never false negatives.
 *
 * 2 KB of bits for each page: one for each pair of byte classes, with the end of a word as a class; one for each of
 * 4,096 hashes of three bytes; and one for each of 8,192 hashes of the last three and four bytes of a word, since
 * pages of identifiers contain nearly every run somewhere. A page with prefixes of longer words has every bit set,
 * because the rest of those is unknown.
 */
import type { SideFile } from '../../side-file.ts';
import { checked, withCheck } from './bytes.ts';
import type { Glob } from '../search/glob.ts';
import { GRAMS } from './layout.ts';
import { packed, unpacked } from './packed.ts';

const VERSION = 1;
const CLASS_BITS = 6;
const PAIRS = 1 << (2 * CLASS_BITS);
const TRIPLE_BITS = 12;
const TRIPLES = 1 << TRIPLE_BITS;
const LAST_BITS = 13;
const BITS = PAIRS + TRIPLES + (1 << LAST_BITS);
const PAGE_WORDS = BITS >>> 5;
const PAGE_BYTES = BITS >>> 3;
/** Not a byte: the end of a word. */
const END = 63;

/** A class for each letter, digit and `_`; about two and a half bytes beyond ASCII share one. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x61;
  if (byte >= 0x30 && byte <= 0x39) return 26 + byte - 0x30;
  return byte < 0x80 ? 36 : 37 + (byte % 26);
});

function pairBit(first: number, second: number): number {
  return (first << CLASS_BITS) | second;
}

function tripleBit(pair: number, third: number): number {
  return PAIRS + hashed((pair << CLASS_BITS) | third, TRIPLE_BITS);
}

/** For the last `count` bytes of a run, 3 or 4. */
function lastBit(run: Uint8Array, count: number): number {
  let classes = 0;
  for (let at = run.length - count; at < run.length; at++)
    classes = (classes << CLASS_BITS) | CLASSES[run[at]!]!;
  // No byte has that class, so three bytes never equal four.
  if (count === 3) classes |= END << (3 * CLASS_BITS);
  return PAIRS + TRIPLES + hashed(classes, LAST_BITS);
}

/** The upper `bits` of a hash (Fibonacci hashing). */
function hashed(value: number, bits: number): number {
  return Math.imul(value, 0x9e3779b1) >>> (32 - bits);
}

/** Notes the runs of pages of words, in their order. */
export class WordGramsWriter {
  private words = new Uint32Array(PAGE_WORDS * 16);
  private pages = 0;

  /** A word of the page at hand. @param known bytes at its beginning that it shares with the word before */
  add(word: Uint8Array, known: number): void {
    const { words } = this;
    const base = this.pages * PAGE_WORDS;
    let pair = -1;
    for (let at = Math.max(0, known - 2); at < word.length; at++) {
      const byteClass = CLASSES[word[at]!]!;
      const next = at + 1 < word.length ? CLASSES[word[at + 1]!]! : END;
      if (pair >= 0) {
        const triple = tripleBit(pair, next);
        words[base + (triple >>> 5)]! |= 1 << (triple & 31);
      }
      pair = pairBit(byteClass, next);
      words[base + (pair >>> 5)]! |= 1 << (pair & 31);
    }
    for (let count = 3; count <= Math.min(4, word.length); count++) {
      const bit = lastBit(word, count);
      words[base + (bit >>> 5)]! |= 1 << (bit & 31);
    }
  }

  /** Has the page at hand any runs. */
  addAll(): void {
    const base = this.pages * PAGE_WORDS;
    this.words.fill(0xffff_ffff, base, base + PAGE_WORDS);
  }

  endPage(): void {
    this.pages += 1;
    const end = (this.pages + 1) * PAGE_WORDS;
    if (end <= this.words.length) return;
    const bigger = new Uint32Array(this.words.length * 2);
    bigger.set(this.words);
    this.words = bigger;
  }

  /** The section; undefined if there are no pages. */
  bytes(): Uint8Array | undefined {
    if (this.pages === 0) return undefined;
    const grams = packed(new Uint8Array(this.words.buffer, 0, this.pages * PAGE_BYTES));
    const out = new Uint8Array(grams.length + 1);
    out[0] = VERSION;
    out.set(grams, 1);
    return withCheck(out);
  }
}

export class WordGrams {
  private readonly words: Uint32Array;

  private constructor(words: Uint32Array) {
    this.words = words;
  }

  /**
   * Undefined if the file has none.
   * @param pages number of pages of words @throws DaybookError case-damaged
   */
  static read(file: SideFile, pages: number): WordGrams | undefined {
    const bytes = file.read(GRAMS);
    if (bytes === undefined) return undefined;
    const content = checked(bytes, bytes.length);
    if (content[0] !== VERSION) return undefined;
    // In its own memory: zstd's result may be anywhere in a larger buffer.
    const grams = new Uint8Array(unpacked(content.subarray(1), pages * PAGE_BYTES));
    return new WordGrams(new Uint32Array(grams.buffer));
  }

  /** Approximate number of bytes held. */
  get size(): number {
    return this.words.byteLength;
  }

  /** Pages that may have a word that matches, ascending. */
  pagesWith({ runs, endsWithRun }: Glob): number[] {
    const { words } = this;
    const bits = runs.flatMap((run, i) => gramBits(run, endsWithRun && i + 1 === runs.length));
    const out: number[] = [];
    for (let base = 0; base < words.length; base += PAGE_WORDS) {
      if (bits.every((bit) => ((words[base + (bit >>> 5)]! >>> (bit & 31)) & 1) === 1))
        out.push(base / PAGE_WORDS);
    }
    return out;
  }
}

/** The bits of every page that has a word with such a run of bytes. @param last whether the word ends with it */
function gramBits(run: Uint8Array, last: boolean): number[] {
  const classes = Array.from(run, (byte) => CLASSES[byte]!);
  if (last) classes.push(END);
  const out: number[] = [];
  for (let at = 1; at < classes.length; at++) {
    const pair = pairBit(classes[at - 1]!, classes[at]!);
    out.push(pair);
    if (at + 1 < classes.length) out.push(tripleBit(pair, classes[at + 1]!));
  }
  for (let count = 3; last && count <= Math.min(4, run.length); count++)
    out.push(lastBit(run, count));
  return out;
}
