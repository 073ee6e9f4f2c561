/**
 * Matches a template with a message. The results are in `found` until the next match.
 *
 * Invariant: a match covers the whole message. After one, every value is within it and has the type that its
 * template states; values of pairs and columns with another type are missing.
 */
import { forget, found, isValid, keep } from './found.ts';
import { auditValueEnd } from '../reading/read-audit.ts';
import { readJson } from '../reading/json/read-json.ts';
import { readLogin } from '../reading/read-login.ts';
import {
  readCef,
  readColumns,
  readLeef,
  readPairs,
  readStrictPairs,
} from '../reading/read-pairs.ts';
import { readTraffic } from '../reading/read-traffic.ts';
import { readXml } from '../reading/read-xml.ts';
import { OPERATION, type Slot, type Template } from './template.ts';
import { addressEnd, digitsEnd, numberOf } from './values.ts';

/** Limit of positions tried in one message: a message that was crafted to take long is left uncut. */
const MOST_TRIES = 500;
/** Limit of bytes in which ends of captures are looked for: in a message of a megabyte few tries take as long. */
const MOST_SCANNED = 1 << 24;

const [QUOTE, COMMA, BACKSLASH, CLOSE, BAR] = [34, 44, 92, 93, 124];

let tries = 0;
let scanned = 0;

export function matches(template: Template, b: Uint8Array, start: number, end: number): boolean {
  forget(template.size);
  tries = 0;
  scanned = 0;
  return from(template, 0, b, start, end);
}

/** Whether the parts from number `i` on match from `p` on. */
function from(template: Template, i: number, b: Uint8Array, p: number, end: number): boolean {
  const { parts } = template;
  for (let at = p; ; i++) {
    if (i === parts.length) return at === end;
    const part = parts[i]!;
    if (part.literal !== undefined) {
      if (!isAt(b, at, end, part.literal)) return false;
      at += part.literal.length;
      continue;
    }
    let to = -1;
    switch (part.operation) {
      case OPERATION.ip:
        to = addressEnd(b, at, end);
        break;
      case OPERATION.peer:
        to = addressEnd(b, at, end);
        if (to > 0 && !isValid('peer', b, at, to)) return false;
        break;
      case OPERATION.port:
        to = digitsEnd(b, at, end);
        if (numberOf(b, at, to, 65_535) < 0) return false;
        break;
      case OPERATION.number:
        to = digitsEnd(b, at, end);
        if (numberOf(b, at, to, Number.MAX_SAFE_INTEGER) < 0) return false;
        break;
      case OPERATION.quoted:
      case OPERATION.request:
        to = quoteEnd(b, at, end);
        break;
      case OPERATION.rest:
        to = end;
        break;
      case OPERATION.cell:
        for (to = at; to < end && b[to] !== COMMA;) to += 1;
        break;
      case OPERATION.bar:
        to = barEnd(b, at, end);
        break;
      case OPERATION.audit:
        to = auditValueEnd(b, at, end);
        break;
      case OPERATION.arguments:
        to = end;
        break;
      case OPERATION.pairs:
        if (template.pairs!.isStrict) readStrictPairs(template.pairs!, b, at, end);
        else readPairs(template.pairs!, b, at, end);
        return hasNeeds(template);
      case OPERATION.cef:
        readCef(template.pairs!, b, at, end);
        return hasNeeds(template);
      case OPERATION.leef:
        readLeef(template.pairs!, b, at, end);
        return hasNeeds(template);
      case OPERATION.json:
        readJson(template.pairs!, b, at, end);
        return hasNeeds(template);
      case OPERATION.xml:
        readXml(template.pairs!, b, at, end);
        return hasNeeds(template);
      case OPERATION.login:
        readLogin(template.pairs!, b, at, end);
        return hasNeeds(template);
      case OPERATION.traffic:
        readTraffic(template.pairs!, b, at, end);
        return hasNeeds(template);
      case OPERATION.columns:
        return readColumns(template.columns, template.separator, b, at, end) && hasNeeds(template);
      default:
        return searched(template, i, part, b, at, end);
    }
    if (to < 0) return false;
    keep(part, b, at, to);
    at = to;
  }
}

/** A capture that ends where the next literal text begins. */
function searched(
  template: Template,
  i: number,
  part: Slot,
  b: Uint8Array,
  at: number,
  end: number,
): boolean {
  if (scanned > MOST_SCANNED) return false;
  const { parts } = template;
  const { operation, isPlain } = part;
  const isLong = operation === OPERATION.text;
  const isSole = operation === OPERATION.sole;
  const isInside = operation === OPERATION.inside;
  const spaces = isLong || isSole || isInside || operation === OPERATION.brief;
  let least = spaces || operation === OPERATION.value ? at : at + 1;
  let most = end;
  if (!spaces) for (most = at; most < end && !isSpace(b[most]!);) most += 1;
  else if (isInside) for (most = at; most < end && b[most] !== CLOSE;) most += 1;
  scanned += most - at;
  if (i + 1 === parts.length) {
    if (most < end || end < least) return false;
    if (!isPlain && !isValid(part.capture, b, at, end)) return false;
    keep(part, b, at, end);
    return true;
  }
  // No other capture follows one that is searched for.
  const { literal } = parts[i + 1]!;
  if (literal === undefined) return false;
  const first = literal[0]!;
  const last = Math.min(most, end - literal.length);
  const step = isLong ? -1 : 1;
  // A value without white space can only end where the text begins that follows it.
  if (!spaces && isSpace(first)) least = Math.max(least, most);
  for (let to = isLong ? last : least; to >= least && to <= last; to += step) {
    if (b[to] !== first || !isAt(b, to, end, literal)) continue;
    if (++tries > MOST_TRIES) return false;
    if (isSole && isWithin(b, to + 1, end, literal)) return false;
    if (!isPlain && !isValid(part.capture, b, at, to)) continue;
    if (!from(template, i + 1, b, to, end)) continue;
    keep(part, b, at, to);
    return true;
  }
  return false;
}

/** The closing quote of the text that begins at `start`, or -1. */
function quoteEnd(b: Uint8Array, start: number, end: number): number {
  for (let p = start; p < end; p++) {
    if (b[p] === QUOTE) return p;
    if (b[p] === BACKSLASH) p += 1;
  }
  return -1;
}

/** The bar that ends the text beginning at `start`, or -1. */
function barEnd(b: Uint8Array, start: number, end: number): number {
  for (let p = start; p < end; p++) {
    if (b[p] === BAR) return p;
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

function hasNeeds({ needs }: Template): boolean {
  for (const fields of needs) {
    let i = 0;
    while (i < fields.length && found.starts[fields[i]!]! < 0) i += 1;
    if (i === fields.length) return false;
  }
  return true;
}
