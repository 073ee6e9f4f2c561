/**
 * The scope of a condition or a value in ClickHouse: the events of a hand-over, as docs/team.md loads them, or a
 * table that a stage made of them. Two columns, or columns of attributes, of Daybook's segments are one text or a
 * map there.
 */
import { COLUMNS, type ColumnName, SEARCHED_TEXTS } from '../../contract/event.ts';
import { ATTRIBUTE_PREFIX, attributesNamed, isAttributeColumn } from '../names/attribute-names.ts';
import { type NamedText, OVERFLOW_COLUMN } from '../plan/scope.ts';
import { identifier, ip4, lowerCased, text, textWithout, untranslated } from './clickhouse.ts';

export interface ClickHouseScope {
  /** Times of the first and last event; undefined for rows that are not events. */
  readonly times: { readonly minTs: number | undefined; readonly maxTs: number | undefined };
  /** Whether rows are events. */
  readonly events: boolean;
  /** A stored column of events. Throws DaybookError `usage` for other rows. */
  column(name: ColumnName): string;
  /** The attribute with this name as a text; the first of several spellings that an event has. */
  attribute(name: string): string | undefined;
  /** Every spelling of it. */
  attributesNamed(name: string): readonly NamedText[];
  /** Every attribute; undefined: there are none. */
  attributes(): NamedText | undefined;
  /** The texts that a word without a field is searched in. */
  texts(): readonly NamedText[];
  /** A table other than that of events: `tags`, `sources`. */
  table(name: 'tags' | 'sources'): string;
  tagNames(ids: readonly number[]): readonly string[];
  allTags(): HandedOver['tags'];
  /**
   * A table of many rows, which is made before the statement is run.
   * @param rows literals, as many of each as there are types
   * @param copies how often they would be in the statement; Infinity: they are never
   * @returns its name; undefined: they are few enough to be written into the statement
   */
  listTable(types: readonly string[], rows: Rows, copies: number): string | undefined;
}

type Rows = readonly (readonly string[])[];

/**
 * Limits for rows that are inlined into a statement: those of a list, and bytes of all lists. Others become tables.
 */
const MOST_INLINE = { rows: 1000, bytes: 64_000 };

/** Temporary tables of a statement, each with the SQL that makes it. */
export class ListTables {
  readonly statements: string[] = [];
  /** By content: columns of one file are looked up many times. */
  private readonly tables = new Map<string, string>();
  private inlineBytes = 0;

  /** `ClickHouseScope.listTable`. */
  add(types: readonly string[], rows: Rows, copies: number): string | undefined {
    const bytes = copies * rows.reduce((sum, row) => sum + Buffer.byteLength(row.join()), 0);
    if (rows.length <= MOST_INLINE.rows && this.inlineBytes + bytes <= MOST_INLINE.bytes) {
      this.inlineBytes += bytes;
      return undefined;
    }
    const columns = types.map((type, i) => `k${i} ${type}`).join(', ');
    const values = rows.map((row) => `(${row.join(', ')})`).join(',\n');
    const known = this.tables.get(`${columns}\n${values}`);
    if (known !== undefined) return known;
    const name = `daybook_list_${this.tables.size + 1}`;
    this.tables.set(`${columns}\n${values}`, name);
    this.statements.push(
      `CREATE OR REPLACE TEMPORARY TABLE ${name} (${columns})`,
      `INSERT INTO ${name} VALUES\n${values}`,
    );
    return name;
  }
}

/** Facts about a case whose events were handed over. */
export interface HandedOver {
  /** Database of its tables; undefined: the default of the connection. */
  readonly database: string | undefined;
  readonly tags: readonly { readonly id: number; readonly name: string }[];
  readonly times: ClickHouseScope['times'];
  /** The names of columns in its segments, attributes by all their spellings. */
  readonly columnSets: readonly ReadonlySet<string>[];
  /** Columns of attributes that the table of events has. */
  readonly materialised: ReadonlySet<string>;
  readonly lists: ListTables;
}

export function tableName({ database }: Pick<HandedOver, 'database'>, name: string): string {
  return database === undefined ? name : `${identifier(database)}.${name}`;
}

/** The column of a hand-over that a stored one is in. */
function eventColumn(name: ColumnName): string {
  switch (name) {
    case 'src_ip4':
    case 'dst_ip4':
      return `if(${ip4(name.slice(0, -1))} IS NULL, NULL, ${name.slice(0, -1)})`;
    case 'src_ip6':
    case 'dst_ip6':
      return `if(${ip4(name.slice(0, -1))} IS NULL, ${name.slice(0, -1)}, NULL)`;
    default:
      return identifier(name);
  }
}

export function eventsScope(given: HandedOver): ClickHouseScope {
  const { columnSets, tags } = given;
  const all = new Set(columnSets.flatMap((columns) => [...columns]));
  const hasOverflow = all.has(OVERFLOW_COLUMN);
  const values: NamedText = { sql: 'mapValues(attributes)', isList: true };
  const searched = SEARCHED_TEXTS.filter((name) => all.has(name)).map((name) =>
    name === 'action' ? textWithout(identifier(name), 'extractor') : identifier(name),
  );
  const names = new Map(tags.map(({ id, name }) => [id, name]));
  const spellings = (name: string): string[] => {
    const found = new Set<string>();
    for (const columns of columnSets) {
      const here = attributesNamed(columns, name).map((one) => one.name);
      // An earlier version numbered duplicates; a hand-over does not tell which is which.
      if (new Set(here).size < here.length)
        throw untranslated(
          `the attribute ${name}, which an older version of Daybook stored twice,`,
        );
      for (const one of here) found.add(one);
    }
    return [...found].sort();
  };
  const columnSql = (name: string): string => {
    const column = `${ATTRIBUTE_PREFIX}${name}`;
    return given.materialised.has(column) ? identifier(column) : `attributes[${text(name)}]`;
  };
  // Names of the overflow are in no list.
  const anyCase = (name: string): string =>
    `mapValues(mapFilter((k, v) -> ${lowerCased('k')} = ${text(name.toLowerCase())}, attributes))`;
  return {
    times: given.times,
    events: true,
    column: eventColumn,
    attribute: (name) => {
      const each = spellings(name).map(columnSql);
      if (hasOverflow) each.push(`${anyCase(name)}[1]`);
      return each.length > 1 ? `coalesce(${each.join(', ')})` : each[0];
    },
    attributesNamed: (name) =>
      hasOverflow
        ? [{ sql: anyCase(name), isList: true }]
        : spellings(name).map((one) => ({ sql: columnSql(one), isList: false })),
    attributes: () =>
      hasOverflow || [...all].some((name) => isAttributeColumn(name)) ? values : undefined,
    // One list, so that a long pattern appears once.
    texts: () => [{ sql: `arrayConcat([${searched.join(', ')}], ${values.sql})`, isList: true }],
    table: (name) => tableName(given, name),
    tagNames: (ids) =>
      ids.map((id) => {
        const name = names.get(id);
        if (name === undefined) throw new RangeError(`no tag ${id}`);
        return name;
      }),
    allTags: () => tags,
    listTable: (types, rows, copies) => given.lists.add(types, rows, copies),
  };
}

/**
 * A table that a stage made: its columns are accessed by their own references.
 * @param texts names of its text columns
 */
export function tableScope(texts: readonly string[], events: ClickHouseScope): ClickHouseScope {
  return {
    times: { minTs: undefined, maxTs: undefined },
    events: false,
    column: (name) => {
      throw untranslated(`${name} after a stage that counts`);
    },
    attribute: () => undefined,
    attributesNamed: () => [],
    attributes: () => undefined,
    texts: () => texts.map((name) => ({ sql: identifier(name), isList: false })),
    table: (name) => events.table(name),
    tagNames: (ids) => events.tagNames(ids),
    allTags: () => events.allTags(),
    listTable: (types, rows, copies) => events.listTable(types, rows, copies),
  };
}

/** Types of stored columns with whole numbers whose sum fits in 64 bits. */
export function isNarrow(name: ColumnName): boolean {
  return ['u8', 'u16', 'u32', 'i32'].includes(COLUMNS[name]);
}
