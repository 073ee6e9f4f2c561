/**
 * The order of numeric dates: whether given at import or changed later, the case is the same; it is decided once
 * for a source, and reported with its reason.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assertClearMessage, Commands, daybook, json, ndjson, scratch } from './harness.ts';

const space = scratch();
const commands = new Commands();
afterAll(async () => {
  await commands.close();
  space.remove();
});

interface Row {
  source: string;
  ts: string | null;
  message?: string;
  attrs?: Record<string, string>;
}

const two = (n: number) => String(n).padStart(2, '0');
/** Numbers that are dates in one order, in two or in three. */
const NUMBERS = Array.from({ length: 14 }, (_, i) => [
  two(1 + ((i * 7) % 31)),
  two(1 + ((i * 5) % 12)),
  two(1 + ((i * 11) % 28)),
]);

const EVIDENCE: Record<string, string> = {
  'four.log': NUMBERS.map(([a, b], i) =>
    i % 2 === 0
      ? `${a}/${b}/2021 08:00:${two(i)} n ${i}\n`
      : `${b}/${a}/2021 08:00:${two(i)} n ${i}\n`,
  ).join(''),
  'two.log': NUMBERS.map(([a, b, c], i) => `${a}-${b}-${c} 23:30:${two(i)} n ${i}\n`).join(''),
  'zoned.log': NUMBERS.map(([, b, c], i) => `${b}/${c}/2021 23:30:${two(i)} +0530 n ${i}\n`).join(
    '',
  ),
  'table.csv': `Start time,Message,n\n${NUMBERS.map(
    ([, b, c], i) => `${b}/${c}/2021 23:30:${two(i)},text ${i},${i}\n`,
  ).join('')}`,
  'records.json': NUMBERS.map(
    ([, b, c], i) => `{"timestamp":"${b}/${c}/2021 23:30:${two(i)}","message":"text ${i}"}\n`,
  ).join(''),
};
for (const [name, text] of Object.entries(EVIDENCE))
  writeFileSync(path.join(space.folder, name), text);

const NAMES = Object.keys(EVIDENCE);

async function importAs(order: string | undefined): Promise<string> {
  const folder = path.join(space.folder, `${order ?? 'found'}.daybook`);
  const options = order === undefined ? [] : ['--date-order', order];
  const files = NAMES.map((name) => path.join(space.folder, name));
  const made = await daybook([
    ...['import', folder, ...files, '--tz', 'Europe/Berlin', '--json'],
    ...options,
  ]);
  expect(made.status, made.err).toBe(0);
  return folder;
}

/** Of each source. */
async function rowsOf(folder: string): Promise<Record<string, readonly Row[]>> {
  const rows = ndjson<Row>(
    await commands.run([
      'query',
      folder,
      '* | fields event_id, ts, ts_basis, tz_offset, message, source',
      '--json',
    ]),
  );
  return Object.fromEntries(
    NAMES.map((name) => [name, rows.filter(({ source }) => source === name)]),
  );
}

describe('the order of dates', () => {
  it('changed later is as given at import, whatever it was before', async () => {
    const given = new Map<string, Record<string, readonly Row[]>>();
    for (const order of ['dmy', 'mdy', 'ymd'])
      given.set(order, await rowsOf(await importAs(order)));
    for (const name of NAMES) {
      expect(given.get('dmy')![name]).toHaveLength(NUMBERS.length);
      expect(given.get('dmy')![name]).not.toEqual(given.get('mdy')![name]);
    }
    const folder = await importAs(undefined);
    for (const order of ['mdy', 'ymd', 'dmy']) {
      for (const name of NAMES) {
        const outcome = await commands.run([
          'retime',
          folder,
          name,
          '--date-order',
          order,
          '--json',
        ]);
        expect(json(outcome)).toMatchObject({
          after: { decisions: { dateOrder: order, dateOrderBasis: 'given' } },
        });
      }
      expect(await rowsOf(folder), order).toEqual(given.get(order));
    }
  });

  it('is said with its reason, and in JSON', async () => {
    const folder = path.join(space.folder, 'said.daybook');
    const source = path.join(space.folder, 'said.log');
    writeFileSync(source, '03/04/2021 08:00:00 a\n05/06/2021 08:00:00 b\n');
    const text = await commands.run(['import', folder, source]);
    expect(text.out).toContain(
      'dateOrder mdy (guessed: every date can be read in more than one order)',
    );
    expect(text.out).toContain('tz UTC (guessed: the records state none)');
    const listed = json<{ decisions: unknown }[]>(
      await commands.run(['sources', folder, '--json']),
    );
    expect(listed[0]!.decisions).toMatchObject({
      dateOrder: 'mdy',
      dateOrderBasis: expect.stringMatching(/^guessed/) as string,
    });
  });

  it('is refused where it is none, or no decision', async () => {
    const folder = path.join(space.folder, 'refused.daybook');
    const source = path.join(space.folder, 'refused.log');
    writeFileSync(source, '2021-03-04 08:00:00 a\n');
    const wrong = await daybook(['import', folder, source, '--date-order', 'ydm']);
    expect(wrong.status).toBe(2);
    assertClearMessage(wrong.err);
    expect((await commands.run(['import', folder, source])).status).toBe(0);
    const none = await commands.run(['retime', folder, 'refused.log', '--date-order', 'dmy']);
    expect(none.status).toBe(2);
    expect(none.err).toContain('was not decided');
  });
});
