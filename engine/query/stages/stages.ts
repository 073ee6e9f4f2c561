/** The stages of the language, by name. */
import type { Ast, Expression, SortKey, Stage, StageName } from '../syntax/ast.ts';
import { STAGE_NAMES } from '../syntax/lexemes.ts';
import { STAGE_GRAMMAR } from '../syntax/stage-grammar.ts';
import type { Surroundings } from '../filters/surroundings.ts';
import type { Relation } from '../statements/relation.ts';
import { countOperator } from './count.ts';
import { dedupOperator } from './dedup.ts';
import { evalOperator } from './eval.ts';
import { extractOperator } from './extract.ts';
import { fieldsOperator } from './fields.ts';
import { headOperator } from './head.ts';
import type { RowsEnd, StageOperator } from './operator.ts';
import { lookupOperator } from './lookup.ts';
import { parseOperator } from './parse.ts';
import { patternsOperator } from './patterns.ts';
import { renameOperator } from './rename.ts';
import { sequenceOperator } from './sequence.ts';
import { sessionOperator } from './session.ts';
import { sortOperator } from './sort.ts';
import { statsOperator } from './stats.ts';
import { tailOperator } from './tail.ts';
import { talkersOperator } from './talkers.ts';
import { timelineOperator } from './timeline.ts';
import { rareOperator, topOperator } from './top.ts';
import { unionOperator } from './union.ts';
import { unnestOperator } from './unnest.ts';
import { valuesOperator } from './values.ts';
import { whereOperator } from './where.ts';

type Operators = {
  readonly [N in StageName]: StageOperator<Extract<Stage, { stage: N }>>;
};

export const STAGE_OPERATORS: Operators = {
  count: countOperator,
  top: topOperator,
  rare: rareOperator,
  timeline: timelineOperator,
  stats: statsOperator,
  where: whereOperator,
  eval: evalOperator,
  extract: extractOperator,
  parse: parseOperator,
  lookup: lookupOperator,
  unnest: unnestOperator,
  rename: renameOperator,
  fields: fieldsOperator,
  sort: sortOperator,
  head: headOperator,
  tail: tailOperator,
  dedup: dedupOperator,
  talkers: talkersOperator,
  values: valuesOperator,
  patterns: patternsOperator,
  session: sessionOperator,
  sequence: sequenceOperator,
  union: unionOperator,
};

/** Completion's description of each, in display order. */
export const STAGE_LIST = STAGE_NAMES.map((name) => {
  const { form, does } = STAGE_GRAMMAR[name];
  return { name, form, does };
});

/** Each operator only gets stages of its kind: the key in the list is their name. */
export function stageOperatorOf({ stage }: { readonly stage: StageName }): StageOperator<Stage> {
  return STAGE_OPERATORS[stage];
}

/** Whether a stage selects or orders rows other than by a condition, or makes a table of them row by row. */
export function isRowStage(stage: Stage): boolean {
  const { relation, derives, condition } = stageOperatorOf(stage);
  return derives === undefined ? relation !== undefined && condition === undefined : derives(stage);
}

export function chooseRows(stage: Stage, relation: Relation, around: Surroundings): Relation {
  return stageOperatorOf(stage).relation?.(stage, relation, around) ?? relation;
}

/** The keys that a stage sorts by; undefined: it does something else. */
export function sortKeysOf(stage: Stage): readonly SortKey[] | undefined {
  return stageOperatorOf(stage).sortsBy?.(stage);
}

/** The end of the rows that a stage takes; undefined: it does something else. */
export function endTakenBy(stage: Stage): RowsEnd | undefined {
  return stageOperatorOf(stage).takes?.(stage);
}

/** The filters that are part of a stage. */
export function filtersIn(stage: Stage): readonly Expression[] {
  const filters: Expression[] = [];
  stageOperatorOf(stage).withFilters?.(stage, (filter) => {
    filters.push(filter);
    return filter;
  });
  return filters;
}

/** The queries of other events that are part of a stage. */
export function queriesIn(stage: Stage): readonly Ast[] {
  const queries: Ast[] = [];
  stageOperatorOf(stage).withQuery?.(stage, (query) => {
    queries.push(query);
    return query;
  });
  return queries;
}

/** Notes of stages on sources whose flows state one number of bytes for both directions. */
export function notesOfTotals(
  stages: readonly Stage[],
  sources: () => readonly string[],
): string[] {
  return stages.flatMap((stage) => stageOperatorOf(stage).noteOfTotals?.(sources()) ?? []);
}

/** Whether a stage aggregates all events. */
export function isAggregating({ stage }: Stage): boolean {
  return STAGE_OPERATORS[stage].shape !== undefined;
}

/** Whether the rows after a stage are no longer events: it aggregates them, or makes a table of them row by row. */
export function endsEvents(stage: Stage): boolean {
  return isAggregating(stage) || derives(stage);
}

export function derives(stage: Stage): boolean {
  return stageOperatorOf(stage).derives?.(stage) === true;
}
