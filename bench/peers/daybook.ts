/** Daybook as users reach it: the command line for imports, the engine host in a process for the rest. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LineChild } from '../harness/child.ts';
import { bytesBelow, dropPages } from '../harness/disk.ts';
import {
  profileText,
  summarise,
  type CpuProfile,
  type ProfileSummary,
} from '../harness/profile.ts';
import { CLI, PROGRAM, SESSION } from '../harness/program.ts';
import type { Scope } from '../harness/scope.ts';
import { cpuMsOf, measure } from '../process.ts';

interface Range {
  /** Microseconds since 1970, half open. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Without indexes, rollups and catalog. */
  readonly path?: 'scan' | undefined;
}

/** A file of values that narrows a query, and the meaning of its columns. */
interface GivenList {
  readonly file: string;
  readonly fields: string[];
}

/** Requests to a session: see `daybook-session.ts`. */
export type Asked =
  | { do: 'start' }
  | { do: 'open' }
  | { do: 'fields'; values: string[] }
  | { do: 'unmatched'; query: string; list: GivenList }
  | ({ do: 'query'; query: string } & Range)
  | { do: 'conversations'; query: string }
  | ({ do: 'look'; query: string; bars: number; first: number } & Range)
  | { do: 'users'; queries: string[]; users: number; ms: number; patienceMs: number }
  | { do: 'tag'; query: string; name: string; list?: GivenList }
  | { do: 'delete'; query: string; list?: GivenList }
  | { do: 'import'; paths: string[] }
  | { do: 'forget' }
  | { do: 'watch' }
  | { do: 'noticed' }
  | { do: 'profile'; asked: Asked; times: number };

interface Imported {
  readonly read: number;
  readonly stored: number;
  readonly quarantined: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakMemory: number;
}

/** Runs `daybook import` as a user does. @throws Error if it fails */
export async function importCase(
  folder: string,
  paths: readonly string[],
  options: readonly string[] = [],
): Promise<Imported> {
  const run = await measure(process.execPath, [
    CLI,
    'import',
    folder,
    ...paths,
    ...options,
    '--json',
  ]);
  if (run.exit !== 0 && run.exit !== 3) throw new Error(`import failed: ${run.err.slice(-800)}`);
  const report = JSON.parse(run.out.trim().split('\n').at(-1) ?? '{}') as {
    total: { read: number; stored: number; quarantined: number };
  };
  return { ...report.total, ms: run.wallMs, cpuMs: run.cpuMs, peakMemory: run.peakRss ?? 0 };
}

/** Imports under V8's profiler into a temporary case: summarises each thread of the process, the busiest first. */
export async function profileImport(
  folder: string,
  paths: readonly string[],
  options: readonly string[] = [],
): Promise<string[]> {
  const profiles = `${folder}.profiles`;
  mkdirSync(profiles, { recursive: true });
  try {
    const args = [CLI, 'import', folder, ...paths, ...options, '--json'];
    await measure(process.execPath, args, {
      NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}`,
    });
    return readdirSync(profiles)
      .map((name) =>
        summarise(JSON.parse(readFileSync(join(profiles, name), 'utf8')) as CpuProfile),
      )
      .sort((a, b) => b.busy * b.ms - a.busy * a.ms)
      .map(
        (one, thread) =>
          `import, thread ${thread + 1} of ${Math.round(one.ms)} ms: ${profileText(one)}.`,
      );
  } finally {
    rmSync(profiles, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `daybook COMMAND …` as a process: returns its milliseconds and its output. */
export async function daybookCommand(
  args: readonly string[],
): Promise<{ ms: number; out: string; peakMemory: number }> {
  const run = await measure(process.execPath, [CLI, ...args]);
  if (run.exit !== 0) throw new Error(`daybook ${args[0]} failed: ${run.err.slice(-800)}`);
  return { ms: run.wallMs, out: run.out, peakMemory: run.peakRss ?? 0 };
}

interface Timings {
  readonly totalMs: number;
  readonly path?: string;
  readonly spans: Record<string, number>;
}

export class DaybookEngine {
  readonly folder: string;
  private child: LineChild;
  private peak = 0;

  constructor(folder: string, scope: Scope) {
    this.folder = folder;
    this.child = this.start();
    scope.onClose(() => this.close());
  }

  /** @throws Error with the engine's message */
  async ask<T>(asked: Asked): Promise<{ ms: number; rows: T }> {
    const line = await this.child.ask(JSON.stringify(JSON.stringify(asked)));
    const reply = JSON.parse(line) as { ms: number; rows: T; error?: string };
    if (reply.error !== undefined) throw new Error(`Daybook: ${reply.error}`);
    return reply;
  }

  /**
   * Discards cached results with a commit that changes nothing: the next measurement answers a new question, with
   * files and indexes in memory.
   */
  async forget(): Promise<void> {
    await this.ask({ do: 'forget' });
  }

  /** A query's table, and its cost. */
  async query(
    query: string,
    range: Range = {},
  ): Promise<{ ms: number; rows: (string | number | null)[][]; timings: Timings }> {
    const { ms, rows } = await this.ask<[(string | number | null)[][], Timings]>({
      ...{ do: 'query', query },
      ...range,
    });
    return { ms, rows: rows[0], timings: rows[1] };
  }

  /**
   * Repeats something under V8's profiler and summarises the engine's thread, which idles while it waits for
   * DuckDB's threads.
   */
  async profile(asked: Asked, times: number): Promise<ProfileSummary> {
    return (await this.ask<ProfileSummary>({ do: 'profile', asked, times })).rows;
  }

  /** A new process, with none of the case's pages in memory. */
  async cold(): Promise<void> {
    await this.close();
    await dropPages([this.folder]);
    this.child = this.start();
    await this.ask({ do: 'start' });
  }

  /** Processor time of the process so far. */
  cpuMs(): number {
    return cpuMsOf(this.child.process.pid);
  }

  bytes(): number {
    return bytesBelow([this.folder]);
  }

  peakMemory(): number {
    return Math.max(this.peak, this.child.peakMemory());
  }

  async close(): Promise<void> {
    this.peak = this.peakMemory();
    await this.child.close();
  }

  private start(): LineChild {
    // As the product starts its engine (app/engine/command.ts).
    return new LineChild(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', SESSION, this.folder],
      { NODE_COMPILE_CACHE: join(PROGRAM, 'node_modules/.cache/daybook-bench') },
    );
  }
}
