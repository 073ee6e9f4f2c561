/** The table of an answer: its columns of groups and of times, the order of its rows, and the remainder. */
import {
  cell,
  columnOf,
  type CellValue,
  type ColumnBatch,
} from '../../../engine/contract/wire/column-batch.ts';
import { COLUMNS } from '../../../engine/contract/event.ts';
import { counted } from '../../panel-api.ts';
import { microsOf } from './bars.ts';

export interface Order {
  readonly column: string;
  readonly descending: boolean;
}

interface Stage {
  readonly name: string;
  readonly text: string;
}

const OF_EVENTS: ReadonlySet<string> = new Set(Object.keys(COLUMNS));

/** Stages whose rows are groups of the events that the filter finds. */
const GROUPING = /^(top|stats|values)$/;

/**
 * Fields that the events of one row have in common, that is, by which the answer is grouped. Empty where a row is
 * not a group, or where an earlier stage removes events.
 */
export function groupsOf(stages: readonly Stage[]): string[] {
  const [stage] = stages;
  if (stage === undefined || !GROUPING.test(stage.name)) return [];
  const text = stage.text.slice(stage.name.length).trim();
  const fields =
    stage.name === 'stats'
      ? /\sby\s+(.+)$/is.exec(text)?.[1]
      : text.replace(/^\d+\s+/, '').replace(/\s+by\s+.+$/is, '');
  return (fields ?? '')
    .split(',')
    .map((field) => field.trim().replace(/^"(.*)"$/, '$1'))
    .filter((field) => field !== '');
}

/** Whether the query computed a column: it is neither a group nor a number field such as a port. */
export function isComputed(name: string, groups: readonly string[]): boolean {
  return !groups.includes(name) && !OF_EVENTS.has(name) && !name.startsWith('attrs.');
}

/** Clicking the same heading again reverses the order, then restores the answer's own. */
export function nextOrder(
  column: string,
  isNumber: boolean,
  order: Order | undefined,
): Order | undefined {
  if (order === undefined) return { column, descending: isNumber };
  return order.descending === isNumber ? { column, descending: !isNumber } : undefined;
}

/** Rows of a batch in an order; those without a value are last. */
export function orderedRows(batch: ColumnBatch, order: Order | undefined): number[] {
  const rows = Array.from({ length: batch.rows }, (_, row) => row);
  const column = order && columnOf(batch, order.column);
  if (order === undefined || column === undefined) return rows;
  const sign = order.descending ? -1 : 1;
  return rows.sort((one, other) => {
    const [a, b] = [cell(column, one), cell(column, other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null) || one - other;
    return (a < b ? -sign : a > b ? sign : 0) || one - other;
  });
}

/** `48 more groups, 94 events`; other measures by their names. Nothing where all groups are shown. */
export function restText(rest: Readonly<Record<string, unknown>>): string | undefined {
  const { groups, count, ...measures } = rest;
  if (groups === 0) return undefined;
  return [
    ...(typeof groups === 'number' ? [counted(groups, 'more group')] : []),
    ...(typeof count === 'number' ? [counted(count, 'event')] : []),
    ...Object.entries(measures).map(
      ([name, n]) => `${name} ${typeof n === 'number' ? n.toLocaleString('en-US') : String(n)}`,
    ),
  ].join(', ');
}

const TIMES = /^(ts|first|last|start|min\(ts\)|max\(ts\))$/;

/** Whether a column has times even where its values are numbers. */
export const isTimeColumn = (name: string): boolean => TIMES.test(name);

/** UTC microseconds of a value that is a time. The end of a session or sequence is one where it is a text. */
export function timeOf(name: string, value: CellValue): number | undefined {
  if (typeof value === 'string')
    return TIMES.test(name) || name === 'end' ? microsOf(value) : undefined;
  return TIMES.test(name) ? (value ?? undefined) : undefined;
}
