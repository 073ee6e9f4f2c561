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

  /**
   * The labels below the bars as they are drawn: a PNG, as a data URL. From the canvas itself, as a picture of
   * the page waits for a frame, which an Electron that draws in software on a busy machine may owe for long.
   */
  async axis(): Promise<string> {
    return this.page.evaluate<string>(`(() => {
      const drawn = document.querySelector('[role="slider"][aria-label^="Timeline"] canvas');
      const strip = document.createElement('canvas');
      strip.width = drawn.width;
      strip.height = Math.round((drawn.height * 18) / drawn.clientHeight);
      strip.getContext('2d').drawImage(drawn, 0, strip.height - drawn.height);
      return strip.toDataURL();
    })()`);
  }

  /** Clicks the bar at a share of the chart's width. */
  async click(share: number): Promise<void> {
    const box = await this.chart.boundingBox();
    if (box === null) throw new Error('there is no chart to click');
    await this.page.mouse.click(box.x + box.width * share, box.y + box.height * 0.6);
  }

  async reset(): Promise<void> {
    await this.chart.dblclick();
  }

  async toggleTable(): Promise<void> {
    await this.region.getByRole('button', { name: 'Timeline as a table' }).click();
  }
}
