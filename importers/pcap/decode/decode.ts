/**
 * Decodes one captured frame from its link layer inwards into the shared Packet.
 *
 * Invariant: nothing here throws or reads outside the frame, whatever its bytes are; an invalid frame keeps what
 * was understood, and `problem` says what was not.
 */
import { ethernet, etherType, llc, mpls, nlpid, pppoe } from './ethernet.ts';
import {
  CISCO_HDLC,
  DONE,
  ETHERNET,
  ETHERTYPE,
  FRAME_RELAY,
  GENEVE,
  GRE,
  GTP,
  IP,
  LINK,
  LLC,
  MPLS,
  NLPID,
  NSH,
  PPP,
  PPPOE,
  RADIOTAP,
  VXLAN,
  VXLAN_GPE,
  WLAN,
  type Cursor,
} from './layers.ts';
import { link } from './link.ts';
import { ip } from './network.ts';
import type { Packet } from './packet.ts';
import { ciscoHdlc, frameRelay, ppp } from './serial.ts';
import { geneve, gre, gtp, nsh, vxlan, vxlanGpe } from './tunnel.ts';
import type { TunnelNotes } from './tunnel-notes.ts';
import { radiotap, wlan } from './wireless.ts';

/** Layers in one frame before it counts as hostile. */
const MAX_LAYERS = 200;

/**
 * @param p record fields (`bytes`, `start`, `end`, `wire`, `linkType`) are set; the rest is written
 * @param c keeps the final state of decoding, including results that are not part of the packet
 */
export function decode(p: Packet, c: Cursor, notes: TunnelNotes): void {
  p.resetLayers();
  c.reset(p.start, p.end, p.linkType);
  let layer = LINK;
  for (let depth = 0; layer !== DONE; depth++) {
    if (depth === MAX_LAYERS) {
      p.problem = 'too many layers';
      return;
    }
    switch (layer) {
      case LINK:
        layer = link(p, c);
        break;
      case ETHERNET:
        layer = ethernet(p, c);
        break;
      case IP:
        layer = ip(p, c, notes);
        break;
      case ETHERTYPE:
        layer = etherType(p, c);
        break;
      case LLC:
        layer = llc(p, c);
        break;
      case PPP:
        layer = ppp(p, c);
        break;
      case CISCO_HDLC:
        layer = ciscoHdlc(p, c);
        break;
      case FRAME_RELAY:
        layer = frameRelay(p, c);
        break;
      case RADIOTAP:
        layer = radiotap(p, c);
        break;
      case WLAN:
        layer = wlan(p, c);
        break;
      case MPLS:
        layer = mpls(p, c);
        break;
      case PPPOE:
        layer = pppoe(p, c);
        break;
      case NLPID:
        layer = nlpid(p, c);
        break;
      case GRE:
        layer = gre(p, c);
        break;
      case VXLAN:
        layer = vxlan(c);
        break;
      case VXLAN_GPE:
        layer = vxlanGpe(p, c);
        break;
      case GENEVE:
        layer = geneve(p, c);
        break;
      case NSH:
        layer = nsh(p, c);
        break;
      case GTP:
        layer = gtp(p, c);
        break;
      default:
        return;
    }
  }
}

/**
 * The same for the link layers only: for callers that need just the circuit fields of the cursor. No later layer
 * leads back to a link.
 */
export function decodeLink(p: Packet, c: Cursor): void {
  p.resetLayers();
  c.reset(p.start, p.end, p.linkType);
  let layer = LINK;
  for (let depth = 0; depth < MAX_LAYERS; depth++) {
    if (layer === LINK) layer = link(p, c);
    else if (layer === FRAME_RELAY) layer = frameRelay(p, c);
    else return;
  }
}
