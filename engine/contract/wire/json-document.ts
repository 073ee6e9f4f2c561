/**
 * The JSON document of an answer, as `--json` and `--format json` print it: one envelope for every
 * shape. docs/json.md explains it; tests hold the command line to it.
 */
import { z } from 'zod';

const row = z.record(z.string(), z.unknown());
/** Whole numbers beyond 2^53 are text, so that they stay exact. */
const exactCount = z.union([z.number().int().nonnegative(), z.string().regex(/^\d+$/)]);
const totals = z.looseObject({ count: exactCount, groups: exactCount });
const time = z.string().regex(/^-?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/);

const envelope = {
  /** Names of the columns of `rows`, in order. */
  columns: z.array(z.string()),
  rows: z.array(row),
  /** Notes on the answer, for people. */
  notes: z.array(z.string()).optional(),
  /** Packets that a query without `kind` left out. */
  packetsBeneath: z.object({ packets: z.number().int(), exact: z.boolean() }).optional(),
  /** For an answer without events: what was not searched, and what the query may have meant. */
  notSearched: z.looseObject({ quarantined: z.object({ count: z.number().int() }) }).optional(),
  hints: z.array(z.string()).optional(),
  /** For a scan: what was read, and what could not be read. */
  read: z.looseObject({ read: z.number().int(), quarantined: z.number().int() }).optional(),
  timings: z.looseObject({
    totalMs: z.number().nonnegative(),
    spans: z.record(z.string(), z.number()),
  }),
};

export const jsonDocument = z.discriminatedUnion('shape', [
  z.looseObject({ shape: z.literal('rows'), ...envelope }),
  z.looseObject({ shape: z.literal('count'), ...envelope, count: exactCount }),
  z.looseObject({ shape: z.literal('top'), ...envelope, rest: totals, total: totals }),
  z.looseObject({
    shape: z.literal('timeline'),
    ...envelope,
    interval: z.string().optional(),
    from: time.optional(),
    to: time.optional(),
    /** The same as `rows`. */
    buckets: z.array(row),
  }),
  z.looseObject({ shape: z.enum(['table', 'stats', 'values', 'talkers']), ...envelope }),
]);
