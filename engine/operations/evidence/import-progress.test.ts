import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ProgressMeter, type MeteredProgress } from './import-progress.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const at = (bytes: number, phase: MeteredProgress['phase'] = 'reading') => ({
  ...{ bytes, totalBytes: 100_000, rows: bytes / 10, source: 'a', phase },
});

/** Feeds `perSecond` bytes every 10 ms for `ms`. */
function run(meter: ProgressMeter, from: number, perSecond: number, ms: number): number {
  let bytes = from;
  for (let t = 0; t < ms; t += 10) {
    vi.advanceTimersByTime(10);
    bytes += perSecond / 100;
    meter.update(at(Math.round(bytes)));
  }
  return bytes;
}

it('tells ten times a second at most, the rates of the last seconds, and what is left', () => {
  const told: MeteredProgress[] = [];
  const meter = new ProgressMeter(
    (progress) => told.push(progress),
    () => Date.now(),
  );
  let bytes = run(meter, 0, 1000, 900);
  expect(told.at(-1)!.etaMs, 'too early').toBeUndefined();
  bytes = run(meter, bytes, 1000, 9100);
  expect(told.length).toBeGreaterThan(90);
  expect(told.length).toBeLessThanOrEqual(101);
  expect(told.at(-1)!.bytesPerSecond).toBeCloseTo(1000, -1);
  expect(told.at(-1)!.etaMs! / 1000).toBeCloseTo(90, 0);
  run(meter, bytes, 9000, 6000);
  expect(told.at(-1)!.bytesPerSecond, 'what was before is forgotten').toBeCloseTo(9000, -2);
  expect(told.at(-1)!.rowsPerSecond).toBeCloseTo(900, -1);
  expect(told.at(-1)!.elapsedMs).toBeGreaterThan(15_900);
  expect(meter.last).toBe(told.at(-1));
});

it('tells the last state of a silence, another phase at once, and nothing when stopped', () => {
  const told: MeteredProgress[] = [];
  const meter = new ProgressMeter(
    (progress) => told.push(progress),
    () => Date.now(),
  );
  meter.update(at(0, 'listing'));
  meter.update(at(10));
  meter.update(at(20));
  expect(told.map(({ bytes }) => bytes)).toEqual([0, 10]);
  vi.advanceTimersByTime(100);
  expect(told.map(({ bytes }) => bytes)).toEqual([0, 10, 20]);
  meter.update(at(30, 'compacting'));
  expect(told.at(-1)).toMatchObject({ bytes: 30, phase: 'compacting' });
  expect(told.at(-1)!.etaMs).toBeUndefined();
  meter.update(at(40, 'compacting'));
  meter.stop();
  vi.advanceTimersByTime(1000);
  expect(told.length).toBe(4);
});
