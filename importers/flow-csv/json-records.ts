/**
 * Writes JSON objects into batches: Zeek's and nfdump's JSON, Suricata's eve.json and any other.
 *
 * Held always: an object is taken apart before anything of it is written, so that a bad one leaves
 * nothing behind; members that no column holds are attributes under their own (dotted) names.
 */
import { isUtf8 } from 'node:buffer';
import type { EventBatch } from '../../engine/contract/event-batch.ts';
import type { Kind } from '../../engine/contract/event.ts';
import type { ColumnMapping, EventSink } from '../../engine/contract/importer.ts';
import type { Detected } from './detect.ts';
import { eveEvent } from './dialects/eve.ts';
import type { Dialect } from './dialects/dialect.ts';
import { zeekLog } from './dialects/zeek.ts';
import { SETTERS, simplify } from './fields.ts';
import { flatten, type Flat, type Scalar } from './flatten.ts';
import { planRow, SetterChooser } from './plan.ts';
import { RowWriter } from './row-writer.ts';
import type { StampReader } from './stamp.ts';

/** Names of members that are remembered for one kind of record; others are looked up each time. */
const MAX_NAMES = 4096;
const NOT_REMEMBERED = -1;
const MAX_DIALECTS = 64;
const encoder = new TextEncoder();
const windows1252 = new TextDecoder('windows-1252');

/** What a member's name means. */
interface Member {
  readonly index: number;
  readonly setter: number;
  readonly name: string;
}

/** Writes records of one dialect. */
class Records {
  private readonly batch: EventBatch;
  private readonly chooser: SetterChooser;
  private readonly writer: RowWriter;
  private readonly members = new Map<string, Member>();
  private readonly names: string[] = [];
  private readonly used = new Uint8Array(256);
  private scratch = Buffer.alloc(4096);

  constructor(
    batch: EventBatch,
    dialect: Dialect | undefined,
    mapping: ColumnMapping | undefined,
    stamp: StampReader,
    eventType: string | undefined,
  ) {
    this.batch = batch;
    this.chooser = new SetterChooser(dialect, mapping);
    const plan = planRow([], dialect, undefined, [], eventType);
    this.writer = new RowWriter(batch, { ...plan, names: this.names }, stamp, true);
  }

  write(
    flat: Flat,
    seq: number,
    offset: number,
    length: number,
    raw: Uint8Array,
    start: number,
    end: number,
  ): void {
    const { writer, batch, used } = this;
    const row = batch.length;
    used.fill(0);
    writer.begin();
    for (let i = 0; i < flat.keys.length; i++) {
      const key = flat.keys[i]!;
      const value = flat.values[i]!;
      if (value === '') continue;
      const member = this.member(key);
      const setter = member.setter;
      if (setter === 0 || used[setter] === 1) {
        this.attribute(member, row, value);
        continue;
      }
      if (setter === SETTERS.vlan && typeof value === 'string') {
        this.vlans(member, row, value);
        continue;
      }
      if (setter !== SETTERS.key && setter !== SETTERS.ts_end) used[setter] = 1;
      let text = typeof value === 'string' ? value : String(value);
      if (setter === SETTERS.ts && typeof value === 'number') {
        text = numberAsStated(key, value, raw, start, end);
      }
      const size = this.toBytes(text);
      let from = 0;
      let to = size;
      while (from < to && this.scratch[from] === 32) from += 1;
      while (to > from && this.scratch[to - 1] === 32) to -= 1;
      if (from === to) continue;
      if (member.index === NOT_REMEMBERED) {
        writer.typedAs(member.name, setter, this.scratch, from, to);
      } else {
        writer.typed(member.index, setter, this.scratch, from, to);
      }
    }
    writer.finish(seq, offset, length, raw, start, end);
  }

  private member(key: string): Member {
    const known = this.members.get(key);
    if (known !== undefined) return known;
    const { setter, name } = this.chooser.choose(key);
    // Two members may be renamed alike by a mapping: the second keeps its own name.
    const own = this.names.includes(name) ? key : name;
    const index = this.members.size < MAX_NAMES ? this.names.length : NOT_REMEMBERED;
    const member = { index, setter: SETTERS[setter], name: own };
    if (index === NOT_REMEMBERED) return member;
    this.names.push(own);
    this.members.set(key, member);
    return member;
  }

  private attribute(member: Member, row: number, value: Scalar): void {
    const column = this.batch.attributeColumn(member.name);
    const text = typeof value === 'string' ? value : String(value);
    if (column === undefined) {
      this.batch.setAttribute(member.name, text);
    } else if (column.present[row] === 0) {
      // First: `toBytes` may replace `scratch` by a larger one.
      const size = this.toBytes(text);
      column.set(row, this.scratch, 0, size);
    } else {
      // `{"a.b":1,"a":{"b":2}}`: two members of one name.
      this.batch.setAttribute(`${member.name}.1`, text);
    }
  }

  /** Suricata lists VLANs from the outermost in. */
  private vlans(member: Member, row: number, text: string): void {
    const outer = /^\[?(\d{1,4})\b/.exec(text)?.[1];
    if (outer !== undefined && Number(outer) < 4096) this.batch.vlan.set(row, Number(outer));
    if (outer !== text) this.attribute(member, row, text);
  }

  /** Writes the text to `scratch`, which a longer text replaces; gives its size. */
  private toBytes(text: string): number {
    const size = text.length;
    if (size <= 40) {
      const scratch = this.scratch;
      let any = 0;
      for (let i = 0; i < size; i++) {
        const code = text.charCodeAt(i);
        any |= code;
        scratch[i] = code;
      }
      if (any < 128) return size;
    }
    if (text.length * 3 > this.scratch.length) this.scratch = Buffer.alloc(text.length * 4);
    return encoder.encodeInto(text, this.scratch).written;
  }
}

/** The digits of a number as they stand in the record, where they can be found at once. */
function numberAsStated(
  key: string,
  value: number,
  raw: Uint8Array,
  start: number,
  end: number,
): string {
  const text = Buffer.from(raw.buffer, raw.byteOffset + start, end - start);
  const label = `"${key.slice(key.lastIndexOf('.') + 1)}"`;
  let at = text.indexOf(label);
  if (at >= 0) {
    at += Buffer.byteLength(label);
    while (text[at] === 32 || text[at] === 58) at += 1;
    let stop = at;
    while (stop < text.length && isNumberByte(text[stop]!)) stop += 1;
    const stated = text.toString('latin1', at, Math.min(stop, at + 40));
    if (Number(stated) === value) return stated;
  }
  return String(value);
}

function isNumberByte(byte: number): boolean {
  return (byte >= 48 && byte <= 57) || byte === 46 || byte === 45;
}

export interface JsonContext {
  readonly sink: EventSink;
  readonly detected: Detected;
  readonly stamp: StampReader;
  readonly kind: Kind;
  readonly mapping: ColumnMapping | undefined;
}

export class JsonRecords {
  private readonly context: JsonContext;
  private readonly byType = new Map<string, Records>();
  private readonly usual: Records | undefined;
  private readonly format: string;
  private seq: number;

  /** @param before records that another reader of the same content has counted */
  constructor(context: JsonContext, before = 0) {
    this.seq = before;
    this.context = context;
    this.format = context.detected.dialect?.id ?? 'json';
    if (this.format === 'zeek-json') {
      this.usual = this.zeekRecords(undefined);
    } else if (this.format !== 'suricata-eve') {
      const { detected, kind, sink, mapping, stamp } = context;
      const dialect = detected.dialect;
      this.usual = new Records(
        sink.batch(dialect?.kind ?? kind),
        dialect,
        mapping,
        stamp,
        undefined,
      );
    }
  }

  /** Records so far, those before the piece included. */
  get records(): number {
    return this.seq;
  }

  /** Takes the record in `bytes[start, end)`, which lies at `offset` in the content. */
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
    let reason = 'not valid JSON';
    let good = false;
    try {
      const value = parse(textOf(bytes, start, end));
      reason = 'not a JSON object';
      good = flatten(value, flat);
    } catch (error) {
      if (error instanceof RangeError) reason = 'JSON is nested too deeply';
    }
    if (!good) {
      this.context.sink.quarantine(offset, reason, bytes.subarray(start, end), line);
      return;
    }
    this.recordsFor(flat).write(flat, this.seq, offset, length, bytes, start, end);
    this.context.sink.record(1);
  }

  /** Counts what is no record at all. */
  junk(bytes: Uint8Array, start: number, end: number, offset: number, reason: string): void {
    this.seq += 1;
    this.context.sink.quarantine(offset, reason, bytes.subarray(start, end));
  }

  private recordsFor(flat: Flat): Records {
    if (this.format === 'suricata-eve') {
      const type = valueOf(flat, 'event_type') ?? '';
      return this.cached(type, () => {
        const dialect = eveEvent(type);
        const { sink, mapping, stamp } = this.context;
        return new Records(sink.batch(dialect.kind), dialect, mapping, stamp, undefined);
      });
    }
    if (this.format === 'zeek-json') {
      const path = valueOf(flat, '_path');
      if (path !== undefined) return this.cached(path, () => this.zeekRecords(path));
    }
    return this.usual!;
  }

  private cached(type: string, make: () => Records): Records {
    let records = this.byType.get(type);
    if (records === undefined) {
      records = make();
      if (this.byType.size >= MAX_DIALECTS) this.byType.clear();
      this.byType.set(type, records);
    }
    return records;
  }

  private zeekRecords(path: string | undefined): Records {
    const { sink, mapping, stamp, detected } = this.context;
    const names = path === undefined ? new Set(detected.columns.map(simplify)) : new Set<string>();
    const dialect = zeekLog(path, names, 'zeek-json');
    return new Records(sink.batch(dialect.kind), dialect, mapping, stamp, dialect.path);
  }
}

function valueOf(flat: Flat, key: string): string | undefined {
  const at = flat.keys.indexOf(key);
  const value = at < 0 ? undefined : flat.values[at];
  return typeof value === 'string' ? value : undefined;
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  return isUtf8(part) ? part.toString('utf8') : windows1252.decode(part);
}

/** Numbers that a double cannot hold are kept as their digits. */
function parse(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Behind a point are digits of a fraction, behind a quote those of a text.
  return /[:,[\s-]\d{16}/.test(text) ? JSON.parse(text, keepDigits) : value;
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? context.source : value;
}
