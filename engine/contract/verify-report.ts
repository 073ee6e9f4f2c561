/**
 * The result of verifying a case, in one shape for `daybook verify --json`, for windows and for the command line's
 * text. The case (what Daybook wrote) and the evidence (what it was read from) are judged separately.
 */
import { z } from 'zod';

const count = z.number().int().nonnegative();

const verifyFinding = z.object({
  about: z.enum(['case', 'evidence']),
  /**
   * `error`: the case is damaged, or evidence is not what was imported. `warning`: something could not be checked,
   * or was not read to its end. `note`: worth knowing, but nothing is wrong. `repaired`: `--repair` has repaired
   * it.
   */
  level: z.enum(['error', 'warning', 'note', 'repaired']),
  code: z.enum([
    // Findings about the case.
    ...(['catalog', 'audit', 'segment', 'index', 'rollup', 'quarantine', 'ledger'] as const),
    ...(['import', 'stray', 'not-covered', 'differs'] as const),
    // Findings about the evidence.
    ...(['changed', 'grown', 'missing', 'not-regular', 'unreadable', 'not-checked'] as const),
    ...(['unfinished', 'not-compared'] as const),
  ]),
  /** The file, source or table. */
  subject: z.string(),
  message: z.string(),
  /** Advice: what to do next. */
  advice: z.string().optional(),
});
export type VerifyFinding = z.infer<typeof verifyFinding>;

export const verifyReport = z.object({
  /** The case is intact; the evidence is unchanged and was read to its end. */
  ok: z.boolean(),
  /** Exit status of `daybook verify`: 0, 1 if the case is damaged, 3 if only the evidence has changed. */
  exitStatus: z.union([z.literal(0), z.literal(1), z.literal(3)]),
  case: z.object({
    intact: z.boolean(),
    segments: count,
    auditEntries: count,
    quarantined: count,
    /** Time since which the catalog's rows have hashes (RFC 3339); absent: since the case was made. */
    coveredSince: z.string().optional(),
  }),
  evidence: z.object({
    /** `incomplete`: no change was found, but not everything was checked or read. */
    state: z.enum(['unchanged', 'incomplete', 'changed']),
    /** Number of files; a file counts once, however many sources it contains. */
    files: count,
    unchanged: count,
    changed: count,
    missing: count,
    notChecked: count,
    sources: count,
    /** Sources that were not read to their end. */
    unfinished: count,
  }),
  /** Events that were read from the evidence again and compared in every field with those in the case. */
  sample: z.object({
    perSource: z.union([count, z.literal('all')]),
    /** Number of sources with compared events. */
    sources: count,
    compared: count,
    differing: count,
    /** Sources with events of which none, or only those at the beginning, were compared. */
    notCompared: z.array(z.object({ source: count, name: z.string(), reason: z.string() })),
  }),
  findings: z.array(verifyFinding),
});
export type VerifyReport = z.infer<typeof verifyReport>;

/** Progress of verifying. */
export const verifyProgress = z.object({
  phase: z.enum(['catalog', 'segments', 'evidence', 'sample']),
  what: z.string(),
  /** Bytes to read in total. */
  bytes: z.number(),
  totalBytes: z.number(),
});
export type VerifyProgress = z.infer<typeof verifyProgress>;
