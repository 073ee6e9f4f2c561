/** Events that are marked together, and the actions on them: tagging, bookmarking. */
import { useCallback, useMemo, useRef, useState, type RefObject } from 'react';
import { useStore } from 'zustand';
import { OperationError } from '../../../engine/contract/wire/client.ts';
import {
  notifyError,
  useCommands,
  useSession,
  useWorkspace,
  type Command,
} from '../../panel-api.ts';
import { cellOf } from './event-row.tsx';
import { createMarkedEvents, MOST_MARKED } from './marked-events.ts';
import { idsOfRows } from './rows/row-ids.ts';
import type { EventList } from './rows/use-event-list.ts';

const BOOKMARK = 'bookmark';
const READ_ONLY = new OperationError({
  code: 'unreadable',
  message: 'the case is open read-only',
  hint: 'copy its folder to where you may write, and open it there',
});

interface Options {
  readonly list: EventList;
  /** The id of a row's event, if the row is there. */
  readonly eventAt: (row: number) => string | undefined;
  /** First row of a range. */
  readonly anchor: RefObject<number>;
  /** Row with the keyboard cursor. */
  readonly row: number;
}

export function useMarking({ list, eventAt, anchor, row }: Options) {
  const { connection, dialogs } = useWorkspace();
  const selected = useSession((session) => session.selected);
  const readOnly = useSession((session) => session.openCase?.readOnly === true);
  const [marked] = useState(createMarkedEvents);
  const markedEvents = useStore(marked.store, ({ events }) => events);
  const { pages, params, opened } = list;

  const range = useRef<AbortController>(undefined);
  const markRange = useCallback(
    (to: number) => {
      const low = Math.min(to, anchor.current);
      const high = Math.max(to, anchor.current);
      if (high - low >= MOST_MARKED) {
        notifyError(
          new Error(`that is more than ${MOST_MARKED} events; narrow the query and tag all`),
          'Too many events to mark',
        );
        return;
      }
      range.current?.abort();
      const controller = new AbortController();
      range.current = controller;
      const at = { case: params?.case, result: opened?.result };
      idsOfRows(connection, at, eventAt, low, high + 1, controller.signal).then(
        (events) => {
          if (!controller.signal.aborted) marked.set(events);
        },
        (error: unknown) => notifyError(error, 'The events cannot be marked'),
      );
    },
    [connection, params, opened, eventAt, marked, anchor],
  );

  /** The marked events, otherwise the one at the cursor. */
  const targets = useCallback((): string[] => {
    if (markedEvents.size > 0) return [...markedEvents];
    const event = eventAt(row) ?? selected;
    return event === undefined ? [] : [event];
  }, [markedEvents, eventAt, row, selected]);
  const tagThem = useCallback(() => {
    const events = targets();
    if (events.length === 0) return;
    if (readOnly) notifyError(READ_ONLY, 'Not tagged');
    else dialogs.open({ dialog: 'tag', events });
  }, [targets, dialogs, readOnly]);
  const toggleBookmark = useCallback(() => {
    const events = targets();
    const path = params?.case;
    if (events.length === 0 || path === undefined) return;
    if (readOnly) {
      notifyError(READ_ONLY, 'Not bookmarked');
      return;
    }
    const tags = cellOf(pages.page(row), row, 'tags');
    const remove = typeof tags === 'string' && tags.split(',').includes(BOOKMARK);
    connection
      .call('tag.set', { case: path, name: BOOKMARK, remove, target: { events } })
      .catch((error: unknown) => notifyError(error, 'Not bookmarked'));
  }, [targets, params, readOnly, pages, row, connection]);

  const commands = useMemo((): Command[] => {
    const disabled = readOnly ? 'the case is open read-only' : undefined;
    const group = 'Events';
    return [
      {
        ...{ id: 'events.tag-selected', title: 'Tag the selected events…', group, disabled },
        run: tagThem,
      },
      {
        ...{ id: 'events.bookmark', title: 'Bookmark the selected events', group, disabled },
        run: toggleBookmark,
      },
    ];
  }, [readOnly, tagThem, toggleBookmark]);
  useCommands(commands);
  return { marked, markedEvents, markRange, tagThem, toggleBookmark };
}
