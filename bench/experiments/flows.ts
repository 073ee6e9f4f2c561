/**
 * HPE's flow tables: batches of five-tuples inserted into, tagged in and deleted from a table that is
 * there; lookups by a part of the key; how long a change takes to be noticed by another process. Beside
 * PostgreSQL and plain DuckDB.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { bytesBelow } from '../harness/disk.ts';
import { needProgram } from '../harness/packages.ts';
import { DAYBOOK, Report } from '../harness/report.ts';
import { Scope } from '../harness/scope.ts';
import { median, timed, warm } from '../harness/timing.ts';
import { FlowSeries, flowText, writeFlows, writeKeys, type Flow } from '../generate/five-tuples.ts';
import { writeFlowPackets } from '../generate/flow-packets.ts';
import { DaybookEngine, importCase } from '../peers/daybook.ts';
import { startDuckdb } from '../peers/duckdb.ts';
import { PostgresListener } from '../peers/postgres-listener.ts';
import { startPostgres, type Postgres } from '../peers/postgres.ts';
import { Missing, type Store } from '../peers/store.ts';
import { measure } from '../process.ts';
import type { ExperimentOptions } from './options.ts';

const BATCHES = [100, 1_000, 10_000, 100_000];
const REPEATS = 3;

interface Batch {
  readonly size: number;
  /** New flows, one file a repeat. */
  readonly inserted: readonly string[];
  /** Lists of the keys of flows that are there, one a repeat. */
  readonly tagLists: readonly string[];
  readonly deleteLists: readonly string[];
}

interface Input {
  readonly file: string;
  /** One packet of every flow, for nfdump. */
  readonly packets: string;
  readonly rows: number;
  readonly batches: readonly Batch[];
  readonly asked: Flow;
}

function makeInput(folder: string, rows: number): Input {
  const series = new FlowSeries();
  const flows = Array.from({ length: rows }, () => series.next());
  const file = join(folder, 'flows.csv');
  writeFlows(file, flows);
  const packets = join(folder, 'flows.pcap');
  writeFlowPackets(packets, flows);
  // Flows in any order, each taken once: lists from elsewhere are not in our order.
  let next = 0;
  const step = 7919;
  const take = (count: number) =>
    Array.from({ length: count }, () => flows[(next++ * step) % rows]!);
  const batches: Batch[] = [];
  for (const size of BATCHES) {
    if (next + size * 2 * REPEATS > rows) break;
    const name = (what: string, repeat: number) => join(folder, `${what}-${size}-${repeat}.csv`);
    const repeats = Array.from({ length: REPEATS }, (_, repeat) => {
      const inserted = name('insert', repeat);
      const fresh = Array.from({ length: size }, () => series.next());
      writeFlows(inserted, fresh, 0.9, 0.1);
      const [tagList, deleteList] = [name('tag', repeat), name('delete', repeat)];
      writeKeys(tagList, take(size));
      writeKeys(deleteList, take(size));
      return { inserted, tagList, deleteList };
    });
    batches.push({
      size,
      inserted: repeats.map(({ inserted }) => inserted),
      tagLists: repeats.map(({ tagList }) => tagList),
      deleteLists: repeats.map(({ deleteList }) => deleteList),
    });
  }
  return { file, packets, rows, batches, asked: flows[Math.floor(rows / 2)]! };
}

const insert = (size: number) => `insert ${size.toLocaleString('en-US')}`;
const update = (size: number) => `tag ${size.toLocaleString('en-US')} by their five-tuples`;
const remove = (size: number) => `delete ${size.toLocaleString('en-US')} by their five-tuples`;
const PARTIAL_SOURCE = 'partial key: source address';
const PARTIAL_TARGET = 'partial key: destination address and port';
const PARTIAL_TUPLE = 'whole key';
const TOP_SOURCES = 'top 10 sources';
const TOP_PAIRS = 'top 10 pairs of addresses';
const OF_SOURCE = 'flows of one source, counted';
const NOTICE = 'change noticed by another process: median';
const NOTICE_MOST = 'change noticed by another process: longest of 20';

export async function flows(options: ExperimentOptions, scope: Scope): Promise<Report> {
  const rows = options.size ?? 100_000;
  const report = new Report('flows', { flows: rows });
  const folder = scope.folder();
  const input = makeInput(folder, rows);
  if (input.batches.length < BATCHES.length)
    report.note(
      `Batches up to ${input.batches.at(-1)?.size}: larger ones need more than ${rows} flows (--rows 1M).`,
    );
  await ofDaybook(report, input, folder, options, scope);
  for (const [name, work] of [
    ['PostgreSQL', () => ofPostgres(report, input, options)],
    ['DuckDB', () => ofDuckdb(report, input, options)],
    ['nfdump', () => ofNfdump(report, input, options)],
  ] as const) {
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

/** The columns of a file of keys. */
const KEY_FIELDS = ['proto', 'src_ip', 'src_port', 'dst_ip', 'dst_port'];

interface Marked {
  readonly matched: number;
}

async function ofDaybook(
  report: Report,
  input: Input,
  folder: string,
  options: ExperimentOptions,
  scope: Scope,
): Promise<void> {
  const store = join(folder, 'flows.daybook');
  const imported = await importCase(store, [input.file]);
  if (imported.stored !== input.rows) report.note(`Daybook stored ${imported.stored} flows`);
  const engine = new DaybookEngine(store, scope);
  await engine.ask({ do: 'start' });
  const { asked } = input;
  const partial = [
    [PARTIAL_SOURCE, `flow:${asked.src}-*`],
    [PARTIAL_TARGET, `flow:*-${asked.dst}:${asked.dstPort}`],
    [PARTIAL_TUPLE, flowText(asked)],
  ] as const;
  for (const [name, query] of partial) {
    report.commands[`Daybook ${name}`] = query;
    const cell = await warm(options.runs, async () => {
      await engine.forget();
      return (await engine.query(query)).ms;
    });
    report.add(name, 'ms', DAYBOOK, cell);
  }
  const statistics = [
    [TOP_SOURCES, '* | top 10 src_ip'],
    [TOP_PAIRS, '* | top 10 src_ip, dst_ip'],
    [OF_SOURCE, `src_ip:${asked.src} | count`],
  ] as const;
  for (const [name, query] of statistics) {
    report.commands[`Daybook ${name}`] = query;
    const cell = await warm(options.runs, async () => {
      await engine.forget();
      return (await engine.query(query)).ms;
    });
    report.add(name, 'ms', DAYBOOK, cell);
  }
  report.commands['Daybook tag'] =
    `daybook tag CASE '*' NAME --list LIST --list-field ${KEY_FIELDS.join(',')}`;
  for (const { size, inserted, tagLists, deleteLists } of input.batches) {
    const runs: number[] = [];
    const before = engine.cpuMs();
    for (const file of inserted) runs.push((await engine.ask({ do: 'import', paths: [file] })).ms);
    report.add(insert(size), 'ms', DAYBOOK, { value: median(runs), runs });
    const cpuMs = (engine.cpuMs() - before) / inserted.length;
    report.add(`${insert(size)}, processor time`, 'ms', DAYBOOK, { value: cpuMs });
    const mark = async (files: readonly string[], name: string, tag?: string) => {
      const took: number[] = [];
      const start = engine.cpuMs();
      for (const file of files) {
        const list = { file, fields: KEY_FIELDS };
        const { ms, rows } = await engine.ask<Marked>(
          tag === undefined
            ? { do: 'delete', query: '*', list }
            : { do: 'tag', query: '*', name: tag, list },
        );
        took.push(ms);
        if (rows.matched < size)
          report.note(`Daybook found ${rows.matched} of ${size} flows of a list`);
      }
      report.add(name, 'ms', DAYBOOK, { value: median(took), runs: took });
      const cpu = (engine.cpuMs() - start) / files.length;
      report.add(`${name}, processor time`, 'ms', DAYBOOK, { value: cpu });
    };
    await mark(tagLists, update(size), `batch-${size}`);
    await mark(deleteLists, remove(size));
  }
  await notice(report, engine, scope, flowText(asked));
  report.add('memory, peak', 'MB', DAYBOOK, { value: engine.peakMemory() / 1e6 });
  report.add('disk', 'MB', DAYBOOK, { value: engine.bytes() / 1e6 });
  await engine.close();
}

const NOTICES = 20;

/** A second process watches the case while the first one tags a flow and takes the tag away. */
async function notice(
  report: Report,
  engine: DaybookEngine,
  scope: Scope,
  query: string,
): Promise<void> {
  const watcher = new DaybookEngine(engine.folder, scope);
  await watcher.ask({ do: 'watch' });
  await wait(300);
  const delays: number[] = [];
  for (let turn = 0; turn < NOTICES; turn++) {
    await engine.ask({ do: 'tag', query, name: `seen-${turn}` });
    const committed = performance.timeOrigin + performance.now();
    await wait(100 + turn * 7);
    const [noticed = 0] = (await watcher.ask<number[]>({ do: 'noticed' })).rows;
    delays.push(Math.max(0, noticed - committed));
  }
  await watcher.close();
  report.add(NOTICE, 'ms', DAYBOOK, { value: median(delays), runs: delays });
  report.add(NOTICE_MOST, 'ms', DAYBOOK, { value: Math.max(...delays) });
}

const COLUMNS = 'ts, duration, proto, src, src_port, dst, dst_port, packets, bytes';
const KEY = 'proto, src, src_port, dst, dst_port';

/** How a peer reads files into tables. */
interface SqlFlows {
  /** Creates the table of flows. */
  readonly create: readonly string[];
  insert(file: string): string;
  /** Makes the table `batch` of the keys in a file. */
  keys(file: string): readonly string[];
  readonly dropKeys: string;
}

const same = `f.proto = b.proto AND f.src = b.src AND f.src_port = b.src_port AND f.dst = b.dst AND f.dst_port = b.dst_port`;

async function ofSql(
  report: Report,
  input: Input,
  store: Store,
  sql: SqlFlows,
  runs: number,
): Promise<void> {
  const { name } = store;
  report.versions[name] = await store.version();
  for (const statement of sql.create) await store.ask(statement);
  report.commands[`${name} table`] = sql.create.join(';\n');
  const { asked } = input;
  const conditions = [
    [PARTIAL_SOURCE, `src = '${asked.src}'`],
    [PARTIAL_TARGET, `dst = '${asked.dst}' AND dst_port = ${asked.dstPort}`],
    [
      PARTIAL_TUPLE,
      `src = '${asked.src}' AND src_port = ${asked.srcPort} AND dst = '${asked.dst}' AND dst_port = ${asked.dstPort} AND proto = '${asked.proto}'`,
    ],
  ] as const;
  for (const [title, where] of conditions) {
    const statement = `SELECT * FROM flows WHERE ${where} ORDER BY ts LIMIT 1000`;
    report.commands[`${name} ${title}`] = statement;
    const cell = await warm(runs, async () => (await store.ask(statement)).ms);
    report.add(title, 'ms', name, cell);
  }
  const statistics = [
    [TOP_SOURCES, 'SELECT src, count(*) n FROM flows GROUP BY src ORDER BY n DESC LIMIT 10'],
    [
      TOP_PAIRS,
      'SELECT src, dst, count(*) n FROM flows GROUP BY src, dst ORDER BY n DESC LIMIT 10',
    ],
    [OF_SOURCE, `SELECT count(*) FROM flows WHERE src = '${asked.src}'`],
  ] as const;
  for (const [title, statement] of statistics) {
    report.commands[`${name} ${title}`] = statement;
    const cell = await warm(runs, async () => (await store.ask(statement)).ms);
    report.add(title, 'ms', name, cell);
  }
  const marked = async (lists: readonly string[], change: string) => {
    const took: number[] = [];
    for (const list of lists) {
      const ms = await timed(async () => {
        for (const statement of sql.keys(list)) await store.ask(statement);
        await store.ask(change);
      });
      took.push(ms);
      await store.ask(sql.dropKeys);
    }
    return { value: median(took), runs: took };
  };
  const measured = async (work: () => Promise<{ value: number; runs: number[] }>, of: string) => {
    const before = store.cpuMs();
    const cell = await work();
    const cpu = (store.cpuMs() - before) / cell.runs.length;
    report.add(`${of}, processor time`, 'ms', name, { value: cpu });
    return cell;
  };
  for (const { size, inserted, tagLists, deleteLists } of input.batches) {
    const took: number[] = [];
    const before = store.cpuMs();
    for (const file of inserted) took.push((await store.ask(sql.insert(file))).ms);
    report.add(insert(size), 'ms', name, { value: median(took), runs: took });
    const cpuMs = (store.cpuMs() - before) / inserted.length;
    report.add(`${insert(size)}, processor time`, 'ms', name, { value: cpuMs });
    const tag = `UPDATE flows f SET tag = 'batch-${size}' FROM batch b WHERE ${same}`;
    const updated = await measured(() => marked(tagLists, tag), update(size));
    const found = await store.ask(`SELECT count(*) FROM flows WHERE tag = 'batch-${size}'`);
    const there = Number(found.rows[0]?.[0]);
    if (there < size * tagLists.length)
      throw new Error(`${there} flows are tagged of ${size * tagLists.length}`);
    report.add(update(size), 'ms', name, updated);
    const gone = `DELETE FROM flows f USING batch b WHERE ${same}`;
    const deleted = await measured(() => marked(deleteLists, gone), remove(size));
    report.add(remove(size), 'ms', name, deleted);
    report.commands[`${name} batches`] = [sql.insert('FILE'), ...sql.keys('LIST'), tag, gone].join(
      ';\n',
    );
  }
  report.add('memory, peak', 'MB', name, { value: store.peakMemory() / 1e6 });
  report.add('disk', 'MB', name, { value: store.bytes() / 1e6 });
}

async function ofPostgres(report: Report, input: Input, options: ExperimentOptions): Promise<void> {
  const scope = new Scope();
  try {
    const store = await startPostgres(scope);
    const copy = (file: string) =>
      `\\copy flows (${COLUMNS}) FROM '${file}' WITH (FORMAT csv, HEADER true)`;
    const sql: SqlFlows = {
      create: [
        `CREATE TABLE flows (ts TIMESTAMP, duration REAL, proto TEXT, src INET, src_port INT, dst INET,
         dst_port INT, packets BIGINT, bytes BIGINT, tag TEXT)`,
        copy(input.file),
        `CREATE INDEX ON flows (src, src_port, dst, dst_port, proto)`,
        'VACUUM ANALYZE flows',
      ],
      insert: copy,
      keys: (file) => [
        'CREATE TEMP TABLE batch (proto TEXT, src INET, src_port INT, dst INET, dst_port INT)',
        `\\copy batch (${KEY}) FROM '${file}' WITH (FORMAT csv)`,
        'ANALYZE batch',
      ],
      dropKeys: 'DROP TABLE batch',
    };
    await ofSql(report, input, store, sql, options.runs);
    await postgresNotices(report, store);
  } finally {
    await scope.close();
  }
}

async function postgresNotices(report: Report, store: Postgres): Promise<void> {
  const listener = await PostgresListener.open(store.socketFolder, 'changed');
  const delays: number[] = [];
  for (let turn = 0; turn < NOTICES; turn++) {
    await store.ask(
      `BEGIN; UPDATE flows SET tag = 'seen-${turn}' WHERE ctid = '(0,1)'; NOTIFY changed; COMMIT`,
    );
    const committed = performance.timeOrigin + performance.now();
    await wait(50);
    delays.push(Math.max(0, listener.noticed - committed));
  }
  listener.close();
  report.add(NOTICE, 'ms', store.name, { value: median(delays), runs: delays });
  report.add(NOTICE_MOST, 'ms', store.name, { value: Math.max(...delays) });
}

async function ofDuckdb(report: Report, input: Input, options: ExperimentOptions): Promise<void> {
  const scope = new Scope();
  const types = `columns={'ts':'TIMESTAMP','duration':'FLOAT','proto':'VARCHAR','src':'VARCHAR','src_port':'USMALLINT','dst':'VARCHAR','dst_port':'USMALLINT','packets':'UBIGINT','bytes':'UBIGINT'}, header=true`;
  const keys = `columns={'proto':'VARCHAR','src':'VARCHAR','src_port':'USMALLINT','dst':'VARCHAR','dst_port':'USMALLINT'}, header=false`;
  try {
    const sql: SqlFlows = {
      create: [
        `CREATE TABLE flows AS SELECT *, NULL::VARCHAR AS tag FROM read_csv('${input.file}', ${types})`,
        'CHECKPOINT',
      ],
      insert: (file) => `INSERT INTO flows SELECT *, NULL FROM read_csv('${file}', ${types})`,
      keys: (file) => [`CREATE TEMP TABLE batch AS SELECT * FROM read_csv('${file}', ${keys})`],
      dropKeys: 'DROP TABLE batch',
    };
    await ofSql(report, input, startDuckdb(scope), sql, options.runs);
  } finally {
    await scope.close();
  }
}

async function ofNfdump(report: Report, input: Input, options: ExperimentOptions): Promise<void> {
  const name = 'nfdump';
  await needProgram('nfdump', 'nfdump', ['-V']);
  await needProgram('nfpcapd', 'nfdump', ['-V']);
  const scope = new Scope();
  try {
    const folder = scope.folder();
    const made = await measure('nfpcapd', ['-r', input.packets, '-w', folder]);
    if (made.exit !== 0) throw new Error(made.err.slice(-300));
    report.versions[name] = (await measure('nfdump', ['-V'])).out.trim();
    const { asked } = input;
    for (const [title, args] of [
      [TOP_SOURCES, ['-s', 'srcip/flows', '-n', '10']],
      [TOP_PAIRS, ['-A', 'srcip,dstip', '-O', 'flows', '-n', '10']],
      [OF_SOURCE, ['-I', `src ip ${asked.src}`]],
    ] as const) {
      report.commands[`${name} ${title}`] = `nfdump -R FOLDER -q ${args.join(' ')}`;
      const cell = await warm(options.runs, async () => {
        const { exit, err, wallMs } = await measure('nfdump', ['-R', folder, '-q', ...args]);
        if (exit !== 0) throw new Error(err.slice(0, 300));
        return wallMs;
      });
      report.add(title, 'ms', name, cell);
    }
    report.add('disk', 'MB', name, { value: bytesBelow([folder]) / 1e6 });
  } finally {
    await scope.close();
  }
}
