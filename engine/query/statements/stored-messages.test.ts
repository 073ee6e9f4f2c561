import { expect, it } from 'vitest';
import { Params } from '../dialect/duckdb.ts';
import type { SegmentInfo } from '../plan/scope.ts';
import { storedScope } from './stored-messages.ts';

it('leaves messages with characters beyond ASCII to RE2 where a pattern has classes of such', () => {
  const segment: SegmentInfo = {
    ...{ id: 1, kind: 'log', day: '2026-11-21', rows: 9, minTs: 1, maxTs: 2 },
    ...{ columns: new Set(['message']), hasDeletes: false, tags: new Set() },
    ...{ unflowedPackets: 0, sources: new Set([1]) },
  };
  const asked: number[][] = [];
  const messages = {
    shapes: [
      { constants: ['7: ', ''], variables: [3] },
      { constants: ['a ', ''], variables: [3] },
      // A letter of Unicode 17, which the runtime knows and RE2 does not.
      { constants: ['\u088f ', ''], variables: [3] },
      { constants: ['- ', ''], variables: ['token' as const] },
    ],
    ...{ number: '"message:shape"', whole: '"message"', message: 'm' },
    messageOf: (numbers: ReadonlySet<number>) => {
      asked.push([...numbers]);
      return 'some';
    },
  };
  const { scope } = storedScope(segment, messages, new Params());
  for (const pattern of ['\\p{L} ', '\\P{L}\\d', '[\\pL] ', '^[^a]']) {
    scope.matching!('(m)', pattern, false);
  }
  expect(asked).toEqual([
    [3, 4],
    [3, 4],
    [3, 4],
  ]);
});
