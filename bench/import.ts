/**
 * How fast evidence is read into a case, beside programs that read the same files.
 *
 *     npm run bench:import -- [--mb 1000] [--only syslog,pcap,flow-csv,nfdump-csv] [--keep DIR] [--runs 1]
 *
 * Each input is generated (seeded) to about --mb megabytes, read once to warm the cache, then imported
 * into a new case by the command line as a user runs it; the peers read the same file in the same run.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeCapture } from '../fixtures/evidence/capture.ts';
import { writeNfdumpCsv } from '../fixtures/evidence/flows.ts';
import { END, START } from '../fixtures/evidence/story.ts';
import { writeAuthLog } from '../fixtures/evidence/syslog.ts';
import { writeFlowTable } from './flow-table.ts';
import { available, measure } from './process.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DAYBOOK = join(ROOT, 'app/cli/daybook.mjs');

interface Input {
  name: string;
  file: string;
  /** Writes about `amount` units and returns the number of records. */
  write(path: string, amount: number): { records: number; bytes: number };
  /** Units of a small trial, from which the amount for the wanted size follows. */
  trial: number;
  peers(path: string): { name: string; command: string; args: string[] }[];
}

const readCsv = (sql: string) => [
  '-e',
  `const {DuckDBInstance}=await import('@duckdb/node-api');const i=await DuckDBInstance.create(':memory:',{memory_limit:'1GB'});const c=await i.connect();console.log((await c.runAndReadAll(${JSON.stringify(sql)})).getRowsJS()[0])`,
  '--input-type=module',
];

const flowPeers = (path: string) => [
  { name: 'wc -l', command: 'wc', args: ['-l', path] },
  {
    name: 'DuckDB read_csv, stored',
    command: process.execPath,
    args: readCsv(`CREATE TABLE t AS SELECT * FROM read_csv('${path}', ignore_errors=true)`),
  },
];

const INPUTS: Input[] = [
  {
    name: 'syslog',
    file: 'auth.log',
    write: (path, amount) =>
      writeAuthLog(path, { linesPerDay: amount, from: START, to: END, seed: 11 }),
    trial: 20_000,
    peers: (path) => [
      { name: 'wc -l', command: 'wc', args: ['-l', path] },
      {
        name: 'DuckDB read_csv, one column, stored',
        command: process.execPath,
        args: readCsv(
          `CREATE TABLE t AS SELECT * FROM read_csv('${path}', columns={'l':'VARCHAR'}, delim='\u0001', quote='', escape='', header=false, auto_detect=false)`,
        ),
      },
    ],
  },
  {
    name: 'pcap',
    file: 'capture.pcap',
    write: (path, amount) =>
      writeCapture(path, {
        from: START,
        to: END,
        format: 'pcap',
        snapLength: 256,
        conversations: amount,
        incident: undefined,
        seed: 12,
      }),
    trial: 2_000,
    peers: (path) => [
      { name: 'tcpdump -nn', command: 'tcpdump', args: ['-nn', '-r', path] },
      {
        name: 'tshark -T fields',
        command: 'tshark',
        args: [
          '-n',
          '-r',
          path,
          '-T',
          'fields',
          '-e',
          'frame.time_epoch',
          '-e',
          'ip.src',
          '-e',
          'ip.dst',
          '-e',
          'tcp.srcport',
          '-e',
          'tcp.dstport',
          '-e',
          'frame.len',
        ],
      },
    ],
  },
  {
    name: 'flow-csv',
    file: 'flows.csv',
    write: (path, amount) => writeFlowTable(path, amount, 13),
    trial: 100_000,
    peers: flowPeers,
  },
  {
    name: 'nfdump-csv',
    file: 'nfdump.csv',
    write: (path, amount) => writeNfdumpCsv(path, { connectionsPerDay: amount, seed: 14 }),
    trial: 20_000,
    peers: flowPeers,
  },
];

interface Line {
  input: string;
  program: string;
  records: number;
  bytes: number;
  seconds: number;
  peakRss: number | undefined;
  caseBytes: number | undefined;
}

const USAGE = `Usage: npm run bench:import -- [options]

Imports generated evidence into new cases, beside programs that read the same files.

  --mb N       megabytes of each input (1000)
  --only LIST  inputs, with commas between: ${INPUTS.map(({ name }) => name).join(', ')}; without it, all
  --keep DIR   keep the inputs there, and take them from there the next time
  --runs N     runs of each (1)`;

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '1000' },
    only: { type: 'string' },
    keep: { type: 'string' },
    runs: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const megabytes = Number(values.mb);
const only = values.only?.split(',');
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'daybook-bench-'));
mkdirSync(folder, { recursive: true });
const lines: Line[] = [];

for (const input of INPUTS) {
  if (only !== undefined && !only.includes(input.name)) continue;
  const path = join(folder, input.file);
  const trial = input.write(path, input.trial);
  const { records, bytes } = input.write(
    path,
    Math.ceil((input.trial * megabytes * 1e6) / trial.bytes),
  );
  await measure('cat', [path]);
  for (const peer of input.peers(path)) {
    if (!(await available(peer.command))) {
      console.log(`${input.name}: ${peer.name} is not installed here`);
      continue;
    }
    const run = await measure(peer.command, peer.args);
    if (run.exit !== 0)
      console.log(`${input.name}: ${peer.name} ended with ${run.exit}: ${run.err.slice(0, 200)}`);
    lines.push({
      input: input.name,
      program: peer.name,
      records,
      bytes,
      seconds: run.wallMs / 1000,
      peakRss: run.peakRss,
      caseBytes: undefined,
    });
  }
  for (let i = 0; i < Number(values.runs); i++) {
    const name = join(folder, `${input.name}.daybook`);
    rmSync(name, { recursive: true, force: true });
    const run = await measure(process.execPath, [DAYBOOK, 'import', name, path, '--json']);
    const report = JSON.parse(run.out.trim().split('\n').at(-1) ?? '{}') as {
      total?: { stored: number };
    };
    // More is read where a table ends with lines that are no records, which are counted as skipped.
    if (report.total?.stored !== records) {
      console.log(
        `${input.name}: daybook stored ${report.total?.stored} of ${records} records: ${run.err.slice(0, 500)}`,
      );
    }
    lines.push({
      input: input.name,
      program: 'daybook import',
      records,
      bytes,
      seconds: run.wallMs / 1000,
      peakRss: run.peakRss,
      caseBytes: sizeOf(name),
    });
    rmSync(name, { recursive: true, force: true });
  }
  if (values.keep === undefined) rmSync(path);
}
if (values.keep === undefined) rmSync(folder, { recursive: true });

const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
console.log(`\n${machine}; each input about ${megabytes} MB, in the page cache\n`);
console.log(
  '| input | program | records | MB | s | records/s | MB/s | peak RSS MB | case MB | of input |',
);
console.log('|---|---|---:|---:|---:|---:|---:|---:|---:|---:|');
for (const line of lines) {
  const cells = [
    line.input,
    line.program,
    line.records.toLocaleString('en-US'),
    (line.bytes / 1e6).toFixed(0),
    line.seconds.toFixed(2),
    Math.round(line.records / line.seconds).toLocaleString('en-US'),
    (line.bytes / 1e6 / line.seconds).toFixed(0),
    line.peakRss === undefined ? '' : (line.peakRss / 1e6).toFixed(0),
    line.caseBytes === undefined ? '' : (line.caseBytes / 1e6).toFixed(0),
    line.caseBytes === undefined ? '' : `${((100 * line.caseBytes) / line.bytes).toFixed(0)} %`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
mkdirSync(join(ROOT, 'bench/out'), { recursive: true });
writeFileSync(
  join(ROOT, 'bench/out/import.json'),
  `${JSON.stringify({ machine, megabytes, lines }, undefined, 2)}\n`,
);

function sizeOf(path: string): number {
  const stat = statSync(path);
  return stat.isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
    : stat.size;
}
