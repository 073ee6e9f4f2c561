/**
 * `community_id:1:…`: the attribute of that name if an event states it, otherwise computed from the addresses,
 * ports and protocol. https://github.com/corelight/community-id-spec
 */
import type { Test } from '../syntax/ast.ts';
import { communityReader } from '../batch/values/community.ts';
import { type RowFilter, each } from '../batch/row-filter.ts';
import { type RowScope, textOf } from '../batch/row-scope.ts';
import { matches as matchesThere, text as textThere } from '../dialect/clickhouse.ts';
import { communityClickHouse } from '../dialect/clickhouse-community.ts';
import { communityId, ip4Hex, ip6Hex, matches, nullOf } from '../dialect/duckdb.ts';
import { type Ref, refClickHouse, refSql } from '../names/fields.ts';
import { compilePattern } from '../re2/matcher.ts';
import { syntaxError } from '../syntax/query-error.ts';
import { NO_COLUMN, type Predicate, type Scope } from '../plan/scope.ts';
import type { FilterOperator } from './operator.ts';
import { checkLength, hasWildcard, valuePattern } from './wildcard.ts';

export interface CommunityFilter {
  readonly filter: 'community-id';
  readonly id: string;
  readonly wildcard: boolean;
  readonly ref: Ref | undefined;
}

function communityFilter(test: Test, at: number, ref: Ref | undefined): CommunityFilter {
  const text = test.test === 'word' || test.test === 'quoted' ? test.text : undefined;
  if (text === undefined || text.includes('\0')) {
    throw syntaxError('community_id takes one value', at, 'write community_id:1:…');
  }
  checkLength(text, at);
  const wildcard = test.test === 'word' && hasWildcard(text);
  return { filter: 'community-id', id: text.toWellFormed(), wildcard, ref };
}

/** The community ID of an event in a scope; undefined if no event can have one. */
export function communitySql(scope: Scope): string | undefined {
  const stated = scope.attribute('community_id');
  const proto = scope.column('proto');
  const sides = (['src', 'dst'] as const).map((side) => {
    const v4 = scope.column(`${side}_ip4`);
    const v6 = scope.column(`${side}_ip6`);
    const hex = [
      ...(v4 === undefined ? [] : [ip4Hex(v4)]),
      ...(v6 === undefined ? [] : [ip6Hex(v6)]),
    ];
    return hex.length < 2 ? hex[0] : `coalesce(${hex.join(', ')})`;
  });
  const [source, target] = sides;
  if (proto === undefined || source === undefined || target === undefined) return stated;
  const computed = communityId({
    source,
    target,
    proto,
    sourcePort: scope.column('src_port') ?? nullOf('USMALLINT'),
    targetPort: scope.column('dst_port') ?? nullOf('USMALLINT'),
  });
  return stated === undefined ? computed : `coalesce(${stated}, ${computed})`;
}

function communityIdSql(filter: CommunityFilter, scope: Scope): Predicate {
  const sql = filter.ref === undefined ? communitySql(scope) : refSql(filter.ref, scope);
  if (sql === undefined) return NO_COLUMN;
  // Base64: capitals and small letters are different ones.
  if (filter.wildcard)
    return { sql: matches(sql, scope.params.text(valuePattern(filter.id, true)), false) };
  return { sql: `${sql} = ${scope.params.text(filter.id)}` };
}

const utf8 = new TextEncoder();

function communityIdColumns({ id, wildcard, ref }: CommunityFilter, scope: RowScope): RowFilter {
  const matcher = wildcard ? compilePattern(valuePattern(id, true), false) : undefined;
  const matches = (text: string | undefined): boolean => {
    if (text === undefined) return false;
    if (matcher === undefined) return text === id;
    const bytes = utf8.encode(text);
    return matcher.test(bytes, 0, bytes.length);
  };
  return each(() => {
    if (ref === undefined) {
      const read = communityReader(scope);
      return (row) => matches(read(row));
    }
    const column = scope.column(ref);
    return (row) => column?.type === 'text' && matches(textOf(column, row));
  });
}

export const communityIdOperator: FilterOperator<CommunityFilter> = {
  parse: ({ field, test, at }) =>
    field.type === 'virtual' && field.name === 'community_id'
      ? communityFilter(test, at, field.ref)
      : undefined,
  describe: ({ id }) => `community_id:${id}`,
  sql: communityIdSql,
  clickhouse: ({ id, wildcard, ref }, scope) => {
    const sql = ref === undefined ? communityClickHouse(scope) : refClickHouse(ref, scope);
    return wildcard
      ? matchesThere(sql, valuePattern(id, true), false)
      : `${sql} = ${textThere(id)}`;
  },
  sqlCost: 'high',
  lookUpCost: () => 0,
  columns: communityIdColumns,
};
