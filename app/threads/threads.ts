/** Starts the threads of an import. */
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { memoryShare } from '../../engine/ingest/import-memory.ts';
import { LITTLE_GROWTH } from '../../engine/store/return-memory.ts';
import {
  type KeptThread,
  type ThreadHandle,
  WarmThreads,
} from '../../engine/ingest/coordinator/warm-threads.ts';

/**
 * Percentage by which a heap may grow between full garbage collections. With 600 an import takes no less processor
 * time, and the amount of garbage at its peak depends on the speed of the machine.
 */
const HEAP_GROWTH = 250;
/**
 * Megabytes of a thread's young generation, three times a semi-space. By default V8 makes it 200 from what
 * survives.
 */
const YOUNG_GENERATION = 48;

/** V8 flags for imports that may use `importMemory` bytes. */
export function v8Flags(importMemory: number): string[] {
  const growth = memoryShare(importMemory) < 1 ? LITTLE_GROWTH : HEAP_GROWTH;
  return [`--heap-growing-percent=${growth}`, '--no-maglev-inlining'];
}

/**
 * Sets V8 up for an import, for the whole process. The last thread that an import starts calls it once it runs:
 * with flags other than those Node was built with, V8 rejects the cached code of Node's modules, and compiles them
 * in each thread (20 ms of 50). It also affects queries of the same process.
 *
 * The threads of an import have small heaps and make many arrays, which count outside the heap and are short-lived:
 * by default, V8 marks the whole heap again for every 30 MB of them. The maximum heap size stays.
 *
 * Maglev's inlining is disabled: docs/adr/0009-v8-and-worker-threads.md.
 *
 * @param importMemory bytes that DuckDB may use for it
 */
export function setUpForImports(importMemory: number): void {
  for (const flag of v8Flags(importMemory)) setFlagsFromString(flag);
}

/** A thread that runs `entry`, with messages of these types; it ends with the thread that started it. */
export function startThread<To, From>(entry: string, workerData?: unknown): KeptThread<To, From> {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION };
  const worker = new Worker(entry, { workerData, resourceLimits });
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (handler) => void worker.on('message', (message: From) => handler(message)),
    onExit: (handler) => {
      let failure: Error | undefined;
      worker.on('error', (error: Error) => {
        failure = error;
      });
      worker.on('exit', () => handler(failure));
    },
    stop: () => void worker.terminate(),
    release: () => void worker.terminate(),
    await: (awaited) => {
      if (awaited) worker.ref();
      else worker.unref();
    },
  };
}

/**
 * Starts threads that run `entry` and end with the calling thread; while that is kept, so is one of them. Threads
 * with lower priority are pooled separately: their priority cannot be raised again.
 */
export function workerThreads<To, From>(
  entry: string,
): (background: boolean) => ThreadHandle<To, From> {
  const threads = (background: boolean) =>
    new WarmThreads<To, From>(() => startThread(entry, { background }), Infinity);
  const [usual, givingWay] = [threads(false), threads(true)];
  return (background) => (background ? givingWay : usual).take();
}
