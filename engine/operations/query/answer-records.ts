/** Converts answers that are not events to the records of a table. */
import { type Answer, type ShownRecord, countAnswer } from '../../query/index.ts';
import type { RunningQuery } from '../../search/index.ts';
import { isRecord } from '../output/shown-cells.ts';

/** A query that ends with `count` is answered with one number, whether it counts events or rows of a table. */
export function countOf({ plan }: Pick<RunningQuery, 'plan'>, answer: Answer): Answer {
  if (answer.shape === 'count' || plan.ast.stages.at(-1)?.stage !== 'count') return answer;
  const count = 'rows' in answer ? answer.rows[0]?.['count'] : undefined;
  return typeof count === 'number' ? countAnswer(count) : answer;
}

export function recordsOf(answer: Answer): readonly ShownRecord[] {
  switch (answer.shape) {
    case 'count':
      return [{ count: answer.count }];
    case 'timeline':
      return answer.buckets;
    default:
      return answer.rows;
  }
}

/** Buckets with a column for each series, the largest first, instead of an object that holds them. */
export function bucketsAcross(buckets: readonly ShownRecord[]): ShownRecord[] {
  const totals = new Map<string, number>();
  for (const { series: values } of buckets) {
    if (!isRecord(values)) continue;
    for (const [name, n] of Object.entries(values))
      totals.set(name, (totals.get(name) ?? 0) + Number(n));
  }
  const series = [...totals.keys()].sort(
    (a, b) => totals.get(b)! - totals.get(a)! || (a < b ? -1 : 1),
  );
  return buckets.map(({ series: values, ...bucket }) => {
    const across: ShownRecord = { ...bucket };
    for (const name of series) {
      const column = name === '' ? '(none)' : name in bucket ? `series.${name}` : name;
      across[column] = (isRecord(values) ? values[name] : undefined) ?? 0;
    }
    return across;
  });
}

/** Every name that some record has. */
export function namesOf(records: readonly ShownRecord[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}
