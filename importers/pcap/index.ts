/**
 * Packet captures: every packet is an event, and the flows they belong to are events too.
 * See docs/importers/pcap.md.
 */
import type {
  EventSink,
  Importer,
  ReadOptions,
  SniffResult,
  SourceInput,
} from '../../engine/contract/importer.ts';
import { SourceError } from '../../engine/contract/errors.ts';
import { u32 } from './bytes.ts';
import { LostRegion, type CaptureReader } from './capture-reader.ts';
import { classicVariant, ClassicReader } from './classic.ts';
import type { FlowTracker } from './flows/index.ts';
import { PacketEvents, type PacketTracker } from './packet-events.ts';
import { PcapngReader } from './pcapng.ts';
import { isSnoop, SnoopReader } from './snoop.ts';

/** Bytes that tell the format. */
const MAGIC = 8;
/** Bytes of a block that a record of the one before is put together with, to begin with. */
const JOINED = 4096;

function sniff(head: Uint8Array): SniffResult | undefined {
  const classic = classicVariant(head);
  if (classic !== undefined) return { score: 1, format: classic.format };
  if (head.length >= 4 && u32(head, 0) === 0x0a0d0d0a) {
    // Line ends alone could be a text file; the byte order magic settles it.
    if (head.length < 12) return { score: 0.5, format: 'pcapng' };
    const magic = u32(head, 8);
    if (magic === 0x1a2b3c4d || magic === 0x4d3c2b1a) return { score: 1, format: 'pcapng' };
    return undefined;
  }
  return isSnoop(head) ? { score: 1, format: 'snoop' } : undefined;
}

function readerFor(
  head: Uint8Array,
  sink: EventSink,
  events: PacketEvents,
): CaptureReader | undefined {
  if (classicVariant(head) !== undefined) return new ClassicReader(sink, events);
  if (head.length >= 4 && u32(head, 0) === 0x0a0d0d0a) return new PcapngReader(sink, events);
  return isSnoop(head) ? new SnoopReader(sink, events) : undefined;
}

/**
 * Reads a capture to its end.
 * @param tracker follows packets into flows; undefined for none
 */
export async function readCapture(
  input: SourceInput,
  sink: EventSink,
  options: Pick<ReadOptions, 'packets' | 'columns'>,
  tracker: PacketTracker | undefined,
): Promise<void> {
  const events = new PacketEvents(sink, options.packets, tracker, options.columns);
  let reader: CaptureReader | undefined;
  // Everything, when the content is no capture at all.
  const foreign = new LostRegion(sink);
  // What is left of earlier blocks; `offset` is where it begins in the source.
  let rest = new Uint8Array(0);
  let used = 0;
  let offset = 0;

  /** Takes what can be taken of `bytes[start, end)`, whose first byte is at `base`; gives what is left. */
  const feed = (
    bytes: Uint8Array,
    start: number,
    end: number,
    base: number,
    last: boolean,
  ): number => {
    if (reader === undefined && !foreign.open) {
      if (end - start < MAGIC && !last) return start;
      if (end === start) {
        sink.note('the file is empty');
        return end;
      }
      reader = readerFor(bytes.subarray(start, end), sink, events);
      if (reader === undefined) foreign.begin(0, 'no capture file header');
    }
    if (reader === undefined) {
      foreign.add(bytes, start, end);
      if (last) foreign.close(-1);
      return end;
    }
    return reader.feed(bytes, start, end, base, last);
  };
  const keep = (bytes: Uint8Array, start: number, end: number): void => {
    const need = used + end - start;
    if (need > rest.length) {
      const bigger = new Uint8Array(need + (need >>> 1));
      bigger.set(rest.subarray(0, used));
      rest = bigger;
    }
    rest.set(bytes.subarray(start, end), used);
    used = need;
  };
  const take = (block: Uint8Array): void => {
    const base = offset + used;
    let at = 0;
    // A record that began in an earlier block is put together with as little of this one as it takes.
    while (used > 0 && at < block.length) {
      const more = Math.min(block.length - at, Math.max(JOINED, used));
      keep(block, at, at + more);
      at += more;
      const left = feed(rest, 0, used, offset, false);
      offset += left;
      used -= left;
      if (used <= at) {
        // What is left lies in this block as well.
        at -= used;
        used = 0;
      } else rest.copyWithin(0, left, left + used);
    }
    if (at < block.length) {
      const left = feed(block, at, block.length, base, false);
      offset = base + left;
      keep(block, left, block.length);
    }
    events.flush();
  };
  const finish = (): void => {
    feed(rest, 0, used, offset, true);
    events.flush();
    reader?.finish();
    tracker?.finish();
  };

  try {
    for await (const block of input.blocks()) {
      take(block);
      const wait = sink.drain(offset);
      if (wait !== undefined) await wait;
    }
  } catch (error) {
    // What came before is good, and its flows are to be told.
    if (error instanceof SourceError) finish();
    throw error;
  }
  finish();
}

/** Loaded when flows are wanted: a scan of packets starts without. */
async function flowTracker(sink: EventSink): Promise<FlowTracker> {
  const flows = await import('./flows/index.ts');
  return new flows.FlowTracker(sink.batch('flow'));
}

export const pcapImporter: Importer = {
  id: 'pcap',
  title: 'Packet capture (pcap, pcapng, snoop)',
  version: 2,
  appendOnly: false,
  formats: ['pcap', 'pcap-nano', 'pcap-modified', 'pcapng', 'snoop'],
  sniff,
  async read(input, sink, options) {
    const tracker = options.flows ? await flowTracker(sink) : undefined;
    await readCapture(input, sink, options, tracker);
    if (tracker !== undefined && tracker.evicted > 0) {
      sink.note(`${tracker.evicted} flows were written early: too many were open at a time`);
    }
  },
};
