/**
 * The only joiner of engine and importers. What needs no importer does not load this module: starting
 * must be quick.
 */
import { dirname, join, sep } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FromLookWorker, ToLookWorker } from '../engine/ingest/look-protocol.ts';
import type { FoundFile, FromWorker, ToWorker } from '../engine/ingest/protocol.ts';
import type { Evidence } from '../engine/operations/import.ts';
import type { ScanTools } from '../engine/operations/scan.ts';
import { oncePerFile, type ListedFile } from '../engine/operations/import-items.ts';
import { readFileSync } from 'node:fs';
import { DaybookError } from '../engine/contract/errors.ts';
import type { Ignored } from '../engine/contract/importer.ts';
import { resolveZone } from '../engine/contract/zone.ts';
import { importers, isMappable } from '../importers/registry.ts';
import { dissectPacket } from '../importers/pcap/dissect/index.ts';
import { PcapngSlice } from '../importers/pcap/pcapng-slice.ts';
import { PacketReader } from '../importers/pcap/record.ts';
import { readRecord } from '../importers/shared/read-record.ts';
import { rotationKey } from '../importers/shared/rotation.ts';
import { listFiles, walkFile } from '../importers/shared/walk.ts';

/** Remembers the interfaces of captures that were read. */
const packets = new PacketReader();

/** Lists evidence on disk and reads it in worker threads. */
export const evidence: Evidence = {
  formats: formats(),
  isMappable,
  async list(paths, recursive, temporary) {
    const files: ListedFile[] = [];
    const ignored: Ignored[] = [];
    for (const [argument, path] of paths.entries()) {
      const found = await listFiles([path], recursive, temporary);
      for (const item of found.items) files.push({ path: item.path, name: item.name, argument });
      ignored.push(...found.ignored);
    }
    return { files: linkRotated(oncePerFile(files, paths)), ignored };
  },
  startWorker: () => startThread<ToWorker, FromWorker>('import-worker.ts'),
  startLookWorker: () => startThread<ToLookWorker, FromLookWorker>('look-worker.ts'),
  readRecord: (location, offset, length, signal) => readRecord(location, offset, length, signal),
  readPacket: (location, offset, length, signal) =>
    packets.readPacket(location, offset, length, signal),
  readPackets: (location, records, signal) => packets.readPackets(location, records, signal),
  slice: () => new PcapngSlice(),
  dissect: dissectPacket,
};

/** What reads evidence in this thread, for a pass that stores nothing. */
export const scanTools: ScanTools = { importers, walk: walkFile };

/** Tells each file of a rotated set which one follows it; `files` have sets from old to new. */
function linkRotated<T extends FoundFile>(files: readonly T[]): T[] {
  const newest = new Map<string, FoundFile>();
  return files
    .toReversed()
    .map((file) => {
      const set = dirname(file.path) + sep + (rotationKey(file.name)?.set ?? file.name);
      const newer = newest.get(set);
      const linked = newer === undefined ? file : { ...file, newer };
      newest.set(set, linked);
      return linked;
    })
    .toReversed();
}

/** A thread that runs `file` of this folder, with messages of these types. */
function startThread<To, From>(file: string) {
  const worker = new Worker(join(import.meta.dirname, file));
  return {
    post: (message: To) => worker.postMessage(message),
    onMessage: (handler: (message: From) => void) =>
      void worker.on('message', (message: From) => handler(message)),
    onExit: (handler: (error: Error | undefined) => void) => {
      let failure: Error | undefined;
      worker.on('error', (error: Error) => {
        failure = error;
      });
      worker.on('exit', () => handler(failure));
    },
    stop: () => void worker.terminate(),
  };
}

/** What `--format` may name: the importers and their dialects. */
export function formats(): string[] {
  return importers.flatMap((importer) => [
    importer.id,
    ...importer.formats.filter((format) => format !== importer.id),
  ]);
}

/** @throws DaybookError usage */
export function checkZone(text: string): void {
  resolveZone(text);
}

/**
 * A mapping of table columns to event fields: `src_ip=Source,dst_ip=Target`, or the path of a JSON
 * file `{"fields": {"src_ip": "Source", …}}`.
 * @throws DaybookError usage
 */
export function readMapping(text: string): Record<string, string> {
  const fields = mappingOf(text);
  // A field that is misspelled would leave its column without a meaning, and nothing would say so.
  for (const field of Object.keys(fields)) {
    if (!isMappable(field))
      throw new DaybookError(
        'usage',
        `the mapping names no field: ${JSON.stringify(field)}`,
        'fields are src_ip, dst_ip, src_port, dst_port, proto, ts, bytes, packets … (docs/importers/flow-csv.md), or attrs.NAME',
      );
  }
  return fields;
}

function mappingOf(text: string): Record<string, string> {
  if (!text.includes('=')) {
    let parsed: unknown;
    try {
      parsed = JSON.parse(readFileSync(text, 'utf8'));
    } catch (error) {
      throw new DaybookError(
        'usage',
        `the mapping ${text} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
        'give --map FIELD=COLUMN,… or a JSON file {"fields": {"src_ip": "Source"}}',
      );
    }
    const fields =
      typeof parsed === 'object' && parsed !== null && 'fields' in parsed
        ? parsed.fields
        : undefined;
    if (
      typeof fields !== 'object' ||
      fields === null ||
      !Object.values(fields).every((value) => typeof value === 'string')
    ) {
      throw new DaybookError(
        'usage',
        `${text} is not a mapping`,
        'a mapping looks like {"fields": {"src_ip": "Source"}}',
      );
    }
    return fields as Record<string, string>;
  }
  const out: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const field = pair.slice(0, at).trim();
    const column = pair.slice(at + 1).trim();
    if (at < 1 || column === '')
      throw new DaybookError('usage', `--map: ${JSON.stringify(pair)} is not FIELD=COLUMN`);
    out[field] = column;
  }
  return out;
}
