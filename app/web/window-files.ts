/**
 * Location of the built window: the folder named by DAYBOOK_WINDOW, or the checkout, where it is built if missing
 * or older than its sources.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DaybookError } from '../../engine/contract/errors.ts';
import { ensureBuilt, type Build } from '../built.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const WINDOW: Build = {
  title: 'the window',
  config: 'renderer',
  product: 'renderer/dist/index.html',
  sources: ['renderer', 'engine/contract', 'package-lock.json'],
};

/**
 * The folder of the built window, built now if necessary; `say` reports progress.
 * @throws DaybookError unreadable if there is none in DAYBOOK_WINDOW, or none can be built
 */
export async function windowFiles(
  say: (text: string) => void,
  signal?: AbortSignal,
): Promise<string> {
  const configured = process.env['DAYBOOK_WINDOW'];
  if (configured !== undefined && configured !== '') {
    if (existsSync(join(configured, 'index.html'))) return configured;
    throw new DaybookError(
      'unreadable',
      `DAYBOOK_WINDOW names ${configured}, which holds no built window (no index.html)`,
      'name the folder of a built window, such as renderer/dist after "npm run build", or unset it',
    );
  }
  await ensureBuilt(WINDOW, say, signal);
  return resolve(ROOT, 'renderer/dist');
}
