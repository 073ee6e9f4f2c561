/**
 * What a log line says before its message: priority, time, host, program and the rest.
 *
 * `parseHeader` fills a `Header` with places in the line's bytes; nothing is copied or allocated.
 * RFC 5424 section 6, RFC 3164 sections 4 and 5, and writings found in the wild (docs/importers/
 * syslog.md lists them). It never throws, whatever the bytes are.
 */
import { addressEnd } from '../../engine/fields/cutting/values.ts';
import { epochPlace, markedPlace, namedPlace, positionPlace } from './places.ts';
import { daysFromCivil } from '../shared/bytes.ts';
import { SHAPE, Stamp } from '../shared/stamp.ts';

const SPACE = 32;
const COMMA = 44;
const COLON = 58;
const LT = 60;
const GT = 62;
const OPEN = 91;
const CLOSE = 93;
const QUOTE = 34;
const MINUS = 45;
const BAR = 124;
const PERCENT = 37;
const ESCAPE = 27;
/** Cisco's mark before the time of a clock that is not set: `*Mar  1 1993 00:00:46`. */
const UNSET = 42;

/** How far into a line its time may be. */
const INSIDE = 300;
const INSIDE_JSON = 2048;
/** Longest name that is taken for a host, a program or a Cisco mnemonic. */
const MAX_NAME = 255;

export class Header {
  readonly stamp = new Stamp();
  /** A second time of the same line: only what follows it counts. */
  readonly inner = new Stamp();
  /** Room to put a date and a time together that stand apart. */
  readonly joined = new Uint8Array(19);
  /** Set to look for times alone, for a look-ahead: hosts, tags and messages are then left out. */
  timesOnly = false;
  /** Places further on in a line where times are taken; undefined while they are looked for: any. */
  places: readonly number[] | undefined;
  /** The places of the time that was found further on, when `places` is undefined. */
  readonly foundAt = [0, 0, 0];
  /** The place of the first number that may be seconds since 1970, and that; 0 when there is none. */
  epochAt = 0;
  epochSeconds = 0;
  /** Whether the year in `stamp` was inferred. */
  yearDecided = false;
  /** Whether `stamp` holds a date and time. */
  dated = false;
  /** Whether the time stands at the line's beginning (after a priority). */
  leading = false;
  /** Whether the year of the line's date may be that of other lines, which state none. */
  tellsYear = true;
  facility = -1;
  severity = -1;
  pid = -1;
  /** Places in the bytes that were parsed; a start of -1 means there is none. */
  hostStart = -1;
  hostEnd = 0;
  programStart = -1;
  programEnd = 0;
  procidStart = -1;
  procidEnd = 0;
  eventStart = -1;
  eventEnd = 0;
  sdStart = -1;
  sdEnd = 0;
  uptimeStart = -1;
  uptimeEnd = 0;
  sequenceStart = -1;
  sequenceEnd = 0;
  /** The address of the device, which a relay put before its line. */
  originStart = -1;
  originEnd = 0;
  messageStart = 0;
  messageEnd = 0;

  reset(start: number, end: number): void {
    this.dated = false;
    this.leading = false;
    this.tellsYear = true;
    this.yearDecided = false;
    this.epochAt = 0;
    this.facility = -1;
    this.severity = -1;
    this.pid = -1;
    this.hostStart = -1;
    this.programStart = -1;
    this.procidStart = -1;
    this.eventStart = -1;
    this.sdStart = -1;
    this.uptimeStart = -1;
    this.sequenceStart = -1;
    this.originStart = -1;
    this.messageStart = start;
    this.messageEnd = end;
  }

  /** Follows its bytes to where they were moved, `by` to the left. */
  move(by: number): void {
    if (this.hostStart >= 0) this.hostStart -= by;
    this.hostEnd -= by;
    if (this.programStart >= 0) this.programStart -= by;
    this.programEnd -= by;
    if (this.procidStart >= 0) this.procidStart -= by;
    this.procidEnd -= by;
    if (this.eventStart >= 0) this.eventStart -= by;
    this.eventEnd -= by;
    if (this.sdStart >= 0) this.sdStart -= by;
    this.sdEnd -= by;
    if (this.uptimeStart >= 0) this.uptimeStart -= by;
    this.uptimeEnd -= by;
    if (this.sequenceStart >= 0) this.sequenceStart -= by;
    this.sequenceEnd -= by;
    if (this.originStart >= 0) this.originStart -= by;
    this.originEnd -= by;
    this.messageStart -= by;
    this.messageEnd -= by;
  }
}

export function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

function allDigits(b: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (!isDigit(b[i]!)) return false;
  return true;
}

export function isAlnum(c: number): boolean {
  const low = c | 32;
  return (c >= 48 && c <= 57) || (low >= 97 && low <= 122);
}

export function startsWith(b: Uint8Array, at: number, end: number, text: string): boolean {
  if (at + text.length > end) return false;
  for (let i = 0; i < text.length; i++) if (b[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

function skipSpaces(b: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && (b[i] === SPACE || b[i] === 9)) i++;
  return i;
}

/** Words for severities, in lower case; `trace` and `verbose` count as debug. */
const LEVELS: readonly (readonly [string, number])[] = [
  ['emerg', 0],
  ['emergency', 0],
  ['panic', 0],
  ['alert', 1],
  ['crit', 2],
  ['critical', 2],
  ['fatal', 2],
  ['err', 3],
  ['error', 3],
  ['severe', 3],
  ['warn', 4],
  ['warning', 4],
  ['notice', 5],
  ['info', 6],
  ['information', 6],
  ['debug', 7],
  ['trace', 7],
  ['verbose', 7],
];
const FACILITY_WORDS = [
  'kern',
  'user',
  'mail',
  'daemon',
  'auth',
  'syslog',
  'lpr',
  'news',
  'uucp',
  'cron',
  'authpriv',
  'ftp',
];

function sameWord(b: Uint8Array, start: number, end: number, word: string): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++)
    if ((b[start + i]! | 32) !== word.charCodeAt(i)) return false;
  return true;
}

/** The severity that a word names, or -1. */
function levelOf(b: Uint8Array, start: number, end: number): number {
  const n = end - start;
  if (n < 3 || n > 11) return -1;
  for (let i = 0; i < LEVELS.length; i++) {
    if (sameWord(b, start, end, LEVELS[i]![0])) return LEVELS[i]![1];
  }
  return -1;
}

/** The facility that a word names, or -1. */
function facilityOf(b: Uint8Array, start: number, end: number): number {
  for (let k = 0; k < FACILITY_WORDS.length; k++) {
    if (sameWord(b, start, end, FACILITY_WORDS[k]!)) return k;
  }
  const digit = b[end - 1]! - 48;
  return digit >= 0 && digit <= 7 && sameWord(b, start, end - 1, 'local') ? 16 + digit : -1;
}

/** Whether the first letter can begin a level's name: spares most lines the comparison. */
function mayBeLevel(c: number): boolean {
  switch (c | 32) {
    case 97:
    case 99:
    case 100:
    case 101:
    case 102:
    case 105:
    case 110:
    case 112:
    case 115:
    case 116:
    case 118:
    case 119:
      return true;
    default:
      return false;
  }
}

/**
 * Reads the header of `b[start, end)` into `h`. False when the line has none that is known; then the
 * message is the whole line.
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
    statedOffset(h, b, behindPriority(b, start, end), end);
  }
  return known;
}

/** Where the line goes on behind its priority, if it has one. */
function behindPriority(b: Uint8Array, at: number, end: number): number {
  if (b[at] !== LT) return at;
  let i = at + 1;
  while (i < end && isDigit(b[i]!)) i++;
  return i < end && b[i] === GT ? i + 1 : at;
}

/** Kiwi's relay puts `Original Address=192.0.2.9 ` before what it forwards. @returns where that begins */
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
  if (c === SPACE || c === 9) {
    // One blank before a time is carelessness; more is an indented line.
    if (known) p = skipSpaces(b, p, end);
    else p++;
    if (p >= end) return known;
    if (h.stamp.parse(b, p, end) && h.stamp.shape !== SHAPE.timeOnly && isFirm(h.stamp)) {
      return afterStamp(h, b, p, end);
    }
    // After one blank a time may be at the place where the log's lines have it.
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
    if (isDigit(c) && (sequenced(h, b, p, end) || dhcpServer(h, b, p, end))) return true;
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
  // Cisco's devices may be set to write no time.
  if (h.eventStart >= 0) return true;
  // A JSON object a line is a record of its own, time or not.
  if (c === 123 && b[p + 1] === QUOTE && b[end - 1] === 125) return true;
  if (known) tag(h, b, p, end, false, false);
  return known;
}

/** Shapes that leave no doubt, so that they may be taken where other text is more likely. */
function isFirm(stamp: Stamp): boolean {
  switch (stamp.shape) {
    case SHAPE.guessed:
    case SHAPE.monthDay:
    case SHAPE.epoch:
    case SHAPE.timeOnly:
    case SHAPE.none:
      return false;
    default:
      return true;
  }
}

/** The place after the count of a frame (RFC 6587) that a file of lines has kept: `535 <14>1 …`. */
function counted(b: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && i < at + 7 && isDigit(b[i]!)) i++;
  return i > at && b[i] === SPACE && b[i + 1] === LT && isDigit(b[i + 2]!) ? i + 1 : at;
}

/** Whether a date, with RFC 5424's version before it or without, is behind the priority at `at`: lines of an event may begin so, too. */
function isTimeBehind(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let p = behindPriority(b, at, end);
  if (p === at) return false;
  p = skipSpaces(b, p, end);
  if (b[p] === 49 && b[p + 1] === SPACE) p += 2;
  const { stamp } = h;
  return stamp.parse(b, p, end) && (isFirm(stamp) || stamp.shape === SHAPE.guessed);
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

/** The place after control sequences for a terminal, such as those for colours: ECMA-48 section 5.4. */
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

/** What follows a time, by the way the time is written. */
function afterStamp(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const stamp = h.stamp;
  let q = stamp.end;
  if (q < end && b[q] === ESCAPE) q = skipColours(b, q, end);
  if (stamp.shape === SHAPE.timeOnly) {
    // No date: the line is a record, but has no time that can be placed.
    h.messageStart = at;
    return true;
  }
  h.dated = true;
  h.leading = true;
  if (h.timesOnly) return true;
  if (stamp.shape === SHAPE.bsd) {
    tag(h, b, zoneBeforeHost(h, b, q, end), end, true, true);
    return true;
  }
  if (stamp.shape === SHAPE.isoT) {
    if (b[q] === SPACE) {
      if (!protocol23(h, b, q + 1, end)) tag(h, b, q, end, false, true);
      return true;
    }
  } else if (stamp.shape === SHAPE.yearFirst && b[q] === SPACE) {
    tag(h, b, q, end, false, false);
    return true;
  }
  plainMessage(h, b, q, end);
  return true;
}

/** Cisco's zone where a host follows it: `Aug  7 10:29:42 UTC fw1 : %FTD-6-…`. @returns where the zone ends, or `at` */
function zoneBeforeHost(h: Header, b: Uint8Array, at: number, end: number): number {
  if (h.stamp.zoned || b[at] !== SPACE) return at;
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

/** The text after a time that has neither host nor tag, without what separates it from the time. */
function plainMessage(h: Header, b: Uint8Array, at: number, end: number): void {
  let i = skipSpaces(b, at, end);
  if (i < end) {
    const c = b[i]!;
    // But not of an address: `::1 - - …`.
    const isColon = c === COLON && b[i + 1] !== COLON;
    if (isColon || c === 44 || c === 124 || c === 59) i = skipSpaces(b, i + 1, end);
    else if (c === MINUS && b[i + 1] === SPACE) i = skipSpaces(b, i + 2, end);
  }
  h.messageStart = i;
  level(h, b, i, end);
}

/** Apache and nginx: `[error]`, `[core:error]`. */
function level(h: Header, b: Uint8Array, at: number, end: number): void {
  if (h.severity >= 0 || at >= end || b[at] !== OPEN) return;
  let from = at + 1;
  let i = from;
  while (i < end && i < at + 40 && b[i] !== CLOSE && b[i] !== SPACE) {
    if (b[i] === COLON) from = i + 1;
    i++;
  }
  if (i < end && b[i] === CLOSE) h.severity = levelOf(b, from, i);
}

/** What is written like a program before a mnemonic is the device, or behind its name the zone of its time. */
function deviceName(h: Header, b: Uint8Array, event: number): void {
  if (h.hostStart < 0) {
    if (!isHost(b, h.programStart, h.programEnd)) return;
    if (sinceBoot(b, h.programStart, h.messageEnd) !== event) {
      h.hostStart = h.programStart;
      h.hostEnd = h.programEnd;
    } else {
      h.uptimeStart = h.programStart;
      h.uptimeEnd = event - 2;
    }
  } else {
    if (h.programEnd - h.programStart > 5) return;
    for (let i = h.programStart; i < h.programEnd; i++) if (b[i]! < 65 || b[i]! > 90) return;
  }
  h.programStart = -1;
  h.messageStart = event;
}

/**
 * HOST and TAG as RFC 3164 has them, and Cisco's and BSD's ways.
 * @param lenient the first word is a host unless it looks like a tag; otherwise only when a tag
 *   follows it
 * @param colonIsTag whether, when not lenient, `name:` makes a tag, or only `name[123]`
 */
function tag(
  h: Header,
  b: Uint8Array,
  at: number,
  end: number,
  lenient: boolean,
  colonIsTag: boolean,
): void {
  let q = at;
  if (b[q] === COLON) {
    // Cisco: `Mar  1 18:46:11: %SYS-5-CONFIG_I: …`.
    q = skipSpaces(b, q + 1, end);
    h.messageStart = q;
    mnemonic(h, b, q, end);
    if (h.eventStart < 0) program(h, b, q, end, true);
    return;
  }
  if (!lenient && b[q] !== SPACE && at !== h.messageStart) {
    plainMessage(h, b, q, end);
    return;
  }
  q = skipSpaces(b, q, end);
  h.messageStart = q;
  if (q >= end) return;
  if (b[q] === LT) q = verbose(h, b, q, end);
  const first = q;
  let bracketed = false;
  while (q < end) {
    const c = b[q]!;
    if (c === SPACE || c === 9) break;
    if (c === OPEN) bracketed = true;
    q++;
  }
  const wordEnd = q;
  if (wordEnd === first) return;
  if (lenient) hostAndTag(h, b, first, wordEnd, end, bracketed);
  else strictTag(h, b, first, wordEnd, end, bracketed, colonIsTag);
}

/** The word is a level, a tag, or a host that a tag follows. */
function strictTag(
  h: Header,
  b: Uint8Array,
  first: number,
  wordEnd: number,
  end: number,
  bracketed: boolean,
  colonIsTag: boolean,
): void {
  const c = b[first]!;
  if (mayBeLevel(c)) {
    const bare = b[wordEnd - 1] === COLON ? wordEnd - 1 : wordEnd;
    const severity = levelOf(b, first, bare);
    if (severity >= 0) {
      if (h.severity < 0) h.severity = severity;
      if (bare === wordEnd) program(h, b, skipSpaces(b, wordEnd, end), end, colonIsTag);
      return;
    }
  }
  if (!isAlnum(c) && c !== 47 && c !== 95) {
    if (c === COLON || c === 44 || c === 124 || c === MINUS || c === OPEN)
      plainMessage(h, b, first, end);
    return;
  }
  if (b[wordEnd - 1] === COLON || bracketed) {
    program(h, b, first, end, true);
    // Asterisk: `NOTICE[1638] …`.
    if (h.programStart >= 0 && mayBeLevel(c)) {
      const severity = levelOf(b, h.programStart, h.programEnd);
      if (severity >= 0) h.programStart = -1;
      if (severity >= 0 && h.severity < 0) h.severity = severity;
    }
    return;
  }
  if (!isHost(b, first, wordEnd)) return;
  let next = skipSpaces(b, wordEnd, end);
  if (next >= end) return;
  // `2026-11-27T10:15:22Z fw1 : %FTD-6-430002: …`.
  if (b[next] === COLON && b[next + 1] === SPACE && b[next + 2] === PERCENT) next += 2;
  // Cisco's devices name no program: `2026-11-27T10:15:22Z fw1 %FTD-6-430002: …`.
  if (!mnemonicAt(h, b, next, end)) {
    if (b[next] === PERCENT) return;
    const isSure = h.facility >= 0 || addressEnd(b, first, wordEnd) === wordEnd;
    const isTagged =
      isEventFormat(b, next, end) || panDate(b, next, end) > 0 || (isSure && isPairs(b, next, end));
    if (!isTagged && !program(h, b, next, end, colonIsTag)) return;
  }
  h.hostStart = first;
  h.hostEnd = wordEnd;
  h.messageStart = next;
}

/** The word after a time of RFC 3164: mostly a host. */
function hostAndTag(
  h: Header,
  b: Uint8Array,
  first: number,
  wordEnd: number,
  end: number,
  bracketed: boolean,
): void {
  const c = b[first]!;
  if (c === PERCENT) {
    mnemonic(h, b, first, end);
    return;
  }
  if (b[wordEnd - 1] === COLON || bracketed) {
    // A tag without a host: `Jun 21 16:47:48 sshd[1]: …`; Cisco's sequence number is no program.
    if (!sequenced(h, b, first, end)) program(h, b, first, end, true);
    return;
  }
  if (b[wordEnd + 1] === OPEN && wordEnd + 2 < end && isDigit(b[wordEnd + 2]!)) {
    // `sogod [26818]: …`: a blank before the process number.
    if (program(h, b, first, end, true)) return;
  }
  if (!isHost(b, first, wordEnd)) return;
  if (c === 108 && wordEnd - first === 4 && startsWith(b, first, end, 'last message repeated'))
    return;
  h.hostStart = first;
  h.hostEnd = wordEnd;
  let q = skipSpaces(b, wordEnd, end);
  h.messageStart = q;
  if (q >= end) return;
  if (b[q] === COLON && b[q + 1] === SPACE) {
    // `host : %ASA-6-302013: …`.
    q = skipSpaces(b, q + 1, end);
    h.messageStart = q;
  }
  if (mnemonicAt(h, b, q, end) || b[q] === PERCENT) return;
  if (isDigit(b[q]!) && sequenced(h, b, q, end)) return;
  if (mayBeLevel(b[q]!) && levelled(h, b, q, end)) return;
  if (program(h, b, q, end, true) && c === 83) programFirst(h, b, first, wordEnd, end);
}

/** Symantec's manager names itself before its host: `Dec 12 17:07:08 SymantecServer av1.example.com: …`. */
function programFirst(h: Header, b: Uint8Array, first: number, wordEnd: number, end: number): void {
  if (wordEnd - first !== 14 || !startsWith(b, first, wordEnd, 'SymantecServer')) return;
  h.hostStart = h.programStart;
  h.hostEnd = h.programEnd;
  h.programStart = first;
  h.programEnd = wordEnd;
  h.messageStart = skipSpaces(b, h.hostEnd + 1, end);
}

/** F5 names the level between host and program: `bigip1 notice mcpd[5555]: …`. */
function levelled(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let i = at;
  while (i < end && isAlnum(b[i]!)) i++;
  const severity = b[i] === SPACE ? levelOf(b, at, i) : -1;
  if (severity < 0 || !program(h, b, i + 1, end, true)) return false;
  if (h.severity < 0) h.severity = severity;
  h.messageStart = i + 1;
  return true;
}

/** Characters of host names and addresses. */
function isHost(b: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_NAME) return false;
  const first = b[start]!;
  if (!isAlnum(first) && first !== COLON && first !== 95 && first < 128) return false;
  for (let i = start; i < end; i++) {
    const c = b[i]!;
    if ((c >= 45 && c <= 58) || (c >= 64 && c <= 90) || (c >= 95 && c <= 122) || c >= 128) continue;
    if (c === 37 || c === 126 || c === 43) continue;
    return false;
  }
  return true;
}

/** FreeBSD's `syslogd -v`: `<4.3>` or `<auth.err>` after the time; the place after it. */
function verbose(h: Header, b: Uint8Array, at: number, end: number): number {
  let i = at + 1;
  let dot = 0;
  while (i < end && i < at + 24 && b[i] !== GT) {
    if (b[i] === 46) dot = i;
    i++;
  }
  if (i >= end || b[i] !== GT || dot === 0) return at;
  let facility = -1;
  let severity = -1;
  if (isDigit(b[at + 1]!)) {
    facility = dot === at + 2 ? b[at + 1]! - 48 : (b[at + 1]! - 48) * 10 + (b[at + 2]! - 48);
    severity = b[dot + 1]! - 48;
    if (i !== dot + 2 || dot > at + 3 || facility > 23 || severity > 7 || severity < 0) return at;
  } else {
    facility = facilityOf(b, at + 1, dot);
    severity = levelOf(b, dot + 1, i);
    if (facility < 0 || severity < 0) return at;
  }
  h.facility = facility;
  h.severity = severity;
  const after = skipSpaces(b, i + 1, end);
  h.messageStart = after;
  return after;
}

/**
 * `name:`, `name[123]:`, `name[123]`, `name [123]:` at `at`: sets program and process, and looks
 * for what the kernel and Cisco write after it. False when there is no tag.
 */
function program(h: Header, b: Uint8Array, at: number, end: number, colonIsTag: boolean): boolean {
  let i = at;
  const limit = at + MAX_NAME < end ? at + MAX_NAME : end;
  let c = 0;
  while (i < limit) {
    c = b[i]!;
    if (c === COLON || c === OPEN || c === SPACE) break;
    if (c < 33 || c === QUOTE || c === LT || c === GT || c === 61 || c === 44 || c === 123)
      return false;
    if (c === 59 || c === 124 || c === CLOSE || c === 39) return false;
    i++;
  }
  if (
    i === at ||
    i >= limit ||
    !(
      isAlnum(b[at]!) ||
      b[at] === 47 ||
      b[at] === 95 ||
      b[at] === 40 ||
      b[at] === 45 ||
      b[at] === 46
    )
  ) {
    return false;
  }
  let nameEnd = i;
  let open = i;
  if (c === SPACE) {
    if (b[i + 1] === OPEN && i + 2 < end && isDigit(b[i + 2]!)) open = i + 1;
    else {
      const words = colonIsTag ? spacedName(b, i, end) : 0;
      if (words === 0) return false;
      open = words;
      nameEnd = words;
      c = OPEN;
    }
  }
  if (c === COLON) {
    if (!colonIsTag || isEventFormat(b, at, end)) return false;
    const next = i + 1 < end ? b[i + 1]! : SPACE;
    if (next === COLON || next === 47 || next === 92) return false;
    if (next !== SPACE && isDigit(b[at]!)) return false;
    i++;
  } else {
    i = processId(h, b, open, limit, end, c === SPACE);
    if (i < 0) return false;
  }
  h.programStart = at;
  h.programEnd = nameEnd;
  if (i < end && b[i] === SPACE) i++;
  if (i < end) {
    if (b[i] === PERCENT) {
      mnemonic(h, b, i, end);
      if (c === COLON && h.eventStart >= 0) deviceName(h, b, i);
    } else if (b[i] === OPEN && nameEnd - at === 6 && startsWith(b, at, end, 'kernel')) {
      uptime(h, b, i, end);
    } else if (b[i] === OPEN && h.facility < 0 && b[i + 1] === 73) solaris(h, b, i, end);
  }
  return true;
}

/** `[1638]:` or `[worker-3]:` at `open`: the place after it, or -1. @param isApart whether a blank is before it */
function processId(
  h: Header,
  b: Uint8Array,
  open: number,
  limit: number,
  end: number,
  isApart: boolean,
): number {
  let value = 0;
  let numeric = true;
  let i = open + 1;
  while (i < limit && b[i] !== CLOSE) {
    const d = b[i]! - 48;
    if (d < 0 || d > 9) {
      numeric = false;
      if (b[i] === SPACE) return -1;
    } else value = value * 10 + d;
    i++;
  }
  if (i >= limit || i === open + 1) return -1;
  const colon = i + 1 < end && b[i + 1] === COLON;
  if (numeric && value <= 0xffffffff) {
    if (isApart && !colon) return -1;
    h.pid = value;
  } else {
    if (!colon) return -1;
    h.procidStart = open + 1;
    h.procidEnd = i;
  }
  return i + (colon ? 2 : 1);
}

/** Solaris: `[ID 800047 auth.error]` after the tag. */
function solaris(h: Header, b: Uint8Array, at: number, end: number): void {
  if (!startsWith(b, at, end, '[ID ')) return;
  let i = at + 4;
  while (i < end && i < at + 16 && isDigit(b[i]!)) i++;
  if (b[i] !== SPACE) return;
  const from = ++i;
  let dot = 0;
  while (i < end && i < from + 24 && b[i] !== CLOSE) {
    if (b[i] === 46) dot = i;
    i++;
  }
  if (i >= end || b[i] !== CLOSE || dot === 0) return;
  const facility = facilityOf(b, from, dot);
  const severity = levelOf(b, dot + 1, i);
  if (facility < 0 || severity < 0) return;
  h.facility = facility;
  h.severity = severity;
}

/** macOS: `Microsoft Word[14463]: …`. The place of the bracket when a process number follows, or 0. */
function spacedName(b: Uint8Array, at: number, end: number): number {
  const limit = at + 32 < end ? at + 32 : end;
  let words = 1;
  let i = at;
  while (i < limit && b[i] !== OPEN) {
    const c = b[i]!;
    if (c === SPACE) {
      words++;
      if (words > 3 || b[i + 1] === SPACE) return 0;
    } else if (!isAlnum(c) && c !== 46 && c !== MINUS && c !== 95) return 0;
    i++;
  }
  const open = i;
  if (i >= limit || b[open - 1] === SPACE) return 0;
  i++;
  while (i < end && i < open + 11 && isDigit(b[i]!)) i++;
  return i > open + 1 && b[i] === CLOSE && b[i + 1] === COLON ? open : 0;
}

/** `[12345.678901]`: the place after it, or 0. */
function uptime(h: Header, b: Uint8Array, at: number, end: number): number {
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
function mnemonic(h: Header, b: Uint8Array, at: number, end: number): void {
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
function mnemonicAt(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const sign = startsWith(b, at, end, 'Alerts %') ? at + 7 : at;
  if (b[sign] === PERCENT) mnemonic(h, b, sign, end);
  return h.eventStart >= 0;
}

/** Cisco's sequence number, `000123: `, and the time and mnemonic after it. */
function sequenced(h: Header, b: Uint8Array, at: number, end: number): boolean {
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
      // `123: router: 456: *Mar  1 …`: the device's own number, too.
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
    // No zone has a digit: `17: Mar  4 05:06:07 sw1: %SYS-5-…`, `17: Mar  4 05:06:07 eth1: down`.
    if (hasDigit(b, zone, dated) && !allDigits(b, zone + 1, dated)) {
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

function hasDigit(b: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (isDigit(b[i]!)) return true;
  return false;
}

/** Cisco's time since the device started, `2y10w: %…`, `1d03h: %…`, `00:00:46: %…`. @returns where its mnemonic begins, or 0 */
function sinceBoot(b: Uint8Array, at: number, end: number): number {
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

/** Where a device's name ends that a blank, or a colon and a blank, follow. */
function nameBefore(b: Uint8Array, at: number, end: number): number {
  let w = at;
  while (w < end && w - at <= MAX_NAME && b[w] !== SPACE) w++;
  return b[w] === SPACE && b[w - 1] === COLON ? w - 1 : w;
}

/** Reads the mnemonic behind a time and a colon, with the name of a zone before that or without. @returns whether there is one */
function isMnemonicNext(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const p = zoneEnd(b, at, end);
  return b[p] === COLON && b[p + 1] === SPACE && mnemonicAt(h, b, p + 2, end);
}

/**
 * Cisco's `logging origin-id hostname`: `router1: Oct 19 16:07:39.018 CET: %SYS-5-CONFIG_I: …`, and without the colon,
 * `router1 Oct 19 16:07:39 CET: %…`.
 */
function ciscoHost(h: Header, b: Uint8Array, at: number, end: number): boolean {
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

/** Where the name of a zone ends that nobody else knows and a colon follows: `… 18:46:11 SGT: %…`, `… UTC : %…`. */
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

/** Meraki, from its seconds since 1970 on: `<134>1 1764410400.123456789 MX84 events …`. The message has all of it. */
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

/** RFC 5424 from its TIMESTAMP on. False when it is not that, with the header as it was. */
function rfc5424(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const stamp = h.stamp;
  let p = at;
  let dated = false;
  if (b[p] === MINUS && (p + 1 === end || b[p + 1] === SPACE)) p += 1;
  else if (stamp.parse(b, p, end) && stamp.shape === SHAPE.isoT) {
    dated = true;
    p = stamp.end;
  } else return false;
  if (p < end && b[p] !== SPACE) return false;
  if (!fields5424(h, b, p, end, false)) return false;
  h.dated = dated;
  h.leading = true;
  return true;
}

/** The same without priority and version, as rsyslog's SyslogProtocol23Format files have it. */
function protocol23(h: Header, b: Uint8Array, at: number, end: number): boolean {
  // Five words of which none is a tag; most lines of other kinds fail at the second.
  let i = at;
  while (i < end && b[i] !== SPACE) i++;
  i++;
  while (i < end && b[i] !== SPACE) {
    if (b[i] === OPEN || b[i] === COLON) return false;
    i++;
  }
  if (i >= end || startsWith(b, at, end, 'stdout F ') || startsWith(b, at, end, 'stderr F ')) {
    return false;
  }
  return fields5424(h, b, at - 1, end, true);
}

/** HOSTNAME to MSG, from the blank before HOSTNAME. */
function fields5424(h: Header, b: Uint8Array, at: number, end: number, strict: boolean): boolean {
  let p = at;
  let host = -1;
  let hostEnd = 0;
  let app = -1;
  let appEnd = 0;
  let proc = -1;
  let procEnd = 0;
  let id = -1;
  let idEnd = 0;
  for (let k = 0; k < 4; k++) {
    if (p >= end || b[p] !== SPACE) return false;
    const from = ++p;
    if (k > 0 && !strict && isPayload(b, from, end)) {
      // Some devices leave out what is between HOSTNAME and MSG.
      h.hostStart = host;
      h.hostEnd = hostEnd;
      h.programStart = app;
      h.programEnd = appEnd;
      h.messageStart = from;
      return true;
    }
    while (p < end && b[p] !== SPACE) p++;
    if (p === from || p - from > MAX_NAME) return false;
    const nil = p === from + 1 && b[from] === MINUS;
    if (strict && k < 2 && !nil && !isHost(b, from, p)) return false;
    if (k === 0) host = nil ? -1 : from;
    else if (k === 1) app = nil ? -1 : from;
    else if (k === 2) {
      if (strict && !nil && !allDigits(b, from, p)) return false;
      proc = nil ? -1 : from;
    } else id = nil ? -1 : from;
    if (k === 0) hostEnd = p;
    else if (k === 1) appEnd = p > from + 1 && b[p - 1] === COLON ? p - 1 : p;
    else if (k === 2) procEnd = p;
    else idEnd = p;
  }
  let sd = -1;
  let sdEnd = 0;
  if (p < end) {
    // b[p] is the blank before STRUCTURED-DATA.
    p++;
    if (b[p] === MINUS && (p + 1 === end || b[p + 1] === SPACE)) p++;
    else if (p < end && b[p] === OPEN) {
      const after = structuredData(b, p, end);
      if (after > 0) {
        sd = p;
        sdEnd = after;
        p = after;
      } else if (strict) return false;
    } else if (strict) return false;
    if (p < end && b[p] === SPACE) p++;
  } else if (strict) return false;
  h.hostStart = host;
  h.hostEnd = hostEnd;
  h.programStart = app;
  h.programEnd = appEnd;
  if (proc >= 0) {
    let value = 0;
    let i = proc;
    while (i < procEnd && isDigit(b[i]!)) value = value * 10 + (b[i++]! - 48);
    if (i === procEnd && value <= 0xffffffff) h.pid = value;
    else {
      h.procidStart = proc;
      h.procidEnd = procEnd;
    }
  }
  h.eventStart = id;
  h.eventEnd = idEnd;
  h.sdStart = sd;
  h.sdEnd = sdEnd;
  if (p + 2 < end && b[p] === 0xef && b[p + 1] === 0xbb && b[p + 2] === 0xbf) p += 3;
  h.messageStart = p;
  return true;
}

/** Whether a message is here that begins as no name does: an object of JSON, CEF, LEEF, a firewall's pairs, or columns (`1,2026/03/04 …`). */
function isPayload(b: Uint8Array, at: number, end: number): boolean {
  if (b[at] === 123 && b[at + 1] === QUOTE) return true;
  return isPairs(b, at, end) || (isDigit(b[at]!) && b[at + 1] === 44) || isEventFormat(b, at, end);
}

/** Pairs as messages of Fortinet's, Sophos's, Stormshield's and SonicWall's firewalls begin with. */
function isPairs(b: Uint8Array, at: number, end: number): boolean {
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

/** The end of `[id name="value" …][…]`, or 0 when it is not well-formed. */
function structuredData(b: Uint8Array, at: number, end: number): number {
  let p = at;
  while (p < end && b[p] === OPEN) {
    p++;
    const id = p;
    while (p < end && b[p]! > SPACE && b[p] !== CLOSE && b[p] !== QUOTE && b[p] !== 61) p++;
    if (p === id) return 0;
    for (;;) {
      while (p < end && b[p] === SPACE) p++;
      if (p >= end) return 0;
      if (b[p] === CLOSE) break;
      const name = p;
      while (p < end && b[p]! > SPACE && b[p] !== 61 && b[p] !== CLOSE && b[p] !== QUOTE) p++;
      if (p === name || b[p] !== 61 || b[p + 1] !== QUOTE) return 0;
      p += 2;
      while (p < end && b[p] !== QUOTE) p += b[p] === 92 ? 2 : 1;
      if (p >= end) return 0;
      p++;
    }
    p++;
  }
  return p > at && (p >= end || b[p] === SPACE) ? p : 0;
}

/** Linux audit: `[node=… ]type=LOGIN msg=audit(1337845201.174:94983): …`. */
function audit(h: Header, b: Uint8Array, at: number, end: number): boolean {
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
 * Where the value of `name` (with its `=`) begins that stands once among the pairs of `[at, end)`, not within quotes; 0:
 * nowhere, -1: more than once, or first where quotes are not sure. What a text repeats may be somebody's choice.
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

/** Where the quoted value ends that begins at `at`; -1: nowhere that is sure. */
function closingQuote(b: Uint8Array, at: number, end: number): number {
  let i = at + 1;
  while (i < end && b[i] !== QUOTE) i++;
  if (i >= end || b[i - 1] === 92) return -1;
  return i + 1 >= end || beginsPair(b[i + 1]!) ? i : -1;
}

/** Names of a device that may stand before the date. */
const DEVICE_NAMES = ['device=', 'devname=', 'devid='];
/** How far into a line of pairs its date may be. */
const PAIRS_DATE = 300;

/** Where the value of `date=` begins, first in a line or behind pairs of which the first names a device; 0: nowhere. */
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
 * Fortinet and Sophos: `date=2020-04-23 time=01:16:08 … tz="-0500" …`, also behind the names of the device and with commas
 * between the pairs.
 */
function datePair(h: Header, b: Uint8Array, at: number, end: number): boolean {
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
 * Takes `tz="-0500"`, `tz=+0100` and Sophos's `timezone="CEST"`, `timezone="+11"`; names that mean several zones are none.
 * Whether a zone is stated.
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

/** Takes the offset that Fortinet's `eventtime=` states, seconds since 1970 or smaller units, beside a local time. */
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

/** Takes an offset that a line states further on beside a time that has none. */
function statedOffset(h: Header, b: Uint8Array, at: number, end: number): void {
  if (isStormshield(b, at, end)) zonePair(h.stamp, b, at, end);
  else panOffset(h, b, at, end);
}

/** `id=firewall time="2023-11-23 06:49:20" fw="…`, or from the time on. */
function isStormshield(b: Uint8Array, at: number, end: number): boolean {
  const i = startsWith(b, at, end, 'id=firewall ') ? at + 12 : at;
  return startsWith(b, i, end, 'time="') && startsWith(b, i + 25, end, '" fw="');
}

/** The end of `1,2023/06/28 14:40:42` at `at`; 0: something else is there. */
function panDate(b: Uint8Array, at: number, end: number): number {
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

/** The end of a cell of columns with commas, in quotes or not; -1: it has none that is sure. */
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

/** When its device noted an event, else when it began or ended; of LEEF only the first of them. */
const CEF_TIMES = ['rt=', 'start=', 'end='];
const LEEF_TIMES = ['devTime='];
/** Times of one event that are further apart contradict each other; files are examined days after they came. */
const APART_SECONDS = 7 * 86_400;

/**
 * CEF and LEEF without a header state their time among their pairs: `rt=1593013776000`, `rt=Mar 04 2026 05:06:07`. Whether one
 * is there; times that are doubtful or contradict each other date nothing.
 */
function pairsTime(h: Header, b: Uint8Array, at: number, end: number): boolean {
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

/** The place behind the `count`th bar that no backslash precedes, or the end. */
function behindBars(b: Uint8Array, at: number, end: number, count: number): number {
  let left = count;
  let i = at;
  for (; i < end && left > 0; i++) {
    if (b[i] === 92) i++;
    else if (b[i] === BAR) left--;
  }
  return Math.min(i, end);
}

const DHCP_TIME = ',00/00/00,00:00:00,';

/** Whether an address or nothing, and two more columns follow what was done at `at`. Other lists order their dates otherwise. */
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
  // What stands between is a location, or the host again.
  let q = skipSpaces(b, h.inner.end, end);
  while (q < end && b[q] !== SPACE) q++;
  q = skipSpaces(b, q, end);
  h.messageStart = q;
  program(h, b, q, end, true);
  h.hostStart = host;
  h.hostEnd = p;
  return true;
}

/** Keys of JSON objects whose value is the record's own time. */
const JSON_KEYS = [
  '"@timestamp"',
  '"timestamp"',
  '"time"',
  '"ts"',
  '"__REALTIME_TIMESTAMP"',
  '"eventTime"',
];

/** The time of a JSON object by its key, so that a time in its message does not pass for it. */
function jsonTime(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const limit = Math.min(end, at + INSIDE_JSON);
  for (let i = at + 1; i < limit; i++) {
    if (b[i] !== QUOTE || b[i - 1] === 92) continue;
    const c = b[i + 1]! | 32;
    // The first letters of the keys: `@` (with bit 5 set), e, t, _ (with bit 5 set).
    if (c !== 96 && c !== 101 && c !== 116 && c !== 127) continue;
    for (let k = 0; k < JSON_KEYS.length; k++) {
      const key = JSON_KEYS[k]!;
      if (!startsWith(b, i, end, key)) continue;
      let p = skipSpaces(b, i + key.length, end);
      if (b[p] !== COLON) break;
      p = skipSpaces(b, p + 1, end);
      if (b[p] === QUOTE) p++;
      if (!h.stamp.parse(b, p, end)) break;
      if (h.stamp.shape !== SHAPE.epoch && !isFirm(h.stamp)) break;
      h.dated = true;
      return true;
    }
  }
  return false;
}

/**
 * The time of a Windows event in XML, `<Event …><System>…<TimeCreated SystemTime='…'/>`: the name of its provider may be
 * longer than what other lines have before their time.
 */
function xmlTime(h: Header, b: Uint8Array, at: number, end: number): boolean {
  if (!startsWith(b, at, end, '<Event') || (b[at + 6] !== SPACE && b[at + 6] !== GT)) return false;
  const limit = Math.min(end, at + INSIDE_JSON);
  for (let i = at + 7; i < limit; i++) {
    if (b[i] === LT && startsWith(b, i, end, '</System>')) return false;
    if (b[i] !== 83 || !startsWith(b, i, end, 'SystemTime=')) continue;
    // In either kind of quotes.
    if (!h.stamp.parse(b, i + 12, end) || !isFirm(h.stamp)) return false;
    h.dated = true;
    return true;
  }
  return false;
}

/** The time of an event in XML over several lines, once all of them are there. */
export function dateXml(h: Header, b: Uint8Array): void {
  if (!h.dated) xmlTime(h, b, h.messageStart, h.messageEnd);
}

/** A time further on in the line. The message stays the whole line: what is before it tells, too. */
function inside(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const json = b[at] === 123;
  if (json && jsonTime(h, b, at, end)) return true;
  if (b[at] === LT && xmlTime(h, b, at, end)) return true;
  const { stamp, places } = h;
  const limit = Math.min(end, at + (json ? INSIDE_JSON : INSIDE));
  let before = b[at]!;
  for (let i = at + 1; i < limit; i++) {
    const c = b[i]!;
    const starts = !isAlnum(before) && before !== 46 && before !== MINUS && before !== 95;
    before = c;
    if (!starts || !isAlnum(c)) continue;
    // An access log's `[10/Oct/2000:13:55:36 -0700]` may be anywhere.
    const bracketed = b[i - 1] === OPEN && b[i + 2] === 47;
    if (places?.length === 0 && !bracketed) continue;
    if (!stamp.parse(b, i, end)) continue;
    if (stamp.shape === SHAPE.epoch) {
      if (i > at + 16 || stamp.digits < 3 || stamp.digits > 6) {
        if (!isEpochPlace(h, b, at, i)) continue;
        h.dated = true;
        return true;
      }
    } else if (!isFirm(stamp)) {
      if (stamp.shape !== SHAPE.guessed || stamp.end - i < 19) continue;
    }
    if (!bracketed && !isTimePlace(h, b, at, i)) continue;
    h.dated = true;
    return true;
  }
  return false;
}

/** Whether the log's lines have their times at this place. Notes the place while these are looked for. */
function isTimePlace(h: Header, b: Uint8Array, start: number, at: number): boolean {
  const { places } = h;
  // The members of an object may come in any order: their names count.
  const json = b[start] === 123;
  const position = json ? 0 : positionPlace(b, start, at);
  const marked = json ? 0 : markedPlace(b, at);
  const named = namedPlace(b, start, at);
  if (places === undefined) {
    h.foundAt[0] = position;
    h.foundAt[1] = marked;
    h.foundAt[2] = named;
    return true;
  }
  return places.includes(position) || places.includes(marked) || places.includes(named);
}

/** The same for a number that is a time only by its place. */
function isEpochPlace(h: Header, b: Uint8Array, start: number, at: number): boolean {
  if (h.stamp.digits > 0) return false;
  const place = epochPlace(b, start, at);
  if (h.places !== undefined) return h.places.includes(place);
  if (h.epochAt === 0) {
    h.epochAt = place;
    h.epochSeconds = h.stamp.epochSeconds;
  }
  return false;
}
