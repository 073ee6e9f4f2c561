/**
 * A case and the ClickHouse that has loaded its hand-over, as docs/team.md says: a question is answered by both, by
 * the SQL that `daybook sql --dialect clickhouse` prints, and the answers must be equal.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FACILITIES, PROTOCOLS, SEVERITIES } from '../../engine/contract/event.ts';
import { Asker, type Question } from './asker.ts';
import { daybook } from './command.ts';
import { LineProcess } from './line-process.ts';

type Row = Readonly<Record<string, unknown>>;

/** Rows of events that are compared. */
const MOST_ROWS = 300;

type Compared =
  | { readonly outcome: 'same'; readonly shape: string; readonly rows: number }
  | { readonly outcome: 'refused' | 'different'; readonly why: string };

export class HandedOverCase {
  readonly folder: string;
  readonly asker: Asker;
  private readonly server: ClickHouse;

  private constructor(folder: string, server: ClickHouse) {
    this.folder = folder;
    this.asker = new Asker(folder);
    this.server = server;
  }

  /**
   * @param module chdb's
   * @param place a folder that is made for the hand-over and the tables
   */
  static async open(module: string, folder: string, place: string): Promise<HandedOverCase> {
    mkdirSync(place);
    const { status, err } = await daybook(['hand-over', folder, path.join(place, 'handed-over')]);
    if (status !== 0) throw new Error(`hand-over fails: ${err}`);
    const server = new ClickHouse(module, place);
    for (const sql of loadingStatements(place)) {
      const made = await server.ask(sql);
      if ('error' in made) throw new Error(`${sql}: ${made.error}`);
    }
    return new HandedOverCase(folder, server);
  }

  async compare(question: Question): Promise<Compared> {
    const { asker, server } = this;
    const translated = await asker.ask({ ...question, translate: 'acme' });
    if (translated.error === 'unexpected')
      return { outcome: 'different', why: `an unexpected error: ${translated.answer}` };
    if (translated.error !== undefined) return { outcome: 'refused', why: translated.answer };
    const answered = await asker.ask({ ...question, limit: MOST_ROWS });
    if (answered.error !== undefined)
      return { outcome: 'refused', why: `the case refuses: ${answered.error}` };
    const { shape = 'rows', rows } = answered;
    const sql = shape === 'rows' ? limited(translated.answer) : translated.answer;
    const found = await server.askAll(sql);
    // A refusal that depends on the events' values comes when the statement is run.
    if ('error' in found && found.error.includes('use daybook query'))
      return { outcome: 'refused', why: 'when it is run' };
    const why =
      'error' in found
        ? found.error.slice(0, 500)
        : differenceOf(JSON.parse(answered.answer), found.rows, shape);
    return why === undefined
      ? { outcome: 'same', shape, rows }
      : { outcome: 'different', why: `${why}\n  by: ${sql}` };
  }

  async close(): Promise<void> {
    await this.asker.close();
    await this.server.close();
  }
}

class ClickHouse {
  private readonly process: LineProcess;

  /** @param folder where its tables are kept, next to the hand-over */
  constructor(module: string, folder: string) {
    this.process = new LineProcess('clickhouse-process.ts', [module, folder]);
  }

  async ask(sql: string): Promise<{ rows: Row[] } | { error: string }> {
    const answer = await this.process.send(sql);
    return JSON.parse(answer) as { rows: Row[] } | { error: string };
  }

  /** Runs statements one after the other: returns the answer of the last. */
  async askAll(script: string): Promise<{ rows: Row[] } | { error: string }> {
    const statements = script.split(/;\n/).filter((sql) => sql !== '');
    let answer: { rows: Row[] } | { error: string } = { rows: [] };
    for (const sql of statements) {
      answer = await this.ask(sql);
      if ('error' in answer) return answer;
    }
    return answer;
  }

  close(): Promise<void> {
    return this.process.close();
  }
}

/** The statements of docs/team.md, with `acme` in the folder of a hand-over. */
function loadingStatements(place: string): string[] {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/team.md'), 'utf8');
  const [, code] = /^## Loading\n[^]*?^```sql\n([^]*?)^```/m.exec(page) ?? [];
  if (code === undefined) throw new Error('docs/team.md says nothing of loading');
  const hasTags = existsSync(path.join(place, 'handed-over/tags'));
  return code
    .split(/;\s*$/m)
    .filter((sql) => sql.trim() !== '' && (hasTags || !sql.includes('TABLE acme.tags')));
}

/**
 * Limited to the number of rows compared; of all columns, only the one that identifies events, and attributes where
 * some are hidden.
 */
function limited(sql: string): string {
  const at = sql.lastIndexOf(';\n', sql.length - 3) + 1;
  return (
    sql.slice(0, at) +
    sql
      .slice(at)
      .replace(
        /^(\n?)SELECT (?:t\.)?\*(?: EXCEPT \([^)]*\))?(?: REPLACE \((.*) AS attributes\))?/,
        (_, before: string, attributes: string | undefined) =>
          `${before}SELECT event_id${attributes === undefined ? '' : `, ${attributes} AS attrs`}`,
      )
      .replace(/(?=\nSETTINGS |;\n$)/, `\nLIMIT ${MOST_ROWS}`)
  );
}

// -- answers ---------------------------------------------------------------------------------------

function differenceOf(answer: unknown, all: readonly Row[], shape: string): string | undefined {
  const records = recordsOf(answer, shape);
  // Without events there are no buckets here, while the case has those of all its days.
  if (shape === 'timeline' && all.length === 0 && records.every(({ count }) => count === 0))
    return undefined;
  // Groups are limited, too, unless the query limits them.
  const rows = records.length === MOST_ROWS ? all.slice(0, MOST_ROWS) : all;
  if (shape === 'timeline' && records.some(({ series }) => series !== undefined))
    return seriesDiffer(records, rows);
  for (let at = 0; at < Math.max(records.length, rows.length); at++) {
    const [want, have] = [records[at], rows[at]];
    if (want !== undefined && have !== undefined && rowsAlike(want, have)) continue;
    return `row ${at} of ${records.length} is ${JSON.stringify(have)} of ${rows.length} instead of ${excerpt(want, have)}`;
  }
  return undefined;
}

function excerpt(want: Row | undefined, have: Row | undefined): string {
  if (want === undefined || have === undefined) return JSON.stringify(want)?.slice(0, 300) ?? '';
  return JSON.stringify(
    Object.fromEntries(Object.keys(have).map((name) => [name, valueIn(want, name)])),
  );
}

function recordsOf(answer: unknown, shape: string): readonly Row[] {
  if (shape === 'rows') return answer as Row[];
  const { rows, buckets, count } = answer as { rows?: Row[]; buckets?: Row[]; count?: number };
  return buckets ?? rows ?? [{ count }];
}

function rowsAlike(want: Row, have: Row): boolean {
  return Object.entries(have).every(([name, value]) =>
    valuesAlike(valueIn(want, name), value, name),
  );
}

/** Chosen attributes may be in `attrs`. */
function valueIn(row: Row, name: string): unknown {
  return name in row ? row[name] : null;
}

/** Names of numbers, by fields. */
const NAMES: Readonly<Record<string, readonly (string | undefined)[]>> = {
  proto: Array.from({ length: 256 }, (_, code) =>
    Object.keys(PROTOCOLS).find((name) => PROTOCOLS[name] === code),
  ),
  severity: SEVERITIES,
  facility: FACILITIES,
  weekday: [undefined, 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
};

/** A number as Daybook shows it in a column, which may be a measure of a field. */
function shownAs(column: string, value: unknown): string {
  const names = NAMES[column.replace(/^\w+\((.*)\)$/, '$1')];
  return names?.[Number(value)] ?? String(value);
}

const BEYOND: Readonly<Record<string, string>> = {
  inf: 'Infinity',
  '-inf': '-Infinity',
  nan: 'NaN',
  '-nan': 'NaN',
};

function valuesAlike(want: unknown, have: unknown, name: string): boolean {
  // An event without tags or attributes has no list or map of them in a case.
  if ((want ?? null) === null && typeof have === 'object' && have !== null)
    return Object.keys(have).length === 0;
  if (want === null || want === undefined || have === null) return (want ?? null) === have;
  if (typeof want === 'object') return isSameMap(want as Row, have);
  if (String(want) === (BEYOND[String(have)] ?? String(have))) return true;
  const code = Number(have);
  if (shownAs(name, have) === want) return true;
  // The source of a renamed field is unknown.
  if (Number.isInteger(have) && Object.values(NAMES).some((names) => names[code] === want))
    return true;
  const time = microsOf(String(have));
  if (typeof want === 'string' && time !== undefined) return microsOf(want) === time;
  const [one, other] = [Number(want), code];
  if (Number.isInteger(one) && Number.isInteger(other)) return one === other;
  return Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other));
}

function isSameMap(want: Row, have: unknown): boolean {
  const map = have as Row;
  const names = new Set([...Object.keys(want), ...Object.keys(map)]);
  return [...names].every((name) => valuesAlike(want[name], map[name], name));
}

/** Epoch microseconds of a time in either notation; digits beyond microseconds are dropped. */
function microsOf(text: string): bigint | undefined {
  const found =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d(?::\d\d)?)?$/.exec(text);
  if (found === null) return undefined;
  const [, day, clock, fraction = '', zone = 'Z'] = found;
  const seconds = Date.parse(`${day}T${clock}${zone}`) / 1000;
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}

/** Times as both write them are one name. */
function seriesAt(start: unknown, name: string): string {
  return `${microsOf(String(start))} ${microsOf(name) ?? name}`;
}

/** Buckets of several series, in any order: missing ones are 0. */
function seriesDiffer(buckets: readonly Row[], rows: readonly Row[]): string | undefined {
  const want = new Map<string, number>();
  for (const { start, series } of buckets)
    for (const [name, value] of Object.entries(series as Row))
      if (value !== 0 && value !== null) want.set(seriesAt(start, name), Number(value));
  const have = new Map<string, number>();
  for (const row of rows) {
    const names = Object.keys(row);
    const [start, key, ...numbers] = names;
    const value = row[key!];
    const shown = value === null ? '' : shownAs(key!, value);
    const at = seriesAt(row[start!], shown);
    const measured = row[numbers.at(-1)!];
    if (measured !== null && Number(measured) !== 0)
      have.set(at, (have.get(at) ?? 0) + Number(measured));
  }
  const differing = [...new Set([...want.keys(), ...have.keys()])].filter(
    (key) => !valuesAlike(want.get(key), have.get(key) ?? null, key),
  );
  const [first] = differing;
  return first === undefined
    ? undefined
    : `${differing.length} buckets differ: ${first} has ${have.get(first)} instead of ${want.get(first)}`;
}
