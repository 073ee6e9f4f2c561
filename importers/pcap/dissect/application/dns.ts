/** DNS messages (RFC 1035), also multicast and over TCP, and those of NetBIOS names (RFC 1002). */
import { NETBIOS_PORT } from '../../protocols/dns.ts';
import { CLASSES, nameAt, netbiosName, typeName } from '../../protocols/dns-name.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex8, hex16, visibleText } from '../text.ts';

/** Number of records that are read of one message; the count states how many there are. */
const MAX_RECORDS = 200;

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
const NETBIOS_OPCODES: Readonly<Record<number, string>> = {
  0: 'Name query',
  5: 'Registration',
  6: 'Release',
  7: 'Wait and acknowledge',
  8: 'Refresh',
  15: 'Multi-homed registration',
};
const codeText = (value: number) => `${CODES[value] ?? 'Code'} (${value})`;
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

function isOn(r: LayerReader, port: number): boolean {
  return r.d.sourcePort === port || r.d.destinationPort === port;
}

/** Reads a type; returns its number and name. */
function readType(r: LayerReader): { type: number; kind: string } {
  const nameOf = (type: number) => typeName(type, isOn(r, NETBIOS_PORT));
  const type = r.u16('Type', (value) => `${nameOf(value)} (${value})`);
  return { type, kind: nameOf(type) };
}

function message(r: LayerReader): void {
  const isNetbios = isOn(r, NETBIOS_PORT);
  if (isNetbios) r.layer.name = 'NetBIOS Name Service';
  else if (isOn(r, 5353)) r.layer.name = 'Multicast Domain Name System';
  else if (isOn(r, 5355)) r.layer.name = 'Link-local Multicast Name Resolution';
  const opcodes: Readonly<Record<number, string>> = isNetbios ? NETBIOS_OPCODES : OPCODES;
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
      [0x7800, 'Opcode', (value) => `${opcodes[value] ?? 'Opcode'} (${value})`],
      [0x0400, 'Authoritative'],
      [0x0200, 'Truncated'],
      [0x0100, 'Recursion desired'],
      [0x0080, 'Recursion available'],
      [0x0020, 'Answer authenticated'],
      [0x0010, isNetbios ? 'Broadcast' : 'Non-authenticated data'],
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
  let code = flags & 15;
  const extend = (bits: number) => {
    code |= bits << 4;
  };
  const summary = () => {
    const said = response && code !== 0 ? `, ${CODES[code] ?? `code ${code}`}` : '';
    const details = parts.slice(0, 6).join(', ');
    r.layer.summary = `${head} ${hex16(id)}${said}${details === '' ? '' : `, ${details}`}`;
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
  section('Additional records', counts[3], () => record(r, start, extend));
}

function question(r: LayerReader, message: number): string {
  let text = '';
  r.group('Query', () => {
    const name = domainName(r, 'Name', message);
    const { kind } = readType(r);
    r.u16('Class', classText);
    text = `${kind} ${name}`;
    return text;
  });
  return text;
}

/** @param extend takes the high bits of the response's code, which OPT has (RFC 6891, 6.1.3) */
function record(r: LayerReader, message: number, extend?: (bits: number) => void): string {
  let text = '';
  r.group('Record', () => {
    const name = domainName(r, 'Name', message);
    const { type, kind } = readType(r);
    if (type === 41) {
      r.u16('UDP payload size');
      const high = r.u8('Higher bits in extended RCODE', hex8);
      extend?.(high);
      r.u8('EDNS0 version');
      r.bits('Z', 2, [[0x8000, 'DNSSEC OK']], hex16);
    } else {
      r.u16('Class', classText);
      r.u32('Time to live', (value) => `${value} s`);
    }
    const length = r.u16('Data length');
    let value = '';
    if (length > 0)
      r.within(length, `data of ${kind}`, () => {
        value = isOn(r, NETBIOS_PORT) ? netbiosData(r, type) : recordData(r, type, message);
        if (r.left > 0) r.raw('Data', r.left);
      });
    text = `${kind} ${value === '' ? name : value}`;
    return `${name}: ${text}`;
  });
  return text;
}

/** For NB: the hosts that have a name. */
function netbiosData(r: LayerReader, type: number): string {
  const addresses: string[] = [];
  while (type === 32 && r.left >= 6) {
    r.u16('Name flags', hex16);
    addresses.push(r.ip4('Address'));
  }
  return addresses.join(', ');
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

/** Adds a name as a field and consumes its bytes. Pointers count from `message`. */
function domainName(r: LayerReader, field: string, message: number): string {
  const { text, next, problem } = nameAt(r.bytes, message, r.at, r.d.end);
  const size = next - r.at;
  r.need(size, field);
  if (problem !== undefined) r.d.note(`${r.layer.name}: ${problem}`);
  const said = isOn(r, NETBIOS_PORT) && problem === undefined ? netbiosName(text) : text;
  const name = visibleText(said) || (problem === undefined ? '<Root>' : '?');
  r.add(field, problem === undefined ? name : `${name} (${problem})`, r.at, size);
  r.at = next;
  return name;
}
