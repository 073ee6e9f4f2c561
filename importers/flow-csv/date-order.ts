/**
 * Whether dates such as 3/4/2026 begin with the day or the month: found by looking ahead for one
 * that can only be read one way. Held always: the answer depends on the content alone.
 */
import type { ColumnMapping, SourceInput } from '../../engine/contract/importer.ts';
import { LineReader } from '../shared/lines.ts';
import type { Detected } from './detect.ts';
import { simplify, TS, TS_DATE } from './fields.ts';
import { planRow, uniqueNames } from './plan.ts';
import { DelimitedSplitter } from './split.ts';
import type { DateOrder } from './stamp.ts';

/** Lines without any such date after which there are none. */
const LINES_WITHOUT = 2000;

const L2TCSV: readonly string[] = ['date', 'time', 'timezone', 'macb', 'sourcetype'];

/** Nearly always the first lines tell. */
const REGION_BYTES = 64 * 1024;

export interface FoundOrder {
  readonly order: DateOrder;
  /** False when every date could be read either way. */
  readonly certain: boolean;
}

/** Undefined when the table's times are not written so. Leaves errors of the content to the main pass. */
export async function findDateOrder(
  input: SourceInput,
  detected: Detected,
  mapping: ColumnMapping | undefined,
): Promise<FoundOrder | undefined> {
  const { setters } = planRow(uniqueNames(detected.columns), detected.dialect, mapping);
  const column = setters.findIndex((setter) => setter === TS || setter === TS_DATE);
  if (column < 0) return undefined;
  // log2timeline's CSV is defined as month/day/year.
  const names = new Set(detected.columns.map(simplify));
  if (L2TCSV.every((name) => names.has(name))) return { order: 'mdy', certain: true };
  const lines = new LineReader(input.blocks(), {
    ...{ maxLine: 1024 * 1024, size: input.size, regionSize: REGION_BYTES },
  });
  const splitter = new DelimitedSplitter(detected.delimiter, detected.quoted);
  let seen = 0;
  let index = 0;
  try {
    while (await lines.nextBlock()) {
      while (lines.next()) {
        index += 1;
        if (index <= detected.skipLines || lines.truncated) continue;
        if (!splitter.split(lines.buffer, lines.lineStart, lines.lineEnd)) continue;
        if (splitter.count <= column) continue;
        const parts = dayAndMonth(splitter.bytes, splitter.starts[column]!, splitter.ends[column]!);
        if (parts < 0) {
          if (seen === 0 && index > detected.skipLines + LINES_WITHOUT) return undefined;
          continue;
        }
        seen += 1;
        if (Math.floor(parts / 100) > 12) return { order: 'dmy', certain: true };
        if (parts % 100 > 12) return { order: 'mdy', certain: true };
      }
    }
  } catch {
    // What breaks the content off is met again, and said, by the main pass.
  } finally {
    await lines.close();
  }
  return seen === 0 ? undefined : { order: 'dmy', certain: false };
}

/** The first two numbers of a date whose year comes last, as first × 100 + second; -1 for others. */
function dayAndMonth(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] === 32) at += 1;
  let value = 0;
  for (let part = 0; part < 2; part++) {
    let number = 0;
    let digits = 0;
    for (; at < end && digits < 3; at++, digits++) {
      const digit = bytes[at]! - 48;
      if (digit < 0 || digit > 9) break;
      number = number * 10 + digit;
    }
    const mark = bytes[at];
    if (digits === 0 || digits > 2 || at >= end) return -1;
    if (mark !== 47 && mark !== 45 && mark !== 46) return -1;
    at += 1;
    value = value * 100 + number;
  }
  let rest = 0;
  while (at < end && bytes[at]! >= 48 && bytes[at]! <= 57) {
    rest += 1;
    at += 1;
  }
  return rest === 2 || rest === 4 ? value : -1;
}
