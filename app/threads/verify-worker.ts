/** Entry of the thread that verifies a case: joins the engine's checks with the importers. */
import { parentPort } from 'node:worker_threads';
import { runVerify, type ToVerify } from '../../engine/operations/verify/verify-thread.ts';
import { importers } from '../../importers/registry.ts';
import { walkFile } from '../../importers/shared/archives/walk.ts';
import { lowerPriority } from './lower-priority.ts';

const port = parentPort;
if (port === null) throw new Error('verify-worker.ts runs as a worker thread only');
lowerPriority();
runVerify(
  {
    post: (message) => port.postMessage(message),
    onMessage: (handler) => port.on('message', (message: ToVerify) => handler(message)),
  },
  {
    importers,
    walk: (path, name, temporary, limits) => walkFile(path, name, temporary, limits),
  },
);
