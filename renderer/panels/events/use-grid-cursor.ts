/** The cursor of the table and what moves with it: the anchor of a range, the marks, the event in the details. */
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
} from 'react';
import { useView, useWorkspace } from '../../panel-api.ts';
import { cellOf } from './event-row.tsx';
import { nextColumn, nextRow } from './grid-keys.ts';
import type { PageCache } from './rows/page-cache.ts';
import type { EventList } from './rows/use-event-list.ts';
import { useMarking } from './use-marking.ts';
import type { RowWindowControl } from './rows/use-row-window.ts';
import { useStayWhenReopened } from './rows/use-stay-when-reopened.ts';

/** While a key is held down, details are requested only once the cursor rests. */
const DETAILS_MS = 90;

/** Row -1 is the heading. */
export interface Cursor {
  readonly row: number;
  readonly column: number;
}

export function useGridCursor(list: EventList, columns: number, control: RowWindowControl) {
  const { sort } = useView();
  const { pages, question } = list;
  const { perPage, see, moveTo, place } = control;
  const [asked, setCursor] = useState<Cursor>({ row: 0, column: 0 });
  // Another list may have fewer columns.
  const cursor = { ...asked, column: Math.min(asked.column, columns - 1) };
  const anchor = useRef(0);

  const eventAt = useCallback((row: number) => eventIdAt(pages, row), [pages]);
  const marking = useMarking({ list, eventAt, anchor, row: cursor.row });
  const { marked, markRange } = marking;

  const before = useRef(question);
  useLayoutEffect(() => {
    if (before.current === question) return;
    before.current = question;
    marked.clear();
    anchor.current = 0;
    setCursor(({ column }) => ({ row: 0, column }));
    moveTo(0);
  }, [question, marked, moveTo]);

  useStayWhenReopened(list, sort === undefined || sort.field === 'ts', place, moveTo, (moved) => {
    anchor.current = Math.max(0, anchor.current + moved);
    setCursor((now) => (now.row < 0 ? now : { ...now, row: Math.max(0, now.row + moved) }));
  });

  const showDetails = useDetails(eventAt, question);

  /** Goes to a cell and shows its event. */
  const point = (at: Cursor): void => {
    setCursor(at);
    anchor.current = at.row;
    showDetails(at.row);
  };
  const onClick = (event: MouseEvent): void => {
    const at = cursorAt(event);
    if (at === undefined) return;
    if (event.shiftKey) {
      setCursor(at);
      markRange(at.row);
    } else if (event.ctrlKey || event.metaKey) {
      setCursor(at);
      anchor.current = at.row;
      const found = eventAt(at.row);
      if (found !== undefined) marked.toggle(found);
    } else {
      marked.clear();
      point(at);
    }
  };
  const goTo = (row: number, isRange: boolean): void => {
    const next = Math.min(Math.max(row, isRange ? 0 : -1), pages.rows - 1);
    setCursor((now) => ({ ...now, row: next }));
    if (next < 0) return;
    see(next);
    if (isRange) markRange(next);
    else {
      anchor.current = next;
      marked.clear();
    }
    showDetails(next, true);
  };
  /** Whether a key moves the cursor. */
  const move = (event: KeyboardEvent): boolean => {
    const held = event.ctrlKey || event.metaKey;
    const row = nextRow(event.key, held, cursor.row, perPage, pages.rows);
    const column = held ? undefined : nextColumn(event.key, cursor.column, columns);
    if (row !== undefined) goTo(row, event.shiftKey);
    else if (column !== undefined) setCursor({ row: cursor.row, column });
    return (row ?? column) !== undefined;
  };
  return { cursor, marking, showDetails, point, onClick, move };
}

export type GridCursor = ReturnType<typeof useGridCursor>;

function eventIdAt(pages: PageCache, row: number): string | undefined {
  const found = cellOf(pages.page(row), row, 'event_id');
  return typeof found === 'string' ? found : undefined;
}

/** The cell that the pointer is on. */
export function cursorAt(event: MouseEvent): Cursor | undefined {
  if (!(event.target instanceof Element)) return undefined;
  const row = event.target.closest<HTMLElement>('[data-row]')?.dataset['row'];
  if (row === undefined) return undefined;
  const column = event.target.closest<HTMLElement>('[data-column]')?.dataset['column'];
  return { row: Number(row), column: Number(column ?? 0) };
}

/**
 * Shows the event of a row in the details, at once or when the cursor rests; if it is not loaded yet, once it is.
 */
function useDetails(eventAt: (row: number) => string | undefined, question: string) {
  const workspace = useWorkspace();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const wanted = useRef<number>(undefined);
  // Rows of another question are other events.
  useEffect(() => {
    wanted.current = undefined;
  }, [question]);
  useEffect(() => {
    const event = wanted.current === undefined ? undefined : eventAt(wanted.current);
    if (event === undefined) return;
    wanted.current = undefined;
    workspace.select(event);
  });
  return useCallback(
    (row: number, soon = false) => {
      clearTimeout(timer.current);
      const show = (): void => {
        const event = eventAt(row);
        wanted.current = event === undefined ? row : undefined;
        if (event !== undefined) workspace.select(event);
      };
      if (soon) timer.current = setTimeout(show, DETAILS_MS);
      else show();
    },
    [eventAt, workspace],
  );
}
