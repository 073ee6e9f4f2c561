import type { Packet } from '../decode/packet.ts';

/** Follows packets into flows: `flows/index.ts`. */
export interface PacketTracker {
  /** @returns the number of the packet's flow, from 1; 0 for none */
  packet(p: Packet): number;
  finish(): void;
}
