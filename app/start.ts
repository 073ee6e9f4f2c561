/**
 * `npm start [-- CASE]`: the window, in whatever way this machine can show it: the desktop shell, or
 * the web shell with the address opened in the browser.
 */
import { resolve } from 'node:path';
import { DaybookError } from '../engine/contract/errors.ts';
import { visible } from './cli/output.ts';
import { findDesktop, hasDisplay, runDesktop } from './desktop.ts';
import { openBrowser } from './web/browser.ts';
import { serve } from './web/serve.ts';

// Cases, exports, reports and caches are private to the user: no access for others on this machine.
process.umask(0o077);

const controller = new AbortController();
let interrupts = 0;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    interrupts += 1;
    if (interrupts > 1) process.exit(130);
    controller.abort();
  });
}

const say = (text: string): void => void process.stderr.write(`${visible(text)}\n`);

async function start(openCase: string | undefined, signal: AbortSignal): Promise<number> {
  const desktop = findDesktop(process.env);
  if (!('why' in desktop)) return runDesktop(desktop, openCase, signal, say);
  say(`Daybook opens in your browser: ${desktop.why}.`);
  let removeFile: () => void = () => undefined;
  const served = serve({
    openCase,
    say,
    onEntered: () => removeFile(),
    onUrl: (url) => {
      process.stdout.write(`${url}\n`);
      const opens = hasDisplay(process.env);
      if (opens) removeFile = openBrowser(url);
      say(
        opens
          ? 'Opening it now. If no browser appears, open this address yourself.'
          : 'Open this address in a browser on this machine.',
      );
      say('Only this machine can reach it. Ctrl-C ends Daybook.');
    },
    signal,
  });
  await served.finally(() => removeFile());
  return 0;
}

try {
  const [openCase] = process.argv.slice(2);
  const path = openCase === undefined ? undefined : resolve(openCase);
  process.exitCode = await start(path, controller.signal);
} catch (error) {
  if (!(error instanceof DaybookError)) throw error;
  say(`daybook: ${error.message}`);
  if (error.hint !== undefined) say(`  ${error.hint}`);
  process.exitCode = error.code === 'cancelled' ? 130 : 1;
}
