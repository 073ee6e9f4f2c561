/**
 * Reassembles handshake bytes that arrive in pieces, in any order and repeatedly, over datagrams (QUIC, DTLS).
 *
 * Invariant: they are bounded in size and number, and joined only once they are complete.
 */
export const MAX_HANDSHAKE_BYTES = 65_536;
/** Approximate overhead of a piece. */
const PIECE_BYTES = 256;

export class HandshakePieces {
  private readonly pieces: { readonly at: number; readonly bytes: Buffer }[] = [];
  private readonly most: number;
  /** Bytes of the pieces, which may overlap. */
  private sum = 0;

  /** @param most maximum number of pieces */
  constructor(most: number) {
    this.most = most;
  }

  /** Allocated bytes. */
  get heldBytes(): number {
    return this.sum + PIECE_BYTES * this.pieces.length;
  }

  /** @returns whether the piece adds anything new, and there is room for it */
  add(at: number, bytes: Uint8Array): boolean {
    const { pieces } = this;
    const end = at + bytes.length;
    if (bytes.length === 0 || end > MAX_HANDSHAKE_BYTES || pieces.length >= this.most) return false;
    if (pieces.some((one) => one.at <= at && end <= one.at + one.bytes.length)) return false;
    pieces.push({ at, bytes: Buffer.from(bytes) });
    this.sum += bytes.length;
    return true;
  }

  /** The first `size` bytes, once all of them are there. */
  first(size: number): Buffer | undefined {
    if (this.sum < size) return undefined;
    const parts: Buffer[] = [];
    let next = 0;
    for (const { at, bytes } of this.pieces.toSorted((a, b) => a.at - b.at)) {
      if (at > next || next >= size) break;
      if (at + bytes.length <= next) continue;
      parts.push(bytes.subarray(next - at));
      next = at + bytes.length;
    }
    return next < size ? undefined : Buffer.concat(parts, size);
  }
}
