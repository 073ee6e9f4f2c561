/**
 * What a segment's index of values says of a list: the rows of each group by its addresses, hosts and
 * programs. Where a group has other keys as well its rows must still be compared with it.
 */
import type { ValueLookup } from '../../index/segment-indexes.ts';
import type { ListFilter } from '../filters/list.ts';
import type { KeyValues, ListGroup, ListKey } from '../lists/match-list.ts';
import { type SegmentInfo, mayHaveAttribute } from '../scope.ts';
import type { LeafRows } from './leaf-rows.ts';
import { type Rows, countOf, intersect, rowsOf, unite } from './rows.ts';

/** Candidates beyond this part of the rows are found sooner by joining all rows with the list. */
const MOST_CANDIDATES = 1 / 32;
/** A list of more than one line for so many rows is joined with them. */
const ROWS_A_LINE = 2000;
/** Pages of the index beyond this part of a column are no shorter way to candidates. */
const MOST_LOOKED_UP = 1 / 4;

export function listRows(
  { list }: ListFilter,
  segment: SegmentInfo,
  values: ValueLookup | undefined,
): LeafRows | undefined {
  if (values === undefined || list.columnGroups.some((group) => isLong(group, segment)))
    return undefined;
  let rows: Rows = 'none';
  let exact = true;
  for (const group of list.columnGroups) {
    const found = groupRows(group, segment, values);
    if (found === undefined) return undefined;
    rows = unite(rows, found.rows);
    exact &&= found.exact;
  }
  if (!exact && countOf(rows, segment.rows) > segment.rows * MOST_CANDIDATES) return undefined;
  return { rows, exact };
}

/** Many rows of several keys: some value of each is nearly everywhere. */
function isLong({ keys, lines }: ListGroup, { rows }: SegmentInfo): boolean {
  return keys.length > 1 && lines.length * ROWS_A_LINE > rows;
}

function groupRows(
  group: ListGroup,
  segment: SegmentInfo,
  values: ValueLookup,
): LeafRows | undefined {
  const { keys } = group;
  if (keys.some(({ key }) => isMissing(key, segment))) return { rows: 'none', exact: true };
  const alone = keys.length === 1;
  let rows: Rows = 'all';
  let served = false;
  for (const one of keys) {
    const found = keyRows(one, segment, values, alone);
    if (found === undefined) continue;
    served = true;
    rows = intersect(rows, found);
    if (rows === 'none') return { rows, exact: true };
  }
  return served ? { rows, exact: alone } : undefined;
}

/** Whether no event of a segment has a value of a key. */
function isMissing(key: ListKey, segment: SegmentInfo): boolean {
  return 'column' in key && !segment.columns.has(key.column) && !isShared(key, segment);
}

/** Whether a segment may have the name of a key's column as an attribute as well. */
function isShared(key: ListKey, { columns }: SegmentInfo): boolean {
  return (
    key.key === 'text' && key.attribute !== undefined && mayHaveAttribute(columns, key.attribute)
  );
}

function keyRows(
  given: KeyValues,
  segment: SegmentInfo,
  index: ValueLookup,
  alone: boolean,
): Rows | undefined {
  const { key } = given;
  const { rows: total } = segment;
  if (isShared(key, segment)) return undefined;
  if (key.key === 'address4') {
    const ranges = given.asRanges();
    const most = index.mostOfIp4List(key.column, ranges);
    if (most === undefined || (!alone && most > total * MOST_LOOKED_UP)) return undefined;
    const found = index.rowsOfIp4List(key.column, ranges);
    return found && rowsOf(found);
  }
  if (key.key === 'text' && (key.column === 'host' || key.column === 'program')) {
    const found = index.rowsOfText(key.column, (text) => given.hasText(text));
    return found && rowsOf(found);
  }
  return undefined;
}
