/**
 * An error in a query with its position: where it is, what was found, what was expected, and the nearest valid
 * alternative.
 */
import { DaybookError, type ErrorCode } from '../../contract/errors.ts';

export class QueryError extends DaybookError {
  /** Position in the query's text, from 0, in UTF-16 units. */
  readonly position: number;
  constructor(code: ErrorCode, message: string, position: number, hint?: string) {
    super(code, message, hint);
    this.name = 'QueryError';
    this.position = position;
  }
}

/** `problem at column N`, as `query-syntax`. */
export function syntaxError(problem: string, position: number, hint?: string): QueryError {
  return new QueryError('query-syntax', `${problem} at column ${position + 1}`, position, hint);
}

/** The end of the word, the sign or the unclosed text at an error's position. */
export function errorEnd(text: string, position: number): number {
  const [word = ''] = /^(?:["'][^]*|[^\s()|"]+|[^])/.exec(text.slice(position)) ?? [];
  return position + word.length;
}

/** An excerpt of the query for display: short, and without control characters. */
export function shown(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  return `"${short.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}')}"`;
}

/** Edits (insert, delete, replace, swap of neighbours) between two short texts. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, before[j - 2]! + 1);
      }
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}

/** Names that are suggested at most. */
const MOST_NEAR = 3;

/** The names that `word` may have meant, nearest first. */
function nearest(word: string, names: Iterable<string>): string[] {
  const wanted = word.slice(0, 64).toLowerCase();
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  const found: { name: string; distance: number }[] = [];
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name) || name.length > 128) continue;
    seen.add(name);
    const candidate = name.toLowerCase();
    let distance = editDistance(wanted, candidate);
    if (wanted.length >= 3 && (candidate.startsWith(wanted) || candidate.endsWith(wanted))) {
      distance = Math.min(distance, 1);
    }
    if (distance <= allowed) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, MOST_NEAR).map((one) => one.name);
}

/** `did you mean a, b or c?`, or undefined when nothing is near. */
export function didYouMean(word: string, names: Iterable<string>): string | undefined {
  const near = nearest(word, names);
  if (near.length === 0) return undefined;
  const last = near.pop()!;
  return `did you mean ${near.length === 0 ? last : `${near.join(', ')} or ${last}`}?`;
}
