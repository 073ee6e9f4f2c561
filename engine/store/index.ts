/** Segments, by DuckDB: what others may use of it. */
export { rowList } from './batch-rows.ts';
export {
  attachSegment,
  eventsView,
  markRows,
  markTables,
  tagsView,
  valuesView,
} from './case-views.ts';
export { OVERFLOW_COLUMN, SQL_TYPES } from './column-types.ts';
export type { StoreOptions } from './duckdb-instance.ts';
export { type OpenRows, runOpenStatement } from './open-statement.ts';
export { exportParquet } from './parquet-export.ts';
export { ParquetFolder } from './parquet-folder.ts';
export { ParquetPart } from './parquet-part.ts';
export {
  type BuilderOptions,
  type IdleDuckdb,
  endDuckdb,
  fileSha256,
  SegmentBuilder,
} from './segment-builder.ts';
export { segmentPath } from './segment-path.ts';
export { epochMicros, intervalOfMicros, numberedRows, withBeside } from './segment-sql.ts';
export type { Plain } from './segment-store.ts';
export { identifier, literal } from './table-layout.ts';
export { SCHEMA_VERSION, TYPED_COLUMNS, typedMacros } from './typed-events.ts';
export {
  type ValueCounts,
  ADDRESS_COLUMNS,
  countOverflow,
  countOverflowOnce,
  countRowsWith,
  valueCount,
} from './value-counts.ts';
