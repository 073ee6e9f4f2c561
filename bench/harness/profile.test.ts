import { expect, test } from 'vitest';
import { profileText, summarise } from './profile.ts';

const node = (id: number, functionName: string, url = '') => ({
  id,
  callFrame: { functionName, url, lineNumber: 1 },
});

test('shares are of the busy time; the profiler does not count', () => {
  const summary = summarise({
    nodes: [
      node(1, '(root)'),
      node(2, '(idle)'),
      node(3, 'find', 'file:///somewhere/engine/index/find.ts'),
      node(4, '(program)'),
      node(5, 'post', 'node:inspector'),
    ],
    samples: [5, 2, 3, 3, 4],
    timeDeltas: [9000, 6000, 1000, 2000, 1000],
  });
  expect(summary.ms).toBe(10);
  expect(summary.busy).toBeCloseTo(0.4);
  expect(summary.top[0]).toEqual({ where: 'find engine/index/find.ts', share: 0.75 });
  expect(profileText(summary)).toBe(
    'thread busy 40 %: find engine/index/find.ts 75 %, (program) 25 %',
  );
});

test('nothing was sampled', () => {
  expect(summarise({ nodes: [] })).toEqual({ ms: 0, busy: 0, top: [] });
});
