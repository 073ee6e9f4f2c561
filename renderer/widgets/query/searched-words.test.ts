/** The highlighted text is what the query searches for. */
import { describe, expect, it } from 'vitest';
import { highlightWords, isSearched, isSearchedColumn, searchedWords } from './searched-words.ts';
import { placesOf } from '../texts/visible-text.ts';

const base = { filter: { start: 0, end: 0 }, stages: [], events: '' };

describe('highlightWords', () => {
  it.each([
    ['failed', ['failed']],
    ['"invalid user" adm*', ['invalid user', 'adm*']],
    ['host:web failed', ['failed']],
    ['failed OR accepted', ['failed', 'accepted']],
    ['(failed OR "a \\"b\\"") NOT root', ['failed', 'a "b"']],
    ['NOT (root OR admin) deploy', ['deploy']],
    ['-root sshd', ['sshd']],
    ['path:/etc/passwd /reg.x/ word', ['word']],
    ['user:"two words" ts:[2026 TO 2027] x', ['x']],
    ['*', []],
  ])('of an OR: %s', (query, words) => {
    const parsed = { ...base, filter: { start: 0, end: query.length } };
    expect(highlightWords(parsed, query)).toEqual(words);
  });

  it('takes terms of an AND', () => {
    const span = { start: 0, end: 0 };
    const terms = [
      { ...span, text: 'failed', negated: false, type: 'text' as const },
      { ...span, text: 'NOT root', negated: true, type: 'text' as const },
      {
        ...{ ...span, text: 'message:"for admin"', negated: false, type: 'field' as const },
        ...{ field: 'message', operator: 'quoted' as const, value: 'for admin' },
      },
      {
        ...{ ...span, text: 'host:web', negated: false, type: 'field' as const },
        ...{ field: 'host', operator: 'word' as const, value: 'web' },
      },
      { ...span, text: '(a OR b)', negated: false, type: 'group' as const },
    ];
    expect(highlightWords({ ...base, terms }, '')).toEqual(['failed', 'for admin', 'a', 'b']);
  });

  it('is empty for a query with an error', () => {
    const error = { message: 'unclosed', start: 0, end: 1 };
    expect(highlightWords({ ...base, error }, '"x')).toEqual([]);
    expect(highlightWords(undefined, 'x')).toEqual([]);
  });
});

describe('searchedWords', () => {
  const span = { start: 0, end: 0 };
  const term = (field: string, operator: 'word' | 'quoted' | 'regex', value: string) => ({
    ...{ ...span, text: `${field}:${value}`, negated: false, type: 'field' as const },
    ...{ field, operator, value },
  });
  const of = (...terms: ReturnType<typeof term>[]) => searchedWords({ ...base, terms }, '');
  const finds = (terms: ReturnType<typeof of>, field: string, text: string): boolean =>
    terms?.in(field, true).some((one) => placesOf(one, text).next().done !== true) ?? false;

  it.each([
    [term('host', 'word', 'WEB'), 'host', 'web', true],
    [term('host', 'word', 'web'), 'host', 'web-1', false],
    [term('host', 'word', 'web'), 'program', 'web', false],
    [term('host', 'word', 'web*'), 'host', 'web-1', true],
    [term('ip', 'word', '10.0.0.1'), 'dst_ip', '10.0.0.1', true],
    [term('client', 'quoted', 'a*b'), 'attrs.client', 'a*b', true],
    [term('constructor', 'word', 'web'), 'attrs.constructor', 'web', true],
    [term('message', 'regex', '/fa.led/'), 'summary', 'it failed', true],
    [term('message', 'regex', '/FAILED/i'), 'summary', 'it failed', true],
    [term('message', 'regex', '/FAILED/'), 'summary', 'it failed', false],
  ] as const)('%o in %s: %s', (one, field, text, found) => {
    expect(finds(of(one), field, text)).toBe(found);
  });

  it.each([
    ['*a*', 1000, true],
    ['*a*', 1001, false],
    ['*a*b*c*d*', 10, false],
  ])('looks for %s in %i characters: %s', (value, length, found) => {
    expect(finds(of(term('url', 'word', value)), 'url', 'abcd'.padEnd(length))).toBe(found);
  });

  it('takes patterns without a field for every text', () => {
    const group = { ...span, text: '/fa.led/', negated: false, type: 'group' as const };
    const found = searchedWords({ ...base, terms: [group] }, '');
    expect(finds(found, 'program', 'failed')).toBe(true);
    expect(found?.shown).toHaveLength(1);
  });

  it('names nowhere else what a query gives whole, nor what is excluded', () => {
    expect(of(term('client', 'word', 'desk-6'))?.shown).toEqual([]);
    expect(of({ ...term('client', 'word', 'desk-*'), negated: true })).toBeUndefined();
  });
});

describe('where words are looked for', () => {
  it('is not what Daybook concludes, counts or notes', () => {
    const columns = ['summary', 'host', 'src_ip', 'action', 'client', 'attrs.source'];
    const others = ['source', 'tag', 'kind', 'category', 'outcome', 'dst_port', 'severity'];
    expect([...columns, ...others].filter(isSearchedColumn)).toEqual(columns);
  });

  it('is not the action of an event that an extractor read', () => {
    expect(isSearched('action', false)).toBe(true);
    expect(isSearched('action', true)).toBe(false);
    expect(isSearched('attrs.action', true)).toBe(true);
  });
});
