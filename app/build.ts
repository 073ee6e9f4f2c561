/**
 * Builds what a checkout's shells need, if it is missing or outdated: the command line, the window and the desktop
 * shell.
 */
import { DaybookError } from '../engine/contract/errors.ts';
import { ensureCommandLine } from './cli/bundle.ts';
import { ensureDesktop } from './desktop.ts';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

try {
  await ensureCommandLine(say);
  await ensureDesktop(say);
} catch (error) {
  if (!(error instanceof DaybookError)) throw error;
  say(`daybook: ${error.message}`);
  process.exitCode = 1;
}
