/** What detection finds out about a content. */
import type { Dialect } from './dialects/dialect.ts';
import { hasAll } from './dialects/zeek.ts';

export type Shape = 'table' | 'zeek' | 'nfdump-text' | 'json-lines' | 'json-elements';

export interface Detected {
  readonly score: number;
  readonly format: string;
  readonly shape: Shape;
  /** The dialect of all rows; undefined if there is only a guess. */
  readonly dialect: Dialect | undefined;
  /** Byte between cells. */
  readonly delimiter: number;
  readonly quoted: boolean;
  /** Lines before the first row, the heading among them. */
  readonly skipLines: number;
  /** Index of the heading among these lines; -1 if there is none. */
  readonly headingLine: number;
  readonly columns: readonly string[];
  /** First rows, for guesses. */
  readonly sample: readonly string[][];
  /** JSON: whether objects are lists of records (`{"Records":[…]}`). */
  readonly lists: boolean;
}

export interface Head {
  readonly lines: readonly string[];
  readonly text: string;
}

/** Whether a header with these names is of a dialect. */
export function fits(dialect: Dialect, names: ReadonlySet<string>): boolean {
  return dialect.signatures.some((list) => hasAll(names, list));
}

/** A finding with what is usual for the rest. @param delimiter one character */
export function withDefaults(
  found: Partial<Detected> & Pick<Detected, 'score' | 'format' | 'columns'>,
  delimiter: string,
): Detected {
  return {
    shape: 'table',
    dialect: undefined,
    quoted: true,
    skipLines: 0,
    headingLine: -1,
    sample: [],
    lists: false,
    ...found,
    delimiter: delimiter.charCodeAt(0),
  };
}
