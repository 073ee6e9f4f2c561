/**
 * Streams the rows of an answer that is a table, in order. If its groups do not fit in memory, they are computed in
 * parts, and the table is sorted in slices. The answer is refused only if small parts do not fit, either.
 */
import { hasCode } from '../../contract/errors.ts';
import {
  type AnswerOptions,
  type AnswerStatement,
  type MatchedRange,
  type Plan,
  type RawValue,
  type Statement,
  compileAnswer,
  compileGroupEstimate,
  compileKeys,
  compileTableSize,
} from '../../query/index.ts';
import { sliceRows } from '../events/time-slices.ts';
import { stageOperatorOf } from '../../query/stages/stages.ts';

export interface TableReader {
  readonly plan: Plan;
  readonly matched?: MatchedRange | undefined;
  readonly limit?: number | undefined;
  /** Bytes that statements may use. */
  readonly memory: number;
  /** Runs a statement on the segments that the plan reads. */
  stream(statement: Statement): AsyncGenerator<RawValue[][]>;
  /** Drops tables of `work`. */
  drop(tables: readonly string[]): Promise<void>;
}

interface TableBatch {
  readonly statement: AnswerStatement;
  readonly rows: RawValue[][];
}

/** Approximate bytes of a group: its values and measures, in a hash table that is at most half full. */
const GROUP_BYTES = 300;
/** Bytes of a row if a measure keeps all values of a group. */
const VALUE_BYTES = 40;
/** Share of the memory for a part. */
const SHARE = 1 / 4;
const MORE = 8;
const MOST_PARTS = 4096;
/** Groups of a part that is not divided further. */
const FEW_GROUPS = 1000;
/** Number of positions that are looked up to divide a table. */
const PLACES = 20_000;

let made = 0;

/** The first batch may be empty, so that the columns are known. */
export async function* tableBatches(reader: TableReader): AsyncGenerator<TableBatch> {
  const { plan, limit, matched } = reader;
  let count =
    keepsValues(plan) && !hasRoomForAll(reader) ? ((await partsNeeded(reader))?.count ?? 1) : 1;
  for (let given = 0; ;) {
    const parts = count === 1 ? undefined : { name: `groups_${made++}`, count };
    let skipped = given;
    const statement = compileAnswer(plan, matched, limit, { parts });
    try {
      const batches =
        parts === undefined ? whole(reader, statement) : inParts(reader, statement, parts);
      for await (const rows of batches) {
        // A failed attempt has delivered the first rows: the order of an answer's rows is total.
        const left = rows.slice(skipped);
        skipped = Math.max(0, skipped - rows.length);
        given += left.length;
        yield { statement, rows: left };
      }
      return;
    } catch (error) {
      if (!hasCode(error, 'limit-exceeded')) throw error;
      const needed = await partsNeeded(reader);
      if (needed === undefined || count >= needed.most) throw error;
      count = Math.min(needed.most, Math.max(needed.count, count * MORE));
    } finally {
      await reader.drop(statement.tables ?? []);
    }
  }
}

function keepsValues({ stages }: Plan): boolean {
  return stages.some((stage) => stageOperatorOf(stage).keepsValues?.(stage) === true);
}

function bytesOf(plan: Plan, groups: number, rows: number): number {
  return groups * GROUP_BYTES + (keepsValues(plan) ? rows * VALUE_BYTES : 0);
}

/** Whether there is room for as many groups as rows: then they need not be counted. */
function hasRoomForAll({ plan, memory }: TableReader): boolean {
  const examined = plan.segmentsUsed.reduce((sum, { rows }) => sum + rows, 0);
  return bytesOf(plan, examined, examined) <= memory * SHARE;
}

/** How many parts should fit in memory, and how many to try at most. Undefined: no groups are computed. */
async function partsNeeded(
  reader: TableReader,
): Promise<{ count: number; most: number } | undefined> {
  const { plan, matched, memory } = reader;
  const estimate = compileGroupEstimate(plan, matched);
  if (estimate === undefined) return undefined;
  const [found = []] = await all(reader.stream(estimate));
  const [groups = 0, rows = 0, length = 0] = found.map(Number);
  const partsOf = (bytes: number): number =>
    Math.min(MOST_PARTS, Math.max(1, Math.ceil(bytes / (memory * SHARE))));
  const count = partsOf(bytesOf(plan, groups, rows));
  // More parts help only where groups take the memory of a statement that fails: many groups, or long texts in them.
  const keepsTexts = keepsValues(plan) && length > VALUE_BYTES * MORE;
  const texts = keepsTexts ? partsOf(rows * length) : 1;
  const most = Math.max(count * MORE, texts * MORE, Math.ceil(groups / FEW_GROUPS));
  return { count, most: Math.min(MOST_PARTS, most) };
}

async function* whole(
  reader: TableReader,
  statement: AnswerStatement,
): AsyncGenerator<RawValue[][]> {
  yield [];
  yield* reader.stream(statement);
}

async function* inParts(
  reader: TableReader,
  statement: AnswerStatement,
  parts: NonNullable<AnswerOptions['parts']>,
): AsyncGenerator<RawValue[][]> {
  const { plan, matched, limit, memory } = reader;
  yield [];
  for (const fill of statement.before ?? []) await all(reader.stream(fill));
  const [[size] = []] =
    plan.shape === 'top' ? [] : await all(reader.stream(compileTableSize(plan, matched, parts)));
  const rows = Number(size ?? 0);
  const every = Math.max(1, Math.floor(rows / PLACES));
  const readKeys = async () =>
    (await all(reader.stream(compileKeys(plan, matched, parts, every)))).map(([key]) =>
      String(key),
    );
  const sorted = sliceRows(memory, statement.columns.length);
  // Undefined: one statement sorts the table.
  let keys = Math.min(rows, limit ?? Infinity) <= sorted ? undefined : await readKeys();
  let step = Math.max(1, Math.round(sorted / every));
  let left = limit ?? Infinity;
  let delivered = 0;
  for (let at = 0; at <= (keys?.length ?? 0) && left > 0;) {
    const slice = { from: keys?.[at - 1], to: keys?.[at + step - 1] };
    const most = left === Infinity ? undefined : left + delivered;
    const sort =
      keys === undefined ? statement : compileAnswer(plan, matched, most, { parts, slice });
    let read = 0;
    try {
      for await (const batch of reader.stream(sort)) {
        // A failed attempt delivered `delivered` rows from this position on.
        const rest = batch.slice(Math.max(0, delivered - read));
        read += batch.length;
        left -= rest.length;
        yield rest;
      }
    } catch (error) {
      // The groups exist: sort fewer rows at once instead of making more parts.
      if (!hasCode(error, 'limit-exceeded') || rows === 0) throw error;
      const wasWhole = keys === undefined;
      keys ??= await readKeys();
      const smaller = Math.ceil(Math.min(step, keys.length) / MORE);
      if (keys.length === 0 || (smaller === step && !wasWhole)) throw error;
      delivered = Math.max(delivered, read);
      step = smaller;
      continue;
    }
    delivered = Math.max(0, delivered - read);
    at += step;
  }
}

async function all(batches: AsyncGenerator<RawValue[][]>): Promise<RawValue[][]> {
  const out: RawValue[][] = [];
  for await (const rows of batches) for (const row of rows) out.push(row);
  return out;
}
