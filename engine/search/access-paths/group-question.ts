/**
 * What a grouping query needs from rollups: the values to group by, the sums, and the groups to show. Undefined for
 * a query that rollups cannot answer, whatever the segments are.
 */
import type { RollupQuestion } from '../../index/rollup/rollup-groups.ts';
import type { Name } from '../../query/syntax/ast.ts';
import { type Dimension, dimensionOf } from '../../query/names/dimensions.ts';
import type { Field } from '../../query/names/fields.ts';
import type { Plan } from '../../query/plan/plan.ts';
import type { GroupedBy } from '../../query/stages/operator.ts';
import { stageOperatorOf } from '../../query/stages/stages.ts';
import { type ValueShape, shapeOf } from '../../query/values/values.ts';

type Summed = NonNullable<RollupQuestion['measures']>[number];

export interface GroupQuestion {
  readonly stage: 'top' | 'values' | 'stats';
  /** As spelled in the query. */
  readonly fields: readonly Name[];
  readonly shapes: readonly ValueShape[];
  readonly dims: readonly Dimension[];
  /** Attributes with the same name as a column that is grouped by. */
  readonly shared: readonly string[];
  /** Without duplicates. */
  readonly sums: readonly Summed[];
  /** A row's columns after the values of its group: the number of events, or the index of a sum in `sums`. */
  readonly shown: readonly ('count' | number)[];
  readonly limit: number;
}

const SUMS: ReadonlySet<string> = new Set<Summed>(['bytes', 'bytes_rev', 'packets', 'packets_rev']);

/** The number of events. */
export const COUNT: GroupQuestion = {
  ...{ stage: 'stats', fields: [], shapes: [], dims: [], shared: [], sums: [], shown: ['count'] },
  limit: Infinity,
};

export function groupQuestion(plan: Plan): GroupQuestion | undefined {
  const [stage] = plan.stages;
  if (plan.stages.length !== 1 || plan.events.node !== 'base' || stage === undefined)
    return undefined;
  const grouped = stageOperatorOf(stage).groups?.(stage);
  return grouped && asked(plan, grouped);
}

function asked(
  plan: Plan,
  { stage, fields, measures, limit }: GroupedBy,
): GroupQuestion | undefined {
  if (fields.length > 2) return undefined;
  const dims: Dimension[] = [];
  const shared: string[] = [];
  const shapes: ValueShape[] = [];
  for (const name of fields) {
    const field = plan.resolve(name);
    const dimension = dimensionOf(field);
    if (dimension === undefined || dims.includes(dimension)) return undefined;
    dims.push(dimension);
    if (field.type === 'text' && field.attribute !== undefined) shared.push(field.attribute.key);
    shapes.push(shapeOf(field, name.start, plan.extent));
  }
  const sums: Summed[] = [];
  const shown: ('count' | number)[] = [];
  for (const { fn, of } of measures) {
    if (fn === 'count' || of === undefined) {
      shown.push('count');
      continue;
    }
    const name = summedBy(plan.resolve(of));
    if (fn !== 'sum' || name === undefined) return undefined;
    if (!sums.includes(name)) sums.push(name);
    shown.push(sums.indexOf(name));
  }
  return { stage, fields, shapes, dims, shared, sums, shown, limit };
}

function summedBy(field: Field): Summed | undefined {
  const [ref] = field.type === 'number' ? field.refs : [];
  if (ref === undefined || !('column' in ref) || !SUMS.has(ref.column)) return undefined;
  const { column } = ref;
  return column === 'bytes' ||
    column === 'bytes_rev' ||
    column === 'packets' ||
    column === 'packets_rev'
    ? column
    : undefined;
}
