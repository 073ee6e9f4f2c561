/** Entry of an import worker thread: joins the reading side of the engine with the importers. */
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { FromIndexer, ToIndexer } from '../../engine/ingest/indexing/index-protocol.ts';
import { runImportWorker } from '../../engine/ingest/worker/import-worker.ts';
import type { ToWorker } from '../../engine/ingest/worker/protocol.ts';
import { lowerPriority } from './lower-priority.ts';
import { importers } from '../../importers/registry.ts';
import { walkFile } from '../../importers/shared/archives/walk.ts';
import { workerThreads } from './threads.ts';

const port = parentPort;
if (port === null) throw new Error('import-worker.ts runs as a worker thread only');

runImportWorker(
  {
    post: (message) => port.postMessage(message),
    onMessage: (handler) => port.on('message', (message: ToWorker) => handler(message)),
  },
  {
    importers,
    walk: (path, name, temporary, limits) => walkFile(path, name, temporary, limits),
    startIndexer: workerThreads<ToIndexer, FromIndexer>(
      join(import.meta.dirname, 'index-worker.ts'),
    ),
    lowerPriority,
  },
);
