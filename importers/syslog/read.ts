/**
 * Reads a log of lines, or of octet-counted frames, into events.
 *
 * Invariant: every line becomes an event, a part of the previous event, a blank, or a quarantined record, and is
 * counted once. An event is written only when the next one begins, since the following lines may belong to it; what
 * is buffered for that is bounded.
 */
import type { ByteOffset } from '../../engine/contract/event.ts';
import { nounOf } from '../../engine/contract/words/counted.ts';
import type {
  EventSink,
  LineRecords,
  ReadOptions,
  SourceInput,
} from '../../engine/evidence/importer.ts';
import { piecesOf } from '../../engine/evidence/pieces.ts';
import {
  BESIDE_DAMAGE,
  CONTINUATION,
  LineReader,
  MAX_LINE_BYTES,
  type LineEncoding,
} from '../shared/lines.ts';
import type { Zone } from '../../engine/contract/time/zone.ts';
import { Continuation, isDirective } from './continuation.ts';
import { lacksYear, scanDates, tellDates, type DatesPlan } from './dates.ts';
import { Emitter } from './emit.ts';
import type { FrameReader } from './frames.ts';
import { Header } from './header/header.ts';
import { parseHeader } from './header/parse-header.ts';
import { dateByLines } from './header/times-inside.ts';
import { framesOf, MAX_LINE, type Layout } from './layout.ts';
import { W3cColumns } from './w3c.ts';
import { YearCursor } from './year.ts';

const MAX_RAW = 64 * 1024;
/** Maximum number of lines in an event: further lines are separate events. */
const MAX_EVENT_LINES = 2000;
const MAX_EVENT_BYTES = 1024 * 1024;

const BLANK = 'blank line';
const NULS = 'line of NUL bytes';
const DIRECTIVE = 'heading line of a W3C log';

/** The common part of the line reader and the frame reader. */
interface Records {
  readonly buffer: Uint8Array;
  readonly encoding: LineEncoding;
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly lineOffset: ByteOffset;
  readonly lineLength: number;
  readonly consumed: ByteOffset;
  nextBlock(): Promise<boolean>;
  next(): boolean;
  close(): Promise<void>;
}

function isBlank(b: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const c = b[i]!;
    if (c !== 32 && c !== 9 && c !== 13) return false;
  }
  return true;
}

class LogReader {
  private readonly sink: EventSink;
  private readonly emitter: Emitter;
  private readonly w3c: W3cColumns;
  private years: YearCursor | undefined;
  /** The pending event, which following lines may belong to, and the one being parsed. */
  private pending = new Header();
  private spare = new Header();
  private waiting = false;
  /** Whether the waiting event may take lines that have no header, and which. */
  private open = false;
  private readonly continuation: Continuation;
  private headed = false;
  private bytes: Uint8Array;
  private valid = true;
  private seq = 0;
  private offset: ByteOffset = 0;
  private length = 0;
  private extraLines = 0;
  /** Bytes of the pending event if they had to be moved; `carried` of them. */
  private carry: Uint8Array = new Uint8Array(4096);
  private carried = -1;
  private line = 0;
  private blanks = 0;
  private nuls = 0;
  private directives = 0;
  private insideLong = false;
  private readonly records: LineRecords | undefined;
  /** Events that are not of `records`. */
  private events = 0;

  constructor(sink: EventSink, zone: Zone, zoneGiven: boolean, { shape, records }: Layout) {
    this.sink = sink;
    this.records = records;
    this.w3c = new W3cColumns(sink.batch('log'));
    this.emitter = new Emitter(sink, zone, zoneGiven, this.w3c);
    this.bytes = this.carry;
    this.continuation = new Continuation(shape.mostlyDated);
    this.pending.places = shape.places;
    this.spare.places = shape.places;
  }

  useDates({ years, order }: DatesPlan): void {
    this.years = new YearCursor(years);
    this.pending.stamp.order = order?.order;
    this.spare.stamp.order = order?.order;
  }

  /** Completes a partial date. False if the plan of the dates is missing. */
  private date(h: Header): boolean {
    if (this.years === undefined) return !h.stamp.numeric && !lacksYear(h);
    if (lacksYear(h)) {
      h.stamp.year = this.years.next(h.stamp.month, h.stamp.day);
      h.yearDecided = true;
    }
    return true;
  }

  /** The content before this position is finished: the start of the pending event. */
  done(consumed: ByteOffset): ByteOffset {
    return this.waiting ? this.offset : consumed;
  }

  /** Reads the lines of a region. False if it stopped at a line whose date must be decided first. */
  lines(reader: LineReader, again: boolean): boolean {
    // A Buffer's subarray costs more than that of a Uint8Array over the same memory.
    const { buffer, byteOffset, length } = reader.buffer;
    const b = new Uint8Array(buffer, byteOffset, length);
    const valid = reader.encoding !== 'mixed';
    let repeat = again;
    while (repeat || reader.next()) {
      if (!repeat) {
        if (this.insideLong && !reader.lost) {
          this.insideLong = !reader.complete && reader.truncated;
          continue;
        }
        this.line++;
      }
      repeat = false;
      if (reader.lost) {
        this.besideDamage(reader);
        continue;
      }
      if (reader.truncated) {
        this.tooLong(reader);
        continue;
      }
      const start = reader.lineStart;
      const end = reader.lineEnd;
      if (end === start || (b[start]! <= 32 && isBlank(b, start, end))) {
        this.blanks++;
        this.continuation.blank();
        continue;
      }
      if (this.records?.isOne(b, start, end) === true) {
        this.flush();
        this.open = false;
        this.records.record(b, start, end, reader.lineOffset, reader.lineLength, this.line);
        continue;
      }
      if (b[start] === 35 && isDirective(b, start, end)) {
        this.flush();
        this.w3c.heading(b, start, end);
        this.directives++;
        this.open = false;
        continue;
      }
      if (end - start > MAX_LINE) {
        this.tooLong(reader);
        continue;
      }
      const h = this.spare;
      const known = parseHeader(h, b, start, end);
      if (!known && h.messageStart >= h.messageEnd) {
        this.nuls++;
        continue;
      }
      if (
        this.open &&
        !(known && (h.leading || !h.dated)) &&
        this.continues(known, b, start, end)
      ) {
        this.append(reader, valid);
        continue;
      }
      if (h.dated && (h.stamp.year === 0 || h.stamp.numeric) && !this.date(h)) return false;
      this.w3c.align(h);
      this.flush();
      this.spare = this.pending;
      this.pending = h;
      this.waiting = true;
      this.open = true;
      this.headed = known;
      this.continuation.begin();
      this.bytes = b;
      this.valid = valid;
      this.seq = this.records?.number() ?? this.line;
      this.events++;
      this.offset = reader.lineOffset;
      this.length = reader.lineLength;
    }
    return true;
  }

  /** The same for frames, which have no following lines. */
  frames(reader: FrameReader, again: boolean): boolean {
    const b = reader.buffer;
    const valid = reader.encoding !== 'mixed';
    let repeat = again;
    while (repeat || reader.next()) {
      if (!repeat) this.line++;
      repeat = false;
      const start = reader.lineStart;
      const end = reader.lineEnd;
      if (reader.bad !== undefined) {
        const raw = b.subarray(start, Math.min(end, start + MAX_RAW));
        this.sink.quarantine(reader.lineOffset, reader.bad, raw, this.line);
        continue;
      }
      const h = this.spare;
      parseHeader(h, b, start, end);
      if (h.dated && (h.stamp.year === 0 || h.stamp.numeric) && !this.date(h)) return false;
      this.emitter.emit(h, b, valid, this.line, reader.lineOffset, reader.lineLength);
    }
    return true;
  }

  /** Called after a region, whose bytes become invalid: saves the pending event, and reports the counts. */
  endRegion(): void {
    if (this.waiting && this.carried < 0) this.startCarry();
    this.tellCounts();
  }

  endContent(): void {
    this.flush();
    this.tellCounts();
    const { events } = this;
    if (this.records === undefined || events === 0) return;
    this.sink.note(
      `${events} ${nounOf(events, 'event')} from lines that are not JSON: read as a log, beside the records`,
    );
  }

  private tellCounts(): void {
    this.emitter.tellRows();
    if (this.blanks > 0) this.sink.skip(BLANK, this.blanks);
    if (this.nuls > 0) this.sink.skip(NULS, this.nuls);
    if (this.directives > 0) this.sink.skip(DIRECTIVE, this.directives);
    this.blanks = 0;
    this.nuls = 0;
    this.directives = 0;
  }

  private flush(): void {
    if (!this.waiting) return;
    if (!this.pending.dated) dateByLines(this.pending, this.bytes);
    this.emitter.emit(this.pending, this.bytes, this.valid, this.seq, this.offset, this.length);
    if (this.extraLines > 0) this.sink.skip(CONTINUATION, this.extraLines);
    this.waiting = false;
    this.extraLines = 0;
    this.carried = -1;
  }

  /** The next line belongs to nothing before. */
  private besideDamage(reader: LineReader): void {
    this.flush();
    this.open = false;
    this.insideLong = false;
    const start = reader.lineStart;
    const raw = reader.buffer.subarray(start, Math.min(reader.lineEnd, start + MAX_RAW));
    this.records?.number();
    this.sink.quarantine(reader.lineOffset, BESIDE_DAMAGE, raw, this.line);
  }

  private tooLong(reader: LineReader): void {
    const start = reader.lineStart;
    const raw = reader.buffer.subarray(start, Math.min(reader.lineEnd, start + MAX_RAW));
    const most = reader.truncated ? reader.maxLine : MAX_LINE;
    this.records?.number();
    this.sink.quarantine(reader.lineOffset, `line longer than ${most} bytes`, raw, this.line);
    this.insideLong = !reader.complete;
    this.open = false;
  }

  /** Whether a line belongs to the pending event, which has room for it. */
  private continues(known: boolean, b: Uint8Array, start: number, end: number): boolean {
    const { continuation, pending, bytes, headed } = this;
    return (
      (known
        ? continuation.takesDated(pending, bytes, headed, b, start, end)
        : continuation.takes(pending, bytes, headed, b, start, end)) && this.hasRoom(end - start)
    );
  }

  /** Whether the waiting event may take `size` bytes more. */
  private hasRoom(size: number): boolean {
    if (this.carried < 0) this.startCarry();
    return this.extraLines < MAX_EVENT_LINES && this.carried + size + 1 <= MAX_EVENT_BYTES;
  }

  /** Adds the reader's line to the waiting event. */
  private append(reader: LineReader, valid: boolean): void {
    const size = reader.lineEnd - reader.lineStart;
    const at = this.carried;
    this.roomFor(at + size + 1);
    this.carry[at] = 10;
    this.carry.set(reader.buffer.subarray(reader.lineStart, reader.lineEnd), at + 1);
    this.carried = at + size + 1;
    // If a line has only a time, the message begins on the next.
    if (this.pending.messageStart >= this.pending.messageEnd) this.pending.messageStart = at + 1;
    this.pending.messageEnd = this.carried;
    this.valid &&= valid;
    this.extraLines++;
    this.length = reader.lineOffset + reader.lineLength - this.offset;
  }

  /** Moves the bytes of the pending event, up to its message's end, out of the reader's buffer. */
  private startCarry(): void {
    const h = this.pending;
    let from = h.messageStart;
    if (h.hostStart >= 0) from = Math.min(from, h.hostStart);
    if (h.programStart >= 0) from = Math.min(from, h.programStart);
    if (h.procidStart >= 0) from = Math.min(from, h.procidStart);
    if (h.eventStart >= 0) from = Math.min(from, h.eventStart);
    if (h.sdStart >= 0) from = Math.min(from, h.sdStart);
    if (h.uptimeStart >= 0) from = Math.min(from, h.uptimeStart);
    if (h.sequenceStart >= 0) from = Math.min(from, h.sequenceStart);
    if (h.originStart >= 0) from = Math.min(from, h.originStart);
    const size = h.messageEnd - from;
    this.roomFor(size);
    this.carry.set(this.bytes.subarray(from, h.messageEnd));
    h.move(from);
    this.carried = size;
    this.bytes = this.carry;
  }

  private roomFor(size: number): void {
    if (size <= this.carry.length) return;
    const larger = new Uint8Array(Math.max(size, this.carry.length * 2));
    if (this.carried > 0) larger.set(this.carry.subarray(0, this.carried));
    if (this.bytes === this.carry) this.bytes = larger;
    this.carry = larger;
  }
}

/** Reads `input` as lines or as octet-counted frames. */
export async function readLog(
  input: SourceInput,
  sink: EventSink,
  options: ReadOptions,
  zone: Zone,
  layout: Layout,
): Promise<void> {
  const frames = framesOf(layout, () => input.blocks());
  const log = new LogReader(sink, zone, options.timeZone !== undefined, layout);
  const maxLine = layout.records === undefined ? MAX_LINE : MAX_LINE_BYTES;
  const lines =
    frames !== undefined
      ? undefined
      : new LineReader(piecesOf(input), { maxLine, size: input.size });
  const plan = async () => (await scanDates(input, layout)).plan(options, input.modifiedMs);
  const reader: Records | undefined = lines ?? frames;
  if (reader === undefined) return;
  await readRegions(
    log,
    reader,
    sink,
    plan,
    (again) =>
      (lines === undefined || log.lines(lines, again)) &&
      (frames === undefined || log.frames(frames, again)),
  );
  if (frames?.isCutOff === true) {
    const part = layout.kind === 'xml' ? 'the document' : 'a frame';
    const text = `ends at offset ${frames.consumed}, inside ${part}`;
    sink.note(text);
    sink.broken?.('partial', frames.consumed, text);
  }
}

/** Reads region after region. */
async function readRegions(
  log: LogReader,
  reader: Records,
  sink: EventSink,
  planDates: () => Promise<DatesPlan>,
  region: (again: boolean) => boolean,
): Promise<void> {
  for (;;) {
    try {
      if (!(await reader.nextBlock())) break;
    } catch (error) {
      // Everything before the end of a broken content is good, including the pending event.
      log.endContent();
      throw error;
    }
    try {
      if (!region(false)) {
        const plan = await planDates();
        tellDates(sink, plan);
        log.useDates(plan);
        region(true);
      }
      log.endRegion();
      await sink.drain(log.done(reader.consumed));
    } catch (error) {
      await reader.close();
      throw error;
    }
  }
  log.endContent();
}
