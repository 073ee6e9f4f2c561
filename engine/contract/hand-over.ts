/**
 * Hand-over: a case as a folder of Parquet files and JSON lines with a manifest, for recipients without Daybook.
 * The schemas of the manifest, of the report on writing one, and of the report on checking one. docs/hand-over.md.
 */
import { z } from 'zod';
import { KINDS } from './event.ts';
import { broken, byKind, countsShape, decisions, record } from './operations/schema.ts';

const count = z.number().int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const HAND_OVER_FORMAT = 'daybook-hand-over';
export const MANIFEST = 'manifest.json';

/** Paths of a hand-over's files; nothing else is written, replaced or removed. */
const DAY = '(?:undated|[+-]?[0-9]{1,6}-[0-9]{2}-[0-9]{2})';
export const HANDED_OVER_PATH = new RegExp(
  `^(?:events/kind=(?:${KINDS.join('|')})/day=${DAY}/[0-9a-z]{1,16}\\.parquet|tags/[0-9a-z]{1,16}\\.parquet|(?:sources/sources|ledger/ledger|ledger/imports|notes/notes|findings/findings|searches/searches|audit/audit)\\.jsonl)$`,
);

/** Event columns whose sums are in the manifest: whole numbers, as text. */
export const SUMMED = [
  ...(['seq', 'source_id', 'bytes', 'packets', 'bytes_rev', 'packets_rev'] as const),
] as const;

export const handedOverFile = z.object({
  path: z.string().regex(HANDED_OVER_PATH),
  bytes: count,
  sha256,
  /** Hash of the input; if it is unchanged, the file is not written again. */
  from: sha256,
  /** Rows, or lines. */
  rows: count,
  /** For events: the segment of the case, and what the file contains. */
  segment: count.optional(),
  kind: z.enum(KINDS).optional(),
  day: z.string().optional(),
  /** UTC microseconds; absent where no event has a time. */
  firstTs: z.number().optional(),
  lastTs: z.number().optional(),
  sums: z.record(z.enum(SUMMED), z.string().regex(/^-?\d+$/)).optional(),
});
export type HandedOverFile = z.infer<typeof handedOverFile>;

export const handOverManifest = z.object({
  format: z.literal(HAND_OVER_FORMAT),
  /** Schema version of the event columns. */
  schema: z.number().int().positive(),
  daybook: z.string(),
  /** RFC 3339, UTC. */
  writtenAt: z.string(),
  /** `id`: the hash of its first audit entry. */
  case: z.object({ id: z.string(), name: z.string() }),
  /** Number of entries in the audit log, and the hash of the last one. */
  audit: z.object({ entries: count, head: z.string() }),
  events: count,
  byKind: z.partialRecord(z.enum(KINDS), count),
  files: z.array(handedOverFile),
});
export type HandOverManifest = z.infer<typeof handOverManifest>;

/** A line of `sources/sources.jsonl`, limited to what readers need. */
export const handedOverSource = z.object({
  source_id: count,
  ...{ name: z.string(), path: z.string(), location: z.unknown() },
  ...{ status: z.enum(['partial', 'complete', 'failed', 'damaged']), error: z.string().nullable() },
  broken: broken.nullable(),
  ...{ raw_size: count.nullable(), raw_sha256: sha256.nullable() },
  ...{ content_size: count.nullable(), content_sha256: sha256.nullable() },
  ...{ importer: z.string(), importer_version: count, format: z.string() },
  ...{ options: record, decisions, metadata: record, notes: z.array(z.string()) },
  import_id: count,
  ...countsShape,
  ...{ skipped_reasons: z.record(z.string(), count), by_kind: byKind },
  /** UTC microseconds. */
  ...{ first_ts: z.number().nullable(), last_ts: z.number().nullable() },
});
export type HandedOverSource = z.infer<typeof handedOverSource>;

export const handOverReport = z.object({
  folder: z.string(),
  events: count,
  byKind: z.partialRecord(z.enum(KINDS), count),
  files: count,
  bytes: count,
  /** Files that this run wrote, new or replaced. */
  written: count,
  replaced: count,
  writtenBytes: count,
  /** Files of an earlier run that are unchanged. */
  kept: count,
  /** Files of segments that the case no longer has. */
  removed: count,
  /** SHA-256 of the manifest. */
  sha256,
  notes: z.array(z.string()),
});
export type HandOverReport = z.infer<typeof handOverReport>;

/** Progress, in rows of events. */
export const handOverProgress = z.object({
  done: count,
  of: count,
  bytes: count,
  file: z.string(),
});
export type HandOverProgress = z.infer<typeof handOverProgress>;

export interface HandOverFinding {
  readonly level: 'error' | 'warning';
  readonly code:
    'changed' | 'missing' | 'extra' | 'unreadable' | 'audit' | 'manifest' | 'unfinished';
  /** Relative to the folder. */
  readonly file: string;
  readonly message: string;
  readonly advice?: string | undefined;
}

export interface HandOverCheck {
  readonly ok: boolean;
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
  readonly events: number;
  readonly auditEntries: number;
  /** SHA-256 of the manifest, which the audit log of the case records. */
  readonly sha256?: string | undefined;
  readonly findings: readonly HandOverFinding[];
}
