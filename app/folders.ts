/** Folders for data that belongs to a person rather than to a case, on each system. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { filled, given } from './cache-folder.mjs';

export { cacheFolder } from './cache-folder.mjs';

/** Settings and recent cases; DAYBOOK_STATE names another folder. */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const configured = env['DAYBOOK_STATE'];
  if (filled(configured)) return configured;
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

/** The default folder of new cases; DAYBOOK_CASES names another one. */
export function casesFolder(env: NodeJS.ProcessEnv): string {
  const configured = env['DAYBOOK_CASES'];
  return filled(configured) ? configured : join(homedir(), 'Daybook');
}
