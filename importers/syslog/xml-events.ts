/**
 * Windows events in an XML document: `<Events><Event …>…</Event><Event …>…</Event></Events>`, as the Event Viewer
 * saves them on one line and wevtutil in a root element of any name, or with each element over several lines. Each
 * element is a record; anything else except markup around them is quarantined. Used like the shared line reader.
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
/** Maximum length of what is between elements. */
const MAX_TAG = 4096;
/** Part of the head within which the first event must identify itself. */
const LOOK_BYTES = 2048;
/** Part of an element that must contain its namespace. */
const STATED_BYTES = 400;

/** `<Events>`, or an element of any name that an event directly follows. */
const ROOT = /^<(?:Events[\s>]|(?!Event[\s>])[\w.:-]+(?:\s[^<>]*)?>\s*<Event[\s>])/;

/** Whether a content's head is a document of events instead of lines. */
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
  /** Position in the content of the last end found, and up to where there is no other. */
  private endOffset: ByteOffset = -1;
  private searched: ByteOffset = 0;
  private readonly wide: boolean;
  /** For UTF-16: bytes up to position `counted` of its transcription. */
  private wideOffset: ByteOffset = 0;
  private counted = 0;

  /**
   * @param wide the encoding of the content if it is UTF-16: the buffer has its transcription, and records their
   * positions in it
   */
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

  /** Position of `buffer[at]` in the content. Positions are requested in ascending order. */
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
      return this.give(at, at, this.nextStart(at + 1), 'not a Windows event');
    }
  }

  private element(at: number): boolean {
    this.root ??= '';
    const end = this.nextEnd(at);
    if (end >= 0 && end - at < MAX_FRAME_BYTES) {
      // The end may be that of another event, after a truncated one.
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

  /** Whether a tag has no content of its own: a declaration, a comment, an end, the root element. */
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

  /** Position of the first end from `at` on; -1 if none is loaded. Bytes without one are not searched twice. */
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

  /** Where the next element begins or may begin, or the end of what is loaded. */
  private nextStart(from: number): number {
    const { buffer, filled } = this;
    for (let at = from; at < filled; at++) {
      if (buffer[at] !== LT) continue;
      if (isEvent(buffer, at, filled) || (filled - at <= START.length && !this.ended)) return at;
    }
    return filled;
  }
}

/** Start of an element in [from, end) that identifies itself as an event; -1: there is none. */
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
