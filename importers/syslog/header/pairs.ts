/** Times and offsets that a line of pairs or of cells states among them: auditd, FortiGate, CEF, LEEF, PAN-OS and others. */
import { daysFromCivil } from '../../shared/bytes.ts';
import { SHAPE, type Stamp } from '../../shared/time/stamp.ts';
import {
  BAR,
  COMMA,
  isAlnum,
  isDigit,
  MINUS,
  QUOTE,
  skipSpaces,
  SPACE,
  startsWith,
} from './bytes.ts';
import { type Header, isFirm } from './header.ts';

/** Pairs as messages of Fortinet's, Sophos's, Stormshield's and SonicWall's firewalls begin with. */
export function isPairs(b: Uint8Array, at: number, end: number): boolean {
  if (b[at] === 105) {
    const next = startsWith(b, at, end, 'id=firewall ') ? at + 12 : end;
    return startsWith(b, next, end, 'time="') || startsWith(b, next, end, 'sn=');
  }
  const date = b[at] === 100 ? datePlace(b, at, end) : 0;
  return date > 0 && startsWith(b, date + 11, end, 'time=');
}

/** `CEF:0|…`, `LEEF:1.0|…`. */
export function isEventFormat(b: Uint8Array, at: number, end: number): boolean {
  if (b[at] !== 67 && b[at] !== 76) return false;
  return startsWith(b, at, end, 'CEF:') || startsWith(b, at, end, 'LEEF:');
}

/** Linux audit: `[node=… ]type=LOGIN msg=audit(1337845201.174:94983): …`. */
export function audit(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let p = at;
  if (startsWith(b, p, end, 'node=')) {
    const host = p + 5;
    p = host;
    while (p < end && b[p] !== SPACE) p++;
    h.hostStart = host;
    h.hostEnd = p;
    p++;
  }
  if (!startsWith(b, p, end, 'type=')) {
    h.hostStart = -1;
    return false;
  }
  const type = p + 5;
  p = type;
  while (p < end && b[p] !== SPACE) p++;
  if (!startsWith(b, p, end, ' msg=audit(')) {
    h.hostStart = -1;
    return false;
  }
  if (type < p) {
    h.eventStart = type;
    h.eventEnd = p;
  }
  if (h.stamp.parse(b, p + 11, end) && h.stamp.shape === SHAPE.epoch) {
    h.dated = true;
    h.leading = true;
  }
  h.messageStart = at;
  return true;
}

/**
 * The start of the value of `name` (with its `=`), which must occur once among the pairs of `[at, end)`, outside of
 * quotes; 0: it does not occur, -1: it occurs repeatedly, or first where quotes are ambiguous. A repetition may be
 * in a text that somebody chose.
 */
function onlyPair(b: Uint8Array, at: number, end: number, name: string): number {
  let found = 0;
  let isSure = true;
  let before = SPACE;
  for (let i = at; i < end; i++) {
    if (isSure && b[i] === QUOTE && before === 61) {
      const close = closingQuote(b, i, end);
      if (close > 0) i = close;
      else isSure = false;
    } else if (beginsPair(before) && startsWith(b, i, end, name)) {
      if (found > 0 || !isSure) return -1;
      found = i + name.length;
    }
    before = b[i]!;
  }
  return found;
}

function beginsPair(before: number): boolean {
  return before === SPACE || before === 9 || before === COMMA || before === BAR;
}

/** The end of the quoted value that begins at `at`; -1 if it is ambiguous. */
function closingQuote(b: Uint8Array, at: number, end: number): number {
  let i = at + 1;
  while (i < end && b[i] !== QUOTE) i++;
  if (i >= end || b[i - 1] === 92) return -1;
  return i + 1 >= end || beginsPair(b[i + 1]!) ? i : -1;
}

/** Names of a device that may precede the date. */
const DEVICE_NAMES = ['device=', 'devname=', 'devid='];

/** How far into a line of pairs its date may be. */
const PAIRS_DATE = 300;

/**
 * The start of the value of `date=`, at the beginning of a line or after pairs of which the first names a device;
 * 0: there is none.
 */
function datePlace(b: Uint8Array, at: number, end: number): number {
  const limit = Math.min(end, at + PAIRS_DATE);
  let i = at;
  while (i < limit && !startsWith(b, i, end, 'date=')) {
    if (i === at && !DEVICE_NAMES.some((name) => startsWith(b, at, end, name))) return 0;
    i = nameEnd(b, i, limit);
    if (b[i] !== 61) return 0;
    i++;
    if (b[i] === QUOTE) i = closingQuote(b, i, limit) + 1;
    else while (i < limit && b[i] !== SPACE && b[i] !== COMMA) i++;
    if (i === 0 || (b[i] !== SPACE && b[i] !== COMMA)) return 0;
    i++;
  }
  return i < limit ? i + 5 : 0;
}

/** The end of the name of a pair at `at`. */
function nameEnd(b: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && (isAlnum(b[i]!) || b[i] === 95 || b[i] === MINUS || b[i] === 46)) i++;
  return i;
}

/**
 * Fortinet and Sophos: `date=2020-04-23 time=01:16:08 … tz="-0500" …`, also after the names of the device and with
 * commas between pairs.
 */
export function datePair(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const date = datePlace(b, at, end);
  const time = date + 16;
  if (date === 0 || (b[date + 10] !== SPACE && b[date + 10] !== COMMA)) return false;
  if (!startsWith(b, date + 11, end, 'time=')) return false;
  // Put together as one writing of date and time.
  for (let i = 0; i < 10; i++) h.joined[i] = b[date + i]!;
  h.joined[10] = 84;
  for (let i = 0; i < 8; i++) h.joined[11 + i] = time + i < end ? b[time + i]! : 0;
  const { stamp } = h;
  if (!stamp.parse(h.joined, 0, 19) || stamp.shape !== SHAPE.isoT) return false;
  const rest = stamp.fractionAt(b, time + 8, end);
  if (!zonePair(stamp, b, rest, end)) offsetByEpoch(h, b, rest, end);
  h.dated = true;
  h.leading = true;
  h.tellsYear = date === at + 5;
  h.messageStart = at;
  return true;
}

/**
 * Parses `tz="-0500"`, `tz=+0100` and Sophos's `timezone="CEST"`, `timezone="+11"`; ambiguous names are ignored.
 * Returns whether a zone is stated.
 */
function zonePair(stamp: Stamp, b: Uint8Array, at: number, end: number): boolean {
  let i = onlyPair(b, at, end, 'tz=');
  if (i === 0) i = onlyPair(b, at, end, 'timezone=');
  if (i <= 0) return i < 0;
  stamp.takeZone(b, b[i] === QUOTE ? i + 1 : i, end);
  return true;
}

/** Wall clocks that differ by less show the same time. */
const ALIKE_SECONDS = 600;

const QUARTER_SECONDS = 900;

/** Derives the offset of a local time from Fortinet's `eventtime=`, seconds since 1970 or smaller units. */
function offsetByEpoch(h: Header, b: Uint8Array, at: number, end: number): void {
  const { stamp, inner } = h;
  const i = onlyPair(b, at, end, 'eventtime=');
  if (i <= 0 || !inner.parse(b, i, end) || inner.shape !== SHAPE.epoch) return;
  const local = daysFromCivil(stamp.year, stamp.month, stamp.day) * 86_400 + stamp.seconds;
  const offset = Math.round((local - inner.epochSeconds) / QUARTER_SECONDS) * QUARTER_SECONDS;
  if (Math.abs(offset) > 14 * 3600 || Math.abs(local - inner.epochSeconds - offset) > 60) return;
  stamp.zoned = true;
  stamp.offset = offset;
}

/** Parses an offset that a line states apart from a time without one. */
export function statedOffset(h: Header, b: Uint8Array, at: number, end: number): void {
  if (isStormshield(b, at, end)) zonePair(h.stamp, b, at, end);
  else panOffset(h, b, at, end);
}

/** `id=firewall time="2023-11-23 06:49:20" fw="…`, or from the time on. */
function isStormshield(b: Uint8Array, at: number, end: number): boolean {
  const i = startsWith(b, at, end, 'id=firewall ') ? at + 12 : at;
  return startsWith(b, i, end, 'time="') && startsWith(b, i + 25, end, '" fw="');
}

/** The end of `1,2023/06/28 14:40:42` at `at`; 0 if something else is there. */
export function panDate(b: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < at + 4 && i < end && isDigit(b[i]!)) i++;
  const isDate = i > at && b[i] === COMMA && b[i + 5] === 47 && b[i + 8] === 47;
  return isDate && b[i + 20] === COMMA && i + 20 < end ? i + 20 : 0;
}

/**
 * Palo Alto: `1,2023/06/28 14:40:42,…,2023-06-28T14:40:43.134+02:00,…`. The offset of the exact time is that of the others where
 * both show the same time of day. Of several they must agree.
 */
function panOffset(h: Header, b: Uint8Array, at: number, end: number): void {
  let i = panDate(b, at, end);
  if (i === 0) {
    // Behind a header, with a host or without.
    let p = skipSpaces(b, Math.max(at, h.stamp.end), end);
    i = panDate(b, p, end);
    while (i === 0 && p < end && b[p] !== SPACE) p++;
    if (i === 0) i = panDate(b, p + 1, end);
  }
  if (i === 0) return;
  const { stamp, inner } = h;
  let offset = Number.NaN;
  while (i < end) {
    const cell = i + 1;
    i = cellEnd(b, cell, end);
    if (i < 0) return;
    if (b[cell + 4] !== MINUS || b[cell + 7] !== MINUS || b[cell + 10] !== 84) continue;
    if (!inner.parse(b, cell, i) || !inner.zoned || inner.end !== i) continue;
    const days =
      daysFromCivil(stamp.year === 0 ? inner.year : stamp.year, stamp.month, stamp.day) -
      daysFromCivil(inner.year, inner.month, inner.day);
    if (Math.abs(days * 86_400 + stamp.seconds - inner.seconds) > ALIKE_SECONDS) continue;
    if (offset !== inner.offset && !Number.isNaN(offset)) return;
    offset = inner.offset;
  }
  if (Number.isNaN(offset)) return;
  stamp.zoned = true;
  stamp.offset = offset;
}

/** The end of a cell of comma-separated columns, quoted or not; -1 if it is ambiguous. */
function cellEnd(b: Uint8Array, at: number, end: number): number {
  let i = at;
  if (i < end && b[i] === QUOTE) {
    do {
      i++;
      while (i < end && b[i] !== QUOTE) i++;
      // Two quotes are one of the text.
      i++;
    } while (i < end && b[i] === QUOTE);
    return i === end || (i < end && b[i] === COMMA) ? i : -1;
  }
  while (i < end && b[i] !== COMMA) i++;
  return i;
}

/**
 * The time when its device recorded an event, otherwise when it began or ended; for LEEF only the first of them.
 */
const CEF_TIMES = ['rt=', 'start=', 'end='];

const LEEF_TIMES = ['devTime='];

/** Times of one event that are further apart contradict each other; files are examined days after they arrived. */
const APART_SECONDS = 7 * 86_400;

/**
 * CEF and LEEF without a header state their time among their pairs: `rt=1593013776000`, `rt=Mar 04 2026 05:06:07`.
 * Returns whether there is one; ambiguous or contradictory times are ignored.
 */
export function pairsTime(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const isCef = b[at] === 67;
  const pairs = behindBars(b, at, end, isCef ? 7 : 5);
  let { stamp } = h;
  for (const name of isCef ? CEF_TIMES : LEEF_TIMES) {
    const place = onlyPair(b, pairs, end, name);
    if (place === 0) continue;
    const isTime = place > 0 && timeOfPair(stamp, b, place, end);
    if (stamp === h.inner) {
      if (isTime && Math.abs(secondsOf(stamp) - secondsOf(h.stamp)) > APART_SECONDS) return true;
    } else if (!isTime) return true;
    stamp = h.inner;
  }
  if (stamp === h.stamp) return false;
  h.dated = true;
  h.leading = true;
  h.tellsYear = false;
  h.messageStart = at;
  return true;
}

/** Whether all of a pair's value is a time. */
function timeOfPair(stamp: Stamp, b: Uint8Array, at: number, end: number): boolean {
  if (!stamp.parse(b, at, end)) return false;
  if (stamp.shape !== SHAPE.epoch && !isFirm(stamp)) return false;
  let after = stamp.end;
  const isLocal = stamp.shape !== SHAPE.epoch && !stamp.zoned;
  if (isLocal && b[after] === SPACE) after = stamp.takeZone(b, after + 1, end) ?? after;
  if (after >= end) return true;
  if (b[after] !== SPACE && b[after] !== 9) return false;
  const next = skipSpaces(b, after, end);
  if (next >= end) return true;
  const name = nameEnd(b, next, end);
  return name > next && b[name] === 61;
}

/** Seconds since 1970, as exact as the zone is known; NaN: that depends on the log. */
function secondsOf(stamp: Stamp): number {
  if (stamp.shape === SHAPE.epoch) return stamp.epochSeconds;
  if (stamp.year === 0 || stamp.numeric) return Number.NaN;
  const days = daysFromCivil(stamp.year, stamp.month, stamp.day);
  return days * 86_400 + stamp.seconds - (stamp.zoned ? stamp.offset : 0);
}

/** The position after the `count`th unescaped bar, or the end. */
function behindBars(b: Uint8Array, at: number, end: number, count: number): number {
  let left = count;
  let i = at;
  for (; i < end && left > 0; i++) {
    if (b[i] === 92) i++;
    else if (b[i] === BAR) left--;
  }
  return Math.min(i, end);
}
