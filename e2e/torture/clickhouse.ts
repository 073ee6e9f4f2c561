/**
 * Random queries on cases, and on ClickHouse that has loaded what they hand over, by the SQL that `daybook sql --dialect
 * clickhouse` prints: rows, counts, tops, timelines and tables must be the same. What is refused is counted by its reason.
 * Where there is no chdb the attack says so: `DAYBOOK_CHDB` names its module.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { nameOf } from '../../engine/query/filters/names.ts';
import { clickhouseModule, whyNot } from '../provision/index.ts';
import type { Attack, Prepared, Run } from './attack.ts';
import { Asker, type Question } from './asker.ts';
import { questionedCases, vocabulary } from './cases.ts';
import { daybook } from './command.ts';
import { Grammar, simpler, textOf, type Query, type Vocabulary } from './grammar.ts';
import { LineProcess } from './line-process.ts';

type Row = Readonly<Record<string, unknown>>;

/** Rows of events that are compared. */
const MOST_ROWS = 300;
const MOST_SIMPLER = 200;
/** Queries that are made until one has a translation. */
const MOST_TRIED = 12;

interface Loaded {
  readonly name: string;
  readonly folder: string;
  readonly asker: Asker;
  readonly words: Vocabulary;
  readonly server: ClickHouse;
}

class ClickHouse {
  private readonly process: LineProcess;

  /** @param folder where its tables are kept, beside what was handed over */
  constructor(module: string, folder: string) {
    this.process = new LineProcess('clickhouse-process.ts', module, folder);
  }

  async ask(sql: string): Promise<{ rows: Row[] } | { error: string }> {
    const answer = await this.process.send(sql);
    return JSON.parse(answer) as { rows: Row[] } | { error: string };
  }

  close(): Promise<void> {
    return this.process.close();
  }
}

export const clickhouse: Attack = {
  name: 'clickhouse',
  unit: 'queries',
  runs: { short: 20, usual: 1000, long: 10_000 },
  async prepare(folder, seed, size): Promise<Prepared | string> {
    const module = clickhouseModule();
    if (module === undefined) return whyNot('clickhouse') ?? 'there is no chdb';
    const loaded: Loaded[] = [];
    for (const { name, folder: at } of await questionedCases(folder, seed, size)) {
      const place = path.join(folder, `clickhouse-${name}`);
      mkdirSync(place);
      const { status, err } = await daybook(['hand-over', at, path.join(place, 'handed-over')]);
      if (status !== 0) throw new Error(`hand-over fails: ${err}`);
      const server = new ClickHouse(module, place);
      for (const sql of loadingStatements(place)) {
        const made = await server.ask(sql);
        if ('error' in made) throw new Error(`${sql}: ${made.error}`);
      }
      const asker = new Asker(at);
      loaded.push({ name, folder: at, asker, server, words: await vocabulary(asker) });
    }
    return {
      close: async () => {
        for (const { asker, server } of loaded) {
          await asker.close();
          await server.close();
        }
      },
      async run(run) {
        const { random } = run;
        const one = loaded[random.below(loaded.length)]!;
        const grammar = new Grammar(random, one.words);
        for (let tried = 0; tried < MOST_TRIED; tried++) {
          const made = grammar.query();
          const { list: _, ...asked } = made.asked;
          const query = { ...made, asked };
          const difference = await compare(one, query, run);
          if (difference === 'refused') continue;
          run.tally(`asked of the ${one.name} case`);
          if (difference === undefined) return;
          const small = await shrink(one, query);
          const shown = (await compare(one, small)) ?? difference;
          return run.fail(
            `${one.folder}: ${question(small)}\n  ${shown}\n  at first: ${question(query)}`,
          );
        }
        run.tally('nothing of many had a translation');
      },
    };
  },
};

/** What docs/team.md says, with `acme` in the folder of a hand-over. */
function loadingStatements(place: string): string[] {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/team.md'), 'utf8');
  const [, code] = /^## Loading\n[^]*?^```sql\n([^]*?)^```/m.exec(page) ?? [];
  if (code === undefined) throw new Error('docs/team.md says nothing of loading');
  const hasTags = existsSync(path.join(place, 'handed-over/tags'));
  return code
    .split(/;\s*$/m)
    .filter((sql) => sql.trim() !== '' && (hasTags || !sql.includes('TABLE acme.tags')));
}

function asQuestion({ asked, ...query }: Query): Question {
  const { limit: _, ...rest } = asked;
  return { ...rest, text: textOf({ ...query, asked }) };
}
const question = (query: Query): string => JSON.stringify(asQuestion(query));

async function shrink(one: Loaded, failing: Query): Promise<Query> {
  let smallest = failing;
  let tried = 0;
  for (let found = true; found;) {
    found = false;
    for (const less of simpler(smallest)) {
      if (++tried > MOST_SIMPLER) return smallest;
      const difference = await compare(one, less);
      if (difference === undefined || difference === 'refused') continue;
      smallest = less;
      found = true;
      break;
    }
  }
  return smallest;
}

/** What differs between the case and ClickHouse; undefined: nothing. */
async function compare(
  { asker, server }: Loaded,
  query: Query,
  run?: Run,
): Promise<string | undefined> {
  const asked = asQuestion(query);
  const translated = await asker.ask({ ...asked, translate: 'acme' });
  if (translated.error === 'unexpected') return `an unexpected error: ${translated.answer}`;
  if (translated.error !== undefined) {
    run?.tally(`refused: ${reasonOf(translated.answer)}`);
    return 'refused';
  }
  const answered = await asker.ask({ ...asked, limit: MOST_ROWS });
  if (answered.error !== undefined) {
    run?.tally(`the case refuses: ${answered.error}`);
    return 'refused';
  }
  const { shape = 'rows' } = answered;
  const sql = shape === 'rows' ? limited(translated.answer) : translated.answer;
  const found = await server.ask(sql);
  if ('error' in found) return `${found.error.slice(0, 500)}\n  by: ${sql}`;
  const difference = differenceOf(JSON.parse(answered.answer), found.rows, shape);
  if (difference !== undefined) return `${difference}\n  by: ${sql}`;
  run?.tally(`the same: ${shape}`);
  if (answered.rows > 0) run?.tally('the same, with rows');
  return undefined;
}

function reasonOf(answer: string): string {
  return answer
    .replace(/ {2}.*/s, '')
    .replace(/^usage: /, '')
    .replace(/ has no translation.*/s, '')
    .replace(/\(column \d+\)|".*"/g, '')
    .replace(/^the (filter|expression|attribute|field) .*/s, 'the $1 …')
    .replace(/ (of|in) .*/s, ' $1 …')
    .slice(0, 60);
}

/** As many rows as are compared; of all columns, the one that tells events apart. */
function limited(sql: string): string {
  return sql
    .replace(/^SELECT \*/, 'SELECT event_id')
    .replace(/(?=\nSETTINGS |;\n$)/, `\nLIMIT ${MOST_ROWS}`);
}

// -- answers ---------------------------------------------------------------------------------------

function differenceOf(answer: unknown, all: readonly Row[], shape: string): string | undefined {
  const records = recordsOf(answer, shape);
  // Groups are cut, too, but for those of which the query says how many.
  const rows = records.length === MOST_ROWS ? all.slice(0, MOST_ROWS) : all;
  if (shape === 'timeline' && records.some(({ series }) => series !== undefined))
    return seriesDiffer(records, rows);
  // Of a timeline that finds nothing, ClickHouse has no buckets (docs/team.md).
  const isNothing = shape === 'timeline' && records.every(({ count }) => count === 0);
  if (isNothing && rows.length === 0) return undefined;
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

/** Attributes that were chosen may lie among `attrs`. */
function valueIn(row: Row, name: string): unknown {
  return name in row ? row[name] : null;
}

const SETS = ['proto', 'severity', 'facility', 'weekday'] as const;

function valuesAlike(want: unknown, have: unknown, name: string): boolean {
  if (want === null || want === undefined || have === null) return (want ?? null) === have;
  if (typeof want === 'object') return isSameMap(want as Row, have);
  if (String(want) === String(have)) return true;
  const set = SETS.find((one) => name.replace(/^\w+\((.*)\)$/, '$1') === one);
  const code = Number(have);
  if (set !== undefined && Number.isInteger(code)) return nameOf(set, code) === want;
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

/** Epoch microseconds of a time as either writes it; what is beyond microseconds is left out. */
function microsOf(text: string): bigint | undefined {
  const found =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d(?::\d\d)?)?$/.exec(text);
  if (found === null) return undefined;
  const [, day, clock, fraction = '', zone = 'Z'] = found;
  const seconds = Date.parse(`${day}T${clock}${zone}`) / 1000;
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}

/** Buckets of several series, in whatever order: what is not there is 0. */
function seriesDiffer(buckets: readonly Row[], rows: readonly Row[]): string | undefined {
  const want = new Map<string, number>();
  for (const { start, series } of buckets)
    for (const [name, value] of Object.entries(series as Row))
      if (value !== 0 && value !== null)
        want.set(`${microsOf(String(start))} ${name}`, Number(value));
  const have = new Map<string, number>();
  for (const row of rows) {
    const names = Object.keys(row);
    const [start, key, ...numbers] = names;
    const set = SETS.find((one) => one === key);
    const value = row[key!];
    const time = typeof value === 'string' ? microsOf(value) : undefined;
    const shown =
      value === null ? '' : set === undefined ? String(value) : nameOf(set, Number(value));
    // A text may look like a time.
    const place = String(microsOf(String(row[start!])));
    const isText = time === undefined || want.has(`${place} ${shown}`);
    const at = `${place} ${isText ? shown : time}`;
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
