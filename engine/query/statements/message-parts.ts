/**
 * Messages in the parts in which segments store them, for statements that return few rows: whoever runs one
 * assembles the messages. Planning SQL that does so takes milliseconds per segment.
 *
 * Invariant: only if the rows of a statement are known; no condition and no computed value may use a message that
 * is in parts.
 */
import { quoteIdentifier } from '../dialect/duckdb.ts';
import type { SegmentInfo } from '../plan/scope.ts';
import type { OutputColumn, Outputs } from './outputs.ts';

const MESSAGE = 'message';
const SHAPE = 'message:shape';
const TEXTS = 'message:text';
const BYTES = 'message:bytes';
/** If numbers are not bytes: those of 8, 16 and 32 bits. */
const LISTS = ['message:8', 'message:16', 'message:32'] as const;

/** Columns of tables with cut messages, with their types. */
const PART_TYPES: Readonly<Record<string, string>> = {
  [SHAPE]: 'USMALLINT',
  [BYTES]: 'UTINYINT[]',
  'message:8': 'UTINYINT[]',
  'message:16': 'USMALLINT[]',
  'message:32': 'UINTEGER[]',
  [TEXTS]: 'VARCHAR[]',
};

/** The type of a column of cut messages; undefined of others. */
export function partType(name: string): string | undefined {
  return Object.hasOwn(PART_TYPES, name) ? PART_TYPES[name] : undefined;
}

/** Whether a segment's table has a column of cut messages. */
export function hasPart({ cut, numberForm = 'bytes' }: SegmentInfo, name: string): boolean {
  if (cut !== true) return false;
  if (name === BYTES) return numberForm === 'bytes';
  return name === SHAPE || name === TEXTS || numberForm === 'widths';
}

/** Indexes of result columns: of messages, and of their parts, which are the last columns. */
export interface MessageParts {
  /** The message if it is stored whole, truncated to `most`; NULL if there is a shape. */
  readonly message: number;
  /** Number of its shape in the row's segment, from 1; NULL if there is none. The first of the parts. */
  readonly shape: number;
  /** Numbers as bytes, if a segment stores them so. */
  readonly bytes: number | undefined;
  /** Numbers by width, if a segment stores them so, otherwise empty; a row has either these or the bytes. */
  readonly lists: readonly number[];
  readonly texts: number;
  /** The process identifier, which may be a variable. */
  readonly pid: number | undefined;
  /** Characters of a message that are shown; undefined: all. */
  readonly most: number | undefined;
}

/** Whether a relation of events is asked for parts of messages instead of messages. */
export function isInParts(needed: ReadonlySet<string>): boolean {
  return needed.has(SHAPE);
}

/**
 * Replaces messages by their parts in the outputs, if there are any.
 * @param needed columns requested from the relation below
 */
export function messageParts(
  outputs: Outputs,
  needed: Set<string>,
  segments: readonly SegmentInfo[],
): MessageParts | undefined {
  const isMessage = ({ name, type }: OutputColumn) => name === MESSAGE && type === 'text';
  const message = outputs.columns.find(isMessage)?.parts[0]?.at;
  if (message === undefined || !segments.some(({ cut }) => cut === true)) return undefined;
  const whole = quoteIdentifier(MESSAGE);
  if (outputs.sql.some((sql, at) => at !== message && sql.includes(whole))) return undefined;
  const add = (name: string): number => {
    needed.add(name);
    return outputs.sql.push(quoteIdentifier(name)) - 1;
  };
  const has = (name: string) => segments.some((segment) => hasPart(segment, name));
  return {
    message,
    shape: add(SHAPE),
    bytes: has(BYTES) ? add(BYTES) : undefined,
    lists: LISTS.filter(has).map(add),
    texts: add(TEXTS),
    pid: segments.some(({ columns }) => columns.has('pid')) ? add('pid') : undefined,
    most: outputs.most,
  };
}
