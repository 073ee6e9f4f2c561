/** Levels and facilities that are written as words. */
import { FACILITIES } from '../../../engine/contract/event.ts';
import { CLOSE, COLON, OPEN, sameWord, SPACE } from './bytes.ts';
import type { Header } from './header.ts';

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

/** Facilities without a number, up to `ftp`: later words, such as `security`, mean other things in most lines. */
const FACILITY_WORDS = FACILITIES.slice(0, FACILITIES.indexOf('ntp'));

/** The severity that a word names, or -1. */
export function levelOf(b: Uint8Array, start: number, end: number): number {
  const n = end - start;
  if (n < 3 || n > 11) return -1;
  for (let i = 0; i < LEVELS.length; i++) {
    if (sameWord(b, start, end, LEVELS[i]![0])) return LEVELS[i]![1];
  }
  return -1;
}

/** The facility that a word names, or -1. */
export function facilityOf(b: Uint8Array, start: number, end: number): number {
  for (let k = 0; k < FACILITY_WORDS.length; k++) {
    if (sameWord(b, start, end, FACILITY_WORDS[k]!)) return k;
  }
  const digit = b[end - 1]! - 48;
  return digit >= 0 && digit <= 7 && sameWord(b, start, end - 1, 'local') ? 16 + digit : -1;
}

/** Whether the first letter can begin a level's name: spares most lines the comparison. */
export function mayBeLevel(c: number): boolean {
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

/** Apache and nginx: `[error]`, `[core:error]`. */
export function level(h: Header, b: Uint8Array, at: number, end: number): void {
  if (h.severity >= 0 || at >= end || b[at] !== OPEN) return;
  let from = at + 1;
  let i = from;
  while (i < end && i < at + 40 && b[i] !== CLOSE && b[i] !== SPACE) {
    if (b[i] === COLON) from = i + 1;
    i++;
  }
  if (i < end && b[i] === CLOSE) h.severity = levelOf(b, from, i);
}
