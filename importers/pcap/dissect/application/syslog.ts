/** A syslog message over UDP (RFC 5426): its priority, and the rest unparsed. */
import { FACILITIES, SEVERITIES } from '../../../../engine/contract/event.ts';
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { visible } from '../text.ts';

export function syslog(r: LayerReader): Protocol | undefined {
  const close = r.bytes.indexOf(0x3e, r.at);
  const size = close - r.at + 1;
  const digits = size >= 3 && size <= 5 ? visible(r.bytes.subarray(r.at + 1, close)) : '';
  const priority = Number(digits);
  if (!/^\d+$/.test(digits) || priority > 191) return 'data';
  const facility = FACILITIES[priority >>> 3]!;
  const severity = SEVERITIES[priority & 7]!;
  r.add('Facility', `${facility} (${priority >>> 3})`, r.at, size);
  r.add('Level', `${severity} (${priority & 7})`, r.at, size);
  r.skip(size, 'Priority');
  const message = r.text('Message', r.left);
  r.layer.summary = `${facility}.${severity}: ${message.slice(0, 100)}`;
  return undefined;
}
