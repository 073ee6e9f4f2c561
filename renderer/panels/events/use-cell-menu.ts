/** The menu of a cell's value, opened by the pointer or at the cursor. */
import type { MouseEvent } from 'react';
import { SUMMARY } from '../../widgets/event-columns.ts';
import {
  flowTerm,
  useValueMenu,
  type MenuPlace,
  type ValueTarget,
} from '../../widgets/value-menu.tsx';
import type { EventColumn } from './columns/event-column.ts';
import { cellOf, ROW_HEIGHT } from './event-row.tsx';
import type { Page, PageCache } from './rows/page-cache.ts';
import { cursorAt, type Cursor } from './use-grid-cursor.ts';

interface Options {
  readonly pages: PageCache;
  readonly columns: readonly EventColumn[];
  readonly scroller: HTMLElement | null;
  /** The element of the cursor's cell, if that is drawn. */
  readonly cellId: string;
  readonly cursor: Cursor;
  /** Called with the cell that was pointed at, before its menu opens. */
  readonly onPoint: (at: Cursor) => void;
}

export function useCellMenu({ pages, columns, scroller, cellId, cursor, onPoint }: Options) {
  const { open, menu, opened } = useValueMenu();
  const openFor = (at: Cursor, place: MenuPlace): void => {
    const column = columns[at.column];
    const page = pages.page(at.row);
    if (column === undefined || page === undefined) return;
    open(valueTarget(page, at.row, column), place);
  };
  const openAtCursor = (): void => {
    if (cursor.row < 0) return;
    const box = (document.getElementById(cellId) ?? scroller)?.getBoundingClientRect();
    if (box !== undefined) openFor(cursor, { x: box.left + 20, y: box.top + ROW_HEIGHT });
  };
  const onContextMenu = (event: MouseEvent): void => {
    const at = cursorAt(event);
    if (at === undefined) {
      // The context-menu key points at nothing.
      if (event.target !== scroller) return;
      event.preventDefault();
      openAtCursor();
      return;
    }
    event.preventDefault();
    onPoint(at);
    openFor(at, { x: event.clientX, y: event.clientY });
  };
  return { menu, opened, openAtCursor, onContextMenu };
}

/** Subject of the menu of a cell. */
function valueTarget(page: Page, row: number, { name }: EventColumn): ValueTarget {
  const value = (of: string) => cellOf(page, row, of) ?? null;
  const [ts, kind, event] = [value('ts'), value('kind'), value('event_id')];
  // A flow's or packet's summary consists of other fields; everything else is described by its message.
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
