/** Gives dropped files to the engine: their paths where the shell knows them, else their content. */
import type { Engine } from '../../engine/contract/client.ts';
import { bridge } from './pipe.ts';

const PIECE = 2 << 20;

export interface ReceiveProgress {
  readonly name: string;
  readonly bytes: number;
  readonly totalBytes: number;
}

/**
 * Paths that the engine can read. Files whose path is unknown (in a browser) are sent to the case's
 * `received` folder, piece by piece.
 * @throws OperationError
 */
export async function receiveFiles(
  engine: Engine,
  folder: string,
  files: readonly File[],
  options: { signal?: AbortSignal; onProgress?: (progress: ReceiveProgress) => void } = {},
): Promise<string[]> {
  const shell = bridge();
  const paths: string[] = [];
  const upload = crypto.getRandomValues(new Uint32Array(2)).join('-');
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  let sent = 0;
  for (const file of files) {
    const known = shell?.pathOfFile(file) ?? '';
    if (known !== '') {
      paths.push(known);
      continue;
    }
    // Set for a file of a dropped or chosen folder.
    const relative = file.webkitRelativePath;
    const name = relative === '' ? file.name : relative;
    let offset = 0;
    for (;;) {
      const end = Math.min(offset + PIECE, file.size);
      const bytes = new Uint8Array(await file.slice(offset, end).arrayBuffer());
      const last = end === file.size;
      const { path } = await engine.call(
        'evidence.receive',
        { case: folder, upload, name, offset, bytes, last, modifiedMs: file.lastModified },
        { signal: options.signal },
      );
      sent += bytes.length;
      options.onProgress?.({ name, bytes: sent, totalBytes });
      offset = end;
      if (last) {
        paths.push(path);
        break;
      }
    }
  }
  return paths;
}
