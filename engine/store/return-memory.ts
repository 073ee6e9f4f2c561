/**
 * Returns unused memory to the system: V8 keeps the garbage of an idle heap, and the allocators of C and of DuckDB
 * keep freed memory, up to several hundred megabytes, for later allocations.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DuckDBInstance } from '@duckdb/node-api';

/** Below this memory limit of the process, garbage may take less. */
const LITTLE_MEMORY = 2e9;
/** Percentage by which the heap may then grow between full collections; V8 allows a fourfold heap. */
export const LITTLE_GROWTH = 30;

/** Configures V8 for a process that may take `bytes`. The limit of its heap stays. */
export function boundGarbage(memoryLimit: number): void {
  if (memoryLimit < LITTLE_MEMORY) setFlagsFromString(`--heap-growing-percent=${LITTLE_GROWTH}`);
}

type CollectGarbage = (options: { type: 'major'; execution: 'sync'; flavor: string }) => void;

/** It takes about 0.1 s, and is not repeated before the process has grown by this factor. */
const WORTH = 1.25;

let collectGarbage: CollectGarbage | undefined;
/** Size of the process after the last time. */
let rest = 0;

/** Call it before work that needs much memory; does nothing while the process takes fewer than `bytes`. */
export async function returnMemoryAbove(bytes: number): Promise<void> {
  if (process.memoryUsage.rss() < Math.max(bytes, rest * WORTH)) return;
  collectGarbage ??= exposedGarbageCollection();
  // Only this flavor releases the pages of the heap.
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  // DuckDB empties all allocators when any instance ends.
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  instance.closeSync();
  rest = process.memoryUsage.rss();
}

/** The flag is reset: with other flags than Node was built with, new threads compile Node's modules. */
function exposedGarbageCollection(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as CollectGarbage;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
