/** Details of the selected event. */
import type { Locator, Page } from '@playwright/test';
import { numberIn } from './numbers.ts';

/** Bytes at a position of their source, as the window shows them. */
interface ShownBytes {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** All rows of a hex view: collects the rendered rows while scrolling to the end. */
const READ_HEX = `(async () => {
  const region = document.querySelector('[role="region"][aria-label$="bytes in hexadecimal"]');
  const rows = new Map();
  const collect = () => {
    for (const row of region.querySelectorAll('[data-offset]')) {
      rows.set(Number(row.dataset.offset), row.children[1].textContent.replace(/\\s/g, ''));
    }
  };
  const nextFrame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  region.scrollTop = 0;
  await nextFrame();
  for (let top = 0; ; top += region.clientHeight) {
    region.scrollTop = top;
    await nextFrame();
    collect();
    if (top + region.clientHeight >= region.scrollHeight) break;
  }
  return [...rows].sort((a, b) => a[0] - b[0]).map(([, hex]) => hex).join('');
})()`;

export class Details {
  readonly region: Locator;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    this.region = page.getByRole('complementary', { name: 'Details of the selected event' });
  }

  async show(tab: 'Fields' | 'Raw' | 'Packet' | 'Packets' | 'Stream' | 'Around'): Promise<void> {
    await this.region.getByRole('tab', { name: tab, exact: true }).click();
  }

  get layers(): Locator {
    return this.region.getByRole('tree', { name: 'Decoded layers' });
  }

  /** The message that its request was stopped. */
  get stopped(): Locator {
    return this.region.getByRole('alert').filter({ hasText: 'Stopped' });
  }

  /** A packet in the list of a flow's packets. */
  packet(at: number): Locator {
    return this.region
      .getByRole('tabpanel', { name: 'Packets' })
      .getByRole('button', { name: /[→←]/ })
      .nth(at);
  }

  /** The bytes of the open tab, and their position as shown. */
  async bytes(): Promise<ShownBytes> {
    const region = this.region.getByRole('region', { name: /bytes in hexadecimal$/ });
    await region.waitFor();
    const label = (await region.getAttribute('aria-label')) ?? '';
    const hex = await this.page.evaluate<string>(READ_HEX);
    const bytes = Buffer.from(hex, 'hex');
    if (bytes.length !== numberIn(label, /^([\d,]+) bytes/)) {
      throw new Error(`${bytes.length} bytes are shown of "${label}"`);
    }
    const offset = numberIn(
      await this.region.innerText(),
      /bytes(?: captured)? at offset ([\d,]+)/,
    );
    if (offset === undefined) throw new Error('it is not said where the bytes lie');
    return { offset, bytes };
  }

  async rawAsHex(): Promise<ShownBytes> {
    await this.show('Raw');
    const choice = this.region.getByRole('radiogroup', { name: 'Show the record as' });
    await choice.getByText('Hex', { exact: true }).click();
    return this.bytes();
  }

  /** The event's time in the fields, with the zone's offset. */
  async time(): Promise<string> {
    const found = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* [+-]\d\d:\d\d/.exec(
      await this.region.innerText(),
    );
    return found?.[0] ?? '';
  }

  async close(): Promise<void> {
    await this.region.getByRole('button', { name: 'Close the details' }).click();
  }
}
