/**
 * Few known rows of segments, read from their files: planning a statement for many segments, and passing over all
 * that it does not want, takes DuckDB many times as long.
 *
 * Holds always: the rows are those that the statement would give; where anything is in doubt there are none, and
 * the statement is run, which says what is wrong.
 */
import { casePath } from '../base/case-files.ts';
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
import type { CaseSession } from './case-session.ts';
import type { Snapshot } from './snapshot.ts';
import { raw } from './query.ts';
import { putTogether } from './whole-messages.ts';

/** Of more rows DuckDB reads whole columns. */
const MOST_ROWS = 2000;
/** Segments that are read beside each other: files of more are not kept open. */
const AT_ONCE = 128;

interface Asked {
  readonly session: Pick<CaseSession, 'folder' | 'catalog' | 'store' | 'files'>;
  readonly snapshot: Pick<Snapshot, 'segments'>;
}

type Shapes = Map<number, readonly MessageShape[]>;

interface Read {
  readonly sources: readonly OutputSource[];
  readonly messages: MessageParts | undefined;
}

/** A segment that some rows are read of. */
interface Opened {
  readonly segment: SegmentInfo;
  /** Of the rows, ascending. */
  readonly numbers: readonly number[];
  readonly columns: EventColumns;
  readonly shapes: readonly MessageShape[] | undefined;
}

interface Found {
  readonly row: Plain[];
  readonly of: Opened;
  /** Its place among the segment's. */
  readonly place: number;
  /** Undated rows are the last. */
  readonly ts: number;
  readonly ns: number;
}

/**
 * Rows `offset` to `offset + count`, by time, of those with these numbers in their segments, as `statement` (of
 * `compileNumbered`) gives them. Undefined where it must be run.
 */
export async function numberedFromFiles(
  asked: Asked,
  statement: Statement,
  sets: ReadonlyMap<SegmentInfo, Rows>,
  offset: number,
  count: number,
): Promise<RawValue[][] | undefined> {
  const all = [...sets].reduce((sum, [{ rows }, own]) => sum + countOf(own, rows), 0);
  if (all > MOST_ROWS) return undefined;
  const numbers = new Map(
    [...sets].map(([segment, rows]) => [
      segment,
      Array.from(sliceOf(rows, segment.rows, 0, countOf(rows, segment.rows))),
    ]),
  );
  const found = await fromFiles(asked, statement, numbers, true);
  return found?.slice(offset, offset + count).map(({ row }) => row.map(raw));
}

/** Rows with these numbers as `statement` (of `compileByNumber`) gives them. Undefined where it must be run. */
export async function chosenFromFiles(
  asked: Asked,
  statement: Statement,
  rows: ReadonlyMap<SegmentInfo, readonly number[]>,
): Promise<RawValue[][] | undefined> {
  const inOrder = [...rows].map(
    ([segment, numbers]) => [segment, numbers.toSorted((a, b) => a - b)] as const,
  );
  const found = await fromFiles(asked, statement, new Map(inOrder), false);
  return found?.map(({ row }) => row.map(raw));
}

/**
 * @param rows numbers, ascending
 * @param inOrder of time, not one segment behind the other
 */
async function fromFiles(
  asked: Asked,
  { sources, messages }: Statement,
  rows: ReadonlyMap<SegmentInfo, readonly number[]>,
  inOrder: boolean,
): Promise<Found[] | undefined> {
  if (sources === undefined) return undefined;
  for (const { mapped } of rows.keys()) if (mapped !== true) return undefined;
  try {
    const read = { sources, messages };
    const found: Found[] = [];
    const shapes: Shapes = new Map();
    const all = [...rows];
    for (let from = 0; from < all.length; from += AT_ONCE) {
      // While the disk brings what one needs, the next is opened.
      const parts = all.slice(from, from + AT_ONCE).map(async ([segment, numbers]) => {
        const opened = openRows(asked, segment, numbers);
        if (opened.shapes !== undefined) shapes.set(segment.id, opened.shapes);
        await bring(opened, read);
        return rowsOf(opened, read);
      });
      found.push(...(await Promise.all(parts)).flat());
    }
    if (inOrder) found.sort(byTime);
    if (messages !== undefined) for (const { row } of found) putTogether(row, messages, shapes);
    return found;
  } catch {
    return undefined;
  }
}

/** The order of event-order.ts. What decides between rows of one time is read only where there are such. */
function byTime(a: Found, b: Found): number {
  if (a.of === b.of) return a.place - b.place;
  return (
    a.ts - b.ts ||
    a.ns - b.ns ||
    numberOf(a, 'source_id') - numberOf(b, 'source_id') ||
    numberOf(a, 'seq') - numberOf(b, 'seq')
  );
}

function numberOf({ of, place }: Found, name: string): number {
  return Number(valuesOf(of, name)[place] ?? 0);
}

/** @throws Unreadable, and what opening a file throws */
function openRows(
  { session, snapshot }: Asked,
  segment: SegmentInfo,
  numbers: readonly number[],
): Opened {
  const { id } = segment;
  const file = snapshot.segments.find((one) => one.id === id)?.file;
  if (file === undefined) throw new Unreadable(`segment ${id}`);
  const path = casePath(session.folder, file);
  const reader = session.files.of(id, path, () => session.catalog.segmentMap(id));
  const shapes =
    reader.shapes === undefined ? undefined : session.store.shapesOf(id, reader.shapes);
  return { segment, numbers, columns: new EventColumns(reader, numbers), shapes };
}

/**
 * Has the disk bring what will be read, of all segments at a time.
 * @throws Unreadable, and what reading a file throws
 */
async function bring({ segment, columns, shapes }: Opened, read: Read): Promise<void> {
  const names = ['ts', 'ts_ns'];
  for (const source of read.sources) if ('column' in source) names.push(source.column);
  const own = names.flatMap((name) => columnIn(segment, name) ?? []);
  if (shapes === undefined || read.messages === undefined) return columns.bring(own);
  const first = own.filter((name) => !PARTS.has(name));
  await columns.bring([...first, SHAPE]);
  limitParts(columns, shapes, read.sources, read.messages);
  await columns.bring(own.filter((name) => PARTS.has(name)));
}

/** @throws Unreadable, and what reading a file throws */
function rowsOf(opened: Opened, { sources }: Read): Found[] {
  const all = sources.map((source) => outputOf(source, opened));
  const [ts, ns] = [valuesOf(opened, 'ts'), valuesOf(opened, 'ts_ns')];
  return opened.numbers.map((_, place) => ({
    row: all.map((values) => values[place]!),
    ...{ of: opened, place },
    ts: typeof ts[place] === 'number' ? ts[place] : Number.MAX_VALUE,
    ns: Number(ns[place] ?? 0),
  }));
}

function valuesOf({ segment, numbers, columns }: Opened, name: string): readonly Plain[] {
  const column = columnIn(segment, name);
  return column === undefined ? numbers.map(() => null) : columns.values(column);
}

/** Columns of which each row has what its shape says. */
const PARTS: ReadonlySet<string> = new Set([MESSAGE, TEXTS, ...NUMBERS, 'pid']);

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

function outputOf(source: OutputSource, opened: Opened): readonly Plain[] {
  const { segment, numbers } = opened;
  if ('value' in source) return numbers.map(() => source.value);
  if ('of' in source) {
    if (source.of === 'row') return numbers;
    const { id, kind, day } = segment;
    const value = { segment: id, kind, day }[source.of];
    return numbers.map(() => value);
  }
  const { column, most } = source;
  const values = valuesOf(opened, column);
  if (most === undefined) return values;
  return values.map((value) => (typeof value === 'string' ? firstCharacters(value, most) : value));
}
