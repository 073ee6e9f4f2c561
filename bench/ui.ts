/**
 * How the window feels on ten million events, and on a mixed bundle of many small sources, in a real browser on
 * `daybook serve`.
 *
 *     npm run bench:ui -- [--events 10050000] [--case DIR.daybook] [--minutes 2] [--pause 0]
 *                      [--sources 500] [--runs 3] [--only enter,typing,…,bundle] [--before DIR] [--turns 2]
 *
 * The case of ten million events is made once (seeded) and kept when --case names it. Nothing here passes or fails:
 * docs/benchmarks.md has what was aimed at. `--minutes 60 --pause 1500` is the full run of use. With --before, beside
 * the window of another checkout, by turns; each makes its own case.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { byTurns } from './harness/by-turns.ts';
import { DAYBOOK, Report, RESULTS } from './harness/report.ts';
import { closeWhenInterrupted, Scope } from './harness/scope.ts';
import { type Answered, measureBrush, measureEnter, QUERIES, quiet } from './ui/ask.ts';
import { bigCase, newCasePath } from './ui/big-case.ts';
import { measureBundle } from './ui/bundle.ts';
import { measureUse } from './ui/long-use.ts';
import { measureScrolling, measureTyping, type Moved } from './ui/motion.ts';
import { openServed } from './ui/served-window.ts';
import { measureFirstFrame } from './ui/start.ts';

const USAGE = `Usage: npm run bench:ui -- [options]

Measures the window in a browser: on ten million events, and on a bundle of many small sources.

  --events N     events of the case (10050000)
  --case DIR     keep this case, and take it from there the next time
  --sources N    sources of the bundle (500)
  --only PARTS   of start, enter, brush, typing, scroll, use and bundle, with commas between; without it, all
  --minutes N    how long the window is used (2)
  --pause MS     between two steps of that use (0)
  --runs N       runs of each measurement (3)
  --before DIR   beside the window of the checkout in DIR, by turns
  --turns N      how often each of the two has its turn (2)`;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10050000' },
    sources: { type: 'string', default: '500' },
    case: { type: 'string' },
    minutes: { type: 'string', default: '2' },
    pause: { type: 'string', default: '0' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string' },
    before: { type: 'string' },
    turns: { type: 'string', default: '2' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const runs = Number(values.runs);
const script = 'bench:ui';
const EVENT_PARTS = ['start', 'enter', 'brush', 'typing', 'scroll', 'use'];
const wanted = values.only?.split(',') ?? [...EVENT_PARTS, 'bundle'];

closeWhenInterrupted();
const parts = { ui: wanted.filter((part) => part !== 'bundle'), 'ui-bundle': ['bundle'] };
if (parts.ui.length > 0) await shown('ui', measureEvents);
if (wanted.includes('bundle')) await shown('ui-bundle', measureSources);

async function shown(name: keyof typeof parts, measured: () => Promise<Report>): Promise<void> {
  const { before, turns, events, sources, minutes, pause } = values;
  const options = { events, sources, minutes, pause, runs, only: parts[name].join() };
  const args = Object.entries(options).flatMap(([option, value]) => [`--${option}`, `${value}`]);
  const report =
    before === undefined
      ? await measured()
      : await byTurns(['bench/ui.ts', ...args], name, { before, turns: Number(turns), script });
  report.print();
  console.log(`- Raw results: ${report.write()}`);
}

async function measureSources(): Promise<Report> {
  const scope = new Scope();
  try {
    const report = new Report('ui-bundle', {}, { script });
    await measureBundle(report, scope, { sources: Number(values.sources), runs });
    return report;
  } finally {
    await scope.close();
  }
}

async function measureEvents(): Promise<Report> {
  const path = resolve(values.case ?? newCasePath());
  await bigCase(path, Number(values.events));
  const report = new Report('ui', { events: Number(values.events) }, { script });
  const does = (part: string) => wanted.includes(part);
  if (does('start'))
    for (const { name, ...start } of await measureFirstFrame(path)) {
      add(report, `${name}: first frame`, 'ms', start.firstFrame);
      add(report, `${name}: first rows`, 'ms', start.firstRows);
      for (const packing of ['wire', 'gzip', 'brotli'] as const)
        add(report, `${name}: files until the first rows, ${packing}`, 'KB', start[packing]);
    }
  const window = await openServed('app/cli/daybook.mjs', ['serve', path]);
  try {
    const { page } = window;
    await page.goto(window.url);
    await page.locator('[role="grid"][aria-label="Events"] [data-row]').first().waitFor();
    await quiet(page);
    const answered: Answered[] = [];
    for (const query of does('enter') ? QUERIES : [])
      answered.push(await measureEnter(page, path, query, runs));
    if (does('brush')) answered.push(...(await measureBrush(page, runs)));
    for (const one of answered) addAnswered(report, one);
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(join(RESULTS, 'ui-calls.json'), JSON.stringify(answered, undefined, 2));
    if (does('typing')) addMoved(report, await measureTyping(page));
    for (const one of does('scroll') ? await measureScrolling(page) : []) addMoved(report, one);
    if (does('use') && Number(values.minutes) > 0) {
      const use = await measureUse(window, Number(values.minutes), Number(values.pause));
      for (const [name, { early, last, most }] of Object.entries(use.figures))
        report.add(`use, ${values.minutes} min: ${name} at the end`, '', DAYBOOK, {
          value: last,
          note: `${early.toFixed(1)} after the first of ${use.cycles} rounds, ${most.toFixed(1)} at most`,
        });
    }
  } finally {
    await window.close();
  }
  return report;
}

function add(report: Report, name: string, unit: string, value: number | undefined): void {
  if (value !== undefined) report.add(name, unit, DAYBOOK, { value });
}

function addAnswered(report: Report, one: Answered): void {
  const name = one.events === undefined ? one.act : `${one.act} (${one.events} events)`;
  add(report, `${name}: list, engine alone`, 'ms', one.engineList);
  add(report, `${name}: timeline, engine alone`, 'ms', one.engineTimeline);
  add(report, `${name}: rows on screen`, 'ms', one.rows);
  add(report, `${name}: timeline on screen`, 'ms', one.timeline);
  add(report, `${name}: all of it`, 'ms', one.everything);
}

function addMoved(report: Report, { act, fps, p95, worst, afterStop }: Moved): void {
  report.add(act, 'frames/s', DAYBOOK, { value: fps }, 'more');
  add(report, `${act}: 95 % of frames within`, 'ms', p95);
  add(report, `${act}: longest frame`, 'ms', worst);
  add(report, `${act}: rows after stopping`, 'ms', afterStop);
}
