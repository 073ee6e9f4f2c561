/** Entry of the thread that stores what an import worker reads. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromIndexer, ToIndexer } from '../engine/ingest/index-protocol.ts';
import type { ToStorer } from '../engine/ingest/store-protocol.ts';
import { runStorer } from '../engine/ingest/store-thread.ts';
import { giveWay } from './give-way.ts';
import { ownThreads } from './threads.ts';

const port = parentPort;
if (port === null) throw new Error('store-worker.ts runs as a worker thread only');
const { background } = workerData as { background: boolean };
if (background) giveWay();
runStorer(
  {
    post: (message) => port.postMessage(message),
    onMessage: (handler) => port.on('message', (message: ToStorer) => handler(message)),
  },
  ownThreads<ToIndexer, FromIndexer>(join(import.meta.dirname, 'index-worker.ts')),
);
