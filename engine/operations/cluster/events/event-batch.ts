/** Events returned by statements for a list, as one batch of columns, with their tags. */
import type { ColumnBatch } from '../../../contract/wire/column-batch.ts';
import {
  type ClickHouseStatement,
  type OutputColumn,
  type RawValue,
} from '../../../query/index.ts';
import { text } from '../../../query/dialect/clickhouse.ts';
import { listBatch } from '../../../search/index.ts';
import { shownColumns } from '../cluster-rows.ts';
import type { ClusterSession } from '../session.ts';
import type { ClusterView } from '../view.ts';

/**
 * @param statements of `clickhouseList` for the same fields
 * @param isTurned whether the rows of a statement are in reverse order
 */
export async function eventBatch(
  asked: ClusterView,
  statements: readonly ClickHouseStatement[],
  fields: readonly string[],
  isTurned: (at: number) => boolean = () => false,
): Promise<ColumnBatch> {
  const { plan, session } = asked;
  const [first] = statements;
  const columns: readonly OutputColumn[] = first === undefined ? [] : shownColumns(first);
  const types = columns.map(({ type }) => type);
  const rows: RawValue[][] = [];
  for (const [at, statement] of statements.entries()) {
    const found = await asked.rows(statement, types);
    rows.push(...(isTurned(at) ? found.toReversed() : found));
  }
  const idAt = columns.find(({ name }) => name === 'event_id')?.parts[0]?.at ?? 0;
  const idOf = (row: readonly RawValue[]): string => String(row[idAt]);
  const tags = await tagsOfEvents(session, rows.map(idOf));
  const tagsOf = (row: readonly RawValue[]) => tags.get(idOf(row))?.join(',') ?? null;
  return listBatch({ plan, names: session.context, tagsOf }, columns, rows, fields);
}

/** Tags by event; an event without tags has no entry. */
export async function tagsOfEvents(
  { cluster, context }: ClusterSession,
  events: readonly string[],
): Promise<Map<string, string[]>> {
  if (events.length === 0 || context.tags.length === 0) return new Map();
  const rows = await cluster.rows(
    `SELECT event_id, arraySort(groupUniqArray(tag)) FROM \`${cluster.address.database}\`.tags WHERE event_id IN (${events.map(text).join(', ')}) GROUP BY event_id`,
  );
  return new Map(
    rows.map(([event, tags]) => [String(event), Array.isArray(tags) ? tags.map(String) : []]),
  );
}
