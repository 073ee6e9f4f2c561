/** Operations by which people add to a case. Each is audited. */
import { z } from 'zod';
import { SEVERITIES, TAG_COLORS } from '../findings.ts';
import { casePath, count, eventId, nothing, operation, viewShape } from './schema.ts';

const tagName = z.string().trim().min(1).max(100);
/** Events to mark: chosen by hand, or all events of a view. */
const target = z.union([
  z.object({ events: z.array(eventId).min(1).max(10_000) }),
  z.object({ view: z.object(viewShape).omit({ case: true }) }),
]);
const marked = z.object({
  /** Events that were found. */
  matched: count,
  /** Those among them whose marks changed. */
  changed: count,
});
const savedSearch = z.object({
  id: count,
  name: z.string(),
  /** A view as its shareable string. */
  view: z.string(),
  note: z.string(),
  createdAt: z.string(),
});

const severity = z.enum(SEVERITIES);
const tagColor = z.enum(TAG_COLORS);
/** Position in the report, from 1. */
const place = z.number().int().positive();
/** A tag with its events, or an event with a note. A finding without a severity is unrated. */
const finding = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('tag'),
    ...{ place, severity: severity.optional() },
    tag: z.string(),
    color: tagColor,
    /** Visible events with the tag: neither deleted nor left out. */
    count,
    /** Earliest and latest of their times, RFC 3339 in UTC; absent if none has a time. */
    first: z.string().optional(),
    last: z.string().optional(),
  }),
  z.object({
    kind: z.literal('note'),
    ...{ place, severity: severity.optional() },
    event: eventId,
    /** Time of the event, RFC 3339 in UTC; absent if it has none or is hidden. */
    time: z.string().optional(),
    /** The event is in no answer: it was deleted, or left out because another source has it as well. */
    hidden: z.boolean(),
    text: z.string(),
    /** When the note was last changed, and by whom. */
    at: z.string(),
    user: z.string(),
  }),
]);

export const markOperations = {
  'tag.set': operation(
    z.object({ case: casePath, name: tagName, remove: z.boolean().default(false), target }),
    marked,
  ),
  /** Sets the note of an event; an empty text removes it. */
  'note.set': operation(
    z.object({ case: casePath, event: eventId, text: z.string().max(20_000) }),
    nothing,
  ),
  /** Events that have a note or a tag set by hand, newest first. */
  'note.list': operation(
    z.object({ case: casePath }),
    z.object({
      notes: z.array(z.object({ event: eventId, text: z.string(), at: z.string() })),
      /** Number of tagged events that are not listed: the oldest, if a case on a cluster has very many. */
      more: count.optional(),
    }),
  ),
  /** Tags and notes in report order. */
  'finding.list': operation(z.object({ case: casePath }), z.object({ findings: z.array(finding) })),
  /** Sets the severity or place of a finding, or the colour of a tag; null removes it. */
  'finding.set': operation(
    z.object({
      case: casePath,
      finding: z.union([z.object({ tag: tagName }), z.object({ event: eventId })]),
      severity: severity.nullable().optional(),
      color: tagColor.nullable().optional(),
      place: place.nullable().optional(),
    }),
    nothing,
  ),
  /** Removes the place of every finding, so that they are ordered by severity again. */
  'finding.reset-order': operation(z.object({ case: casePath }), nothing),
  'search.list': operation(
    z.object({ case: casePath }),
    z.object({ searches: z.array(savedSearch) }),
  ),
  /** Saves a view under a name; with the `id` of an earlier one, replaces it. */
  'search.save': operation(
    z.object({
      case: casePath,
      id: count.optional(),
      name: z.string().trim().min(1).max(200),
      view: z.string().min(1).max(200_000),
      note: z.string().max(20_000).default(''),
    }),
    savedSearch,
  ),
  'search.delete': operation(z.object({ case: casePath, id: count }), nothing),
  /** Queries run on this case, most recent first, each once. */
  'query.history': operation(
    z.object({ case: casePath, limit: count.max(1000).default(100) }),
    z.object({ queries: z.array(z.object({ query: z.string(), at: z.string(), count })) }),
  ),
  /** Removes the events of a view from every answer; evidence and segments stay as they are. */
  'delete.run': operation(
    z.object({ case: casePath, reason: z.string().trim().min(1).max(2000), target }),
    marked,
  ),
};
