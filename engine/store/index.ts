/** Segments, by DuckDB: what others may use of it. */
export { rowList } from './batch-rows.ts';
export { OVERFLOW_COLUMN, SQL_TYPES } from './column-types.ts';
export type { StoreOptions } from './duckdb-instance.ts';
export { type OpenRows, runOpenStatement } from './open-statement.ts';
export { exportParquet } from './parquet-export.ts';
export { ParquetFolder, SEGMENT } from './parquet-folder.ts';
export { ParquetPart } from './parquet-part.ts';
export {
  type BuilderOptions,
  type IdleDuckdb,
  endDuckdb,
  fileSha256,
  SegmentBuilder,
} from './segment-builder.ts';
export { segmentPath } from './segment-path.ts';
export type { Plain } from './segment-store.ts';
export { identifier, literal } from './table-layout.ts';
export {
  EVENT_ID,
  SCHEMA_VERSION,
  TYPED_COLUMNS,
  typedColumns,
  typedMacros,
  typedSelect,
} from './typed-events.ts';
export {
  type ValueCounts,
  ADDRESS_COLUMNS,
  countOverflow,
  countOverflowOnce,
  countRowsWith,
  valueCount,
} from './value-counts.ts';
