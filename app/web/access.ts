/**
 * Who may use the web shell. A secret that only the URL on the terminal has is exchanged, on the
 * first visit, for a cookie that scripts cannot read and other sites cannot send.
 *
 * Holds always: secrets are compared in constant time; a request for another host than this address
 * (DNS rebinding) or from another origin (a page elsewhere) gets nothing.
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
    `the web shell listens on ${LOOPBACK} only, not on ${address}`,
    'to reach it from elsewhere, forward the port, for example with ssh -L',
  );
}

/** A secret of 256 bits, as it may stand in a URL or a cookie. */
function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

function sameSecret(given: string | undefined, secret: string): boolean {
  // Hashed first, so that the lengths are the same whatever was given.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(secret));
}

export class Access {
  /** For the URL. */
  readonly token = makeSecret();
  /** For the cookie: another secret, so that the URL alone is not what every request carries. */
  private readonly session = makeSecret();
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

  tokenFits(token: string): boolean {
    return sameSecret(token, this.token);
  }

  /** Cookies know no ports: the name says whose it is. */
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
