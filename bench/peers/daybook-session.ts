/**
 * The process of Daybook's engine: `node daybook-session.ts CASE`. The engine host answers over a pipe within the
 * process, with the frames and checks of a window. Each line requests an operation,
 * `{"op":"query.run","params":{…}}`; `case` is filled in.
 */
import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { evidence } from '../../app/compose.ts';
import { engineSettings } from '../../app/settings.ts';
import { Connection } from '../../engine/contract/wire/client.ts';
import { cell, type ColumnBatch } from '../../engine/contract/wire/column-batch.ts';
import type { Params } from '../../engine/contract/operations.ts';
import { EngineHost } from '../../engine/host.ts';
import { memoryPipe } from '../../engine/testing/memory-pipe.ts';
import { CasePool } from '../../engine/search/session/case-pool.ts';
import { makeHandlers } from '../../engine/operations/handlers.ts';
import { ImportJobs } from '../../engine/operations/evidence/import-jobs.ts';

import { summarise } from '../harness/profile.ts';
import type { Asked } from './daybook.ts';
import { serveLines } from './json-session.ts';

const folder = process.argv[2]!;
const { limits } = engineSettings(process.env);
const services = {
  cases: new CasePool(() => ({ memoryLimit: limits.memory, threads: limits.threads })),
  evidence,
  imports: new ImportJobs(),
  settings: { limits, casesFolder: tmpdir(), stateFolder: tmpdir() },
  clusters: [],
};
// As app/engine/main.ts does.
setTimeout(() => flushCompileCache(), 3000).unref();
const product = { version: 'bench', sample: async () => [] };
const host = new EngineHost(makeHandlers(services, product), {
  version: 'bench',
  log: (text) => process.stderr.write(`${text}\n`),
});
const [client, served] = memoryPipe();
host.connect(served);
const engine = new Connection(client);

type UsersAsked = Extract<Asked, { do: 'users' }>;

interface View {
  readonly query: string;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly path?: 'scan' | undefined;
}

function tableOf(batch: ColumnBatch): (string | number | null)[][] {
  return Array.from({ length: batch.rows }, (_, row) =>
    batch.columns.map((column) => cell(column, row)),
  );
}

/** One user's view: 30 bars and the first 200 rows at once, as a window requests them. */
async function look(
  view: View,
  bars: number,
  first: number,
  signal?: AbortSignal,
): Promise<unknown> {
  const from = performance.now();
  let rowsMs = 0;
  const scope = { case: folder, ...view, zone: 'UTC' };
  const [list, timeline] = await Promise.all([
    engine.call(
      'result.open',
      { ...scope, first, fields: ['ts', 'host', 'program', 'message'] },
      { signal, onPart: () => (rowsMs ||= performance.now() - from) },
    ),
    engine.call('timeline.run', { ...scope, buckets: bars }, { signal }),
  ]);
  const ms = performance.now() - from;
  await engine.call('result.close', { case: folder, result: list.result });
  return { ms, rowsMs, total: list.total, bars: timeline.total, path: list.timings.path };
}

/** The requests of the panel of fields: the fields, and the values of those that are open. */
async function fields(open: readonly string[]): Promise<unknown> {
  const from = performance.now();
  const { fields: list } = await engine.call('field.list', { case: folder });
  const listMs = performance.now() - from;
  const view = { case: folder, query: '', zone: 'UTC' };
  const values = await Promise.all(
    open.map((field) => engine.call('field.values', { ...view, field, limit: 10 })),
  );
  const distinct = values.map((one, i) => [open[i], one.distinct, one.present, one.timings.path]);
  return { listMs, fields: list.length, distinct };
}

/** A list is read as a client would: from its file, at every use. */
function viewOf({ query, list }: Extract<Asked, { do: 'tag' | 'delete' | 'unmatched' }>) {
  const bytes = list && new Uint8Array(readFileSync(list.file));
  return {
    ...{ query, zone: 'UTC' },
    ...(list === undefined || bytes === undefined ? {} : { list: { bytes, fields: list.fields } }),
  };
}

async function answer(asked: Asked): Promise<{ ms: number; rows: unknown }> {
  const from = performance.now();
  const done = (rows: unknown) => ({ ms: performance.now() - from, rows });
  switch (asked.do) {
    case 'start':
      return done([]);
    case 'open': {
      const { events, segments } = await engine.call('case.open', { case: folder });
      return done([events, segments]);
    }
    case 'fields':
      return done(await fields(asked.values));
    case 'unmatched': {
      const view = { case: folder, ...viewOf(asked) };
      const list = view.list;
      if (list === undefined) throw new TypeError('there is a list');
      const { lines, of } = await engine.call('list.unmatched', { ...view, list });
      return done([lines.length, of]);
    }
    case 'query': {
      const { query, from: after, to, path } = asked;
      const params: Params<'query.run'> = {
        ...{ case: folder, query, from: after, to, limit: 1000 },
        path,
      };
      const { batch, timings } = await engine.call('query.run', params);
      const { ms } = done([]);
      return { ms, rows: [tableOf(batch), timings] };
    }
    case 'conversations': {
      const view = { case: folder, query: asked.query, zone: 'UTC' };
      const { total } = await engine.call('conversations.run', { ...view, limit: 500 });
      return done(total);
    }
    case 'look':
      return done(await look(asked, asked.bars, asked.first));
    case 'users':
      return done(await users(asked));
    case 'tag': {
      const target = { view: viewOf(asked) };
      return done(await engine.call('tag.set', { case: folder, name: asked.name, target }));
    }
    case 'delete': {
      const target = { view: viewOf(asked) };
      return done(await engine.call('delete.run', { case: folder, reason: 'bench', target }));
    }
    case 'import': {
      const report = await engine.call('import.start', {
        case: folder,
        items: asked.paths.map((path) => ({ path })),
      });
      return done(report);
    }
    case 'forget':
      return done(await forget());
    case 'watch':
      watching ??= watch();
      return done([]);
    case 'noticed':
      return done([noticed]);
    case 'profile':
      return done(await profiled(asked.asked, asked.times));
  }
}

/** Below this there are too few samples for a statement. */
const PROFILED_MS = 1000;

async function profiled(asked: Asked, times: number): Promise<unknown> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  const from = performance.now();
  for (let turn = 0; turn < times || performance.now() - from < PROFILED_MS; turn++) {
    await forget();
    await answer(asked);
  }
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return summarise(profile);
}

/** When the last change was reported, in milliseconds since 1970 with fractions. */
let noticed = 0;
let watching: Promise<unknown> | undefined;
function watch(): Promise<unknown> {
  return engine.call(
    'case.watch',
    { case: folder },
    { onPart: () => (noticed = performance.timeOrigin + performance.now()) },
  );
}

/** Users that each send one request after another; a user gives up after the patience. */
async function users({ queries, users: count, ms, patienceMs }: UsersAsked): Promise<unknown> {
  const until = performance.now() + ms;
  const took: number[] = [];
  const failed: string[] = [];
  let gaveUp = 0;
  const user = async (number: number) => {
    for (let turn = number; performance.now() < until; turn++) {
      const query = queries[turn % queries.length]!;
      const from = performance.now();
      const patience = AbortSignal.timeout(patienceMs);
      try {
        await look({ query }, 30, 200, patience);
        took.push(performance.now() - from);
      } catch (error) {
        if (patience.aborted) gaveUp += 1;
        else failed.push(error instanceof Error ? error.message : String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: count }, (_, number) => user(number)));
  return { took, failed, gaveUp };
}

/**
 * A commit by another process makes the engine read its snapshot again, and discard cached results of the old one.
 */
async function forget(): Promise<void> {
  const catalog = new Database(join(folder, 'case.sqlite'));
  const version = catalog.pragma('user_version', { simple: true });
  catalog.pragma(`user_version = ${Number(version)}`);
  catalog.close();
  await engine.call('case.sources', { case: folder });
}

await serveLines((line) => answer(JSON.parse(JSON.parse(line) as string) as Asked));
client.close();
await host.close();
await services.cases.close();
process.exit(0);
