/** The web shell from start to end: engine, window, server. */
import { EngineProcess } from '../engine/process.ts';
import { engineCommand } from '../engine/command.ts';
import { startWebShell } from './server.ts';
import { windowFiles } from './window-files.ts';

interface ServeOptions {
  readonly port?: number | undefined;
  /** Absolute path of the case that the window opens first, or the address of the cluster that it is on. */
  readonly openCase?: string | undefined;
  /** Environment of the engine; by default, this process's. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Reports events, a line at a time. */
  readonly say: (text: string) => void;
  /** Told the URL, with its token, once it can be opened. */
  readonly onUrl: (url: string) => void;
  /** Called when a browser has used the address. */
  readonly onEntered?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Serves until `signal` aborts; then the engine finishes what must not be interrupted.
 * @throws DaybookError usage, unreadable, internal
 */
export async function serve({
  port,
  openCase,
  env,
  say,
  onUrl,
  onEntered,
  signal,
}: ServeOptions): Promise<void> {
  const files = await windowFiles(say, signal);
  const engine = new EngineProcess({ command: engineCommand(env), onLog: say });
  engine.onState((state) => {
    if (state.state === 'down') say(`the engine stopped: ${state.reason ?? 'unknown reason'}`);
    else if (state.state === 'ready' && state.restarts > 0) say('the engine is running again');
  });
  try {
    const shell = await startWebShell({
      ...{ engine, files, port, openCase },
      onEntered: (next) => {
        onEntered?.();
        say(`a browser has used that address; for another browser: ${next}`);
      },
    });
    onUrl(shell.url);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve());
    });
    await shell.close();
  } finally {
    await engine.stop();
  }
}
