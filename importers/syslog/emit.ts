/**
 * Turns a parsed header and its bytes into a row.
 *
 * Invariants: exactly one row per `emit`, with `seq`, `offset` and `length` set; a time is UTC, and `ts_basis`
 * tells which parts of it were decided rather than stated.
 */
import type { EventBatch } from '../../engine/columns/event-batch.ts';
import type { TextColumn } from '../../engine/columns/columns.ts';
import { GIVEN, ZONE_ASSUMED } from '../../engine/contract/time/decisions.ts';
import { TS_BASIS, type ByteOffset } from '../../engine/contract/event.ts';
import type { EventSink } from '../../engine/evidence/importer.ts';
import type { Zone } from '../../engine/contract/time/zone.ts';
import { DialectFinder, type Meanings } from '../../engine/fields/registry/meanings.ts';
import { RecordFields } from '../../engine/fields/records/record-fields.ts';
import { AttributeNames } from '../shared/attribute-names.ts';
import type { Header } from './header/header.ts';
import { SHAPE } from '../shared/time/stamp.ts';
import type { W3cColumns } from './w3c.ts';

const BACKSLASH = 92;
const QUOTE = 34;
const CLOSE = 93;
const AT = 64;
const text = new TextDecoder();

/** Days from 1970-01-01 to a date of the Gregorian calendar. */
function daysFromCivil(year: number, month: number, day: number): number {
  // Howard Hinnant, http://howardhinnant.github.io/date_algorithms.html
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

export class Emitter {
  /** Number of rows that `takeCount` has not yet returned. */
  private rows = 0;
  private readonly batch: EventBatch;
  private readonly sink: EventSink;
  private readonly zone: Zone;
  private readonly zoneName: string;
  private readonly zoneBasis: string;
  private readonly names: AttributeNames;
  private readonly w3c: W3cColumns;
  private dataMeanings: Meanings | undefined;
  private readonly fields = new RecordFields();
  private zoneTold = false;
  private dateKey = -1;
  private dateDays = 0;
  private unescaped = new Uint8Array(256);
  private procid: TextColumn | undefined;
  private uptime: TextColumn | undefined;
  private sequence: TextColumn | undefined;
  private origin: TextColumn | undefined;

  /** @param zoneGiven whether a person gave the zone */
  constructor(sink: EventSink, zone: Zone, zoneGiven: boolean, w3c: W3cColumns) {
    this.sink = sink;
    this.w3c = w3c;
    this.batch = sink.batch('log');
    this.zone = zone;
    this.zoneName = zone.name;
    this.zoneBasis = zoneGiven ? GIVEN : ZONE_ASSUMED;
    this.names = new AttributeNames(this.batch);
  }

  /** Reports the number of rows since the last call to the sink. */
  tellRows(): void {
    if (this.rows > 0) this.sink.record(this.rows);
    this.rows = 0;
  }

  /**
   * @param valid whether the bytes are valid UTF-8
   * @param length bytes of the record in the content
   */
  emit(
    h: Header,
    b: Uint8Array,
    valid: boolean,
    seq: number,
    offset: ByteOffset,
    length: number,
  ): void {
    const batch = this.batch;
    const row = batch.length;
    batch.seq.set(row, seq);
    batch.offset.set(row, offset);
    batch.record_length.set(row, length);
    if (h.dated) this.time(h, row);
    if (h.facility >= 0) batch.facility.set(row, h.facility);
    if (h.severity >= 0) batch.severity.set(row, h.severity);
    if (h.pid >= 0) batch.pid.set(row, h.pid);
    if (h.hostStart >= 0) batch.host.setBytes(row, b, h.hostStart, h.hostEnd, valid);
    if (h.programStart >= 0) batch.program.setBytes(row, b, h.programStart, h.programEnd, valid);
    if (h.eventStart >= 0) batch.event_type.setBytes(row, b, h.eventStart, h.eventEnd, valid);
    if (h.messageStart < h.messageEnd) {
      batch.message.setBytes(row, b, h.messageStart, h.messageEnd, valid);
    }
    if (h.procidStart >= 0) {
      this.procid ??= batch.attributeColumn('procid');
      this.procid?.setLossy(row, b, h.procidStart, h.procidEnd);
    }
    if (h.uptimeStart >= 0) {
      this.uptime ??= batch.attributeColumn('uptime');
      this.uptime?.set(row, b, h.uptimeStart, h.uptimeEnd);
    }
    if (h.sequenceStart >= 0) {
      this.sequence ??= batch.attributeColumn('sequence');
      this.sequence?.set(row, b, h.sequenceStart, h.sequenceEnd);
    }
    if (h.originStart >= 0) {
      this.origin ??= batch.attributeColumn('original_address');
      this.origin?.set(row, b, h.originStart, h.originEnd);
    }
    if (h.sdStart >= 0) this.structuredData(b, h.sdStart, h.sdEnd, valid);
    this.w3c.fill(h, b, valid);
    this.rows++;
    batch.endRow();
  }

  private time(h: Header, row: number): void {
    const batch = this.batch;
    const stamp = h.stamp;
    const nanos = stamp.nanos;
    const micros = Math.floor(nanos / 1000);
    let seconds: number;
    let basis = 0;
    if (stamp.shape === SHAPE.epoch) {
      seconds = stamp.epochSeconds;
    } else {
      const key = (stamp.year * 16 + stamp.month) * 32 + stamp.day;
      if (key !== this.dateKey) {
        this.dateKey = key;
        this.dateDays = daysFromCivil(stamp.year, stamp.month, stamp.day);
      }
      const local = this.dateDays * 86_400 + stamp.seconds;
      let offset = stamp.offset;
      if (!stamp.zoned) {
        offset = this.zone.fixed ?? this.zone.offsetAtLocalSeconds(local);
        basis = TS_BASIS.zoneDecided;
        if (!this.zoneTold) {
          this.zoneTold = true;
          this.sink.decide({ tz: this.zoneName, tzBasis: this.zoneBasis });
        }
      }
      if (h.yearDecided) basis |= TS_BASIS.yearDecided;
      basis |= stamp.orderBasis;
      seconds = local - offset;
      batch.tz_offset.set(row, offset);
    }
    batch.ts.set(row, seconds * 1_000_000 + micros);
    if (stamp.digits > 6) batch.ts_ns.set(row, nanos - micros * 1000);
    batch.ts_digits.set(row, stamp.digits);
    batch.ts_basis.set(row, basis);
  }

  /**
   * Well-formed `[id name="value" …]…` as attributes `id.name`; an enterprise's element (`name@32473`) sets fields
   * as well, by names with a known meaning.
   */
  private structuredData(b: Uint8Array, start: number, end: number, valid: boolean): void {
    const keys: string[] = [];
    const values: string[] = [];
    let p = start;
    while (p < end) {
      const id = ++p;
      while (b[p]! > 32 && b[p] !== CLOSE) p++;
      const idEnd = p;
      const isOfEnterprise = b.subarray(id, idEnd).includes(AT);
      if (b[p] === CLOSE) this.names.set(b, id, idEnd, p, p, b, p, p, valid);
      for (;;) {
        while (b[p] === 32) p++;
        if (p >= end || b[p] === CLOSE) break;
        const name = p;
        while (b[p] !== 61) p++;
        const nameEnd = p;
        p += 2;
        const value = p;
        let escaped = false;
        while (b[p] !== QUOTE) {
          if (b[p] === BACKSLASH) {
            escaped = true;
            p++;
          }
          p++;
        }
        const size = escaped ? this.unescape(b, value, p) : p - value;
        const from = escaped ? 0 : value;
        const bytes = escaped ? this.unescaped : b;
        const key = this.names.set(b, id, idEnd, name, nameEnd, bytes, from, from + size, valid);
        if (isOfEnterprise && this.meanings.of(key) !== undefined) {
          keys.push(key);
          values.push(text.decode(bytes.subarray(from, from + size)));
        }
        p++;
      }
      p++;
    }
    if (keys.length === 0) return;
    this.fields.write(this.batch, this.batch.length, this.meanings, { keys, values });
  }

  /** Made at first use: few logs have structured data. */
  private get meanings(): Meanings {
    return (this.dataMeanings ??= new DialectFinder().find(['@structured-data']));
  }

  /** RFC 5424 section 6.3.3: a backslash counts only before `"`, `\` and `]`. */
  private unescape(b: Uint8Array, start: number, end: number): number {
    if (this.unescaped.length < end - start) this.unescaped = new Uint8Array((end - start) * 2);
    const out = this.unescaped;
    let n = 0;
    for (let i = start; i < end; i++) {
      const next = i + 1 < end ? b[i + 1] : 0;
      if (b[i] === BACKSLASH && (next === QUOTE || next === BACKSLASH || next === CLOSE)) i++;
      out[n++] = b[i]!;
    }
    return n;
  }
}
