/**
 * nfdump's binary files, as nfcapd, nfpcapd and sfcapd write them: every flow is an event of kind `flow`.
 * See docs/importers/nfcapd.md.
 */
import { counted } from '../../engine/contract/words/counted.ts';
import { SourceError } from '../../engine/contract/errors.ts';
import type {
  EventSink,
  Importer,
  SniffResult,
  SourceInput,
} from '../../engine/evidence/importer.ts';
import { ByteSource } from '../shared/byte-source.ts';
import { FlowEvents, type Place } from './events.ts';
import {
  BLOCK_HEADER_BYTES,
  blockHeaderOf,
  type BlockHeader,
  decompressed,
  type FileHeader,
  headerOf,
  MOST_BLOCK_BYTES,
  STATISTICS_BYTES,
} from './file.ts';
import { RecordView } from './flow.ts';
import { BadBlock } from './lzo.ts';
import { type ExtensionMap, flowOfV1, mapOf } from './records-v1.ts';
import { flowOfV3 } from './records-v3.ts';

const LONGEST_HEADER = 140;
const RECORD_HEADER_BYTES = 4;
/** Types of flow records and of maps of their extensions; of the appendix. */
const TYPE = { flowV0: 1, map: 2, flowV1: 10, flowV3: 11, ident: 0x8001, statistics: 0x8002 };
/** Blocks with flows, by layout; those of 1.5 and those without flows are others. */
const FLOW_BLOCKS = { 1: [2], 2: [2, 3] } as const;

function sniff(head: Uint8Array): SniffResult | undefined {
  return headerOf(head) === undefined ? undefined : { score: 1, format: 'nfcapd' };
}

async function read(input: SourceInput, sink: EventSink): Promise<void> {
  const source = new ByteSource(input.blocks());
  try {
    await new Reader(source, sink).run();
    if (source.failure.length > 0) throw source.failure[0];
  } finally {
    await source.close();
  }
}

class Reader {
  private readonly source: ByteSource;
  private readonly sink: EventSink;
  private readonly events: FlowEvents;
  private readonly maps = new Map<number, ExtensionMap>();
  private flows = 0;
  private scratch = new Uint8Array(0);
  /** Number of flows that the file states. */
  private expected: number | undefined;

  constructor(source: ByteSource, sink: EventSink) {
    this.source = source;
    this.sink = sink;
    this.events = new FlowEvents(sink);
  }

  async run(): Promise<void> {
    const { source, sink } = this;
    await source.ensure(LONGEST_HEADER);
    const header = headerOf(source.buffer.subarray(source.at, source.end));
    if (header === undefined) return this.cutOff('the file ends within its header');
    source.at += header.bytes;
    if (header.encrypted || header.compression === undefined) {
      const reason = header.encrypted ? 'it is encrypted' : 'its compression is unknown';
      this.damaged(header.bytes, `none of its flows was read: ${reason}`);
      return;
    }
    if (header.ident !== '' && header.ident !== 'none') sink.metadata('ident', header.ident);
    sink.metadata('layout', `${header.layout}, compression ${header.compression}`);
    if (header.layout === 1) {
      if (!(await source.ensure(STATISTICS_BYTES)))
        return this.cutOff('the file ends within its statistics');
      this.expected = this.view(STATISTICS_BYTES, header.little).u64(0);
      source.at += STATISTICS_BYTES;
    }
    for (let i = 0; i < header.blocks + header.appendix; i++) {
      if (!(await this.block(header, i >= header.blocks))) return;
      await sink.drain(source.position);
    }
    if (await source.ensure(1))
      this.damaged(source.position, 'there are bytes after the last block');
    if (this.expected !== undefined && this.expected !== this.flows)
      sink.note(`the file states ${counted(this.expected, 'flow')}; ${this.flows} were found`);
  }

  /** For a decompressed block. */
  private room(bytes: number): Uint8Array {
    if (this.scratch.length < bytes) this.scratch = new Uint8Array(bytes);
    return this.scratch.subarray(0, bytes);
  }

  private view(bytes: number, little: boolean): RecordView {
    const { source } = this;
    return new RecordView(source.buffer.subarray(source.at, source.at + bytes), little);
  }

  /** @returns whether another one may follow */
  private async block(header: FileHeader, isAppendix: boolean): Promise<boolean> {
    const { source } = this;
    const start = source.position;
    if (!(await source.ensure(BLOCK_HEADER_BYTES))) {
      this.cutOff('the file ends before its last block');
      return false;
    }
    const block = blockHeaderOf(this.view(BLOCK_HEADER_BYTES, header.little), 0);
    if (block.bytes > MOST_BLOCK_BYTES) {
      this.damaged(start, 'a block is larger than allowed');
      return false;
    }
    source.at += BLOCK_HEADER_BYTES;
    const isWhole = await source.ensure(block.bytes);
    const size = isWhole ? block.bytes : source.available;
    const stored = Uint8Array.from(source.buffer.subarray(source.at, source.at + size));
    source.at += size;
    const compression = block.isCompressed ? header.compression! : 'none';
    const place = { offset: start, bytes: BLOCK_HEADER_BYTES + size };
    const isPlain = compression === 'none';
    if (!isWhole && !isPlain) {
      this.cutOff('the file ends within a compressed block', place, stored);
      return false;
    }
    try {
      const bytes = await decompressed(stored, compression, (size) => this.room(size));
      this.records(header, block, bytes, isPlain ? undefined : place, start, isAppendix);
    } catch (error) {
      if (!(error instanceof BadBlock)) throw error;
      this.sink.quarantine(start, error.message, stored);
      this.damaged(start, error.message);
    }
    if (!isWhole) this.cutOff('the file ends within a block');
    return isWhole;
  }

  /** @param packed position of the block, if it was compressed: its records have none of their own */
  private records(
    header: FileHeader,
    block: BlockHeader,
    bytes: Uint8Array,
    packed: Place | undefined,
    start: number,
    isAppendix: boolean,
  ): void {
    const { sink } = this;
    if (!isAppendix && !(FLOW_BLOCKS[header.layout] as readonly number[]).includes(block.type)) {
      sink.skip('block of a type other than flows', block.records);
      return;
    }
    const view = new RecordView(bytes, header.little);
    let found = 0;
    let at = 0;
    while (at + RECORD_HEADER_BYTES <= bytes.length) {
      const size = view.u16(at + 2);
      const offset = start + BLOCK_HEADER_BYTES + at;
      if (size < RECORD_HEADER_BYTES || at + size > bytes.length) break;
      const record = bytes.subarray(at, at + size);
      const place = packed ?? { offset, bytes: size };
      if (isAppendix) this.about(new RecordView(record, header.little));
      else this.record(new RecordView(record, header.little), place);
      found += 1;
      at += size;
    }
    if (at === bytes.length && found === block.records) return;
    const offset = packed?.offset ?? start + BLOCK_HEADER_BYTES + at;
    const reason =
      at === bytes.length
        ? `a block has ${counted(found, 'record')}, but states ${block.records}`
        : 'a record ends beyond its block';
    if (at < bytes.length) sink.quarantine(offset, reason, bytes.slice(at));
    this.damaged(offset, reason);
  }

  private record(view: RecordView, place: Place): void {
    const { sink } = this;
    switch (view.u16(0)) {
      case TYPE.map: {
        const map = mapOf(view);
        if (typeof map === 'string') sink.quarantine(place.offset, map, view.bytes.slice());
        else {
          this.maps.set(map.id, map.extensions);
          sink.skip('map of extensions', 1);
        }
        return;
      }
      case TYPE.flowV0:
      case TYPE.flowV1:
      case TYPE.flowV3: {
        const flow = view.u16(0) === TYPE.flowV3 ? flowOfV3(view) : flowOfV1(view, this.maps);
        this.flows += 1;
        if (typeof flow === 'string') sink.quarantine(place.offset, flow, view.bytes.slice());
        else this.events.add(flow, place);
        return;
      }
      default:
        sink.skip('record about an exporter, a sampler or the file', 1);
    }
  }

  /** A record of the appendix, which is not evidence itself. */
  private about(view: RecordView): void {
    const type = view.u16(0);
    const { length } = view.bytes;
    if (type === TYPE.ident) {
      const ident = view.text(RECORD_HEADER_BYTES, length - RECORD_HEADER_BYTES);
      if (ident !== '' && ident !== 'none') this.sink.metadata('ident', ident);
    } else if (type === TYPE.statistics && length >= RECORD_HEADER_BYTES + 8)
      this.expected = view.u64(RECORD_HEADER_BYTES);
  }

  private cutOff(reason: string, place?: Place, bytes?: Uint8Array): void {
    const { source, sink } = this;
    // The bytes' error says more than that they ended.
    if (source.failure[0] instanceof SourceError && place === undefined) return;
    const offset = place?.offset ?? source.position;
    if (bytes !== undefined) sink.quarantine(offset, reason, bytes);
    sink.broken?.('partial', offset, reason);
    sink.note(`${reason}, at offset ${offset}`);
  }

  private damaged(offset: number, reason: string): void {
    this.sink.broken?.('damaged', offset, reason);
    this.sink.note(`${reason}, at offset ${offset}`);
  }
}

export const nfcapdImporter: Importer = {
  id: 'nfcapd',
  title: 'nfdump NetFlow files (nfcapd)',
  version: 1,
  appendOnly: false,
  formats: ['nfcapd'],
  sniff,
  read,
};
