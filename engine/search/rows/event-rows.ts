/** Locates events by their ids: the segments and rows that they are in. */
import type { EventKey } from '../../catalog/tables/notes.ts';
import { DaybookError } from '../../contract/errors.ts';
import { formatEventId, parseEventId } from '../../query/index.ts';
import { compileEventRows } from '../../query/statements/event-rows.ts';
import type { CaseSession } from '../session/case-session.ts';

interface EventRow extends EventKey {
  segment: number;
  /** Of the row in its segment. */
  rowId: number;
}

/** Segments that one statement searches. */
const AT_ONCE = 200;

/** @throws DaybookError usage if `text` is not an event id */
export function eventKey(text: string): EventKey {
  const id = parseEventId(text);
  if (id === undefined)
    throw new DaybookError(
      'usage',
      `${JSON.stringify(text)} is not the id of an event`,
      'an id looks like 12:345, or 12:f345 for a flow of packets',
    );
  return { sourceId: id.source, seq: id.seq };
}

export function eventIdOf({ sourceId, seq }: EventKey): string {
  return formatEventId(sourceId, seq);
}

/**
 * The rows of events; ids of missing and of deleted events have none.
 * @throws DaybookError usage, cancelled
 */
export async function locateEvents(
  session: CaseSession,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<EventRow[]> {
  const release = session.store.hold();
  try {
    return await rowsOfEvents(session, ids, signal);
  } finally {
    release();
  }
}

async function rowsOfEvents(
  session: CaseSession,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<EventRow[]> {
  const found: EventRow[] = [];
  const snapshot = session.snapshot();
  const bySource = Map.groupBy(ids.map(eventKey), ({ sourceId }) => sourceId);
  for (const [sourceId, keys] of bySource) {
    const segments = snapshot.segments.filter(({ sources }) => sources.includes(sourceId));
    const records = [...new Set(keys.map(({ seq }) => seq))];
    for (let at = 0; at < segments.length; at += AT_ONCE) {
      const portion = segments.slice(at, at + AT_ONCE);
      await session.prepare(portion, snapshot);
      const { sql, params } = compileEventRows(
        portion.map(({ id }) => ({ id, hasDeleted: snapshot.marks.get(id)?.has(0) === true })),
        sourceId,
        records,
      );
      for (const [segment, rowId, seq] of await session.store.rows(sql, params, signal))
        found.push({
          segment: Number(segment),
          rowId: Number(rowId),
          sourceId,
          seq: Number(seq),
        });
    }
  }
  return found;
}

/** @throws DaybookError not-found */
export function noSuchEvent(id: string): DaybookError {
  return new DaybookError(
    'not-found',
    `there is no event ${id} in the case`,
    'it may have been deleted: the audit log says what was',
  );
}
