/**
 * How a segment's table stores the columns of a select: some unchanged, some in a smaller form from which generated
 * columns restore them. Readers of the table find every column under its name.
 */
import { type Expression, call, column, identifier, literal, number, sqlOf } from './expression.ts';
import type { MessageShape } from './messages/message-cutter.ts';
import {
  type CutMessages,
  MESSAGE,
  MESSAGE_PARTS,
  SHAPE,
  TEXTS,
  WHOLE_OF_TEXTS,
  anyMessage,
  groupShapes,
  shapesText,
} from './messages/message-columns.ts';

export { identifier, literal };

/** A column with one value in all rows, or one that follows from another column. */
export interface ConstantColumn {
  name: string;
  /** SQL type. */
  type: string;
  /** SQL expression. */
  value: string;
}

export interface SelectedColumn {
  readonly name: string;
  /** SQL type. */
  readonly type: string;
}

/** Statistics that decide how a select's columns are stored. */
export interface KnownColumns {
  readonly selected: readonly SelectedColumn[];
  readonly timeUnit: TimeUnit;
  /** As defined by `areRare`. */
  readonly rareMessages: boolean;
}

export interface TableLayout {
  /** The events' columns, in order. */
  readonly columns: readonly string[];
  readonly table: string;
  /** SQL of the columns of CREATE TABLE. */
  readonly definitions: readonly string[];
  /** The columns that are stored row by row: names as SQL, and values as SQL of the select. */
  readonly stored: string;
  readonly values: string;
  /** SQL that makes the view of the table in a database and stores its metadata; undefined if there is none. */
  readonly view: ((database: string) => string) | undefined;
}

/** The coarsest unit of all times, in microseconds. */
export type TimeUnit = 1 | 1000 | 1_000_000;

/** The relation that queries read: a table, or a view of `STORED` if messages are cut. */
export const EVENTS = 'events';
export const STORED = 'stored';
/** For free text: 40 % smaller than DuckDB's own choice, faster to write, and as fast to search. */
const ZSTD = ' USING COMPRESSION zstd';
/**
 * Above this share of whole messages they get a column: zstd takes 4 bytes for every row. Otherwise they are texts
 * among the variables.
 */
const LEAST_WHOLE = 0.25;
/** Below this share of rows with a message, messages are neither cut nor compressed by zstd. */
const LEAST_MESSAGES = 1 / 8;
/** Number columns that hold times in a coarser unit. */
const TIME_UNITS: Readonly<Record<1000 | 1_000_000, string>> = {
  1000: 'ts:ms',
  1_000_000: 'ts:s',
};
/** Expressions that convert times to these units. */
const UNITS_OF: Readonly<Record<1000 | 1_000_000, string>> = {
  1000: 'epoch_ms(ts)',
  1_000_000: 'epoch_us(ts) // 1000000',
};

/** Times, from a column that holds them in this unit. */
function timesOf(name: string, unit: 1000 | 1_000_000): Expression {
  const stored = column(name);
  return unit === 1000
    ? call('make_timestamp_ms', stored)
    : call('make_timestamp', call('*', stored, number(unit)));
}

/** Whether so few rows have a message that storing something for every row would cost more than their texts. */
export function areRare(messages: number, rows: number): boolean {
  return messages < rows * LEAST_MESSAGES;
}

/**
 * DuckDB resolves and evaluates generated columns for every 2,048 rows that are inserted: some 12 µs for a bare
 * number, 20 µs with a cast, 40 µs for a function, 60 µs for an operator.
 * @param known statistics of the select's rows; `timeUnit` of all their times, if there are any
 */
export function tableLayout(
  { selected, timeUnit: unit, rareMessages }: KnownColumns,
  constants: readonly ConstantColumn[],
  messages: CutMessages | undefined,
): TableLayout {
  const constant = new Map(constants.map((one) => [one.name, one]));
  const grouped = messages && groupShapes(messages.shapes);
  const shapes = grouped?.shapes;
  const fewWhole = messages !== undefined && messages.wholeShare <= LEAST_WHOLE;
  const definitions: string[] = [];
  const stored: string[] = [];
  const values: string[] = [];
  const store = (name: string, type: string, value: string, suffix = ''): void => {
    definitions.push(`${identifier(name)} ${type}${suffix}`);
    stored.push(identifier(name));
    values.push(value);
  };
  const generate = (name: string, type: string, value: string): void => {
    definitions.push(`${identifier(name)} ${type} GENERATED ALWAYS AS (${value}) VIRTUAL`);
  };
  for (const { name, type } of selected) {
    const column = identifier(name);
    const one = constant.get(name);
    if (one !== undefined) generate(name, type, one.value);
    else if (name === 'ts' && unit !== 1) {
      store(TIME_UNITS[unit], 'BIGINT', UNITS_OF[unit]);
      generate(name, type, sqlOf(timesOf(TIME_UNITS[unit], unit)));
    } else if (name === MESSAGE && fewWhole) generate(name, type, sqlOf(WHOLE_OF_TEXTS));
    else if (name === MESSAGE) store(name, type, column, rareMessages ? '' : ZSTD);
    else if (name === SHAPE && grouped !== undefined)
      store(name, type, numberedSql(grouped.numbers));
    else if (name === TEXTS) store(name, type, textsWith(fewWhole));
    else store(name, type, column);
  }
  const columns = selected.map(({ name }) => name).filter((name) => !MESSAGE_PARTS.has(name));
  return {
    columns,
    table: shapes === undefined ? EVENTS : STORED,
    definitions,
    stored: stored.join(', '),
    values: values.join(', '),
    view: shapes && ((database) => viewAndShapes(database, columns, shapes)),
  };
}

const SHAPE_SQL = identifier(SHAPE);
const TEXTS_SQL = identifier(TEXTS);

/** SQL of the number of a row's shape, given the old number in the select. */
export function numberedSql(numbers: readonly number[]): string {
  return `[${numbers.slice(1).join(', ')}][${SHAPE_SQL}]::USMALLINT`;
}

/** The texts of a row; for a whole message, itself, or nothing. */
function textsWith(whole: boolean): string {
  const wholeText = whole ? `CASE WHEN ${MESSAGE} IS NOT NULL THEN [${MESSAGE}] END` : 'NULL';
  return `CASE WHEN ${SHAPE_SQL} IS NULL THEN ${wholeText} ELSE ${TEXTS_SQL} END`;
}

/**
 * The view of a table with cut messages, row numbers included, and the shapes as data, so that they can be taken
 * over when segments are merged.
 */
function viewAndShapes(
  database: string,
  columns: readonly string[],
  shapes: readonly MessageShape[],
): string {
  const list = ['rowid', ...columns].map((name) => {
    const value = name === MESSAGE ? anyMessage(shapes, 'bytes') : column(name);
    return `${sqlOf(value)} AS ${identifier(name)}`;
  });
  return `CREATE VIEW ${database}.${EVENTS} AS SELECT ${list.join(', ')} FROM ${STORED};
    COMMENT ON TABLE ${database}.${STORED} IS ${literal(shapesText(shapes))}`;
}
