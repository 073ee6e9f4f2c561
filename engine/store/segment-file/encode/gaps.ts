/** Values for rows that have none, which cost little where they lie: what says which there are is kept by itself. */
import { wordsOf } from '../../presence.ts';
import { GROUP } from './pieces.ts';

/** Four rows with a value. */
const ALL = 0x0101_0101;

/** Whether some of so many rows have no value. */
export function hasGaps(present: Uint8Array | undefined, rows: number): boolean {
  if (present === undefined) return false;
  const gap = Buffer.from(present.buffer, present.byteOffset, rows).indexOf(0);
  return gap >= 0;
}

/**
 * Rows without a value get that of the one before in their group, or else of the first behind; groups without any, of
 * the last group's last. False where there is none at all.
 */
export function fillGaps(values: Float64Array, present: Uint8Array, rows: number): boolean {
  const first = present.indexOf(1);
  if (first < 0 || first >= rows) return false;
  const words = wordsOf(present);
  let before = values[first]!;
  for (let from = 0; from < rows; from += GROUP) {
    const to = Math.min(rows, from + GROUP);
    const own = firstIn(present, from, to);
    if (own < to) before = values[own]!;
    before = fillGroup(values, present, words, from, to, before);
  }
  return true;
}

function firstIn(present: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && present[at] === 0) at++;
  return at;
}

/** Nearly all rows of most columns have a value: it goes over four of them at a time. */
function fillGroup(
  values: Float64Array,
  present: Uint8Array,
  words: Int32Array,
  from: number,
  to: number,
  before: number,
): number {
  for (let at = from; at < to; at += 4) {
    if (at + 4 <= to && words[at >>> 2] === ALL) continue;
    const end = Math.min(to, at + 4);
    let last = at === from ? before : values[at - 1]!;
    for (let i = at; i < end; i++) {
      if (present[i] === 1) last = values[i]!;
      else values[i] = last;
    }
  }
  return values[to - 1]!;
}
