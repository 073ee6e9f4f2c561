/**
 * Events in an order that memory does not hold all of. Which rows there are and the place of each in the order goes
 * into a table of the database `work`, which DuckDB moves to the spill folder as it must: it has no other columns. The
 * events are then read slice by slice of that order. Few slices are read from the segments, each from all of them. For
 * many, the events are read once, put aside by parts of the order in files of the spill folder, and read from there.
 */
import { hasCode } from '../../contract/errors.ts';
import { RowSet } from '../../util/row-set.ts';
import {
  type Plan,
  ROW_IDENTITY,
  type RowsOptions,
  type SegmentInfo,
  type Statement,
  compileKnownRows,
  compileOrderedOf,
  compileOrderPlaces,
  compileOrderSize,
  compileOrderSlice,
  compileOrderTable,
  compilePlacedRows,
  compileSpill,
  compileSpilled,
  rowsOf,
} from '../../query/index.ts';
import type { Plain } from '../../store/segment-store.ts';

interface SliceReader {
  /** Rows of a slice, at most, about. */
  readonly rows: number;
  /** Bytes that statements may use. */
  readonly memory: number;
  /** Segments whose rows one statement reads. */
  readonly groups: readonly (readonly SegmentInfo[])[];
  /** Values of a row, at most. */
  readonly columns: number;
  stream(statement: Statement): AsyncGenerator<readonly Plain[][]>;
  /** Drops tables of `work`. */
  drop(tables: readonly string[]): Promise<void>;
  /** A folder for rows that are put aside; undefined: there is none. */
  folder(): Promise<string | undefined>;
  dropFolder(folder: string): void;
}

interface SliceOfRows {
  readonly statement: Statement;
  readonly segments: readonly SegmentInfo[];
  readonly rows: readonly Plain[][];
}

/** Places that are looked up for each slice. */
const PLACES = 100;
/** Texts of a slice that is read from the segments may have characters for this share of the memory's bytes. */
const TEXT_SHARE = 1 / 4;
/** Larger than any row number, and leaves room for that of the segment in a number. */
const ROWS = 2 ** 36;
/** So many slices are read from the segments: what is put aside is written and read as well. */
const FEW_SLICES = 4;
/** Segments whose rows are put aside by one statement. */
const MOST_SEGMENTS = 64;
/** Bytes of a column of each part while rows are spilled: DuckDB allocates one vector at least. */
const PART_COLUMN_BYTES = 2048 * 16;
/** Parts may take this share of the memory. */
const PARTS_SHARE = 1 / 8;
const MOST_PARTS = 100;

let made = 0;

/** The rows of `compileRows` with these options, in the same order. */
export async function* rowsInSlices(
  reader: SliceReader,
  plan: Plan,
  options: RowsOptions,
): AsyncGenerator<SliceOfRows> {
  const order = `work.main."order_${made++}"`;
  let folder: string | undefined;
  try {
    await all(reader.stream(compileOrderTable(plan, options, order)));
    const [[size] = []] = await all(reader.stream(compileOrderSize(order)));
    const places = Number(size) <= reader.rows ? [] : await placesOf(reader, order);
    // Rows that are put aside have the columns of all of them.
    const isFew = places.length < FEW_SLICES || reader.groups.length > 1;
    folder = isFew ? undefined : await reader.folder();
    const aside =
      folder === undefined ? undefined : await putAside(reader, plan, order, places, folder);
    if (folder === undefined || aside === undefined)
      yield* fromSegments(reader, plan, order, places);
    else yield* whole(Number(size), fromFolder(reader, plan, places, folder, aside));
  } finally {
    await reader.drop([order]);
    if (folder !== undefined) reader.dropFolder(folder);
  }
}

/** Places in the order that divide it into slices: one fewer than slices. */
async function placesOf(reader: SliceReader, order: string): Promise<string[]> {
  const every = Math.max(1, Math.floor(reader.rows / PLACES));
  const keys = await all(reader.stream(compileOrderPlaces(order, every)));
  return keys.filter((_, i) => i % PLACES === PLACES - 1).map(([key]) => String(key));
}

/** @throws Error where other rows were put aside than are in the order */
async function* whole(
  size: number,
  slices: AsyncGenerator<SliceOfRows>,
): AsyncGenerator<SliceOfRows> {
  let read = 0;
  for await (const slice of slices) {
    read += slice.rows.length;
    yield slice;
  }
  checkRead(read, size);
}

async function* fromSegments(
  reader: SliceReader,
  plan: Plan,
  order: string,
  places: readonly string[],
): AsyncGenerator<SliceOfRows> {
  const byId = new Map(plan.segmentsUsed.map((segment) => [segment.id, segment]));
  for (let i = 0; i <= places.length; i++) {
    const slice = { from: places[i - 1], to: places[i] };
    const ordered = await all(reader.stream(compileOrderSlice(order, slice)));
    if (ordered.length > 0) yield* rowsOfSlice(reader, plan, byId, ordered);
  }
}

/** Rows of one statement. */
interface OfSegments {
  readonly statement: Statement;
  readonly segments: readonly SegmentInfo[];
}

/** Rows of a slice; in halves where memory does not hold their texts. */
async function* rowsOfSlice(
  reader: SliceReader,
  plan: Plan,
  byId: ReadonlyMap<number, SegmentInfo>,
  ordered: readonly Plain[][],
): AsyncGenerator<SliceOfRows> {
  const rows: Plain[][] = new Array<Plain[]>(ordered.length);
  const statements = await readInto(rows, reader, plan, byId, ordered).catch((error: unknown) => {
    if (hasCode(error, 'limit-exceeded') && ordered.length > 1) return undefined;
    throw error;
  });
  if (statements !== undefined) {
    yield* ofOneStatement(statements, rows);
    return;
  }
  rows.length = 0;
  const half = Math.ceil(ordered.length / 2);
  yield* rowsOfSlice(reader, plan, byId, ordered.slice(0, half));
  yield* rowsOfSlice(reader, plan, byId, ordered.slice(half));
}

/** Puts each row in its place; undefined where their texts are too long, and there are several rows. */
async function readInto(
  rows: Plain[][],
  reader: SliceReader,
  plan: Plan,
  byId: ReadonlyMap<number, SegmentInfo>,
  ordered: readonly Plain[][],
): Promise<OfSegments[] | undefined> {
  const place = new Map(ordered.map(([segment, row], at) => [identity(segment, row), at]));
  const sets = setsOf(ordered, byId);
  const statements: OfSegments[] = [];
  const mostText = ordered.length === 1 ? Infinity : reader.memory * TEXT_SHARE;
  let [read, text] = [0, 0];
  for (const group of reader.groups) {
    const segments = group.filter((segment) => sets.has(segment));
    if (segments.length === 0) continue;
    const own = new Map(segments.map((segment) => [segment, sets.get(segment)!]));
    const statement = compileKnownRows(plan, own);
    statements.push({ statement, segments });
    for await (const batch of reader.stream(statement))
      for (const row of batch) {
        rows[place.get(identity(row[ROW_IDENTITY.segment], row[ROW_IDENTITY.rowId]))!] = row;
        for (const value of row) if (typeof value === 'string') text += value.length;
        if (text > mostText) return undefined;
        read++;
      }
  }
  checkRead(read, ordered.length);
  return statements;
}

/** Rows in order, as far as they were read by one statement: others have other columns. */
function* ofOneStatement(
  statements: readonly OfSegments[],
  rows: readonly Plain[][],
): Generator<SliceOfRows> {
  const bySegment = new Map(
    statements.flatMap((one) => one.segments.map(({ id }) => [id, one] as const)),
  );
  const of = (row: number) => bySegment.get(Number(rows[row]?.[ROW_IDENTITY.segment]));
  for (let from = 0; from < rows.length;) {
    const one = of(from)!;
    let to = from + 1;
    while (of(to) === one) to++;
    yield { ...one, rows: rows.slice(from, to) };
    from = to;
  }
}

/** Rows that were put aside: what they are rows of, and how many slices each part of them has. */
interface Aside {
  readonly statement: Statement;
  readonly slicesOfPart: number;
}

/** Undefined where the memory does not allow it, or there are none. */
async function putAside(
  reader: SliceReader,
  plan: Plan,
  order: string,
  places: readonly string[],
  folder: string,
): Promise<Aside | undefined> {
  const slices = places.length + 1;
  const fitting = (reader.memory * PARTS_SHARE) / (PART_COLUMN_BYTES * reader.columns);
  const parts = Math.max(1, Math.min(slices, MOST_PARTS, Math.floor(fitting)));
  const slicesOfPart = Math.ceil(slices / parts);
  const partPlaces = places.filter((_, i) => (i + 1) % slicesOfPart === 0);
  let statement: Statement | undefined;
  let copies = 0;
  try {
    for (const { segments, range } of groupsOfRows(reader, plan)) {
      const ordered = await all(reader.stream(compileOrderedOf(order, segments, range)));
      if (ordered.length === 0) continue;
      const sets = setsOf(ordered, new Map(segments.map((segment) => [segment.id, segment])));
      const copy = `work.main."copy_${made++}"`;
      statement = compileKnownRows(plan, sets, plan.segmentsUsed);
      try {
        await all(reader.stream(compilePlacedRows(statement, order, partPlaces, copy)));
        await all(reader.stream(compileSpill(copy, folder, `rows_${copies++}`)));
      } finally {
        await reader.drop([copy]);
      }
    }
  } catch (error) {
    if (hasCode(error, 'limit-exceeded')) return undefined;
    throw error;
  }
  return statement && { statement, slicesOfPart };
}

async function* fromFolder(
  reader: SliceReader,
  plan: Plan,
  places: readonly string[],
  folder: string,
  { statement, slicesOfPart }: Aside,
): AsyncGenerator<SliceOfRows> {
  for (let i = 0; i <= places.length; i++) {
    const isFirst = i % slicesOfPart === 0;
    const isLast = (i + 1) % slicesOfPart === 0;
    const slice = { from: isFirst ? undefined : places[i - 1], to: isLast ? undefined : places[i] };
    const part = Math.floor(i / slicesOfPart);
    for await (const rows of reader.stream(compileSpilled(statement, folder, part, slice)))
      yield { statement, segments: plan.segmentsUsed, rows };
  }
}

/** Rows that are put aside at once: all of some segments, or a range of those of a large one. */
interface RowGroup {
  readonly segments: readonly SegmentInfo[];
  readonly range?: { readonly from: number; readonly to: number };
}

function* groupsOfRows({ rows }: SliceReader, { segmentsUsed }: Plan): Generator<RowGroup> {
  let portion: SegmentInfo[] = [];
  let many = 0;
  for (const segment of segmentsUsed) {
    if (portion.length > 0 && (many + segment.rows > rows || portion.length === MOST_SEGMENTS)) {
      yield { segments: portion };
      portion = [];
      many = 0;
    }
    if (segment.rows <= rows) {
      portion.push(segment);
      many += segment.rows;
    } else
      for (let from = 0; from < segment.rows; from += rows)
        yield { segments: [segment], range: { from, to: from + rows } };
  }
  if (portion.length > 0) yield { segments: portion };
}

function setsOf(
  rows: readonly Plain[][],
  byId: ReadonlyMap<number, SegmentInfo>,
): Map<SegmentInfo, ReturnType<typeof rowsOf>> {
  const known = new Map<SegmentInfo, number[]>();
  for (const [id, row] of rows) {
    const segment = byId.get(Number(id))!;
    const own = known.get(segment);
    if (own === undefined) known.set(segment, [Number(row)]);
    else own.push(Number(row));
  }
  return new Map(
    Array.from(known, ([segment, own]) => [
      segment,
      rowsOf(RowSet.ofSorted(Uint32Array.from(own).sort(), segment.rows)),
    ]),
  );
}

function identity(segment: unknown, row: unknown): number {
  return Number(segment) * ROWS + Number(row);
}

function checkRead(read: number, expected: number): void {
  if (read !== expected) throw new Error(`${read} of ${expected} rows were read`);
}

async function all(batches: AsyncGenerator<readonly Plain[][]>): Promise<Plain[][]> {
  const out: Plain[][] = [];
  for await (const rows of batches) for (const row of rows) out.push(row);
  return out;
}
