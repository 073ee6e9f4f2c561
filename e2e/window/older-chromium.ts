/**
 * Playwright looks at a page with scripts of its own, in a world of their own, and these use what the
 * Chromium of an older Electron (83, in Electron 9) lacks. This gives that world, and no other, what
 * it misses: the page itself is left as it is, so that the product must do without.
 */
import type { CDPSession, Page } from '@playwright/test';

/** Runs in the page. Text, because it must not be compiled for another place. */
const MISSING = `(() => {
  const add = (on, name, value) => {
    if (!(name in on)) Object.defineProperty(on, name, { value, configurable: true, writable: true });
  };
  add(Element.prototype, 'checkVisibility', function () {
    for (let at = this; at !== null; at = at.parentElement || (at.getRootNode() || {}).host || null) {
      const { display } = getComputedStyle(at);
      if (display === 'none' || (display === 'contents' && at === this)) return false;
    }
    return this.isConnected;
  });
  add(Element.prototype, 'replaceChildren', function (...nodes) {
    while (this.firstChild !== null) this.removeChild(this.firstChild);
    this.append(...nodes);
  });
  const at = function (index) {
    const place = Math.trunc(index) || 0;
    return this[place < 0 ? this.length + place : place];
  };
  add(Array.prototype, 'at', at);
  add(String.prototype, 'at', at);
  add(Array.prototype, 'findLast', function (test) {
    for (let i = this.length - 1; i >= 0; i--) if (test(this[i], i, this)) return this[i];
    return undefined;
  });
  add(String.prototype, 'replaceAll', function (what, by) {
    return what instanceof RegExp ? this.replace(what, by) : this.split(what).join(by);
  });
  add(Object, 'hasOwn', (on, name) => Object.prototype.hasOwnProperty.call(on, name));
})()`;

/** Call once, as soon as there is a page. Does nothing where the Chromium is new enough. */
export async function completeOlderChromium(page: Page): Promise<void> {
  const isNew = await page.evaluate<boolean>(`'checkVisibility' in Element.prototype`);
  if (isNew) return;
  const session: CDPSession = await page.context().newCDPSession(page);
  const known: Promise<unknown>[] = [];
  session.on('Runtime.executionContextCreated', ({ context }) => {
    if (!context.name.startsWith('__playwright_utility_world')) return;
    known.push(
      session
        .send('Runtime.evaluate', { expression: MISSING, contextId: context.id })
        // The page may be gone meanwhile; its successor announces a context of its own.
        .catch(() => undefined),
    );
  });
  await session.send('Runtime.enable');
  await Promise.all(known);
}
