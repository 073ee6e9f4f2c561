/** TFTP (RFC 1350, RFC 2347 to 2349): a file that is read or written, block by block. */
import { u16 } from '../../bytes.ts';
import { CarriedFile } from './carried-file.ts';
import { type Endpoints, type MessageSink, type Stamp, textOf } from '../messages.ts';

export const TFTP_PORT = 69;
const [READ, WRITE, DATA, ERROR, OPTIONS] = [1, 2, 3, 5, 6];
const BLOCK_BYTES = 512;
const MAX_REQUEST_BYTES = 1024;

export class TftpTransfer {
  isDone = false;
  private readonly name: string;
  private readonly isUpload: boolean;
  private file: CarriedFile | undefined;
  private blockBytes = BLOCK_BYTES;
  /** Whether blocks may be shorter than known: the answer to the request for that was not captured. */
  private mayBeShorter: boolean;
  private total: number | undefined;
  /** Number of the next block, as a 16-bit count. */
  private next = 1;

  private constructor(name: string, isUpload: boolean, options: ReadonlyMap<string, string>) {
    this.name = name;
    this.isUpload = isUpload;
    if (isUpload) this.total = numberOf(options.get('tsize'));
    this.mayBeShorter = (numberOf(options.get('blksize')) ?? BLOCK_BYTES) < BLOCK_BYTES;
  }

  /** Undefined if it is not a request. */
  static of(bytes: Uint8Array, start: number, end: number): TftpTransfer | undefined {
    if (end - start < 6 || end - start > MAX_REQUEST_BYTES) return undefined;
    const code = u16(bytes, start);
    if (code !== READ && code !== WRITE) return undefined;
    const [name = '', mode = '', ...options] = textOf(bytes, start + 2, end).split('\0');
    if (name === '' || !/^(?:octet|netascii|mail)$/i.test(mode)) return undefined;
    return new TftpTransfer(name, code === WRITE, pairs(options));
  }

  /**
   * A datagram of either side, except the request.
   * @param cut number of its bytes that were not captured
   */
  take(
    ends: Endpoints,
    sink: MessageSink,
    at: Stamp,
    bytes: Uint8Array,
    start: number,
    end: number,
    cut: number,
    isFromClient: boolean,
  ): void {
    if (end - start < 4 || this.isDone) return;
    const code = u16(bytes, start);
    if (code === ERROR) this.close(false);
    else if (code === OPTIONS) {
      const options = pairs(textOf(bytes, start + 2, end).split('\0'));
      this.blockBytes = numberOf(options.get('blksize')) ?? BLOCK_BYTES;
      this.mayBeShorter = false;
      this.total ??= numberOf(options.get('tsize'));
    } else if (code === DATA && isFromClient === this.isUpload) {
      const ahead = (u16(bytes, start + 2) - this.next) & 0xffff;
      // A block is repeated if its acknowledgement was lost.
      if (ahead >= 0x8000) return;
      this.file ??= new CarriedFile(ends, sink, at, this.isUpload);
      if (ahead > 0) this.file.skip(ahead * this.blockBytes);
      const part = bytes.subarray(start + 4, end);
      if (part.length > 0) this.file.add(part);
      if (cut > 0) this.file.skip(cut);
      this.next = (this.next + ahead + 1) & 0xffff;
      if (part.length + cut < this.blockBytes) this.close(!this.mayBeShorter);
    }
  }

  finish(): void {
    this.close(false);
  }

  private close(isWhole: boolean): void {
    this.isDone = true;
    const { name, total } = this;
    this.file?.end({ service: 'tftp', name, isWhole, total });
    this.file = undefined;
  }
}

function pairs(texts: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i + 1 < texts.length; i += 2) found.set(texts[i]!.toLowerCase(), texts[i + 1]!);
  return found;
}

function numberOf(text: string | undefined): number | undefined {
  const number = /^\d{1,12}$/.test(text ?? '') ? Number(text) : 0;
  return number > 0 ? number : undefined;
}
