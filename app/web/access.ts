/**
 * Access control of the web shell. The token of the printed URL is exchanged, once, for a session: a cookie that scripts
 * cannot read and other sites cannot send, and a key that only pages of this very origin can read.
 *
 * Holds always: secrets are compared in constant time; a token is of use once, and the next one is another; a
 * request for another host than this address (DNS rebinding) or from another origin (a page elsewhere) gets
 * nothing. A browser sends cookies to every port of a host, so to other servers on this machine, too: with the
 * cookie alone they get the window's files, which hold no evidence, but no way to the engine, which takes the key.
 * Programs under the same account can read the browser's memory and files; nothing here prevents that.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { DaybookError } from '../../engine/contract/errors.ts';

const LOOPBACK = '127.0.0.1';

/** @throws DaybookError usage for an address that others can reach */
export function requireLoopback(address: string): void {
  if (address === LOOPBACK) return;
  throw new DaybookError(
    'usage',
    `the window is served on ${LOOPBACK} only, not on ${address}`,
    'to reach it from elsewhere, forward the port, for example with ssh -L',
  );
}

/** A secret of 256 bits, in characters that a URL and a cookie may have. */
function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

function sameSecret(given: string | undefined, secret: string): boolean {
  // Hashed first, so that the lengths are equal, whatever was given.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(secret));
}

export class Access {
  private current = makeSecret();
  /** For the cookie: a different secret, so that requests do not carry the URL's. */
  private readonly session = makeSecret();
  /** For the WebSocket; the browser stores it by origin, which includes the port. */
  readonly key = makeSecret();
  private readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** Whether a request is for this address, under one of its two names. */
  hostFits(request: IncomingMessage): boolean {
    const { host } = request.headers;
    return host === `${LOOPBACK}:${this.port}` || host === `localhost:${this.port}`;
  }

  /** Whether a WebSocket is opened by a page of this very address. */
  originFits(request: IncomingMessage): boolean {
    const { origin, host } = request.headers;
    return this.hostFits(request) && origin === `http://${host}`;
  }

  /** For the URL: the current unused one. */
  get token(): string {
    return this.current;
  }

  /** Whether a token is the current one, which it no longer is then. */
  useToken(token: string): boolean {
    if (!sameSecret(token, this.current)) return false;
    this.current = makeSecret();
    return true;
  }

  /** Whether a WebSocket is opened by a page that has the key: it offers it as a protocol. */
  keyFits(request: IncomingMessage): boolean {
    return (request.headers['sec-websocket-protocol'] ?? '')
      .split(',')
      .some((one) => sameSecret(one.trim(), this.key));
  }

  /** Cookies ignore ports: the name identifies the owner. */
  private get cookieName(): string {
    return `daybook-${this.port}`;
  }

  cookie(): string {
    return `${this.cookieName}=${this.session}; HttpOnly; SameSite=Strict; Path=/`;
  }

  cookieFits(request: IncomingMessage): boolean {
    const prefix = `${this.cookieName}=`;
    return (request.headers.cookie ?? '')
      .split(';')
      .map((one) => one.trim())
      .some((one) => one.startsWith(prefix) && sameSecret(one.slice(prefix.length), this.session));
  }
}
