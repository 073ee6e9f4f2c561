/** From pressing Enter, or letting the brush go, to what is on screen; and what the engine takes alone. */
import type { Page } from '@playwright/test';
import { spread } from './measures.ts';

export interface Answered {
  readonly act: string;
  readonly events: number | undefined;
  /** The engine's own time when nothing else is asked. */
  readonly engineList: number | undefined;
  readonly engineTimeline: number | undefined;
  /** Medians. */
  readonly rows: number | undefined;
  readonly timeline: number | undefined;
  readonly everything: number | undefined;
  readonly each: readonly Outcome[];
}

export interface Call {
  readonly op: string;
  readonly field?: string;
  readonly sent?: number;
  readonly first?: number;
  readonly end?: number;
  readonly engineMs?: number;
  readonly outcome?: string;
}

interface Outcome {
  readonly rows?: number;
  readonly timeline?: number;
  readonly calls: readonly Call[];
}

interface Asked {
  readonly ms: number;
  readonly engineMs?: number;
  readonly answer?: string;
}

/** Columns as the window reads them, or near to that. */
const FIELDS = ['event_id', 'ts', 'kind', 'src_ip', 'dst_ip', 'dst_port', 'host', 'message'];

/** From cheap to dear for the engine. */
export const QUERIES: readonly string[] = [
  'kind:log program:sudo',
  'host:bastion01',
  'dst_port:3389',
  'src_ip:10.20.10.25',
  'bytes:>1000000',
  '"Invalid user"',
  'kind:flow proto:tcp',
  'src_ip:10.0.0.0/9',
];
const WIDE_MS = 60_000;

export async function setQuery(page: Page, query: string): Promise<void> {
  await page.locator('[role="search"] .cm-content').click();
  await page.keyboard.press('Control+A');
  if (query === '') await page.keyboard.press('Delete');
  else await page.keyboard.insertText(query);
  // Completion and the parser have their say before Enter has one.
  await page.waitForTimeout(400);
}

/** Waits until nothing is asked of the engine and nothing is painted any more. */
export async function quiet(page: Page): Promise<void> {
  const until = performance.now() + WIDE_MS;
  while (!(await page.evaluate<boolean>('window.probe.quiet()'))) {
    if (performance.now() > until) throw new Error('the window does not come to rest');
    await page.waitForTimeout(40);
  }
}

async function outcomeOf(page: Page, act: () => Promise<void>): Promise<Outcome> {
  await page.evaluate('window.probe.watch()');
  await act();
  await page.waitForTimeout(50);
  await quiet(page);
  return page.evaluate<Outcome>('window.probe.outcome()');
}

const median = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : spread(known).median;
};

function told(act: string, each: readonly Outcome[], alone: Alone | undefined): Answered {
  return {
    act,
    events: alone?.events,
    engineList: alone?.list,
    engineTimeline: alone?.timeline,
    rows: median(each.map(({ rows }) => rows)),
    timeline: median(each.map(({ timeline }) => timeline)),
    everything: median(each.map(({ calls }) => Math.max(...calls.map(({ end }) => end ?? 0)))),
    each,
  };
}

interface Alone {
  readonly events: number | undefined;
  readonly list: number | undefined;
  readonly timeline: number | undefined;
}

async function alone(page: Page, path: string, query: string, runs: number): Promise<Alone> {
  const ask = (op: string, params: object) =>
    page.evaluate<Asked>(`window.probe.ask(${JSON.stringify(op)}, ${JSON.stringify(params)})`);
  const view = { case: path, query, zone: 'UTC' };
  const lists: Asked[] = [];
  const timelines: Asked[] = [];
  for (let run = 0; run < runs; run++) {
    lists.push(await ask('result.open', { ...view, fields: FIELDS }));
    timelines.push(await ask('timeline.run', { ...view, buckets: 100, by: 'kind' }));
  }
  const total = /"total":(\d+)/.exec(lists[0]?.answer ?? '')?.[1];
  return {
    events: total === undefined ? undefined : Number(total),
    list: median(lists.map(({ engineMs }) => engineMs)),
    timeline: median(timelines.map(({ engineMs }) => engineMs)),
  };
}

/** A query from the view of everything. */
export async function measureEnter(
  page: Page,
  path: string,
  query: string,
  runs: number,
): Promise<Answered> {
  const each: Outcome[] = [];
  for (let run = 0; run < runs; run++) {
    await setQuery(page, query);
    each.push(await outcomeOf(page, () => page.keyboard.press('Enter')));
    await setQuery(page, '');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(100);
    await quiet(page);
  }
  return told(`Enter: ${query}`, each, await alone(page, path, query, runs));
}

/** A fifth of the time is brushed, of everything and of a query. */
export async function measureBrush(page: Page, runs: number): Promise<Answered[]> {
  const out: Answered[] = [];
  for (const query of ['', 'dst_port:3389']) {
    const each: Outcome[] = [];
    for (let run = 0; run < runs; run++) {
      await setQuery(page, query);
      await page.keyboard.press('Enter');
      await page.waitForTimeout(100);
      await quiet(page);
      const box = await page.locator('[aria-label="Timeline"] .u-over').first().boundingBox();
      if (box === null) throw new Error('there is no timeline');
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * 0.4, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.5, y, { steps: 4 });
      await page.mouse.move(box.x + box.width * 0.6, y, { steps: 4 });
      each.push(await outcomeOf(page, () => page.mouse.up()));
      await page.locator('[aria-label="Timeline"] .u-over').first().dblclick();
      await page.waitForTimeout(100);
      await quiet(page);
    }
    out.push(told(`brush: ${query === '' ? 'everything' : query}`, each, undefined));
  }
  await setQuery(page, '');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(100);
  await quiet(page);
  return out;
}
