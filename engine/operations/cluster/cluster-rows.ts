/** Converts rows returned by a ClickHouse statement to the form that the formatters of a case's answers take. */
import { DaybookError } from '../../contract/errors.ts';
import type { ClickHouseStatement, OutputColumn, RawValue } from '../../query/index.ts';
import { cellText, type Cluster, type ClusterRow } from './cluster.ts';

/** The columns of a statement that Daybook shows. */
export function shownColumns({ columns }: Pick<ClickHouseStatement, 'columns'>): OutputColumn[] {
  if (columns === undefined) throw new TypeError('the columns of a shown query are known');
  const nanos = columns.length;
  return columns.map(({ name, type }, at) => ({
    name,
    // Addresses and ids are texts there.
    type: type === 'address' || type === 'event-id' ? 'text' : type,
    parts: [
      { role: 'value', at },
      ...(type === 'instant'
        ? [
            { role: 'nanos' as const, at: nanos },
            { role: 'digits' as const, at: nanos + 1 },
          ]
        : []),
    ],
  }));
}

/**
 * Runs a statement, after those that make its lists.
 * @param types of its columns; the following ones are whole numbers
 */
export async function* statementRows(
  cluster: Cluster,
  { before, sql }: ClickHouseStatement,
  types: readonly OutputColumn['type'][] = [],
): AsyncGenerator<RawValue[][]> {
  for (const one of before) await cluster.run(one);
  for await (const rows of cluster.batches(sql)) yield rows.map((row) => rawRow(row, types));
}

/** Values as DuckDB would return them. Numbers after the columns are totals. */
function rawRow(row: ClusterRow, types: readonly OutputColumn['type'][]): RawValue[] {
  return row.map((value, i) => rawValue(value, types[i] ?? 'integer'));
}

const BEYOND: Readonly<Record<string, number>> = {
  inf: Infinity,
  '-inf': -Infinity,
  nan: NaN,
  '-nan': NaN,
};

function rawValue(value: unknown, type: OutputColumn['type']): RawValue {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'overflow':
      return JSON.stringify(withoutNulls(value));
    case 'time':
    case 'instant':
      return microsOf(cellText(value));
    case 'real':
      return BEYOND[cellText(value)] ?? Number(value);
    case 'text':
    case 'tags':
    case 'ports':
      return typeof value === 'string' ? value : JSON.stringify(value);
    default: {
      const shown = cellText(value);
      if (BEYOND[shown] !== undefined) return BEYOND[shown];
      return /^-?\d{16,}$/.test(shown) ? BigInt(shown) : Number(shown);
    }
  }
}

function withoutNulls(map: unknown): Record<string, unknown> {
  if (typeof map !== 'object' || map === null) return {};
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null));
}

/** Epoch microseconds of a time in UTC as ClickHouse writes it. */
function microsOf(text: string): number {
  const [, whole, fraction = ''] = /^([\d-]+ [\d:]+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined)
    throw new DaybookError('internal', `${JSON.stringify(text)} is not a time of ClickHouse`);
  return (
    Date.parse(`${whole.replace(' ', 'T')}Z`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
  );
}
