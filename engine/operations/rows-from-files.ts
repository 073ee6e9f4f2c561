/**
 * Few known rows of segments, read from their files: planning a statement for many segments, and passing over all
 * that it does not want, takes DuckDB many times as long.
 *
 * Holds always: the rows are those that the statement would give; where anything is in doubt there are none, and
 * the statement is run, which says what is wrong.
 */
import { join } from 'node:path';
import {
  type MessageParts,
  type OutputSource,
  type RawValue,
  type Rows,
  type SegmentInfo,
  type Statement,
  columnIn,
  countOf,
  sliceOf,
} from '../query/index.ts';
import { EventColumns } from '../store/segment-file/event-columns.ts';
import { Unreadable } from '../store/segment-file/pages.ts';
import { Width } from '../store/messages/cut-rows.ts';
import { MESSAGE, NUMBERS, SHAPE, TEXTS } from '../store/messages/message-columns.ts';
import type { MessageShape } from '../store/messages/message-cutter.ts';
import { firstCharacters } from '../store/messages/whole-message.ts';
import type { Plain } from '../store/segment-store.ts';
import type { CaseSession, Snapshot } from './case-session.ts';
import { raw } from './query.ts';
import { putTogether } from './whole-messages.ts';

/** Of more rows DuckDB reads whole columns. */
const MOST_ROWS = 2000;

interface Asked {
  readonly session: Pick<CaseSession, 'folder' | 'catalog' | 'store' | 'files'>;
  readonly snapshot: Pick<Snapshot, 'segments'>;
}

type Shapes = Map<number, readonly MessageShape[]>;

interface Read {
  readonly sources: readonly OutputSource[];
  readonly messages: MessageParts | undefined;
}

interface Found {
  readonly row: Plain[];
  /** Its place in the order of event-order.ts. */
  readonly key: readonly [ts: number, ns: number, source: number, seq: number];
}

/**
 * Rows `offset` to `offset + count`, by time, of those with these numbers in their segments, as `statement` (of
 * `compileNumbered`) gives them. Undefined where it must be run.
 */
export function numberedFromFiles(
  asked: Asked,
  statement: Statement,
  sets: ReadonlyMap<SegmentInfo, Rows>,
  offset: number,
  count: number,
): RawValue[][] | undefined {
  const all = [...sets].reduce((sum, [{ rows }, own]) => sum + countOf(own, rows), 0);
  if (all > MOST_ROWS) return undefined;
  const numbers = new Map(
    [...sets].map(([segment, rows]) => [
      segment,
      Array.from(sliceOf(rows, segment.rows, 0, countOf(rows, segment.rows))),
    ]),
  );
  const found = fromFiles(asked, statement, numbers);
  if (found === undefined) return undefined;
  return found
    .sort(byTime)
    .slice(offset, offset + count)
    .map(({ row }) => row.map(raw));
}

/** Rows with these numbers as `statement` (of `compileByNumber`) gives them. Undefined where it must be run. */
export function chosenFromFiles(
  asked: Asked,
  statement: Statement,
  rows: ReadonlyMap<SegmentInfo, readonly number[]>,
): RawValue[][] | undefined {
  const inOrder = [...rows].map(
    ([segment, numbers]) => [segment, numbers.toSorted((a, b) => a - b)] as const,
  );
  return fromFiles(asked, statement, new Map(inOrder))?.map(({ row }) => row.map(raw));
}

/** @param rows numbers, ascending */
function fromFiles(
  asked: Asked,
  { sources, messages }: Statement,
  rows: ReadonlyMap<SegmentInfo, readonly number[]>,
): Found[] | undefined {
  if (sources === undefined) return undefined;
  for (const { mapped } of rows.keys()) if (mapped !== true) return undefined;
  try {
    const shapes: Shapes = new Map();
    const found: Found[] = [];
    for (const [segment, numbers] of rows)
      found.push(...rowsOf(asked, segment, numbers, { sources, messages }, shapes));
    if (messages !== undefined) for (const { row } of found) putTogether(row, messages, shapes);
    return found;
  } catch {
    return undefined;
  }
}

function byTime({ key: a }: Found, { key: b }: Found): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}

/** @throws Unreadable, and what reading a file throws */
function rowsOf(
  { session, snapshot }: Asked,
  segment: SegmentInfo,
  numbers: readonly number[],
  { sources, messages }: Read,
  shapes: Shapes,
): Found[] {
  const { id } = segment;
  const file = snapshot.segments.find((one) => one.id === id)?.file;
  if (file === undefined) throw new Unreadable(`segment ${id}`);
  const path = join(session.folder, file);
  const reader = session.files.of(id, path, () => session.catalog.segmentMap(id));
  const own = reader.shapes === undefined ? undefined : session.store.shapesOf(id, reader.shapes);
  if (own !== undefined) shapes.set(id, own);
  const columns = new EventColumns(reader, numbers);
  const of = (name: string): readonly Plain[] => {
    const column = columnIn(segment, name);
    return column === undefined ? numbers.map(() => null) : columns.values(column);
  };
  if (own !== undefined && messages !== undefined) limitParts(columns, own, sources, messages);
  const all = sources.map((source) => outputOf(source, segment, numbers, of));
  const [ts, ns, source, seq] = ['ts', 'ts_ns', 'source_id', 'seq'].map(of);
  return numbers.map((_, i) => ({
    row: all.map((values) => values[i]!),
    key: [
      typeof ts![i] === 'number' ? ts![i] : Infinity,
      ...([Number(ns![i] ?? 0), Number(source![i]), Number(seq![i])] as const),
    ],
  }));
}

/** What a row's shape has no variables of is not read, nor whole messages of rows with a shape. */
function limitParts(
  columns: EventColumns,
  shapes: readonly MessageShape[],
  sources: readonly OutputSource[],
  messages: MessageParts,
): void {
  const numbers = columns.values(SHAPE);
  const widthsOf = (place: number): readonly number[] =>
    shapes[Number(numbers[place]) - 1]?.widths ?? [];
  const isWhole = (place: number): boolean => numbers[place] === null;
  columns.limit(MESSAGE, isWhole);
  columns.limit(TEXTS, (place) => isWhole(place) || widthsOf(place).includes(Width.text));
  const hasNumbers = (place: number) => widthsOf(place).some((width) => width < Width.text);
  for (const name of NUMBERS) columns.limit(name, hasNumbers);
  const isListed = sources.some(
    (source, at) => at < messages.shape && 'column' in source && source.column === 'pid',
  );
  if (!isListed) columns.limit('pid', (place) => widthsOf(place).includes(Width.pid));
}

function outputOf(
  source: OutputSource,
  { id, kind, day }: SegmentInfo,
  numbers: readonly number[],
  of: (name: string) => readonly Plain[],
): readonly Plain[] {
  if ('value' in source) return numbers.map(() => source.value);
  if ('of' in source) {
    if (source.of === 'row') return numbers;
    const value = { segment: id, kind, day }[source.of];
    return numbers.map(() => value);
  }
  const { column, most } = source;
  const values = of(column);
  if (most === undefined) return values;
  return values.map((value) => (typeof value === 'string' ? firstCharacters(value, most) : value));
}
