/**
 * Texts for the outer layers of tunnelled packets (`gre 10.0.0.1>10.0.0.2`), cached, since millions of packets
 * share the few tunnels.
 */
import { TUNNEL_KINDS } from './layers.ts';
import type { Packet } from './packet.ts';

const SLOTS = 1024;

/** An IPv6 address in the form of RFC 5952. */
export function ip6Text(bytes: Uint8Array, at: number): string {
  const groups: number[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((bytes[at + i]! << 8) | bytes[at + i + 1]!);
  let bestStart = -1;
  let bestLength = 1;
  for (let i = 0; i < 8; i++) {
    let n = 0;
    while (i + n < 8 && groups[i + n] === 0) n++;
    if (n > bestLength) {
      bestStart = i;
      bestLength = n;
    }
  }
  const hex = (part: number[]) => part.map((group) => group.toString(16)).join(':');
  if (bestStart < 0) return hex(groups);
  return `${hex(groups.slice(0, bestStart))}::${hex(groups.slice(bestStart + bestLength))}`;
}

export function ip4Text(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

export class TunnelNotes {
  private readonly kinds = new Uint8Array(SLOTS);
  private readonly versions = new Uint8Array(SLOTS);
  /** IPv4: the two addresses. IPv6: both addresses as eight words, the first two here too. */
  private readonly words = new Uint32Array(SLOTS * 8);
  private readonly prefixes: string[] = new Array<string>(SLOTS).fill('');
  private readonly texts: string[] = new Array<string>(SLOTS).fill('');
  private readonly key = new Uint32Array(8);

  /** The new `p.tunnel` if the IP layer in `p` turns out to be an outer one. */
  note(p: Packet, kind: number): string {
    const key = this.key;
    const count = p.ipVersion === 4 ? 2 : 8;
    if (p.ipVersion === 4) {
      key[0] = p.src4;
      key[1] = p.dst4;
    } else {
      // Source and destination are adjacent in the IPv6 header.
      const at = p.src6;
      for (let i = 0; i < 8; i++) {
        const b = at + i * 4;
        key[i] =
          (p.bytes[b]! << 24) | (p.bytes[b + 1]! << 16) | (p.bytes[b + 2]! << 8) | p.bytes[b + 3]!;
      }
    }
    let hash = kind;
    for (let i = 0; i < count; i++) hash = Math.imul(hash ^ key[i]!, 0x9e3779b1) ^ (hash >>> 15);
    const slot = (hash ^ (hash >>> 10) ^ (hash >>> 20)) & (SLOTS - 1);
    const words = this.words;
    let same =
      this.versions[slot] === p.ipVersion &&
      this.kinds[slot] === kind &&
      this.prefixes[slot] === p.tunnel;
    for (let i = 0; same && i < count; i++) same = words[slot * 8 + i] === key[i];
    if (same) return this.texts[slot]!;
    this.versions[slot] = p.ipVersion;
    this.kinds[slot] = kind;
    this.prefixes[slot] = p.tunnel;
    for (let i = 0; i < count; i++) words[slot * 8 + i] = key[i]!;
    const from = p.ipVersion === 4 ? ip4Text(p.src4) : ip6Text(p.bytes, p.src6);
    const to = p.ipVersion === 4 ? ip4Text(p.dst4) : ip6Text(p.bytes, p.dst6);
    const innermost = `${TUNNEL_KINDS[kind]} ${from}>${to}`;
    const text = p.tunnel === '' ? innermost : `${p.tunnel}, ${innermost}`;
    this.texts[slot] = text;
    return text;
  }
}
