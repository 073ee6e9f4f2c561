/**
 * Events in an order that memory does not hold all of: where each lies in the order goes into a table of the database
 * `work`, which DuckDB moves to the spill folder as it must; the events are then read slice by slice of that order.
 * Each slice reads all segments anew, so it takes longer than one sort does where memory is enough.
 */
import { RowSet } from '../../util/row-set.ts';
import {
  type Plan,
  ROW_IDENTITY,
  type RowsOptions,
  type SegmentInfo,
  type Statement,
  compileKnownRows,
  compileOrderPlaces,
  compileOrderSlice,
  compileOrderTable,
  rowsOf,
} from '../../query/index.ts';
import type { Plain } from '../../store/segment-store.ts';

export interface SliceReader {
  /** Rows of a slice, at most, about. */
  readonly rows: number;
  stream(statement: Statement): AsyncGenerator<readonly Plain[][]>;
  /** Drops tables of `work`. */
  drop(tables: readonly string[]): Promise<void>;
}

export interface SliceOfRows {
  readonly statement: Statement;
  readonly segments: readonly SegmentInfo[];
  readonly rows: Plain[][];
}

/** Places that are looked up for each slice. */
const PLACES = 100;
/** Larger than any row number, and leaves room for that of the segment in a number. */
const ROWS = 2 ** 36;

let made = 0;

/** What `compileRows` gives with these options, in the same order. */
export async function* rowsInSlices(
  reader: SliceReader,
  plan: Plan,
  options: RowsOptions,
): AsyncGenerator<SliceOfRows> {
  const table = `work.main."order_${made++}"`;
  const byId = new Map(plan.segmentsUsed.map((segment) => [segment.id, segment]));
  try {
    await all(reader.stream(compileOrderTable(plan, options, table)));
    const every = Math.max(1, Math.floor(reader.rows / PLACES));
    const keys = await all(reader.stream(compileOrderPlaces(table, every)));
    const places = keys.filter((_, i) => i % PLACES === PLACES - 1).map(([key]) => String(key));
    for (let i = 0; i <= places.length; i++) {
      const slice = { from: places[i - 1], to: places[i] };
      const order = await all(reader.stream(compileOrderSlice(table, slice)));
      if (order.length === 0) continue;
      const place = new Map(order.map(([segment, row], at) => [identity(segment, row), at]));
      const known = new Map<SegmentInfo, number[]>();
      for (const [id, row] of order) {
        const segment = byId.get(Number(id))!;
        const own = known.get(segment);
        if (own === undefined) known.set(segment, [Number(row)]);
        else own.push(Number(row));
      }
      const sets = new Map(
        Array.from(known, ([segment, rows]) => [
          segment,
          rowsOf(RowSet.ofSorted(Uint32Array.from(rows).sort(), segment.rows)),
        ]),
      );
      const statement = compileKnownRows(plan, sets);
      const rows: Plain[][] = new Array<Plain[]>(order.length);
      let read = 0;
      for await (const batch of reader.stream(statement))
        for (const row of batch) {
          rows[place.get(identity(row[ROW_IDENTITY.segment], row[ROW_IDENTITY.rowId]))!] = row;
          read++;
        }
      if (read !== order.length) throw new Error(`${read} of ${order.length} rows were read`);
      yield { statement, segments: [...sets.keys()], rows };
    }
  } finally {
    await reader.drop([table]);
  }
}

function identity(segment: unknown, row: unknown): number {
  return Number(segment) * ROWS + Number(row);
}

async function all(batches: AsyncGenerator<readonly Plain[][]>): Promise<Plain[][]> {
  const out: Plain[][] = [];
  for await (const rows of batches) for (const row of rows) out.push(row);
  return out;
}
