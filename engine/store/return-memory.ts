/**
 * Returns to the system what this process no longer uses: V8 keeps the garbage of a heap that rests, and the allocators
 * of C and of DuckDB keep what was freed, up to several hundred megabytes, for allocations to come.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DuckDBInstance } from '@duckdb/node-api';

/** Of fewer bytes for the process, garbage may take less. */
const LITTLE_MEMORY = 2e9;
/** By how many percent a heap may then grow from one full collection of garbage to the next; V8 lets it be fourfold. */
export const LITTLE_GROWTH = 30;

/** Sets V8 up for a process that may take `bytes`. The limit of its heap stays. */
export function boundGarbage(memoryLimit: number): void {
  if (memoryLimit < LITTLE_MEMORY) setFlagsFromString(`--heap-growing-percent=${LITTLE_GROWTH}`);
}

type CollectGarbage = (options: { type: 'major'; execution: 'sync'; flavor: string }) => void;

/** It takes some 0.1 s, and is not done again before the process has grown by so much. */
const WORTH = 1.25;

let collectGarbage: CollectGarbage | undefined;
/** What the process took after the last time. */
let rest = 0;

/** To be called before work that needs much memory; does nothing while the process takes fewer than `bytes`. */
export async function returnMemoryAbove(bytes: number): Promise<void> {
  if (process.memoryUsage.rss() < Math.max(bytes, rest * WORTH)) return;
  collectGarbage ??= exposedGarbageCollection();
  // Only this flavour gives back the pages of the heap.
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  // DuckDB empties all allocators when an instance ends, whichever it is.
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  instance.closeSync();
  rest = process.memoryUsage.rss();
}

/** The flag is not left on: with another than Node was built with, new threads compile Node's own modules. */
function exposedGarbageCollection(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as CollectGarbage;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
