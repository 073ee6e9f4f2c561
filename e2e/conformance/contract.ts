/**
 * The tests of the contract, which every way to the engine must pass. A shell's test file calls `describeContract`.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnOf, rowOf } from '../../engine/contract/wire/column-batch.ts';
import { OperationError, type Connection } from '../../engine/contract/wire/client.ts';
import type { ErrorInfo } from '../../engine/contract/wire/frame.ts';
import type { OperationName, Params, Part, Result } from '../../engine/contract/operations.ts';
import { eventsOf, type Expected } from '../../fixtures/generate.ts';
import { reached, scratch, type RunningShell, type Shell } from './shell.ts';

/** Small chunks: an import of the sample commits some thirty times. */
const ENV = { DAYBOOK_CHUNK_ROWS: '2000', DAYBOOK_THREADS: '1' };

export function describeContract(shell: Shell): void {
  describe(`the contract: ${shell.name}`, () => {
    const { folder, remove } = scratch();
    let running: RunningShell;
    let engine: Connection;
    let paths: readonly string[];
    let expected: Expected;

    beforeAll(async () => {
      running = await shell.start({
        ...ENV,
        DAYBOOK_STATE: join(folder, 'state'),
        DAYBOOK_CASES: join(folder, 'cases'),
      });
      engine = await running.connect();
      paths = (await engine.call('sample.prepare', {})).paths;
      const beside = dirname(paths[0] ?? '');
      expected = JSON.parse(readFileSync(join(beside, 'expected.json'), 'utf8')) as Expected;
    });
    afterAll(async () => {
      engine.close();
      await running.stop();
      remove();
    });

    const casePath = (name: string): string => join(folder, 'cases', `${name}.daybook`);
    const imported = async (name: string): Promise<string> => {
      await engine.call('import.start', { case: casePath(name), items: sample() });
      return casePath(name);
    };
    const sample = (): { path: string }[] => paths.map((path) => ({ path }));
    /**
     * A log and a capture of the sample, and a log so long that an import continues for long after its first
     * commit.
     */
    const longEvidence = (of: string) => {
      const some = SOME.map((name) => join(paths[0] ?? '', name));
      const items = [...some, logOf(of, LINES)].map((path) => ({ path }));
      const [log, capture] = SOME.map((name) => expected.sources[name]!) as [Source, Source];
      const byKind = {
        packet: capture.records,
        flow: capture.connections!,
        log: log.records + LINES,
        dns: capture.queries!,
      };
      return { items, byKind, events: eventsOf(byKind) };
    };
    /** A case with all of the sample, imported once. */
    let whole: Promise<string> | undefined;
    const wholeCase = (): Promise<string> => (whole ??= imported('whole'));

    it('says what runs', async () => {
      const info = await engine.call('engine.info', {});
      expect(info.version).toMatch(/^\d+\.\d+\.\d+/);
      expect(info.casesFolder).toBe(join(folder, 'cases'));
      expect(info.settings.threads).toBe(1);
      expect(engine.state).toMatchObject({ state: 'ready', restarts: 0 });
    });

    const wrong: [string, OperationName, unknown, Partial<ErrorInfo>][] = [
      ['a missing field', 'case.open', {}, { code: 'usage', message: 'case.open: case: ' }],
      [
        'a wrong type deep inside',
        'import.start',
        { case: '/x', items: [{ path: 7 }] },
        { code: 'usage', message: 'import.start: items.0.path: ' },
      ],
      [
        'a value out of range',
        'case.audit',
        { case: '/x', limit: 10_001 },
        { code: 'usage', message: 'case.audit: limit: ' },
      ],
      ['no case there', 'case.open', { case: '/no/such.daybook' }, { code: 'not-a-case' }],
      ['a folder that is missing', 'files.list', { folder: '/no/such' }, { code: 'not-found' }],
    ];
    it.each(wrong)('refuses %s', async (_what, operation, params, { code, message }) => {
      const error = await failure(engine.call(operation, params as never));
      expect(error.code).toBe(code);
      if (message !== undefined) expect(error.message.startsWith(message)).toBe(true);
    });

    it('refuses an operation that it does not know, and goes on', async () => {
      const error = await failure(engine.call('no.such' as OperationName, {}));
      expect(error).toMatchObject({ code: 'usage', message: 'there is no operation "no.such"' });
      const proto = await failure(engine.call('__proto__' as OperationName, {}));
      expect(proto.code).toBe('usage');
      await engine.call('engine.info', {});
    });

    it('keeps settings and recent cases', async () => {
      await engine.call('settings.set', { window: { theme: 'dark', 'größe ✓': [1, null] } });
      await engine.call('settings.set', { jobs: 3 });
      await engine.call('case.create', { case: casePath('recent') });
      const info = await engine.call('engine.info', {});
      expect(info.settings).toMatchObject({
        ...{ jobs: 3, window: { theme: 'dark', 'größe ✓': [1, null] } },
      });
      expect(info.recent[0]).toMatchObject({ case: casePath('recent'), exists: true });
      await engine.call('recent.forget', { case: casePath('recent') });
      const after = await engine.call('engine.info', {});
      expect(after.recent.map((one) => one.case)).not.toContain(casePath('recent'));
      const error = await failure(engine.call('settings.set', { threads: 0 }));
      expect(error.code).toBe('usage');
    });

    it('makes a case once', async () => {
      const made = await engine.call('case.create', { case: casePath('made') });
      expect(made).toMatchObject({ name: 'made', events: 0, sources: 0, days: 0, recovered: [] });
      const error = await failure(engine.call('case.create', { case: casePath('made') }));
      expect(error.code).toBe('usage');
      const opened = await engine.call('case.open', { case: casePath('made') });
      expect(opened).toEqual({ ...made, bytes: opened.bytes });
    });

    it('lists folders and knows cases among them', async () => {
      await engine.call('case.create', { case: casePath('listed') });
      const list = await engine.call('files.list', { folder: join(folder, 'cases') });
      expect(list.entries).toContainEqual(
        expect.objectContaining({ name: 'listed.daybook', type: 'case' }),
      );
      expect(list.parent).toBe(folder);
    });

    it('imports the sample with progress, and another window sees it', async () => {
      const path = casePath('sample');
      await engine.call('case.create', { case: path });
      const other = await running.connect();
      const stop = new AbortController();
      const changes: Part<'case.watch'>[] = [];
      const watching = other
        .call('case.watch', { case: path }, { signal: stop.signal, onPart: (p) => changes.push(p) })
        .catch((error: unknown) => error);
      await other.call('case.days', { case: path });

      const parts: Part<'import.start'>[] = [];
      const report = await engine.call(
        'import.start',
        { case: path, items: sample() },
        { onPart: (part) => parts.push(part) },
      );
      const want = expectedTotals(expected);
      const { events: _, ...total } = want;
      expect(report.total).toMatchObject({ ...total, duplicate: 0, quarantined: 0 });
      expect(report.total.read).toBe(report.total.stored + report.total.skipped);
      const progress = parts.flatMap((part) => ('progress' in part ? [part.progress] : []));
      expect(progress.length).toBeGreaterThan(0);
      const rows = progress.map((one) => one.rows);
      expect(rows).toEqual(rows.toSorted((a, b) => a - b));
      expect(parts.filter((part) => 'source' in part).length).toBe(report.sources.length);

      const info = await other.call('case.open', { case: path });
      expect(info.events).toBe(want.events);
      await until(() => changes.at(-1)?.info.events === want.events);
      const ids = changes.flatMap(({ change }) => change?.id ?? []);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      stop.abort();
      expect(await watching).toBeInstanceOf(OperationError);
      other.close();

      const { sources } = await engine.call('case.sources', { case: path });
      expect(sources.length).toBe(Object.keys(expected.sources).length);
      for (const source of sources) {
        expect(source.exists).toBe(true);
        expect(accounted(source)).toBe(source.read);
      }
      const { days } = await engine.call('case.days', { case: path });
      expect(days.reduce((sum, day) => sum + day.events, 0)).toBe(want.events);
      whole ??= Promise.resolve(path);
    });

    it('answers many calls at once, each with its own', async () => {
      const path = await wholeCase();
      const limits = Array.from({ length: 60 }, (_, i) => i + 1);
      const found = await Promise.all(
        limits.map(async (recent) => {
          const { recent: list } = await engine.call('case.latency', { case: path, recent });
          return list.length;
        }),
      );
      expect(found.every((length, i) => length <= limits[i]!)).toBe(true);
      const { recent } = await engine.call('case.latency', { case: path, recent: 3 });
      expect(found.slice(0, recent.length)).toEqual(limits.slice(0, recent.length));
    });

    it('verifies a case, and its audit has what happened', async () => {
      const path = await wholeCase();
      const verified = await engine.call('case.verify', { case: path });
      expect(verified).toMatchObject({ ok: true });
      expect(verified.sample.compared).toBeGreaterThan(0);
      const audit = await engine.call('case.audit', { case: path, limit: 1 });
      expect(audit.entries.length).toBe(1);
      expect(audit.total).toBeGreaterThanOrEqual(1);
      const { summary } = await engine.call('case.latency', { case: path });
      expect(summary.map((one) => one.operation)).toContain('import.start');
    });

    it('brings typed arrays and texts over intact', async () => {
      const path = await wholeCase();
      const firsts: Part<'result.open'>[] = [];
      const view = { case: path, query: 'kind:log' };
      const list = await engine.call(
        'result.open',
        { ...view, fields: ['host', 'message'], first: 50 },
        { onPart: (part) => firsts.push(part) },
      );
      expect(list.total).toBe(expected.byKind.log);
      expect(firsts.map(({ batch }) => batch.rows)).toEqual([50]);
      const { batch, timings } = await engine.call('result.rows', {
        ...{ case: path, result: list.result, offset: 40, limit: 200 },
        fields: ['host', 'message'],
      });
      expect(batch.rows).toBe(200);
      const ts = columnOf(batch, 'ts');
      if (ts?.type !== 'number') throw new Error('ts is no column of numbers');
      expect(ts.values).toBeInstanceOf(Float64Array);
      expect([...ts.values]).toEqual([...ts.values].sort((a, b) => a - b));
      expect(ts.values[0]).toBeGreaterThan(Date.parse('2026-01-01') * 1000);
      const message = columnOf(batch, 'message');
      expect(message?.type === 'text' && message.offsets.length).toBe(201);
      // The same rows, whichever way they arrived.
      for (let row = 0; row < 10; row++) {
        expect(rowOf(batch, row)).toEqual(rowOf(firsts[0]!.batch, 40 + row));
        expect(rowOf(batch, row)['message']).toMatch(/\w+/);
      }
      expect(timings.spans).toHaveProperty('validate');
      const { starts, series, total } = await engine.call('timeline.run', view);
      expect(starts).toBeInstanceOf(Float64Array);
      const counts = series.flatMap((one) => [...one.counts]);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
      await engine.call('result.close', { case: path, result: list.result });
    });

    it('takes and gives large frames', async () => {
      const path = casePath('large');
      await engine.call('case.create', { case: path });
      const bytes = new Uint8Array(4 << 20);
      for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 2654435761) >>> 13;
      let received: Result<'evidence.receive'> | undefined;
      for (let piece = 0; piece < 3; piece++) {
        received = await engine.call('evidence.receive', {
          ...{ case: path, upload: 'one', name: 'folder/large.bin' },
          ...{ offset: piece * bytes.length, bytes, last: piece === 2 },
        });
      }
      expect(received?.size).toBe(3 * bytes.length);
      const found = readFileSync(received?.path ?? '');
      const want = createHash('sha256').update(bytes).update(bytes).update(bytes).digest('hex');
      expect(createHash('sha256').update(found).digest('hex')).toBe(want);

      const rows = await engine.call('query.run', {
        case: await wholeCase(),
        ...{ query: 'kind:*', limit: 20_000 },
      });
      expect(rows.batch.rows).toBe(20_000);
      const size = rows.batch.columns.reduce(
        (sum, one) => sum + (one.type === 'text' ? one.bytes.length : one.values.byteLength),
        0,
      );
      expect(size).toBeGreaterThan(4 << 20);
    });

    it('keeps a list for the window that gave it, and narrows views by it', async () => {
      const path = await wholeCase();
      const { values } = await engine.call('field.values', {
        ...{ case: path, query: 'kind:flow', field: 'dst_ip', limit: 2 },
      });
      const text = ['victim,note', ...values.map(({ value }) => `${value},seen`), '192.0.2.1,not'];
      const bytes = new TextEncoder().encode(text.join('\n'));
      const { id } = await engine.call('list.keep', { bytes });
      expect(id).toBe(createHash('sha256').update(bytes).digest('hex'));
      const list = { kept: id, name: 'victims.csv', columns: ['dst_ip', null], header: true };
      const { understood } = await engine.call('list.preview', { case: path, list });
      expect(understood).toEqual({ rows: 3, fields: ['dst_ip'], eitherWay: false });
      const view = { case: path, query: 'kind:flow', list };
      const { total } = await engine.call('timeline.run', view);
      expect(total).toBe(values.reduce((sum, { count }) => sum + count, 0));
      const { lines, of } = await engine.call('list.unmatched', view);
      expect([[...lines], of]).toEqual([[4], 3]);
      const left = await engine.call('query.unsearched', { ...view, query: 'nosuchword' });
      expect(left).toMatchObject({ quarantined: { matching: 0 }, undated: 0 });
      expect(left.lines.length).toBeGreaterThan(0);
      const { hints } = await engine.call('query.unsearched', { ...view, query: 'tcp nosuchword' });
      expect(hints).toEqual([
        'tcp was searched for as a word; for events of that protocol write proto:tcp',
      ]);
      const other = await running.connect();
      expect((await failure(other.call('timeline.run', view))).code).toBe('list-not-kept');
      other.close();
      const wrong = { ...view, list: { ...list, kept: 'x' } };
      expect((await failure(engine.call('timeline.run', wrong))).code).toBe('usage');
    });

    it('sends parts in order, all of them before the result', async () => {
      const path = await wholeCase();
      const pieces: Uint8Array[] = [];
      const written = await engine.call(
        'export.rows',
        { case: path, query: 'kind:flow', format: 'ndjson' },
        { onPart: (part) => void ('bytes' in part && pieces.push(part.bytes)) },
      );
      expect(pieces.length).toBeGreaterThan(1);
      const all = Buffer.concat(pieces);
      expect(all.length).toBe(written.bytes);
      expect(createHash('sha256').update(all).digest('hex')).toBe(written.sha256);
      expect(all.toString().trimEnd().split('\n').length).toBe(written.rows);
    });

    it('cancels a query that runs', async () => {
      const path = await wholeCase();
      const stop = new AbortController();
      const running_ = engine.call(
        'export.rows',
        { case: path, query: 'kind:*', format: 'ndjson' },
        { signal: stop.signal, onPart: () => stop.abort() },
      );
      expect((await failure(running_)).code).toBe('cancelled');
      await until(() => endedWith('export.rows', 'cancelled'));
      const error = await failure(engine.call('query.run', { case: path, query: 'ts:>' }));
      expect(error.code).toBe('query-syntax');
      expect(error.position).toBeGreaterThan(0);
    });

    const endedWith = (operation: string, outcome: string): boolean =>
      running.ended?.().some((one) => one.operation === operation && one.outcome === outcome) ??
      true;

    it('cancels an import at the edge of a chunk: what was committed stays, and it goes on', async () => {
      const path = casePath('cancelled');
      await engine.call('case.create', { case: path });
      const stop = new AbortController();
      const watching = new AbortController();
      void engine
        .call(
          'case.watch',
          { case: path },
          {
            signal: watching.signal,
            onPart: ({ info }) => {
              if (info.events > 0) stop.abort();
            },
          },
        )
        .catch(() => undefined);
      await engine.call('case.days', { case: path });
      const { items, events: want } = longEvidence(path);
      const params: Params<'import.start'> = { case: path, items };
      const cancelled = await failure(engine.call('import.start', params, { signal: stop.signal }));
      expect(cancelled.code).toBe('cancelled');
      watching.abort();
      // The engine ends it at the end of the chunk, after the window was told.
      await until(
        async () =>
          (await engine.call('import.list', { case: path })).imports[0]?.status === 'cancelled',
      );
      const part = await engine.call('case.open', { case: path });
      expect(part.events).toBeGreaterThan(0);
      expect(part.events).toBeLessThan(want);
      expect(part.recovered).toEqual([]);
      await engine.call('import.start', params);
      expect((await engine.call('case.open', { case: path })).events).toBe(want);
    });

    it('refuses a second writer and names the first', async () => {
      const path = casePath('locked');
      await engine.call('case.create', { case: path });
      const items = [{ path: logOf(path, LINES) }];
      const first = engine.call('import.start', { case: path, items });
      await until(
        async () => (await engine.call('import.list', { case: path })).imports.length > 0,
      );
      const error = await failure(engine.call('case.compact', { case: path }));
      expect(error.code).toBe('case-locked');
      expect(error.message).toMatch(/process \d+ .*import/);
      await first;
      await engine.call('case.compact', { case: path });
    });

    it('ends the calls of a window that goes, but not its import', async () => {
      const path = casePath('left');
      await engine.call('case.create', { case: path });
      const going = await running.connect();
      const calls = [
        going.call('case.watch', { case: path }),
        going.call('import.start', {
          case: path,
          items: [{ path: logOf(path, LINES) }],
        }),
      ].map((call) => failure(call));
      await until(
        async () => (await engine.call('import.list', { case: path })).imports.length > 0,
      );
      const before = running.ended?.().filter((one) => one.operation === 'case.watch').length ?? 0;
      going.close();
      for (const error of await Promise.all(calls)) expect(error.code).toBe('engine-down');
      await until(
        () =>
          running.ended === undefined ||
          running.ended().filter((one) => one.operation === 'case.watch').length > before,
      );
      await engine.call('import.follow', { case: path });
      const info = await engine.call('case.open', { case: path });
      expect(info.events).toBe(LINES);
    });

    it('survives the death of the engine during an import', async () => {
      const { pid } = await engine.call('engine.info', {});
      const path = casePath('killed');
      await engine.call('case.create', { case: path });
      const { items, byKind, events } = longEvidence(path);
      const states: string[] = [];
      // The calls are made when it is reported to be down: soon it is up again.
      const meanwhile: Promise<ErrorInfo>[] = [];
      const stop = engine.onState(({ state }) => {
        if (states.at(-1) === state) return;
        states.push(state);
        if (state === 'down') meanwhile.push(failure(engine.call('engine.info', {})));
      });
      let committed = 0;
      const watching = failure(
        engine.call(
          'case.watch',
          { case: path },
          {
            onPart: ({ info }) => {
              if (committed === 0 && info.events > 0) process.kill(pid, 'SIGKILL');
              committed = Math.max(committed, info.events);
            },
          },
        ),
      );
      await engine.call('case.days', { case: path });
      const importing = failure(engine.call('import.start', { case: path, items }));
      expect(await importing).toMatchObject({ code: 'engine-down' });
      expect((await watching).code).toBe('engine-down');
      expect(engine.state.reason).toMatch(/SIGKILL|status 1/);
      expect((await meanwhile[0])?.code).toBe('engine-down');
      await reached(engine, 'ready');
      // Once by the engine's hello, once by the shell, which has counted.
      await until(() => engine.state.restarts === 1 && engine.state.state === 'ready');
      stop();
      expect(states.slice(0, 3)).toEqual(['down', 'starting', 'ready']);

      const opened = await engine.call('case.open', { case: path });
      expect(opened.recovered[0]).toMatch(/interrupted/);
      expect(opened.events).toBeGreaterThanOrEqual(committed);
      const { sources } = await engine.call('case.sources', { case: path });
      for (const source of sources) expect(accounted(source)).toBe(source.read);
      const verified = await engine.call('case.verify', { case: path });
      expect(verified).toMatchObject({ case: { intact: true } });
      await engine.call('import.start', { case: path, items });
      const info = await engine.call('case.open', { case: path });
      expect(info).toMatchObject({ events, recovered: [] });
      expect(info.byKind).toEqual(byKind);
    });
  });
}

const SOME = ['syslog/auth.log', 'capture/files01.pcapng'];
type Source = Expected['sources'][string];

/** Thirty chunks: the import must not end before what is tried beside it. */
const LINES = 60_000;

/** Writes a log next to a case. */
function logOf(casePath: string, lines: number): string {
  const path = `${casePath}.log`;
  const line = (i: number) => `<34>1 2026-11-21T00:00:00Z h app ${i % 999} - - entry ${i}\n`;
  writeFileSync(path, Array.from({ length: lines }, (_, i) => line(i)).join(''));
  return path;
}

/** The error of a call. */
async function failure(call: Promise<unknown>): Promise<ErrorInfo> {
  try {
    await call;
  } catch (error) {
    if (error instanceof OperationError) return error.info;
    throw error;
  }
  throw new Error('the call did not fail');
}

const PATIENCE_MS = 20_000;

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const from = performance.now();
  while (!(await holds())) {
    if (performance.now() - from > PATIENCE_MS) throw new Error('it did not come to be in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function accounted(source: {
  stored: number;
  duplicate: number;
  quarantined: number;
  skipped: number;
}): number {
  return source.stored + source.duplicate + source.quarantined + source.skipped;
}

/** Records are what is stored; flows derived from packets are additional events. */
function expectedTotals({ sources, records, byKind }: Expected): {
  sources: number;
  stored: number;
  byKind: Expected['byKind'];
  events: number;
} {
  const events = eventsOf(byKind);
  return { sources: Object.keys(sources).length, stored: records, byKind, events };
}
