/**
 * Processor time of a capture with its flows, without and with protocol events; rows are made and dropped. Run:
 * `node importers/pcap/protocols/protocols.bench.ts FILE [runs]`.
 */
import { createReadStream, statSync } from 'node:fs';
import { EventBatch } from '../../../engine/columns/event-batch.ts';
import type { Kind } from '../../../engine/contract/event.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';
import { DEFAULT_OPTIONS } from '../../shared/testing/collect.ts';
import { pcapImporter } from '../index.ts';

const BLOCK = 1 << 20;
const [file, runs = '3'] = process.argv.slice(2);
if (file === undefined) throw new Error('give a capture');
const path = file;

async function run(protocols: boolean): Promise<void> {
  const batches = new Map<Kind, EventBatch>();
  const rows: Partial<Record<Kind, number>> = {};
  let records = 0;
  const count = (batch: EventBatch): void => {
    rows[batch.kind] = (rows[batch.kind] ?? 0) + batch.length;
    batch.clear();
  };
  const sink: EventSink = {
    batch(kind) {
      let batch = batches.get(kind);
      if (batch === undefined) batches.set(kind, (batch = new EventBatch(kind, count)));
      return batch;
    },
    record(n) {
      records += n;
    },
    quarantine() {},
    skip() {},
    note: console.log,
    metadata() {},
    decide() {},
    drain: () => undefined,
  };
  const { size, mtimeMs } = statSync(path);
  const input = {
    ...{ name: path, size, modifiedMs: mtimeMs },
    blocks: () => createReadStream(path, { highWaterMark: BLOCK }) as AsyncIterable<Uint8Array>,
  };
  const before = process.cpuUsage();
  await pcapImporter.read(input, sink, { ...DEFAULT_OPTIONS, protocols });
  const { user, system } = process.cpuUsage(before);
  for (const batch of batches.values()) count(batch);
  const seconds = (user + system) / 1e6;
  const rate = Math.round(records / seconds);
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(
    `${protocols ? 'with   ' : 'without'} ${seconds.toFixed(2)} s, ${rate} packets/s, peak ${peak} MiB ${JSON.stringify(rows)}`,
  );
}

for (let i = 0; i < Number(runs); i++)
  for (const protocols of process.env['ONLY'] ? [true] : [false, true]) await run(protocols);
