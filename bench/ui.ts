/**
 * How the window feels on ten million events, in a real browser on `daybook serve`.
 *
 *     npm run bench:ui -- [--events 10050000] [--case DIR.daybook] [--minutes 2] [--pause 0]
 *                      [--runs 3] [--only enter,typing,…]
 *
 * The case is made once (seeded) and kept when --case names it. Nothing here passes or fails: the
 * table has what was measured beside what was aimed at. `--minutes 60 --pause 1500` is the full run of use.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bigCase, newCasePath } from './ui/big-case.ts';
import { measureBrush, measureEnter, QUERIES, quiet, type Answered } from './ui/ask.ts';
import { measureUse, type Use } from './ui/long-use.ts';
import { ROOT } from './ui/programs.ts';
import { measureScrolling, measureTyping, type Moved } from './ui/motion.ts';
import { openServed, type Counters } from './ui/served-window.ts';
import { measureFirstFrame, type Start } from './ui/start.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10050000' },
    case: { type: 'string' },
    minutes: { type: 'string', default: '2' },
    pause: { type: 'string', default: '0' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const only = values.only?.split(',');
const wanted = (part: string) => only === undefined || only.includes(part);
const path = resolve(values.case ?? newCasePath());
await bigCase(path, Number(values.events));
const runs = Number(values.runs);

const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`;
let starts: Start[] = [];
const answered: Answered[] = [];
const moved: Moved[] = [];
let use: Use | undefined;
let counted: readonly Counters[] = [];

/** Kept after each part: a run that is stopped has told what it measured. */
function keep(): void {
  mkdirSync(join(ROOT, 'bench/out'), { recursive: true });
  writeFileSync(
    join(ROOT, 'bench/out/ui.json'),
    `${JSON.stringify({ machine, path, starts, answered, moved, use: use ?? counted }, undefined, 2)}\n`,
  );
}

if (wanted('start')) starts = await measureFirstFrame(path);
keep();
const window = await openServed('app/cli/daybook.mjs', ['serve', path]);
try {
  const { page } = window;
  await page.goto(window.url);
  await page.locator('[role="grid"][aria-label="Events"] [data-row]').first().waitFor();
  await quiet(page);
  for (const query of wanted('enter') ? QUERIES : []) {
    answered.push(await measureEnter(page, path, query, runs));
    keep();
  }
  if (wanted('brush')) answered.push(...(await measureBrush(page, runs)));
  keep();
  if (wanted('typing')) moved.push(await measureTyping(page));
  if (wanted('scroll')) moved.push(...(await measureScrolling(page)));
  keep();
  if (wanted('use') && Number(values.minutes) > 0)
    use = await measureUse(window, Number(values.minutes), Number(values.pause), (samples) => {
      counted = samples;
      keep();
    });
  keep();
} finally {
  await window.close();
}

const ms = (value: number | undefined) => (value === undefined ? '—' : value.toFixed(0));
const row = (...cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);
console.log(`\n${machine}; ${path}\n`);
if (starts.length > 0) {
  row('start', 'first frame ms', 'first rows ms', 'KB over the wire', 'KB gzip', 'KB brotli');
  row('---', '---:', '---:', '---:', '---:', '---:');
  for (const one of starts)
    row(
      one.name,
      ms(one.firstFrame),
      ms(one.firstRows),
      ms(one.wire),
      ms(one.gzip),
      ms(one.brotli),
    );
}
if (answered.length > 0) {
  console.log('');
  row(
    'act',
    'events',
    'engine alone: list ms',
    'engine alone: timeline ms',
    'rows on screen ms',
    'timeline on screen ms',
    'everything ms',
  );
  row('---', '---:', '---:', '---:', '---:', '---:', '---:');
  for (const one of answered)
    row(
      one.act,
      one.events ?? '—',
      ms(one.engineList),
      ms(one.engineTimeline),
      ms(one.rows),
      ms(one.timeline),
      ms(one.everything),
    );
}
if (moved.length > 0) {
  console.log('');
  row('motion', 'frames/s', 'median ms', 'p95 ms', 'worst ms', 'rows after stopping ms');
  row('---', '---:', '---:', '---:', '---:', '---:');
  for (const one of moved)
    row(
      one.act,
      one.fps.toFixed(1),
      one.median.toFixed(1),
      one.p95.toFixed(1),
      one.worst.toFixed(1),
      ms(one.afterStop),
    );
}
if (use !== undefined) {
  console.log('');
  row(`use, ${values.minutes} min, ${use.cycles} cycles`, 'early', 'last', 'most');
  row('---', '---:', '---:', '---:');
  for (const [name, figures] of Object.entries(use.figures))
    row(name, figures.early.toFixed(1), figures.last.toFixed(1), figures.most.toFixed(1));
}
