/** How shells serve the window's page: its content security policy, and the nonce for its styles. */
import { randomBytes } from 'node:crypto';

/** A nonce of 128 bits, for one page. */
export function makeNonce(): string {
  return randomBytes(16).toString('base64');
}

/**
 * The policy of the window's page: only content of the shell itself, no inline script.
 * @param connect further addresses that the page may connect to, such as its own `ws:` address
 */
export function contentPolicy(nonce: string, connect: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Mantine puts its variables into a style element; it gets the nonce.
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src ${["'self'", ...connect].join(' ')}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * The page with the nonce where its code finds it: `<meta property="csp-nonce" nonce="…">`, read as
 * the element's `nonce` property.
 */
export function withNonce(html: string, nonce: string): string {
  return html.replace(/<head>/i, `<head>\n    <meta property="csp-nonce" nonce="${nonce}" />`);
}
