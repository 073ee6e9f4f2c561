/** Copies of the rows of a batch that indexes are built from: what goes over to an indexing thread. */
import type { ColumnName } from '../contract/event.ts';
import type { EventBatch, TextColumn } from '../contract/event-batch.ts';
import type { Ip6Rows, NumberRows, TextRows } from '../index/rows.ts';
import {
  type BatchNumbers,
  type BatchRows,
  countPresent,
  textBytesOf,
  textStartsOf,
  valuesOf,
  wideValuesOf,
} from '../store/batch-rows.ts';
import type { RowsMessage } from './index-protocol.ts';

/** Columns of numbers that an index is built from, or that order rows. */
const NUMBERS = [
  ...['ts', 'ts_ns', 'seq', 'source_id', 'src_ip4', 'dst_ip4', 'src_port', 'dst_port', 'proto'],
  ...['severity', 'facility', 'bytes', 'packets', 'bytes_rev', 'packets_rev', 'flow_id'],
] as const satisfies readonly ColumnName[];
const TEXTS = [
  ...['host', 'program', 'event_type', 'message', 'conn_state', 'history', 'service'],
] as const satisfies readonly ColumnName[];
const ADDRESSES = ['src_ip6', 'dst_ip6'] as const;

/** Columns that none of the rows has a value in are left out. */
export function indexRowsOf(batch: EventBatch, rows: BatchRows): RowsMessage {
  const isUsed = ({ present }: { present: Uint8Array }): boolean => countPresent(present, rows) > 0;
  const texts: [string, TextRows][] = [];
  const addText = (name: string, column: TextColumn): void => {
    if (isUsed(column)) texts.push([name, textOf(column, rows)]);
  };
  for (const name of TEXTS) addText(name, batch[name]);
  for (const [name, column] of batch.attributes) addText(`a:${name}`, column);
  addText('attrs', batch.overflow);
  const numbers = NUMBERS.flatMap((name): [ColumnName, NumberRows][] => {
    const column = batch[name];
    if (!isUsed(column)) return [];
    const values = copied<BatchNumbers>(column.values, rows);
    return [[name, { values, present: copied(column.present, rows) }]];
  });
  const ip6 = ADDRESSES.flatMap((name): ['src_ip6' | 'dst_ip6', Ip6Rows][] =>
    isUsed(batch[name]) ? [[name, addressesOf(batch[name], rows)]] : [],
  );
  return { length: rows.to - rows.from, texts, numbers, ip6 };
}

/** The memory of a message, which goes over with it. */
export function arraysOf({ texts, numbers, ip6 }: RowsMessage): ArrayBuffer[] {
  const arrays = [
    ...texts.flatMap(([, one]) => [one.data, one.starts, one.present]),
    ...numbers.flatMap(([, one]) => [one.values, one.present]),
    ...ip6.flatMap(([, one]) => [one.values, one.present]),
  ];
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}

function copied<T extends BatchNumbers>(values: T, rows: BatchRows): T {
  const found = valuesOf(values, rows);
  return rows.list === undefined ? (found.slice() as T) : found;
}

function addressesOf(
  column: { values: Uint8Array; present: Uint8Array },
  rows: BatchRows,
): Ip6Rows {
  const values = wideValuesOf(column.values, 16, rows);
  return {
    values: rows.list === undefined ? values.slice() : values,
    present: copied(column.present, rows),
  };
}

function textOf(column: TextColumn, rows: BatchRows): TextRows {
  const data = textBytesOf(column, rows);
  return {
    data: rows.list === undefined ? data.slice() : data,
    starts: textStartsOf(column, rows),
    present: copied(column.present, rows),
  };
}
