/**
 * A connection of messages that state their lengths. Where bytes are missing, reading continues with the next
 * segment that begins with a message.
 *
 * Invariant: only the current message is buffered, which its protocol bounds.
 */
import { HeldBytes } from './held-bytes.ts';
import type { Stamp, StreamParser } from '../messages.ts';

class Side {
  readonly held = new HeldBytes();
  /** Bytes of a message that are left to pass over. */
  skip = 0;
  /** Whether the start of the next message is unknown. */
  isLost = false;
  hadGap = false;
}

export abstract class FramedStream implements StreamParser {
  abstract readonly service: string;
  isDone = false;
  private readonly sides = [new Side(), new Side()] as const;

  get heldBytes(): number {
    return this.sides[0].held.capacity + this.sides[1].held.capacity + this.waitingBytes();
  }

  /** Bytes of memory that requests without an answer take. */
  protected waitingBytes(): number {
    return 0;
  }

  /** Bytes of a side that were fed and are not read. */
  protected unreadOf(isClient: boolean): number {
    return this.side(isClient).held.length;
  }

  /**
   * Reads the message at the start of `bytes`.
   * @returns its size, which may exceed that of `bytes`: the rest is skipped; 0: more bytes are needed; undefined:
   * it
   *   is not a message
   */
  protected abstract read(bytes: Uint8Array, isClient: boolean, at: Stamp): number | undefined;

  /** Whether a segment begins with a message of its side. */
  protected abstract begins(
    bytes: Uint8Array,
    start: number,
    end: number,
    isClient: boolean,
  ): boolean;

  /** Called if messages of a side may be missing. */
  protected lost(_isClient: boolean): void {
    // Nothing waits for them.
  }

  private side(isClient: boolean): Side {
    return this.sides[isClient ? 0 : 1];
  }

  data(isClient: boolean, bytes: Uint8Array, start: number, end: number, at: Stamp): void {
    const side = this.side(isClient);
    const { held } = side;
    const skipped = Math.min(side.skip, end - start);
    side.skip -= skipped;
    const from = start + skipped;
    if (from === end) return;
    if (side.isLost && !this.begins(bytes, from, end, isClient)) return;
    side.isLost = false;
    held.append(bytes.subarray(from, end));
    while (held.length > 0 && !this.isDone) {
      const size = this.read(held.bytes, isClient, at);
      if (size === 0) return;
      if (size === undefined) {
        held.clear();
        // After a gap a segment may only look like a message.
        if (side.hadGap) side.isLost = true;
        else this.isDone = true;
        return;
      }
      side.skip = Math.max(0, size - held.length);
      held.drop(size);
    }
  }

  gap(isClient: boolean, size: number): void {
    const side = this.side(isClient);
    if (side.held.length === 0 && size <= side.skip) {
      side.skip -= size;
      return;
    }
    side.held.clear();
    side.skip = 0;
    side.isLost = true;
    side.hadGap = true;
    this.lost(isClient);
  }

  end(): void {
    // The other side may still answer.
  }

  abstract finish(): void;
}
