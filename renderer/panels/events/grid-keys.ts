/** Keyboard control of the table of events. */

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey'>;

/** The row that a key leads to; undefined for any other key. */
export function nextRow(
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

export function nextColumn(key: string, column: number, columns: number): number | undefined {
  if (key === 'ArrowRight') return Math.min(columns - 1, column + 1);
  return key === 'ArrowLeft' ? Math.max(0, column - 1) : undefined;
}

export type GridAction =
  'menu' | 'unmark' | 'sort' | 'widen' | 'narrow' | 'details' | 'bookmark' | 'tag';

const IN_HEADING: Readonly<Record<string, GridAction>> = {
  Enter: 'sort',
  '+': 'widen',
  '-': 'narrow',
};
const IN_ROWS: Readonly<Record<string, GridAction>> = {
  Enter: 'details',
  ' ': 'bookmark',
  t: 'tag',
};

/** The action of a key at the cursor, besides moving it; undefined for none. */
export function actionOf(
  { key, shiftKey, ctrlKey, metaKey }: Key,
  inHeading: boolean,
  hasMarks: boolean,
): GridAction | undefined {
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return 'menu';
  if (key === 'Escape' && hasMarks) return 'unmark';
  const action = (inHeading ? IN_HEADING : IN_ROWS)[key];
  return action === 'tag' && (ctrlKey || metaKey) ? undefined : action;
}
