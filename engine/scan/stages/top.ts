/** `top N f1, f2 [by measure]`: the N largest groups with their share of the whole. */
import type { RawValue } from '../../query/format.ts';
import type { Plan } from '../../query/plan.ts';
import type { TableColumn } from '../../query/relation.ts';
import type { TopStage } from '../../query/stages/top.ts';
import type { Budget } from '../budget.ts';
import { firstOf } from '../first-of.ts';
import { Grouping } from '../grouping.ts';
import { groupingParts } from './grouping-parts.ts';
import { Counter } from '../measures.ts';
import type { Wanted } from '../../query/batch/batch-scope.ts';
import { byAll, compareValues, rowOrder } from '../table.ts';
import type { ScanStage } from './stage.ts';

export function topStage(
  stage: TopStage,
  plan: Plan,
  columns: readonly TableColumn[],
  budget: Budget,
  wanted: Wanted,
): ScanStage {
  const counting = stage.by.fn === 'count';
  const measures = counting ? [stage.by] : [stage.by, { ...stage.by, fn: 'count' as const }];
  const grouping = new Grouping(plan, { by: stage.fields, measures }, budget, wanted);
  const additive = counting || stage.by.fn === 'sum';
  const keys = columns.slice(0, columns.length - (additive ? 2 : 1));
  const order = [{ alias: 'm', descending: true }, ...byAll(keys)];
  return {
    scoped: (batch) => grouping.scoped(batch),
    parts: groupingParts(grouping),
    finish: () => {
      const [measure] = grouping.measures;
      const counts = grouping.measures.at(-1);
      if (measure === undefined || !(counts instanceof Counter))
        throw new TypeError('top measures and counts');
      const groups = Array.from({ length: grouping.size }, (_, group) => group);
      const byKeys = rowOrder(keys, byAll(keys));
      const chosen = firstOf(
        groups,
        stage.limit,
        (a, b) =>
          compareValues(measure.value(a), measure.value(b), true) ||
          byKeys(grouping.values(a), grouping.values(b)),
      );
      let totalCount = 0n;
      let total: RawValue = null;
      for (const group of groups) {
        totalCount += BigInt(counts.value(group));
        if (additive) total = sum(total, measure.value(group));
      }
      const share = (value: RawValue): RawValue => {
        const whole = Number(total ?? 0);
        return value === null || value === undefined || whole === 0 ? null : Number(value) / whole;
      };
      const rows = chosen.map((group): RawValue[] => {
        const value = measure.value(group);
        const shown = [...grouping.values(group), value];
        return additive ? [...shown, share(value)] : shown;
      });
      const totals = [totalCount, total, BigInt(groups.length)];
      return {
        table: { columns, rows, order },
        raw: rows.map((row, i) => [...row, ...totals, BigInt(counts.value(chosen[i]!))]),
      };
    },
  };
}

/** Whole numbers stay exact. */
function sum(a: RawValue, b: RawValue): RawValue {
  if (a === null || a === undefined) return b;
  if (b === null || b === undefined) return a;
  if (typeof a === 'bigint' && typeof b === 'bigint') return a + b;
  return Number(a) + Number(b);
}
