/** `host:*`: the field has a value. */
import { communityReader } from '../batch/values/community.ts';
import { presentIn } from '../batch/values/presence.ts';
import { KEEP, type RowFilter, each } from '../batch/row-filter.ts';
import { type RowScope, overflowNamed } from '../batch/row-scope.ts';
import { FALSE_SQL, TRUE_SQL, either as eitherSql } from '../dialect/clickhouse.ts';
import { communityClickHouse } from '../dialect/clickhouse-community.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { type Dimension, dimensionOf } from '../names/dimensions.ts';
import { type Field, refSql, addressTextClickHouse, refClickHouse } from '../names/fields.ts';
import { NO_COLUMN, TRUE, type Predicate, type Scope } from '../plan/scope.ts';
import { communitySql } from './community-id.ts';
import { nameText } from './describe.ts';
import { anyText, someText } from './field-texts.ts';
import { ANY_FLOW, flowClickHouse, flowColumns, flowSql, sidePresent } from './flow.ts';
import { keyFlags } from './key-flags.ts';
import { either } from './logic.ts';
import { namedTextRows } from './named-texts.ts';
import type { FilterOperator } from './operator.ts';

export interface PresentFilter {
  readonly filter: 'present';
  readonly field: Field;
}

function notNull(sql: string | undefined): Predicate {
  return sql === undefined ? NO_COLUMN : { sql: `${sql} IS NOT NULL` };
}

function presentSql(filter: PresentFilter, scope: Scope): Predicate {
  const { field } = filter;
  switch (field.type) {
    case 'number':
      return either(field.refs.map((ref) => notNull(refSql(ref, scope))));
    case 'time':
      // A segment of a day holds events of that day, so each has its time.
      if (scope.segment !== undefined && field.name === 'ts') {
        return { value: scope.segment.day !== 'undated', reason: 'time' };
      }
      return notNull(refSql(field.ref, scope));
    case 'text':
      return notNull(refSql(field.ref, scope));
    case 'address':
      return either(field.sides.map((side) => sidePresent(side, scope)));
    case 'attribute':
      return anyText(scope.attributesNamed(field.key), (sql) => `${sql} IS NOT NULL`);
    case 'virtual':
      if (field.ref !== undefined) return notNull(refSql(field.ref, scope));
      switch (field.name) {
        case 'attributes':
          return either([NO_COLUMN, ...scope.attributes().map(({ sql }) => notNull(sql))]);
        case 'community_id':
          return notNull(communitySql(scope));
        case 'flow':
          return flowSql(ANY_FLOW, scope);
        default:
          return TRUE;
      }
  }
}

function presentClickHouse({ field }: PresentFilter, scope: ClickHouseScope): string {
  const isThere = (sql: string): string => `${sql} IS NOT NULL`;
  switch (field.type) {
    case 'number':
      return eitherSql(field.refs.map((ref) => isThere(refClickHouse(ref, scope))));
    case 'time':
    case 'text':
      return isThere(refClickHouse(field.ref, scope));
    case 'address':
      return eitherSql(
        field.sides.map((side) => {
          const sql = addressTextClickHouse(side, scope);
          return sql === undefined ? FALSE_SQL : isThere(sql);
        }),
      );
    case 'attribute':
      return someText(scope.attributesNamed(field.key), isThere);
    case 'virtual':
      if (field.ref !== undefined) return isThere(refClickHouse(field.ref, scope));
      switch (field.name) {
        case 'attributes': {
          const all = scope.attributes();
          return all === undefined ? FALSE_SQL : `notEmpty(${all.sql})`;
        }
        case 'community_id':
          return isThere(communityClickHouse(scope));
        case 'flow':
          return flowClickHouse(ANY_FLOW, scope);
        default:
          return TRUE_SQL;
      }
  }
}

/** `kind:*` and the like are separate operators. */
const LISTED: ReadonlySet<string> = new Set(['kind', 'source', 'tag', 'day', 'last']);

function presentColumns({ field }: PresentFilter, scope: RowScope): RowFilter {
  switch (field.type) {
    case 'number':
      return presentIn(field.refs, scope);
    case 'time':
    case 'text':
      return presentIn([field.ref], scope);
    case 'address':
      return presentIn(
        field.sides.flatMap(({ v4, v6 }) => [v4, v6]),
        scope,
      );
    case 'attribute':
      return each(() => {
        const coded = scope.codedAttribute(field.key);
        const columns = coded === undefined ? scope.attributesNamed(field.key) : [coded];
        const overflow = scope.overflow();
        return (row) =>
          columns.some(({ present }) => present[row] === 1) ||
          (overflow?.present[row] === 1 && overflowNamed(overflow, row, field.key).length > 0);
      });
    case 'virtual':
      if (field.ref !== undefined) return presentIn([field.ref], scope);
      switch (field.name) {
        case 'attributes':
          return each(() => {
            const columns = scope.attributes();
            const overflow = scope.overflow();
            return (row) =>
              columns.some(({ present }) => present[row] === 1) || overflow?.present[row] === 1;
          });
        case 'flow':
          return flowColumns(ANY_FLOW, scope);
        case 'community_id':
          return each(() => {
            const read = communityReader(scope);
            return (row) => read(row) !== undefined;
          });
        default:
          return KEEP;
      }
  }
}

export const presentOperator: FilterOperator<PresentFilter> = {
  parse: ({ field, test }) =>
    test.test === 'present' && !(field.type === 'virtual' && LISTED.has(field.name))
      ? { filter: 'present', field }
      : undefined,
  describe: ({ field }) => `${nameText(field)}:*`,
  sql: presentSql,
  clickhouse: presentClickHouse,
  sqlCost: 'low',
  rows: ({ field }, _segment, known) =>
    field.type === 'text' ? namedTextRows(field.ref, known, () => true) : undefined,
  lookUpCost: () => 3,
  groups: ({ field }) => {
    const dim = dimensionOf(field);
    return (
      dim && {
        dim,
        presence: true,
        flags: (_, size) => keyFlags(size, (place) => place < size),
      }
    );
  },
  columns: presentColumns,
};

/** The dimension in which a condition requires any value; undefined for other conditions. */
export function presentDimension(filter: { readonly filter: string }): Dimension | undefined {
  return isPresent(filter) ? dimensionOf(filter.field) : undefined;
}

function isPresent<F extends { readonly filter: string }>(filter: F): filter is F & PresentFilter {
  return filter.filter === 'present';
}
