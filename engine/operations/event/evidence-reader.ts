/**
 * Reads single records from the evidence. The case stores the position of a record; its bytes are always read from
 * the imported file, if it still exists unchanged.
 */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { FileTaker } from '../../evidence/carried-files.ts';
import type { PayloadTaker } from '../../evidence/payloads.ts';
import type { StreamContent } from '../../evidence/stream.ts';
import type { LayerField } from '../../contract/operations/event.ts';
import type { SourceLocation } from '../../contract/source-location.ts';
import type { ByteOffset, EpochMicros } from '../../contract/event.ts';
import { type SourceRow, locationOf } from '../../catalog/index.ts';
import { DaybookError, hasCode } from '../../contract/errors.ts';

/** A packet as in its capture. */
interface PacketRecord {
  /** The bytes that were captured. */
  readonly frame: Uint8Array;
  /** Position of the frame in the source's content. */
  readonly frameOffset: ByteOffset;
  /** https://www.tcpdump.org/linktypes.html */
  readonly linkType: number;
  /** Bytes of the frame before the capture cut it. */
  readonly wireLength: number;
}

export interface DissectedLayer {
  readonly name: string;
  readonly summary: string;
  readonly offset: number;
  readonly length: number;
  readonly fields: readonly LayerField[];
}

/** Position of a packet's record in its source's content. */
export interface RecordPlace {
  readonly offset: ByteOffset;
  readonly length: number;
}

export interface SlicedPacket {
  readonly frame: Uint8Array;
  readonly linkType: number;
  readonly wireLength: number;
  readonly ts: EpochMicros | undefined;
  /** Nanoseconds beyond `ts`. */
  readonly ts_ns: number;
}

interface PacketSlice {
  /** The header of the file. */
  start(): Uint8Array;
  /** The record of one packet. */
  packet(packet: SlicedPacket): Uint8Array;
}

/** A capture that is read again. */
interface Rereading {
  readonly location: SourceLocation;
  /** @param bytes of the content that were read */
  progress(bytes: ByteOffset): Promise<void> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads records of evidence; provided by the shell. `offset` and `length` are those of the event. */
export interface EvidenceReader {
  /** @throws DaybookError not-found, unreadable, source-damaged, cancelled */
  readRecord(
    location: SourceLocation,
    offset: ByteOffset,
    length: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /** @throws DaybookError not-found, unreadable, source-damaged, cancelled */
  readPacket(
    location: SourceLocation,
    offset: ByteOffset,
    length: number,
    signal?: AbortSignal,
  ): Promise<PacketRecord>;
  /**
   * Several packets of one capture, in the order of their offsets: whatever the capture is in, it is
   * read once.
   * @throws DaybookError as `readPacket` does, at the packet that cannot be read
   */
  readPackets(
    location: SourceLocation,
    records: AsyncIterable<RecordPlace>,
    signal?: AbortSignal,
  ): AsyncIterable<PacketRecord>;
  /**
   * Files that the connections of a capture carry; the capture is read once, as in its import.
   * @throws DaybookError not-found, unreadable, source-damaged, cancelled, and whatever `files` throws
   */
  readFiles(reading: Rereading & { readonly files: FileTaker }): Promise<void>;
  /**
   * What both sides of a flow of a capture sent; the capture is read once, as in its import.
   * @throws DaybookError not-found, unreadable, source-damaged, cancelled
   */
  readStream(
    reading: Rereading & { readonly flow: number; readonly limit: number },
  ): Promise<StreamContent>;
  /**
   * Payloads of a capture's connections; the capture is read once, as in its import.
   * @throws DaybookError not-found, unreadable, source-damaged, cancelled, and whatever `taker` throws
   */
  readPayloads(reading: Rereading & { readonly taker: PayloadTaker }): Promise<void>;
  /** A new pcapng file, block by block. */
  slice(): PacketSlice;
  /** Never throws. */
  dissect(
    frame: Uint8Array,
    linkType: number,
    wireLength: number,
  ): { layers: readonly DissectedLayer[]; notes: readonly string[] };
}

/**
 * Checks that a source can be read and is what was imported: if size or time of the file differ, the first bytes of
 * its content must still be the same, and it must not have become shorter.
 * @throws DaybookError not-found, unreadable
 */
export async function checkEvidence(
  evidence: Pick<EvidenceReader, 'readRecord'>,
  source: SourceRow,
  signal?: AbortSignal,
): Promise<void> {
  const { path, name } = source;
  const hint = 'verifying the case says which evidence is missing or changed (daybook verify)';
  const info = await stat(path).catch(() => undefined);
  if (info === undefined)
    throw new DaybookError(
      'not-found',
      `the evidence of ${name} is not where it was: ${path}`,
      `put the file back there, or if it was moved say where (daybook sources CASE --locate FOLDER); ${hint}`,
    );
  const location = locationOf(source);
  const sameSize = location.members.length > 0 || info.size === source.rawSize;
  const sameTime =
    source.modifiedMs !== undefined && Math.floor(info.mtimeMs) === source.modifiedMs;
  if (sameSize && (sameTime || location.members.length > 0)) return;
  const changed = (): DaybookError =>
    new DaybookError(
      'unreadable',
      `the evidence of ${name} has changed since it was imported: ${path}`,
      `its bytes are not shown, because they may no longer be those of the event; ${hint}`,
    );
  if (location.members.length === 0 && source.rawSize !== undefined && info.size < source.rawSize)
    throw changed();
  if (source.headSha256 === undefined || source.headSize === 0) return;
  const head = await evidence
    .readRecord(location, 0, source.headSize, signal)
    .catch((error: unknown) => {
      if (hasCode(error, 'cancelled')) throw error;
      throw changed();
    });
  if (createHash('sha256').update(head).digest('hex') !== source.headSha256) throw changed();
}
