/**
 * Fingerprints of TLS hellos: JA3 and JA3S (https://github.com/salesforce/ja3), JA4 of clients
 * (https://github.com/FoxIO-LLC/ja4/blob/main/technical_details/JA4.md).
 */
import { createHash } from 'node:crypto';
import { type Hello, hex4 } from './hello.ts';

/** RFC 8701: values that clients add at random, which no fingerprint counts. */
function isGrease(value: number): boolean {
  return (value & 0x0f0f) === 0x0a0a && value >>> 8 === (value & 0xff);
}

function plain(values: readonly number[]): readonly number[] {
  return values.filter((value) => !isGrease(value));
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const list = (values: readonly number[]): string => plain(values).join('-');

export function ja3({ version, ciphers, extensions, groups, pointFormats }: Hello): string {
  const lists = [list(ciphers), list(extensions), list(groups), pointFormats.join('-')];
  return md5([version, ...lists].join(','));
}

export function ja3s({ version, ciphers, extensions }: Hello): string {
  return md5([version, ciphers[0] ?? '', extensions.join('-')].join(','));
}

const JA4_VERSIONS: Readonly<Record<number, string>> = {
  ...{ 0x0304: '13', 0x0303: '12', 0x0302: '11', 0x0301: '10', 0x0300: 's3', 0x0002: 's2' },
  ...{ 0xfeff: 'd1', 0xfefd: 'd2', 0xfefc: 'd3' },
};
const [SERVER_NAME, ALPN] = [0, 16];

/** @param transport `t` for TCP, `q` for QUIC, `d` for DTLS */
export function ja4(hello: Hello, transport: 't' | 'q' | 'd'): string {
  const { ciphers, extensions, alpn, signatures, versions, version } = hello;
  const offered = plain(versions);
  // Newer versions of DTLS have lower numbers.
  const latest = transport === 'd' ? Math.min : Math.max;
  const best = offered.length > 0 ? latest(...offered) : version;
  const given = plain(extensions);
  const suites = plain(ciphers);
  const count = (values: readonly number[]): string =>
    String(Math.min(values.length, 99)).padStart(2, '0');
  const first = [
    transport,
    JA4_VERSIONS[best] ?? '00',
    extensions.includes(SERVER_NAME) ? 'd' : 'i',
    count(suites),
    count(given),
    alpnPart(alpn[0]),
  ].join('');
  const hashed = given.filter((type) => type !== SERVER_NAME && type !== ALPN);
  const tail = signatures.length > 0 ? `_${plain(signatures).map(hex4).join(',')}` : '';
  return `${first}_${shortHash(sorted(suites))}_${shortHash(sorted(hashed), tail)}`;
}

/**
 * First and last character of the client's preferred protocol; of its hexadecimal form if they are not
 * alphanumeric.
 */
function alpnPart(protocol: string | undefined): string {
  if (protocol === undefined || protocol === '') return '00';
  const ends = protocol[0]! + protocol.at(-1)!;
  if (/^[0-9a-zA-Z]{2}$/.test(ends)) return ends;
  const hex = Buffer.from(protocol, 'latin1').toString('hex');
  return hex[0]! + hex.at(-1)!;
}

function sorted(values: readonly number[]): string {
  return values.map(hex4).toSorted().join(',');
}

function shortHash(values: string, tail = ''): string {
  if (values === '') return '000000000000';
  return createHash('sha256')
    .update(values + tail)
    .digest('hex')
    .slice(0, 12);
}
