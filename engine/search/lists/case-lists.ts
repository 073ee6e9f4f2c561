/**
 * The lists that queries on a case are narrowed by: read once, and their tables made when a statement
 * first needs them. Bounded: the least recently used are dropped, and made again where they are still needed.
 */
import { hash } from 'node:crypto';
import { isAttributeColumn } from '../../util/attribute-columns.ts';
import { DaybookError } from '../../contract/errors.ts';
import {
  LINE_COLUMN,
  type MatchList,
  OVERFLOW_COLUMN,
  eventFields,
  keyColumn,
  readList,
} from '../../query/index.ts';
import type { SegmentStore } from '../../store/segment-store.ts';

/** A list as it was given: a file's content, or what was pasted. */
export interface GivenList {
  /** Text in UTF-8 or UTF-16. */
  readonly bytes: Uint8Array;
  /** Its name in the audit log. */
  readonly name?: string | undefined;
  /** Names of the columns that count; of the header when left out. */
  readonly fields?: readonly string[] | undefined;
  /** In place of `fields`: what each column is matched as, by its place; null: it does not count. */
  readonly columns?: readonly (string | null)[] | undefined;
  /** With `columns`: whether the first line of a table names them only. */
  readonly header?: boolean | undefined;
  /** Rows that name both ends of a conversation hold in the direction they were written in only. */
  readonly directed?: boolean | undefined;
}

/** Rows of all lists that are kept. */
const MOST_ROWS = 4_000_000;
const MOST_LISTS = 16;

/** Where tables are made. */
type Tables = Pick<SegmentStore, 'createList' | 'dropLists' | 'inUse'>;

export class CaseLists {
  /** By what tells them apart, the one used last at the end. */
  private readonly known = new Map<string, MatchList>();
  /** The same of those whose tables are made or being made. */
  private readonly made = new Map<string, { list: MatchList; tables: Promise<void> }>();

  /**
   * @param columns of segments: attributes are fields by them
   * @throws DaybookError usage, unknown-field, limit-exceeded
   */
  read(given: GivenList, segments: Segments): MatchList {
    const digest = digestOf(given, attributesOf(segments));
    const { bytes, fields, header, directed } = given;
    const columns = given.columns?.map((name) => name ?? undefined);
    const list =
      this.known.get(digest) ??
      readList({
        ...{ text: textOf(bytes), digest, fields, columns, header, directed },
        resolve: eventFields(segments),
      });
    this.known.delete(digest);
    this.known.set(digest, list);
    for (const old of beyond([...this.known.values()], list)) this.known.delete(old.digest);
    return list;
  }

  /** A list as the audit log records it: name, hash and size. */
  describe(given: GivenList): { name: string | undefined; sha256: string; bytes: number } {
    const { bytes, name } = given;
    return { name, sha256: sha256Of(bytes), bytes: bytes.length };
  }

  /**
   * Makes the tables of a list, if there are none.
   * @throws DaybookError limit-exceeded
   */
  async load(list: MatchList, store: Tables): Promise<void> {
    const { digest } = list;
    const one = this.made.get(digest) ?? { list, tables: makeTables(list, store) };
    this.made.delete(digest);
    this.made.set(digest, one);
    try {
      await one.tables;
    } catch (error) {
      // The next attempt may have room for them.
      if (this.made.get(digest) === one) this.made.delete(digest);
      throw error;
    }
    if (store.inUse()) return;
    const old = beyond(
      Array.from(this.made.values(), (other) => other.list),
      list,
    );
    for (const other of old) this.made.delete(other.digest);
    await store.dropLists(old.flatMap(tableNames));
  }
}

/** Lists that were used longest ago, beyond what may be kept. */
function beyond(lists: readonly MatchList[], used: MatchList): MatchList[] {
  let rows = lists.reduce((sum, list) => sum + rowsOf(list), 0);
  let left = lists.length;
  const out: MatchList[] = [];
  for (const list of lists) {
    if (rows <= MOST_ROWS && left <= MOST_LISTS) break;
    if (list.digest === used.digest) continue;
    out.push(list);
    rows -= rowsOf(list);
    left -= 1;
  }
  return out;
}

/** Rows that no event can meet are in none of its tables. */
function rowsOf({ lines, rows }: MatchList): number {
  return Math.max(lines.length, rows);
}

function tableNames({ groups }: MatchList): string[] {
  return groups.map(({ table }) => table);
}

async function makeTables(list: MatchList, store: Tables): Promise<void> {
  try {
    await tables(list, store);
  } catch (error) {
    await store.dropLists(tableNames(list)).catch(() => undefined);
    throw error;
  }
}

async function tables(list: MatchList, store: Tables): Promise<void> {
  for (const { table, keys, lines } of list.groups) {
    const columns = keys.flatMap(({ key, type, values }, at) =>
      key.key === 'present' ? [] : [{ name: keyColumn(at), type, values }],
    );
    const line = { name: LINE_COLUMN, type: 'UINTEGER', values: lines };
    await store.createList({ name: table, columns: [...columns, line], rows: lines.length });
  }
}

type Segments = Parameters<typeof eventFields>[0];

/** The names by which a list may mean attributes: what it says is another matter where there are others. */
function attributesOf(segments: Segments): string[] {
  const names = new Set<string>();
  for (const { columns } of segments)
    for (const name of columns)
      if (isAttributeColumn(name) || name === OVERFLOW_COLUMN) names.add(name);
  return [...names].sort();
}

function digestOf(
  { bytes, fields, columns, header, directed }: GivenList,
  attributes: readonly string[],
): string {
  const options = [fields ?? null, columns ?? null, header === true, directed === true];
  const all = JSON.stringify([sha256Of(bytes), ...options, attributes]);
  return hash('sha256', all).slice(0, 32);
}

/** Many questions are asked about the same bytes. */
const hashes = new WeakMap<Uint8Array, string>();

/** The SHA-256 of a list's bytes, which nobody changes, in hexadecimal digits. */
export function sha256Of(bytes: Uint8Array): string {
  const known = hashes.get(bytes) ?? hash('sha256', bytes);
  hashes.set(bytes, known);
  return known;
}

/** @throws DaybookError usage */
export function textOf(bytes: Uint8Array): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(bytes);
  if (text.includes('\0'))
    throw new DaybookError(
      'usage',
      'the list is no text',
      'a list is CSV, TSV, NDJSON, or one value a line',
    );
  return text;
}
