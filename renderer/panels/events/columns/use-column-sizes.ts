/** Column widths set by dragging; TanStack Table follows the pointer. */
import {
  columnResizingFeature,
  columnSizingFeature,
  tableFeatures,
  useTable,
  type ColumnSizingState,
} from '@tanstack/react-table';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { EventColumn } from './event-column.ts';

const SMALLEST = 36;

const features = tableFeatures({ columnSizingFeature, columnResizingFeature });
const NO_ROWS: never[] = [];

/** Starts with `sizes`; calls `onSizes` at the end of each drag. */
export function useColumnSizes(
  columns: readonly EventColumn[],
  sizes: Readonly<Record<string, number>>,
  onSizes: (sizes: Readonly<Record<string, number>>) => void,
) {
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
  const resizing = table.state.columnResizing.isResizingColumn !== false;
  const kept = useRef(sizing);
  useEffect(() => {
    if (resizing || kept.current === sizing) return;
    kept.current = sizing;
    onSizes(sizing);
  }, [resizing, sizing, onSizes]);
  return {
    headers: table.getHeaderGroups()[0]?.headers ?? [],
    /** The columns that the user resized. */
    sizing,
    widen: (at: number, by: number): void => {
      const column = columns[at];
      if (column === undefined) return;
      const { name, width } = column;
      setSizing({ ...sizing, [name]: Math.max(SMALLEST, (sizing[name] ?? width) + by) });
    },
  };
}
