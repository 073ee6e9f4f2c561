/**
 * What a scan reads evidence with, in this thread. A capture as it is needs the importer of captures
 * and nothing else; the others, and what opens archives, are loaded when something else is met.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Importer } from '../engine/contract/importer.ts';
import type { ScanTools } from '../engine/operations/scan/scan.ts';
import type { PartFound, ScanTask, ScanThread } from '../engine/operations/scan/scan-parts.ts';
import { pcapImporter } from '../importers/pcap/index.ts';
import { readPiece } from '../importers/pcap/pieces.ts';
import { plainFile } from '../importers/shared/plain-file.ts';

export const scanTools: ScanTools = {
  captures: pcapImporter,
  parts: { readPiece, startThread },
  async importers(): Promise<readonly Importer[]> {
    const registry = await import('../importers/registry.ts');
    return registry.importers;
  },
  async *walk(path, name, temporary, limits) {
    const file = await plainFile(path, name);
    if (file !== undefined && isCapture(file.head, name)) {
      yield file.evidence;
      return;
    }
    const { walkFile } = await import('../importers/shared/walk.ts');
    yield* walkFile(path, name, await temporary(), limits);
  },
};

function startThread(task: ScanTask): ScanThread {
  const thread = new Worker(join(import.meta.dirname, 'scan-worker.ts'), { workerData: { task } });
  const found = new Promise<PartFound | undefined>((resolve, reject) => {
    thread.on('message', (message: PartFound | undefined) => resolve(message));
    thread.on('error', reject);
    thread.on('exit', () => reject(new Error('the thread ended')));
  });
  return { found, stop: () => void thread.terminate() };
}

function isCapture(head: Uint8Array, name: string): boolean {
  return pcapImporter.sniff(head, { name, complete: false })?.score === 1;
}
