/**
 * The rows of a batch that indexes are built from, copied for an indexing thread.
 */
import type { ColumnName } from '../../contract/event.ts';
import type { EventBatch } from '../../columns/event-batch.ts';
import type { TextColumn } from '../../columns/columns.ts';
import type { CutMessages, Ip6Rows, NumberRows, TextRows } from '../../index/rows.ts';
import { lentCopy, lentMemory } from './shared-memory.ts';
import {
  type BatchNumbers,
  type BatchRows,
  countPresent,
  textBytesOf,
  textLength,
  textStartsOf,
  valuesOf,
  wideValuesOf,
} from '../../store/parts/batch-rows.ts';
import type { CodedTexts } from '../../store/parts/coded-texts.ts';
import type { NumberLists } from '../../store/messages/cut-rows.ts';
import type { CutRowGroup } from '../../store/messages/message-cutter.ts';
import type { RowsMessage } from './index-protocol.ts';

/** Number columns from which an index is built, or that order rows. */
const NUMBERS = [
  ...['ts', 'ts_ns', 'seq', 'source_id', 'src_ip4', 'dst_ip4', 'src_port', 'dst_port', 'proto'],
  ...['severity', 'facility', 'bytes', 'packets', 'bytes_rev', 'packets_rev', 'flow_id'],
] as const satisfies readonly ColumnName[];
/** Besides those that words are searched in. */
const TEXTS = ['conn_state', 'history', 'service'] as const satisfies readonly ColumnName[];
const ADDRESSES = ['src_ip6', 'dst_ip6'] as const;

/**
 * Columns without a value in any of the rows are omitted.
 * @param cut how the rows' messages were cut: only whole ones are texts then
 * @param coded dictionary-encoded text columns, by stored name
 */
export function indexRowsOf(
  batch: EventBatch,
  rows: BatchRows,
  cut?: CutRowGroup,
  coded?: ReadonlyMap<string, CodedTexts>,
): RowsMessage {
  const isUsed = ({ present }: { present: Uint8Array }): boolean => countPresent(present, rows) > 0;
  const texts: [string, TextRows][] = [];
  const addText = (name: string, column: TextColumn): void => {
    if (!isUsed(column)) return;
    // Codes cover all rows with a text, including those whose text is not searched for words.
    const few = name === 'action' ? undefined : coded?.get(name);
    texts.push([
      name,
      few === undefined ? textOf(column, rows) : dictionaryTexts(column, rows, few),
    ]);
  };
  for (const [name, column] of batch.searchedTexts()) {
    if (name !== 'message' || cut === undefined) addText(name, column);
    else if (cut.whole.includes(1)) texts.push([name, wholeOf(column, rows, cut.whole)]);
  }
  for (const name of TEXTS) addText(name, batch[name]);
  for (const [name, column] of batch.attributes) addText(`a:${name}`, column);
  addText('attrs', batch.overflow);
  const n = rows.to - rows.from;
  const numbers = NUMBERS.flatMap((name): [ColumnName, NumberRows][] => {
    const column = batch[name];
    const count = countPresent(column.present, rows);
    if (count === 0) return [];
    const present = count === n ? undefined : lentCopy(valuesOf(column.present, rows));
    return [[name, { values: widened(column.values, rows), present }]];
  });
  const ip6 = ADDRESSES.flatMap((name): ['src_ip6' | 'dst_ip6', Ip6Rows][] =>
    isUsed(batch[name]) ? [[name, addressesOf(batch[name], rows)]] : [],
  );
  return { length: n, texts, numbers, ip6, cut: cut && cutOf(cut) };
}

/** The shared memory of a message; the rest of it is copied when it is sent. */
export function lentOf({ texts, numbers, ip6, cut }: RowsMessage): SharedArrayBuffer[] {
  const arrays = [
    ...texts.flatMap(([, one]) => [one.data, one.starts, one.present]),
    ...numbers.flatMap(([, { values, present }]) =>
      present === undefined ? [values] : [values, present],
    ),
    ...ip6.flatMap(([, one]) => [one.values, one.present]),
    ...(cut === undefined ? [] : [cut.shapeOf, ...cut.numbers, cut.texts, cut.pids]),
  ];
  return arrays.map(({ buffer }) => buffer).filter((one) => one instanceof SharedArrayBuffer);
}

/** The rows' numbers in one of two types: code for many types is slow, and is recompiled for each. */
function widened(values: BatchNumbers, rows: BatchRows): Uint32Array | Float64Array {
  if (values instanceof Float64Array || values instanceof Uint32Array)
    return lentCopy(valuesOf(values, rows));
  const found = valuesOf(values, rows);
  const wide =
    found instanceof Int32Array
      ? new Float64Array(lentMemory(found.length * 8), 0, found.length)
      : new Uint32Array(lentMemory(found.length * 4), 0, found.length);
  wide.set(found);
  return wide;
}

function addressesOf(
  column: { values: Uint8Array; present: Uint8Array },
  rows: BatchRows,
): Ip6Rows {
  return {
    values: lentCopy(wideValuesOf(column.values, 16, rows)),
    present: lentCopy(valuesOf(column.present, rows)),
  };
}

function textOf(column: TextColumn, rows: BatchRows): TextRows {
  const data = textBytesOf(column, rows);
  const n = rows.to - rows.from;
  if (data.length > 0 && countPresent(column.present, rows) === n && isOneText(data, n)) {
    const text = data.slice(0, 4 + textLength(data, 0));
    return { data: text, starts: new Uint32Array(1), present: new Uint8Array(0), same: true };
  }
  return {
    data: lentCopy(data),
    starts: textStartsOf(column, rows, new Uint32Array(lentMemory(n * 4), 0, n)),
    present: lentCopy(valuesOf(column.present, rows)),
  };
}

/** Dictionary-encoded texts: the rows with one code share one text. */
function dictionaryTexts(column: TextColumn, rows: BatchRows, few: CodedTexts): TextRows {
  const present = lentCopy(valuesOf(column.present, rows));
  const n = present.length;
  const starts = new Uint32Array(lentMemory(n * 4), 0, n);
  putStarts(few, present, starts);
  return { data: few.data, starts, present, sharesTexts: true };
}

// A hot loop (CONTRIBUTING.md).
function putStarts({ starts, codes }: CodedTexts, present: Uint8Array, out: Uint32Array): void {
  for (let row = 0, next = 0; row < out.length; row++)
    if (present[row] === 1) out[row] = starts[codes[next++]!]!;
}

/** Whether `n` consecutive texts are all equal: each equals the one before. */
function isOneText(data: Uint8Array, n: number): boolean {
  const step = 4 + textLength(data, 0);
  if (step * n !== data.length) return false;
  return Buffer.compare(data.subarray(step), data.subarray(0, data.length - step)) === 0;
}

/** Copies of the messages that are stored whole. */
function wholeOf(column: TextColumn, rows: BatchRows, whole: Uint8Array): TextRows {
  const data = textBytesOf(column, rows);
  const from = textStartsOf(column, rows);
  const starts = new Uint32Array(lentMemory(whole.length * 4), 0, whole.length);
  let size = 0;
  for (let row = 0; row < whole.length; row++) {
    if (whole[row] === 0) continue;
    starts[row] = size;
    size += 4 + textLength(data, from[row]!);
  }
  const kept = new Uint8Array(lentMemory(size), 0, size);
  for (let row = 0; row < whole.length; row++) {
    if (whole[row] === 0) continue;
    const start = from[row]!;
    kept.set(data.subarray(start, start + 4 + textLength(data, start)), starts[row]);
  }
  return { data: kept, starts, present: lentCopy(whole) };
}

/** A copy of a lent row group. */
function cutOf({ shapes, shapeOf, variables, pids }: CutRowGroup): CutMessages {
  const [numbers0, numbers1, numbers2] = variables.numbers;
  const usedOf = ({ values, used }: NumberLists): Uint32Array => lentCopy(values.subarray(0, used));
  return {
    shapes: shapes.slice(),
    shapeOf: lentCopy(shapeOf),
    numbers: [usedOf(numbers0), usedOf(numbers1), usedOf(numbers2)],
    texts: lentCopy(variables.texts.data.subarray(0, variables.texts.size)),
    pids: lentCopy(pids),
  };
}
