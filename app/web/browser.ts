/**
 * Opens an address in the person's browser, if there is one.
 *
 * Invariant: the address, which contains a token, is in no argument list, where every user of the machine could
 * read it: the browser gets a file that only this user may read, and that redirects.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Never fails for want of a browser and never waits: the address was printed, too.
 * @returns removes the file; to be called once the address was used
 */
export function openBrowser(url: string): () => void {
  // mkdtemp makes folders that nobody else may open.
  const folder = mkdtempSync(join(tmpdir(), 'daybook-open-'));
  const file = join(folder, 'daybook.html');
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${url}"><title>Daybook</title></head><body><a href="${url}">Open Daybook</a></body></html>\n`;
  writeFileSync(file, page, { mode: 0o600, flag: 'wx' });
  const [command, ...args] = opener(pathToFileURL(file).href);
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
  return () => rmSync(folder, { recursive: true, force: true });
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
