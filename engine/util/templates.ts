/**
 * The template of a text: the text with its variable tokens replaced by `<*>`. One rule, implemented as RE2 for
 * SQL, for strings and for bytes, with equal results.
 *
 * A token is variable if it has a digit or a non-ASCII character, or more than MOST_LETTERS letters: words are
 * shorter, and the text index does not distinguish longer ones.
 */
import { BYTE_CLASS, LETTER, MAX_TOKEN_BYTES, replaceTokens } from './tokens.ts';

export const VARIABLE = '<*>';
export const MOST_LETTERS = MAX_TOKEN_BYTES;

const RE2_LETTER = '[A-Za-z_]';
const RE2_OTHER = '[0-9\\x{80}-\\x{10ffff}]';
const RE2_ANY = '[0-9A-Za-z_\\x{80}-\\x{10ffff}]';
/** RE2 of a variable token. It is matched from the left, so that it begins where its token does. */
export const TEMPLATE_RE2 = `${RE2_LETTER}*(?:${RE2_OTHER}|${RE2_LETTER}{${MOST_LETTERS + 1}})${RE2_ANY}*`;

const VARIES = /[^A-Za-z_]/;

export function templateOf(text: string): string {
  return replaceTokens(text, (token) =>
    token.length > MOST_LETTERS || VARIES.test(token) ? VARIABLE : token,
  );
}

const VARIABLE_BYTES = new TextEncoder().encode(VARIABLE);

/** Templates of texts in UTF-8, one at a time. */
export class TemplateCutter {
  /** The last template. */
  bytes = new Uint8Array(4096);

  /** Writes the template of `data[start, end)`; returns its length. */
  cut(data: Uint8Array, start: number, end: number): number {
    // At worst every second byte is a token.
    const most = (end - start + 1) * VARIABLE_BYTES.length;
    if (most > this.bytes.length) this.bytes = new Uint8Array(most * 2);
    const { bytes: out } = this;
    let n = 0;
    let at = start;
    while (at < end) {
      let found = BYTE_CLASS[data[at]!]!;
      if (found === 0) {
        out[n++] = data[at++]!;
        continue;
      }
      const begin = at;
      const from = n;
      let kinds = 0;
      do {
        kinds |= found;
        out[n++] = data[at++]!;
        found = at < end ? BYTE_CLASS[data[at]!]! : 0;
      } while (found !== 0);
      if (kinds === LETTER && at - begin <= MOST_LETTERS) continue;
      n = from;
      for (let i = 0; i < VARIABLE_BYTES.length; i++) out[n++] = VARIABLE_BYTES[i]!;
    }
    return n;
  }
}
