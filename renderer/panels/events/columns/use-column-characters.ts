/** How many characters are visible in each column at its current width. */
import { useEffect, useState } from 'react';
import { CELL_PADDING, CHARACTER, type EventColumn } from './event-column.ts';

const NONE: readonly number[] = [];

/**
 * @param table contains a heading for each column
 * @param tracks the grid's column template: when it changes, widths do
 * @returns empty before the table is rendered
 */
export function useColumnCharacters(
  table: HTMLElement | null,
  columns: readonly EventColumn[],
  tracks: string,
): readonly number[] {
  const [characters, setCharacters] = useState(NONE);
  useEffect(() => {
    if (table === null) return undefined;
    const measure = (): void => {
      const headings = table.querySelectorAll<HTMLElement>('[role="columnheader"]');
      const next = [...headings].map(({ clientWidth }) =>
        Math.max(0, Math.floor((clientWidth - CELL_PADDING) / CHARACTER)),
      );
      setCharacters((before) => (before.join() === next.join() ? before : next));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(table);
    measure();
    return () => observer.disconnect();
  }, [table, columns, tracks]);
  return characters;
}
