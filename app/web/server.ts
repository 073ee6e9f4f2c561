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
import { MAX_FRAME_BYTES } from '../../engine/contract/frame.ts';
import type { EngineProcess } from '../engine/process.ts';
import { contentPolicy, makeNonce, withNonce } from '../page.ts';
import { Access, requireLoopback } from './access.ts';
import { BuiltWindow } from './built-window.ts';

export interface WebShellOptions {
  readonly engine: EngineProcess;
  /** The folder of the built window. */
  readonly files: string;
  /** 0 for any that is free. */
  readonly port?: number | undefined;
  /** Only the loopback address is accepted. */
  readonly address?: string | undefined;
  /** Absolute path of the case that the window opens first. */
  readonly openCase?: string | undefined;
}

export interface WebShell {
  /** With the token: whoever has it may use this shell. */
  readonly url: string;
  readonly port: number;
  /** Ends the connections and the server; the engine is not its own. */
  close(): Promise<void>;
}

/** Where the window's WebSocket is. */
const FRAMES_PATH = '/frames';
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
  const server = createServer();
  const port = await listen(server, address, options.port ?? 0);
  const access = new Access(port);
  const built = new BuiltWindow(options.files);

  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value);
    response.setHeader('Content-Security-Policy', NO_CONTENT_POLICY);
    const url = urlOf(request);
    if (!access.hostFits(request) || url === undefined) {
      refuse(response, 421, 'This address does not serve that host.');
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, 405, 'Only GET.');
    } else if (url.pathname === '/' && url.searchParams.has('token')) {
      enter(response, access, url.searchParams.get('token') ?? '', options.openCase);
    } else if (!access.cookieFits(request)) {
      refuse(response, 403, 'Open the whole address that "daybook serve" printed: it has a token.');
    } else if (url.pathname === '/' || url.pathname === '/index.html') {
      sendPage(response, built.page(), port);
    } else {
      built.serve(request, response, () => refuse(response, 404, 'There is no such file.'));
    }
  });

  const sockets = new WebSocketServer({
    ...{ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false },
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    if (urlOf(request)?.pathname !== FRAMES_PATH) refuseUpgrade(socket, '404 Not Found');
    else if (!access.originFits(request) || !access.cookieFits(request)) {
      refuseUpgrade(socket, '403 Forbidden');
    } else {
      sockets.handleUpgrade(request, socket, head, (webSocket) => carry(webSocket, options.engine));
    }
  });

  return {
    url: `http://127.0.0.1:${port}/?token=${access.token}`,
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
        new DaybookError('usage', `port ${port} ${why}`, 'leave --port out: a free one is chosen'),
      );
    });
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Undefined for what names a host of its own (`//host/`, a proxy's absolute form). */
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

/**
 * The first visit. A page that moves on by itself rather than a redirect: after a redirect from a link
 * elsewhere a strict cookie would not be sent. The token leaves the address, and so the history.
 */
function enter(
  response: ServerResponse,
  access: Access,
  token: string,
  openCase: string | undefined,
): void {
  if (!access.tokenFits(token)) {
    refuse(response, 403, 'This token is not valid: use the address that was printed last.');
    return;
  }
  const target = openCase === undefined ? './' : `./#case=${encodeURIComponent(openCase)}`;
  const escaped = target.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '%27');
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Set-Cookie': access.cookie(),
  });
  response.end(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${escaped}"><title>Daybook</title></head><body></body></html>\n`,
  );
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

/** Carries one window's frames, a binary message each, until either side goes. */
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
  // Done when the frame has left: what a slow window has not taken, the engine counts.
  channel.onFrame(
    (frame) => new Promise((resolve) => webSocket.send(frame, { binary: true }, () => resolve())),
  );
  channel.onClose((reason) => webSocket.close(1001, reason));
}
