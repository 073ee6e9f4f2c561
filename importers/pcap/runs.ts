/**
 * Takes many ordinary records at a time. Columns are filled one after the other, each in a loop of its own;
 * what depends on the frames before, or is text, frame by frame (`frames-in-order.ts`).
 *
 * Holds always: rows are those that `PacketEvents.take` makes of each record (decode.test.ts).
 */
import type { EventBatch } from '../../engine/contract/event-batch.ts';
import { FramesInOrder } from './frames-in-order.ts';
import type { PacketEvents, PacketTracker } from './packet-events.ts';
import { PlainFrames } from './plain-frames.ts';
import type { Packet } from './packet.ts';
import { FoundRecords, type RecordForm } from './records.ts';

/** Records at a time: their first bytes stay near the processor from one column to the next. */
const STEP = 512;

export class PacketRuns {
  private readonly events: PacketEvents;
  private readonly batch: EventBatch;
  private readonly frames: PlainFrames;
  private readonly order: FramesInOrder | undefined;
  private readonly timed: boolean;
  private readonly found = new FoundRecords(STEP);
  /** Where the last record that was taken begins in the bytes of the last call; -1: none was. */
  lastStart = -1;

  /** @param inOrder frames are followed into flows, or their texts written; undefined: neither */
  constructor(
    events: PacketEvents,
    batch: EventBatch,
    inOrder: { tracker: PacketTracker | undefined } | undefined,
  ) {
    this.events = events;
    this.batch = batch;
    this.timed = events.writes.ts || events.writes.wants('raw_time');
    const coded = inOrder === undefined;
    this.frames = new PlainFrames(events.writes, batch, STEP, coded);
    this.order = inOrder && new FramesInOrder(events, batch, this.frames, inOrder.tracker);
  }

  /**
   * Takes the ordinary records at the start of `bytes[at, end)`.
   * @param p as the reader keeps it: `number` counts on
   * @param base offset of `bytes[0]` in the source
   * @returns where the first record begins that was not taken
   */
  take(
    p: Packet,
    bytes: Uint8Array,
    at: number,
    end: number,
    base: number,
    form: RecordForm,
  ): number {
    const { batch, found } = this;
    const { starts } = found;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let place = at;
    this.lastStart = -1;
    for (;;) {
      const most = Math.min(STEP, batch.capacity - batch.length);
      const n = form.find(view, place, end, most, this.timed, found);
      if (n === 0) return place;
      place = starts[n]!;
      this.lastStart = starts[n - 1]!;
      this.fill(p, bytes, n, base, form);
      this.events.recorded(n);
      batch.endRows(n, place - starts[0]!);
    }
  }

  /** The columns of the first `n` records that were found; `p.number` counts on. */
  private fill(
    p: Packet,
    bytes: Uint8Array,
    n: number,
    base: number,
    { linkType, digits }: RecordForm,
  ): void {
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
      for (let i = 0; i < n; i++) values[row + i] = p.number + 1 + i;
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
    const number = p.number;
    p.number += n;
    if (!writes.frame) return;
    const left = this.frames.take(linkType, bytes, this.found, n, row);
    p.bytes = bytes;
    p.linkType = linkType;
    if (this.order !== undefined) {
      p.digits = digits;
      this.order.take(p, this.found, n, row, number);
      return;
    }
    for (let j = 0; j < left; j++) {
      const i = this.frames.left[j]!;
      p.start = frames[i]!;
      p.end = ends[i]!;
      p.wire = wires[i]!;
      this.events.frame(p, row + i);
    }
  }
}
