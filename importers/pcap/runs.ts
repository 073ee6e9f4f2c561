/**
 * Takes many ordinary records of the classic format at a time, for who wants some columns only: a scan.
 * Columns are filled one after the other, each in a loop of its own. What is not ordinary (a length that
 * is absurd, an end inside a record) is left to the reader of the format.
 *
 * Holds always: rows are those that `PacketEvents.take` makes of each record (decode.test.ts).
 */
import type { EventBatch } from '../../engine/contract/event-batch.ts';
import type { PacketEvents } from './packet-events.ts';
import { PlainFrames } from './plain-frames.ts';
import type { Packet } from './packet.ts';

/** How records of a file are written. */
export interface RecordForm {
  readonly little: boolean;
  readonly nano: boolean;
  /** Bytes of a record's header. */
  readonly header: number;
  /** Bytes of a frame at most. */
  readonly limit: number;
}

/** Records at a time: their first bytes stay near the processor from one column to the next. */
const STEP = 512;

export class PacketRuns {
  private readonly events: PacketEvents;
  private readonly batch: EventBatch;
  private readonly frames: PlainFrames;
  private readonly starts = new Int32Array(STEP + 1);
  private readonly wires = new Float64Array(STEP);
  /** Where the last record that was taken begins in the bytes of the last call; -1: none was. */
  lastStart = -1;

  constructor(events: PacketEvents, batch: EventBatch) {
    this.events = events;
    this.batch = batch;
    this.frames = new PlainFrames(events.writes, batch, STEP);
  }

  /**
   * Takes the ordinary records at the start of `given[at, end)`.
   * @param p as the reader keeps it: `number` counts on, `linkType` and `digits` are those of the file
   * @param base offset of `given[0]` in the source
   * @returns where the first record begins that was not taken
   */
  take(
    p: Packet,
    given: Uint8Array,
    at: number,
    end: number,
    base: number,
    form: RecordForm,
  ): number {
    const { batch, starts, wires } = this;
    const { little, header, limit } = form;
    const { buffer, byteOffset, byteLength } = given;
    // Always of one class, whatever is given: code for several is slower.
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    const view = new DataView(buffer, byteOffset, byteLength);
    const last = end - header;
    let place = at;
    this.lastStart = -1;
    for (;;) {
      const most = Math.min(STEP, batch.capacity - batch.length);
      let n = 0;
      while (n < most && place <= last) {
        const captured = view.getUint32(place + 8, little);
        if (captured > limit) break;
        const next = place + header + captured;
        if (next > end) break;
        starts[n] = place;
        wires[n] = view.getUint32(place + 12, little);
        n += 1;
        place = next;
      }
      if (n === 0) return place;
      starts[n] = place;
      this.lastStart = starts[n - 1]!;
      this.fill(p, bytes, view, n, base, form);
      p.number += n;
      this.events.recorded(n);
      batch.endRows(n, place - starts[0]!);
    }
  }

  /** The columns of the records at the first `n` starts. */
  private fill(
    p: Packet,
    bytes: Uint8Array,
    view: DataView,
    n: number,
    base: number,
    { little, nano, header }: RecordForm,
  ): void {
    const { batch, starts, wires } = this;
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
      for (let i = 0; i < n; i++) values[row + i] = starts[i + 1]! - starts[i]! - header;
      present.fill(1, row, to);
    }
    if (writes.ts) {
      const { values, present } = batch.ts;
      for (let i = 0; i < n; i++) {
        const at = starts[i]!;
        const fraction = view.getUint32(at + 4, little);
        const micros = nano ? Math.floor(fraction / 1000) : fraction;
        values[row + i] = view.getUint32(at, little) * 1_000_000 + micros;
      }
      present.fill(1, row, to);
    }
    if (writes.ts && writes.fraction) {
      const { values, present } = batch.ts_ns;
      for (let i = 0; i < n; i++)
        values[row + i] = nano ? view.getUint32(starts[i]! + 4, little) % 1000 : 0;
      present.fill(1, row, to);
      batch.ts_digits.values.fill(p.digits, row, to);
      batch.ts_digits.present.fill(1, row, to);
    }
    if (!writes.frame) return;
    const { frames, events } = this;
    const left = frames.take(p.linkType, bytes, starts, header, n, row, wires);
    p.bytes = bytes;
    for (let j = 0; j < left; j++) {
      const i = frames.left[j]!;
      p.start = starts[i]! + header;
      p.end = starts[i + 1]!;
      p.wire = wires[i]!;
      events.frame(p, row + i);
    }
  }
}
