/** Operations that ask. All are measured, can be cancelled and are answered exactly. */
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
  /** Of a `field` term. */
  field: z.string().optional(),
  operator: z.enum(['word', 'quoted', 'regex', 'compare', 'range', 'present']).optional(),
  value: z.string().optional(),
});

const measure = z.object({
  fn: z.enum(['count', 'sum', 'distinct']),
  /** A number for `sum`, any field for `distinct`. */
  of: fieldName.optional(),
});

const seenShape = { events: count, first: micros.optional(), last: micros.optional() };
/** Those with the most events first; `more` values are left out. */
const hostFacts = z.object({
  values: z.array(
    z.object({
      value: z.string(),
      /** Of a hardware address: whom the IEEE's registry has it for, or that it is of nobody. */
      vendor: z.string().optional(),
      by: z.array(z.string()),
      ...seenShape,
    }),
  ),
  more: count,
});

const looked = z.object({ count, matching: count, looked: count });

export const queryOperations = {
  /** Takes a query apart, for highlighting what is wrong and for the builder. Needs no events. */
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
      /** Undefined when the filter is no plain AND of terms. */
      terms: z.array(term).optional(),
      stages: z.array(z.object({ ...spanShape, name: z.string(), text: z.string() })),
      /** Shape of the whole query's answer. */
      shape: z
        .enum(['rows', 'count', 'top', 'timeline', 'table', 'stats', 'values', 'talkers'])
        .optional(),
      /** The longest beginning of the query that answers with events: what timeline and lists use. */
      events: z.string(),
      /** How doubtful parts were read, in words; undefined where nothing is doubtful. */
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
          /** The text to insert, if it is not the label. */
          apply: z.string().optional(),
          detail: z.string().optional(),
          count: count.optional(),
        }),
      ),
    }),
  ),
  /** Any query, answered whole: rows up to `limit`, or what its last stage gives. */
  'query.run': operation(
    z.object({
      ...viewShape,
      limit: count.max(100_000).default(1000),
      /** Asked by a part of the window, not by a person: it is no entry of `query.history`. */
      aside: z.literal(true).optional(),
    }),
    z.object({
      shape: z.enum(['rows', 'count', 'top', 'timeline', 'table', 'stats', 'values', 'talkers']),
      columns: z.array(z.string()),
      batch,
      /** Rows there are beyond those in `batch`; undefined when that is not known. */
      left: count.optional(),
      /** Of `top`: what the other groups add up to, and the whole. */
      rest: record.optional(),
      total: record.optional(),
      ...scopeShape,
    }),
  ),
  /**
   * Keeps a list's bytes for the views of this window, which name it by `id`: their SHA-256. They are dropped
   * with the window, or when it keeps many others.
   */
  'list.keep': operation(z.object({ bytes: listBytes }), z.object({ id: z.string() })),
  /** How a list is understood, or why it is not; and its beginning, of any text. */
  'list.preview': operation(
    z.object({ case: casePath, list }),
    z.object({
      /** `values`: one a line. */
      form: z.enum(['values', 'table', 'json']),
      /** Whether the first line of a table names the columns. */
      header: z.boolean(),
      columns: z.array(
        z.object({
          /** As the list has it. */
          name: z.string().optional(),
          /** The field it is compared with; undefined: it does not count, or values of any type. */
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
          /** Rows name both ends of a conversation and are found in either direction. */
          eitherWay: z.boolean(),
          /** Of values without a name, how many lines are of what. */
          anyType: z.object({ addresses: count, texts: count }).optional(),
        })
        .optional(),
      /** Why it is not understood. */
      problem: z.object({ message: z.string(), hint: z.string().optional() }).optional(),
    }),
  ),
  /** Numbers of the lines of a view's list, from 1, that no event of the view matches. */
  'list.unmatched': operation(
    view.extend({ list }),
    z.object({
      lines: numbers,
      of: count,
      /** In words, what was not looked at for these lines. */
      unsearched: z.array(z.string()),
      ...scopeShape,
    }),
  ),
  /**
   * What a view does not search, for a view without events: quarantined records and unread files, how many of
   * those that were checked contain the text asked for, and events without a time.
   */
  'query.unsearched': operation(
    view,
    z.object({
      quarantined: looked,
      unread: looked,
      undated: count,
      packetsBeneath: z.object({ packets: count, exact: z.boolean() }).optional(),
      /** The same in words. */
      lines: z.array(z.string()),
      /** Suggestions for the query. */
      hints: z.array(z.string()),
    }),
  ),
  /** The plan of a query: what it reads, what it leaves out and why. */
  'query.explain': operation(view, z.object({ lines: z.array(z.string()) })),

  /**
   * Opens a list of events that any part of can be shown. The first rows come as a part, before the
   * total is known. Belongs to the window: it is closed with it.
   */
  'result.open': operation(
    z.object({
      ...viewShape,
      /** By time when left out. Other orders list at most `capped` events. */
      sort: z.object({ field: fieldName, descending: z.boolean() }).optional(),
      /** Fields of the rows of the first part; all when left out. */
      fields: z.array(fieldName).max(500).optional(),
      first: count.max(1000).default(100),
    }),
    z.object({
      result: count,
      /** Events the query finds. */
      total: count,
      /** How many of them the list has, where a limit of its order is lower. */
      capped: count.optional(),
      /** Of these, events without a time: they are last. */
      undated: count,
      /** Names that rows may have, in their usual order. */
      fields: z.array(z.string()),
      ...scopeShape,
    }),
    z.object({ batch }),
  ),
  /**
   * Rows `offset` to `offset + limit` of an open list. Every batch has `event_id`, `kind`, `ts`
   * (micros, NaN when undated), `ts_ns`, `ts_digits`, `tags` (names by comma) and `fields`.
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
  /** Where in a list the first event at or after a time stands. */
  'result.locate': operation(
    z.object({ case: casePath, result: count, ts: micros }),
    z.object({ offset: count }),
  ),
  'result.close': operation(z.object({ case: casePath, result: count }), nothing),

  /**
   * Events over time. Buckets are even and start at multiples of their width; the last may reach
   * beyond `to`. Series beyond the `most` largest are added up in the one with `rest` set.
   */
  'timeline.run': operation(
    z.object({
      ...viewShape,
      buckets: count.min(1).max(2000).default(120),
      /** A field to stack by; one series when left out. */
      by: fieldName.optional(),
      most: count.min(1).max(30).default(8),
    }),
    z.object({
      /** Start of each bucket; empty when no event has a time. */
      starts: numbers,
      /** Width of a bucket in microseconds. */
      width: z.number(),
      series: z.array(z.object({ value, rest: z.boolean(), counts: numbers, total: count })),
      total: count,
      undated: count,
      ...scopeShape,
    }),
  ),
  /** Groups by one or more fields, largest first, with what is left over. */
  'top.run': operation(
    z.object({
      ...viewShape,
      by: z.array(fieldName).min(1).max(6),
      measure: measure.default({ fn: 'count' }),
      limit: count.min(1).max(10_000).default(100),
      /** Buckets of each group's line over time; none when 0. */
      sparkline: count.max(200).default(0),
    }),
    z.object({
      /** The fields grouped by, then `count`, then the measure if it is another, named `measure`. */
      batch,
      rest: z.object({ count, groups: count, measure: z.number().optional() }),
      total: z.object({ count, groups: count, measure: z.number().optional() }),
      /**
       * `buckets` counts for each row, one after the other. Buckets begin and end at multiples of their width; the
       * time that is asked about, or has events, is `covered`; `to` is exclusive.
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
   * Pairs of addresses that talked, by flows (by packets where a case has no flows). Columns: `a`,
   * `b` (the originator of most of it is `a`), `flows`, `bytes_ab`, `bytes_ba`, `bytes_both` (of flows that state one
   * number for both ways), `packets_ab`, `packets_ba`, `packets_both` (null: no flow states it), `protos`, `ports` (most used responder ports, by comma), `services`, `first`, `last`
   * (micros; when the first and the last began), `duration` (seconds from `first` to the end of what ended last), `states`.
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
   * Addresses of a view with the most events, and what its events say of each: names, hardware addresses, users, systems,
   * services that it offered and used. A query that makes something else of events is refused.
   */
  'hosts.run': operation(
    z.object({
      ...viewShape,
      /** An address, a block, or `private`; all without it. */
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
          /** Bytes by its flows, whichever side opened them; missing: no flow states that way. */
          sent: z.number().optional(),
          received: z.number().optional(),
          /** Bytes of flows that state one number for both ways; missing: there are none. */
          bothWays: z.number().optional(),
          facts: z.object({
            ...{ name: hostFacts, mac: hostFacts, user: hostFacts, system: hostFacts },
            ...{ offers: hostFacts, uses: hostFacts },
          }),
        }),
      ),
      /** Addresses that the view has. */
      total: count,
      notes: z.array(z.string()),
    }),
  ),
  /** Names that events of the case tell of addresses, the most frequent first; those without one are left out. */
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
          /** Whether sums and ranges of it make sense. */
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
      /** Different values there are. */
      distinct: count,
      /** Events that have the field. */
      present: count,
      ...scopeShape,
    }),
  ),
};
