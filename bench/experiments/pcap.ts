/**
 * Cluster Bro: packets per second with flow records, for one and more workers, and for a trace interleaved with
 * itself. Every packet must be in the ledger, and the records, and the assignment of packets to flows, must be the
 * same for any number of workers. Compared with a libpcap program, tcpdump and tshark.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { writeCapture } from '../../fixtures/evidence/capture.ts';
import { bytesBelow, dropPages, warmPages } from '../harness/disk.ts';
import { needProgram } from '../harness/packages.ts';
import { DAYBOOK, Report } from '../harness/report.ts';
import type { Scope } from '../harness/scope.ts';
import { median } from '../harness/timing.ts';
import { writeInterleaved } from '../generate/interleaved.ts';
import { daybookCommand, importCase, profileImport } from '../peers/daybook.ts';
import { compilePcapProgram } from '../peers/libpcap.ts';
import { Missing } from '../peers/store.ts';
import { measure } from '../process.ts';
import type { ExperimentOptions } from './options.ts';

const COPIES = 3200;
const DEFAULT_BYTES = 100e6;
const DEGREES = [1, 32, 320, 3200];
/** Seconds that one copy lasts: all copies in sequence stay within a day. */
const BASE_SECONDS = 10;
/** Bytes of a packet in the base trace, about. */
const PACKET_BYTES = 175;
/** Files that the same packets are spread over, for workers to share. */
const PARTS = 4;
const START = Date.UTC(2026, 9, 12, 1);

export async function pcap(options: ExperimentOptions, scope: Scope): Promise<Report> {
  const bytes = options.size ?? DEFAULT_BYTES;
  const folder = scope.folder();
  const base = join(folder, 'base.pcap');
  const from = START * 1000;
  const write = (conversations: number) =>
    writeCapture(base, {
      ...{ from, to: from + BASE_SECONDS * 1e6, format: 'pcap', snapLength: 256 },
      ...{ conversations, incident: undefined, seed: 5 },
    });
  // A trial run tells how many conversations a copy has.
  const trial = write(20);
  const wanted = bytes / COPIES / PACKET_BYTES;
  const written = write(Math.max(1, Math.round((20 * wanted) / trial.records)));
  const report = new Report('pcap', { 'packets of a copy': written.records, copies: COPIES });
  const run: Run = { report, folder, base, runs: Math.min(options.runs, 3) };
  const signatures = new Map<string, string>();
  for (const degree of DEGREES) {
    const file = join(folder, `interleaved-${degree}.pcap`);
    const made = writeInterleaved(base, file, COPIES, degree);
    report.input['packets'] = made.packets;
    report.input['MB'] = Math.round(made.bytes / 1e6);
    await warmPages([file]);
    const title = `interleaved ${degree.toLocaleString('en-US')} ×`;
    const { signature } = await ofDaybook(run, title, [file], made.packets, []);
    signatures.set(`${title}, one capture`, signature);
    if (degree === 1 || degree === COPIES) {
      for (const peer of PEERS) {
        if (!options.wanted(peer.name)) continue;
        try {
          await ofPeer(run, peer, title, file, made.packets, scope);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          report.note(`${peer.name}: ${error instanceof Missing ? '' : 'failed: '}${why}`);
        }
      }
    }
    if (degree === DEGREES[0]) {
      const profiled = join(folder, 'profiled.daybook');
      for (const text of await profileImport(profiled, [file])) report.note(text);
    }
    rmSync(file);
  }
  await parts(run, signatures);
  const different = new Set(signatures.values());
  report.note(
    different.size === 1
      ? `Records are the same in all ${signatures.size} imports: ${[...different][0]}.`
      : `RECORDS DIFFER: ${[...signatures].map(([name, one]) => `${name} ${one}`).join('; ')}.`,
  );
  return report;
}

interface Run {
  readonly report: Report;
  readonly folder: string;
  readonly base: string;
  readonly runs: number;
}

function workers(): number[] {
  const cores = availableParallelism();
  return cores === 1 ? [1] : [1, cores];
}

/** The same packets in several captures, for workers to share. */
async function parts({ report, folder, base, runs }: Run, signatures: Map<string, string>) {
  const below = join(folder, 'parts');
  mkdirSync(below);
  let packets = 0;
  for (let part = 0; part < PARTS; part++) {
    const copies = COPIES / PARTS;
    const made = writeInterleaved(
      base,
      join(below, `part-${part}.pcap`),
      copies,
      32,
      part * copies,
    );
    packets += made.packets;
  }
  await warmPages([below]);
  const rates = new Map<number, number>();
  for (const jobs of workers()) {
    const name = `${PARTS} captures, --jobs ${jobs}`;
    const { signature, rate } = await ofDaybook(
      { report, folder, base, runs },
      name,
      [below],
      packets,
      ['--jobs', String(jobs)],
    );
    signatures.set(name, signature);
    rates.set(jobs, rate);
  }
  const [one, most] = [rates.get(1), rates.get(availableParallelism())];
  if (one !== undefined && most !== undefined)
    report.note(
      `${availableParallelism()} workers are ${(most / one).toFixed(2)} times as fast as one on ${PARTS} captures.`,
    );
  rmSync(below, { recursive: true });
}

async function ofDaybook(
  { report, folder, runs }: Run,
  title: string,
  paths: readonly string[],
  packets: number,
  options: readonly string[],
): Promise<{ signature: string; rate: number }> {
  const store = join(folder, 'packets.daybook');
  const rates: number[] = [];
  let memory = 0;
  const cpu: number[] = [];
  for (let turn = 0; turn < runs; turn++) {
    rmSync(store, { recursive: true, force: true });
    const imported = await importCase(store, paths, options);
    if (imported.read !== packets || imported.quarantined > 0)
      report.note(
        `${title}: ${imported.read} of ${packets} packets in the ledger, ${imported.quarantined} quarantined`,
      );
    rates.push((packets / imported.ms) * 1000);
    cpu.push(imported.cpuMs / 1000);
    memory = Math.max(memory, imported.peakMemory);
  }
  const sums = 'count(), sum(bytes), sum(packets), sum(bytes_rev), sum(packets_rev)';
  const signature = await ask(store, `kind:flow | stats ${sums}`);
  report.add(
    `${title}: import with flow records`,
    'packets/s',
    DAYBOOK,
    { value: median(rates), runs: rates },
    'more',
  );
  report.add(`${title}: processor time`, 's', DAYBOOK, { value: median(cpu), runs: cpu });
  report.add(`${title}: memory, peak`, 'MB', DAYBOOK, { value: memory / 1e6 });
  report.add(`${title}: case`, 'bytes/packet', DAYBOOK, { value: bytesBelow([store]) / packets });
  rmSync(store, { recursive: true, force: true });
  return { signature, rate: median(rates) };
}

/** The figures of an answer as text: flows, bytes and packets each way. */
async function ask(store: string, query: string): Promise<string> {
  const { out } = await daybookCommand(['query', store, query, '--format', 'csv']);
  return out.trim().split('\n').at(-1) ?? '';
}

interface PacketPeer {
  readonly name: string;
  /** The peer's task, for the row's name. */
  readonly does: string;
  command(file: string, scope: Scope): Promise<{ command: string; args: string[] }>;
}

const PEERS: readonly PacketPeer[] = [
  {
    name: 'libpcap C',
    does: 'counts per pair of addresses, stored nowhere',
    command: async (file, scope) => ({
      command: await compilePcapProgram('pair-count', scope),
      args: [file],
    }),
  },
  {
    name: 'tcpdump',
    does: 'prints',
    command: async (file) => {
      await needProgram('tcpdump', 'tcpdump');
      return { command: 'tcpdump', args: ['-nn', '-r', file] };
    },
  },
  {
    name: 'tshark',
    does: 'conversations',
    command: async (file) => {
      await needProgram('tshark', 'tshark');
      return { command: 'tshark', args: ['-n', '-q', '-z', 'conv,ip', '-r', file] };
    },
  },
];

/** tshark is slow: beyond this many packets it is left out, as its rate does not change with size. */
const MOST_TSHARK = 3_000_000;

async function ofPeer(
  { report }: Run,
  peer: PacketPeer,
  title: string,
  file: string,
  packets: number,
  scope: Scope,
): Promise<void> {
  if (peer.name === 'tshark' && packets > MOST_TSHARK) {
    report.note(
      `tshark: left out beyond ${MOST_TSHARK} packets, of which it reads some 40,000 a second.`,
    );
    return;
  }
  const { command, args } = await peer.command(file, scope);
  report.commands[peer.name] = `${command} ${args.join(' ')}`;
  const timesOf = async (prepare: () => Promise<void>) => {
    await prepare();
    const run = await measure(command, args);
    if (run.exit !== 0) throw new Error(run.err.slice(0, 300));
    return run;
  };
  const warmRun = await timesOf(async () => undefined);
  const name = `${title}: import with flow records`;
  const rate = (ms: number) => (packets / ms) * 1000;
  report.add(
    name,
    'packets/s',
    peer.name,
    { value: rate(warmRun.wallMs), note: peer.does },
    'more',
  );
  const processor = { value: warmRun.cpuMs / 1000 };
  report.add(`${title}: processor time`, 's', peer.name, processor);
  const memory = (warmRun.peakRss ?? 0) / 1e6;
  // A process that ends at once was gone before it was sampled.
  if (memory > 0) report.add(`${title}: memory, peak`, 'MB', peer.name, { value: memory });
  if (peer.name !== 'libpcap C') return;
  const coldRun = await timesOf(() => dropPages([file]));
  report.add(
    `${title}: reading, cold`,
    'packets/s',
    peer.name,
    { value: rate(coldRun.wallMs) },
    'more',
  );
}
