/**
 * Logs of Configuration Manager, Intune and other tools in the format of CMTrace (record.ts), one event of kind `log` a
 * record. See docs/importers/cmtrace.md.
 *
 * Held always: every line is part of one event, blank, or in quarantine.
 */
import { GIVEN, ZONE_ASSUMED } from '../../engine/contract/time/decisions.ts';
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import { type ByteOffset, TS_BASIS } from '../../engine/contract/event.ts';
import type {
  EventSink,
  Importer,
  ReadOptions,
  SniffHint,
  SniffResult,
} from '../../engine/evidence/importer.ts';
import { resolveZone, type Zone } from '../../engine/contract/time/zone.ts';
import { CONTINUATION, headLines } from '../shared/lines.ts';
import { type LineTaker, type Place, readLines } from '../shared/read-lines.ts';
import { BEGIN, legacyEnd, recordEnd, type RecordEnd, type RecordTime } from './record.ts';

/** Of one record; lines beyond these are events of their own, without a time. */
const MAX_RECORD_LINES = 2000;
const MAX_RECORD_CHARACTERS = 1 << 20;
/** Lines of the head that decide. */
const FIRST_LINES = 20;

function sniff(bytes: Uint8Array, { complete }: SniffHint): SniffResult | undefined {
  const lines = headLines(bytes, complete);
  const first = lines.filter((line) => line.trim() !== '').slice(0, FIRST_LINES);
  // A file that was started over may begin with the end of a record.
  const isBegun = first.some((line) => line.startsWith(BEGIN));
  const legacy = first.filter((line) => legacyEnd(line) !== undefined).length;
  if (!isBegun && legacy * 2 <= first.length) return undefined;
  return { score: 0.95, format: 'cmtrace' };
}

interface Begun {
  readonly lines: string[];
  characters: number;
  readonly offset: ByteOffset;
  end: ByteOffset;
}

class CmTraceReader implements LineTaker {
  private readonly sink: EventSink;
  private readonly batch: EventBatch;
  private readonly zone: Zone;
  private readonly zoneBasis: string;
  private seq = 0;
  private begun: Begun | undefined;
  private uncertain = 0;
  private unended = 0;
  private isZoneTold = false;

  constructor(sink: EventSink, { timeZone }: Pick<ReadOptions, 'timeZone'>) {
    this.sink = sink;
    this.batch = sink.batch('log');
    this.zone = resolveZone(timeZone ?? 'UTC');
    this.zoneBasis = timeZone === undefined ? ZONE_ASSUMED : GIVEN;
  }

  waitingFrom(): ByteOffset | undefined {
    return this.begun?.offset;
  }

  line(line: string, { offset, end }: Place): void {
    // A record that ends nowhere: its program was stopped.
    if (line.startsWith(BEGIN)) this.flush();
    let { begun } = this;
    if (begun === undefined) {
      if (line.trim() === '') {
        this.sink.skip('blank line', 1);
        return;
      }
      if (!line.startsWith(BEGIN)) {
        const found = legacyEnd(line) ?? recordEnd(line);
        this.emit(textOf(line, found), found, offset, end);
        return;
      }
      begun = { lines: [], characters: BEGIN.length, offset, end };
      this.begun = begun;
    }
    begun.characters += line.length;
    begun.end = end;
    const found = recordEnd(line);
    begun.lines.push(textOf(line, found));
    const isLong =
      begun.lines.length >= MAX_RECORD_LINES || begun.characters >= MAX_RECORD_CHARACTERS;
    if (found !== undefined) this.emitBegun(begun, found);
    else if (isLong) this.flush();
  }

  /** No line of a waiting record follows. */
  flush(): void {
    if (this.begun === undefined) return;
    this.unended += 1;
    this.emitBegun(this.begun, undefined);
  }

  end(): void {
    this.flush();
    if (this.unended > 0)
      this.sink.note(
        `${this.unended} of its records ${this.unended === 1 ? 'has' : 'have'} no end, and no time`,
      );
    if (this.uncertain > 0)
      this.sink.note(
        `${this.uncertain} of its times state an offset that scripts write in different ways: they were read in the zone ${this.zone.name} (change it with --tz)`,
      );
  }

  private emitBegun({ lines, offset, end }: Begun, found: RecordEnd | undefined): void {
    this.begun = undefined;
    if (lines.length > 1) this.sink.skip(CONTINUATION, lines.length - 1);
    this.emit(lines.join('\n').slice(BEGIN.length), found, offset, end);
  }

  private emit(
    text: string,
    found: RecordEnd | undefined,
    offset: ByteOffset,
    end: ByteOffset,
  ): void {
    const { batch } = this;
    const row = batch.length;
    this.seq += 1;
    batch.seq.set(row, this.seq);
    batch.offset.set(row, offset);
    batch.record_length.set(row, end - offset);
    if (found?.time !== undefined) this.time(row, found.time);
    batch.message.setString(row, text);
    if (found !== undefined) {
      const { component, severity, attributes } = found;
      if (component !== '') batch.program.setString(row, component);
      if (severity !== undefined) batch.severity.set(row, severity);
      for (const [name, value] of Object.entries(attributes)) batch.setAttribute(name, value);
    }
    batch.endRow();
    this.sink.record(1);
  }

  private time(row: number, time: RecordTime): void {
    const { localSeconds, nanos, digits, offset: stated } = time;
    const { batch, zone } = this;
    if (time.isUncertain) this.uncertain += 1;
    const offset = stated ?? zone.fixed ?? zone.offsetAtLocalSeconds(localSeconds);
    const micros = Math.floor(nanos / 1000);
    batch.ts.set(row, (localSeconds - offset) * 1e6 + micros);
    if (digits > 6) batch.ts_ns.set(row, nanos - micros * 1000);
    batch.ts_digits.set(row, digits);
    batch.tz_offset.set(row, offset);
    batch.ts_basis.set(row, stated === undefined ? TS_BASIS.zoneDecided : 0);
    if (stated !== undefined || this.isZoneTold) return;
    this.isZoneTold = true;
    this.sink.decide({ tz: zone.name, tzBasis: this.zoneBasis });
  }
}

/** What a line has of a record's text; what follows the record, which no program writes, is kept with it. */
function textOf(line: string, found: RecordEnd | undefined): string {
  if (found === undefined) return line;
  const text = line.slice(0, found.textEnd);
  const rest = line.slice(found.end).trim();
  return rest === '' ? text : `${text}\n${rest}`;
}

export const cmtraceImporter: Importer = {
  id: 'cmtrace',
  title: 'Configuration Manager and Intune logs (CMTrace)',
  version: 1,
  appendOnly: false,
  byLines: true,
  formats: ['cmtrace'],
  sniff,
  read: (input, sink, options) => readLines(input, sink, new CmTraceReader(sink, options)),
};
