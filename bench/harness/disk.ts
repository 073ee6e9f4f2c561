/** Bytes on disk, and how to make them cold. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { measure } from '../process.ts';

/** Files at or below a path. */
export function filesBelow(path: string): string[] {
  return statSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => filesBelow(join(path, name)))
    : [path];
}

export function bytesBelow(paths: readonly string[]): number {
  return paths.flatMap(filesBelow).reduce((sum, path) => sum + statSync(path).size, 0);
}

/**
 * Asks the kernel to drop the cached pages of these files (`posix_fadvise`, through dd): unlike `drop_caches`, this
 * needs no privileges and leaves other caches alone.
 */
export async function dropPages(paths: readonly string[]): Promise<void> {
  for (const path of paths.flatMap(filesBelow)) {
    if (!statSync(path).isFile()) continue;
    await measure('sync', [path]);
    await measure('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none']);
  }
}

/** Reads files once, so that they are in the page cache. */
export async function warmPages(paths: readonly string[]): Promise<void> {
  for (const path of paths.flatMap(filesBelow))
    await measure('dd', [`if=${path}`, 'of=/dev/null', 'bs=1M', 'status=none']);
}
