/** Records that state a name more than once keep every value. */
import { expect, it } from 'vitest';
import { collect, inputOf } from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';

it('a record keeps what it states first, and the import says so', async () => {
  const record = (second: string): string =>
    `{"timestamp":"2026-01-01T00:00:00Z","user":"alice",${second}"o":{"x":"one"}}\n`;
  const bytes = Buffer.from(record('') + record('"user":"mallory","o":{"y":"two"},'));
  const format = flowCsvImporter.sniff(bytes, { name: 'x', complete: true })!.format;
  const { rows, notes } = await collect(flowCsvImporter, inputOf(bytes), { format });
  expect(rows.map((row) => [row['user'], row.attrs])).toEqual([
    ['alice', { 'o.x': 'one' }],
    ['mallory', { 'user.1': 'alice', 'o.1.y': 'two', 'o.x': 'one' }],
  ]);
  expect(notes.join()).toContain('1 record states a name more than once');
});

it.each([
  ['a container', (inner: string) => `${JSON.stringify({ log: inner, stream: 'stdout' })}\n`],
  [
    'an export',
    (inner: string) => `${JSON.stringify({ preview: false, result: { _raw: inner } })}\n`,
  ],
  [
    'a row of a table',
    (inner: string) =>
      `CreationDate,AuditData\n2026-01-01T00:00:00Z,"${inner.replaceAll('"', '""')}"\n`,
  ],
])('a record keeps what it states first within %s', async (_name, wrap) => {
  const inner = '{"time":"2026-01-01T00:00:00Z","user":"alice","user":"mallory","id":5}';
  const bytes = Buffer.from(wrap(inner));
  const format = flowCsvImporter.sniff(bytes, { name: 'x', complete: true })!.format;
  const { rows, notes } = await collect(flowCsvImporter, inputOf(bytes), { format });
  expect(rows.map((row) => [row['user'], row.attrs['user.1']])).toEqual([['mallory', 'alice']]);
  expect(notes.join()).toContain('1 record states a name more than once');
});

it('a third value of a name with a dot is kept, too', async () => {
  const bytes = Buffer.from('{"time":"2026-01-01T00:00:00Z","a.b":1,"a.b":2,"a":{"b":3}}\n');
  const { rows } = await collect(flowCsvImporter, inputOf(bytes), { format: 'json' });
  expect(Object.values(rows[0]!.attrs).sort()).toEqual(expect.arrayContaining(['1', '2', '3']));
});

it('a record within another keeps its large numbers, and one that is nested too deeply its text', async () => {
  const wrapped = (inner: string): string =>
    `${JSON.stringify({ log: inner, stream: 'stdout' })}\n`;
  const head = '{"time":"2026-01-01T00:00:00Z"';
  const deep = `${head},"d":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
  const bytes = Buffer.from(wrapped(`${head},"id":12345678901234567890}`) + wrapped(deep));
  const { rows, quarantined } = await collect(flowCsvImporter, inputOf(bytes), { format: 'json' });
  expect(quarantined).toEqual([]);
  expect(rows.map(({ attrs }) => [attrs['id'], attrs['log']])).toEqual([
    ['12345678901234567890', undefined],
    [undefined, deep],
  ]);
});
