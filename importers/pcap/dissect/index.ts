/**
 * Dissects one captured packet for people: all its layers with all their fields. Pure, and never throws, whatever
 * the bytes are: the readable part is there, and a note describes the rest.
 *
 * The importer's own decoders (`../decode/decode.ts`) read every packet of a capture and keep what columns have
 * room for; these read one packet and keep everything.
 */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import { linkTypeName } from '../decode/link-types.ts';
import type { Layer, PacketLayers } from './layer.ts';
import { linkProtocol, type Protocol } from './protocols.ts';
import { Cut, Dissection, Full, LayerReader } from './reader.ts';
import { DISSECTORS, type Chooser } from './table.ts';

export type { LayerField, PacketLayers } from './layer.ts';

/** Layers in one packet before it counts as hostile. */
const MAX_LAYERS = 64;

/**
 * @param frame the bytes that were captured
 * @param linkType LINKTYPE number: https://www.tcpdump.org/linktypes.html
 * @param wireLength length of the frame before it was cut by the capture
 */
export function dissectPacket(
  frame: Uint8Array,
  linkType: number,
  wireLength: number,
): PacketLayers {
  const d = new Dissection(frame, wireLength);
  d.layers.push(frameLayer(frame.length, linkType, wireLength));
  try {
    let protocol: Protocol | undefined = linkProtocol(linkType);
    while (protocol !== undefined) {
      const chosen = choose(protocol, d);
      if (d.at >= d.end) {
        if (d.wireEnd > d.at && chosen !== 'data' && !d.quoted) {
          d.note(`${DISSECTORS[chosen][0]}: ${d.cutReason(d.end)}`);
        }
        break;
      }
      if (d.layers.length > MAX_LAYERS) {
        d.note('more layers than are shown');
        break;
      }
      protocol = readLayer(d, chosen);
    }
  } catch (problem) {
    if (!(problem instanceof Full)) throw problem;
    d.note('more fields than are shown');
  }
  return { layers: d.layers, notes: d.notes };
}

function readLayer(d: Dissection, protocol: Exclude<Protocol, Chooser>): Protocol | undefined {
  const [name, dissect] = DISSECTORS[protocol];
  const r = new LayerReader(d, name);
  const layer = r.layer;
  d.layers.push(layer);
  let next: Protocol | undefined;
  try {
    next = dissect(r);
  } catch (problem) {
    if (!(problem instanceof Cut)) throw problem;
    if (!d.quoted) {
      const end = d.end === d.bytes.length ? d.end : r.end;
      d.note(`${layer.name}: ${d.cutReason(end)} at ${problem.part}`);
    }
    if (r.left > 0) r.raw('Remaining bytes', r.left);
  } finally {
    layer.length = r.at - layer.offset;
    // A trailer is reached before the fields that precede it.
    layer.fields.sort((one, other) => one.offset - other.offset);
    d.at = r.at;
  }
  // A layer that read nothing only found out that it is another one.
  if (layer.length === 0 && layer.fields.length === 0 && next !== undefined) d.layers.pop();
  return next;
}

function choose(protocol: Protocol, d: Dissection): Exclude<Protocol, Chooser> {
  const first = d.at < d.end ? d.bytes[d.at]! : -1;
  if (protocol === 'ip') {
    const version = first >>> 4;
    return version === 6 ? 'ipv6' : version === 4 || first < 0 ? 'ipv4' : 'data';
  }
  if (protocol === 'ppp-hdlc') return first === 0x0f || first === 0x8f ? 'cisco-hdlc' : 'ppp';
  return protocol;
}

function frameLayer(captured: number, linkType: number, wire: number): Layer {
  const at = { offset: 0, length: 0 };
  return {
    name: 'Frame',
    summary: `${wire} ${nounOf(wire, 'byte')} on wire, ${captured} ${nounOf(captured, 'byte')} captured`,
    offset: 0,
    length: captured,
    fields: [
      { name: 'Encapsulation type', value: `${linkTypeName(linkType)} (${linkType})`, ...at },
      { name: 'Frame Length', value: `${wire} ${nounOf(wire, 'byte')}`, ...at },
      { name: 'Capture Length', value: `${captured} ${nounOf(captured, 'byte')}`, ...at },
    ],
  };
}
