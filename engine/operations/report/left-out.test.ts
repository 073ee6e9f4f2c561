/** A report says what its answers leave out and what is in the case twice, and claims no more than the case knows. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatView, parseView } from '../../contract/view-string.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import { changeOverlaps } from '../case/overlap.ts';
import { setNote } from '../marks/notes.ts';
import { saveSearch } from '../marks/searches.ts';
import { quarantineFile } from '../../util/files/case-files.ts';
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

async function inCase<T>(
  work: (session: CaseSession) => T | Promise<T>,
  of: string = folder,
): Promise<T> {
  const session = CaseSession.open(of, { memoryLimit: 5e8, threads: 1 });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

async function report(of?: string): Promise<string> {
  const path = join(home, `report-${randomUUID()}.html`);
  await inCase(
    (session) =>
      writeReport(
        session,
        { zone: 'UTC', version: '0', generatedAt: '2026-03-06T00:00:00Z' },
        { path, overwrite: false, send: () => Promise.resolve() },
      ),
    of,
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
    '1 quarantined record is not among the events: its raw text matches.',
  );
});

it('says which lines two sources have, and whether they count twice', async () => {
  const shown = await report();
  expect(shown).toContain('20 lines also occur in another source and are not left out');
  expect(shown).toContain('20 lines also in source 1 (a.log), not left out here');
  await inCase((session) => setNote(session, '2:5', 'also in the other'));
  await changeOverlaps({ folder, ids: undefined, leftOut: true, builder: BUILDER });
  const hidden = await report();
  expect(hidden).toContain(
    'This event is no longer shown: it was deleted, or left out because another source has it, too.',
  );
  expect(hidden).toContain('20 lines that also occur in another source are left out');
  expect(hidden).toContain('The audit trail records no deletion.');
  expect(hidden).toMatch(/Last event \S+ \(deleted and left-out events included\)/);
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

it('claims nothing of records that were not read, or whose time is that of another one', async () => {
  const of = join(home, 'partial');
  const lines = Array.from({ length: 500 }, (_, n) => `2026-03-04T10:00:00Z host app: ${n ** 7}\n`);
  writeFileSync(join(home, 'cut.log.gz'), gzipSync(lines.join('')).subarray(0, -500));
  writeFileSync(join(home, '.bash_history'), '#1772618400\nls\nwhoami\n');
  await importInProcess(of, [join(home, 'cut.log.gz'), join(home, '.bash_history')]);
  await inCase((session) => {
    const view = { ...parseView(''), query: 'whoami' };
    saveSearch(session, { name: 'Commands', view: formatView(view), note: '' });
  }, of);
  const shown = await report(of);
  expect(shown).toContain('No record was quarantined.');
  expect(shown).not.toMatch(/Every (record|source)|is accounted for/);
  expect(shown).toMatch(
    /Items that were not imported, not read completely,.* cut\.log\.gz partial /,
  );
  expect(shown).toContain('P the record has no time; it was given that of the preceding record');
  expect(shown).toContain(
    'is undated, unless its importer gives it the time of the preceding record (marked P).',
  );
});

it('says that records are missing from the quarantine, and does not count them as read', async () => {
  rmSync(join(folder, quarantineFile(3)));
  const shown = await report();
  expect(shown).toContain('The quarantine files have 0 records, but the ledgers count 1.');
});
