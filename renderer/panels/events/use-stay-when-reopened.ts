/** Keeps the table where it is while the case changes under it. */
import { useEffect, useRef } from 'react';
import { useWorkspace } from '../../panel-api.ts';
import { cellOf, ROW_HEIGHT } from './event-row.tsx';
import { findEvent } from './find-event.ts';
import type { EventList } from './use-event-list.ts';

/**
 * Keeps the same events in sight when the list was opened again because the case changed: the first
 * seen event is looked for in the new list.
 */
export function useStayWhenReopened(
  list: EventList,
  byTime: boolean,
  place: () => { readonly top: number },
  moveTo: (top: number) => void,
  onMoved: (rows: number) => void,
): void {
  const { connection } = useWorkspace();
  const before = useRef<{ readonly question: string; readonly key: number } | undefined>(undefined);
  const moved = useRef(onMoved);
  moved.current = onMoved;
  const { pages, question, key, opened, params } = list;

  useEffect(() => {
    // Read before anything of the new list is shown: rows of the old one stand for it meanwhile.
    const row = Math.floor(place().top / ROW_HEIGHT);
    const page = pages.page(row);
    const event = cellOf(page, row, 'event_id');
    const ts = cellOf(page, row, 'ts');
    const last = before.current;
    before.current = { question, key };
    const reopened = last !== undefined && last.question === question && last.key !== key;
    const known =
      typeof event === 'string' && typeof ts === 'number' && row > 0 ? { event, ts } : undefined;
    if (known === undefined || !reopened || !byTime) return undefined;
    if (opened === undefined || params === undefined) return undefined;
    const controller = new AbortController();
    const at = { case: params.case, result: opened.result };
    findEvent(connection, at, known, controller.signal).then(
      (found) => {
        if (controller.signal.aborted || found === row) return;
        const { top } = place();
        // Whoever scrolled meanwhile has chosen another place.
        if (Math.floor(top / ROW_HEIGHT) !== row) return;
        moveTo(top + (found - row) * ROW_HEIGHT);
        moved.current(found - row);
      },
      // The place is a convenience; what is wrong with the list is told by its rows.
      () => undefined,
    );
    return () => controller.abort();
  }, [connection, pages, question, key, opened, params, byTime, place, moveTo]);
}
