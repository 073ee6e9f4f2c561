/** The command line and the engine in one bundle, which start quicker than their sources: vite.config.ts. */
import { ensureBuilt, type Build } from '../built.ts';

const COMMAND_LINE: Build = {
  what: 'the command line',
  config: 'app/cli',
  product: 'app/cli/dist/bundle.json',
  sources: ['app', 'engine', 'fixtures', 'importers', 'package-lock.json'],
};

/**
 * Bundles it, where that is missing or old.
 * @throws DaybookError unreadable when it cannot be built: it runs from its sources then; cancelled
 */
export async function ensureCommandLine(
  say: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  await ensureBuilt(COMMAND_LINE, say, signal);
}
