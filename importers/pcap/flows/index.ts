/**
 * Tracks packets into flows, and writes a flow when it is over: docs/importers/flows-from-packets.md.
 *
 * Flows and their properties follow Zeek's conn.log
 * (https://docs.zeek.org/en/master/scripts/base/protocols/conn/main.zeek.html). Rows are emitted in an order that
 * depends on the packets alone; memory is bounded by the number of open flows; a packet costs the same however many
 * are open.
 */
import { CONN_STATES } from '../../../engine/contract/event.ts';
import type { EventBatch } from '../../../engine/columns/event-batch.ts';
import type { Packet } from '../decode/packet.ts';
import { NetworkClock } from './clock.ts';
import { tcpConnState, udpConnState } from './conn-state.ts';
import { FragmentTable } from './fragments.ts';
import { addLetter, LETTER_D, LETTER_FLIP, SEEN_DATA, seenLetter } from './history.ts';
import { icmpResponderPort, ONE_WAY } from './icmp.ts';
import { LIKELY_TCP, LIKELY_UDP } from './likely-ports.ts';
import {
  ADDRESS_HIGH,
  ADDRESS_LOW,
  BYTES,
  CONN,
  CONN_FLAGS_SHIFT,
  CONN_HISTORY,
  CONN_HISTORY_SHIFT,
  CONN_LONG,
  CONN_LOW_ORIGINATES,
  CONN_NANOS,
  CONN_PARTIAL,
  CONN_TIMER,
  CONN_TIMER_SHIFT,
  CONN_TUNNEL,
  DUE,
  END_DID_CLOSE,
  END_STATE,
  ENDS,
  FIRST_SEQ,
  HISTORY,
  INACTIVE,
  KEY,
  KEY_IP6,
  KEY_ONE_WAY,
  KEY_PORTS,
  LAST_TIME,
  MISSED,
  NUMBER,
  PACKETS,
  PAYLOAD,
  PORTS,
  RECORD_SHIFT,
  RESET,
  STAMP,
  START_STAMP,
  START_TIME,
  SYN_ACK_SENT,
  SYN_SENT,
  TCP_SIDE,
  TIMER_ATTEMPT,
  TIMER_DELETE,
  TIMER_NONE,
  VLANS,
} from './record.ts';
import { FlowStore } from './store.ts';
import { TcpTracker } from './tcp.ts';

/** Times in seconds; the defaults are Zeek's. */
export interface FlowOptions {
  /** Maximum number of open flows; beyond it, the one idle longest is written early. */
  readonly maxOpenFlows: number;
  /** A SYN without an answer. */
  readonly tcpAttemptDelay: number;
  /** From the close of a connection until its addresses and ports make a new flow. */
  readonly tcpCloseDelay: number;
  readonly tcpResetDelay: number;
  /** A side that ended before anything else of it was seen. */
  readonly tcpPartialCloseDelay: number;
  readonly tcpInactivity: number;
  /** Before the handshake is over. */
  readonly tcpHandshakeInactivity: number;
  readonly udpInactivity: number;
  readonly icmpInactivity: number;
  readonly otherInactivity: number;
}

const DEFAULT_FLOW_OPTIONS: FlowOptions = {
  maxOpenFlows: 1_000_000,
  tcpAttemptDelay: 5,
  tcpCloseDelay: 5,
  tcpResetDelay: 0.1,
  tcpPartialCloseDelay: 3,
  tcpInactivity: 300,
  tcpHandshakeInactivity: 60,
  udpInactivity: 60,
  icmpInactivity: 60,
  otherInactivity: 60,
};

const SECOND = 1_000_000;
/** A flow's number and its slot together fit a double. */
const MAX_SLOTS = 2_097_152;
const TWO_32 = 4_294_967_296;
const SYN = 2;
const ACK = 16;
const TCP = 6;
const UDP = 17;
const ICMP = 1;
const ICMP6 = 58;

const STATE_BYTES = CONN_STATES.map((state) => new TextEncoder().encode(state));

export class FlowTracker {
  /** Flows that were written early because too many were open. */
  evicted = 0;
  /** Application protocols of open flows, by the flow's number, as far as known. */
  readonly services = new Map<number, string>();

  private readonly batch: EventBatch;
  private readonly maxOpen: number;
  private readonly clock = new NetworkClock();
  private readonly store: FlowStore;
  private readonly tcp: TcpTracker;
  private readonly fragments = new FragmentTable();
  /** Tunnels of open flows, by slot. */
  private readonly tunnels = new Map<number, string>();
  private count = 0;
  private started = false;
  private readonly tcpHandshakeMicros: number;
  private readonly tcpMicros: number;
  private readonly udpMicros: number;
  private readonly icmpMicros: number;
  private readonly otherMicros: number;
  private readonly attemptMicros: number;
  /** Slots and flow numbers of those idle longest, and when they were last active. */
  private idleSlots = new Uint32Array(0);
  private idleNumbers = new Uint32Array(0);
  private idleTimes = new Float64Array(0);
  private idleNext = 0;
  /** For the last packet: the slot of its flow, and its side. */
  private takenSlot = 0;
  private takenSide = 0;

  /** @param batch takes the flows; its kind should be `flow` */
  constructor(batch: EventBatch, options: Partial<FlowOptions> = {}) {
    this.batch = batch;
    const o = { ...DEFAULT_FLOW_OPTIONS, ...options };
    this.maxOpen = Math.min(Math.max(1, o.maxOpenFlows), MAX_SLOTS - 1);
    this.store = new FlowStore();
    this.tcp = new TcpTracker(this.store, {
      attempt: o.tcpAttemptDelay * SECOND,
      close: o.tcpCloseDelay * SECOND,
      partialClose: o.tcpPartialCloseDelay * SECOND,
      reset: o.tcpResetDelay * SECOND,
    });
    this.tcpHandshakeMicros = o.tcpHandshakeInactivity * SECOND;
    this.tcpMicros = o.tcpInactivity * SECOND;
    this.udpMicros = o.udpInactivity * SECOND;
    this.icmpMicros = o.icmpInactivity * SECOND;
    this.otherMicros = o.otherInactivity * SECOND;
    this.attemptMicros = o.tcpAttemptDelay * SECOND;
  }

  /** Whether the flow of the last packet was seen from its SYN on. */
  get isFromStart(): boolean {
    const conn = this.store.words[(this.takenSlot << RECORD_SHIFT) + CONN]!;
    return (conn & CONN_PARTIAL) === 0;
  }

  /** Sequence number of the first payload byte of the side that sent the last packet. */
  get firstSequence(): number {
    const w = (this.takenSlot << RECORD_SHIFT) + this.takenSide * TCP_SIDE;
    return (this.store.words[w + FIRST_SEQ]! + 1) >>> 0;
  }

  /** Whether the sender of the last packet is its flow's originator. */
  get isFromOriginator(): boolean {
    return this.takenSide === 0;
  }

  /** Flows that are open. */
  get open(): number {
    return this.store.open;
  }

  /**
   * Takes a packet. Packets are in the order of the capture.
   * @returns the number of its flow, from 1 in the order of first packets; 0 if it has none: no IP
   *   layer, a truncated header, a later fragment whose first one was not seen
   */
  packet(p: Packet): number {
    const time = this.clock.see(p.micros);
    const { now } = this.clock;
    if (!this.started && p.micros === p.micros) {
      this.started = true;
      this.store.startWheel(now);
    }
    if (now >= this.store.tickEnd) this.expire(now);
    return p.ipVersion === 0 ? 0 : this.follow(p, time);
  }

  /** Takes an IP packet at its network time, which has been reached. */
  private follow(p: Packet, time: number): number {
    const { now } = this.clock;
    const { store } = this;
    let srcPort = p.srcPort;
    let dstPort = p.dstPort;
    const proto = p.proto;
    let key = proto | (p.ipVersion === 6 ? KEY_IP6 : 0);
    let oneWay = false;
    switch (proto) {
      case TCP:
      case UDP:
      case 132:
      case 33:
      case 136:
        if (srcPort < 0) return p.fragmentOffset > 0 ? this.laterFragment(p, time) : 0;
        if (proto === TCP && (p.transport < 0 || p.end - p.transport < 20)) return 0;
        key |= KEY_PORTS;
        break;
      case ICMP:
      case ICMP6: {
        if (p.icmpType < 0) return p.fragmentOffset > 0 ? this.laterFragment(p, time) : 0;
        srcPort = p.icmpType;
        dstPort = icmpResponderPort(proto, p.icmpType, p.icmpCode);
        oneWay = (dstPort & ONE_WAY) !== 0;
        dstPort &= ONE_WAY - 1;
        key |= KEY_PORTS;
        if (oneWay) key |= KEY_ONE_WAY;
        break;
      }
      default:
        srcPort = 0;
        dstPort = 0;
    }

    const fromLow = this.setKey(p, srcPort, dstPort, key, oneWay);
    let slot = store.find();
    if (slot !== 0 && this.isOver(slot, p, now)) {
      this.end(slot);
      slot = 0;
    }
    if (slot === 0) slot = this.begin(p, srcPort, dstPort, fromLow, time);

    const w = slot << RECORD_SHIFT;
    const lowOriginates = (store.words[w + CONN]! & CONN_LOW_ORIGINATES) !== 0;
    const side = fromLow === lowOriginates ? 0 : 1;
    const number = store.words[w + NUMBER]!;
    this.takenSlot = slot;
    this.takenSide = side;
    if (p.moreFragments) this.fragments.store(p, time, slot, side, number);
    this.account(slot, side, p);
    if (proto === TCP) {
      // A TCP header that claims less than its own size is useless.
      if (p.bytes[p.transport + 12]! >>> 4 >= 5) this.segment(slot, side, p, time);
      return number;
    }
    this.touch(w, time, p.nanos);
    const payload = (w >>> 1) + PAYLOAD + side;
    store.doubles[payload] = store.doubles[payload]! + p.payload;
    if (proto === UDP) seenLetter(store, slot, side, SEEN_DATA, LETTER_D);
    return number;
  }

  /**
   * Sets the key of a packet's flow, with the sides in order, so that both directions have the same. @returns
   * whether the lower one sent it
   */
  private setKey(
    p: Packet,
    srcPort: number,
    dstPort: number,
    key: number,
    oneWay: boolean,
  ): boolean {
    const { store } = this;
    const vlans = (p.vlan + 1) | ((p.innerVlan + 1) << 13);
    if (p.ipVersion === 4) {
      const src = p.src4;
      const dst = p.dst4;
      const fromLow = oneWay || src < dst || (src === dst && srcPort <= dstPort);
      if (fromLow) store.setKey4(src, dst, ((srcPort << 16) | dstPort) >>> 0, vlans, key);
      else store.setKey4(dst, src, ((dstPort << 16) | srcPort) >>> 0, vlans, key);
      return fromLow;
    }
    const bytes = p.bytes;
    const src = p.src6;
    const dst = p.dst6;
    let order = 0;
    for (let i = 0; i < 16 && order === 0; i++) order = bytes[src + i]! - bytes[dst + i]!;
    const fromLow = oneWay || order < 0 || (order === 0 && srcPort <= dstPort);
    const low = fromLow ? src : dst;
    const high = fromLow ? dst : src;
    const keyBytes = store.keyBytes;
    for (let i = 0; i < 16; i++) {
      keyBytes[i] = bytes[low + i]!;
      keyBytes[16 + i] = bytes[high + i]!;
    }
    const ports = fromLow ? (srcPort << 16) | dstPort : (dstPort << 16) | srcPort;
    store.setKey6(ports >>> 0, vlans, key);
    return fromLow;
  }

  /** Writes the flows that are still open, in the order of their first packets. */
  finish(): void {
    const store = this.store;
    const words = store.words;
    const order = new Float64Array(store.open);
    let n = 0;
    for (let slot = 1; slot < store.top; slot++) {
      const number = words[(slot << RECORD_SHIFT) + NUMBER]!;
      if (number !== 0) order[n++] = number * MAX_SLOTS + slot;
    }
    order.sort();
    for (let i = 0; i < n; i++) this.end(order[i]! % MAX_SLOTS);
  }

  private segment(slot: number, side: number, p: Packet, time: number): void {
    const store = this.store;
    const w = slot << RECORD_SHIFT;
    const flags = p.tcpFlags << CONN_FLAGS_SHIFT;
    store.words[w + CONN] = store.words[w + CONN]! | flags;
    const before = store.doubles[(w >>> 1) + LAST_TIME]!;
    this.tcp.segment(slot, side, p, time);
    if (store.doubles[(w >>> 1) + LAST_TIME]! > before) this.noteNanos(w, p.nanos);
  }

  /** Ends the flows whose time is over. */
  private expire(now: number): void {
    const store = this.store;
    for (;;) {
      const slot = store.nextDue(now);
      if (slot === 0) return;
      const due = this.due(slot);
      if (due > now) {
        store.schedule(slot, due);
      } else {
        this.write(slot);
        this.forget(slot);
      }
    }
  }

  /** The end of the flow if no more packets arrive. */
  private due(slot: number): number {
    const store = this.store;
    const w = slot << RECORD_SHIFT;
    const conn = store.words[w + CONN]!;
    const proto = store.words[w + KEY]! & 255;
    let patience: number;
    if (proto === TCP) {
      patience = (conn & CONN_LONG) !== 0 ? this.tcpMicros : this.tcpHandshakeMicros;
    } else if (proto === UDP) patience = this.udpMicros;
    else if (proto === ICMP || proto === ICMP6) patience = this.icmpMicros;
    else patience = this.otherMicros;
    const due = store.doubles[(w >>> 1) + LAST_TIME]! + patience;
    const timer = (conn & CONN_TIMER) >>> CONN_TIMER_SHIFT;
    if (timer === TIMER_NONE) return due;
    if (timer !== TIMER_DELETE) {
      const ends = (w + ENDS) * 2;
      const orig = store.halves[ends]!;
      const resp = store.halves[ends + 1]!;
      const o = orig & END_STATE;
      const r = resp & END_STATE;
      if (timer === TIMER_ATTEMPT) {
        if ((o !== SYN_SENT && o !== SYN_ACK_SENT) || r !== INACTIVE) return due;
      } else if (
        o === INACTIVE ||
        r === INACTIVE ||
        o === RESET ||
        r === RESET ||
        (orig & resp & END_DID_CLOSE) !== 0
      ) {
        return due;
      }
    }
    return Math.min(due, store.doubles[(w >>> 1) + DUE]!);
  }

  private isOver(slot: number, p: Packet, now: number): boolean {
    if (this.due(slot) <= now) return true;
    return p.proto === TCP && this.tcp.isReuse(slot, p);
  }

  /** Opens a flow for the key that is set in the store. */
  private begin(
    p: Packet,
    srcPort: number,
    dstPort: number,
    fromLow: boolean,
    time: number,
  ): number {
    const store = this.store;
    if (store.open >= this.maxOpen) this.evict();
    const slot = store.insert();
    const w = slot << RECORD_SHIFT;
    const words = store.words;
    const d = w >>> 1;
    this.count += 1;
    words[w + NUMBER] = this.count;
    store.doubles[d + START_STAMP] = p.micros;
    store.doubles[d + START_TIME] = time;
    store.doubles[d + LAST_TIME] = time;
    words[w + STAMP] = p.nanos | (p.nanos << 10) | (p.digits << 20);
    let conn = fromLow ? CONN_LOW_ORIGINATES : 0;
    if (p.nanos !== 0) conn |= CONN_NANOS;
    if (p.tunnel !== '') {
      conn |= CONN_TUNNEL;
      this.tunnels.set(slot, p.tunnel);
    }
    const flip = looksLikeReply(p, srcPort, dstPort);
    words[w + CONN] = flip ? conn ^ CONN_LOW_ORIGINATES : conn;
    if (flip) addLetter(store, slot, 0, LETTER_FLIP);
    if (p.proto === TCP) {
      this.tcp.begin(slot);
      store.schedule(slot, time + this.attemptMicros);
    } else {
      store.schedule(slot, this.due(slot));
    }
    return slot;
  }

  private account(slot: number, side: number, p: Packet): void {
    const store = this.store;
    const w = slot << RECORD_SHIFT;
    store.words[w + PACKETS + side] = store.words[w + PACKETS + side]! + 1;
    const at = (w >>> 1) + BYTES + side;
    store.doubles[at] = store.doubles[at]! + p.ipLength;
  }

  private touch(w: number, time: number, nanos: number): void {
    const doubles = this.store.doubles;
    const at = (w >>> 1) + LAST_TIME;
    if (time < doubles[at]!) return;
    doubles[at] = time;
    this.noteNanos(w, nanos);
  }

  private noteNanos(w: number, nanos: number): void {
    const words = this.store.words;
    const conn = words[w + CONN]!;
    // The stamp is in a separate cache line: not touched for captures in microseconds.
    if (nanos === 0 && (conn & CONN_NANOS) === 0) return;
    words[w + CONN] = conn | CONN_NANOS;
    words[w + STAMP] = (words[w + STAMP]! & ~(1023 << 10)) | (nanos << 10);
  }

  private laterFragment(p: Packet, time: number): number {
    const fragments = this.fragments;
    if (!fragments.find(p, time)) return 0;
    const store = this.store;
    const slot = fragments.slot;
    const w = slot << RECORD_SHIFT;
    if (store.words[w + NUMBER] !== fragments.number) return 0;
    const side = fragments.side;
    this.account(slot, side, p);
    this.touch(w, time, p.nanos);
    if (p.proto !== TCP) {
      const payload = (w >>> 1) + PAYLOAD + side;
      store.doubles[payload] = store.doubles[payload]! + p.payload;
    }
    return fragments.number;
  }

  private end(slot: number): void {
    this.store.unschedule(slot);
    this.write(slot);
    this.forget(slot);
  }

  private forget(slot: number): void {
    const w = slot << RECORD_SHIFT;
    if ((this.store.words[w + CONN]! & CONN_TUNNEL) !== 0) this.tunnels.delete(slot);
    this.store.words[w + NUMBER] = 0;
    this.store.remove(slot);
  }

  /** Writes the flow that is idle longest. */
  private evict(): void {
    const store = this.store;
    for (;;) {
      while (this.idleNext < this.idleSlots.length) {
        const i = this.idleNext++;
        const slot = this.idleSlots[i]!;
        const w = slot << RECORD_SHIFT;
        // A flow that has been active since is no longer among the idlest.
        if (store.words[w + NUMBER] !== this.idleNumbers[i]) continue;
        if (store.doubles[(w >>> 1) + LAST_TIME] !== this.idleTimes[i]) continue;
        this.end(slot);
        this.evicted += 1;
        return;
      }
      this.findIdle();
    }
  }

  /** Lists the idlest quarter of the open flows in order, so that the cost is shared. */
  private findIdle(): void {
    const store = this.store;
    const words = store.words;
    const order = new Float64Array(store.open);
    const oldest = this.clock.now - TWO_32;
    let n = 0;
    for (let slot = 1; slot < store.top; slot++) {
      const w = slot << RECORD_SHIFT;
      if (words[w + NUMBER] === 0) continue;
      // Time and slot in one double; flows idle for more than an hour count as equally idle.
      const time = Math.max(0, Math.floor(store.doubles[(w >>> 1) + LAST_TIME]! - oldest));
      order[n++] = Math.min(time, TWO_32 - 1) * MAX_SLOTS + slot;
    }
    order.sort();
    const count = Math.max(1, n >>> 2);
    this.idleSlots = new Uint32Array(count);
    this.idleNumbers = new Uint32Array(count);
    this.idleTimes = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const slot = order[i]! % MAX_SLOTS;
      const w = slot << RECORD_SHIFT;
      this.idleSlots[i] = slot;
      this.idleNumbers[i] = words[w + NUMBER]!;
      this.idleTimes[i] = store.doubles[(w >>> 1) + LAST_TIME]!;
    }
    this.idleNext = 0;
  }

  private write(slot: number): void {
    const store = this.store;
    const batch = this.batch;
    const words = store.words;
    const w = slot << RECORD_SHIFT;
    const d = w >>> 1;
    const row = batch.length;
    const conn = words[w + CONN]!;
    const proto = words[w + KEY]! & 255;
    const stamp = words[w + STAMP]!;

    batch.seq.set(row, -words[w + NUMBER]!);
    const start = store.doubles[d + START_STAMP]!;
    if (start === start) {
      batch.ts.set(row, start);
      batch.ts_ns.set(row, stamp & 1023);
      batch.ts_digits.set(row, stamp >>> 20);
    }
    this.writeEnds(w, row);
    const vlans = words[w + VLANS]!;
    if ((vlans & 8191) !== 0) batch.vlan.set(row, (vlans & 8191) - 1);
    if (vlans >>> 13 !== 0) batch.setAttribute('inner_vlan', String((vlans >>> 13) - 1));
    const service = this.services.get(words[w + NUMBER]!);
    if (service !== undefined) {
      batch.service.setString(row, service);
      this.services.delete(words[w + NUMBER]!);
    }
    if ((conn & CONN_TUNNEL) !== 0) batch.setAttribute('tunnel', this.tunnels.get(slot) ?? '');

    batch.packets.set(row, words[w + PACKETS]!);
    batch.packets_rev.set(row, words[w + PACKETS + 1]!);
    batch.bytes.set(row, store.doubles[d + BYTES]!);
    batch.bytes_rev.set(row, store.doubles[d + BYTES + 1]!);
    const micros = store.doubles[d + LAST_TIME]! - store.doubles[d + START_TIME]!;
    const nanos = ((stamp >>> 10) & 1023) - (stamp & 1023);
    const duration = (micros * 1000 + nanos) / 1e9;
    if (duration > 0) batch.duration.set(row, duration);

    const historyStart = (w + HISTORY) * 4;
    const historyEnd = historyStart + ((conn & CONN_HISTORY) >>> CONN_HISTORY_SHIFT);
    if (historyEnd > historyStart) batch.history.set(row, store.bytes, historyStart, historyEnd);
    let state = 0;
    if (proto === TCP) {
      const origBytes = this.tcp.payloadSize(slot, 0);
      const respBytes = this.tcp.payloadSize(slot, 1);
      batch.orig_bytes.set(row, origBytes);
      batch.resp_bytes.set(row, respBytes);
      batch.missed_bytes.set(row, store.doubles[d + MISSED]!);
      batch.tcp_flags.set(row, conn >>> CONN_FLAGS_SHIFT);
      const ends = (w + ENDS) * 2;
      state = tcpConnState(
        store.halves[ends]! & END_STATE,
        store.halves[ends + 1]! & END_STATE,
        origBytes === 0 && respBytes === 0,
        store.bytes,
        historyStart,
        historyEnd,
      );
    } else if (proto === UDP || proto === ICMP || proto === ICMP6) {
      batch.orig_bytes.set(row, store.doubles[d + PAYLOAD]!);
      batch.resp_bytes.set(row, store.doubles[d + PAYLOAD + 1]!);
      if (proto === UDP) {
        state = udpConnState(words[w + PACKETS] !== 0, words[w + PACKETS + 1] !== 0);
      }
    }
    const name = STATE_BYTES[state]!;
    batch.conn_state.set(row, name, 0, name.length);
    batch.endRow();
  }

  /** Addresses, protocol and ports of the record at `w`. */
  private writeEnds(w: number, row: number): void {
    const { store, batch } = this;
    const { words } = store;
    const key = words[w + KEY]!;
    const lowOriginates = (words[w + CONN]! & CONN_LOW_ORIGINATES) !== 0;
    if ((key & KEY_IP6) === 0) {
      const low = words[w + ADDRESS_LOW]!;
      const high = words[w + ADDRESS_HIGH]!;
      batch.src_ip4.set(row, lowOriginates ? low : high);
      batch.dst_ip4.set(row, lowOriginates ? high : low);
    } else {
      const at = words[w + ADDRESS_LOW]! * 32;
      batch.setSource6(row, store.addressBytes, lowOriginates ? at : at + 16);
      batch.setTarget6(row, store.addressBytes, lowOriginates ? at + 16 : at);
    }
    batch.proto.set(row, key & 255);
    if ((key & KEY_PORTS) !== 0) {
      const low = words[w + PORTS]! >>> 16;
      const high = words[w + PORTS]! & 0xffff;
      batch.src_port.set(row, lowOriginates ? low : high);
      batch.dst_port.set(row, lowOriginates ? high : low);
    }
  }
}

/** Whether the first packet seen of a flow probably came from the server. */
function looksLikeReply(p: Packet, srcPort: number, dstPort: number): boolean {
  if (p.ipVersion === 4 && p.dst4 === 0xffffffff) return false;
  if (p.proto === UDP) return LIKELY_UDP[srcPort] === 1 && LIKELY_UDP[dstPort] === 0;
  if (p.proto !== TCP || (p.tcpFlags & (SYN | ACK)) === SYN) return false;
  // A SYN-ACK answers a SYN that was not captured.
  if ((p.tcpFlags & (SYN | ACK)) === (SYN | ACK)) return true;
  if (LIKELY_TCP[srcPort] === 0) return false;
  if (LIKELY_TCP[dstPort] === 0) return true;
  // Both may be servers: never for a SYN-ACK (a stealth scan), otherwise the lower port decides.
  return (p.tcpFlags & SYN) === 0 && srcPort < dstPort;
}
