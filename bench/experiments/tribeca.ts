/**
 * Tribeca's queries on frame relay and ATM traces (Sullivan and Heybey, USENIX 1998, table 1): as one streaming
 * pass (`daybook scan`) and on the stored trace. Compared with dd, which only reads, a libpcap program written for
 * each query, tcpdump and tshark.
 *
 * Their T1 interface and channel are a circuit here (DLCI), their message type is the circuit's content.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { warmPages, dropPages } from '../harness/disk.ts';
import { needProgram } from '../harness/packages.ts';
import { DAYBOOK, Report } from '../harness/report.ts';
import type { Scope } from '../harness/scope.ts';
import { warm } from '../harness/timing.ts';
import { ASKED, writeAtm, writeFrameRelay, type Trace } from '../generate/relay.ts';
import { DaybookEngine, daybookCommand, importCase } from '../peers/daybook.ts';
import { compilePcapProgram } from '../peers/libpcap.ts';
import { Missing } from '../peers/store.ts';
import { measure } from '../process.ts';
import type { ExperimentOptions } from './options.ts';

interface Query {
  readonly name: string;
  readonly does: string;
  readonly daybook: string;
  /** Further arguments of the libpcap program. */
  readonly circuit?: readonly string[];
  readonly tcpdump?: readonly string[];
  readonly tshark?: readonly string[];
}

const SUMS = 'stats count(), sum(bytes)';
const IO = ['-q', '-z', 'io,stat,0'];

const FRAME: readonly Query[] = [
  {
    name: 'frame1',
    does: 'count all, sum lengths',
    daybook: `kind:packet | ${SUMS}`,
    tcpdump: ['--count'],
    tshark: IO,
  },
  {
    name: 'frame2',
    does: 'without link management',
    daybook: `kind:packet NOT event_type:frame-relay-lmi | ${SUMS}`,
  },
  {
    name: 'frame3',
    does: 'IP in either form',
    daybook: `kind:packet src_ip:* | ${SUMS}`,
    tcpdump: ['--count', 'ip'],
  },
  {
    name: 'frame4',
    does: 'IP of one circuit',
    daybook: `kind:packet src_ip:* dlci:${ASKED.dlci} | ${SUMS}`,
    circuit: [String(ASKED.dlci)],
  },
  {
    name: 'frame5',
    does: 'IP by source and destination port',
    daybook: `kind:packet src_ip:* | ${SUMS} by src_port, dst_port`,
  },
  { name: 'frame6', does: 'IP by circuit', daybook: `kind:packet src_ip:* | ${SUMS} by dlci` },
  {
    name: 'frame7',
    does: 'IP of both forms joined',
    daybook: `kind:packet src_ip:* | ${SUMS}`,
    tcpdump: ['--count', 'ip'],
  },
  {
    name: 'frame8',
    does: 'IP of both forms by protocol and circuit',
    daybook: `kind:packet src_ip:* | ${SUMS} by proto, dlci`,
  },
];

const ATM: readonly Query[] = [
  {
    name: 'atm1',
    does: 'cells by VCI',
    daybook: `kind:packet | ${SUMS} by vci`,
    tshark: IO,
  },
  { name: 'atm2', does: 'cells by VPI and VCI', daybook: `kind:packet | ${SUMS} by vpi, vci` },
  {
    name: 'atm5',
    does: 'cells of one VCI',
    daybook: `kind:packet vci:${ASKED.vci} | ${SUMS}`,
    circuit: [String(ASKED.vci)],
    tcpdump: ['--count', `vci ${ASKED.vci}`],
  },
  {
    name: 'atm6',
    does: 'cells of one VPI and VCI',
    daybook: `kind:packet vci:${ASKED.vci} vpi:${ASKED.vpi} | ${SUMS}`,
    circuit: [String(ASKED.vci), String(ASKED.vpi)],
    tcpdump: ['--count', `vci ${ASKED.vci} and vpi ${ASKED.vpi}`],
  },
];

const DEFAULT_BYTES = 100e6;
/** tshark takes its time, and its rate does not change with size. */
const MOST_TSHARK = 2_000_000;

export async function tribeca(options: ExperimentOptions, scope: Scope): Promise<Report> {
  const bytes = options.size ?? DEFAULT_BYTES;
  const report = new Report('tribeca', {});
  const folder = scope.folder();
  const program = await libpcapProgram(report, scope);
  for (const [kind, write, queries] of [
    ['frame relay', writeFrameRelay, FRAME],
    ['ATM', writeAtm, ATM],
  ] as const) {
    const file = join(folder, `${kind.replace(' ', '-')}.pcap`);
    const trace = write(file, bytes);
    report.input[`${kind} packets`] = trace.packets;
    report.input[`${kind} MB`] = Math.round(trace.bytes / 1e6);
    await warmPages([file]);
    const run: Run = { report, file, trace, runs: options.runs, program, options };
    const dd = await readRate(run, kind);
    for (const query of queries) await ofQuery(run, query, dd);
    await stored(run, kind, queries, dd, join(folder, `${kind.replace(' ', '-')}.daybook`), scope);
  }
  return report;
}

interface Run {
  readonly report: Report;
  readonly file: string;
  readonly trace: Trace;
  readonly runs: number;
  readonly program: string | undefined;
  readonly options: ExperimentOptions;
}

async function libpcapProgram(report: Report, scope: Scope): Promise<string | undefined> {
  try {
    return await compilePcapProgram('relay-count', scope);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    report.note(error.message);
    return undefined;
  }
}

const rate = ({ trace }: Run, ms: number) => (trace.packets / ms) * 1000;

/** Milliseconds that dd takes to read the trace. */
async function readRate(run: Run, kind: string): Promise<number> {
  const { report, file, trace } = run;
  const args = [`if=${file}`, 'of=/dev/null', 'bs=1M', 'status=none'];
  const read = async () => (await measure('dd', args)).wallMs;
  const cell = await warm(run.runs, read);
  await dropPages([file]);
  const coldMs = await read();
  const megabytes = (ms: number) => Math.round(trace.bytes / 1000 / ms).toLocaleString('en-US');
  report.note(
    `dd reads the ${kind} trace with ${megabytes(cell.value)} MB/s from the page cache, ${megabytes(coldMs)} MB/s cold.`,
  );
  return cell.value;
}

const streaming = ({ name, does }: Query) => `${name} (${does}), streaming`;

async function ofQuery(run: Run, query: Query, ddMs: number): Promise<void> {
  const { report, file, runs, program, options } = run;
  const title = streaming(query);
  let expected: string | undefined;
  if (program !== undefined) {
    const args = [query.name, file, ...(query.circuit ?? [])];
    report.commands[`libpcap C ${query.name}`] = `relay-count ${args.join(' ')}`;
    const cell = await warm(runs, async () => {
      const { out, wallMs } = await measure(program, args);
      expected = out.trim();
      return wallMs;
    });
    report.add(title, 'packets/s', 'libpcap C', { value: rate(run, cell.value) }, 'more');
  }
  await scanned(run, query, expected);
  report.add(title, 'packets/s', 'dd', { value: rate(run, ddMs) }, 'more');
  for (const peer of ['tcpdump', 'tshark'] as const) {
    const args = query[peer];
    if (args === undefined || !options.wanted(peer)) continue;
    if (peer === 'tshark' && run.trace.packets > MOST_TSHARK) {
      report.note(`tshark, ${query.name}: left out beyond ${MOST_TSHARK} packets.`);
      continue;
    }
    try {
      await needProgram(peer, peer);
      const ms = (await measure(peer, ['-n', '-r', file, ...args])).wallMs;
      report.commands[`${peer} ${query.name}`] = `${peer} -n -r FILE ${args.join(' ')}`;
      report.add(title, 'packets/s', peer, { value: rate(run, ms) }, 'more');
    } catch (error) {
      report.note(`${peer}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

async function scanned(run: Run, query: Query, expected: string | undefined): Promise<void> {
  const { report, file, runs } = run;
  const table = `${file}.csv`;
  const args = ['scan', file, query.daybook, '--format', 'csv', '--out', table, '--force'];
  report.commands[`Daybook ${query.name}`] = `daybook scan FILE '${query.daybook}'`;
  try {
    let memory = 0;
    const cell = await warm(Math.min(runs, 3), async () => {
      const done = await daybookCommand(args);
      memory = Math.max(memory, done.peakMemory);
      return done.ms;
    });
    const found = totals(readFileSync(table, 'utf8'));
    if (expected !== undefined && found !== expected)
      report.note(
        `${query.name}: Daybook finds ${found} (groups, packets, bytes), libpcap C ${expected}`,
      );
    report.add(streaming(query), 'packets/s', DAYBOOK, { value: rate(run, cell.value) }, 'more');
    if (query.name.endsWith('1'))
      report.add(`${query.name}: memory, peak`, 'MB', DAYBOOK, { value: memory / 1e6 });
  } catch (error) {
    const why = error instanceof Error ? error.message.trim().split('\n')[0] : String(error);
    report.note(`Daybook, ${query.name}: ${why?.slice(0, 200)}`);
  }
}

/** Groups, packets and bytes of a table of `count` and `sum(bytes)`. */
function totals(csv: string): string {
  const [heading = '', ...lines] = csv.trim().split('\n');
  const names = heading.trim().split(',');
  const sum = (name: RegExp) => {
    const at = names.findIndex((one) => name.test(one));
    return lines.reduce((all, line) => all + Number(line.trim().split(',')[at]), 0);
  };
  return `${lines.length} ${sum(/^"?count/)} ${sum(/^"?sum/)}`;
}

/** The same queries on the imported trace. */
async function stored(
  run: Run,
  kind: string,
  queries: readonly Query[],
  ddMs: number,
  store: string,
  scope: Scope,
): Promise<void> {
  const { report, file, trace, runs } = run;
  const imported = await importCase(store, [file]);
  if (imported.read !== trace.packets || imported.quarantined > 0)
    report.note(`${kind}: ${imported.read} of ${trace.packets} packets in the ledger`);
  report.add(`${kind}, import`, 'packets/s', DAYBOOK, { value: rate(run, imported.ms) }, 'more');
  const engine = new DaybookEngine(store, scope);
  for (const query of queries) {
    try {
      const paths = new Set<string>();
      const cell = await warm(runs, async () => {
        await engine.forget();
        const { ms, timings } = await engine.query(query.daybook);
        paths.add(timings.path ?? '');
        return ms;
      });
      const title = `${query.name} (${query.does}), stored`;
      const note = `${Number(cell.value.toPrecision(3))} ms, ${[...paths].join(', ')}`;
      report.add(title, 'packets/s', DAYBOOK, { value: rate(run, cell.value), note }, 'more');
      report.add(title, 'packets/s', 'dd', { value: rate(run, ddMs) }, 'more');
    } catch (error) {
      report.note(
        `Daybook, ${query.name} stored: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  await engine.close();
}
