/**
 * The files of the built window, and its page. When the page is rebuilt (`vite build renderer --watch` next to a
 * running shell), the next request for it finds the new files.
 *
 * Invariant: the folder is read as a whole, and anything not in it does not exist, whatever a path is.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import sirv, { type RequestHandler } from 'sirv';

export class BuiltWindow {
  private readonly folder: string;
  private readonly index: string;
  private builtMs: number;
  private html: string;
  private handler: RequestHandler;

  constructor(folder: string) {
    this.folder = folder;
    this.index = join(folder, 'index.html');
    this.builtMs = statSync(this.index).mtimeMs;
    this.html = readFileSync(this.index, 'utf8');
    this.handler = filesOf(folder);
  }

  /** The page as it was built last. */
  page(): string {
    const now = statSync(this.index, { throwIfNoEntry: false })?.mtimeMs;
    if (now !== undefined && now !== this.builtMs) {
      this.html = readFileSync(this.index, 'utf8');
      this.handler = filesOf(this.folder);
      this.builtMs = now;
    }
    return this.html;
  }

  /** Serves a file, compressed if the browser supports that; `otherwise` if there is none. */
  serve(...[request, response, otherwise]: Parameters<RequestHandler>): void {
    this.handler(request, response, otherwise);
  }
}

function filesOf(folder: string): RequestHandler {
  return sirv(folder, {
    ...{ etag: true, brotli: true, gzip: true, extensions: [] },
    setHeaders: (response, path) => {
      // Vite puts a hash of the content into the names below assets.
      const lasting = path.startsWith('/assets/');
      response.setHeader('Cache-Control', lasting ? 'max-age=31536000, immutable' : 'no-cache');
    },
  });
}
