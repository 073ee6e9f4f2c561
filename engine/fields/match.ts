/**
 * Matches a template with a message. What it found is in `found`, until the next match.
 *
 * Invariant: a match is of the whole message. After one, every value lies within it and is of the type that its
 * template says; values of pairs and columns that are not are missing.
 */
import type { Capture, Slot, Template } from './template.ts';
import { addressEnd, digitsEnd, numberOf, protocolOf } from './values.ts';

const MOST_FIELDS = 64;
/** Places that one message may be tried at: a message made to take long is left uncut. */
const MOST_TRIES = 500;

/** Values by field number; where one is missing its start is -1. */
export const found = {
  starts: new Int32Array(MOST_FIELDS),
  ends: new Int32Array(MOST_FIELDS),
  captures: new Array<Capture>(MOST_FIELDS).fill('text'),
};
let tries = 0;

export function matches(template: Template, b: Uint8Array, start: number, end: number): boolean {
  found.starts.fill(-1, 0, template.fields.length);
  tries = 0;
  return from(template, 0, b, start, end);
}

function keep({ field, capture }: Slot, start: number, end: number): void {
  if (field < 0) return;
  found.starts[field] = start;
  found.ends[field] = end;
  found.captures[field] = capture;
}

/** Whether the parts from number `i` on are what lies from `p` on. */
function from(template: Template, i: number, b: Uint8Array, p: number, end: number): boolean {
  const { parts } = template;
  for (let at = p; ; i++) {
    const part = parts[i];
    if (part === undefined) return at === end;
    if ('literal' in part) {
      if (!isAt(b, at, end, part.literal)) return false;
      at += part.literal.length;
      continue;
    }
    let to = -1;
    switch (part.capture) {
      case 'ip':
        to = addressEnd(b, at, end);
        break;
      case 'port':
        to = digitsEnd(b, at, end);
        if (numberOf(b, at, to, 65_535) < 0) return false;
        break;
      case 'number':
        to = digitsEnd(b, at, end);
        if (numberOf(b, at, to, Number.MAX_SAFE_INTEGER) < 0) return false;
        break;
      case 'quoted':
        to = quoteEnd(b, at, end);
        break;
      case 'request':
        to = quoteEnd(b, at, end);
        if (to < 0) return false;
        keepRequest(part, b, at, to);
        at = to;
        continue;
      case 'rest':
        to = end;
        break;
      case 'pairs':
        return readPairs(template, b, at, end) && hasNeeds(template);
      case 'columns':
        return readColumns(template, b, at, end) && hasNeeds(template);
      default:
        return searched(template, i, part, b, at, end);
    }
    if (to < 0) return false;
    keep(part, at, to);
    at = to;
  }
}

/** A capture that ends where the next literal text is. */
function searched(
  template: Template,
  i: number,
  part: Slot,
  b: Uint8Array,
  at: number,
  end: number,
): boolean {
  const next = template.parts[i + 1];
  const isLong = part.capture === 'text';
  const isSole = part.capture === 'sole';
  const spaces = isLong || isSole || part.capture === 'brief';
  const least = spaces || part.capture === 'value' ? at : at + 1;
  let most = end;
  if (!spaces) for (most = at; most < end && !isSpace(b[most]!);) most += 1;
  if (next === undefined) {
    if (most < end || end < least || !isValid(part.capture, b, at, end)) return false;
    keep(part, at, end);
    return true;
  }
  // No other capture follows one that is searched for.
  if (!('literal' in next)) return false;
  const { literal } = next;
  const last = Math.min(most, end - literal.length);
  const step = isLong ? -1 : 1;
  for (let to = isLong ? last : least; to >= least && to <= last; to += step) {
    if (b[to] !== literal[0] || !isAt(b, to, end, literal)) continue;
    if (++tries > MOST_TRIES) return false;
    if (isSole && isWithin(b, to + 1, end, literal)) return false;
    if (!isValid(part.capture, b, at, to)) continue;
    if (!from(template, i + 1, b, to, end)) continue;
    keep(part, at, to);
    return true;
  }
  return false;
}

/** `GET /index.html HTTP/1.1`; what is no request line was asked for all the same, and is the URL whole. */
function keepRequest(slot: Slot, b: Uint8Array, start: number, end: number): void {
  let method = start;
  while (method < end && isMethodByte(b[method]!)) method += 1;
  let version = end;
  while (version > start && b[version - 1] !== 32) version -= 1;
  const isMethod = method > start && method < end && b[method] === 32;
  const url = { capture: 'text', field: slot.field } as const;
  if (isMethod && version > method + 2 && isAt(b, version, end, VERSION)) {
    keep(url, method + 1, version - 1);
  } else if (isMethod && version === method + 1 && isUpperCase(b, start, method)) {
    keep(url, version, end);
  } else {
    if (start < end) keep(url, start, end);
    return;
  }
  if (slot.method !== undefined) keep({ capture: 'text', field: slot.method }, start, method);
}

function isMethodByte(code: number): boolean {
  const letter = code | 32;
  return (letter >= 97 && letter <= 122) || code === 45 || code === 95;
}

function isUpperCase(b: Uint8Array, start: number, end: number): boolean {
  for (let p = start; p < end; p++) if ((b[p]! & 32) !== 0) return false;
  return true;
}

/** Where the quote is that ends what begins at `start`, or -1. */
function quoteEnd(b: Uint8Array, start: number, end: number): number {
  for (let p = start; p < end; p++) {
    if (b[p] === QUOTE) return p;
    if (b[p] === BACKSLASH) p += 1;
  }
  return -1;
}

function isWithin(b: Uint8Array, start: number, end: number, literal: Uint8Array): boolean {
  for (let p = start; p <= end - literal.length; p++)
    if (b[p] === literal[0] && isAt(b, p, end, literal)) return true;
  return false;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}

function isAt(b: Uint8Array, at: number, end: number, literal: Uint8Array): boolean {
  if (end - at < literal.length) return false;
  for (let i = 0; i < literal.length; i++) if (b[at + i] !== literal[i]) return false;
  return true;
}

/** Whether all of these bytes are a value of a type. */
function isValid(capture: Capture, b: Uint8Array, start: number, end: number): boolean {
  switch (capture) {
    case 'ip':
      return addressEnd(b, start, end) === end;
    case 'port':
      return numberOf(b, start, end, 65_535) >= 0;
    case 'number':
      return numberOf(b, start, end, Number.MAX_SAFE_INTEGER) >= 0;
    case 'proto':
      return protocolOf(b, start, end) >= 0;
    case 'host':
      return addressEnd(b, start, end) === end || isHostName(b, start, end);
    default:
      return true;
  }
}

/** Letters, digits, `.`, `-` and `_`, with a letter among them. */
function isHostName(b: Uint8Array, start: number, end: number): boolean {
  let letters = 0;
  for (let p = start; p < end; p++) {
    const code = b[p]! | 32;
    if (code >= 97 && code <= 122) letters += 1;
    else if (!(b[p]! >= 48 && b[p]! <= 57) && b[p] !== 46 && b[p] !== 45 && b[p] !== 95)
      return false;
  }
  return letters > 0 && end - start <= 255;
}

function hasNeeds({ needs, fields }: Template): boolean {
  for (const name of needs) if (found.starts[fields.indexOf(name)]! < 0) return false;
  return true;
}

const QUOTE = 34;
const VERSION = new TextEncoder().encode('HTTP/');
const BACKSLASH = 92;
const COLON = 58;

/** The first value of a key counts, as long as it is of its field's type. */
function readPairs({ pairs }: Template, b: Uint8Array, start: number, end: number): boolean {
  if (pairs === undefined) return false;
  const { keys, separator, assign, stop } = pairs;
  let p = start;
  while (p < end) {
    while (p < end && (b[p] === separator || b[p] === 32)) p += 1;
    if (p >= end || b[p] === stop) break;
    const key = p;
    while (p < end && b[p] !== assign && b[p] !== separator) p += 1;
    if (p >= end || b[p] === separator) continue;
    const keyEnd = p++;
    if (separator !== 32) while (p < end && b[p] === 32) p += 1;
    let value = p;
    let valueEnd: number;
    if (b[p] === QUOTE) {
      value = ++p;
      while (p < end && b[p] !== QUOTE) p += b[p] === BACKSLASH ? 2 : 1;
      if (p >= end) return true;
      valueEnd = p++;
    } else {
      while (p < end && b[p] !== separator) p += 1;
      valueEnd = p;
    }
    const slot = keys.get(asciiOf(b, key, keyEnd));
    if (slot !== undefined) offer(slot, b, value, valueEnd);
  }
  return true;
}

/** Columns in quotes have theirs taken off; one with quotes in it is left out. */
function readColumns(
  { columns, separator }: Template,
  b: Uint8Array,
  start: number,
  end: number,
): boolean {
  let p = start;
  for (let i = 0; i < columns.length && p <= end; i++) {
    const slot = columns[i];
    let value = p;
    let valueEnd: number;
    let isWhole = true;
    if (b[p] === QUOTE && p < end) {
      value = ++p;
      for (; p < end && (b[p] !== QUOTE || b[p + 1] === QUOTE); p++)
        if (b[p] === QUOTE) {
          isWhole = false;
          p += 1;
        }
      if (p >= end) return false;
      valueEnd = p++;
      if (p < end && b[p] !== separator) return false;
    } else {
      while (p < end && b[p] !== separator) p += 1;
      valueEnd = p;
    }
    if (slot !== undefined && isWhole) offer(slot, b, value, valueEnd);
    p += 1;
  }
  return true;
}

function offer(slot: Slot, b: Uint8Array, start: number, end: number): void {
  if (slot.field < 0 || found.starts[slot.field]! >= 0 || start >= end) return;
  if (slot.capture === 'endpoint') offerEndpoint(slot, b, start, end);
  else if (slot.capture === 'request') keepRequest(slot, b, start, end);
  else if (isValid(slot.capture, b, start, end)) keep(slot, start, end);
}

/** `192.0.2.1:22:eth0`, `192.0.2.1::eth0`, `192.0.2.1` or an IPv6 address alone: with a port it could be either. */
function offerEndpoint(slot: Slot, b: Uint8Array, start: number, end: number): void {
  if (addressEnd(b, start, end) === end) {
    keep(slot, start, end);
    return;
  }
  let to = start;
  while (to < end && b[to] !== COLON) to += 1;
  if (addressEnd(b, start, to) !== to) return;
  keep(slot, start, to);
  const port = to + 1;
  const portEnd = digitsEnd(b, port, end);
  const isPort = portEnd === end || b[portEnd] === COLON;
  if (slot.port === undefined || !isPort || numberOf(b, port, portEnd, 65_535) < 0) return;
  keep({ capture: 'port', field: slot.port }, port, portEnd);
}

/** Keys are few and short: each is a string that V8 knows already. */
function asciiOf(b: Uint8Array, start: number, end: number): string {
  let out = '';
  for (let p = start; p < end && p < start + 64; p++) out += String.fromCharCode(b[p]!);
  return out;
}
