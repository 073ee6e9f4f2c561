/** The groups of an answer as the table shows them and as they are exported. */
import { cell, columnOf, type CellValue } from '../../../engine/contract/wire/column-batch.ts';
import type { Result } from '../../../engine/contract/operations.ts';
import { formatBytes, formatCount } from '../../panel-api.ts';
import { isBytes, parseMeasure } from './measure.ts';

export interface Groups {
  readonly data: Result<'top.run'>;
  readonly by: readonly string[];
  /** In the view's notation. */
  readonly measure: string;
  /** Whether the groups are measured by their events. */
  readonly isCount: boolean;
  readonly rows: number;
  value(name: string, row: number): CellValue;
  measured(row: number): number;
  /** A group's share of the total, such as `12.5%`; empty for a measure without shares. */
  share(row: number): string;
  /** A value of the measure for people. */
  format(n: number): string;
}

export function groupsOf(
  data: Result<'top.run'>,
  by: readonly string[],
  measureText: string,
): Groups {
  const measure = parseMeasure(measureText);
  const isCount = measure.fn === 'count';
  const whole = isCount ? data.total.count : data.total.measure;
  const value = (name: string, row: number): CellValue => {
    const column = columnOf(data.batch, name);
    return column === undefined ? null : cell(column, row);
  };
  const measured = (row: number): number => Number(value(isCount ? 'count' : 'measure', row) ?? 0);
  return {
    ...{ data, by, measure: measureText, isCount, rows: data.batch.rows, value, measured },
    share: (row) =>
      whole === undefined || whole === 0 || measure.fn === 'distinct'
        ? ''
        : percent(measured(row), whole),
    format: isBytes(measure) ? formatBytes : formatCount,
  };
}

export function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)}%`;
}

/** Heading and rows for a CSV file. */
export function groupTable({ by, measure, isCount, rows, value }: Groups): {
  readonly header: string[];
  readonly lines: CellValue[][];
} {
  const names = [...by, 'count', ...(isCount ? [] : ['measure'])];
  return {
    header: [...by, 'count', ...(isCount ? [] : [measure])],
    lines: Array.from({ length: rows }, (_, row) => names.map((name) => value(name, row))),
  };
}
