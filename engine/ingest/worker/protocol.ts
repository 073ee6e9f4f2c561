/** Messages between the import coordinator and its workers. Plain data, so that it crosses threads. */
import type { DayCount } from '../../util/segment-days.ts';
import type { ReadLimits } from '../../contract/left-out.ts';
import type { SourceLocation } from '../../contract/source-location.ts';
import type { Decisions, DateOrder } from '../../contract/time/decisions.ts';
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
  /** Name of the file, relative to its argument. */
  name: string;
  /** The next newer file of the same rotated set. */
  newer?: NewerFile;
}

/** One file of an import for a worker: a source by itself, or an archive of sources. */
export interface WorkItem extends FoundFile {
  /** Position in the import, which orders the ledger. */
  ordinal: number;
  options: ImportOptions;
  /** They do not change what a record means, so sources with other limits are still compared. */
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
  /** The error of the clock that timestamped the evidence, in the canonical form of contract/time/clock.ts. */
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
  /** Number of rows by source. */
  sources: [number, number][];
  columns: string[];
  /** Number of rows with a value, for `columns`. */
  counts: ValueCounts;
  /** The columns that DuckDB reads from the file; undefined: it is asked. */
  selected: SelectedColumn[] | undefined;
  timeUnit: TimeUnit;
  /** Columns with one value in all rows. */
  constants: ConstantColumn[];
  /** How messages are cut; undefined if they are whole. */
  messages: CutMessages | undefined;
  /** Whether few rows have a message (`areRare`). */
  rareMessages: boolean;
  unflowedPackets: number;
  /** Whether a message `indexed` will report its side file. */
  indexed: boolean;
}

/** State of a source that is being read: totals since its first byte. */
export interface SourceState {
  sourceId: number;
  read: number;
  stored: number;
  duplicate: number;
  quarantined: number;
  /** Number of quarantined records, duplicates included. */
  quarantineMet: number;
  skippedReasons: Record<string, number>;
  /** Number of rows from the importer by kind, duplicates included. */
  emitted: Record<string, number>;
  checkpointBytes: number;
  checkpointSha256: string | undefined;
  firstTs: EpochMicros | undefined;
  lastTs: EpochMicros | undefined;
  decisions: Decisions;
  metadata: Record<string, unknown>;
  notes: string[];
  /** The importer's report on a content that ends within a record. */
  broken: Broken | undefined;
  elapsedMs: number;
  /** Set if the source was read to its end. */
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
  /** For a content made of lines, unless there are too many. */
  lines: HashedLines | undefined;
}

/** A worker's request before it reads a source. Hashes are present if the coordinator asked for them. */
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
  /** Of the whole content, if the coordinator asked for it. */
  content: { readonly size: number; readonly sha256: string } | undefined;
  /** Hash of the first n raw bytes (`checkpoint`) or content bytes (`prefixes`), by n. */
  checkpoints: Record<number, string>;
  prefixes: Record<number, string>;
}

/** Number of rows and quarantined records at a source's start that are already in the case. */
export interface Known {
  rows: Record<string, number>;
  quarantined: number;
}

/** Files to hash: `path` itself, or members of that archive. */
export interface HashRequest {
  path: string;
  staging: string;
  limits: ReadLimits;
  cancel: SharedArrayBuffer;
  /** By the members of each location; none for the file itself. Algorithms as named in node:crypto. */
  files: { members: readonly string[]; algorithms: readonly string[] }[];
}

export interface FileHashes {
  members: readonly string[];
  /** By algorithm, lower-case hex; or why there are none. */
  hashes: Record<string, string> | undefined;
  reason: string | undefined;
}

/** The part of a source to skip. */
export interface SkipPlan {
  /** Committed by an interrupted import of this source. */
  resume: Known | undefined;
  /** Equal to another source's, up to content byte `extent`: a row that extends beyond is not. */
  duplicate: (Known & EqualStart) | undefined;
}

export interface EqualStart {
  extent: number;
  sourceId: number;
  /** The other source's times: a record outside them was dated by another decision. */
  firstTs: EpochMicros | undefined;
  lastTs: EpochMicros | undefined;
  /**
   * Decisions that a person made about the other source after its import: they apply to the rest as well. (Not the
   * year: it is that of the last record, which differs.)
   */
  decided?: Partial<Pick<ImportOptions, 'timeZone' | 'dateOrder' | 'clock'>>;
}

export type BeginReply =
  | { action: 'hash'; raw: boolean; content: boolean; checkpoints: number[]; prefixes: number[] }
  /** Hand over your rows, then ask again: they may concern this source. */
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
      /** Its location, if it is a file. */
      location?: SourceLocation | undefined;
      /** For an archive whose checksum failed at the end: members up to here were checked. */
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
  /** An item that lists hashes of others, whether or not it is also a source. */
  | {
      type: 'manifest';
      ordinal: number;
      name: string;
      location: SourceLocation;
      manifest: Manifest;
    }
  | { type: 'hashed'; files: FileHashes[] }
  | { type: 'item-done' }
  /** Everything is committed: the worker may exit. */
  | { type: 'finished' }
  | { type: 'error'; name: string; code: string; message: string; hint: string | undefined };

export type ToWorker =
  /** Answered by `ready`: a new thread has modules to load first. */
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
      /** Whether the worker's threads yield to other work. */
      background: boolean;
      /** Number of threads that build indexes for this worker. */
      indexers: number;
      /** The case's extractors, as files. */
      extractors: readonly string[];
    }
  /** After the last item, rows are handed over immediately. */
  | { type: 'item'; item: WorkItem; isLast: boolean }
  /** Hand over your rows: nothing follows for now. */
  | { type: 'flush' }
  | { type: 'finish' }
  /** Hash files for which a manifest lists other algorithms than were used when they were read. */
  | { type: 'hash'; request: HashRequest }
  | { type: 'reply'; id: number; reply: BeginReply }
  | { type: 'committed'; id: number };
