/** Operations that bring evidence into a case. */
import { z } from 'zod';
import { manifestReport } from '../hash-manifest.ts';
import {
  batch,
  broken,
  byKind,
  bytes,
  casePath,
  clock,
  count,
  countsShape,
  dateOrder,
  decisions,
  filePath,
  micros,
  operation,
  record,
  zone,
} from './schema.ts';

/** Limits for evidence that may be crafted to be endless. */
const limits = z.object({
  maxRatio: z.number().positive().optional(),
  maxBytes: z.number().int().positive().optional(),
  maxDepth: z.number().int().positive().max(100).optional(),
  maxMembers: z.number().int().positive().optional(),
  unchecked: z.boolean().optional(),
});

/** Decisions about one file or folder, or about all of them. */
const readOptionsShape = {
  /** For times that state no zone. */
  tz: zone.optional(),
  /** Year of the last record, for times that state no year. */
  year: z.number().int().min(1970).max(2200).optional(),
  /** For numeric dates. */
  dateOrder: dateOrder.optional(),
  /** The error of the clock that timestamped it: `90s fast`. */
  clock: clock.optional(),
  /** An importer or a dialect. */
  format: z.string().max(100).optional(),
  /** Event field (or `attrs.NAME`) to column of the table. */
  mapping: z.record(z.string(), z.string()).optional(),
};

const sourceReport = z.object({
  source: z.string(),
  sourceId: count.optional(),
  sha256: z.string().optional(),
  format: z.string().optional(),
  dialect: z.string().optional(),
  bytes: count,
  ...countsShape,
  skippedReasons: z.record(z.string(), count),
  byKind,
  first: micros.optional(),
  last: micros.optional(),
  decisions,
  notes: z.array(z.string()),
  elapsedMs: z.number(),
  /** `partial`, `damaged`: not read to its end; `broken` says where it stopped. */
  status: z.enum(['complete', 'partial', 'damaged', 'duplicate', 'failed', 'ignored']),
  message: z.string().optional(),
  broken: broken.optional(),
});

const importProgress = z.object({
  bytes: count,
  totalBytes: count,
  rows: count,
  source: z.string(),
  phase: z.enum(['listing', 'reading', 'compacting']),
  elapsedMs: z.number(),
  /** Averages of the last seconds. */
  bytesPerSecond: z.number(),
  rowsPerSecond: z.number(),
  /** Undefined while unknown. */
  etaMs: z.number().optional(),
});

const importReport = z.object({
  importId: count,
  sources: z.array(sourceReport),
  manifests: z.array(manifestReport),
  total: z.object({ sources: count, bytes: count, ...countsShape, byKind }),
  elapsedMs: z.number(),
});

const importPart = z.union([
  z.object({ progress: importProgress }),
  z.object({ source: sourceReport }),
  z.object({ message: z.string() }),
]);

const preview = z.object({
  /** The source's future name in the ledger. */
  source: z.string(),
  /** The file on disk. */
  path: filePath,
  members: z.array(z.string()),
  bytes: count.optional(),
  /** The importer and the dialect it found; undefined if no importer recognises the content. */
  format: z.string().optional(),
  dialect: z.string().optional(),
  /** The first events, at most 20. */
  records: batch,
  /** In the part that was read. */
  quarantined: z.array(z.object({ offset: count, reason: z.string() })),
  skippedReasons: z.record(z.string(), count),
  /** The importer's decisions, given the options. */
  decisions,
  /** Decisions that its times or columns depend on. */
  asks: z.object({
    zone: z.boolean(),
    year: z.boolean(),
    dateOrder: z.boolean(),
    mapping: z.boolean(),
  }),
  /** For a table: its columns with first values, and their interpretation (field to column). */
  table: z
    .object({
      columns: z.array(z.object({ name: z.string(), samples: z.array(z.string()) })),
      mapping: z.record(z.string(), z.string()),
      fields: z.array(z.string()),
    })
    .optional(),
  /** The source of this case with the same content. */
  already: z.object({ sourceId: count, name: z.string() }).optional(),
  notes: z.array(z.string()),
  /** The reason why it cannot be read. */
  problem: z.string().optional(),
});

export const evidenceOperations = {
  /**
   * Receives a dropped file in order, in pieces of at most 4 MiB, into the case's `received` folder: for windows
   * that know a file's content but not its path. `name` may have folders.
   */
  'evidence.receive': operation(
    z.object({
      case: casePath,
      upload: z.string().regex(/^[\w-]{1,64}$/),
      name: z.string().min(1).max(1000),
      offset: count,
      bytes,
      last: z.boolean(),
      /** When the file was last modified (ms since 1970), as far as the window knows; read from the last piece. */
      modifiedMs: z.number().optional(),
    }),
    z.object({ path: filePath, size: count }),
  ),
  /**
   * Gives a password for encrypted archives. The engine keeps it in memory until it exits, tries it wherever it
   * reads evidence, and writes it nowhere.
   */
  'evidence.unlock': operation(z.object({ password: z.string().min(1).max(1000) }), z.object({})),
  /** Reads the first records of every source below `paths` without importing any. */
  'evidence.preview': operation(
    z.object({
      case: casePath.optional(),
      paths: z.array(filePath).min(1).max(10_000),
      recursive: z.boolean().default(true),
      ...readOptionsShape,
    }),
    z.object({
      sources: count,
      bytes: count,
      ignored: z.array(z.object({ name: z.string(), reason: z.string() })),
      /** Number of sources that were not read. */
      left: count,
    }),
    z.object({ preview }),
  ),
  /**
   * Imports. The import belongs to the engine, not to the window that started it: when the window closes, the
   * import goes on, and `import.follow` shows it. Cancelling this call cancels the import at a chunk boundary.
   */
  'import.start': operation(
    z.object({
      case: casePath,
      /** Each with its own decisions; those for a single file override those for its folder. */
      items: z
        .array(z.object({ path: filePath, ...readOptionsShape }))
        .min(1)
        .max(10_000),
      recursive: z.boolean().default(true),
      packets: z.boolean().default(true),
      flows: z.boolean().default(true),
      /** Protocol events of a capture (DNS, HTTP, TLS and others); requires its flows. */
      protocols: z.boolean().default(true),
      limits: limits.optional(),
      /** Leaves out events that another source of the case has, too; `overlap.set` shows them again. */
      leaveOutOverlap: z.boolean().default(false),
      jobs: count.min(1).max(256).optional(),
    }),
    importReport,
    importPart,
  ),
  /** Progress and result of the import running on this case; null if there is none. */
  'import.follow': operation(z.object({ case: casePath }), importReport.nullable(), importPart),
  'import.cancel': operation(z.object({ case: casePath }), z.object({ cancelled: z.boolean() })),
  /** Continues an import that was cancelled, failed or killed; what is in the case stays. */
  'import.resume': operation(
    z.object({ case: casePath, importId: count }),
    importReport,
    importPart,
  ),
  /** Every import with its ledger, newest first. */
  'import.list': operation(
    z.object({ case: casePath }),
    z.object({
      imports: z.array(
        z.object({
          id: count,
          startedAt: z.string(),
          finishedAt: z.string().optional(),
          status: z.enum(['running', 'complete', 'cancelled', 'failed', 'interrupted']),
          arguments: record,
          resumable: z.boolean(),
          quarantineBytes: count,
          ledger: z.array(
            z.object({
              ordinal: count,
              name: z.string(),
              sourceId: count.optional(),
              status: z.string(),
              message: z.string().optional(),
              ...countsShape,
            }),
          ),
        }),
      ),
    }),
  ),
  /** Records that could not be parsed, in the order in which they were read. */
  'quarantine.list': operation(
    z.object({
      case: casePath,
      importId: count.optional(),
      sourceId: count.optional(),
      offset: count.default(0),
      limit: count.max(1000).default(200),
    }),
    z.object({
      total: count,
      records: z.array(
        z.object({
          importId: count,
          sourceId: count.optional(),
          source: z.string(),
          offset: count,
          line: count.optional(),
          reason: z.string(),
          /** The first bytes of the record, at most 4 KiB. */
          raw: bytes,
          /** Size of the whole record. */
          size: count,
        }),
      ),
    }),
  ),
};
