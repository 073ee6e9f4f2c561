/**
 * Edits of a query by the parts that `query.parse` found in it: each returns the whole new text.
 *
 * Invariant: a query that parses still does after an edit with terms that parse.
 */
import { withTerm } from '../../panel-api.ts';
import type { Parsed } from './bar-state.ts';
import type { Term } from './conditions.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Replaces a span; inserts a space where neighbours would otherwise merge. */
function splice(text: string, { start, end }: Span, insert: string): string {
  const left = text.slice(0, start);
  const isGap = insert === '' && /\s$/.test(left);
  const right = isGap ? text.slice(end).trimStart() : text.slice(end);
  const before = /\S$/.test(left) && /^[^\s|]/.test(insert === '' ? right : insert) ? ' ' : '';
  const after = insert !== '' && /^\S/.test(right) ? ' ' : '';
  return `${left}${before}${insert}${after}${right}`;
}

/** Without the term of this number, and the AND that joined it. */
export function withoutTerm(text: string, { filter, terms = [] }: Parsed, at: number): string {
  const term = terms[at];
  if (term === undefined) return text;
  const last = at === terms.length - 1;
  const before = terms[at - 1];
  const next = terms[at + 1];
  const start = before?.end ?? filter.start;
  const end = last ? filter.end : before === undefined && next ? next.start : term.end;
  return splice(text, { start, end }, '').trim();
}

export function withTermReplaced(text: string, term: Span, written: string): string {
  return splice(text, term, written);
}

/** The term without its NOTs, or with one. */
export function oppositeOf({ text, negated }: Term): string {
  const bare = text.replace(
    /^(?:-(?=[^\s|)])|!(?![=~])[\s\u0000]*|(?:NOT|not)(?=[\s\u0000()|"])[\s\u0000]*)+/,
    '',
  );
  // `dst_port!=22` has no sign before it to remove.
  return negated && bare !== text ? bare : `NOT ${bare}`;
}

export function withTermAdded(text: string, written: string): string {
  return withTerm(text, written);
}

/** Without a stage and the `|` before it. */
export function withoutStage(text: string, { stages }: Parsed, at: number): string {
  const stage = stages[at];
  if (stage === undefined) return text;
  const pipe = text.lastIndexOf('|', stage.start);
  return splice(text, { start: Math.max(0, pipe), end: stage.end }, '').trim();
}
