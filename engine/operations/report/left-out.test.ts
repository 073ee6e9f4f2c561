/** A report says what its answers leave out, and what is in the case twice. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatView, parseView } from '../../contract/view-string.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import { changeOverlaps } from '../case/overlap.ts';
import { setNote } from '../marks/notes.ts';
import { saveSearch } from '../marks/searches.ts';
import { totalsOf } from './facts.ts';
import { LIMITS } from './limits.ts';
import { viewFacts } from './view-facts.ts';
import { writeReport } from './write.ts';

let home: string;
let folder: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'daybook-report-'));
  folder = join(home, 'case');
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, n) => {
      const at = new Date(Date.UTC(2026, 2, 4) + (from + n) * 1000).toISOString();
      return `${at} host app: message ${from + n}\n`;
    }).join('');
  const rows = Array.from(
    { length: 20 },
    (_, n) => `2026-03-05T10:00:${10 + n}Z,10.0.0.${n},10.9.9.9,${n},443,TCP,7,3,x`,
  );
  writeFileSync(join(home, 'a.log'), lines(0, 60));
  writeFileSync(join(home, 'b.log'), lines(40, 100));
  writeFileSync(
    join(home, 'c.csv'),
    `ts_start,src_ip,dst_ip,src_port,dst_port,proto,bytes,packets,Note\n${rows.join('\n')}\nneedle in what could not be read\n`,
  );
  for (const name of ['a.log', 'b.log', 'c.csv'])
    await importInProcess(folder, [join(home, name)], { options: { year: undefined } });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function inCase<T>(work: (session: CaseSession) => T | Promise<T>): Promise<T> {
  const session = CaseSession.open(folder, { memoryLimit: 5e8, threads: 1 });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

async function report(): Promise<string> {
  const path = join(home, `report-${randomUUID()}.html`);
  await inCase((session) =>
    writeReport(
      session,
      { zone: 'UTC', version: '0', generatedAt: '2026-03-06T00:00:00Z' },
      { path, overwrite: false, send: () => Promise.resolve() },
    ),
  );
  return readFileSync(path, 'utf8')
    .replaceAll(/<[^>]+>|\s+/g, ' ')
    .replaceAll(/ +/g, ' ');
}

it('says of each view what was not searched, and how much of it matches', async () => {
  await inCase((session) => {
    const view = { ...parseView(''), query: 'needle' };
    saveSearch(session, { name: 'Needles', view: formatView(view), note: '' });
  });
  expect(await report()).toContain(
    '1 quarantined record is not among the events: 1 of them matches.',
  );
});

it('says which lines two sources have, and whether they count twice', async () => {
  const shown = await report();
  expect(shown).toContain('20 lines of these sources are also in another of them');
  expect(shown).toContain('20 lines also in source 1 (a.log), counted twice');
  await inCase((session) => setNote(session, '2:5', 'also in the other'));
  await changeOverlaps({ folder, ids: undefined, leftOut: true, builder: BUILDER });
  const hidden = await report();
  expect(hidden).toContain(
    'The event is not shown any more: it was deleted, or left out because another source has it, too.',
  );
  expect(hidden).toContain('20 lines that another source has, too, were left out');
  expect(hidden).toContain('20 lines also in source 1 (a.log), left out here');
});

it('says how many rows of a table are left out, and counts the events that it is made of', async () => {
  const views = [
    { query: 'kind:log | head 25 | stats count() by message', events: 25, shown: 25, rows: 25 },
    { query: 'kind:log | head 26 | stats count() by message', events: 26, shown: 25, rows: 26 },
    { query: 'kind:flow | top 5 src_ip', events: 20, shown: 5, rows: 5 },
    { query: 'kind:flow | eval n = "[1,2]" | unnest n', events: 20, shown: 25, rows: 40 },
    { query: 'kind:flow | eval n = "[1,2]" | unnest n | count', events: 20, shown: 1, rows: 1 },
    { query: 'kind:log | head 26', events: 26, shown: 25, rows: 26 },
  ];
  const facts = await inCase((session) =>
    Promise.all(
      views.map(async ({ query }, i) => {
        const view = formatView({ ...parseView(''), query });
        const search = saveSearch(session, { name: `View ${i}`, view, note: '' });
        return viewFacts(session, search, undefined);
      }),
    ),
  );
  for (const [i, { query, events, shown, rows }] of views.entries())
    expect(facts[i], query).toMatchObject({
      ...{ error: undefined, events, left: rows - shown, rows: { length: shown } },
    });
});

it('counts sources that are not listed, too', async () => {
  const [source] = await inCase((session) => session.snapshot().sources());
  const unread = Array.from({ length: LIMITS.sources + 1 }, () => ({
    ...source!,
    status: 'partial' as const,
  }));
  expect(totalsOf(unread)).toMatchObject({ unread: unread.length, differing: 0 });
});
