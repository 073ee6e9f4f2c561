/**
 * Converts a syntax tree to a plan: the question, its segments, the access path, and the shape of the answer.
 *
 * Invariant: every error in a query is found here, before any SQL runs.
 */
import type { EpochMicros } from '../../contract/event.ts';
import { daysOfAll } from '../../util/segment-days.ts';
import { Params } from '../dialect/duckdb.ts';
import { conjuncts, type Filter, listFilter } from '../filters/filter.ts';
import { isTime } from '../filters/time.ts';
import { eventFields, resolvedAside } from '../names/fields.ts';
import { severalValues } from '../names/several-values.ts';
import { endTakenBy, isAggregating, stageOperatorOf } from '../stages/stages.ts';
import { allColumns } from '../statements/events.ts';
import type { TableColumn } from '../statements/relation.ts';
import type { Ast } from '../syntax/ast.ts';
import { parseQuery } from '../syntax/parse.ts';
import { withClock } from '../time/clock-fields.ts';
import { analyse, withExpressions } from './analyse.ts';
import {
  chooseSegments,
  daysWithin,
  packetsBeneath,
  usable,
  wholeRows,
} from './choose-segments.ts';
import { type EventsNode, filtersOf } from './events-node.ts';
import {
  buildTable,
  eventContext,
  gridOf,
  needsRange,
  relationOf,
  shapeOfAnswer,
  surroundings,
} from './plan-tables.ts';
import { type CompileContext, type Plan, timelineOf } from './plan.ts';
import { columnSets, type SegmentInfo } from './scope.ts';
import { conjunction, derivesIn, rowColumns, shapeEvents, whereNode } from './shape-events.ts';

/** Plans a query. Throws QueryError (a DaybookError) for every error in it. */
export function planQuery(query: Ast | string, given: CompileContext): Plan {
  const context = { ...given, segments: usable(given.segments) };
  const ast = typeof query === 'string' ? parseQuery(query) : query;
  const unlisted = new Set<string>();
  const readings = new Set(ast.readings);
  const stored = withClock(eventFields(context.segments, unlisted), context.zone, unlisted);
  const split = ast.stages.findIndex(isAggregating);
  const shaping = split < 0 ? ast.stages : ast.stages.slice(0, split);
  const stages = split < 0 ? [] : ast.stages.slice(split);
  const around = surroundings(context, readings, unlisted);
  const shaped = shapeEvents(ast, shaping, withExpressions(stored, around), around, context);
  const { resolve } = shaped;
  const about = stages[0] && stageOperatorOf(stages[0]).about?.(stages[0]);
  const asked =
    about === undefined ? shaped.events : whereNode(shaped.events, analyse(about, resolve, around));
  const events = restrictions(context).reduce<EventsNode>(held, asked);
  const params = new Params();
  const filters = filtersOf(events);
  const { used, pruned, whole, samples } = chooseSegments(filters, context.segments, params);

  const derived = stages.length === 0 && shaping.some((stage) => derivesIn(stage, context));
  const rowsShape = stages.length === 0 && !derived;
  const range = timeBounds(filters);
  const first = stages[0];
  const countOnly = first?.stage === 'count' && stages.length === 1;
  const byCatalog = countOnly && whole && events.node === 'base';
  const flat = flatten(events);
  const extent = { columns: allColumns(used), tagIds: context.tags.map(({ id }) => id) };
  const plan: Plan = {
    ast,
    shape: derived ? 'table' : shapeOfAnswer(stages),
    path: byCatalog || used.length === 0 ? 'catalog' : 'scan',
    catalogCount: byCatalog ? sum(used.map((segment) => wholeRows(segment, filters))) : undefined,
    needs: [],
    segmentsUsed: used,
    prunedSegments: pruned,
    days: { total: daysOfAll(context.segments).length, used: daysWithin(used, range) },
    rowsExamined: byCatalog ? 0 : sum(used.map(({ rows }) => rows)),
    packetsBeneath: packetsBeneath(filters, context.segments, params),
    streaming: rowsShape && flat !== undefined,
    limit: rowsShape ? flat?.limit : undefined,
    ...{ projection: shaped.projection, computed: shaped.computed, hidden: shaped.hidden },
    ...{ rowColumns: derived ? rowColumns(shaped, extent) : undefined, tableColumns: [] },
    range,
    needsRange: false,
    filters,
    events: rowsShape && flat !== undefined ? flat.base : events,
    resolve,
    resolveShown: resolvedAside(resolve, unlisted),
    unlisted,
    readings,
    extent,
    stages,
    context,
  };
  const built = buildOnce(plan, samples, rowsShape);
  const sets = columnSets(samples);
  const chosen = severalValues(stages, plan.projection ?? [], sets, resolve);
  for (const reading of chosen) readings.add(reading);
  return { ...plan, ...built, needsRange: needsRange(plan, whole) };
}

/** Conditions of the view in addition to its query. */
function restrictions({ list, exclude, arrived, notBefore }: CompileContext): Filter[] {
  const filters: Filter[] = [];
  if (list !== undefined) filters.push(listFilter(list));
  if (exclude !== undefined) filters.push({ filter: 'not', item: listFilter(exclude) });
  if (arrived !== undefined) filters.push({ filter: 'arrived', ...arrived });
  if (notBefore !== undefined) filters.push(fromTime(notBefore));
  return filters;
}

/** Builds the statement once, to find errors in the query and the columns it reads and returns. */
function buildOnce(
  plan: Plan,
  samples: readonly SegmentInfo[],
  rowsShape: boolean,
): Pick<Plan, 'tableColumns' | 'needs'> {
  const needs = new Set<string>();
  const noting = samples.map((segment) => ({
    ...segment,
    columns: new Noting(segment.columns, needs),
  }));
  const noted: Plan = { ...plan, segmentsUsed: noting };
  let tableColumns: readonly TableColumn[] = [];
  if (rowsShape) {
    relationOf(plan.events, eventContext(noted, noting, new Params()), new Set()).sql();
    for (const field of plan.projection ?? []) plan.resolve(field);
  } else {
    tableColumns = buildTable(noted, new Params(), undefined).columns;
    const { from, to } = plan.range;
    const at = from ?? (to === undefined ? 0 : to - 1);
    const matched = { low: at, high: at };
    if (timelineOf(plan) !== undefined) buildTable(noted, new Params(), gridOf(noted, matched));
  }
  return { tableColumns, needs: [...needs].sort() };
}

function fromTime(to: EpochMicros): Filter {
  return {
    filter: 'not',
    item: { filter: 'time', ref: { column: 'ts' }, from: undefined, to },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Events that meet a condition as well, before any of them are chosen. */
function held(node: EventsNode, filter: Filter): EventsNode {
  switch (node.node) {
    case 'base':
      return { node: 'base', filter: conjunction([node.filter, filter]) };
    case 'union':
      return { ...node, left: held(node.left, filter), right: held(node.right, filter) };
    default:
      return { ...node, of: held(node.of, filter) };
  }
}

/** A filter with nothing but `head` after it. */
function flatten(node: EventsNode): { base: EventsNode; limit: number | undefined } | undefined {
  if (node.node === 'base') return { base: node, limit: undefined };
  const taken = node.node === 'stage' ? endTakenBy(node.stage) : undefined;
  if (node.node !== 'stage' || taken?.end !== 'first') return undefined;
  const inner = flatten(node.of);
  if (inner === undefined) return undefined;
  return { base: inner.base, limit: Math.min(inner.limit ?? Infinity, taken.count) };
}

/** The range that every event of the filters is in. */
function timeBounds(filters: readonly Filter[]): Plan['range'] {
  const each = filters.map((filter) => {
    const times = conjuncts(filter).filter(isTime);
    const from = times.flatMap((time) => time.from ?? []);
    const to = times.flatMap((time) => time.to ?? []);
    return {
      from: from.length === 0 ? undefined : Math.max(...from),
      to: to.length === 0 ? undefined : Math.min(...to),
    };
  });
  return {
    from: each.reduce<number | undefined>(
      (least, { from }, i) =>
        i === 0
          ? from
          : least === undefined || from === undefined
            ? undefined
            : Math.min(least, from),
      undefined,
    ),
    to: each.reduce<number | undefined>(
      (most, { to }, i) =>
        i === 0 ? to : most === undefined || to === undefined ? undefined : Math.max(most, to),
      undefined,
    ),
  };
}

/** A set of columns that records which of its members were requested. */
class Noting extends Set<string> {
  private readonly asked: Set<string> | undefined;
  constructor(columns: ReadonlySet<string>, asked: Set<string>) {
    super(columns);
    this.asked = asked;
  }
  override has(name: string): boolean {
    const there = super.has(name);
    if (there) this.asked?.add(name);
    return there;
  }
}
