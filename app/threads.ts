/** Starts the threads of an import. */
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { KeptThread } from '../engine/ingest/threads.ts';

/** By how many percent a heap may grow from one full collection of garbage to the next. */
const HEAP_GROWTH = 600;

/**
 * The threads of an import have small heaps and make many arrays, which count beside the heap and are soon
 * gone: by itself V8 marks all of a heap anew for every 30 MB of them. It is for the whole process; how large a heap
 * may become at most stays. To be called by the last of them that an import starts, once it runs: with another flag
 * than Node was built with, V8 takes none of the code that is kept of Node's own modules, and compiles them in each
 * thread (20 ms of 50).
 */
export function collectLessOften(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
}

/** A thread that runs `entry`, with messages of these types; it ends with the thread that started it. */
export function startThread<To, From>(entry: string, workerData?: unknown): KeptThread<To, From> {
  const worker = new Worker(entry, { workerData });
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
