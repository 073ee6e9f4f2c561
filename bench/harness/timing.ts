/** Repeats and medians. */
import type { Cell } from './report.ts';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** The value below which a share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/** Maximum total milliseconds of repeats of one measurement. */
const PATIENCE_MS = 20_000;

/** Runs `work` up to `times` times after one run that does not count; `work` returns milliseconds. */
export async function warm(times: number, work: () => Promise<number>): Promise<Cell> {
  const started = performance.now();
  const first = await work();
  const runs: number[] = [];
  while (runs.length < times && performance.now() - started < PATIENCE_MS) runs.push(await work());
  if (runs.length === 0) runs.push(first);
  return { value: median(runs), runs };
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** `13M`, `100k`, `1_000_000` as a number. */
export function parseSize(text: string): number {
  const match = /^([\d_.]+)([kMG]?)$/.exec(text);
  const factor = { '': 1, k: 1e3, M: 1e6, G: 1e9 }[match?.[2] ?? ''];
  const value = Number(match?.[1]?.replaceAll('_', ''));
  if (factor === undefined || !Number.isFinite(value) || value <= 0)
    throw new Error(`${JSON.stringify(text)} is no size: write 500k, 13M, 1_000_000`);
  return Math.round(value * factor);
}
