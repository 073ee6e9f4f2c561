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

/** An empty text takes it away, one that is left out stays. */
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
  /** First and last time of any event. */
  first: micros.optional(),
  last: micros.optional(),
  sources: count,
  segments: count,
  /** On disk. */
  bytes: count,
  /** `count`: visible events with the tag. */
  tags: z.array(z.object({ id: count, name: z.string(), count, color: z.enum(TAG_COLORS) })),
  /** The process that changes the case now, if not this engine. */
  writer: z.object({ pid: count, since: z.string(), operation: z.string() }).optional(),
  /** Steps of the recovery after a crash, when the case was opened. */
  recovered: z.array(z.string()),
  /** Of a case on a cluster: operations that it cannot do, each with the reason, for people. */
  refused: z.record(z.string(), z.string()).optional(),
});

const sourceInfo = z.object({
  id: count,
  name: z.string(),
  path: z.string(),
  /** Members from the outermost archive in; empty for a file by itself. */
  members: z.array(z.string()),
  /** Whether the evidence is still where it was; undefined when not looked for. */
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
  /** `partial`: an import was interrupted, or the content is cut off. */
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
  /** How long its import took; undefined: nobody says. */
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

/** A field that is made of text selected in the message of an event. */
const draft = z.object({
  case: casePath,
  event: z.string(),
  field: z.string().max(100),
  start: count,
  end: count,
  /** As a person changed it. */
  template: z.string().min(1).max(10_000).optional(),
});

export const caseOperations = {
  /** Makes an empty case; its folder must be empty or not there yet. */
  'case.create': operation(z.object({ case: casePath, ...description }), caseInfo),
  /** Sets the number of a case and its examiner. */
  'case.describe': operation(z.object({ case: casePath, ...description }), caseInfo),
  /** Opens a case, recovering it if an import was killed. Keeps it among the recent ones. */
  'case.open': operation(z.object({ case: casePath }), caseInfo),
  /** Tells each change of the case, by whatever process, until it is cancelled; and who begins or ends to write, without a change. */
  'case.watch': operation(
    z.object({ case: casePath }),
    nothing,
    z.object({ change: change.optional(), info: caseInfo }),
  ),
  /** Days that hold events; `undated` stands for events without a time. */
  'case.days': operation(
    z.object({ case: casePath }),
    z.object({
      /** `bytes`: undefined where it is not known. */
      days: z.array(z.object({ day: z.string(), events: count, bytes: count.optional(), byKind })),
    }),
  ),
  'case.sources': operation(
    z.object({ case: casePath }),
    z.object({
      sources: z.array(sourceInfo),
      /** Files and members of archives that became no source: `failed` could not be read, `ignored` nothing reads. */
      unread: z.array(
        z.object({
          name: z.string(),
          status: z.enum(['failed', 'ignored']),
          reason: z.string(),
          /** The last import that met it. */
          importId: count,
        }),
      ),
    }),
  ),
  /**
   * Changes decisions about the times of sources without reading the sources again: of all in one transaction, or of none.
   * If there are several, those that cannot be changed are left unchanged, and `notes` gives the reasons.
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
  /** Says where evidence is now that was moved, below a folder: files are recognised by size and SHA-256. */
  'source.locate': operation(
    z.object({ case: casePath, below: z.string().min(1).max(4096) }),
    z.object({
      /** Sources whose evidence was found. */
      located: count,
      /** Those whose evidence is neither where it was nor there. */
      left: z.array(z.object({ name: z.string(), path: z.string(), reason: z.string() })),
      /** Files and folders that could not be read. */
      unreadable: z.array(z.string()),
    }),
  ),
  /** For making a field in the window: the message of an event without its tag, and the fields that extractors fill. */
  'extractor.message': operation(
    z.object({ case: casePath, event: z.string() }),
    z.object({
      program: z.string(),
      message: z.string(),
      fields: z.array(z.object({ name: z.string(), meaning: z.string() })),
    }),
  ),
  /** Proposes a template, or tries the one given, on the events of the case. Nothing is changed. */
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
  /** Keeps it as an extractor of the case; imports use it from then on. */
  'extractor.save': operation(draft, z.object({ name: z.string(), version: count })),
  /** Cuts the fields of events again that the case has, without the evidence. */
  'case.refield': operation(
    z.object({ case: casePath, source: count.optional() }),
    z.object({ events: count, before: count, after: count, changed: count, left: count }),
    z.object({ events: count, total: count }),
  ),
  /** Lines that two sources have, as imports found them. */
  'overlap.list': operation(
    z.object({ case: casePath }),
    z.object({
      overlaps: z.array(
        z.object({
          id: count,
          /** The source that came later, whose events can be left out. */
          sourceId: count,
          source: z.string(),
          /** Bytes of it. */
          from: count,
          to: count,
          otherId: count,
          other: z.string(),
          /** Lines, or records. */
          records: count,
          /** All of the source is in the other one, which was read further. */
          superseded: z.boolean(),
          leftOut: z.boolean(),
        }),
      ),
    }),
  ),
  /** Leaves events out of every answer that another source has, too, or shows them again. */
  'overlap.set': operation(
    z.object({
      case: casePath,
      overlaps: z.array(count).min(1).max(100_000),
      leftOut: z.boolean(),
    }),
    /** Events that are hidden or shown now and were not before. */
    z.object({ events: count }),
  ),
  /** Whether the case is intact and the evidence unchanged. Nothing is changed. */
  'case.verify': operation(
    z.object({
      case: casePath,
      /** Events of each source to compare with the evidence. */
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
  /** Latency of the operations of this case. `recent` is oldest first. */
  'case.latency': operation(
    z.object({ case: casePath, recent: count.max(10_000).default(300) }),
    z.object({ summary: z.array(latency), recent: z.array(measured) }),
  ),
};
