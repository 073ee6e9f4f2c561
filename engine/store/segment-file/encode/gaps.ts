/** Values for rows that have none, which cost little where they lie: what says which there are is kept by itself. */
import { GROUP } from './pieces.ts';

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
  let before = values[first]!;
  for (let from = 0; from < rows; from += GROUP) {
    const to = Math.min(rows, from + GROUP);
    const own = firstIn(present, from, to);
    if (own < to) before = values[own]!;
    before = fillGroup(values, present, from, to, before);
  }
  return true;
}

function firstIn(present: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && present[at] === 0) at++;
  return at;
}

function fillGroup(
  values: Float64Array,
  present: Uint8Array,
  from: number,
  to: number,
  before: number,
): number {
  let last = before;
  for (let i = from; i < to; i++) {
    if (present[i] === 1) last = values[i]!;
    else values[i] = last;
  }
  return last;
}
