/**
 * Reads events in an order that does not fit in memory. The order of all rows goes into a table of the database
 * `work`, without other columns, which DuckDB moves to the spill folder as needed. The events are then read in
 * slices of that order. If there are few slices, each is read from all segments. If there are many, the events are
 * read once, partitioned by order into files of the spill folder, and read from there.
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
import type { Plain } from '../../store/reading/segment-store.ts';

interface SliceReader {
  /** Approximate maximum number of rows in a slice. */
  readonly rows: number;
  /** Bytes that statements may use. */
  readonly memory: number;
  /** Segments whose rows one statement reads. */
  readonly groups: readonly (readonly SegmentInfo[])[];
  /** Maximum number of values in a row. */
  readonly columns: number;
  stream(statement: Statement): AsyncGenerator<readonly Plain[][]>;
  /** Drops tables of `work`. */
  drop(tables: readonly string[]): Promise<void>;
  /** A folder for spilled rows; undefined: there is none. */
  folder(): Promise<string | undefined>;
  dropFolder(folder: string): void;
}

interface SliceOfRows {
  readonly statement: Statement;
  readonly segments: readonly SegmentInfo[];
  readonly rows: readonly Plain[][];
}

/** Positions that are looked up for each slice. */
const PLACES = 100;
/** The characters of a slice that is read from the segments may take this share of the memory. */
const TEXT_SHARE = 1 / 4;
/** Larger than any row number, and leaves room for the segment's number in a double. */
const ROWS = 2 ** 36;
/** Up to this many slices are read from the segments: spilled rows must be written and read as well. */
const FEW_SLICES = 4;
/** Segments whose rows one statement spills. */
const MOST_SEGMENTS = 64;
/** Bytes for a column of each part while rows are spilled: DuckDB allocates at least one vector. */
const PART_COLUMN_BYTES = 2048 * 16;
/** Share of the memory for the parts. */
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
    // Spilled rows have the columns of all segments.
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

/** The positions in the order at which slices begin, except the first. */
async function placesOf(reader: SliceReader, order: string): Promise<string[]> {
  const every = Math.max(1, Math.floor(reader.rows / PLACES));
  const keys = await all(reader.stream(compileOrderPlaces(order, every)));
  return keys.filter((_, i) => i % PLACES === PLACES - 1).map(([key]) => String(key));
}

/** @throws Error if the spilled rows differ from those in the order */
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

/** Rows of a slice; in halves if their texts do not fit in memory. */
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

/** Puts each row in its place; undefined if the texts are too long and there are several rows. */
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
    const setsOfGroup = new Map(segments.map((segment) => [segment, sets.get(segment)!]));
    const statement = compileKnownRows(plan, setsOfGroup);
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

/** Rows in order, up to the next one that another statement read: its columns differ. */
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

/** Spilled rows: their statements, and the number of slices in each part. */
interface Aside {
  readonly statement: Statement;
  readonly slicesOfPart: number;
}

/** Undefined if the memory does not allow it, or there are no rows. */
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

/** Rows that are spilled at once: all rows of some segments, or a range of those of a large one. */
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
    const list = known.get(segment);
    if (list === undefined) known.set(segment, [Number(row)]);
    else list.push(Number(row));
  }
  return new Map(
    Array.from(known, ([segment, numbers]) => [
      segment,
      rowsOf(RowSet.ofSorted(Uint32Array.from(numbers).sort(), segment.rows)),
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
