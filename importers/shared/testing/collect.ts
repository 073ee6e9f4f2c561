/** For tests: reads bytes through an importer into plain objects, checking the ledger. */
import { EventBatch } from '../../../engine/columns/event-batch.ts';
import type { Column } from '../../../engine/columns/columns.ts';
import type { Kind } from '../../../engine/contract/event.ts';
import type {
  EventSink,
  Importer,
  ReadOptions,
  SourceInput,
} from '../../../engine/evidence/importer.ts';
import type { Decisions } from '../../../engine/contract/time/decisions.ts';

export interface CollectedRow {
  kind: Kind;
  attrs: Record<string, string>;
  [column: string]: unknown;
}

export interface Collected {
  rows: CollectedRow[];
  records: number;
  quarantined: { offset: number; reason: string; raw: Uint8Array; line?: number }[];
  skipped: Record<string, number>;
  /** records + quarantined + skipped. */
  read: number;
  notes: string[];
  metadata: Record<string, unknown>;
  decisions: Decisions;
}

const text = new TextDecoder('utf-8', { ignoreBOM: true });

function valueAt(column: Column, row: number): unknown {
  switch (column.type) {
    case 'text': {
      const at = column.starts[row]!;
      const size = new DataView(column.data.buffer, column.data.byteOffset).getUint32(at, true);
      return text.decode(column.data.subarray(at + 4, at + 4 + size));
    }
    case 'ip6':
      return Buffer.from(column.values.subarray(row * 16, row * 16 + 16)).toString('hex');
    default:
      return column.values[row];
  }
}

/** The present values of one row; the column `length` under that name, IPv6 as 32 hex digits. */
export function rowOf(batch: EventBatch, row: number): CollectedRow {
  const out: CollectedRow = { kind: batch.kind, attrs: {} };
  for (const [name, column] of batch.columns()) {
    if (name !== 'source_id' && column.present[row] === 1) out[name] = valueAt(column, row);
  }
  for (const [name, column] of batch.attributes) {
    if (column.present[row] === 1) out.attrs[name] = String(valueAt(column, row));
  }
  for (const [name, { present, values, bytesOf }] of batch.coded) {
    if (present[row] !== 1) continue;
    const value = text.decode(bytesOf(values[row]!));
    if (name.startsWith('a:')) out.attrs[name.slice(2)] = value;
    else out[name] = value;
  }
  if (batch.overflow.present[row] === 1) {
    Object.assign(out.attrs, JSON.parse(String(valueAt(batch.overflow, row))));
  }
  return out;
}

/** A source held in memory, delivered in blocks of `blockSize` bytes. */
export function inputOf(
  bytes: Uint8Array,
  name = 'evidence',
  blockSize = 1 << 20,
  modifiedMs?: number,
): SourceInput {
  async function* blocks(): AsyncGenerator<Uint8Array> {
    // All blocks share one buffer, as those of a file do, so that a reader that keeps a view of one fails its test.
    const memory = Buffer.alloc(Math.min(blockSize, bytes.length));
    for (let at = 0; at < bytes.length; at += blockSize) {
      const block = memory.subarray(0, Math.min(blockSize, bytes.length - at));
      block.set(bytes.subarray(at, at + block.length));
      yield block;
      block.fill(0xee);
    }
  }
  return { name, size: bytes.length, modifiedMs, blocks };
}

export const DEFAULT_OPTIONS: ReadOptions = {
  timeZone: undefined,
  year: undefined,
  dateOrder: undefined,
  format: '',
  packets: true,
  flows: true,
  protocols: false,
  mapping: undefined,
  before: undefined,
};

/** Reads `input` to its end. `capacity` is the rows a batch holds (small, to cross batch borders). */
export function collect(
  importer: Importer,
  input: SourceInput,
  options: Partial<ReadOptions> = {},
  capacity = 64,
): Promise<Collected> {
  return collectFrom(
    (sink) => importer.read(input, sink, { ...DEFAULT_OPTIONS, ...options }),
    capacity,
  );
}

/** Collects what `read` emits. */
export async function collectFrom(
  read: (sink: EventSink) => Promise<void>,
  capacity = 64,
): Promise<Collected> {
  const out: Collected = {
    rows: [],
    records: 0,
    quarantined: [],
    skipped: {},
    read: 0,
    notes: [],
    metadata: {},
    decisions: {},
  };
  const batches = new Map<Kind, EventBatch>();
  const take = (batch: EventBatch) => {
    for (let row = 0; row < batch.length; row++) out.rows.push(rowOf(batch, row));
    batch.clear();
  };
  const sink: EventSink = {
    batch(kind) {
      let batch = batches.get(kind);
      if (batch === undefined) {
        batch = new EventBatch(kind, take, capacity);
        batches.set(kind, batch);
      }
      return batch;
    },
    record(n) {
      out.records += n;
      out.read += n;
    },
    quarantine(offset, reason, raw, line) {
      const item = { offset, reason, raw: new Uint8Array(raw) };
      out.quarantined.push(line === undefined ? item : { ...item, line });
      out.read += 1;
    },
    skip(reason, n) {
      out.skipped[reason] = (out.skipped[reason] ?? 0) + n;
      out.read += n;
    },
    note(message) {
      out.notes.push(message);
    },
    metadata(key, value) {
      out.metadata[key] = value;
    },
    decide(decisions) {
      Object.assign(out.decisions, decisions);
    },
    drain() {
      return undefined;
    },
  };
  await read(sink);
  for (const batch of batches.values()) take(batch);
  return out;
}
