/** `stats count(), sum(bytes) as b by f, …`, and `values f`, which is the same of one count. */
import type { Measure } from '../../query/ast.ts';
import type { RawValue } from '../../query/format.ts';
import type { Plan } from '../../query/plan.ts';
import type { TableColumn } from '../../query/relation.ts';
import type { StatsStage } from '../../query/stages/stats.ts';
import { ROW_BYTES, type Budget } from '../budget.ts';
import { Grouping } from '../grouping.ts';
import { groupingParts } from './grouping-parts.ts';
import type { Wanted } from '../../query/batch/batch-scope.ts';
import { byAll } from '../table.ts';
import type { AggregatingStage } from '../plan-scan.ts';
import type { ScanStage } from './stage.ts';

export function statsStage(
  stage: StatsStage,
  plan: Plan,
  columns: readonly TableColumn[],
  budget: Budget,
  wanted: Wanted,
): ScanStage {
  const { by, measures } = stage;
  const grouping = new Grouping(plan, { by, measures }, budget, wanted);
  const keys = columns.slice(0, columns.length - measures.length);
  return {
    scoped: (batch) => grouping.scoped(batch),
    parts: groupingParts(grouping),
    finish: () => {
      // Without fields there is one row, also of no events at all.
      const groups = by.length === 0 ? 1 : grouping.size;
      budget.take(groups * ROW_BYTES);
      const rows: RawValue[][] = [];
      for (let group = 0; group < groups; group++) {
        const row = by.length === 0 ? [] : grouping.values(group);
        for (const measure of grouping.measures) row.push(measure.value(group));
        rows.push(row);
      }
      const order = keys.length > 0 ? byAll(keys) : [{ alias: 's0', descending: false }];
      return { table: { columns, rows, order } };
    },
  };
}

type ValuesStage = Extract<AggregatingStage, { stage: 'values' }>;

export function valuesStage(
  stage: ValuesStage,
  plan: Plan,
  columns: readonly TableColumn[],
  budget: Budget,
  wanted: Wanted,
): ScanStage {
  const { start, end, field } = stage;
  const count: Measure = { fn: 'count', of: undefined, as: 'count', start, end };
  const grouping = new Grouping(plan, { by: [field], measures: [count] }, budget, wanted);
  const keys = columns.slice(0, -1);
  return {
    scoped: (batch) => grouping.scoped(batch),
    parts: groupingParts(grouping),
    finish: () => {
      budget.take(grouping.size * ROW_BYTES);
      const rows = Array.from({ length: grouping.size }, (_, group) => grouping.values(group))
        .map((values, group) => [...values, grouping.measures[0]!.value(group)])
        .filter((row) => row.slice(0, -1).some((value) => value !== null));
      return {
        table: { columns, rows, order: [{ alias: 'n', descending: true }, ...byAll(keys)] },
      };
    },
  };
}
