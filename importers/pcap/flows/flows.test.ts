/**
 * The flow tracker on packets made here: every conn_state, the letters of the history, byte counts,
 * timeouts, fragments, bounds.
 */
import { describe, expect, it } from 'vitest';
import { EventBatch } from '../../../engine/columns/event-batch.ts';
import { rowOf, type CollectedRow } from '../../shared/testing/collect.ts';
import { Packet } from '../decode/packet.ts';
import { FlowTracker, type FlowOptions } from './index.ts';

const BEGIN = 1_700_000_000_000_000;
const A = 0x0a000001;
const B = 0x0a000002;

/** Makes packets and collects the tracker's results. */
class Bench {
  readonly rows: CollectedRow[] = [];
  readonly numbers: number[] = [];
  readonly tracker: FlowTracker;
  readonly p = new Packet();
  private readonly batch: EventBatch;

  constructor(options: Partial<FlowOptions> = {}, capacity = 3) {
    const take = (batch: EventBatch): void => {
      for (let row = 0; row < batch.length; row++) this.rows.push(rowOf(batch, row));
      batch.clear();
    };
    this.batch = new EventBatch('flow', take, capacity);
    this.tracker = new FlowTracker(this.batch, options);
    this.p.bytes = new Uint8Array(4096);
  }

  /** Clears the packet to an IPv4 packet from A to B at `seconds`. */
  at(seconds: number): Packet {
    const p = this.p;
    p.resetLayers();
    p.bytes.fill(0);
    p.micros = BEGIN + Math.round(seconds * 1e6);
    p.nanos = 0;
    p.start = 0;
    p.end = 2000;
    p.ipVersion = 4;
    p.src4 = A;
    p.dst4 = B;
    p.ipHeaderLength = 20;
    p.transport = 34;
    return p;
  }

  udp(seconds: number, from: 'a' | 'b', length: number, aPort = 4000, bPort = 9999): number {
    const p = this.at(seconds);
    p.proto = 17;
    p.srcPort = from === 'a' ? aPort : bPort;
    p.dstPort = from === 'a' ? bPort : aPort;
    if (from === 'b') [p.src4, p.dst4] = [B, A];
    p.payload = length;
    p.ipLength = 28 + length;
    p.payloadStart = 42;
    return this.send();
  }

  icmp(seconds: number, from: 'a' | 'b', type: number, code: number, length = 56): number {
    const p = this.at(seconds);
    p.proto = 1;
    p.icmpType = type;
    p.icmpCode = code;
    if (from === 'b') [p.src4, p.dst4] = [B, A];
    p.payload = length;
    p.ipLength = 28 + length;
    return this.send();
  }

  /**
   * A segment as `a S 0 0 0`: side, flags (S F R A P, `-` for none), sequence number, acknowledgement,
   * payload length; then `w0` for a closed window and `cut` for payload that was not captured.
   */
  tcp(seconds: number, text: string, aPort = 40_000, bPort = 9999): number {
    const [from, flags = '', seq, ack, length, ...more] = text.split(' ');
    const p = this.at(seconds);
    p.proto = 6;
    p.srcPort = from === 'a' ? aPort : bPort;
    p.dstPort = from === 'a' ? bPort : aPort;
    if (from === 'b') [p.src4, p.dst4] = [B, A];
    p.bytes[34 + 12] = 0x50;
    p.tcpFlags = 0;
    for (const [bit, letter] of [...'FSRPA'].entries()) {
      if (flags.includes(letter)) p.tcpFlags |= 1 << bit;
    }
    p.tcpSeq = Number(seq) >>> 0;
    p.tcpAck = Number(ack) >>> 0;
    p.tcpWindow = more.includes('w0') ? 0 : 1000;
    p.payload = Number(length);
    p.ipLength = 40 + p.payload;
    p.payloadStart = 54;
    p.end = more.includes('cut') ? 54 : 54 + p.payload;
    return this.send();
  }

  /** Segments a tenth of a second apart, separated by `;`. */
  tcpAll(text: string, begin = 0): void {
    let time = begin;
    for (const segment of text.split(';')) {
      this.tcp(time, segment.trim());
      time += 0.1;
    }
  }

  send(): number {
    const number = this.tracker.packet(this.p);
    this.numbers.push(number);
    return number;
  }

  finish(): CollectedRow[] {
    this.tracker.finish();
    for (let row = 0; row < this.batch.length; row++) this.rows.push(rowOf(this.batch, row));
    this.batch.clear();
    return this.rows;
  }
}

function only(rows: CollectedRow[]): CollectedRow {
  expect(rows).toHaveLength(1);
  return rows[0]!;
}

const OPEN = 'a S 100 0 0; b SA 500 101 0; a A 101 501 0';

describe('tcp', () => {
  // segments, conn_state, history, payload of the originator, of the responder
  const CASES: [string, string, string, number, number][] = [
    ['a S 100 0 0', 'S0', 'S', 0, 0],
    ['a S 100 0 0; a S 100 0 0', 'S0', 'S', 0, 0],
    ['a S 100 0 0; b RA 0 101 0', 'REJ', 'Sr', 0, 0],
    [OPEN, 'S1', 'ShA', 0, 0],
    [
      `${OPEN}; a PA 101 501 10; b A 501 111 0; b PA 501 111 20; a FA 111 521 0; b FA 521 112 0; a A 112 522 0`,
      'SF',
      'ShADadFf',
      10,
      20,
    ],
    [`${OPEN}; a PA 101 501 10; a FA 111 501 0`, 'S2', 'ShADF', 10, 0],
    [`${OPEN}; b FA 501 101 0`, 'S3', 'ShAf', 0, 0],
    [`${OPEN}; a R 101 501 0`, 'RSTO', 'ShAR', 0, 0],
    [`${OPEN}; b RA 501 101 0`, 'RSTR', 'ShAr', 0, 0],
    ['a S 100 0 0; a R 101 0 0', 'RSTOS0', 'SR', 0, 0],
    ['a S 100 0 0; a F 101 0 0', 'SH', 'SF', 0, 0],
    ['b SA 500 101 0; b FA 501 101 0', 'SHR', '^hf', 0, 0],
    ['a A 101 501 0', 'OTH', 'A', 0, 0],
    ['a PA 101 501 10; b PA 501 111 20', 'OTH', 'Dd', 10, 20],
    // Retransmissions are counted once in the payload, and written at the 1st and the 10th.
    [`${OPEN}; a PA 101 501 10; a PA 101 501 10; b A 501 111 0`, 'S1', 'ShADTa', 10, 0],
    [`${OPEN};${' a PA 101 501 10;'.repeat(11)} b A 501 111 0`, 'S1', 'ShADTTa', 10, 0],
    [`${OPEN}; b A 501 101 0 w0`, 'S1', 'ShAaw', 0, 0],
    ['a SF 100 0 0', 'SH', 'Q', 0, 0],
    ['a FR 100 0 0', 'OTH', 'I', 0, 0],
    // A reset of another half-open connection says nothing about payload.
    ['a S 100 0 0; b A 900 7000 0; a R 7000 0 0', 'RSTOS0', 'SaR', 0, 0],
    // Disorder is not loss.
    [`${OPEN}; a PA 111 501 10; a PA 101 501 10; b A 501 121 0`, 'S1', 'ShADTa', 20, 0],
  ];
  it.each(CASES)('%s', (segments, state, history, origBytes, respBytes) => {
    const bench = new Bench();
    bench.tcpAll(segments);
    const row = only(bench.finish());
    expect([row['conn_state'], row['history'], row['orig_bytes'], row['resp_bytes']]).toEqual([
      state,
      history,
      origBytes,
      respBytes,
    ]);
    expect(row['missed_bytes']).toBe(0);
  });

  it('counts packets, IP bytes and flags of both sides', () => {
    const bench = new Bench();
    bench.tcpAll(`${OPEN}; a PA 101 501 10; b A 501 111 0`);
    const row = only(bench.finish());
    expect(row).toMatchObject({
      seq: -1,
      ts: BEGIN,
      ts_ns: 0,
      ts_digits: 6,
      src_ip4: A,
      dst_ip4: B,
      src_port: 40_000,
      dst_port: 9999,
      proto: 6,
      packets: 3,
      packets_rev: 2,
      bytes: 130,
      bytes_rev: 80,
      tcp_flags: 2 | 8 | 16,
      duration: 0.4,
    });
    expect(row['event_type']).toBeUndefined();
    expect(row['service']).toBeUndefined();
  });

  it('reports what was acknowledged but never seen', () => {
    const bench = new Bench();
    bench.tcpAll(`${OPEN}; a PA 101 501 10; a PA 611 501 10; b A 501 621 0`);
    expect(only(bench.finish())).toMatchObject({
      missed_bytes: 500,
      history: 'ShADaG',
      orig_bytes: 520,
    });
  });

  it('takes payload that was not captured for missed', () => {
    const bench = new Bench();
    bench.tcpAll(`${OPEN}; a PA 101 501 300 cut; b A 501 401 0`);
    expect(only(bench.finish())).toMatchObject({ missed_bytes: 300, orig_bytes: 300 });
  });

  it('follows sequence numbers around 2^32, more than once', () => {
    const bench = new Bench();
    const step = 0x20000000;
    let seq = 0xffffff00;
    bench.tcp(0, `a S ${seq} 0 0`);
    bench.tcp(0.1, `b SA 500 ${(seq + 1) >>> 0} 0`);
    seq = (seq + 1) >>> 0;
    for (let i = 0; i < 20; i++) {
      bench.tcp(0.2 + i / 100, `a A ${seq} 501 0`);
      bench.tcp(0.2 + i / 100, `a PA ${seq} 501 ${step} cut`);
      seq = (seq + step) >>> 0;
      bench.tcp(0.2 + i / 100, `b A 501 ${seq} 0`);
    }
    expect(only(bench.finish())).toMatchObject({
      orig_bytes: 20 * step,
      missed_bytes: 20 * step,
      conn_state: 'S1',
    });
  });

  it('makes a new flow of a SYN after the close, at once', () => {
    const bench = new Bench();
    bench.tcpAll(`${OPEN}; a FA 101 501 0; b FA 501 102 0; a A 102 502 0; a S 9000 0 0`);
    expect(bench.numbers).toEqual([1, 1, 1, 1, 1, 1, 2]);
    const rows = bench.finish();
    expect(rows.map((row) => [row['seq'], row['conn_state'], row['packets']])).toEqual([
      [-1, 'SF', 4],
      [-2, 'S0', 1],
    ]);
    // The last acknowledgement is not part of the duration.
    expect(rows[0]!['duration']).toBeCloseTo(0.4, 9);
  });

  it('ends a closed connection five seconds after the close', () => {
    const bench = new Bench();
    bench.tcpAll(`${OPEN}; a FA 101 501 0; b FA 501 102 0`);
    expect(bench.tcp(5.3, 'a A 102 502 0')).toBe(1);
    expect(bench.tcp(5.5, 'a A 102 502 0')).toBe(2);
  });

  it.each([
    ['a SYN without an answer', 'a S 100 0 0', 4.9, 5.1],
    ['an open connection', OPEN, 300, 300.3],
    ['a connection joined midway', 'a PA 101 501 10', 299, 300.1],
    ['a reset', `${OPEN}; b R 501 0 0`, 5.2, 5.4],
    ['a reset after a FIN', `${OPEN}; a FA 101 501 0; a R 102 0 0`, 0.45, 0.6],
  ])('%s times out', (_, segments, still, over) => {
    for (const [time, number] of [
      [still, 1],
      [over, 2],
    ] as const) {
      const bench = new Bench();
      bench.tcpAll(segments);
      expect(bench.tcp(time, 'a A 101 501 0')).toBe(number);
    }
  });

  it('turns around a SYN-ACK or midway traffic from a likely server', () => {
    const bench = new Bench();
    bench.tcp(0, 'b SA 500 101 0', 40_000, 443);
    bench.tcp(0.1, 'a A 101 501 0', 40_000, 443);
    const row = only(bench.finish());
    expect(row).toMatchObject({
      src_ip4: A,
      dst_port: 443,
      history: '^hA',
      conn_state: 'S1',
      packets: 1,
      packets_rev: 1,
    });
  });

  it.each([
    ['b SA 500 101 0; b FA 501 101 0', 'SHR', '^hf'],
    ['b SA 500 101 0; b RA 501 101 0', 'RSTRH', '^hr'],
    ['b PA 500 101 7; b FA 507 101 0', 'SHR', '^df'],
  ])('half a connection, from a likely server: %s', (segments, state, history) => {
    const bench = new Bench();
    segments.split('; ').forEach((segment, i) => bench.tcp(i / 10, segment, 40_000, 443));
    expect(only(bench.finish())).toMatchObject({ src_ip4: A, conn_state: state, history });
  });

  it('turns around when the SYN-ACK overtook its SYN', () => {
    const bench = new Bench();
    bench.tcpAll('b SA 500 101 0; a S 100 0 0; a PA 101 501 10');
    expect(only(bench.finish())).toMatchObject({
      src_ip4: A,
      conn_state: 'S1',
      history: '^hSD',
      packets: 2,
      packets_rev: 1,
      bytes: 90,
      bytes_rev: 40,
      orig_bytes: 10,
    });
  });

  it('keeps VLANs apart', () => {
    const bench = new Bench();
    for (const [vlan, inner] of [
      [-1, -1],
      [7, -1],
      [7, 8],
      [0, -1],
    ] as const) {
      const p = bench.at(0);
      p.proto = 17;
      p.srcPort = 1;
      p.dstPort = 2;
      p.vlan = vlan;
      p.innerVlan = inner;
      bench.send();
    }
    expect(bench.numbers).toEqual([1, 2, 3, 4]);
    const rows = bench.finish();
    expect(rows.map((row) => [row['vlan'], row.attrs['inner_vlan']])).toEqual([
      [undefined, undefined],
      [7, undefined],
      [7, '8'],
      [0, undefined],
    ]);
  });

  it('has no flow for a header that was cut, and survives one that lies', () => {
    const bench = new Bench();
    const p = bench.at(0);
    p.proto = 6;
    p.srcPort = 1;
    p.dstPort = 2;
    p.tcpFlags = 2;
    p.end = p.transport + 19;
    expect(bench.send()).toBe(0);
    p.end = p.transport + 20;
    expect(bench.send()).toBe(1);
    expect(only(bench.finish())).toMatchObject({ packets: 1, conn_state: 'OTH' });
  });
});

describe('udp', () => {
  it.each([
    [['a'], 'S0', 'D', 10, 0],
    [['a', 'b', 'a'], 'SF', 'Dd', 20, 10],
  ] as const)('%j', (sides, state, history, origBytes, respBytes) => {
    const bench = new Bench();
    sides.forEach((side, i) => bench.udp(i, side, 10));
    const row = only(bench.finish());
    expect(row).toMatchObject({
      conn_state: state,
      history,
      orig_bytes: origBytes,
      resp_bytes: respBytes,
    });
    expect(row['duration']).toBe(sides.length === 1 ? undefined : sides.length - 1);
    expect(row['tcp_flags']).toBeUndefined();
  });

  it('begins with the reply: the sides are turned around', () => {
    const bench = new Bench();
    bench.udp(0, 'b', 10, 4000, 53);
    expect(only(bench.finish())).toMatchObject({
      src_ip4: A,
      dst_port: 53,
      conn_state: 'SHR',
      history: '^d',
    });
  });

  it('ends after a minute without packets, counted from the last', () => {
    const bench = new Bench();
    expect([0, 59, 118, 178, 240].map((time) => bench.udp(time, 'a', 1))).toEqual([1, 1, 1, 2, 3]);
  });

  it('has nanoseconds in start and duration', () => {
    const bench = new Bench();
    const p = bench.at(0);
    p.proto = 17;
    p.srcPort = 1;
    p.dstPort = 2;
    p.digits = 9;
    p.nanos = 900;
    bench.send();
    p.micros += 1;
    p.nanos = 100;
    bench.send();
    expect(only(bench.finish())).toMatchObject({ ts_ns: 900, ts_digits: 9, duration: 200e-9 });
  });
});

describe('other protocols', () => {
  it('pairs ICMP requests with replies, and nothing else', () => {
    const bench = new Bench();
    bench.icmp(0, 'a', 8, 0);
    bench.icmp(0.1, 'b', 0, 0);
    bench.icmp(0.2, 'b', 8, 0);
    bench.icmp(0.3, 'a', 3, 1);
    bench.icmp(0.4, 'b', 3, 1);
    expect(bench.numbers).toEqual([1, 1, 2, 3, 4]);
    const rows = bench.finish();
    expect(rows.map((row) => [row['src_port'], row['dst_port'], row['conn_state']])).toEqual([
      [8, 0, 'OTH'],
      [8, 0, 'OTH'],
      [3, 1, 'OTH'],
      [3, 1, 'OTH'],
    ]);
    expect(rows[0]).toMatchObject({ orig_bytes: 56, resp_bytes: 56, packets_rev: 1 });
    expect(rows[0]!['history']).toBeUndefined();
  });

  it('keys protocols without ports by their addresses', () => {
    const bench = new Bench();
    for (const [src, dst, proto] of [
      [A, B, 47],
      [B, A, 47],
      [A, B, 50],
    ] as const) {
      const p = bench.at(0);
      p.src4 = src;
      p.dst4 = dst;
      p.proto = proto;
      p.ipLength = 100;
      bench.send();
    }
    expect(bench.numbers).toEqual([1, 1, 2]);
    const rows = bench.finish();
    expect(rows[0]).toMatchObject({ proto: 47, packets: 1, packets_rev: 1, bytes_rev: 100 });
    expect(rows[0]!['src_port']).toBeUndefined();
    expect(rows[0]!['orig_bytes']).toBeUndefined();
  });

  it('has no flow for what is not IP', () => {
    const bench = new Bench();
    bench.at(0).ipVersion = 0;
    expect(bench.send()).toBe(0);
    expect(bench.finish()).toEqual([]);
  });

  it('follows IPv6 both ways and reuses its room', () => {
    const bench = new Bench();
    const host = (p: Packet, at: number, last: number): void => {
      p.bytes[at] = 0x20;
      p.bytes[at + 15] = last;
    };
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 200; i++) {
        for (const forward of [true, false]) {
          const p = bench.at(round * 100);
          p.ipVersion = 6;
          p.src6 = 100;
          p.dst6 = 116;
          host(p, forward ? 100 : 116, i);
          host(p, forward ? 116 : 100, 255);
          p.proto = 17;
          p.srcPort = forward ? 5 : 6;
          p.dstPort = forward ? 6 : 5;
          bench.send();
        }
      }
    }
    const rows = bench.finish();
    expect(rows).toHaveLength(600);
    expect(rows.every((row) => row['packets'] === 1 && row['packets_rev'] === 1)).toBe(true);
    expect(rows[599]).toMatchObject({
      seq: -600,
      src_ip6: '200000000000000000000000000000c7',
      dst_ip6: '200000000000000000000000000000ff',
    });
  });

  it('notes the tunnel of the first packet', () => {
    const bench = new Bench();
    const p = bench.at(0);
    p.proto = 50;
    p.tunnel = 'gre 10.0.0.1>10.0.0.2';
    bench.send();
    expect(only(bench.finish()).attrs).toEqual({ tunnel: 'gre 10.0.0.1>10.0.0.2' });
  });
});

describe('fragments', () => {
  const fragment = (bench: Bench, offset: number, more: boolean, id = 77): number => {
    const p = bench.at(offset / 100_000);
    p.proto = 17;
    p.fragmentId = id;
    p.fragmentOffset = offset;
    p.moreFragments = more;
    p.ipLength = 1020;
    p.payload = offset === 0 ? 992 : 1000;
    if (offset === 0) {
      p.srcPort = 1000;
      p.dstPort = 2000;
    }
    return bench.send();
  };

  it('belong to the flow of the first', () => {
    const bench = new Bench();
    expect(fragment(bench, 0, true)).toBe(1);
    expect(fragment(bench, 1000, true)).toBe(1);
    expect(fragment(bench, 2000, false)).toBe(1);
    expect(fragment(bench, 1000, false, 78)).toBe(0);
    expect(only(bench.finish())).toMatchObject({ packets: 3, bytes: 3060, orig_bytes: 2992 });
  });

  it('belong to none when their flow is over', () => {
    const bench = new Bench();
    fragment(bench, 0, true);
    bench.udp(100, 'a', 1);
    bench.p.micros += 1;
    expect(fragment(bench, 1000, false)).toBe(0);
  });

  it('of more datagrams than are remembered belong to the same flows each time', () => {
    const numbers = (): number[] => {
      const bench = new Bench();
      for (let id = 0; id < 3000; id++) fragment(bench, 0, true, id);
      return Array.from({ length: 3000 }, (_, id) => fragment(bench, 1000, false, id));
    };
    const first = numbers();
    expect(first).toContain(0);
    expect(first).toContain(1);
    expect(numbers()).toEqual(first);
  });
});

describe('time', () => {
  it('goes on when the clock of the capture is set back', () => {
    const bench = new Bench();
    // An hour back, and from there on for ten minutes: one flow that is never idle for a minute.
    bench.udp(0, 'a', 1);
    for (let i = 0; i < 600; i++) bench.udp(-3600 + i, 'a', 1);
    // And one that is.
    bench.udp(-3600 + 700, 'a', 1);
    expect(new Set(bench.numbers)).toEqual(new Set([1, 2]));
    const rows = bench.finish();
    expect(rows.map((row) => row['packets'])).toEqual([601, 1]);
    expect(rows[0]!['duration']).toBeGreaterThan(500);
    expect(rows[1]!['ts']).toBe(BEGIN - 2_900_000_000);
  });

  it('takes a little disorder without a word', () => {
    const bench = new Bench();
    for (const time of [10, 9.5, 10.2, 4, 11]) bench.udp(time, 'a', 1);
    expect(only(bench.finish())).toMatchObject({ packets: 5, duration: 1 });
  });

  it('does without', () => {
    const bench = new Bench();
    bench.at(0);
    bench.p.proto = 50;
    bench.p.micros = NaN;
    bench.send();
    bench.send();
    const row = only(bench.finish());
    expect(row['packets']).toBe(2);
    expect(row['ts']).toBeUndefined();
    expect(row['duration']).toBeUndefined();
  });

  it('writes flows when they end, the rest in the order of their first packets', () => {
    const bench = new Bench();
    bench.udp(0, 'a', 1, 1);
    bench.tcp(0.5, 'a S 1 0 0', 2);
    bench.udp(1, 'a', 1, 3);
    bench.udp(2, 'a', 1, 4);
    bench.udp(30, 'a', 1, 1);
    bench.udp(70, 'a', 1, 5);
    expect(bench.finish().map((row) => row['seq'])).toEqual([-2, -3, -4, -1, -5]);
  });

  it('survives leaps of centuries', () => {
    const bench = new Bench();
    for (const time of [0, 5e8, 1e9, -1e9, 5e9]) bench.udp(time, 'a', 1);
    expect(bench.finish().reduce((sum, row) => sum + Number(row['packets']), 0)).toBe(5);
  });
});

describe('bounds', () => {
  it('writes the flow that is idle longest when too many are open', () => {
    const bench = new Bench({ maxOpenFlows: 3 });
    bench.udp(0, 'a', 1, 1);
    bench.udp(1, 'a', 1, 2);
    bench.udp(2, 'a', 1, 3);
    bench.udp(3, 'a', 1, 1);
    bench.udp(4, 'a', 1, 4);
    bench.udp(5, 'a', 1, 5);
    expect(bench.tracker.evicted).toBe(2);
    expect(bench.tracker.open).toBe(3);
    expect(bench.finish().map((row) => row['seq'])).toEqual([-2, -3, -1, -4, -5]);
  });

  it('ends the history of a flow whose resets never repeat', () => {
    const bench = new Bench();
    for (let i = 0; i < 500; i++) bench.tcp(i / 1000, `a R ${i * 7} 0 0`);
    expect(only(bench.finish())).toMatchObject({ history: 'R'.repeat(28), packets: 500 });
  });

  it('counts every packet of any garbage once, the same way each time', () => {
    const run = (): { rows: CollectedRow[]; numbers: number[] } => {
      const bench = new Bench({ maxOpenFlows: 100 }, 50);
      let state = 12_345;
      const random = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return (state >>> 8) % below;
      };
      let time = 0;
      for (let i = 0; i < 40_000; i++) {
        time += random(1000) === 0 ? random(400) - 100 : random(10) / 100;
        const p = bench.at(time);
        p.src4 = A + random(4);
        p.dst4 = A + random(4);
        p.proto = [6, 6, 6, 17, 1, 132, 50][random(7)]!;
        p.srcPort = [1, 80, 443, 5000, -1][random(5)]!;
        p.dstPort = p.srcPort < 0 ? -1 : [1, 80, 443, 5000][random(4)]!;
        p.icmpType = random(20);
        p.icmpCode = random(3);
        p.tcpFlags = random(512);
        p.tcpSeq = random(3) === 0 ? (random(65_536) * 65_536) >>> 0 : random(5000);
        p.tcpAck = random(3) === 0 ? (random(65_536) * 65_536) >>> 0 : random(5000);
        p.tcpWindow = random(2);
        p.bytes[34 + 12] = 0x50 - (random(50) === 0 ? 0x20 : 0);
        p.payload = random(2) * random(1500);
        p.payloadStart = 54;
        p.end = random(5) === 0 ? 60 : 54 + p.payload;
        p.ipLength = 40 + p.payload;
        p.fragmentOffset = random(20) === 0 ? 8 * random(100) : 0;
        p.moreFragments = random(20) === 0;
        p.fragmentId = random(5);
        bench.send();
      }
      return { rows: bench.finish(), numbers: bench.numbers };
    };
    const first = run();
    const perFlow = new Map<number, number>();
    for (const number of first.numbers) {
      if (number !== 0) perFlow.set(number, (perFlow.get(number) ?? 0) + 1);
    }
    expect(first.rows).toHaveLength(perFlow.size);
    for (const row of first.rows) {
      const packets = Number(row['packets']) + Number(row['packets_rev']);
      expect(packets).toBe(perFlow.get(-Number(row['seq'])));
      for (const name of ['orig_bytes', 'resp_bytes', 'missed_bytes', 'duration', 'bytes']) {
        const value = row[name];
        if (typeof value === 'number') expect(value).toBeGreaterThanOrEqual(0);
      }
    }
    const seen = first.rows.map((row) => Number(row['seq'])).sort((a, b) => b - a);
    expect(seen).toEqual(seen.map((_, i) => -i - 1));
    expect(run()).toEqual(first);
  });
});
