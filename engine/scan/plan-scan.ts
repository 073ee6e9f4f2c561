/**
 * Compiles a query for one pass over evidence. The engine's planner reads it, as if for a case with a segment of
 * each kind that has every column; names, values and errors are therefore the same, and answers are formatted by
 * the same code.
 */
import { DaybookError } from '../contract/errors.ts';
import { COLUMNS, type EpochMicros, KINDS, type Kind } from '../contract/event.ts';
import { type Ast, type Stage, walk } from '../query/syntax/ast.ts';
import { allColumns } from '../query/statements/events.ts';
import { type Filter, allOf, ofKind } from '../query/filters/filter.ts';
import type { Named } from '../query/filters/surroundings.ts';
import { isUnflowed } from '../query/filters/unflowed.ts';
import { knownField } from '../query/names/fields.ts';
import { doubtfulNames, settled } from '../query/plan/analyse.ts';
import { type GivenFile, lookupFiles } from '../query/lookups/lookup-file.ts';
import { parseQuery } from '../query/syntax/parse.ts';
import type { Plan } from '../query/plan/plan.ts';
import { planQuery } from '../query/plan/plan-query.ts';
import { OVERFLOW_COLUMN, type SegmentInfo } from '../query/plan/scope.ts';
import { isAggregating, queriesIn, stageOperatorOf } from '../query/stages/stages.ts';

export interface ScanRequest {
  readonly text: string;
  /** For times in the query that state no zone, for edges of buckets, and for times shown. */
  readonly zone: string;
  readonly from: EpochMicros | undefined;
  readonly to: EpochMicros | undefined;
  /** The names for `source:`. */
  readonly sources: readonly Named[];
  /** The files for `lookup`, by their names in the query. */
  readonly lookups?: ReadonlyMap<string, GivenFile> | undefined;
  /** Among the names that decide an ambiguous part, those that events have; undefined: unknown. */
  readonly fields?: ReadonlySet<string>;
  /** Files of extractors in addition to Daybook's. */
  readonly extractors?: readonly string[];
  /** Error of the clock that timestamped the evidence, in microseconds. */
  readonly clockError?: number;
}

export interface ScanPlan {
  readonly plan: Plan;
  readonly filter: Filter;
  /** Kinds of events that can match. */
  readonly kinds: ReadonlySet<Kind>;
  /** Whether the query mentions kinds. */
  readonly kindMentioned: boolean;
  /** The stage that aggregates; undefined: rows. */
  readonly stage: Stage | undefined;
  /** Stages that process its table. */
  readonly after: readonly Stage[];
  /** The plan of the query up to the stage that aggregates. */
  readonly first: Plan;
}

const IMPORT_HINT = 'import the evidence into a case and ask it there: daybook import CASE FILE';

function refused(feature: string, at: number): DaybookError {
  return new DaybookError(
    'query-syntax',
    `a scan does not support ${feature} (column ${at + 1})`,
    IMPORT_HINT,
  );
}

/** A segment of each kind with every column, attributes of any name and no time that is known. */
function segments(): SegmentInfo[] {
  const columns = new Set([...Object.keys(COLUMNS), OVERFLOW_COLUMN]);
  return KINDS.map((kind, i) => ({
    id: i + 1,
    kind,
    day: '1970-01-01',
    rows: 1,
    minTs: undefined,
    maxTs: undefined,
    columns,
    hasDeletes: false,
    tags: new Set(),
    unflowedPackets: 0,
    sources: new Set(),
  }));
}

/** Throws QueryError (a DaybookError) for errors in a query, and for what a scan does not support. */
export function planScan(request: ScanRequest): ScanPlan {
  const { fields } = request;
  const parsed = parseQuery(request.text);
  const ast =
    fields === undefined
      ? parsed
      : settled(parsed, (name) => !doubtfulNames(parsed).has(name) || fields.has(name));
  checkStages(ast);
  const context = {
    segments: segments(),
    sources: () => request.sources,
    tags: [],
    newestTs: undefined,
    zone: request.zone,
    from: request.from,
    to: request.to,
    lookups: request.lookups && lookupFiles(request.lookups),
    rowByRow: true,
  };
  const plan = everything(planQuery(ast, context));
  if (plan.stages.length === 0 ? !plan.streaming : plan.events.node !== 'base') {
    throw refused('this order of stages', ast.stages[0]?.start ?? 0);
  }
  const filter = allOf(plan.filters);
  const [stage, ...after] = plan.stages;
  const first =
    stage === undefined
      ? plan
      : everything(planQuery({ ...ast, stages: upTo(ast.stages, stage) }, context));
  return {
    plan,
    filter,
    kinds: new Set(KINDS.filter((kind) => ofKind(filter, kind) !== false)),
    kindMentioned: !leavesOutPackets(filter),
    stage: stage === undefined ? undefined : aggregating(stage),
    after: after.map(onTable),
    first,
  };
}

/** A plan of all kinds, regardless of the planner's choice among the imaginary segments. */
function everything(plan: Plan): Plan {
  const { segments: segmentsUsed } = plan.context;
  const columns = allColumns(segmentsUsed);
  return {
    ...plan,
    segmentsUsed,
    prunedSegments: [],
    path: 'scan',
    catalogCount: undefined,
    packetsBeneath: undefined,
    extent: { columns, tagIds: [] },
  };
}

function upTo(stages: readonly Stage[], last: Stage): Stage[] {
  return stages.slice(0, stages.indexOf(last) + 1);
}

function aggregating(stage: Stage): Stage {
  const operator = stageOperatorOf(stage);
  if (operator.batches === undefined) throw refused(`stage ${stage.stage} there`, stage.start);
  const reason = operator.refusesBatches?.(stage);
  if (reason !== undefined) throw refused(reason, stage.start);
  return stage;
}

function onTable(stage: Stage): Stage {
  if (stageOperatorOf(stage).batchTable === undefined)
    throw refused(`${stage.stage} after a stage that counts`, stage.start);
  return stage;
}

/** Stages that need all events at once, or the end before the beginning. */
function checkStages(ast: Ast): void {
  walk(ast.filter, (node) => {
    if (node.node !== 'field') return;
    const field = knownField(node.name);
    if (field?.type !== 'virtual') return;
    if (field.name === 'last') throw refused('newest event before its end, for last:', node.start);
    if (field.name === 'tag') throw refused('tags', node.start);
  });
  let counted = false;
  for (const stage of ast.stages) {
    queriesIn(stage).forEach(checkStages);
    const whole = counted ? undefined : stageOperatorOf(stage).needsAllEvents?.(stage);
    if (whole !== undefined) throw refused(whole, stage.start);
    counted ||= isAggregating(stage);
  }
}

function leavesOutPackets(filter: Filter): boolean {
  if ('items' in filter) return filter.items.some(leavesOutPackets);
  return 'item' in filter ? leavesOutPackets(filter.item) : isUnflowed(filter);
}
