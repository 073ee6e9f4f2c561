/** Converts a plan to relations and tables, for statements and for batches. */
import type { Params } from '../dialect/duckdb.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import { extendedTable, tableOfRows } from '../stages/computed-columns.ts';
import { countTable } from '../stages/count.ts';
import type { Shape } from '../stages/operator.ts';
import { chooseRows, derives, stageOperatorOf } from '../stages/stages.ts';
import { unionRelation } from '../stages/union.ts';
import { whereRelation } from '../stages/where.ts';
import { type EventContext, filterInput, filterRelation } from '../statements/events.ts';
import type { GroupParts } from '../statements/group-parts.ts';
import {
  type Input,
  type Relation,
  relationInput,
  type Table,
  tableRelation,
} from '../statements/relation.ts';
import type { Stage } from '../syntax/ast.ts';
import { QueryError } from '../syntax/query-error.ts';
import { EVEN_BUCKETS, type Grid, makeGrid, type MatchedRange } from '../time/grid.ts';
import type { TimeSpan } from '../time/time.ts';
import { zoneOffset } from '../time/zone.ts';
import { withExpressions } from './analyse.ts';
import type { EventsNode } from './events-node.ts';
import { type CompileContext, type Plan, timelineOf } from './plan.ts';
import type { SegmentInfo } from './scope.ts';

export function surroundings(
  context: CompileContext,
  readings: Set<string>,
  unlisted: Set<string>,
): Surroundings {
  return { ...context, zoneOffset: context.zoneOffset ?? zoneOffset, readings, unlisted };
}

export function eventContext(
  plan: Plan,
  segments: readonly SegmentInfo[],
  params: Params,
): EventContext {
  const { resolve, extent, context, readings } = plan;
  return {
    ...{ segments, params, resolve, extent },
    around: surroundings(context, readings, new Set()),
  };
}

export function relationOf(node: EventsNode, context: EventContext, needed: Set<string>): Relation {
  switch (node.node) {
    case 'base':
      return filterRelation(node.filter, context, needed, node.found);
    case 'where':
      return whereRelation(relationOf(node.of, context, needed), node.filter);
    case 'union':
      return unionRelation(
        relationOf(node.left, context, needed),
        relationOf(node.right, context, needed),
      );
    case 'stage': {
      const relation = { ...relationOf(node.of, context, needed), resolve: node.resolve };
      return chooseRows(node.stage, relation, context.around);
    }
  }
}

export function inputOf(node: EventsNode, context: EventContext): Input {
  if (node.node === 'base') return filterInput(node.filter, context, node.found);
  const relation = relationOf(node, context, new Set());
  return relationInput({ ...relation, resolve: context.resolve }, true);
}

/** The shape of the answer of the stages from the first that aggregates. */
export function shapeOfAnswer(stages: readonly Stage[]): Shape {
  const [first] = stages;
  if (first === undefined) return 'rows';
  if (stages.length > 1) return 'table';
  return stageOperatorOf(first).shape ?? 'table';
}

export function needsRange(plan: Plan, whole: boolean): boolean {
  const timeline = timelineOf(plan);
  if (timeline === undefined || plan.segmentsUsed.length === 0) return false;
  if (plan.range.from !== undefined && plan.range.to !== undefined) return false;
  return !whole || timeline.spread !== undefined || plan.events.node !== 'base';
}

/** Until the year 2255. */
const MAX_MICROS = 9e15;

/** Undefined if there is nothing to count. */
export function gridOf(plan: Plan, matched: MatchedRange | undefined): Grid | undefined {
  const timeline = timelineOf(plan);
  if (timeline === undefined) return undefined;
  const times = plan.segmentsUsed.flatMap(({ minTs, maxTs }) => [minTs ?? [], maxTs ?? []].flat());
  const low = matched === undefined ? least(times) : matched.low;
  const high = matched === undefined ? most(times) : matched.high;
  const from = plan.range.from ?? low;
  const to = plan.range.to ?? (high === undefined ? undefined : high + 1);
  if (from === undefined || to === undefined || from >= to) return undefined;
  // Arithmetic on buckets stays within 64 bits, and times exact in a double.
  const span: TimeSpan = { from: Math.max(from, -MAX_MICROS), to: Math.min(to, MAX_MICROS) };
  if (span.from >= span.to) return undefined;
  const { zone, zoneOffset: offset = zoneOffset } = plan.context;
  const range = timeline.interval === undefined ? rounded(span, plan.range) : span;
  return makeGrid(range, timeline.interval, zone, offset);
}

/**
 * Rounds ends that are just those of the first or last event outwards, so that equal buckets begin at whole seconds
 * or milliseconds. It is always less than a bucket.
 */
function rounded(span: TimeSpan, named: Plan['range']): TimeSpan {
  const width = span.to - span.from;
  const unit = [1e6, 1e3].find((one) => width >= 60 * EVEN_BUCKETS * one);
  if (unit === undefined) return span;
  const whole = unit * EVEN_BUCKETS;
  if (named.to === undefined) {
    const from = named.from === undefined ? Math.floor(span.from / unit) * unit : span.from;
    return { from, to: from + Math.ceil((span.to - from) / whole) * whole };
  }
  if (named.from === undefined)
    return { from: span.to - Math.ceil(width / whole) * whole, to: span.to };
  return span;
}

function least(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((a, b) => Math.min(a, b));
}

function most(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((a, b) => Math.max(a, b));
}

/**
 * The table of an aggregating query; `grid` for a timeline with a known range, `parts` if groups must be computed
 * in parts.
 */
export function buildTable(
  plan: Plan,
  params: Params,
  grid: Grid | undefined,
  parts?: GroupParts,
): Table {
  const context = eventContext(plan, plan.segmentsUsed, params);
  if (plan.rowColumns !== undefined) {
    const relation = relationOf(plan.events, context, new Set());
    return tableOfRows({ ...relation, resolve: plan.resolve }, plan.rowColumns);
  }
  let input: Input = { ...inputOf(plan.events, context), parts };
  let table: Table | undefined;
  const around = surroundings(plan.context, plan.readings, new Set());
  for (const stage of plan.stages) {
    if (table === undefined) {
      table = aggregate(stage, input, grid);
      continue;
    }
    const given = tableRelation(table, params);
    const relation = { ...given, resolve: withExpressions(given.resolve, around) };
    const operator = stageOperatorOf(stage);
    const columns = operator.project?.(stage, table.columns);
    if (columns !== undefined) {
      table = { ...table, columns };
      continue;
    }
    const made = operator.computes?.(stage, relation.resolve, around);
    if (made !== undefined) {
      const base = derives(stage) ? operator.relation?.(stage, relation, around) : undefined;
      const wide = base === undefined ? table : { ...table, order: base.order, sql: base.sql() };
      table = extendedTable(wide, made, relation);
      continue;
    }
    const chosen = operator.relation?.(stage, relation, around);
    if (chosen !== undefined)
      table = { columns: table.columns, order: chosen.order, sql: chosen.sql() };
    else {
      input = { ...relationInput(relation, false), parts };
      table = aggregate(stage, input, undefined);
    }
  }
  return table ?? countTable(input);
}

function aggregate(stage: Stage, input: Input, grid: Grid | undefined): Table {
  const table = stageOperatorOf(stage).table?.(stage, input, grid);
  if (table !== undefined) return table;
  throw new QueryError(
    'query-syntax',
    `${stage.stage} works on events, not on a table (column ${stage.start + 1})`,
    stage.start,
    'put it before the stage that counts',
  );
}
