/**
 * Hash manifests: lists of file hashes that come with evidence (`SHA256SUMS`, hashdeep, KAPE's copy log), and the
 * result of comparing them with the files that an import read.
 */
import { z } from 'zod';

const count = z.number().int().nonnegative();

/** A source's entry in a manifest. */
export const listedHash = z.object({
  /** Name of the manifest, as in the ledger. */
  manifest: z.string(),
  /** `unlisted`: no manifest beside or above it lists it. `not-compared`: `reason` says why. */
  state: z.enum(['agrees', 'differs', 'not-compared', 'unlisted']),
  line: count.optional(),
  algorithm: z.string().optional(),
  /** Lower-case hex: the hash in the manifest, and that of the file. */
  listed: z.string().optional(),
  actual: z.string().optional(),
  reason: z.string().optional(),
});
export type ListedHash = z.infer<typeof listedHash>;

/** A count of all, and the first of them. */
const countedFirst = <T extends z.ZodType>(one: T) => z.object({ count, first: z.array(one) });

/** The result for one manifest: listed = agree + differ + missing + notCompared. */
export const manifestReport = z.object({
  manifest: z.string(),
  path: z.string(),
  members: z.array(z.string()),
  /** SHA-256 of the manifest. */
  sha256: z.string(),
  format: z.string(),
  listed: count,
  agree: count,
  differ: countedFirst(
    z.object({
      file: z.string(),
      line: count,
      algorithm: z.string(),
      listed: z.string(),
      actual: z.string(),
    }),
  ),
  /** Listed files that are not among the case's sources. */
  missing: countedFirst(z.object({ file: z.string(), line: count })),
  notCompared: countedFirst(z.object({ file: z.string(), line: count, reason: z.string() })),
  /** Sources next to the listed files that no manifest lists. */
  unlisted: countedFirst(z.string()),
  /** Lines that cannot be read. */
  problems: countedFirst(z.object({ line: count, reason: z.string() })),
});
export type ManifestReport = z.infer<typeof manifestReport>;
