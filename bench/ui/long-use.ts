/** Scripted use over and over: what the window holds after each round must not grow. */
import { quiet, QUERIES, setQuery } from './ask.ts';
import type { Counters, ServedWindow } from './served-window.ts';

export interface Use {
  readonly cycles: number;
  /** In megabytes where they are memory. */
  readonly figures: Readonly<Record<string, { early: number; last: number; most: number }>>;
}

const TABS = ['Top talkers', 'Conversations', 'Hosts', 'Sources & imports', 'Events'];

/** One round of what a person does: a query, its events, one of them, its menus, every tab, back. */
async function round({ page }: ServedWindow, number: number, pause: number): Promise<void> {
  /** The answer is there, and the person has looked at it. */
  const look = async (): Promise<void> => {
    await quiet(page);
    await page.waitForTimeout(pause);
  };
  await setQuery(page, QUERIES[number % QUERIES.length] ?? '');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(100);
  await look();
  const grid = page.locator('[role="grid"][aria-label="Events"]');
  await grid.waitFor();
  const box = await grid.boundingBox();
  if (box === null) throw new Error('there is no table of events');
  await page.mouse.move(box.x + box.width / 2, box.y + 200);
  for (let i = 0; i < 15; i++) await page.mouse.wheel(0, 1500);
  await look();
  await page.mouse.click(box.x + box.width / 2, box.y + 100);
  await page.keyboard.press('ArrowDown');
  await look();
  const details = page.getByRole('complementary', { name: 'Details of the selected event' });
  for (const tab of await details.getByRole('tab').all()) {
    await tab.click();
    await look();
  }
  await page.mouse.click(box.x + box.width / 3, box.y + 100, { button: 'right' });
  await page.getByRole('menu').waitFor();
  await page.waitForTimeout(pause);
  await page.keyboard.press('Escape');
  await details.getByRole('button', { name: 'Close the details' }).click();
  const chart = page.locator('[aria-label="Timeline"] .u-over').first();
  const bars = await chart.boundingBox();
  if (bars === null) throw new Error('there is no timeline');
  const y = bars.y + bars.height / 2;
  await page.mouse.move(bars.x + bars.width * 0.3, y);
  await page.mouse.down();
  await page.mouse.move(bars.x + bars.width * 0.7, y, { steps: 8 });
  await page.mouse.up();
  await page.waitForTimeout(100);
  await look();
  for (const name of TABS) {
    await page.getByRole('tab', { name }).click();
    await look();
  }
  await chart.dblclick();
  await page.keyboard.press('Control+K');
  await page.keyboard.type('zone');
  await page.waitForTimeout(300);
  await page.keyboard.press('Escape');
  await setQuery(page, '');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(100);
  await look();
}

/**
 * The first round loads what later rounds use: it is not counted.
 * @param pause milliseconds for which a person looks at each thing
 */
export async function measureUse(
  window: ServedWindow,
  minutes: number,
  pause: number,
): Promise<Use> {
  const until = performance.now() + minutes * 60_000;
  const samples: Counters[] = [];
  let cycles = 0;
  do {
    await round(window, cycles, pause);
    cycles += 1;
    // The probe's notes are not part of the window.
    await window.page.evaluate('window.probe.forget()');
    samples.push(await window.counters());
  } while (performance.now() < until || cycles < 4);
  const names = [
    'heap',
    'resident',
    'nodes',
    'listeners',
    'documents',
    'timeouts',
    'intervals',
  ] as const;
  const figures = Object.fromEntries(
    names.map((name) => {
      const unit = name === 'heap' || name === 'resident' ? 1e6 : 1;
      const all = samples.slice(1).map((one) => one[name] / unit);
      const label = unit === 1 ? name : `${name} MB`;
      return [label, { early: all[0] ?? NaN, last: all.at(-1) ?? NaN, most: Math.max(...all) }];
    }),
  );
  return { cycles, figures };
}
