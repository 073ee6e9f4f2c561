/** Where room is short, the most informative parts keep it, from a laptop's window to one at twice its size. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { importInto } from '../harness.ts';
import { onCase } from './on-case.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const LONG = 'gateway-of-the-office-in-the-old-town-second-floor.csv';
const HEADING = 'ts,duration,src_ip,src_port,dst_ip,dst_port,proto,bytes,bytes_rev';
/** States one number for both ways. */
const BOTH = 'StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,sTos,dTos,TotPkts,TotBytes';

interface Box {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

/** Whether an element is as wide as what is in it. */
const fits = ({ scrollWidth, clientWidth }: Box): boolean => scrollWidth <= clientWidth;

/** Of the page. */
declare function requestAnimationFrame(callback: () => void): void;
interface Element {
  getBoundingClientRect(): { readonly width: number };
}

/** The width of an element, once it is the same for ten frames: what follows a change of the window has come by then. */
function settledWidth(element: Element): Promise<number> {
  return new Promise((resolve) => {
    let last = -1;
    let frames = 0;
    const look = (): void => {
      const { width } = element.getBoundingClientRect();
      frames = width === last ? frames + 1 : 0;
      last = width;
      if (frames === 10) resolve(width);
      else requestAnimationFrame(look);
    };
    look();
  });
}

const { whyNot } = browserShell;
describe.skipIf(whyNot !== undefined)(whyNot === undefined ? 'room' : `room: ${whyNot}`, () => {
  let opened: OpenWindow;
  let window: DaybookWindow;
  const makeCase = (folder: string): Promise<string> => {
    const file = (name: string): string => path.join(folder, name);
    const flow = (i: number): string =>
      `2026-11-21T10:00:0${i}Z,86400,192.168.100.20${i},1024,203.0.113.240,443,tcp,${123_456_789 * (i + 1)},5`;
    writeFileSync(file(LONG), `${[HEADING, ...[0, 1, 2, 3].map(flow)].join('\n')}\n`);
    const argus = (i: number): string =>
      `2026/11/21 10:00:0${i}.000000,5.0,tcp,192.168.100.10${i},1025,   <->,203.0.113.241,80,FSPA_FSPA,0,0,1234567,987654321`;
    writeFileSync(file('argus.binetflow'), `${[BOTH, ...[0, 1, 2].map(argus)].join('\n')}\n`);
    return importInto(file('room.daybook'), file(LONG), file('argus.binetflow'));
  };
  const folder = onCase(makeCase, (...all) => ([opened, window] = all), {
    size: { width: 1280, height: 800 },
  });

  it('conversations with all their columns fit a laptop', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1440, height: 900 });
    await window.show('Conversations');
    const { panel } = window.conversations;
    await expect(panel.getByRole('columnheader', { name: 'both ways' })).toBeVisible();
    await expect
      .poll(async () => (await panel.getByRole('table').boundingBox())?.width ?? Infinity)
      .toBeLessThanOrEqual((await panel.boundingBox())?.width ?? 0);
    await shot(page, 'room-conversations');
    await expect(panel.getByRole('columnheader', { name: 'last' })).toBeVisible();
    // Without a column that others tell.
    await page.setViewportSize({ width: 1280, height: 720 });
    await expect(panel.getByRole('columnheader', { name: 'last' })).toHaveCount(0);
    await expect.poll(() => panel.getByRole('table').locator('..').evaluate(fits)).toBe(true);
  });

  it('facts of a host are beside the list or beneath it, as there is room for both', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1280, height: 800 });
    await window.show('Hosts');
    const facts = page.getByRole('region', { name: /^Host / });
    const list = page
      .getByRole('tabpanel', { name: 'Hosts' })
      .getByRole('table')
      .filter({ hasText: 'address' });
    const isBeside = async (): Promise<boolean> => {
      const [left, right] = [await list.boundingBox(), await facts.boundingBox()];
      return left !== null && right !== null && right.y < left.y + 20;
    };
    await expect.poll(isBeside).toBe(true);
    await expect.poll(() => list.locator('..').evaluate(fits)).toBe(true);
    await window.show('Events');
    await window.events.open(0);
    await window.details.region.getByRole('tab', { name: 'Fields' }).waitFor();
    await window.show('Hosts');
    await expect.poll(isBeside).toBe(false);
    await expect.poll(() => facts.evaluate(fits)).toBe(true);
    await shot(page, 'room-hosts');
    await window.details.close();
  });

  it('the events keep their room in a window that is made smaller', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 2560, height: 1440 });
    await window.show('Events');
    await window.events.open(0);
    const width = () => window.details.region.evaluate(settledWidth);
    await expect.poll(width).toBeGreaterThan(500);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(width).toBeLessThan(400);
    await window.details.close();
    await window.events.open(0);
    await expect.poll(width).toBeGreaterThan(300);
    await expect.poll(width).toBeLessThan(400);
    await window.details.close();
  });

  it('an import can be begun without scrolling, however many sources there are', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1280, height: 800 });
    const files = Array.from({ length: 12 }, (_, i) => path.join(folder, `more-${i}.csv`));
    for (const [i, one] of files.entries())
      writeFileSync(
        one,
        `${HEADING}\n2026-11-22T10:00:0${i % 10}Z,1,10.0.0.${i},1,10.0.1.1,2,tcp,1,1\n`,
      );
    await window.drop(files);
    const dialog = page.getByRole('dialog', { name: 'Review before import' });
    const begin = dialog.getByRole('button', { name: 'Import', exact: true });
    for (const size of [
      { width: 1280, height: 800 },
      { width: 640, height: 400 },
    ]) {
      await page.setViewportSize(size);
      await expect(begin).toBeInViewport({ ratio: 1 });
      await shot(page, `room-import-${size.width}`);
    }
    // On a laptop, no decision is beneath the row of buttons.
    await page.setViewportSize({ width: 1280, height: 800 });
    const bottomOfClock = async (): Promise<number> => {
      const box = await dialog.getByRole('textbox', { name: 'Clock of all' }).boundingBox();
      return (box?.y ?? Infinity) + (box?.height ?? 0);
    };
    const buttons = async (): Promise<number> => (await begin.boundingBox())?.y ?? 0;
    await expect
      .poll(async () => (await buttons()) - (await bottomOfClock()))
      .toBeGreaterThanOrEqual(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(dialog).toBeHidden();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('sources fit a laptop', async () => {
    const { page } = opened;
    await window.show('Sources & imports');
    await expect(window.sources.table.getByRole('button', { name: LONG })).toBeVisible();
    await expect.poll(() => window.sources.table.locator('..').evaluate(fits)).toBe(true);
    await shot(page, 'room-sources-laptop');
  });

  it('the last item of a menu is in reach in a low window', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 640, height: 400 });
    await window.caseButton.click();
    const last = page.getByRole('menuitem', { name: 'Close the case' });
    await expect(last).toBeAttached();
    await last.scrollIntoViewIfNeeded();
    await expect(last).toBeInViewport({ ratio: 1 });
    await shot(page, 'room-menu');
    await page.keyboard.press('Escape');
    await expect(last).toBeHidden();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('a source has its whole name beside its details, which can be closed', async () => {
    const { page } = opened;
    await window.show('Sources & imports');
    const detail = await window.sources.open(LONG);
    const name = window.sources.table.getByText(LONG, { exact: true }).locator('..');
    await expect.poll(() => name.evaluate(fits)).toBe(true);
    await shot(page, 'room-sources');
    await page.setViewportSize({ width: 640, height: 400 });
    const close = detail.getByRole('button', { name: 'Close the details' });
    await expect(close).toBeInViewport({ ratio: 1 });
    await shot(page, 'room-sources-zoomed');
    await close.click();
    await expect(detail).toBeHidden();
  });

  it('a pane that was made wider by keys keeps its width', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1280, height: 800 });
    await window.show('Events');
    const side = page.getByRole('navigation', { name: /^Fields/ });
    const width = async (): Promise<number> => (await side.boundingBox())?.width ?? Number.NaN;
    const before = await width();
    await page.getByRole('separator').first().focus();
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(width).toBeGreaterThan(before + 50);
    const wide = await width();
    await window.events.open(0);
    await expect
      .poll(async () => (await window.details.region.boundingBox())?.width ?? 0)
      .toBeGreaterThan(300);
    expect(await width()).toBeCloseTo(wide, 0);
    await window.details.close();
    await expect(window.details.region).toBeHidden();
    expect(await width()).toBeCloseTo(wide, 0);
  });
});
