/**
 * The lists that narrow queries on a case: each is read once, and its tables are made when a statement first needs
 * them. Bounded: the least recently used lists are dropped, and made again if they are still needed.
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
import type { SegmentStore } from '../../store/reading/segment-store.ts';

/** A list as given: a file's content, or pasted text. */
export interface GivenList {
  /** Text in UTF-8 or UTF-16. */
  readonly bytes: Uint8Array;
  /** Its name in the audit log. */
  readonly name?: string | undefined;
  /** Names of the columns to compare; those in the header if omitted. */
  readonly fields?: readonly string[] | undefined;
  /** Instead of `fields`: the field that each column is compared with, by position; null: the column is ignored. */
  readonly columns?: readonly (string | null)[] | undefined;
  /** With `columns`: whether the first line of a table only names the columns. */
  readonly header?: boolean | undefined;
  /** Rows that name both ends of a conversation match only in the direction in which they are written. */
  readonly directed?: boolean | undefined;
}

/** Limit of rows in all cached lists. */
const MOST_ROWS = 4_000_000;
const MOST_LISTS = 16;

/** The part of the store that makes tables of lists. */
type Tables = Pick<SegmentStore, 'createList' | 'dropLists' | 'inUse'>;

export class CaseLists {
  /** By key, most recently used last. */
  private readonly known = new Map<string, MatchList>();
  /** Those whose tables exist or are being made. */
  private readonly made = new Map<string, { list: MatchList; tables: Promise<void> }>();

  /**
   * @param columns of segments: they tell which attributes are fields
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
   * Makes the tables of a list unless they exist.
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

/** The least recently used lists that exceed the limit. */
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

/** Rows that no event can match are in none of its tables. */
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

/** The attribute names that a list may refer to: with other attributes, the list means something else. */
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

/** Many questions concern the same bytes. */
const hashes = new WeakMap<Uint8Array, string>();

/** The SHA-256 of a list's bytes, which are never modified, in hexadecimal. */
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
      'the list is not text',
      'a list is CSV, TSV, NDJSON, or one value per line',
    );
  return text;
}
