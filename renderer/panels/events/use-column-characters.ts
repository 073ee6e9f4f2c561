/** How many characters are seen in each column, as wide as it is now. */
import { useEffect, useState } from 'react';
import { CELL_PADDING, CHARACTER, type EventColumn } from './event-column.ts';

const NONE: readonly number[] = [];

/**
 * @param table has a heading for each column
 * @param tracks how wide the columns may be: when they change, widths do
 * @returns none before the table is drawn
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
