/** The request for an import, and its report: for each source and in total. */
import type { Broken, SourceRow } from '../../catalog/tables/sources.ts';
import type { Decisions } from '../../contract/time/decisions.ts';
import type { Kind } from '../../contract/event.ts';
import type { ManifestReport } from '../../contract/hash-manifest.ts';
import type { Ignored } from '../../contract/left-out.ts';
import type { FromWorker, ToWorker, WorkItem } from '../worker/protocol.ts';
import type { ThreadHandle } from './warm-threads.ts';

/** A running import worker, however it was started. */
export type WorkerHandle = ThreadHandle<ToWorker, FromWorker>;

export interface ImportRequest {
  /** In the order of the ledger. */
  items: readonly WorkItem[];
  /** Entries that were ignored while listing the items. */
  ignored: readonly Ignored[];
  workers: number;
  /** `workers` is a maximum: one worker reads until there turns out to be much evidence. */
  adaptiveWorkers?: boolean;
  startWorker: () => WorkerHandle;
  /** The command's description for the audit log and the imports table. */
  description: Record<string, unknown>;
  signal: AbortSignal | undefined;
  onProgress: ((progress: ImportProgress) => void) | undefined;
  onSource: ((report: SourceReport) => void) | undefined;
  /** Whether to hide events that another source has, too. */
  leaveOutOverlap?: boolean;
  /** Whether workers yield to other work. */
  background?: boolean;
  /**
   * Little is read, and a caller waits for it: indexes that small segments can do without, and merging of segments
   * and rollups, are left to the caller (engine/operations/evidence/background-maintenance.ts).
   */
  lowLatency?: boolean;
  /** Overrides for tests. */
  chunk?: {
    rows?: number;
    ms?: number;
  };
}

export interface ImportProgress {
  bytes: number;
  totalBytes: number;
  rows: number;
  source: string;
  phase: 'reading' | 'compacting';
}

export interface SourceReport {
  source: string;
  sourceId: number | undefined;
  sha256: string | undefined;
  /** The importer that read it, and the dialect it found. */
  format: string | undefined;
  dialect: string | undefined;
  bytes: number;
  read: number;
  stored: number;
  duplicate: number;
  quarantined: number;
  skipped: number;
  skippedReasons: Record<string, number>;
  byKind: Partial<Record<Kind, number>>;
  first: number | undefined;
  last: number | undefined;
  decisions: Decisions;
  notes: string[];
  elapsedMs: number;
  /** `partial`, `damaged`: not read to its end; `broken` says where it stopped. */
  status: 'complete' | 'partial' | 'damaged' | 'duplicate' | 'failed' | 'ignored';
  message: string | undefined;
  broken: Broken | undefined;
}

export interface ImportReport {
  importId: number;
  sources: SourceReport[];
  /** Hash manifests found, compared with the files read. */
  manifests: readonly ManifestReport[];
  total: {
    sources: number;
    bytes: number;
    read: number;
    stored: number;
    duplicate: number;
    quarantined: number;
    skipped: number;
    byKind: Partial<Record<Kind, number>>;
  };
  elapsedMs: number;
  peakRssBytes: number;
  /**
   * Largest number of small segments of one day and kind that should be merged before imports have ended; 0: none.
   */
  smallSegmentsLeft: number;
  /** Number of stretches of lines that its sources share with others. */
  overlaps: number;
}

export function reportOf(
  row: SourceRow,
  status: SourceReport['status'],
  message: string | undefined,
): SourceReport {
  return {
    source: row.name,
    sourceId: row.id,
    sha256: row.rawSha256,
    format: row.importer,
    dialect: row.format,
    bytes: row.rawSize ?? 0,
    read: row.read,
    stored: row.stored,
    duplicate: row.duplicate,
    quarantined: row.quarantined,
    skipped: row.skipped,
    skippedReasons: row.skippedReasons,
    byKind: row.byKind,
    first: row.firstTs,
    last: row.lastTs,
    decisions: row.decisions,
    notes: row.notes,
    elapsedMs: row.elapsedMs,
    status,
    message,
    broken: row.broken,
  };
}
