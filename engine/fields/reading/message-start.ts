/**
 * Finds the start of a program's message in an event's line: after the program's tag, the time and number that the
 * program or its system writes, and the header of the device whose line a relay forwarded.
 *
 * Invariant: a prefix that is not completely of such a form is part of the message.
 */
import type { EventBatch } from '../../columns/event-batch.ts';

const utf8 = new TextEncoder();
const latin1 = new TextDecoder('latin1');
const [SPACE, PERCENT, PAREN, PAREN_END, STAR, DOT, COLON] = [32, 37, 40, 41, 42, 46, 58];
const [OPEN, CLOSE, DASH, SLASH, LETTER_T, LESS, GREATER] = [91, 93, 45, 47, 84, 60, 62];
const [LF, CR] = [10, 13];

/** The start of the message after the tag that names its program (RFC 3164) and a time since system start. */
export function bodyStart(
  { program, message }: EventBatch,
  row: number,
  start: number,
  end: number,
): number {
  const { data } = message;
  let p = start;
  if (program.present[row] === 1) {
    const from = program.starts[row]! + 4;
    const length = lengthAt(program.data, from - 4);
    let i = 0;
    while (i < length && p + i < end && data[p + i] === program.data[from + i]) i += 1;
    if (i === length) {
      // `sshd[100]:`, `sogod [100]:`, and the level that Kerberos writes, `krb5kdc[100](info):`.
      let after = p + i;
      if (data[after] === SPACE && data[after + 1] === OPEN) after += 1;
      if (data[after] === OPEN) {
        while (after < end && data[after] !== CLOSE) after += 1;
        after += 1;
        if (data[after] === PAREN) {
          while (after < end && data[after] !== PAREN_END) after += 1;
          after += 1;
        }
      }
      if (after < end && data[after] === COLON) p = after + 1;
      else if (isUnified(data, p + i, end)) return afterSubsystem(data, after, end);
    }
  }
  return afterTag(data, p, end);
}

/** Whether the numbers of a process and a thread follow, which macOS' unified log has in its compact style. */
function isUnified(b: Uint8Array, at: number, end: number): boolean {
  let p = at + 1;
  while (p < end && isDigits(b, p, 1)) p += 1;
  if (b[at] !== OPEN || p === at + 1 || b[p] !== COLON) return false;
  while (p < end && b[p] !== CLOSE) p += 1;
  return b[p + 1] === SPACE;
}

/** After the library and the subsystem before a message of macOS: `(libpam.2.dylib) [com.apple.pam:main] `. */
function afterSubsystem(b: Uint8Array, start: number, end: number): number {
  let p = blanksEnd(b, start, end);
  for (const close of [PAREN_END, CLOSE]) {
    if (b[p] !== (close === CLOSE ? OPEN : PAREN)) continue;
    let i = p;
    while (i < end && b[i] !== close && b[i] !== SPACE) i += 1;
    if (b[i] === close && b[i + 1] === SPACE) p = i + 2;
  }
  return p;
}

/** Behind the spaces that a text begins with. */
export function blanksEnd(data: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && data[p] === SPACE) p += 1;
  return p;
}

/** The end of a text without the line ends that Docker's json-file and others keep. */
export function linesEnd(b: Uint8Array, start: number, end: number): number {
  let p = end;
  while (p > start && (b[p - 1] === LF || b[p - 1] === CR)) p -= 1;
  return p;
}

/** What the runtimes of containers (CRI) write before each line of an output; `P`: a part of a line. */
const STREAMS = [utf8.encode('stdout F '), utf8.encode('stderr F ')];

/** After the name of a container's output; `start` if there is none. */
export function behindStream(b: Uint8Array, start: number, end: number): number {
  const stream = STREAMS.find((one) => startsWith(b, start, end, one));
  return start + (stream?.length ?? 0);
}

/** Skips what systems and devices write between tag and message: a number, a time since start, their own time. */
function afterTag(data: Uint8Array, start: number, end: number): number {
  let p = blanksEnd(data, start, end);
  if (data[p] !== OPEN) return behindStamp(data, p, end);
  if (isSolarisId(data, p)) {
    while (p < end && data[p] !== CLOSE) p += 1;
    return Math.min(p + 2, end);
  }
  let after = p + 1;
  let dots = 0;
  while (after < end && (isDigitOrDot(data[after]!) || data[after] === SPACE))
    if (data[after++] === DOT) dots += 1;
  if (dots !== 1 || after + 1 >= end || data[after] !== CLOSE || data[after + 1] !== SPACE)
    return p;
  return after + 2;
}

/** Solaris and illumos number their messages: `[ID 800047 auth.info] Failed password …`. */
function isSolarisId(b: Uint8Array, at: number): boolean {
  return b[at + 1] === 73 && b[at + 2] === 68 && b[at + 3] === SPACE && isDigits(b, at + 4, 4);
}

/** A header that a relay preceded by another one: its host and program, and the start of its message. */
export interface RelayedHeader {
  readonly host: number;
  readonly hostEnd: number;
  readonly program: number;
  readonly programEnd: number;
  readonly body: number;
}

const FORWARDED = utf8.encode('Message forwarded from ');

/** The tag of a program where an export has left the rest of the header out: `sshd[100]: Failed …`. */
function bareTag(b: Uint8Array, start: number, end: number): RelayedHeader | undefined {
  const programEnd = nameEnd(b, start, end);
  if (programEnd === start || b[programEnd] !== OPEN || !isDigits(b, programEnd + 1, 1))
    return undefined;
  let p = programEnd + 1;
  while (p < end && isDigits(b, p, 1)) p += 1;
  if (p + 2 >= end || b[p] !== CLOSE || b[p + 1] !== COLON || b[p + 2] !== SPACE) return undefined;
  const body = afterTag(b, p + 3, end);
  return { host: start, hostEnd: start, program: start, programEnd, body };
}

/**
 * The device's header in a message whose line has a relay's header, or none: `<38>Nov 27 10:15:22 host1 sshd[100]:
 * Failed …`, `Message forwarded from host1: sshd[100]: …` of AIX, `sshd[100]: …`.
 */
export function relayedHeader(
  b: Uint8Array,
  start: number,
  end: number,
): RelayedHeader | undefined {
  const tag = bareTag(b, start, end);
  if (tag !== undefined) return tag;
  let host = start;
  let hostEnd = 0;
  if (isUpper(b[start]!) && startsWith(b, start, end, FORWARDED)) {
    host += FORWARDED.length;
    hostEnd = nameEnd(b, host, end);
    if (b[hostEnd] !== COLON) return undefined;
    hostEnd += 1;
  } else {
    if (b[host] === LESS) {
      host += 1;
      while (host < start + 4 && isDigits(b, host, 1)) host += 1;
      if (b[host] !== GREATER) return undefined;
      host += 1;
    }
    // `Nov 27 10:15:22 `.
    if (!isUpper(b[host]!) || !isMonth(b, host) || !isDigits(b, host + 5, 1)) return undefined;
    if (!isDigits(b, host + 7, 2) || b[host + 9] !== COLON || !isDigits(b, host + 13, 2))
      return undefined;
    if (b[host + 15] !== SPACE) return undefined;
    host += 16;
    hostEnd = nameEnd(b, host, end);
  }
  if (hostEnd <= host || b[hostEnd] !== SPACE) return undefined;
  const program = hostEnd + 1;
  const programEnd = nameEnd(b, program, end);
  let body = programEnd;
  if (b[body] === OPEN) {
    while (body < end && b[body] !== CLOSE) body += 1;
    body += 1;
  }
  if (programEnd === program || body + 1 >= end) return undefined;
  if (b[body] !== COLON || b[body + 1] !== SPACE) return undefined;
  const isForwarded = b[hostEnd - 1] === COLON;
  return {
    host,
    hostEnd: isForwarded ? hostEnd - 1 : hostEnd,
    program,
    programEnd,
    // A device's number may be in place of a program: `router1 1234: *Mar  4 05:06:07: %SYS-5-…`.
    body: afterTag(b, body + 2, end),
  };
}

/** The end of a host's or program's name: letters, digits, `.`, `-`, `_` and `/`. */
function nameEnd(b: Uint8Array, start: number, end: number): number {
  let p = start;
  while (
    p < end &&
    (isDigits(b, p, 1) || isLetter(b[p]!) || (b[p]! >= 45 && b[p]! <= 47) || b[p] === 95)
  )
    p += 1;
  return p;
}

function startsWith(b: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  if (end - start < text.length) return false;
  for (let i = 0; i < text.length; i++) if (b[start + i] !== text[i]) return false;
  return true;
}

/** The longest time that a program writes before its message. */
const MOST_TIME = 40;

/**
 * After the time that a program writes before its message, whatever its transport: `2026/11/27 10:15:22 [error] …`,
 * `[2026-11-27 10:15:22.123] …`, `[Fri Nov 27 10:15:22.123456 2026] …`; `start` if there is none.
 */
export function behindTime(b: Uint8Array, start: number, end: number): number {
  const isOpen = b[start] === OPEN;
  const last = Math.min(end, start + MOST_TIME);
  let p = isOpen ? start + 1 : start;
  if (isOpen && isUpper(b[p]!) && isMonth(b, p + 4)) {
    while (p < last && b[p] !== CLOSE) p += 1;
  } else {
    if (!isDigits(b, p, 4) || (b[p + 4] !== DASH && b[p + 4] !== SLASH)) return start;
    if (!isDigits(b, p + 5, 2) || b[p + 7] !== b[p + 4] || !isDigits(b, p + 8, 2)) return start;
    if ((b[p + 10] !== SPACE && b[p + 10] !== LETTER_T) || !isDigits(b, p + 11, 2)) return start;
    p += 13;
    while (p < last && b[p] !== SPACE && b[p] !== CLOSE) p += 1;
    // `[2026-11-27 10:15:22 +0000]`.
    if (isOpen) while (p < last && b[p] !== CLOSE) p += 1;
  }
  if (p >= last || b[p] !== (isOpen ? CLOSE : SPACE)) return start;
  p += 1;
  while (p < end && b[p] === SPACE) p += 1;
  return p;
}

const LEVELS =
  'trace debug info information notice warn warning error err severe critical fatal audit'.split(
    ' ',
  );
/** By first letter and length. */
const LEVEL_LENGTHS = new Uint8Array(32 * 16);
for (const level of LEVELS) LEVEL_LENGTHS[(level.charCodeAt(0) & 31) * 16 + level.length] = 1;
/** Addresses, for which text in brackets before a message may come from the client. */
const IN_BRACKETS = String.raw`\d\.\d+\.\d+\.\d|(?<![\w:])[\da-f]{0,4}(?::[\da-f]{1,4})*(?:::|(?::[\da-f]{1,4}){7})`;
/**
 * Proof that brackets before a message do not contain a user's name: a level, or the name of a logger outside of
 * them.
 */
const MARK = new RegExp(
  String.raw`(?:^|[\s[(:|])(?:${LEVELS.join('|')})(?=[\s\]):|-]|$)|(?:^|\s)[a-z_]\w*(?:\.|::?)[a-z_]`,
  'i',
);
/**
 * A level; a thread, level, logger or process in brackets; the name of a logger, with dots or colons in it;
 * punctuation between them.
 */
const HEADING = new RegExp(
  String.raw`(?:\[(?![^\]]*(?:client|${IN_BRACKETS}))[^\]\n]{1,80}\]|\((?:MainThread|[\w.-]*thread[\w.-]*)\)|(?:${LEVELS.join('|')})(?=[\s:|-])|(?:[a-z_]\w*(?:\.|::?))+[a-z_]\w*(?= ?[:-] ))(?: ?[:|-])?\s+`,
  'iy',
);
const MOST_HEADING = 256;

/** Whether a message may begin with a heading: with a bracket, the name of a logger or a word as long as a level. */
export function mayHaveHeading(b: Uint8Array, start: number, end: number): boolean {
  const code = b[start]!;
  if (code === OPEN || code === PAREN) return true;
  // Bytes below 65 end a word, except digits.
  let p = start;
  while (p < end && (b[p]! >= 65 || (b[p]! >= 48 && b[p]! <= 57))) p += 1;
  if (b[p] === DOT || b[p] === COLON) return true;
  return LEVEL_LENGTHS[(code & 31) * 16 + Math.min(p - start, 15)] === 1;
}

/**
 * After the heading that programs write before their messages: `WARN [http-1] org.example.Login: …`, `[error]
 * [auth] …`; `start` if there is none.
 */
export function behindHeading(b: Uint8Array, start: number, end: number): number {
  const text = latin1.decode(b.subarray(start, Math.min(end, start + MOST_HEADING)));
  let at = 0;
  for (;;) {
    HEADING.lastIndex = at;
    if (!HEADING.test(text)) return MARK.test(text.slice(0, at)) ? start + at : start;
    at = HEADING.lastIndex;
  }
}

/** Firepower's word before the mnemonic. */
const ALERTS = utf8.encode('Alerts %');
/** Maximum length of what Cisco's devices write between a relay's header and `%FACILITY-6-MNEMONIC`. */
const MOST_STAMP = 96;

/**
 * The start of `%SYS-5-CONFIG_I: …` after the device's own number and time, `1234: *Mar 4 05:06:07.123: `, `2026
 * Mar 4 05:06:07 UTC: ` or `*task: Mar 04 05:06:07.123: `; `start` if there are none.
 */
function behindStamp(b: Uint8Array, start: number, end: number): number {
  if (startsWith(b, start, end, ALERTS) && isUpper(b[start + ALERTS.length]!))
    return start + ALERTS.length - 1;
  let p = start;
  while (p < end && p < start + 10 && isDigitOrDot(b[p]!)) p += 1;
  const isStamp =
    p > start
      ? b[p] === COLON || (p === start + 4 && b[p] === SPACE)
      : b[p] === STAR || isMonth(b, p);
  if (!isStamp) return start;
  const last = Math.min(end - 1, start + MOST_STAMP);
  for (; p < last; p++)
    if (b[p] === PERCENT && b[p - 1] === SPACE && b[p - 2] === COLON && isUpper(b[p + 1]!))
      return p;
  return start;
}

/** Three letters and a blank, as `Mar  4`. */
function isMonth(b: Uint8Array, p: number): boolean {
  return isUpper(b[p]!) && b[p + 3] === SPACE && (b[p + 4] === SPACE || isDigitOrDot(b[p + 4]!));
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122;
}

function isDigits(b: Uint8Array, start: number, count: number): boolean {
  for (let i = start; i < start + count; i++) if (!(b[i]! >= 48 && b[i]! <= 57)) return false;
  return true;
}

function isDigitOrDot(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

export function lengthAt(data: Uint8Array, at: number): number {
  return data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
}
