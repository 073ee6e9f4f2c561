/** Patterns for searching payloads: text, a regular expression or bytes. */
import { DaybookError } from '../../contract/errors.ts';
import { CaptureMatcher } from '../../query/re2/captures.ts';
import { checkRe2 } from '../../query/re2/check.ts';
import { compilePattern } from '../../query/re2/matcher.ts';

/** Maximum length of a match of a regular expression: longer ones are cut here. */
export const LONGEST_MATCH = 4096;
const MAX_TEXT_BYTES = 1024;

export interface PayloadPattern {
  /** Bytes that a match has at most. */
  readonly reach: number;
  /** The first match that begins at or after `from`; `^` and `\b` still see the bytes before `from`. */
  find(bytes: Uint8Array, from: number): { start: number; end: number } | undefined;
}

/**
 * `hex:` and pairs of hexadecimal digits, `/RE/` or `/RE/i`, or a text, in which the case of A to Z is ignored, in
 * UTF-8 or in UTF-16, as Windows sends it.
 * @throws DaybookError usage
 */
export function parsePayloadPattern(text: string): PayloadPattern {
  if (text.startsWith('hex:')) return new Literal([bytesOf(text.slice(4))], false);
  const expression = /^\/(.+)\/(i?)$/s.exec(text);
  if (expression !== null) return new Expression(expression[1]!, expression[2] === 'i');
  if (text === '') throw new DaybookError('usage', 'there is no text to search for');
  const narrow = Buffer.from(text);
  if (narrow.length > MAX_TEXT_BYTES)
    throw new DaybookError(
      'usage',
      `the text to search for has ${narrow.length} bytes`,
      `search for at most ${MAX_TEXT_BYTES}`,
    );
  return new Literal([narrow, Buffer.from(text, 'utf16le')], true);
}

function bytesOf(digits: string): Buffer {
  const plain = digits.replace(/[\s:]/g, '');
  if (plain === '' || plain.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(plain))
    throw new DaybookError(
      'usage',
      `hex:${digits} is not a sequence of bytes`,
      'write two digits for each byte: hex:4d5a90',
    );
  return Buffer.from(plain, 'hex');
}

const CASES = Uint8Array.from({ length: 256 }, (_, c) => (c >= 65 && c <= 90 ? c + 32 : c));
const BYTES = Uint8Array.from({ length: 256 }, (_, c) => c);

/** The first of several sequences of bytes, with or without the case of letters. */
class Literal implements PayloadPattern {
  readonly reach: number;
  private readonly needles: readonly Needle[];

  constructor(texts: readonly Uint8Array[], ignoresCase: boolean) {
    const fold = ignoresCase ? CASES : BYTES;
    this.needles = texts.map((text) => new Needle(text, fold));
    this.reach = Math.max(...texts.map(({ length }) => length));
  }

  find(bytes: Uint8Array, from: number): { start: number; end: number } | undefined {
    let found: { start: number; end: number } | undefined;
    for (const needle of this.needles) {
      const end = found === undefined ? bytes.length : found.start + needle.length - 1;
      const start = needle.in(bytes, from, Math.min(end, bytes.length));
      if (start >= 0) found = { start, end: start + needle.length };
    }
    return found;
  }
}

/** Horspool's search: https://en.wikipedia.org/wiki/Boyer–Moore–Horspool_algorithm */
class Needle {
  private readonly text: Uint8Array;
  private readonly fold: Uint8Array;
  private readonly steps: Int32Array;

  constructor(text: Uint8Array, fold: Uint8Array) {
    this.text = text.map((c) => fold[c]!);
    this.fold = fold;
    const { length } = text;
    this.steps = new Int32Array(256).fill(length);
    for (let i = 0; i < length - 1; i++) this.steps[this.text[i]!] = length - 1 - i;
  }

  get length(): number {
    return this.text.length;
  }

  /** Its start in `bytes[from, end)`, or -1. */
  in(bytes: Uint8Array, from: number, end: number): number {
    const { text, fold, steps } = this;
    const last = text.length - 1;
    for (let at = from; at + last < end; at += steps[fold[bytes[at + last]!]!]!) {
      let i = last;
      while (i >= 0 && fold[bytes[at + i]!] === text[i]) i -= 1;
      if (i < 0) return at;
    }
    return -1;
  }
}

class Expression implements PayloadPattern {
  readonly reach = LONGEST_MATCH;
  private readonly finder;
  private readonly matcher;

  constructor(pattern: string, ignoreCase: boolean) {
    const problem = checkRe2(pattern);
    if (problem !== undefined)
      throw new DaybookError(
        'usage',
        `the regular expression is invalid at character ${problem.position + 1}: ${problem.message}`,
        problem.hint ?? 'regular expressions have the syntax of RE2, as in queries',
      );
    this.finder = compilePattern(pattern, ignoreCase);
    this.matcher = new CaptureMatcher(pattern, ignoreCase);
  }

  find(bytes: Uint8Array, from: number): { start: number; end: number } | undefined {
    // Most payloads have no match, which the first pass finds out faster.
    if (!this.finder.test(bytes, Math.max(0, from - 1), bytes.length)) return undefined;
    const places = this.matcher.exec(bytes, from);
    return places && { start: places[0]!, end: places[1]! };
  }
}
