/** Spanning tree BPDUs: IEEE 802.1D, and 802.1w, whose longer form starts the same. */
import type { LayerReader } from '../reader.ts';
import { hex8, named } from '../text.ts';

const TYPES = named(
  { 0: 'Configuration', 2: 'Rapid/Multiple Spanning Tree', 0x80: 'Topology Change Notification' },
  hex8,
);
const seconds = (value: number) => `${value / 256} s`;

export function spanningTree(r: LayerReader): undefined {
  r.u16('Protocol Identifier');
  r.u8('Protocol Version Identifier');
  const type = r.u8('BPDU Type', TYPES);
  r.layer.summary = TYPES(type);
  if (type === 0x80) return r.finish();
  r.bits(
    'BPDU flags',
    1,
    [
      [0x80, 'Topology Change Acknowledgment'],
      [0x40, 'Agreement'],
      [0x20, 'Forwarding'],
      [0x10, 'Learning'],
      [0x0c, 'Port Role'],
      [0x02, 'Proposal'],
      [0x01, 'Topology Change'],
    ],
    hex8,
  );
  r.u16('Root Bridge Priority');
  const root = r.mac('Root Bridge System ID');
  const cost = r.u32('Root Path Cost');
  r.u16('Bridge Priority');
  r.mac('Bridge System ID');
  r.u16('Port identifier', (value) => `0x${value.toString(16).padStart(4, '0')}`);
  r.u16('Message Age', seconds);
  r.u16('Max Age', seconds);
  r.u16('Hello Time', seconds);
  r.u16('Forward Delay', seconds);
  if (type === 2 && r.left > 0) r.u8('Version 1 Length');
  r.layer.summary = `${TYPES(type)}, Root: ${root}, Cost: ${cost}`;
  return r.finish();
}
