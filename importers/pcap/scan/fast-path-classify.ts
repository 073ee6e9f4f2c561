/**
 * Classifies frames of the most common form: TCP, UDP or ICMP in IP on a plain link, complete, without fragments
 * and tunnels; or frame relay without IP. A pass over many frames finds the positions of their headers.
 */
import { LINK_ONLY, NONE, findNetworks } from './plain-links.ts';
import type { FoundRecords } from '../formats/records.ts';
import { mayTunnel } from '../decode/udp-tunnels.ts';

const TCP = 6;
const UDP = 17;

export class ClassifiedFrames {
  /**
   * For each frame of the last call the start of IP; NONE for unclassified ones, LINK_ONLY minus their word for
   * those without IP.
   */
  readonly networks: Int32Array;
  /** Start of the transport header for each with IP, and its protocol. */
  readonly transports: Int32Array;
  readonly protocols: Uint8Array;
  /** For those with IPv4. */
  readonly sources: Uint32Array;
  readonly targets: Uint32Array;
  /** For TCP and UDP. */
  readonly sourcePorts: Uint16Array;
  readonly targetPorts: Uint16Array;
  /** For TCP. */
  readonly tcpFlags: Uint16Array;
  /** Flags for all frames, 1 or 0; first whether they have IP at all. */
  readonly hasIp: Uint8Array;
  readonly hasIp4: Uint8Array;
  readonly hasPorts: Uint8Array;
  readonly hasTcp: Uint8Array;
  /** Numbers of the frames with IP, ascending; so of those without, and of those that are left. */
  readonly plainRows: Int32Array;
  readonly linked: Int32Array;
  readonly left: Int32Array;
  /** Number of each. */
  owned = 0;
  /** Number of the first with IPv4. */
  owned4 = 0;
  links = 0;
  others = 0;
  private readonly icmpInside: boolean;

  /**
   * @param most frames at a time
   * @param icmpInside whether the content of ICMP headers is requested: such frames are left unclassified
   */
  constructor(most: number, icmpInside: boolean) {
    this.icmpInside = icmpInside;
    this.networks = new Int32Array(most);
    this.transports = new Int32Array(most);
    this.protocols = new Uint8Array(most);
    this.sources = new Uint32Array(most);
    this.targets = new Uint32Array(most);
    this.sourcePorts = new Uint16Array(most);
    this.targetPorts = new Uint16Array(most);
    this.tcpFlags = new Uint16Array(most);
    this.hasIp = new Uint8Array(most);
    this.hasIp4 = new Uint8Array(most);
    this.hasPorts = new Uint8Array(most);
    this.hasTcp = new Uint8Array(most);
    this.plainRows = new Int32Array(most);
    this.linked = new Int32Array(most);
    this.left = new Int32Array(most);
  }

  /**
   * Classifies the first `n` frames.
   * @param view of the same bytes, for reading numbers
   */
  take(
    linkType: number,
    bytes: Uint8Array,
    view: DataView,
    { frames, ends, wires }: FoundRecords,
    n: number,
  ): void {
    const { networks, left } = this;
    for (const has of [this.hasIp, this.hasIp4, this.hasPorts, this.hasTcp]) has.fill(0, 0, n);
    if (findNetworks(linkType, bytes, view, frames, ends, n, networks)) {
      this.sort(view, frames, ends, wires, n);
      this.leave(n);
      return;
    }
    networks.fill(NONE, 0, n);
    for (let i = 0; i < n; i++) left[i] = i;
    this.owned = 0;
    this.owned4 = 0;
    this.links = 0;
    this.others = n;
  }

  /**
   * Finds the frames with plain IP and the fields of their headers, and sets NONE for others. This is the only pass
   * that reads headers for columns.
   */
  private sort(
    view: DataView,
    frames: Int32Array,
    ends: Int32Array,
    wires: Float64Array,
    n: number,
  ): void {
    const { networks, transports, protocols, plainRows, icmpInside } = this;
    const { sources, targets, sourcePorts, targetPorts, tcpFlags } = this;
    const { hasIp, hasIp4, hasPorts, hasTcp } = this;
    let plain = 0;
    let plain4 = 0;
    for (let i = 0; i < n; i++) {
      const at = networks[i]!;
      if (at < 0) continue;
      const end = ends[i]!;
      // Bytes on the wire from here on.
      const wire = wires[i]! - (at - frames[i]!);
      networks[i] = NONE;
      const first = view.getUint8(at);
      let proto: number;
      let transport: number;
      let length: number;
      if (first >>> 4 === 4) {
        const size = (first & 15) * 4;
        transport = at + size;
        if (size < 20 || transport > end) continue;
        const total = view.getUint16(at + 2);
        if (total < size || total > wire || (view.getUint16(at + 6) & 0x3fff) !== 0) continue;
        proto = view.getUint8(at + 9);
        length = total - size;
      } else {
        if (first >>> 4 !== 6 || end - at < 40) continue;
        length = view.getUint16(at + 4);
        if (length === 0 || length + 40 > wire) continue;
        proto = view.getUint8(at + 6);
        transport = at + 40;
      }
      const captured = Math.min(end - transport, length);
      if (proto === TCP || proto === UDP) {
        if (captured < 8) continue;
        const ports = view.getUint32(transport);
        if (proto === TCP) {
          if (captured < 20) continue;
          const flags = view.getUint16(transport + 12);
          const size = (flags >>> 12) * 4;
          if (size < 20 || size > length) continue;
          tcpFlags[i] = flags & 0x1ff;
          hasTcp[i] = 1;
        } else if (mayTunnel(ports)) continue;
        sourcePorts[i] = ports >>> 16;
        targetPorts[i] = ports & 0xffff;
        hasPorts[i] = 1;
      } else if ((proto !== 1 && proto !== 58) || captured < 2 || icmpInside) continue;
      if (first >>> 4 === 4) {
        sources[i] = view.getUint32(at + 12);
        targets[i] = view.getUint32(at + 16);
        hasIp4[i] = 1;
        plain4 += 1;
      }
      hasIp[i] = 1;
      networks[i] = at;
      transports[i] = transport;
      protocols[i] = proto;
      plainRows[plain++] = i;
    }
    this.owned = plain;
    this.owned4 = plain4;
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
