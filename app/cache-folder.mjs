/**
 * The folder for data that can be regenerated. Plain JavaScript: the command line needs it before the compile cache
 * is set up, when the first line of TypeScript would require starting a compiler.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Data that can be regenerated, such as the sample. */
export function cacheFolder(env) {
  const own = env.DAYBOOK_STATE;
  if (filled(own)) return join(own, 'cache');
  const home = homedir();
  switch (process.platform) {
    case 'win32':
      return join(given(env.LOCALAPPDATA, home, 'AppData', 'Local'), 'Daybook', 'Cache');
    case 'darwin':
      return join(home, 'Library', 'Caches', 'Daybook');
    default:
      return join(given(env.XDG_CACHE_HOME, home, '.cache'), 'daybook');
  }
}

export function filled(text) {
  return text !== undefined && text !== '';
}

/** A folder of the environment, or the one to take otherwise. */
export function given(text, ...otherwise) {
  return filled(text) ? text : join(...otherwise);
}
