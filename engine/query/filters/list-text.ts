/** The addresses of a list, written anywhere in the text of an event. */
import { formatIp4 } from '../values/address.ts';
import type { CandidateRows, SegmentView } from '../plan/known-rows/index-view.ts';
import { type MatchList, isWritten } from '../lists/match-list.ts';
import { type Rows, unite } from '../plan/known-rows/rows.ts';
import type { Predicate, Scope, SegmentInfo } from '../plan/scope.ts';
import { addressTextFilter } from './address-text.ts';
import { groupSql } from './list.ts';
import { listedAddresses } from './listed-addresses.ts';
import { either } from './logic.ts';
import type { FilterOperator } from './operator.ts';
import { type TextFilter, textFilter, textRows, textsClickHouse } from './text.ts';

export interface ListTextFilter {
  readonly filter: 'list-text';
  readonly list: MatchList;
}

function listTextSql({ list }: ListTextFilter, scope: Scope): Predicate {
  return either(list.groups.filter(isWritten).map((group) => groupSql(group, scope)));
}

/** With more addresses than this, reading the rows is faster. */
const FEW_ADDRESSES = 256;

/** Rows with an address of a list in their text. */
function listTextRows(
  { list }: ListTextFilter,
  segment: SegmentInfo,
  known: SegmentView,
): CandidateRows | undefined {
  const groups = list.groups.filter(isWritten);
  const count = groups.reduce((sum, { lines }) => sum + lines.length, 0);
  if (known.indexes.text === undefined || count > FEW_ADDRESSES) return undefined;
  let rows: Rows = 'none';
  let exact = true;
  for (const { keys } of groups)
    for (const { key, values } of keys)
      for (const value of values) {
        if (key.key !== 'written4') return undefined;
        const found = textRows(writtenFilter(Number(value), key.prefix), segment, known);
        if (found === undefined) return undefined;
        rows = unite(rows, found.rows);
        exact &&= found.exact;
      }
  return { rows, exact };
}

/** Looks for the addresses of a block, from its lowest, in the text of events. */
export function writtenFilter(low: number, prefix: number): TextFilter {
  if (prefix === 32) return textFilter(formatIp4(low), true, 0, undefined);
  return addressTextFilter({ version: 4, low, high: low + 2 ** (32 - prefix) - 1 }, undefined);
}

export const listTextOperator: FilterOperator<ListTextFilter> = {
  describe: ({ list }) => `an address of the list of ${list.lines.length} in the text`,
  sql: listTextSql,
  clickhouse: ({ list }, scope) => {
    const written = list.groups.filter(isWritten).flatMap(({ keys }) => keys);
    return textsClickHouse(
      written.flatMap(({ key, values }) =>
        key.key === 'written4'
          ? Array.from(values, (value) => writtenFilter(Number(value), key.prefix))
          : [],
      ),
      scope,
    );
  },
  sqlCost: 'high',
  rows: listTextRows,
  lookUpCost: () => 30,
  record: ({ list }) => listedAddresses(list),
};
