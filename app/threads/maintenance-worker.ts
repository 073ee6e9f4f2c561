/** Entry of the thread for deferred maintenance. */
import { parentPort } from 'node:worker_threads';
import {
  runMaintenance,
  type ToMaintenance,
} from '../../engine/operations/evidence/maintenance-thread.ts';
import { lowerPriority } from './lower-priority.ts';

const port = parentPort;
if (port === null) throw new Error('maintenance-worker.ts runs as a worker thread only');
lowerPriority();
runMaintenance({
  post: (message) => port.postMessage(message),
  onMessage: (handler) => port.on('message', (message: ToMaintenance) => handler(message)),
});
