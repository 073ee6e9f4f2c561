/** The address of a case that was attached to a ClickHouse: `clickhouse://HOST[:PORT]/DATABASE`. */
import { DaybookError } from './errors.ts';

export interface ClusterAddress {
  /** Without user and password. */
  readonly url: string;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** As messages and windows show it: everything but user and password. */
  readonly name: string;
}

const FORM = 'clickhouse://HOST[:PORT]/DATABASE, with ?secure=true for HTTPS';

export function isClusterAddress(text: string): boolean {
  return /^clickhouse:\/\//i.test(text);
}

/** @throws DaybookError usage */
export function clusterAddress(
  text: string,
  given: { readonly user?: string | undefined; readonly password?: string | undefined } = {},
): ClusterAddress {
  const wrong = (problem: string): DaybookError =>
    new DaybookError('usage', `the address of the cluster ${problem}`, `it is ${FORM}`);
  // This parser recognises hosts only in schemes of the web.
  const url = URL.parse(text.replace(/^clickhouse:/i, 'http:'));
  if (!isClusterAddress(text) || url === null || url.hostname === '') throw wrong('cannot be read');
  const read = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      throw wrong('cannot be read');
    }
  };
  const database = read(url.pathname.slice(1));
  if (!/^\w[\w-]*$/.test(database)) throw wrong('names no database');
  const options = [...url.searchParams.keys()].filter((name) => name !== 'secure');
  if (options.length > 0) throw wrong(`has an option ${JSON.stringify(options[0])}`);
  const isSecure = /^(?:1|true)$/.test(url.searchParams.get('secure') ?? '');
  // The parser drops the default port of a scheme.
  const port = /^clickhouse:\/\/[^/]*:80(?:[/?]|$)/i.test(text) ? '80' : url.port;
  const host = `${url.hostname}:${port === '' ? (isSecure ? '8443' : '8123') : port}`;
  return {
    url: `${isSecure ? 'https' : 'http'}://${host}`,
    database,
    user: read(url.username) || given.user || 'default',
    password: read(url.password) || given.password || '',
    name: `clickhouse://${host}/${database}${isSecure ? '?secure=true' : ''}`,
  };
}
