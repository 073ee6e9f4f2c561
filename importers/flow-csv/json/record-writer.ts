/**
 * Writes the records of one dialect or schema: each member to the field that its name means, or to an attribute under
 * its own (dotted) name.
 */
import type { EventBatch } from '../../../engine/columns/event-batch.ts';
import type { Kind } from '../../../engine/contract/event.ts';
import type { ColumnMapping, EventSink } from '../../../engine/evidence/importer.ts';
import { severityOfLevel } from '../../../engine/fields/records/windows-level.ts';
import {
  GENERAL_RANK,
  type Meaning,
  type Meanings,
  type Part,
  onlyElement,
  partOf,
  storedAs,
} from '../../../engine/fields/registry/meanings.ts';
import {
  cutAccount,
  digestsIn,
  isActionName,
  textOf as fieldText,
} from '../../../engine/fields/reading/texts.ts';
import { parseIpv4, parseIpv6 } from '../../shared/bytes.ts';
import type { Detected } from '../detected.ts';
import type { Dialect } from '../dialects/dialect.ts';
import {
  FIRST_TEXT,
  inStatedZone,
  isSetter,
  MEASURES,
  numberOf,
  SETTER_COUNT,
  SETTERS,
  TEXTS,
  type Setter,
} from '../fields.ts';
import {
  type Flat,
  type Scalar,
  writtenText,
} from '../../../engine/fields/reading/json/flatten.ts';
import { isTime, kindOf } from '../guess.ts';
import { parseProtocol, parseWholeOrHex } from '../numbers.ts';
import { planRow, SetterChooser } from '../plan.ts';
import { type Measure, RowWriter, type RowPlan } from '../row-writer.ts';
import type { StampReader } from '../stamp.ts';

/** Names of members that are cached for one kind of record; others are looked up each time. */
const MAX_NAMES = 4096;
const NOT_REMEMBERED = -1;
const encoder = new TextEncoder();
/** About the length of a number's text. */
const NUMBER_BYTES = 8;

/** The meaning of a member's name. */
interface Member {
  readonly index: number;
  readonly setter: number;
  /** The setter that writes it. */
  readonly writes: number;
  readonly name: string;
  /** The best of several members that mean the same has the column. */
  readonly rank: number;
  /** Another text field that it gives. */
  readonly also: Also | undefined;
  /** Whether it has the name of the field that it gives. */
  readonly isOwn: boolean;
  readonly part: Part | undefined;
}
interface Also {
  readonly setter: number;
  readonly rank: number;
  readonly part: Part | undefined;
  readonly also: Also | undefined;
}

/** No member of the record has this setter. */
const NONE = 0xffff;
/** The meaning comes from a mapping or a dialect; listed names rank after. */
const CERTAIN = 0;
const LISTED = 1;

const FLOW_ONLY = new Uint8Array(SETTER_COUNT);
for (const name of [...MEASURES, 'ts_end', 'tcp_flags', 'vlan', 'service'] as const) {
  FLOW_ONLY[numberOf(name)] = 1;
}
/** Columns that share names with members of other schemas: an invalid value does not claim one. */
const CHECKED = new Uint8Array(SETTER_COUNT);
for (const name of ['ts', 'src_ip', 'dst_ip', 'src_port', 'dst_port', 'proto', 'host'] as const) {
  CHECKED[SETTERS[name]] = 1;
}
// Its name may be in another language.
CHECKED[SETTERS.windows_level] = 1;
/** No time, address, port or protocol is longer. */
const MAX_CHECKED = 80;
const USER = numberOf('user');
const USER_TARGET = numberOf('user_target');
const USER_DOMAIN = numberOf('user_domain');
const ACTION = numberOf('action');
/** An address with its port, or IPv6 in brackets. */
const ENDPOINT = /^(?:\[([0-9A-Fa-f:.]+)\]|(\d{1,3}(?:\.\d{1,3}){3})(?=:))(?::(\d{1,5}))?$/;
/** Several members may have these. */
const SHARED = new Uint8Array(SETTER_COUNT);
SHARED[SETTERS.key] = 1;
SHARED[SETTERS.ts_end] = 1;

/** One of several times of a record. */
export interface OneTime {
  readonly setter: number;
  readonly meaning: string;
  readonly text: string;
}
/** Placeholders of tools for a missing time. */
const NO_TIME = /^(?:0+|-1|0001-01-01.*|1601-01-01.*|0000-00-00.*)$/;

/** The common properties of all records of one dialect or schema. */
interface RecordWriterOptions {
  readonly dialect: Dialect | undefined;
  /** Names with a meaning besides those of the dialect and the mapping. */
  readonly meanings: Meanings | undefined;
  readonly eventType?: string | undefined;
}
/** Measures that some record states for both directions together, as in `RowWriter`. */
export type Totals = Set<Measure>;

/** Writes records of one dialect or schema. */
export class RecordWriter {
  private readonly context: JsonContext;
  private readonly totals: Totals;
  private readonly dialect: Dialect | undefined;
  private readonly meanings: Meanings | undefined;
  private readonly chooser: SetterChooser;
  /** Texts that every record has, and the values that a field may have, by setter. */
  private readonly constants: readonly (readonly [setter: number, text: Uint8Array])[];
  private readonly values: readonly (ReadonlyMap<string, string> | undefined)[];
  private readonly plan: RowPlan;
  private readonly writers = new Map<Kind, RowWriter>();
  private readonly members = new Map<string, Member>();
  private readonly names: string[] = [];
  private readonly taken = new Set<string>();
  /** For the current record: its members, and for each setter the best rank and the member that has it. */
  private readonly row: Member[] = [];
  private readonly ranks = new Uint16Array(SETTER_COUNT);
  private readonly chosen = new Int32Array(SETTER_COUNT);
  private readonly address = new Uint8Array(16);
  private scratch = Buffer.alloc(4096);

  constructor(
    context: JsonContext,
    totals: Totals,
    { dialect, meanings, eventType }: RecordWriterOptions,
  ) {
    this.context = context;
    this.totals = totals;
    this.dialect = dialect;
    this.meanings = meanings;
    this.chooser = new SetterChooser(dialect, context.mapping);
    const plan = planRow([], dialect, undefined, [], eventType);
    this.plan = { ...plan, names: this.names };
    this.constants = (meanings?.constants ?? []).flatMap(([field, text]) =>
      isSetter(field) ? [[numberOf(field), text] as const] : [],
    );
    this.values = Array.from({ length: SETTER_COUNT }, (_, setter) =>
      meanings?.valuesOf(TEXTS[setter - FIRST_TEXT] ?? ''),
    );
  }

  write(
    flat: Flat,
    seq: number,
    offset: number,
    length: number,
    raw: Uint8Array,
    start: number,
    end: number,
    time?: OneTime,
  ): void {
    this.choose(flat);
    if (time !== undefined) this.chosen[SETTERS.ts] = -1;
    const kind = this.dialect?.kind ?? this.kind();
    const writer = this.writerOf(kind);
    const { batch } = writer;
    const row = batch.length;
    writer.begin();
    let textBytes = 0;
    for (let i = 0; i < flat.keys.length; i++) {
      const value = flat.values[i]!;
      if (value === '') continue;
      textBytes += flat.keys[i]!.length + (typeof value === 'string' ? value.length : NUMBER_BYTES);
      const member = this.row[i]!;
      const { setter } = member;
      const taken =
        setter !== 0 &&
        (this.chosen[setter] === i || SHARED[setter] === 1) &&
        (kind === 'flow' || member.rank === CERTAIN || FLOW_ONLY[setter] === 0);
      if (!taken) {
        this.attribute(batch, member, row, writtenText(flat, i));
      } else if (setter === SETTERS.vlan && typeof value === 'string') {
        this.vlans(batch, member, row, value);
      } else {
        const text = setter === SETTERS.ts ? timeText(flat, i) : columnText(flat, i);
        if (member.rank < LISTED) this.typed(writer, member, text);
        else if (!this.holds(writer, member, text))
          this.attribute(batch, member, row, writtenText(flat, i));
      }
      for (let { also } = member; also !== undefined; { also } = also)
        this.second(writer, also, i, value);
    }
    if (time !== undefined) {
      const size = this.toBytes(time.text);
      writer.typedAs('', time.setter, this.scratch, 0, size);
      batch.setAttribute('timestamp_desc', time.meaning);
    }
    if (this.constants.length > 0)
      for (const [setter, text] of this.constants) writer.text(setter, text, 0, text.length);
    // Events that a record lists share its length: counted for each, a long record would fill batches of a few rows.
    writer.finish(seq, offset, length, raw, start, end, Math.min(length, textBytes));
  }

  /** The times of a record that are separate events; empty if it has none, or its dialect has one. */
  timesOf({ keys, values }: Flat): readonly OneTime[] {
    const { meanings } = this;
    if (meanings === undefined || !meanings.hasTimes) return [];
    return keys.flatMap((key, i) => {
      const meaning = meanings.timeOf(key);
      const text = String(values[i]);
      return meaning !== undefined && !NO_TIME.test(text) && this.fits(SETTERS.ts, text)
        ? { setter: inStatedZone(SETTERS.ts, key), meaning, text }
        : [];
    });
  }

  /** Sets the field that the name of a member is listed for. @returns whether that represents all of its text */
  private holds(writer: RowWriter, member: Member, whole: string): boolean {
    const { setter, part } = member;
    const text = wholeOrPart(whole, part);
    if (setter >= FIRST_TEXT) {
      const isStored = this.setListedText(writer, setter, text);
      return isStored && member.isOwn && text === whole;
    }
    if (setter === SETTERS.hashes) {
      this.hashes(writer, text);
      return false;
    }
    if (this.endpoint(writer, setter, text)) return false;
    this.typed(writer, member, text);
    return part === undefined;
  }

  private typed(writer: RowWriter, { index, writes, name }: Member, text: string): void {
    const size = this.toBytes(text);
    const { scratch } = this;
    let from = 0;
    let to = size;
    while (from < to && scratch[from] === 32) from += 1;
    while (to > from && scratch[to - 1] === 32) to -= 1;
    if (from === to) return;
    if (index === NOT_REMEMBERED) writer.typedAs(name, writes, scratch, from, to);
    else writer.typed(index, writes, scratch, from, to);
  }

  /** The texts of the record's times: of those that are separate events, or of its only one. */
  textsOfTimes(flat: Flat): readonly string[] {
    const times = this.timesOf(flat);
    if (times.length > 0) return times.map(({ text }) => text);
    this.choose(flat);
    const value = flat.values[this.chosen[SETTERS.ts]!];
    return typeof value === 'string' ? [onlyElement(value)] : [];
  }

  /** Selects for each column the member of the record that gives it. */
  private choose(flat: Flat): void {
    const { ranks, chosen } = this;
    ranks.fill(NONE);
    chosen.fill(-1);
    this.row.length = 0;
    for (let i = 0; i < flat.keys.length; i++) {
      const member = this.member(flat.keys[i]!);
      this.row.push(member);
      const { setter } = member;
      if (setter === 0) continue;
      const value = flat.values[i]!;
      if (value === '') continue;
      this.offer(member, i, value);
      for (let { also } = member; also !== undefined; { also } = also) this.offer(also, i, value);
    }
  }

  private offer({ setter, rank, part }: Also, i: number, given: Scalar): void {
    const { ranks, chosen } = this;
    if (rank >= ranks[setter]!) return;
    if (rank >= LISTED) {
      const value =
        part === undefined ? given : typeof given === 'string' ? (partOf(given, part) ?? '') : '';
      if (value === '') return;
      const isGeneral = rank >= LISTED + GENERAL_RANK;
      if (
        setter >= FIRST_TEXT
          ? !this.says(setter, value) ||
            (isGeneral && setter === ACTION && !isActionName(`${value}`))
          : CHECKED[setter] === 1 && !this.fits(setter, value)
      )
        return;
    }
    ranks[setter] = rank;
    chosen[setter] = i;
  }

  /** Whether a value is one that a field of texts can have. */
  private says(setter: number, value: Scalar): boolean {
    const values = this.values[setter];
    const text = typeof value === 'string' ? onlyElement(value) : String(value);
    if (values !== undefined) return storedAs(values, text) !== undefined;
    if (typeof value === 'boolean') return false;
    return fieldText(TEXTS[setter - FIRST_TEXT] ?? '', text) !== undefined;
  }

  /** Sets a text field. @returns whether it has the text as written */
  private setListedText(writer: RowWriter, setter: number, text: string): boolean {
    const values = this.values[setter];
    const stored =
      values === undefined
        ? fieldText(TEXTS[setter - FIRST_TEXT] ?? '', text)
        : storedAs(values, text);
    if (stored !== undefined && (values !== undefined || stored !== text)) {
      this.setText(writer, setter, stored);
      return stored === text;
    }
    if (this.meanings !== undefined && (setter === USER || setter === USER_TARGET)) {
      const account = cutAccount(text, this.meanings.accounts);
      if (account !== undefined) {
        const { name, domain } = account;
        this.setText(writer, setter, name);
        if (domain !== '' && setter === USER && this.ranks[USER_DOMAIN] === NONE)
          this.setText(writer, USER_DOMAIN, domain);
        return false;
      }
    }
    this.setText(writer, setter, text);
    return true;
  }

  private setText(writer: RowWriter, setter: number, text: string): void {
    const size = this.toBytes(text);
    writer.text(setter, this.scratch, 0, size);
  }

  /** Sets the other field that a member gives. */
  private second(writer: RowWriter, also: Also, i: number, value: Scalar): void {
    if (this.chosen[also.setter] !== i) return;
    const text = typeof value === 'string' ? value : String(value);
    const known = wholeOrPart(text, also.part);
    if (also.setter >= FIRST_TEXT) this.setListedText(writer, also.setter, known);
    else {
      // First: `toBytes` may replace `scratch` by a larger one.
      const size = this.toBytes(known);
      writer.typedAs('', also.setter, this.scratch, 0, size);
    }
  }

  private hashes(writer: RowWriter, text: string): void {
    for (const [name, digest] of digestsIn(text))
      if (isSetter(name)) this.setText(writer, numberOf(name), digest);
  }

  /** Takes an address with its port, `192.0.2.1:443` or `[2001:db8::1]:443`; false for an address alone. */
  private endpoint(writer: RowWriter, setter: number, text: string): boolean {
    if (setter !== SETTERS.src_ip && setter !== SETTERS.dst_ip) return false;
    const parts = ENDPOINT.exec(text);
    if (parts === null) return false;
    const [, six, four, port] = parts;
    let size = this.toBytes(six ?? four ?? '');
    writer.typedAs('', setter, this.scratch, 0, size);
    const side = setter === SETTERS.src_ip ? SETTERS.src_port : SETTERS.dst_port;
    if (port !== undefined && this.ranks[side] === NONE) {
      size = this.toBytes(port);
      writer.typedAs('', side, this.scratch, 0, size);
    }
    return true;
  }

  private readonly has = (name: Setter): boolean => this.ranks[numberOf(name)] !== NONE;

  private kind(): Kind {
    const kind = kindOf(this.has);
    return kind === 'flow' && this.meanings?.neverFlow === true ? 'other' : kind;
  }

  /** Whether a value is one that its column can hold. */
  private fits(setter: number, value: Scalar): boolean {
    if (typeof value === 'boolean') return false;
    if (setter === SETTERS.host)
      return typeof value === 'string' && fieldText('host', value) !== undefined;
    const text = typeof value === 'string' ? onlyElement(value) : String(value);
    if (text.length > MAX_CHECKED) return false;
    if (setter === SETTERS.windows_level) return severityOfLevel(text) !== undefined;
    const parts =
      setter === SETTERS.src_ip || setter === SETTERS.dst_ip ? ENDPOINT.exec(text) : null;
    if (Number(parts?.[3] ?? 0) > 65_535) return false;
    const size = this.toBytes(parts === null ? text : (parts[1] ?? parts[2] ?? ''));
    const { scratch } = this;
    if (setter === SETTERS.ts) return isTime(scratch, size, this.context.stamp);
    if (setter === SETTERS.proto) return parseProtocol(scratch, 0, size) >= 0;
    if (setter === SETTERS.src_port || setter === SETTERS.dst_port) {
      const port = parseWholeOrHex(scratch, 0, size);
      return port >= 0 && port < 65_536;
    }
    if (parseIpv4(scratch, 0, size) >= 0) return true;
    return size > 2 && parseIpv6(scratch, 0, size, this.address, 0);
  }

  private writerOf(kind: Kind): RowWriter {
    let writer = this.writers.get(kind);
    if (writer === undefined) {
      const { sink, stamp } = this.context;
      writer = new RowWriter(sink.batch(kind), this.plan, stamp, true, this.totals);
      this.writers.set(kind, writer);
    }
    return writer;
  }

  private member(key: string): Member {
    const known = this.members.get(key);
    if (known !== undefined) return known;
    const { setter: certain, name } = this.chooser.choose(key);
    let setter = certain;
    let rank = CERTAIN;
    let meaning: Meaning | undefined;
    if (setter === 'attr' && name === key) {
      meaning = this.meanings?.of(key);
      if (meaning !== undefined) {
        setter = isSetter(meaning.field) ? meaning.field : 'attr';
        rank = LISTED + meaning.rank;
      }
    }
    const also = alsoOf(meaning?.also);
    // A mapping may rename two members to the same name: the second keeps its own.
    const unique = this.taken.has(name) ? key : name;
    const index = this.members.size < MAX_NAMES ? this.names.length : NOT_REMEMBERED;
    const isOwn = unique.toLowerCase() === setter;
    const member = {
      index,
      setter: numberOf(setter),
      writes: inStatedZone(numberOf(setter), key),
      name: unique,
      rank,
      also,
      isOwn,
      part: meaning?.part,
    };
    if (index === NOT_REMEMBERED) return member;
    this.names.push(unique);
    this.taken.add(unique);
    this.members.set(key, member);
    return member;
  }

  private attribute(batch: EventBatch, member: Member, row: number, text: string): void {
    const column = batch.attributeColumn(member.name);
    if (column === undefined) {
      batch.setAttribute(member.name, text);
    } else if (column.present[row] === 0) {
      // First: `toBytes` may replace `scratch` by a larger one.
      const size = this.toBytes(text);
      column.set(row, this.scratch, 0, size);
    } else {
      // `{"a.b":1,"a":{"b":2}}`: two members of one name.
      let n = 1;
      while (batch.hasAttribute(`${member.name}.${n}`)) n += 1;
      batch.setAttribute(`${member.name}.${n}`, text);
    }
  }

  /** Suricata lists VLANs from the outermost in. */
  private vlans(batch: EventBatch, member: Member, row: number, text: string): void {
    const outer = /^\[?(\d{1,4})\b/.exec(text)?.[1];
    if (outer !== undefined && Number(outer) > 0 && Number(outer) < 4096)
      batch.vlan.set(row, Number(outer));
    if (outer !== text) this.attribute(batch, member, row, text);
  }

  /** Writes the text to `scratch`, replacing it by a larger one if needed; returns its size. */
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

/** A member's text for a column: for whole numbers the value (`443.0`, `1e3`), otherwise as written. */
function columnText(flat: Flat, i: number): string {
  const value = flat.values[i]!;
  return Number.isInteger(value) ? String(value) : writtenText(flat, i);
}

/** A time with as many digits as written, but without an exponent. */
function timeText(flat: Flat, i: number): string {
  const text = writtenText(flat, i);
  return typeof flat.values[i] === 'number' && /e/i.test(text) ? String(flat.values[i]) : text;
}

export interface JsonContext {
  readonly sink: EventSink;
  readonly detected: Detected;
  readonly stamp: StampReader;
  readonly mapping: ColumnMapping | undefined;
}

function alsoOf(meaning: Meaning | undefined): Also | undefined {
  if (meaning === undefined) return undefined;
  const { field, rank, part, also } = meaning;
  const rest = alsoOf(also);
  return isSetter(field)
    ? { setter: numberOf(field), rank: LISTED + rank, part, also: rest }
    : rest;
}

function wholeOrPart(text: string, part: Part | undefined): string {
  return part === undefined ? onlyElement(text) : (partOf(text, part) ?? '');
}
