/**
 * Parses the parts of a log line before its message: priority, time, host, program and others.
 *
 * RFC 5424 section 6, RFC 3164 sections 4 and 5, and forms found in real logs (docs/importers/ syslog.md lists
 * them). It never throws, whatever the bytes are.
 */
import { addressEnd, numberOf } from '../../../engine/fields/cutting/values.ts';
import { SHAPE } from '../../shared/time/stamp.ts';
import {
  CLOSE,
  COLON,
  COMMA,
  ESCAPE,
  GT,
  isAlnum,
  isDigit,
  isHost,
  LT,
  MAX_NAME,
  MINUS,
  OPEN,
  PAREN,
  PAREN_END,
  PERCENT,
  QUOTE,
  skipSpaces,
  SPACE,
  startsWith,
  TAB,
} from './bytes.ts';
import { ciscoHost, mnemonic, mnemonicAt, sequenced, UNSET, uptime } from './cisco.ts';
import { type Header, isFirm } from './header.ts';
import { audit, datePair, isEventFormat, isPairs, pairsTime, statedOffset } from './pairs.ts';
import { esxi, logread, plainMessage, program, tag } from './program.ts';
import { protocol23, rfc5424 } from './rfc5424.ts';
import { unifiedLog } from './unified-log.ts';
import { exactTime, inside, jsonTime } from './times-inside.ts';

/**
 * Reads the header of `b[start, end)` into `h`. False if the line has no known one; then the message is the whole
 * line.
 */
export function parseHeader(h: Header, b: Uint8Array, start: number, end: number): boolean {
  const known = readHeader(h, b, start, end);
  if (h.originStart >= 0 && h.hostStart < 0) {
    h.hostStart = h.originStart;
    h.hostEnd = h.originEnd;
  }
  // Until they are set, clocks begin in 1970, Cisco's in 1993.
  const { shape, year } = h.stamp;
  const isUnset = year === 1970 || (year > 0 && year < 2000 && h.eventStart >= 0);
  if (h.dated && shape === SHAPE.bsd && isUnset) h.tellsYear = false;
  if (h.dated && !h.stamp.zoned && h.stamp.shape !== SHAPE.epoch) {
    statedOffset(h, b, behindPriority(b, h.frameStart, end), end);
  }
  return known;
}

/** The position after the line's priority, if it has one. */
function behindPriority(b: Uint8Array, at: number, end: number): number {
  if (b[at] !== LT) return at;
  let i = at + 1;
  while (i < end && isDigit(b[i]!)) i++;
  return i < end && b[i] === GT ? i + 1 : at;
}

/** Kiwi's relay puts `Original Address=192.0.2.9 ` before what it forwards. @returns start of the forwarded line */
function behindAddress(h: Header, b: Uint8Array, at: number, end: number): number {
  const address = at + 17;
  const after = addressEnd(b, address, end);
  if (after <= address || b[after] !== SPACE || after + 1 >= end) return at;
  h.originStart = address;
  h.originEnd = after;
  const inner = after + 1;
  h.messageStart = (b[inner] === LT && priority(h, b, inner, end)) || inner;
  return h.messageStart;
}

function readHeader(h: Header, b: Uint8Array, start: number, end: number): boolean {
  h.reset(start, end);
  let p = start;
  while (p < end && b[p] === 0) p++;
  while (end > p && b[end - 1] === 0) end--;
  h.messageStart = p;
  h.messageEnd = end;
  if (p >= end) return false;
  if (b[p] === ESCAPE) {
    p = skipColours(b, p, end);
    if (p >= end) return false;
    h.messageStart = p;
  }
  let known = false;
  // Citrix ADC's ` <134> 10/08/2026:09:38:41 …`.
  if (b[p] === SPACE && b[p + 1] === LT && isTimeBehind(h, b, p + 1, end)) p++;
  p = counted(b, p, end);
  if (b[p] === LT) {
    const after = priority(h, b, p, end);
    if (after > 0) {
      p = after;
      known = true;
      h.messageStart = p;
      if (b[p] === SPACE) p = skipSpaces(b, p, end);
      // Cisco's devices that are set to write no name: `<189>: 2026 May  2 12:57:15 UTC: %…`.
      else if (b[p] === COLON) p = skipSpaces(b, p + 1, end);
      else if (b[p] === 79 && startsWith(b, p, end, 'Original Address='))
        p = behindAddress(h, b, p, end);
      if (p + 2 < end && isDigit(b[p]!) && b[p]! !== 48) {
        const text = b[p + 1] === SPACE ? p + 2 : b[p + 2] === SPACE ? p + 3 : 0;
        if (text !== 0 && (rfc5424(h, b, text, end) || meraki(h, b, text, end))) return true;
      }
    }
  }
  if (p >= end) return known;
  let isTimeStated = false;
  const c = b[p]!;
  if (c === SPACE || c === TAB) {
    if (zabbix(h, b, p, end)) return true;
    // One blank before a time is carelessness; more is an indented line.
    if (known) p = skipSpaces(b, p, end);
    else p++;
    if (p >= end) return known;
    if (h.stamp.parse(b, p, end) && h.stamp.shape !== SHAPE.timeOnly && isFirm(h.stamp)) {
      return isRecord(h, b, end, c === TAB && !known) && afterStamp(h, b, p, end);
    }
    // After one blank there may be a time at the place where the log's lines have it.
    const one = b[p] !== SPACE && b[p] !== 9 && h.places !== undefined && h.places.length > 0;
    return (one && inside(h, b, p, end)) || known;
  }
  if (c === OPEN) {
    if (bracket(h, b, p, end)) return true;
  } else {
    if (h.stamp.parse(b, p, end)) return afterStamp(h, b, p, end);
    if ((c === UNSET || c === 46) && h.stamp.parse(b, p + 1, end) && h.stamp.shape === SHAPE.bsd) {
      h.tellsYear = c !== UNSET;
      return afterStamp(h, b, p + 1, end);
    }
    if (numbered(h, b, p, end)) return true;
    if (c === 49 && b[p + 1] === SPACE && rfc5424(h, b, p + 2, end)) return h.dated || known;
    if ((c === 116 || c === 110) && audit(h, b, p, end)) return true;
    if (c === 100 && datePair(h, b, p, end)) return true;
    isTimeStated = isEventFormat(b, p, end) && pairsTime(h, b, p, end);
    if (h.dated) return true;
    if (ciscoHost(h, b, p, end)) return true;
    if (supercomputer(h, b, p, end)) return true;
    if (piped(h, b, p, end)) return true;
  }
  if (c === PERCENT) mnemonic(h, b, p, end);
  if (!isTimeStated && inside(h, b, p, end)) return true;
  // Cisco's devices can be configured to write no time.
  if (h.eventStart >= 0) return true;
  // Each JSON object on a line is a record, with or without a time.
  if (c === 123 && b[p + 1] === QUOTE && b[end - 1] === 125) return true;
  if (known) tag(h, b, p, end, false, false);
  return known;
}

/** The position after the count of a frame (RFC 6587) that remained in a file of lines: `535 <14>1 …`. */
function counted(b: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && i < at + 7 && isDigit(b[i]!)) i++;
  return i > at && b[i] === SPACE && b[i + 1] === LT && isDigit(b[i + 2]!) ? i + 1 : at;
}

/**
 * Whether a date, with or without RFC 5424's version before it, follows the priority at `at`: lines within an event
 * may begin with a priority, too.
 */
function isTimeBehind(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let p = behindPriority(b, at, end);
  if (p === at) return false;
  p = skipSpaces(b, p, end);
  if (b[p] === 49 && b[p + 1] === SPACE) p += 2;
  const { inner } = h;
  return inner.parse(b, p, end) && (isFirm(inner) || inner.shape === SHAPE.guessed);
}

/** `<34>`: the place after it, or 0. */
function priority(h: Header, b: Uint8Array, at: number, end: number): number {
  let value = 0;
  let i = at + 1;
  while (i < end && i < at + 4 && isDigit(b[i]!)) {
    value = value * 10 + (b[i]! - 48);
    i++;
  }
  if (i === at + 1 || i >= end || b[i] !== GT || value > 191) return 0;
  h.facility = value >> 3;
  h.severity = value & 7;
  return i + 1;
}

/** The position after terminal control sequences, such as those for colours: ECMA-48 section 5.4. */
function skipColours(b: Uint8Array, at: number, end: number): number {
  let p = at;
  while (p + 2 < end && b[p] === ESCAPE && b[p + 1] === OPEN) {
    let i = p + 2;
    while (i < end && (isDigit(b[i]!) || b[i] === 59)) i++;
    if (i >= end || b[i]! < 64 || b[i]! > 126) break;
    p = i + 1;
  }
  return p;
}

/** Docker Compose: `container_1  | ` and then the line as the container wrote it. */
function piped(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let i = at;
  const limit = Math.min(end, at + MAX_NAME);
  while (i < limit && (isAlnum(b[i]!) || b[i] === 95 || b[i] === MINUS || b[i] === 46)) i++;
  if (i === at) return false;
  while (i < limit && b[i] === SPACE) i++;
  if (b[i] !== 124 || b[i + 1] !== SPACE || b[i - 1] !== SPACE) return false;
  let line = skipSpaces(b, i + 1, end);
  if (b[line] === ESCAPE) line = skipColours(b, line, end);
  if (b[line] === 123) return jsonTime(h, b, line, end);
  if (b[line] === OPEN) line++;
  if (!h.stamp.parse(b, line, end) || !isFirm(h.stamp)) return false;
  h.dated = true;
  h.leading = true;
  return true;
}

/** Parses what follows a time, depending on the time's form. */
function afterStamp(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const stamp = h.stamp;
  let q = stamp.end;
  if (q < end && b[q] === ESCAPE) q = skipColours(b, q, end);
  if (stamp.shape === SHAPE.timeOnly) {
    // No date: the line is a record, but has no time that can be placed.
    h.messageStart = at;
    return true;
  }
  const { shape } = stamp;
  if (b[q] === SPACE) {
    const host = skipSpaces(b, q, end);
    let hostEnd = host;
    while (hostEnd < end && b[hostEnd] !== SPACE) hostEnd++;
    const next = hostEnd + 1 < end ? b[hostEnd + 1]! : 0;
    if ((next === LT || isDigit(next)) && relayed(h, b, at, host, hostEnd, end)) return true;
    if (!stamp.zoned && shape !== SHAPE.epoch) exactTime(h, b, hostEnd, end);
  }
  h.dated = true;
  h.leading = true;
  if (h.timesOnly) return true;
  if (shape === SHAPE.bsd) {
    tag(h, b, zoneBeforeHost(h, b, q, end), end, true, true);
    return true;
  }
  if (shape === SHAPE.isoT) {
    if (b[q] === SPACE) {
      if (!esxi(h, b, q + 1, end) && !protocol23(h, b, q + 1, end)) tag(h, b, q, end, false, true);
      return true;
    }
  } else if (shape === SHAPE.yearFirst && b[q] === SPACE) {
    if (!unifiedLog(h, b, q + 1, end)) tag(h, b, q, end, false, false);
    return true;
  }
  if (b[q] !== SPACE || !logread(h, b, q + 1, end)) plainMessage(h, b, q, end);
  if (shape === SHAPE.monthDay && h.severity < 0) h.severity = glogSeverity(b[at]!);
  return true;
}

/** The severity that glog's letter before the month states, or -1. */
function glogSeverity(letter: number): number {
  switch (letter) {
    case 68:
      return 7;
    case 73:
      return 6;
    case 87:
      return 4;
    case 69:
      return 3;
    case 70:
      return 2;
    default:
      return -1;
  }
}

/**
 * A whole line of another device after a relay's time and the device's name or address, with the count of its frame
 * or without: `Mar  1 22:05:25 192.0.2.9 535 <14>1 2026-03-01T21:05:25Z …`. The device's header is the event's; its
 * time only if it is as exact as the relay's.
 */
function relayed(
  h: Header,
  b: Uint8Array,
  at: number,
  host: number,
  hostEnd: number,
  end: number,
): boolean {
  const frame = counted(b, hostEnd + 1, end);
  if (h.isRelayed || b[frame] !== LT || !isHost(b, host, hostEnd)) return false;
  if (!isFrame(h, b, frame, end)) return false;
  if (priority(h, b, frame, end) === 0) return false;
  const isExact = h.stamp.zoned;
  h.isRelayed = true;
  readHeader(h, b, frame, end);
  h.isRelayed = false;
  if (!h.dated || (isExact && !h.stamp.zoned && h.stamp.shape !== SHAPE.epoch)) {
    h.stamp.parse(b, at, end);
    h.tellsYear = true;
  }
  h.dated = true;
  h.leading = true;
  h.originStart = host;
  h.originEnd = hostEnd;
  return true;
}

/** Whether a priority and a time, or pairs as firewalls write them, are at `at`. */
function isFrame(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const p = behindPriority(b, at, end);
  return (
    isTimeBehind(h, b, at, end) || (p > at && (isEventFormat(b, p, end) || isPairs(b, p, end)))
  );
}

/**
 * A zone before a host: after a year, and Cisco's: `Aug  7 10:29:42 UTC fw1 : %FTD-6-…`. @returns the end of the
 * zone, or `at`
 */
function zoneBeforeHost(h: Header, b: Uint8Array, at: number, end: number): number {
  if (h.stamp.zoned || b[at] !== SPACE) return at;
  if (h.stamp.year > 0) return h.stamp.takeZone(b, at + 1, end) ?? at;
  let i = at + 1;
  while (i < end && i < at + 6 && b[i]! >= 65 && b[i]! <= 90) i++;
  if (i < at + 4 || b[i] !== SPACE) return at;
  const host = ++i;
  while (i < end && i - host <= MAX_NAME && b[i] !== SPACE) i++;
  if (i === host || b[i] !== SPACE || b[i - 1] === COLON) return at;
  i = b[i + 1] === COLON && b[i + 2] === SPACE ? i + 3 : i + 1;
  const isDevice = mnemonicAt(h, b, i, end) || isOtherSign(b, i, end);
  return isDevice ? (h.stamp.takeZone(b, at + 1, end) ?? at) : at;
}

/** `%%10SHELL/5/…` of H3C and Huawei, and `%$VDC-1 %$` before a mnemonic of NX-OS. */
function isOtherSign(b: Uint8Array, at: number, end: number): boolean {
  if (at + 4 > end || b[at] !== PERCENT) return false;
  if (b[at + 1] === 36) return b[at + 2]! >= 65 && b[at + 2]! <= 90;
  return b[at + 1] === PERCENT && isDigit(b[at + 2]!) && isDigit(b[at + 3]!);
}

/** A line that begins with a bracket: a time in brackets, or a kernel's seconds since boot. */
function bracket(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const inner = skipSpaces(b, at + 1, end);
  const stamp = h.stamp;
  if (stamp.parse(b, inner, end)) {
    const close = skipSpaces(b, stamp.end, end);
    if (stamp.shape === SHAPE.timeOnly) {
      if (b[close] !== CLOSE) return false;
      h.messageStart = at;
      return true;
    }
    if (b[close] === CLOSE || isFirm(stamp)) {
      h.dated = true;
      h.leading = true;
      const q = b[close] === CLOSE ? close + 1 : close;
      if (h.timesOnly) return true;
      if (b[q] === SPACE) tag(h, b, q, end, false, false);
      else plainMessage(h, b, q, end);
      return true;
    }
    return false;
  }
  const after = uptime(h, b, at, end);
  if (after === 0) return false;
  h.messageStart = skipSpaces(b, after, end);
  return true;
}

/** Meraki, from its seconds since 1970: `<134>1 1764410400.123456789 MX84 events …`. The message is all of it. */
function meraki(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const { stamp } = h;
  if (!stamp.parse(b, at, end) || stamp.shape !== SHAPE.epoch || b[stamp.end] !== SPACE)
    return false;
  const host = stamp.end + 1;
  let hostEnd = host;
  while (hostEnd < end && b[hostEnd] !== SPACE) hostEnd++;
  if (hostEnd === end || !isHost(b, host, hostEnd)) return false;
  h.dated = true;
  h.leading = true;
  h.hostStart = host;
  h.hostEnd = hostEnd;
  return true;
}

const DHCP_TIME = ',00/00/00,00:00:00,';

/**
 * Whether an address or nothing, and two more columns, follow the action at `at`. Other lists order their dates
 * differently.
 */
function isLease(b: Uint8Array, at: number, end: number): boolean {
  const address = b.indexOf(COMMA, at) + 1;
  const name = b.indexOf(COMMA, address) + 1;
  const last = b.indexOf(COMMA, name) + 1;
  if (address === 0 || name === 0 || last === 0 || last > end) return false;
  return address === name - 1 || addressEnd(b, address, name - 1) === name - 1;
}

/** Microsoft's DHCP server, in whatever country: `10,12/06/21,12:43:57,Assign,…`, month first. */
function dhcpServer(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let p = at;
  while (p < at + 5 && isDigit(b[p]!)) p++;
  if (p < at + 2 || p + 20 > end || !isAlnum(b[p + 19]!)) return false;
  for (let i = 0; i < DHCP_TIME.length; i++) {
    const mark = DHCP_TIME.charCodeAt(i);
    if (mark === 48 ? !isDigit(b[p + i]!) : b[p + i] !== mark) return false;
  }
  if (!isLease(b, p + 19, end)) return false;
  // Put together as one writing of date and time: `2021-12-06T12:43:57`.
  const { joined } = h;
  joined[0] = 50;
  joined[1] = 48;
  for (let i = 0; i < 2; i++) {
    joined[2 + i] = b[p + 7 + i]!;
    joined[5 + i] = b[p + 1 + i]!;
    joined[8 + i] = b[p + 4 + i]!;
  }
  joined[4] = MINUS;
  joined[7] = MINUS;
  joined[10] = 84;
  for (let i = 0; i < 8; i++) joined[11 + i] = b[p + 10 + i]!;
  if (!h.stamp.parse(joined, 0, 19) || h.stamp.shape !== SHAPE.isoT) return false;
  h.dated = true;
  h.leading = true;
  h.messageStart = at;
  return true;
}

/** Whether a time begins a record. SQL Server writes the indented date of its build on a line of its own. */
function isRecord(h: Header, b: Uint8Array, end: number, isIndented: boolean): boolean {
  return !isIndented || skipSpaces(b, h.stamp.end, end) < end;
}

/** A line with a number before its time. */
function numbered(h: Header, b: Uint8Array, at: number, end: number): boolean {
  if (b[at] === PAREN) return fileZilla(h, b, at, end);
  if (!isDigit(b[at]!)) return false;
  return sequenced(h, b, at, end) || dhcpServer(h, b, at, end) || zabbix(h, b, at, end);
}

/** Zabbix, whose process numbers are padded: `  1234:20261203:100000.123 Starting Zabbix Server. …`. */
function zabbix(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const number = skipSpaces(b, at, end);
  let p = number;
  while (p < end && p < number + 10 && isDigit(b[p]!)) p++;
  if (p === number || b[p] !== COLON || b[p + 9] !== COLON || b[p + 16] !== 46) return false;
  if (b[p + 20] !== SPACE || !h.stamp.parse(b, p + 1, end) || h.stamp.end !== p + 20) return false;
  if (h.stamp.shape !== SHAPE.yearFirst) return false;
  h.dated = true;
  h.leading = true;
  h.pid = numberOf(b, number, p, 0xffffffff);
  h.messageStart = p + 21;
  return true;
}

/**
 * FileZilla Server before 1.0, with the number of the session and the date of the system's language:
 * `(000001)12/3/2026 10:00:00 - alice (192.0.2.17)> 230 Logged on`. The message is all of it.
 */
function fileZilla(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let p = at + 1;
  while (p < end && p < at + 11 && isDigit(b[p]!)) p++;
  if (p < at + 7 || b[p] !== PAREN_END) return false;
  p = skipSpaces(b, p + 1, end);
  const { stamp } = h;
  if (!stamp.parse(b, p, end) || !(isFirm(stamp) || stamp.shape === SHAPE.guessed)) return false;
  if (!startsWith(b, stamp.end, end, ' - ')) return false;
  h.dated = true;
  h.leading = true;
  h.messageStart = at;
  return true;
}

/**
 * Thunderbird, BGL and kin: `- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228/dn228 tag: …`,
 * `- 1117838570 2005.06.03 R02-M1 2005-06-03-15.42.50.675872 R02-M1 RAS KERNEL INFO …`.
 */
function supercomputer(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let p = at;
  while (p < end && p < at + 24 && b[p] !== SPACE) p++;
  if (b[p] !== SPACE || !isDigit(b[p + 1]!) || p + 24 > end || b[p + 11] !== SPACE) return false;
  const epochAt = p + 1;
  for (let i = 0; i < 10; i++) if (!isDigit(b[epochAt + i]!)) return false;
  p = epochAt + 11;
  if (b[p + 4] !== 46 || b[p + 7] !== 46 || b[p + 10] !== SPACE) return false;
  const host = p + 11;
  p = host;
  while (p < end && b[p] !== SPACE) p++;
  if (p === host || !h.inner.parse(b, p + 1, end)) return false;
  if (h.inner.shape !== SHAPE.bsd && h.inner.shape !== SHAPE.yearFirst) return false;
  if (!h.stamp.parse(b, epochAt, end) || h.stamp.shape !== SHAPE.epoch) return false;
  h.dated = true;
  h.leading = true;
  // The text between is a location, or the host again.
  let q = skipSpaces(b, h.inner.end, end);
  while (q < end && b[q] !== SPACE) q++;
  q = skipSpaces(b, q, end);
  h.messageStart = q;
  program(h, b, q, end, true);
  h.hostStart = host;
  h.hostEnd = p;
  return true;
}
