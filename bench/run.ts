/**
 * The experiments of the older systems, each beside today's peers.
 *
 *     npm run bench                                    all of them, small
 *     npm run bench -- nitro --rows 13M                one of them, in another size
 *     npm run bench -- storebox --peers duckdb,ripgrep --runs 9
 *     npm run bench -- pcap --bytes 900M               captures have a size, not rows
 *     npm run bench -- nitro --scan                    with Daybook's fallback as a column of its own
 *     npm run bench -- bundle --before ../other        beside the program of another checkout, by turns
 *
 * Each prints one table and keeps bench/out/EXPERIMENT.json. What is started is stopped and removed at
 * the end, also after ctrl-C.
 */
import { parseArgs } from 'node:util';
import type { ExperimentOptions } from './experiments/options.ts';
import { byTurns } from './harness/by-turns.ts';
import type { Report } from './harness/report.ts';
import { closeWhenInterrupted, Scope } from './harness/scope.ts';
import { parseSize } from './harness/timing.ts';

type Experiment = (options: ExperimentOptions, scope: Scope) => Promise<Report>;

/** Loaded when they are run: one that is broken does not keep the others from running. */
const EXPERIMENTS: Readonly<Record<string, () => Promise<Experiment>>> = {
  nitro: async () => (await import('./experiments/nitro.ts')).nitro,
  storebox: async () => (await import('./experiments/storebox.ts')).storebox,
  flows: async () => (await import('./experiments/flows.ts')).flows,
  pcap: async () => (await import('./experiments/pcap.ts')).pcap,
  bundle: async () => (await import('./experiments/bundle.ts')).bundle,
  tribeca: async () => (await import('./experiments/tribeca.ts')).tribeca,
  protocols: async () => (await import('./experiments/protocols.ts')).protocols,
  memory: async () => (await import('./experiments/memory.ts')).memory,
  'hand-over': async () => (await import('./experiments/hand-over.ts')).handOver,
};

const USAGE = `npm run bench -- [EXPERIMENT …] [options]

Experiments: ${Object.keys(EXPERIMENTS).join(', ')}; without one, all of them.

  --rows N     events, messages or flows of the input, such as 13M
  --bytes N    size of the captures of pcap, protocols and tribeca, such as 1G
  --runs N     warm runs of which the median counts (5)
  --peers A,B  only these peers; none: Daybook alone
  --scan       Daybook without indexes, rollups and catalog as a column of its own
  --inputs DIR keep the inputs of nitro and storebox there, and take them from there the next time
  --before DIR beside the program of the checkout in DIR, by turns; without peers
  --turns N    how often each of the two has its turn (2)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string' },
    runs: { type: 'string', default: '5' },
    peers: { type: 'string' },
    bytes: { type: 'string' },
    scan: { type: 'boolean', default: false },
    inputs: { type: 'string' },
    before: { type: 'string' },
    turns: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const peers = values.peers?.toLowerCase().split(',');
const size = values.rows ?? values.bytes;
const options: ExperimentOptions = {
  size: size === undefined ? undefined : parseSize(size),
  runs: Number(values.runs),
  scan: values.scan,
  inputs: values.inputs,
  wanted: (peer) => peers === undefined || peers.some((one) => peer.toLowerCase().includes(one)),
};
const names = positionals.length === 0 ? Object.keys(EXPERIMENTS) : positionals;
for (const name of names)
  if (EXPERIMENTS[name] === undefined) {
    console.error(`there is no experiment ${name}: ${Object.keys(EXPERIMENTS).join(', ')}`);
    process.exit(2);
  }

closeWhenInterrupted();
for (const name of names) {
  const scope = new Scope();
  try {
    const report =
      values.before === undefined
        ? await (
            await EXPERIMENTS[name]!()
          )(options, scope)
        : await byTurns(['bench/run.ts', name, ...turnOptions()], name, {
            before: values.before,
            turns: Number(values.turns),
          });
    report.print();
    console.log(`- Raw results: ${report.write()}`);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    await scope.close();
  }
}

/** Parameters of an experiment in which two programs take turns. */
function turnOptions(): string[] {
  const { rows, bytes, runs, scan, inputs } = values;
  const named = { rows, bytes, runs, inputs, peers: 'none' };
  return [
    ...Object.entries(named).flatMap(([option, value]) =>
      value === undefined ? [] : [`--${option}`, value],
    ),
    ...(scan ? ['--scan'] : []),
  ];
}
