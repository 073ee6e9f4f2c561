/**
 * Packets per second through the flow tracker, on synthetic packets; decoding is not part of it.
 * Run: `node importers/pcap/flows/flows.bench.ts [flows] [packets] [tcp|udp] [maxOpenFlows]`.
 */
import { EventBatch } from '../../../engine/columns/event-batch.ts';
import { Packet } from '../decode/packet.ts';
import { FlowTracker } from './index.ts';

function run(flows: number, packets: number, proto: 'tcp' | 'udp', maxOpenFlows: number): void {
  let rows = 0;
  const batch = new EventBatch('flow', (full) => {
    rows += full.length;
    full.clear();
  });
  const tracker = new FlowTracker(batch, { maxOpenFlows });
  const p = new Packet();
  p.bytes = new Uint8Array(2000);
  p.bytes[34 + 12] = 0x50;
  p.transport = 34;
  p.end = 1500;
  p.ipVersion = 4;
  p.proto = proto === 'tcp' ? 6 : 17;
  p.ipHeaderLength = 20;
  p.payloadStart = 54;
  const began = 1_700_000_000_000_000;
  const sent = new Uint32Array(flows);
  const received = new Uint32Array(flows);
  // A walk by a step coprime to the number of flows: interleaved, and never twice in a row.
  const step = (7_919 % flows) | 1;
  let flow = 0;
  let sink = 0;
  const start = performance.now();
  let opened = start;
  for (let i = 0; i < packets; i++) {
    if (i === flows) opened = performance.now();
    flow += step;
    if (flow >= flows) flow -= flows;
    const round = Math.floor(i / flows);
    const forward = (round & 1) === 0;
    const client = (0x0a000000 + flow) >>> 0;
    const server = (0xc0a80000 + (flow & 1023)) >>> 0;
    const clientPort = 1024 + (flow % 60_000);
    p.micros = began + i;
    p.src4 = forward ? client : server;
    p.dst4 = forward ? server : client;
    p.srcPort = forward ? clientPort : 443;
    p.dstPort = forward ? 443 : clientPort;
    if (proto === 'tcp') {
      const control = round < 2;
      p.tcpFlags = control ? (forward ? 2 : 18) : 24;
      p.payload = control ? 0 : 100;
      p.tcpSeq = (forward ? sent[flow]! : received[flow]!) + (control ? 0 : 1);
      p.tcpAck = (forward ? received[flow]! : sent[flow]!) + 1;
      p.tcpWindow = 1000;
      if (!control) {
        if (forward) sent[flow] = sent[flow]! + 100;
        else received[flow] = received[flow]! + 100;
      }
      p.ipLength = 40 + p.payload;
    } else {
      p.payload = 100;
      p.ipLength = 128;
    }
    sink += tracker.packet(p);
  }
  const during = performance.now();
  const open = tracker.open;
  tracker.finish();
  rows += batch.length;
  const seconds = (during - start) / 1000;
  const closing = (performance.now() - during) / 1000;
  console.log(
    `${proto} ${flows} flows, ${packets} packets: ${(packets / seconds / 1e6).toFixed(2)} M packets/s ` +
      `(${((packets - flows) / (during - opened) / 1000).toFixed(2)} once all are open), ` +
      `${open} open, ${tracker.evicted} evicted; ${rows} rows written at the end in ${closing.toFixed(2)} s (${sink % 7})`,
  );
}

const [flows, packets, proto, most] = process.argv.slice(2);
if (flows !== undefined) {
  run(
    Number(flows),
    Number(packets ?? 5_000_000),
    proto === 'udp' ? 'udp' : 'tcp',
    Number(most ?? 1_000_000),
  );
} else {
  for (const kind of ['tcp', 'udp'] as const) {
    run(10_000, 5_000_000, kind, 1_000_000);
    run(800_000, 8_000_000, kind, 1_000_000);
  }
  run(800_000, 4_000_000, 'udp', 400_000);
}
