/** How shells that run on the pinned Node start the engine's process from a checkout. */
import { join } from 'node:path';
import { DaybookError } from '../../engine/contract/errors.ts';
import { cacheFolder } from '../folders.ts';
import { findPinnedNode, currentNode } from './node.ts';
import type { EngineCommand } from './process.ts';

/**
 * Uses the compile cache in the cache folder: the engine, and each import worker, then starts in little more than
 * half the time.
 * @throws DaybookError unreadable if there is no suitable Node
 */
export function engineCommand(env: NodeJS.ProcessEnv = process.env): EngineCommand {
  const file = currentNode() ?? findPinnedNode(import.meta.dirname);
  if (file === undefined) {
    throw new DaybookError(
      'unreadable',
      'Node 24, which the engine needs, was not found',
      'run "npm ci" in the Daybook folder, or install Node 24',
    );
  }
  return {
    file,
    args: [join(import.meta.dirname, 'start.mjs')],
    env: { NODE_COMPILE_CACHE: join(cacheFolder(env), 'code'), ...env },
  };
}
