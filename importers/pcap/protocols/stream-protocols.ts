/** Protocols over TCP, in the order in which the first bytes of a connection are tried. */
import { DNS_STREAM } from './dns.ts';
import { HTTP } from './http.ts';
import type { StreamProtocol } from './messages.ts';
import { TLS } from './tls.ts';

export const STREAM_PROTOCOLS: readonly StreamProtocol[] = [TLS, HTTP, DNS_STREAM];
