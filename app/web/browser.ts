/** Opens an address in the person's browser, where there is one. */
import { spawn } from 'node:child_process';

/** Never fails and never waits: the address was printed, too. */
export function openBrowser(url: string): void {
  const [file, ...args] = opener(url);
  const child = spawn(file, args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

function opener(url: string): [string, ...string[]] {
  switch (process.platform) {
    case 'win32':
      // Not `start`: the command interpreter would take the address apart.
      return ['rundll32', 'url.dll,FileProtocolHandler', url];
    case 'darwin':
      return ['open', url];
    default:
      return ['xdg-open', url];
  }
}
