/** MPLS label stack entries (RFC 3032), a layer each. */
import type { Protocol } from '../protocols.ts';
import type { LayerReader } from '../reader.ts';
import { hex32 } from '../text.ts';

export function mpls(r: LayerReader): Protocol | undefined {
  const entry = r.parts(4, [
    [0xfffff000, 'MPLS Label'],
    [0x00000e00, 'MPLS Experimental Bits'],
    [0x00000100, 'MPLS Bottom Of Label Stack'],
    [0x000000ff, 'MPLS TTL'],
  ]);
  const bottom = (entry >>> 8) & 1;
  r.layer.summary = `Label: ${entry >>> 12}, Exp: ${(entry >>> 9) & 7}, S: ${bottom}, TTL: ${entry & 255}`;
  if (bottom === 0) return 'mpls';
  // Nothing states what follows; the first four bits distinguish IP from a pseudowire (RFC 4928).
  switch (r.peek() >>> 4) {
    case 4:
      return 'ipv4';
    case 6:
      return 'ipv6';
    case 1:
      return 'data';
    case 0:
      if (r.left < 18) return 'data';
      r.u32('PW Control Word', hex32);
      return 'ethernet';
    default:
      return r.left >= 14 ? 'ethernet' : 'data';
  }
}
