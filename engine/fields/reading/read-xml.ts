/**
 * XML elements in a message: `<Computer>a</Computer>` has the key `Computer`, `<Data Name="User">b</Data>` the key
 * `User`, and an attribute, `<Provider Name="c"/>`, that of its element and name, `Provider.Name`.
 *
 * Nesting is ignored: of several elements with one name the first with a text counts, or with `isOnce` none unless
 * they have the same text (`offerOnce`). It never throws.
 */
import { ESCAPES, offer, offerOnce } from '../cutting/found.ts';
import { hashByte } from '../../util/hash-table/hash.ts';
import type { Pairs } from '../cutting/template.ts';

const [OPEN, CLOSE, SLASH, SPACE, ASSIGN, QUOTE, APOSTROPHE, COLON, AMPERSAND, DOT] = [
  60, 62, 47, 32, 61, 34, 39, 58, 38, 46,
];
const NAME = new TextEncoder().encode('Name');
const MOST_KEY = 256;
/** The key of an attribute, which is in two parts. */
const key = new Uint8Array(MOST_KEY);

export function readXml(pairs: Pairs, b: Uint8Array, start: number, end: number): void {
  let p = start;
  while (p < end) {
    while (p < end && b[p] !== OPEN) p += 1;
    if (++p >= end) return;
    // The namespace prefix is not part of the name.
    let name = p;
    let nameEnd = p;
    for (; nameEnd < end && !isDelimiter(b[nameEnd]!); nameEnd++)
      if (b[nameEnd] === COLON) name = nameEnd + 1;
    p = nameEnd;
    let valueStart = -1;
    let ownEnd = -1;
    while (p < end && b[p] !== CLOSE) {
      if (b[p] !== ASSIGN) {
        p += 1;
        continue;
      }
      let attribute = p;
      while (attribute > nameEnd && b[attribute - 1]! > SPACE) attribute -= 1;
      if (p + 1 >= end) return;
      const quote = b[p + 1]!;
      if (quote !== QUOTE && quote !== APOSTROPHE) return;
      const value = p + 2;
      let valueEnd = value;
      while (valueEnd < end && b[valueEnd] !== quote) valueEnd += 1;
      if (isName(b, attribute, p)) {
        valueStart = value;
        ownEnd = valueEnd;
      }
      if (!keep(pairs, b, joined(b, name, nameEnd, attribute, p), value, valueEnd)) return;
      p = valueEnd + 1;
    }
    if (b[p - 1] === SLASH) continue;
    const text = p + 1;
    p = text;
    while (p < end && b[p] !== OPEN) p += 1;
    if (p + 1 >= end || b[p + 1] !== SLASH || p === text) continue;
    const size = valueStart >= 0 ? copied(b, valueStart, ownEnd) : copied(b, name, nameEnd);
    if (!keep(pairs, b, size, text, p)) return;
  }
}

/** @returns false if no key is believed any more */
function keep(
  { keys, isOnce }: Pairs,
  b: Uint8Array,
  size: number,
  from: number,
  to: number,
): boolean {
  let start = from;
  let end = to;
  while (start < end && b[start]! <= SPACE) start += 1;
  while (end > start && b[end - 1]! <= SPACE) end -= 1;
  let hash = 0;
  for (let i = 0; i < size; i++) hash = hashByte(hash, key[i]!);
  const i = size === 0 ? -1 : keys.find(hash, key, 0, size);
  if (i < 0) return true;
  let escapes: 0 | 4 = ESCAPES.none;
  for (let p = start; p < end; p++) if (b[p] === AMPERSAND) escapes = ESCAPES.xml;
  if (isOnce) return offerOnce(keys.values[i]!, b, start, end, i + 1, escapes, false);
  offer(keys.values[i]!, b, start, end, i + 1, escapes);
  return true;
}

/** Copies a key; returns its size, 0 if it is too long. */
function copied(b: Uint8Array, start: number, end: number): number {
  if (end - start > MOST_KEY) return 0;
  for (let p = start; p < end; p++) key[p - start] = b[p]!;
  return end - start;
}

function joined(
  b: Uint8Array,
  start: number,
  end: number,
  attribute: number,
  attributeEnd: number,
): number {
  let n = end - start + 1;
  if (n + attributeEnd - attribute > MOST_KEY) return 0;
  copied(b, start, end);
  key[n - 1] = DOT;
  for (let p = attribute; p < attributeEnd; p++) key[n++] = b[p]!;
  return n;
}

function isName(b: Uint8Array, start: number, end: number): boolean {
  if (end - start !== NAME.length) return false;
  for (let i = 0; i < NAME.length; i++) if (b[start + i] !== NAME[i]) return false;
  return true;
}

function isDelimiter(code: number): boolean {
  return code <= SPACE || code === CLOSE || code === SLASH;
}
