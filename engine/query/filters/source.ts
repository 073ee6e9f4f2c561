/** `source:fw.log`, `source:*.gz`: events of sources with this name, or this last part of their path. */
import type { Test } from '../syntax/ast.ts';
import { type RowFilter, each } from '../batch/row-filter.ts';
import { type RowScope, numberAt } from '../batch/row-scope.ts';
import { number, oneOf } from '../dialect/clickhouse.ts';
import { type Ref, refSql, refClickHouse } from '../names/fields.ts';
import { QueryError, didYouMean, shown } from '../syntax/query-error.ts';
import type { Predicate, Scope } from '../plan/scope.ts';
import { describeAny } from './describe.ts';
import type { FilterOperator } from './operator.ts';
import type { Named } from './surroundings.ts';
import { wildcardMatcher } from './wildcard.ts';

export interface SourceFilter {
  readonly filter: 'source';
  readonly ids: readonly number[];
  readonly ref: Ref | undefined;
}

/**
 * The whole name, or its last parts after a `/` or `!`. A name without wildcards that no source has is an error.
 */
function sourceFilter(
  test: Test,
  sources: readonly Named[],
  at: number,
  ref: Ref | undefined,
): SourceFilter {
  if (test.test === 'present') return { filter: 'source', ids: sources.map(({ id }) => id), ref };
  if (test.test !== 'word' && test.test !== 'quoted') {
    throw new QueryError('query-syntax', `source takes a name at column ${at + 1}`, at);
  }
  const matches = wildcardMatcher(test.text, test.test === 'word');
  const found = sources.filter(
    ({ name }) => matches(name) || tails(name).some((tail) => matches(tail)),
  );
  if (found.length === 0) {
    throw new QueryError(
      'unknown-name',
      `no source is named ${shown(test.text)} (column ${at + 1})`,
      at,
      didYouMean(
        test.text,
        sources.map(({ name }) => name),
      ),
    );
  }
  return { filter: 'source', ids: found.map(({ id }) => id), ref };
}

function tails(name: string): string[] {
  const out: string[] = [];
  for (let i = 0; i < name.length; i++) {
    if (name[i] === '/' || name[i] === '!') out.push(name.slice(i + 1));
  }
  return out;
}

function sourceSql(filter: SourceFilter, scope: Scope): Predicate {
  let ids = filter.ids;
  const { segment } = scope;
  if (segment !== undefined && filter.ref === undefined) {
    ids = ids.filter((id) => segment.sources.has(id));
    if (ids.length === 0) return { value: false, reason: 'source' };
    if (ids.length === segment.sources.size) return { value: true, reason: 'source' };
  }
  const sql = filter.ref === undefined ? scope.column('source_id') : refSql(filter.ref, scope);
  if (sql === undefined || ids.length === 0) return { value: false, reason: 'source' };
  const list = ids.map((id) => scope.params.bind(id, 'UINTEGER')).join(', ');
  return { sql: `${sql} IN (${list})` };
}

function sourceColumns({ ids, ref }: SourceFilter, scope: RowScope): RowFilter {
  const wanted = new Set<number | undefined>(ids);
  return each(() => {
    const column = scope.column(ref ?? { column: 'source_id' });
    return (row) => wanted.has(numberAt(column, row));
  });
}

export const sourceOperator: FilterOperator<SourceFilter> = {
  parse: ({ field, test, at, around }) =>
    field.type === 'virtual' && field.name === 'source'
      ? sourceFilter(test, around.sources(), at, field.ref)
      : undefined,
  describe: ({ ids }) => describeAny('source', ids.map(String)),
  sql: sourceSql,
  clickhouse: ({ ids, ref }, scope) =>
    oneOf(ref === undefined ? 'source_id' : refClickHouse(ref, scope), ids.map(number)),
  sqlCost: 'low',
  lookUpCost: () => 0,
  columns: sourceColumns,
};
