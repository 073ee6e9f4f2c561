/** Keeps the table's scroll position while the case changes. */
import { useEffect, useRef } from 'react';
import { useWorkspace } from '../../../panel-api.ts';
import { cellOf, ROW_HEIGHT } from '../event-row.tsx';
import { findEvent, type Known } from '../find-event.ts';
import type { EventList } from './use-event-list.ts';

/**
 * Keeps the same events in view when the list was reopened because the case changed: the first event in view is
 * located in the new list. `onMoved` gets the number of rows by which it moved.
 */
export function useStayWhenReopened(
  list: EventList,
  byTime: boolean,
  place: () => { readonly top: number },
  moveTo: (top: number) => void,
  onMoved: (rows: number) => void,
): void {
  const { connection } = useWorkspace();
  const before = useRef(list);
  // Lists may arrive faster than events are located: then the next list is searched for the same event.
  const wanted = useRef<{ readonly row: number; readonly known: Known }>(undefined);
  const latest = useRef({ list, place, moveTo, onMoved });
  latest.current = { list, place, moveTo, onMoved };
  const { key } = list;

  useEffect(() => {
    const now = latest.current;
    const last = before.current;
    before.current = now.list;
    const { question, opened, params } = now.list;
    const row = Math.floor(now.place().top / ROW_HEIGHT);
    if (wanted.current?.row !== row) wanted.current = undefined;
    if (last.key === key || last.question !== question || !byTime || row === 0) {
      wanted.current = undefined;
      return undefined;
    }
    if (wanted.current === undefined) {
      const page = last.pages.page(row);
      const event = cellOf(page, row, 'event_id');
      const ts = cellOf(page, row, 'ts');
      if (typeof event === 'string' && typeof ts === 'number') {
        wanted.current = { row, known: { event, ts } };
      }
    }
    const asked = wanted.current;
    if (asked === undefined || opened === undefined || params === undefined) return undefined;
    const controller = new AbortController();
    const at = { case: params.case, result: opened.result };
    findEvent(connection, at, asked.known, controller.signal).then(
      (found) => {
        if (controller.signal.aborted) return;
        wanted.current = undefined;
        const { top } = latest.current.place();
        // If the user scrolled meanwhile, their position counts.
        if (found === row || Math.floor(top / ROW_HEIGHT) !== row) return;
        latest.current.moveTo(top + (found - row) * ROW_HEIGHT);
        latest.current.onMoved(found - row);
      },
      // Staying in place is a convenience; reading the list's rows reports any error.
      () => undefined,
    );
    return () => controller.abort();
  }, [connection, key, byTime]);
}
