/** The timeline: as a chart that is brushed, and as a table. */
import type { Locator, Page } from '@playwright/test';
import { numberIn } from './numbers.ts';

export class Timeline {
  readonly region: Locator;
  readonly chart: Locator;
  readonly table: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.region = page.getByRole('region', { name: 'Timeline', exact: true });
    this.chart = this.region.getByRole('slider', { name: /^Timeline/ });
    this.table = this.region.getByRole('region', { name: 'Events by time, as a table' });
  }

  /** How many events it says that it shows. */
  async total(): Promise<number | undefined> {
    return numberIn(await this.region.innerText(), /([\d,]+) events/);
  }

  /** What a screen reader is told: all of it, or the bucket under the cursor. */
  async said(): Promise<string> {
    return (await this.chart.getAttribute('aria-valuetext')) ?? '';
  }

  /** Drags over a part of the chart, from and to in shares of its width. */
  async brush(from: number, to: number): Promise<void> {
    const box = await this.chart.boundingBox();
    if (box === null) throw new Error('there is no chart to brush');
    const y = box.y + box.height / 2;
    // Playwright's own mouse watches for drags in a way that the Chromium of Electron 9 lacks.
    const session = await this.page.context().newCDPSession(this.page);
    const mouse = (type: 'mouseMoved' | 'mousePressed' | 'mouseReleased', share: number) =>
      session.send('Input.dispatchMouseEvent', {
        ...{ type, x: box.x + box.width * share, y, clickCount: 1 },
        ...{ button: 'left', buttons: type === 'mouseReleased' ? 0 : 1 },
      });
    await this.page.mouse.move(box.x + box.width * from, y);
    await mouse('mousePressed', from);
    for (let step = 1; step <= 10; step++)
      await mouse('mouseMoved', from + ((to - from) * step) / 10);
    await mouse('mouseReleased', to);
    await session.detach();
  }

  /** A picture of the labels below the bars. */
  async axis(): Promise<Buffer> {
    // What the pointer is on is told over the bars.
    await this.page.mouse.move(2, 2);
    const box = await this.chart.boundingBox();
    if (box === null) throw new Error('there is no chart');
    const height = 18;
    const clip = { x: box.x, y: box.y + box.height - height, width: box.width, height };
    return this.page.screenshot({ clip });
  }

  async reset(): Promise<void> {
    await this.chart.dblclick();
  }

  async toggleTable(): Promise<void> {
    await this.region.getByRole('button', { name: 'Timeline as a table' }).click();
  }
}
