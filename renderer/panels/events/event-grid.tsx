/**
 * The table of events: any number of rows, those drawn that are seen. One tab stop; the keyboard moves
 * a cursor over cells and the heading.
 *
 * TanStack Table keeps columns and their widths. Rows are not given to it, nor to TanStack Virtual: both
 * keep something for each row, and there may be hundreds of millions; see row-scale.ts.
 */
import {
  columnResizingFeature,
  columnSizingFeature,
  tableFeatures,
  useTable,
  type ColumnSizingState,
} from '@tanstack/react-table';
import {
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
} from 'react';
import { useStore } from 'zustand';
import {
  notifyError,
  useCommands,
  useSession,
  useView,
  useWorkspace,
  type Command,
} from '../../panel-api.ts';
import { SUMMARY } from '../../widgets/event-columns.ts';
import { flowTerm, useValueMenu, type ValueTarget } from '../../widgets/value-menu.tsx';
import { tracksOf, type EventColumn } from './event-column.ts';
import { cellOf, EventRow, ROW_HEIGHT, type TagColors, type TimeStyle } from './event-row.tsx';
import css from './events.module.css';
import { findEvent, type Known } from './find-event.ts';
import { HeadingRow, type HeadingSort } from './heading-row.tsx';
import { createMarkedEvents, MOST_MARKED } from './marked-events.ts';
import { idsOfRows } from './row-ids.ts';
import type { EventList } from './use-event-list.ts';
import { useRowWindow } from './use-row-window.ts';

const HEADING = ROW_HEIGHT;
const SMALLEST = 36;
/** Width of the tags' colours. */
const STRIPES = 14;
/** Moving through rows by a held key asks for details only where it rests. */
const DETAILS_MS = 90;
const BOOKMARK = 'bookmark';

const features = tableFeatures({ columnSizingFeature, columnResizingFeature });
const NO_ROWS: never[] = [];

interface Props {
  readonly list: EventList;
  readonly columns: readonly EventColumn[];
  readonly sizes: Readonly<Record<string, number>>;
  readonly onSizes: (sizes: Readonly<Record<string, number>>) => void;
  readonly times: TimeStyle;
  readonly tags: TagColors;
  readonly words: RegExp | undefined;
}

/** Row -1 is the heading. */
interface Cursor {
  readonly row: number;
  readonly column: number;
}

export function EventGrid({ list, columns, sizes, onSizes, times, tags, words }: Props) {
  const workspace = useWorkspace();
  const { connection, dialogs, views } = workspace;
  const { sort } = useView();
  const selected = useSession((session) => session.selected);
  const readOnly = useSession((session) => session.openCase?.readOnly === true);
  const id = useId();
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const { pages } = list;
  const rows = pages.rows;
  const control = useRowWindow(scroller, rows, ROW_HEIGHT, HEADING);
  const { window: shown, perPage, see, moveTo, place } = control;
  const [cursor, setCursor] = useState<Cursor>({ row: 0, column: 0 });
  const anchor = useRef(0);
  const [marked] = useState(createMarkedEvents);
  const markedEvents = useStore(marked.store, ({ events }) => events);
  const valueMenu = useValueMenu();

  // -- columns ---------------------------------------------------------------------------------
  const [sizing, setSizing] = useState<ColumnSizingState>(sizes);
  const definitions = useMemo(
    () =>
      columns.map(({ name, width }) => ({
        id: name,
        accessorFn: () => '',
        size: width,
        minSize: SMALLEST,
      })),
    [columns],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: NO_ROWS,
    columnResizeMode: 'onChange',
    state: { columnSizing: sizing },
    onColumnSizingChange: setSizing,
  });
  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  const kept = useRef(sizing);
  const resizing = table.state.columnResizing.isResizingColumn !== false;
  useEffect(() => {
    if (resizing || kept.current === sizing) return;
    kept.current = sizing;
    onSizes(sizing);
  }, [resizing, sizing, onSizes]);
  const widths = columns.map(({ name, width }) => sizing[name] ?? width);
  const { tracks, least } = tracksOf(columns, sizing);
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--columns': tracks,
    '--least-width': `${least + STRIPES}px`,
  };

  // -- rows ------------------------------------------------------------------------------------
  const { first, end, direction } = shown;
  useEffect(() => {
    pages.want(first, end, direction);
  }, [pages, first, end, direction]);

  const question = useRef(list.question);
  useLayoutEffect(() => {
    if (question.current === list.question) return;
    question.current = list.question;
    marked.clear();
    anchor.current = 0;
    setCursor(({ column }) => ({ row: 0, column }));
    moveTo(0);
  }, [list.question, marked, moveTo]);

  useStayWhenReopened(list, sort === undefined || sort.field === 'ts', place, moveTo, (moved) => {
    anchor.current = Math.max(0, anchor.current + moved);
    setCursor((now) => (now.row < 0 ? now : { ...now, row: Math.max(0, now.row + moved) }));
  });

  const eventAt = useCallback(
    (row: number): string | undefined => {
      const found = cellOf(pages.page(row), row, 'event_id');
      return typeof found === 'string' ? found : undefined;
    },
    [pages],
  );

  // -- selection -------------------------------------------------------------------------------
  const details = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(details.current), []);
  const showDetails = useCallback(
    (row: number, soon = false) => {
      clearTimeout(details.current);
      const show = (): void => {
        const event = eventAt(row);
        if (event !== undefined) workspace.select(event);
      };
      if (soon) details.current = setTimeout(show, DETAILS_MS);
      else show();
    },
    [eventAt, workspace],
  );
  const range = useRef<AbortController>(undefined);
  const markRange = useCallback(
    (to: number) => {
      const [low, high] = to < anchor.current ? [to, anchor.current] : [anchor.current, to];
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
      const at = { case: list.params?.case, result: list.opened?.result };
      idsOfRows(connection, at, eventAt, low, high + 1, controller.signal).then(
        (events) => {
          if (!controller.signal.aborted) marked.set(events);
        },
        (error: unknown) => notifyError(error),
      );
    },
    [connection, list.params, list.opened, eventAt, marked],
  );

  const targets = useCallback((): string[] => {
    if (markedEvents.size > 0) return [...markedEvents];
    const event = eventAt(cursor.row) ?? selected;
    return event === undefined ? [] : [event];
  }, [markedEvents, eventAt, cursor.row, selected]);
  const tagThem = useCallback(() => {
    const events = targets();
    if (events.length > 0) dialogs.open({ dialog: 'tag', events });
  }, [targets, dialogs]);
  const toggleBookmark = useCallback(() => {
    const events = targets();
    const path = list.params?.case;
    if (events.length === 0 || path === undefined || readOnly) return;
    const tagsNow = cellOf(pages.page(cursor.row), cursor.row, 'tags');
    const remove = typeof tagsNow === 'string' && tagsNow.split(',').includes(BOOKMARK);
    connection
      .call('tag.set', { case: path, name: BOOKMARK, remove, target: { events } })
      .catch((error: unknown) => notifyError(error, 'Not bookmarked'));
  }, [targets, list.params, readOnly, pages, cursor.row, connection]);

  const commands = useMemo((): Command[] => {
    const disabled = readOnly ? 'the case is open for reading only' : undefined;
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

  // -- pointing and keys -----------------------------------------------------------------------
  const targetOf = (row: number, column: number): ValueTarget | undefined => {
    const definition = columns[column];
    const page = pages.page(row);
    if (definition === undefined || page === undefined) return undefined;
    const value = (name: string) => cellOf(page, row, name) ?? null;
    const ts = value('ts');
    const kind = value('kind');
    // A flow's or packet's summary is made of other fields; everything else is told by its message.
    const told = kind === 'flow' || kind === 'packet' ? undefined : 'message';
    return {
      field: definition.name === SUMMARY ? told : definition.name,
      value: value(definition.name),
      ts: typeof ts === 'number' ? ts : undefined,
      event: eventAt(row),
      fiveTuple: flowTerm({
        ...{ src_ip: value('src_ip'), src_port: value('src_port') },
        ...{ dst_ip: value('dst_ip'), dst_port: value('dst_port'), proto: value('proto') },
      }),
    };
  };
  const openMenu = (at: Cursor, x: number, y: number): void => {
    const target = targetOf(at.row, at.column);
    if (target !== undefined) valueMenu.open(target, { x, y });
  };
  const openMenuAtCursor = (): void => {
    if (cursor.row < 0) return;
    const element = document.getElementById(`${id}-r${cursor.row}-${cursor.column}`);
    const box = (element ?? scroller)?.getBoundingClientRect();
    if (box !== undefined) openMenu(cursor, box.left + 20, box.top + ROW_HEIGHT);
  };

  const pointed = (event: MouseEvent): Cursor | undefined => {
    if (!(event.target instanceof Element)) return undefined;
    const row = event.target.closest<HTMLElement>('[data-row]')?.dataset['row'];
    if (row === undefined) return undefined;
    const column = event.target.closest<HTMLElement>('[data-column]')?.dataset['column'];
    return { row: Number(row), column: Number(column ?? 0) };
  };
  const onClick = (event: MouseEvent): void => {
    const at = pointed(event);
    if (at === undefined) return;
    setCursor(at);
    if (event.shiftKey) {
      markRange(at.row);
      return;
    }
    anchor.current = at.row;
    if (event.ctrlKey || event.metaKey) {
      const found = eventAt(at.row);
      if (found !== undefined) marked.toggle(found);
      return;
    }
    marked.clear();
    showDetails(at.row);
  };
  const onContextMenu = (event: MouseEvent): void => {
    const at = pointed(event);
    if (at === undefined) {
      // The context-menu key points at nothing.
      if (event.target !== scroller) return;
      event.preventDefault();
      openMenuAtCursor();
      return;
    }
    event.preventDefault();
    setCursor(at);
    anchor.current = at.row;
    showDetails(at.row);
    openMenu(at, event.clientX, event.clientY);
  };

  const sortBy = (name: string): void => {
    if (name === SUMMARY) return;
    views.show({ sort: nextSort(name, sort) });
  };
  const goTo = (row: number, event: KeyboardEvent): void => {
    const next = Math.min(Math.max(row, event.shiftKey ? 0 : -1), rows - 1);
    setCursor((now) => ({ ...now, row: next }));
    if (next < 0) return;
    see(next);
    if (event.shiftKey) markRange(next);
    else {
      anchor.current = next;
      marked.clear();
    }
    showDetails(next, true);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || valueMenu.opened) return;
    const held = event.ctrlKey || event.metaKey;
    const { row, column } = cursor;
    const move: Partial<Record<string, number>> = {
      ArrowDown: row + 1,
      ArrowUp: row - 1,
      PageDown: row + perPage,
      PageUp: Math.max(0, row - perPage),
    };
    const to = held ? undefined : move[event.key];
    const step = columns.length - 1;
    if (to !== undefined) goTo(to, event);
    else if (event.key === 'Home' && (held || row >= 0)) goTo(0, event);
    else if (event.key === 'End') goTo(rows - 1, event);
    else if (event.key === 'ArrowRight' && !held)
      setCursor({ row, column: Math.min(step, column + 1) });
    else if (event.key === 'ArrowLeft' && !held)
      setCursor({ row, column: Math.max(0, column - 1) });
    else if (event.key === 'Enter' && row < 0) sortBy(columns[column]?.name ?? SUMMARY);
    else if (event.key === 'Enter') showDetails(row);
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))
      openMenuAtCursor();
    else if (event.key === 'Escape' && markedEvents.size > 0) marked.clear();
    else if (event.key === ' ' && row >= 0) toggleBookmark();
    else if (event.key === 't' && !held && row >= 0) tagThem();
    else if (row < 0 && (event.key === '+' || event.key === '-')) {
      const name = columns[column]?.name;
      const width = widths[column];
      if (name !== undefined && width !== undefined) {
        const next = Math.max(SMALLEST, width + (event.key === '+' ? 12 : -12));
        setSizing((now) => ({ ...now, [name]: next }));
      }
    } else return;
    event.preventDefault();
  };

  const visible: number[] = [];
  for (let row = first; row < end; row++) visible.push(row);
  const headingSort: HeadingSort = sort ?? { field: 'ts', descending: false };
  return (
    <>
      <div
        ref={setScroller}
        role="grid"
        aria-label="Events"
        aria-rowcount={rows + 1}
        aria-colcount={columns.length}
        aria-multiselectable
        aria-activedescendant={
          cursor.row < 0 ? `${id}-h${cursor.column}` : `${id}-r${cursor.row}-${cursor.column}`
        }
        aria-busy={list.stale || undefined}
        tabIndex={0}
        className={list.stale ? `${css['scroller']} ${css['stale']}` : css['scroller']}
        style={style}
        onClick={onClick}
        onContextMenu={onContextMenu}
        onKeyDown={onKeyDown}
      >
        <HeadingRow
          id={id}
          headers={headers}
          columns={columns}
          sort={headingSort}
          cursor={cursor.row < 0 ? cursor.column : undefined}
          onSort={sortBy}
        />
        <div role="rowgroup" className={css['rows']} style={{ height: shown.height }}>
          <div
            role="presentation"
            className={css['layer']}
            style={{ transform: `translateY(${shown.offset}px)` }}
          >
            {visible.map((row) => {
              const page = pages.page(row);
              const event = cellOf(page, row, 'event_id');
              const known = typeof event === 'string';
              return (
                <EventRow
                  key={row}
                  id={`${id}-r${row}`}
                  row={row}
                  top={row * ROW_HEIGHT - shown.base}
                  page={page}
                  columns={columns}
                  times={times}
                  tags={tags}
                  words={words}
                  current={known && event === selected}
                  marked={known && markedEvents.has(event)}
                  cursor={cursor.row === row ? cursor.column : undefined}
                />
              );
            })}
          </div>
        </div>
      </div>
      {valueMenu.menu}
    </>
  );
}

/** By time: newest first, then oldest first again. By another field: up, down, by time again. */
function nextSort(
  name: string,
  sort: { readonly field: string; readonly descending: boolean } | undefined,
) {
  if (name === 'ts') {
    const oldestFirst = sort === undefined || (sort.field === 'ts' && !sort.descending);
    return oldestFirst ? { field: 'ts', descending: true } : undefined;
  }
  if (sort?.field !== name) return { field: name, descending: false };
  return sort.descending ? undefined : { field: name, descending: true };
}

/**
 * Keeps the same events in sight when the list was opened again because the case changed: the first
 * seen event is looked for in the new list.
 */
function useStayWhenReopened(
  list: EventList,
  byTime: boolean,
  place: () => { readonly top: number },
  moveTo: (top: number) => void,
  onMoved: (rows: number) => void,
): void {
  const { connection } = useWorkspace();
  const before = useRef<{ readonly question: string; readonly key: number } | undefined>(undefined);
  const seen = useRef<{ readonly key: number; readonly row: number; readonly known: Known }>(
    undefined,
  );
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
    if (known === undefined) {
      seen.current = undefined;
      return undefined;
    }
    seen.current = { key, row, known };
    if (!reopened || !byTime || opened === undefined || params === undefined) return undefined;
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
