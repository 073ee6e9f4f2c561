/**
 * Common part of the readers of container formats: they are fed the available bytes, take whole records, and leave
 * the rest until more has arrived. Unreadable bytes are collected here into one quarantined region with its offset,
 * until reading can continue.
 */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';

export interface CaptureReader {
  /** Records read so far, quarantined ones included. */
  readonly number: number;
  /**
   * Takes whole records from `bytes[start, end)`.
   * @param base offset of `bytes[0]` in the source
   * @param last whether no more bytes will follow: all are taken
   * @returns start of the remaining bytes
   */
  feed(bytes: Uint8Array, start: number, end: number, base: number, last: boolean): number;
  /** Reports facts about the source as a whole. Called once, after the last bytes. */
  finish(): void;
}

/** A record that claims more than this is damaged, whatever the file's own limit is. */
export const MAX_RECORD = 16 * 1024 * 1024;
/** The longest packet of most link types, as in libpcap. */
export const MAX_PACKET = 262_144;
/** Maximum number of raw bytes kept of one quarantined region; its reason states its full length. */
const MAX_RAW = 256 * 1024;
/** Number of damaged places with a note of their own. */
const MAX_NOTES = 50;

/** A range of the source without valid records, which grows until reading can continue. */
export class LostRegion {
  private readonly sink: EventSink;
  private offset = -1;
  private size = 0;
  private reason = '';
  private raw: Uint8Array[] = [];
  private kept = 0;
  private closed = 0;

  constructor(sink: EventSink) {
    this.sink = sink;
  }

  get open(): boolean {
    return this.offset >= 0;
  }

  begin(offset: number, reason: string): void {
    this.offset = offset;
    this.reason = reason;
    this.size = 0;
    this.raw = [];
    this.kept = 0;
  }

  /** Adds `bytes[start, end)` to the region. */
  add(bytes: Uint8Array, start: number, end: number): void {
    this.size += end - start;
    const take = Math.min(end - start, MAX_RAW - this.kept);
    if (take <= 0) return;
    // A copy: `slice` of a Buffer is a view of memory that is read into again.
    this.raw.push(new Uint8Array(bytes.subarray(start, start + take)));
    this.kept += take;
  }

  /** Quarantines the region. @param resumed offset where reading continues, -1 at the end */
  close(resumed: number): void {
    const whole = new Uint8Array(this.kept);
    let at = 0;
    for (const part of this.raw) {
      whole.set(part, at);
      at += part.length;
    }
    const extent =
      resumed < 0
        ? `${this.size} ${nounOf(this.size, 'byte')} to the end`
        : `${this.size} ${nounOf(this.size, 'byte')}`;
    this.sink.quarantine(this.offset, `${this.reason} (${extent})`, whole);
    if (this.closed < MAX_NOTES) {
      this.sink.note(
        resumed < 0
          ? `cannot be read from offset ${this.offset}: ${this.reason}`
          : `damaged at offset ${this.offset} (${this.reason}); reading continues at offset ${resumed}`,
      );
    } else if (this.closed === MAX_NOTES) {
      this.sink.note('more is damaged: the quarantine lists every place');
    }
    if (resumed < 0) {
      const text = `cannot be read from offset ${this.offset}: ${this.reason}`;
      this.sink.broken?.('damaged', this.offset, text);
    }
    this.closed += 1;
    this.offset = -1;
    this.raw = [];
  }
}
