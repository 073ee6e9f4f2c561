/**
 * The layout of a log: lines, frames or journal entries, and the shape of its lines.
 *
 * Invariant: judged by the first 64 KiB alone.
 */
import type { LineRecords, SourceInput } from '../../engine/evidence/importer.ts';
import { firstBlocks } from '../../engine/evidence/pieces.ts';
import { oneBlock } from '../shared/byte-source.ts';
import { headAsText, LineReader } from '../shared/lines.ts';
import { type Utf16, utf16Of } from '../shared/utf16.ts';
import { Continuation, isDirective } from './continuation.ts';
import { FrameReader, looksFramed } from './frames.ts';
import { Header } from './header/header.ts';
import { parseHeader } from './header/parse-header.ts';
import { looksJournald } from './journald.ts';
import { PlaceSurvey, type LogShape } from './places.ts';
import { looksXml, XmlEventReader } from './xml-events.ts';

const HEAD_BYTES = 65_536;
/** Of a longer line only the beginning is kept, in quarantine. */
export const MAX_LINE = 1024 * 1024;
export const FRAMED = 'rfc6587';
export const JOURNALD = 'journald-export';
export const XML = 'windows-xml';
/** Dialects of lines: distinguished for people, read alike. */
export const LINES = [
  'rfc5424',
  'rfc3164',
  'iso8601',
  'kernel',
  'cisco',
  'access',
  'epoch',
  'text',
] as const;

export interface Layout {
  readonly kind: 'lines' | 'frames' | 'xml' | 'journal';
  readonly shape: LogShape;
  /** For a document of events in UTF-16. */
  readonly wide?: Utf16 | undefined;
  /** Lines that are records of another format. */
  readonly records?: LineRecords | undefined;
}

/** Facts that `read` needs before it begins. */
export async function layout(input: SourceInput, format: string): Promise<Layout> {
  const head = await headOf(input);
  const kind = kindOf(head, format);
  const wide = kind === 'xml' ? utf16Of(head) : undefined;
  return { kind, wide, shape: await shapeOf(head, { kind, wide }) };
}

function kindOf(head: Uint8Array, format: string): Layout['kind'] {
  if (format === FRAMED) return 'frames';
  if (format === JOURNALD) return 'journal';
  if (format === XML) return 'xml';
  if (LINES.some((name) => name === format)) return 'lines';
  if (looksJournald(head)) return 'journal';
  if (looksXml(headAsText(head))) return 'xml';
  return looksFramed(head, head.length < HEAD_BYTES) ? 'frames' : 'lines';
}

/** The same for lines mixed with `records`. */
export async function mixedLayout(input: SourceInput, records: LineRecords): Promise<Layout> {
  const kind = 'lines';
  return { kind, records, shape: await shapeOf(await headOf(input), { kind, records }) };
}

/** The first bytes of a content, up to 64 KiB. */
async function headOf(input: SourceInput): Promise<Uint8Array> {
  const head = new Uint8Array(HEAD_BYTES);
  let filled = 0;
  try {
    for await (const block of firstBlocks(input)) {
      const part = block.subarray(0, HEAD_BYTES - filled);
      head.set(part, filled);
      filled += part.length;
      if (filled === HEAD_BYTES) break;
    }
  } catch {
    // The main pass gets and reports the same error; the bytes before it decide.
  }
  return head.subarray(0, filled);
}

async function shapeOf(
  head: Uint8Array,
  { kind, wide, records }: Omit<Layout, 'shape'>,
): Promise<LogShape> {
  const survey = new PlaceSurvey();
  if (kind === 'journal') return survey.shape();
  // A truncated last line counts only if it is all there is.
  const last = head.length < HEAD_BYTES ? head.length : head.lastIndexOf(10) + 1;
  const bytes = last === 0 ? head : head.subarray(0, last);
  const reader =
    framesOf({ kind, wide }, () => oneBlock(bytes)) ??
    new LineReader(oneBlock(bytes), { size: bytes.length });
  const continuation = new Continuation(false);
  let pending = new Header();
  let spare = new Header();
  let headed = false;
  let waiting = false;
  while (await reader.nextBlock()) {
    waiting = false;
    while (reader.next()) {
      const { buffer, lineStart, lineEnd } = reader;
      if (records?.isOne(buffer, lineStart, lineEnd) === true) {
        waiting = false;
        continue;
      }
      const h = spare;
      const known = parseHeader(h, buffer, lineStart, lineEnd);
      if (isDirective(buffer, lineStart, lineEnd)) continue;
      if (!known && isIndentedOrBlank(buffer, lineStart, lineEnd)) continue;
      if (waiting && !(known && (h.leading || !h.dated))) {
        const takes = known ? continuation.takesDated : continuation.takes;
        if (takes.call(continuation, pending, buffer, headed, buffer, lineStart, lineEnd)) continue;
      }
      survey.add(h);
      spare = pending;
      pending = h;
      headed = known;
      waiting = true;
      continuation.begin();
    }
  }
  return survey.shape();
}

/** The reader of records that are not lines; undefined for lines. */
export function framesOf(
  { kind, wide }: Pick<Layout, 'kind' | 'wide'>,
  blocks: () => AsyncIterable<Uint8Array>,
): FrameReader | undefined {
  if (kind === 'frames') return new FrameReader(blocks());
  return kind === 'xml' ? new XmlEventReader(blocks(), wide) : undefined;
}

function isIndentedOrBlank(b: Uint8Array, start: number, end: number): boolean {
  return start >= end || b[start] === 32 || b[start] === 9 || b[start] === 13;
}
