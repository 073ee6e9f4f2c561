/** Building blocks of the operations' schemas. */
import { z } from 'zod';
import { DATE_ORDERS } from '../time/decisions.ts';
import { KINDS } from '../event.ts';
import type { ColumnBatch } from '../wire/column-batch.ts';

/** The schemas of one operation: its parameters, its partial results, its result. */
interface OperationSchema<
  P extends z.ZodType = z.ZodType,
  T extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  readonly params: P;
  readonly part: T;
  readonly result: R;
}

export function operation<P extends z.ZodType, R extends z.ZodType>(
  params: P,
  result: R,
): OperationSchema<P, z.ZodNever, R>;
export function operation<P extends z.ZodType, T extends z.ZodType, R extends z.ZodType>(
  params: P,
  result: R,
  part: T,
): OperationSchema<P, T, R>;
export function operation(
  params: z.ZodType,
  result: z.ZodType,
  part: z.ZodType = z.never(),
): OperationSchema {
  return { params, part, result };
}

/** UTC microseconds since 1970-01-01. */
export const micros = z.number().refine(Number.isFinite);
export const count = z.number().int().nonnegative();
export const bytes = z.instanceof(Uint8Array);
/** A list is sent in a single frame. */
const MOST_LIST_BYTES = 32 << 20;
export const numbers = z.instanceof(Float64Array);
export const kind = z.enum(KINDS);
export const byKind = z.partialRecord(kind, count);
/** Absolute path of a case's folder, or the address of a case on a cluster. */
export const casePath = z.string().min(1).max(4096);
export const filePath = z.string().min(1).max(4096);
/** `SOURCE:SEQ`; for events derived from packets, `SOURCE:fN` for a flow and `SOURCE:pN` for a protocol event. */
export const eventId = z.string().regex(/^\d+:[fp]?\d+$/);
export const fieldName = z.string().min(1).max(300);
/** Error of a clock: `90s fast`, `1h2m slow`, `right`. */
export const clock = z.string().min(1).max(64);
/** IANA zone or fixed offset. */
export const zone = z.string().min(1).max(64);
export const nothing = z.object({});

const column = z.union([
  z.object({ name: z.string(), type: z.literal('number'), values: numbers }),
  z.object({
    name: z.string(),
    type: z.literal('text'),
    bytes,
    offsets: z.instanceof(Uint32Array),
    absent: bytes.optional(),
  }),
]);
export const batch: z.ZodType<ColumnBatch> = z.object({ rows: count, columns: z.array(column) });

/** A list's text: CSV, TSV, NDJSON or one value a line. */
export const listBytes = bytes.refine(
  ({ length }) => length <= MOST_LIST_BYTES,
  'the list is larger than 32 MB',
);
const listShape = {
  /** Its name in the audit log. */
  name: z.string().max(1000).optional(),
  /** Names of the columns to compare; those in the header if omitted. */
  fields: z.array(fieldName).min(1).max(32).optional(),
  /** Instead of `fields`: the field that each column is compared with, by position; null: the column is ignored. */
  columns: z.array(fieldName.nullable()).min(1).max(1000).optional(),
  /** With `columns`: whether the first line of a table only names the columns. */
  header: z.boolean().optional(),
  /** Rows with both addresses of a conversation match only in the direction in which they are written. */
  directed: z.boolean().optional(),
};
/**
 * A list that narrows a view to the events that match one of its rows. Its bytes, or the id under which `list.keep`
 * stored them; on `list-not-kept` the caller stores them again.
 */
export const list = z.union([
  z.object({ ...listShape, bytes: listBytes }),
  z.object({ ...listShape, kept: z.string().regex(/^[0-9a-f]{64}$/) }),
]);

/** A query within a half-open range of time. */
export const viewShape = {
  case: casePath,
  query: z.string().max(100_000),
  from: micros.optional(),
  to: micros.optional(),
  list: list.optional(),
  /** For times in the query that state none. */
  zone: zone.default('UTC'),
  /** `scan`: no index is used. The answer is the same. */
  path: z.literal('scan').optional(),
};
export const view = z.object(viewShape);

/** Cost of an operation: milliseconds, and the number of segments, days and rows read. */
export const timings = z.object({
  totalMs: z.number(),
  spans: z.record(z.string(), z.number()),
  path: z.string().optional(),
  days: count.optional(),
  segments: count.optional(),
  rowsExamined: count.optional(),
});
/** Common part of every answer about a view. */
export const scopeShape = {
  timings,
  /** Number of days that hold events, and how many of them were read. */
  days: z.object({ used: count, all: count }),
  /** Packets beneath flows that the query left out because it names no kind. */
  packetsBeneath: z.object({ packets: count, exact: z.boolean() }).optional(),
  /** Notes on this answer, for people. */
  notes: z.array(z.string()),
};

/** A value of a field as text, number, or nothing. */
export const value = z.union([z.string(), z.number(), z.null()]);
/** A row of an answer by column name; nested where an answer nests. */
export const record = z.record(z.string(), z.unknown());

export const dateOrder = z.enum(DATE_ORDERS);
/** For a source: `tz`, `year`, `dateOrder`, each with its reason (`tzBasis`, …), and other decisions. */
export const decisions = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]).optional(),
);
export const countsShape = {
  read: count,
  stored: count,
  duplicate: count,
  quarantined: count,
  skipped: count,
};

/** Where reading a source stopped before its end. */
export const broken = z.object({
  state: z.enum(['partial', 'damaged']),
  reason: z.string(),
  /** Content bytes that were read, and how many of them had matching checksums. */
  offset: count,
  checked: count.optional(),
  /** The position in the stored file. */
  fileOffset: count.optional(),
  /**
   * Damage after which reading went on: content bytes before it, and the damaged bytes of the file; at most 1,000.
   */
  lost: z
    .array(z.object({ offset: count, fileOffset: count, fileEnd: count, reason: z.string() }))
    .readonly()
    .optional(),
  /** The option whose limit stopped it. */
  limit: z.string().optional(),
});
