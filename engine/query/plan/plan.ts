/**
 * Converts a syntax tree to a plan: the question, its segments, the access path, and the shape of the answer. Pure:
 * a plan is data and closures over data; statements.ts turns it into SQL.
 *
 * Invariant: every error in a query is found here, before any SQL runs.
 */
import { dayEnd, dayStart, daysOfAll } from '../../util/segment-days.ts';
import type { EpochMicros } from '../../contract/event.ts';
import { analyse, mentionsKind, namesPackets, withExpressions } from './analyse.ts';
import type { Ast, Expression, Name, Stage } from '../syntax/ast.ts';
import { withClock } from '../time/clock-fields.ts';
import { Params } from '../dialect/duckdb.ts';
import {
  allColumns,
  filterInput,
  filterRelation,
  judge,
  type EventContext,
} from '../statements/events.ts';
import {
  type Field,
  type Resolve,
  eventFields,
  expandedNames,
  hiddenNames,
  isOwnName,
  resolvedAside,
  withFields,
} from '../names/fields.ts';
import type { ArrivedFilter } from '../filters/arrived.ts';
import { type Filter, allOf, conjuncts, listFilter } from '../filters/filter.ts';
import { either } from '../filters/logic.ts';
import type { Named, Surroundings } from '../filters/surroundings.ts';
import { isTime } from '../filters/time.ts';
import { UNFLOWED, isUnflowed } from '../filters/unflowed.ts';
import { EVEN_BUCKETS, type Grid, type MatchedRange, makeGrid } from '../time/grid.ts';
import type { LookupFile } from '../lookups/lookup-file.ts';
import type { MatchList } from '../lists/match-list.ts';
import { parseQuery } from '../syntax/parse.ts';
import type { Found, Path } from './found.ts';
import type { GroupParts } from '../statements/group-parts.ts';
import { QueryError, shown, syntaxError } from '../syntax/query-error.ts';
import {
  type Input,
  type Relation,
  type Table,
  type TableColumn,
  relationInput,
  tableRelation,
} from '../statements/relation.ts';
import { type Predicate, type PruneReason, type SegmentInfo, columnSets } from './scope.ts';
import { severalValues } from '../names/several-values.ts';
import { countTable } from '../stages/count.ts';
import { defaultColumns } from '../names/default-columns.ts';
import { extendedTable, tableOfRows } from '../stages/computed-columns.ts';
import type { Computed, Shape } from '../stages/operator.ts';
import {
  type RowStage,
  chooseRows,
  derives,
  endsEvents,
  filtersIn,
  isAggregating,
  isRowStage,
  stageOperatorOf,
} from '../stages/stages.ts';
import type { TimelineStage } from '../stages/timeline.ts';
import { unionRelation } from '../stages/union.ts';
import { whereRelation } from '../stages/where.ts';
import { type TimeSpan, type ZoneOffset } from '../time/time.ts';
import type { Extent } from '../values/values.ts';
import { zoneOffset } from '../time/zone.ts';

/** The catalog's state at planning. */
export interface CompileContext {
  readonly segments: readonly SegmentInfo[];
  readonly sources: readonly Named[];
  readonly tags: readonly Named[];
  /** The newest event of the case, from which `last:` counts back. */
  readonly newestTs: EpochMicros | undefined;
  /** For times in the query that state no zone, and for the edges of a timeline's buckets. */
  readonly zone: string;
  /** The request's time range, half-open. */
  readonly from?: EpochMicros | undefined;
  readonly to?: EpochMicros | undefined;
  /** Events must also match one of its rows. */
  readonly list?: MatchList | undefined;
  /** Events must match none of its rows. */
  readonly exclude?: MatchList | undefined;
  /** The files for `lookup`, by their names in the query. */
  readonly lookups?: ReadonlyMap<string, LookupFile> | undefined;
  /**
   * Rows are made in memory, one by one, as evidence is read: a stage that needs only the row leaves them events.
   */
  readonly rowByRow?: boolean | undefined;
  /** Only events that arrived between two states of the case. */
  readonly arrived?: Omit<ArrivedFilter, 'filter'> | undefined;
  /** Only events that are not before this time: those without a time are among them. */
  readonly notBefore?: EpochMicros | undefined;
  /** Seconds that a zone is ahead of UTC at a local time; the runtime's if omitted. */
  readonly zoneOffset?: ZoneOffset;
}

/** Events, before any stage that aggregates. */
export type EventsNode =
  | {
      readonly node: 'base';
      readonly filter: Filter;
      /** What is known about its events: statements read no others. */
      readonly found?: Found | undefined;
    }
  | { readonly node: 'where'; readonly of: EventsNode; readonly filter: Filter }
  | {
      readonly node: 'stage';
      readonly of: EventsNode;
      readonly stage: RowStage;
      /** Names at its place: a stage after it may compute others. */
      readonly resolve: Resolve;
    }
  | { readonly node: 'union'; readonly left: EventsNode; readonly right: EventsNode };

interface PrunedSegment {
  readonly segment: SegmentInfo;
  readonly reason: PruneReason;
}

export interface Plan {
  readonly ast: Ast;
  readonly shape: Shape;
  /** `catalog`: the answer is known without looking at an event. */
  readonly path: Path;
  /** The answer of a `count` by catalog. */
  readonly catalogCount: number | undefined;
  /** Physical columns that are read, without those that only order rows. */
  readonly needs: readonly string[];
  /** In order of time, `undated` last. */
  readonly segmentsUsed: readonly SegmentInfo[];
  readonly prunedSegments: readonly PrunedSegment[];
  readonly days: { readonly total: number; readonly used: number };
  /** Rows of the segments that are read. */
  readonly rowsExamined: number;
  /** Packets omitted because the query does not mention `kind`; undefined if there are none. */
  readonly packetsBeneath: { readonly packets: number; readonly exact: boolean } | undefined;
  /** Whether rows may be read day by day, in order, and reading may stop early. */
  readonly streaming: boolean;
  /** Rows at most, as `head` asks. */
  readonly limit: number | undefined;
  /** Fields that `fields` chose for rows. */
  readonly projection: readonly Name[] | undefined;
  /** Fields that stages computed, shown next to those of events; names that are hidden. */
  readonly computed: readonly Name[];
  readonly hidden: ReadonlySet<string>;
  /** Columns of rows that are no longer events although nothing aggregates them; otherwise undefined. */
  readonly rowColumns: readonly Name[] | undefined;
  /** Columns of an answer that does not consist of events. */
  readonly tableColumns: readonly TableColumn[];
  /** The time range of query and request; either end may be open. */
  readonly range: { readonly from: EpochMicros | undefined; readonly to: EpochMicros | undefined };
  /** Whether the range of a timeline must be determined first (`compileRange`). */
  readonly needsRange: boolean;
  /** The analysed filter of the events (of a union: each side's), for an index to serve. */
  readonly filters: readonly Filter[];
  readonly events: EventsNode;
  /** Names and values of events, for all statements of the plan. */
  readonly resolve: Resolve;
  /** The same for the displayed fields of a list's events, whatever the question: `unlisted` stays unchanged. */
  readonly resolveShown: Resolve;
  /** Fields without a column: only attributes beyond the 256 names of a batch can have them. */
  readonly unlisted: ReadonlySet<string>;
  /** How ambiguous parts of the text were read. */
  readonly readings: Set<string>;
  readonly extent: Extent;
  /** The aggregating stage and what follows. */
  readonly stages: readonly Stage[];
  readonly context: CompileContext;
}

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
  const shaped = eventsNode(
    ast.filter,
    shaping,
    ast.stages,
    withExpressions(stored, around),
    around,
    context,
  );
  const { resolve } = shaped;
  const about = stages[0] && stageOperatorOf(stages[0]).about?.(stages[0]);
  const asked =
    about === undefined ? shaped.events : whereNode(shaped.events, analyse(about, resolve, around));
  const events = restrictions(context).reduce<EventsNode>(held, asked);
  const params = new Params();
  const filters = filtersOf(events);
  const { used, pruned, whole, alike } = chooseSegments(filters, context.segments, params);

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
  const built = buildOnce(plan, alike, rowsShape);
  const sets = columnSets(alike);
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

interface ChosenSegments {
  readonly used: readonly SegmentInfo[];
  readonly pruned: readonly PrunedSegment[];
  /** Whether all events of those that are used match. */
  readonly whole: boolean;
  /** One of each sort of those that are used. */
  readonly alike: readonly SegmentInfo[];
}

/** Segments that may have an event matching one of the filters, in order of time. */
function chooseSegments(
  filters: readonly Filter[],
  segments: readonly SegmentInfo[],
  params: Params,
): ChosenSegments {
  const used: SegmentInfo[] = [];
  const pruned: PrunedSegment[] = [];
  let whole = true;
  const alike = new Alike();
  for (const segment of inOrder(segments)) {
    const verdict = either(filters.map((filter) => judge(filter, segment, params)));
    if ('sql' in verdict) whole = false;
    else if (!verdict.value) {
      pruned.push({ segment, reason: verdict.reason });
      continue;
    }
    if (segment.hasDeletes) whole = false;
    used.push(segment);
    alike.add(segment, verdict);
  }
  return { used, pruned, whole, alike: alike.segments };
}

/** Builds the statement once, to find errors in the query and the columns it reads and returns. */
function buildOnce(
  plan: Plan,
  alike: readonly SegmentInfo[],
  rowsShape: boolean,
): Pick<Plan, 'tableColumns' | 'needs'> {
  const needs = new Set<string>();
  const noting = alike.map((segment) => ({
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

/** Without columns that SQL cannot name. */
function usable(segments: readonly SegmentInfo[]): readonly SegmentInfo[] {
  const isUsable = (name: string) => !name.includes('\0');
  if (columnSets(segments).every((columns) => [...columns].every(isUsable))) return segments;
  return segments.map((segment) => ({
    ...segment,
    columns: new Set([...segment.columns].filter(isUsable)),
  }));
}

function inOrder(segments: readonly SegmentInfo[]): SegmentInfo[] {
  return [...segments].sort((a, b) => compareDays(a.day, b.day) || a.id - b.id);
}

/** `undated` sorts after every day, as text does. */
function compareDays(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function fromTime(to: EpochMicros): Filter {
  return {
    filter: 'not',
    item: { filter: 'time', ref: { column: 'ts' }, from: undefined, to },
  };
}

/** Number of days on which these segments have events, within a range. */
function daysWithin(segments: readonly SegmentInfo[], { from, to }: Plan['range']): number {
  const days = daysOfAll(segments);
  if (from === undefined && to === undefined) return days.length;
  return days.filter(
    (day) =>
      day === 'undated' ||
      ((from === undefined || dayEnd(day) > from) && (to === undefined || dayStart(day) < to)),
  ).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Rows of a segment that a filter takes wholly. */
function wholeRows(segment: SegmentInfo, filters: readonly Filter[]): number {
  if (segment.kind !== 'packet' || !filters.some(leavesOutPackets)) return segment.rows;
  return segment.columns.has('flow_id') ? segment.unflowedPackets : segment.rows;
}

function leavesOutPackets(filter: Filter): boolean {
  return conjuncts(filter).some(isUnflowed);
}

/** Packets of flows that the query omits, in segments that the rest of the filter reads. */
function packetsBeneath(
  filters: readonly Filter[],
  segments: readonly SegmentInfo[],
  params: Params,
): Plan['packetsBeneath'] {
  let packets = 0;
  let exact = true;
  for (const filter of filters) {
    if (!leavesOutPackets(filter)) continue;
    const rest = allOf(conjuncts(filter).filter((item) => !isUnflowed(item)));
    for (const segment of segments) {
      const beneath = segment.rows - segment.unflowedPackets;
      if (segment.kind !== 'packet' || !segment.columns.has('flow_id') || beneath === 0) continue;
      const verdict = judge(rest, segment, params);
      if ('sql' in verdict) exact = false;
      else if (!verdict.value) continue;
      if (segment.hasDeletes) exact = false;
      packets += beneath;
    }
    break;
  }
  return packets === 0 ? undefined : { packets, exact };
}

// -- events ----------------------------------------------------------------------------------------

function surroundings(
  context: CompileContext,
  readings: Set<string>,
  unlisted: Set<string>,
): Surroundings {
  return { ...context, zoneOffset: context.zoneOffset ?? zoneOffset, readings, unlisted };
}

function eventsNode(
  filter: Expression,
  shaping: readonly Stage[],
  all: readonly Stage[],
  stored: Resolve,
  around: Surroundings,
  context: Pick<CompileContext, 'from' | 'to' | 'rowByRow'>,
): ShapedEvents {
  const kindMentioned =
    mentionsKind(filter) ||
    namesPackets(filter) ||
    all.some((stage) => filtersIn(stage).some(mentionsKind));
  const parts: Filter[] = [];
  const { from, to } = context;
  if (from !== undefined || to !== undefined) {
    parts.push({ filter: 'time', ref: { column: 'ts' }, from, to });
  }
  if (!kindMentioned) parts.push(UNFLOWED);
  parts.push(analyse(filter, stored, around));
  let node: EventsNode = { node: 'base', filter: conjunction(parts) };
  let resolve = stored;
  let projection: Name[] | undefined;
  let computed: Name[] = [];
  const hidden = new Set<string>();
  for (const stage of shaping) {
    const made = stageOperatorOf(stage).computes?.(stage, resolve, around);
    if (derivesIn(stage, context) && isRowStage(stage))
      node = { node: 'stage', of: node, stage, resolve };
    if (stage.stage === 'where') node = whereNode(node, analyse(stage.filter, resolve, around));
    else if (stage.stage === 'union') {
      if (shaping.slice(0, shaping.indexOf(stage)).some(derives))
        throw syntaxError(
          'union takes events, not a table',
          stage.start,
          'put union before the stage that makes a table of them',
        );
      const right = unionSide(stage.query, stored, around, context);
      node =
        node.node === 'base' && right.node === 'base'
          ? { node: 'base', filter: { filter: 'or', items: [node.filter, right.filter] } }
          : { node: 'union', left: node, right };
    } else if (stage.stage === 'fields') {
      const names = stage.fields.flatMap((name) => hiddenNames(name, resolve(name)));
      if (stage.without === true) {
        for (const name of names) hidden.add(name);
        projection = projection && shownOf(projection, resolve, hidden);
        computed = computed.filter(({ name }) => !hidden.has(name.toLowerCase()));
      } else {
        for (const name of names) hidden.delete(name);
        projection = [...stage.fields];
      }
    } else if (made !== undefined) {
      checkComputed(made, stage);
      for (const name of made.hidden) hidden.add(name.toLowerCase());
      projection = projection && shownOf(projection, resolve, hidden);
      resolve = withExpressions(withFields(resolve, made), around);
      const names = made.fields.map(({ name }): Name => ({
        name,
        start: stage.start,
        end: stage.end,
      }));
      const isOther = ({ name }: Name) =>
        !hidden.has(name.toLowerCase()) && !names.some((one) => one.name === name);
      for (const { name } of names) hidden.delete(name.toLowerCase());
      computed = [...computed.filter(isOther), ...names];
      projection = projection && [...projection.filter(isOther), ...names];
    } else if (isRowStage(stage) && !derives(stage))
      node = { node: 'stage', of: node, stage, resolve };
  }
  return { events: node, resolve, projection, computed, hidden };
}

function derivesIn(stage: Stage, { rowByRow }: Pick<CompileContext, 'rowByRow'>): boolean {
  return derives(stage) && !(rowByRow === true && stageOperatorOf(stage).byRow === true);
}

/** Events as the stages before the first that aggregates leave them. */
interface ShapedEvents extends Pick<Plan, 'events' | 'resolve' | 'computed' | 'hidden'> {
  readonly projection: Name[] | undefined;
}

/** The columns of a table that was made from events row by row: the selected ones, otherwise all but attributes. */
function rowColumns(shaped: ShapedEvents, extent: Extent): Name[] {
  const place = { start: 0, end: 0 };
  const { projection, computed } = shaped;
  if (projection === undefined)
    return [
      ...defaultColumns({ ...shaped, extent }).map((name) => ({ name, ...place })),
      ...computed,
    ];
  return projection.flatMap((name) => expanded(name, shaped.resolve(name)));
}

/** Selected names without hidden ones. */
function shownOf(chosen: readonly Name[], resolve: Resolve, hidden: ReadonlySet<string>): Name[] {
  return chosen
    .flatMap((name) => expanded(name, resolve(name)))
    .filter((name) => !hiddenNames(name, resolve(name)).some((one) => hidden.has(one)));
}

/** The fields that a name stands for. */
function expanded(name: Name, field: Field): Name[] {
  const others = expandedNames(field);
  return others === undefined ? [name] : others.map((other) => ({ ...name, name: other }));
}

/** Names that identify or order events: no stage can give them another meaning. */
function checkComputed({ fields }: Computed, stage: Stage): void {
  for (const { name } of fields) {
    if (!isOwnName(name)) continue;
    throw syntaxError(
      `${shown(name)} is a name of its own`,
      stage.start,
      `choose another: ${name}_2`,
    );
  }
}

/** Throws QueryError if the query does not yield events. */
function unionSide(
  query: Ast,
  resolve: Resolve,
  around: Surroundings,
  context: Pick<CompileContext, 'from' | 'to' | 'rowByRow'>,
): EventsNode {
  const other = query.stages.find(endsEvents);
  if (other !== undefined) {
    throw new QueryError(
      'query-syntax',
      `${other.stage} inside union at column ${other.start + 1}`,
      other.start,
      'union takes a query for events; put the stage behind the union',
    );
  }
  return eventsNode(query.filter, query.stages, query.stages, resolve, around, context).events;
}

/** One flat list of conditions, so that time ranges and the packet rule are recognised at its top. */
function conjunction(parts: readonly Filter[]): Filter {
  return allOf(parts.flatMap(conjuncts));
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

/** A filter before any selection of rows is part of the first filter; it does not depend on sorting. */
function whereNode(node: EventsNode, filter: Filter): EventsNode {
  if (node.node === 'base') return { node: 'base', filter: conjunction([node.filter, filter]) };
  if (node.node === 'stage' && node.stage.stage === 'sort') {
    return { ...node, of: whereNode(node.of, filter) };
  }
  return { node: 'where', of: node, filter };
}

function filtersOf(node: EventsNode): Filter[] {
  switch (node.node) {
    case 'base':
      return [node.filter];
    case 'union':
      return [...filtersOf(node.left), ...filtersOf(node.right)];
    default:
      return filtersOf(node.of);
  }
}

/** A filter with nothing but `head` after it. */
function flatten(node: EventsNode): { base: EventsNode; limit: number | undefined } | undefined {
  if (node.node === 'base') return { base: node, limit: undefined };
  if (node.node !== 'stage' || node.stage.stage !== 'head') return undefined;
  const inner = flatten(node.of);
  if (inner === undefined) return undefined;
  return { base: inner.base, limit: Math.min(inner.limit ?? Infinity, node.stage.limit) };
}

/** The same plan with its limit as a selection among its events, for statements about all of them at once. */
export function limited(plan: Plan): Plan {
  const { events, limit } = plan;
  if (limit === undefined) return plan;
  const stage = { stage: 'head', limit, start: 0, end: 0 } as const;
  return {
    ...plan,
    ...{ streaming: false, limit: undefined },
    events: { node: 'stage', of: events, stage, resolve: plan.resolve },
  };
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

/** A representative of segments for which the same columns are requested. */
class Alike {
  readonly segments: SegmentInfo[] = [];
  private readonly met = new Map<ReadonlySet<string>, Set<string>>();

  /** @param verdict of the plan's filters */
  add(segment: SegmentInfo, verdict: Predicate): void {
    const { columns, kind, hasDeletes } = segment;
    const key = `${kind} ${hasDeletes} ${'sql' in verdict ? verdict.sql : ''}`;
    const same = this.met.get(columns) ?? new Set();
    this.met.set(columns, same);
    if (same.has(key)) return;
    same.add(key);
    this.segments.push(segment);
  }
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

// -- tables ----------------------------------------------------------------------------------------

/** The shape of the answer of the stages from the first that aggregates. */
export function shapeOfAnswer(stages: readonly Stage[]): Shape {
  const [first] = stages;
  if (first === undefined) return 'rows';
  if (stages.length > 1) return 'table';
  return stageOperatorOf(first).shape ?? 'table';
}

export function timelineOf(plan: Plan): TimelineStage | undefined {
  const [first] = plan.stages;
  return first?.stage === 'timeline' ? first : undefined;
}

function needsRange(plan: Plan, whole: boolean): boolean {
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
