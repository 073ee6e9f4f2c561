/** Frames while typing and scrolling, and how soon rows are there after scrolling stops. */
import type { Page } from '@playwright/test';
import { quiet } from './ask.ts';
import { frameRate, spread, type Spread } from './measures.ts';

export interface Moved extends Spread {
  readonly act: string;
  readonly fps: number;
  readonly afterStop: number | undefined;
}

async function framesOf(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate('window.probe.startFrames()');
  await act();
  return page.evaluate<number[]>('window.probe.stopFrames()');
}

const TEXT = 'kind:log (program:sshd OR program:sudo) "Invalid user" host:bastion01 dst_port:22 ';

/** Types as fast as people do, completion and grammar at work. */
export async function measureTyping(page: Page): Promise<Moved> {
  await page.locator('[role="search"] .cm-content').click();
  await page.keyboard.press('Control+A');
  const intervals = await framesOf(page, () => page.keyboard.type(TEXT, { delay: 45 }));
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  return { act: 'typing a query', ...frameRate(intervals), afterStop: undefined };
}

const grid = (page: Page) => page.locator('[role="grid"][aria-label="Events"]');
const afterStop = (page: Page) => page.evaluate<number | undefined>('window.probe.afterScroll()');

export async function measureScrolling(page: Page): Promise<Moved[]> {
  const box = await grid(page).boundingBox();
  if (box === null) throw new Error('there is no table of events');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const wheel = async (act: string, step: number, times: number): Promise<Moved> => {
    const stops: number[] = [];
    const intervals: number[] = [];
    for (let run = 0; run < 3; run++) {
      intervals.push(
        ...(await framesOf(page, async () => {
          for (let i = 0; i < times; i++) {
            await page.mouse.wheel(0, step);
            await page.waitForTimeout(12);
          }
        })),
      );
      stops.push((await afterStop(page)) ?? Infinity);
      await quiet(page);
    }
    return { act, ...frameRate(intervals), afterStop: spread(stops).worst };
  };
  const out = [
    await wheel('wheel, 100 px a turn', 100, 120),
    await wheel('wheel, flung: 3,000 px a turn', 3000, 120),
  ];
  // As a hand on the scrollbar: through all of the list and to places in it.
  const stops: number[] = [];
  const intervals: number[] = [];
  for (const [from, to] of [
    [0, 0.93],
    [0.93, 0.37],
    [0.37, 0.52],
    [0.52, 0.05],
  ] as const) {
    intervals.push(
      ...(await framesOf(page, () =>
        page.evaluate<void>(`new Promise((resolve) => {
          const scroller = document.querySelector('[role="grid"][aria-label="Events"]');
          const whole = scroller.scrollHeight - scroller.clientHeight;
          const begun = performance.now();
          const step = () => {
            const part = Math.min(1, (performance.now() - begun) / 2000);
            scroller.scrollTop = whole * (${from} + (${to} - ${from}) * part);
            if (part < 1) requestAnimationFrame(step); else resolve();
          };
          step();
        })`),
      )),
    );
    stops.push((await afterStop(page)) ?? Infinity);
    await quiet(page);
  }
  out.push({
    act: 'scrollbar through the whole list',
    ...frameRate(intervals),
    afterStop: spread(stops).worst,
  });
  await page.evaluate(`document.querySelector('[role="grid"][aria-label="Events"]').scrollTop = 0`);
  await quiet(page);
  return out;
}
