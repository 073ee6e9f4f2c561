/**
 * What the first line of a list is, in a case with more names of attributes than are columns: any word may be
 * such a name there, and a list of domains must not be taken for a column called as the first of them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { previewList } from '../../operations/query/list-preview.ts';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import { OVERFLOW_COLUMN } from '../../query/index.ts';
import { CaseSession } from '../session/case-session.ts';
import { notesOf } from '../answer-notes.ts';
import { startQuery } from '../query.ts';

let folder: string;
let session: CaseSession;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-list-heading-'));
  const records = Array.from({ length: 300 }, (_, n) => ({
    ...{ timestamp: `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}Z`, message: 'seen' },
    [`name${n}`]: n % 2 === 0 ? 'evil.example' : 'other.example',
  }));
  const text = `${records.map((one) => JSON.stringify(one)).join('\n')}\n`;
  writeFileSync(join(folder, 'records.ndjson'), text);
  await importInProcess(join(folder, 'case'), [join(folder, 'records.ndjson')]);
  session = CaseSession.open(join(folder, 'case'), { memoryLimit: 3e8, threads: 2 });
});
afterAll(async () => {
  await session.close();
  rmSync(folder, { recursive: true, force: true });
});

const given = (text: string, fields?: string[]) => ({
  bytes: new TextEncoder().encode(text),
  fields,
});

async function count(text: string, fields?: string[]): Promise<[number, string[]]> {
  const list = given(text, fields);
  const running = startQuery(session, { text: '* | count', zone: 'UTC', list });
  const answer = await running.answer();
  if (answer.shape !== 'count') throw new TypeError('a number was asked for');
  return [Number(answer.count), notesOf(running.plan)];
}

it('has names that are kept in the overflow only', () => {
  const { segments } = session.snapshot();
  expect(segments.some(({ columns }) => columns.includes(OVERFLOW_COLUMN))).toBe(true);
});

it.each([
  ['evil.example\nnowhere.example\n', 150],
  ['nowhere.example\nevil.example\n', 150],
  ['evil.example\n', 150],
  ['evil.example\nother.example\n', 300],
])('takes the first of values for a value: %j', async (text, expected) => {
  const lines = text.trim().split('\n').length;
  const said = `list: ${lines} ${lines === 1 ? 'line' : 'lines'} of text`;
  expect(await count(text)).toEqual([expected, [said]]);
  expect(previewList(session, given(text))).toMatchObject({
    ...{ form: 'values', header: false, columns: [{ name: undefined, field: undefined }] },
    understood: { rows: lines, fields: ['text'] },
  });
});

it('takes no unknown column beside a known one for a field', async () => {
  const text = 'src_ip,comment\n10.0.0.1,bad\n';
  await expect(count(text)).rejects.toThrow('"comment": no field of events');
  expect(previewList(session, given(text)).columns).toEqual([
    { name: 'src_ip', field: 'src_ip' },
    { name: 'comment', field: undefined },
  ]);
  await expect(count('{"comment":"bad"}\n')).rejects.toThrow('"comment": no field of events');
});

it('takes a name of Daybook for one where no event has the field, rather than for a word', async () => {
  await expect(count('community_id\nx\n')).resolves.toEqual([0, ['list: 1 line of community_id']]);
  const [found] = await count('seen\nsha256\n');
  expect(found).toBe(300);
  const cut = await count('sha256\nevil.example\n').catch(String);
  expect(cut).toEqual([0, [expect.stringContaining('list: 1 line of sha256'), expect.any(String)]]);
});

it('looks in the overflow for a column that somebody names, and says so', async () => {
  const names = session.snapshot().segments.flatMap(({ columns }) => [...columns]);
  const kept = Array.from({ length: 300 }, (_, n) => `name${n}`).find(
    (name) => !names.some((one) => one.endsWith(name)),
  )!;
  const [found, notes] = await count('evil.example\nother.example\n', [kept]);
  expect(found).toBe(1);
  expect(notes.join('\n')).toContain(`"${kept}": in no column; looked up only among`);
});
