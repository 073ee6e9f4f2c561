/** How a chunk stores rows that arrive out of order, and which rows wait for a later chunk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BATCH_ROWS } from '../../columns/event-batch.ts';
import type { Kind } from '../../contract/event.ts';
import { SegmentBuilder, literal } from '../../store/segment-builder.ts';
import { type ChunkLimits, ChunkWriter } from './chunk-writer.ts';
import { DayParts } from './day-parts.ts';
import type { PartInfo } from './protocol.ts';

const START = Date.UTC(2026, 10, 21) * 1000;
const LIMITS = { rows: 1e9, bytes: 1e12, textBytes: 1e12, ms: 1e9 };
const MANY = 10_000;
const SOON = { rows: 1, bytes: 1e12, textBytes: 1e12, ms: 1e9 };

let folder: string;
let builder: SegmentBuilder;
let number = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-chunk-'));
  builder = await SegmentBuilder.create(folder, [], { memoryLimit: 5e8, threads: 1 });
});
afterAll(() => {
  builder.close();
  rmSync(folder, { recursive: true });
});

/** Micro- and nanoseconds after START, and the record. */
type Row = readonly [micros: number, nanos: number, seq: number];

/** One chunk of flows: those of each source in the given order. */
function chunkOf(sources: readonly (readonly Row[])[]): PartInfo[] {
  const writer = new ChunkWriter(LIMITS, new DayParts(folder, `part-${number++}`, 1e9));
  sources.forEach((rows, i) => {
    writer.begin(i + 1, 'source', undefined);
    const batch = writer.batch('flow');
    for (const [micros, nanos, seq] of rows) {
      const row = batch.length;
      batch.ts.set(row, START + micros);
      if (nanos > 0) batch.ts_ns.set(row, nanos);
      batch.seq.set(row, seq);
      batch.setAttribute('of', String(Math.abs(seq % 7)));
      batch.endRow();
    }
    writer.end();
  });
  return writer.cut()?.parts ?? [];
}

const HASH = 7919;
/** Rows with different times, in no order. */
function mixed(n: number, from = 0): Row[] {
  return Array.from({ length: n }, (_, i): Row => [from + ((i * HASH) % n), 0, i + 1]);
}
/** Rows with three alternating times, so that nanoseconds and records decide their order. */
function alike(n: number): Row[] {
  return Array.from({ length: n }, (_, i): Row => [i % 3, i % 5, -i - 1]);
}
/** Rows in order except for the records of those with equal times. */
function falling(n: number): Row[] {
  return Array.from({ length: n }, (_, i): Row => [i >>> 1, 0, -i - 1]);
}

function inOrder(sources: readonly (readonly Row[])[]): string[] {
  return sources
    .flatMap((rows, i) => rows.map((row) => [...row, i + 1] as const))
    .sort(([a, b, c, d], [e, f, g, h]) => a - e || b - f || d - h || c - g)
    .map(([micros, nanos, seq, source]) => [micros, nanos, source, seq, Math.abs(seq % 7)].join());
}

/** The rows of the segment made from a part, in stored order. */
async function rowsOf(part: PartInfo): Promise<string[]> {
  const select = `SELECT * FROM read_parquet(${literal(part.path)})`;
  const built = await builder.build(select, { sorted: part.sorted, inputBytes: part.bytes });
  const name = `part_${number++}`;
  await builder.attach(name, built.path);
  const nanos = part.columns.includes('ts_ns') ? 'coalesce(ts_ns, 0)' : '0';
  const read = await builder.rows(
    `SELECT concat_ws(',', epoch_us(ts) - ${START}, ${nanos}, source_id, seq, "a:of") FROM ${name}.events`,
  );
  await builder.detach(name);
  return read.map(([text]) => text as string);
}

describe('rows out of order', () => {
  it.each<[string, Row[][]]>([
    ['of one batch', [mixed(MANY)]],
    ['of few times', [alike(MANY)]],
    ['at one time each two', [falling(MANY)]],
    ['of sources one after the other', [mixed(MANY), mixed(20, MANY), mixed(MANY, 2 * MANY)]],
    ['few of them', [mixed(300)]],
    ['of sources among each other', [mixed(MANY), mixed(MANY)]],
    ['few sources one after the other', [mixed(300), mixed(20, 300), mixed(400, 320)]],
  ])('are sorted before they are written: %s', async (_, sources) => {
    const [part, ...others] = chunkOf(sources);
    expect([part?.sorted, others]).toEqual([true, []]);
    expect(await rowsOf(part!)).toEqual(inOrder(sources));
  });

  it.each<[string, Row[][]]>([
    ['of a full batch', [mixed(BATCH_ROWS)]],
    ['behind a full batch', [mixed(BATCH_ROWS + MANY)]],
  ])('are sorted by DuckDB: %s', async (_, sources) => {
    const [part, ...others] = chunkOf(sources);
    expect([part?.sorted, others]).toEqual([false, []]);
    expect(await rowsOf(part!)).toEqual(inOrder(sources));
  });
});

describe('rows of many days', () => {
  const DAY = 86_400e6;
  const of = (day: number, n: number): Row[] => mixed(n, day * DAY);
  const daysOf = (parts: readonly PartInfo[]): number[] => parts.map(({ days }) => days.length);

  it('share a part where each day has few, in order of time', async () => {
    const sources = Array.from({ length: 60 }, (_, i) => of((i * 7) % 30, 50));
    const [part, ...others] = chunkOf(sources);
    expect(others).toEqual([]);
    expect(part!.days).toHaveLength(30);
    expect(part!.days.map(({ rows }) => rows)).toEqual(Array(30).fill(100));
    expect(part!.days.map(({ day }) => day)).toEqual(part!.days.map(({ day }) => day).sort());
    expect(await rowsOf(part!)).toEqual(inOrder(sources));
  });

  it('share row groups where each source has few', async () => {
    const [part] = chunkOf(Array.from({ length: 60 }, (_, i) => of(i % 30, 50)));
    const [[groups] = []] = await builder.rows(
      `SELECT count(DISTINCT row_group_id)::INTEGER FROM parquet_metadata(${literal(part!.path)})`,
    );
    expect(groups).toBe(1);
    expect(part!.sources).toEqual(Array.from({ length: 60 }, (_, i) => [i + 1, 50]));
  });

  it('have a part for each day of which many come at once', () => {
    const parts = chunkOf([of(0, 40_000), of(1, 50), of(2, 50), of(0, 30)]);
    expect(daysOf(parts)).toEqual([1, 2]);
    expect(parts.map(({ rows }) => rows)).toEqual([40_030, 100]);
  });

  it('are in one part of a chunk if they state their identity, so that each is stored once', () => {
    const writer = new ChunkWriter(LIMITS, new DayParts(folder, `part-${number++}`, 1e9));
    [50, 40_000, 60].forEach((n, i) => {
      writer.begin(i + 1, 'source', undefined);
      const batch = writer.batch('flow');
      for (let row = 0; row < n; row++) {
        batch.ts.set(batch.length, START + row);
        batch.record_key.set(batch.length, row);
        batch.endRow();
      }
      writer.end();
    });
    expect(writer.cut()?.parts.map(({ rows }) => rows)).toEqual([40_110]);
  });
});

describe('a chunk of wide rows', () => {
  it('is full by its texts, although they repeat and parts have few bytes', () => {
    const limits = { ...LIMITS, textBytes: 200_000 };
    const batches = { rows: 1000, bytes: 1e9 };
    const parts = new DayParts(folder, `part-${number++}`, 1e9);
    const writer = new ChunkWriter(limits, parts, batches);
    writer.begin(1, 'source', undefined);
    const full: number[] = [];
    for (let row = 0; row < 5000; row++) {
      const batch = writer.batch('other');
      batch.ts.set(batch.length, START + row);
      for (let column = 0; column < 10; column++)
        batch.setAttribute(`field_${column}`, 'the same text');
      batch.endRow();
      if (writer.full) full.push(row);
    }
    // 1,000 rows have 170 kB of texts, with their lengths, and 50 kB of places.
    expect(full[0]).toBe(999);
    writer.end();
    writer.cut();
    expect(writer.full).toBe(false);
  });
});

describe('few rows that are no records', () => {
  function writerOf(chunks: ChunkLimits): ChunkWriter {
    return new ChunkWriter(chunks, new DayParts(folder, `part-${number++}`, 1e9));
  }
  function add(writer: ChunkWriter, kind: Kind, n: number): void {
    const batch = writer.batch(kind);
    batch.isDerived = kind === 'flow';
    for (let i = 0; i < n; i++) {
      batch.ts.set(batch.length, START + i);
      batch.endRow();
    }
  }
  function cut(writer: ChunkWriter, goesOn = true): Record<string, number> {
    const chunk = writer.cut(goesOn);
    const parts = chunk?.parts ?? [];
    const rows = Object.fromEntries(parts.map(({ kind, rows }) => [kind, rows]));
    // What the chunk reports of its source equals what is in the chunks so far.
    for (const [kind, n] of Object.entries(rows)) told[kind] = (told[kind] ?? 0) + n;
    for (const { emitted } of chunk?.sources ?? []) expect(emitted).toEqual(told);
    return rows;
  }
  let told: Record<string, number>;
  beforeEach(() => (told = {}));

  it('wait for later chunks until they are many, or their source ends', () => {
    const writer = writerOf(SOON);
    writer.begin(1, 'source', undefined);
    const few = Math.floor(BATCH_ROWS / 5);
    const chunks: Record<string, number>[] = [];
    for (let i = 0; i < 6; i++) {
      add(writer, 'packet', 3);
      add(writer, 'flow', few);
      chunks.push(cut(writer));
    }
    const packets = { packet: 3 };
    const both = { packet: 3, flow: 4 * few };
    expect(chunks).toEqual([packets, packets, packets, both, packets, packets]);
    // Waiting rows alone make no chunk.
    expect([writer.due, writer.full]).toEqual([false, false]);
    writer.end();
    expect(cut(writer, false)).toEqual({ flow: 2 * few });
  });

  it('are in the chunk when they are not few', () => {
    const writer = writerOf(SOON);
    writer.begin(1, 'source', undefined);
    const many = Math.floor(BATCH_ROWS / 3) + 1;
    add(writer, 'packet', 3);
    add(writer, 'flow', many);
    expect(cut(writer)).toEqual({ packet: 3, flow: many });
  });

  it('are in every chunk where these take their time', () => {
    const writer = writerOf({ ...SOON, ms: 0 });
    writer.begin(1, 'source', undefined);
    add(writer, 'packet', 3);
    add(writer, 'flow', 5);
    expect(cut(writer)).toEqual({ packet: 3, flow: 5 });
  });

  it('are in the chunk behind which something else than their source is read', () => {
    const writer = writerOf(SOON);
    writer.begin(1, 'source', undefined);
    add(writer, 'packet', 3);
    add(writer, 'flow', 5);
    expect(cut(writer, false)).toEqual({ packet: 3, flow: 5 });
  });

  it('do not wait while what was committed before is read again', () => {
    const writer = writerOf(SOON);
    writer.begin(1, 'source', {
      resume: { rows: { packet: 3, flow: 2 }, quarantined: 0 },
      duplicate: undefined,
    });
    told = { packet: 3, flow: 2 };
    add(writer, 'packet', 4);
    add(writer, 'flow', 5);
    expect(writer.due).toBe(true);
    expect(cut(writer)).toEqual({ packet: 1, flow: 3 });
    add(writer, 'packet', 4);
    add(writer, 'flow', 5);
    expect(cut(writer)).toEqual({ packet: 4 });
  });

  it('are told from records of the same kind in a source behind them', () => {
    const writer = writerOf(SOON);
    writer.begin(1, 'source', undefined);
    add(writer, 'flow', 5);
    writer.end();
    expect(cut(writer, false)).toEqual({ flow: 5 });
    told = {};
    writer.begin(2, 'source', undefined);
    expect(writer.batch('flow').isDerived).toBe(false);
  });
});
