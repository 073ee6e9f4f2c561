/**
 * DNS messages (RFC 1035), also multicast and over TCP. Compressed names are followed backwards only
 * and within bounds, so that no name can be endless.
 */
import { u16 } from '../bytes.ts';
import type { Protocol } from './protocols.ts';
import type { LayerReader } from './reader.ts';
import { hex16, named, visible } from './text.ts';

/** A name's text with its dots (RFC 1035, 3.1 allows 255 bytes). */
const MAX_NAME = 255;
/** Records that are read of one message; the count says how many there are. */
const MAX_RECORDS = 200;

const TYPES: Readonly<Record<number, string>> = {
  1: 'A',
  2: 'NS',
  5: 'CNAME',
  6: 'SOA',
  10: 'NULL',
  12: 'PTR',
  13: 'HINFO',
  15: 'MX',
  16: 'TXT',
  17: 'RP',
  24: 'SIG',
  25: 'KEY',
  28: 'AAAA',
  29: 'LOC',
  32: 'NB',
  33: 'SRV',
  35: 'NAPTR',
  37: 'CERT',
  39: 'DNAME',
  41: 'OPT',
  43: 'DS',
  44: 'SSHFP',
  46: 'RRSIG',
  47: 'NSEC',
  48: 'DNSKEY',
  50: 'NSEC3',
  51: 'NSEC3PARAM',
  52: 'TLSA',
  64: 'SVCB',
  65: 'HTTPS',
  99: 'SPF',
  249: 'TKEY',
  250: 'TSIG',
  251: 'IXFR',
  252: 'AXFR',
  255: 'ANY',
  257: 'CAA',
};
const typeText = named(TYPES);
const typeName = (type: number) => TYPES[type] ?? `TYPE${type}`;
const CODES = [
  'No error',
  'Format error',
  'Server failure',
  'No such name',
  'Not implemented',
  'Refused',
  'Name exists',
  'RRset exists',
  'RRset does not exist',
  'Not authoritative',
  'Name out of zone',
];
const OPCODES = [
  'Standard query',
  'Inverse query',
  'Server status request',
  '',
  'Zone change notification',
  'Dynamic update',
];
const opcodeText = (value: number) => `${OPCODES[value] ?? 'Opcode'} (${value})`;
const codeText = (value: number) => `${CODES[value] ?? 'Code'} (${value})`;
const CLASSES: Readonly<Record<number, string>> = {
  1: 'IN',
  3: 'CH',
  4: 'HS',
  254: 'NONE',
  255: 'ANY',
};
/** The highest bit is multicast DNS's. */
const classText = (value: number) =>
  `${CLASSES[value & 0x7fff] ?? 'class'} (${hex16(value)})${value > 0x7fff && value < 0xffff ? ', cache flush or unicast response' : ''}`;

/** A message after its length. What is left of the segment are further messages. */
export function dnsOnTcp(r: LayerReader): Protocol | undefined {
  const length = r.u16('Length');
  if (length > r.left) {
    message(r);
    return undefined;
  }
  r.within(length, 'message', () => message(r));
  return r.left >= 14 ? 'dns-tcp' : r.left > 0 ? 'data' : undefined;
}

export function dns(r: LayerReader): undefined {
  message(r);
  if (r.left > 0) r.raw('Trailing data', r.left);
  return undefined;
}

function message(r: LayerReader): void {
  const { sourcePort, destinationPort } = r.d;
  const on = (port: number) => sourcePort === port || destinationPort === port;
  if (on(53)) r.layer.name = 'Domain Name System';
  else if (on(5353)) r.layer.name = 'Multicast Domain Name System';
  else if (on(5355)) r.layer.name = 'Link-local Multicast Name Resolution';
  const start = r.at;
  const id = r.u16('Transaction ID', hex16);
  const flags = r.bits(
    'Flags',
    2,
    [
      [
        0x8000,
        'Response',
        (value) => (value === 1 ? 'Message is a response' : 'Message is a query'),
      ],
      [0x7800, 'Opcode', opcodeText],
      [0x0400, 'Authoritative'],
      [0x0200, 'Truncated'],
      [0x0100, 'Recursion desired'],
      [0x0080, 'Recursion available'],
      [0x0020, 'Answer authenticated'],
      [0x0010, 'Non-authenticated data'],
      [0x000f, 'Reply code', codeText],
    ],
    hex16,
  );
  const response = (flags & 0x8000) !== 0;
  const head = response ? 'response' : 'query';
  r.layer.summary = head;
  const counts = [
    r.u16('Questions'),
    r.u16('Answer RRs'),
    r.u16('Authority RRs'),
    r.u16('Additional RRs'),
  ] as const;
  const parts: string[] = [];
  const summary = () => {
    const code =
      response && (flags & 15) !== 0 ? `, ${CODES[flags & 15] ?? `code ${flags & 15}`}` : '';
    const what = parts.slice(0, 6).join(', ');
    r.layer.summary = `${head} ${hex16(id)}${code}${what === '' ? '' : `, ${what}`}`;
  };
  summary();
  let read = 0;
  const section = (name: string, count: number, one: () => string) => {
    if (count === 0) return;
    r.group(name, () => {
      for (let i = 0; i < count; i++) {
        if (read === MAX_RECORDS) {
          r.d.note(`${r.layer.name}: more records than the ${MAX_RECORDS} that are shown`);
          if (r.left > 0) r.raw('Further records', r.left);
          break;
        }
        read += 1;
        const text = one();
        if (name === 'Queries' || name === 'Answers') parts.push(text);
        summary();
      }
      return String(count);
    });
  };
  section('Queries', counts[0], () => question(r, start));
  section('Answers', counts[1], () => record(r, start));
  section('Authoritative nameservers', counts[2], () => record(r, start));
  section('Additional records', counts[3], () => record(r, start));
}

function question(r: LayerReader, message: number): string {
  let text = '';
  r.group('Query', () => {
    const name = domainName(r, 'Name', message);
    const type = r.u16('Type', typeText);
    r.u16('Class', classText);
    text = `${typeName(type)} ${name}`;
    return text;
  });
  return text;
}

function record(r: LayerReader, message: number): string {
  let text = '';
  r.group('Record', () => {
    const name = domainName(r, 'Name', message);
    const type = r.u16('Type', typeText);
    if (type === 41) {
      r.u16('UDP payload size');
      r.u32('Extended flags', (value) => `0x${value.toString(16).padStart(8, '0')}`);
    } else {
      r.u16('Class', classText);
      r.u32('Time to live', (value) => `${value} s`);
    }
    const length = r.u16('Data length');
    let value = '';
    if (length > 0)
      r.within(length, `data of ${typeName(type)}`, () => {
        value = recordData(r, type, message);
        if (r.left > 0) r.raw('Data', r.left);
      });
    text = `${typeName(type)} ${value === '' ? name : value}`;
    return `${name}: ${text}`;
  });
  return text;
}

function recordData(r: LayerReader, type: number, message: number): string {
  switch (type) {
    case 1:
      return r.left === 4 ? r.ip4('Address') : '';
    case 28:
      return r.left === 16 ? r.ip6('AAAA Address') : '';
    case 2:
      return domainName(r, 'Name Server', message);
    case 5:
    case 39:
      return domainName(r, 'CNAME', message);
    case 12:
      return domainName(r, 'Domain Name', message);
    case 15:
      return `${r.u16('Preference')} ${domainName(r, 'Mail Exchange', message)}`;
    case 16:
    case 99: {
      const texts: string[] = [];
      while (r.left > 0) {
        const size = r.u8('TXT Length');
        texts.push(r.text('TXT', size));
      }
      return texts.join(' ');
    }
    case 33: {
      r.u16('Priority');
      r.u16('Weight');
      const port = r.u16('Port');
      return `${domainName(r, 'Target', message)}:${port}`;
    }
    case 6: {
      const primary = domainName(r, 'Primary name server', message);
      domainName(r, "Responsible authority's mailbox", message);
      r.u32('Serial Number');
      r.u32('Refresh Interval', (value) => `${value} s`);
      r.u32('Retry Interval', (value) => `${value} s`);
      r.u32('Expire limit', (value) => `${value} s`);
      r.u32('Minimum TTL', (value) => `${value} s`);
      return primary;
    }
    case 257: {
      r.u8('CAA Flags');
      const size = r.u8('Tag length');
      const tag = r.text('Tag', size);
      return `${tag} ${r.text('Value', r.left)}`;
    }
    case 64:
    case 65:
      return `${r.u16('SvcPriority')} ${domainName(r, 'TargetName', message)}`;
    default:
      return '';
  }
}

/**
 * Adds a name as a field and consumes its bytes. Pointers are followed to places before the one they
 * stand at only, counted from `message`.
 */
function domainName(r: LayerReader, field: string, message: number): string {
  const labels: string[] = [];
  let size = 0;
  let at = r.at;
  let after = -1;
  let problem = '';
  for (;;) {
    if (at >= r.end && after < 0) r.need(at - r.at + 1, field);
    if (at >= r.d.end) {
      problem = 'a compressed name runs beyond the message';
      break;
    }
    const length = r.bytes[at]!;
    if (length === 0) {
      at += 1;
      break;
    }
    if (length >= 0xc0) {
      if (after < 0) r.need(at + 2 - r.at, field);
      const target = message + (u16(r.bytes, at) & 0x3fff);
      if (after < 0) after = at + 2;
      if (target >= at) {
        problem = 'a compressed name points forward';
        break;
      }
      at = target;
      continue;
    }
    if (length >= 0x40) {
      problem = 'a name has a label of an unknown kind';
      at += 1;
      break;
    }
    if (after < 0) r.need(at + 1 + length - r.at, field);
    labels.push(visible(r.bytes.subarray(at + 1, Math.min(at + 1 + length, r.d.end)), 63));
    size += length + 1;
    at += 1 + length;
    if (size > MAX_NAME) {
      problem = 'a name is longer than 255 bytes';
      break;
    }
  }
  if (problem !== '') r.d.note(`${r.layer.name}: ${problem}`);
  const end = after < 0 ? at : after;
  const name = labels.length === 0 ? (problem === '' ? '<Root>' : '?') : labels.join('.');
  r.add(field, problem === '' ? name : `${name} (${problem})`, r.at, end - r.at);
  r.at = end;
  return name;
}
