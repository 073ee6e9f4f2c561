/**
 * Changing a query's text by hand of the window: adding a term, replacing the filter.
 * The language: docs/query-language.md.
 *
 * Holds always: a query that the engine's parser accepts is still accepted after a change.
 */
import { isPlainWord, tokensOf, type Token } from './query-tokens.ts';

/** Values that mean themselves without quotes, whatever the field. */
const BARE = /^[^\s\u0000()|"',*?[\]{}<>=/\\-][^\s\u0000()|"',*?]*$/;
const NEGATIVE = /^-\d+(?:\.\d+)?$/;
const BARE_NAME = /^[A-Za-z_@][A-Za-z0-9_.@-]*$/;

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** A value as written after `field:`; quoted if it contains special characters. */
export function quoteValue(value: string | number): string {
  const text = String(value);
  if (/^(?:AND|OR|NOT|TO)$/i.test(text)) return quoted(text);
  return BARE.test(text) || NEGATIVE.test(text) ? text : quoted(text);
}

/** A field's name as written before the colon. */
export function quoteName(field: string): string {
  return BARE_NAME.test(field) ? field : quoted(field);
}

/** `field:value`. Null: the field is absent. */
export function fieldTerm(field: string, value: string | number | null): string {
  const name = quoteName(field);
  if (value === null) return `NOT ${name}:*`;
  const written = quoteValue(value);
  // `ab:cd::1` would be an address, even if a field is called `ab`.
  return isPlainWord(name, written) ? `${name}:${quoted(String(value))}` : `${name}:${written}`;
}

/** Where the filter ends and the first stage begins, and whether there is an OR outside of brackets. */
export function dissect(query: string): { filter: string; stages: string; hasOr: boolean } {
  const { end, hasOr } = filterOf(query);
  return { filter: query.slice(0, end).trim(), stages: query.slice(end).trim(), hasOr };
}

function filterOf(query: string): { tokens: Token[]; end: number; hasOr: boolean } {
  const all = tokensOf(query);
  const pipe = all.findIndex(({ type, depth }) => type === 'pipe' && depth === 0);
  const tokens = pipe < 0 ? all : all.slice(0, pipe);
  const hasOr = tokens.some(
    ({ type, depth, start, end }) =>
      type === 'operator' && depth === 0 && /^(?:or|\|\|)$/i.test(query.slice(start, end)),
  );
  return { tokens, end: all[pipe]?.start ?? query.length, hasOr };
}

/** The items of a filter that is a plain AND, in their order. */
function itemsOf(query: string): { start: number; end: number; text: string }[] {
  const items: { start: number; end: number; text: string }[] = [];
  let item = 0;
  for (const token of filterOf(query).tokens) {
    const text = query.slice(token.start, token.end);
    if (token.depth === 0 && token.type === 'operator' && /^(?:and|&&)$/i.test(text)) continue;
    const last = items[items.length - 1];
    if (last !== undefined && token.item === item) last.end = token.end;
    else items.push({ start: token.start, end: token.end, text: '' });
    item = token.item;
  }
  return items.map(({ start, end }) => ({ start, end, text: query.slice(start, end) }));
}

const opposite = (term: string): string =>
  term.startsWith('NOT ') ? term.slice(4) : `NOT ${term}`;

/**
 * The query with one more condition. A term that is there already is not repeated, and its opposite is replaced.
 */
export function withTerm(query: string, term: string, exclude = false): string {
  const { filter, stages, hasOr } = dissect(query);
  const added = exclude ? opposite(term) : term;
  if (filter === '' || filter === '*') return join(added, stages);
  if (hasOr) return join(`(${filter})`, added, stages);
  const items = itemsOf(filter);
  if (items.some(({ text }) => text === added)) return query;
  const against = new Set([opposite(added), added.startsWith('NOT ') ? '' : `-${added}`]);
  const kept = items.filter(({ text }) => !against.has(text));
  if (kept.length === items.length) return join(filter, added, stages);
  return join(...kept.map(({ text }) => text), added, stages);
}

/** The query with this filter instead of its own. */
export function withFilter(query: string, filter: string): string {
  return join(filter, dissect(query).stages);
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
