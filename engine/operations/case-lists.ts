/**
 * The lists that queries on a case are narrowed by: read once, and their tables made when a statement
 * first needs them. Bounded; those used longest ago are let go.
 */
import { createHash, hash } from 'node:crypto';
import { DaybookError } from '../contract/errors.ts';
import { LINE_COLUMN, type MatchList, eventFields, keyColumn, readList } from '../query/index.ts';
import type { SegmentStore } from '../store/segment-store.ts';

/** A list as it was given: a file's content, or what was pasted. */
export interface GivenList {
  /** Text in UTF-8 or UTF-16. */
  readonly bytes: Uint8Array;
  /** What it is called where it is recorded. */
  readonly name?: string | undefined;
  /** Names of the columns that count; of the header when left out. */
  readonly fields?: readonly string[] | undefined;
  /** Rows that name both ends of a conversation hold in the direction they were written in only. */
  readonly directed?: boolean | undefined;
}

interface Kept {
  readonly list: MatchList;
  tables: Promise<void> | undefined;
}

/** Rows of all lists that are kept. */
const MOST_ROWS = 4_000_000;
const MOST_LISTS = 16;

export class CaseLists {
  /** By what tells them apart, the one used last at the end. */
  private readonly kept = new Map<string, Kept>();

  /**
   * @param columns of segments: attributes are fields by them
   * @throws DaybookError usage, unknown-field, limit-exceeded
   */
  read(given: GivenList, segments: Parameters<typeof eventFields>[0]): MatchList {
    const digest = digestOf(given);
    const known = this.kept.get(digest);
    if (known !== undefined) {
      this.kept.delete(digest);
      this.kept.set(digest, known);
      return known.list;
    }
    const { fields, directed } = given;
    const list = readList({
      ...{ text: textOf(given.bytes), digest, fields, directed },
      resolve: eventFields(segments),
    });
    this.kept.set(digest, { list, tables: undefined });
    return list;
  }

  /** What is recorded of a list: what it is called, and which it was. */
  describe(given: GivenList): { name: string | undefined; sha256: string; bytes: number } {
    const { bytes, name } = given;
    return { name, sha256: hash('sha256', bytes), bytes: bytes.length };
  }

  /** Makes the tables of the lists that have none yet. */
  async load(store: SegmentStore): Promise<void> {
    for (const one of this.kept.values()) {
      one.tables ??= tables(one.list, store);
      await one.tables;
    }
    await this.forget(store);
  }

  private async forget(store: SegmentStore): Promise<void> {
    let rows = [...this.kept.values()].reduce((sum, { list }) => sum + list.rows, 0);
    for (const [digest, one] of this.kept) {
      if (this.kept.size <= 1 || (rows <= MOST_ROWS && this.kept.size <= MOST_LISTS)) return;
      // Whoever comes meanwhile, or finds some of them gone, makes them again.
      one.tables = undefined;
      for (const { table } of one.list.groups) if (!(await store.dropList(table))) return;
      this.kept.delete(digest);
      rows -= one.list.rows;
    }
  }
}

async function tables(list: MatchList, store: SegmentStore): Promise<void> {
  for (const { table, keys, lines } of list.groups) {
    const columns = keys.flatMap(({ key, type, values }, at) =>
      key.key === 'present' ? [] : [{ name: keyColumn(at), type, values }],
    );
    const line = { name: LINE_COLUMN, type: 'UINTEGER', values: lines };
    await store.createList({ name: table, columns: [...columns, line], rows: lines.length });
  }
}

function digestOf({ bytes, fields, directed }: GivenList): string {
  const options = JSON.stringify([fields ?? null, directed === true]);
  return createHash('sha256').update(`${options}\n`).update(bytes).digest('hex').slice(0, 32);
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
