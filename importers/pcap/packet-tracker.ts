/** What follows packets, one by one or many at a time. */
import type { Packet } from './packet.ts';
import type { FoundRecords } from './records.ts';
import type { SortedFrames } from './fast-path-classify.ts';

/** Frames of one link, found and sorted. */
export interface PlainRun {
  /** Of the bytes of the packets. */
  readonly view: DataView;
  readonly found: FoundRecords;
  readonly sorted: SortedFrames;
}

/** What frames of a run say, once the flow of each is known. */
export interface PlainFollower {
  /** @param i its place in the run */
  follow(p: Packet, run: PlainRun, i: number, flow: number): void;
}

/** Follows packets into flows: `flows/index.ts`. */
export interface PacketTracker {
  /** @returns the number of the flow the packet belongs to, from 1; 0 for none */
  packet(p: Packet): number;
  /**
   * The same for several frames that were found to be TCP or UDP in plain IP, those from `from` up to `to`; for who
   * need not have each as a packet.
   * @param p has the bytes and the digits of all; the rest of it may be written over
   * @param out gets the number of the flow of each, at its place in the run
   */
  plain?(p: Packet, run: PlainRun, from: number, to: number, out: Uint32Array): void;
  finish(): void;
}
