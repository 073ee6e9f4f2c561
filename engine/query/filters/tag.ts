/** `tag:lateral`, `tag:ioc*`, `tag:*`: events with such a tag. */
import type { Test } from '../syntax/ast.ts';
import { NONE } from '../batch/row-filter.ts';
import { FALSE_SQL, oneOf, text } from '../dialect/clickhouse.ts';
import { type Ref, refSql, refClickHouse } from '../names/fields.ts';
import { QueryError, didYouMean, shown } from '../syntax/query-error.ts';
import type { CandidateRows, SegmentView } from '../plan/known-rows/index-view.ts';
import { type Rows, rowsOf, unite } from '../plan/known-rows/rows.ts';
import type { Predicate, Scope, SegmentInfo } from '../plan/scope.ts';
import { describeAny } from './describe.ts';
import type { FilterOperator } from './operator.ts';
import type { Named } from './surroundings.ts';
import { hasWildcard, wildcardMatcher } from './wildcard.ts';

export interface TagFilter {
  readonly filter: 'tag';
  readonly ids: readonly number[];
  readonly ref: Ref | undefined;
}

/** A tag without wildcards that does not exist is an error, as a mistyped field is. */
function tagFilter(
  test: Test,
  tags: readonly Named[],
  at: number,
  ref: Ref | undefined,
): TagFilter {
  if (test.test === 'present') return { filter: 'tag', ids: tags.map(({ id }) => id), ref };
  if (test.test !== 'word' && test.test !== 'quoted') {
    throw new QueryError('query-syntax', `tag takes a name at column ${at + 1}`, at);
  }
  const wild = test.test === 'word' && hasWildcard(test.text);
  const matches = wildcardMatcher(test.text, wild);
  const found = tags.filter(({ name }) => matches(name));
  if (found.length === 0 && !wild) {
    throw new QueryError(
      'unknown-name',
      `there is no tag ${shown(test.text)} (column ${at + 1})`,
      at,
      didYouMean(
        test.text,
        tags.map(({ name }) => name),
      ),
    );
  }
  return { filter: 'tag', ids: found.map(({ id }) => id), ref };
}

function tagSql(filter: TagFilter, scope: Scope): Predicate {
  if (filter.ref === undefined) return scope.tagged(filter.ids);
  const sql = refSql(filter.ref, scope);
  if (sql === undefined || filter.ids.length === 0) return { value: false, reason: 'tag' };
  return {
    sql: `${sql} IN (${filter.ids.map((id) => scope.params.bind(id, 'INTEGER')).join(', ')})`,
  };
}

function tagRows(
  { ids, ref }: TagFilter,
  { tags }: SegmentInfo,
  { marked }: SegmentView,
): CandidateRows | undefined {
  if (ref !== undefined) return undefined;
  let rows: Rows = 'none';
  for (const id of ids) if (tags.has(id)) rows = unite(rows, rowsOf(marked(id)));
  return { rows, exact: true };
}

export const tagOperator: FilterOperator<TagFilter> = {
  parse: ({ field, test, at, around }) =>
    field.type === 'virtual' && field.name === 'tag'
      ? tagFilter(test, around.tags, at, field.ref)
      : undefined,
  describe: ({ ids }) => describeAny('tag', ids.map(String)),
  sql: tagSql,
  clickhouse: ({ ids, ref }, scope) => {
    if (ref !== undefined) return oneOf(refClickHouse(ref, scope), ids.map(String));
    const names = scope.tagNames(ids).map(text);
    if (names.length === 0 || !scope.events) return FALSE_SQL;
    return `event_id IN (SELECT event_id FROM ${scope.table('tags')} WHERE ${oneOf('tag', names)})`;
  },
  sqlCost: 'high',
  rows: tagRows,
  lookUpCost: () => 2,
  // Events that are not stored have no tags.
  columns: () => NONE,
};
