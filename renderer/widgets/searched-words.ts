/** The words and phrases of a query that are looked for in text, so that they can be shown in it. */
import { useMemo } from 'react';
import type { Result } from '../../engine/contract/operations.ts';
import { COLUMNS, SEARCHED_TEXTS } from '../../engine/contract/event.ts';
import { useView } from '../state/context.ts';
import { useParsedQuery } from '../state/parsed-query.ts';
import { wordPattern } from './visible-text.ts';

type ParsedQuery = Result<'query.parse'>;
type Term = NonNullable<ParsedQuery['terms']>[number];

export interface SearchedWords {
  /** Any of them. */
  readonly any: RegExp;
  readonly each: readonly RegExp[];
}

const SEARCHED: ReadonlySet<string> = new Set(SEARCHED_TEXTS);

/**
 * Whether words without a field are looked for in this field of an event; attributes are called `attrs.NAME`.
 * @param isCut whether an extractor read the event: then it concluded the action
 */
export function isSearched(field: string, isCut: boolean): boolean {
  return (SEARCHED.has(field) && !(isCut && field === 'action')) || field.startsWith('attrs.');
}

/** Columns of the table of events that are neither texts of the evidence nor addresses. */
const OTHERS: ReadonlySet<string> = new Set([
  ...Object.keys(COLUMNS).filter((name) => !SEARCHED.has(name)),
  ...['kind', 'day', 'event_id', 'source', 'tag', 'tags', 'port', 'community_id'],
]);

/** Whether a word that is seen in a column is one that was looked for there. */
export function isSearchedColumn(column: string): boolean {
  return !OTHERS.has(column);
}

/** Those of the view's query; undefined where it has none. */
export function useSearchedWords(): SearchedWords | undefined {
  const { query } = useView();
  const parsed = useParsedQuery(query);
  return useMemo(() => {
    const words = highlightWords(parsed, query);
    const any = wordPattern(words);
    const each = words.flatMap((word) => wordPattern([word]) ?? []);
    return any === undefined ? undefined : { any, each };
  }, [parsed, query]);
}

/** Words as the query has them, wildcards included; what is excluded is left out. */
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

/** A phrase, a pattern, a field with what it is compared to, a bracket, or a bare word. */
const TOKEN =
  /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\/(?:[^/\\]|\\.)*\/i?|[^\s()"':]+:(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|\([^)]*\)|[^\s()]*)|[()]|[^\s()"']+/g;

/** Words that stand by themselves in a filter, but not after NOT, nor in brackets after it. */
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
