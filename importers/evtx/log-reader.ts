/**
 * The layout of an event log: a header of 4 KiB, then chunks of 64 KiB, each with its own records, names and
 * templates, so that a chunk is readable whatever the state of previous ones is.
 *
 * Format: libevtx, "Windows XML Event Log (EVTX) format".
 *
 * Invariant: every record whose signature is found is passed to `record` or to `bad`, once, in order of position.
 */
import { crc32 } from 'node:zlib';

export const FILE_HEADER_BYTES = 4096;
export const CHUNK_BYTES = 65_536;
const CHUNK_HEADER_BYTES = 512;
const RECORD_HEADER_BYTES = 24;
const SIGNATURE = Buffer.from('ElfFile\0', 'latin1');
const CHUNK_SIGNATURE = Buffer.from('ElfChnk\0', 'latin1');
/** `**\0\0` */
const RECORD_SIGNATURE = 0x00002a2a;
/** Flags of the file's header. */
const DIRTY = 0x1;
const NO_CHECKSUMS = 0x8;

export function isEventLog(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.length).indexOf(SIGNATURE) === 0;
}

export interface RecordPlace {
  /** In the chunk, and in the content. */
  readonly start: number;
  readonly offset: number;
  /** Including header and trailing size. */
  readonly size: number;
}

export interface LogHandlers {
  /** Records after this are those of `chunk`. */
  chunk(chunk: Uint8Array): void;
  record(chunk: Uint8Array, place: RecordPlace): void;
  /** A record, or a piece of the content in which records are, that cannot be read. */
  bad(bytes: Uint8Array, offset: number, reason: string): void;
  /** A chunk whose bytes are not those that were written. */
  damaged(offset: number, reason: string): void;
  note(text: string): void;
}

export class LogReader {
  private readonly handlers: LogHandlers;
  private readonly chunk = new Uint8Array(CHUNK_BYTES);
  private filled = 0;
  /** Number of bytes taken, including those in `chunk`. */
  private taken = 0;
  private hasChecksums = true;
  private isDirty = false;

  constructor(handlers: LogHandlers) {
    this.handlers = handlers;
  }

  /** Takes the next bytes of the content. */
  take(block: Uint8Array): void {
    let at = 0;
    while (at < block.length) {
      const isHeader = this.taken < FILE_HEADER_BYTES;
      const want = isHeader ? FILE_HEADER_BYTES : CHUNK_BYTES;
      const part = block.subarray(at, at + want - this.filled);
      this.chunk.set(part, this.filled);
      this.filled += part.length;
      this.taken += part.length;
      at += part.length;
      if (this.filled < want) return;
      if (isHeader) this.header();
      else this.readChunk(CHUNK_BYTES);
      this.filled = 0;
    }
  }

  /** Ends the content. @returns whether it ends at the end of a chunk */
  end(): boolean {
    const { filled } = this;
    if (filled === 0) return true;
    if (this.taken < FILE_HEADER_BYTES || filled < CHUNK_HEADER_BYTES) {
      if (this.chunk.subarray(0, filled).some(Boolean))
        this.handlers.bad(this.chunk.slice(0, filled), this.taken - filled, 'ends within a header');
    } else {
      this.chunk.fill(0, filled);
      this.readChunk(filled);
    }
    this.filled = 0;
    return false;
  }

  private header(): void {
    const view = viewOf(this.chunk);
    if (!isEventLog(this.chunk)) this.handlers.note('the header of the log is damaged');
    else if (view.getUint32(124, true) !== crc32(this.chunk.subarray(0, 120)))
      this.handlers.note('the header of the log has a wrong checksum: the log was read anyway');
    const flags = view.getUint32(120, true);
    this.hasChecksums = (flags & NO_CHECKSUMS) === 0;
    this.isDirty = (flags & DIRTY) !== 0;
    if (this.isDirty)
      this.handlers.note('the log was not closed properly: its last records may be missing');
  }

  private readChunk(size: number): void {
    const { chunk, handlers } = this;
    const offset = this.taken - size;
    if (Buffer.compare(chunk.subarray(0, 8), CHUNK_SIGNATURE) !== 0) {
      if (!chunk.some(Boolean)) return;
      // Names and templates are found by their place in the chunk, which is known without its header.
      handlers.damaged(offset, `the chunk at ${offset} has no header`);
      this.records(size, size);
      return;
    }
    const view = viewOf(chunk);
    const free = view.getUint32(48, true);
    const isSane = free >= CHUNK_HEADER_BYTES && free <= size;
    if (this.hasChecksums) this.compareChecksums(offset, isSane ? free : size, size);
    this.records(isSane ? free : size, size);
  }

  /** A log copied while it was written may lack the checksums of its last chunk. */
  private compareChecksums(offset: number, free: number, size: number): void {
    const { chunk, handlers } = this;
    const view = viewOf(chunk);
    if (size < CHUNK_BYTES) return;
    const header = crc32(chunk.subarray(128, CHUNK_HEADER_BYTES), crc32(chunk.subarray(0, 120)));
    const isHeaderRight = header === view.getUint32(124, true);
    const isDataRight =
      crc32(chunk.subarray(CHUNK_HEADER_BYTES, free)) === view.getUint32(52, true);
    if (isHeaderRight && isDataRight) return;
    const which = isDataRight ? 'header' : isHeaderRight ? 'records' : 'header and records';
    handlers.damaged(offset, `the chunk at ${offset} fails the checksum of its ${which}`);
  }

  /** Records up to `free`; after an invalid one, the next signature is searched. */
  private records(free: number, size: number): void {
    const { chunk, handlers } = this;
    const view = viewOf(chunk);
    const base = this.taken - size;
    handlers.chunk(chunk);
    let start = CHUNK_HEADER_BYTES;
    let lost = -1;
    const give = (end: number): void => {
      if (lost >= 0 && chunk.subarray(lost, end).some(Boolean))
        handlers.bad(chunk.slice(lost, end), base + lost, 'no record begins here');
      lost = -1;
    };
    while (start + RECORD_HEADER_BYTES <= free) {
      if (view.getUint32(start, true) !== RECORD_SIGNATURE) {
        if (lost < 0) lost = start;
        start = nextSignature(chunk, start + 1, free);
        continue;
      }
      const length = view.getUint32(start + 4, true);
      const end = start + length;
      // The data after a record also shows where it ends, if its own last bytes are damaged.
      const isWhole =
        length > RECORD_HEADER_BYTES + 4 &&
        end <= free &&
        (view.getUint32(end - 4, true) === length ||
          end === free ||
          (end + 4 <= free && view.getUint32(end, true) === RECORD_SIGNATURE));
      if (!isWhole) {
        give(start);
        const next = nextSignature(chunk, start + 4, free);
        const reason =
          start + length > size
            ? 'the record ends after its chunk'
            : 'the sizes at the two ends of the record differ';
        handlers.bad(chunk.slice(start, next), base + start, reason);
        start = next;
        continue;
      }
      give(start);
      handlers.record(chunk, { start, offset: base + start, size: length });
      start += length;
    }
    if (lost >= 0) give(Math.min(start, free));
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Where the next record may begin: `end` if nowhere. Records begin at multiples of four or anywhere. */
function nextSignature(chunk: Uint8Array, from: number, end: number): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, end);
  const at = bytes.indexOf('**\0\0', from, 'latin1');
  return at < 0 ? end : at;
}
