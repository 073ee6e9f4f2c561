/**
 * Hash manifests: lists of files with their hashes that come with evidence (`SHA256SUMS`, hashdeep, KAPE's copy log), and
 * what an import found when it compared them with the files that it read.
 */
import { z } from 'zod';

const count = z.number().int().nonnegative();

/** A source's entry in a manifest. */
export const listedHash = z.object({
  /** Name of the manifest, as the ledger has it. */
  manifest: z.string(),
  /** `unlisted`: no manifest beside or above it lists it. `not-compared`: `reason` says why. */
  state: z.enum(['agrees', 'differs', 'not-compared', 'unlisted']),
  line: count.optional(),
  algorithm: z.string().optional(),
  /** Lower-case hex: as the manifest has it, and of the file. */
  listed: z.string().optional(),
  actual: z.string().optional(),
  reason: z.string().optional(),
});
export type ListedHash = z.infer<typeof listedHash>;

/** All are counted, the first are kept. */
const countedFirst = <T extends z.ZodType>(one: T) => z.object({ count, first: z.array(one) });

/** Result of one manifest: listed = agree + differ + missing + notCompared. */
export const manifestReport = z.object({
  manifest: z.string(),
  path: z.string(),
  members: z.array(z.string()),
  /** Of the manifest. */
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
  /** Listed, but nothing that this case was made from. */
  missing: countedFirst(z.object({ file: z.string(), line: count })),
  notCompared: countedFirst(z.object({ file: z.string(), line: count, reason: z.string() })),
  /** Sources beside the listed files that no manifest lists. */
  unlisted: countedFirst(z.string()),
  /** Lines that cannot be read. */
  problems: countedFirst(z.object({ line: count, reason: z.string() })),
});
export type ManifestReport = z.infer<typeof manifestReport>;
