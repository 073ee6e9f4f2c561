/** Operations by which people add to a case. Each is audited. */
import { z } from 'zod';
import { casePath, count, eventId, nothing, operation, viewShape } from './schema.ts';

const tagName = z.string().trim().min(1).max(100);
/** What is marked: events by hand, or everything that a view finds. */
const target = z.union([
  z.object({ events: z.array(eventId).min(1).max(10_000) }),
  z.object({ view: z.object(viewShape).omit({ case: true }) }),
]);
const marked = z.object({
  /** Events that were found. */
  matched: count,
  /** Of these, those that were not marked so before. */
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

export const markOperations = {
  'tag.set': operation(
    z.object({ case: casePath, name: tagName, remove: z.boolean().default(false), target }),
    marked,
  ),
  /** Says something about an event; an empty text takes it away. */
  'note.set': operation(
    z.object({ case: casePath, event: eventId, text: z.string().max(20_000) }),
    nothing,
  ),
  /** Events that have a note or a tag set by hand, newest first. */
  'note.list': operation(
    z.object({ case: casePath }),
    z.object({
      notes: z.array(z.object({ event: eventId, text: z.string(), at: z.string() })),
    }),
  ),
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
  /** Queries that were run on this case, the last first, each once. */
  'query.history': operation(
    z.object({ case: casePath, limit: count.max(1000).default(100) }),
    z.object({ queries: z.array(z.object({ query: z.string(), at: z.string(), count })) }),
  ),
  /** Takes what a view finds out of every answer; the evidence and the segments stay as they are. */
  'delete.run': operation(
    z.object({ case: casePath, reason: z.string().trim().min(1).max(2000), target }),
    marked,
  ),
};
