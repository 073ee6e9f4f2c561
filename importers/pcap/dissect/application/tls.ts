/** TLS records and the handshake messages that are not encrypted (RFC 8446, 5246, 6066, 7301). */
import { nounOf } from '../../../../engine/contract/words/counted.ts';
import { u24 } from '../../bytes.ts';
import { isShort, suiteName } from '../../protocols/tls/hello.ts';
import { isHandshake } from '../applications.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex16, named } from '../text.ts';

const MAX_SHOWN = 100;
const CONTENT: Readonly<Record<number, string>> = {
  20: 'Change Cipher Spec',
  21: 'Alert',
  22: 'Handshake',
  23: 'Application Data',
  24: 'Heartbeat',
};
const VERSIONS = named(
  {
    0x0300: 'SSL 3.0',
    0x0301: 'TLS 1.0',
    0x0302: 'TLS 1.1',
    0x0303: 'TLS 1.2',
    0x0304: 'TLS 1.3',
  },
  hex16,
);
const HANDSHAKES: Readonly<Record<number, string>> = {
  0: 'Hello Request',
  1: 'Client Hello',
  2: 'Server Hello',
  4: 'New Session Ticket',
  5: 'End of Early Data',
  8: 'Encrypted Extensions',
  11: 'Certificate',
  12: 'Server Key Exchange',
  13: 'Certificate Request',
  14: 'Server Hello Done',
  15: 'Certificate Verify',
  16: 'Client Key Exchange',
  20: 'Finished',
  22: 'Certificate Status',
  24: 'Key Update',
};
const ALERTS = named({
  0: 'Close Notify',
  10: 'Unexpected Message',
  20: 'Bad Record MAC',
  22: 'Record Overflow',
  40: 'Handshake Failure',
  42: 'Bad Certificate',
  43: 'Unsupported Certificate',
  44: 'Certificate Revoked',
  45: 'Certificate Expired',
  46: 'Certificate Unknown',
  47: 'Illegal Parameter',
  48: 'Unknown CA',
  49: 'Access Denied',
  50: 'Decode Error',
  51: 'Decrypt Error',
  70: 'Protocol Version',
  71: 'Insufficient Security',
  80: 'Internal Error',
  90: 'User Canceled',
  112: 'Unrecognized Name',
  116: 'Certificate Required',
  120: 'No Application Protocol',
});
const EXTENSIONS: Readonly<Record<number, string>> = {
  0: 'server_name',
  1: 'max_fragment_length',
  5: 'status_request',
  10: 'supported_groups',
  11: 'ec_point_formats',
  13: 'signature_algorithms',
  16: 'application_layer_protocol_negotiation',
  18: 'signed_certificate_timestamp',
  21: 'padding',
  22: 'encrypt_then_mac',
  23: 'extended_master_secret',
  27: 'compress_certificate',
  28: 'record_size_limit',
  35: 'session_ticket',
  41: 'pre_shared_key',
  42: 'early_data',
  43: 'supported_versions',
  44: 'cookie',
  45: 'psk_key_exchange_modes',
  49: 'post_handshake_auth',
  51: 'key_share',
  57: 'quic_transport_parameters',
  13172: 'next_protocol_negotiation',
  17513: 'application_settings',
  65037: 'encrypted_client_hello',
  65281: 'renegotiation_info',
};
const extensionText = named(EXTENSIONS);

export function tls(r: LayerReader): Protocol | undefined {
  const reported: string[] = [];
  let encrypted = false;
  while (r.left > 0) {
    const type = r.peek();
    const content = CONTENT[type];
    if (content === undefined || (r.peek(1) !== 3 && r.left >= 2)) {
      return reported.length === 0 ? 'data' : leftover(r);
    }
    r.group('TLS Record', () => {
      r.u8('Content Type', named(CONTENT));
      const version = r.u16('Version', VERSIONS);
      const length = r.u16('Length');
      reported.push(content);
      const at = reported.length - 1;
      const tell = (text: string) => {
        reported[at] = text;
        r.layer.summary = reported.slice(0, 6).join(', ');
      };
      tell(content);
      const body = () => record(r, type, encrypted, tell);
      if (length > r.left) {
        r.d.note(`${r.layer.name}: a record ${r.d.cutReason(r.end)}`);
        body();
      } else r.within(length, content, body);
      if (type === 20) encrypted = true;
      return `${reported[at]!}, ${VERSIONS(version)}, ${length} ${nounOf(length, 'byte')}`;
    });
  }
  return undefined;
}

function leftover(r: LayerReader): undefined {
  r.raw('Data', r.left);
  return undefined;
}

function record(
  r: LayerReader,
  type: number,
  encrypted: boolean,
  tell: (text: string) => void,
): void {
  switch (type) {
    case 20:
      if (r.left > 0) r.u8('Change Cipher Spec Message');
      return;
    case 21:
      if (r.left === 2) {
        const level = r.u8('Level', named({ 1: 'Warning', 2: 'Fatal' }));
        const description = r.u8('Description', ALERTS);
        tell(`Alert (${level === 2 ? 'Fatal' : 'Warning'}, ${ALERTS(description)})`);
        return;
      }
      tell('Encrypted Alert');
      break;
    case 22:
      if (encrypted || !isHandshake(r.bytes, r.at, r.end)) {
        tell('Encrypted Handshake Message');
        break;
      }
      handshakes(r, tell);
      return;
  }
  if (r.left > 0) r.raw(type === 23 ? 'Encrypted Application Data' : 'Content', r.left);
}

function handshakes(r: LayerReader, tell: (text: string) => void): void {
  const names: string[] = [];
  while (r.left > 0) {
    if (!isHandshake(r.bytes, r.at, r.end)) {
      r.raw('Content', r.left);
      return;
    }
    r.group('Handshake Protocol', () => {
      const type = r.u8('Handshake Type', named(HANDSHAKES));
      const length = r.u24('Length');
      const name = HANDSHAKES[type] ?? `Handshake ${type}`;
      let detail = '';
      const place = names.push(name) - 1;
      tell(names.join(', '));
      const body = () => {
        if (type === 1 || type === 2) {
          hello(r, type === 1, (text) => {
            detail = text;
            names[place] = `${name} (${text})`;
            tell(names.join(', '));
          });
        } else if (type === 11) certificates(r);
        else if (r.left > 0) r.raw('Content', Math.min(r.left, length));
      };
      if (length > r.left) body();
      else r.within(length, name, body);
      return detail === '' ? name : `${name}, ${detail}`;
    });
  }
}

interface Hello {
  serverName: string;
  protocols: string[];
  versions: string[];
  cipher: string;
}

function hello(r: LayerReader, client: boolean, tell: (text: string) => void): void {
  const found: Hello = { serverName: '', protocols: [], versions: [], cipher: '' };
  const summary = () => {
    const parts = [];
    if (found.serverName !== '') parts.push(`SNI=${found.serverName}`);
    if (found.protocols.length > 0) parts.push(`ALPN=${found.protocols.join(',')}`);
    if (found.versions.length > 0) parts.push(found.versions.join(', '));
    if (found.cipher !== '') parts.push(found.cipher);
    tell(parts.join(', '));
  };
  const version = r.u16('Version', VERSIONS);
  found.versions = [VERSIONS(version)];
  r.raw('Random', 32);
  const isShortHello = isShort(version, client);
  const session = isShortHello ? 0 : r.u8('Session ID Length');
  if (session > 0) r.raw('Session ID', session);
  if (client) {
    const size = r.u16('Cipher Suites Length');
    const count = size >>> 1;
    found.cipher = `${count} cipher suites`;
    summary();
    r.group('Cipher Suites', () => {
      r.within(size, 'Cipher Suites', () => {
        for (let i = 0; i < count && i < MAX_SHOWN; i++) r.u16('Cipher Suite', suiteText);
        if (r.left > 0) r.raw('Further cipher suites', r.left);
      });
      return `${count} suites`;
    });
    const methods = r.u8('Compression Methods Length');
    if (methods > 0) r.raw('Compression Methods', methods);
  } else {
    const suite = r.u16('Cipher Suite', suiteText);
    found.cipher = suiteText(suite);
    summary();
    if (!isShortHello) r.u8('Compression Method');
  }
  if (r.left < 2) return;
  const size = r.u16('Extensions Length');
  const body = () => {
    while (r.left > 0) {
      r.group('Extension', () => {
        const type = r.u16('Type', extensionText);
        const length = r.u16('Length');
        const name = EXTENSIONS[type] ?? `extension ${type}`;
        let value = '';
        if (length > 0) {
          r.within(length, name, () => {
            value = extension(r, type, client, found);
            if (r.left > 0) r.raw('Data', r.left);
          });
        }
        summary();
        return value === '' ? name : `${name}: ${value}`;
      });
    }
  };
  if (size > r.left) body();
  else r.within(size, 'Extensions', body);
}

function extension(r: LayerReader, type: number, client: boolean, found: Hello): string {
  switch (type) {
    case 0: {
      if (r.left < 5) return '';
      r.u16('Server Name list length');
      r.u8('Server Name Type');
      const size = r.u16('Server Name length');
      found.serverName = r.text('Server Name', size);
      return found.serverName;
    }
    case 16: {
      r.u16('ALPN Extension Length');
      while (r.left > 0 && found.protocols.length < MAX_SHOWN) {
        const size = r.u8('ALPN string length');
        found.protocols.push(r.text('ALPN Next Protocol', size));
      }
      return found.protocols.join(', ');
    }
    case 43: {
      const versions: number[] = [];
      if (client) {
        r.u8('Supported Versions length');
        while (r.left >= 2) versions.push(r.u16('Supported Version', VERSIONS));
      } else {
        versions.push(r.u16('Supported Version', VERSIONS));
      }
      // Values that only keep the list open (RFC 8701) are of no interest.
      const known = versions.filter((version) => version >>> 8 === 3).map((v) => VERSIONS(v));
      if (known.length > 0) found.versions = client ? known.slice(0, 1) : known;
      return known.join(', ');
    }
    case 10: {
      r.u16('Supported Groups List Length');
      while (r.left >= 2) r.u16('Supported Group', groupText);
      return '';
    }
    default:
      return '';
  }
}

function certificates(r: LayerReader): void {
  const size = r.u24('Certificates Length');
  const body = () => {
    for (let i = 0; r.left >= 3 && i < MAX_SHOWN; i++) {
      const length = u24(r.bytes, r.at);
      r.u24('Certificate Length');
      if (length > 0) r.raw('Certificate', Math.min(length, r.left));
    }
  };
  if (size > r.left) body();
  else r.within(size, 'Certificates', body);
  if (r.left > 0) r.raw('Content', r.left);
}

const groupText = named(
  {
    23: 'secp256r1',
    24: 'secp384r1',
    25: 'secp521r1',
    29: 'x25519',
    30: 'x448',
    4588: 'X25519MLKEM768',
  },
  hex16,
);
function suiteText(suite: number): string {
  const name = suiteName(suite);
  return name === undefined ? hex16(suite) : `${name} (${hex16(suite)})`;
}
