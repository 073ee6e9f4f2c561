/** Whether a query that ends with `patterns` lists the most or the least frequent first. docs/query-language.md */
import type { Result } from '../../../engine/contract/operations.ts';

type Stages = readonly Result<'query.parse'>['stages'][number][];
type PatternOrder = 'rare' | 'frequent';

/** Undefined for a query that does not end with `patterns`. */
export function patternOrderOf(stages: Stages): PatternOrder | undefined {
  const last = stages[stages.length - 1];
  if (last?.name !== 'patterns') return undefined;
  return /\sdesc\s*$/i.test(last.text) ? 'frequent' : 'rare';
}

export function withPatternOrder(query: string, stages: Stages, order: PatternOrder): string {
  const last = stages[stages.length - 1];
  if (last === undefined || patternOrderOf(stages) === order) return query;
  const text =
    order === 'frequent' ? `${last.text.trimEnd()} desc` : last.text.replace(/\s+desc\s*$/i, '');
  return `${query.slice(0, last.start)}${text}${query.slice(last.end)}`;
}
