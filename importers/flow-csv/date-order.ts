/**
 * The order of ambiguous dates of a table or of JSON records, such as 3/4/2026, found by looking ahead for one that
 * can be read in one way only. Invariant: the result depends on the content alone.
 */
import type { DateOrder } from '../../engine/contract/time/decisions.ts';
import type { SourceInput } from '../../engine/evidence/importer.ts';
import { piecesOf } from '../../engine/evidence/pieces.ts';
import { DateOrderScan, type FoundOrder } from '../shared/time/date-order.ts';
import { LineReader, MAX_LINE_BYTES } from '../shared/lines.ts';
import { simplify, TS, TS_DATE, TS_UTC } from './fields.ts';
import { ElementScanner } from './json/json-elements.ts';
import { JsonRecords } from './json/json-records.ts';
import type { JsonContext } from './json/record-writer.ts';
import { planRow, uniqueNames } from './plan.ts';
import { DelimitedSplitter } from './split.ts';
import { flatRow, MOST_OPEN_BYTES, MOST_OPEN_LINES, type TableContext } from './table.ts';

/** After this many lines or records without such a date, there are none. */
const LINES_WITHOUT = 2000;
/** Once a date determines the order, this many dates are examined for contradictions. */
const DATES_AFTER = 10_000;

const L2TCSV: readonly string[] = ['date', 'time', 'timezone', 'macb', 'sourcetype'];

/** Nearly always the first lines decide. */
const REGION_BYTES = 64 * 1024;

/** Undefined if the table's times are not written so. Errors of the content are left to the main pass. */
export async function findDateOrder(
  input: SourceInput,
  context: TableContext,
  asked: DateOrder | undefined,
): Promise<FoundOrder | undefined> {
  const { detected } = context;
  const splitter = new DelimitedSplitter(detected.delimiter, detected.quoted);
  const times = timesOf(context, splitter);
  if (times === undefined) return undefined;
  // log2timeline's CSV is defined as month/day/year.
  const names = new Set(detected.columns.map(simplify));
  if (asked === undefined && L2TCSV.every((name) => names.has(name)))
    return { order: 'mdy', basis: 'stated by the format', notes: [] };
  const lines = new LineReader(piecesOf(input), {
    ...{ maxLine: 1024 * 1024, size: input.size, regionSize: REGION_BYTES },
  });
  const dates = new AmbiguousDates();
  const rows = new RowCutter(splitter, () => {
    for (const time of times()) dates.add(...time);
  });
  let index = 0;
  try {
    while (await lines.nextBlock()) {
      while (lines.next()) {
        index += 1;
        if (lines.lost) rows.giveUpOpenRow();
        if (index <= detected.skipLines || lines.lost || lines.truncated) continue;
        rows.line(lines.buffer, lines.lineStart, lines.lineEnd);
        if (dates.count === 0 && index > detected.skipLines + LINES_WITHOUT) return undefined;
        if (dates.areEnough) return dates.found(asked);
      }
    }
  } catch {
    // The main pass gets and reports the content's error again.
  } finally {
    await lines.close();
  }
  rows.giveUpOpenRow();
  return dates.found(asked);
}

type Part = [bytes: Uint8Array, start: number, end: number];

function wholeText(text: string): Part {
  const bytes = Buffer.from(text);
  return [bytes, 0, bytes.length];
}

/** Cuts lines into rows as `TableReader` does: a row may go over several lines. */
class RowCutter {
  private readonly splitter: DelimitedSplitter;
  private readonly onRow: () => void;
  /** The lines of a row whose quote is open. */
  private open: Uint8Array[] = [];
  private openSize = 0;

  /** @param onRow called when `splitter` has cut a row */
  constructor(splitter: DelimitedSplitter, onRow: () => void) {
    this.splitter = splitter;
    this.onRow = onRow;
  }

  line(bytes: Uint8Array, start: number, end: number): void {
    const { splitter, open } = this;
    const isOpen = open.length > 0;
    if (isOpen ? splitter.more(bytes, start, end) : splitter.split(bytes, start, end)) {
      this.open = [];
      this.openSize = 0;
      this.onRow();
      return;
    }
    // A copy: of a Buffer `slice` would be a view of memory that later lines are read into.
    open.push(new Uint8Array(bytes.subarray(start, end)));
    this.openSize += end - start + (isOpen ? 1 : 0);
    // The first line may be longer, as in a table.
    if (isOpen && (this.openSize > MOST_OPEN_BYTES || open.length > MOST_OPEN_LINES))
      this.giveUpOpenRow();
  }

  /** The quote was a stray one: each of the lines is a row, or none. */
  giveUpOpenRow(): void {
    const lines = this.open;
    this.open = [];
    this.openSize = 0;
    for (const line of lines) if (this.splitter.split(line, 0, line.length)) this.onRow();
  }
}

/** The dates of a content that may be read either way, or in one way only. */
class AmbiguousDates {
  count = 0;
  private readonly scan = new DateOrderScan();
  private readonly date = { first: 0, second: 0, third: 0, digits: 0 };
  private usual: DateOrder = 'dmy';

  /** Takes the date at the beginning of `bytes[start, end)`, if there is one. */
  add(bytes: Uint8Array, start: number, end: number): void {
    const { date } = this;
    if (!numbersOf(bytes, start, end, date)) return;
    if (this.count === 0) this.usual = usualOrder(bytes, start, end);
    this.count += 1;
    this.scan.add(date.first, date.second, date.third, date.digits, this.usual);
  }

  get areEnough(): boolean {
    return this.scan.stated && this.count >= DATES_AFTER;
  }

  found(asked: DateOrder | undefined): FoundOrder | undefined {
    return this.scan.found(asked);
  }
}

/** Reads the times of the row that `splitter` has cut; undefined if no column has times. */
function timesOf(
  context: TableContext,
  splitter: DelimitedSplitter,
): (() => Iterable<Part>) | undefined {
  const { columns, dialect } = context.detected;
  const names = uniqueNames(columns);
  if (context.wraps === true) {
    const records = new JsonRecords(context);
    return () => {
      if (splitter.count < names.length) return [];
      return records.timesOfRow(flatRow(splitter, names, false)).map(wholeText);
    };
  }
  const { setters } = planRow(names, dialect, context.mapping);
  const column = setters.findIndex(
    (setter) => setter === TS || setter === TS_UTC || setter === TS_DATE,
  );
  if (column < 0) return undefined;
  return () =>
    splitter.count <= column
      ? []
      : [[splitter.bytes, splitter.starts[column]!, splitter.ends[column]!]];
}

/**
 * An ambiguous date at the beginning of a text in a record: records without one are not parsed here. JSON may escape a
 * slash, and a record within a text escapes that backslash again.
 */
const DATE_IN_TEXT = /"\s*\d{1,2}(?:\\*\/|[-.])\d{1,2}(?:\\*\/|[-.])\d{2}(?:\d{2})?(?!\d)/;

/** The same for JSON records: `context` belongs to a separate reading, which writes nothing. */
export async function findJsonDateOrder(
  input: SourceInput,
  context: JsonContext,
  asked: DateOrder | undefined,
): Promise<FoundOrder | undefined> {
  const records = new JsonRecords(context);
  const dates = new AmbiguousDates();
  let looked = 0;
  const look = (bytes: Uint8Array, start: number, end: number): void => {
    looked += 1;
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
    if (!DATE_IN_TEXT.test(raw.toString('latin1'))) return;
    for (const time of records.timesOfRecord(bytes, start, end)) dates.add(...wholeText(time));
  };
  const elements =
    context.detected.shape === 'json-elements'
      ? new ElementScanner(
          { element: look, junk: () => undefined, around: () => undefined, after: () => undefined },
          context.detected.lists,
        )
      : undefined;
  const lines = new LineReader(elements === undefined ? piecesOf(input) : input.blocks(), {
    ...{ maxLine: elements === undefined ? MAX_LINE_BYTES : 1024 * 1024 },
    ...{ size: input.size, regionSize: REGION_BYTES },
  });
  try {
    while (await lines.nextBlock()) {
      while (lines.next()) {
        const { buffer, lineStart, lineEnd, lineOffset, truncated } = lines;
        if (lines.lost) continue;
        if (elements !== undefined)
          elements.line(buffer, lineStart, lineEnd, lineOffset, !truncated || lines.complete);
        else if (!truncated) look(buffer, lineStart, lineEnd);
        if (dates.count === 0 && looked > LINES_WITHOUT) return undefined;
        if (dates.areEnough) return dates.found(asked);
      }
    }
  } catch {
    // The main pass gets and reports the content's error again.
  } finally {
    await lines.close();
  }
  return dates.found(asked);
}

/**
 * US English of .NET, used among others by Microsoft's clouds, `11/3/2020 9:06:42 AM +00:00`, and of browsers, with a
 * comma: others write `am` so.
 */
const MONTH_FIRST = /^\s*\d+\/\d+\/\d+,? .* [AP]M(?: [+-]\d\d:\d\d)?\s*$/;

function usualOrder(bytes: Uint8Array, start: number, end: number): DateOrder {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  return MONTH_FIRST.test(text.toString('latin1')) ? 'mdy' : 'dmy';
}

/** The three numbers of a date that does not begin with a four-digit year. False for others. */
function numbersOf(
  bytes: Uint8Array,
  start: number,
  end: number,
  date: { first: number; second: number; third: number; digits: number },
): boolean {
  let at = start;
  while (at < end && bytes[at] === 32) at += 1;
  for (let part = 0; part < 3; part++) {
    const from = at;
    let number = 0;
    for (; at < end && at - from < 5; at++) {
      const digit = bytes[at]! - 48;
      if (digit < 0 || digit > 9) break;
      number = number * 10 + digit;
    }
    const digits = at - from;
    if (part === 2) {
      date.third = number;
      date.digits = digits;
      return digits === 2 || digits === 4;
    }
    if (digits === 0 || digits > 2 || at >= end) return false;
    const mark = bytes[at];
    if (mark !== 47 && mark !== 45 && mark !== 46) return false;
    if (part === 0) date.first = number;
    else date.second = number;
    at += 1;
  }
  return false;
}
