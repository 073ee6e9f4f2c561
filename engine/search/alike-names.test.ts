/** Attributes whose names differ only in case keep their names, whichever segments they share. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CaseWriter } from '../ingest/case/case-writer.ts';
import { rewriteSegments } from '../ingest/case/rewrite.ts';
import { BUILDER, importInProcess } from '../ingest/testing/in-process.ts';
import { startQuery } from './query.ts';
import { CaseSession } from './session/case-session.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-alike-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['one source', [['taste', 'Taste', 'TASTE_1', 'taste_1', 'Taste_1']]],
  ['several sources', [['Taste_1'], ['taste'], ['Taste'], ['taste_1_1', 'TASTE']]],
  [
    'several sources of several names',
    [
      ['note', 'Note'],
      ['Note', 'note'],
      ['NOTE', 'Note_1'],
    ],
  ],
])('keeps the names of %s through import and merging', async (title, sources) => {
  const path = join(folder, `${title.replaceAll(' ', '-')}.daybook`);
  const expected: string[][] = [];
  for (const [i, names] of sources.entries()) {
    const evidence = join(folder, `${title}-${i}.json`);
    const record = (name: string, at: number) =>
      JSON.stringify({ timestamp: `2026-01-01T00:0${i}:0${at}Z`, [name]: `v${name}` });
    writeFileSync(evidence, names.map(record).join('\n'));
    expected.push(...names.map((name) => [name, `v${name}`]));
    // One at a time: the segments are merged afterwards.
    await importInProcess(path, [evidence]);
  }
  const shown = async (): Promise<string[][]> => {
    const session = CaseSession.open(path, { memoryLimit: 3e8, threads: 2 });
    try {
      const seen: string[][] = [];
      const asked = { text: '* | fields attributes', zone: 'UTC' };
      for await (const { columns, rows } of startQuery(session, asked).rows())
        for (const row of rows)
          for (const { name, parts } of columns) {
            const value = row[parts[0]!.at];
            if (typeof value === 'string') seen.push([name, value]);
          }
      return seen;
    } finally {
      await session.close();
    }
  };
  expect(await shown()).toEqual(expected);
  const writer = await CaseWriter.open(path, 'test', BUILDER);
  const segments = writer.catalog.segments.all();
  await rewriteSegments(writer, segments);
  writer.close();
  expect(await shown()).toEqual(expected);
});

it('says that an event with several values under one name counts with the first', async () => {
  const path = join(folder, 'several.daybook');
  const evidence = join(folder, 'several.json');
  const records = [
    { note: 'yy', Note: 'Z5', hostname: 'host1', host: 'host2', source: 'HTTP', only: 1 },
    { Note: 'Z5', only: 2 },
  ];
  writeFileSync(evidence, records.map((one) => JSON.stringify(one)).join('\n'));
  await importInProcess(path, [evidence]);
  const session = CaseSession.open(path, { memoryLimit: 3e8, threads: 2 });
  const notesOf = async (text: string): Promise<readonly string[]> => {
    const query = startQuery(session, { text, zone: 'UTC' });
    if (query.plan.shape === 'rows') for await (const _ of query.rows());
    else await query.answer();
    return query.notes();
  };
  const first = (of: string, names: string): string =>
    `${of}: an event may have several of ${names}; it counts with the first, and a filter finds it by each`;
  try {
    for (const text of [
      '* | values note',
      '* | stats count() by note',
      '* | top note',
      '* | stats distinct(note)',
      '* | timeline 1h by note',
      '* | fields note',
    ])
      expect(await notesOf(text)).toContain(first('note', '"Note", "note"'));
    expect(await notesOf('* | top host')).toEqual([first('host', '"host", "attrs.host"')]);
    expect(await notesOf('* | top source')).toEqual([
      'source: the column of that name; events have an attribute of it, too: attrs.source',
    ]);
    for (const text of ['note:yy', '* | top only', '* | count', '* | top src_ip'])
      expect(await notesOf(text)).toEqual([]);
  } finally {
    await session.close();
  }
});
