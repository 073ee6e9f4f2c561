/**
 * Flow exports and other tables: nfdump, SiLK, Argus, CICFlowMeter, UNSW-NB15, AWS VPC flow logs, Zeek, Suricata,
 * and any CSV or JSON through a mapping. See docs/importers/flow-csv.md.
 *
 * Invariants: the events depend on the bytes and the options alone, and memory is bounded by the longest accepted
 * row.
 */
import { GIVEN, ZONE_ASSUMED } from '../../engine/contract/time/decisions.ts';
import { SourceError } from '../../engine/contract/errors.ts';
import type {
  EventSink,
  Importer,
  ReadLines,
  ReadOptions,
  SniffHint,
  SniffResult,
  SourceInput,
} from '../../engine/evidence/importer.ts';
import { firstBlocks, piecesOf } from '../../engine/evidence/pieces.ts';
import { DialectFinder } from '../../engine/fields/registry/meanings.ts';
import { tellDateOrder, type FoundOrder } from '../shared/time/date-order.ts';
import { LineReader } from '../shared/lines.ts';
import { resolveZone, UTC, type Zone } from '../../engine/contract/time/zone.ts';
import { findDateOrder, findJsonDateOrder } from './date-order.ts';
import { detect, HEAD_BYTES } from './detect.ts';
import type { Detected } from './detected.ts';
import { FORMATS } from './dialects/registry.ts';
import { BYTES_TOTAL, PACKETS_TOTAL, isMappable, simplify } from './fields.ts';
import { isWrapped, unwrap } from '../../engine/fields/reading/json/flatten.ts';
import { guessMapping, kindOfFields, listedMapping, tableMapping } from './guess.ts';
import { ElementScanner, type ElementSink } from './json/json-elements.ts';
import { JsonRecords } from './json/json-records.ts';
import { outlineOf } from './outline.ts';
import { SetterChooser, planRow, sharedFields, uniqueNames } from './plan.ts';
import { StampReader } from './stamp.ts';
import { TableReader, type TableContext } from './table.ts';

export { guessMapping, isMappable };

const ID = 'flow-csv';
const MAX_ROW_BYTES = 1024 * 1024;
/** Maximum size of what surrounds a list of records that is stored as a fact about the source. */
const MOST_AROUND_BYTES = 4096;

function sniff(head: Uint8Array, hint: SniffHint): SniffResult | undefined {
  const found = detect(head, hint.complete);
  // A table cannot be read without its heading, nor a list of records from its middle.
  const isReadable = hint.late !== true || found?.shape === 'json-lines';
  return found === undefined || !isReadable
    ? undefined
    : { score: found.score, format: found.format };
}

/**
 * The first bytes of the content, and whether they are all of it: as many as `sniff` sees, or more if the first
 * line is longer. Errors are left for the main pass.
 */
async function readHead(input: SourceInput): Promise<{ head: Uint8Array; complete: boolean }> {
  let buffer = Buffer.alloc(0);
  let size = 0;
  let complete = true;
  try {
    for await (const block of firstBlocks(input)) {
      if (size === 0) {
        if (block.length > HEAD_BYTES && hasLine(block))
          return { head: Buffer.from(block.subarray(0, HEAD_BYTES)), complete: false };
        buffer = Buffer.alloc(Math.min(MAX_ROW_BYTES, input.size ?? Infinity));
      }
      const part = block.subarray(0, buffer.length - size);
      buffer.set(part, size);
      size += part.length;
      complete = part.length === block.length;
      if (!complete) break;
    }
  } catch {
    complete = false;
  }
  if (size > HEAD_BYTES && hasLine(buffer)) {
    return { head: buffer.subarray(0, HEAD_BYTES), complete: false };
  }
  return { head: buffer.subarray(0, size), complete };
}

/** Whether a line ends within the bytes that `sniff` sees. */
function hasLine(bytes: Uint8Array): boolean {
  return bytes.subarray(0, HEAD_BYTES).includes(10);
}

/** Findings about a content before its records are read. */
interface Opened {
  readonly context: TableContext;
  readonly order: FoundOrder | undefined;
  readonly zone: Zone;
}

/** Examines the beginning; undefined if it is not a table. */
async function open(
  input: SourceInput,
  sink: EventSink,
  options: ReadOptions,
): Promise<Opened | undefined> {
  const { head, complete } = await readHead(input);
  const asked = FORMATS.includes(options.format) ? options.format : 'table';
  const detected = detect(head, complete, asked);
  if (detected === undefined) return undefined;
  sink.metadata('format', detected.format);
  const zone = options.timeZone === undefined ? UTC : resolveZone(options.timeZone);
  const { mapping, kind, wraps = false } = chooseMapping(detected, sink, options);
  if (detected.shape === 'table') {
    const { setters } = planRow(uniqueNames(detected.columns), detected.dialect, mapping);
    // For a flow that states neither direction, `bytes` (`packets`) count both.
    const totals = { bytes: BYTES_TOTAL, packets: PACKETS_TOTAL };
    sink.metadata(
      'totals',
      Object.entries(totals).flatMap(([name, setter]) => (setters.includes(setter) ? [name] : [])),
    );
  }
  const { dateOrder } = options;
  // A separate reading that writes nothing.
  const look = { sink, detected, stamp: new StampReader(zone), kind, mapping, wraps };
  const order = await (detected.shape === 'table'
    ? findDateOrder(input, look, dateOrder)
    : findJsonDateOrder(input, look, dateOrder));
  if (order !== undefined) tellDateOrder(sink, order);
  const stamp = new StampReader(zone, order?.order ?? dateOrder ?? 'dmy');
  return { context: { sink, detected, stamp, kind, mapping, wraps }, order, zone };
}

async function read(
  input: SourceInput,
  sink: EventSink,
  options: ReadOptions,
  readLines: ReadLines,
): Promise<void> {
  const opened = await open(input, sink, options);
  if (opened === undefined) {
    await refuse(input, sink);
    return;
  }
  const { context } = opened;
  switch (context.detected.shape) {
    case 'json-elements':
      await readElements(input, context);
      break;
    case 'json-lines':
      await readJsonLines(input, context, opened.order, options, readLines);
      break;
    default:
      await readTable(input, context);
  }
  tellTimes(context, opened, options);
}

/** Times that state their zone, or count from 1970, leave nothing to decide. */
function tellTimes(
  { stamp, sink }: TableContext,
  { zone, order }: Pick<Opened, 'zone' | 'order'>,
  { timeZone, dateOrder }: ReadOptions,
): void {
  if (stamp.zoneUsed)
    sink.decide({ tz: zone.name, tzBasis: timeZone === undefined ? ZONE_ASSUMED : GIVEN });
  // The first ambiguous date follows after many others.
  if (order !== undefined || !stamp.orderUsed) return;
  const taken = dateOrder ?? 'dmy';
  tellDateOrder(sink, {
    order: taken,
    basis: dateOrder === undefined ? 'guessed: dates are taken as day/month/year here' : GIVEN,
    notes:
      dateOrder === undefined
        ? [
            'dates such as 3/4/2026 could be read either way: taken as day/month/year (change it with --date-order)',
          ]
        : [],
  });
}

/** The requested mapping, or the meanings of names if nothing else is known. */
function chooseMapping(
  detected: Detected,
  sink: EventSink,
  options: ReadOptions,
): Pick<TableContext, 'mapping' | 'kind' | 'wraps'> {
  const { dialect, shape, columns } = detected;
  let mapping = options.mapping;
  const wrapped = mapping === undefined ? wrappedColumns(detected) : undefined;
  if (wrapped !== undefined) {
    const listed = listedMapping(wrapped, new DialectFinder().find(wrapped));
    sink.metadata('mapping', listed);
    sink.decide({ mapping: JSON.stringify(listed.fields) });
    return { mapping: undefined, kind: 'other', wraps: true };
  }
  const json = shape !== 'table' && dialect === undefined;
  if (mapping === undefined && json) {
    // The members of each record are looked up; this shows those of the first ones.
    const listed = listedMapping(columns, new DialectFinder().find(columns), detected.sample);
    sink.metadata('mapping', listed);
    sink.decide({ mapping: JSON.stringify(listed.fields) });
    return { mapping: undefined, kind: 'other' };
  }
  if (mapping === undefined && dialect === undefined) {
    mapping = tableMapping(columns.slice(0, 2000), detected.sample);
  }
  if (mapping === undefined) return { mapping, kind: 'flow' };
  sink.metadata('mapping', mapping);
  sink.decide({ mapping: JSON.stringify(mapping.fields) });
  const present = new Set(columns.map(simplify).filter((name) => name !== ''));
  for (const [field, column] of Object.entries(mapping.fields)) {
    const found = columns.includes(column) || present.has(simplify(column));
    if (!found && shape === 'table') {
      sink.note(`the mapping of ${field} names a column that is not here: ${column}`);
    }
  }
  if (shape === 'table') {
    for (const [field, names] of sharedFields(columns, new SetterChooser(dialect, mapping))) {
      sink.note(`${field}: the first of ${names.join(', ')} that a row has`);
    }
  }
  return { mapping, kind: kindOfFields(mapping.fields) };
}

/**
 * The names of the first row's members if its fields take more than the names of columns: records as JSON in one of
 * them, or a dialect that decides by values.
 */
function wrappedColumns({
  shape,
  dialect,
  columns,
  sample,
}: Detected): readonly string[] | undefined {
  if (shape !== 'table' || dialect !== undefined) return undefined;
  if (new DialectFinder().find(columns).decidesByValues) return columns;
  const row = sample.find((cells) => columns.some((name, i) => isWrapped(name, cells[i] ?? '')));
  if (row === undefined) return undefined;
  const flat = { keys: [...columns], values: columns.map((_, i) => row[i] ?? '') };
  unwrap(flat);
  return flat.keys.length > columns.length ? flat.keys : undefined;
}

async function readTable(input: SourceInput, context: TableContext): Promise<void> {
  const lines = new LineReader(piecesOf(input), { maxLine: MAX_ROW_BYTES, size: input.size });
  const table = new TableReader(context);
  await toTheEnd(
    lines,
    () => table.rows(lines),
    context.sink,
    () => table.line(lines),
    () => table.end(),
  );
}

/**
 * Passes every line to `take`; `end` flushes what that still buffers, even if the content breaks off. Before each
 * line, `many` may take several.
 */
async function toTheEnd(
  lines: LineReader,
  many: () => void,
  sink: EventSink,
  take: () => void,
  end: () => void,
): Promise<void> {
  try {
    while (await lines.nextBlock()) {
      for (;;) {
        many();
        if (!lines.next()) break;
        take();
      }
      await sink.drain(lines.consumed);
    }
  } catch (error) {
    if (error instanceof SourceError) end();
    await lines.close();
    throw error;
  }
  end();
}

async function readElements(input: SourceInput, context: TableContext): Promise<void> {
  const records = new JsonRecords(context);
  const lines = new LineReader(input.blocks(), { maxLine: MAX_ROW_BYTES, size: input.size });
  let around: string | undefined;
  let othersDiffer = false;
  let after = '';
  const sink: ElementSink = {
    element: (bytes, start, end, offset, length) => {
      records.record(bytes, start, end, offset, length);
    },
    junk: (bytes, start, end, offset, reason) => {
      records.junk(bytes, start, end, offset, reason);
    },
    around: (bytes, start, end) => {
      const most = Math.min(end, start + MOST_AROUND_BYTES);
      const stated = Buffer.from(bytes.subarray(start, most)).toString('utf8').trim();
      if (around === undefined) context.sink.metadata('around', (around = stated));
      else if (around !== stated && !othersDiffer) {
        othersDiffer = true;
        context.sink.note(
          'objects around lists of records differ: only the fields of the first were kept',
        );
      }
    },
    after: (bytes, start, end) => {
      const most = Math.min(end, start + MOST_AROUND_BYTES - after.length);
      if (most > start) after += Buffer.from(bytes.subarray(start, most)).toString('utf8');
    },
  };
  const scanner = new ElementScanner(sink, context.detected.lists);
  await toTheEnd(
    lines,
    () => undefined,
    context.sink,
    () => {
      const whole = !lines.truncated || lines.complete;
      scanner.line(lines.buffer, lines.lineStart, lines.lineEnd, lines.lineOffset, whole);
    },
    () => {
      if (scanner.cutOffIn !== undefined) {
        const text = `ends inside ${scanner.cutOffIn}`;
        context.sink.note(text);
        context.sink.broken?.('partial', lines.consumed, text);
      }
      scanner.end();
      records.finish();
      if (after.includes('"')) context.sink.metadata('aroundEnd', after.trim());
    },
  );
}

/** Reads a JSON object a line, and lines of a log among them. */
async function readJsonLines(
  input: SourceInput,
  context: TableContext,
  found: FoundOrder | undefined,
  options: ReadOptions,
  readLines: ReadLines,
): Promise<void> {
  const records = new JsonRecords(context);
  const dateOrder = found?.order ?? options.dateOrder;
  const finish = (): void => {
    records.finish();
    // Lines of a log have the order of the records.
    if (found !== undefined)
      context.sink.decide({ dateOrder: found.order, dateOrderBasis: found.basis });
  };
  try {
    await readLines(input, context.sink, { ...options, dateOrder }, records);
  } catch (error) {
    if (error instanceof SourceError) finish();
    throw error;
  }
  finish();
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte !== 32 && byte !== 9 && byte !== 13) return false;
  }
  return true;
}

/** Content that is not a table although it was requested to be read as one: nothing of it is lost. */
async function refuse(input: SourceInput, sink: EventSink): Promise<void> {
  const lines = new LineReader(input.blocks(), { maxLine: MAX_ROW_BYTES, size: input.size });
  while (await lines.nextBlock()) {
    while (lines.next()) {
      if (isBlank(lines.buffer, lines.lineStart, lines.lineEnd)) {
        sink.skip('blank line', 1);
        continue;
      }
      const raw = lines.buffer.subarray(lines.lineStart, lines.lineEnd);
      sink.quarantine(lines.lineOffset, 'not a table', raw, lines.lineNumber);
    }
    await sink.drain(lines.consumed);
  }
}

/** @param readLines reads lines of a log among records */
export const flowCsv = (readLines: ReadLines): Importer => ({
  id: ID,
  title: 'Flow exports, Zeek and Suricata logs, CSV and JSON tables',
  // 2: members beyond 4096 names are columns, too. 4: long texts of JSON are kept as they are.
  // 5: columns by names that mean them, kinds record by record. 6: lists of records within an object.
  // 7: the zone of a row.
  // 8: dates in one order, found in all of them, with the bits that retime needs.
  // 9: the same of JSON.
  // 10: columns of several protocols are one field (`tcp.srcport`, `udp.srcport`); Zeek's lists are
  // arrays, IPv4-mapped addresses IPv4.
  // 12: fields of texts by dialects, records that members and columns wrap.
  // 13: logs of Zeek and Suricata have the kinds that protocols of captures have. 14: those that their columns tell, too.
  // 15: names that a record states more than once, also one that is wrapped; its large numbers as stated.
  // 16: the host of a record is the one that was asked for only beside a method and a URL; connections are no files;
  // two backslashes end a domain as one does; JSON says whether its flows state bytes for both ways together.
  // 17: lines of a log among JSON records are events. 19 and 20: hosts of Zeek's sensors, more names of records.
  // 21: times in every form that lines of logs have.
  // 30: MinIO's, Rancher's and TrueNAS' audits, and addresses of Zeek's notices that are about no connection.
  // 32: bytes of Azure's Traffic Analytics by source, and levels of Windows by a number beside a name.
  version: 32,
  // Later lines can change the meaning of dates, and a summary may replace rows.
  appendOnly: false,
  byLines: true,
  readsOn: true,
  formats: FORMATS,
  sniff,
  async outline(input, { format, mapping }) {
    const { head, complete } = await readHead(input);
    const detected = detect(head, complete, FORMATS.includes(format) ? format : 'table');
    return detected === undefined ? undefined : outlineOf(detected, head, complete, mapping);
  },
  read: (input, sink, options) => read(input, sink, options, readLines),
});
