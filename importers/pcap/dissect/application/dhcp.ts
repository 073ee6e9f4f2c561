/** DHCP (RFC 2131) with its most relevant options (RFC 2132), in BOOTP's form (RFC 951). */
import type { LayerReader } from '../reader.ts';
import { hex16, hex32, hexBytes, macText, named, visible } from '../text.ts';
import { ip4Text } from '../../decode/tunnel-notes.ts';
import { u32 } from '../../bytes.ts';

const MESSAGES: Readonly<Record<number, string>> = {
  1: 'Discover',
  2: 'Offer',
  3: 'Request',
  4: 'Decline',
  5: 'ACK',
  6: 'NAK',
  7: 'Release',
  8: 'Inform',
};
const OPTIONS: Readonly<Record<number, string>> = {
  1: 'Subnet Mask',
  2: 'Time Offset',
  3: 'Router',
  6: 'Domain Name Server',
  12: 'Host Name',
  15: 'Domain Name',
  28: 'Broadcast Address',
  42: 'Network Time Protocol Servers',
  43: 'Vendor-Specific Information',
  44: 'NetBIOS over TCP/IP Name Server',
  50: 'Requested IP Address',
  51: 'IP Address Lease Time',
  52: 'Option Overload',
  53: 'DHCP Message Type',
  54: 'DHCP Server Identifier',
  55: 'Parameter Request List',
  56: 'Message',
  57: 'Maximum DHCP Message Size',
  58: 'Renewal Time Value',
  59: 'Rebinding Time Value',
  60: 'Vendor class identifier',
  61: 'Client identifier',
  66: 'TFTP Server Name',
  67: 'Bootfile name',
  81: 'Client Fully Qualified Domain Name',
  82: 'Agent Information Option',
  252: 'Private/Proxy autodiscovery',
};
const ADDRESSES = new Set([1, 3, 6, 28, 42, 44, 50, 54]);
const TEXTS = new Set([12, 15, 56, 60, 66, 67, 252]);
const SECONDS = new Set([51, 58, 59]);

export function dhcp(r: LayerReader): undefined {
  const d = r.d;
  const operation = r.u8('Message type', named({ 1: 'Boot Request', 2: 'Boot Reply' }));
  r.layer.summary = operation === 1 ? 'Boot Request' : 'Boot Reply';
  r.u8('Hardware type', hexSmall);
  const size = r.u8('Hardware address length');
  r.u8('Hops');
  const transaction = r.u32('Transaction ID', hex32);
  r.u16('Seconds elapsed');
  r.bits('Bootp flags', 2, [[0x8000, 'Broadcast flag']], hex16);
  r.ip4('Client IP address');
  r.ip4('Your (client) IP address');
  r.ip4('Next server IP address');
  r.ip4('Relay agent IP address');
  r.raw('Client hardware address', 16, (bytes) =>
    size === 6 ? macText(bytes.subarray(0, 6)) : hexBytes(bytes.subarray(0, Math.min(size, 16))),
  );
  r.raw('Server host name', 64, terminated);
  r.raw('Boot file name', 128, terminated);
  r.u32('Magic cookie', hex32);
  while (r.left > 0) {
    const code = r.peek();
    if (code === 0) {
      let pad = 1;
      while (r.peek(pad) === 0) pad += 1;
      r.raw('Padding', pad);
      continue;
    }
    if (code === 255) {
      r.u8('Option End');
      if (r.left > 0) r.raw('Padding', r.left);
      return undefined;
    }
    r.group('Option', () => {
      r.u8('Code', named(OPTIONS));
      const length = r.u8('Length');
      const name = OPTIONS[code] ?? `Option ${code}`;
      if (code === 53 && length === 1) {
        const kind = r.u8('DHCP', named(MESSAGES));
        r.layer.name = `Dynamic Host Configuration Protocol (${MESSAGES[kind] ?? kind})`;
        r.layer.summary = `Transaction ID ${hex32(transaction)}`;
        return `${name}: ${MESSAGES[kind] ?? kind}`;
      }
      if (length === 0) return name;
      return `${name}: ${r.raw('Value', length, (bytes) => optionText(code, bytes))}`;
    });
  }
  d.note('Dynamic Host Configuration Protocol: the options have no end');
  return undefined;
}

const hexSmall = named({ 1: 'Ethernet', 6: 'IEEE 802' });

/** Text up to its first zero byte. */
function terminated(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const text = visible(end < 0 ? bytes : bytes.subarray(0, end));
  return text === '' ? 'not given' : text;
}

function optionText(code: number, bytes: Uint8Array): string {
  if (ADDRESSES.has(code) && bytes.length % 4 === 0) {
    const addresses = [];
    for (let at = 0; at < bytes.length; at += 4) addresses.push(ip4Text(u32(bytes, at)));
    return addresses.join(', ');
  }
  if (TEXTS.has(code)) return visible(bytes);
  if (SECONDS.has(code) && bytes.length === 4) return `${u32(bytes, 0)} s`;
  if (code === 55) return Array.from(bytes, (byte) => OPTIONS[byte] ?? String(byte)).join(', ');
  if (code === 61 && bytes.length === 7 && bytes[0] === 1) return macText(bytes.subarray(1));
  if (code === 57 && bytes.length === 2) return String((bytes[0]! << 8) | bytes[1]!);
  return hexBytes(bytes);
}
