/**
 * What verifying a case says, in one shape for `daybook verify --json`, for windows and for the command line's text. The
 * case (what Daybook wrote) and the evidence (what it was read from) are judged apart.
 */
import { z } from 'zod';

const count = z.number().int().nonnegative();

const verifyFinding = z.object({
  about: z.enum(['case', 'evidence']),
  /**
   * `error`: the case is damaged, or evidence is not what was imported. `warning`: something could not be checked, or was
   * not read to its end. `note`: worth knowing, nothing is wrong. `repaired`: `--repair` has mended it.
   */
  level: z.enum(['error', 'warning', 'note', 'repaired']),
  code: z.enum([
    // Of the case.
    ...(['catalog', 'audit', 'segment', 'index', 'rollup', 'quarantine', 'ledger'] as const),
    ...(['import', 'stray', 'not-covered', 'differs'] as const),
    // Of the evidence.
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
  /** The case is intact, and the evidence is unchanged and was read to its end. */
  ok: z.boolean(),
  /** Of `daybook verify`: 0, 1 when the case is damaged, 3 when only the evidence is not as it was. */
  exitStatus: z.union([z.literal(0), z.literal(1), z.literal(3)]),
  case: z.object({
    intact: z.boolean(),
    segments: count,
    auditEntries: count,
    quarantined: count,
    /** The catalog's rows have hashes since then (RFC 3339); absent: since the case was made. */
    coveredSince: z.string().optional(),
  }),
  evidence: z.object({
    /** `incomplete`: nothing is known to have changed, but not all was checked or read. */
    state: z.enum(['unchanged', 'incomplete', 'changed']),
    /** Files, each once, however many sources are in it. */
    files: count,
    unchanged: count,
    changed: count,
    missing: count,
    notChecked: count,
    sources: count,
    /** Sources that were not read to their end. */
    unfinished: count,
  }),
  /** Events that were read again from the evidence and compared with those in the case, every field. */
  sample: z.object({
    perSource: z.union([count, z.literal('all')]),
    /** Sources of which events were compared. */
    sources: count,
    compared: count,
    differing: count,
    /** Sources with events of which none, or only those at the beginning, were compared. */
    notCompared: z.array(z.object({ source: count, name: z.string(), reason: z.string() })),
  }),
  findings: z.array(verifyFinding),
});
export type VerifyReport = z.infer<typeof verifyReport>;

/** How far verifying has come. */
export const verifyProgress = z.object({
  phase: z.enum(['catalog', 'segments', 'evidence', 'sample']),
  what: z.string(),
  /** Of all bytes that are to be read. */
  bytes: z.number(),
  totalBytes: z.number(),
});
export type VerifyProgress = z.infer<typeof verifyProgress>;
