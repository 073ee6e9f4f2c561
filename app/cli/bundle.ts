/** The command line and the engine in one bundle, which starts faster than the sources: vite.config.ts. */
import { ensureBuilt, type Build } from '../built.ts';

const COMMAND_LINE: Build = {
  title: 'the command line',
  config: 'app/cli',
  product: 'app/cli/dist/bundle.json',
  sources: ['app', 'engine', 'fixtures', 'importers', 'package-lock.json'],
};

/**
 * Builds it if it is missing or outdated.
 * @throws DaybookError unreadable if the build fails: the sources are run then; cancelled
 */
export async function ensureCommandLine(
  say: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  await ensureBuilt(COMMAND_LINE, say, signal);
}
