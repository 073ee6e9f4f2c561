import { expect, it } from 'vitest';
import { findingsQuery } from './findings-query.ts';

const noted = (event: string, text: string) => ({ event, text, at: '2026-03-04T10:00:00Z' });

it('asks for tagged events by their tag, for noted ones by their ids', () => {
  expect(findingsQuery(false, []).query).toBeUndefined();
  expect(findingsQuery(true, []).query).toBe('kind:* (tag:*)');
  expect(findingsQuery(true, [noted('1:3', 'seen'), noted('1:f4', 'odd')])).toEqual({
    query: 'kind:* (tag:* OR event_id:(1:3 OR 1:f4))',
    leftOut: undefined,
  });
});

it('does not take events that were tagged by hand for notes', () => {
  const tagged = Array.from({ length: 600 }, (_, i) => noted(`1:${i + 10}`, ''));
  expect(findingsQuery(true, [...tagged, noted('1:3', 'older')])).toEqual({
    query: 'kind:* (tag:* OR event_id:(1:3))',
    leftOut: undefined,
  });
});

it('says how many notes it leaves out', () => {
  const notes = Array.from({ length: 1200 }, (_, i) => noted(`1:${i}`, 'seen'));
  const { query, leftOut } = findingsQuery(false, notes);
  expect(query?.match(/1:\d+/g)).toHaveLength(500);
  expect(leftOut).toBe('▾ marks the newest 500 of 1,200 notes');
});
