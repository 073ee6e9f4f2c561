/** Entry of an import worker thread: joins the reading side of the engine with the importers. */
import { join } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import type { IndexerHandle } from '../engine/ingest/index-feed.ts';
import type { FromIndexer } from '../engine/ingest/index-protocol.ts';
import { runImportWorker } from '../engine/ingest/read-leaf.ts';
import type { ToWorker } from '../engine/ingest/protocol.ts';
import { giveWay } from './give-way.ts';
import { importers } from '../importers/registry.ts';
import { walkFile } from '../importers/shared/walk.ts';

const port = parentPort;
if (port === null) throw new Error('import-worker.ts runs as a worker thread only');

/** A thread of this worker's own, which ends with it. */
function startIndexer(background: boolean): IndexerHandle {
  const thread = new Worker(join(import.meta.dirname, 'index-worker.ts'), {
    workerData: { background },
  });
  return {
    post: (message, transfer) => thread.postMessage(message, [...transfer]),
    onMessage: (handler) => void thread.on('message', (message: FromIndexer) => handler(message)),
    onExit: (handler) => {
      let failure: Error | undefined;
      thread.on('error', (error: Error) => {
        failure = error;
      });
      thread.on('exit', () => handler(failure));
    },
    stop: () => void thread.terminate(),
  };
}

runImportWorker(
  {
    post: (message) => port.postMessage(message),
    onMessage: (handler) => port.on('message', (message: ToWorker) => handler(message)),
  },
  {
    importers,
    walk: (path, name, temporary) => walkFile(path, name, temporary),
    startIndexer,
    giveWay,
  },
);
