/**
 * TCP flows: the state of each side, its payload according to sequence numbers, bytes acknowledged but never seen,
 * and the end of the connection. The rules are those of Zeek's TCP analyzer
 * (https://docs.zeek.org/en/master/logs/conn.html), so that conn_state, history and the byte counts mean what
 * readers of conn.log expect.
 */
import type { Packet } from '../decode/packet.ts';
import {
  addLetter,
  isDecade,
  LETTER_A,
  LETTER_D,
  LETTER_F,
  LETTER_FLIP,
  LETTER_G,
  LETTER_H,
  LETTER_I,
  LETTER_Q,
  LETTER_R,
  LETTER_S,
  LETTER_T,
  LETTER_W,
  SEEN_ACK,
  SEEN_DATA,
  SEEN_FIN,
  SEEN_FIN_RST,
  SEEN_MULTI,
  SEEN_RST,
  SEEN_SYN,
  seenLetter,
} from './history.ts';
import {
  ACK_SEQ,
  BYTES,
  CLOSED,
  CONN,
  CONN_CLOSE_DEFERRED,
  CONN_LONG,
  CONN_LOW_ORIGINATES,
  CONN_PARTIAL,
  CONN_TIMER,
  CONN_TIMER_SHIFT,
  DUE,
  END_DID_CLOSE,
  END_EOF,
  END_FIN,
  END_FIRST_SEEN,
  END_PREVIOUS_SHIFT,
  END_RANGES,
  END_SKIP,
  END_STATE,
  ENDS,
  ESTABLISHED,
  FIN_SEQ,
  FIRST_SEQ,
  GAPS,
  INACTIVE,
  LAST_FIN,
  LAST_RST,
  LAST_SEQ,
  LAST_SYN,
  LAST_TIME,
  MISSED,
  NEXT_SEQ,
  PACKETS,
  PARTIAL,
  RANGES,
  RECORD_SHIFT,
  RESET,
  RETRANSMITS,
  SYN_ACK_SENT,
  SYN_SENT,
  TCP_SIDE,
  TIMER_ATTEMPT,
  TIMER_DELETE,
  TIMER_PARTIAL_CLOSE,
  TRIM_SEQ,
  WRAPS,
  ZERO_WINDOWS,
} from './record.ts';
import type { FlowStore } from './store.ts';

const FIN = 1;
const SYN = 2;
const RST = 4;
const ACK = 16;

/** A SYN, RST or zero acknowledgement that jumps this far is ignored. */
const TOO_FAR = 1_048_576;
/** Payload without any acknowledgement after which the other direction counts as not captured. */
const MAX_WITHOUT_ACKS = 16_384;
/** Payload beyond the last acknowledgement after which loss is no longer tracked. */
const MAX_UNACKED = 10_485_760;
const TWO_32 = 4_294_967_296;

/** Microseconds. */
interface TcpDelays {
  readonly attempt: number;
  readonly close: number;
  readonly partialClose: number;
  readonly reset: number;
}

export class TcpTracker {
  private readonly store: FlowStore;
  private readonly delays: TcpDelays;
  // Of the current packet: whether the sequence number precedes the first one.
  private underflow = false;

  constructor(store: FlowStore, delays: TcpDelays) {
    this.store = store;
    this.delays = delays;
  }

  /** Sets a new flow's stream positions. */
  begin(slot: number): void {
    const words = this.store.words;
    const w = slot << RECORD_SHIFT;
    for (let side = 0; side < 2; side++) {
      words[w + NEXT_SEQ + side * TCP_SIDE] = 1;
      words[w + TRIM_SEQ + side * TCP_SIDE] = 1;
    }
  }

  /** Whether a packet with the flow's addresses and ports begins another connection. */
  isReuse(slot: number, p: Packet): boolean {
    const flags = p.tcpFlags;
    if ((flags & SYN) === 0) return false;
    const store = this.store;
    const w = slot << RECORD_SHIFT;
    const ends = w * 2 + ENDS * 2;
    const orig = store.halves[ends]!;
    const resp = store.halves[ends + 1]!;
    let first = w + FIRST_SEQ;
    let starter = orig;
    if ((flags & ACK) !== 0) {
      if ((orig & END_STATE) !== INACTIVE) return false;
      first += TCP_SIDE;
      starter = resp;
    }
    if (((orig | resp) & END_DID_CLOSE) !== 0) return true;
    if (p.tcpSeq === store.words[first]) return false;
    // A SYN that overtook its SYN-ACK is not a reuse either.
    return !(
      (flags & ACK) === 0 &&
      (starter & END_STATE) === SYN_ACK_SENT &&
      (resp & END_STATE) === INACTIVE &&
      p.tcpSeq === store.words[w + FIRST_SEQ + TCP_SIDE]
    );
  }

  /**
   * Takes one segment.
   * @param from 0 if the originator sent it, 1 if the responder did
   * @param time of the packet, network time
   */
  segment(slot: number, from: number, p: Packet, time: number): void {
    const store = this.store;
    const words = store.words;
    const halves = store.halves;
    const w = slot << RECORD_SHIFT;
    const ends = w * 2 + ENDS * 2;
    const flags = p.tcpFlags;
    const syn = (flags & SYN) !== 0;
    const fin = (flags & FIN) !== 0;
    const rst = (flags & RST) !== 0;
    const seq = p.tcpSeq;
    const length = p.payload;
    let side = from;
    let peer = side ^ 1;
    let at = w + side * TCP_SIDE;

    // Whether the connection's beginning was seen.
    if ((halves[ends + side]! & END_FIRST_SEEN) === 0) {
      if (side === 0) this.setPartial(w, !syn || (flags & ACK) !== 0);
      else if ((words[w + CONN]! & CONN_PARTIAL) === 0) this.setPartial(w, !syn);
    }

    const segment = (rst ? 0 : length) + (syn ? 1 : 0) + (fin ? 1 : 0);
    const past = (seq + segment) >>> 0;
    this.initialise(ends + side, at, syn, seq, past);

    const relative = this.relativeSeq(words, at, halves[(w + WRAPS + side) * 2]!, seq);
    const seqUnderflow = this.underflow;
    this.updateHistory(slot, side, flags, relative, length);

    const end = halves[ends + side]!;
    const other = halves[ends + peer]!;
    if (
      p.tcpWindow === 0 &&
      !rst &&
      (other & END_STATE) !== CLOSED &&
      (end & END_STATE) !== RESET
    ) {
      this.count16(slot, side, ZERO_WINDOWS, LETTER_W);
    }
    if ((end & other & END_DID_CLOSE) === 0) this.touch(w, time);

    if (fin) {
      halves[ends + side] = end | END_FIN;
      words[w + FIN_SEQ + side] = relative + segment;
    }

    const acked = (flags & ACK) === 0 ? 0 : this.acknowledge(w, peer, p.tcpAck, rst);
    this.updateLast(slot, side, at, past, flags, length);

    const before = words[w + CONN]! & CONN_LOW_ORIGINATES;
    const close = this.updateState(slot, side, flags, seq, length, time);
    if ((words[w + CONN]! & CONN_LOW_ORIGINATES) !== before) {
      side ^= 1;
      peer ^= 1;
      at = w + side * TCP_SIDE;
    }

    if ((flags & ACK) !== 0) this.ackReceived(slot, peer, acked);
    halves[ends + side] = halves[ends + side]! | END_FIRST_SEEN;

    if (length > 0 && !rst && !seqUnderflow && p.end - p.payloadStart >= length) {
      this.dataSent(slot, side, at, (syn ? relative + 1 : relative) >>> 0, length);
    }
    this.checkEnd(slot, side);
    if (close) this.connectionClosed(slot, side);
  }

  /**
   * Takes an acknowledgement of what `peer` sent. @returns how much of it, as a sequence number relative to its
   * first
   */
  private acknowledge(w: number, peer: number, ack: number, rst: boolean): number {
    const { words, halves } = this.store;
    const toward = w + peer * TCP_SIDE;
    if ((halves[w * 2 + ENDS * 2 + peer]! & END_STATE) === INACTIVE) {
      words[toward + FIRST_SEQ] = ack - 1;
      words[toward + ACK_SEQ] = ack - 1;
      words[toward + LAST_SEQ] = ack - 1;
      return 1;
    }
    const acked = this.relativeAck(words, toward, halves[(w + WRAPS + peer) * 2 + 1]!, ack);
    if (this.underflow) return 0;
    if (!rst) this.updateAck(w, toward, peer, ack);
    return acked;
  }

  /** Payload bytes a side sent, by its sequence numbers. */
  payloadSize(slot: number, side: number): number {
    const store = this.store;
    const w = slot << RECORD_SHIFT;
    const end = store.halves[w * 2 + ENDS * 2 + side]!;
    const peer = store.halves[w * 2 + ENDS * 2 + (side ^ 1)]!;
    if (
      ((end >>> END_PREVIOUS_SHIFT) & END_STATE) === SYN_SENT &&
      (end & END_STATE) === RESET &&
      (peer & END_STATE) === INACTIVE &&
      !this.noDataAcked(w, side)
    ) {
      // A half-open connection was found and aborted: the numbers are another connection's.
      return 0;
    }
    const words = store.words;
    const at = w + side * TCP_SIDE;
    const first = words[at + FIRST_SEQ]!;
    const wraps = (w + WRAPS + side) * 2;
    const sent = distance(words[at + LAST_SEQ]!, first, store.halves[wraps]!);
    const acked = distance(words[at + ACK_SEQ]!, first, store.halves[wraps + 1]!);
    let size = Math.max(sent, acked, 0);
    if (size > 0) size -= 1;
    if (size > 0 && (end & END_FIN) !== 0) size -= 1;
    return size;
  }

  /** Swaps the sides of a flow that was started from the wrong end. */
  flip(slot: number): void {
    const store = this.store;
    const w = slot << RECORD_SHIFT;
    const words = store.words;
    const halves = store.halves;
    for (let i = 0; i < TCP_SIDE; i++) swap(words, w + FIRST_SEQ + i, w + FIRST_SEQ + TCP_SIDE + i);
    swap(words, w + PACKETS, w + PACKETS + 1);
    swap(words, w + WRAPS, w + WRAPS + 1);
    swap(words, w + FIN_SEQ, w + FIN_SEQ + 1);
    swap(words, w + LAST_SYN, w + LAST_SYN + 1);
    swap(words, w + LAST_FIN, w + LAST_FIN + 1);
    swap(words, w + LAST_RST, w + LAST_RST + 1);
    swap(words, w + RETRANSMITS, w + RETRANSMITS + 1);
    swap(words, w + RANGES, w + RANGES + 1);
    swap(halves, (w + ENDS) * 2, (w + ENDS) * 2 + 1);
    swap(halves, (w + ZERO_WINDOWS) * 2, (w + ZERO_WINDOWS) * 2 + 1);
    swap(halves, (w + GAPS) * 2, (w + GAPS) * 2 + 1);
    const d = w >>> 1;
    swap(store.doubles, d + BYTES, d + BYTES + 1);
    words[w + CONN] = (words[w + CONN]! ^ CONN_LOW_ORIGINATES) & ~CONN_PARTIAL;
    addLetter(store, slot, 0, LETTER_FLIP);
  }

  private setPartial(w: number, partial: boolean): void {
    const words = this.store.words;
    if (partial) words[w + CONN] = words[w + CONN]! | CONN_PARTIAL;
    else words[w + CONN] = words[w + CONN]! & ~CONN_PARTIAL;
  }

  private touch(w: number, time: number): void {
    const doubles = this.store.doubles;
    const d = w >>> 1;
    if (time > doubles[d + LAST_TIME]!) doubles[d + LAST_TIME] = time;
  }

  /** Sets the initial sequence numbers if the segment is the first to reveal them. */
  private initialise(end: number, at: number, syn: boolean, seq: number, past: number): void {
    const words = this.store.words;
    const value = this.store.halves[end]!;
    const state = value & END_STATE;
    let first = seq;
    let last = past;
    if (state === INACTIVE) {
      if (!syn) {
        // As if the SYN directly preceded it, so that relative numbers begin at 1.
        first = (seq - 1) >>> 0;
        last = seq;
      }
    } else if (!syn) {
      return;
    } else if (state === SYN_SENT || state === SYN_ACK_SENT) {
      if (seq === words[at + FIRST_SEQ]) return;
    } else if (state === RESET) {
      if (((value >>> END_PREVIOUS_SHIFT) & END_STATE) !== INACTIVE) return;
    } else if (state === CLOSED) {
      return;
    }
    words[at + FIRST_SEQ] = first;
    words[at + ACK_SEQ] = first;
    words[at + LAST_SEQ] = last;
  }

  private relativeSeq(words: Uint32Array, at: number, wraps: number, seq: number): number {
    const last = words[at + LAST_SEQ]!;
    const first = words[at + FIRST_SEQ]!;
    this.underflow = distance(last, first, wraps) + ((seq - last) | 0) < 0;
    return (seq - first) >>> 0;
  }

  private relativeAck(words: Uint32Array, at: number, wraps: number, ack: number): number {
    const last = words[at + ACK_SEQ]!;
    const first = words[at + FIRST_SEQ]!;
    this.underflow = distance(last, first, wraps) + ((ack - last) | 0) < 0;
    return (ack - first) >>> 0;
  }

  private updateAck(w: number, at: number, side: number, ack: number): void {
    const words = this.store.words;
    const last = words[at + ACK_SEQ]!;
    const delta = (ack - last) | 0;
    // Rather a broken acknowledgement than a stream that happens to be there.
    if (ack === 0 && delta > TOO_FAR) return;
    if (delta <= 0) return;
    if (ack < last) this.wrap((w + WRAPS + side) * 2 + 1);
    words[at + ACK_SEQ] = ack;
  }

  private updateLast(
    slot: number,
    side: number,
    at: number,
    past: number,
    flags: number,
    length: number,
  ): void {
    const store = this.store;
    const words = store.words;
    const last = words[at + LAST_SEQ]!;
    const delta = (past - last) | 0;
    if ((flags & (SYN | RST)) !== 0 && (delta > TOO_FAR || delta < -TOO_FAR)) return;
    const onlySyn = (flags & FIN) !== 0 && last === (words[at + FIRST_SEQ]! + 1) >>> 0;
    if (!onlySyn) {
      const end = store.halves[(slot << RECORD_SHIFT) * 2 + ENDS * 2 + side]!;
      if ((end & END_STATE) === RESET) return;
      if (delta <= 0) {
        if (length > 0) {
          const count = words[(slot << RECORD_SHIFT) + RETRANSMITS + side]! + 1;
          words[(slot << RECORD_SHIFT) + RETRANSMITS + side] = count;
          if (isDecade(count)) addLetter(store, slot, side, LETTER_T);
        }
        return;
      }
    }
    if (past < last) this.wrap(((slot << RECORD_SHIFT) + WRAPS + side) * 2);
    words[at + LAST_SEQ] = past;
  }

  private wrap(at: number): void {
    const halves = this.store.halves;
    if (halves[at]! < 0xffff) halves[at] = halves[at]! + 1;
  }

  private updateHistory(
    slot: number,
    side: number,
    flags: number,
    relative: number,
    length: number,
  ): void {
    const store = this.store;
    const control = flags & (SYN | FIN | RST);
    if (control === 0) {
      if (length > 0) {
        seenLetter(store, slot, side, SEEN_DATA, LETTER_D);
      } else if ((flags & ACK) !== 0) {
        seenLetter(store, slot, side, SEEN_ACK, LETTER_A);
      }
      return;
    }
    const w = (slot << RECORD_SHIFT) + side;
    if (control === SYN) {
      const letter = (flags & ACK) !== 0 ? LETTER_H : LETTER_S;
      this.controlLetter(slot, side, SEEN_SYN, letter, w + LAST_SYN, relative);
    } else if (control === FIN) {
      this.controlLetter(slot, side, SEEN_FIN, LETTER_F, w + LAST_FIN, (relative + length) >>> 0);
    } else if (control === RST) {
      this.controlLetter(slot, side, SEEN_RST, LETTER_R, w + LAST_RST, relative);
    } else if ((control & (FIN | RST)) === (FIN | RST)) {
      seenLetter(store, slot, side, SEEN_FIN_RST, LETTER_I);
    } else {
      seenLetter(store, slot, side, SEEN_MULTI, LETTER_Q);
    }
  }

  /** Written again only for a different sequence number. */
  private controlLetter(
    slot: number,
    side: number,
    bit: number,
    letter: number,
    lastAt: number,
    relative: number,
  ): void {
    const words = this.store.words;
    if (seenLetter(this.store, slot, side, bit, letter) && words[lastAt] !== relative) {
      addLetter(this.store, slot, side, letter);
    }
    words[lastAt] = relative;
  }

  private count16(slot: number, side: number, field: number, letter: number): void {
    const halves = this.store.halves;
    const at = ((slot << RECORD_SHIFT) + field) * 2 + side;
    const count = halves[at]! + 1;
    if (count > 0xffff) return;
    halves[at] = count;
    if (isDecade(count)) addLetter(this.store, slot, side, letter);
  }

  private setState(slot: number, side: number, state: number): void {
    const store = this.store;
    const at = (slot << RECORD_SHIFT) * 2 + ENDS * 2;
    const value = store.halves[at + side]!;
    const old = value & END_STATE;
    if (old === state) return;
    const peer = store.halves[at + (side ^ 1)]! & END_STATE;
    if (state > SYN_ACK_SENT && old <= SYN_ACK_SENT && peer <= SYN_ACK_SENT) {
      const w = slot << RECORD_SHIFT;
      store.words[w + CONN] = store.words[w + CONN]! | CONN_LONG;
    }
    store.halves[at + side] =
      (value & ~(END_STATE | (END_STATE << END_PREVIOUS_SHIFT))) |
      state |
      (old << END_PREVIOUS_SHIFT);
  }

  private timer(slot: number, kind: number, due: number): void {
    const store = this.store;
    const w = slot << RECORD_SHIFT;
    store.words[w + CONN] = (store.words[w + CONN]! & ~CONN_TIMER) | (kind << CONN_TIMER_SHIFT);
    store.doubles[(w >>> 1) + DUE] = due;
    store.hasten(slot, due);
  }

  /** @returns whether the segment closes its side */
  private updateState(
    slot: number,
    side: number,
    flags: number,
    seq: number,
    length: number,
    time: number,
  ): boolean {
    const at = (slot << RECORD_SHIFT) * 2 + ENDS * 2;
    const halves = this.store.halves;
    const peer = side ^ 1;
    const fin = (flags & FIN) !== 0;
    const rst = (flags & RST) !== 0;
    switch (halves[at + side]! & END_STATE) {
      case INACTIVE:
        return this.leaveInactive(slot, side, flags, seq, length, time);
      case SYN_SENT:
      case SYN_ACK_SENT:
        if (fin) this.setState(slot, side, CLOSED);
        if (rst) this.setState(slot, side, RESET);
        return fin || rst;
      case ESTABLISHED:
      case PARTIAL: {
        const state = halves[at + side]! & END_STATE;
        if ((flags & (SYN | ACK)) === SYN && state === PARTIAL) {
          if ((halves[at + peer]! & END_STATE) === INACTIVE) this.setState(slot, side, SYN_SENT);
        }
        if (fin && !rst) {
          this.setState(slot, side, CLOSED);
          const other = halves[at + peer]!;
          if (
            (other & END_STATE) === RESET &&
            ((other >>> END_PREVIOUS_SHIFT) & END_STATE) === CLOSED
          ) {
            // A FIN followed by a RST, and now the answer: a normal end after all.
            this.setState(slot, peer, CLOSED);
          }
        }
        if (rst) this.setState(slot, side, RESET);
        return fin || rst;
      }
      case CLOSED:
        if (rst && (halves[at + peer]! & END_STATE) !== CLOSED) {
          this.setState(slot, side, RESET);
          const open = (halves[at + side]! & END_DID_CLOSE) === 0;
          this.timer(slot, TIMER_DELETE, time + this.delays.reset);
          return open;
        }
        return false;
      default:
        return false;
    }
  }

  private leaveInactive(
    slot: number,
    from: number,
    flags: number,
    seq: number,
    length: number,
    time: number,
  ): boolean {
    const store = this.store;
    const w = slot << RECORD_SHIFT;
    const at = (w + ENDS) * 2;
    const halves = store.halves;
    const fin = (flags & FIN) !== 0;
    const rst = (flags & RST) !== 0;
    let side = from;
    let peer = side ^ 1;
    if ((flags & SYN) !== 0) {
      if (side === 0 && (halves[at + peer]! & END_STATE) === ESTABLISHED) {
        // The SYN-ACK had overtaken its SYN: the handshake is whole now.
        this.setState(slot, side, ESTABLISHED);
        this.setPartial(w, false);
      } else if (side === 0) {
        this.setState(slot, side, (flags & ACK) !== 0 ? SYN_ACK_SENT : SYN_SENT);
        this.timer(slot, TIMER_ATTEMPT, time + this.delays.attempt);
      } else {
        if (
          (flags & ACK) === 0 &&
          (halves[at + peer]! & END_STATE) === SYN_ACK_SENT &&
          seq === store.words[w + FIRST_SEQ + TCP_SIDE]
        ) {
          // The SYN-ACK had overtaken its SYN.
          this.flip(slot);
          side = 0;
          peer = 1;
          this.setState(slot, peer, ESTABLISHED);
        }
        if ((halves[at + peer]! & END_STATE) === SYN_SENT) this.setState(slot, peer, ESTABLISHED);
        this.setState(slot, side, ESTABLISHED);
      }
    }
    if (fin) this.setState(slot, side, CLOSED);
    if (rst) this.setState(slot, side, RESET);
    if ((halves[at + side]! & END_STATE) === INACTIVE) {
      const other = halves[at + peer]! & END_STATE;
      if (side === 1 && length === 0 && other === SYN_SENT) {
        // Some hosts acknowledge a SYN before they answer it.
      } else if ((flags & ACK) !== 0 && other === ESTABLISHED) {
        // The SYN was missed; its answer and now the acknowledgement of that were not.
        this.setState(slot, side, ESTABLISHED);
        this.setPartial(w, false);
      } else {
        this.setState(slot, side, PARTIAL);
      }
    }
    return fin || rst;
  }

  private noDataAcked(w: number, side: number): boolean {
    const words = this.store.words;
    const at = w + side * TCP_SIDE;
    if (this.store.halves[(w + WRAPS + side) * 2 + 1] !== 0) return false;
    return (words[at + ACK_SEQ]! - words[at + FIRST_SEQ]!) >>> 0 <= 1;
  }

  /** Puts payload in its place in the stream. */
  private dataSent(slot: number, side: number, at: number, seq: number, length: number): void {
    const store = this.store;
    const words = store.words;
    const w = slot << RECORD_SHIFT;
    const end = w * 2 + ENDS * 2 + side;
    if ((store.halves[end]! & END_SKIP) !== 0) return;
    const upper = (seq + length) >>> 0;
    let from = seq;
    const acked = (words[at + ACK_SEQ]! - words[at + FIRST_SEQ]!) >>> 0;
    if (((from - acked) | 0) < 0) {
      if (((upper - acked) | 0) <= 0) return;
      from = acked;
    }
    const trim = words[at + TRIM_SEQ]!;
    if (((upper - trim) | 0) <= 0) return;
    if (((from - trim) | 0) < 0) from = trim;
    const next = words[at + NEXT_SEQ]!;
    const none = this.noDataAcked(w, side);
    if (((from - next) | 0) <= 0) {
      if (((upper - next) | 0) > 0) {
        words[at + NEXT_SEQ] = upper;
        if ((store.halves[end]! & END_RANGES) !== 0) this.deliver(w, side, at);
      }
      // The peer's acknowledgements are not captured: nothing waits for them.
      if (none && this.payloadSize(slot, side) > MAX_WITHOUT_ACKS) {
        words[at + TRIM_SEQ] = words[at + NEXT_SEQ]!;
      }
    } else {
      this.setRanges(w, side, store.ranges.add(words[w + RANGES + side]!, from, upper));
    }
    const first = (store.halves[end]! & END_RANGES) === 0 ? 0 : words[w + RANGES + side]!;
    const after = words[at + NEXT_SEQ]!;
    let unacked = (after - words[at + TRIM_SEQ]!) | 0;
    if (first !== 0) {
      if (none && ((store.ranges.end(first) - after) | 0) > MAX_WITHOUT_ACKS) unacked = Infinity;
      else unacked += store.ranges.size(first);
    }
    if (unacked > MAX_UNACKED) {
      store.halves[end] = store.halves[end]! | END_SKIP;
      words[at + TRIM_SEQ] = after;
      store.ranges.clear(first);
      this.setRanges(w, side, 0);
    }
  }

  /** Advances through ranges that are now in order. */
  private deliver(w: number, side: number, at: number): void {
    const words = this.store.words;
    const ranges = this.store.ranges;
    let first = words[w + RANGES + side]!;
    while (first !== 0 && ((ranges.from[first]! - words[at + NEXT_SEQ]!) | 0) <= 0) {
      if (((ranges.to[first]! - words[at + NEXT_SEQ]!) | 0) > 0) {
        words[at + NEXT_SEQ] = ranges.to[first]!;
      }
      first = ranges.shift(first);
    }
    this.setRanges(w, side, first);
  }

  private setRanges(w: number, side: number, first: number): void {
    this.store.words[w + RANGES + side] = first;
    const halves = this.store.halves;
    const end = (w + ENDS) * 2 + side;
    halves[end] = first === 0 ? halves[end]! & ~END_RANGES : halves[end]! | END_RANGES;
  }

  /** `side`'s stream was acknowledged up to `acked`: missing bytes before it are lost. */
  private ackReceived(slot: number, side: number, acked: number): void {
    const store = this.store;
    const words = store.words;
    const w = slot << RECORD_SHIFT;
    const at = w + side * TCP_SIDE;
    const end = store.halves[w * 2 + ENDS * 2 + side]!;
    let seq = acked;
    if ((end & END_FIN) !== 0 && ((seq - words[w + FIN_SEQ + side]!) | 0) >= 0) {
      seq = (words[w + FIN_SEQ + side]! - 1) >>> 0;
    }
    if (((seq - words[at + TRIM_SEQ]!) | 0) <= 0) return;
    if (((seq - words[at + NEXT_SEQ]!) | 0) > 0) this.undelivered(slot, side, at, seq);
    words[at + TRIM_SEQ] = seq;
    if ((end & END_RANGES) !== 0) this.deliver(w, side, at);
    this.checkEnd(slot, side);
  }

  private undelivered(slot: number, side: number, at: number, upTo: number): void {
    const store = this.store;
    const words = store.words;
    const w = slot << RECORD_SHIFT;
    // If tracking began within a connection, the first acknowledgement is about earlier bytes.
    if (upTo <= 2 && (words[w + CONN]! & CONN_PARTIAL) !== 0) return;
    if ((store.halves[w * 2 + ENDS * 2 + side]! & END_SKIP) === 0) {
      const ranges = store.ranges;
      let first =
        (store.halves[(w + ENDS) * 2 + side]! & END_RANGES) === 0 ? 0 : words[w + RANGES + side]!;
      while (first !== 0 && ((ranges.from[first]! - upTo) | 0) < 0) {
        this.gap(slot, side, (ranges.from[first]! - words[at + NEXT_SEQ]!) >>> 0);
        words[at + NEXT_SEQ] = ranges.to[first]!;
        first = ranges.shift(first);
      }
      if ((store.halves[(w + ENDS) * 2 + side]! & END_RANGES) !== 0) this.setRanges(w, side, first);
      const next = words[at + NEXT_SEQ]!;
      if (((upTo - next) | 0) > 0) this.gap(slot, side, (upTo - next) >>> 0);
    }
    if (((upTo - words[at + NEXT_SEQ]!) | 0) > 0) words[at + NEXT_SEQ] = upTo;
  }

  private gap(slot: number, side: number, length: number): void {
    const store = this.store;
    const ends = (slot << RECORD_SHIFT) * 2 + ENDS * 2;
    // Sequence numbers more than half the space apart are not in order, but garbage.
    if (length > 0x7fffffff) return;
    // In other states numbers are unreliable, or the beginning was not captured.
    if (!isClean(store.halves[ends]!) || !isClean(store.halves[ends + 1]!)) return;
    const at = ((slot << RECORD_SHIFT) >>> 1) + MISSED;
    store.doubles[at] = store.doubles[at]! + length;
    this.count16(slot, side, GAPS, LETTER_G);
  }

  private hasUnacked(w: number, side: number): boolean {
    const words = this.store.words;
    const at = w + side * TCP_SIDE;
    return (
      (this.store.halves[(w + ENDS) * 2 + side]! & END_RANGES) !== 0 ||
      ((words[at + NEXT_SEQ]! - words[at + TRIM_SEQ]!) | 0) > 0
    );
  }

  /** Whether a side that ended has payload that is still awaited. */
  private dataPending(w: number, side: number): boolean {
    const store = this.store;
    const words = store.words;
    const end = store.halves[w * 2 + ENDS * 2 + side]!;
    if ((end & END_SKIP) !== 0) return false;
    const at = w + side * TCP_SIDE;
    const last = (words[at + LAST_SEQ]! - words[at + FIRST_SEQ]!) >>> 0;
    const ahead = (last - words[at + NEXT_SEQ]!) | 0;
    if (ahead < 0) return false;
    if (ahead > 1) return true;
    return (end & END_STATE) !== RESET && this.hasUnacked(w, side ^ 1);
  }

  private checkEnd(slot: number, side: number): void {
    const store = this.store;
    const w = slot << RECORD_SHIFT;
    const at = w * 2 + ENDS * 2 + side;
    const end = store.halves[at]!;
    if ((end & END_EOF) !== 0) return;
    if ((end & END_FIN) === 0 && (end & END_STATE) < CLOSED) return;
    if (this.dataPending(w, side)) return;
    store.halves[at] = end | END_EOF;
    if ((store.words[w + CONN]! & CONN_CLOSE_DEFERRED) !== 0) {
      this.connectionClosed(slot, side);
      store.words[w + CONN] = store.words[w + CONN]! & ~CONN_CLOSE_DEFERRED;
    }
  }

  private connectionClosed(slot: number, side: number): void {
    const store = this.store;
    const w = slot << RECORD_SHIFT;
    if (this.dataPending(w, side)) {
      store.words[w + CONN] = store.words[w + CONN]! | CONN_CLOSE_DEFERRED;
      return;
    }
    store.words[w + CONN] = store.words[w + CONN]! & ~CONN_CLOSE_DEFERRED;
    const at = w * 2 + ENDS * 2;
    const end = store.halves[at + side]!;
    if ((end & END_DID_CLOSE) !== 0) return;
    store.halves[at + side] = end | END_DID_CLOSE;
    const peer = store.halves[at + (side ^ 1)]!;
    const last = store.doubles[(w >>> 1) + LAST_TIME]!;
    if (
      (end & END_STATE) === RESET ||
      (peer & END_DID_CLOSE) !== 0 ||
      (peer & END_STATE) === INACTIVE
    ) {
      this.timer(slot, TIMER_DELETE, last + this.delays.close);
    } else if (((end >>> END_PREVIOUS_SHIFT) & END_STATE) === INACTIVE) {
      this.timer(slot, TIMER_PARTIAL_CLOSE, last + this.delays.partialClose);
    }
  }
}

/** Established, or closed from there. */
function isClean(end: number): boolean {
  const state = end & END_STATE;
  return (
    state === ESTABLISHED ||
    (state === CLOSED && ((end >>> END_PREVIOUS_SHIFT) & END_STATE) === ESTABLISHED)
  );
}

/** Distance from `first` to `seq`, which wrapped `wraps` times; negative if it precedes. */
function distance(seq: number, first: number, wraps: number): number {
  const d = wraps * TWO_32 + seq - first;
  if (d >= 0) return d;
  return (seq - first) | 0;
}

function swap(values: Uint32Array | Uint16Array | Float64Array, a: number, b: number): void {
  const value = values[a]!;
  values[a] = values[b]!;
  values[b] = value;
}
