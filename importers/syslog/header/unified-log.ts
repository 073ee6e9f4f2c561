/** What `log show` of macOS writes after a time, in its default and its compact style (log(1)). */
import { numberOf } from '../../../engine/fields/cutting/values.ts';
import {
  CLOSE,
  COLON,
  isAlnum,
  isDigit,
  MAX_NAME,
  OPEN,
  skipSpaces,
  SPACE,
  startsWith,
} from './bytes.ts';
import type { Header } from './header.ts';

/** Types of messages and their severities in the default style, and in the compact one. */
const FULL_TYPES: readonly (readonly [string, number])[] = [
  ...([
    ['Default ', 5],
    ['Info ', 6],
    ['Debug ', 7],
    ['Error ', 3],
    ['Fault ', 2],
  ] as const),
  ['Activity ', 6],
];
const COMPACT_TYPES: readonly (readonly [string, number])[] = [
  ...([
    ['Df ', 5],
    ['I  ', 6],
    ['Db ', 7],
    ['E  ', 3],
    ['F  ', 2],
    ['A  ', 6],
  ] as const),
];

/** Sets program, process and severity. False if the text after the time, at `at`, is in neither style. */
export function unifiedLog(h: Header, b: Uint8Array, at: number, end: number): boolean {
  const isFull = isHex(b, at);
  // In the compact style, a type is one letter or two.
  if (!isFull && b[at + 2] !== SPACE) return false;
  const type = isFull ? columnEnd(b, at, end) : at;
  const severity = severityOf(isFull ? FULL_TYPES : COMPACT_TYPES, b, type, end);
  if (severity < 0) return false;
  const next = columnEnd(b, type, end);
  if (!(isFull ? full(h, b, next, end) : compact(h, b, next, end))) return false;
  h.severity = severity;
  h.messageStart = h.programStart;
  return true;
}

function severityOf(
  types: readonly (readonly [string, number])[],
  b: Uint8Array,
  at: number,
  end: number,
): number {
  for (let i = 0; i < types.length; i++)
    if (startsWith(b, at, end, types[i]![0])) return types[i]![1];
  return -1;
}

/** Activity, process number, time to live, name: `0x0                  100    0    sshd: …`. */
function full(h: Header, b: Uint8Array, at: number, end: number): boolean {
  if (!isHex(b, at)) return false;
  const number = columnEnd(b, at, end);
  const live = columnEnd(b, number, end);
  const name = columnEnd(b, live, end);
  if (!isDigit(b[number]!) || !isDigit(b[live]!)) return false;
  let p = name;
  while (p < end && p - name <= MAX_NAME && b[p] !== COLON) p++;
  if (p === name || b[p] !== COLON || b[p + 1] !== SPACE) return false;
  return setProgram(h, b, name, p, number, digitsEnd(b, number, end));
}

/** Name, process and thread: `sshd[100:1a2b] …`. */
function compact(h: Header, b: Uint8Array, at: number, end: number): boolean {
  let open = at;
  while (open < end && open - at <= MAX_NAME && b[open] !== OPEN) open++;
  const pid = digitsEnd(b, open + 1, end);
  if (b[open - 1] === SPACE || pid === open + 1 || b[pid] !== COLON) return false;
  let thread = pid + 1;
  while (thread < end && isAlnum(b[thread]!)) thread++;
  if (thread === pid + 1 || b[thread] !== CLOSE || b[thread + 1] !== SPACE) return false;
  return setProgram(h, b, at, open, open + 1, pid);
}

function setProgram(
  h: Header,
  b: Uint8Array,
  name: number,
  nameEnd: number,
  number: number,
  numberEnd: number,
): boolean {
  const pid = numberOf(b, number, numberEnd, 0xffffffff);
  if (pid < 0) return false;
  h.pid = pid;
  h.programStart = name;
  h.programEnd = nameEnd;
  return true;
}

function isHex(b: Uint8Array, at: number): boolean {
  return b[at] === 48 && b[at + 1] === 120;
}

function digitsEnd(b: Uint8Array, at: number, end: number): number {
  let p = at;
  while (p < end && isDigit(b[p]!)) p++;
  return p;
}

/** The place after a word and the blanks that follow it. */
function columnEnd(b: Uint8Array, at: number, end: number): number {
  let p = at;
  while (p < end && b[p] !== SPACE) p++;
  return skipSpaces(b, p, end);
}
