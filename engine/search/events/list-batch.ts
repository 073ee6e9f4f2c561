/** Converts rows of a list to the columns that are sent to a window. */
import { shownDigits } from '../../contract/time/time-text.ts';
import { makeColumn, type CellValue, type ColumnBatch } from '../../contract/wire/column-batch.ts';
import {
  type OutputColumn,
  type Names,
  type Plan,
  type RawValue,
  type ShownValue,
  columnNames,
  formatter,
  ROW_IDENTITY,
} from '../../query/index.ts';
import type { CaseSession } from '../session/case-session.ts';
import type { Snapshot } from '../session/snapshot.ts';
import { summaryFields, summaryOf } from './event-summary.ts';

const ALWAYS: ReadonlySet<string> = new Set([
  ...['event_id', 'kind', 'ts', 'ts_ns', 'ts_digits', 'tags'],
]);

/** Columns that no statement returns: they are derived from other fields or from marks. */
const MADE_HERE: ReadonlySet<string> = new Set(['summary', 'tag', 'tags', 'attributes']);

/** Fields that must be read to make a batch of `fields`. */
export function fieldsToRead(plan: Plan, fields: readonly string[]): string[] {
  const names = ['kind', 'event_id', ...fields.filter((name) => !ALWAYS.has(name))];
  if (fields.includes('summary'))
    names.push(...summaryFields(new Set(plan.segmentsUsed.map(({ kind }) => kind))));
  return [...new Set(names)].filter((name) => !MADE_HERE.has(name));
}

interface ListedEvents {
  readonly plan: Plan;
  readonly names: Names;
  /** Names of a row's tags, comma-separated, as the case has them now. */
  readonly tagsOf: (row: readonly RawValue[]) => CellValue;
}

/**
 * A batch with `event_id`, `kind`, `ts`, `ts_ns`, `ts_digits`, `tags` and `fields`; a field that no event has
 * becomes a column without values. For other kinds, `summary` is what `message` is for logs.
 */
export function listBatch(
  { plan, names, tagsOf: tags }: ListedEvents,
  columns: readonly OutputColumn[],
  rows: readonly (readonly RawValue[])[],
  fields: readonly string[],
): ColumnBatch {
  const { value } = formatter(names);
  const named = new Map(columns.map((column) => [column.name, column]));
  const shown = (name: string): ((row: readonly RawValue[]) => ShownValue) => {
    const found = columnNames(plan, name).flatMap((one) => named.get(one) ?? []);
    const [only] = found;
    if (only === undefined) return () => null;
    if (found.length === 1) return (row) => value(only, row);
    return (row) => {
      const parts = found.map((column) => value(column, row)).filter((part) => part !== null);
      return parts.length === 0 ? null : parts.map(String).join(' ');
    };
  };
  const part = (role: 'value' | 'nanos' | 'digits') => {
    const at = named.get('ts')?.parts.find((one) => one.role === role)?.at;
    return (row: readonly RawValue[]): CellValue => {
      const found = at === undefined ? null : row[at];
      return typeof found === 'number' ? found : null;
    };
  };
  const [ts, nanos, stated] = [part('value'), part('nanos'), part('digits')];
  const digits = (row: readonly RawValue[]): CellValue => {
    const [micros, n] = [ts(row), stated(row)];
    return typeof micros === 'number' && typeof n === 'number' ? shownDigits(micros, n) : n;
  };
  const getters = new Map<string, (row: readonly RawValue[]) => CellValue>([
    ['event_id', cell(shown('event_id'))],
    ['kind', cell(shown('kind'))],
    ['ts', ts],
    ['ts_ns', (row) => nanos(row) ?? 0],
    ['ts_digits', digits],
    ['tags', tags],
  ]);
  for (const name of fields) {
    if (getters.has(name)) continue;
    if (name === 'tag') getters.set(name, tags);
    else if (name === 'summary') getters.set(name, summary(shown));
    else getters.set(name, cell(shown(name)));
  }
  return {
    rows: rows.length,
    columns: [...getters].map(([name, get]) => {
      const column = makeColumn(name, rows.length, (row) => get(rows[row]!));
      return column;
    }),
  };
}

function cell(get: (row: readonly RawValue[]) => ShownValue) {
  return (row: readonly RawValue[]): CellValue => {
    const value = get(row);
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  };
}

function textOf(value: ShownValue): string {
  return typeof value === 'string' ? value : '';
}

function summary(shown: (name: string) => (row: readonly RawValue[]) => ShownValue) {
  const kind = shown('kind');
  const getters = new Map<string, (row: readonly RawValue[]) => ShownValue>();
  return (row: readonly RawValue[]): CellValue =>
    summaryOf(textOf(kind(row)), (field) => {
      let get = getters.get(field);
      if (get === undefined) getters.set(field, (get = shown(field)));
      return get(row);
    });
}

/** Looks up the tags of rows that state their place in their segments. */
export function listed(session: CaseSession, snapshot: Snapshot, plan: Plan): ListedEvents {
  return { plan, names: snapshot, tagsOf: tagNames(session, snapshot) };
}

/** Names of an event's tags, comma-separated. */
function tagNames(session: CaseSession, snapshot: Snapshot) {
  const known = new Map<number, { name: string; rows: Uint32Array }[]>();
  return (row: readonly RawValue[]): CellValue => {
    const segment = Number(row[ROW_IDENTITY.segment]);
    const rowId = Number(row[ROW_IDENTITY.rowId]);
    let marks = known.get(segment);
    if (marks === undefined) {
      const here = snapshot.marks.get(segment) ?? new Set();
      marks = snapshot.tags
        .filter(({ id }) => here.has(id))
        .map(({ id, name }) => ({ name, rows: session.catalog.marks.of(segment, id) }));
      known.set(segment, marks);
    }
    const names = marks.filter(({ rows }) => contains(rows, rowId)).map(({ name }) => name);
    return names.length === 0 ? null : names.join(',');
  };
}

/** Binary search in ascending numbers. */
function contains(sorted: Uint32Array, wanted: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}
