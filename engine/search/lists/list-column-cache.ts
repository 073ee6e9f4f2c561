/**
 * Columns of numbers that lists were compared with, kept in memory: one list is mostly followed by the next. Then
 * a list of any length costs a pass over a hash a row; a statement reads all columns, and hashes each of them, for
 * every list.
 *
 * What it gains: tagging 1.5 million flows by 1,000 five-tuples takes 12 to 17 ms of processor time instead of 36 to 45,
 * by 10,000 19 to 42 instead of 58 to 66 (docs/adr/0023-shortcuts-measured-again.md).
 *
 * Holds always: what is kept is of segments that the case has, which never change, and is bounded; what would not fit
 * is left to statements, all of it.
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
} from '../../store/segment-numbers.ts';

/** Bytes that are kept. */
const MOST_BYTES = 64e6;
const HASH_BYTES = 4;
/** Segments that one statement reads: of thousands DuckDB plans for seconds, and cannot be stopped meanwhile. */
const AT_ONCE = 64;
/** Rows of a list whose tables are kept, at about 40 bytes each. */
const MOST_LIST_ROWS = 500_000;

/** Reads columns of segments that have them. */
export type ReadNumbers = (
  segments: readonly SegmentInfo[],
  columns: readonly NumberColumnName[],
) => Promise<SegmentNumbers>;

interface Held {
  readonly columns: Map<string, JoinColumn>;
  /** Hashes of its rows, by the keys that they are of. */
  hashes: { readonly keys: string; readonly values: Int32Array } | undefined;
}

export class ListColumnCache {
  private readonly most: number;
  /** By segment: numbers of segments are never used again. */
  private readonly kept: LruCache<number, Held>;
  /** Segments that a list was compared with before. */
  private readonly met = new Set<number>();
  private made: { readonly list: MatchList; readonly tables: readonly JoinTable[] } | undefined;
  /** One reads what the next one finds here. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(most = MOST_BYTES) {
    this.most = most;
    this.kept = new LruCache(most);
  }

  /**
   * What compares a list with rows of these segments. Undefined: statements do, since it has values other than
   * numbers, there are too many rows, or few of these segments were compared with a list before.
   * @throws what `read` throws
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
    const own = this.last.then(() => this.load(segments, columns, read));
    this.last = own.catch(() => undefined);
    return new ListComparison(groups, this.tablesOf(list), await own);
  }

  /** Those of the last list are kept: several questions are asked about it. */
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

  /** Reads what is missing; gives what is held of each segment. */
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
      // What other lists were compared with would need room, too.
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

/** Bytes that columns of a segment take, hashes of them included. */
function bytesOf(segment: SegmentInfo, columns: ReadonlyMap<string, string>): number {
  let bytes = HASH_BYTES;
  for (const [name, type] of columns)
    if (segment.columns.has(name)) bytes += bytesOfNumber(type) ?? 0;
  return bytes * segment.rows;
}

/** A list, and the columns that it is compared with. */
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

  /** The rows that the list takes of one of the segments; undefined where it had other columns than it says. */
  rowsOf({ id, rows: total, columns: has }: SegmentInfo): Rows | undefined {
    const held = this.held.get(id);
    if (held === undefined) return undefined;
    const words = new Uint32Array((total + 31) >>> 5);
    for (const [at, keys] of this.groups.entries()) {
      // No event has a value of a column that is not there.
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
    // Of lists of several forms, each would take the place of the one before.
    if (this.groups.length === 1) held.hashes = { keys: name, values };
    return values;
  }
}
