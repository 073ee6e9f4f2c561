/** IEEE 802.1X authentication frames, with EAP's head (RFC 3748). */
import type { LayerReader } from '../reader.ts';
import { hex16, named } from '../text.ts';

const TYPES = named({ 0: 'EAP Packet', 1: 'Start', 2: 'Logoff', 3: 'Key' });
const CODES: Readonly<Record<number, string>> = {
  1: 'Request',
  2: 'Response',
  3: 'Success',
  4: 'Failure',
};
const METHODS = named({
  1: 'Identity',
  2: 'Notification',
  3: 'Legacy Nak',
  4: 'MD5-Challenge',
  13: 'TLS EAP',
  25: 'PEAP',
});

export function eapol(r: LayerReader): undefined {
  r.u8('Version');
  const type = r.u8('Type', TYPES);
  const length = r.u16('Length');
  r.layer.summary = TYPES(type);
  if (length > 0) r.bound(r.at, length);
  if (type === 0 && r.left >= 4) {
    const code = r.u8('Code', named(CODES));
    r.u8('Id');
    r.u16('EAP Length');
    r.layer.summary = `EAP ${CODES[code] ?? code}`;
    if (r.left > 0) {
      const method = r.u8('EAP Type', METHODS);
      if (method === 1 && r.left > 0) r.layer.summary += `, Identity ${r.text('Identity', r.left)}`;
    }
  } else if (type === 3 && r.left >= 3) {
    r.u8('Key Descriptor Type');
    r.u16('Key Information', hex16);
  }
  if (r.left > 0) r.raw('Content', r.left);
  return undefined;
}
