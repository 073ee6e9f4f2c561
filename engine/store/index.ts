/** Segments, by DuckDB: what others may use of it. */
export { rowList } from './parts/batch-rows.ts';
export {
  attachSegment,
  eventsView,
  markRows,
  markTables,
  tagsView,
  valuesView,
} from './export/case-views.ts';
export { OVERFLOW_COLUMN, SQL_TYPES } from './parts/column-types.ts';
export type { StoreOptions } from './reading/duckdb-instance.ts';
export { type OpenRows, runOpenStatement } from './reading/open-statement.ts';
export { exportParquet } from './export/parquet-export.ts';
export { ParquetFolder } from './export/parquet-folder.ts';
export { ParquetPart } from './parts/parquet-part.ts';
export {
  type BuilderOptions,
  type IdleDuckdb,
  endDuckdb,
  fileSha256,
  SegmentBuilder,
} from './segment-builder.ts';
export { segmentPath } from './segment-path.ts';
export { epochMicros, intervalOfMicros, numberedRows, withBeside } from './segment-sql.ts';
export type { Plain } from './reading/segment-store.ts';
export { identifier, literal } from './table-layout.ts';
export { SCHEMA_VERSION, TYPED_COLUMNS, typedMacros } from './export/typed-events.ts';
export {
  type ValueCounts,
  ADDRESS_COLUMNS,
  countOverflow,
  countOverflowOnce,
  countRowsWith,
  valueCount,
} from './value-counts.ts';
