/** The words and patterns that a query searches for in texts, for highlighting. */
import { useMemo } from 'react';
import type { Result } from '../../../engine/contract/operations.ts';
import { COLUMNS, SEARCHED_TEXTS } from '../../../engine/contract/event.ts';
import { useView } from '../../state/context.ts';
import { useParsedQuery } from '../../state/parsed-query.ts';
import { longestWithWildcards, patternRegExp } from './pattern-regexp.ts';
import { wordPattern, type TextPattern } from '../texts/visible-text.ts';

type ParsedQuery = Result<'query.parse'>;
type Term = NonNullable<ParsedQuery['terms']>[number];

/** A word, phrase or pattern. */
export interface Searched extends TextPattern {
  /** The only field in which it is searched, as named in the query; undefined: in every text. */
  readonly field: string | undefined;
}

export interface SearchedWords {
  /**
   * Those that each matching event shows somewhere. Values that a query compares as a whole are visible in their
   * columns, and nowhere else.
   */
  readonly shown: readonly Searched[];
  /** The words and patterns searched for in a field; attributes are named `attrs.NAME`. */
  in(field: string, hasWords: boolean): readonly Searched[];
}

/** Words and patterns that are shown. */
const MOST = 50;

const SEARCHED: ReadonlySet<string> = new Set(SEARCHED_TEXTS);

/**
 * Whether words without a field are searched for in this field of an event; attributes are named `attrs.NAME`.
 * @param isCut whether an extractor read the event: then the extractor inferred the action
 */
export function isSearched(field: string, isCut: boolean): boolean {
  return (SEARCHED.has(field) && !(isCut && field === 'action')) || field.startsWith('attrs.');
}

/** Columns of the table of events that are neither texts of the evidence nor addresses. */
const OTHERS: ReadonlySet<string> = new Set([
  ...Object.keys(COLUMNS).filter((name) => !SEARCHED.has(name)),
  ...['kind', 'day', 'event_id', 'source', 'tag', 'tags', 'port', 'community_id'],
]);

/** Whether words without a field are searched for in this column. */
export function isSearchedColumn(column: string): boolean {
  return !OTHERS.has(column);
}

/** Names of queries for several fields, and those that rows have under another name. */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map([
  ['ip', ['src_ip', 'dst_ip']],
  ['port', ['src_port', 'dst_port']],
  ['message', ['message', 'summary']],
]);

/** Whether a word or pattern may match in this field. */
export function isLookedForIn(
  { field: asked }: Searched,
  field: string,
  hasWords: boolean,
): boolean {
  if (asked === undefined) return hasWords;
  const name = asked.toLowerCase();
  const lower = field.toLowerCase();
  return MEANT.get(name)?.includes(lower) ?? (lower === name || lower === `attrs.${name}`);
}

/** The words and patterns of the view's query; undefined if it has none that can be highlighted. */
export function useSearchedWords(): SearchedWords | undefined {
  const { query } = useView();
  const parsed = useParsedQuery(query);
  return useMemo(() => searchedWords(parsed, query), [parsed, query]);
}

export function searchedWords(
  parsed: ParsedQuery | undefined,
  query: string,
): SearchedWords | undefined {
  const words = highlightWords(parsed, query).flatMap(patternOfWord);
  const terms = (parsed?.error === undefined ? parsed?.terms : undefined) ?? [];
  const ofTerms = terms.filter(({ negated }) => !negated).flatMap(patternOf);
  const all: readonly (Searched & { readonly isWhole?: boolean })[] = [...words, ...ofTerms].slice(
    0,
    MOST,
  );
  if (all.length === 0) return undefined;
  const known = new Map<string, readonly Searched[]>();
  return {
    shown: all.filter(({ isWhole }) => isWhole !== true),
    in(field, hasWords) {
      const key = `${hasWords} ${field}`;
      let patterns = known.get(key);
      if (patterns === undefined) {
        patterns = all.filter((one) => isLookedForIn(one, field, hasWords));
        known.set(key, patterns);
      }
      return patterns;
    },
  };
}

function patternOfWord(word: string): Searched[] {
  const [pattern, longest] = [wordPattern([word]), longestWithWildcards(word)];
  return pattern === undefined || longest === undefined
    ? []
    : [{ pattern, longest, field: undefined }];
}

/** A pattern, or the value of a field. */
function patternOf(term: Term): (Searched & { readonly isWhole?: boolean })[] {
  const { field, operator, value = '', text, type } = term;
  const written = type === 'group' ? text : operator === 'regex' ? value : undefined;
  const [, body, flag] = /^\/(.*)\/(i?)$/s.exec(written ?? '') ?? [];
  if (body !== undefined) {
    const pattern = patternRegExp(body.replace(/\\\//g, '/'), flag === 'i');
    return pattern === undefined ? [] : [{ ...pattern, field }];
  }
  if (type !== 'field' || field === 'message' || value === '') return [];
  if (operator !== 'word' && operator !== 'quoted') return [];
  const isWhole = operator === 'quoted' || !/[*?]/.test(value);
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const whole = isWhole ? literal : literal.replace(/(?:\\\*)+/g, '[^]*').replace(/\\\?/g, '[^]');
  const longest = isWhole ? Infinity : longestWithWildcards(value);
  if (longest === undefined) return [];
  return [{ pattern: new RegExp(`^${whole}$`, 'giu'), longest, field, isWhole }];
}

/** Words as written in the query, wildcards included; excluded ones are left out. */
export function highlightWords(parsed: ParsedQuery | undefined, query: string): string[] {
  if (parsed === undefined || parsed.error !== undefined) return [];
  const { terms, filter } = parsed;
  const words =
    terms === undefined
      ? plainWords(query.slice(filter.start, filter.end))
      : terms.flatMap((term) => (term.negated ? [] : wordsOf(term)));
  return [...new Set(words.filter((word) => word !== '' && word !== '*'))];
}

function wordsOf(term: Term): string[] {
  if (term.type !== 'field') return plainWords(term.text);
  const text = term.field === 'message' || term.field === 'summary';
  const word = term.operator === 'word' || term.operator === 'quoted';
  return text && word && term.value !== undefined ? [term.value] : [];
}

/** A phrase, a pattern, a field with its comparison, a bracket, or a bare word. */
const TOKEN =
  /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\/(?:[^/\\]|\\.)*\/i?|[^\s()"':]+:(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|\([^)]*\)|[^\s()]*)|[()]|[^\s()"']+/g;

/** Bare words of a filter, except after NOT, or in brackets after it. */
function plainWords(filter: string): string[] {
  const words: string[] = [];
  let depth = 0;
  let hidden: number | undefined;
  let not = false;
  for (const match of filter.matchAll(TOKEN)) {
    const [token] = match;
    if (token === '(') {
      if (not) hidden ??= depth;
      not = false;
      depth += 1;
      continue;
    }
    if (token === ')') {
      depth -= 1;
      if (hidden !== undefined && depth <= hidden) hidden = undefined;
      continue;
    }
    if (token === 'NOT' || token === '-' || token === '!') {
      not = true;
      continue;
    }
    if (token === 'AND' || token === 'OR') continue;
    const quoted = match[1] ?? match[2];
    const skipped = not || hidden !== undefined || token.startsWith('-');
    not = false;
    if (skipped) continue;
    if (quoted !== undefined) words.push(quoted.replace(/\\(.)/g, '$1'));
    else if (!token.startsWith('/') && !token.includes(':')) words.push(token);
  }
  return words;
}
