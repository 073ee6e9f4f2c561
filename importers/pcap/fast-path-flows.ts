/**
 * The frames of many records one after the other: each is followed into its flow, and its texts are written,
 * which are in a column in the order of the rows. Frames that are plain are not decoded again: what a
 * tracker of flows needs of them is read where it lies.
 *
 * Holds always: a tracker is given what `decode.ts` would have made of the frame.
 */
import type { EventBatch } from '../../engine/contract/event-batch.ts';
import { u16 } from './bytes.ts';
import type { PacketRows } from './packet-writes.ts';
import type { PacketTracker, PlainRun } from './packet-tracker.ts';
import type { Packet } from './packet.ts';
import { FRAME_RELAY, LINK_ONLY, NONE, SUN_ATM, dlciOf } from './plain-links.ts';
import { setPlain } from './plain-layers.ts';
import type { FoundRecords } from './records.ts';
import type { SortedFrames } from './fast-path-classify.ts';

export class FramesInOrder {
  private readonly events: PacketRows;
  private readonly batch: EventBatch | undefined;
  private readonly sorted: SortedFrames;
  private readonly tracker: PacketTracker | undefined;
  /** Flows of a run of plain frames. */
  private readonly numbers: Uint32Array;

  /**
   * @param batch undefined: no rows are made
   * @param sorted has sorted the frames that are to be taken
   */
  constructor(
    events: PacketRows,
    batch: EventBatch | undefined,
    sorted: SortedFrames,
    tracker: PacketTracker | undefined,
  ) {
    this.events = events;
    this.batch = batch;
    this.sorted = sorted;
    this.tracker = tracker;
    this.numbers = new Uint32Array(sorted.networks.length);
  }

  /**
   * @param p has the bytes, the link type and the digits of all `n` records
   * @param view of the same bytes
   * @param row of the first
   * @param before number of the record before the first
   */
  take(
    p: Packet,
    view: DataView,
    found: FoundRecords,
    n: number,
    row: number,
    before: number,
  ): void {
    const { sorted } = this;
    const { networks } = sorted;
    const run = { view, found, sorted };
    for (let i = 0; i < n;) {
      let to = i;
      while (to < n && networks[to]! >= 0) to += 1;
      if (to > i) {
        this.plain(p, run, i, to, row, before);
        i = to;
        continue;
      }
      p.number = before + 1 + i;
      this.other(p, found, i, row + i);
      i += 1;
    }
    p.number = before + n;
  }

  /** Frames with plain IP. */
  private plain(
    p: Packet,
    run: PlainRun,
    from: number,
    to: number,
    row: number,
    before: number,
  ): void {
    const { events, tracker, batch, numbers } = this;
    const { protocols } = this.sorted;
    const { found } = run;
    if (batch !== undefined) {
      for (let i = from; i < to;) {
        const proto = protocols[i]!;
        let end = i + 1;
        while (end < to && protocols[end] === proto) end += 1;
        events.protocols(row + i, end - i, proto);
        i = end;
      }
    }
    if (p.linkType === FRAME_RELAY || p.linkType === SUN_ATM) {
      for (let i = from; i < to; i++) this.circuits(p, found.frames[i]!, row + i);
    }
    if (tracker === undefined) return;
    if (tracker.plain !== undefined) tracker.plain(p, run, from, to, numbers);
    else {
      for (let i = from; i < to; i++) {
        p.number = before + 1 + i;
        setPlain(p, run, i);
        numbers[i] = tracker.packet(p);
      }
    }
    if (batch === undefined) return;
    const { values, present } = batch.flow_id;
    for (let i = from; i < to; i++) {
      if (numbers[i] === 0) continue;
      values[row + i] = numbers[i]!;
      present[row + i] = 1;
    }
  }

  /** Any other frame. */
  private other(p: Packet, found: FoundRecords, i: number, row: number): void {
    const { events, tracker } = this;
    const at = this.sorted.networks[i]!;
    p.micros = found.micros[i]!;
    p.nanos = found.nanos[i]!;
    p.start = found.frames[i]!;
    p.end = found.ends[i]!;
    p.wire = found.wires[i]!;
    if (at === NONE) events.frame(p, row);
    else {
      p.resetLayers();
      events.linkWord(row, LINK_ONLY - at);
      if (p.linkType === FRAME_RELAY || p.linkType === SUN_ATM) this.circuits(p, p.start, row);
    }
    if (tracker === undefined) return;
    const flow = tracker.packet(p);
    if (flow !== 0) this.batch?.flow_id.set(row, flow);
  }

  private circuits({ linkType, bytes }: Packet, start: number, row: number): void {
    const { events } = this;
    if (linkType === FRAME_RELAY) events.circuit(row, 'dlci', dlciOf(bytes, start));
    else {
      events.circuit(row, 'vpi', bytes[start + 1]!);
      events.circuit(row, 'vci', u16(bytes, start + 2));
    }
  }
}
