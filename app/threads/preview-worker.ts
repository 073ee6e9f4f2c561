/** Entry of the preview thread: joins the engine's preview with the importers. */
import { parentPort } from 'node:worker_threads';
import { runPreviewWorker } from '../../engine/ingest/preview/preview.ts';
import type { ToPreviewWorker } from '../../engine/ingest/preview/preview-protocol.ts';
import { importers } from '../../importers/registry.ts';
import { walkPath } from '../../importers/shared/archives/walk.ts';

/** For an archive member that must be copied to be read. */
const BEGINNING_BYTES = 64 << 20;

const port = parentPort;
if (port === null) throw new Error('preview-worker.ts runs as a worker thread only');
runPreviewWorker(
  {
    post: (message) => port.postMessage(message),
    onMessage: (handler) => port.on('message', (message: ToPreviewWorker) => handler(message)),
  },
  {
    importers,
    walk: (path, name, temporary) =>
      walkPath(path, name, { temporary, beginningBytes: BEGINNING_BYTES }),
  },
);
