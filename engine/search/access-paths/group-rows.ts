/** Combines groups from rollups and from statements into the rows of the query's answer. */
import { type TopGroup, type TopGroups, mergeTop } from '../../index/rollup/merge.ts';
import { placedValues } from '../../index/rollup/placed-values.ts';
import type { RollupGroups } from '../../index/rollup/rollup-groups.ts';
import { ip6ToUuid, uuidToIp6 } from '../../query/values/address.ts';
import type { RawValue } from '../../query/values/raw-value.ts';
import { compareTexts } from '../../query/values/text-order.ts';
import type { ValueShape } from '../../query/values/values.ts';
import type { GroupQuestion } from './group-question.ts';

type GroupTotal = Pick<TopGroups, 'groups' | 'count'>;
type GroupValue = TopGroup['values'][number];

/**
 * The rows that the plan's own statement would return; undefined if a sum is too large to be exact.
 * @param total of all groups, if the sources give only the largest
 */
export function rowsOfGroups(
  question: GroupQuestion,
  sources: readonly RollupGroups[],
  limit: number,
  total?: GroupTotal,
): RawValue[][] | undefined {
  const { stage, dims, shown, shapes } = question;
  const first = stage === 'top' ? (shown[0] ?? 'count') : 'count';
  // A group without a value may be among the first, but `values` does not show it.
  const wanted = stage === 'top' ? question.limit : stage === 'values' ? limit + 1 : Infinity;
  const merged = mergeTop(sources, { dims, limit: wanted, by: first });
  const found = total === undefined ? merged : { ...merged, ...total };
  if (!found.exact) return undefined;
  const keys = ({ values }: TopGroup): RawValue[] =>
    values.flatMap((value, i) => partsOf(value, shapes[i]!));
  const measure = ({ count, sums }: Pick<TopGroup, 'count' | 'sums'>, column: 'count' | number) =>
    column === 'count' ? count : (sums[column] ?? null);
  switch (stage) {
    case 'top':
      return topRows(found, keys, (group) => measure(group, first));
    case 'values':
      return found.top
        .filter(({ values }) => values[0] !== null)
        .slice(0, limit)
        .map((group) => [...keys(group), group.count]);
    case 'stats': {
      const none: TopGroup = { values: [], count: 0, sums: question.sums.map(() => null) };
      const groups = dims.length === 0 && found.top.length === 0 ? [none] : [...found.top];
      groups.sort((a, b) => compareKeys(a.values, b.values));
      return groups
        .slice(0, limit)
        .map((group) => [...keys(group), ...shown.map((measured) => measure(group, measured))]);
    }
  }
}

/** Adds the columns that stages/top.ts has after its own: totals, and the events of each group. */
function topRows(
  found: TopGroups,
  keys: (group: TopGroup) => RawValue[],
  measure: (group: Pick<TopGroup, 'count' | 'sums'>) => number | null,
): RawValue[][] {
  const total = measure(found);
  return found.top.map((group) => {
    const measured = measure(group);
    const share = measured === null || total === null || total === 0 ? null : measured / total;
    return [...keys(group), measured, share, found.count, total, found.groups, group.count];
  });
}

/** A value, split into the parts in which a statement returns it. */
function partsOf(value: GroupValue, { parts }: ValueShape): RawValue[] {
  return parts.map(({ role }) => {
    if (value === null) return null;
    if (value instanceof Uint8Array) return role === 'v6' ? uuidOf(value) : null;
    return role === 'v6' ? null : value;
  });
}

function uuidOf(bytes: Uint8Array): string {
  return ip6ToUuid(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}

function bytesOf(uuid: string): Uint8Array {
  return Buffer.from(uuidToIp6(uuid).toString(16).padStart(32, '0'), 'hex');
}

function compareKeys(a: readonly GroupValue[], b: readonly GroupValue[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareValues(a[i] ?? null, b[i] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

/** Order of groups: numbers, IPv4 before IPv6, texts by their bytes, missing values last. */
function compareValues(a: GroupValue, b: GroupValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return typeof a === 'number' ? -1 : 1;
}

/**
 * Converts the groups of `compileGroups` to the form of a rollup's; undefined if a sum is too large.
 * @param rows values in the parts of `shapes`, events, sums
 */
export function groupsOfRows(
  { dims, shapes, sums }: GroupQuestion,
  rows: readonly (readonly RawValue[])[],
): RollupGroups | undefined {
  let at = 0;
  const keys = shapes.map(({ parts }) => {
    const from = at;
    at += parts.length;
    return rows.map((row) => valueOf(row.slice(from, from + parts.length), parts));
  });
  const counts = Uint32Array.from(rows, (row) => Number(row[at] ?? 0));
  const added: Float64Array[] = [];
  for (let i = 0; i < sums.length; i++) {
    const list = new Float64Array(rows.length);
    for (const [group, row] of rows.entries()) {
      const sum = row[at + 1 + i];
      if (sum === null || sum === undefined) continue;
      if (!Number.isSafeInteger(Number(sum)) || Number(sum) < 0) return undefined;
      list[group] = Number(sum) + 1;
    }
    added.push(list);
  }
  const placed = keys.map(placedValues);
  const values = placed.map((one) => one.values);
  const sizes = placed.map(({ size }) => size);
  const [first, second] = placed;
  if (first === undefined) {
    const none = rows.length === 0;
    return {
      ...{ dims, values, sizes, starts: undefined, seconds: undefined },
      counts: none ? new Uint32Array(1) : counts,
      sums: none ? sums.map(() => new Float64Array(1)) : added,
    };
  }
  const moved = (order: (group: number) => number, size: number) => {
    const to = new Uint32Array(size);
    const sumsTo = added.map(() => new Float64Array(size));
    for (let group = 0; group < rows.length; group++) {
      const place = order(group);
      to[place] = counts[group]!;
      added.forEach((list, i) => (sumsTo[i]![place] = list[group]!));
    }
    return { counts: to, sums: sumsTo };
  };
  if (second === undefined) {
    const { counts: firstCounts, sums: firstSums } = moved(
      (group) => first.places[group]!,
      first.size + 1,
    );
    return {
      ...{ dims, values, sizes, starts: undefined, seconds: undefined },
      ...{ counts: firstCounts, sums: firstSums },
    };
  }
  const starts = new Uint32Array(first.size + 2);
  for (const place of first.places) starts[place + 1]! += 1;
  for (let i = 0; i + 1 < starts.length; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice();
  const order = Uint32Array.from(first.places, (place) => next[place]!++);
  const seconds = new Uint32Array(rows.length);
  second.places.forEach((place, group) => (seconds[order[group]!] = place));
  return { dims, values, sizes, starts, seconds, ...moved((group) => order[group]!, rows.length) };
}

function valueOf(row: readonly RawValue[], parts: ValueShape['parts']): GroupValue {
  for (const [i, { role }] of parts.entries()) {
    const value = row[i];
    if (value === null || value === undefined) continue;
    if (role === 'v6') return bytesOf(String(value));
    return typeof value === 'string' ? value : Number(value);
  }
  return null;
}
