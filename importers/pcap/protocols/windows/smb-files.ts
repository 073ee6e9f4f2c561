/**
 * Files that are read and written over SMB, by the number of the open file. Early parts are buffered, up to a
 * limit.
 */
import { CarriedFile } from '../files/carried-file.ts';
import { beginsRpc } from './dce-rpc.ts';
import type { Endpoints, MessageSink, ProtocolMessage, Stamp } from '../messages.ts';

const MAX_FILES = 256;
/** Limit of early parts of one file. */
const MAX_EARLY_BYTES = 4 << 20;

export interface FileNames {
  readonly path: string;
  /** Its size when it was opened, or since it was written. */
  size: number | undefined;
  /** Whether those are its old ones: it was neither made nor emptied. */
  readonly isOld: boolean;
  readonly columns: ProtocolMessage['columns'];
  /** The type of its share is unknown: a DCE/RPC message is not a file. */
  readonly mayBePipe: boolean;
}

/** One direction of an open file. */
class Transfer {
  next = 0;
  earlyBytes = 0;
  /** The end of the last part sent. */
  extent = 0;
  /** Whether parts may have been sent that are not known of. */
  mayLack = false;
  readonly file: CarriedFile;
  names: FileNames;
  private readonly early: { offset: number; bytes: Uint8Array }[] = [];

  constructor(file: CarriedFile, names: FileNames) {
    this.file = file;
    this.names = names;
  }

  add(offset: number, part: Uint8Array): void {
    const skip = this.next - offset;
    if (skip >= part.length) return;
    if (skip >= 0) {
      this.file.add(part.subarray(skip));
      this.next = offset + part.length;
      this.drain();
      return;
    }
    let at = this.early.length;
    while (at > 0 && this.early[at - 1]!.offset > offset) at -= 1;
    this.early.splice(at, 0, { offset, bytes: Uint8Array.from(part) });
    this.earlyBytes += part.length;
    if (this.earlyBytes > MAX_EARLY_BYTES) this.skipToFirst();
  }

  private drain(): void {
    for (let first = this.early[0]; first !== undefined && first.offset <= this.next;) {
      this.early.shift();
      this.earlyBytes -= first.bytes.length;
      const skip = this.next - first.offset;
      if (skip < first.bytes.length) {
        this.file.add(first.bytes.subarray(skip));
        this.next = first.offset + first.bytes.length;
      }
      first = this.early[0];
    }
  }

  private skipToFirst(): void {
    const first = this.early[0]!;
    this.file.skip(first.offset - this.next);
    this.next = first.offset;
    this.drain();
  }

  end(isClosed: boolean, isFromClient: boolean): void {
    while (this.early.length > 0) this.skipToFirst();
    const { path, size, columns, isOld } = this.names;
    const total = isFromClient ? undefined : size;
    // For a partly written file the rest is unknown.
    const least = Math.max(this.extent, isFromClient && isOld ? (size ?? 0) : 0);
    const isEnded = isClosed && !this.mayLack;
    this.file.end({
      ...{ service: 'smb', name: path, total, columns },
      isWhole: (total === undefined ? isEnded : this.next >= total) && this.next >= least,
    });
  }
}

export class SmbFiles {
  private readonly ends: Endpoints;
  private readonly sink: MessageSink;
  private readonly open = new Map<string, Transfer>();

  constructor(ends: Endpoints, sink: MessageSink) {
    this.ends = ends;
    this.sink = sink;
  }

  get heldBytes(): number {
    let held = 0;
    for (const { file, earlyBytes } of this.open.values()) held += file.heldBytes + earlyBytes;
    return held;
  }

  /**
   * Bytes of a file from `offset` on.
   * @param extent end of the part that contains them
   */
  add(
    id: string,
    isFromClient: boolean,
    names: FileNames,
    offset: number,
    part: Uint8Array,
    extent: number,
    at: Stamp,
  ): void {
    const key = `${isFromClient ? 'w' : 'r'}${id}`;
    let transfer = this.open.get(key);
    if (transfer === undefined) {
      if (names.mayBePipe && beginsRpc(part)) return;
      if (this.open.size >= MAX_FILES) this.endOldest();
      transfer = new Transfer(new CarriedFile(this.ends, this.sink, at, isFromClient), names);
      this.open.set(key, transfer);
    }
    transfer.extent = Math.max(transfer.extent, extent);
    transfer.add(offset, part);
  }

  /** Messages of a side are missing: they may contain parts of files, or requests that state their offsets. */
  lose(isFromClient: boolean): void {
    for (const [key, transfer] of this.open)
      if (isFromClient || key.startsWith('r')) transfer.mayLack = true;
  }

  close(id: string): void {
    this.end(`w${id}`, true);
    this.end(`r${id}`, true);
  }

  /** Its parts may be incomplete. */
  leave(id: string): void {
    this.end(`w${id}`, false);
    this.end(`r${id}`, false);
  }

  /** The number of a file has become known, and with it the server's information on the file. */
  rename(from: string, to: string, names: FileNames): void {
    for (const direction of ['w', 'r']) {
      const transfer = this.open.get(direction + from);
      if (transfer === undefined) continue;
      this.open.delete(direction + from);
      this.open.set(direction + to, transfer);
      if (direction === 'w') names.size = Math.max(names.size ?? 0, transfer.extent);
      transfer.names = names;
    }
  }

  finish(): void {
    for (const key of [...this.open.keys()]) this.end(key, false);
  }

  private endOldest(): void {
    for (const key of this.open.keys()) {
      this.end(key, false);
      return;
    }
  }

  private end(key: string, isClosed: boolean): void {
    const transfer = this.open.get(key);
    this.open.delete(key);
    transfer?.end(isClosed, key.startsWith('w'));
  }
}
