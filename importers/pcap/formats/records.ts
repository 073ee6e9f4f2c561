/**
 * Finds ordinary records of capture formats many at a time: their positions and the contents of their headers.
 * Others (with an absurd length, options, or truncated) are left to the reader of the format.
 */
import { LATEST_MICROS } from '../decode/packet.ts';
import type { Clock } from './clock.ts';

/** The result of `find`: consecutive records. */
export class FoundRecords {
  /** Start of each; after the last one, start of the next. */
  readonly starts: Int32Array;
  /** Start and end of their frames. */
  readonly frames: Int32Array;
  readonly ends: Int32Array;
  /** Lengths of the frames on the wire. */
  readonly wires: Float64Array;
  readonly micros: Float64Array;
  readonly nanos: Uint16Array;

  constructor(most: number) {
    this.starts = new Int32Array(most + 1);
    this.frames = new Int32Array(most);
    this.ends = new Int32Array(most);
    this.wires = new Float64Array(most);
    this.micros = new Float64Array(most);
    this.nanos = new Uint16Array(most);
  }
}

/** Records of one link and one clock. */
export interface RecordForm {
  readonly linkType: number;
  /** Digits of the fraction of a second. */
  readonly digits: number;
  /**
   * Finds at most `most` records from the first byte of `[at, end)` on; returns their number. If `timed`, their
   * times are written, and a record with an unusual time is not ordinary.
   */
  find(
    view: DataView,
    at: number,
    end: number,
    most: number,
    timed: boolean,
    out: FoundRecords,
  ): number;
}

/** Of the classic format. */
export class ClassicRecords implements RecordForm {
  linkType = 0;
  digits = 6;
  little = true;
  nano = false;
  /** Bytes of a record's head. */
  header = 16;
  /** Bytes of a frame at most. */
  limit = 0;

  find(
    view: DataView,
    at: number,
    end: number,
    most: number,
    timed: boolean,
    out: FoundRecords,
  ): number {
    const { little, header, limit } = this;
    const { starts, frames, ends, wires } = out;
    const last = end - header;
    const second = this.nano ? 1_000_000_000 : 1_000_000;
    let place = at;
    let n = 0;
    while (n < most && place <= last) {
      const captured = view.getUint32(place + 8, little);
      // Nothing captured: the reader decides whether that is a record at all.
      if (captured === 0 || captured > limit) break;
      if (timed && view.getUint32(place + 4, little) >= second) break;
      const next = place + header + captured;
      if (next > end) break;
      starts[n] = place;
      frames[n] = place + header;
      ends[n] = next;
      wires[n] = view.getUint32(place + 12, little);
      n += 1;
      place = next;
    }
    starts[n] = place;
    if (timed) this.times(view, n, out);
    return n;
  }

  private times(view: DataView, n: number, { starts, micros, nanos }: FoundRecords): void {
    const { little, nano } = this;
    for (let i = 0; i < n; i++) {
      const at = starts[i]!;
      const fraction = view.getUint32(at + 4, little);
      const whole = nano ? Math.floor(fraction / 1000) : fraction;
      micros[i] = view.getUint32(at, little) * 1_000_000 + whole;
      nanos[i] = nano ? fraction - whole * 1000 : 0;
    }
  }
}

const ENHANCED_PACKET = 6;
/** Bytes of an enhanced packet block around its frame, without options. */
const AROUND = 32;

/** Enhanced packet blocks of one interface, without options. */
export class EnhancedPackets implements RecordForm {
  linkType = 0;
  digits = 6;
  little = true;
  /** Number of the interface. */
  number = 0;
  clock: Clock | undefined;
  offsetMicros = 0;
  /** Bytes of a block at most. */
  limit = 0;

  find(
    view: DataView,
    at: number,
    end: number,
    most: number,
    timed: boolean,
    out: FoundRecords,
  ): number {
    const { little, number, limit } = this;
    const { starts, frames, ends, wires } = out;
    const last = end - AROUND;
    let place = at;
    let n = 0;
    while (n < most && place <= last) {
      if (view.getUint32(place, little) !== ENHANCED_PACKET) break;
      const total = view.getUint32(place + 4, little);
      const captured = view.getUint32(place + 20, little);
      if (total > limit || captured > total) break;
      const next = place + total;
      if (next > end || total !== AROUND + ((captured + 3) & ~3)) break;
      if (view.getUint32(place + 8, little) !== number) break;
      if (view.getUint32(next - 4, little) !== total) break;
      if (timed && !this.time(view, place, n, out)) break;
      starts[n] = place;
      frames[n] = place + 28;
      ends[n] = place + 28 + captured;
      wires[n] = view.getUint32(place + 24, little);
      n += 1;
      place = next;
    }
    starts[n] = place;
    return n;
  }

  /** False: this clock, or this time, needs the general reader. */
  private time(view: DataView, at: number, i: number, { micros, nanos }: FoundRecords): boolean {
    const { little, clock } = this;
    if (clock === undefined) return false;
    const { multiplier, divisor, quotient, rest, tickNanos } = clock;
    const high = view.getUint32(at + 12, little);
    const low = view.getUint32(at + 16, little);
    let time: number;
    let fraction = 0;
    if (multiplier > 0) time = (high * 4_294_967_296 + low) * multiplier;
    else if (tickNanos > 0) {
      const left = high * rest + low;
      const whole = Math.floor(left / divisor);
      time = high * quotient + whole;
      fraction = (left - whole * divisor) * tickNanos;
    } else return false;
    time += this.offsetMicros;
    if (!(time >= 0 && time < LATEST_MICROS)) return false;
    micros[i] = time;
    nanos[i] = fraction;
    return true;
  }
}
