/**
 * NitroEDB: an event table of one month; the most frequent sources, the destinations of one source and
 * type, counts of five days. Beside MariaDB (both engines, the printed indexes), PostgreSQL, plain
 * DuckDB and ClickHouse.
 */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { warmPages } from '../harness/disk.ts';
import { inputOf } from '../harness/inputs.ts';
import { profileText } from '../harness/profile.ts';
import { DAYBOOK, DAYBOOK_SCAN, Report } from '../harness/report.ts';
import { Scope } from '../harness/scope.ts';
import { timed, warm } from '../harness/timing.ts';
import { ASKED_SOURCE, EVENT_MONTH, EVENT_TYPES, writeEvents } from '../generate/events.ts';
import { startChdb } from '../peers/chdb.ts';
import { DaybookEngine, importCase, profileImport } from '../peers/daybook.ts';
import { startDuckdb } from '../peers/duckdb.ts';
import { startMariadb } from '../peers/mariadb.ts';
import { startPostgres } from '../peers/postgres.ts';
import { Missing, type Store } from '../peers/store.ts';
import { spansText } from '../peers/spans.ts';
import type { ExperimentOptions } from './options.ts';

const GENERATOR = new URL('../generate/events.ts', import.meta.url);
const TYPE = EVENT_TYPES[0];
const DAY_MS = 86_400_000;
/** From the tenth day on. */
const FIVE_DAYS = { from: EVENT_MONTH.from + 9 * DAY_MS, to: EVENT_MONTH.from + 14 * DAY_MS };

const Q1 = 'Q1 top 10 sources of the month';
const Q2 = 'Q2 destinations of one source and type';
const Q3 = 'Q3 counts of five days';
const QUERIES = [Q1, Q2, Q3] as const;

/** How each peer stores and queries the table. Addresses are 32-bit numbers everywhere. */
interface Dialect {
  readonly name: string;
  start(scope: Scope): Promise<Store>;
  /** Statements that create the table. */
  readonly create: readonly string[];
  /** Reads the file, heading and all. */
  load(path: string): string;
  /** After loading. */
  readonly index: readonly string[];
  /** Inserts `rows` with a statement, if the peer is also known for that. */
  insert?(rows: readonly string[][]): string;
  readonly queries: Readonly<Record<(typeof QUERIES)[number], string>>;
}

const text = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
const month = `time >= '${text(EVENT_MONTH.from)}' AND time < '${text(EVENT_MONTH.to)}'`;
const fiveDays = `time >= '${text(FIVE_DAYS.from)}' AND time < '${text(FIVE_DAYS.to)}'`;

function queries(source: string, day: string): Dialect['queries'] {
  return {
    [Q1]: `SELECT ip_source, count(*) n FROM events WHERE ${month} GROUP BY ip_source ORDER BY n DESC LIMIT 10`,
    [Q2]: `SELECT ip_dst, count(*) n FROM events WHERE ip_source = ${source} AND event_type = '${TYPE}' AND ${month} GROUP BY ip_dst ORDER BY n DESC LIMIT 100`,
    [Q3]: `SELECT ${day} d, count(*) n FROM events WHERE ${fiveDays} GROUP BY 1 ORDER BY 1`,
  };
}

/** Dotted text to a number, for peers without a function for it. */
const number = (column: string) =>
  [16_777_216, 65_536, 256, 1]
    .map((factor, i) => `split_part(${column}, '.', ${i + 1})::UINTEGER * ${factor}`)
    .join(' + ');

const mariadb = (engine: 'MyISAM' | 'InnoDB'): Dialect => ({
  name: `MariaDB ${engine}`,
  start: (scope) => startMariadb(engine, scope),
  // The indexes that the paper prints: of the table by time, and by source, type and time.
  create: [
    `CREATE TABLE events (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, ip_source INT UNSIGNED NOT NULL,
      ip_dst INT UNSIGNED NOT NULL, time DATETIME NOT NULL, event_type VARCHAR(16) NOT NULL,
      device_id SMALLINT NOT NULL, protocol VARCHAR(8) NOT NULL,
      KEY by_time (time), KEY by_source (ip_source, event_type, time)) ENGINE=${engine} CHARSET=latin1`,
  ],
  load: (path) =>
    `LOAD DATA LOCAL INFILE '${path}' INTO TABLE events FIELDS TERMINATED BY ',' IGNORE 1 LINES
     (@s, @d, time, event_type, device_id, protocol) SET ip_source = INET_ATON(@s), ip_dst = INET_ATON(@d)`,
  index: ['ANALYZE TABLE events'],
  insert: (rows) =>
    `INSERT INTO events (ip_source, ip_dst, time, event_type, device_id, protocol) VALUES ${rows
      .map(
        ([s, d, t, e, dev, p]) =>
          `(INET_ATON('${s}'),INET_ATON('${d}'),'${t}','${e}',${dev},'${p}')`,
      )
      .join(',')}`,
  queries: queries(`INET_ATON('${ASKED_SOURCE}')`, 'DATE(time)'),
});

const DIALECTS: readonly Dialect[] = [
  {
    name: 'DuckDB',
    start: async (scope) => startDuckdb(scope),
    create: [],
    load: (path) =>
      `CREATE TABLE events AS SELECT row_number() OVER () id, ${number('src_ip')} ip_source, ${number('dst_ip')} ip_dst,
       time, event_type, device_id, protocol FROM read_csv('${path}', columns={'src_ip':'VARCHAR','dst_ip':'VARCHAR',
       'time':'TIMESTAMP','event_type':'VARCHAR','device_id':'USMALLINT','protocol':'VARCHAR'}, header=true)`,
    index: ['CHECKPOINT'],
    queries: queries(`(SELECT ${number(`'${ASKED_SOURCE}'`)})`, 'time::DATE'),
  },
  {
    name: 'ClickHouse (chdb)',
    start: startChdb,
    create: [
      `CREATE TABLE events (id UInt64, ip_source UInt32, ip_dst UInt32, time DateTime('UTC'),
       event_type LowCardinality(String), device_id UInt16, protocol LowCardinality(String))
       ENGINE = MergeTree ORDER BY (time, ip_source)`,
    ],
    load: (path) =>
      `INSERT INTO events SELECT rowNumberInAllBlocks(), IPv4StringToNum(src_ip), IPv4StringToNum(dst_ip), time, event_type,
       device_id, protocol FROM file('${path}', 'CSVWithNames', 'src_ip String, dst_ip String, time DateTime(\\'UTC\\'),
       event_type String, device_id UInt16, protocol String')`,
    index: [],
    queries: queries(`IPv4StringToNum('${ASKED_SOURCE}')`, 'toDate(time)'),
  },
  {
    name: 'PostgreSQL',
    start: startPostgres,
    create: [
      `CREATE UNLOGGED TABLE events (id BIGINT GENERATED ALWAYS AS IDENTITY, ip_source INET, ip_dst INET,
       time TIMESTAMP, event_type TEXT, device_id SMALLINT, protocol TEXT)`,
    ],
    load: (path) =>
      `\\copy events (ip_source, ip_dst, time, event_type, device_id, protocol) FROM '${path}' WITH (FORMAT csv, HEADER true)`,
    index: [
      'CREATE INDEX ON events (time)',
      'CREATE INDEX ON events (ip_source, event_type, time)',
      'VACUUM ANALYZE events',
    ],
    queries: queries(`'${ASKED_SOURCE}'`, 'time::DATE'),
  },
  mariadb('MyISAM'),
  mariadb('InnoDB'),
];

/** Rows of the statement-by-statement insertion. */
const INSERTED = 20_000;
const INSERTED_AT_ONCE = 100;

export async function nitro(options: ExperimentOptions, scope: Scope): Promise<Report> {
  const rows = options.size ?? 1_000_000;
  const report = new Report('nitro', { events: rows });
  const folder = scope.folder();
  const made = inputOf(folder, options.inputs, GENERATOR, `events-${rows}.csv`, (path) =>
    writeEvents(path, rows),
  );
  const { file } = made;
  report.input['MB'] = Math.round(made.bytes / 1e6);
  report.input['sha256'] = made.sha256.slice(0, 12);
  await warmPages([file]);
  const answers = await ofDaybook(report, folder, file, rows, options, scope);
  for (const dialect of DIALECTS) {
    if (!options.wanted(dialect.name)) continue;
    try {
      await ofPeer(report, dialect, file, rows, options.runs, answers);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      report.note(`${dialect.name}: ${error instanceof Missing ? '' : 'failed: '}${why}`);
    }
  }
  return report;
}

const INSERTION = 'insertion, whole file';
const IMPORT_CPU = 'processor time of the insertion';
const MEMORY = 'memory, peak';
const IMPORT_MEMORY = 'memory while importing, peak';
const DISK = 'disk';

async function ofDaybook(
  report: Report,
  folder: string,
  file: string,
  rows: number,
  { runs, scan }: ExperimentOptions,
  scope: Scope,
): Promise<Map<string, string>> {
  const store = join(folder, 'events.daybook');
  const imported = await importCase(store, [file]);
  if (imported.stored !== rows) report.note(`Daybook stored ${imported.stored} of ${rows} events`);
  report.add(INSERTION, 'rows/s', DAYBOOK, { value: (rows / imported.ms) * 1000 }, 'more');
  report.add(IMPORT_CPU, 's', DAYBOOK, { value: imported.cpuMs / 1000 });
  report.add(IMPORT_MEMORY, 'MB', DAYBOOK, { value: imported.peakMemory / 1e6 });
  const engine = new DaybookEngine(store, scope);
  report.add(DISK, 'MB', DAYBOOK, { value: engine.bytes() / 1e6 });
  const monthRange = { from: EVENT_MONTH.from * 1000, to: EVENT_MONTH.to * 1000 };
  const asked = {
    [Q1]: { query: '* | top 10 src_ip', range: monthRange },
    [Q2]: {
      query: `src_ip:${ASKED_SOURCE} event_type:${TYPE} | top 100 dst_ip`,
      range: monthRange,
    },
    [Q3]: {
      query: '* | timeline 1d',
      range: { from: FIVE_DAYS.from * 1000, to: FIVE_DAYS.to * 1000 },
    },
  };
  const answers = new Map<string, string>();
  const paths: string[] = [];
  for (const name of QUERIES) {
    const { query, range } = asked[name];
    let spans: Record<string, number> = {};
    report.commands[`Daybook ${name}`] = query;
    const cell = await warm(runs, async () => {
      await engine.forget();
      const { ms, rows: found, timings } = await engine.query(query, range);
      // A top has its share and its total after the count.
      answers.set(name, JSON.stringify(found.map((row) => Number(row[1]))));
      paths.push(`${name.slice(0, 2)} ${timings.path}`);
      ({ spans } = timings);
      return ms;
    });
    report.add(`${name}, warm`, 'ms', DAYBOOK, cell);
    if (scan) {
      const slow = await warm(runs, async () => {
        const found = await engine.query(query, { ...range, path: 'scan' });
        const counts = JSON.stringify(found.rows.map((row) => Number(row[1])));
        if (counts !== answers.get(name)) report.note(`${name}: a scan finds ${counts}`);
        return found.ms;
      });
      report.add(`${name}, warm`, 'ms', DAYBOOK_SCAN, slow);
    }
    const summary = await engine.profile({ do: 'query', query, ...range }, runs);
    report.note(`${name.slice(0, 2)}: ${spansText(spans)}; ${profileText(summary)}.`);
  }
  for (const name of QUERIES) {
    await engine.cold();
    const { query, range } = asked[name];
    report.add(`${name}, cold`, 'ms', DAYBOOK, { value: (await engine.query(query, range)).ms });
  }
  report.add(MEMORY, 'MB', DAYBOOK, { value: engine.peakMemory() / 1e6 });
  report.note(`Daybook's paths: ${[...new Set(paths)].join(', ')}.`);
  report.note(
    'Cold: pages of the store dropped (posix_fadvise), a new process (servers restarted), its first question.',
  );
  await engine.close();
  const profiled = join(folder, 'profiled.daybook');
  for (const text of await profileImport(profiled, [file])) report.note(text);
  return answers;
}

async function ofPeer(
  report: Report,
  dialect: Dialect,
  file: string,
  rows: number,
  runs: number,
  answers: ReadonlyMap<string, string>,
): Promise<void> {
  const scope = new Scope();
  try {
    const store = await dialect.start(scope);
    const { name } = store;
    report.versions[name] = await store.version();
    for (const statement of dialect.create) await store.ask(statement);
    const load = dialect.load(file);
    report.commands[`${name} load`] = [...dialect.create, load, ...dialect.index].join(';\n');
    const before = store.cpuMs();
    const took = await timed(async () => {
      await store.ask(load);
      for (const statement of dialect.index) await store.ask(statement);
    });
    report.add(INSERTION, 'rows/s', name, { value: (rows / took) * 1000 }, 'more');
    report.add(IMPORT_CPU, 's', name, { value: (store.cpuMs() - before) / 1000 });
    report.add(DISK, 'MB', name, { value: store.bytes() / 1e6 });
    report.add(IMPORT_MEMORY, 'MB', name, { value: store.peakMemory() / 1e6 });
    for (const query of QUERIES) {
      const statement = dialect.queries[query];
      report.commands[`${name} ${query}`] = statement;
      const cell = await warm(runs, async () => {
        const { ms, rows: found } = await store.ask(statement);
        const counts = JSON.stringify(found.map((row) => Number(row[1])));
        if (counts !== answers.get(query))
          throw new Error(
            `${query}: another answer than Daybook's: ${counts.slice(0, 100)} ${answers.get(query)?.slice(0, 100)}`,
          );
        return ms;
      });
      report.add(`${query}, warm`, 'ms', name, cell);
    }
    for (const query of QUERIES) {
      await store.cold();
      const { ms } = await store.ask(dialect.queries[query]);
      report.add(`${query}, cold`, 'ms', name, { value: ms });
    }
    report.add(MEMORY, 'MB', name, { value: store.peakMemory() / 1e6 });
    if (dialect.insert !== undefined) await insertSome(report, dialect.insert, store, file);
  } finally {
    await scope.close();
  }
}

/** As NitroEDB inserted: a hundred rows a statement, here into the existing indexed table. */
async function insertSome(
  report: Report,
  insert: (rows: readonly string[][]) => string,
  store: Store,
  file: string,
): Promise<void> {
  const lines = (await firstLines(file, INSERTED + 1)).slice(1).map((line) => line.split(','));
  let ms = 0;
  for (let at = 0; at < lines.length; at += INSERTED_AT_ONCE)
    ms += (await store.ask(insert(lines.slice(at, at + INSERTED_AT_ONCE)))).ms;
  const name = `insertion, ${INSERTED_AT_ONCE} rows a statement`;
  report.add(name, 'rows/s', store.name, { value: (lines.length / ms) * 1000 }, 'more');
}

async function firstLines(path: string, count: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    lines.push(line);
    if (lines.length >= count) break;
  }
  return lines;
}
