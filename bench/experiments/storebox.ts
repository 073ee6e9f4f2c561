/**
 * Store Box: messages searched by word while more arrive. Every search is run twice: its count alone, which grep
 * can answer, and the content of a window, 30 bars and the first 200 rows. Compared with plain DuckDB, ClickHouse,
 * SQLite FTS5, ripgrep, zgrep and lnav.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { bytesBelow, dropPages, warmPages } from '../harness/disk.ts';
import { inputOf } from '../harness/inputs.ts';
import { needProgram } from '../harness/packages.ts';
import { profileText } from '../harness/profile.ts';
import { DAYBOOK, DAYBOOK_SCAN, Report, type Cell } from '../harness/report.ts';
import { Scope } from '../harness/scope.ts';
import { percentile, warm } from '../harness/timing.ts';
import { Marked, MESSAGE_WEEK, writeMessages } from '../generate/messages.ts';
import { startChdb } from '../peers/chdb.ts';
import { DaybookEngine, importCase, profileImport } from '../peers/daybook.ts';
import { startDuckdb } from '../peers/duckdb.ts';
import { startFts5 } from '../peers/fts5.ts';
import { Missing, type Store } from '../peers/store.ts';
import { spansText } from '../peers/spans.ts';
import { measure } from '../process.ts';
import type { ExperimentOptions } from './options.ts';

const GENERATOR = new URL('../generate/messages.ts', import.meta.url);
const ACCOUNT = 'user1500';
const BARS = 30;
const FIRST = 200;

/** One search in every program's syntax. Undefined where a program cannot express it. */
interface Search {
  readonly name: string;
  readonly daybook: string;
  /** DuckDB's condition. */
  readonly duckdb: string;
  /** ClickHouse's, on the lower-case message that its index covers. */
  readonly clickhouse: string;
  readonly fts5?: string;
  /** Arguments of ripgrep; zgrep takes the same. */
  readonly grep?: readonly string[];
  /** Also run cold. */
  readonly cold?: boolean;
}

const has = (word: string) => `hasToken(lower(message), '${word}')`;
const like = (pattern: string) => `message ILIKE '${pattern}'`;
const word = (text: string): readonly string[] => ['-c', '-i', '-w', text];

const SEARCHES: readonly Search[] = [
  { name: 'everything', daybook: '', duckdb: 'true', clickhouse: 'true', cold: true },
  {
    name: 'rare word',
    daybook: Marked.rare,
    duckdb: like(`%${Marked.rare}%`),
    clickhouse: has(Marked.rare),
    fts5: Marked.rare,
    grep: word(Marked.rare),
    cold: true,
  },
  {
    name: 'frequent word',
    daybook: Marked.frequent,
    duckdb: like(`%${Marked.frequent}%`),
    clickhouse: has(Marked.frequent),
    fts5: Marked.frequent,
    grep: word(Marked.frequent),
    cold: true,
  },
  {
    name: 'absent word',
    daybook: 'zzyzx',
    duckdb: like('%zzyzx%'),
    clickhouse: has('zzyzx'),
    fts5: 'zzyzx',
    grep: word('zzyzx'),
  },
  {
    name: 'appl*',
    daybook: 'appl*',
    duckdb: like('% appl%'),
    clickhouse: `message ILIKE '% appl%'`,
    fts5: 'appl*',
    grep: ['-c', '-i', '\\bappl'],
    cold: true,
  },
  {
    name: '*pple',
    daybook: '*pple',
    duckdb: like('%pple-%'),
    clickhouse: `message ILIKE '%pple-%'`,
    grep: ['-c', '-i', 'pple\\b'],
    cold: true,
  },
  {
    name: '*?',
    daybook: '*?',
    duckdb: `regexp_matches(message, '\\w')`,
    clickhouse: `match(message, '\\\\w')`,
    grep: ['-c', '\\w'],
  },
  {
    name: 'NOT',
    daybook: `NOT ${Marked.frequent}`,
    duckdb: `NOT ${like(`%${Marked.frequent}%`)}`,
    clickhouse: `NOT ${has(Marked.frequent)}`,
    grep: ['-v', ...word(Marked.frequent)],
  },
  {
    name: 'OR',
    daybook: `${Marked.frequent} OR ${Marked.usual}`,
    duckdb: `(${like(`%${Marked.frequent}%`)} OR ${like(`%${Marked.usual}%`)})`,
    clickhouse: `(${has(Marked.frequent)} OR ${has(Marked.usual)})`,
    fts5: `${Marked.frequent} OR ${Marked.usual}`,
    grep: ['-c', '-i', '-w', '-e', Marked.frequent, '-e', Marked.usual],
  },
  {
    name: 'AND',
    daybook: `${Marked.frequent} ${ACCOUNT}`,
    duckdb: `${like(`%${Marked.frequent}%`)} AND ${like(`%${ACCOUNT} %`)}`,
    clickhouse: `${has(Marked.frequent)} AND ${has(ACCOUNT)}`,
    fts5: `${Marked.frequent} AND ${ACCOUNT}`,
    cold: true,
  },
  {
    name: 'phrase',
    daybook: `"invalid user ${ACCOUNT}"`,
    duckdb: like(`%invalid user ${ACCOUNT} %`),
    clickhouse: `${has('invalid')} AND ${has(ACCOUNT)} AND message ILIKE '%invalid user ${ACCOUNT} %'`,
    grep: word(`invalid user ${ACCOUNT}`),
  },
];

const STATISTICS = [
  { name: 'top 10 hosts', daybook: '* | top 10 host', where: SEARCHES[0]!, by: 'host' },
  {
    name: 'top 10 hosts of a frequent word',
    daybook: `${Marked.frequent} | top 10 host`,
    where: SEARCHES[2]!,
    by: 'host',
  },
  { name: 'top 10 programs', daybook: '* | top 10 program', where: SEARCHES[0]!, by: 'program' },
];

const count = (name: string) => `${name}: count`;
const look = (name: string) => `${name}: ${BARS} bars, ${FIRST} rows`;
const IMPORT = 'import';
const DISK = 'disk, index and text';
const IMPORT_CPU = 'processor time of the import';
const MEMORY = 'memory while importing, peak';

/** Operations of a peer that speaks SQL. */
interface SqlPeer {
  readonly name: string;
  start(scope: Scope): Promise<Store>;
  load(path: string): readonly string[];
  where(search: Search): string;
  /** Number of the bar that a time falls into. */
  readonly bar: string;
}

const BAR_SECONDS = (MESSAGE_WEEK.to - MESSAGE_WEEK.from) / 1000 / BARS;

const SQL_PEERS: readonly SqlPeer[] = [
  {
    name: 'DuckDB',
    start: async (scope) => startDuckdb(scope),
    load: (path) => [
      `CREATE TABLE log AS SELECT l[1:24]::TIMESTAMP AS ts, split_part(l, ' ', 2) AS host,
       split_part(split_part(split_part(l, ' ', 3), '[', 1), ':', 1) AS program, l[26 + length(split_part(l, ' ', 2)):] AS message
       FROM (SELECT * FROM read_csv('${path}', columns={'l':'VARCHAR'}, delim='\u0001', quote='', escape='', header=false, auto_detect=false))`,
      'CHECKPOINT',
    ],
    where: ({ duckdb }) => duckdb,
    bar: `epoch(ts - TIMESTAMP '2026-10-01')::BIGINT // ${BAR_SECONDS}`,
  },
  {
    name: 'ClickHouse (chdb)',
    start: startChdb,
    load: (path) => [
      `CREATE TABLE log (ts DateTime64(3, 'UTC'), host LowCardinality(String), program LowCardinality(String), message String,
       INDEX words lower(message) TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 1) ENGINE = MergeTree ORDER BY ts`,
      `INSERT INTO log SELECT parseDateTime64BestEffort(substring(line, 1, 24), 3, 'UTC'), splitByChar(' ', line)[2] AS h,
       splitByChar(':', splitByChar('[', splitByChar(' ', line)[3])[1])[1], substring(line, 26 + length(h))
       FROM file('${path}', 'LineAsString', 'line String')`,
    ],
    where: ({ clickhouse }) => clickhouse,
    bar: `intDiv(toUnixTimestamp(ts) - ${MESSAGE_WEEK.from / 1000}, ${BAR_SECONDS})`,
  },
];

export async function storebox(options: ExperimentOptions, scope: Scope): Promise<Report> {
  const lines = options.size ?? 1_000_000;
  const report = new Report('storebox', { messages: lines });
  const folder = scope.folder();
  const made = inputOf(folder, options.inputs, GENERATOR, `messages-${lines}.log`, (path) =>
    writeMessages(path, lines),
  );
  const { file } = made;
  report.input['MB'] = Math.round(made.bytes / 1e6);
  report.input['sha256'] = made.sha256.slice(0, 12);
  if (made.bytes < freemem()) await warmPages([file]);
  else report.note('The input is larger than the memory that is free: it is read from the disk.');
  const run: Run = {
    report,
    file,
    lines,
    bytes: made.bytes,
    runs: options.runs,
    scan: options.scan,
    counts: new Map(),
    tops: new Map(),
  };
  await ofDaybook(run, folder, scope);
  const peers: [string, () => Promise<void>][] = [
    ...SQL_PEERS.map((peer): [string, () => Promise<void>] => [peer.name, () => ofSql(run, peer)]),
    ['SQLite FTS5', () => ofFts5(run)],
    ['ripgrep', () => ofRipgrep(run)],
    ['zgrep', () => ofZgrep(run, folder)],
    ['lnav', () => ofLnav(run)],
  ];
  for (const [name, work] of peers) {
    if (!options.wanted(name)) continue;
    try {
      await work();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      report.note(`${name}: ${error instanceof Missing ? '' : 'failed: '}${why}`);
    }
  }
  return report;
}

interface Run {
  readonly report: Report;
  readonly file: string;
  readonly lines: number;
  readonly bytes: number;
  readonly runs: number;
  readonly scan: boolean;
  /** Daybook's counts, by search. */
  readonly counts: Map<string, number>;
  /** The counts of its tops, by their name. */
  readonly tops: Map<string, string>;
}

interface Looked {
  readonly ms: number;
  readonly rowsMs: number;
  readonly total: number;
  readonly bars: number;
  readonly path: string;
}

async function ofDaybook(run: Run, folder: string, scope: Scope): Promise<void> {
  const { report, file, lines, runs, counts } = run;
  const store = join(folder, 'messages.daybook');
  const imported = await importCase(store, [file]);
  if (imported.stored !== lines) report.note(`Daybook stored ${imported.stored} of ${lines} lines`);
  report.add(IMPORT, 'lines/s', DAYBOOK, { value: (lines / imported.ms) * 1000 }, 'more');
  report.add(IMPORT_CPU, 's', DAYBOOK, { value: imported.cpuMs / 1000 });
  report.add(MEMORY, 'MB', DAYBOOK, { value: imported.peakMemory / 1e6 });
  const engine = new DaybookEngine(store, scope);
  report.add(DISK, 'bytes/message', DAYBOOK, share(run, engine.bytes()));
  const ask = (search: Search) =>
    engine.ask<Looked>({ do: 'look', query: search.daybook, bars: BARS, first: FIRST });
  const paths = new Map<string, string>();
  for (const search of SEARCHES) {
    report.commands[`Daybook ${search.name}`] = search.daybook;
    const text = `${search.daybook} | count`;
    let spans: Record<string, number> = {};
    const counted = await warm(runs, async () => {
      await engine.forget();
      const { ms, rows, timings } = await engine.query(text);
      counts.set(search.name, Number(rows[0]?.[0]));
      paths.set(search.name, timings.path ?? '');
      ({ spans } = timings);
      return ms;
    });
    const note = (counts.get(search.name) ?? 0).toLocaleString('en-US');
    report.add(`${count(search.name)}, warm`, 'ms', DAYBOOK, { ...counted, note });
    if (run.scan) {
      const slow = await warm(runs, async () => {
        const { ms, rows } = await engine.query(text, { path: 'scan' });
        if (rows[0]?.[0] !== counts.get(search.name))
          report.note(`Daybook, ${search.name}: a scan counts ${rows[0]?.[0]}, not ${note}`);
        return ms;
      });
      report.add(`${count(search.name)}, warm`, 'ms', DAYBOOK_SCAN, slow);
    }
    const looked = await warm(runs, async () => {
      await engine.forget();
      const { rows } = await ask(search);
      if (rows.total !== counts.get(search.name) || rows.bars !== rows.total)
        report.note(
          `Daybook, ${search.name}: list ${rows.total}, bars ${rows.bars}, count ${note}`,
        );
      return rows.ms;
    });
    report.add(`${look(search.name)}, warm`, 'ms', DAYBOOK, looked);
    if (search.cold !== true) continue;
    const asked = { do: 'look', query: search.daybook, bars: BARS, first: FIRST } as const;
    const summary = await engine.profile(asked, runs);
    report.note(`${search.name}: count ${spansText(spans)}; look, ${profileText(summary)}.`);
  }
  for (const { name, daybook } of STATISTICS) {
    const cell = await warm(runs, async () => {
      await engine.forget();
      const { ms, rows } = await engine.query(daybook);
      run.tops.set(name, JSON.stringify(rows.map((row) => Number(row[1]))));
      return ms;
    });
    report.add(`${name}, warm`, 'ms', DAYBOOK, cell);
  }
  for (const search of SEARCHES) {
    if (search.cold !== true) continue;
    await engine.cold();
    report.add(`${look(search.name)}, cold`, 'ms', DAYBOOK, { value: (await ask(search)).rows.ms });
    if (search.grep === undefined) continue;
    await engine.cold();
    const { ms } = await engine.query(`${search.daybook} | count`);
    report.add(`${count(search.name)}, cold`, 'ms', DAYBOOK, { value: ms });
  }
  report.note(
    `Daybook's paths: ${[...paths].map(([name, path]) => `${name} ${path}`).join(', ')}.`,
  );
  report.add('memory while searching, peak', 'MB', DAYBOOK, { value: engine.peakMemory() / 1e6 });
  await usersWhileImporting(run, engine, folder);
  await engine.close();
  let profiled = file;
  if (lines > MOST_PROFILED) {
    profiled = join(folder, 'profiled.log');
    writeMessages(profiled, MOST_PROFILED);
    report.note(`Profiles of the import are of ${MOST_PROFILED.toLocaleString('en-US')} lines.`);
  }
  for (const text of await profileImport(join(folder, 'profiled.daybook'), [profiled]))
    report.note(text);
}

/** Lines of a profiled import: beyond this, the profile is as large as the input. */
const MOST_PROFILED = 10_000_000;
/** Maximum number of lines that arrive while users search: enough for as long as they do. */
const MOST_ARRIVING = 2_500_000;
const USERS = [1, 8, 29];
const USERS_MS = 6_000;
const PATIENCE_MS = 20_000;

/** Users who run one search after the other, while another process imports a quarter more, or 2.5 million. */
async function usersWhileImporting(run: Run, engine: DaybookEngine, folder: string): Promise<void> {
  const { report } = run;
  const queries = SEARCHES.filter(({ name }) => name !== '*?').map(({ daybook }) => daybook);
  for (const [turn, users] of USERS.entries()) {
    const file = join(folder, `more-${users}.log`);
    const lines = Math.min(Math.ceil(run.lines / 4), MOST_ARRIVING);
    writeMessages(file, lines, 100 + turn, 0.5);
    const [asked, imported] = await Promise.all([
      engine.ask<{ took: number[]; failed: string[]; gaveUp: number }>({
        ...{ do: 'users', queries, users, ms: USERS_MS },
        patienceMs: PATIENCE_MS,
      }),
      importCase(engine.folder, [file]),
    ]);
    const { took, failed, gaveUp } = asked.rows;
    const title = `${users} users while logs are imported`;
    report.add(`${title}: median look`, 'ms', DAYBOOK, { value: percentile(took, 0.5) });
    report.add(`${title}: 95 % of looks`, 'ms', DAYBOOK, { value: percentile(took, 0.95) });
    report.add(
      `${title}: looks`,
      '1/s',
      DAYBOOK,
      { value: took.length / (USERS_MS / 1000) },
      'more',
    );
    report.add(
      `${title}: import`,
      'lines/s',
      DAYBOOK,
      { value: (lines / imported.ms) * 1000 },
      'more',
    );
    if (gaveUp > 0)
      report.note(`${title}: ${gaveUp} looks took more than ${PATIENCE_MS / 1000} s.`);
    if (failed.length > 0) report.note(`${title}: ${failed.length} looks failed: ${failed[0]}`);
  }
}

const share = ({ lines, bytes }: Run, stored: number): Cell => ({
  value: stored / lines,
  note: `${Math.round((100 * stored) / bytes)} % of the text`,
});

/** A program with another count does something else, and is not compared. */
function check(run: Run, search: Search, found: number, program: string): void {
  const expected = run.counts.get(search.name);
  if (found !== expected)
    throw new Error(`${program} counts ${found} for ${search.name}, Daybook ${expected}`);
}

async function ofSql(run: Run, peer: SqlPeer): Promise<void> {
  const scope = new Scope();
  const { report, file, runs, lines } = run;
  try {
    const store = await peer.start(scope);
    const { name } = store;
    report.versions[name] = await store.version();
    let loadMs = 0;
    for (const statement of peer.load(file)) loadMs += (await store.ask(statement)).ms;
    report.commands[`${name} load`] = peer.load(file).join(';\n');
    report.add(IMPORT, 'lines/s', name, { value: (lines / loadMs) * 1000 }, 'more');
    report.add(IMPORT_CPU, 's', name, { value: store.cpuMs() / 1000 });
    report.add(MEMORY, 'MB', name, { value: store.peakMemory() / 1e6 });
    const lookAt = async (where: string) => {
      const bars = await store.ask(
        `SELECT ${peer.bar} b, count(*) FROM log WHERE ${where} GROUP BY b ORDER BY b`,
      );
      const rows = await store.ask(
        `SELECT ts, host, program, message FROM log WHERE ${where} ORDER BY ts DESC LIMIT ${FIRST}`,
      );
      return bars.ms + rows.ms;
    };
    for (const search of SEARCHES) {
      const where = peer.where(search);
      report.commands[`${name} ${search.name}`] = where;
      const counted = await warm(runs, async () => {
        const { ms, rows } = await store.ask(`SELECT count(*) FROM log WHERE ${where}`);
        check(run, search, Number(rows[0]?.[0]), name);
        return ms;
      });
      report.add(`${count(search.name)}, warm`, 'ms', name, counted);
      const looked = await warm(runs, () => lookAt(where));
      report.add(`${look(search.name)}, warm`, 'ms', name, looked);
    }
    for (const { name: title, where, by } of STATISTICS) {
      const statement = `SELECT ${by}, count(*) n FROM log WHERE ${peer.where(where)} GROUP BY ${by} ORDER BY n DESC LIMIT 10`;
      const cell = await warm(runs, async () => {
        const { ms, rows } = await store.ask(statement);
        const counts = JSON.stringify(rows.map((row) => Number(row[1])));
        if (counts !== run.tops.get(title))
          throw new Error(`${title}: not Daybook's answer: ${counts}`);
        return ms;
      });
      report.add(`${title}, warm`, 'ms', name, cell);
    }
    for (const search of SEARCHES) {
      if (search.cold !== true) continue;
      await store.cold();
      report.add(`${look(search.name)}, cold`, 'ms', name, {
        value: await lookAt(peer.where(search)),
      });
    }
    report.add(DISK, 'bytes/message', name, share(run, store.bytes()));
    report.add('memory while searching, peak', 'MB', name, { value: store.peakMemory() / 1e6 });
  } finally {
    await scope.close();
  }
}

/** FTS5 reads a line at a time; beyond this many, only a part of them is measured. */
const MOST_FTS5_LINES = 5_000_000;

async function ofFts5(run: Run): Promise<void> {
  const scope = new Scope();
  const { report, file, runs, lines } = run;
  if (lines > MOST_FTS5_LINES) {
    report.note(
      `SQLite FTS5: left out beyond ${MOST_FTS5_LINES} messages, which take a minute to index.`,
    );
    return;
  }
  try {
    const store = startFts5(scope);
    const { name } = store;
    report.versions[name] = await store.version();
    const { ms } = await store.ask(`.index ${file}`);
    report.add(IMPORT, 'lines/s', name, { value: (lines / ms) * 1000 }, 'more');
    report.add(IMPORT_CPU, 's', name, { value: store.cpuMs() / 1000 });
    report.add(MEMORY, 'MB', name, { value: store.peakMemory() / 1e6 });
    report.add(DISK, 'bytes/message', name, {
      value: (store.bytes() + run.bytes) / lines,
      note: `index ${Math.round(store.bytes() / lines)}, and the log as it is`,
    });
    for (const search of SEARCHES) {
      if (search.fts5 === undefined) continue;
      const match = `FROM log WHERE log MATCH '${search.fts5}'`;
      const counted = await warm(runs, async () => {
        const { ms: took, rows } = await store.ask(`SELECT count(*) ${match}`);
        check(run, search, Number(rows[0]?.[0]), name);
        return took;
      });
      report.add(`${count(search.name)}, warm`, 'ms', name, counted);
    }
    report.note(
      'SQLite FTS5 is contentless (detail=none): it counts and gives line numbers, neither bars nor rows.',
    );
  } finally {
    await scope.close();
  }
}

async function grep(
  run: Run,
  program: string,
  options: readonly string[],
  file: string,
  search: Search,
) {
  const found = await measure(program, [...options, ...(search.grep ?? []), file]);
  // If nothing is found, ripgrep exits with 1 and prints no number.
  if (found.exit !== 0 && found.exit !== 1) throw new Error(found.err.slice(0, 300));
  check(run, search, Number(found.out.trim() || 0), program);
  return found.wallMs;
}

async function ofRipgrep(run: Run): Promise<void> {
  await needProgram('rg', 'ripgrep');
  const { report, file } = run;
  const name = 'ripgrep';
  report.versions[name] = (await measure('rg', ['--version'])).out.split('\n')[0] ?? '';
  for (const search of SEARCHES) {
    if (search.grep === undefined) continue;
    report.commands[`${name} ${search.name}`] = `rg --no-config ${search.grep.join(' ')}`;
    const ask = () => grep(run, 'rg', ['--no-config'], file, search);
    report.add(`${count(search.name)}, warm`, 'ms', name, await warm(run.runs, ask));
    if (search.cold !== true) continue;
    await dropPages([file]);
    report.add(`${count(search.name)}, cold`, 'ms', name, { value: await ask() });
  }
  report.add(DISK, 'bytes/message', name, share(run, run.bytes));
}

async function ofZgrep(run: Run, folder: string): Promise<void> {
  const { report, file } = run;
  const packed = join(folder, 'messages.log.gz');
  await pipeline(createReadStream(file), createGzip(), createWriteStream(packed));
  report.add(DISK, 'bytes/message', 'zgrep', share(run, bytesBelow([packed])));
  for (const search of SEARCHES) {
    if (search.grep === undefined || search.cold !== true) continue;
    const ask = () => grep(run, 'zgrep', [], packed, search);
    report.add(`${count(search.name)}, warm`, 'ms', 'zgrep', await warm(1, ask));
  }
}

/** lnav reads and indexes the file each time it starts. */
async function ofLnav(run: Run): Promise<void> {
  await needProgram('lnav', 'lnav', ['-V']);
  const { report, file, lines } = run;
  if (lines > MOST_FTS5_LINES) {
    report.note(
      `lnav: left out beyond ${MOST_FTS5_LINES} messages: it indexes about 800,000 a second, each time.`,
    );
    return;
  }
  report.versions['lnav'] = (await measure('lnav', ['-V'])).out.trim();
  const top =
    ';SELECT log_hostname, count(*) AS n FROM syslog_log GROUP BY log_hostname ORDER BY n DESC LIMIT 10';
  report.commands['lnav'] = `lnav -n -c '${top}'`;
  const asked = await measure('lnav', ['-n', '-c', top, file]);
  if (!asked.out.includes('host')) throw new Error((asked.err + asked.out).slice(0, 300));
  report.add('top 10 hosts, warm', 'ms', 'lnav', {
    value: asked.wallMs,
    note: 'with its indexing',
  });
}
