/**
 * Messages in the parts that segments store them in, for statements that give few rows: whoever runs one puts
 * the messages together. SQL that does so takes milliseconds a segment to be planned.
 *
 * Invariant: only where the rows of a statement are known; no condition may look at a message that is in parts.
 */
import { quoteIdentifier } from './dialect/duckdb.ts';
import type { SegmentInfo } from './scope.ts';
import type { OutputColumn, Outputs } from './statements.ts';

const MESSAGE = 'message';
const SHAPE = 'message:shape';
/** By width of the variables: 8, 16 and 32 bits, and texts. */
const VARIABLES = ['message:8', 'message:16', 'message:32', 'message:text'] as const;

/** Columns of a table with cut messages, with their types. */
export const PART_TYPES: Readonly<Record<string, string>> = {
  [SHAPE]: 'USMALLINT',
  'message:8': 'UTINYINT[]',
  'message:16': 'USMALLINT[]',
  'message:32': 'UINTEGER[]',
  'message:text': 'VARCHAR[]',
};

/** Indexes of result columns: of messages, and of their parts, which are the last columns. */
export interface MessageParts {
  /** The message where it is stored whole, cut to `most`; NULL where there is a shape. */
  readonly message: number;
  /** Number of its shape in the row's segment, from 1; NULL where there is none. The first of the parts. */
  readonly shape: number;
  /** Lists of variables. */
  readonly variables: readonly number[];
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
 * Has outputs give messages in parts, if they give any.
 * @param needed what the relation below them is asked for
 */
export function messageParts(
  outputs: Outputs,
  needed: Set<string>,
  segments: readonly SegmentInfo[],
): MessageParts | undefined {
  const isMessage = ({ name, type }: OutputColumn) => name === MESSAGE && type === 'text';
  const message = outputs.columns.find(isMessage)?.parts[0]?.at;
  if (message === undefined || !segments.some(({ cut }) => cut === true)) return undefined;
  const add = (name: string): number => {
    needed.add(name);
    return outputs.sql.push(quoteIdentifier(name)) - 1;
  };
  return {
    message,
    shape: add(SHAPE),
    variables: VARIABLES.map(add),
    pid: segments.some(({ columns }) => columns.has('pid')) ? add('pid') : undefined,
    most: outputs.most,
  };
}
