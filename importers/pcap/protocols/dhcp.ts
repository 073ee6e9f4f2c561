/**
 * DHCP (RFC 2131, options of RFC 2132) in BOOTP's form (RFC 951): who requested an address, and which one was
 * assigned.
 *
 * One event per message; `trans_id` joins those of one request.
 */
import { u32 } from '../bytes.ts';
import { type Datagram, type DatagramProtocol, textOf } from './messages.ts';

const HEADER_BYTES = 240;
const COOKIE = 0x63825363;
const [PAD, END] = [0, 255];
const MAX_HARDWARE_BYTES = 16;
const ETHERNET = 1;

const TYPES: Readonly<Record<number, string>> = {
  ...{ 1: 'DISCOVER', 2: 'OFFER', 3: 'REQUEST', 4: 'DECLINE', 5: 'ACK', 6: 'NAK', 7: 'RELEASE' },
  ...{ 8: 'INFORM', 9: 'FORCERENEW', 10: 'LEASEQUERY', 11: 'LEASEUNASSIGNED', 12: 'LEASEUNKNOWN' },
  13: 'LEASEACTIVE',
};
const OPTION = {
  ...{ router: 3, dns: 6, hostName: 12, domain: 15, requested: 50, lease: 51, type: 53 },
  ...{ server: 54, parameters: 55, message: 56, vendor: 60, clientId: 61, fqdn: 81 },
  relayAgent: 82,
} as const;

function addressAt(bytes: Uint8Array, at: number): string | undefined {
  return u32(bytes, at) === 0 ? undefined : bytes.subarray(at, at + 4).join('.');
}

/** The options by their number; repeated ones are concatenated (RFC 3396). */
function optionsOf(bytes: Uint8Array, start: number, end: number): Map<number, Buffer> {
  const options = new Map<number, Buffer>();
  for (let at = start; at < end && bytes[at] !== END;) {
    if (bytes[at] === PAD) {
      at += 1;
      continue;
    }
    const size = bytes[at + 1] ?? 0;
    if (at + 2 + size > end) break;
    const part = bytes.subarray(at + 2, at + 2 + size);
    options.set(bytes[at]!, Buffer.concat([options.get(bytes[at]!) ?? Buffer.alloc(0), part]));
    at += 2 + size;
  }
  return options;
}

function read({ bytes, start, end, at }: Datagram): ReturnType<DatagramProtocol['read']> {
  if (end - start < HEADER_BYTES || u32(bytes, start + HEADER_BYTES - 4) !== COOKIE)
    return undefined;
  const operation = bytes[start]!;
  if ((operation !== 1 && operation !== 2) || bytes[start + 2]! > MAX_HARDWARE_BYTES)
    return undefined;
  const options = optionsOf(bytes, start + HEADER_BYTES, end);
  const text = (option: number): string | undefined => {
    const part = options.get(option);
    return part === undefined || part.length === 0
      ? undefined
      : textOf(part, 0, part.length).replace(/\0+$/, '');
  };
  const addresses = (option: number): string[] => {
    const part = options.get(option) ?? Buffer.alloc(0);
    return Array.from({ length: part.length >>> 2 }, (_, i) =>
      part.subarray(4 * i, 4 * i + 4).join('.'),
    );
  };
  const seconds = options.get(OPTION.lease);
  const number = options.get(OPTION.type)?.[0];
  const type =
    number === undefined
      ? operation === 1
        ? 'BOOTREQUEST'
        : 'BOOTREPLY'
      : (TYPES[number] ?? `TYPE${number}`);
  const size = bytes[start + 2]!;
  const hardware = Buffer.from(bytes.subarray(start + 28, start + 28 + size)).toString('hex');
  const mac =
    bytes[start + 1] === ETHERNET && size === 6 ? hardware.replace(/..\B/g, '$&:') : undefined;
  const isFromClient = operation === 1;
  const assigned = addressAt(bytes, start + 16);
  const host = text(OPTION.hostName);
  const fqdn = options.get(OPTION.fqdn);
  const [server] = addresses(OPTION.server);
  const [requested] = addresses(OPTION.requested);
  const parameters = options.get(OPTION.parameters);
  const identifier = options.get(OPTION.clientId);
  const relayed = suboptionsOf(options.get(OPTION.relayAgent));
  return {
    isFromClient,
    message: {
      kind: 'dhcp',
      type,
      at,
      text: [type, mac ?? hardware, host, assigned ?? requested].filter(Boolean).join(' '),
      columns: {
        [isFromClient ? 'src_mac' : 'dst_mac']: mac,
        outcome: type === 'ACK' ? 'success' : type === 'NAK' ? 'failure' : undefined,
        reason: text(OPTION.message),
      },
      attributes: {
        msg_types: type,
        trans_id: String(u32(bytes, start + 4)),
        mac: mac ?? (hardware === '' ? undefined : hardware),
        host_name: host,
        client_fqdn: fqdn === undefined || fqdn.length <= 3 ? undefined : nameOf(fqdn),
        domain: text(OPTION.domain),
        requested_addr: requested,
        assigned_addr: isFromClient ? undefined : assigned,
        client_addr: addressAt(bytes, start + 12),
        server_addr: server,
        relay_addr: addressAt(bytes, start + 24),
        routers: list(addresses(OPTION.router)),
        dns_servers: list(addresses(OPTION.dns)),
        lease_time: seconds?.length === 4 ? String(u32(seconds, 0)) : undefined,
        vendor_class: text(OPTION.vendor),
        client_id: identifier?.toString('hex'),
        param_list: parameters?.join(','),
        ...{ circuit_id: relayed(1), agent_remote_id: relayed(2), subscriber_id: relayed(6) },
      },
    },
  };
}

/**
 * A relay's information on the location of a client (RFC 3046, RFC 3993): text, or hexadecimal if it is not text.
 */
function suboptionsOf(option: Buffer = Buffer.alloc(0)): (number: number) => string | undefined {
  const parts = optionsOf(option, 0, option.length);
  return (number) => {
    const part = parts.get(number);
    if (part === undefined || part.length === 0) return undefined;
    const isText = part.every((byte) => byte >= 0x20 && byte < 0x7f);
    return part.toString(isText ? 'latin1' : 'hex');
  };
}

function list(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values;
}

/** RFC 4702: three bytes of flags, then a name as text, or as labels if the flags say so. */
function nameOf(option: Buffer): string {
  const isLabels = (option[0]! & 4) !== 0;
  if (!isLabels) return textOf(option, 3, option.length).replace(/\0+$/, '');
  const labels: string[] = [];
  for (let at = 3; at < option.length && option[at] !== 0; at += 1 + option[at]!)
    labels.push(textOf(option, at + 1, Math.min(option.length, at + 1 + option[at]!)));
  return labels.join('.');
}

export const DHCP: DatagramProtocol = { service: 'dhcp', read };
