import { describe, expect, it } from 'vitest';
import { findEntries, type Entry } from './entries.ts';

const entry = (id: string, group: string, title: string, more: Partial<Entry> = {}): Entry => ({
  id,
  group,
  title,
  run: () => undefined,
  ...more,
});

const ENTRIES = [
  entry('help.language', 'Help', 'The query language'),
  entry('query.run', 'Query', 'Run the query', { hotkey: 'mod+Enter' }),
  entry('query.run', 'Query', 'An older one'),
  entry('case.open', 'Case', 'Open a case…'),
  entry('field.host', 'Fields', 'Top values of host', { onSearch: true, also: 'host log' }),
  entry('past.1', 'Past queries', 'host:web01', { isQuery: true }),
];
const found = (search: string): string[] =>
  findEntries(ENTRIES, search).flatMap(({ group, entries }) =>
    entries.map(({ title }) => `${group}: ${title}`),
  );

describe('what the palette finds', () => {
  it('lists commands by group, each once, fields only when searched', () => {
    expect(found('')).toEqual([
      'Query: Run the query',
      'Case: Open a case…',
      'Help: The query language',
      'Past queries: host:web01',
    ]);
  });

  it.each([
    ['query run', ['Query: Run the query']],
    ['host', ['Past queries: host:web01', 'Fields: Top values of host']],
    ['HOST values', ['Fields: Top values of host']],
    ['older', []],
    ['nothing like it', []],
  ])('finds by %s', (search, expected) => {
    expect(found(search)).toEqual(expected);
  });
});
