/** `kind:flow`, `kind:(dns OR http)`, `kind:*`: which kinds of events. A segment has one kind. */
import { KINDS, type Kind } from '../../contract/event.ts';
import type { Test } from '../syntax/ast.ts';
import { KEEP, NONE } from '../batch/row-filter.ts';
import { oneOf, text, TRUE_SQL } from '../dialect/clickhouse.ts';
import { type Ref, refSql, refClickHouse } from '../names/fields.ts';
import { QueryError, didYouMean, shown } from '../syntax/query-error.ts';
import type { Predicate, Scope } from '../plan/scope.ts';
import { describeAny } from './describe.ts';
import type { FilterOperator } from './operator.ts';
import { wildcardMatcher } from './wildcard.ts';

export interface KindFilter {
  readonly filter: 'kind';
  readonly kinds: readonly Kind[];
  readonly ref: Ref | undefined;
}

function kindFilter(test: Test, at: number, ref: Ref | undefined): KindFilter {
  let kinds: readonly Kind[];
  if (test.test === 'present') kinds = KINDS;
  else if (test.test === 'word' || test.test === 'quoted') {
    const matches = wildcardMatcher(test.text, test.test === 'word');
    kinds = KINDS.filter(matches);
    if (kinds.length === 0) {
      throw new QueryError(
        'query-syntax',
        `unknown kind ${shown(test.text)} at column ${at + 1}`,
        at,
        didYouMean(test.text, KINDS) ?? `kinds are ${KINDS.join(', ')}`,
      );
    }
  } else {
    throw new QueryError(
      'query-syntax',
      `kind takes a name at column ${at + 1}`,
      at,
      `kinds are ${KINDS.join(', ')}`,
    );
  }
  return { filter: 'kind', kinds, ref };
}

function kindSql(filter: KindFilter, scope: Scope): Predicate {
  if (filter.ref === undefined && scope.segment !== undefined) {
    return { value: filter.kinds.includes(scope.segment.kind), reason: 'kind' };
  }
  const sql = filter.ref === undefined ? scope.kind() : refSql(filter.ref, scope)!;
  const list = filter.kinds.map((kind) => scope.params.text(kind)).join(', ');
  return { sql: `${sql} IN (${list})` };
}

export const kindOperator: FilterOperator<KindFilter> = {
  parse: ({ field, test, at }) =>
    field.type === 'virtual' && field.name === 'kind' ? kindFilter(test, at, field.ref) : undefined,
  describe: ({ kinds }) => (kinds.length === KINDS.length ? 'kind:*' : describeAny('kind', kinds)),
  sql: kindSql,
  clickhouse: ({ kinds, ref }, scope) =>
    kinds.length === KINDS.length && ref === undefined
      ? TRUE_SQL
      : oneOf(ref === undefined ? 'kind' : refClickHouse(ref, scope), kinds.map(text)),
  sqlCost: 'low',
  lookUpCost: () => 0,
  columns: ({ kinds }, { kind }) => (kind !== undefined && kinds.includes(kind) ? KEEP : NONE),
  ofKind: ({ kinds, ref }, kind) => (ref === undefined ? kinds.includes(kind) : undefined),
};
