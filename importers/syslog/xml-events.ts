/**
 * Windows events in an XML document: `<Events><Event …>…</Event><Event …>…</Event></Events>`, as the Event Viewer saves them on
 * one line and wevtutil in a root element of any name, or with each element over several lines. Each element is a record;
 * what is neither that nor markup around them is quarantined. Used like the shared line reader.
 *
 * Schema: https://learn.microsoft.com/en-us/windows/win32/wes/eventschema-schema
 */
import type { ByteOffset } from '../../engine/contract/event.ts';
import { asUtf8, type Utf16, utf16Length } from '../shared/utf16.ts';
import { FrameReader, MAX_FRAME_BYTES } from './frames.ts';

const LT = 60;
const GT = 62;
const LF = 10;
const START = '<Event';
const END = Buffer.from('</Event>');
const NAMESPACE = 'http://schemas.microsoft.com/win/';
/** Longest of what is between elements. */
const MAX_TAG = 4096;
/** Of the head, within which the first event must state what it is. */
const LOOK_BYTES = 2048;
/** Of an element, within which its namespace is. */
const STATED_BYTES = 400;

/** `<Events>`, or an element of any name that an event follows at once. */
const ROOT = /^<(?:Events[\s>]|(?!Event[\s>])[\w.:-]+(?:\s[^<>]*)?>\s*<Event[\s>])/;

/** Whether a content's head is a document of events, which are no lines. */
export function looksXml(head: Uint8Array): boolean {
  const text = Buffer.from(head.subarray(0, LOOK_BYTES)).toString('latin1');
  const at = /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*/s.exec(text)![0].length;
  const isRoot = ROOT.test(text.slice(at));
  const first = isRoot ? text.indexOf(START, text.indexOf('>', at)) : at;
  if (first < 0 || !/^<Event[\s>]/.test(text.slice(first))) return false;
  if (!text.slice(first, first + STATED_BYTES).includes(NAMESPACE)) return false;
  // An event a line is a line, which a log of lines may have among others.
  const lineEnd = head.indexOf(LF, at);
  const line = Buffer.from(head.subarray(at, lineEnd < 0 ? head.length : lineEnd));
  return isRoot || !line.includes(END);
}

export class XmlEventReader extends FrameReader {
  /** The tag before the first event; empty: an event comes first. */
  private root: string | undefined;
  /** Where the end that was found last is in the content, and up to where there is no other. */
  private endOffset: ByteOffset = -1;
  private searched: ByteOffset = 0;
  private readonly wide: boolean;
  /** Of UTF-16: bytes up to place `counted` of its transcript. */
  private wideOffset: ByteOffset = 0;
  private counted = 0;

  /** @param wide what the content is, if it is UTF-16: the buffer has its transcript, and records their places in it */
  constructor(blocks: AsyncIterable<Uint8Array>, wide: Utf16 | undefined) {
    super(wide === undefined ? blocks : asUtf8(blocks, wide.littleEndian));
    this.wide = wide !== undefined;
  }

  override get consumed(): ByteOffset {
    return this.offsetOf(this.at);
  }

  override nextBlock(): Promise<boolean> {
    this.offsetOf(this.at);
    return super.nextBlock();
  }

  /** Where in the content `buffer[at]` is. Places are asked for in ascending order. */
  private offsetOf(at: number): ByteOffset {
    if (!this.wide) return this.base + at;
    this.wideOffset += utf16Length(this.buffer, this.counted - this.base, at);
    this.counted = this.base + at;
    return this.wideOffset;
  }

  protected override give(
    at: number,
    start: number,
    end: number,
    bad: string | undefined,
  ): boolean {
    const offset = this.offsetOf(at);
    super.give(at, start, end, bad);
    this.lineOffset = offset;
    this.lineLength = this.offsetOf(end) - offset;
    return true;
  }

  override next(): boolean {
    const b = this.buffer;
    for (;;) {
      while (this.at < this.filled && isBetween(b[this.at]!)) this.at++;
      const { at, filled } = this;
      if (at === filled) return this.wait(1);
      if (filled - at <= START.length && !this.ended) return this.wait(START.length + 1);
      if (isEvent(b, at, filled)) return this.element(at);
      const size =
        b[at] === LT ? b.subarray(at, Math.min(filled, at + MAX_TAG)).indexOf(GT) + 1 : 0;
      if (size > 0 && this.isMarkup(at, at + size)) {
        this.at = at + size;
        continue;
      }
      if (b[at] === LT && size === 0 && filled - at < MAX_TAG && !this.ended)
        return this.wait(MAX_TAG);
      return this.give(at, at, this.nextStart(at + 1), 'no event of Windows');
    }
  }

  private element(at: number): boolean {
    this.root ??= '';
    const end = this.nextEnd(at);
    if (end >= 0 && end - at < MAX_FRAME_BYTES) {
      // The end may be that of another event, after one that was cut off.
      const other = statedStart(this.buffer, at + START.length, end);
      return other < 0
        ? this.give(at, at, end + END.length, undefined)
        : this.give(at, at, other, 'an event without an end');
    }
    const isLong = this.filled - at >= MAX_FRAME_BYTES;
    if (!isLong && !this.ended)
      return this.wait(Math.min(MAX_FRAME_BYTES, 2 * (this.filled - at)) + END.length);
    return this.give(at, at, this.nextStart(at + 1), 'an event without an end');
  }

  /** Whether a tag says nothing itself: a declaration, a comment, an end, the root element. */
  private isMarkup(at: number, end: number): boolean {
    const tag = Buffer.from(this.buffer.subarray(at, end)).toString('latin1');
    if (tag[1] === '!' || tag[1] === '?') return true;
    if (tag.includes('<', 1)) return false;
    if (tag[1] === '/') {
      this.isCutOff = false;
      return true;
    }
    if (this.root === undefined) {
      this.root = tag;
      this.isCutOff = true;
    }
    return tag === this.root;
  }

  /** Where the first end from `at` on is; -1: not in what is loaded. Bytes without one are not searched twice. */
  private nextEnd(at: number): number {
    const { base, filled } = this;
    if (this.endOffset < base + at) {
      const from = Math.max(at, this.searched - base);
      const found = Buffer.from(this.buffer.buffer, 0, filled).indexOf(END, from);
      this.endOffset = found < 0 ? -1 : base + found;
      this.searched = base + (found < 0 ? Math.max(from, filled - END.length + 1) : found);
    }
    return this.endOffset < 0 ? -1 : this.endOffset - base;
  }

  /** Where the next element begins or may begin, or what is loaded ends. */
  private nextStart(from: number): number {
    const { buffer, filled } = this;
    for (let at = from; at < filled; at++) {
      if (buffer[at] !== LT) continue;
      if (isEvent(buffer, at, filled) || (filled - at <= START.length && !this.ended)) return at;
    }
    return filled;
  }
}

/** Where an element begins in [from, end) that states that it is an event; -1: nowhere. */
function statedStart(b: Uint8Array, from: number, end: number): number {
  const part = Buffer.from(b.buffer, b.byteOffset + from, end - from);
  for (let at = part.indexOf(START); at >= 0; at = part.indexOf(START, at + START.length)) {
    if (!isEvent(b, from + at, end)) continue;
    if (part.subarray(at, at + STATED_BYTES).includes(NAMESPACE)) return from + at;
  }
  return -1;
}

/** White space, and the bytes of a byte order mark. */
function isBetween(byte: number): boolean {
  return byte <= 32 || byte === 0xef || byte === 0xbb || byte === 0xbf;
}

function isEvent(b: Uint8Array, at: number, end: number): boolean {
  if (at + START.length >= end) return false;
  for (let i = 0; i < START.length; i++) if (b[at + i] !== START.charCodeAt(i)) return false;
  const after = b[at + START.length]!;
  return after === GT || after <= 32;
}
