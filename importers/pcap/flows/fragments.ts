/**
 * Finds the flow of a datagram's later fragments, which carry no ports. A table of fixed size: a new datagram
 * replaces an old one, whose fragments then belong to no flow.
 */
import type { Packet } from '../decode/packet.ts';

const ENTRIES = 4096;
/** How long a host waits for the rest of a datagram (RFC 8200 4.5), in microseconds. */
const PATIENCE = 60_000_000;

export class FragmentTable {
  /** Slot of the datagram that was looked up or stored last. */
  slot = 0;
  side = 0;
  number = 0;

  private readonly check = new Uint32Array(ENTRIES);
  private readonly slots = new Uint32Array(ENTRIES);
  private readonly numbers = new Uint32Array(ENTRIES);
  private readonly sides = new Uint8Array(ENTRIES);
  private readonly times = new Float64Array(ENTRIES);
  private secondHash = 0;

  /** Remembers the flow of a first fragment. */
  store(p: Packet, time: number, slot: number, side: number, number: number): void {
    const at = this.hash(p) & (ENTRIES - 1);
    this.check[at] = this.secondHash;
    this.slots[at] = slot;
    this.sides[at] = side;
    this.numbers[at] = number;
    this.times[at] = time;
  }

  /** @returns whether the datagram is known: then `slot`, `side` and `number` identify its flow */
  find(p: Packet, time: number): boolean {
    const at = this.hash(p) & (ENTRIES - 1);
    if (this.slots[at] === 0 || this.check[at] !== this.secondHash) return false;
    if (time - this.times[at]! > PATIENCE) return false;
    this.slot = this.slots[at]!;
    this.side = this.sides[at]!;
    this.number = this.numbers[at]!;
    return true;
  }

  private hash(p: Packet): number {
    // Not random: which datagrams replace each other affects the result.
    let a = p.fragmentId;
    let b = Math.imul(p.proto + 1, 0x9e3779b1) ^ (p.vlan + 1);
    if (p.ipVersion === 4) {
      a = mix(a, p.src4);
      a = mix(a, p.dst4);
      b = mix(b, p.dst4);
      b = mix(b, p.src4);
    } else {
      for (let i = 0; i < 16; i++) {
        a = mix(a, (p.bytes[p.src6 + i]! << 8) | p.bytes[p.dst6 + i]!);
        b = mix(b, (p.bytes[p.dst6 + i]! << 8) | p.bytes[p.src6 + i]!);
      }
    }
    this.secondHash = mix(b, p.fragmentId) >>> 0;
    return a ^ (a >>> 15);
  }
}

/** Murmur3's finaliser between words. */
function mix(hash: number, value: number): number {
  let h = Math.imul(hash ^ value, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
