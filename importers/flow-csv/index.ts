/**
 * Flow exports and other tables: nfdump, SiLK, Argus, CICFlowMeter, UNSW-NB15, AWS VPC flow logs,
 * Zeek, Suricata, and any CSV or JSON through a mapping. See docs/importers/flow-csv.md.
 *
 * Held always: what is read depends on the bytes and the options alone, and memory is bounded by the
 * longest row allowed.
 */
import { SourceError } from '../../engine/contract/errors.ts';
import type {
  EventSink,
  Importer,
  ReadOptions,
  SniffHint,
  SniffResult,
  SourceInput,
} from '../../engine/contract/importer.ts';
import { LineReader } from '../shared/lines.ts';
import { resolveZone, UTC } from '../../engine/contract/zone.ts';
import { findDateOrder } from './date-order.ts';
import { detect, HEAD_BYTES, type Detected } from './detect.ts';
import { FORMATS } from './dialects/registry.ts';
import { isMappable, simplify } from './fields.ts';
import { guessMapping, kindOfFields } from './guess.ts';
import { ElementScanner } from './json-elements.ts';
import { JsonRecords } from './json-records.ts';
import { outlineOf } from './outline.ts';
import { StampReader, type DateOrder } from './stamp.ts';
import { TableReader, type TableContext } from './table.ts';

export { guessMapping, isMappable };

const ID = 'flow-csv';
const MAX_ROW_BYTES = 1024 * 1024;

function sniff(head: Uint8Array, hint: SniffHint): SniffResult | undefined {
  const found = detect(head, hint.complete);
  return found === undefined ? undefined : { score: found.score, format: found.format };
}

/**
 * The first bytes of the content, and whether they are all of it: as many as `sniff` sees, or more
 * where the first line is longer. Errors are left for the main pass.
 */
async function readHead(input: SourceInput): Promise<{ head: Uint8Array; complete: boolean }> {
  const buffer = Buffer.alloc(MAX_ROW_BYTES);
  let size = 0;
  let complete = true;
  try {
    for await (const block of input.blocks()) {
      const part = block.subarray(0, buffer.length - size);
      buffer.set(part, size);
      size += part.length;
      complete = part.length === block.length;
      if (!complete) break;
    }
  } catch {
    complete = false;
  }
  const firstLine = buffer.subarray(0, size).indexOf(10);
  if (size > HEAD_BYTES && firstLine >= 0 && firstLine < HEAD_BYTES) {
    return { head: buffer.subarray(0, HEAD_BYTES), complete: false };
  }
  return { head: buffer.subarray(0, size), complete };
}

async function read(input: SourceInput, sink: EventSink, options: ReadOptions): Promise<void> {
  const { head, complete } = await readHead(input);
  const asked = FORMATS.includes(options.format) ? options.format : 'table';
  const detected = detect(head, complete, asked);
  if (detected === undefined) {
    await refuse(input, sink);
    return;
  }
  sink.metadata('format', detected.format);
  const zone = options.timeZone === undefined ? UTC : resolveZone(options.timeZone);
  const { mapping, kind } = chooseMapping(detected, sink, options);
  const order = await chooseDateOrder(input, sink, detected, mapping);
  const stamp = new StampReader(zone, order);
  const context: TableContext = { sink, detected, stamp, kind, mapping };
  const json = detected.shape === 'json-lines' || detected.shape === 'json-elements';
  await (json ? readJson(input, context) : readTable(input, context));
  // Times that state their zone, or count from 1970, leave nothing to decide.
  if (stamp.zoneUsed) sink.decide({ tz: zone.name });
}

/** What was asked for, or a guess where nothing else says what the columns are. */
function chooseMapping(
  detected: Detected,
  sink: EventSink,
  options: ReadOptions,
): Pick<TableContext, 'mapping' | 'kind'> {
  let mapping = options.mapping;
  if (mapping === undefined && detected.dialect === undefined) {
    mapping = guessMapping(detected.columns.slice(0, 2000), detected.sample);
  }
  if (mapping === undefined) return { mapping, kind: 'flow' };
  sink.metadata('mapping', mapping);
  sink.decide({ mapping: JSON.stringify(mapping.fields) });
  const present = new Set(detected.columns.map(simplify).filter((name) => name !== ''));
  for (const [field, column] of Object.entries(mapping.fields)) {
    const found = detected.columns.includes(column) || present.has(simplify(column));
    if (!found && detected.shape === 'table') {
      sink.note(`the mapping of ${field} names no column here: ${column}`);
    }
  }
  return { mapping, kind: kindOfFields(mapping.fields) };
}

async function chooseDateOrder(
  input: SourceInput,
  sink: EventSink,
  detected: Detected,
  mapping: TableContext['mapping'],
): Promise<DateOrder> {
  if (detected.shape !== 'table') return 'dmy';
  const found = await findDateOrder(input, detected, mapping);
  if (found === undefined) return 'dmy';
  sink.decide({ dateOrder: found.order });
  if (!found.certain) {
    sink.note('dates such as 3/4/2026 could be read either way: taken as day/month/year');
  }
  return found.order;
}

async function readTable(input: SourceInput, context: TableContext): Promise<void> {
  const lines = new LineReader(input.blocks(), { maxLine: MAX_ROW_BYTES });
  const table = new TableReader(context);
  await toTheEnd(
    lines,
    context.sink,
    () => {
      table.line(lines);
    },
    () => {
      table.end();
    },
  );
}

/** Gives every line to `take`; what `take` still holds back is given up even if the content breaks off. */
async function toTheEnd(
  lines: LineReader,
  sink: EventSink,
  take: () => void,
  end: () => void,
): Promise<void> {
  try {
    while (await lines.nextBlock()) {
      while (lines.next()) take();
      await sink.drain(lines.consumed);
    }
  } catch (error) {
    if (error instanceof SourceError) end();
    throw error;
  }
  end();
}

async function readJson(input: SourceInput, context: TableContext): Promise<void> {
  const { sink, detected } = context;
  const records = new JsonRecords(context);
  if (detected.shape === 'json-elements') {
    const lines = new LineReader(input.blocks(), { maxLine: MAX_ROW_BYTES });
    const scanner = new ElementScanner({
      element: (bytes, start, end, offset, length) => {
        records.record(bytes, start, end, offset, length);
      },
      junk: (bytes, start, end, offset, reason) => {
        records.junk(bytes, start, end, offset, reason);
      },
    });
    await toTheEnd(
      lines,
      sink,
      () => {
        const whole = !lines.truncated || lines.complete;
        scanner.line(lines.buffer, lines.lineStart, lines.lineEnd, lines.lineOffset, whole);
      },
      () => {
        scanner.end();
      },
    );
    return;
  }
  const lines = new LineReader(input.blocks());
  let inLong = false;
  while (await lines.nextBlock()) {
    while (lines.next()) {
      const { buffer, lineStart, lineEnd, lineOffset, lineLength, lineNumber } = lines;
      if (lines.truncated) {
        if (!inLong)
          records.junk(buffer, lineStart, lineEnd, lineOffset, 'line is longer than 16 MiB');
        inLong = !lines.complete;
      } else if (isBlank(buffer, lineStart, lineEnd)) {
        sink.skip('blank line', 1);
      } else {
        records.record(buffer, lineStart, lineEnd, lineOffset, lineLength, lineNumber);
      }
    }
    await sink.drain(lines.consumed);
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte !== 32 && byte !== 9 && byte !== 13) return false;
  }
  return true;
}

/** Content that is no table, though it was to be read as one: nothing of it is lost. */
async function refuse(input: SourceInput, sink: EventSink): Promise<void> {
  const lines = new LineReader(input.blocks(), { maxLine: MAX_ROW_BYTES });
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

export const flowCsvImporter: Importer = {
  id: ID,
  title: 'Flow exports, Zeek and Suricata logs, CSV and JSON tables',
  version: 1,
  // Later lines can change what dates mean, and a summary takes the place of rows.
  appendOnly: false,
  formats: FORMATS,
  sniff,
  async outline(input, { format, mapping }) {
    const { head, complete } = await readHead(input);
    const detected = detect(head, complete, FORMATS.includes(format) ? format : 'table');
    return detected === undefined ? undefined : outlineOf(detected, head, complete, mapping);
  },
  read,
};
