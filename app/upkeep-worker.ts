/** Entry of the thread that does what imports leave undone. */
import { parentPort } from 'node:worker_threads';
import { runUpkeep, type ToUpkeep } from '../engine/operations/evidence/upkeep-thread.ts';
import { giveWay } from './give-way.ts';

const port = parentPort;
if (port === null) throw new Error('upkeep-worker.ts runs as a worker thread only');
giveWay();
runUpkeep({
  post: (message) => port.postMessage(message),
  onMessage: (handler) => port.on('message', (message: ToUpkeep) => handler(message)),
});
