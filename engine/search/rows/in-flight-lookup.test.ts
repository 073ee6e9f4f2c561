import { expect, it } from 'vitest';
import { CancelledError } from '../../contract/errors.ts';
import type { FoundRows } from '../../query/index.ts';
import type { Snapshot } from '../session/snapshot.ts';
import { InFlightLookup } from './in-flight-lookup.ts';
import { TextCache } from '../../index/text/index.ts';
import { FilterResultCache } from './filter-result-cache.ts';

const some: FoundRows = { rows: 'all', exact: true, rest: { filter: 'all' }, by: 'index' };
const snapshot = (): Snapshot => ({ segments: [], sources: () => [], tags: [], marks: new Map() });

/** Work that the test ends: with rows, or because it was stopped. */
function workOf() {
  const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<number, FoundRows>>();
  const begun = Promise.withResolvers<undefined>();
  const stopped = Promise.withResolvers<undefined>();
  const state = { begun: 0, stopped: false, ended: false };
  const work = async (stop: AbortSignal) => {
    state.begun += 1;
    begun.resolve(undefined);
    const onStop = () => {
      state.stopped = true;
      stopped.resolve(undefined);
    };
    if (stop.aborted) onStop();
    stop.addEventListener('abort', onStop);
    try {
      return await promise;
    } finally {
      state.ended = true;
    }
  };
  return {
    ...{ work, state, begun: begun.promise, stopped: stopped.promise },
    end: () => resolve(new Map([[7, some]])),
    endStopped: () => reject(new CancelledError()),
  };
}

it('gives all who wait what was found once, and goes on when who began it is cancelled', async () => {
  const { work, state, end } = workOf();
  const finding = new InFlightLookup(work);
  const [first, second] = [new AbortController(), new AbortController()];
  const one = finding.wait(first.signal);
  const two = finding.wait(second.signal);
  const three = finding.wait(undefined);
  first.abort();
  await expect(one).rejects.toThrow(CancelledError);
  expect(state).toEqual({ begun: 1, stopped: false, ended: false });
  end();
  expect(await two).toEqual(new Map([[7, some]]));
  expect(await three).toEqual(new Map([[7, some]]));
  second.abort();
  expect(finding.abandoned).toBe(false);
});

it('is stopped when all are cancelled, and the last leaves when it has ended', async () => {
  const { work, state, begun, stopped, endStopped } = workOf();
  const finding = new InFlightLookup(work);
  const stop = new AbortController();
  let left = 0;
  const both = [finding.wait(stop.signal), finding.wait(stop.signal)].map(async (one) => {
    await expect(one).rejects.toThrow(CancelledError);
    left += 1;
    return state.ended;
  });
  await begun;
  stop.abort();
  await stopped;
  expect(left).toBeLessThan(2);
  endStopped();
  expect(await Promise.all(both)).toContain(true);
  expect(state.stopped).toBe(true);
  expect(finding.abandoned).toBe(true);
  await expect(finding.wait(undefined)).rejects.toThrow(CancelledError);
});

it('is stopped by one who comes cancelled, when no other waits', async () => {
  const { work, state, stopped, endStopped } = workOf();
  const finding = new InFlightLookup(work);
  const waiting = expect(finding.wait(AbortSignal.abort())).rejects.toThrow(CancelledError);
  await stopped;
  endStopped();
  await waiting;
  expect(state).toEqual({ begun: 1, stopped: true, ended: true });
});

it('is shared while it runs, cached afterwards, and restarted once abandoned', async () => {
  const cache = new FilterResultCache(new TextCache());
  const now = snapshot();
  const { work, end } = workOf();
  const finding = cache.find(now, 'f', [7, 8], work);
  expect(cache.finding(now, 'f', 8)).toBe(finding);
  expect(cache.finding(now, 'g', 8)).toBeUndefined();
  expect(cache.finding(snapshot(), 'f', 8)).toBeUndefined();
  const waiting = finding.wait(undefined);
  end();
  await waiting;
  expect(cache.get(now, 'f', 7)).toBe(some);
  expect(cache.finding(now, 'f', 7)).toBeUndefined();

  const other = workOf();
  const stop = new AbortController();
  const left = expect(cache.find(now, 'h', [7], other.work).wait(stop.signal)).rejects.toThrow(
    CancelledError,
  );
  stop.abort();
  await other.stopped;
  expect(cache.finding(now, 'h', 7)).toBeUndefined();
  other.endStopped();
  await left;
});

it('keeps nothing that was found in a case as it no longer is', async () => {
  const cache = new FilterResultCache(new TextCache());
  const [before, after] = [snapshot(), snapshot()];
  const { work, end } = workOf();
  const waiting = cache.find(before, 'f', [7], work).wait(undefined);
  cache.set(after, 'x', 1, some);
  end();
  expect(await waiting).toEqual(new Map([[7, some]]));
  expect(cache.get(before, 'f', 7)).toBeUndefined();
  expect(cache.get(after, 'f', 7)).toBeUndefined();
});

it('looks a condition up once, while the case stays as it is', () => {
  const cache = new FilterResultCache(new TextCache());
  const now = snapshot();
  let asked = 0;
  const lookUp = () => ({ rows: 'all', exact: (asked += 1) > 0 }) as const;
  cache.leaf(now, 'word', 1, lookUp);
  cache.leaf(now, 'word', 1, lookUp);
  expect(asked).toBe(1);
  cache.leaf(now, 'word', 2, lookUp);
  cache.leaf(snapshot(), 'word', 1, lookUp);
  expect(asked).toBe(3);
});
