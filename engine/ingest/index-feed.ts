/**
 * The import worker's side of indexing: hands copies of rows to the indexing thread as they are routed
 * into parts, and says when that thread is behind.
 */
import type { ColumnName } from '../contract/event.ts';
import type { EventBatch, Ip6Column, TextColumn } from '../contract/event-batch.ts';
import type { Ip6Rows, NumberRows, TextRows } from '../index/rows.ts';
import type { BuiltIndex, FromIndexer, RowsMessage, ToIndexer } from './index-protocol.ts';

/** A thread that builds side files, in whatever way it was started. */
export interface IndexerHandle {
  post(message: ToIndexer, transfer: readonly ArrayBuffer[]): void;
  onMessage(handler: (message: FromIndexer) => void): void;
  onExit(handler: (error: Error | undefined) => void): void;
  stop(): void;
}

/** Row groups that may wait for the thread before reading pauses. */
const MOST_WAITING = 2;

/** Columns of numbers that an index is built from, or that order rows. */
const NUMBERS = [
  ...['ts', 'ts_ns', 'seq', 'source_id', 'src_ip4', 'dst_ip4', 'src_port', 'dst_port', 'proto'],
  ...['severity', 'facility', 'bytes', 'packets', 'bytes_rev', 'packets_rev', 'flow_id'],
] as const satisfies readonly ColumnName[];
const TEXTS = [
  ...['host', 'program', 'event_type', 'message', 'conn_state', 'history', 'service'],
] as const satisfies readonly ColumnName[];
const ADDRESSES = ['src_ip6', 'dst_ip6'] as const;

export class IndexFeed {
  private readonly indexer: IndexerHandle;
  private readonly onBuilt: (part: string, index: BuiltIndex | undefined) => void;
  private waiting = 0;
  private wake: (() => void) | undefined;
  private readonly open = new Set<string>();
  private gone = false;

  /** @param onBuilt told once for each part that was finished; without an index when it failed. */
  constructor(
    indexer: IndexerHandle,
    onBuilt: (part: string, index: BuiltIndex | undefined) => void,
  ) {
    this.indexer = indexer;
    this.onBuilt = onBuilt;
    indexer.onMessage((message) => {
      if (message.type === 'taken') {
        this.waiting -= 1;
        this.wake?.();
        return;
      }
      this.open.delete(message.part);
      onBuilt(message.part, message.type === 'built' ? message.index : undefined);
    });
    // Events without an index are found all the same.
    indexer.onExit(() => {
      this.gone = true;
      this.waiting = 0;
      this.wake?.();
      for (const part of this.open) onBuilt(part, undefined);
      this.open.clear();
    });
  }

  /** Rows of `batch`, all or those in `rows`, are the next of `part`. */
  add(part: string, batch: EventBatch, rows: Uint32Array | undefined): void {
    if (this.gone) return;
    const message = rowsOf(batch, rows);
    const arrays = [
      ...message.texts.flatMap(([, one]) => [one.data, one.starts, one.present]),
      ...message.numbers.flatMap(([, one]) => [one.values, one.present]),
      ...message.ip6.flatMap(([, one]) => [one.values, one.present]),
    ];
    this.waiting += 1;
    this.indexer.post(
      { type: 'rows', part, kind: batch.kind, rows: message },
      arrays.map(({ buffer }) => buffer as ArrayBuffer),
    );
  }

  finish(part: string, sorted: boolean): void {
    if (this.gone) {
      this.onBuilt(part, undefined);
      return;
    }
    this.open.add(part);
    this.indexer.post({ type: 'finish', part, sorted }, []);
  }

  drop(part: string): void {
    if (!this.gone) this.indexer.post({ type: 'drop', part }, []);
  }

  /** Undefined while there is room for more rows, else done once there is. */
  room(): Promise<void> | undefined {
    if (this.waiting <= MOST_WAITING) return undefined;
    return new Promise((resolve) => {
      this.wake = () => {
        if (this.waiting > MOST_WAITING) return;
        this.wake = undefined;
        resolve();
      };
    });
  }

  stop(): void {
    this.indexer.stop();
  }
}

function rowsOf(batch: EventBatch, rows: Uint32Array | undefined): RowsMessage {
  const n = rows === undefined ? batch.length : rows.length;
  const isUsed = ({ present }: { present: Uint8Array }): boolean => {
    const at = present.indexOf(1);
    return at >= 0 && at < batch.length;
  };
  const texts: [string, TextRows][] = [];
  const addText = (name: string, column: TextColumn): void => {
    if (isUsed(column)) texts.push([name, textOf(column, n, rows)]);
  };
  for (const name of TEXTS) addText(name, batch[name]);
  for (const [name, column] of batch.attributes) addText(`a:${name}`, column);
  addText('attrs', batch.overflow);
  const numbers = NUMBERS.flatMap((name): [ColumnName, NumberRows][] => {
    const column = batch[name];
    if (!isUsed(column)) return [];
    const present = pick(column.present, n, rows);
    return [[name, { values: pick(column.values, n, rows), present }]];
  });
  const ip6 = ADDRESSES.flatMap((name): ['src_ip6' | 'dst_ip6', Ip6Rows][] =>
    isUsed(batch[name]) ? [[name, addressesOf(batch[name], n, rows)]] : [],
  );
  return { length: n, texts, numbers, ip6 };
}

type Values = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

function pick<T extends Values>(values: T, n: number, rows: Uint32Array | undefined): T {
  const out = values.slice(0, n) as T;
  if (rows !== undefined) for (let i = 0; i < n; i++) out[i] = values[rows[i]!]!;
  return out;
}

function addressesOf(column: Ip6Column, n: number, rows: Uint32Array | undefined): Ip6Rows {
  const values = column.values.slice(0, n * 16);
  if (rows !== undefined) {
    for (let i = 0; i < n; i++) {
      values.set(column.values.subarray(rows[i]! * 16, rows[i]! * 16 + 16), i * 16);
    }
  }
  return { values, present: pick(column.present, n, rows) };
}

function textOf(column: TextColumn, n: number, rows: Uint32Array | undefined): TextRows {
  const present = pick(column.present, n, rows);
  const starts = pick(column.starts, n, rows);
  if (rows === undefined) return { data: column.data.slice(0, column.size), starts, present };
  const lengthAt = (at: number): number =>
    column.data[at]! |
    (column.data[at + 1]! << 8) |
    (column.data[at + 2]! << 16) |
    (column.data[at + 3]! << 24);
  let size = 0;
  for (let i = 0; i < n; i++) if (present[i] === 1) size += 4 + lengthAt(starts[i]!);
  const data = new Uint8Array(size);
  let to = 0;
  for (let i = 0; i < n; i++) {
    if (present[i] === 0) continue;
    const from = starts[i]!;
    const end = from + 4 + lengthAt(from);
    data.set(column.data.subarray(from, end), to);
    starts[i] = to;
    to += end - from;
  }
  return { data, starts, present };
}
