/**
 * Processes many ordinary records at a time for a scan: columns are filled one after the other, each in its own
 * loop. Without it three of Tribeca's questions are answered at less than half the rate of a C program (ADR 40).
 *
 * Invariant: rows equal those that `PacketEvents.take` makes of each record (decode.test.ts).
 */
import type { EventBatch } from '../../../engine/columns/event-batch.ts';
import type { Writes } from '../packets/packet-writes.ts';
import { PlainFrames } from './plain-frames.ts';
import type { Packet } from '../decode/packet.ts';
import { FoundRecords, type RecordForm } from '../formats/records.ts';
import { ClassifiedFrames } from './fast-path-classify.ts';

/** Number of records at a time: their first bytes stay in the processor's cache from one column to the next. */
const STEP = 512;
/**
 * Fewer are faster one by one, as when two interfaces alternate: after this many calls that took few, the next
 * records are left to the reader.
 */
const FEW = 8;
const MOST_SHORT = 4;
const PAUSE = 64;

/** Writes rows of packets (`packet-events.ts`). */
interface PacketRows {
  readonly writes: Writes;
  /** Decodes a frame and writes its columns, but not those of its record. */
  frame(p: Packet, row: number): void;
  /** Counts records that became rows. */
  recorded(n: number): void;
}

export class PacketRuns {
  private readonly events: PacketRows;
  private readonly batch: EventBatch;
  private readonly classified: ClassifiedFrames;
  private readonly plain: PlainFrames;
  private readonly timed: boolean;
  private readonly found = new FoundRecords(STEP);
  /** Start of the last record taken in the bytes of the last call; -1: none. */
  lastStart = -1;
  /** Calls in a row that took few, and records that are left to the reader yet. */
  private short = 0;
  private pause = 0;

  constructor(events: PacketRows, batch: EventBatch) {
    const { writes } = events;
    this.events = events;
    this.batch = batch;
    this.timed = writes.ts || writes.wants('raw_time');
    // ICMP's message is made from its own fields.
    const icmpInside = writes.message || writes.wants('icmp_type') || writes.wants('icmp_code');
    this.classified = new ClassifiedFrames(STEP, icmpInside);
    this.plain = new PlainFrames(writes, batch, this.classified);
  }

  /**
   * Takes the ordinary records at the start of `bytes[at, end)`.
   * @param p of the reader: `number` continues
   * @param base offset of `bytes[0]` in the source
   * @returns start of the first record that was not taken
   */
  take(
    p: Packet,
    bytes: Uint8Array,
    at: number,
    end: number,
    base: number,
    form: RecordForm,
  ): number {
    this.lastStart = -1;
    if (this.pause > 0) {
      this.pause -= 1;
      return at;
    }
    const { batch, found } = this;
    const { starts } = found;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const before = p.number;
    let place = at;
    for (;;) {
      const most = Math.min(STEP, batch.capacity - batch.length);
      const n = form.find(view, place, end, most, this.timed, found);
      if (n === 0) break;
      place = starts[n]!;
      this.lastStart = starts[n - 1]!;
      this.fill(p.number, n, base, form);
      this.frames(p, bytes, view, n, form);
      this.events.recorded(n);
      batch.endRows(n, place - starts[0]!);
    }
    this.short = p.number - before < FEW ? this.short + 1 : 0;
    if (this.short === MOST_SHORT) {
      this.short = 0;
      this.pause = PAUSE;
    }
    return place;
  }

  /**
   * The columns of the first `n` records that were found, but not those of their frames.
   * @param before number of the record before the first
   */
  private fill(before: number, n: number, base: number, { digits }: RecordForm): void {
    const { batch } = this;
    const { starts, frames, ends, wires, micros, nanos } = this.found;
    const { writes } = this.events;
    const row = batch.length;
    const to = row + n;
    if (writes.bytes) {
      const { values, present } = batch.bytes;
      for (let i = 0; i < n; i++) values[row + i] = wires[i]!;
      present.fill(1, row, to);
    }
    if (writes.packets) {
      batch.packets.values.fill(1, row, to);
      batch.packets.present.fill(1, row, to);
    }
    if (writes.seq) {
      const { values, present } = batch.seq;
      for (let i = 0; i < n; i++) values[row + i] = before + 1 + i;
      present.fill(1, row, to);
    }
    if (writes.offset) {
      const { values, present } = batch.offset;
      for (let i = 0; i < n; i++) values[row + i] = base + starts[i]!;
      present.fill(1, row, to);
    }
    if (writes.length) {
      const { values, present } = batch.record_length;
      for (let i = 0; i < n; i++) values[row + i] = starts[i + 1]! - starts[i]!;
      present.fill(1, row, to);
    }
    if (writes.captured) {
      const { values, present } = batch.captured;
      for (let i = 0; i < n; i++) values[row + i] = ends[i]! - frames[i]!;
      present.fill(1, row, to);
    }
    if (writes.ts) {
      const { values, present } = batch.ts;
      for (let i = 0; i < n; i++) values[row + i] = micros[i]!;
      present.fill(1, row, to);
    }
    if (writes.ts && writes.fraction) {
      const { values, present } = batch.ts_ns;
      for (let i = 0; i < n; i++) values[row + i] = nanos[i]!;
      present.fill(1, row, to);
      batch.ts_digits.values.fill(digits, row, to);
      batch.ts_digits.present.fill(1, row, to);
    }
  }

  /** The content of the frames of the first `n` records; `p.number` continues. */
  private frames(
    p: Packet,
    bytes: Uint8Array,
    view: DataView,
    n: number,
    { linkType }: RecordForm,
  ): void {
    const { events, found, plain, classified } = this;
    const row = this.batch.length;
    p.number += n;
    if (!events.writes.frame || plain.links(linkType, bytes, found, n, row)) return;
    classified.take(linkType, bytes, view, found, n);
    plain.take(linkType, bytes, n, found, row);
    p.bytes = bytes;
    p.linkType = linkType;
    for (let j = 0; j < classified.others; j++) {
      const i = classified.left[j]!;
      p.start = found.frames[i]!;
      p.end = found.ends[i]!;
      p.wire = found.wires[i]!;
      events.frame(p, row + i);
    }
  }
}
