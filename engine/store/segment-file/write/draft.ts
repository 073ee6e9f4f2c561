/** What is known of a segment's file whose blocks are written: all that its end needs (`segment-end.ts`). */
import type { EncodedPiece, PieceStats } from '../encode/pieces.ts';
import { type Expression, call, cast, column, number, sqlOf, text } from '../../expression.ts';
import { MESSAGE_PARTS, WHOLE_OF_TEXTS } from '../../messages/message-columns.ts';
import type { MessageShape } from '../../messages/message-cutter.ts';
import {
  EVENTS,
  STORED,
  type ConstantColumn,
  type SelectedColumn,
  TIME_UNITS,
  timesOf,
} from '../../table-layout.ts';

/** A piece of a column, and where it lies; -1: it has no bytes. */
export interface PlacedPiece {
  readonly rows: number;
  readonly encoding: EncodedPiece['encoding'];
  readonly block: number;
  readonly offset: number;
  readonly size: number;
  readonly stats: PieceStats;
}

/** A column's pieces in a group of rows. */
export interface PlacedGroup {
  /** Of a list: where each ends. */
  readonly data: readonly PlacedPiece[];
  readonly valid: readonly PlacedPiece[];
  /** Of a list: its values, one behind the other. */
  readonly child?: PlacedGroup;
}

export interface StoredColumn {
  readonly name: string;
  /** SQL type. */
  readonly type: string;
  readonly groups: readonly PlacedGroup[];
}

/** A column that follows from others, or has one text in all rows. */
export interface GeneratedColumn {
  readonly name: string;
  readonly type: string;
  readonly value:
    | { readonly kind: 'text'; readonly text: string }
    /** Times, from a column of them in this unit. */
    | { readonly kind: 'time'; readonly column: string; readonly unit: 1000 | 1_000_000 }
    /** A message that is not cut: the one text of its row. */
    | { readonly kind: 'whole' }
    /** What another column is, less a number. */
    | { readonly kind: 'less'; readonly column: string; readonly by: number };
}

export type DraftColumn = StoredColumn | GeneratedColumn;

export interface SegmentDraft {
  readonly path: string;
  /** Bytes of a block. */
  readonly block: number;
  /** Pieces in each block that is written. */
  readonly pieces: readonly number[];
  /** Rows of each group. */
  readonly groups: readonly number[];
  /** In the order of the table. */
  readonly columns: readonly DraftColumn[];
  /** What messages are cut by, in the order of their numbers. */
  readonly shapes?: readonly MessageShape[];
}

export function isStored(column: DraftColumn): column is StoredColumn {
  return 'groups' in column;
}

/** Whether it is the SQL type of lists. */
export function isList(type: string): boolean {
  return type.endsWith('[]');
}

/** The SQL type of the values of lists. */
export function elementType(type: string): string {
  return type.slice(0, -2);
}

const STORED_TIMES: ReadonlySet<string> = new Set(Object.values(TIME_UNITS));

/** The table that has its rows. */
export function tableOf({ shapes }: SegmentDraft): string {
  return shapes === undefined ? EVENTS : STORED;
}

/** The columns that a reader of its table asks for. */
export function selectedOf({ columns }: SegmentDraft): SelectedColumn[] {
  return columns
    .filter(({ name }) => !STORED_TIMES.has(name))
    .map(({ name, type }) => ({ name, type }));
}

/** The events' own columns. */
export function eventColumns(draft: SegmentDraft): SelectedColumn[] {
  return selectedOf(draft).filter(({ name }) => !MESSAGE_PARTS.has(name));
}

/** What a generated column is made of. */
export function valueOf({ type, value }: GeneratedColumn): Expression {
  switch (value.kind) {
    case 'text':
      return text(value.text);
    case 'whole':
      return WHOLE_OF_TEXTS;
    case 'less':
      return call('-', column(value.column), cast(number(value.by), type));
    case 'time':
      return timesOf(value.column, value.unit);
  }
}

/** Columns of one value, and what follows from others, as SQL. */
export function constantsOf({ columns }: SegmentDraft): ConstantColumn[] {
  const out: ConstantColumn[] = [];
  for (const column of columns) {
    const { name, type } = column;
    if (isStored(column)) {
      const value = onlyValue(column);
      if (value !== undefined) out.push({ name, type, value: String(value) });
    } else if (column.value.kind === 'text' || column.value.kind === 'less')
      out.push({ name, type, value: sqlOf(valueOf(column)) });
  }
  return out;
}

/** The number that all rows have. */
function onlyValue({ type, groups }: StoredColumn): number | undefined {
  if (isList(type)) return undefined;
  let only: number | undefined;
  for (const { data, valid } of groups) {
    if (valid.some(({ stats }) => stats.kind !== 'validity' || stats.hasNull)) return undefined;
    for (const { stats } of data) {
      if (stats.kind !== 'number' || stats.min !== stats.max) return undefined;
      only ??= stats.min;
      if (only !== stats.min) return undefined;
    }
  }
  return type === 'DOUBLE' || type === 'TIMESTAMP' ? undefined : only;
}
