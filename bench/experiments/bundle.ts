/**
 * A mixed bundle: many small sources over many days, of all kinds. Measures what users do first: open the case,
 * look at its fields, search words, and ask which lines of a list matched nothing.
 */
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { dropPages, warmPages } from '../harness/disk.ts';
import { DAYBOOK, Report } from '../harness/report.ts';
import type { Scope } from '../harness/scope.ts';
import { warm } from '../harness/timing.ts';
import { bundleOptions, writeBundle } from '../generate/bundle.ts';
import { dotted } from '../generate/dotted.ts';
import { Marked } from '../generate/messages.ts';
import { type Asked, DaybookEngine, daybookCommand, importCase } from '../peers/daybook.ts';
import type { ExperimentOptions } from './options.ts';

const BARS = 30;
const FIRST = 200;
/** Sources of the whole bundle; a smaller size is a part of it. */
const SOURCES = 5000;
const SEARCHES = [
  { name: 'everything', query: '' },
  { name: 'rare word', query: Marked.rare },
  { name: 'frequent word', query: Marked.frequent },
  { name: 'absent word', query: 'zzyzx' },
  { name: 'address', query: 'ip:10.0.3.7' },
  { name: 'AND', query: `${Marked.frequent} user1500` },
  { name: 'NOT', query: `kind:log NOT ${Marked.frequent}` },
];
/** Fields whose values the panel shows. */
const OPEN = ['kind', 'host', 'program', 'src_ip', 'dst_port', 'source'];
/** Lines of the list: half of them addresses that the bundle has. */
const LINES = 100;

interface Looked {
  readonly ms: number;
  readonly rowsMs: number;
  readonly total: number;
  readonly bars: number;
  readonly path: string;
}

export async function bundle(options: ExperimentOptions, scope: Scope): Promise<Report> {
  const made = bundleOptions((options.size ?? SOURCES) / SOURCES);
  const report = new Report('bundle', { sources: made.sources, days: made.days });
  const folder = scope.folder();
  const evidence = join(folder, 'evidence');
  const written = writeBundle(evidence, made);
  report.input['MB'] = Math.round(written.bytes / 1e6);
  await warmPages([evidence]);
  const store = join(folder, 'bundle.daybook');
  const imported = await importCase(store, [evidence], ['--recursive']);
  report.add('import', 's', DAYBOOK, { value: imported.ms / 1000 });
  report.add('processor time of the import', 's', DAYBOOK, { value: imported.cpuMs / 1000 });
  report.add('memory while importing, peak', 'MB', DAYBOOK, { value: imported.peakMemory / 1e6 });
  await ask(report, store, options, scope, imported.read);
  return report;
}

/** Questions about an existing case; `events`: records that were read. */
async function ask(
  report: Report,
  store: string,
  { runs }: ExperimentOptions,
  scope: Scope,
  events?: number,
): Promise<void> {
  const engine = new DaybookEngine(store, scope);
  const opened = await engine.ask<[number, number]>({ do: 'open' });
  if (events !== undefined && opened.rows[0] < events)
    report.note(`the case has ${opened.rows[0]} events of ${events} records`);
  report.add('disk', 'MB', DAYBOOK, {
    value: engine.bytes() / 1e6,
    note: `${opened.rows[1]} segments`,
  });
  const list = { file: join(scope.folder(), 'list.csv'), fields: ['ip'] };
  const lines = Array.from({ length: LINES }, (_, i) =>
    dotted(i % 2 === 0 ? 0x0a00_0000 + i * 7 : 0x0900_0000 + i),
  );
  writeFileSync(list.file, `${lines.join('\n')}\n`);
  /** Cold, then warm; reports `what` of the answer. */
  const both = async (
    name: string,
    asked: Asked,
    msOf: (reply: { ms: number; rows: unknown }) => number,
    what: (rows: unknown) => string,
  ) => {
    try {
      await engine.cold();
      report.add(`${name}, cold`, 'ms', DAYBOOK, { value: msOf(await engine.ask(asked)) });
      const cell = await warm(runs, async () => {
        await engine.forget();
        return msOf(await engine.ask(asked));
      });
      report.add(`${name}, warm`, 'ms', DAYBOOK, cell);
      report.note(`${name}: ${what((await engine.ask(asked)).rows)}`);
    } catch (error) {
      report.note(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const whole = ({ ms }: { ms: number }) => ms;
  const json = (rows: unknown) => JSON.stringify(rows);
  await both('open the case', { do: 'open' }, whole, json);
  const fields = { do: 'fields', values: OPEN } as const;
  await both(`fields and the values of ${OPEN.length}`, fields, whole, json);
  await both(`unmatched of ${LINES} addresses`, { do: 'unmatched', query: '', list }, whole, json);
  for (const { name, query } of SEARCHES) {
    const title = `${name}: ${BARS} bars, ${FIRST} rows`;
    const asked = { do: 'look', query, bars: BARS, first: FIRST } as const;
    await both(
      title,
      asked,
      ({ rows }) => (rows as Looked).ms,
      (rows) => `${(rows as Looked).total} events, ${(rows as Looked).path}`,
    );
  }
  await engine.close();
  await dropPages([store]);
  const command = await daybookCommand(['count', store, Marked.frequent]);
  report.add('daybook count of a frequent word, cold', 'ms', DAYBOOK, { value: command.ms });
}
