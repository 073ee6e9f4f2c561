/**
 * Reads a classic capture in pieces that several threads read at the same time. Where the first record
 * of a piece begins is a guess, by consecutive records that make sense; the merger of pieces
 * sees by `end` and `begin` whether it was right. Anything unusual (damage, an old version, one
 * piece that ends inside a record) makes no piece: such a capture is read as a whole.
 */
import { open, type FileHandle } from 'node:fs/promises';
import type { EventSink, ReadOptions } from '../../engine/contract/importer.ts';
import { u16, u16le, u32, u32le } from './bytes.ts';
import { MAX_PACKET } from './capture-reader.ts';
import { ClassicReader, classicVariant, FILE_HEADER } from './classic.ts';
import { PacketEvents } from './packet-events.ts';

const BLOCK = 1024 * 1024;
/** Bytes in which a record must begin, and records that must follow it for it to be one. */
const WINDOW = 2 * MAX_PACKET;
const CHAIN = 12;
/** Seconds between neighbours. */
const NEIGHBOUR_SECONDS = 7 * 86_400;

export interface Piece {
  /** Where its first record begins, and where the first one after it does. */
  readonly begin: number;
  readonly end: number;
}

/**
 * Reads the records that begin in bytes [from, until) of a file of `size` bytes; a piece from 0 has the
 * file's header. Rows have no `seq`. Undefined: this is no piece, and what was read of it must be forgotten.
 */
export async function readPiece(
  path: string,
  range: { readonly from: number; readonly until: number; readonly size: number },
  sink: EventSink,
  options: Pick<ReadOptions, 'packets' | 'columns'>,
): Promise<Piece | undefined> {
  const { from, until, size } = range;
  let quarantined = 0;
  const counting: EventSink = {
    ...sink,
    quarantine: (...record) => {
      quarantined += 1;
      sink.quarantine(...record);
    },
  };
  const file = await open(path, 'r');
  try {
    const header = await bytesAt(file, 0, FILE_HEADER);
    const form = formOf(header);
    if (form === undefined) return undefined;
    const events = new PacketEvents(counting, options.packets, undefined, options.columns);
    const reader = new ClassicReader(counting, events);
    reader.feed(header, 0, FILE_HEADER, 0, false);
    const begin = from === 0 ? FILE_HEADER : await firstRecord(file, from, size, form);
    if (begin === undefined) return undefined;
    // None may begin in it.
    if (begin >= until) return { begin, end: begin };
    const buffer = new Uint8Array(BLOCK);
    let used = 0;
    let base = begin;
    while (base + used < until) {
      if (used === buffer.length) return undefined;
      const room = Math.min(buffer.length - used, until - base - used);
      const { bytesRead } = await file.read(buffer, used, room, base + used);
      if (bytesRead === 0) return undefined;
      used += bytesRead;
      const left = reader.feed(buffer, 0, used, base, false);
      if (reader.lost.open || quarantined > 0) return undefined;
      buffer.copyWithin(0, left, used);
      base += left;
      used -= left;
      events.flush();
      const wait = sink.drain(base);
      if (wait !== undefined) await wait;
    }
    if (until >= size) {
      // What is wrong with the end depends on the record before it.
      if (used > 0 && reader.number === 0) return undefined;
      reader.feed(buffer, 0, used, base, true);
      events.flush();
      return quarantined > 1 ? undefined : { begin, end: size };
    }
    if (used === 0) return { begin, end: base };
    // The last record goes on behind the piece.
    const head = await bytesAt(file, base, form.header);
    const length = form.header + (form.little ? u32le(head, 8) : u32(head, 8));
    if (head.length < form.header || length > form.header + MAX_PACKET) return undefined;
    const record = await bytesAt(file, base, length);
    const left = reader.feed(record, 0, record.length, base, false);
    if (reader.lost.open || quarantined > 0 || left !== length) return undefined;
    events.flush();
    return { begin, end: base + length };
  } finally {
    await file.close();
  }
}

interface Form {
  readonly little: boolean;
  readonly header: number;
  /** Fractions that a second has. */
  readonly whole: number;
}

/** How records are written; undefined for what is no classic capture, or one of before version 2.4. */
function formOf(header: Uint8Array): Form | undefined {
  const variant = classicVariant(header);
  if (variant === undefined || header.length < FILE_HEADER) return undefined;
  const { little, nano, recordHeader } = variant;
  const major = little ? u16le(header, 4) : u16(header, 4);
  const minor = little ? u16le(header, 6) : u16(header, 6);
  if (major < 2 || (major === 2 && minor < 4)) return undefined;
  return { little, header: recordHeader, whole: nano ? 1e9 : 1e6 };
}

/** Where the first record from a place on is likely to begin; the end of the file if none does. */
async function firstRecord(
  file: FileHandle,
  from: number,
  size: number,
  form: Form,
): Promise<number | undefined> {
  const bytes = await bytesAt(file, from, Math.min(WINDOW, size - from));
  const toEnd = from + bytes.length === size;
  for (let at = 0; at + form.header <= bytes.length; at++)
    if (isChain(bytes, at, form, toEnd)) return from + at;
  return toEnd ? size : undefined;
}

function isChain(
  bytes: Uint8Array,
  start: number,
  { little, header, whole }: Form,
  toEnd: boolean,
): boolean {
  const word = little ? u32le : u32;
  let at = start;
  let previous = -1;
  for (let n = 0; n < CHAIN; n++) {
    if (at === bytes.length && toEnd) return n > 0;
    // The end of the bytes is as good as a record, behind some.
    if (at + header > bytes.length) return n > 2;
    const captured = word(bytes, at + 8);
    const wire = word(bytes, at + 12);
    // Zeros would be records of nothing, one after the other.
    if (captured === 0 || captured > wire || wire > MAX_PACKET) return false;
    if (word(bytes, at + 4) >= whole) return false;
    const seconds = word(bytes, at);
    if (previous >= 0 && Math.abs(seconds - previous) > NEIGHBOUR_SECONDS) return false;
    previous = seconds;
    at += header + captured;
  }
  return true;
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let used = 0;
  while (used < length) {
    const { bytesRead } = await file.read(bytes, used, length - used, at + used);
    if (bytesRead === 0) break;
    used += bytesRead;
  }
  return bytes.subarray(0, used);
}
