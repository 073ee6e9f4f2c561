/** BSD loopback: an address family of the capturing host, in either byte order. */
import { u32, u32le } from '../../bytes.ts';
import { etherTypeProtocol, etherTypeText, type Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { named } from '../text.ts';

const FAMILIES = named({ 2: 'IP', 10: 'IPv6', 23: 'IPv6', 24: 'IPv6', 28: 'IPv6', 30: 'IPv6' });

export function loopback(r: LayerReader): Protocol | undefined {
  r.need(4, 'Family');
  let family = u32le(r.bytes, r.at);
  if (family > 0xffff) family = u32(r.bytes, r.at);
  // Some use the upper half for something else.
  if (family > 0xffff) family &= 0xffff;
  const type = family >= 0x0600;
  const text = type ? etherTypeText(family) : FAMILIES(family);
  r.add('Family', text, r.at, 4);
  r.at += 4;
  r.layer.summary = text;
  if (type) return etherTypeProtocol(family);
  return [2, 10, 23, 24, 28, 30].includes(family) ? r.ipVersion() : 'data';
}
