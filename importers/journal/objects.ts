/**
 * Finds the objects of a binary journal in blocks of its content.
 *
 * Invariants: every byte that is neither in an object nor zero is passed to `bad`; after damage, objects are found
 * again by their content; memory is bounded by the largest buffered object.
 */
import { dataHash } from './hashes.ts';
import {
  dataHead,
  fixedBytes,
  type JournalHeader,
  headerOf,
  isSound,
  MAX_HEADER_BYTES,
  MIN_HEADER_BYTES,
  OBJECT_HEADER_BYTES,
  objectAt,
  type ObjectHeader,
  TYPE,
} from './layout.ts';

/** A larger object is not buffered. */
const MAX_OBJECT_BYTES = 16 << 20;
/** Limit of invalid bytes in one piece. */
const MAX_PIECE_BYTES = 64 << 10;

export interface ObjectHandlers {
  header(header: JournalHeader): void;
  /**
   * @param bytes valid until it is done
   * @param isIntact whether its payload has the hash that is stated, as far as that is known without decompressing it
   */
  object(
    object: ObjectHeader,
    bytes: Buffer,
    offset: number,
    isIntact: boolean,
  ): Promise<void> | undefined;
  /** An object that is too large to be buffered. */
  large(object: ObjectHeader, offset: number): void;
  /** An object ends before its stated size: another one is found in it. */
  wrongSize(): void;
  /** Bytes that belong to no object. */
  bad(bytes: Buffer, offset: number): void;
}

export class ObjectReader {
  private readonly handlers: ObjectHandlers;
  private header: JournalHeader | undefined;
  private held: Buffer = Buffer.alloc(0);
  /** Start of the next object in `held`, and of `held` in the content. */
  private at = 0;
  private base = 0;
  /**
   * End of a large object in the content by its size; objects are searched in it all the same, since that may be
   * wrong.
   */
  private largeEnd = 0;
  /** Start of invalid bytes in `held`; -1: there are none. */
  private lost = -1;

  constructor(handlers: ObjectHandlers) {
    this.handlers = handlers;
  }

  async take(block: Uint8Array): Promise<void> {
    const kept = this.lost >= 0 ? this.lost : this.at;
    this.held = Buffer.concat([this.held.subarray(kept), block]);
    this.at -= kept;
    if (this.lost >= 0) this.lost = 0;
    this.base += kept;
    await this.read(false);
  }

  /** Ends the content. @returns whether it ends where the journal does */
  async end(): Promise<boolean> {
    await this.read(true);
    const { header, held } = this;
    this.lose(this.at, held.length);
    this.giveLost(held.length);
    const size = this.base + held.length;
    return header !== undefined && size >= header.fileSize && size >= this.largeEnd;
  }

  private async read(isEnd: boolean): Promise<void> {
    if (this.header === undefined && !this.readHeader(isEnd)) return;
    for (;;) {
      const { held } = this;
      if (held.length - this.at < OBJECT_HEADER_BYTES) return;
      const object = objectAt(held, this.at, this.base + this.at, this.header!);
      if (object !== undefined && object.size > MAX_OBJECT_BYTES) {
        this.giveLost(this.at);
        this.handlers.large(object, this.base + this.at);
        this.largeEnd = this.base + this.at + padded(object.size);
        this.at += 8;
        continue;
      }
      if (object === undefined) {
        this.leave(this.at + 8);
        continue;
      }
      const end = this.at + padded(object.size);
      if (!isEnd && end + OBJECT_HEADER_BYTES > held.length) return;
      if (!this.isObject(this.at, object)) {
        this.leave(this.at + 8);
        continue;
      }
      const isIntact = this.hasStatedHash(object);
      const isCertain = isIntact && this.isFollowed(end);
      const inner = isCertain ? undefined : this.objectWithin(this.at + 8, end);
      if (inner !== undefined) {
        this.leave(inner);
        continue;
      }
      this.giveLost(this.at);
      const { at } = this;
      if (this.base + at < this.largeEnd) this.handlers.wrongSize();
      this.largeEnd = 0;
      this.at = Math.min(end, held.length);
      const pending = this.handlers.object(
        object,
        held.subarray(at, at + object.size),
        this.base + at,
        isIntact,
      );
      if (pending !== undefined) await pending;
    }
  }

  private readHeader(isEnd: boolean): boolean {
    const { held } = this;
    if (held.length < (isEnd ? MIN_HEADER_BYTES : MAX_HEADER_BYTES)) return false;
    this.header = headerOf(held);
    this.at = Math.min(this.header.size, held.length);
    this.handlers.header(this.header);
    return true;
  }

  private isObject(at: number, object: ObjectHeader): boolean {
    const { held, header } = this;
    if (at + object.size > held.length) return false;
    const bytes = held.subarray(at, at + object.size);
    return isSound(bytes, this.base + at, object, header!.isCompact);
  }

  /** Whether an object may begin there, or the content or its written part ends. */
  private isFollowed(at: number): boolean {
    const { held } = this;
    if (at + OBJECT_HEADER_BYTES > held.length) return true;
    if (isZero(held, at, at + OBJECT_HEADER_BYTES)) return true;
    return objectAt(held, at, this.base + at, this.header!) !== undefined;
  }

  /** For a compressed payload, that is unknown here. */
  private hasStatedHash({ type, flags, size }: ObjectHeader): boolean {
    if (type !== TYPE.data || flags !== 0) return true;
    const { held, at, header } = this;
    const bytes = held.subarray(at, at + size);
    const payload = bytes.subarray(fixedBytes(type, header!.isCompact));
    return dataHead(bytes).hash === dataHash(payload, header!);
  }

  /** The first object within another's claimed size: that size is wrong. */
  private objectWithin(from: number, end: number): number | undefined {
    for (let at = from; at + OBJECT_HEADER_BYTES <= end; at += 8) {
      const object = objectAt(this.held, at, this.base + at, this.header!);
      if (object === undefined || !this.isObject(at, object)) continue;
      if (this.isFollowed(at + padded(object.size))) return at;
    }
    return undefined;
  }

  /** Continues at `to`: the bytes before it are invalid. */
  private leave(to: number): void {
    this.lose(this.at, Math.min(to, this.held.length));
    this.at = Math.min(to, this.held.length);
  }

  /** Zeros after invalid bytes may belong to them. */
  private lose(from: number, to: number): void {
    const isKnown = this.base + from < this.largeEnd;
    if (isKnown || (this.lost < 0 && isZero(this.held, from, to))) {
      this.giveLost(from);
      return;
    }
    if (this.lost < 0) this.lost = from;
    if (to - this.lost >= MAX_PIECE_BYTES) this.giveLost(to);
  }

  private giveLost(to: number): void {
    const { held, lost } = this;
    if (lost < 0) return;
    this.lost = -1;
    let end = to;
    while (end > lost && held[end - 1] === 0) end -= 1;
    for (let at = lost; at < end; at += MAX_PIECE_BYTES) {
      const piece = held.subarray(at, Math.min(end, at + MAX_PIECE_BYTES));
      this.handlers.bad(Buffer.from(piece), this.base + at);
    }
  }
}

function padded(size: number): number {
  return size + ((8 - (size % 8)) % 8);
}

function isZero(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== 0) return false;
  return true;
}
