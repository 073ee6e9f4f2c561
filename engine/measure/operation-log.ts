/**
 * Measures operations: named spans, what was read, and the duration. Every operation of the engine is measured; the
 * catalog keeps the last ten thousand.
 */
import { performance } from 'node:perf_hooks';

export interface Timings {
  totalMs: number;
  spans: Record<string, number>;
  path: string | undefined;
  days: number | undefined;
  segments: number | undefined;
  rowsExamined: number | undefined;
}

/** The stored measurement of an operation. */
interface Measured extends Timings {
  at: string;
  operation: string;
  text: string | undefined;
  status: string;
  rowsReturned: number | undefined;
}

/** One running measurement. Spans of the same name add up. */
export class Stopwatch {
  readonly operation: string;
  readonly at = new Date().toISOString();
  readonly spans: Record<string, number> = {};
  path: string | undefined;
  days: number | undefined;
  segments: number | undefined;
  rowsExamined: number | undefined;
  rowsReturned: number | undefined;
  private readonly started = performance.now();

  constructor(operation: string) {
    this.operation = operation;
  }

  span<T>(name: string, work: () => T): T {
    const from = performance.now();
    try {
      return work();
    } finally {
      this.add(name, performance.now() - from);
    }
  }

  async spanAsync<T>(name: string, work: () => Promise<T>): Promise<T> {
    const from = performance.now();
    try {
      return await work();
    } finally {
      this.add(name, performance.now() - from);
    }
  }

  add(name: string, ms: number): void {
    this.spans[name] = (this.spans[name] ?? 0) + ms;
  }

  /** Milliseconds rounded to microseconds. */
  timings(): Timings {
    const spans: Record<string, number> = {};
    for (const [name, ms] of Object.entries(this.spans)) spans[name] = round(ms);
    return {
      totalMs: round(performance.now() - this.started),
      spans,
      path: this.path,
      days: this.days,
      segments: this.segments,
      rowsExamined: this.rowsExamined,
    };
  }

  /** The final measurement. */
  measured(status: string, text: string | undefined): Measured {
    const { at, operation, rowsReturned } = this;
    return { at, operation, text, status, rowsReturned, ...this.timings() };
  }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

export interface LatencySummary {
  operation: string;
  count: number;
  /** Number of those that failed. */
  failed: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
  /** How often each path was taken. */
  paths: Record<string, number>;
  rowsExamined: number;
}

/** Groups measured operations by name; percentiles are of the nearest rank. */
export function summarise(
  operations: readonly {
    operation: string;
    status: string;
    totalMs: number;
    path: string | undefined;
    rowsExamined: number | undefined;
  }[],
): LatencySummary[] {
  const groups = new Map<string, (typeof operations)[number][]>();
  for (const one of operations)
    groups.set(one.operation, [...(groups.get(one.operation) ?? []), one]);
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([operation, list]) => {
      const times = list.map((one) => one.totalMs).sort((a, b) => a - b);
      const rank = (p: number) => times[Math.max(0, Math.ceil(p * times.length) - 1)]!;
      const paths: Record<string, number> = {};
      for (const one of list)
        if (one.path !== undefined) paths[one.path] = (paths[one.path] ?? 0) + 1;
      return {
        operation,
        count: list.length,
        failed: list.filter(({ status }) => status === 'failed').length,
        p50: rank(0.5),
        p95: rank(0.95),
        p99: rank(0.99),
        max: times.at(-1)!,
        paths,
        rowsExamined: list.reduce((sum, one) => sum + (one.rowsExamined ?? 0), 0),
      };
    });
}
