/**
 * Writes the cells of one row into a batch: the hot loop of every table.
 *
 * Invariant: no cell is lost. A value that its column cannot hold stays, as written, in the attribute with the
 * column's own name, and the typed column stays null.
 */
import { isUtf8 } from 'node:buffer';
import { protocolOfLetter } from '../../engine/fields/records/protocol-letter.ts';
import { severityOfLevel } from '../../engine/fields/records/windows-level.ts';
import { type EventBatch, isMappedIp4 } from '../../engine/columns/event-batch.ts';
import type { NumberColumn, TextColumn } from '../../engine/columns/columns.ts';
import { TS_BASIS } from '../../engine/contract/event.ts';
import type { Zone } from '../../engine/contract/time/zone.ts';
import { parseDecimal, parseHex, parseIpv4, parseIpv6 } from '../shared/bytes.ts';
import { hash53 } from '../shared/hash53.ts';
import * as F from './fields.ts';
import { zoneOf } from './guess.ts';
import {
  parseProtocol,
  parseScaled,
  parseSeconds,
  parseTcpFlags,
  parseWhole,
  parseWholeOrHex,
} from './numbers.ts';
import type { StampReader } from './stamp.ts';
import { isMark, type ZeekLists } from './zeek-list.ts';

/** How a source encodes ICMP type and code in port columns. */
export type IcmpStyle =
  /** Type in the first, code in the second, or not at all. */
  | 'plain'
  /** type × 256 + code in the destination port (NetFlow). */
  | 'dst_port'
  /** code × 256 + type in the source port (Argus). */
  | 'argus';

/** Names of zones that are remembered. */
const MAX_ZONES = 64;
const SPACE = 32;
const DASH = 45;
const text = new TextDecoder('utf-8', { ignoreBOM: true });
const windows1252 = new TextDecoder('windows-1252');
/** Errors of Kerberos that are steps of a login, by their names and as MIT's and Windows' servers say them. */
const ASKED_FOR =
  /PREAUTH_REQUIRED$|MORE_PREAUTH_DATA_REQUIRED$|^NEEDED_PREAUTH$|^Need to use PA-ENC-TIMESTAMP\/PA-PK-AS-REQ$/;

/** Measures that a flow may state for both directions together. */
export type Measure = 'bytes' | 'packets';

/** A column of unsigned numbers of any size. */
interface WholeColumn {
  set(row: number, value: number): void;
}

/** The common properties of the rows of one table, or one kind of JSON record. */
export interface RowPlan {
  /** Distinct column names, which are also those of attributes. */
  readonly names: readonly string[];
  readonly setters: Uint8Array;
  /** By column: 1 if others have the same setter. In each row the first with a value counts. */
  readonly alternative: Uint8Array;
  readonly icmp: IcmpStyle;
  /** Texts for a missing value. A single `-` is one in typed columns anyway. */
  readonly unset: readonly Uint8Array[];
  /** Zeek: the writer of sets and vectors, and by column whether they contain numbers. */
  readonly lists?: { readonly writer: ZeekLists; readonly numbers: Uint8Array };
  /** Zeek: payload bytes replace missing IP bytes. */
  readonly payloadAsBytes: boolean;
  /** `event_type` of every row that states none. */
  readonly eventType: string | undefined;
  readonly keyed: boolean;
}

export class RowWriter {
  readonly batch: EventBatch;
  /** Whether text is known to be UTF-8, so that it is copied unchanged. */
  valid = true;
  /** The row of the batch that cells are of. */
  row = 0;

  private readonly plan: RowPlan;
  private readonly stamp: StampReader;
  readonly setters: Uint8Array;
  private readonly attributes: (TextColumn | undefined)[];
  /** See RowPlan. */
  readonly unset: readonly Uint8Array[];
  private readonly address = new Uint8Array(16);
  private readonly joined = new Uint8Array(96);
  /** Whether rows need `workOut`. */
  readonly finishing: boolean;
  /** Whether it sets `event_type` in rows that state none. */
  readonly givesType: boolean;
  private readonly eventType: Uint8Array;
  private end = Number.NaN;
  private totalBytes = -1;
  private totalPackets = -1;
  private readonly totals: Set<Measure>;
  private icmpType = -1;
  private icmpCode = -1;
  private dateSize = 0;
  private keyed = false;
  private family = -1;
  /** `t` or `f`: whether Kerberos gave a ticket. */
  private ticket = '';
  /** Number of words of each address so far, and number of valid ones in the current address. */
  private srcWords = 0;
  private dstWords = 0;
  private goodWords = 0;
  /** Whether a row before needed the zone that was decided; zones by name. */
  private zoneUsed = false;
  private readonly zones = new Map<string, Zone | undefined>();

  /**
   * @param open whether there may be cells that the plan does not list: then everything is computed
   * @param totals collects measures that some row states for both directions together
   */
  constructor(
    batch: EventBatch,
    plan: RowPlan,
    stamp: StampReader,
    open = false,
    totals = new Set<Measure>(),
  ) {
    this.totals = totals;
    this.batch = batch;
    this.plan = plan;
    this.stamp = stamp;
    this.setters = plan.setters;
    this.attributes = plan.names.map(() => undefined);
    this.unset = plan.unset;
    this.eventType = new TextEncoder().encode(plan.eventType ?? '');
    this.givesType = plan.eventType !== undefined;
    this.finishing =
      open ||
      plan.icmp !== 'plain' ||
      plan.payloadAsBytes ||
      plan.keyed ||
      this.givesType ||
      plan.setters.some((op) => NEED_FINISH.has(op));
  }

  /** Starts the row that is being filled. */
  begin(): void {
    this.row = this.batch.length;
    if (!this.finishing) return;
    this.zoneUsed = this.stamp.zoneUsed;
    this.end = Number.NaN;
    this.totalBytes = -1;
    this.totalPackets = -1;
    this.icmpType = -1;
    this.icmpCode = -1;
    this.dateSize = 0;
    this.keyed = false;
    this.family = -1;
    this.ticket = '';
    this.srcWords = 0;
    this.dstWords = 0;
  }

  /** Sets `count` cells of the current row, cell n being `bytes[starts[n], ends[n])`. */
  cells(bytes: Uint8Array, starts: Int32Array, ends: Int32Array, count: number): void {
    for (let i = 0; i < count; i++) this.cell(i, bytes, starts[i]!, ends[i]!);
  }

  /** Sets cell `i`, with or without surrounding blanks, according to the plan. */
  cell(i: number, bytes: Uint8Array, from: number, to: number): void {
    let start = from;
    let end = to;
    while (start < end && bytes[start] === 32) start += 1;
    while (end > start && bytes[end - 1] === 32) end -= 1;
    if (start === end) return;
    const setter = this.setters[i]!;
    if (setter === F.ATTR) this.attribute(i, bytes, start, end);
    else this.typed(i, setter, bytes, start, end);
  }

  /** The column for the attribute of cell `i`, once a row has had a value for it. */
  knownText(i: number): TextColumn | undefined {
    return this.attributes[i];
  }

  /** Whether a cell's text is a placeholder for a missing value. */
  standsForNothing(bytes: Uint8Array, start: number, end: number): boolean {
    const unset = this.unset;
    for (let u = 0; u < unset.length; u++) if (isMark(bytes, start, end, unset[u]!)) return true;
    return false;
  }

  /** Whether a typed cell's text is a value with nothing around it. */
  isPlain(bytes: Uint8Array, start: number, end: number): boolean {
    if (bytes[start] === SPACE || bytes[end - 1] === SPACE) return false;
    return (
      !(bytes[start] === DASH && end - start === 1) && !this.standsForNothing(bytes, start, end)
    );
  }

  /** Sets cell `i` in the attribute with its own name. */
  attribute(i: number, bytes: Uint8Array, start: number, end: number): void {
    if (this.standsForNothing(bytes, start, end)) return;
    const column = this.attributes[i] ?? this.column(i);
    if (column === undefined) {
      this.batch.setAttribute(this.plan.names[i]!, this.decode(bytes, start, end));
    } else column.setBytes(this.row, bytes, start, end, this.valid);
  }

  /** Sets a text field; a row that has a text keeps it. */
  text(setter: number, bytes: Uint8Array, start: number, end: number): void {
    const name = F.TEXTS[setter - F.FIRST_TEXT];
    if (name !== undefined) this.words(this.batch.cutText(name), bytes, start, end);
  }

  /** Sets cell `i` by `setter`, and also in its attribute if the field does not hold all of it. */
  typed(i: number, setter: number, bytes: Uint8Array, start: number, end: number): void {
    if (bytes[start] === DASH && end - start === 1) return;
    if (this.standsForNothing(bytes, start, end)) return;
    if (setter >= F.FIRST_TEXT) {
      this.text(setter, bytes, start, end);
      if (this.plan.names[i] !== F.TEXTS[setter - F.FIRST_TEXT])
        this.attribute(i, bytes, start, end);
      return;
    }
    const { lists } = this.plan;
    if (setter === F.LIST && lists !== undefined) {
      const { writer, numbers } = lists;
      writer.write(bytes, start, end, numbers[i] === 1);
      this.attribute(i, writer.out, 0, writer.size);
      return;
    }
    const isTaken = this.plan.alternative[i] === 1 && this.holds(setter);
    if (isTaken || !this.set(setter, bytes, start, end)) this.attribute(i, bytes, start, end);
  }

  /** Whether the row has a value for a setter that columns share. */
  private holds(setter: number): boolean {
    const { batch, row } = this;
    switch (setter) {
      case F.SRC_IP:
        return batch.src_ip4.present[row] === 1 || batch.src_ip6.present[row] === 1;
      case F.DST_IP:
        return batch.dst_ip4.present[row] === 1 || batch.dst_ip6.present[row] === 1;
      case F.SRC_PORT:
        return batch.src_port.present[row] === 1;
      case F.DST_PORT:
        return batch.dst_port.present[row] === 1;
      default:
        return batch.proto.present[row] === 1;
    }
  }

  /** Like `typed`, for a cell that is not in the plan. */
  typedAs(name: string, setter: number, bytes: Uint8Array, start: number, end: number): void {
    if (bytes[start] === DASH && end - start === 1) return;
    for (const mark of this.unset) if (isMark(bytes, start, end, mark)) return;
    if (setter >= F.FIRST_TEXT) this.text(setter, bytes, start, end);
    else if (this.set(setter, bytes, start, end) || name === '') return;
    this.batch.setAttribute(name, this.decode(bytes, start, end));
  }

  /**
   * Completes the row.
   * @param textBytes as in `EventBatch.endRow`
   */
  finish(
    seq: number,
    offset: number,
    length: number,
    raw: Uint8Array,
    rawStart: number,
    rawEnd: number,
    textBytes?: number,
  ): void {
    const batch = this.batch;
    const row = this.row;
    if (this.finishing) this.workOut(raw, rawStart, rawEnd);
    batch.seq.set(row, seq);
    batch.offset.set(row, offset);
    batch.record_length.set(row, length);
    batch.endRow(textBytes);
  }

  /** Sets a typed cell. False when its text holds more than the column now does, or the column nothing. */
  private set(setter: number, bytes: Uint8Array, start: number, end: number): boolean {
    const batch = this.batch;
    const row = this.row;
    switch (setter) {
      case F.TS:
        return this.time(bytes, start, end);
      case F.SRC_IP: {
        const ip = parseIpv4(bytes, start, end);
        if (ip >= 0) {
          batch.src_ip4.set(row, ip);
          return true;
        }
        if (!parseIpv6(bytes, start, end, this.address, 0)) return false;
        batch.setSource6(row, this.address, 0);
        return !hasZone(bytes, start, end) && !isMappedIp4(this.address, 0);
      }
      case F.DST_IP: {
        const ip = parseIpv4(bytes, start, end);
        if (ip >= 0) {
          batch.dst_ip4.set(row, ip);
          return true;
        }
        if (!parseIpv6(bytes, start, end, this.address, 0)) return false;
        batch.setTarget6(row, this.address, 0);
        return !hasZone(bytes, start, end) && !isMappedIp4(this.address, 0);
      }
      case F.SRC_PORT: {
        const port = parseWholeOrHex(bytes, start, end);
        if (port < 0 || port > 65_535) return false;
        batch.src_port.set(row, port);
        return bytes[start + 1] !== 120;
      }
      case F.DST_PORT: {
        const port = parseWholeOrHex(bytes, start, end);
        if (port < 0 || port > 65_535) return false;
        batch.dst_port.set(row, port);
        return bytes[start + 1] !== 120;
      }
      case F.PROTO:
      case F.PROTO_LETTER: {
        const letter = setter === F.PROTO_LETTER ? this.decode(bytes, start, end) : '';
        const proto = protocolOfLetter(letter) ?? parseProtocol(bytes, start, end);
        if (proto >= 0) {
          batch.proto.set(row, proto);
          return true;
        }
        // Argus names the payload of UDP: the name is kept in addition to the number.
        if (isRtp(bytes, start, end)) batch.proto.set(row, 17);
        return false;
      }
      case F.PACKETS:
        return this.count(batch.packets, bytes, start, end);
      case F.BYTES:
        return this.count(batch.bytes, bytes, start, end);
      case F.DURATION:
        return this.seconds(parseSeconds(bytes, start, end));
      case F.TCP_FLAGS: {
        const flags = parseTcpFlags(bytes, start, end);
        if (flags < 0) return false;
        batch.tcp_flags.set(row, flags);
        return true;
      }
      default:
        return this.setRare(setter, bytes, start, end);
    }
  }

  /** Setters that not every flow export has, separate so that the code of the common ones stays small. */
  private setRare(setter: number, bytes: Uint8Array, start: number, end: number): boolean {
    const batch = this.batch;
    switch (setter) {
      case F.PACKETS_REV:
        return this.count(batch.packets_rev, bytes, start, end);
      case F.BYTES_REV:
        return this.count(batch.bytes_rev, bytes, start, end);
      case F.ORIG_BYTES:
        return this.count(batch.orig_bytes, bytes, start, end);
      case F.RESP_BYTES:
        return this.count(batch.resp_bytes, bytes, start, end);
      case F.MISSED_BYTES:
        return this.count(batch.missed_bytes, bytes, start, end);
      case F.BYTES_TOTAL:
        this.totalBytes = parseWhole(bytes, start, end);
        return this.totalBytes >= 0;
      case F.PACKETS_TOTAL:
        this.totalPackets = parseWhole(bytes, start, end);
        return this.totalPackets >= 0;
      case F.CONN_STATE:
        return this.words(batch.conn_state, bytes, start, end);
      case F.HISTORY:
        return this.words(batch.history, bytes, start, end);
      case F.SERVICE:
        return this.words(batch.service, bytes, start, end);
      case F.EVENT_TYPE:
        return this.words(batch.event_type, bytes, start, end);
      case F.MESSAGE:
        return this.words(batch.message, bytes, start, end);
      case F.HOST:
        return this.words(batch.host, bytes, start, end);
      case F.PROGRAM:
        return this.words(batch.program, bytes, start, end);
      case F.KEY:
        this.keyed = true;
        return false;
      case F.ADDRESS_FAMILY:
      case F.SRC_WORD:
      case F.DST_WORD:
        return this.setAddressPart(setter, bytes, start, end);
      case F.SRC_ENDPOINT:
        return this.endpoint(F.SRC_IP, F.SRC_PORT, bytes, start, end);
      case F.DST_ENDPOINT:
        return this.endpoint(F.DST_IP, F.DST_PORT, bytes, start, end);
      case F.ICMP_TYPE:
        this.icmpType = parseWhole(bytes, start, end);
        return this.icmpType >= 0 && this.icmpType <= 255;
      case F.ICMP_CODE:
        this.icmpCode = parseWhole(bytes, start, end);
        return this.icmpCode >= 0 && this.icmpCode <= 255;
      case F.TCP_FLAGS_HEX:
        // Without a `0x`.
        if (end - start > 4) return false;
        return this.bounded(batch.tcp_flags, parseHex(bytes, start, end), 0, 511);
      case F.STATE_FLAGS:
        // Words such as ACC consist of the same letters: only the underscore identifies flags.
        if (bytes.subarray(start, end).includes(95))
          this.bounded(batch.tcp_flags, parseTcpFlags(bytes, start, end), 0, 511);
        return false;
      case F.VLAN:
        // 0: a priority tag, or no tag at all.
        return this.bounded(batch.vlan, parseWhole(bytes, start, end), 1, 4095);
      case F.PID:
        return this.bounded(batch.pid, parseWhole(bytes, start, end), 0, 0xffffffff);
      case F.LOGIN_WORKED:
      case F.KERBEROS_CLIENT:
      case F.KERBEROS_REQUEST:
      case F.KERBEROS_SUCCESS:
        this.login(setter, this.decode(bytes, start, end));
        return false;
      case F.WINDOWS_LEVEL:
        return this.level(this.decode(bytes, start, end));
      case F.SEVERITY:
        return this.bounded(batch.severity, parseWhole(bytes, start, end), 0, 7);
      default:
        return this.setTimePart(setter, bytes, start, end);
    }
  }

  private level(level: string): false {
    const { severity } = this.batch;
    const stated = severityOfLevel(level);
    // Another column may give its number, or its name in another language.
    if (stated !== undefined && severity.present[this.row] === 0) severity.set(this.row, stated);
    return false;
  }

  /** Parts of a login, as Zeek writes them: T or F, in JSON true or false. */
  private login(setter: number, cell: string): void {
    const { batch, row } = this;
    const first = cell.slice(0, 1).toLowerCase();
    if (setter === F.KERBEROS_SUCCESS) this.ticket = first;
    else if (setter === F.LOGIN_WORKED) {
      if (first !== 't' && first !== 'f') return;
      batch.cutText('category').setString(row, 'authentication');
      batch.cutText('outcome').setString(row, first === 't' ? 'success' : 'failure');
    } else if (setter === F.KERBEROS_REQUEST) {
      if (cell !== 'AS') return;
      batch.cutText('category').setString(row, 'authentication');
      batch.cutText('action').setString(row, 'login');
    } else {
      const cut = cell.lastIndexOf('/');
      const [name, realm] = cut < 0 ? [cell, ''] : [cell.slice(0, cut), cell.slice(cut + 1)];
      if (name !== '') batch.cutText('user').setString(row, name);
      if (realm !== '') batch.cutText('user_domain').setString(row, realm);
    }
  }

  /** A client that must first prove its identity has neither failed nor succeeded. */
  private workOutTicket(): void {
    const { batch, row, ticket } = this;
    if (ticket !== 't' && ticket !== 'f') return;
    const { present, data, starts, size } = batch.cutText('reason');
    const reason = present[row] === 1 ? text.decode(data.subarray(starts[row]! + 4, size)) : '';
    if (ticket === 'f' && ASKED_FOR.test(reason)) return;
    batch.cutText('outcome').setString(row, ticket === 't' ? 'success' : 'failure');
  }

  /** Addresses given as four numbers. */
  private setAddressPart(setter: number, bytes: Uint8Array, start: number, end: number): boolean {
    const batch = this.batch;
    const row = this.row;
    switch (setter) {
      case F.ADDRESS_FAMILY:
        this.family = parseWhole(bytes, start, end);
        return false;
      case F.SRC_WORD:
        if (!this.word(this.srcWords++, bytes, start, end)) return false;
        if (this.srcWords < 4) return true;
        if (this.family !== 2) batch.setSource6(row, this.address, 0);
        else batch.src_ip4.set(row, this.lastWord());
        return true;
      case F.DST_WORD:
        if (!this.word(this.dstWords++, bytes, start, end)) return false;
        if (this.dstWords < 4) return true;
        if (this.family !== 2) batch.setTarget6(row, this.address, 0);
        else batch.dst_ip4.set(row, this.lastWord());
        return true;
      default:
        return false;
    }
  }

  /** Times and durations given in parts or in other units. */
  private setTimePart(setter: number, bytes: Uint8Array, start: number, end: number): boolean {
    const batch = this.batch;
    const row = this.row;
    switch (setter) {
      case F.TS_UTC:
        if (!this.stamp.readUtc(bytes, start, end)) return false;
        this.setTime();
        return true;
      case F.TS_END_UTC:
        if (this.stamp.readUtc(bytes, start, end)) this.end = this.stamp.micros;
        return false;
      case F.TS_END:
        if (this.stamp.read(bytes, start, end)) this.end = this.stamp.micros;
        return false;
      case F.TS_MILLIS: {
        const millis = parseWhole(bytes, start, end);
        if (millis < 0 || millis > 999 || batch.ts.present[row] === 0) return false;
        batch.ts.set(row, batch.ts.values[row]! + millis * 1000);
        batch.ts_digits.set(row, 3);
        return true;
      }
      case F.TS_END_MILLIS: {
        const millis = parseWhole(bytes, start, end);
        if (millis >= 0 && millis <= 999) this.end += millis * 1000;
        return false;
      }
      case F.TS_DATE:
        return this.halfStamp(bytes, start, end);
      case F.TS_TIME:
        return this.otherHalfStamp(bytes, start, end);
      case F.TS_ZONE:
        this.stateZone(bytes, start, end);
        return false;
      case F.DURATION_MILLIS:
        return this.seconds(parseDecimal(bytes, start, end) / 1e3);
      case F.DURATION_MICROS:
        return this.seconds(parseDecimal(bytes, start, end) / 1e6);
      default:
        return false;
    }
  }

  /** Sets a number that is within bounds. */
  private bounded(column: WholeColumn, value: number, least: number, most: number): boolean {
    if (!(value >= least && value <= most)) return false;
    column.set(this.row, value);
    return true;
  }

  /** Takes one of the four numbers of an address: all must be valid for any to be used. */
  private word(at: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (at === 0) this.goodWords = 0;
    const value = parseWhole(bytes, start, end);
    if (at > 3 || value < 0 || value > 0xffffffff) return false;
    const { address } = this;
    address[4 * at] = value >>> 24;
    address[4 * at + 1] = value >>> 16;
    address[4 * at + 2] = value >>> 8;
    address[4 * at + 3] = value;
    this.goodWords += 1;
    return at < 3 || this.goodWords === 4;
  }

  private lastWord(): number {
    const { address } = this;
    return ((address[12]! << 24) | (address[13]! << 16) | (address[14]! << 8) | address[15]!) >>> 0;
  }

  private time(bytes: Uint8Array, start: number, end: number): boolean {
    if (!this.stamp.read(bytes, start, end)) return false;
    this.setTime();
    return true;
  }

  /** Sets the time that the stamp reader has read. */
  setTime(): void {
    const stamp = this.stamp;
    const batch = this.batch;
    const row = this.row;
    batch.ts.set(row, stamp.micros);
    batch.ts_digits.set(row, stamp.digits);
    if (stamp.nanos > 0) batch.ts_ns.set(row, stamp.nanos);
    const basis = (stamp.zoned ? TS_BASIS.zoneDecided : 0) | stamp.orderBasis;
    if (basis === 0) return;
    batch.ts_basis.set(row, basis);
    batch.tz_offset.set(row, stamp.offset);
  }

  /** Keeps a date until its time of day arrives. */
  private halfStamp(bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start > 20) return false;
    this.joined.set(bytes.subarray(start, end));
    this.joined[end - start] = 32;
    this.dateSize = end - start + 1;
    return this.time(this.joined, 0, end - start);
  }

  /** The time of day after its date; alone it is not a time and stays an attribute. */
  private otherHalfStamp(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.dateSize === 0 || end - start > 32) return false;
    this.joined.set(bytes.subarray(start, end), this.dateSize);
    return this.time(this.joined, 0, this.dateSize + end - start);
  }

  /** Reads the row's time again, in the zone that a column states. */
  private stateZone(bytes: Uint8Array, start: number, end: number): void {
    const { batch, row } = this;
    const basis = batch.ts_basis.present[row] === 1 ? batch.ts_basis.values[row]! : 0;
    if ((basis & TS_BASIS.zoneDecided) === 0 || batch.ts.present[row] === 0) return;
    const name = windows1252.decode(bytes.subarray(start, end));
    let zone = this.zones.get(name);
    if (zone === undefined && !this.zones.has(name)) {
      zone = zoneOf(name);
      if (this.zones.size < MAX_ZONES) this.zones.set(name, zone);
    }
    if (zone === undefined) return;
    const local = batch.ts.values[row]! + batch.tz_offset.values[row]! * 1e6;
    const offset = zone.fixed ?? zone.offsetSecondsAtLocal(local);
    batch.ts.set(row, local - offset * 1e6);
    const left = basis & ~TS_BASIS.zoneDecided;
    if (left === 0) {
      batch.ts_basis.present[row] = 0;
      batch.tz_offset.present[row] = 0;
    } else {
      batch.ts_basis.set(row, left);
      batch.tz_offset.set(row, offset);
    }
    this.stamp.zoneUsed = this.zoneUsed;
  }

  private count(column: NumberColumn, bytes: Uint8Array, start: number, end: number): boolean {
    const value = parseWhole(bytes, start, end);
    if (value >= 0) {
      column.set(this.row, value);
      return true;
    }
    const scaled = parseScaled(bytes, start, end);
    // A shortened number has lost digits: its text is kept as well.
    if (scaled >= 0) column.set(this.row, scaled);
    return false;
  }

  private seconds(value: number): boolean {
    if (!(value >= 0)) return false;
    this.batch.duration.set(this.row, value);
    return true;
  }

  private words(column: TextColumn, bytes: Uint8Array, start: number, end: number): boolean {
    if (column.present[this.row] === 1) return false;
    column.setBytes(this.row, bytes, start, end, this.valid);
    return true;
  }

  private endpoint(
    ip: number,
    port: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    // IPv6 ends at the first dot after a colon, IPv4 at the colon after its dots.
    let cut = -1;
    let dots = 0;
    let colons = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === 46) {
        dots += 1;
        if (colons > 0 && cut < 0) cut = at;
      } else if (byte === 58) {
        colons += 1;
        if (dots === 3) {
          cut = at;
          break;
        }
      }
    }
    if (cut < 0) return this.set(ip, bytes, start, end);
    let good = this.set(ip, bytes, start, cut);
    // ICMP: `type.code` is in place of the destination port.
    let dot = cut + 1;
    while (dot < end && bytes[dot] !== 46) dot += 1;
    if (dot < end) {
      this.icmpType = parseWhole(bytes, cut + 1, dot);
      this.icmpCode = parseWhole(bytes, dot + 1, end);
      good = good && this.icmpType >= 0 && this.icmpCode >= 0;
      return good && this.icmpType < 256 && this.icmpCode < 256;
    }
    return this.set(port, bytes, cut + 1, end) && good;
  }

  /** Sets values that are known only after all cells. */
  workOut(raw: Uint8Array, rawStart: number, rawEnd: number): void {
    const batch = this.batch;
    const row = this.row;
    const plan = this.plan;
    this.workOutIcmp();
    this.workOutTicket();
    if (batch.duration.present[row] === 0 && batch.ts.present[row] === 1) {
      const micros = this.end - batch.ts.values[row]!;
      if (micros >= 0) batch.duration.set(row, micros / 1e6);
    }
    if (this.totalBytes >= 0) {
      this.totals.add('bytes');
      this.share(this.totalBytes, batch.bytes, F.BYTES, batch.bytes_rev);
    }
    if (this.totalPackets >= 0) {
      this.totals.add('packets');
      this.share(this.totalPackets, batch.packets, F.PACKETS, batch.packets_rev);
    }
    if (plan.payloadAsBytes) {
      if (batch.bytes.present[row] === 0 && batch.orig_bytes.present[row] === 1) {
        batch.bytes.set(row, batch.orig_bytes.values[row]!);
      }
      if (batch.bytes_rev.present[row] === 0 && batch.resp_bytes.present[row] === 1) {
        batch.bytes_rev.set(row, batch.resp_bytes.values[row]!);
      }
    }
    if (this.givesType && batch.event_type.present[row] === 0) {
      batch.event_type.set(row, this.eventType, 0, this.eventType.length);
    }
    if (plan.keyed && this.keyed) batch.record_key.set(row, hash53(raw, rawStart, rawEnd));
  }

  /** Puts type and code of ICMP where Zeek has them: in the ports. */
  private workOutIcmp(): void {
    const batch = this.batch;
    const row = this.row;
    const proto = batch.proto.present[row] === 1 ? batch.proto.values[row]! : -1;
    if (proto !== 1 && proto !== 58) return;
    if (this.icmpType >= 0 && this.icmpType < 256) batch.src_port.set(row, this.icmpType);
    if (this.icmpCode >= 0 && this.icmpCode < 256) batch.dst_port.set(row, this.icmpCode);
    if (this.icmpType >= 0 || this.icmpCode >= 0) return;
    if (this.plan.icmp === 'dst_port' && batch.dst_port.present[row] === 1) {
      const port = batch.dst_port.values[row]!;
      batch.src_port.set(row, port >>> 8);
      batch.dst_port.set(row, port & 255);
    } else if (this.plan.icmp === 'argus' && batch.src_port.present[row] === 1) {
      const port = batch.src_port.values[row]!;
      batch.src_port.set(row, port & 255);
      batch.dst_port.set(row, port >>> 8);
    }
  }

  /**
   * Computes the missing direction from the sum. A direction that exceeds the sum is impossible: the sum is used,
   * and the direction's number stays under its column's name.
   */
  private share(total: number, there: NumberColumn, thereOp: number, back: NumberColumn): void {
    const row = this.row;
    if (there.present[row] === 0) {
      const rest = back.present[row] === 1 ? total - back.values[row]! : total;
      if (rest >= 0) there.set(row, rest);
      return;
    }
    const stated = there.values[row]!;
    if (back.present[row] === 1) {
      if (stated + back.values[row]! !== total) {
        const name = there === this.batch.bytes ? F.BYTES_TOTAL : F.PACKETS_TOTAL;
        this.keepNumber(name, total);
      }
      return;
    }
    if (stated <= total) {
      back.set(row, total - stated);
    } else {
      there.set(row, total);
      this.keepNumber(thereOp, stated);
    }
  }

  private keepNumber(setter: number, value: number): void {
    const name = this.plan.names[this.setters.indexOf(setter)];
    if (name !== undefined) this.batch.setAttribute(name, String(value));
  }

  private column(i: number): TextColumn | undefined {
    const column = this.batch.attributeColumn(this.plan.names[i]!);
    this.attributes[i] = column;
    return column;
  }

  private decode(bytes: Uint8Array, start: number, end: number): string {
    const part = bytes.subarray(start, end);
    return isUtf8(part) ? text.decode(part) : windows1252.decode(part);
  }
}

const NEED_FINISH: ReadonlySet<number> = new Set([
  F.TS_END,
  F.TS_END_UTC,
  F.TS_DATE,
  F.TS_ZONE,
  F.SRC_ENDPOINT,
  F.DST_ENDPOINT,
  F.ICMP_TYPE,
  F.KERBEROS_SUCCESS,
  F.ICMP_CODE,
  F.PACKETS_TOTAL,
  F.BYTES_TOTAL,
  F.SRC_WORD,
  F.DST_WORD,
]);

/** An address's zone (`%eth0`) is not stored in its column. */
function hasZone(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === 37) return true;
  return false;
}

function isRtp(bytes: Uint8Array, start: number, end: number): boolean {
  const name = windows1252.decode(bytes.subarray(start, end));
  return name === 'rtp' || name === 'rtcp' || name === 'udt';
}
