/**
 * Builds the side file of a segment from the segment itself: for segments that were rewritten (compacted, retimed),
 * whose import dropped records, or that are older than their index.
 */
import { COLUMNS, isColumn, type ColumnName, type Kind } from '../../contract/event.ts';
import type { Ip6Rows, NumberRows, TextRows } from '../../index/rows.ts';
import { identifier, type SegmentBuilder } from '../../store/segment-builder.ts';
import { epochMicros } from '../../store/segment-sql.ts';
import type { BuiltIndex } from './index-protocol.ts';
import { IndexWriter } from './index-thread.ts';

/** Rows that are read at a time, and values if there are many columns. */
const ROWS = 61_440;
const VALUES = 1_000_000;
/** Initial buffer for the texts of a column. */
const TEXT_BYTES = 1 << 16;
/** Rows that DuckDB returns at a time. */
const VECTOR = 2048;
const utf8 = new TextEncoder();

interface TextBuffer extends TextRows {
  data: Uint8Array;
  size: number;
}
interface Reader {
  readonly sql: string;
  /** Takes the values of rows from `at` on; null is absent. */
  take(values: readonly unknown[], at: number): void;
  clear(): void;
}

/**
 * Writes the side file of the segment in `file` to `path`.
 * @param columns of the segment
 */
export async function indexSegment(
  builder: SegmentBuilder,
  segment: { readonly file: string; readonly kind: Kind; readonly columns: readonly string[] },
  path: string,
): Promise<BuiltIndex> {
  const texts = new Map<string, TextBuffer>();
  const numbers = new Map<ColumnName, NumberRows>();
  const ip6 = new Map<'src_ip6' | 'dst_ip6', Ip6Rows>();
  const readers: Reader[] = [];
  const most = Math.min(ROWS, Math.max(VECTOR, Math.floor(VALUES / segment.columns.length)));
  for (const column of segment.columns) {
    const type = isColumn(column) ? COLUMNS[column] : 'text';
    if (type === 'text') {
      const rows = emptyText(most);
      texts.set(column, rows);
      readers.push(textReader(searchedSql(column, segment.columns), rows));
    } else if (column === 'src_ip6' || column === 'dst_ip6') {
      const rows = { values: new Uint8Array(most * 16), present: new Uint8Array(most) };
      ip6.set(column, rows);
      readers.push(addressReader(column, rows));
    } else if (isColumn(column)) {
      const rows = { values: new Float64Array(most), present: new Uint8Array(most) };
      numbers.set(column, rows);
      readers.push(numberReader(column, type === 'micros', rows));
    }
  }
  const writer = new IndexWriter(segment.kind);
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    writer.add({ kind: segment.kind, length, texts, numbers, ip6 });
    for (const reader of readers) reader.clear();
    length = 0;
  };
  await builder.attach('indexed', segment.file);
  try {
    const select = readers.map(({ sql }) => sql).join(', ');
    for await (const { columns, rows } of builder.stream(`SELECT ${select} FROM indexed.events`)) {
      if (length + rows > most) flush();
      readers.forEach((reader, i) => reader.take(columns[i]!, length));
      length += rows;
    }
    flush();
  } finally {
    await builder.detach('indexed');
  }
  return writer.finish(path, true);
}

function emptyText(rows: number): TextBuffer {
  const starts = new Uint32Array(rows);
  return { data: new Uint8Array(TEXT_BYTES), size: 0, starts, present: new Uint8Array(rows) };
}

/** A column in the form in which words are searched in it (`SEARCHED_TEXTS`). */
function searchedSql(column: string, columns: readonly string[]): string {
  const sql = identifier(column);
  const isConcluded = column === 'action' && columns.includes('extractor');
  return isConcluded ? `CASE WHEN ${identifier('extractor')} IS NULL THEN ${sql} END` : sql;
}

function textReader(sql: string, rows: TextBuffer): Reader {
  return {
    sql,
    take(values, at) {
      values.forEach((value, i) => {
        if (typeof value !== 'string') return;
        const need = rows.size + 4 + value.length * 3;
        if (need > rows.data.length) {
          const bigger = new Uint8Array(Math.max(need, rows.data.length * 2));
          bigger.set(rows.data.subarray(0, rows.size));
          rows.data = bigger;
        }
        const { written } = utf8.encodeInto(value, rows.data.subarray(rows.size + 4));
        new DataView(rows.data.buffer).setUint32(rows.size, written, true);
        rows.starts[at + i] = rows.size;
        rows.present[at + i] = 1;
        rows.size += 4 + written;
      });
    },
    clear() {
      rows.present.fill(0);
      rows.size = 0;
    },
  };
}

function numberReader(
  column: string,
  isTime: boolean,
  rows: { values: Float64Array; present: Uint8Array },
): Reader {
  const value = isTime ? epochMicros(identifier(column)) : identifier(column);
  return {
    sql: `CAST(${value} AS DOUBLE)`,
    take(values, at) {
      values.forEach((one, i) => {
        if (typeof one !== 'number') return;
        rows.values[at + i] = one;
        rows.present[at + i] = 1;
      });
    },
    clear: () => void rows.present.fill(0),
  };
}

function addressReader(column: string, rows: Ip6Rows): Reader {
  return {
    sql: `replace(CAST(${identifier(column)} AS VARCHAR), '-', '')`,
    take(values, at) {
      values.forEach((hex, i) => {
        if (typeof hex !== 'string') return;
        rows.values.set(Buffer.from(hex, 'hex'), (at + i) * 16);
        rows.present[at + i] = 1;
      });
    },
    clear: () => void rows.present.fill(0),
  };
}
