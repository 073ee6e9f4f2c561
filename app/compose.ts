/**
 * The only module that joins engine and importers. Code that needs no importer does not load it: starting must be
 * fast.
 */
import { dirname, join, sep } from 'node:path';
import type {
  FromPreviewWorker,
  ToPreviewWorker,
} from '../engine/ingest/preview/preview-protocol.ts';
import type { FoundFile, FromWorker, ToWorker } from '../engine/ingest/worker/protocol.ts';
import type { Evidence } from '../engine/operations/evidence/import.ts';
import { oncePerFile, type ListedFile } from '../engine/operations/evidence/import-items.ts';
import type { Ignored } from '../engine/contract/left-out.ts';
import type {
  FromMaintenance,
  ToMaintenance,
} from '../engine/operations/evidence/maintenance-thread.ts';
import type { FromVerify, ToVerify } from '../engine/operations/verify/verify-thread.ts';
import { isMappable } from '../importers/registry.ts';
import { dissectPacket } from '../importers/pcap/dissect/index.ts';
import { PcapngSlice } from '../importers/pcap/formats/pcapng-slice.ts';
import { readFiles } from '../importers/pcap/payload/read-files.ts';
import { readPayloads } from '../importers/pcap/payload/read-payloads.ts';
import { readStream } from '../importers/pcap/payload/read-stream.ts';
import { PacketReader } from '../importers/pcap/formats/record.ts';
import { addArchivePassword } from '../importers/shared/archives/archive-passwords.ts';
import { readRecord } from '../importers/shared/files/read-record.ts';
import { rotationKey } from '../importers/shared/files/rotation.ts';
import { listFiles } from '../importers/shared/files/list-files.ts';
import { formats } from './readers.ts';
import { startThread } from './threads/threads.ts';
import { append } from '../engine/util/append.ts';

export { checkZone, formats, readMapping } from './readers.ts';
export { scanTools } from './scan-tools.ts';

/** Remembers the interfaces of captures that were read. */
const packets = new PacketReader();

/** Lists evidence on disk and reads it in worker threads. */
export const evidence: Evidence = {
  formats: formats(),
  isMappable,
  async list(paths, recursive, temporary, signal) {
    const files: ListedFile[] = [];
    const ignored: Ignored[] = [];
    for (const [argument, path] of paths.entries()) {
      const found = await listFiles([path], recursive, temporary, undefined, signal);
      for (const item of found.items) files.push({ path: item.path, name: item.name, argument });
      append(ignored, found.ignored);
    }
    return { files: linkRotated(oncePerFile(files, paths)), ignored };
  },
  unlock: addArchivePassword,
  startWorker: () =>
    startThread<ToWorker, FromWorker>(join(import.meta.dirname, 'threads/import-worker.ts')),
  startPreviewWorker: () =>
    startThread<ToPreviewWorker, FromPreviewWorker>(
      join(import.meta.dirname, 'threads/preview-worker.ts'),
    ),
  startMaintenance: () =>
    startThread<ToMaintenance, FromMaintenance>(
      join(import.meta.dirname, 'threads/maintenance-worker.ts'),
    ),
  startVerify: () =>
    startThread<ToVerify, FromVerify>(join(import.meta.dirname, 'threads/verify-worker.ts')),
  readRecord: (location, offset, length, signal) => readRecord(location, offset, length, signal),
  readPacket: (location, offset, length, signal) =>
    packets.readPacket(location, offset, length, signal),
  readPackets: (location, records, signal) => packets.readPackets(location, records, signal),
  readFiles,
  readStream,
  readPayloads,
  slice: () => new PcapngSlice(),
  dissect: dissectPacket,
};

/**
 * Tells each file of a rotated set which one follows it; `files` have sets from old to new. Files at one place in
 * the set (a log and its compressed copy) are in no order.
 */
function linkRotated<T extends FoundFile>(files: readonly T[]): T[] {
  const newest = new Map<string, { readonly order: number; readonly file: FoundFile }>();
  return files
    .toReversed()
    .map((file) => {
      const key = rotationKey(file.name) ?? { set: file.name, order: Infinity };
      const set = dirname(file.path) + sep + key.set;
      const newer = newest.get(set);
      const next = newer?.order === key.order ? newer.file.newer : newer?.file;
      const linked = next === undefined ? file : { ...file, newer: next };
      newest.set(set, { order: key.order, file: linked });
      return linked;
    })
    .toReversed();
}
