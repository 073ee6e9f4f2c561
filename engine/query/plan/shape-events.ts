/** Applies the stages before the first that aggregates: which events there are, their names, and the fields shown. */
import { allOf, conjuncts, type Filter } from '../filters/filter.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import { UNFLOWED } from '../filters/unflowed.ts';
import { defaultColumns } from '../names/default-columns.ts';
import { isOwnName, namesShown, type Resolve, withFields, withoutHidden } from '../names/fields.ts';
import type { Computed } from '../stages/operator.ts';
import {
  derives,
  endsEvents,
  filtersIn,
  isRowStage,
  sortKeysOf,
  stageOperatorOf,
} from '../stages/stages.ts';
import type { Ast, Name, Stage } from '../syntax/ast.ts';
import { QueryError, shown, syntaxError } from '../syntax/query-error.ts';
import type { Extent } from '../values/values.ts';
import { analyse, mentionsKind, namesPackets, withExpressions } from './analyse.ts';
import type { EventsNode, ShapedEvents } from './events-node.ts';
import type { CompileContext } from './plan.ts';

/** The events of a query, as the stages before the first that aggregates leave them. */
export function shapeEvents(
  { filter, stages }: Ast,
  shaping: readonly Stage[],
  stored: Resolve,
  around: Surroundings,
  context: Pick<CompileContext, 'from' | 'to' | 'rowByRow'>,
): ShapedEvents {
  const kindMentioned =
    mentionsKind(filter) ||
    namesPackets(filter) ||
    stages.some((stage) => filtersIn(stage).some(mentionsKind));
  const parts: Filter[] = [];
  const { from, to } = context;
  if (from !== undefined || to !== undefined) {
    parts.push({ filter: 'time', ref: { column: 'ts' }, from, to });
  }
  if (!kindMentioned) parts.push(UNFLOWED);
  parts.push(analyse(filter, stored, around));
  const eventsOf = (query: Ast): EventsNode => {
    checkEvents(query);
    return shapeEvents(query, query.stages, stored, around, context).events;
  };
  let shaped: ShapedEvents = {
    ...{ events: { node: 'base', filter: conjunction(parts) }, resolve: stored },
    ...{ projection: undefined, computed: [], hidden: new Set() },
  };
  let isTable = false;
  for (const stage of shaping) {
    const operator = stageOperatorOf(stage);
    const { resolve } = shaped;
    const made = operator.computes?.(stage, resolve, around);
    const chooses = derives(stage)
      ? derivesIn(stage, context)
      : made === undefined && isRowStage(stage);
    if (chooses)
      shaped = { ...shaped, events: { node: 'stage', of: shaped.events, stage, resolve } };
    const condition = operator.condition?.(stage, resolve, around);
    if (condition !== undefined)
      shaped = { ...shaped, events: whereNode(shaped.events, condition) };
    if (made !== undefined) shaped = withComputed(shaped, made, stage, around);
    shaped = operator.events?.(stage, shaped, { isTable, eventsOf }) ?? shaped;
    isTable ||= derives(stage);
  }
  return shaped;
}

/** Events with what a stage computes of each. */
function withComputed(
  before: ShapedEvents,
  made: Computed,
  stage: Stage,
  around: Surroundings,
): ShapedEvents {
  checkComputed(made, stage);
  const hidden = new Set(before.hidden);
  for (const name of made.hidden) hidden.add(name.toLowerCase());
  const projection = before.projection && withoutHidden(before.projection, before.resolve, hidden);
  const names = made.fields.map(({ name }): Name => ({
    name,
    start: stage.start,
    end: stage.end,
  }));
  const isOther = ({ name }: Name) =>
    !hidden.has(name.toLowerCase()) && !names.some((one) => one.name === name);
  for (const { name } of names) hidden.delete(name.toLowerCase());
  return {
    events: before.events,
    resolve: withExpressions(withFields(before.resolve, made), around),
    projection: projection && [...projection.filter(isOther), ...names],
    computed: [...before.computed.filter(isOther), ...names],
    hidden,
  };
}

/** @throws QueryError when a query gives no events */
function checkEvents({ stages }: Ast): void {
  const other = stages.find(endsEvents);
  if (other === undefined) return;
  throw new QueryError(
    'query-syntax',
    `${other.stage} inside union at column ${other.start + 1}`,
    other.start,
    'union takes a query for events; put the stage after the union',
  );
}

export function derivesIn(stage: Stage, { rowByRow }: Pick<CompileContext, 'rowByRow'>): boolean {
  return derives(stage) && !(rowByRow === true && stageOperatorOf(stage).byRow === true);
}

/** The columns of a table that was made from events row by row: the selected ones, otherwise all but attributes. */
export function rowColumns(shaped: ShapedEvents, extent: Extent): Name[] {
  const place = { start: 0, end: 0 };
  const { projection, computed } = shaped;
  if (projection === undefined)
    return [
      ...defaultColumns({ ...shaped, extent }).map((name) => ({ name, ...place })),
      ...computed,
    ];
  return projection.flatMap((name) => namesShown(name, shaped.resolve(name)));
}

/** Names that identify or order events: no stage can give them another meaning. */
function checkComputed({ fields }: Computed, stage: Stage): void {
  for (const { name } of fields) {
    if (!isOwnName(name)) continue;
    throw syntaxError(
      `${shown(name)} is a reserved name`,
      stage.start,
      `choose another: ${name}_2`,
    );
  }
}

/** One flat list of conditions, so that time ranges and the packet rule are recognised at its top. */
export function conjunction(parts: readonly Filter[]): Filter {
  return allOf(parts.flatMap(conjuncts));
}

/** A filter before any selection of rows is part of the first filter; it does not depend on sorting. */
export function whereNode(node: EventsNode, filter: Filter): EventsNode {
  if (node.node === 'base') return { node: 'base', filter: conjunction([node.filter, filter]) };
  if (node.node === 'stage' && sortKeysOf(node.stage) !== undefined)
    return { ...node, of: whereNode(node.of, filter) };
  return { node: 'where', of: node, filter };
}
