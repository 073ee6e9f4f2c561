/**
 * Windows events in an XML document: `<Events><Event …>…</Event><Event …>…</Event></Events>`, as the Event Viewer saves them on
 * one line and wevtutil in a root element, or with each element over several lines. Each element is a record, and what is
 * between them is none. Used like the shared line reader.
 *
 * Schema: https://learn.microsoft.com/en-us/windows/win32/wes/eventschema-schema
 */
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

/** Whether a content's head is a document of events, which are no lines. */
export function looksXml(head: Uint8Array): boolean {
  const text = Buffer.from(head.subarray(0, LOOK_BYTES)).toString('latin1');
  const at = /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*/s.exec(text)![0].length;
  const isRoot = /^<Events[\s>]/.test(text.slice(at));
  const first = isRoot ? text.indexOf(START, at + END.length - 1) : at;
  if (first < 0 || !/^<Event[\s>]/.test(text.slice(first))) return false;
  if (!text.slice(first, first + 400).includes(NAMESPACE)) return false;
  // An event a line is a line, which a log of lines may have among others.
  const lineEnd = head.indexOf(LF, at);
  const line = Buffer.from(head.subarray(at, lineEnd < 0 ? head.length : lineEnd));
  return isRoot || !line.includes(END);
}

export class XmlEventReader extends FrameReader {
  override next(): boolean {
    const b = this.buffer;
    for (;;) {
      while (this.at < this.filled && isBetween(b[this.at]!)) this.at++;
      const { at, filled } = this;
      if (at === filled) return this.wait(1);
      if (filled - at <= START.length && !this.ended) return this.wait(START.length + 1);
      if (isEvent(b, at, filled)) return this.element(at);
      const end = b[at] === LT ? b.subarray(at, filled).indexOf(GT) + 1 : 0;
      // A declaration, the root element, a comment.
      if (end > 0 && end <= MAX_TAG) {
        this.at = at + end;
        continue;
      }
      if (b[at] === LT && end === 0 && filled - at < MAX_TAG && !this.ended)
        return this.wait(MAX_TAG);
      return this.give(at, at, this.nextStart(at + 1), 'no event of Windows');
    }
  }

  private element(at: number): boolean {
    const end = Buffer.from(this.buffer.buffer, 0, this.filled).indexOf(END, at);
    if (end >= 0 && end - at < MAX_FRAME_BYTES)
      return this.give(at, at, end + END.length, undefined);
    const isLong = this.filled - at >= MAX_FRAME_BYTES;
    if (!isLong && !this.ended)
      return this.wait(Math.min(MAX_FRAME_BYTES, 2 * (this.filled - at)) + END.length);
    return this.give(at, at, this.nextStart(at + 1), 'an event without an end');
  }

  /** Where the next element begins, or what is loaded ends. */
  private nextStart(from: number): number {
    const { buffer, filled } = this;
    for (let at = from; at < filled; at++)
      if (buffer[at] === LT && isEvent(buffer, at, filled)) return at;
    return filled;
  }
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
