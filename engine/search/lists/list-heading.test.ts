/**
 * How the first line of a list is read in a case with more attribute names than columns: any word may be an
 * attribute there, yet a list of domains must not be read as a column named like the first of them.
 */
import { expect, it } from 'vitest';
import { previewList } from '../../operations/query/list-preview.ts';
import { OVERFLOW_COLUMN } from '../../query/index.ts';
import { notesOf } from '../answer-notes.ts';
import { startQuery } from '../query.ts';
import { caseOfFiles, ndjson } from '../testing/case-of-files.ts';

const records = Array.from({ length: 300 }, (_, n) => ({
  ...{ timestamp: `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}Z`, message: 'seen' },
  [`name${n}`]: n % 2 === 0 ? 'evil.example' : 'other.example',
}));
const session = await caseOfFiles({ 'records.ndjson': ndjson(records) });

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
  expect(notes.join('\n')).toContain(`"${kept}": in no column; searched for only in`);
});
