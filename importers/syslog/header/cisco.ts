/**
 * Parses what Cisco's devices, and those that imitate them, put before a message: number, host, time, zone,
 * mnemonic.
 */
import { SHAPE } from '../../shared/time/stamp.ts';
import {
  allDigits,
  CLOSE,
  COLON,
  hasDigit,
  isAlnum,
  isDigit,
  isHost,
  MAX_NAME,
  MINUS,
  PERCENT,
  skipSpaces,
  SPACE,
  startsWith,
} from './bytes.ts';
import { type Header, isFirm } from './header.ts';

/** Cisco's mark before the time of an unset clock: `*Mar  1 1993 00:00:46`. */
export const UNSET = 42;

/** `[12345.678901]`: the place after it, or 0. */
export function uptime(h: Header, b: Uint8Array, at: number, end: number): number {
  let i = at + 1;
  while (i < end && b[i] === SPACE) i++;
  const from = i;
  while (i < end && isDigit(b[i]!)) i++;
  const dot = i;
  if (dot === from || dot - from > 9 || i >= end || b[i] !== 46) return 0;
  i++;
  while (i < end && isDigit(b[i]!)) i++;
  if (i - dot < 4 || i - dot > 10 || i >= end || b[i] !== CLOSE) return 0;
  h.uptimeStart = from;
  h.uptimeEnd = i;
  return i + 1;
}

/** Cisco's `%FACILITY-[SUBFACILITY-]SEVERITY-MNEMONIC:`, as `event_type` and severity. */
export function mnemonic(h: Header, b: Uint8Array, at: number, end: number): void {
  const limit = at + MAX_NAME < end ? at + MAX_NAME : end;
  let severity = -1;
  let i = at + 1;
  while (i < limit && b[i] !== COLON) {
    const c = b[i]!;
    if (c === MINUS) {
      if (b[i + 2] === MINUS) {
        // Cisco's small switches write `%AAA-I-CONNECT:`.
        const level = '01234567 ACEWNID'.indexOf(String.fromCharCode(b[i + 1]!));
        if (level >= 0) severity = level % 8;
      }
    } else if (!isAlnum(c) && c !== 95) return;
    i++;
  }
  if (i >= limit || severity < 0) return;
  h.eventStart = at + 1;
  h.eventEnd = i;
  if (h.severity < 0) h.severity = severity;
}

/** Reads a mnemonic, or the one after Firepower's word: `Alerts %NGIPS-0-430003: …`. @returns whether there is one */
export function mnemonicAt(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const sign = startsWith(b, at, end, 'Alerts %') ? at + 7 : at;
  if (b[sign] === PERCENT) mnemonic(h, b, sign, end);
  return h.eventStart >= 0;
}

/** Cisco's sequence number, `000123: `, and the time and mnemonic after it. */
export function sequenced(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let i = at;
  while (i < end && isDigit(b[i]!)) i++;
  if (i === at || i - at > 12 || b[i] !== COLON || b[i + 1] !== SPACE) return false;
  let p = skipSpaces(b, i + 1, end);
  let host = -1;
  let hostEnd = 0;
  let dated = isCiscoTime(h, b, p, end);
  let booted = dated === 0 ? sinceBoot(b, p, end) : 0;
  if (dated === 0 && booted === 0 && !h.dated && p < end && isAlnum(b[p]!)) {
    // `123: router: *Mar  1 …`, and without the colon.
    const w = nameBefore(b, p, end);
    if (w > p && isHost(b, p, w)) {
      // `123: router: 456: *Mar  1 …`: includes the device's own number.
      let after = skipSpaces(b, b[w] === SPACE ? w : w + 1, end);
      let digits = after;
      while (digits < end && isDigit(b[digits]!)) digits++;
      if (digits > after && b[digits] === COLON && b[digits + 1] === SPACE)
        after = skipSpaces(b, digits + 1, end);
      dated = isCiscoTime(h, b, after, end);
      booted = dated === 0 ? sinceBoot(b, after, end) : 0;
      // `debug` writes no mnemonic; a name or a time without its colon may be any text.
      const isDebug = b[w] === COLON && dated > 0 && b[zoneEnd(b, dated, end)] === COLON;
      if (dated > 0 && !isDebug && !isMnemonicNext(h, b, dated, end)) dated = 0;
      if (dated > 0 || booted > 0) {
        host = allDigits(b, p, w) ? -1 : p;
        hostEnd = w;
        p = after;
      }
    }
  }
  if (dated === 0) {
    const since = p;
    if (booted > 0) p = booted;
    if (b[p] !== PERCENT) return false;
    mnemonic(h, b, p, end);
    if (booted > 0 && h.eventStart >= 0) {
      h.uptimeStart = since;
      h.uptimeEnd = booted - 2;
    }
  }
  if (dated > 0) {
    const zone = dated;
    dated = zoneEnd(b, zone, end);
    // Few zones have a digit: `17: Mar  4 05:06:07 sw1: %SYS-5-…`, `17: Mar  4 05:06:07 eth1: down`.
    if (hasDigit(b, zone, dated) && !allDigits(b, zone + 1, dated) && !isZone(b, zone, dated)) {
      if (!isMnemonicNext(h, b, dated, end)) dated = zone;
      else if (host < 0 && !h.dated) {
        host = zone + 1;
        hostEnd = dated;
      }
    }
    p = skipSpaces(b, b[dated] === COLON ? dated + 1 : dated, end);
  }
  if (!h.dated) {
    if (dated === 0 && h.eventStart < 0) return false;
    h.dated = dated > 0;
    h.leading = dated > 0;
    h.messageStart = p;
  }
  h.sequenceStart = at;
  h.sequenceEnd = i;
  if (host >= 0) {
    h.hostStart = host;
    h.hostEnd = hostEnd;
  }
  if (b[p] === PERCENT) mnemonic(h, b, p, end);
  return true;
}

/** `GMT8`, `EST5EDT`: the administrator of a device names its zone. */
const ZONE = /^ (?:[A-Z]{2,4}T|UTC|utc|gmt|WIB|MSK)\d{1,2}[A-Z]*$/;

function isZone(b: Uint8Array, start: number, end: number): boolean {
  return ZONE.test(Buffer.from(b.subarray(start, end)).toString('latin1'));
}

/** Cisco's time since the device started, `2y10w: %…`, `1d03h: %…`, `00:00:46: %…`. @returns where its mnemonic begins, or 0 */
export function sinceBoot(b: Uint8Array, at: number, end: number): number {
  let i = at;
  for (let unit = at; ; unit = i) {
    while (i < end && isDigit(b[i]!)) i++;
    if (i === unit || i - unit > 4) break;
    // The next unit of `00:00:46` or `2y10w`.
    if (b[i] === COLON ? !isDigit(b[i + 1]!) : !'ywdhms'.includes(String.fromCharCode(b[i]!)))
      break;
    i++;
  }
  return i > at && b[i] === COLON && b[i + 1] === SPACE && b[i + 2] === PERCENT ? i + 2 : 0;
}

/** The end of a device's name that is followed by a blank, or a colon and a blank. */
function nameBefore(b: Uint8Array, at: number, end: number): number {
  let w = at;
  while (w < end && w - at <= MAX_NAME && b[w] !== SPACE) w++;
  return b[w] === SPACE && b[w - 1] === COLON ? w - 1 : w;
}

/**
 * Reads the mnemonic after a time and a colon, with or without the name of a zone before it. @returns whether there
 * is one
 */
function isMnemonicNext(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const p = zoneEnd(b, at, end);
  return b[p] === COLON && b[p + 1] === SPACE && mnemonicAt(h, b, p + 2, end);
}

/**
 * Cisco's `logging origin-id hostname`: `router1: Oct 19 16:07:39.018 CET: %SYS-5-CONFIG_I: …`, and without the colon,
 * `router1 Oct 19 16:07:39 CET: %…`.
 */
export function ciscoHost(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let w = at;
  while (w < end && w - at < MAX_NAME && b[w] !== SPACE && b[w] !== COLON) w++;
  if (w === at || w >= end) return false;
  if (b[w] === COLON ? b[w + 1] !== SPACE : b[w + 4] !== SPACE || b[w + 1]! > 90) return false;
  if (!isHost(b, at, w)) return false;
  let p = skipSpaces(b, w + 1, end);
  const isUnset = b[p] === UNSET;
  if (isUnset || b[p] === 46) p++;
  const { stamp } = h;
  if (!stamp.parse(b, p, end) || !isFirm(stamp)) return false;
  if (!isMnemonicNext(h, b, stamp.end, end)) return false;
  h.tellsYear = !isUnset;
  p = zoneEnd(b, stamp.end, end);
  h.dated = true;
  h.leading = true;
  if (h.timesOnly) return true;
  h.hostStart = at;
  h.hostEnd = w;
  h.messageStart = p + 2;
  return true;
}

/** The end of an unknown zone's name that is followed by a colon: `… 18:46:11 SGT: %…`, `… UTC : %…`. */
function zoneEnd(b: Uint8Array, at: number, end: number): number {
  if (b[at] !== SPACE) return at;
  let i = at + 1;
  let isCapital = true;
  for (; i < end && isAlnum(b[i]!); i++) isCapital &&= b[i]! >= 65 && b[i]! <= 90;
  // A longer name, or one with digits or small letters, is a host's; the zone may be missing.
  if (isCapital && i - at <= 6 && startsWith(b, i, end, ' : %')) i++;
  return i < end && b[i] === COLON ? i : at;
}

/** A Cisco time at `at`; its end, or 0. Goes to the header's stamp unless that one is in use. */
function isCiscoTime(h: Header, b: Uint8Array, at: number, end: number): number {
  const isUnset = b[at] === UNSET;
  const stamp = h.dated ? h.inner : h.stamp;
  if (!stamp.parse(b, isUnset || b[at] === 46 ? at + 1 : at, end)) return 0;
  if (stamp.shape !== SHAPE.bsd) return 0;
  if (!h.dated) h.tellsYear = !isUnset;
  return stamp.end;
}
