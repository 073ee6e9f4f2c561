/**
 * The results of a match: positions of values in the message by field number, until the next match.
 *
 * Invariant: a stored value has the type that its template states.
 */
import { auditValueEnd, isHexadecimal } from '../reading/read-audit.ts';
import { type Capture, OPERATION, type Slot } from './template.ts';
import {
  ADDRESS,
  addressEnd,
  digitsEnd,
  isDigit,
  isFour,
  isText,
  numberOf,
  protocolOf,
} from './values.ts';

const latin1 = new TextDecoder('latin1');
const MOST_FIELDS = 64;
const MISSING = -1;
/** Keys that take precedence over the contradictory one may still give the field. */
const CONTRADICTED = -2;
const [QUOTE, COLON, OPEN, CLOSE, AT, BACKSLASH, EQUALS] = [34, 58, 91, 93, 64, 92, 61];

/** Escapes in a text whose stored form differs from the written one. */
export const ESCAPES = {
  none: 0,
  backslash: 1,
  json: 2,
  quotes: 3,
  xml: 4,
  hexadecimal: 5,
  arguments: 6,
} as const;
export type Escapes = (typeof ESCAPES)[keyof typeof ESCAPES];

/** Values by field number; where one is missing its start is `MISSING`, or `CONTRADICTED` by another of the same key. */
export const found = {
  starts: new Int32Array(MOST_FIELDS),
  ends: new Int32Array(MOST_FIELDS),
  /** The operation (template.ts) that captured it. */
  operations: new Uint8Array(MOST_FIELDS),
  escapes: new Array<Escapes>(MOST_FIELDS).fill(ESCAPES.none),
  /** Precedence among several keys of a field: the lowest counts. 0: it has no key. */
  ranks: new Uint16Array(MOST_FIELDS),
};

export function forget(fields: number): void {
  const { starts } = found;
  for (let i = 0; i < fields; i++) starts[i] = MISSING;
}

/** The field of a value of this length in bytes: the length says which hash a value is. */
function fieldOf({ field, second, third }: Slot, size: number): number {
  if (third < 0 || size === 32) return field;
  return size === 40 ? second : third;
}

/** Stores a value that has its slot's type. */
export function keep(
  slot: Slot,
  b: Uint8Array,
  start: number,
  end: number,
  rank = 0,
  escapes: Escapes = ESCAPES.none,
): void {
  const { capture, second, operation } = slot;
  const field = fieldOf(slot, end - start);
  if (field < 0) return;
  if (slot.isPlain) {
    set(field, operation, start, end, rank, escapes);
    return;
  }
  switch (capture) {
    case 'endpoint':
    case 'socket':
      keepEndpoint(slot, b, start, end, rank);
      break;
    case 'account':
    case 'principal':
    case 'name':
      keepAccount(field, second, operation, b, start, end, rank, escapes);
      break;
    case 'request':
      keepRequest(field, second, b, start, end, rank);
      break;
    case 'last5':
      set(field, operation, end - 5, end, rank, escapes);
      break;
    case 'audit':
      keepAudit(field, operation, b, start, end, rank);
      break;
    case 'arguments':
      set(field, operation, start, end, rank, ESCAPES.arguments);
      break;
    case 'inner': {
      const from = innerStart(b, start, end);
      set(field, operation, from, from === start ? end : end - 1, rank, escapes);
      break;
    }
    default:
      set(field, operation, start, end, rank, escapes);
  }
}

/** Stores a value of a key, if its type allows it and no key with precedence has given one. */
export function offer(
  slot: Slot,
  b: Uint8Array,
  start: number,
  end: number,
  rank: number,
  escapes: Escapes = ESCAPES.none,
): void {
  const field = fieldOf(slot, end - start);
  if (field < 0 || start >= end) return;
  if (found.starts[field] !== MISSING && found.ranks[field]! <= rank) return;
  if (end === start + 1 && b[start] === 45) return;
  if (slot.isPlain || isValid(slot.capture, b, start, end))
    keep(slot, b, start, end, rank, escapes);
}

/**
 * Like `offer`, for lines of which others may have written a part: a field whose key gave another value before is
 * dropped with its port or domain, and if that is an address, no key is believed.
 * @param isStrict no key is believed whatever field it is, and all keys of an address have to give the same one
 * @returns false if no key is believed: their values were dropped
 */
export function offerOnce(
  slot: Slot,
  b: Uint8Array,
  start: number,
  end: number,
  rank: number,
  escapes: Escapes,
  isStrict: boolean,
): boolean {
  if (slot.third >= 0 && isOtherHash(slot, end - start, rank)) return true;
  const field = fieldOf(slot, end - start);
  const known = field < 0 ? -1 : found.starts[field]!;
  if (known < 0 || !(found.ranks[field] === rank || (isStrict && isAddress(slot)))) {
    offer(slot, b, start, end, rank, escapes);
    return true;
  }
  if (start >= end || (end === start + 1 && b[start] === 45)) return true;
  if (!slot.isPlain && !isValid(slot.capture, b, start, end)) return true;
  const knownEnd = found.ends[field]!;
  const part = slot.third < 0 ? slot.second : -1;
  const ownPart = part >= 0 && found.ranks[part] === rank ? found.starts[part]! : MISSING;
  const ownPartEnd = part < 0 ? 0 : found.ends[part]!;
  if (ownPart !== MISSING) found.starts[part] = MISSING;
  keep(slot, b, start, end, rank, escapes);
  if (areSame(b, known, knownEnd, found.starts[field]!, found.ends[field]!)) {
    if (ownPart !== MISSING) settlePart(part, b, ownPart, ownPartEnd);
    return true;
  }
  found.starts[field] = CONTRADICTED;
  if (part >= 0 && found.ranks[part] === rank) found.starts[part] = CONTRADICTED;
  if (!isStrict && !isAddress(slot)) return true;
  forgetKeys();
  return false;
}

/** The port or domain of a repeated value, which may be missing once: dropped if it was another one before. */
function settlePart(part: number, b: Uint8Array, known: number, knownEnd: number): void {
  const start = found.starts[part]!;
  if (start === MISSING) found.starts[part] = known;
  else if (known < 0 || !areSame(b, known, knownEnd, start, found.ends[part]!))
    found.starts[part] = CONTRADICTED;
}

function areSame(b: Uint8Array, one: number, oneEnd: number, other: number, end: number): boolean {
  if (oneEnd - one !== end - other) return false;
  for (let i = one; i < oneEnd; i++) if (b[i] !== b[other + i - one]) return false;
  return true;
}

/** Whether its key gave a hash of another kind before: then it gives none. */
function isOtherHash(slot: Slot, size: number, rank: number): boolean {
  const fieldIndex = fieldOf(slot, size);
  const other = [slot.field, slot.second, slot.third].find(
    (one) => one !== fieldIndex && found.starts[one] !== MISSING && found.ranks[one] === rank,
  );
  if (other === undefined) return false;
  found.starts[other] = CONTRADICTED;
  return true;
}

export function isAddress({ operation }: Slot): boolean {
  return (
    operation === OPERATION.ip ||
    operation === OPERATION.peer ||
    operation === OPERATION.host ||
    operation === OPERATION.endpoint ||
    operation === OPERATION.socket
  );
}

/** Drops values of keys; the template's other captures stay. */
export function forgetKeys(): void {
  for (let i = 0; i < MOST_FIELDS; i++) if (found.ranks[i]! > 0) found.starts[i] = MISSING;
}

/**
 * Drops accounts that may not be any: if no address was found with them, or `always`, those that are not plain
 * names.
 */
export function forgetAccounts(slots: readonly Slot[], b: Uint8Array, always: boolean): void {
  for (const { field, second, capture } of slots) {
    if (capture !== 'account' || field < 0 || found.starts[field]! < 0) continue;
    const isBeside = !always && slots.some((one) => isAddress(one) && isFound(one.field));
    if (isBeside || isPlainName(b, found.starts[field]!, found.ends[field]!)) continue;
    found.starts[field] = MISSING;
    if (second >= 0) found.starts[second] = MISSING;
  }
}

function isFound(field: number): boolean {
  return field >= 0 && found.starts[field]! >= 0;
}

const NO_NAME = /^(?:null|none|nil|true|false|unknown|undefined|any|all)$/i;
const MOST_NAME = 9;

/**
 * A letter, followed by letters, digits and other characters of account names; not a word for nobody or anybody.
 * @param mayBeNumber whether a digit may be the first
 */
function isPlainName(b: Uint8Array, start: number, end: number, mayBeNumber = false): boolean {
  if (!isLetter(b[start]!) && !(mayBeNumber && isDigit(b[start]!))) return false;
  for (let p = start + 1; p < end; p++) {
    const code = b[p]!;
    // `-`, `.` and `/`, digits, `@`, `$`, `+` and `_`.
    const isOther = (code >= 45 && code <= 57) || code === AT || code === 36 || code === 43;
    if (!isLetter(code) && !isOther && code !== 95) return false;
  }
  return end - start > MOST_NAME || !NO_NAME.test(latin1.decode(b.subarray(start, end)));
}

const LEVEL = /^(?:trace|debug|info|notice|warn|warning|err|error|crit|critical|alert|fatal)$/i;
const MOST_LEVEL = 8;

/** A plain name that is not the word for a level, or one after its domain, which may begin with a digit. */
function isLoginName(b: Uint8Array, start: number, end: number): boolean {
  let name = start;
  while (name < end && b[name] !== BACKSLASH) name += 1;
  if (name > start && name + 1 < end)
    return isPlainName(b, start, name) && isPlainName(b, name + 1, end, true);
  if (!isPlainName(b, start, end)) return false;
  return end - start > MOST_LEVEL || !LEVEL.test(latin1.decode(b.subarray(start, end)));
}

function isLetter(code: number): boolean {
  return code >= 128 || ((code | 32) >= 97 && (code | 32) <= 122);
}

function set(
  field: number,
  operation: number,
  start: number,
  end: number,
  rank: number,
  escapes: Escapes,
): void {
  if (field < 0) return;
  found.starts[field] = start;
  found.ends[field] = end;
  found.operations[field] = operation;
  found.ranks[field] = rank;
  found.escapes[field] = escapes;
}

/** Whether all of these bytes are a value of a type. */
export function isValid(capture: Capture, b: Uint8Array, start: number, end: number): boolean {
  switch (capture) {
    case 'ip':
      return addressEnd(b, start, end) === end;
    case 'peer':
      return addressEnd(b, start, end) === end && !isUnspecified();
    case 'port':
      return numberOf(b, start, end, 65_535) >= 0;
    case 'number':
      return numberOf(b, start, end, Number.MAX_SAFE_INTEGER) >= 0;
    case 'proto':
      return protocolOf(b, start, end) >= 0;
    case 'host':
      return addressEnd(b, start, end) === end || isHostName(b, start, end);
    case 'endpoint':
      return endpointEnd(b, start, end) > start;
    case 'socket':
      return socketEnd(b, start, end) > start;
    case 'last5':
      return end - start === 12 && digitsEnd(b, start, end) === end;
    case 'hash':
      return isHash(b, start, end);
    case 'mac':
      return isHardwareAddress(b, start, end);
    case 'audit':
      return auditValueEnd(b, start, end) === end;
    case 'inner':
      return innerStart(b, start, end) >= 0;
    case 'name':
      return isLoginName(b, start, end);
    case 'account':
    case 'principal':
      // `['EXAMPLE\\alice']` is a list.
      return b[start] !== OPEN || end - start < 2 || b[start + 1] !== 39;
    default:
      return true;
  }
}

/** The start of the address in trailing brackets, or of the whole text; or -1: `https(192.0.2.17)`. */
function innerStart(b: Uint8Array, start: number, end: number): number {
  if (b[end - 1] !== 41) return addressEnd(b, start, end) === end ? start : -1;
  let p = end - 1;
  while (p > start && b[p - 1] !== 40) p -= 1;
  return p > start && addressEnd(b, p, end - 1) === end - 1 ? p : -1;
}

/** Whether the address that was read last is 0.0.0.0 or ::. */
function isUnspecified(): boolean {
  for (let i = isFour() ? 12 : 0; i < 16; i++) if (ADDRESS[i] !== 0) return false;
  return true;
}

function isHash(b: Uint8Array, start: number, end: number): boolean {
  const size = end - start;
  if (size !== 32 && size !== 40 && size !== 64) return false;
  for (let p = start; p < end; p++) if (!isHexDigit(b[p]!)) return false;
  return true;
}

/** `02-00-5e-00-53-01`, `0200.5e00.5301`, `02005e-005301` or `02005e005301`; twelve decimal digits are a phone number. */
const HARDWARE_ADDRESS =
  /^(?:[\da-f]{2}([-.:])(?:[\da-f]{2}\1){4}[\da-f]{2}|[\da-f]{4}([-.:])[\da-f]{4}\2[\da-f]{4}|[\da-f]{6}[-.:][\da-f]{6}|(?!\d{12})[\da-f]{12})$/i;
const MOST_HARDWARE_ADDRESS = 17;

function isHardwareAddress(b: Uint8Array, start: number, end: number): boolean {
  if (end - start > MOST_HARDWARE_ADDRESS) return false;
  return HARDWARE_ADDRESS.test(latin1.decode(b.subarray(start, end)));
}

function isHexDigit(code: number): boolean {
  const letter = code | 32;
  return (code >= 48 && code <= 57) || (letter >= 97 && letter <= 102);
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

/**
 * The end of an endpoint's address, or -1: `192.0.2.1:22:eth0`, `192.0.2.1::eth0`, `192.0.2.1`, `[2001:db8::1]:22`,
 * `2001:db8:0:0:0:0:0:1:22` or an IPv6 address alone: `2001:db8::1:22` is ambiguous.
 */
function endpointEnd(b: Uint8Array, start: number, end: number): number {
  if (addressEnd(b, start, end) === end) return end;
  const stop = b[start] === OPEN ? CLOSE : COLON;
  const from = b[start] === OPEN ? start + 1 : start;
  let to = from;
  while (to < end && b[to] !== stop) to += 1;
  if (to < end && addressEnd(b, from, to) === to) return to;
  // Nine groups, or five digits in the last one, are not an address: the last group is the port.
  to = b[start] === OPEN ? start : end - 1;
  while (to > start && b[to] !== COLON) to -= 1;
  return to > start && addressEnd(b, start, to) === to ? to : -1;
}

/** The end of a socket's address, or -1: the last group of an IPv6 address without brackets is the port. */
function socketEnd(b: Uint8Array, start: number, end: number): number {
  if (b[start] === OPEN || addressEnd(b, start, end) !== end) return endpointEnd(b, start, end);
  let to = end - 1;
  while (to > start && b[to] !== COLON) to -= 1;
  const isPort = digitsEnd(b, to + 1, end) === end;
  return isPort && to > start && addressEnd(b, start, to) === to ? to : -1;
}

function keepEndpoint(
  { field, second: portField, operation }: Slot,
  b: Uint8Array,
  start: number,
  end: number,
  rank: number,
): void {
  const isSocket = operation === OPERATION.socket;
  const to = isSocket ? socketEnd(b, start, end) : endpointEnd(b, start, end);
  const bracket = b[start] === OPEN ? 1 : 0;
  set(field, OPERATION.endpoint, start + bracket, to, rank, ESCAPES.none);
  if (to === end || b[to + bracket] !== COLON) return;
  const port = to + bracket + 1;
  const portEnd = digitsEnd(b, port, end);
  const isPort = portEnd === end || b[portEnd] === COLON;
  if (isPort && numberOf(b, port, portEnd, 65_535) >= 0)
    set(portField, OPERATION.port, port, portEnd, rank, ESCAPES.none);
}

const LDAP_NAME = new TextEncoder().encode(',cn=');

/**
 * The end of an account that some write twice, the second time as its LDAP name: `alice,cn=alice`. Other accounts
 * may contain commas.
 */
function nameEnd(b: Uint8Array, start: number, end: number): number {
  const size = (end - start - LDAP_NAME.length) / 2;
  if (size < 1 || !Number.isInteger(size)) return end;
  const at = start + size;
  const again = at + LDAP_NAME.length;
  const isTwice = isText(b, at, again, LDAP_NAME) && isText(b, again, end, b.subarray(start, at));
  return isTwice ? at : end;
}

/** `DOMAIN\name`, `DOMAIN\\name` and, of principals, `name@domain`. */
function keepAccount(
  field: number,
  domainField: number,
  operation: number,
  b: Uint8Array,
  start: number,
  valueEnd: number,
  rank: number,
  escapes: Escapes,
): void {
  const end = nameEnd(b, start, valueEnd);
  let domainEnd = start;
  // `\=` is an escape of CEF: `OU\=Staff/alice`.
  while (domainEnd < end && (b[domainEnd] !== BACKSLASH || b[domainEnd + 1] === EQUALS))
    domainEnd += 1;
  let name = domainEnd;
  while (name < end && b[name] === BACKSLASH) name += 1;
  if (domainEnd > start && name > domainEnd && name < end) {
    set(domainField, operation, start, domainEnd, rank, ESCAPES.none);
    set(field, operation, name, end, rank, escapes);
    return;
  }
  let at = end - 1;
  while (at > start && b[at] !== AT) at -= 1;
  if (operation === OPERATION.principal && at > start && at < end - 1) {
    set(domainField, operation, at + 1, end, rank, escapes);
    set(field, operation, start, at, rank, escapes);
  } else set(field, operation, start, end, rank, escapes);
}

/** Unquoted, or in hexadecimal. */
function keepAudit(
  field: number,
  operation: number,
  b: Uint8Array,
  start: number,
  end: number,
  rank: number,
): void {
  if (b[start] === QUOTE) set(field, operation, start + 1, end - 1, rank, ESCAPES.none);
  else if (isHexadecimal(b, start, end))
    set(field, operation, start, end, rank, ESCAPES.hexadecimal);
}

const VERSION = new TextEncoder().encode('HTTP/');

/** `GET /index.html HTTP/1.1`; anything else was requested all the same, and is stored as the URL. */
function keepRequest(
  urlField: number,
  methodField: number,
  b: Uint8Array,
  start: number,
  end: number,
  rank: number,
): void {
  let method = start;
  while (method < end && isMethodByte(b[method]!)) method += 1;
  let version = end;
  while (version > start && b[version - 1] !== 32) version -= 1;
  const isMethod = method > start && method < end && b[method] === 32;
  let url = version;
  let urlEnd = end;
  if (isMethod && version > method + 2 && isVersion(b, version, end)) {
    url = method + 1;
    urlEnd = version - 1;
  } else if (!isMethod || version !== method + 1 || !isUpperCase(b, start, method)) {
    if (start < end) set(urlField, OPERATION.text, start, end, rank, ESCAPES.none);
    return;
  }
  set(urlField, OPERATION.text, url, urlEnd, rank, ESCAPES.none);
  set(methodField, OPERATION.text, start, method, rank, ESCAPES.none);
}

function isVersion(b: Uint8Array, start: number, end: number): boolean {
  for (let i = 0; i < VERSION.length; i++)
    if (start + i >= end || b[start + i] !== VERSION[i]) return false;
  return true;
}

function isMethodByte(code: number): boolean {
  const letter = code | 32;
  return (letter >= 97 && letter <= 122) || code === 45 || code === 95;
}

function isUpperCase(b: Uint8Array, start: number, end: number): boolean {
  for (let p = start; p < end; p++) if ((b[p]! & 32) !== 0) return false;
  return true;
}
