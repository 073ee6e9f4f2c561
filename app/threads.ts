/** Starts the threads of an import. */
import { Worker } from 'node:worker_threads';
import type { KeptThread } from '../engine/ingest/threads.ts';

/** A thread that runs `entry`, with messages of these types; it ends with the thread that started it. */
export function startThread<To, From>(entry: string, workerData?: unknown): KeptThread<To, From> {
  const worker = new Worker(entry, { workerData });
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
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
