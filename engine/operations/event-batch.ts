/** Events as a batch of columns: what every list of events crosses to a window as. */
import { makeColumn, type CellValue, type ColumnBatch } from '../contract/column-batch.ts';
import { formatter, type ShownValue } from '../query/index.ts';
import { fieldName } from './event-query.ts';
import { partsOf } from './event.ts';
import type { RunningQuery } from './query.ts';

/** One event: its cells by the names that were asked for, and what every batch has. */
export interface BatchRow {
  cells: Record<string, CellValue>;
}

const ALWAYS = ['event_id', 'kind', 'ts', 'ts_ns', 'ts_digits', 'tags'] as const;

/** The stage that has a query give what a batch needs. */
export function batchFields(fields: readonly string[]): string {
  return ` | fields ${['ts', 'kind', 'event_id', 'tag', ...fields].map(fieldName).join(', ')}`;
}

/** The rows of a query that ends with `batchFields(fields)`. */
export async function batchRows(
  running: RunningQuery,
  fields: readonly string[],
): Promise<BatchRow[]> {
  const { value } = formatter({ sources: running.sources, tags: running.tags });
  const names = fields.map((field) => ({
    field,
    column: running.plan.resolve({ name: field, start: 0, end: 0 }).name,
  }));
  const out: BatchRow[] = [];
  for await (const { columns, rows } of running.rows()) {
    const named = new Map(columns.map((column) => [column.name, column]));
    for (const row of rows) {
      const shown = (name: string): CellValue => {
        const column = named.get(name);
        return column === undefined ? null : cellOf(value(column, row));
      };
      const { ts, tsNs, tsDigits } = partsOf(columns, row);
      const cells: Record<string, CellValue> = {};
      for (const { field, column } of names) define(cells, field, shown(column));
      define(cells, 'event_id', shown('event_id'));
      define(cells, 'kind', shown('kind'));
      define(cells, 'tags', shown('tag'));
      define(cells, 'ts', ts ?? null);
      define(cells, 'ts_ns', tsNs);
      define(cells, 'ts_digits', tsDigits);
      out.push({ cells });
    }
  }
  return out;
}

/** `event_id`, `kind`, `ts` (micros), `ts_ns`, `ts_digits`, `tags`, then `fields`. */
export function toBatch(rows: readonly BatchRow[], fields: readonly string[]): ColumnBatch {
  const names = [...new Set<string>([...ALWAYS, ...fields])];
  return {
    rows: rows.length,
    columns: names.map((name) => makeColumn(name, rows.length, (row) => rows[row]?.cells[name])),
  };
}

function cellOf(value: ShownValue): CellValue {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Names come from evidence: `__proto__` is a name like any other. */
function define(cells: Record<string, CellValue>, name: string, value: CellValue): void {
  Object.defineProperty(cells, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
