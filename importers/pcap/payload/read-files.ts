/** Reads a capture for the files that its connections carry. */
import type { FileTaker } from '../../../engine/evidence/carried-files.ts';
import { protocolTracker } from '../packets/flow-tracker.ts';
import { readAgain, type Rereading } from './reread.ts';

/** @throws DaybookError not-found, unreadable, source-damaged, cancelled, and whatever `files` throws */
export async function readFiles(reading: Rereading & { readonly files: FileTaker }): Promise<void> {
  await readAgain(reading, (flows, sink) => protocolTracker(flows, sink, reading.files));
}
