/** Passes dropped files to the engine: their paths if the shell knows them, otherwise their content. */
import { OperationError, type Engine } from '../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../engine/contract/wire/frame.ts';
import { bridge } from './pipe.ts';

const PIECE = 2 << 20;

interface ReceiveProgress {
  readonly name: string;
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface Received {
  /** Names of the dropped files, and the paths where the engine can read them. */
  readonly names: readonly string[];
  readonly paths: readonly string[];
  /** Files that cannot be received, and why. The others are received all the same. */
  readonly refused: readonly ErrorInfo[];
}

/**
 * Files whose path is unknown (in a browser) are sent to the case's `received` folder, piece by piece.
 * @throws OperationError
 */
export async function receiveFiles(
  engine: Engine,
  folder: string,
  files: readonly File[],
  options: { signal?: AbortSignal; onProgress?: (progress: ReceiveProgress) => void } = {},
): Promise<Received> {
  const shell = bridge();
  const names: string[] = [];
  const paths: string[] = [];
  const refused: ErrorInfo[] = [];
  const upload = crypto.getRandomValues(new Uint32Array(2)).join('-');
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  let sent = 0;
  for (const file of files) {
    // Set for a file of a dropped or chosen folder.
    const relative = file.webkitRelativePath;
    const name = relative === '' ? file.name : relative;
    const known = shell?.pathOfFile(file) ?? '';
    try {
      const path = known === '' ? await send(file, name) : known;
      names.push(name);
      paths.push(path);
    } catch (error) {
      if (!(error instanceof OperationError) || error.info.code !== 'usage') throw error;
      refused.push(error.info);
    }
  }
  return { names, paths, refused };

  async function send(file: File, name: string): Promise<string> {
    for (let offset = 0; ;) {
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
      if (last) return path;
    }
  }
}
