/** Statements that find events by their ids: the source, and the record's number in it. */
import {
  Params,
  ROW_NUMBER,
  boundNumbers,
  eachOf,
  notDeleted,
  segmentTable,
} from '../dialect/duckdb.ts';
import type { Statement } from './statements.ts';

/** A segment that is searched. */
interface LookedInto {
  readonly id: number;
  /** Whether events of it were deleted. */
  readonly hasDeleted: boolean;
}

/** For those of a source's records that are events of some segments: segment, row, and number of the record. */
export function compileEventRows(
  segments: readonly LookedInto[],
  source: number,
  records: readonly number[],
): Statement {
  const params = new Params();
  const ofSource = `source_id = ${params.bind(source, 'UINTEGER')}`;
  const parts = segments.map(({ id, hasDeleted }) => {
    const shown = hasDeleted ? ` AND ${notDeleted(String(id))}` : '';
    return `SELECT ${id}, ${ROW_NUMBER}, seq FROM ${segmentTable({ id }, '')} WHERE ${ofSource} AND seq IN (SELECT n FROM wanted)${shown}`;
  });
  const wanted = `SELECT ${eachOf(boundNumbers(records, params))}`;
  const sql = `WITH wanted(n) AS MATERIALIZED (${wanted}) ${parts.join(' UNION ALL ')}`;
  return { ...params.finish(sql), columns: [] };
}

/** The last record of each source of which a segment has events. */
export function compileLastRecords(segment: number): Statement {
  const last = 'CAST(max(seq) AS DOUBLE)';
  const sql = `SELECT source_id, ${last} FROM ${segmentTable({ id: segment }, '')} GROUP BY source_id`;
  return { sql, params: [], columns: [] };
}
