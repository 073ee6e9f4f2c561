/** Entry of a thread that scans pieces of a capture: docs/scan.md. */
import { parentPort, workerData } from 'node:worker_threads';
import { scanPart, type ScanTask } from '../engine/operations/scan/scan-parts.ts';
import { readPiece } from '../importers/pcap/pieces.ts';

const port = parentPort;
if (port === null) throw new Error('scan-worker.ts runs as a worker thread only');

/** What `startThread` of scan-tools.ts gave it. */
const { task } = workerData as { readonly task: ScanTask };
port.postMessage(await scanPart(task, readPiece));
