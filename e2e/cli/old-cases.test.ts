/**
 * Cases written by earlier versions, with the answers that each version gave (see `fixtures/cases/make.ts`):
 * today's program opens them, verifies them and answers the same.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answers, CASE, QUESTIONS } from '../../fixtures/cases/old-case.ts';
import { Commands, daybook as run, json, scratch } from './harness.ts';

const CASES = path.resolve(import.meta.dirname, '../../fixtures/cases');
const names = readdirSync(CASES)
  .filter((name) => name.endsWith('.tar.gz'))
  .map((name) => name.slice(0, -'.tar.gz'.length));

interface Report {
  case: { intact: boolean };
}

/** CSV of the earlier version, whose attributes were in the order of their texts: `mpls10` before `mpls2`. */
function inOrderOfNumbers(csv: string): string {
  if (!csv.includes(',attrs.')) return csv;
  expect(csv).not.toContain('"');
  const rows = csv.split('\n').map((line) => line.split(','));
  const names = rows[0] ?? [];
  const isAttribute = (at: number): boolean => names[at]?.startsWith('attrs.') === true;
  const byNumbers = new Intl.Collator('en', { numeric: true });
  const order = [...names.keys()].sort((a, b) =>
    isAttribute(a) && isAttribute(b) ? byNumbers.compare(names[a]!, names[b]!) : a - b,
  );
  return rows
    .map((row) => (row.length < names.length ? row : order.map((at) => row[at])).join(','))
    .join('\n');
}

const commands = new Commands();
afterAll(() => commands.close());

describe.each(names)('a case written by %s', (name) => {
  const space = scratch();
  const folder = path.join(space.folder, CASE);
  const given = JSON.parse(readFileSync(path.join(CASES, `${name}.json`), 'utf8')) as Answers;
  const catalog = <T>(sql: string): T => {
    const database = new DatabaseSync(path.join(folder, 'case.sqlite'), { readOnly: true });
    try {
      return database.prepare(sql).all() as T;
    } finally {
      database.close();
    }
  };
  const tables = (): string[] =>
    catalog<{ name: string }[]>(`SELECT name FROM sqlite_master WHERE type = 'table'`).map(
      (table) => table.name,
    );
  /** The arguments of the earlier version name the case and the list by their paths at that time. */
  const here = (args: readonly string[]): string[] =>
    args.map((arg) => {
      // A column that was added later.
      if (arg.endsWith('| talkers 5')) return `${arg} | fields -duration`;
      return arg === CASE || arg === 'list.txt' ? path.join(space.folder, arg) : arg;
    });

  beforeAll(() => {
    const unpacked = spawnSync('tar', ['-xzf', path.join(CASES, `${name}.tar.gz`)], {
      cwd: space.folder,
      encoding: 'utf8',
    });
    expect(unpacked.status, unpacked.stderr).toBe(0);
    // It is the earlier version's, whose segments have maps.
    expect(tables()).toContain('segment_maps');
    expect(catalog(`SELECT 1 AS mapped FROM segment_maps LIMIT 1`)).toHaveLength(1);
  });
  afterAll(() => space.remove());

  it.each(QUESTIONS.map((args) => [args.join(' '), args] as const))('%s', async (key, args) => {
    const outcome = await commands.run(here(args));
    expect(outcome.status, outcome.err).toBe(0);
    const answer = given.answers[key];
    expect(outcome.out).toBe(args.includes('csv') ? inOrderOfNumbers(answer ?? '') : answer);
  });

  it('keeps the note, the saved search and the tags', () => {
    const [note] = catalog<{ text: string }[]>('SELECT text FROM notes');
    expect(note?.text).toBe('the first of them – ask Ōta');
    expect(catalog('SELECT name, view, note FROM searches')).toEqual([
      { name: 'guessing', view: 'q=failed', note: 'kept' },
    ]);
    expect(catalog('SELECT name FROM tags ORDER BY name')).toEqual([
      { name: 'guessed' },
      { name: 'web' },
    ]);
  });

  it('has findings that nobody rated, in their usual order', async () => {
    const found = json<object[]>(await commands.run(['findings', folder, '--json']));
    expect(found).toMatchObject([
      { kind: 'note', text: 'the first of them – ask Ōta', place: 1, hidden: false },
      { kind: 'tag', tag: 'guessed', place: 2 },
      { kind: 'tag', tag: 'web', place: 3 },
    ]);
    for (const one of found) expect(one).not.toHaveProperty('severity');
  });

  it('is whole, and its maps are gone once it was opened', async () => {
    const report = json<Report>(await run(['verify', folder, '--json']));
    expect(report.case).toMatchObject({ intact: true });
    // A change opens it for writing, which brings its catalog up to date.
    const compacted = await run(['compact', folder]);
    expect(compacted.status, compacted.err).toBe(0);
    expect(tables()).not.toContain('segment_maps');
    const after = json<Report>(await commands.run(['verify', folder, '--json']));
    expect(after.case).toMatchObject({ intact: true });
    const counted = await commands.run(['count', folder, '*']);
    expect(counted.out).toBe(given.answers[`count ${CASE} *`]);
  });
});
