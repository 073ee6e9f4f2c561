/**
 * Reads the lines of a table into rows: headings, comments, blank lines, rows over several lines, summaries at the
 * end, and invalid lines.
 *
 * Invariant: every line after the heading becomes exactly one of a stored row, a quarantined record or a skipped
 * one, except comments and repeated headings, which are not records.
 */
import { isUtf8 } from 'node:buffer';
import type { ByteOffset, Kind } from '../../engine/contract/event.ts';
import type { ColumnMapping, EventSink } from '../../engine/evidence/importer.ts';
import { BESIDE_DAMAGE, type LineReader } from '../shared/lines.ts';
import type { Detected } from './detected.ts';
import type { Dialect } from './dialects/dialect.ts';
import { readHeading, TRAILERS } from './dialects/nfdump-text.ts';
import { zeekLog } from './dialects/zeek.ts';
import type { Flat } from '../../engine/fields/reading/json/flatten.ts';
import { JsonRecords } from './json/json-records.ts';
import { ATTR, LIST, numberOf, simplify, type Setter } from './fields.ts';
import { BEHIND } from './plain-cells.ts';
import { PlainRows } from './plain-rows.ts';
import { planRow, uniqueNames } from './plan.ts';
import { RowWriter, type RowPlan } from './row-writer.ts';
import { DelimitedSplitter, WordSplitter, type Splitter } from './split.ts';
import type { StampReader } from './stamp.ts';
import { listType, ZeekLists } from './zeek-list.ts';

/** A quoted cell may go over this much; a quote that is open longer is a stray one. */
export const MOST_OPEN_BYTES = 64 * 1024;
export const MOST_OPEN_LINES = 500;
/** Columns that are listed among the facts about a source. */
const MOST_LISTED = 1000;
const HASH = 35;
const LF = 10;
const QUOTE = 34;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const windows1252 = new TextDecoder('windows-1252');
const TRAILER_BYTES = TRAILERS.map((trailer) => encoder.encode(trailer));

export interface TableContext {
  readonly sink: EventSink;
  readonly detected: Detected;
  readonly stamp: StampReader;
  /** Kind for tables without a dialect. */
  readonly kind: Kind;
  readonly mapping: ColumnMapping | undefined;
  /** Whether a column has records as JSON, so that rows are read like records. */
  readonly wraps?: boolean;
}

export class TableReader {
  private readonly context: TableContext;
  private readonly sink: EventSink;
  private readonly summary: Uint8Array | undefined;
  private readonly trailers: readonly Uint8Array[];
  private readonly zeek: boolean;
  private splitter: Splitter;
  private writer: RowWriter | undefined;
  private readonly records: JsonRecords | undefined;
  private names: readonly string[] = [];
  private plain: PlainRows | undefined;
  private width = 0;
  private seq = 0;
  private lineIndex = 0;
  private headingBytes = new Uint8Array(0);
  private inSummary = false;
  /** Position of the first quote after the part taken by `rows`, or up to where there is none. */
  private quote: ByteOffset = -1;
  private inLong = false;
  /** Lines of a row with an open quote, concatenated in `open`. */
  private open = new Uint8Array(4096);
  private openSize = 0;
  private openLines: {
    start: number;
    end: number;
    offset: number;
    length: number;
    line: number;
  }[] = [];
  private replaying = false;
  /** Zeek: the directives so far. */
  private separator = 9;
  private unset: string[] = ['-', '(empty)'];
  private path: string | undefined;
  private setSeparator = 44;
  private named: { readonly columns: readonly string[]; readonly dialect: Dialect } | undefined;

  constructor(context: TableContext) {
    const { detected, sink } = context;
    this.context = context;
    this.sink = sink;
    this.zeek = detected.shape === 'zeek';
    this.summary =
      detected.dialect?.summary === undefined
        ? undefined
        : encoder.encode(detected.dialect.summary);
    this.trailers = detected.shape === 'nfdump-text' ? TRAILER_BYTES : [];
    this.splitter = new DelimitedSplitter(detected.delimiter, detected.quoted);
    this.records = context.wraps === true ? new JsonRecords(context) : undefined;
    if (!this.zeek) this.useColumns(detected.columns, detected.dialect);
  }

  /** Whether a row may begin with the next line: none is open, and no overlong one continues. */
  private get betweenRows(): boolean {
    return this.openLines.length === 0 && !this.inLong;
  }

  /** Takes the reader's current line. */
  line(lines: LineReader): void {
    if (lines.lost) {
      this.besideDamage(lines);
      return;
    }
    if (lines.truncated) {
      if (!this.inLong) {
        this.seq += 1;
        this.sink.quarantine(
          lines.lineOffset,
          'row is longer than 1 MiB',
          lines.buffer.subarray(lines.lineStart, lines.lineEnd),
          lines.lineNumber,
        );
      }
      this.inLong = !lines.complete;
      return;
    }
    const valid = lines.encoding !== 'mixed';
    const { buffer, lineStart, lineEnd, lineOffset, lineLength, lineNumber } = lines;
    if (this.openLines.length > 0) {
      this.continueRow(buffer, lineStart, lineEnd, lineOffset, lineLength, lineNumber);
      return;
    }
    this.take(buffer, lineStart, lineEnd, lineOffset, lineLength, lineNumber, valid);
  }

  /** An open row continues in the missing part. */
  private besideDamage(lines: LineReader): void {
    while (this.openLines.length > 0) this.giveUpOpenRow();
    this.inLong = false;
    this.seq += 1;
    const raw = lines.buffer.subarray(lines.lineStart, lines.lineEnd);
    this.sink.quarantine(lines.lineOffset, BESIDE_DAMAGE, raw, lines.lineNumber);
  }

  /** The content is over: an open quote stays open. */
  end(): void {
    while (this.openLines.length > 0) this.giveUpOpenRow();
    this.records?.finish();
  }

  private take(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    length: number,
    line: number,
    valid: boolean,
  ): void {
    if (this.isBlank(bytes, start, end)) {
      this.lineIndex += 1;
      this.sink.skip('blank line', 1);
      return;
    }
    if (this.lineIndex < this.context.detected.skipLines) {
      if (this.lineIndex === this.context.detected.headingLine) {
        // A copy: of a Buffer `slice` would be a view of memory that later lines are read into.
        this.headingBytes = new Uint8Array(bytes.subarray(start, end));
      }
      this.lineIndex += 1;
      return;
    }
    if (this.zeek && isDirective(bytes, start, end)) {
      this.directive(decoder.decode(bytes.subarray(start, end)).trimStart());
      return;
    }
    if (this.inSummary || this.isTrailer(bytes, start, end)) {
      this.sink.skip('summary line', 1);
      return;
    }
    if (this.headingBytes.length === end - start && this.isHeading(bytes, start)) return;
    const splitter = this.splitter;
    if (!splitter.split(bytes, start, end)) {
      if (this.replaying) {
        this.seq += 1;
        this.sink.quarantine(offset, 'a quote is not closed', bytes.subarray(start, end), line);
      } else {
        this.keepOpen(bytes, start, end, offset, length, line);
      }
      return;
    }
    if (this.summary !== undefined && splitter.count === 1 && this.isSummary(bytes, start, end)) {
      this.inSummary = true;
      this.sink.skip('summary line', 1);
      return;
    }
    this.row(bytes, start, end, offset, length, line, valid);
  }

  /** Takes the next rows, as long as they need no splitter. */
  rows(lines: LineReader): void {
    const { plain, writer } = this;
    if (plain === undefined || writer === undefined || lines.utf16) return;
    if (this.lineIndex < this.context.detected.skipLines || this.inSummary || !this.betweenRows)
      return;
    if (lines.nextIsLost) return;
    const { buffer, baseOffset: base, maxLine: longest } = lines;
    const end = readable(buffer, lines.end);
    writer.valid = lines.encoding !== 'mixed';
    let at = lines.nextStart;
    while (at < end) {
      const { seq, headingBytes: heading, zeek: comments } = this;
      if (this.quote <= base + at) {
        const found = buffer.indexOf(QUOTE, at);
        this.quote = base + (found < 0 ? end : Math.min(found, end));
      }
      const quote = this.quote - base;
      at = plain.take(buffer, at, end, { base, seq, quote, longest, heading, comments });
      const { rows, stopped } = plain;
      this.seq += rows;
      if (rows > 0) this.sink.record(rows);
      lines.skipTo(at, rows);
      if (!stopped) continue;
      if (!plain.useful) this.plain = undefined;
      return;
    }
  }

  /** Writes the row that the splitter has cut. */
  private row(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    length: number,
    line: number,
    valid: boolean,
  ): void {
    const splitter = this.splitter;
    const writer = this.writer;
    const width = this.width;
    const isOdd = splitter instanceof DelimitedSplitter && splitter.isOdd;
    let { count } = splitter;
    if (isOdd && splitter.splitEnclosed(bytes, start, end, width)) count = width;
    this.seq += 1;
    // A delimiter after the last cell makes an empty one more.
    if (count === width + 1 && splitter.starts[width] === splitter.ends[width]) count = width;
    if (count !== width || writer === undefined) {
      let reason = 'row has fewer cells than there are columns';
      if (writer === undefined) reason = 'row before the line that names the columns';
      else if (count > width) reason = 'row has more cells than there are columns';
      this.sink.quarantine(offset, reason, bytes.subarray(start, end), line);
      return;
    }
    if (this.records !== undefined) {
      const flat = flatRow(splitter, this.names, valid);
      this.seq += this.records.row(flat, this.seq, offset, length) - 1;
      return;
    }
    writer.valid = valid;
    writer.begin();
    writer.cells(splitter.bytes, splitter.starts, splitter.ends, count);
    writer.finish(this.seq, offset, length, bytes, start, end);
    this.sink.record(1);
  }

  private keepOpen(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    length: number,
    line: number,
  ): void {
    const size = end - start;
    if (this.openSize + size + 1 > this.open.length) {
      const larger = new Uint8Array((this.openSize + size + 1) * 2);
      larger.set(this.open.subarray(0, this.openSize));
      this.open = larger;
    }
    if (this.openLines.length > 0) this.open[this.openSize++] = 10;
    this.open.set(bytes.subarray(start, end), this.openSize);
    this.openLines.push({
      start: this.openSize,
      end: this.openSize + size,
      offset,
      length,
      line,
    });
    this.openSize += size;
  }

  private continueRow(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    length: number,
    line: number,
  ): void {
    this.keepOpen(bytes, start, end, offset, length, line);
    if (this.splitter.more(bytes, start, end)) {
      const first = this.openLines[0]!;
      const whole = offset + length - first.offset;
      this.openLines = [];
      const size = this.openSize;
      this.openSize = 0;
      this.row(this.open, 0, size, first.offset, whole, first.line, false);
      return;
    }
    if (this.openSize > MOST_OPEN_BYTES || this.openLines.length > MOST_OPEN_LINES) {
      this.giveUpOpenRow();
    }
  }

  /** Treats the first of the kept lines as bad, and each of the others separately. */
  private giveUpOpenRow(): void {
    const lines = this.openLines;
    const bytes = this.open;
    this.openLines = [];
    this.openSize = 0;
    this.open = new Uint8Array(4096);
    this.replaying = true;
    for (const { start, end, offset, length, line } of lines) {
      this.take(bytes, start, end, offset, length, line, false);
    }
    this.replaying = false;
  }

  private isBlank(bytes: Uint8Array, start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (bytes[at] !== 32) return false;
    return true;
  }

  private isHeading(bytes: Uint8Array, start: number): boolean {
    const heading = this.headingBytes;
    for (let i = 0; i < heading.length; i++) if (bytes[start + i] !== heading[i]) return false;
    return true;
  }

  private isSummary(bytes: Uint8Array, start: number, end: number): boolean {
    const summary = this.summary!;
    return (
      (end - start === summary.length && startsWith(bytes, start, end, summary)) ||
      startsWith(bytes, start, end, NO_MATCH)
    );
  }

  private isTrailer(bytes: Uint8Array, start: number, end: number): boolean {
    for (const trailer of this.trailers) if (startsWith(bytes, start, end, trailer)) return true;
    return false;
  }

  /** @param types Zeek's, of each column */
  private useColumns(
    columns: readonly string[],
    dialect: Dialect | undefined,
    types: readonly string[] = [],
  ): void {
    const { detected, mapping, kind, sink, stamp } = this.context;
    const names = uniqueNames(columns);
    let plan = planRow(
      names,
      dialect,
      mapping,
      this.zeek ? this.unset : undefined,
      eventType(this.path, dialect),
    );
    if (detected.shape === 'nfdump-text') {
      const text = readHeading(detected.columns.join(' '));
      if (text !== undefined) {
        this.splitter = new WordSplitter(text.words);
        plan = planText(plan, text.setters);
      }
    }
    if (types.length > 0) {
      const [unset = '-', empty = '(empty)'] = this.unset;
      plan = planLists(plan, types, new ZeekLists(this.setSeparator, { unset, empty }));
    }
    this.width = names.length;
    this.writer = new RowWriter(sink.batch(dialect?.kind ?? kind), plan, stamp);
    const { splitter } = this;
    this.names = names;
    this.plain =
      this.records === undefined &&
      splitter instanceof DelimitedSplitter &&
      PlainRows.fits(splitter.delimiter, names.length)
        ? new PlainRows(this.writer, stamp, splitter.delimiter, splitter.quoted)
        : undefined;
    sink.metadata('columns', names.length > MOST_LISTED ? names.slice(0, MOST_LISTED) : names);
  }

  /** A line of Zeek's that begins with `#`. */
  private directive(text: string): void {
    const word = /^#([a-z_]+)/.exec(text)?.[1] ?? '';
    const rest = text.slice(word.length + 2);
    switch (word) {
      case 'separator': {
        const code = /^\\x([0-9a-f]{2})/i.exec(rest);
        this.separator = code === null ? (rest.charCodeAt(0) || 9) & 0x7f : parseInt(code[1]!, 16);
        this.splitter = new DelimitedSplitter(this.separator, false);
        this.plain = undefined;
        return;
      }
      case 'set_separator':
        this.setSeparator = rest.charCodeAt(0) || 44;
        return;
      case 'types':
        if (this.named !== undefined) {
          const types = rest.split(String.fromCharCode(this.separator));
          this.useColumns(this.named.columns, this.named.dialect, types);
        }
        return;
      case 'path':
        this.path = rest;
        return;
      case 'unset_field':
        this.unset[0] = rest;
        return;
      case 'empty_field':
        this.unset[1] = rest;
        return;
      case 'open':
      case 'close':
        this.sink.metadata(`zeek.${word}`, rest);
        return;
      case 'fields':
        this.nameColumns(rest);
        return;
      default:
    }
  }

  /** Takes the names of the columns from a line of Zeek's. */
  private nameColumns(names: string): void {
    const { separator, path } = this;
    const columns = names.split(String.fromCharCode(separator));
    const dialect = zeekLog(path, new Set(columns.map(simplify)), 'zeek-tsv');
    this.path ??= dialect.path;
    this.named = { columns, dialect };
    this.useColumns(columns, dialect);
    if (this.path !== undefined) this.sink.metadata('zeek.path', this.path);
  }
}

/** Names and cells of the row that a splitter has cut, without those that are empty. */
export function flatRow(
  { bytes, starts, ends }: Splitter,
  names: readonly string[],
  valid: boolean,
): Flat {
  const flat: Flat = { keys: [], values: [] };
  for (const [i, name] of names.entries()) {
    const part = bytes.subarray(starts[i], ends[i]);
    const text = (valid || isUtf8(part) ? decoder : windows1252).decode(part).trim();
    if (text === '') continue;
    flat.keys.push(name);
    flat.values.push(text);
  }
  return flat;
}

/** Whether the first non-blank byte is `#`. */
function isDirective(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  while (at < end && (bytes[at] === 32 || bytes[at] === 9)) at += 1;
  return at < end && bytes[at] === HASH;
}

/** End of the last whole line before `end` after which `BEHIND` bytes may be read. */
function readable(buffer: Buffer, end: number): number {
  const last = Math.min(end, buffer.length - BEHIND) - 1;
  return last < 0 ? 0 : buffer.lastIndexOf(LF, last) + 1;
}

const NO_MATCH = encoder.encode('No matching flow');

function startsWith(bytes: Uint8Array, start: number, end: number, mark: Uint8Array): boolean {
  if (end - start < mark.length) return false;
  for (let i = 0; i < mark.length; i++) if (bytes[start + i] !== mark[i]) return false;
  return true;
}

/** Zeek's rows do not name their log. */
function eventType(path: string | undefined, dialect: Dialect | undefined): string | undefined {
  if (path !== undefined) return path;
  if (dialect === undefined || !('path' in dialect)) return undefined;
  return typeof dialect.path === 'string' ? dialect.path : undefined;
}

/** Zeek's sets and vectors become arrays if they are attributes. */
function planLists(plan: RowPlan, types: readonly string[], writer: ZeekLists): RowPlan {
  const setters = Uint8Array.from(plan.setters);
  const numbers = new Uint8Array(setters.length);
  for (let i = 0; i < setters.length; i++) {
    const type = listType(types[i] ?? '');
    if (setters[i] !== ATTR || type === undefined) continue;
    setters[i] = LIST;
    if (type === 'numbers') numbers[i] = 1;
  }
  return { ...plan, setters, lists: { writer, numbers } };
}

/** nfdump's titles are unambiguous, whatever they look like when simplified. */
function planText(plan: RowPlan, setters: readonly Setter[]): RowPlan {
  const copy = new Uint8Array(setters.length);
  for (const [i, setter] of setters.entries()) copy[i] = numberOf(setter);
  const mapped = plan.setters;
  for (let i = 0; i < copy.length; i++) if (mapped[i] !== 0) copy[i] = mapped[i]!;
  return { ...plan, setters: copy };
}
