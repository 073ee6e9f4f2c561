/**
 * Locations of files: in a checkout next to this bundle (`app/electron/dist`), when packaged below the resources.
 * Both have the same folders.
 */
import { join, resolve } from 'node:path';
import { cacheFolder } from '../folders.ts';
import { findPinnedNode } from '../engine/node.ts';
import type { EngineCommand } from '../engine/process.ts';

interface Places {
  /** The built window. */
  readonly window: string;
  readonly preload: string;
  /** The window's icon, if the system does not take it from the program. */
  readonly icon: string;
  /** Undefined if there is no Node to run the engine on. */
  readonly engine: EngineCommand | undefined;
}

interface Start {
  /** The folder of this bundle. */
  readonly bundle: string;
  readonly packaged: boolean;
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
}

export function findPlaces({ bundle, packaged, resources, env }: Start): Places {
  const root = resolve(bundle, '../../..');
  const sources = packaged ? join(resources, 'daybook') : root;
  const node = findPinnedNode(sources);
  const configured = env['DAYBOOK_WINDOW'];
  const given = !packaged && configured !== undefined && configured !== '';
  return {
    window: given ? configured : join(root, 'renderer/dist'),
    preload: join(bundle, 'preload.cjs'),
    icon: join(bundle, '../icons/icon.png'),
    engine:
      node === undefined
        ? undefined
        : {
            file: node,
            args: [join(sources, 'app/engine/start.mjs')],
            env: { NODE_COMPILE_CACHE: join(cacheFolder(env), 'code'), ...env },
          },
  };
}
