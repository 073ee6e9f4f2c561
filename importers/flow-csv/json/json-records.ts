/**
 * Writes JSON objects into batches: Zeek's and nfdump's JSON, Suricata's eve.json and any other.
 *
 * Invariants: an object is parsed completely before anything of it is written, so that a bad one leaves nothing
 * behind; members without a column are attributes under their own (dotted) names.
 */
import { type JsonContext, RecordWriter, type Totals } from './record-writer.ts';
import { isUtf8 } from 'node:buffer';
import { nounOf } from '../../../engine/contract/words/counted.ts';
import type { LineRecords } from '../../../engine/evidence/importer.ts';
import { DialectFinder, type Meanings } from '../../../engine/fields/registry/meanings.ts';
import { eveEvent, eveTypeOf } from '../dialects/eve.ts';
import { zeekLog, ZeekLogFinder } from '../dialects/zeek.ts';
import { simplify } from '../fields.ts';
import { flatten, type Flat, unwrap } from '../../../engine/fields/reading/json/flatten.ts';
import { parseWithRepeatedNames } from '../../../engine/fields/reading/json/repeated-names.ts';
import { eventsOf } from './listed-events.ts';

const MAX_DIALECTS = 64;
const NO_BYTES = new Uint8Array(0);
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const QUOTE = 34;
/** Bytes with which a JSON value other than an object may begin. */
const BEGINS_VALUE: ReadonlySet<number> = new Set(Buffer.from('["-0123456789tfn'));
/** A longer line that is not an object belongs to a log. */
const MOST_VALUE_BYTES = 64 * 1024;
const windows1252 = new TextDecoder('windows-1252');

/** Elasticsearch's bulk format: the action for the next line. */
const BULK_ACTION = /^(?:index|create)(?:\._(?:index|type|id))?$/;

function isBulkAction({ keys }: Flat): boolean {
  return keys.length > 0 && keys.length < 4 && keys.every((key) => BULK_ACTION.test(key));
}

/** Adds the members of the object in `bytes[start, end)` to `flat`, or returns why it is not one. */
function takeApart(
  bytes: Uint8Array,
  start: number,
  end: number,
  flat: Flat,
): { reason?: string; isRepeated: boolean } {
  try {
    const { value, isRepeated } = parseWithRepeatedNames(textOf(bytes, start, end));
    if (!flatten(value, flat)) return { reason: 'not a JSON object', isRepeated };
    return { isRepeated: unwrap(flat) || isRepeated };
  } catch (error) {
    const reason = error instanceof RangeError ? 'JSON is nested too deeply' : 'not valid JSON';
    return { reason, isRepeated: false };
  }
}

/** Where a record is in the content, and the bytes `[start, end)` that it is in. */
type Place = readonly [
  offset: number,
  length: number,
  bytes: Uint8Array,
  start: number,
  end: number,
];

export class JsonRecords implements LineRecords {
  private readonly context: JsonContext;
  private readonly byType = new Map<string, RecordWriter>();
  private readonly bySchema = new Map<Meanings, RecordWriter>();
  private readonly finder = new DialectFinder();
  private readonly zeekLogs = new ZeekLogFinder();
  private readonly zeekNames: ReadonlySet<string>;
  private readonly format: string;
  private seq = 0;
  /** Records with several events: those that they list, or one for each of their times. */
  private readonly lists = { records: 0, events: 0 };
  private unread = 0;
  private readonly timed = { records: 0, events: 0 };
  private repeated = 0;
  private readonly totals: Totals = new Set();

  constructor(context: JsonContext) {
    this.context = context;
    this.format = context.detected.dialect?.id ?? 'json';
    this.zeekNames = new Set(context.detected.columns.map(simplify));
  }

  /**
   * Whether a line is JSON, or a truncated or damaged object. Surrounding NULs, as left by a crash, are ignored.
   */
  isOne(bytes: Uint8Array, start: number, end: number): boolean {
    const [from, to] = bareLine(bytes, start, end);
    if (bytes[from] === OPEN_BRACE) {
      let at = from + 1;
      while (at < to && bytes[at]! <= 32) at += 1;
      return at === to || bytes[at] === QUOTE || bytes[at] === CLOSE_BRACE;
    }
    if (to - from > MOST_VALUE_BYTES || !BEGINS_VALUE.has(bytes[from]!)) return false;
    try {
      JSON.parse(textOf(bytes, from, to));
      return true;
    } catch {
      return false;
    }
  }

  /** Takes the record in `bytes[start, end)`, which is at `offset` in the content. */
  record(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    length: number,
    line?: number,
  ): void {
    this.seq += 1;
    const flat: Flat = { keys: [], values: [] };
    const { reason, isRepeated } = takeApart(bytes, ...bareLine(bytes, start, end), flat);
    if (isRepeated) this.repeated += 1;
    if (reason !== undefined) {
      this.context.sink.quarantine(offset, reason, bytes.subarray(start, end), line);
      return;
    }
    if (isBulkAction(flat)) {
      this.context.sink.skip('Elasticsearch bulk action', 1);
      return;
    }
    this.seq += this.writeListed(flat, this.seq, offset, length, bytes, start, end) - 1;
  }

  number(): number {
    this.seq += 1;
    return this.seq;
  }

  /**
   * Writes a record, or each of the events that it lists, which then count as records.
   * @returns their number
   */
  private writeListed(flat: Flat, seq: number, ...place: Place): number {
    const { list, events } = eventsOf(flat);
    if (list === 'unread') this.unread += 1;
    let count = 0;
    for (const event of events) {
      if (event !== flat && unwrap(event)) this.repeated += 1;
      count += this.write(event, seq + count, ...place);
    }
    if (count === 0) throw new Error('a record has given no event');
    if (list === 'read') {
      this.lists.records += 1;
      this.lists.events += count;
    }
    return count;
  }

  /**
   * Writes a record: as one event, or as one for each of its times, which then count as records.
   * @returns their number
   */
  private write(flat: Flat, seq: number, ...place: Place): number {
    const { sink } = this.context;
    const known = this.totals.size;
    const writer = this.writerFor(flat);
    const times = writer.timesOf(flat);
    if (times.length === 0) {
      writer.write(flat, seq, ...place);
      // Immediately: these events may be stored and queried before the rest is read.
      if (this.totals.size > known) this.tellTotals();
      sink.record(1);
      return 1;
    }
    for (const [at, time] of times.entries()) {
      writer.write(flat, seq + at, ...place, time);
      sink.record(1);
    }
    this.timed.records += 1;
    this.timed.events += times.length;
    return times.length;
  }

  private tellTotals(): void {
    this.context.sink.metadata('totals', [...this.totals]);
  }

  /**
   * Reports measures that records state for both directions together, the number of events from records with
   * several events, and the number of records that repeat a name.
   */
  finish(): void {
    this.tellTotals();
    const { repeated } = this;
    if (repeated > 0)
      this.context.sink.note(
        `${repeated} ${nounOf(repeated, 'record')} ${repeated === 1 ? 'states' : 'state'} a name more than once: the last value has the name, earlier ones have NAME.1, NAME.2, …`,
      );
    this.tellMany('with a list of events', this.lists, 'one for each in the list');
    const { unread } = this;
    if (unread > 0)
      this.context.sink.note(
        `${unread} ${nounOf(unread, 'record')} with a list of flows or log events in an unknown form, or with too many other members to repeat for each: each record is one event, with the list as text`,
      );
    this.tellMany('with times', this.timed, 'one for each time');
  }

  private tellMany(
    which: string,
    { records, events }: { records: number; events: number },
    each: string,
  ): void {
    if (records > 0)
      this.context.sink.note(
        `${records} ${nounOf(records, 'record')} ${which} gave ${events} ${nounOf(events, 'event')}, ${each}`,
      );
  }

  /**
   * Takes a row of a table: its columns' names and cells, one of which is a record as JSON, or several of which are
   * times.
   * @returns number of events
   */
  row(flat: Flat, seq: number, offset: number, length: number): number {
    if (unwrap(flat)) this.repeated += 1;
    return this.writeListed(flat, seq, offset, length, NO_BYTES, 0, 0);
  }

  /** The texts of the times in such a row, without writing anything. */
  timesOfRow(flat: Flat): Generator<string> {
    unwrap(flat);
    return this.timesOf(flat);
  }

  /** The texts of the times in the record `bytes[start, end)`, without writing anything. */
  timesOfRecord(bytes: Uint8Array, start: number, end: number): Iterable<string> {
    const flat: Flat = { keys: [], values: [] };
    const { reason } = takeApart(bytes, ...bareLine(bytes, start, end), flat);
    return reason === undefined && !isBulkAction(flat) ? this.timesOf(flat) : [];
  }

  private *timesOf(flat: Flat): Generator<string> {
    for (const event of eventsOf(flat).events) {
      if (event !== flat) unwrap(event);
      yield* this.writerFor(event).textsOfTimes(event);
    }
  }

  /** Counts something that is not a record. */
  junk(bytes: Uint8Array, start: number, end: number, offset: number, reason: string): void {
    this.seq += 1;
    this.context.sink.quarantine(offset, reason, bytes.subarray(start, end));
  }

  /** The record's own type, or, if it does not show it, that of the content. */
  private writerFor(flat: Flat): RecordWriter {
    const { format } = this;
    if (format === 'nfdump-json') return this.nfdump();
    const eveType = eveTypeOf(flat, format === 'suricata-eve');
    if (eveType !== undefined) return this.eve(eveType);
    const log = this.zeekLogs.find(flat, format === 'zeek-json');
    if (log !== undefined) return this.zeek(log, flat);
    if (format === 'zeek-json') return this.zeek(undefined, flat);
    return this.schemaWriter(this.finder.find(flat.keys).forRecord(flat));
  }

  private schemaWriter(meanings: Meanings): RecordWriter {
    let writer = this.bySchema.get(meanings);
    if (writer === undefined) {
      // A mapping is complete by definition.
      const isMapped = this.context.mapping !== undefined;
      writer = new RecordWriter(this.context, this.totals, {
        dialect: undefined,
        meanings: isMapped ? undefined : meanings,
      });
      this.bySchema.set(meanings, writer);
    }
    return writer;
  }

  private eve(type: string): RecordWriter {
    return this.cached(`eve ${type}`, () => {
      return new RecordWriter(this.context, this.totals, {
        dialect: eveEvent(type),
        meanings: undefined,
      });
    });
  }

  private nfdump(): RecordWriter {
    return this.cached('nfdump', () => {
      return new RecordWriter(this.context, this.totals, {
        dialect: this.context.detected.dialect,
        meanings: undefined,
      });
    });
  }

  /** @param log stated or shown by the record; undefined: by the names at the content's beginning */
  private zeek(log: string | undefined, { keys }: Flat): RecordWriter {
    return this.cached(`zeek ${log ?? ''}`, () => {
      const names = log === undefined ? this.zeekNames : new Set(keys.map(simplify));
      const dialect = zeekLog(log, names, 'zeek-json');
      return new RecordWriter(this.context, this.totals, {
        dialect,
        meanings: undefined,
        eventType: dialect.path,
      });
    });
  }

  private cached(type: string, make: () => RecordWriter): RecordWriter {
    let writer = this.byType.get(type);
    if (writer === undefined) {
      writer = make();
      if (this.byType.size >= MAX_DIALECTS) this.byType.clear();
      this.byType.set(type, writer);
    }
    return writer;
  }
}

/** Before each record of a sequence of JSON texts (RFC 7464), as journalctl and jq write them. */
const RECORD_SEPARATOR = 0x1e;

/** A line without surrounding blanks and NULs, and without the record separator before it. */
function bareLine(bytes: Uint8Array, start: number, end: number): [from: number, to: number] {
  let from = start;
  let to = end;
  while (
    from < to &&
    (bytes[from] === 0 || bytes[from] === RECORD_SEPARATOR || isSpace(bytes[from]!))
  )
    from += 1;
  while (to > from && (bytes[to - 1] === 0 || isSpace(bytes[to - 1]!))) to -= 1;
  return [from, to];
}

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 13;
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  return isUtf8(part) ? part.toString('utf8') : windows1252.decode(part);
}
