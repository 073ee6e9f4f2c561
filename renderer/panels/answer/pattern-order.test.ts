/** The order of `patterns` is read from a query and changed in it; the rest of the query stays. */
import { describe, expect, it } from 'vitest';
import { patternOrderOf, withPatternOrder } from './pattern-order.ts';

/** Splits a query as the engine does, provided no stage contains a `|`. */
function stagesOf(query: string) {
  let at = 0;
  const parts = query.split('|').map((part) => {
    const start = at + (/\S/.exec(part)?.index ?? 0);
    at += part.length + 1;
    const text = part.trim();
    return { start, end: start + text.length, text, name: text.split(' ')[0] ?? '' };
  });
  return parts.slice(1);
}

describe('the order of patterns', () => {
  it.each([
    ['* | patterns', 'rare', '* | patterns desc'],
    ['kind:log | patterns 50 ', 'rare', 'kind:log | patterns 50 desc '],
    ['* | patterns 5 DESC', 'frequent', '* | patterns 5'],
    ['"patterns desc" | patterns  desc', 'frequent', '"patterns desc" | patterns'],
  ] as const)('%s', (query, order, other) => {
    const stages = stagesOf(query);
    expect(patternOrderOf(stages)).toBe(order);
    expect(withPatternOrder(query, stages, order)).toBe(query);
    expect(withPatternOrder(query, stages, order === 'rare' ? 'frequent' : 'rare')).toBe(other);
  });

  it.each(['*', '* | patterns | head 3', '* | top host'])('is none of %s', (query) => {
    expect(patternOrderOf(stagesOf(query))).toBeUndefined();
  });
});
