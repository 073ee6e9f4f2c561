/**
 * Asking a case: a search, a query that is wrong, completion, the timeline's brush, a
 * pivot from a cell, top talkers, conversations, another time zone.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import type { Expected } from '../../fixtures/generate.ts';
import { generateEvidence, importInto } from '../harness.ts';
import { onCase } from './on-case.ts';
import type { DaybookWindow } from './pages/daybook-window.ts';
import { expect } from './pages/expect.ts';
import { numberIn } from './pages/numbers.ts';
import { browserShell, type OpenWindow } from './shells.ts';
import { shot } from './shots.ts';

const { whyNot } = browserShell;
describe.skipIf(whyNot !== undefined)(
  whyNot === undefined ? 'browser' : `browser: ${whyNot}`,
  () => {
    let expected: Expected;
    let opened: OpenWindow;
    let window: DaybookWindow;
    const query = () => window.query.input;
    onCase(
      async (folder) => {
        await generateEvidence(folder, '--scale', '0.1');
        const said = readFileSync(path.join(folder, 'expected.json'), 'utf8');
        expected = JSON.parse(said) as Expected;
        const evidence = path.join(folder, 'evidence');
        return importInto(path.join(folder, 'office.daybook'), evidence, '--recursive');
      },
      (...one) => {
        [opened, window] = one;
      },
    );

    it('finds what a query asks for, the same everywhere', async () => {
      const { failedPasswords } = expected.answers;
      await window.query.run('"Failed password"');
      await expect.poll(() => window.found()).toBe(failedPasswords);
      await expect.poll(() => window.events.count()).toBe(failedPasswords);
      await expect.poll(() => window.timeline.total()).toBe(failedPasswords);
      await expect(window.events.row(0)).toContainText('Failed password');
      await expect(window.status).toContainText(/\d m?s/);
      await shot(opened.page, 'browser-search');
    });

    it('underlines what is wrong with a query, says why and what to do; the view stays', async () => {
      const before = await window.found();
      await window.query.run('kind:log bytes:>many');
      await expect(window.query.underlined).toHaveText('bytes:>many');
      await expect(window.query.problem).toContainText(
        /bytes has no value "many".*Write bytes:1000/s,
      );
      await expect(window.query.input).toHaveAttribute('aria-invalid', 'true');
      expect(await window.found()).toBe(before);
      await shot(opened.page, 'browser-query-error');
      await opened.page.keyboard.press('Escape');
    });

    it('completes fields, and their values with counts', async () => {
      await window.query.type('kin');
      await window.query.option(/kind/).first().waitFor();
      await window.query.accept();
      await expect(query()).toHaveText(/^kind:/);
      await opened.page.keyboard.type('pa');
      await expect(window.query.option(/packet/).first()).toContainText(
        expected.byKind.packet.toLocaleString('en-US'),
      );
      await shot(opened.page, 'browser-completion');
      await window.query.accept();
      await opened.page.keyboard.press('Enter');
      await expect.poll(() => window.found()).toBe(expected.byKind.packet);
    });

    it('keeps its keys while completions are asked for again, or for the first time', async () => {
      await window.query.type('k');
      await window.query.option(/kind/).first().waitFor();
      const engine = await opened.enginePid();
      process.kill(engine, 'SIGSTOP');
      try {
        await opened.page.keyboard.type('in');
        for (const key of ['ArrowDown', 'Tab', 'ArrowUp']) {
          await opened.page.keyboard.press(key);
          await expect(query()).toBeFocused();
          await expect(query()).toHaveText('kin');
        }
        await expect(window.query.completions).toBeVisible();
        await opened.page.keyboard.press('Escape');
        await expect(window.query.completions).toBeHidden();
        await opened.page.keyboard.press('Control+Space');
        await opened.page.keyboard.press('ArrowDown');
        await expect(query()).toBeFocused();
      } finally {
        process.kill(engine, 'SIGCONT');
      }
      await window.query.accept();
      await expect(query()).toHaveText(/^kind:/);
      await opened.page.keyboard.press('Escape');
    });

    it('has the sign of a choice after its text, not on it', async () => {
      const choice = opened.page.locator('input[aria-label="Stack the timeline by"]');
      const sign = choice.locator('xpath=..').locator('[data-position="right"]');
      const [text, after] = [await choice.boundingBox(), await sign.boundingBox()];
      expect(after!.x).toBeGreaterThan(text!.x + text!.width / 2);
    });

    it('narrows by a brush over the timeline, and widens again', async () => {
      await window.query.run('kind:log');
      await expect.poll(() => window.timeline.total()).toBe(expected.byKind.log);
      await window.timeline.brush(0.25, 0.5);
      await expect.poll(() => window.found()).toBeLessThan(expected.byKind.log);
      await expect.poll(() => window.found()).toBeGreaterThan(0);
      const found = await window.found();
      await expect.poll(() => window.timeline.total()).toBe(found);
      await expect(window.zone.range).not.toContainText('All time');
      await shot(opened.page, 'browser-brushed');
      await window.timeline.reset();
      await expect.poll(() => window.found()).toBe(expected.byKind.log);
      await expect(window.zone.range).toContainText('All time');
    });

    it('pivots from a cell to what has the same value, and back', async () => {
      await window.query.run('kind:flow');
      await expect.poll(() => window.found()).toBe(expected.byKind.flow);
      const address = (await window.events.text(3, 'src_ip')).trim();
      const menu = await window.events.pivot(3, 'src_ip');
      await expect(menu.menu).toContainText(address);
      await shot(opened.page, 'browser-pivot');
      await menu.choose('Include');
      await expect(query()).toHaveText(/src_ip:/);
      await expect(query()).toContainText(address);
      await expect.poll(() => window.found()).toBeLessThan(expected.byKind.flow);
      const found = (await window.found()) ?? 0;
      expect(found).toBeGreaterThan(0);
      for (let row = 0; row < Math.min(found, 3); row++) {
        expect((await window.events.text(row, 'src_ip')).trim()).toBe(address);
      }
      await opened.page.keyboard.press('Alt+ArrowLeft');
      await expect.poll(() => window.found()).toBe(expected.byKind.flow);
    });

    it('groups top talkers exactly, and goes on from one to its events', async () => {
      await window.query.run('kind:flow');
      await window.show('Top talkers');
      await window.talkers.groupBy('Sources');
      await expect.poll(() => window.talkers.total()).toBe(expected.byKind.flow);
      const [most, next] = [await window.talkers.measure(0), await window.talkers.measure(1)];
      expect(most).toBeGreaterThanOrEqual(next);
      await shot(opened.page, 'browser-talkers');
      const address = await window.talkers.value(0);
      await window.talkers.showEvents(0);
      await expect.poll(() => window.found()).toBe(most);
      expect((await window.events.text(0, 'src_ip')).trim()).toBe(address);
    });

    it('says when no event has what they are grouped by, and what else there is', async () => {
      await window.query.run('kind:log -src_ip:*');
      await window.show('Top talkers');
      await window.talkers.groupBy('Sources');
      const panel = opened.page.getByRole('tabpanel', { name: 'Top talkers' });
      await expect(panel).toContainText(/None of these [\d,]+ events has src_ip/);
      await shot(opened.page, 'browser-talkers-none');
      await panel.getByRole('button', { name: 'Hosts', exact: true }).click();
      await expect(panel).not.toContainText(/None of these/);
      expect(await window.talkers.total()).toBe(await window.found());
    });

    it('shows messages by their shape, and goes on from one to its events', async () => {
      await window.query.run('"failed password" | patterns');
      await window.show('Answer');
      const panel = opened.page.getByRole('tabpanel', { name: 'Answer' });
      const template = 'Failed password for root from <*>.<*>.<*>.<*> port <*> <*>';
      const row = panel.getByRole('row').filter({ hasText: template }).first();
      const count = numberIn(await row.getByRole('cell').first().innerText(), /([\d,]+)/);
      await shot(opened.page, 'browser-patterns');
      await row.getByRole('button', { name: template }).click();
      await opened.page.getByRole('menuitem', { name: 'Show its events' }).click();
      await expect.poll(() => window.found()).toBe(count);
      await expect(window.events.row(0)).toContainText('Failed password for root from');
    });

    it('tells conversations as a table and as pictures, and goes on to their flows', async () => {
      await window.query.run('kind:flow');
      await window.show('Conversations');
      await window.conversations.row(0).waitFor();
      const [a, b] = await window.conversations.hosts(0);
      await shot(opened.page, 'browser-conversations');
      for (const form of ['Matrix', 'Graph'] as const) {
        await window.conversations.as(form);
        await expect(window.conversations.panel.getByText(a).first()).toBeAttached();
        await shot(opened.page, `browser-conversations-${form.toLowerCase()}`);
      }
      await window.conversations.as('Table');
      await window.conversations.pivot(0);
      await window.menu.choose('These flows, either way');
      await expect(window.events.grid).toBeVisible();
      await expect.poll(() => window.found()).toBeGreaterThan(0);
      // The events of before stay until those of the pair are there.
      await expect
        .poll(async () => {
          const pair = [
            (await window.events.text(0, 'src_ip')).trim(),
            (await window.events.text(0, 'dst_ip')).trim(),
          ];
          return pair.sort();
        })
        .toEqual([a, b].sort());
    });

    it('shows every time in the zone that is chosen, the axis included', async () => {
      await window.query.run('kind:flow');
      await expect.poll(() => window.found()).toBe(expected.byKind.flow);
      await window.events.open(0);
      const times = async () => ({
        row: await window.events.text(0, 'time'),
        details: await window.details.time(),
        timeline: await window.timeline.said(),
      });
      await expect.poll(() => window.details.time()).toContain('+00:00');
      const before = await times();
      const axis = await window.timeline.axis();
      const zone = 'Asia/Tokyo';
      await window.zone.choose(zone);
      await expect(window.zone.button).toHaveAccessibleName(`Time zone: ${zone}`);
      await expect.poll(() => window.details.time()).toContain('+09:00');
      const hour = (text: string) => numberIn(text, /(\d\d):\d\d:\d\d/) ?? Number.NaN;
      await expect
        .poll(async () => (hour(await window.events.text(0, 'time')) - hour(before.row) + 24) % 24)
        .toBe(9);
      await expect.poll(() => window.timeline.said()).not.toBe(before.timeline);
      const after = await times();
      expect((hour(after.details) - hour(before.details) + 24) % 24).toBe(9);
      // Labels of the axis are drawn: nothing else of the strip below the bars changes with the zone.
      await expect.poll(() => window.timeline.axis()).not.toBe(axis);
      await shot(opened.page, 'browser-zone');
      await window.zone.choose('UTC');
      await expect.poll(() => window.events.text(0, 'time')).toBe(before.row);
      await expect.poll(() => window.timeline.axis()).toBe(axis);
    });
  },
);
