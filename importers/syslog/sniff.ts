/**
 * Judges by its first bytes whether a content is a log, and of which dialect.
 *
 * Lines are parsed as by the reader. Plain text without any header is still readable, so it gets a low score that
 * every more specific importer beats; binary content gets none.
 */
import type { SniffHint, SniffResult } from '../../engine/evidence/importer.ts';
import { headAsText } from '../shared/lines.ts';
import { looksFramed } from './frames.ts';
import { Header } from './header/header.ts';
import { isEventFormat } from './header/pairs.ts';
import { parseHeader } from './header/parse-header.ts';
import { looksJournald } from './journald.ts';
import { SHAPE } from '../shared/time/stamp.ts';
import { looksXml } from './xml-events.ts';

const MAX_LINES = 400;

/** Tables and objects, which other importers may know better. */
function looksStructured(head: Uint8Array, start: number, end: number): boolean {
  // A separator of records (RFC 7464) may precede an object.
  if (head[head[start] === 0x1e ? start + 1 : start] === 123) return true;
  let separators = 0;
  for (let i = start; i < end; i++) {
    const at = head[i];
    if (at === 44 || at === 9 || at === 124) separators++;
  }
  return separators >= 6;
}

/**
 * Without the NULs before the first line: a log that was truncated while a program wrote to it continues after a
 * hole.
 */
function withoutHole(head: Uint8Array): Uint8Array {
  const start = head.findIndex((byte) => byte !== 0);
  return start <= 0 ? head : head.subarray(start);
}

/** Whether too many bytes are not text for this to be a log. */
function looksBinary(head: Uint8Array): boolean {
  let controls = 0;
  let nuls = 0;
  for (let i = 0; i < head.length; i++) {
    const c = head[i]!;
    if (c === 0) nuls++;
    else if (c < 32 && c !== 9 && c !== 10 && c !== 13 && c !== 27) controls++;
  }
  // A log may have a run of NULs after a crash; other control characters are rare in one.
  return controls > head.length / 20 || nuls > head.length / 2;
}

export function sniffLog(bytes: Uint8Array, hint: SniffHint): SniffResult | undefined {
  if (bytes.length === 0) return undefined;
  const head = withoutHole(headAsText(bytes));
  const isXml = looksXml(head);
  // The other readers take bytes as they are: in UTF-16 these are text. None can start in the middle.
  const needsBeginning = looksJournald(bytes) || looksFramed(bytes, hint.complete) || isXml;
  if (hint.late === true && needsBeginning) return undefined;
  if (looksJournald(bytes)) return { score: 0.95, format: 'journald-export' };
  if (isXml) return { score: 0.95, format: 'windows-xml' };
  if (looksFramed(bytes, hint.complete)) return { score: 0.9, format: 'rfc6587' };
  if (looksBinary(head)) return undefined;
  const h = new Header();
  const votes: Record<string, number> = {};
  let lines = 0;
  let headed = 0;
  let structured = 0;
  let eventFormats = 0;
  for (let at = 0; at < head.length && lines < MAX_LINES;) {
    let end = head.indexOf(10, at);
    if (end < 0) {
      // The last line may be incomplete.
      if (!hint.complete && lines > 0) break;
      end = head.length;
    }
    const start = at;
    at = end + 1;
    if (end > start && head[end - 1] === 13) end--;
    if (end === start) continue;
    lines++;
    if (looksStructured(head, start, end)) structured++;
    const isHeaded = parseHeader(h, head, start, end);
    if (isEventFormat(head, h.messageStart, end)) eventFormats++;
    if (!isHeaded) continue;
    headed++;
    const format = dialect(h);
    votes[format] = (votes[format] ?? 0) + 1;
  }
  if (lines === 0) return undefined;
  const share = headed / lines;
  let format = 'text';
  let most = 0;
  for (const [name, count] of Object.entries(votes)) {
    if (count > most) [format, most] = [name, count];
  }
  if (headed === 0) format = 'text';
  let score = 0.1 + 0.7 * share;
  if (format === 'rfc5424' || format === 'rfc3164' || format === 'cisco') score += 0.1;
  // A table with a time in each line is first of all a table.
  if (structured > lines / 2 && format !== 'rfc5424' && format !== 'rfc3164') score *= 0.4;
  // CEF and LEEF have bars, but are not tables.
  if (eventFormats > lines / 2) score = Math.max(score, 0.85);
  return { score: Math.round(score * 1000) / 1000, format };
}

function dialect(h: Header): string {
  if (!h.dated) {
    if (h.uptimeStart >= 0 && h.eventStart < 0) return 'kernel';
    return h.eventStart >= 0 && !h.leading ? 'cisco' : 'text';
  }
  if (h.sequenceStart >= 0 || (h.eventStart >= 0 && h.stamp.shape === SHAPE.bsd)) return 'cisco';
  if (!h.leading) return h.stamp.shape === SHAPE.dayMonthName ? 'access' : 'text';
  switch (h.stamp.shape) {
    case SHAPE.bsd:
      return 'rfc3164';
    case SHAPE.isoT:
      return h.sdStart >= 0 || (h.facility >= 0 && (h.programStart >= 0 || h.hostStart >= 0))
        ? 'rfc5424'
        : 'iso8601';
    case SHAPE.yearFirst:
      return 'iso8601';
    case SHAPE.dayMonthName:
      return 'access';
    case SHAPE.epoch:
      return 'epoch';
    default:
      return 'text';
  }
}
