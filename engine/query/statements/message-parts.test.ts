import { expect, it } from 'vitest';
import { COLUMNS, KINDS } from '../../contract/event.ts';
import { planQuery } from '../plan/plan-query.ts';
import type { SegmentInfo } from '../plan/scope.ts';
import { compileRows } from './statements.ts';

const SEGMENT: SegmentInfo = {
  ...{ id: 1, kind: KINDS[2], day: '2026-11-20', rows: 10, minTs: 0, maxTs: 1, hasDeletes: false },
  ...{ columns: new Set(Object.keys(COLUMNS)), tags: new Set<number>(), unflowedPackets: 0 },
  ...{ sources: new Set<number>(), cut: true },
};

it.each([
  ['*', true],
  ['* | fields message', true],
  ['* | eval x = bytes * 2', true],
  ['* | eval x = len(message)', false],
  ['* | extract "from {made}"', false],
  ['* | extract "from {made}" | fields made, message', false],
])('leaves messages whole where a value is computed of them: %s', (text, inParts) => {
  const plan = planQuery(text, {
    ...{ segments: [SEGMENT], sources: () => [], tags: [], newestTs: undefined, zone: 'UTC' },
  });
  const { messages } = compileRows(plan, { inParts: true });
  expect(messages !== undefined).toBe(inParts);
});
