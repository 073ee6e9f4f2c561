/**
 * The web shell: serves the window's files on 127.0.0.1 and carries its frames between a WebSocket
 * and a channel of the engine. It understands neither.
 *
 * Holds always: listens on the loopback address only; without the cookie nothing but a plain refusal
 * is answered; no file outside the window's folder is served.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import { WebSocketServer, type WebSocket } from 'ws';
import { DaybookError } from '../../engine/contract/errors.ts';
import { FRAMES_PROTOCOL, KEY_NAME, MAX_FRAME_BYTES } from '../../engine/contract/wire/frame.ts';
import type { EngineProcess } from '../engine/process.ts';
import { contentPolicy, makeNonce, withNonce } from '../page.ts';
import { Access, requireLoopback } from './access.ts';
import { BuiltWindow } from './built-window.ts';

interface WebShellOptions {
  readonly engine: EngineProcess;
  /** The folder of the built window. */
  readonly files: string;
  /** 0 for any that is free. */
  readonly port?: number | undefined;
  /** Only the loopback address is accepted. */
  readonly address?: string | undefined;
  /** Absolute path of the case that the window opens first. */
  readonly openCase?: string | undefined;
  /** How long a client may take to send a request, or be silent between two. */
  readonly patienceMs?: number | undefined;
  /** Called when a token was used, with the address for the next browser. */
  readonly onEntered?: ((url: string) => void) | undefined;
}

export interface WebShell {
  /** With a token: the first to open it may use this shell, and then a new one is made. */
  readonly url: string;
  readonly port: number;
  /** Ends the connections and the server; the engine belongs to the caller. */
  close(): Promise<void>;
}

/** The path of the window's WebSocket. */
const FRAMES_PATH = '/frames';
const PATIENCE_MS = 10_000;
/** Windows have one connection each, and a few more while they load. */
const MOST_CONNECTIONS = 512;
const PING_MS = 20_000;
const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8' };
const ALWAYS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), usb=()',
};
const NO_CONTENT_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** @throws DaybookError usage for an address or a port that cannot be used */
export async function startWebShell(options: WebShellOptions): Promise<WebShell> {
  const address = options.address ?? '127.0.0.1';
  requireLoopback(address);
  const patienceMs = options.patienceMs ?? PATIENCE_MS;
  const server = createServer({
    headersTimeout: patienceMs,
    requestTimeout: patienceMs,
    keepAliveTimeout: patienceMs,
    connectionsCheckingInterval: patienceMs / 4,
  });
  server.maxConnections = MOST_CONNECTIONS;
  // One that sends nothing at all.
  server.setTimeout(patienceMs * 2, (socket) => socket.destroy());
  const port = await listen(server, address, options.port ?? 0);
  const access = new Access(port);
  const built = new BuiltWindow(options.files);
  const urlNow = () => `http://127.0.0.1:${port}/?token=${access.token}`;
  const shell = { options, port, access, built, urlNow };

  server.on('request', (request, response) => answer(request, response, shell));

  const sockets = new WebSocketServer({
    ...{ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false },
    handleProtocols: () => FRAMES_PROTOCOL,
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    if (urlOf(request)?.pathname !== FRAMES_PATH) refuseUpgrade(socket, '404 Not Found');
    else if (
      !access.originFits(request) ||
      !access.cookieFits(request) ||
      !access.keyFits(request)
    ) {
      refuseUpgrade(socket, '403 Forbidden');
    } else {
      sockets.handleUpgrade(request, socket, head, (webSocket) => carry(webSocket, options.engine));
    }
  });

  return {
    get url() {
      return urlNow();
    },
    port,
    close: () =>
      new Promise((resolve) => {
        for (const webSocket of sockets.clients) webSocket.terminate();
        sockets.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface ServedWindow {
  readonly options: WebShellOptions;
  readonly port: number;
  readonly access: Access;
  readonly built: BuiltWindow;
  /** The address with the unused token. */
  readonly urlNow: () => string;
}

/** A browser without the cookie gets only the token's page, and another host gets nothing. */
function answer(request: IncomingMessage, response: ServerResponse, shell: ServedWindow): void {
  const { access, built, port } = shell;
  for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value);
  response.setHeader('Content-Security-Policy', NO_CONTENT_POLICY);
  const url = urlOf(request);
  if (!access.hostFits(request) || url === undefined) {
    refuse(
      response,
      421,
      'Daybook does not answer under that host name. Open the address that "daybook serve" printed.',
    );
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    refuse(response, 405, 'Only GET requests are answered.');
  } else if (url.pathname === '/' && url.searchParams.has('token')) {
    takeToken(url.searchParams.get('token') ?? '', request, response, shell);
  } else if (!access.cookieFits(request)) {
    refuse(
      response,
      403,
      'Open the whole address that "daybook serve" printed last, with its token.',
    );
  } else if (url.pathname === '/' || url.pathname === '/index.html') {
    sendPage(response, built.page(), port);
  } else {
    built.serve(request, response, () => refuse(response, 404, 'There is no such file.'));
  }
}

function takeToken(
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
  { options, access, urlNow }: ServedWindow,
): void {
  if (isPrefetch(request)) refuse(response, 403, 'A prefetch cannot use the token.');
  else if (access.useToken(token)) {
    enter(response, access, options.openCase);
    options.onEntered?.(urlNow());
  } else if (access.cookieFits(request)) {
    // The same browser again.
    response.writeHead(302, { Location: homeOf(options.openCase), 'Cache-Control': 'no-store' });
    response.end();
  } else {
    refuse(
      response,
      403,
      'This token is not valid or was already used: open the address that "daybook serve" printed last.',
    );
  }
}

function listen(
  server: ReturnType<typeof createServer>,
  address: string,
  port: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      const why = taken ? 'is used by another program' : `cannot be used: ${error.message}`;
      reject(
        new DaybookError('usage', `port ${port} ${why}`, 'leave out --port to use a free one'),
      );
    });
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Undefined for a URL that names its own host (`//host/`, a proxy's absolute form). */
function urlOf(request: IncomingMessage): URL | undefined {
  const url = URL.parse(request.url ?? '', 'http://daybook') ?? undefined;
  return url?.host === 'daybook' ? url : undefined;
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...PLAIN, 'Cache-Control': 'no-store' }).end(`${text}\n`);
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Whether a browser asks before the person does. */
function isPrefetch(request: IncomingMessage): boolean {
  const purpose = [request.headers['sec-purpose'], request.headers['purpose']].join(' ');
  return request.method === 'HEAD' || /prefetch|prerender/i.test(purpose);
}

function homeOf(openCase: string | undefined): string {
  return openCase === undefined ? './' : `./#case=${encodeURIComponent(openCase)}`;
}

/**
 * The first visit. A page that navigates by itself rather than a redirect: after a redirect from a link elsewhere a
 * strict cookie would not be sent. The token disappears from the address, and so from the history. The key stays
 * with the pages of this origin.
 */
function enter(response: ServerResponse, access: Access, openCase: string | undefined): void {
  const nonce = makeNonce();
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `${NO_CONTENT_POLICY}; script-src 'nonce-${nonce}'`,
    'Set-Cookie': access.cookie(),
  });
  const script = `localStorage.setItem(${inScript(KEY_NAME)}, ${inScript(access.key)}); location.replace(${inScript(homeOf(openCase))})`;
  response.end(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Daybook</title></head><body><noscript>Daybook needs JavaScript.</noscript><script nonce="${nonce}">${script}</script></body></html>\n`,
  );
}

/** A text in the form for a script within a page. */
function inScript(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c');
}

function sendPage(response: ServerResponse, page: string, port: number): void {
  const nonce = makeNonce();
  const sockets = [`ws://127.0.0.1:${port}`, `ws://localhost:${port}`];
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentPolicy(nonce, sockets),
  });
  response.end(withNonce(page, nonce));
}

/** Carries one window's frames, a binary message each, until either side closes. */
function carry(webSocket: WebSocket, engine: EngineProcess): void {
  const channel = engine.openChannel();
  let alive = true;
  const ping = setInterval(() => {
    if (!alive) {
      webSocket.terminate();
      return;
    }
    alive = false;
    webSocket.ping();
  }, PING_MS);
  webSocket.on('pong', () => {
    alive = true;
  });
  webSocket.on('message', (data, isBinary) => {
    alive = true;
    if (!isBinary || !Buffer.isBuffer(data)) {
      webSocket.close(1003, 'frames are binary');
      return;
    }
    channel.send(data);
    if (!channel.full) return;
    webSocket.pause();
    void channel.whenRoom().then(() => webSocket.resume());
  });
  webSocket.on('error', () => webSocket.terminate());
  webSocket.on('close', () => {
    clearInterval(ping);
    channel.close();
  });
  // Resolves when the frame was sent: the engine counts what a slow window has not taken.
  channel.onFrame(
    (frame) => new Promise((resolve) => webSocket.send(frame, { binary: true }, () => resolve())),
  );
  channel.onClose((reason) => webSocket.close(1001, reason));
}
