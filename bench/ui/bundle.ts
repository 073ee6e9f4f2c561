/** The window on a mixed bundle: opening it, words, its fields, and what of a list no event meets. */
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ListDialog } from '../../e2e/window/pages/list-dialog.ts';
import { bundleOptions, writeBundle } from '../generate/bundle.ts';
import { dotted } from '../generate/dotted.ts';
import { Marked } from '../generate/messages.ts';
import { dropPages, warmPages } from '../harness/disk.ts';
import { DAYBOOK, type Report } from '../harness/report.ts';
import type { Scope } from '../harness/scope.ts';
import { median } from '../harness/timing.ts';
import { importCase } from '../peers/daybook.ts';
import { type Answered, type Call, measureEnter, quiet } from './ask.ts';
import { openServed, type ServedWindow } from './served-window.ts';

/** Sources of the whole bundle. */
const SOURCES = 5000;
const WORDS = [Marked.rare, Marked.frequent, 'ip:10.0.3.7'];
/** Lines of a list: half of them addresses that the bundle has. */
const LINES = 100;

export async function measureBundle(
  report: Report,
  scope: Scope,
  { sources, runs }: { readonly sources: number; readonly runs: number },
): Promise<void> {
  const folder = scope.folder();
  const evidence = join(folder, 'evidence');
  const made = bundleOptions(sources / SOURCES);
  const { records } = writeBundle(evidence, made);
  const events = Object.values(records).reduce((sum, n) => sum + n, 0);
  Object.assign(report.input, { sources: made.sources, days: made.days, records: events });
  await warmPages([evidence]);
  const store = join(folder, 'bundle.daybook');
  await importCase(store, [evidence], ['--recursive']);

  const opened: Opened[] = [];
  for (let run = 0; run < runs; run++) {
    await dropPages([store]);
    const window = await served(store);
    try {
      opened.push(await open(window));
    } finally {
      await window.close();
    }
  }
  for (const [name, of] of OPENED)
    addRuns(
      report,
      name,
      opened.map((one) => one[of]),
    );

  const window = await served(store);
  try {
    await open(window);
    for (const word of WORDS) addWord(report, await measureEnter(window.page, store, word, runs));
    const unmatched: number[] = [];
    for (let run = 0; run < runs; run++) unmatched.push(await missed(window.page, run));
    addRuns(report, `lines of ${LINES} that matched nothing`, unmatched);
  } finally {
    await window.close();
  }
}

function served(store: string): Promise<ServedWindow> {
  return openServed('app/cli/daybook.mjs', ['serve', store]);
}

interface Opened {
  readonly opening: number;
  readonly rows: number;
  readonly fields: number;
  readonly all: number;
}

const OPENED = [
  ['opening the case, cold: the call', 'opening'],
  ['… first rows, from the navigation', 'rows'],
  ['… the fields are listed, from the navigation', 'fields'],
  ['… everything, from the navigation', 'all'],
] as const;

/** Times are those of the page, from its navigation on. */
async function open({ page, url }: ServedWindow): Promise<Opened> {
  await page.goto(url);
  await page
    .locator('[role="grid"][aria-label="Events"] [data-row]:not([aria-busy])')
    .first()
    .waitFor();
  const rows = await page.evaluate<number>('performance.now()');
  await quiet(page);
  const calls = await page.evaluate<Required<Call>[]>('window.probe.ended()');
  const endOf = (call: { readonly end: number } | undefined) => call?.end ?? NaN;
  const opening = calls.find(({ op }) => op === 'case.open');
  return {
    opening: endOf(opening) - (opening?.sent ?? NaN),
    rows,
    fields: endOf(calls.find(({ op }) => op === 'field.list')),
    all: Math.max(...calls.map(endOf)),
  };
}

function addWord(report: Report, { act, events, each, rows, timeline }: Answered): void {
  const name = `${act} (${events ?? '?'} events)`;
  const [seen, painted] = [rows ?? NaN, timeline ?? NaN];
  report.add(`${name}: rows on screen`, 'ms', DAYBOOK, { value: seen });
  report.add(`${name}: timeline on screen`, 'ms', DAYBOOK, { value: painted });
  const values = each.map(({ calls }) =>
    Math.max(...calls.filter(({ op }) => op === 'field.values').map(({ end }) => end ?? 0)),
  );
  addRuns(report, `${name}: values of the fields`, values);
}

function addRuns(report: Report, name: string, runs: readonly number[]): void {
  report.add(name, 'ms', DAYBOOK, { value: median(runs), runs });
}

/** From the click until the window says what a new list missed. */
async function missed(page: Page, run: number): Promise<number> {
  const list = new ListDialog(page);
  const lines = Array.from({ length: LINES }, (_, i) =>
    dotted(i % 2 === 0 ? 0x0a00_0000 + i * 7 + run : 0x0900_0000 + i + run * LINES),
  );
  await list.open();
  await list.text.fill(['ip', ...lines].join('\n'));
  await list.match.click();
  await list.chip.waitFor();
  await quiet(page);
  const from = performance.now();
  await list.missed();
  const took = performance.now() - from;
  await page.keyboard.press('Escape');
  await list.unmatched.waitFor({ state: 'hidden' });
  await list.takeOff();
  await quiet(page);
  return took;
}
