/**
 * Packets per second through the reader and the decoders, with and without rows; no flows.
 * Run: `node importers/pcap/pcap.bench.ts [packets] [bytes of payload]`.
 */
import { EventBatch } from '../../engine/columns/event-batch.ts';
import type { EventSink } from '../../engine/evidence/importer.ts';
import { ACK, classicFile, ethernet, ip4, tcp, udp } from './testing/build.ts';
import { readCapture } from './index.ts';

const FRAMES = 1000;
const packets = Math.ceil(Number(process.argv[2] ?? 3_000_000) / FRAMES) * FRAMES;
const payload = new Uint8Array(Number(process.argv[3] ?? 60));

/** A capture of FRAMES packets between many addresses, two of three of them TCP. */
const block = classicFile(
  {},
  Array.from({ length: FRAMES }, (_, i) => {
    const isTcp = i % 3 > 0;
    const segment = isTcp
      ? tcp({ src: 1024 + i, dst: 443, flags: ACK, seq: i }, payload)
      : udp(1024 + i, 53, payload);
    const addresses = { src: `10.0.${i % 7}.${i % 200}`, dst: `192.168.0.${i % 90}` };
    const bytes = ethernet(0x0800, ip4({ ...addresses, proto: isTcp ? 6 : 17 }, segment));
    return { seconds: 1_700_000_000, fraction: i, bytes };
  }),
);

async function run(keep: boolean): Promise<void> {
  const batch = new EventBatch('packet', (full) => full.clear());
  let records = 0;
  const sink: EventSink = {
    batch: () => batch,
    record(n) {
      records += n;
    },
    quarantine() {},
    skip(_, n) {
      records += n;
    },
    note() {},
    metadata() {},
    decide() {},
    drain: () => undefined,
  };
  const body = block.subarray(24);
  const input = {
    name: 'bench',
    size: undefined,
    modifiedMs: undefined,
    async *blocks() {
      yield block.subarray(0, 24);
      for (let n = 0; n < packets; n += FRAMES) yield body;
    },
  };
  const start = performance.now();
  await readCapture(input, sink, { packets: keep }, undefined);
  const seconds = (performance.now() - start) / 1000;
  const rate = (records / seconds / 1e6).toFixed(2);
  const megabytes = ((body.length * packets) / FRAMES / seconds / 1e6).toFixed(0);
  console.log(`${keep ? 'rows   ' : 'no rows'} ${rate} M packets/s, ${megabytes} MB/s`);
}

for (const keep of [true, false]) for (let i = 0; i < 3; i++) await run(keep);
