/**
 * What the import coordinator and its workers say to each other. Plain data, so that it crosses
 * threads.
 */
import type { DayCount } from '../../util/segment-days.ts';
import type { ReadLimits, SourceLocation } from '../../contract/importer.ts';
import type { Decisions, DateOrder } from '../../contract/decisions.ts';
import type { EpochMicros, Kind } from '../../contract/event.ts';
import type { Broken } from '../../catalog/tables/sources.ts';
import type { ArchiveFile } from '../../catalog/source-place.ts';
import type { WorkerMemory } from '../import-memory.ts';
import type { BuiltIndex } from '../indexing/index-protocol.ts';
import type { Manifest } from '../manifests/read-manifest.ts';
import type { HashedLines } from '../overlap/line-hashes.ts';
import type { CutMessages } from '../../store/messages/message-columns.ts';
import type { ConstantColumn, SelectedColumn, TimeUnit } from '../../store/table-layout.ts';
import type { ValueCounts } from '../../store/value-counts.ts';

/** A file below the arguments of an import. */
export interface FoundFile {
  path: string;
  /** Name of the file below the argument it came from. */
  name: string;
  /** The next newer file of the same rotated set. */
  newer?: NewerFile;
}

/** One file of an import that a worker walks: a source by itself, or an archive of them. */
export interface WorkItem extends FoundFile {
  /** Position in the import, which orders the ledger. */
  ordinal: number;
  options: ImportOptions;
  /** They do not change what a record means, so sources with other limits are compared all the same. */
  limits: ReadLimits;
}

export interface NewerFile {
  path: string;
  name: string;
  newer?: NewerFile;
}

export interface ImportOptions {
  format: string | undefined;
  timeZone: string | undefined;
  year: number | undefined;
  dateOrder: DateOrder | undefined;
  /** Error of the clock that timestamped the evidence, in the canonical form of contract/clock.ts. */
  clock: string | undefined;
  packets: boolean;
  flows: boolean;
  protocols: boolean;
  mapping: Record<string, string> | undefined;
}

/** A Parquet file of rows of one kind, of a day or of several. */
export interface PartInfo {
  path: string;
  /** In order. */
  days: readonly DayCount[];
  kind: Kind;
  rows: number;
  bytes: number;
  minTs: EpochMicros | undefined;
  maxTs: EpochMicros | undefined;
  sorted: boolean;
  /** Rows by source. */
  sources: [number, number][];
  columns: string[];
  /** Rows with a value, of `columns`. */
  counts: ValueCounts;
  /** What DuckDB reads of the file; undefined: it is asked. */
  selected: SelectedColumn[] | undefined;
  timeUnit: TimeUnit;
  /** Columns with one value in all rows. */
  constants: ConstantColumn[];
  /** How messages are cut; undefined when they are whole. */
  messages: CutMessages | undefined;
  /** Whether few rows have one (`areRare`). */
  rareMessages: boolean;
  unflowedPackets: number;
  /** A message `indexed` says what became of its side file. */
  indexed: boolean;
}

/** What is known of a source that is being read: totals since its first byte. */
export interface SourceState {
  sourceId: number;
  read: number;
  stored: number;
  duplicate: number;
  quarantined: number;
  /** Quarantined records met, duplicates included. */
  quarantineMet: number;
  skippedReasons: Record<string, number>;
  /** Rows given by the importer, duplicates included, by kind. */
  emitted: Record<string, number>;
  checkpointBytes: number;
  checkpointSha256: string | undefined;
  firstTs: EpochMicros | undefined;
  lastTs: EpochMicros | undefined;
  decisions: Decisions;
  metadata: Record<string, unknown>;
  notes: string[];
  /** What the importer said of a content that ends within a record. */
  broken: Broken | undefined;
  elapsedMs: number;
  /** Set when the source was read to its end. */
  done: SourceEnd | undefined;
}

export interface SourceEnd {
  rawSize: number;
  rawSha256: string;
  contentSize: number;
  contentSha256: string;
  wholeLines: boolean;
  /** Why reading stopped before the content's end, if it did. */
  error: string | undefined;
  broken: Broken | undefined;
  /** Of a content of lines, unless there are too many. */
  lines: HashedLines | undefined;
}

/** What a worker asks before it reads a source. Hashes come when the coordinator asked for them. */
export interface BeginRequest {
  item: WorkItem;
  name: string;
  location: SourceLocation;
  rawSize: number | undefined;
  modifiedMs: number | undefined;
  importer: string;
  importerVersion: number;
  appendOnly: boolean;
  /** See `EvidenceItem.archiveEnd`. */
  archiveEnd: number | undefined;
  format: string;
  headSha256: string;
  headSize: number;
  rawSha256: string | undefined;
  /** Of the whole content, once the coordinator asked for it. */
  content: { readonly size: number; readonly sha256: string } | undefined;
  /** Hash of the first n raw bytes (`checkpoint`) or content bytes (`prefixes`), by n. */
  checkpoints: Record<number, string>;
  prefixes: Record<number, string>;
}

/** Rows and quarantined records at a source's start that are in the case already. */
export interface Known {
  rows: Record<string, number>;
  quarantined: number;
}

/** Files to be hashed: `path` itself, or members of the archive that it is. */
export interface HashRequest {
  path: string;
  staging: string;
  limits: ReadLimits;
  cancel: SharedArrayBuffer;
  /** By the members of each location; none for the file itself. Algorithms as node:crypto names them. */
  files: { members: readonly string[]; algorithms: readonly string[] }[];
}

export interface FileHashes {
  members: readonly string[];
  /** By algorithm, lower-case hex; or why there are none. */
  hashes: Record<string, string> | undefined;
  reason: string | undefined;
}

/** What is to be left out of a source that is read. */
export interface SkipPlan {
  /** Committed by an import of this source that was interrupted. */
  resume: Known | undefined;
  /** Equal to another source's, up to content byte `extent`: a row that reaches beyond is not. */
  duplicate: (Known & EqualStart) | undefined;
}

export interface EqualStart {
  extent: number;
  sourceId: number;
  /** The other source's times: a record beyond them was dated by another decision. */
  firstTs: EpochMicros | undefined;
  lastTs: EpochMicros | undefined;
  /**
   * Decisions that a person made about the other source after its import: they apply to the rest, too. (Not the year: it is
   * that of the last record, which differs.)
   */
  decided?: Partial<Pick<ImportOptions, 'timeZone' | 'dateOrder' | 'clock'>>;
}

export type BeginReply =
  | { action: 'hash'; raw: boolean; content: boolean; checkpoints: number[]; prefixes: number[] }
  /** Hand over what you have, then ask again: it may concern this source. */
  | { action: 'flush' }
  | { action: 'duplicate' }
  | { action: 'read'; sourceId: number; skip: SkipPlan | undefined };

export type FromWorker =
  | { type: 'ready' }
  | { type: 'request'; id: number; begin: BeginRequest }
  | {
      type: 'ignored';
      ordinal: number;
      name: string;
      reason: string;
      failed: boolean;
      /** Where it is, if it is a file. */
      location?: SourceLocation | undefined;
      /** Of an archive whose checksum failed in the end: its members up to here were checked. */
      checked?: number | undefined;
    }
  | { type: 'progress'; bytes: number; rows: number; name: string }
  | {
      type: 'chunk';
      id: number;
      parts: PartInfo[];
      sources: SourceState[];
      quarantine: Uint8Array;
    }
  | { type: 'indexed'; part: string; index: BuiltIndex | undefined }
  /** The file that the members of an item were read from. */
  | { type: 'archive'; ordinal: number; archive: ArchiveFile }
  /** An item that lists hashes of others, be it a source or not. */
  | {
      type: 'manifest';
      ordinal: number;
      name: string;
      location: SourceLocation;
      manifest: Manifest;
    }
  | { type: 'hashed'; files: FileHashes[] }
  | { type: 'item-done' }
  /** Everything is committed: the worker may go. */
  | { type: 'finished' }
  | { type: 'error'; name: string; code: string; message: string; hint: string | undefined };

export type ToWorker =
  /** To be answered with `ready`: a thread that just began has modules to load first. */
  | { type: 'hello' }
  | {
      type: 'start';
      staging: string;
      /** Distinguishes the files of this worker from those of others. */
      worker: number;
      cancel: SharedArrayBuffer;
      memory: WorkerMemory;
      chunkMs: number;
      /** Parts with fewer rows get no side file. */
      indexRows: number;
      /** See `PartLimits`. */
      sources: number;
      /** The worker's threads are to give way to other work. */
      background: boolean;
      /** Threads that build indexes for this worker. */
      indexers: number;
      /** Files of the case's own extractors. */
      extractors: readonly string[];
    }
  /** Of the last one, what comes is handed over at once. */
  | { type: 'item'; item: WorkItem; isLast: boolean }
  /** Hand over what you have: nothing comes for now. */
  | { type: 'flush' }
  | { type: 'finish' }
  /** Hash files of which a manifest lists other hashes than those that were made when they were read. */
  | { type: 'hash'; request: HashRequest }
  | { type: 'reply'; id: number; reply: BeginReply }
  | { type: 'committed'; id: number };
