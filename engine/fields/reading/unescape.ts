/** Texts without the escapes of the format that a message is in. */
import { ESCAPES, type Escapes } from '../cutting/found.ts';
import { asText, readArguments, readHexadecimal } from './read-audit.ts';

const [QUOTE, BACKSLASH] = [34, 92];
const utf8 = new TextEncoder();

/** Characters whose escaping backslash is not part of the text: `\ " ' = | n r`. */
const ESCAPED: ReadonlySet<number> = new Set([BACKSLASH, QUOTE, 39, 61, 124, 110, 114]);

/** The result of `unescapeText`, until the next call. */
const text = { bytes: new Uint8Array(1024), size: 0 };

export function unescapeText(
  b: Uint8Array,
  start: number,
  end: number,
  escapes: Escapes,
): { readonly bytes: Uint8Array; readonly size: number } {
  if (text.bytes.length < end - start) text.bytes = new Uint8Array((end - start) * 2);
  const { bytes } = text;
  if (escapes === ESCAPES.xml) return unescapeXml(b, start, end);
  if (escapes === ESCAPES.hexadecimal || escapes === ESCAPES.arguments) {
    const read = escapes === ESCAPES.arguments ? readArguments : readHexadecimal;
    const found = asText(bytes, read(b, start, end, bytes));
    return { bytes: found, size: found.length };
  }
  let n = 0;
  for (let p = start; p < end; p++) {
    const code = b[p]!;
    if (escapes === ESCAPES.quotes) {
      bytes[n++] = code;
      if (code === QUOTE && b[p + 1] === QUOTE) p += 1;
    } else if (code !== BACKSLASH || p + 1 === end) bytes[n++] = code;
    else {
      p += 1;
      const next = b[p]!;
      if (escapes === ESCAPES.json && next === 117) {
        const unit = hexAt(b, p + 1, end);
        p += 4;
        let point = unit;
        // A pair of surrogates is one character.
        if (unit >= 0xd800 && unit < 0xdc00 && b[p + 1] === BACKSLASH && b[p + 2] === 117) {
          const low = hexAt(b, p + 3, end);
          if (low >= 0xdc00 && low < 0xe000) {
            point = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            p += 6;
          }
        }
        const isOne = point >= 0 && (point < 0xd800 || point > 0xdfff);
        const character = utf8.encode(String.fromCodePoint(isOne ? point : 0xfffd));
        for (const one of character) bytes[n++] = one;
      } else {
        // CEF defines its escapes, and products write paths unescaped: `\Device\x`.
        if (escapes === ESCAPES.backslash && !ESCAPED.has(next)) bytes[n++] = BACKSLASH;
        bytes[n++] = controlOf(next, escapes);
      }
    }
  }
  text.size = n;
  return text;
}

const ENTITIES = new Map(Object.entries({ lt: 60, gt: 62, amp: 38, quot: 34, apos: 39 }));
const MOST_ENTITY = 8;

/** XML entities; an unknown one stays unchanged. */
function unescapeXml(b: Uint8Array, start: number, end: number): typeof text {
  const { bytes } = text;
  let n = 0;
  for (let p = start; p < end; p++) {
    const code = b[p]!;
    let stop = p + 1;
    while (code === 38 && stop < end && stop < p + MOST_ENTITY && b[stop] !== 59) stop += 1;
    const point = code === 38 && b[stop] === 59 ? pointOf(b, p + 1, stop) : undefined;
    if (point === undefined) bytes[n++] = code;
    else {
      for (const one of utf8.encode(String.fromCodePoint(point))) bytes[n++] = one;
      p = stop;
    }
  }
  text.size = n;
  return text;
}

/** The character for an entity's name or number. */
function pointOf(b: Uint8Array, start: number, end: number): number | undefined {
  const name = String.fromCharCode(...b.subarray(start, end));
  if (!name.startsWith('#')) return ENTITIES.get(name);
  const point = /^#x/i.test(name) ? Number(`0x${name.slice(2)}`) : Number(name.slice(1));
  const isOne = point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
  return isOne ? point : undefined;
}

/** The meaning of a letter after a backslash. */
function controlOf(code: number, escapes: Escapes): number {
  if (code === 110) return 10;
  if (code === 114) return 13;
  if (escapes !== ESCAPES.json) return code;
  if (code === 116) return 9;
  if (code === 98) return 8;
  if (code === 102) return 12;
  return code;
}

/** The number of four hexadecimal digits, or -1. */
function hexAt(b: Uint8Array, at: number, end: number): number {
  if (at + 4 > end) return -1;
  let value = 0;
  for (let p = at; p < at + 4; p++) {
    const code = b[p]! | 32;
    const digit =
      b[p]! >= 48 && b[p]! <= 57 ? b[p]! - 48 : code >= 97 && code <= 102 ? code - 87 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}
