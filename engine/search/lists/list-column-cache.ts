/**
 * Cache of the number columns that lists are compared with: after one list, the next is likely to need them as
 * well. A list of any length then costs a pass over one hash per row; a statement would read all columns and hash
 * each of them for every list.
 *
 * Gain: tagging 1.5 million flows by 1,000 five-tuples takes 12 to 17 ms of processor time instead of 36 to 45, by
 * 10,000 19 to 42 instead of 58 to 66 (docs/adr/0023-shortcuts-measured-again.md).
 *
 * Invariants: cached columns belong to segments of the case, which never change; the cache is bounded; if it cannot
 * hold everything that a list needs, statements do all of it.
 */
import { LruCache } from '../../util/lru-cache.ts';
import { RowSet } from '../../util/row-set.ts';
import {
  type JoinColumn,
  type JoinKey,
  type MatchList,
  type Rows,
  type SegmentInfo,
  JoinTable,
  hashRows,
  joinKeys,
  rowsOf,
} from '../../query/index.ts';
import {
  type NumberColumnName,
  type SegmentNumbers,
  bytesOfNumber,
} from '../../store/reading/segment-numbers.ts';

/** Size limit of the cache. */
const MOST_BYTES = 64e6;
const HASH_BYTES = 4;
/** Segments that one statement reads: for thousands of them DuckDB plans for seconds and cannot be interrupted. */
const AT_ONCE = 64;
/** Limit of rows of a list whose hash tables are cached, at about 40 bytes each. */
const MOST_LIST_ROWS = 500_000;

/** Reads columns of segments that have them. */
export type ReadNumbers = (
  segments: readonly SegmentInfo[],
  columns: readonly NumberColumnName[],
) => Promise<SegmentNumbers>;

interface Held {
  readonly columns: Map<string, JoinColumn>;
  /** Hashes of its rows, with the keys that they were computed for. */
  hashes: { readonly keys: string; readonly values: Int32Array } | undefined;
}

export class ListColumnCache {
  private readonly most: number;
  /** By segment; segment numbers are never reused. */
  private readonly kept: LruCache<number, Held>;
  /** Segments that a list was compared with before. */
  private readonly met = new Set<number>();
  private made: { readonly list: MatchList; readonly tables: readonly JoinTable[] } | undefined;
  /** Loads run one after the other, so that each finds what the one before it read. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(most = MOST_BYTES) {
    this.most = most;
    this.kept = new LruCache(most);
  }

  /**
   * Prepares comparing a list with rows of these segments. Undefined if statements should do it: the list has
   * values other than numbers, there are too many rows, or few of these segments were compared with a list before.
   * @throws whatever `read` throws
   */
  async comparing(
    list: MatchList,
    segments: readonly SegmentInfo[],
    read: ReadNumbers,
  ): Promise<ListComparison | undefined> {
    const groups = joinKeys(list);
    if (groups === undefined) return undefined;
    const columns = new Map(groups.flat().map(({ column, type }) => [column as string, type]));
    if (!this.isWorthKeeping(segments, columns)) return undefined;
    const load = this.last.then(() => this.load(segments, columns, read));
    this.last = load.catch(() => undefined);
    return new ListComparison(groups, this.tablesOf(list), await load);
  }

  /** Those of the last list are cached: several questions are asked about it. */
  private tablesOf(list: MatchList): readonly JoinTable[] {
    if (this.made?.list === list) return this.made.tables;
    const tables = list.groups.map((group) => new JoinTable(group));
    this.made = list.rows <= MOST_LIST_ROWS ? { list, tables } : undefined;
    return tables;
  }

  private isWorthKeeping(
    segments: readonly SegmentInfo[],
    columns: ReadonlyMap<string, string>,
  ): boolean {
    let bytes = 0;
    let rows = 0;
    let met = 0;
    for (const segment of segments) {
      rows += segment.rows;
      bytes += bytesOf(segment, columns);
      if (this.met.has(segment.id)) met += segment.rows;
      this.met.add(segment.id);
    }
    return bytes <= this.most && met * 2 >= rows;
  }

  /** Reads missing columns; returns the cached columns of each segment. */
  private async load(
    segments: readonly SegmentInfo[],
    columns: ReadonlyMap<string, string>,
    read: ReadNumbers,
  ): Promise<ReadonlyMap<number, Held>> {
    const out = new Map<number, Held>();
    // Segments that lack the same columns are read together.
    const missing = new Map<string, { names: NumberColumnName[]; segments: SegmentInfo[] }>();
    for (const segment of segments) {
      const known: Held = this.kept.get(segment.id) ?? { columns: new Map(), hashes: undefined };
      out.set(segment.id, known);
      const names = [...columns]
        .filter(([name]) => !known.columns.has(name) && segment.columns.has(name))
        .map(([name, type]) => ({ name, type }));
      if (names.length === 0) continue;
      // Columns for other lists need room as well.
      for (const name of known.columns.keys()) if (!columns.has(name)) known.columns.delete(name);
      const key = names.map(({ name }) => name).join();
      const same = missing.get(key) ?? { names, segments: [] };
      same.segments.push(segment);
      missing.set(key, same);
    }
    for (const { names, segments: all } of missing.values()) {
      for (let from = 0; from < all.length; from += AT_ONCE) {
        const portion = all.slice(from, from + AT_ONCE);
        const numbers = await read(portion, names);
        for (const segment of portion) {
          const known = out.get(segment.id)!;
          numbers
            .get(segment.id)
            ?.forEach((column, at) => known.columns.set(names[at]!.name, column));
          this.kept.set(segment.id, known, bytesOf(segment, columns));
        }
      }
    }
    return out;
  }
}

/** Bytes that columns of a segment take, including their hashes. */
function bytesOf(segment: SegmentInfo, columns: ReadonlyMap<string, string>): number {
  let bytes = HASH_BYTES;
  for (const [name, type] of columns)
    if (segment.columns.has(name)) bytes += bytesOfNumber(type) ?? 0;
  return bytes * segment.rows;
}

/** A list and the columns that it is compared with. */
class ListComparison {
  private readonly groups: readonly (readonly JoinKey[])[];
  private readonly tables: readonly JoinTable[];
  private readonly held: ReadonlyMap<number, Held>;

  /** @param tables of the groups */
  constructor(
    groups: readonly (readonly JoinKey[])[],
    tables: readonly JoinTable[],
    held: ReadonlyMap<number, Held>,
  ) {
    this.groups = groups;
    this.tables = tables;
    this.held = held;
  }

  /** The rows of a segment that match the list; undefined if its columns differ from its description. */
  rowsOf({ id, rows: total, columns: has }: SegmentInfo): Rows | undefined {
    const held = this.held.get(id);
    if (held === undefined) return undefined;
    const words = new Uint32Array((total + 31) >>> 5);
    for (const [at, keys] of this.groups.entries()) {
      // No event has a value in a missing column.
      if (keys.some(({ column }) => !has.has(column))) continue;
      const columns = keys.flatMap(({ column }) => held.columns.get(column) ?? []);
      if (columns.length < keys.length) return undefined;
      this.tables[at]!.markRows(words, this.hashesOf(held, keys, columns, total), keys, columns);
    }
    return rowsOf(RowSet.ofWords(words, total));
  }

  private hashesOf(
    held: Held,
    keys: readonly JoinKey[],
    columns: readonly JoinColumn[],
    total: number,
  ): Int32Array {
    const name = keys.map(({ column, mask }) => `${column}/${mask}`).join();
    if (held.hashes?.keys === name) return held.hashes.values;
    const values = hashRows(keys, columns, total);
    // With several groups, each would replace the hashes of the one before.
    if (this.groups.length === 1) held.hashes = { keys: name, values };
    return values;
  }
}
