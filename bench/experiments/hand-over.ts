/**
 * A case that is handed over and attached to ClickHouse, and the same questions on both. ClickHouse is the one of
 * the tests: chdb behind HTTP (e2e/clickhouse-http.ts), on this machine.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clickhouseServer } from '../../e2e/clickhouse-server.ts';
import { clickhouseModule, whyNot } from '../../e2e/provision/index.ts';
import { ASKED_SOURCE, EVENT_TYPES, writeEvents } from '../generate/events.ts';
import { bytesBelow, warmPages } from '../harness/disk.ts';
import { inputOf } from '../harness/inputs.ts';
import { CLI } from '../harness/program.ts';
import { DAYBOOK, Report } from '../harness/report.ts';
import type { Scope } from '../harness/scope.ts';
import { timed, warm } from '../harness/timing.ts';
import { DaybookEngine, importCase } from '../peers/daybook.ts';
import { measure } from '../process.ts';
import type { ExperimentOptions } from './options.ts';

const GENERATOR = new URL('../generate/events.ts', import.meta.url);
const CLUSTER = 'ClickHouse (chdb)';

/** Each with its name in the table. */
const QUERIES: readonly (readonly [string, string])[] = [
  ['top 10 sources', '* | top 10 src_ip'],
  [
    'destinations of one source and type',
    `src_ip:${ASKED_SOURCE} event_type:${EVENT_TYPES[0]} | top 100 dst_ip`,
  ],
  ['counts of days', '* | timeline 1d'],
  ['events of a type, by the hour', `event_type:${EVENT_TYPES[2]} | timeline 1h`],
  ['pairs of addresses', '* | stats count() by src_ip, dst_ip | sort count desc | head 10'],
  ['events of a network', 'src_ip:10.1.0.0/16 | stats count()'],
  ['sources, each once', '* | stats dc(src_ip)'],
];

export async function handOver(options: ExperimentOptions, scope: Scope): Promise<Report> {
  const rows = options.size ?? 1_000_000;
  const report = new Report('hand-over', { events: rows });
  const folder = scope.folder();
  const input = inputOf(folder, options.inputs, GENERATOR, `events-${rows}.csv`, (path) =>
    writeEvents(path, rows),
  );
  await warmPages([input.file]);
  const store = join(folder, 'events.daybook');
  const place = join(folder, 'handed-over');
  const imported = await importCase(store, [input.file]);
  report.add('import', 's', DAYBOOK, { value: imported.ms / 1000 });
  await command(report, 'hand over', ['hand-over', store, place, '--yes']);
  await command(report, 'hand over again, nothing new', ['hand-over', store, place, '--yes']);
  await command(report, 'check the hand-over', ['verify', place]);
  report.add('case', 'MB', DAYBOOK, { value: bytesBelow([store]) / 1e6 });
  report.add('hand-over', 'MB', DAYBOOK, { value: bytesBelow([place]) / 1e6 });
  const engine = new DaybookEngine(store, scope);
  const answers = new Map<string, string>();
  for (const [name, query] of QUERIES) {
    report.commands[name] = query;
    const cell = await warm(options.runs, async () => {
      await engine.forget();
      const answer = await engine.query(query);
      answers.set(name, counts(answer.rows));
      return answer.ms;
    });
    report.add(`${name}, warm`, 'ms', DAYBOOK, cell);
  }
  await engine.close();
  const module = clickhouseModule();
  if (module === undefined) report.note(`ClickHouse: ${whyNot('clickhouse')}`);
  else if (options.wanted(CLUSTER)) await onCluster(report, module, folder, options.runs, answers);
  return report;
}

async function onCluster(
  report: Report,
  module: string,
  folder: string,
  runs: number,
  answers: ReadonlyMap<string, string>,
): Promise<void> {
  const tables = join(folder, 'clickhouse');
  mkdirSync(tables);
  const server = await clickhouseServer(module, tables);
  try {
    const at = `clickhouse://127.0.0.1:${server.port}/events`;
    await command(report, 'attach', ['attach', at, join(folder, 'handed-over')], CLUSTER);
    await command(
      report,
      'attach again, nothing new',
      ['attach', at, join(folder, 'handed-over')],
      CLUSTER,
    );
    // Parts that were merged stay on the disk for some minutes.
    const parts =
      "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'events'";
    report.add('case', 'MB', CLUSTER, { value: Number(await ask(server.port, parts)) / 1e6 });
    for (const [name, query] of QUERIES) {
      const { out } = await run(['query', at, query, '--explain', '--json']);
      const { plan } = JSON.parse(out) as { plan: string[] };
      const statement = plan.slice(0, plan.indexOf('')).join('\n');
      report.commands[`${CLUSTER} ${name}`] = statement;
      let text = '';
      const cell = await warm(runs, () =>
        timed(async () => {
          text = await ask(server.port, `${statement} FORMAT JSONCompactEachRow`);
        }),
      );
      const found = counts(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown[]),
      );
      if (found !== answers.get(name))
        report.note(
          `${name}: ${CLUSTER} answers ${found.slice(0, 200)}, the case ${answers.get(name)?.slice(0, 200)}`,
        );
      report.add(`${name}, warm`, 'ms', CLUSTER, cell);
    }
  } finally {
    await server.close();
  }
}

async function ask(port: number, statement: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: statement });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${statement}: ${text.slice(0, 500)}`);
  return text;
}

/** The first number of each row: its count. */
function counts(rows: readonly (readonly unknown[])[]): string {
  return JSON.stringify(rows.map((row) => Number(row.find((cell) => /^\d+$/.test(String(cell))))));
}

async function run(args: readonly string[]): ReturnType<typeof measure> {
  const done = await measure(process.execPath, [CLI, ...args]);
  if (done.exit !== 0) throw new Error(`daybook ${args[0]}: ${done.err.slice(-800)}`);
  return done;
}

async function command(
  report: Report,
  name: string,
  args: readonly string[],
  program = DAYBOOK,
): Promise<void> {
  const { wallMs, cpuMs, peakRss } = await run(args);
  report.add(name, 's', program, {
    value: wallMs / 1000,
    note: `${(cpuMs / 1000).toFixed(1)} s of processor time, ${Math.round((peakRss ?? 0) / 1e6)} MB`,
  });
}
