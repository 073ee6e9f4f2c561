/**
 * Chooses what a process runs: its bundle (cli/vite.config.ts), or its sources, which are equivalent and slower to
 * load. Plain JavaScript: the first line of TypeScript would require starting a compiler.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');

/** The module to import instead of `source`: the bundle's, if there is one built from the current sources. */
export function bundled(source) {
  return pathToFileURL(join(root, chunk(source) ?? source)).href;
}

function chunk(source) {
  try {
    const folder = 'app/cli/dist';
    const { entries, sources } = JSON.parse(
      readFileSync(join(root, folder, 'bundle.json'), 'utf8'),
    );
    for (const path in sources) {
      const { size, mtimeMs } = statSync(join(root, path));
      if (size !== sources[path][0] || mtimeMs !== sources[path][1]) return undefined;
    }
    return join(folder, entries[source]);
  } catch {
    return undefined;
  }
}
