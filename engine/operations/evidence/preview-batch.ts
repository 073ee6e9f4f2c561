/** Previewed events in display form: addresses and names as text, in one batch. */
import {
  makeColumn,
  type BatchColumn,
  type CellValue,
  type ColumnBatch,
} from '../../contract/wire/column-batch.ts';
import { COLUMNS } from '../../contract/event.ts';
import type { PreviewRow, StoredValue } from '../../ingest/index.ts';
import { nameOf } from '../../query/filters/names.ts';
import { formatIp4, formatIp6 } from '../../query/index.ts';

/** Internal columns, which a preview does not show. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'seq',
  'source_id',
  'ts',
  'ts_ns',
  'ts_digits',
  'ts_basis',
  'tz_offset',
  'flow_id',
  'offset',
  'length',
  'record_key',
]);
const MOST_COLUMNS = 300;

/** `ts` (microseconds) and `kind`, then the fields that have values, then attributes. */
export function previewBatch(rows: readonly PreviewRow[]): ColumnBatch {
  const fields = rows.map(({ values }) => {
    const out = new Map<string, CellValue>();
    for (const [column, value] of values) {
      if (column === 'ts') out.set('ts', value);
      if (!BOOKKEEPING.has(column)) out.set(fieldOf(column), shown(column, value));
    }
    return out;
  });
  const attributes = rows.map((row) => new Map(row.attributes));
  const names = new Set(attributes.flatMap((row) => [...row.keys()]));
  const used = new Set(fields.flatMap((row) => [...row.keys()]));
  const columns: BatchColumn[] = [
    makeColumn('ts', rows.length, (row) => fields[row]!.get('ts')),
    makeColumn('kind', rows.length, (row) => rows[row]!.kind),
  ];
  for (const field of new Set(Object.keys(COLUMNS).map(fieldOf))) {
    if (field === 'ts' || !used.has(field)) continue;
    columns.push(makeColumn(field, rows.length, (row) => fields[row]!.get(field)));
  }
  for (const name of names) {
    if (columns.length >= MOST_COLUMNS) break;
    columns.push(makeColumn(`attrs.${name}`, rows.length, (row) => attributes[row]!.get(name)));
  }
  return { rows: rows.length, columns };
}

function fieldOf(column: string): string {
  return /^(?:src|dst)_ip[46]$/.test(column) ? column.slice(0, -1) : column;
}

function shown(column: string, value: StoredValue): CellValue {
  switch (column) {
    case 'src_ip4':
    case 'dst_ip4':
      return formatIp4(Number(value));
    case 'src_ip6':
    case 'dst_ip6':
      return formatIp6(BigInt(`0x${value}`));
    case 'proto':
    case 'severity':
    case 'facility':
      return nameOf(column, Number(value));
    default:
      return value;
  }
}
