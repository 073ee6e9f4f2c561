/**
 * A capture in pieces that several threads read at the same time, led by one that follows all packets into
 * flows: these need every packet in order, in one place. The leader decodes every packet and writes no row
 * of it; it knows where records begin, what a reader has to know there, and the flow of each packet, which
 * goes to the pieces as `known`.
 */
import type {
  EventSink,
  LedCut,
  LedPlan,
  Piece,
  Pieces,
  PieceSize,
  ReadOptions,
  ReadPosition,
  SourceInput,
} from '../../engine/contract/importer.ts';
import { CaptureStream, readerFor } from './capture-stream.ts';
import type { FlowTracker } from './flows/index.ts';
import { flowTracker, noteEvicted } from './flow-tracker.ts';
import { PacketEvents, type PacketTracker, type PlainRun } from './packet-events.ts';
import type { Packet } from './packet.ts';
import { isSnoop } from './snoop.ts';

/** Bytes that tell the format. */
const MAGIC = 8;
/** Bytes of the shortest record: the header of an empty packet. */
const LEAST_RECORD = 16;
/** Bytes that the leader takes at a time; it can cut where each ends. */
const STEP = 64 * 1024;
/** Pieces' records without a place to cut: their flows' numbers take memory, so one worker reads the rest. */
const MOST_UNCUT = 4;

/** Takes note of the flow of every packet. */
class Flows implements PacketTracker {
  private readonly tracker: FlowTracker;
  private numbers = new Uint32Array(4096);
  private count = 0;

  constructor(tracker: FlowTracker) {
    this.tracker = tracker;
  }

  packet(p: Packet): number {
    const number = this.tracker.packet(p);
    this.makeRoom(1);
    this.numbers[this.count++] = number;
    return number;
  }

  plain(p: Packet, run: PlainRun, from: number, to: number, out: Uint32Array): void {
    this.tracker.plain(p, run, from, to, out);
    this.makeRoom(to - from);
    this.numbers.set(out.subarray(from, to), this.count);
    this.count += to - from;
  }

  private makeRoom(n: number): void {
    if (this.count + n <= this.numbers.length) return;
    const bigger = new Uint32Array(this.numbers.length * 2 + n);
    bigger.set(this.numbers);
    this.numbers = bigger;
  }

  /** Those of the packets since it was called last. */
  taken(): Uint32Array<ArrayBuffer> {
    const numbers = this.numbers.slice(0, this.count);
    this.count = 0;
    return numbers;
  }

  finish(): void {
    this.tracker.finish();
  }
}

/** Gives packets the flows that the leader found. */
class KnownFlows implements PacketTracker {
  private readonly numbers: Uint32Array;
  private next = 0;

  constructor(numbers: Uint32Array) {
    this.numbers = numbers;
  }

  /** Whether there were as many packets as the leader met. */
  get complete(): boolean {
    return this.next === this.numbers.length;
  }

  packet(): number {
    return this.numbers[this.next++] ?? 0;
  }

  finish(): void {
    // The leader has written them.
  }
}

const nothing = (): undefined => undefined;

/** What is known of the whole goes to `sink`; records are for the pieces. */
function ofTheWhole(sink: EventSink): EventSink {
  return {
    batch: (kind) => sink.batch(kind),
    note: (text) => sink.note(text),
    broken: (state, offset, reason) => sink.broken?.(state, offset, reason),
    metadata: (key, value) => sink.metadata(key, value),
    decide: (decisions) => sink.decide(decisions),
    drain: (consumed) => sink.drain(consumed),
    ...{ record: nothing, quarantine: nothing, skip: nothing },
  };
}

/** Records go to `sink`; the leader tells what is known of the whole. */
function ofRecords(sink: EventSink): EventSink {
  return {
    batch: (kind) => sink.batch(kind),
    record: (n) => sink.record(n),
    quarantine: (offset, reason, raw, line) => sink.quarantine(offset, reason, raw, line),
    skip: (reason, n) => sink.skip(reason, n),
    drain: (consumed) => sink.drain(consumed),
    ...{ note: nothing, metadata: nothing, decide: nothing },
  };
}

async function plan(input: SourceInput, options: ReadOptions): Promise<LedPlan | undefined> {
  // Without rows of packets there is nothing to share out.
  if (!options.packets) return undefined;
  const head = await beginning(input);
  if (head.length < MAGIC || isSnoop(head)) return undefined;
  return {
    shared: Buffer.from(head).toString('base64'),
    lead: (content, sink, size) => lead(content, sink, options, size),
  };
}

async function beginning(input: SourceInput): Promise<Uint8Array> {
  try {
    for await (const block of input.blocks())
      if (block.length >= MAGIC) return new Uint8Array(block.subarray(0, MAGIC));
      else break;
  } catch {
    // Reading meets the same.
  }
  return new Uint8Array(0);
}

async function* lead(
  input: SourceInput,
  sink: EventSink,
  options: ReadOptions,
  size: PieceSize,
): AsyncGenerator<LedCut> {
  const whole = ofTheWhole(sink);
  const tracker = options.flows ? await flowTracker(whole) : undefined;
  const flows = tracker && new Flows(tracker);
  const stream = new CaptureStream(whole, new PacketEvents(whole, false, flows));
  const step = Math.min(STEP, size.lines * LEAST_RECORD);
  let cutOffset = 0;
  let cutRecords = 0;
  for await (const block of input.blocks()) {
    for (let at = 0; at < block.length; at += step) {
      stream.take(block.subarray(at, at + step));
      const { offset } = stream;
      const records = stream.reader?.number ?? 0;
      const bytes = offset - cutOffset;
      if (records - cutRecords < size.lines && bytes < size.bytes) continue;
      // What is left is to be worth a piece of its own.
      if (input.size === undefined || input.size - offset <= bytes / 2) continue;
      const next = positionOf(stream);
      if (next === undefined) {
        if (records - cutRecords > MOST_UNCUT * size.lines) return;
        continue;
      }
      cutOffset = offset;
      cutRecords = records;
      yield { next, known: flows?.taken() };
    }
    const wait = whole.drain(stream.offset);
    if (wait !== undefined) await wait;
  }
  stream.finish();
  flows?.finish();
  if (tracker !== undefined) noteEvicted(tracker, whole);
  yield { next: undefined, known: flows?.taken() };
}

function positionOf(stream: CaptureStream): ReadPosition | undefined {
  const state = stream.state();
  if (state === undefined) return undefined;
  return { offset: stream.offset, line: 0, records: stream.reader?.number ?? 0, state };
}

async function read(
  input: SourceInput,
  sink: EventSink,
  options: ReadOptions,
  { shared, from, until, known }: Piece,
): Promise<ReadPosition | undefined> {
  const records = ofRecords(sink);
  const flows = known && new KnownFlows(known);
  const events = new PacketEvents(records, options.packets, flows, options.columns);
  const reader = readerFor(Buffer.from(shared, 'base64'), records, events);
  if (from.state !== '') reader?.restore(from.state);
  const stream = new CaptureStream(records, events, reader, from.offset);
  const isLast = until === input.size;
  let at = from.offset;
  for await (const block of input.from?.(at) ?? []) {
    const part = block.subarray(0, until - at);
    stream.take(part);
    at += part.length;
    const wait = records.drain(stream.offset);
    if (wait !== undefined) await wait;
    if (at === until && !isLast) break;
  }
  if (isLast && at === until) stream.finish();
  if (stream.offset !== until || flows?.complete === false) return undefined;
  if (isLast) return { offset: until, line: 0, records: reader?.number ?? 0, state: '' };
  return positionOf(stream);
}

export const capturePieces: Pieces = { plan, read };
