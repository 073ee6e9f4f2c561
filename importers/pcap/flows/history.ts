/**
 * The letters of a flow's history, as Zeek writes them: capitals for the originator.
 * https://docs.zeek.org/en/master/scripts/base/protocols/conn/main.zeek.html#field-Conn::Info$history
 */
import type { FlowStore } from './store.ts';
import {
  CONN,
  CONN_HISTORY,
  CONN_HISTORY_SHIFT,
  HISTORY,
  HISTORY_BYTES,
  RECORD_SHIFT,
  SEEN,
} from './record.ts';

export const LETTER_S = 0x53;
export const LETTER_H = 0x48;
export const LETTER_A = 0x41;
export const LETTER_D = 0x44;
export const LETTER_F = 0x46;
export const LETTER_R = 0x52;
export const LETTER_I = 0x49;
export const LETTER_Q = 0x51;
export const LETTER_T = 0x54;
export const LETTER_W = 0x57;
export const LETTER_G = 0x47;
export const LETTER_FLIP = 0x5e;

// Bits of SEEN, for the originator; the responder's are 16 bits higher.
export const SEEN_SYN = 1;
export const SEEN_FIN = 2;
export const SEEN_RST = 4;
export const SEEN_FIN_RST = 8;
export const SEEN_DATA = 16;
export const SEEN_ACK = 32;
export const SEEN_MULTI = 64;

/** Appends a letter; one that does not fit is dropped. `side` 1 writes it in lower case. */
export function addLetter(store: FlowStore, slot: number, side: number, letter: number): void {
  const at = slot << RECORD_SHIFT;
  const conn = store.words[at + CONN]!;
  const length = (conn & CONN_HISTORY) >>> CONN_HISTORY_SHIFT;
  if (length >= HISTORY_BYTES) return;
  const code = side === 1 && letter !== LETTER_FLIP ? letter + 32 : letter;
  store.bytes[(at + HISTORY) * 4 + length] = code;
  store.words[at + CONN] = conn + (1 << CONN_HISTORY_SHIFT);
}

/** Appends a letter the first time. @returns whether it was there before */
export function seenLetter(
  store: FlowStore,
  slot: number,
  side: number,
  bit: number,
  letter: number,
): boolean {
  const at = (slot << RECORD_SHIFT) + SEEN;
  const mask = side === 1 ? bit << 16 : bit;
  const seen = store.words[at]!;
  if ((seen & mask) !== 0) return true;
  store.words[at] = seen | mask;
  addLetter(store, slot, side, letter);
  return false;
}

/** Whether a counter that has just become `count` is written: at 1, 10, 100, … */
export function isDecade(count: number): boolean {
  // Hardly any gets further.
  if ((count & 1) !== 0) return count === 1;
  if (count % 10 !== 0) return false;
  return (
    count === 10 ||
    count === 100 ||
    count === 1000 ||
    count === 10_000 ||
    count === 100_000 ||
    count === 1_000_000 ||
    count === 10_000_000 ||
    count === 100_000_000 ||
    count === 1_000_000_000
  );
}
