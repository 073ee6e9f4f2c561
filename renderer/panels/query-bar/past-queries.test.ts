import { describe, expect, it } from 'vitest';
import { createPastQueries } from './past-queries.ts';

describe('past queries', () => {
  it('goes to older ones and back to what was being written', () => {
    const past = createPastQueries();
    past.fill(['c', 'b', 'a']);
    expect(past.step('newer', 'draft')).toBeUndefined();
    expect(past.step('older', 'draft')).toBe('c');
    expect(past.step('older', 'c')).toBe('b');
    expect(past.step('older', 'b')).toBe('a');
    expect(past.step('older', 'a')).toBeUndefined();
    expect(past.step('newer', 'a')).toBe('b');
    expect(past.step('newer', 'b')).toBe('c');
    expect(past.step('newer', 'c')).toBe('draft');
    expect(past.step('newer', 'draft')).toBeUndefined();
  });

  it('does not stop at the query that is shown', () => {
    const past = createPastQueries();
    past.fill(['c', 'b']);
    expect(past.step('older', 'c')).toBe('b');
  });

  it('is not filled again while it is walked', () => {
    const past = createPastQueries();
    past.fill(['b', 'a']);
    past.step('older', '');
    past.fill(['c', 'b', 'a']);
    expect(past.step('older', 'b')).toBe('a');
    past.reset();
    past.fill(['c', 'b', 'a']);
    expect(past.step('older', '')).toBe('c');
  });
});
