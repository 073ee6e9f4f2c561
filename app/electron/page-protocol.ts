/**
 * The address of the window's page, `daybook://window/`: files of the built window, and nothing else. A separate
 * scheme rather than `file:`, which would let the page read any file on the disk.
 *
 * Invariants: only files below the built window's folder are served; the page comes with the policy of app/page.ts.
 */
import { readFile } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { protocol } from 'electron';
import { contentPolicy, makeNonce, withNonce } from '../page.ts';

const SCHEME = 'daybook';
const PAGE_ORIGIN = `${SCHEME}://window`;
const PAGE_FILE = '/index.html';

const TYPES: { readonly [extension: string]: string } = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** To be called before the application is ready. */
export function announceProtocol(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** The page's address; `openCase` is the case to open first. */
export function pageUrl(openCase: string | undefined): string {
  const hash = openCase === undefined ? '' : `#case=${encodeURIComponent(openCase)}`;
  return `${PAGE_ORIGIN}${PAGE_FILE}${hash}`;
}

/** Whether an address is of the window itself. */
export function isOwnUrl(url: string): boolean {
  return url.startsWith(`${PAGE_ORIGIN}/`);
}

/** The path of a file of the window, relative to its folder; undefined for invalid addresses. */
function filePath(url: string): string | undefined {
  if (!isOwnUrl(url)) return undefined;
  let path: string;
  try {
    path = decodeURIComponent(new URL(url).pathname);
  } catch {
    return undefined;
  }
  const parts = path.split('/').slice(1);
  const isOdd = (part: string) => part === '' || part.startsWith('.') || /[\\:\0]/.test(part);
  return parts.some(isOdd) ? undefined : parts.join(sep);
}

/** Serves the window's files. */
export function serveWindow(folder: string): void {
  // The newer `protocol.handle` is missing in the oldest Electron that the tests run.
  protocol.registerBufferProtocol(SCHEME, ({ url, method }, answer) => {
    const path = method === 'GET' ? filePath(url) : undefined;
    const refuse = () => answer({ statusCode: 404, mimeType: 'text/plain', data: Buffer.alloc(0) });
    if (path === undefined) {
      refuse();
      return;
    }
    readFile(join(folder, path), (error, data) => {
      if (error !== null) {
        refuse();
        return;
      }
      const mimeType = TYPES[extname(path)];
      if (mimeType === undefined) refuse();
      else if (mimeType === 'text/html') answer(page(data.toString('utf8')));
      else answer({ mimeType, charset: 'utf-8', data, headers: ALWAYS });
    });
  });
}

const ALWAYS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };

function page(html: string) {
  const nonce = makeNonce();
  return {
    mimeType: 'text/html',
    charset: 'utf-8',
    data: Buffer.from(withNonce(html, nonce)),
    headers: { ...ALWAYS, 'Content-Security-Policy': contentPolicy(nonce) },
  };
}
