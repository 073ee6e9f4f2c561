/**
 * Counts how many rows of a segment have a value, for each of its columns and for each address that two columns
 * hold. Computed once, when a segment is built, and stored in the catalog: the field list then needs no segment.
 */
import type { EventBatch } from '../columns/event-batch.ts';
import { type BatchRows, countPresent } from './parts/batch-rows.ts';
import { MESSAGE, SHAPE } from './messages/message-columns.ts';
import { EVENTS, STORED, identifier, literal } from './table-layout.ts';

/** An address is in one of two columns, by its family; a row may have it in both. */
export const ADDRESS_COLUMNS = {
  src_ip: ['src_ip4', 'src_ip6'],
  dst_ip: ['dst_ip4', 'dst_ip6'],
} as const;
const PAIRS = Object.values(ADDRESS_COLUMNS);

/** Number of rows with a value: for each of the segment's columns in order, then for each address. */
export type ValueCounts = readonly number[];

/** The element of `counts` for a column, or for an address by its name. */
export function valueCount(
  counts: ValueCounts,
  columns: readonly string[],
  name: string,
): number | undefined {
  const pair = Object.keys(ADDRESS_COLUMNS).indexOf(name);
  const at = pair < 0 ? columns.indexOf(name) : columns.length + pair;
  return counts[at];
}

/** Adds up the counts of a segment's rows as they arrive in batches. */
export class ValueCounter {
  private readonly columns = new Map<string, number>();
  private readonly addresses = PAIRS.map(() => 0);

  add(name: string, count: number): void {
    this.columns.set(name, (this.columns.get(name) ?? 0) + count);
  }

  addAddresses(batch: EventBatch, rows: BatchRows): void {
    PAIRS.forEach(([v4, v6], i) => {
      this.addresses[i]! += countEither(batch[v4].present, batch[v6].present, rows);
    });
  }

  of(columns: readonly string[]): ValueCounts {
    return [...columns.map((name) => this.columns.get(name) ?? 0), ...this.addresses];
  }
}

function countEither(first: Uint8Array, second: Uint8Array, rows: BatchRows): number {
  const n = rows.to - rows.from;
  const one = countPresent(first, rows);
  if (one === n) return n;
  const other = countPresent(second, rows);
  if (one === 0 || other === 0 || other === n) return Math.max(one, other);
  const { from, to, list } = rows;
  let both = 0;
  for (let i = from; i < to; i++) {
    const row = list === undefined ? i : list[i]!;
    both += first[row]! & second[row]!;
  }
  return one + other - both;
}

/** A statement over very many columns takes gigabytes to plan: more than 20 for 2,500 columns in 13 segments. */
const COLUMNS_AT_ONCE = 200;

/**
 * Counts the rows with a value in any column, for each list of columns, in statements of bounded size.
 * @param segment the database of a segment, as SQL
 * @param where condition on the rows, as SQL; empty: all
 */
export async function countRowsWith(
  rows: (sql: string) => Promise<unknown[][]>,
  segment: string,
  shapes: number,
  lists: readonly (readonly string[])[],
  where = '',
): Promise<number[]> {
  const table = tableOf(shapes);
  const out: number[] = [];
  for (let at = 0; at < lists.length; at += COLUMNS_AT_ONCE) {
    const values = lists.slice(at, at + COLUMNS_AT_ONCE).map((list) => {
      const columns = storedColumns(list, shapes);
      if (columns.length === 0) return '0::DOUBLE';
      if (columns.length === 1) return `count(${identifier(columns[0]!)})::DOUBLE`;
      const tests = columns.map((column) => `${identifier(column)} IS NOT NULL`);
      return `count(*) FILTER (${tests.join(' OR ')})::DOUBLE`;
    });
    const [row] = await rows(`SELECT ${values.join(', ')} FROM ${segment}.${table}${where}`);
    if (row === undefined) throw new Error('a count gave no row');
    out.push(...row.map(Number));
  }
  return out;
}

/** Whether there is a message is known without assembling it. */
const tableOf = (shapes: number): string => (shapes === 0 ? EVENTS : STORED);

const storedColumns = (columns: readonly string[], shapes: number): readonly string[] =>
  columns.flatMap((column) => (shapes > 0 && column === MESSAGE ? [MESSAGE, SHAPE] : column));

/** Names of the attributes that have no column, with the number of rows that have each. */
export async function countOverflow(
  rows: (sql: string) => Promise<unknown[][]>,
  segment: string,
  shapes: number,
  where = '',
): Promise<Map<string, number>> {
  const names = `SELECT unnest(json_keys(attrs)) AS name FROM ${segment}.${tableOf(shapes)}${where}`;
  const counted = await rows(`SELECT name, count(*)::DOUBLE FROM (${names}) AS n GROUP BY name`);
  return new Map(counted.map(([name, count]) => [String(name), Number(count)]));
}

/** An attribute with several spellings, or with columns as well. */
export interface SpelledName {
  /** Name of its count in the result. */
  readonly key: string;
  /** Its spellings in the overflow column. */
  readonly names: readonly string[];
  readonly columns: readonly string[];
}

/**
 * Number of rows that have an attribute in the overflow column, in any spelling, and a value in none of its
 * columns.
 */
export async function countOverflowOnce(
  rows: (sql: string) => Promise<unknown[][]>,
  segment: string,
  shapes: number,
  spelled: readonly SpelledName[],
  where = '',
): Promise<Map<string, number>> {
  const out = new Map<string, number>();
  const from = `FROM ${segment}.${tableOf(shapes)}${where}`;
  const count = async (spelled: readonly SpelledName[], without: string): Promise<void> => {
    if (spelled.length === 0) return;
    const keys = spelled.flatMap(({ key, names }) =>
      names.map((name) => `(${literal(name)}, ${literal(key)})`),
    );
    const named = `SELECT rowid AS r, unnest(json_keys(attrs)) AS name ${from}`;
    const pairs = `SELECT DISTINCT r, key FROM (${named}) AS n JOIN (VALUES ${keys.join(', ')}) AS k(name, key) USING (name)`;
    const counted = await rows(
      `SELECT key, count(*)::DOUBLE FROM (${pairs}) AS o ${without} GROUP BY key`,
    );
    for (const [key, events] of counted) out.set(String(key), Number(events));
  };
  await count(
    spelled.filter(({ columns }) => columns.length === 0),
    '',
  );
  const others = spelled.filter(({ columns }) => columns.length > 0);
  for (let at = 0; at < others.length; at += COLUMNS_AT_ONCE) {
    const portion = others.slice(at, at + COLUMNS_AT_ONCE);
    const keys = portion.map(({ key, columns }) => {
      const tests = storedColumns(columns, shapes).map((one) => `${identifier(one)} IS NOT NULL`);
      return `CASE WHEN ${tests.join(' OR ')} THEN ${literal(key)} END`;
    });
    const inColumns = `SELECT rowid AS r, unnest([${keys.join(', ')}]) AS key ${from}`;
    await count(portion, `ANTI JOIN (${inColumns}) AS c USING (r, key)`);
  }
  return out;
}

/** The counts of a segment, from its rows. */
export function countValues(
  rows: (sql: string) => Promise<unknown[][]>,
  segment: string,
  { columns, shapes }: { readonly columns: readonly string[]; readonly shapes: number },
): Promise<ValueCounts> {
  const there = new Set(columns);
  const addresses = PAIRS.map((pair) => pair.filter((column) => there.has(column)));
  return countRowsWith(rows, segment, shapes, [...columns.map((column) => [column]), ...addresses]);
}
