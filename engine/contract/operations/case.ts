/** Operations on a case as a whole, its sources and its changes. */
import { z } from 'zod';
import { TAG_COLORS } from '../findings.ts';
import { listedHash } from '../hash-manifest.ts';
import {
  broken,
  byKind,
  casePath,
  count,
  countsShape,
  clock,
  dateOrder,
  decisions,
  micros,
  nothing,
  operation,
  record,
  zone,
} from './schema.ts';
import { verifyProgress, verifyReport } from '../verify-report.ts';

/** An empty text removes a value, an omitted one leaves it unchanged. */
const description = {
  number: z.string().max(100).optional(),
  examiner: z.string().max(200).optional(),
};

const caseInfo = z.object({
  case: casePath,
  name: z.string(),
  ...description,
  readOnly: z.boolean(),
  events: count,
  byKind,
  days: count,
  /** Times of the first and the last event. */
  first: micros.optional(),
  last: micros.optional(),
  sources: count,
  segments: count,
  /** On disk. */
  bytes: count,
  /** `count`: visible events with the tag. */
  tags: z.array(z.object({ id: count, name: z.string(), count, color: z.enum(TAG_COLORS) })),
  /** The process that is changing the case, if it is not this engine. */
  writer: z.object({ pid: count, since: z.string(), operation: z.string() }).optional(),
  /** Steps of the recovery after a crash, when the case was opened. */
  recovered: z.array(z.string()),
  /** For a case on a cluster: operations that it cannot do, each with the reason for people. */
  refused: z.record(z.string(), z.string()).optional(),
});

const sourceInfo = z.object({
  id: count,
  name: z.string(),
  path: z.string(),
  /** Members from the outermost archive inwards; empty for a plain file. */
  members: z.array(z.string()),
  /** Whether the evidence is still at its path; undefined if not checked. */
  exists: z.boolean().optional(),
  bytes: count.optional(),
  sha256: z.string().optional(),
  contentBytes: count.optional(),
  contentSha256: z.string().optional(),
  modifiedMs: z.number().optional(),
  importer: z.string(),
  importerVersion: count,
  dialect: z.string(),
  options: record,
  decisions,
  metadata: record,
  notes: z.array(z.string()),
  /** `partial`: an import was interrupted, or the content is truncated. */
  status: z.enum(['partial', 'complete', 'failed', 'damaged']),
  error: z.string().optional(),
  broken: broken.optional(),
  /** Its entries in hash manifests. */
  listedHashes: z.array(listedHash),
  ...countsShape,
  skippedReasons: z.record(z.string(), count),
  byKind,
  first: micros.optional(),
  last: micros.optional(),
  /** Duration of its import; undefined if unknown. */
  elapsedMs: z.number().optional(),
  importId: count,
});

const change = z.object({
  id: count,
  at: z.string(),
  operation: z.string(),
  detail: record,
});

const latency = z.object({
  operation: z.string(),
  count,
  failed: count,
  p50: z.number(),
  p95: z.number(),
  p99: z.number(),
  max: z.number(),
  paths: z.record(z.string(), count),
  rowsExamined: z.number(),
});
const measured = z.object({
  at: z.string(),
  operation: z.string(),
  text: z.string().optional(),
  status: z.string(),
  totalMs: z.number(),
  spans: z.record(z.string(), z.number()),
  path: z.string().optional(),
  days: count.optional(),
  segments: count.optional(),
  rowsExamined: count.optional(),
  rowsReturned: count.optional(),
});

/** A field defined by text that is selected in the message of an event. */
const draft = z.object({
  case: casePath,
  event: z.string(),
  field: z.string().max(100),
  start: count,
  end: count,
  /** As edited by a person. */
  template: z.string().min(1).max(10_000).optional(),
});

export const caseOperations = {
  /** Makes an empty case; its folder must be empty or not exist. */
  'case.create': operation(z.object({ case: casePath, ...description }), caseInfo),
  /** Sets the case number and the examiner. */
  'case.describe': operation(z.object({ case: casePath, ...description }), caseInfo),
  /** Opens a case, recovering it if an import was killed. Adds it to the recent cases. */
  'case.open': operation(z.object({ case: casePath }), caseInfo),
  /**
   * Reports each change of the case, by any process, until cancelled; also when a process begins or ends to write
   * without a change.
   */
  'case.watch': operation(
    z.object({ case: casePath }),
    nothing,
    z.object({ change: change.optional(), info: caseInfo }),
  ),
  /** Days that hold events; `undated` stands for events without a time. */
  'case.days': operation(
    z.object({ case: casePath }),
    z.object({
      /** `bytes`: undefined if unknown. */
      days: z.array(z.object({ day: z.string(), events: count, bytes: count.optional(), byKind })),
    }),
  ),
  'case.sources': operation(
    z.object({ case: casePath }),
    z.object({
      sources: z.array(sourceInfo),
      /**
       * Files and archive members that became no source: `failed` could not be read, `ignored` have no importer.
       */
      unread: z.array(
        z.object({
          name: z.string(),
          status: z.enum(['failed', 'ignored']),
          reason: z.string(),
          /** The last import that found it. */
          importId: count,
        }),
      ),
    }),
  ),
  /**
   * Changes decisions about the times of sources without reading them again: for all in one transaction, or for
   * none. With several sources, those that cannot be changed are skipped, and `notes` gives the reasons.
   */
  'source.retime': operation(
    z.object({
      case: casePath,
      sources: z.array(count).min(1).max(100_000),
      tz: zone.optional(),
      year: z.number().int().min(1970).max(2200).optional(),
      dateOrder: dateOrder.optional(),
      clock: clock.optional(),
    }),
    z.object({ changed: count, notes: z.array(z.string()) }),
  ),
  /** Searches a folder for evidence that was moved; files are recognised by size and SHA-256. */
  'source.locate': operation(
    z.object({ case: casePath, below: z.string().min(1).max(4096) }),
    z.object({
      /** Sources whose evidence was found. */
      located: count,
      /** Sources whose evidence is neither at its old path nor below the folder. */
      left: z.array(z.object({ name: z.string(), path: z.string(), reason: z.string() })),
      /** Files and folders that could not be read. */
      unreadable: z.array(z.string()),
    }),
  ),
  /**
   * For defining a field in the window: an event's message without its tag, and the fields that extractors fill.
   */
  'extractor.message': operation(
    z.object({ case: casePath, event: z.string() }),
    z.object({
      program: z.string(),
      message: z.string(),
      fields: z.array(z.object({ name: z.string(), meaning: z.string() })),
    }),
  ),
  /** Proposes a template, or tries the given one, on the events of the case. Changes nothing. */
  'extractor.try': operation(
    draft,
    z.object({
      name: z.string(),
      version: count,
      template: z.string(),
      events: count,
      isWhole: z.boolean(),
      fits: count,
      examples: z.array(
        z.object({
          message: z.string(),
          value: z.string(),
          fields: z.array(z.object({ name: z.string(), value: z.string() })),
        }),
      ),
    }),
  ),
  /** Stores it as an extractor of the case; imports use it from then on. */
  'extractor.save': operation(draft, z.object({ name: z.string(), version: count })),
  /** Extracts the fields of the case's events again, without the evidence. */
  'case.refield': operation(
    z.object({ case: casePath, source: count.optional() }),
    z.object({ events: count, before: count, after: count, changed: count, left: count }),
    z.object({ events: count, total: count }),
  ),
  /** Lines that two sources share, as found by imports. */
  'overlap.list': operation(
    z.object({ case: casePath }),
    z.object({
      overlaps: z.array(
        z.object({
          id: count,
          /** The later source, whose events can be left out. */
          sourceId: count,
          source: z.string(),
          /** Range of bytes in it. */
          from: count,
          to: count,
          otherId: count,
          other: z.string(),
          /** Lines, or records. */
          records: count,
          /** The other source contains this one completely, and was read further. */
          superseded: z.boolean(),
          leftOut: z.boolean(),
        }),
      ),
    }),
  ),
  /** Leaves events that another source has, too, out of every answer, or shows them again. */
  'overlap.set': operation(
    z.object({
      case: casePath,
      overlaps: z.array(count).min(1).max(100_000),
      leftOut: z.boolean(),
    }),
    /** Events that are now hidden or shown and were not before. */
    z.object({ events: count }),
  ),
  /** Whether the case is intact and the evidence unchanged. Nothing is changed. */
  'case.verify': operation(
    z.object({
      case: casePath,
      /** Number of events of each source to compare with the evidence. */
      sample: z.union([count.max(9_999_999), z.literal('all')]).optional(),
    }),
    verifyReport,
    verifyProgress,
  ),
  'case.compact': operation(
    z.object({ case: casePath }),
    z.object({ before: count, after: count }),
  ),
  /** The append-only log of changes, newest first. */
  'case.audit': operation(
    z.object({ case: casePath, limit: count.max(10_000).default(500) }),
    z.object({
      total: count,
      entries: z.array(
        z.object({ at: z.string(), operation: z.string(), who: z.string(), detail: record }),
      ),
    }),
  ),
  /**
   * Latency of the operations of this case. `recent` is oldest first. `unrecorded`: operations since the case was
   * opened that could not be written to its log, and why.
   */
  'case.latency': operation(
    z.object({ case: casePath, recent: count.max(10_000).default(300) }),
    z.object({
      summary: z.array(latency),
      recent: z.array(measured),
      unrecorded: z.object({ operations: count, reason: z.string() }).optional(),
    }),
  ),
};
