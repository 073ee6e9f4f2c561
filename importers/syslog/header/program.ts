/**
 * Parses what follows the time of RFC 3164 lines, or begins a line without one: host, program, process, level,
 * message.
 */
import { addressEnd } from '../../../engine/fields/cutting/values.ts';
import {
  allDigits,
  BAR,
  CLOSE,
  COLON,
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
  PLUS,
  QUOTE,
  skipSpaces,
  SPACE,
  startsWith,
  TAB,
} from './bytes.ts';
import { mnemonic, mnemonicAt, sequenced, sinceBoot, uptime } from './cisco.ts';
import type { Header } from './header.ts';
import { facilityOf, level, levelOf, mayBeLevel } from './levels.ts';
import { isEventFormat, isPairs, panDate } from './pairs.ts';

/** The text after a time that has neither host nor tag, without the separator. */
export function plainMessage(h: Header, b: Uint8Array, at: number, end: number): void {
  let i = skipSpaces(b, at, end);
  if (i < end) {
    const c = b[i]!;
    // But not of an address: `::1 - - …`.
    const isColon = c === COLON && b[i + 1] !== COLON;
    if (isColon || c === 44 || c === BAR || c === 59) i = skipSpaces(b, i + 1, end);
    else if (c === MINUS && b[i + 1] === SPACE) i = skipSpaces(b, i + 2, end);
  }
  h.messageStart = i;
  level(h, b, i, end);
  if (b[at] === BAR) vmxLevel(h, b, i, end);
}

/** Before ESXi 8, the log of a virtual machine has `time| vmx| W003: …`: thread, level and its number. */
function vmxLevel(h: Header, b: Uint8Array, at: number, end: number): void {
  let i = at;
  while (i < end && (isAlnum(b[i]!) || b[i] === MINUS)) i++;
  if (i === at || b[i] !== BAR || b[i + 1] !== SPACE) return;
  const letter = i + 2;
  if (letter + 5 > end || !allDigits(b, letter + 1, letter + 4)) return;
  if (b[letter + 4] !== COLON && b[letter + 4] !== PLUS) return;
  const level = VMX_LEVELS.get(b[letter]!);
  if (level !== undefined && h.severity < 0) h.severity = level;
}

/** `E`, `W` and `I`. */
const VMX_LEVELS: ReadonlyMap<number, number> = new Map([
  [69, 3],
  [87, 4],
  [73, 6],
]);

/** A word that looks like a program before a mnemonic is the device, or, after its name, the zone of its time. */
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
 * HOST and TAG as in RFC 3164, and the variants of Cisco and BSD.
 * @param lenient the first word is a host unless it looks like a tag; otherwise only if a tag
 *   follows it
 * @param colonIsTag whether, if not lenient, `name:` is a tag, or only `name[123]`
 */
export function tag(
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
  // A relay names the host before the lines of an ESXi.
  if (esxi(h, b, next, end)) {
    h.hostStart = first;
    h.hostEnd = wordEnd;
    return;
  }
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
    // A tag without a host: `Jun 21 16:47:48 sshd[1]: …`; Cisco's sequence number is not a program.
    if (!sequenced(h, b, first, end)) program(h, b, first, end, true);
    return;
  }
  if (b[wordEnd + 1] === OPEN && wordEnd + 2 < end && isDigit(b[wordEnd + 2]!)) {
    // `sogod [26818]: …`: a blank before the process number.
    if (program(h, b, first, end, true)) return;
  }
  if (b[wordEnd] === TAB && prosody(h, b, first, wordEnd, end)) return;
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
  q = repeatedHost(h, b, q, end);
  if (mnemonicAt(h, b, q, end) || b[q] === PERCENT) return;
  if (isDigit(b[q]!) && sequenced(h, b, q, end)) return;
  if (mayBeLevel(b[q]!) && levelled(h, b, q, end)) return;
  // BusyBox: `alpine auth.info sshd[1234]: …`.
  q = facilityAndLevel(h, b, q, end);
  if (program(h, b, q, end, true) && c === 83) programFirst(h, b, first, wordEnd, end);
}

/** UniFi's gateways write their host twice: `gw gw sshd[1]: …`. The place after the second, or `at` if there is none. */
function repeatedHost(h: Header, b: Uint8Array, at: number, end: number): number {
  const length = h.hostEnd - h.hostStart;
  if (b[at + length] !== SPACE) return at;
  for (let i = 0; i < length; i++) if (b[at + i] !== b[h.hostStart + i]) return at;
  h.messageStart = skipSpaces(b, at + length, end);
  return h.messageStart;
}

/**
 * Prosody writes no host, but the part of the server, and a level, between TABs: `c2s5f\tinfo\tClient connected`. It
 * writes no priority, and an address is a host.
 */
function prosody(h: Header, b: Uint8Array, at: number, wordEnd: number, end: number): boolean {
  if (h.facility >= 0 || addressEnd(b, at, wordEnd) === wordEnd) return false;
  let i = wordEnd + 1;
  while (i < end && isAlnum(b[i]!)) i++;
  const severity = b[i] === TAB ? levelOf(b, wordEnd + 1, i) : -1;
  if (severity < 0) return false;
  h.severity = severity;
  h.messageStart = at;
  return true;
}

/** Symantec's manager writes its name before its host: `Dec 12 17:07:08 SymantecServer av1.example.com: …`. */
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

/**
 * Takes facility and severity by their names in `[at, dot)` and `(dot, close)`, before a message. @param bar where
 * another name of the facility begins @returns the place of the message, or `at` if a name is none
 */
function setPriority(
  h: Header,
  b: Uint8Array,
  at: number,
  dot: number,
  close: number,
  end: number,
  bar = 0,
): number {
  const facility = facilityOf(b, at, bar === 0 ? dot : bar);
  const severity = levelOf(b, dot + 1, close);
  if (facility < 0 || severity < 0) return at;
  h.facility = facility;
  h.severity = severity;
  h.messageStart = skipSpaces(b, close + 1, end);
  return h.messageStart;
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
    const after = setPriority(h, b, at + 1, dot, i, end);
    return after > at + 1 ? after : at;
  }
  h.facility = facility;
  h.severity = severity;
  const after = skipSpaces(b, i + 1, end);
  h.messageStart = after;
  return after;
}

/**
 * OpenWrt's logread, which names no host: `Fri Nov 20 22:00:01 2026 authpriv.info dropbear[555]: …`. False if there
 * is no priority at `at`.
 */
export function logread(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const after = facilityAndLevel(h, b, at, end);
  if (after > at) program(h, b, after, end, true);
  return after > at;
}

/** Severities 0 to 7 as ESXi writes them. */
const ESXI_SEVERITIES = ['Em', 'Al', 'Cr', 'Er', 'Wa', 'No', 'In', 'Db'] as const;

/**
 * ESXi 8: `In(14) shell[2099876]: …`, severity and priority before the tag. The message of a line that continues
 * another, `In(14)+ …`, keeps the mark: its text may imitate an event. False if there is no such priority, or no tag
 * follows it.
 * https://knowledge.broadcom.com/external/article/421608
 */
export function esxi(h: Header, b: Uint8Array, at: number, end: number): boolean {
  if (b[at + 2] !== PAREN) return false;
  const severity = ESXI_SEVERITIES.findIndex((name) => startsWith(b, at, end, name));
  if (severity < 0) return false;
  let value = 0;
  let i = at + 3;
  while (i < end && i < at + 6 && isDigit(b[i]!)) value = value * 10 + b[i++]! - 48;
  const digits = i - at - 3;
  if (digits === 0 || b[i] !== PAREN_END || value > 191) return false;
  const isContinued = b[i + 1] === PLUS;
  i += isContinued ? 2 : 1;
  if (b[i] !== SPACE) return false;
  const name = i + 1;
  let nameEnd = name;
  while (nameEnd < end && b[nameEnd] !== SPACE) nameEnd++;
  if (digits === 2 && isThread(b, name, nameEnd, end)) {
    if (h.severity < 0) h.severity = severity;
    return false;
  }
  if ((value & 7) !== severity) return false;
  if (b[nameEnd - 1] !== COLON || !program(h, b, name, nameEnd, true)) return false;
  if (h.severity < 0) h.severity = severity;
  if (h.facility < 0) h.facility = value >> 3;
  h.messageStart = isContinued ? at : name;
  return true;
}

/**
 * The log of a virtual machine (vmware.log): `In(05) vmx - text`. The number is a level of its own; the name of a
 * thread and the identifier of an operation, or `-`, follow it.
 */
function isThread(b: Uint8Array, name: number, nameEnd: number, end: number): boolean {
  if (nameEnd === name) return false;
  for (let i = name; i < nameEnd; i++) if (!isAlnum(b[i]!) && b[i] !== MINUS) return false;
  const operation = nameEnd + 1;
  let i = operation;
  while (i < end && b[i] !== SPACE) i++;
  return i > operation && i < end && b[i - 1] !== COLON;
}

/** `auth.info `, AIX' `auth|security:info ` between the time and the tag; the place after it, or `at`. */
function facilityAndLevel(h: Header, b: Uint8Array, at: number, end: number): number {
  let i = at;
  let dot = 0;
  let bar = 0;
  while (i < end && i < at + 24 && b[i] !== SPACE) {
    if (b[i] === 46 || (b[i] === COLON && dot === 0 && h.hostStart >= 0)) dot = i;
    else if (b[i] === BAR && dot === 0 && bar === 0) bar = i;
    else if (!isAlnum(b[i]!)) return at;
    i++;
  }
  if (dot === 0 || b[i] !== SPACE) return at;
  // The facility `auth` has two names.
  if (bar !== 0 && !startsWith(b, bar, dot, '|security')) return at;
  return setPriority(h, b, at, dot, i, end, bar);
}

/**
 * `name:`, `name[123]:`, `name[123]`, `name [123]:` at `at`: sets program and process, and reads what the kernel
 * and Cisco write after it. False if there is no tag.
 */
export function program(
  h: Header,
  b: Uint8Array,
  at: number,
  end: number,
  colonIsTag: boolean,
): boolean {
  let i = at;
  const limit = at + MAX_NAME < end ? at + MAX_NAME : end;
  let c = 0;
  while (i < limit) {
    c = b[i]!;
    if (c === COLON || c === OPEN || c === SPACE) break;
    if (c < 33 || c === QUOTE || c === LT || c === GT || c === 61 || c === 44 || c === 123)
      return false;
    // GNOME's display manager has a bracket too many in its name: `gdm-password][1400]: …`.
    if (c === CLOSE && i > at && (b[i + 1] === COLON || b[i + 1] === OPEN)) break;
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
  if (c === CLOSE) c = b[++i]!;
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

/** macOS: `Microsoft Word[14463]: …`. The position of the bracket if a process number follows, or 0. */
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
