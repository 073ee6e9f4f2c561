/** Where Daybook keeps what belongs to a person rather than to a case, on each system. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Settings and recent cases; DAYBOOK_STATE names another folder. */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const own = env['DAYBOOK_STATE'];
  if (filled(own)) return own;
  const home = homedir();
  switch (process.platform) {
    case 'win32':
      return join(given(env['APPDATA'], home, 'AppData', 'Roaming'), 'Daybook');
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'Daybook');
    default:
      return join(given(env['XDG_CONFIG_HOME'], home, '.config'), 'daybook');
  }
}

/** What can be made again, such as the sample. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const own = env['DAYBOOK_STATE'];
  if (filled(own)) return join(own, 'cache');
  const home = homedir();
  switch (process.platform) {
    case 'win32':
      return join(given(env['LOCALAPPDATA'], home, 'AppData', 'Local'), 'Daybook', 'Cache');
    case 'darwin':
      return join(home, 'Library', 'Caches', 'Daybook');
    default:
      return join(given(env['XDG_CACHE_HOME'], home, '.cache'), 'daybook');
  }
}

/** Where new cases are put if nobody says otherwise; DAYBOOK_CASES names another folder. */
export function casesFolder(env: NodeJS.ProcessEnv): string {
  const own = env['DAYBOOK_CASES'];
  return filled(own) ? own : join(homedir(), 'Daybook');
}

function filled(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

function given(text: string | undefined, ...otherwise: string[]): string {
  return filled(text) ? text : join(...otherwise);
}
