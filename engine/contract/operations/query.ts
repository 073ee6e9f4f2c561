/** Operations that answer questions. All are measured, can be cancelled, and give exact answers. */
import { z } from 'zod';
import {
  batch,
  casePath,
  count,
  fieldName,
  kind,
  list,
  listBytes,
  micros,
  nothing,
  numbers,
  operation,
  record,
  scopeShape,
  timings,
  value,
  view,
  viewShape,
  zone,
} from './schema.ts';

/** Positions of the parts of a query in its text, in UTF-16 units; `end` is exclusive. */
const spanShape = { start: count, end: count };

/** An item of the outermost AND of a query: what a builder shows as one chip. */
const term = z.object({
  ...spanShape,
  text: z.string(),
  negated: z.boolean(),
  type: z.enum(['text', 'field', 'group']),
  /** For a `field` term. */
  field: z.string().optional(),
  operator: z.enum(['word', 'quoted', 'regex', 'compare', 'range', 'present']).optional(),
  value: z.string().optional(),
});

const measure = z.object({
  fn: z.enum(['count', 'sum', 'distinct']),
  /** A numeric field for `sum`, any field for `distinct`. */
  of: fieldName.optional(),
});

const seenShape = { events: count, first: micros.optional(), last: micros.optional() };
/** Values with the most events first; `more` values are omitted. */
const hostFacts = z.object({
  values: z.array(
    z.object({
      value: z.string(),
      /** For a hardware address: its holder in the IEEE's registry, or that it belongs to nobody. */
      vendor: z.string().optional(),
      by: z.array(z.string()),
      ...seenShape,
    }),
  ),
  more: count,
});

const looked = z.object({ count, matching: count, looked: count });

export const queryOperations = {
  /** Parses a query, for marking errors and for the builder. Reads no events. */
  'query.parse': operation(
    z.object({
      case: casePath.optional(),
      query: z.string().max(100_000),
      zone: zone.default('UTC'),
    }),
    z.object({
      error: z
        .object({ message: z.string(), hint: z.string().optional(), ...spanShape })
        .optional(),
      /** The part before the first `|`. */
      filter: z.object(spanShape),
      /** Undefined if the filter is not a plain AND of terms. */
      terms: z.array(term).optional(),
      stages: z.array(z.object({ ...spanShape, name: z.string(), text: z.string() })),
      /** Shape of the query's answer. */
      shape: z
        .enum(['rows', 'count', 'top', 'timeline', 'table', 'stats', 'values', 'talkers'])
        .optional(),
      /** The longest prefix of the query that answers with events: timeline and lists use it. */
      events: z.string(),
      /** How ambiguous parts were read, in words; undefined if nothing is ambiguous. */
      readings: z.array(z.string()).optional(),
    }),
  ),
  /** Completions at a position: fields, values with counts, stages, operators. */
  'query.complete': operation(
    z.object({ ...viewShape, at: count, limit: count.max(200).default(50) }),
    z.object({
      ...spanShape,
      options: z.array(
        z.object({
          label: z.string(),
          type: z.enum(['field', 'value', 'stage', 'operator', 'keyword']),
          /** The text to insert, if it differs from the label. */
          apply: z.string().optional(),
          detail: z.string().optional(),
          count: count.optional(),
        }),
      ),
    }),
  ),
  /** Answers any query completely: up to `limit` rows, or the result of its last stage. */
  'query.run': operation(
    z.object({
      ...viewShape,
      limit: count.max(100_000).default(1000),
      /** Asked by a part of the window, not by a person: not recorded in `query.history`. */
      aside: z.literal(true).optional(),
    }),
    z.object({
      shape: z.enum(['rows', 'count', 'top', 'timeline', 'table', 'stats', 'values', 'talkers']),
      columns: z.array(z.string()),
      batch,
      /** Number of rows beyond those in `batch`; undefined if unknown. */
      left: count.optional(),
      /** For `top`: the sum of the other groups, and the total. */
      rest: record.optional(),
      total: record.optional(),
      ...scopeShape,
    }),
  ),
  /**
   * Stores a list's bytes for the views of this window, which refer to it by `id`: its SHA-256. They are dropped
   * when the window closes or stores many others.
   */
  'list.keep': operation(z.object({ bytes: listBytes }), z.object({ id: z.string() })),
  /** How a list is interpreted, or why it cannot be; and its beginning, whatever the text is. */
  'list.preview': operation(
    z.object({ case: casePath, list }),
    z.object({
      /** `values`: one a line. */
      form: z.enum(['values', 'table', 'json']),
      /** Whether the first line of a table names the columns. */
      header: z.boolean(),
      columns: z.array(
        z.object({
          /** The name in the list. */
          name: z.string().optional(),
          /** The field that it is compared with; undefined: it is ignored, or holds values of any type. */
          field: z.string().optional(),
        }),
      ),
      /** Cells of the first rows. */
      first: z.array(z.array(z.string())),
      understood: z
        .object({
          /** Lines with values. */
          rows: count,
          fields: z.array(z.string()),
          /** Rows name both ends of a conversation and match in either direction. */
          eitherWay: z.boolean(),
          /** For values without a field: how many lines are addresses, how many other texts. */
          anyType: z.object({ addresses: count, texts: count }).optional(),
        })
        .optional(),
      /** Why it cannot be interpreted. */
      problem: z.object({ message: z.string(), hint: z.string().optional() }).optional(),
    }),
  ),
  /** Numbers of the lines, from 1, of a view's list that match no event of the view. */
  'list.unmatched': operation(
    view.extend({ list }),
    z.object({
      lines: numbers,
      of: count,
      /** In words: what was not searched for these lines. */
      unsearched: z.array(z.string()),
      ...scopeShape,
    }),
  ),
  /**
   * What a view does not search, for a view without events: quarantined records and unread files, how many of the
   * checked ones contain the text searched for, and events without a time.
   */
  'query.unsearched': operation(
    view,
    z.object({
      quarantined: looked,
      unread: looked,
      undated: count,
      packetsBeneath: z.object({ packets: count, exact: z.boolean() }).optional(),
      /** The same, in words. */
      lines: z.array(z.string()),
      /** Suggestions for the query. */
      hints: z.array(z.string()),
    }),
  ),
  /** The plan of a query: what it reads, what it skips and why. */
  'query.explain': operation(view, z.object({ lines: z.array(z.string()) })),

  /**
   * Opens a list of events of which any part can be requested later. The first rows are sent as a part, before the
   * total is known. The list belongs to the window and is closed with it.
   */
  'result.open': operation(
    z.object({
      ...viewShape,
      /** By time if omitted. Other orders list at most `capped` events. */
      sort: z.object({ field: fieldName, descending: z.boolean() }).optional(),
      /** Fields of the rows in the first part; all if omitted. */
      fields: z.array(fieldName).max(500).optional(),
      first: count.max(1000).default(100),
    }),
    z.object({
      result: count,
      /** Number of events that match the query. */
      total: count,
      /** Number of events in the list, if its order has a lower limit. */
      capped: count.optional(),
      /** Events among them without a time; they come last. */
      undated: count,
      /** Fields that rows may have, in their usual order. */
      fields: z.array(z.string()),
      ...scopeShape,
    }),
    z.object({ batch }),
  ),
  /**
   * Rows `offset` to `offset + limit` of an open list. Every batch has `event_id`, `kind`, `ts` (micros, NaN when
   * undated), `ts_ns`, `ts_digits`, `tags` (names, comma-separated) and `fields`.
   */
  'result.rows': operation(
    z.object({
      case: casePath,
      result: count,
      offset: count,
      limit: count.min(1).max(1000),
      fields: z.array(fieldName).max(500).optional(),
    }),
    z.object({ offset: count, batch, timings }),
  ),
  /** The position in a list of the first event at or after a time. */
  'result.locate': operation(
    z.object({ case: casePath, result: count, ts: micros }),
    z.object({ offset: count }),
  ),
  'result.close': operation(z.object({ case: casePath, result: count }), nothing),

  /**
   * Events over time. Buckets have equal widths and start at multiples of the width; the last may extend beyond
   * `to`. Series beyond the `most` largest are added up in the one with `rest`.
   */
  'timeline.run': operation(
    z.object({
      ...viewShape,
      buckets: count.min(1).max(2000).default(120),
      /** A field to stack by; one series if omitted. */
      by: fieldName.optional(),
      most: count.min(1).max(30).default(8),
    }),
    z.object({
      /** Start of each bucket; empty if no event has a time. */
      starts: numbers,
      /** Width of a bucket in microseconds. */
      width: z.number(),
      series: z.array(z.object({ value, rest: z.boolean(), counts: numbers, total: count })),
      total: count,
      undated: count,
      ...scopeShape,
    }),
  ),
  /** Groups by one or more fields, largest first, with the sum of the others. */
  'top.run': operation(
    z.object({
      ...viewShape,
      by: z.array(fieldName).min(1).max(6),
      measure: measure.default({ fn: 'count' }),
      limit: count.min(1).max(10_000).default(100),
      /** Number of buckets in each group's sparkline; 0: none. */
      sparkline: count.max(200).default(0),
    }),
    z.object({
      /** The fields grouped by, then `count`, then the measure as `measure` if it is not the count. */
      batch,
      rest: z.object({ count, groups: count, measure: z.number().optional() }),
      total: z.object({ count, groups: count, measure: z.number().optional() }),
      /**
       * `buckets` counts for each row, concatenated. Buckets begin and end at multiples of their width; `covered`
       * is the time range of the view, or that of its events; `to` is exclusive.
       */
      sparklines: z
        .object({
          ...{ from: micros, width: z.number(), buckets: count, counts: numbers },
          covered: z.object({ from: micros, to: micros }),
        })
        .optional(),
      ...scopeShape,
    }),
  ),
  /**
   * Pairs of addresses that talked, by flows (by packets where a case has no flows). Columns: `a`, `b` (the
   * originator of most of it is `a`), `flows`, `bytes_ab`, `bytes_ba`, `bytes_both` (of flows that state one number
   * for both ways), `packets_ab`, `packets_ba`, `packets_both` (null if no flow states it), `protos`, `ports` (most
   * used responder ports, comma-separated), `services`, `first`, `last` (micros; starts of the first and the last),
   * `duration` (seconds from `first` to the latest end), `states`.
   */
  'conversations.run': operation(
    z.object({
      ...viewShape,
      order: z.enum(['bytes', 'flows', 'packets', 'last']).default('bytes'),
      limit: count.min(1).max(10_000).default(500),
    }),
    z.object({
      batch,
      total: z.object({ pairs: count, flows: count, bytes: z.number(), packets: z.number() }),
      ...scopeShape,
    }),
  ),
  /**
   * Addresses of a view with the most events, and what its events say about each: names, hardware addresses, users,
   * operating systems, services offered and used. A query whose stages turn events into something else is refused.
   */
  'hosts.run': operation(
    z.object({
      ...viewShape,
      /** An address, a block, or `private`; all if omitted. */
      of: z
        .string()
        .regex(/^[0-9a-z.:/]{1,64}$/i)
        .optional(),
      limit: count.min(1).max(10_000).default(200),
    }),
    z.object({
      hosts: z.array(
        z.object({
          address: z.string(),
          ...seenShape,
          /** Bytes of its flows, whichever side opened them; absent: no flow states bytes in that direction. */
          sent: z.number().optional(),
          received: z.number().optional(),
          /** Bytes of flows that state one number for both directions; absent: there are none. */
          bothWays: z.number().optional(),
          facts: z.object({
            ...{ name: hostFacts, mac: hostFacts, user: hostFacts, system: hostFacts },
            ...{ offers: hostFacts, uses: hostFacts },
          }),
        }),
      ),
      /** Number of addresses in the view. */
      total: count,
      notes: z.array(z.string()),
    }),
  ),
  /**
   * Names that events of the case give for addresses, the most frequent first; addresses without one are omitted.
   */
  'hosts.names': operation(
    z.object({ case: casePath, addresses: z.array(z.string().max(64)).max(20_000) }),
    z.object({
      hosts: z.array(z.object({ address: z.string(), names: z.array(z.string()) })),
      notes: z.array(z.string()),
    }),
  ),
  /** Fields that the events of a case have. */
  'field.list': operation(
    z.object({ case: casePath }),
    z.object({
      fields: z.array(
        z.object({
          field: z.string(),
          attribute: z.boolean(),
          events: count,
          kinds: z.array(kind),
          /** Whether sums and ranges of it are meaningful. */
          numeric: z.boolean(),
        }),
      ),
    }),
  ),
  /** The most frequent values of a field among the events of a view. */
  'field.values': operation(
    z.object({ ...viewShape, field: fieldName, limit: count.min(1).max(1000).default(10) }),
    z.object({
      values: z.array(z.object({ value, count, share: z.number() })),
      /** Number of different values. */
      distinct: count,
      /** Number of events that have the field. */
      present: count,
      ...scopeShape,
    }),
  ),
};
