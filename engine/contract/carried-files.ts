/** Files that connections of a capture carry, as they are taken out of it again. */

/** Where the bytes of one file go. */
export interface FileReceiver {
  /** Bytes in order, valid during the call only. */
  data(bytes: Uint8Array): void;
  /** Number of bytes that were not captured. */
  gap(size: number): void;
  /** @param seq of its event; undefined: it has none */
  end(seq: number | undefined): void;
}

export interface FileTaker {
  /**
   * Asked when the first byte of a file comes; undefined: its bytes are not wanted.
   * @param flow number of its flow in the capture
   */
  begin(flow: number, isFromClient: boolean): FileReceiver | undefined;
}
