/**
 * The table of events: any number of rows, of which only the visible ones are rendered. It is one tab stop; the
 * keyboard moves a cursor over the cells and the heading.
 *
 * TanStack Table keeps columns and their widths. Neither it nor TanStack Virtual gets the rows: both keep something
 * for each row, and there may be hundreds of millions; see row-scale.ts.
 */
import { useEffect, useId, useState, type CSSProperties, type KeyboardEvent } from 'react';
import { useSession, useView, useWorkspace } from '../../panel-api.ts';
import { SUMMARY } from '../../widgets/event-columns.ts';
import type { SearchedWords } from '../../widgets/query/searched-words.ts';
import { STRIPES, tracksOf, type EventColumn } from './columns/event-column.ts';
import { cellOf, EventRow, ROW_HEIGHT, type TagColors, type TimeStyle } from './event-row.tsx';
import css from './events.module.css';
import { actionOf, type GridAction } from './grid-keys.ts';
import { HeadingRow } from './columns/heading-row.tsx';
import { newDays } from './rows/new-days.ts';
import { nextSort, type HeadingSort } from './columns/next-sort.ts';
import { useCellMenu } from './use-cell-menu.ts';
import type { EventList } from './rows/use-event-list.ts';
import { useColumnCharacters } from './columns/use-column-characters.ts';
import { useColumnSizes } from './columns/use-column-sizes.ts';
import { useFoundTexts } from './use-found-texts.ts';
import { useGridCursor, type Cursor, type GridCursor } from './use-grid-cursor.ts';
import { useRowWindow, type RowWindow } from './rows/use-row-window.ts';

const HEADING = ROW_HEIGHT;
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

const BY_TIME: HeadingSort = { field: 'ts', descending: false };

export function EventGrid(props: Props) {
  const { list, columns } = props;
  const { pages } = list;
  const { views } = useWorkspace();
  const { sort } = useView();
  const id = useId();
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const control = useRowWindow(scroller, pages.rows, ROW_HEIGHT, HEADING);
  const { headers, sizing, widen } = useColumnSizes(columns, props.sizes, props.onSizes);
  const { tracks, least } = tracksOf(columns, sizing);
  const widths = useColumnCharacters(scroller, columns, tracks);
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--columns': tracks,
    '--least-width': `${least + STRIPES}px`,
  };
  const { first, end, direction } = control.window;
  useEffect(() => {
    pages.want(first, end, direction);
  }, [pages, first, end, direction]);

  const grid = useGridCursor(list, columns.length, control);
  const { cursor, marking } = grid;
  const inHeading = cursor.row < 0;
  const cellId = inHeading ? `${id}-h${cursor.column}` : `${id}-r${cursor.row}-${cursor.column}`;
  const cellMenu = useCellMenu({ pages, columns, scroller, cellId, cursor, onPoint: grid.point });

  const sortBy = (name: string): void => {
    if (name !== SUMMARY) views.show({ sort: nextSort(name, sort) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || cellMenu.opened) return;
    const name = columns[cursor.column]?.name ?? SUMMARY;
    const heading = { sort: () => sortBy(name), widen: (by: number) => widen(cursor.column, by) };
    const isUsed = grid.move(event) || act(event, grid, cellMenu.openAtCursor, heading);
    if (isUsed) event.preventDefault();
  };

  return (
    <>
      <div
        ref={setScroller}
        role="grid"
        aria-label="Events"
        aria-rowcount={pages.rows + 1}
        aria-colcount={columns.length}
        aria-multiselectable
        aria-activedescendant={cellId}
        aria-busy={list.stale || undefined}
        tabIndex={0}
        className={list.stale ? `${css['scroller']} ${css['stale']}` : css['scroller']}
        style={style}
        onClick={grid.onClick}
        onContextMenu={cellMenu.onContextMenu}
        onKeyDown={onKeyDown}
      >
        <HeadingRow
          id={id}
          headers={headers}
          columns={columns}
          sort={sort ?? BY_TIME}
          times={props.timeHeading}
          cursor={inHeading ? cursor.column : undefined}
          onSort={sortBy}
        />
        <GridRows
          {...props}
          id={id}
          shown={control.window}
          widths={widths}
          marksDays={(sort ?? BY_TIME).field === 'ts' && props.times.date !== 'none'}
          markedEvents={marking.markedEvents}
          cursor={cursor}
        />
      </div>
      {cellMenu.menu}
    </>
  );
}

/** Actions of a column's heading. */
interface HeadingActions {
  sort(): void;
  widen(by: number): void;
}

/** Whether a key does something at the cursor. */
function act(
  event: KeyboardEvent,
  { cursor, marking, showDetails }: GridCursor,
  openMenu: () => void,
  heading: HeadingActions,
): boolean {
  const action = actionOf(event, cursor.row < 0, marking.markedEvents.size > 0);
  if (action === undefined) return false;
  const actions: Readonly<Record<GridAction, () => void>> = {
    menu: openMenu,
    unmark: () => marking.marked.clear(),
    sort: heading.sort,
    widen: () => heading.widen(WIDER),
    narrow: () => heading.widen(-WIDER),
    details: () => showDetails(cursor.row),
    bookmark: marking.toggleBookmark,
    tag: marking.tagThem,
  };
  actions[action]();
  return true;
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
  const drawn = Array.from({ length: Math.max(0, end - first) }, (_, i) => {
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
  return (
    <div role="rowgroup" className={css['rows']} style={{ height: shown.height }}>
      <div
        role="presentation"
        className={css['layer']}
        style={{ transform: `translateY(${shown.offset}px)` }}
      >
        {drawn}
      </div>
    </div>
  );
}
