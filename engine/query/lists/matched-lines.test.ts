/**
 * Statements that search for the lines of a list are no longer than what they read: if segments have hundreds of
 * attributes each, planning a longer one takes DuckDB minutes.
 */
import { expect, it } from 'vitest';
import { COLUMNS, KINDS } from '../../contract/event.ts';
import { eventFields } from '../names/fields.ts';
import { planQuery } from '../plan/plan-query.ts';
import type { SegmentInfo } from '../plan/scope.ts';
import { compileMatchedLines, compileSomeEvent } from './matched-lines.ts';
import { readList } from './match-list.ts';

const ATTRIBUTES = 50;
const SEGMENTS = 3;

/** Each has its own attributes. */
const segments = Array.from({ length: SEGMENTS }, (_, n): SegmentInfo => {
  const attributes = Array.from({ length: ATTRIBUTES }, (_none, at) => `a:name${n}x${at}`);
  return {
    ...{ id: n + 1, kind: KINDS[2], day: '2026-11-20', rows: 10, minTs: 0, maxTs: 1 },
    ...{ columns: new Set([...Object.keys(COLUMNS), ...attributes]), tags: new Set<number>() },
    ...{ hasDeletes: false, unflowedPackets: 0, sources: new Set<number>() },
  };
});
const list = readList({
  ...{ text: '10.0.0.1\nevil.example\n', digest: 'd', fields: undefined },
  resolve: eventFields(segments),
});
const planned = (text: string) =>
  planQuery(text, {
    ...{ segments, sources: () => [], tags: [], newestTs: undefined, zone: 'UTC', list },
  });
const written = list.groups.find(({ keys }) => keys[0]?.key.key === 'written4')!;
const occurrences = (sql: string, word: string): number => sql.split(word).length - 1;

/** Calls for the text of one event. */
const CALLS = 3;
/** The list also narrows the events. */
const FILTERED = CALLS * SEGMENTS;

it('looks through the texts of an event as one', () => {
  const { sql } = compileMatchedLines(planned('*'), written);
  expect(occurrences(sql, 'regexp_extract_all')).toBe(FILTERED + CALLS * SEGMENTS);
  const chosen = compileMatchedLines(planned('* | head 5'), written);
  expect(occurrences(chosen.sql, 'regexp_extract_all')).toBe(FILTERED + CALLS);
});

it('reads each segment by its own columns where events are not chosen', () => {
  const { sql } = compileMatchedLines(planned('*'), written);
  expect(occurrences(sql, '"a:name0x7"')).toBeGreaterThan(0);
  expect(occurrences(sql, '"a:name0x7"')).toBe(occurrences(sql, '"a:name2x7"'));
  // It has no columns of other segments, not even empty ones.
  expect(occurrences(sql, 'CAST(NULL')).toBe(0);
});

it('asks whether there is an event without the event', () => {
  const { sql } = compileSomeEvent(planned('kind:log'));
  expect(sql.startsWith('SELECT 1 FROM')).toBe(true);
  expect(sql).not.toContain('ORDER BY');
});
