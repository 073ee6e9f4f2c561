/**
 * Reads what devices write after their header: pairs of keys and values, columns, and the extensions of CEF and
 * LEEF.
 *
 * All functions read bytes once from the left, and none throws. A value that does not have its field's type is
 * missing. CEF: https://www.microfocus.com/documentation/arcsight/arcsight-smartconnectors/ (Common Event Format);
 * LEEF: https://www.ibm.com/docs/en/dsm?topic=leef-overview
 */
import {
  ESCAPES,
  type Escapes,
  forgetAccounts,
  forgetKeys,
  isAddress,
  offer,
  offerOnce,
} from '../cutting/found.ts';
import { hashByte } from '../../util/hash-table/hash.ts';
import type { Pairs, Slot } from '../cutting/template.ts';
import { isText } from '../cutting/values.ts';

/** Separates the kernel's and auditd's parts of a record. */
const GROUP = 29;
const [TAB, SPACE, QUOTE, APOSTROPHE, BAR, ASSIGN, BACKSLASH] = [9, 32, 34, 39, 124, 61, 92];
const COLON = 58;

/**
 * `key=value key="value, in quotes"`, with the given separator and assignment character. For repeated keys see
 * `offerOnce`: if devices do not escape quotes, a value that others choose may end early and go on with pairs.
 */
export function readPairs(pairs: Pairs, b: Uint8Array, start: number, end: number): void {
  const { keys, separator, assign, stop, isOnce } = pairs;
  if (assign === separator) {
    readAlternating(pairs, b, start, end);
    return;
  }
  let p = start;
  while (p < end) {
    while (p < end && (b[p] === separator || b[p] === SPACE || b[p] === GROUP)) p += 1;
    if (p >= end || b[p] === stop) break;
    const key = p;
    let hash = 0;
    while (p < end && b[p] !== assign && b[p] !== separator) hash = hashByte(hash, b[p++]!);
    if (p >= end || b[p] === separator) continue;
    const keyEnd = p;
    // Check Point writes `key::"value"` for some keys.
    while (p < end && b[p] === assign) p += 1;
    if (separator !== SPACE) while (p < end && b[p] === SPACE) p += 1;
    let value = p;
    let valueEnd: number;
    if (b[p] === QUOTE && p < end) {
      value = ++p;
      while (p < end && b[p] !== QUOTE) p += b[p] === BACKSLASH && !isOnce ? 2 : 1;
      if (p >= end) return;
      valueEnd = p++;
    } else {
      while (p < end && b[p] !== separator && b[p] !== GROUP) p += 1;
      valueEnd = p;
    }
    while (value < valueEnd && b[value] === SPACE) value += 1;
    while (valueEnd > value && b[valueEnd - 1] === SPACE) valueEnd -= 1;
    const i = keys.find(hash, b, key, keyEnd);
    if (i < 0) continue;
    const slot = keys.values[i]!;
    // Unquoted values are in hexadecimal there.
    const quote = slot.capture === 'audit' && b[value - 1] === QUOTE ? 1 : 0;
    const [from, to] = [value - quote, valueEnd + quote];
    if (!isOnce) offer(slot, b, from, to, i + 1);
    else {
      // All keys of an address have the same rank: any other address contradicts the first.
      const rank = isAddress(slot) ? 1 : i + 1;
      if (!offerOnce(slot, b, from, to, rank, ESCAPES.none, false)) return;
    }
  }
}

/**
 * `key,value,key,value`, with one character after keys and values, which neither contains. For repeated keys see
 * `offerOnce`.
 */
function readAlternating(
  { keys, separator }: Pairs,
  b: Uint8Array,
  start: number,
  end: number,
): void {
  for (let p = start; p < end; p++) {
    const key = p;
    let hash = 0;
    while (p < end && b[p] !== separator) hash = hashByte(hash, b[p++]!);
    const keyEnd = p;
    const value = ++p;
    while (p < end && b[p] !== separator) p += 1;
    const i = value > end ? -1 : keys.find(hash, b, key, keyEnd);
    if (i >= 0 && !offerOnce(keys.values[i]!, b, value, p, i + 1, ESCAPES.none, false)) return;
  }
}

/**
 * Pairs and nothing else, for lines whose values others may choose: an unquoted value must not contain another
 * pair, nor leave a quote or bracket open. Nothing is read after something that is not a pair, nor the value before
 * it, which may be longer; if keys contradict each other, all are dropped.
 */
export function readStrictPairs(pairs: Pairs, b: Uint8Array, from: number, end: number): void {
  readOnlyPairs(pairs, b, from, end);
  // `User` may also precede times and sizes, and labels occur in sentences: `User=0.05s Sys=0.00s`, `User: please
  // wait, Note: x`.
  if (pairs.isAlike) forgetAccounts(pairs.keys.values, b, pairs.assign === COLON);
}

function readOnlyPairs(pairs: Pairs, b: Uint8Array, from: number, end: number): void {
  const { keys, separator, assign, isAlike, isSpaced } = pairs;
  const start = kindOfPairs(pairs) === HEADED ? behindName(b, from, end) : from;
  // The pair before, which counts if another one or the end follows.
  let last = -1;
  let lastStart = 0;
  let lastEnd = 0;
  let isAnyOffered = false;
  for (let p = start; ;) {
    while (p < end && (b[p] === separator || isBlank(b[p]!))) p += 1;
    if (isSpaced && p > start && p < end && !isBlank(b[p - 1]!)) {
      forgetKeys();
      return;
    }
    const key = p;
    let hash = 0;
    if (isAlike) p = simplifyKey(b, p, end, assign === COLON);
    else while (p < end && isKeyByte(b[p]!)) hash = hashByte(hash, b[p++]!);
    if (key < end && (p === key || p === end || b[p] !== assign)) return;
    if (last >= 0) {
      isAnyOffered = true;
      const slot = keys.values[last]!;
      if (!offerOnce(slot, b, lastStart, lastEnd, last + 1, ESCAPES.none, true)) return;
    }
    if (key === end) return;
    last = isAlike
      ? keys.find(simple.hash, simple.bytes, 0, simple.size)
      : keys.find(hash, b, key, p);
    p += 1;
    if (separator !== SPACE) while (p < end && b[p] === SPACE) p += 1;
    if (p < end && b[p] === QUOTE) {
      lastStart = ++p;
      while (p < end && b[p] !== QUOTE) p += b[p] === BACKSLASH ? 2 : 1;
      if (p >= end) return;
      lastEnd = p++;
      if (p < end && b[p] !== separator && !isBlank(b[p]!)) return;
    } else {
      lastStart = p;
      p = plainValueEnd(b, p, end, separator, assign);
      if (p < 0) {
        // If spaces separate pairs, values may still contain the separator.
        if (separator !== SPACE && isAnyOffered) forgetKeys();
        return;
      }
      lastEnd = p;
      while (lastEnd > lastStart && isBlank(b[lastEnd - 1]!)) lastEnd -= 1;
      if (separator === SPACE && isListMark(b[lastEnd - 1]!)) {
        // Not blanks alone separate these pairs.
        forgetKeys();
        return;
      }
    }
  }
}

/** Ways in which the first key of strict pairs may begin. */
export const KINDS_OF_PAIRS = 3;
const [BARE, HEADED, LABELLED] = [0, 1, 2] as const;
const MOST_LABEL = 40;

/** Leniently compared keys may follow a name, `gate7: src=…`; those with a colon may have several words. */
export function kindOfPairs({ isAlike, assign }: Pairs): number {
  if (!isAlike) return BARE;
  return assign === COLON ? LABELLED : HEADED;
}

/** The byte after the first key; 0: none. */
export function firstMark(kind: number, b: Uint8Array, from: number, end: number): number {
  let start = kind === HEADED ? behindName(b, from, end) : from;
  while (start < end && isBlank(b[start]!)) start += 1;
  if (kind === LABELLED) {
    const last = Math.min(end, start + MOST_LABEL);
    let after = start;
    while (after < last && (isKeyByte(b[after]!) || b[after] === SPACE)) after += 1;
    return after === start || after === last ? 0 : b[after]!;
  }
  let p = start;
  while (p < end && isKeyByte(b[p]!)) p += 1;
  return p === start || p >= end ? 0 : b[p]!;
}

/** Behind the name that a message begins with, `gate7: `, if it does. */
function behindName(b: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && isKeyByte(b[p]!)) p += 1;
  if (p === start || p + 1 >= end || b[p] !== COLON || b[p + 1] !== SPACE) return start;
  p += 2;
  while (p < end && b[p] === SPACE) p += 1;
  return p;
}

/** The key that was read last, in small letters and digits. */
const simple = { bytes: new Uint8Array(64), size: 0, hash: 0 };

/** Normalises a key into `simple`. @param isLabel it may have several words @returns its end */
function simplifyKey(b: Uint8Array, start: number, end: number, isLabel: boolean): number {
  simple.size = 0;
  simple.hash = 0;
  // Numbers are not labels: `10:15:22`.
  if (isLabel && b[start]! < 65) return start;
  let p = start;
  for (; p < end; p++) {
    const code = b[p]!;
    if (!isKeyByte(code)) {
      if (!isLabel || code !== SPACE || p === start || p + 1 === end || !isKeyByte(b[p + 1]!))
        break;
      continue;
    }
    // `-`, `.` and `_`.
    if (code === 45 || code === 46 || code === 95) continue;
    const small = code >= 65 && code <= 90 ? code + 32 : code;
    if (simple.size === simple.bytes.length) continue;
    simple.bytes[simple.size++] = small;
    simple.hash = hashByte(simple.hash, small);
  }
  return p;
}

/** The end of an unquoted value; -1: it contains something like another pair, or an unclosed quote or bracket. */
function plainValueEnd(
  b: Uint8Array,
  start: number,
  end: number,
  separator: number,
  assign: number,
): number {
  let open = 0;
  let quotes = 0;
  let word = -1;
  let p = start;
  for (; p < end; p++) {
    const code = b[p]!;
    if (code === separator) break;
    if (isBlank(code)) {
      if (separator === SPACE) break;
      word = p + 1;
    } else if (code === assign) {
      // `10:15:22` is not a pair.
      if (word >= 0 && word < p && (code !== COLON || p + 1 === end || isBlank(b[p + 1]!)))
        return -1;
      word = -1;
    } else if (!isKeyByte(code)) {
      word = -1;
      // A bit for each, toggled at each occurrence: 0 if both occurred an even number of times.
      if (code === QUOTE || code === APOSTROPHE) quotes ^= code;
      else if (isOpening(code)) open += 1;
      else if (isClosing(code)) open -= 1;
    }
  }
  return open === 0 && quotes === 0 ? p : -1;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** `,` or `;`. */
function isListMark(code: number): boolean {
  return code === 44 || code === 59;
}

/** `(`, `[` or `{`. */
function isOpening(code: number): boolean {
  return code === 40 || code === 91 || code === 123;
}

/** `)`, `]` or `}`. */
function isClosing(code: number): boolean {
  return code === 41 || code === 93 || code === 125;
}

const MOST_CUSTOM = 64;
/** Custom fields of CEF: hash of the key, and position of its value. */
const custom = new Int32Array(MOST_CUSTOM * 4);
const labelled = { hashes: new Int32Array(MOST_CUSTOM), slots: new Int32Array(MOST_CUSTOM) };
const LABEL = new TextEncoder().encode('Label');

/**
 * `key=value key=value with spaces`: a value ends where the next key begins. The label of a custom field
 * (`cs1Label=Rule Name cs1=web out`) is its key. Not all devices escape `=` in values: see `offerOnce`.
 */
export function readCef({ keys, labels }: Pairs, b: Uint8Array, start: number, end: number): void {
  let customs = 0;
  let named = 0;
  let key = start;
  while (key < end && b[key] === SPACE) key += 1;
  let p = key;
  let hash = 0;
  while (p < end && b[p] !== ASSIGN) hash = hashByte(hash, b[p++]!);
  while (p < end) {
    const keyEnd = p;
    const value = p + 1;
    let escapes: Escapes = ESCAPES.none;
    let next = end;
    let nextHash = 0;
    let token = -1;
    for (p = value; p < end; p++) {
      const code = b[p]!;
      if (code === BACKSLASH) {
        escapes = ESCAPES.backslash;
        token = -1;
        p += 1;
      } else if (code === SPACE || code === TAB) {
        token = p + 1;
        nextHash = 0;
      } else if (code === ASSIGN) {
        if (token >= 0 && token < p) {
          next = token;
          break;
        }
        token = -1;
      } else if (token >= 0) {
        if (isKeyByte(code)) nextHash = hashByte(nextHash, code);
        else token = -1;
      }
    }
    let valueEnd = next < end ? next - 1 : end;
    while (valueEnd > value && b[valueEnd - 1]! <= SPACE) valueEnd -= 1;
    // SonicWall puts texts in quotes.
    const isQuoted = valueEnd > value + 1 && b[value] === QUOTE && b[valueEnd - 1] === QUOTE;
    const first = isQuoted ? value + 1 : value;
    if (isQuoted) valueEnd -= 1;
    const i = keys.find(hash, b, key, keyEnd);
    if (i >= 0) {
      if (!offerOnce(keys.values[i]!, b, first, valueEnd, i + 1, escapes, false)) return;
    } else if (labels.length > 0 && keyEnd - key < 32) {
      const fieldEnd = keyEnd - LABEL.length;
      const slot =
        fieldEnd > key && isAt(b, fieldEnd, LABEL) ? labelOf(labels, b, first, valueEnd) : -1;
      if (slot >= 0 && named < MOST_CUSTOM) {
        labelled.hashes[named] = hashOf(b, key, fieldEnd);
        labelled.slots[named++] = slot;
      } else if (customs < MOST_CUSTOM) {
        const at = customs++ * 4;
        custom[at] = hash;
        custom[at + 1] = first;
        custom[at + 2] = valueEnd;
        custom[at + 3] = escapes;
      }
    }
    key = next;
    hash = nextHash;
    if (next >= end) break;
  }
  for (let n = 0; n < named; n++)
    for (let at = 0; at < customs * 4; at += 4) {
      if (custom[at] !== labelled.hashes[n]) continue;
      const slot = labels[labelled.slots[n]!]![1];
      const escapes = custom[at + 3] === 0 ? ESCAPES.none : ESCAPES.backslash;
      offer(slot, b, custom[at + 1]!, custom[at + 2]!, keys.values.length + n + 1, escapes);
    }
}

/** Letters, digits, and other characters in vendors' keys. */
function isKeyByte(code: number): boolean {
  const letter = code | 32;
  return (
    (letter >= 97 && letter <= 122) ||
    (code >= 48 && code <= 57) ||
    (code >= 45 && code <= 46) ||
    code === 95
  );
}

function isAt(b: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (b[at + i] !== text[i]) return false;
  return true;
}

function hashOf(b: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let p = start; p < end; p++) hash = hashByte(hash, b[p]!);
  return hash;
}

function labelOf(
  labels: readonly (readonly [Uint8Array, Slot])[],
  b: Uint8Array,
  start: number,
  end: number,
): number {
  for (let i = 0; i < labels.length; i++) if (isText(b, start, end, labels[i]![0])) return i;
  return -1;
}

/** rsyslog's escape for a tab. */
const ESCAPED_TAB = new TextEncoder().encode('#011');

/** Length of `separator`, or its escape, at `p`; 0 if it is not there. */
function separatorAt(
  b: Uint8Array,
  p: number,
  end: number,
  separator: number | typeof ESCAPED_TAB,
): number {
  if (typeof separator === 'number') return b[p] === separator ? 1 : 0;
  const to = p + separator.length;
  return b[p] === separator[0] && to <= end && isText(b, p, to, separator) ? separator.length : 0;
}

/** The form of tabs between `start` and `end`: if there is a real one, `#011` is text. */
function tabsIn(b: Uint8Array, start: number, end: number): number | typeof ESCAPED_TAB {
  const tab = b.indexOf(TAB, start);
  return tab >= 0 && tab < end ? TAB : ESCAPED_TAB;
}

/**
 * LEEF 1: pairs separated by tabs. LEEF 2 may name another delimiter first: `^|`, `x5E|`, `0x09|`. For repeated
 * keys see `offerOnce`.
 */
export function readLeef({ keys }: Pairs, b: Uint8Array, start: number, end: number): void {
  let p = start;
  let delimiter = TAB;
  let bar = start;
  while (bar < end && bar < start + 6 && b[bar] !== BAR && b[bar] !== ASSIGN) bar += 1;
  if (bar < end && b[bar] === BAR) {
    delimiter = delimiterOf(b, start, bar);
    p = bar + 1;
  }
  const separator = delimiter === TAB ? tabsIn(b, p, end) : delimiter;
  while (p < end) {
    while (p < end && b[p] === SPACE) p += 1;
    const key = p;
    let hash = 0;
    while (p < end && b[p] !== ASSIGN && separatorAt(b, p, end, separator) === 0)
      hash = hashByte(hash, b[p++]!);
    if (p < end && b[p] === ASSIGN) {
      const keyEnd = p++;
      const value = p;
      while (p < end && separatorAt(b, p, end, separator) === 0) p += 1;
      const i = keys.find(hash, b, key, keyEnd);
      if (i >= 0 && !offerOnce(keys.values[i]!, b, value, p, i + 1, ESCAPES.none, false)) return;
    }
    p += separatorAt(b, p, end, separator);
  }
}

function delimiterOf(b: Uint8Array, start: number, end: number): number {
  if (end - start === 1) return b[start]!;
  let from = start;
  if (b[from] === 48) from += 1;
  if ((b[from]! | 32) !== 120) return TAB;
  let value = 0;
  for (let p = from + 1; p < end; p++) {
    const code = b[p]! | 32;
    const digit = code >= 48 && code <= 57 ? code - 48 : code - 87;
    if (digit < 0 || digit > 15) return TAB;
    value = value * 16 + digit;
  }
  return value === 0 ? TAB : value;
}

/**
 * Removes quotes around columns, and blanks before them.
 * @returns false if a quote is not closed
 */
export function readColumns(
  columns: readonly (Slot | undefined)[],
  separator: number,
  b: Uint8Array,
  start: number,
  end: number,
): boolean {
  let p = start;
  for (let i = 0; i < columns.length && p <= end; i++) {
    const slot = columns[i];
    let value = p;
    let valueEnd: number;
    let escapes: Escapes = ESCAPES.none;
    const quote = quoteAt(b, p, end, separator);
    if (quote >= 0) {
      p = quote + 1;
      value = p;
      for (; p < end && (b[p] !== QUOTE || (p + 1 < end && b[p + 1] === QUOTE)); p++)
        if (b[p] === QUOTE) {
          escapes = ESCAPES.quotes;
          p += 1;
        }
      if (p >= end) return false;
      valueEnd = p++;
      if (p < end && b[p] !== separator) return false;
    } else {
      while (p < end && b[p] !== separator) p += 1;
      valueEnd = p;
    }
    if (slot !== undefined) offer(slot, b, value, valueEnd, i + 1, escapes);
    p += 1;
  }
  return true;
}

/** The quote that a column begins with, or -1. */
function quoteAt(b: Uint8Array, start: number, end: number, separator: number): number {
  let p = start;
  if (separator !== SPACE) while (p < end && b[p] === SPACE) p += 1;
  return p < end && b[p] === QUOTE ? p : -1;
}
