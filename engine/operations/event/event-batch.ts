/** Events that several queries find, as one batch of columns. */
import { cell, columnOf, makeColumn, type ColumnBatch } from '../../contract/wire/column-batch.ts';
import { columnNames, type OutputColumn, type Plan } from '../../query/index.ts';
import {
  askQuery,
  type CaseSession,
  fieldsToRead,
  listBatch,
  listed,
  type QueryParameters,
} from '../../search/index.ts';
import { fieldName } from './event-query.ts';

/**
 * The results of a query, with `event_id`, `kind`, `ts`, `ts_ns`, `ts_digits`, `tags` and `fields`.
 * @throws DaybookError query-syntax, unknown-field, cancelled
 */
export async function foundEvents(
  session: CaseSession,
  parameters: QueryParameters,
  fields: readonly string[],
): Promise<ColumnBatch> {
  const { plan } = await askQuery(session, parameters);
  const wanted = fieldsToRead(plan, fields).filter((name) => columnNames(plan, name).length > 0);
  const chosen = ['ts', ...wanted].map(fieldName).join(', ');
  const shown = listed(session, session.snapshot(), plan);
  const running = await askQuery(session, {
    ...parameters,
    text: `${parameters.text} | fields ${chosen}`,
  });
  const batches: ColumnBatch[] = [];
  for await (const { columns, rows } of running.rows()) {
    const named = asLists(columns, plan, wanted);
    batches.push(listBatch(shown, named, rows, fields));
  }
  return joined(batches);
}

/** Lists call attributes `attrs.NAME`; rows with chosen fields call them NAME. */
function asLists(
  columns: readonly OutputColumn[],
  plan: Plan,
  wanted: readonly string[],
): OutputColumn[] {
  const names = new Set(wanted.flatMap((name) => columnNames(plan, name)));
  return columns.map((column) =>
    !names.has(column.name) && names.has(`attrs.${column.name}`)
      ? { ...column, name: `attrs.${column.name}` }
      : column,
  );
}

/** One batch with the rows of all, in their order. */
export function joined(batches: readonly ColumnBatch[]): ColumnBatch {
  const [only] = batches;
  if (only !== undefined && batches.length === 1) return only;
  const places = batches.flatMap((batch) =>
    Array.from({ length: batch.rows }, (_, row) => ({ batch, row })),
  );
  const names = new Set(batches.flatMap(({ columns }) => columns.map(({ name }) => name)));
  return {
    rows: places.length,
    columns: [...names].map((name) =>
      makeColumn(name, places.length, (at) => {
        const place = places[at];
        const column = place === undefined ? undefined : columnOf(place.batch, name);
        return place === undefined || column === undefined ? null : cell(column, place.row);
      }),
    ),
  };
}
