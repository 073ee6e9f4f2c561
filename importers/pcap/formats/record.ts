/**
 * Reads single packets back from a capture: the bytes of the frame with what is needed to dissect them. The event
 * of a packet has the position of its record; link type, byte order and lengths come from the file header and the
 * record, for pcapng also from the preceding blocks.
 */
import { stat } from 'node:fs/promises';
import { DaybookError } from '../../../engine/contract/errors.ts';
import type { ByteOffset } from '../../../engine/contract/event.ts';
import type { SourceLocation } from '../../../engine/contract/source-location.ts';
import { openContentReader, type ContentReader } from '../../shared/files/read-record.ts';
import { u16, u16le, u32, u32le } from '../bytes.ts';
import { MAX_RECORD } from './capture-reader.ts';
import { classicVariant } from './classic.ts';
import { frameByReading } from './locate-frame.ts';
import { SectionTable, type Section } from './section-table.ts';
import { isSnoop, snoopLinkType } from './snoop.ts';

/** Bytes at the start of a capture that suffice to read its records. */
const HEAD = 24;
/** Captures whose sections are remembered. */
const REMEMBERED = 32;

const OBSOLETE_PACKET = 2;
const SIMPLE_PACKET = 3;
const ENHANCED_PACKET = 6;

/** Position of a packet's record, as in the packet's event. */
export interface RecordPlace {
  readonly offset: ByteOffset;
  readonly length: number;
}

interface PacketRecord {
  /** The bytes that were captured. */
  readonly frame: Uint8Array;
  /** Position of the frame in the source's content. */
  readonly frameOffset: ByteOffset;
  /** Length of the record's header before the frame. */
  readonly headerLength: number;
  /** https://www.tcpdump.org/linktypes.html */
  readonly linkType: number;
  /** Bytes of the frame before the capture cut it. */
  readonly wireLength: number;
  /** The whole record: with its header, in pcapng the whole block. */
  readonly record: Uint8Array;
}

/** Position of the frame in its record, and how to read it. */
interface FramePlace {
  readonly start: number;
  readonly captured: number;
  readonly wire: number;
  readonly linkType: number;
}

/** Reads packets of many captures; remembers the interfaces of the pcapng files among them. */
export class PacketReader {
  private readonly tables = new Map<string, SectionTable>();

  /**
   * One packet.
   * @throws DaybookError not-found if the evidence no longer exists, source-damaged if it has no such packet;
   * unreadable, cancelled
   */
  async readPacket(
    location: SourceLocation,
    offset: ByteOffset,
    length: number,
    signal?: AbortSignal,
  ): Promise<PacketRecord> {
    for await (const packet of this.readPackets(location, [{ offset, length }], signal)) {
      return packet;
    }
    throw new DaybookError('internal', 'no packet was read');
  }

  /**
   * Several packets of one capture, in the requested order. In ascending order of their offsets a compressed
   * capture is read once, from its start to the last of them.
   * @throws DaybookError as `readPacket`, at the packet that cannot be read
   */
  async *readPackets(
    location: SourceLocation,
    records: Iterable<RecordPlace> | AsyncIterable<RecordPlace>,
    signal?: AbortSignal,
  ): AsyncGenerator<PacketRecord> {
    const content = await openContentReader(location);
    try {
      const head = await content.readUpTo(0, HEAD, signal);
      const table = await this.tableOf(location);
      for await (const place of records) {
        yield await packetAt(content, head, table, place, signal);
      }
    } finally {
      await content.close();
    }
  }

  private async tableOf(location: SourceLocation): Promise<SectionTable> {
    const { size, mtimeMs } = await stat(location.path);
    const key = JSON.stringify([location.path, location.members, size, mtimeMs]);
    const table = this.tables.get(key) ?? new SectionTable();
    // The map has the order of last use.
    this.tables.delete(key);
    this.tables.set(key, table);
    if (this.tables.size > REMEMBERED) {
      const [oldest] = this.tables.keys();
      if (oldest !== undefined) this.tables.delete(oldest);
    }
    return table;
  }
}

async function packetAt(
  content: ContentReader,
  head: Uint8Array,
  table: SectionTable,
  { offset, length }: RecordPlace,
  signal: AbortSignal | undefined,
): Promise<PacketRecord> {
  if (length < 12 || length > MAX_RECORD + HEAD) throw noPacket(offset);
  // Not in the file's own header.
  if (offset < (isSnoop(head) ? 16 : HEAD)) throw noPacket(offset);
  const pcapng = head.length >= 4 && u32(head, 0) === 0x0a0d0d0a;
  // Blocks precede the record: they are walked first, so that a stream is read forwards only.
  const section = pcapng ? await table.at(content, offset, signal) : undefined;
  const record = await content.read(offset, length, signal);
  let place = pcapng
    ? section && inBlock(record, section)
    : (inRecord(record, head) ?? inSnoop(record, head));
  if (place === undefined && pcapng) {
    // There is damage before it: only reading like the importer tells what belongs together.
    const found = await frameByReading(content, offset, signal);
    const simple = u32(record, 0) === SIMPLE_PACKET || u32le(record, 0) === SIMPLE_PACKET;
    place = found && { start: simple ? 12 : 28, ...found };
  }
  if (place === undefined) throw noPacket(offset);
  const { start, captured, wire, linkType } = place;
  return {
    frame: record.subarray(start, start + captured),
    frameOffset: offset + start,
    headerLength: start,
    linkType,
    wireLength: wire,
    record,
  };
}

function noPacket(offset: ByteOffset): DaybookError {
  return new DaybookError(
    'source-damaged',
    `there is no packet at byte ${offset}`,
    'daybook verify says which evidence is missing or changed',
  );
}

/** In the classic format. */
function inRecord(record: Uint8Array, head: Uint8Array): FramePlace | undefined {
  const variant = classicVariant(head);
  if (variant === undefined || head.length < HEAD) return undefined;
  const read16 = variant.little ? u16le : u16;
  const read32 = variant.little ? u32le : u32;
  const start = variant.recordHeader;
  if (record.length < start) return undefined;
  let captured = read32(record, 8);
  let wire = read32(record, 12);
  const major = read16(head, 4);
  // Before version 2.4 some writers had the two lengths the other way round.
  const maySwap = major < 2 || (major === 2 && read16(head, 6) < 4);
  if (maySwap && captured > wire) [captured, wire] = [wire, captured];
  if (start + captured !== record.length) return undefined;
  return { start, captured, wire, linkType: read32(head, 20) & 0xffff };
}

function inSnoop(record: Uint8Array, head: Uint8Array): FramePlace | undefined {
  if (!isSnoop(head) || head.length < 16 || record.length < 24) return undefined;
  const captured = u32(record, 4);
  if (u32(record, 8) !== record.length || 24 + captured > record.length) return undefined;
  return { start: 24, captured, wire: u32(record, 0), linkType: snoopLinkType(u32(head, 12)) };
}

/** In a packet block of pcapng. */
function inBlock(record: Uint8Array, section: Section): FramePlace | undefined {
  const read16 = section.little ? u16le : u16;
  const read32 = section.little ? u32le : u32;
  const type = read32(record, 0);
  const room = record.length - 4;
  if (type === SIMPLE_PACKET) {
    const [from] = section.interfaces;
    if (from === undefined || room < 12) return undefined;
    const wire = read32(record, 8);
    const most = from.snapLength > 0 ? Math.min(wire, from.snapLength) : wire;
    return { start: 12, captured: Math.min(most, room - 12), wire, linkType: from.linkType };
  }
  if (type !== ENHANCED_PACKET && type !== OBSOLETE_PACKET) return undefined;
  if (room < 28) return undefined;
  const number = type === ENHANCED_PACKET ? read32(record, 8) : read16(record, 8);
  const from = section.interfaces[number];
  const captured = read32(record, 20);
  if (from === undefined || captured > room - 28) return undefined;
  return { start: 28, captured, wire: read32(record, 24), linkType: from.linkType };
}
