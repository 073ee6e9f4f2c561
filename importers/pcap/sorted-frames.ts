/**
 * Which frames are what nearly all frames are: TCP, UDP or ICMP in IP in a plain link, whole, no fragment and
 * no tunnel; or frame relay that carries no IP. A pass over many frames finds where their headers are.
 */
import { LINK_ONLY, NONE, findNetworks } from './plain-links.ts';
import type { FoundRecords } from './records.ts';

const TCP = 6;
const UDP = 17;

export class SortedFrames {
  /**
   * Of each frame of the last call where IP begins in it; NONE of those that are left, LINK_ONLY minus
   * their word of those without IP.
   */
  readonly networks: Int32Array;
  /** Where the transport header of each with IP begins, and which protocol it is of. */
  readonly transports: Int32Array;
  readonly protocols: Uint8Array;
  /** Numbers of the frames with IP, ascending; so of those without, and of those that are left. */
  readonly own: Int32Array;
  readonly linked: Int32Array;
  readonly left: Int32Array;
  /** How many of each. */
  owned = 0;
  links = 0;
  others = 0;
  private readonly icmpInside: boolean;

  /**
   * @param most frames at a time
   * @param icmpInside what is in a header of ICMP is wanted: such frames are left
   */
  constructor(most: number, icmpInside: boolean) {
    this.icmpInside = icmpInside;
    this.networks = new Int32Array(most);
    this.transports = new Int32Array(most);
    this.protocols = new Uint8Array(most);
    this.own = new Int32Array(most);
    this.linked = new Int32Array(most);
    this.left = new Int32Array(most);
  }

  /**
   * Sorts the first `n` frames.
   * @param view of the same bytes: it reads numbers at once
   */
  take(
    linkType: number,
    bytes: Uint8Array,
    view: DataView,
    { frames, ends, wires }: FoundRecords,
    n: number,
  ): void {
    const { networks, left } = this;
    if (findNetworks(linkType, bytes, view, frames, ends, n, networks)) {
      this.sort(view, frames, ends, wires, n);
      this.leave(n);
      return;
    }
    networks.fill(NONE, 0, n);
    for (let i = 0; i < n; i++) left[i] = i;
    this.owned = 0;
    this.links = 0;
    this.others = n;
  }

  /**
   * Finds the frames with plain IP, where their transport headers begin, and puts NONE where a frame
   * turns out to be another.
   */
  private sort(
    view: DataView,
    frames: Int32Array,
    ends: Int32Array,
    wires: Float64Array,
    n: number,
  ): void {
    const { networks, transports, protocols, own, icmpInside } = this;
    let plain = 0;
    for (let i = 0; i < n; i++) {
      const at = networks[i]!;
      if (at < 0) continue;
      const end = ends[i]!;
      // Bytes on the wire from here on.
      const wire = wires[i]! - (at - frames[i]!);
      networks[i] = NONE;
      const first = view.getUint8(at);
      let proto: number;
      let behind: number;
      let length: number;
      if (first >>> 4 === 4) {
        const size = (first & 15) * 4;
        behind = at + size;
        if (size < 20 || behind > end) continue;
        const total = view.getUint16(at + 2);
        if (total < size || total > wire || (view.getUint16(at + 6) & 0x3fff) !== 0) continue;
        proto = view.getUint8(at + 9);
        length = total - size;
      } else {
        if (first >>> 4 !== 6 || end - at < 40) continue;
        length = view.getUint16(at + 4);
        if (length === 0 || length + 40 > wire) continue;
        proto = view.getUint8(at + 6);
        behind = at + 40;
      }
      const captured = Math.min(end - behind, length);
      if (proto === TCP) {
        if (captured < 20) continue;
        const size = (view.getUint8(behind + 12) >>> 4) * 4;
        if (size < 20 || size > length) continue;
      } else if (proto === UDP) {
        if (captured < 8 || mayTunnel(view.getUint32(behind))) continue;
      } else if ((proto !== 1 && proto !== 58) || captured < 2 || icmpInside) continue;
      networks[i] = at;
      transports[i] = behind;
      protocols[i] = proto;
      own[plain++] = i;
    }
    this.owned = plain;
  }

  /** Sorts the frames that are not plain IP. */
  private leave(n: number): void {
    const { networks, left, linked } = this;
    let others = 0;
    let links = 0;
    for (let i = 0; i < n; i++) {
      const at = networks[i]!;
      if (at === NONE) left[others++] = i;
      else if (at <= LINK_ONLY) linked[links++] = i;
    }
    this.others = others;
    this.links = links;
  }
}

/** Ports, the source's first, behind which network.ts looks for tunnels. */
function mayTunnel(ports: number): boolean {
  switch (ports & 0xffff) {
    case 4789:
    case 8472:
    case 4790:
    case 6081:
    case 6635:
    case 2152:
      return true;
    default:
      return ports >>> 16 === 2152;
  }
}
