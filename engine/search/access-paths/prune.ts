/**
 * Restricts a plan to the rows that its events may be in, so that its statements read no others. The answers stay
 * the same.
 */
import {
  bitsOfRows,
  listedByRow,
  micros,
  Params,
  segmentTable,
} from '../../query/dialect/duckdb.ts';
import { ALL, type Filter, compileFilter, conjuncts } from '../../query/filters/filter.ts';
import { both } from '../../query/filters/logic.ts';
import { undecided } from '../../query/filters/undecided.ts';
import type { EventsNode } from '../../query/plan/events-node.ts';
import type { Plan } from '../../query/plan/plan.ts';
import { type SegmentInfo, judgingScope, segmentScope } from '../../query/plan/scope.ts';
import type { Statement } from '../../query/statements/statements.ts';
import { type StoredMessages, storedScope } from '../../query/statements/stored-messages.ts';
import { boundsOf } from './bounds.ts';
import type { Found, FoundRows } from '../../query/plan/known-rows/found.ts';
import { readsAll } from '../../query/plan/plan-reads.ts';
import {
  mostListed,
  rowsOfBits,
  rowsPredicate,
} from '../../query/plan/known-rows/row-predicate.ts';
import { comparesValues, isCheap } from './filter-cost.ts';
import type { SegmentAccess } from './segment-access.ts';
import {
  type Rows,
  complement,
  countOf,
  endsOf,
  intersect,
  rowsOf,
} from '../../query/plan/known-rows/rows.ts';

/** What is known about the rows of `segment` that match the filter `given`. */
export function findRows(given: Filter, segment: SegmentInfo, known: SegmentAccess): FoundRows {
  const params = new Params();
  const left = segment.hasDeletes ? complement(rowsOf(known.marked(0))) : 'all';
  const scope = judgingScope(segment, params);
  const verdict = compileFilter(given, scope);
  if (!('sql' in verdict)) {
    const rows = verdict.value ? left : 'none';
    return { rows, exact: true, rest: ALL, by: 'catalog' };
  }
  const filter = undecided(given, scope);
  const bounds = boundsOf(filter, segment, known, params);
  const rows = intersect(bounds.maybe, left);
  if (rows === 'none') return { rows, exact: true, rest: ALL, by: 'index' };
  const { exact, rest } = bounds;
  const by = !exact && bounds.maybe === 'all' ? 'scan' : 'index';
  const compares =
    isCheap(filter) || (isFrequent(filter) && countOf(rows, segment.rows) * OFTEN > segment.rows);
  return { rows, exact, rest, by, asFilter: compares && isWide(rows, segment.rows) };
}

/**
 * If at least one in this many rows may have a value, every block of the column is read anyway; DuckDB then
 * compares the distinct values of a block, which is faster than selecting rows.
 */
const OFTEN = 256;

function isFrequent(filter: Filter): boolean {
  return conjuncts(filter).every(comparesValues);
}

/**
 * Sets that extend over a larger part of the segment, and are not a run of rows, take longer to test than values
 * do.
 */
const WIDE = 1 / 2;

function isWide(rows: Rows, total: number): boolean {
  const count = countOf(rows, total);
  const ends = endsOf(rows, total);
  if (typeof rows === 'string' || ends === undefined) return false;
  const span = ends.last - ends.first + 1;
  return span > count && span > total * WIDE && count > mostListed(span);
}

/** @param found by filter of `filtersOf`, then by segment; a segment without an entry is not pruned */
export function pruned(plan: Plan, found: ReadonlyMap<Filter, Found>): Plan {
  const held = (node: EventsNode): EventsNode => {
    switch (node.node) {
      case 'base':
        return { ...node, found: found.get(node.filter) };
      case 'union':
        return { ...node, left: held(node.left), right: held(node.right) };
      default:
        return { ...node, of: held(node.of) };
    }
  };
  return { ...plan, events: held(plan.events) };
}

/** Rows that must be read to decide which of them match. */
export interface Candidates {
  readonly segment: SegmentInfo;
  readonly found: FoundRows;
  /** Undefined: unknown, or stored whole. */
  readonly messages?: StoredMessages | undefined;
}

/** For fewer rows, messages are assembled without looking at how they are stored. */
const FEW_MESSAGES = 2048;

/** Whether knowing how a segment stores its messages helps to decide which rows match. */
export function readsMessages({ cut, rows: total }: SegmentInfo, found: FoundRows): boolean {
  const { exact, rest, rows } = found;
  return cut === true && !exact && !isCheap(rest) && countOf(rows, total) >= FEW_MESSAGES;
}

/** Statement that returns, for each segment, `segment` and the bits of the rows that match the filters. */
export function compileVerify(candidates: readonly Candidates[]): Statement {
  const params = new Params();
  const parts = candidates.map(({ segment, found, messages }) => {
    const stored = messages && storedScope(segment, messages, params);
    const scope = stored?.scope ?? segmentScope(segment, params);
    // If all rows are read, the rest of the filter is enough: the bits of other rows are removed afterwards.
    const where = both(
      readsAll(found)
        ? [compileFilter(found.rest, scope)]
        : [rowsPredicate(found.rows, scope.params), compileFilter(found.rest, scope)],
    );
    const condition = 'sql' in where ? where.sql : where.value ? 'TRUE' : 'FALSE';
    const table = stored?.table ?? segmentTable(segment, condition);
    return `SELECT ${params.bind(segment.id, 'INTEGER')} AS segment, ${bitsOfRows(segment.rows)} AS bits FROM ${table} WHERE ${condition}`;
  });
  return { ...params.finish(parts.join('\nUNION ALL\n')), columns: [] };
}

/** Matching rows of a segment, decoded from the result of `compileVerify`. */
export function verified(bits: unknown, segment: SegmentInfo, found: FoundRows): FoundRows {
  const read = rowsOfBits(bits, segment.rows);
  const rows = readsAll(found) ? intersect(read, found.rows) : read;
  const asFilter = found.asFilter === true && isWide(rows, segment.rows);
  return { ...exactly(rows, found), asFilter };
}

/** Removes the candidates that did not match. */
export function exactly(rows: Rows, found: FoundRows): FoundRows {
  return { rows, exact: true, rest: ALL, by: found.by };
}

/** Statement that returns, for each segment, `segment` and the times of its rows in microseconds, in row order. */
export function compileTimes(segments: readonly SegmentInfo[]): Statement {
  const params = new Params();
  const parts = segments.map(
    (segment) =>
      `SELECT ${params.bind(segment.id, 'INTEGER')} AS segment, ${listedByRow(micros('ts'))} AS times FROM ${segmentTable(segment, 'ts')}`,
  );
  return { ...params.finish(parts.join('\nUNION ALL\n')), columns: [] };
}
