/** Scripted use over and over: what the window holds after each round must not grow. */
import { quiet, QUERIES, setQuery } from './ask.ts';
import type { Counters, ServedWindow } from './served-window.ts';

export interface Use {
  readonly cycles: number;
  /** In megabytes where they are memory. */
  readonly figures: Readonly<Record<string, { early: number; last: number; most: number }>>;
  readonly samples: readonly Counters[];
}

const TABS = ['Top talkers', 'Conversations', 'Latency', 'Sources & imports', 'Events'];

async function round({ page }: ServedWindow, number: number): Promise<void> {
  await setQuery(page, QUERIES[number % QUERIES.length] ?? '');
  await page.keyboard.press('Enter');
  await quiet(page);
  const grid = page.locator('[role="grid"][aria-label="Events"]');
  await grid.waitFor();
  const box = await grid.boundingBox();
  if (box !== null) {
    await page.mouse.move(box.x + box.width / 2, box.y + 200);
    for (let i = 0; i < 15; i++) await page.mouse.wheel(0, 1500);
    await quiet(page);
    await page.mouse.click(box.x + box.width / 2, box.y + 100);
    await page.keyboard.press('ArrowDown');
    await quiet(page);
  }
  for (const name of TABS) {
    await page.getByRole('tab', { name }).click();
    await quiet(page);
  }
  await setQuery(page, '');
  await page.keyboard.press('Enter');
  await quiet(page);
}

/** The first round loads what later rounds use: it is not counted. */
export async function measureUse(window: ServedWindow, minutes: number): Promise<Use> {
  const until = performance.now() + minutes * 60_000;
  const samples: Counters[] = [];
  let cycles = 0;
  do {
    await round(window, cycles);
    cycles += 1;
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
  return { cycles, figures, samples };
}
