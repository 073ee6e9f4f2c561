/** Saves a file that the engine writes: to a path chosen in the shell, or as a download. */
import { bridge } from './pipe.ts';
import type { FileFilter } from '../../engine/contract/wire/bridge.ts';

type Piece = { readonly bytes: Uint8Array } | object;

/**
 * Saves under a name what `make` produces. With a native dialog, `make` gets a path; otherwise it returns chunks,
 * which become a download. Undefined when nobody chose a path.
 */
export async function saveFile<T>(
  suggested: string,
  filters: readonly FileFilter[],
  type: string,
  make: (path: string | undefined, onPart: (part: Piece) => void) => Promise<T>,
): Promise<T | undefined> {
  const shell = bridge();
  if (shell !== undefined) {
    const path = await shell.chooseSave(suggested, filters);
    return path === undefined ? undefined : make(path, () => undefined);
  }
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const result = await make(undefined, (part) => {
    if ('bytes' in part && part.bytes instanceof Uint8Array) {
      pieces.push(new Uint8Array(part.bytes));
    }
  });
  const url = URL.createObjectURL(new Blob(pieces, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = suggested;
  link.click();
  // The download has started by then; the browser holds its content.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return result;
}
