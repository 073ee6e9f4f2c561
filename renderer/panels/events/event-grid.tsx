/**
 * The table of events: any number of rows, those drawn that are seen. One tab stop; the keyboard moves
 * a cursor over cells and the heading.
 *
 * TanStack Table keeps columns and their widths. Rows are not given to it, nor to TanStack Virtual: both
 * keep something for each row, and there may be hundreds of millions; see row-scale.ts.
 */
import {
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
} from 'react';
import { useSession, useView, useWorkspace } from '../../panel-api.ts';
import { SUMMARY } from '../../widgets/event-columns.ts';
import type { SearchedWords } from '../../widgets/searched-words.ts';
import { flowTerm, useValueMenu, type ValueTarget } from '../../widgets/value-menu.tsx';
import { STRIPES, tracksOf, type EventColumn } from './event-column.ts';
import { cellOf, EventRow, ROW_HEIGHT, type TagColors, type TimeStyle } from './event-row.tsx';
import css from './events.module.css';
import { HeadingRow } from './heading-row.tsx';
import { newDays } from './new-days.ts';
import { nextSort, type HeadingSort } from './next-sort.ts';
import type { Page } from './page-cache.ts';
import type { EventList } from './use-event-list.ts';
import { useColumnCharacters } from './use-column-characters.ts';
import { useColumnSizes } from './use-column-sizes.ts';
import { useFoundTexts } from './use-found-texts.ts';
import { useMarking } from './use-marking.ts';
import { useRowWindow, type RowWindow } from './use-row-window.ts';
import { useStayWhenReopened } from './use-stay-when-reopened.ts';

const HEADING = ROW_HEIGHT;
/** Moving through rows by a held key asks for details only where it rests. */
const DETAILS_MS = 90;
/** Pixels by which a key makes a column wider. */
const WIDER = 12;

interface Props {
  readonly list: EventList;
  readonly columns: readonly EventColumn[];
  readonly sizes: Readonly<Record<string, number>>;
  readonly onSizes: (sizes: Readonly<Record<string, number>>) => void;
  readonly times: TimeStyle;
  /** Day and zone in the heading of the times. */
  readonly timeHeading: string;
  readonly tags: TagColors;
  readonly words: SearchedWords | undefined;
}

/** Row -1 is the heading. */
interface Cursor {
  readonly row: number;
  readonly column: number;
}

export function EventGrid(props: Props) {
  const { list, columns, sizes, onSizes, times } = props;
  const { views } = useWorkspace();
  const { sort } = useView();
  const id = useId();
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const { pages } = list;
  const rows = pages.rows;
  const control = useRowWindow(scroller, rows, ROW_HEIGHT, HEADING);
  const { window: shown, perPage, see, moveTo, place } = control;
  const [asked, setCursor] = useState<Cursor>({ row: 0, column: 0 });
  // Another list may have fewer columns.
  const cursor = { ...asked, column: Math.min(asked.column, columns.length - 1) };
  const anchor = useRef(0);
  const valueMenu = useValueMenu();

  // -- columns ---------------------------------------------------------------------------------
  const { headers, sizing, resize } = useColumnSizes(columns, sizes, onSizes);
  const { tracks, least } = tracksOf(columns, sizing);
  const widths = useColumnCharacters(scroller, columns, tracks);
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--columns': tracks,
    '--least-width': `${least + STRIPES}px`,
  };

  // -- rows ------------------------------------------------------------------------------------
  const { first, end, direction } = shown;
  useEffect(() => {
    pages.want(first, end, direction);
  }, [pages, first, end, direction]);

  const eventAt = useCallback(
    (row: number): string | undefined => {
      const found = cellOf(pages.page(row), row, 'event_id');
      return typeof found === 'string' ? found : undefined;
    },
    [pages],
  );

  const { marked, markedEvents, markRange, tagThem, toggleBookmark } = useMarking({
    list,
    eventAt,
    anchor,
    row: cursor.row,
  });

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

  const showDetails = useDetails(eventAt, list.question);

  // -- pointing and keys -----------------------------------------------------------------------
  const openMenu = (at: Cursor, x: number, y: number): void => {
    const column = columns[at.column];
    const page = pages.page(at.row);
    if (column === undefined || page === undefined) return;
    valueMenu.open(valueTarget(page, at.row, column), { x, y });
  };
  const openMenuAtCursor = (): void => {
    if (cursor.row < 0) return;
    const element = document.getElementById(`${id}-r${cursor.row}-${cursor.column}`);
    const box = (element ?? scroller)?.getBoundingClientRect();
    if (box !== undefined) openMenu(cursor, box.left + 20, box.top + ROW_HEIGHT);
  };

  const onClick = (event: MouseEvent): void => {
    const at = cursorAt(event);
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
    const at = cursorAt(event);
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
  const goTo = (row: number, isRange: boolean): void => {
    const next = Math.min(Math.max(row, isRange ? 0 : -1), rows - 1);
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
  /** Whether the key does something where the cursor is. */
  const act = (event: KeyboardEvent, held: boolean): boolean => {
    const { row, column } = cursor;
    const name = columns[column]?.name;
    const isMenu = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
    if (isMenu) openMenuAtCursor();
    else if (event.key === 'Escape' && markedEvents.size > 0) marked.clear();
    else if (row < 0 && event.key === 'Enter') sortBy(name ?? SUMMARY);
    else if (row < 0 && (event.key === '+' || event.key === '-')) {
      const width = sizing[name ?? ''] ?? columns[column]?.width;
      if (name !== undefined && width !== undefined)
        resize(name, width + (event.key === '+' ? WIDER : -WIDER));
    } else if (event.key === 'Enter') showDetails(row);
    else if (row >= 0 && event.key === ' ') toggleBookmark();
    else if (row >= 0 && event.key === 't' && !held) tagThem();
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || valueMenu.opened) return;
    const held = event.ctrlKey || event.metaKey;
    const row = nextRow(event.key, held, cursor.row, perPage, rows);
    const column = held ? undefined : nextColumn(event.key, cursor.column, columns.length);
    if (row !== undefined) goTo(row, event.shiftKey);
    else if (column !== undefined) setCursor({ row: cursor.row, column });
    else if (!act(event, held)) return;
    event.preventDefault();
  };

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
          times={props.timeHeading}
          cursor={cursor.row < 0 ? cursor.column : undefined}
          onSort={sortBy}
        />
        <div role="rowgroup" className={css['rows']} style={{ height: shown.height }}>
          <div
            role="presentation"
            className={css['layer']}
            style={{ transform: `translateY(${shown.offset}px)` }}
          >
            <GridRows
              {...props}
              id={id}
              shown={shown}
              widths={widths}
              marksDays={headingSort.field === 'ts' && times.date !== 'none'}
              markedEvents={markedEvents}
              cursor={cursor}
            />
          </div>
        </div>
      </div>
      {valueMenu.menu}
    </>
  );
}

/** The rows that are seen, and one for each new day among them. */
function GridRows({
  id,
  list,
  columns,
  times,
  tags,
  words,
  shown,
  widths,
  marksDays,
  markedEvents,
  cursor,
}: Props & {
  readonly id: string;
  readonly shown: RowWindow;
  readonly widths: readonly number[];
  readonly marksDays: boolean;
  readonly markedEvents: ReadonlySet<string>;
  readonly cursor: Cursor;
}) {
  const selected = useSession((session) => session.selected);
  const { pages } = list;
  const { first, end, base } = shown;
  const timeOf = (row: number): number | undefined => {
    const ts = cellOf(pages.page(row), row, 'ts');
    return typeof ts === 'number' ? ts : undefined;
  };
  const foundIn = useFoundTexts({ list, columns, words, widths, first, end });
  const dayStarts = marksDays ? newDays(first, end, timeOf, times.zone) : undefined;
  return Array.from({ length: Math.max(0, end - first) }, (_, i) => {
    const row = first + i;
    const page = pages.page(row);
    const event = cellOf(page, row, 'event_id');
    const known = typeof event === 'string';
    return (
      <EventRow
        key={row}
        id={`${id}-r${row}`}
        row={row}
        top={row * ROW_HEIGHT - base}
        page={page}
        columns={columns}
        times={times}
        newDay={dayStarts?.has(row) === true}
        tags={tags}
        words={words}
        found={foundIn(row)}
        current={known && event === selected}
        marked={known && markedEvents.has(event)}
        cursor={cursor.row === row ? cursor.column : undefined}
      />
    );
  });
}

/** Selects the event of a row for the details, at once or when the cursor rests; one that is not there yet, when it comes. */
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

/** Subject of the menu of a cell. */
function valueTarget(page: Page, row: number, { name }: EventColumn): ValueTarget {
  const value = (of: string) => cellOf(page, row, of) ?? null;
  const [ts, kind, event] = [value('ts'), value('kind'), value('event_id')];
  // A flow's or packet's summary is made of other fields; everything else is told by its message.
  const messageField = kind === 'flow' || kind === 'packet' ? undefined : 'message';
  return {
    field: name === SUMMARY ? messageField : name,
    value: value(name),
    ts: typeof ts === 'number' ? ts : undefined,
    event: typeof event === 'string' ? event : undefined,
    fiveTuple: flowTerm({
      ...{ src_ip: value('src_ip'), src_port: value('src_port') },
      ...{ dst_ip: value('dst_ip'), dst_port: value('dst_port'), proto: value('proto') },
    }),
  };
}

/** The cell that the pointer is on. */
function cursorAt(event: MouseEvent): Cursor | undefined {
  if (!(event.target instanceof Element)) return undefined;
  const row = event.target.closest<HTMLElement>('[data-row]')?.dataset['row'];
  if (row === undefined) return undefined;
  const column = event.target.closest<HTMLElement>('[data-column]')?.dataset['column'];
  return { row: Number(row), column: Number(column ?? 0) };
}

/** The row that a key leads to; undefined: it is no such key. */
function nextRow(
  key: string,
  held: boolean,
  row: number,
  perPage: number,
  rows: number,
): number | undefined {
  if (key === 'End') return rows - 1;
  if (key === 'Home') return held || row >= 0 ? 0 : undefined;
  if (held) return undefined;
  if (key === 'ArrowDown') return row + 1;
  if (key === 'ArrowUp') return row - 1;
  if (key === 'PageDown') return row + perPage;
  return key === 'PageUp' ? Math.max(0, row - perPage) : undefined;
}

function nextColumn(key: string, column: number, columns: number): number | undefined {
  if (key === 'ArrowRight') return Math.min(columns - 1, column + 1);
  return key === 'ArrowLeft' ? Math.max(0, column - 1) : undefined;
}
