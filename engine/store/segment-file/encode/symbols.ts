/**
 * Compresses texts, each by itself, with symbols: up to 255 strings of one to eight bytes, found in some of the
 * texts, that a byte stands for. What no symbol begins is escaped. `../texts.ts` reads them.
 * Boncz, Neumann, Leis: FSST: Fast Random Access String Compression. PVLDB 13 (2020).
 */
import { textLength } from '../../batch-rows.ts';

const MOST_SYMBOLS = 255;
const LONGEST = 8;
/** The byte behind it stands for itself. */
const ESCAPE = 255;
const VERSION = 20_190_218;
/** Before the symbols' own bytes: the version, whether there are none that end texts, how many of each length. */
const HEAD = 17;
const LENGTHS = 9;
/** Bytes of texts that symbols are found in, and how often these are gone through. */
const SAMPLE = 1 << 13;
const ROUNDS = 5;
/** How much worse symbols may do on other texts before new ones are looked for. */
const MOST_WORSE = 1.05;
/** Single bytes are counted for more: what has no symbol takes two bytes. */
const BYTE_GAIN = 8;
/** A string that was seen less often gains nothing. */
const LEAST_SEEN = 3;
const HASH_BITS = 11;
const NONE = -1;

/** A string of bytes, a character each, and how many bytes it saves. */
interface Candidate {
  readonly text: string;
  readonly gain: number;
}

export class SymbolTable {
  /** As a piece has them. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** How many bytes a byte of what they were found in takes. */
  readonly share: number;
  private readonly texts: readonly string[];
  /** Bytes 0 to 3 and 4 to 7 of each symbol, and its length. */
  private readonly low = new Int32Array(MOST_SYMBOLS);
  private readonly high = new Int32Array(MOST_SYMBOLS);
  private readonly lengths = new Uint8Array(MOST_SYMBOLS);
  /** Numbers of symbols: of one byte and of two by these, of more by a hash of the first three. */
  private readonly ones = new Int16Array(1 << 8).fill(NONE);
  private readonly twos = new Int16Array(1 << 16).fill(NONE);
  private readonly more = new Int16Array(1 << HASH_BITS).fill(NONE);

  /** @param best candidates, the best first: of one hash only the first is a symbol */
  private constructor(best: readonly string[], sample: Uint8Array) {
    const hashes = new Set<number>();
    const taken = best.filter((text) => {
      if (text.length < 3) return true;
      const hash = hashOf(wordOf(text, 0));
      if (hashes.has(hash)) return false;
      hashes.add(hash);
      return true;
    });
    this.texts = taken.slice(0, MOST_SYMBOLS).sort((a, b) => rankOf(a) - rankOf(b));
    this.count = this.texts.length;
    this.texts.forEach((text, code) => {
      const word = wordOf(text, 0);
      this.low[code] = word;
      this.high[code] = wordOf(text, 4);
      this.lengths[code] = text.length;
      if (text.length === 1) this.ones[word] = code;
      else if (text.length === 2) this.twos[word] = code;
      else this.more[hashOf(word)] = code;
    });
    this.bytes = exported(this.texts);
    this.share = this.shareOf(sample);
  }

  /**
   * Symbols for texts: those that are known if they do nearly as well as before, or new ones.
   * @param texts one after the other, each a 32-bit little-endian length and its bytes
   */
  static for(texts: Uint8Array, known: SymbolTable | undefined): SymbolTable {
    const sample = sampleOf(texts);
    if (known !== undefined && known.shareOf(sample) <= known.share * MOST_WORSE) return known;
    let table = new SymbolTable([], sample);
    for (let round = 0; round < ROUNDS; round++) {
      const next = new SymbolTable(table.better(sample), sample);
      if (next.share > table.share) break;
      table = next;
    }
    return table;
  }

  /** The number of the symbol that `left` bytes of `data` begin with; what is negative stands for the byte itself. */
  private codeAt(data: Uint8Array, at: number, left: number): number {
    const first = data[at]!;
    if (left > 1) {
      const two = first | (data[at + 1]! << 8);
      if (left > 2) {
        const word = two | (data[at + 2]! << 16) | (left > 3 ? data[at + 3]! << 24 : 0);
        const code = this.more[hashOf(word)]!;
        if (code !== NONE) {
          const length = this.lengths[code]!;
          const isLow = ((word ^ this.low[code]!) & (length === 3 ? 0xff_ffff : -1)) === 0;
          if (isLow && length <= left && (length <= 4 || this.isHigh(code, data, at, length)))
            return code;
        }
      }
      const code = this.twos[two]!;
      if (code !== NONE) return code;
    }
    const code = this.ones[first]!;
    return code === NONE ? ~first : code;
  }

  private isHigh(code: number, data: Uint8Array, at: number, length: number): boolean {
    let rest = this.high[code]!;
    for (let i = 4; i < length; i++, rest >>>= 8) if (data[at + i] !== (rest & 0xff)) return false;
    return true;
  }

  /** Writes a text to a place of `out`, which has room for twice its bytes; gives how many it takes. */
  compress(data: Uint8Array, start: number, length: number, out: Uint8Array, to: number): number {
    const end = start + length;
    let put = to;
    for (let at = start; at < end;) {
      const code = this.codeAt(data, at, end - at);
      if (code < 0) {
        out[put++] = ESCAPE;
        out[put++] = ~code;
        at += 1;
      } else {
        out[put++] = code;
        at += this.lengths[code]!;
      }
    }
    return put - to;
  }

  /** How many bytes a byte of texts takes. */
  private shareOf(texts: Uint8Array): number {
    let all = 0;
    let taken = 0;
    for (let at = 0; at < texts.length;) {
      const end = at + 4 + textLength(texts, at);
      all += end - at - 4;
      for (at += 4; at < end;) {
        const code = this.codeAt(texts, at, end - at);
        taken += code < 0 ? 2 : 1;
        at += code < 0 ? 1 : this.lengths[code]!;
      }
    }
    return all === 0 ? 1 : taken / all;
  }

  /** Symbols, and two that follow each other as one, the best first. */
  private better(sample: Uint8Array): string[] {
    /** By number, as `codeAt` gives it, plus 256; and of pairs. */
    const seen = new Uint32Array(1 << 9);
    const pairs = new Map<number, number>();
    for (let at = 0; at < sample.length;) {
      const end = at + 4 + textLength(sample, at);
      let before = NONE;
      for (at += 4; at < end;) {
        const code = this.codeAt(sample, at, end - at);
        const own = code + 256;
        seen[own]! += 1;
        if (before !== NONE) {
          const pair = (before << 9) | own;
          pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
        }
        before = own;
        at += code < 0 ? 1 : this.lengths[code]!;
      }
    }
    const textOf = (own: number): string =>
      own < 256 ? String.fromCharCode(~(own - 256)) : this.texts[own - 256]!;
    const gains = new Map<string, number>();
    const add = (text: string, gain: number): void => {
      gains.set(text, (gains.get(text) ?? 0) + gain);
    };
    seen.forEach((times, own) => {
      if (times === 0) return;
      const text = textOf(own);
      add(text, times * (text.length === 1 ? BYTE_GAIN : text.length));
    });
    for (const [pair, times] of pairs) {
      if (times < LEAST_SEEN) continue;
      const text = (textOf(pair >>> 9) + textOf(pair & 0x1ff)).slice(0, LONGEST);
      add(text, times * text.length);
    }
    return Array.from(gains, ([text, gain]): Candidate => ({ text, gain }))
      .sort((a, b) => b.gain - a.gain || (a.text < b.text ? -1 : 1))
      .map(({ text }) => text);
  }
}

/** Texts from all over, as long as they are short. */
function sampleOf(texts: Uint8Array): Uint8Array {
  if (texts.length <= SAMPLE) return texts;
  const out = new Uint8Array(SAMPLE);
  const step = texts.length / SAMPLE;
  let size = 0;
  let next = 0;
  for (let at = 0; at < texts.length;) {
    const end = at + 4 + textLength(texts, at);
    if (at >= next && size + end - at <= SAMPLE) {
      out.set(texts.subarray(at, end), size);
      size += end - at;
      next = at + (end - at) * step;
    }
    at = end;
  }
  return out.subarray(0, size);
}

/** Those of two bytes are numbered first, then longer ones, those of one last. */
function rankOf({ length }: string): number {
  return length === 1 ? LONGEST + 1 : length;
}

function wordOf(text: string, from: number): number {
  let word = 0;
  for (let i = Math.min(text.length, from + 4) - 1; i >= from; i--)
    word = (word << 8) | text.charCodeAt(i);
  return word;
}

/** Of three bytes. */
function hashOf(word: number): number {
  return Math.imul(word & 0xff_ffff, 0x9e37_79b1) >>> (32 - HASH_BITS);
}

function exported(texts: readonly string[]): Uint8Array {
  const out = Buffer.alloc(HEAD + texts.reduce((sum, { length }) => sum + length, 0));
  // The lowest byte says that the lowest comes first.
  out.writeUInt32LE(((texts.length << 8) | 1) >>> 0, 0);
  out.writeUInt32LE(VERSION, 4);
  let at = HEAD;
  for (const text of texts) {
    out[LENGTHS + text.length - 1]! += 1;
    at += out.write(text, at, 'latin1');
  }
  return out;
}
