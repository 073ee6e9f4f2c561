/** Files that the connections of a capture carry, as they are extracted. */

/** Receives the bytes of one file. */
export interface FileReceiver {
  /** Bytes in order, valid during the call only. */
  data(bytes: Uint8Array): void;
  /** Number of bytes that were not captured. */
  gap(size: number): void;
  /** @param seq of the file's event; undefined: it has none */
  end(seq: number | undefined): void;
}

export interface FileTaker {
  /**
   * Called at the first byte of a file; returns undefined if its bytes are not wanted.
   * @param flow number of the file's flow in the capture
   */
  begin(flow: number, isFromClient: boolean): FileReceiver | undefined;
}
