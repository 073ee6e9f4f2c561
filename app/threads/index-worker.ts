/** Entry of the thread that builds the indexes of an import worker's parts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ToIndexer } from '../../engine/ingest/indexing/index-protocol.ts';
import { runIndexer } from '../../engine/ingest/indexing/index-thread.ts';
import { lowerPriority } from './lower-priority.ts';
import { settings } from '../settings.ts';
import { setUpForImports } from './threads.ts';

const port = parentPort;
if (port === null) throw new Error('index-worker.ts runs as a worker thread only');
const { background } = workerData as { background: boolean };
setUpForImports(settings(process.env).importMemory);
if (background) lowerPriority();
runIndexer({
  post: (message) => port.postMessage(message),
  onMessage: (handler) => port.on('message', (message: ToIndexer) => handler(message)),
});
