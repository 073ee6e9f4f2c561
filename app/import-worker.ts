/** Entry of an import worker thread: joins the reading side of the engine with the importers. */
import { parentPort } from 'node:worker_threads';
import { runImportWorker } from '../engine/ingest/read-leaf.ts';
import type { ToWorker } from '../engine/ingest/protocol.ts';
import { importers } from '../importers/registry.ts';
import { walkFile } from '../importers/shared/walk.ts';

const port = parentPort;
if (port === null) throw new Error('import-worker.ts runs as a worker thread only');
runImportWorker(
  {
    post: (message) => port.postMessage(message),
    onMessage: (handler) => port.on('message', (message: ToWorker) => handler(message)),
  },
  { importers, walk: (path, name, temporary) => walkFile(path, name, temporary) },
);
