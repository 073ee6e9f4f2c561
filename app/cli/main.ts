/** The process of the command line: its streams, its signals and how it exits. */
import { EXIT } from './command.ts';
import { COMMANDS } from './command-list.ts';
import { runCommandLine } from './command-line.ts';
import { visible } from './output.ts';

// A reader that closes the pipe (`| head`) is not an error. Anything else is, above all a full disk after `>`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  process.stderr.write(`daybook: standard output cannot be written: ${visible(error.message)}\n`);
  process.exit(EXIT.failed);
});
// There is nobody to tell.
process.stderr.on('error', () => undefined);
/** After this long a command that only reads is ended, whatever it is in the middle of. */
const PATIENCE_MS = 120;
const controller = new AbortController();
let interrupts = 0;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    interrupts += 1;
    if (interrupts > 1) process.exit(EXIT.cancelled);
    controller.abort();
    if (COMMANDS[process.argv[2] ?? '']?.reads !== true) return;
    setTimeout(() => {
      process.stderr.write('daybook: cancelled\n');
      process.exit(EXIT.cancelled);
    }, PATIENCE_MS).unref();
  });
}
process.exitCode = await runCommandLine(
  process.argv.slice(2),
  { out: process.stdout, err: process.stderr },
  controller.signal,
);
