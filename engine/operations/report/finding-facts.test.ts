/** A report counts the findings that it leaves out. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { rfc5424 } from '../../ingest/testing/small-evidence.ts';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import { setFinding } from '../marks/findings.ts';
import { LIMITS } from './limits.ts';
import { writeReport } from './write.ts';

let home = '';
afterEach(() => rmSync(home, { recursive: true, force: true }));

const last = { tag: `tag ${1000 + LIMITS.tags}` };

/** The report of a case with a log, after `mark` has added findings. */
async function reportOf(
  events: number,
  mark: (session: CaseSession) => Promise<void>,
): Promise<string> {
  home = mkdtempSync(join(tmpdir(), 'daybook-report-'));
  const [folder, log, path] = ['case', 'a.log', 'report.html'].map((name) => join(home, name));
  writeFileSync(log!, rfc5424(events));
  await importInProcess(folder!, [log!]);
  const session = CaseSession.open(folder!, { memoryLimit: 5e8, threads: 1 });
  try {
    await mark(session);
    await writeReport(
      session,
      { zone: 'UTC', version: '0', generatedAt: '2026-03-06T00:00:00Z' },
      { path: path!, overwrite: false, send: () => Promise.resolve() },
    );
  } finally {
    await session.close();
  }
  return readFileSync(path!, 'utf8');
}

it('counts the severities of findings that are not printed, too', async () => {
  const text = await reportOf(3, async (session) => {
    const { catalog } = session;
    catalog.transaction(() => {
      for (let i = 0; i <= LIMITS.tags; i++)
        catalog.marks.set(1, catalog.marks.tagId(`tag ${1000 + i}`), Uint32Array.of(0));
    });
    await setFinding(session, last, { severity: 'critical', place: LIMITS.tags + 1 });
  });
  expect(text).toMatch(/<dt>Findings<\/dt>\s*<dd>1 critical, 100 not rated<\/dd>/);
  expect(text).toContain('Findings in the order below: 1 critical, 100 not rated.');
  expect(text).toContain('50 further findings below, 1 finding not printed.');
  expect(text).toContain('1 further tag left out.');
});

it('prints each event of a tag once, however many are printed with notes', async () => {
  const [EVENTS, NOTED] = [300, 250];
  const text = await reportOf(EVENTS, (session) => {
    const { catalog } = session;
    const rows = Array.from({ length: EVENTS }, (_, row) => row);
    catalog.transaction(() => {
      catalog.marks.set(1, catalog.marks.tagId('many'), Uint32Array.from(rows));
      for (const seq of rows.slice(0, NOTED))
        catalog.notes.set({ sourceId: 1, seq: seq + 1 }, `note ${seq}`);
    });
    return Promise.resolve();
  });
  const printed = [...text.matchAll(/<span class="whole" id="([^"]+)">/g)].map(([, id]) => id);
  expect(new Set(printed).size).toBe(printed.length);
  expect(printed.length).toBe(NOTED + LIMITS.taggedPerTag);
  expect(text).toContain(`${NOTED} events with this tag are printed with another finding`);
  expect(text).toContain(
    `The first ${LIMITS.taggedPerTag} events in time that are not printed elsewhere.`,
  );
  expect(text).toContain(
    `${EVENTS - NOTED - LIMITS.taggedPerTag} more events not printed; to list all: `,
  );
});
