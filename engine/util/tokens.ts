/**
 * The definition of a token, for everything that splits text: searches, indexes, stored messages, templates. A
 * maximal run of ASCII letters, digits, `_` and any non-ASCII characters; as a JavaScript pattern, as RE2 classes,
 * and by UTF-8 byte.
 */
const TOKEN = /[\w\u0080-\u{10ffff}]+/gu;

/** The tokens of a text, with their places. */
export function tokensIn(text: string): IterableIterator<RegExpExecArray> {
  return text.matchAll(TOKEN);
}

export function hasToken(text: string): boolean {
  return /[\w\u0080-\u{10ffff}]/u.test(text);
}

/** A text with each of its tokens replaced. */
export function replaceTokens(text: string, by: (token: string) => string): string {
  return text.replace(TOKEN, by);
}

/** RE2: one character of a token, and one between tokens. */
export const RE2_TOKEN_CHARACTER = '[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]';
export const RE2_DELIMITER = '[\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]';

export const DELIMITER = 0;
export const LETTER = 1;
export const DIGIT = 2;
const BEYOND_ASCII = 4;

/** DELIMITER, LETTER (`_` is one), DIGIT or BEYOND_ASCII of each byte. */
export const BYTE_CLASS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return BEYOND_ASCII;
  if (byte >= 0x30 && byte <= 0x39) return DIGIT;
  const lower = byte | 0x20;
  return byte === 0x5f || (lower >= 0x61 && lower <= 0x7a) ? LETTER : DELIMITER;
});

/** Number of bytes of a token that are kept. Of a longer one only the prefix is known. */
export const MAX_TOKEN_BYTES = 64;

/** Tokens of at most this many digits, without leading zeros, are numbers. */
export const NUMBER_DIGITS = 9;

/** Where an overlong token that starts at `start` is truncated: between characters. */
export function cutToken(bytes: Uint8Array, start: number): number {
  let end = start + MAX_TOKEN_BYTES;
  while (end > start + 1 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return end;
}
