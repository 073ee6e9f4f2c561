/**
 * `eval name = expression [by f, …]`: a field that is computed for each event or row. `prev` and `delta` refer to
 * the previous row, in the current order, among those with the same values of the fields after `by`.
 */
import type { Name, Stage } from '../syntax/ast.ts';
import { computedField, computedValue } from '../plan/analyse.ts';
import { readsOf } from '../batch/values/field-values.ts';
import { type BatchTable, type Row, project, sorted, tableScopeOf } from '../batch/table.ts';
import { TRUE_SQL } from '../dialect/clickhouse.ts';
import {
  type ClickHouseRows,
  firstValue,
  ordered,
  selectOf,
  subquery,
} from '../dialect/clickhouse-rows.ts';
import { quoteIdentifier } from '../dialect/duckdb.ts';
import { fieldOf } from '../expressions/analyse.ts';
import { converted } from '../expressions/operator.ts';
import { partAlias, previousField, takePrevious } from '../expressions/previous.ts';
import { PART_TYPES, type Value, valueClickHouse } from '../expressions/value.ts';
import { type Resolve, withFields } from '../names/fields.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import type { RawValue } from '../values/raw-value.ts';
import { type Relation, type TableColumn, TABLE_EXTENT, orderBy } from '../statements/relation.ts';
import { shapeOf } from '../values/values.ts';
import { batchResolve, extendedBatch } from './computed-columns.ts';
import type { StageOperator } from './operator.ts';
import { partition } from './session.ts';
import { namedColumns, valueParts } from './value-parts.ts';

type EvalStage = Extract<Stage, { stage: 'eval' }>;

/** One of `prev` and `delta`: the columns that have it. */
interface PreviousValue {
  readonly alias: string;
  readonly back: number;
  readonly value: Value;
}

function previousOf(stage: EvalStage, resolve: Resolve, around: Surroundings): PreviousValue[] {
  return taken(stage).previous.map(({ alias, of, back }) => {
    const value = computedValue(of, resolve, around);
    return { alias, back, value: value.type === 'condition' ? converted(value, 'text')! : value };
  });
}

function taken({ value, start }: EvalStage) {
  return takePrevious(value, `p${start}`);
}

const computes: NonNullable<StageOperator<EvalStage>['computes']> = (stage, resolve, around) => {
  const fields = previousOf(stage, resolve, around).map(({ alias, value }) => ({
    name: alias,
    field: previousField(alias, value.type),
  }));
  const names = fields.length === 0 ? resolve : withFields(resolve, { fields });
  const { as } = stage;
  return {
    fields: [{ name: as.name, field: computedField(as.name, taken(stage).value, names, around) }],
    hidden: [],
  };
};

function withPrevious(stage: EvalStage, relation: Relation, around: Surroundings): Relation {
  const { scope, order, resolve } = relation;
  const by = stage.by.flatMap((name) => valueParts(relation, name));
  const columns = previousOf(stage, resolve, around).flatMap(({ alias, back, value }) =>
    value
      .sql(scope)
      .map(
        (sql, part) => `lag(${sql}, ${back}) OVER w AS ${quoteIdentifier(partAlias(alias, part))}`,
      ),
  );
  return {
    ...relation,
    sql: () =>
      `SELECT *, ${columns.join(', ')} FROM (${relation.sql()}) AS r WINDOW w AS (${partition(...by)}ORDER BY ${orderBy(order)})`,
  };
}

/** The same in ClickHouse, where a value has one part. */
function withPreviousClickHouse(stage: EvalStage, rows: ClickHouseRows): ClickHouseRows {
  const { scope, order, resolve, around } = rows;
  const by = stage.by.map((name) => firstValue(name, rows).sql);
  const columns = previousOf(stage, resolve, around).map(({ alias, back, value }) => {
    // If the value were not nullable, the first rows would have 0 or an empty text.
    const given = `toNullable(${valueClickHouse(value, scope)})`;
    const frame = `ROWS BETWEEN ${back} PRECEDING AND CURRENT ROW`;
    return `lagInFrame(${given}, ${back}) OVER (${partition(...by)}${ordered(order)} ${frame}) AS ${partAlias(alias, 0)}`;
  });
  if (columns.length === 0) return rows;
  return { ...rows, from: subquery(selectOf(['*', ...columns].join(', '), rows)), where: TRUE_SQL };
}

/** The same for a table in memory. */
function batchWithPrevious(stage: EvalStage, given: BatchTable, around: Surroundings): BatchTable {
  const table = sorted(given);
  const resolve = batchResolve(table, around);
  const scope = tableScopeOf(table);
  const groups = new Map<string, Row[]>();
  const keys = keyOf(stage.by, table);
  const found = previousOf(stage, resolve, around);
  const columns = found.map(({ alias, value: { type } }): TableColumn => {
    const shape = shapeOf(previousField(alias, type), stage.start, TABLE_EXTENT);
    const aliases = PART_TYPES[type].map((_, part) => partAlias(alias, part));
    return { name: alias, shape, aliases };
  });
  const reads = found.map(({ alias, value }) => readsOf(fieldOf(alias, value), scope));
  const rows = table.rows.map((row, at) => {
    const key = JSON.stringify(keys.map((one) => row[one] ?? null));
    const before = groups.get(key) ?? [];
    groups.set(key, before);
    const earlier = found.flatMap(({ back }, i): readonly RawValue[] => {
      const other = before.at(-back);
      const width = columns[i]!.aliases.length;
      const from = reads.slice(0, i).reduce((sum, { length }) => sum + length, 0);
      return Array.from({ length: width }, (_, part) => other?.[from + part] ?? null);
    });
    before.push(reads.flatMap((parts) => parts.map((read) => read(at))));
    return [...row, ...earlier];
  });
  return { ...table, columns: [...table.columns, ...columns], rows };
}

/** Indexes of the fields' values in the rows of a table. */
function keyOf(by: readonly Name[], { columns }: BatchTable): number[] {
  const all = columns.flatMap(({ aliases }) => aliases);
  return namedColumns(by, columns).flatMap(({ aliases }) =>
    aliases.map((alias) => all.indexOf(alias)),
  );
}

function batchTable(stage: EvalStage, table: BatchTable, around: Surroundings): BatchTable {
  if (!readsBefore(stage))
    return extendedBatch(table, computes(stage, batchResolve(table, around), around));
  const made = computes(stage, batchResolve(table, around), around);
  const wide = batchWithPrevious(stage, table, around);
  const out = extendedBatch(wide, made);
  const added = new Set(wide.columns.slice(table.columns.length).map(({ name }) => name));
  return project(
    out,
    out.columns.filter(({ name }) => !added.has(name)),
  );
}

function readsBefore(stage: EvalStage): boolean {
  return taken(stage).previous.length > 0;
}

export const evalOperator: StageOperator<EvalStage> = {
  computes,
  derives: readsBefore,
  relation: withPrevious,
  clickhouse: withPreviousClickHouse,
  batchTable,
  needsAllEvents: (stage) => (readsBefore(stage) ? 'prev or delta of events' : undefined),
};
