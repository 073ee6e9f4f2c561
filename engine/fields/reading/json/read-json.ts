/**
 * Members of a JSON object in a message, by the path of their names: `{"a":{"b":1}}` has `a.b`. Elements of an
 * array have the path of the array.
 *
 * For a name that an object repeats with another value, see `offerOnce`. Of elements the first counts.
 *
 * A truncated message gives the members before its end; invalid JSON ends the reading, and it never throws.
 */
import { ESCAPES, type Escapes, offer, offerOnce } from '../../cutting/found.ts';
import { hashByte } from '../../../util/hash-table/hash.ts';
import type { Pairs } from '../../cutting/template.ts';

const MOST_DEPTH = 16;
const [QUOTE, COMMA, COLON, BACKSLASH, DOT] = [34, 44, 58, 92, 46];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [123, 125, 91, 93];

/** Names on the way to the member at hand, and hashes of the paths up to each. */
const starts = new Int32Array(MOST_DEPTH);
const ends = new Int32Array(MOST_DEPTH);
const hashes = new Int32Array(MOST_DEPTH + 1);
/** Which of the open brackets belong to arrays. */
const isList = new Uint8Array(MOST_DEPTH * 2);
/** Names in the path where each bracket was opened. */
const depths = new Uint8Array(MOST_DEPTH * 2);

export function readJson({ keys }: Pairs, b: Uint8Array, start: number, end: number): void {
  let brackets = 0;
  /** Number of open arrays. */
  let lists = 0;
  let depth = 0;
  let p = start;
  while (p < end && b[p]! <= 32) p += 1;
  // The opening brace may belong to the text before it.
  if (b[p] !== OPEN) {
    isList[0] = 0;
    depths[0] = 0;
    brackets = 1;
  }
  while (p < end) {
    const code = b[p]!;
    if (code <= 32 || code === COMMA) {
      p += 1;
      continue;
    }
    if (code === CLOSE || code === CLOSE_LIST) {
      if (brackets === 0) return;
      brackets -= 1;
      lists -= isList[brackets]!;
      depth = depths[brackets]!;
      // The member that it was is over.
      if (depth > 0 && brackets > 0 && isList[brackets - 1] === 0) depth -= 1;
      if (brackets === 0) return;
      p += 1;
      continue;
    }
    if (brackets > 0 && isList[brackets - 1] === 0) {
      // A name; its value follows.
      if (code !== QUOTE || depth === MOST_DEPTH) return;
      const name = p + 1;
      p = stringEnd(b, name, end);
      if (p >= end) return;
      let hash = depth === 0 ? 0 : hashByte(hashes[depth]!, DOT);
      for (let i = name; i < p; i++) hash = hashByte(hash, b[i]!);
      starts[depth] = name;
      ends[depth] = p;
      hashes[++depth] = hash;
      p += 1;
      while (p < end && b[p]! <= 32) p += 1;
      if (b[p] !== COLON) return;
      p += 1;
      while (p < end && b[p]! <= 32) p += 1;
      if (p >= end) return;
    }
    if (b[p] === OPEN || b[p] === OPEN_LIST) {
      if (brackets === depths.length) return;
      isList[brackets] = b[p] === OPEN_LIST ? 1 : 0;
      lists += isList[brackets]!;
      depths[brackets++] = depth;
      p += 1;
      continue;
    }
    let value = p;
    let valueEnd: number;
    let escapes: Escapes = ESCAPES.none;
    if (b[p] === QUOTE) {
      value = p + 1;
      p = stringEnd(b, value, end);
      if (p >= end) return;
      valueEnd = p++;
      escapes = escapesIn(b, value, valueEnd);
    } else {
      while (p < end && b[p]! > 32 && b[p] !== COMMA && b[p] !== CLOSE && b[p] !== CLOSE_LIST)
        p += 1;
      valueEnd = p;
    }
    // `null` is not a value.
    if (depth > 0 && (b[value] !== 110 || b[value - 1] === QUOTE)) {
      const i = keys.findPath(hashes[depth]!, b, starts, ends, depth);
      if (i >= 0 && lists > 0) offer(keys.values[i]!, b, value, valueEnd, i + 1, escapes);
      else if (i >= 0 && !offerOnce(keys.values[i]!, b, value, valueEnd, i + 1, escapes, false))
        return;
    }
    if (brackets > 0 && isList[brackets - 1] === 0) depth -= 1;
  }
}

function escapesIn(b: Uint8Array, start: number, end: number): Escapes {
  for (let i = start; i < end; i++) if (b[i] === BACKSLASH) return ESCAPES.json;
  return ESCAPES.none;
}

/** The closing quote of a string, or the end. */
function stringEnd(b: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && b[p] !== QUOTE) p += b[p] === BACKSLASH ? 2 : 1;
  return p;
}
