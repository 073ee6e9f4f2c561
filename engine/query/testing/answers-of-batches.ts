/** Answers computed from batches in memory, as a scan does; tests compare them with SQL over the same events. */
import { type Answer, shapeAnswer } from '../answers/answer.ts';
import { batchScope } from '../batch/batch-scope.ts';
import { Budget } from '../batch/budget.ts';
import { sorted } from '../batch/table.ts';
import { Params } from '../dialect/duckdb.ts';
import { allOf, filterColumns } from '../filters/filter.ts';
import type { Plan } from '../plan/plan.ts';
import { buildTable, eventContext, gridOf } from '../plan/plan-tables.ts';
import { stageOperatorOf } from '../stages/stages.ts';
import { outputsOf } from '../statements/statements.ts';
import { batchesOf } from './batches.ts';
import type { TestCase } from './test-case.ts';

/** The answer of a plan from batches; undefined: one of its stages has no such face. */
export function answersOfBatches(test: TestCase, plan: Plan): Answer | undefined {
  const [stage, ...after] = plan.stages;
  const operator = stage && stageOperatorOf(stage);
  if (stage === undefined || operator?.batches === undefined || plan.events.node !== 'base') return;
  if (operator.refusesBatches?.(stage) !== undefined) return;
  const { lookups, rowByRow } = plan.context;
  const first = test.plan(plan.ast.text.slice(0, stage.end), { lookups, rowByRow });
  const { columns } = buildTable(first, new Params(), undefined);
  const { resolve, extent, range } = first;
  const batchStage = operator.batches(stage, {
    ...{ resolve, extent, range, columns, budget: new Budget(), wanted: undefined, zone: 'UTC' },
    grid: (matched) => gridOf(first, matched),
  });
  for (const batch of batchesOf(test.events)) {
    const keep = filterColumns(allOf(plan.filters), batchScope(batch, undefined));
    const rows = Int32Array.from({ length: batch.length }, (_, i) => i);
    const n = keep(rows, batch.length);
    if (n > 0) batchStage.scoped(batch)(rows, n);
  }
  const { table: made, raw, grid } = batchStage.finish();
  const statement = { sql: '', params: [], grid };
  if (after.length === 0 && raw !== undefined) {
    const isTimeline = plan.shape === 'timeline';
    const { outputs } = outputsOf(isTimeline ? columns.slice(1) : columns, isTimeline ? 1 : 0);
    return shapeAnswer(plan, { ...statement, columns: outputs }, raw, test.context);
  }
  let table = made;
  const { around } = eventContext(plan, [], new Params());
  for (const one of after) {
    const next = stageOperatorOf(one).batchTable?.(one, table, around);
    if (next === undefined) return undefined;
    table = next;
  }
  const { outputs } = outputsOf(table.columns, 0);
  return shapeAnswer(plan, { ...statement, columns: outputs }, sorted(table).rows, test.context);
}
