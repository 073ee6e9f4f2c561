import { describe, expect, it } from 'vitest';
import { Connection, OperationError } from './contract/wire/client.ts';
import { DaybookError } from './contract/errors.ts';
import { decodeFrame, encodeFrame, type ErrorInfo } from './contract/wire/frame.ts';
import { EngineHost, type CallRecord, type HostPipe } from './host.ts';
import { memoryPipe } from './testing/memory-pipe.ts';
import type { Handlers } from './operations/handler.ts';
import { QueryError } from './query/syntax/query-error.ts';

interface Running {
  host: EngineHost;
  engine: Connection;
  log: string[];
  calls: CallRecord[];
}

function run(handlers: Partial<Handlers>, patience?: HostPipe['room']): Running {
  const log: string[] = [];
  const calls: CallRecord[] = [];
  const host = new EngineHost(handlers, {
    version: '1.2.3',
    log: (text) => log.push(text),
    onCall: (call) => calls.push(call),
  });
  const [ours, theirs] = memoryPipe();
  const engine = new Connection(ours);
  const pipe: HostPipe = {
    send: (frame) => theirs.send(frame),
    onFrame: (handler) => theirs.onFrame(handler),
    onClose: (handler) => theirs.onClose(handler),
    close: () => theirs.close(),
  };
  host.connect(patience === undefined ? pipe : { ...pipe, room: patience });
  return { host, engine, log, calls };
}

async function failure(call: Promise<unknown>): Promise<ErrorInfo> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OperationError)) throw new Error('the call did not fail');
  return error.info;
}

/** A few turns of the event loop: frames between two ends in one process need at most one each. */
const tick = async (turns = 1): Promise<void> => {
  for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => void setImmediate(resolve));
};
const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const end = (): void => reject(new DaybookError('cancelled', 'cancelled'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
const PIECE = { case: '/x', query: '', format: 'csv' } as const;
const WRITTEN = { bytes: 0, sha256: '', rows: 0 };

describe('errors', () => {
  const cases: [string, unknown, ErrorInfo, boolean][] = [
    [
      'a message for people',
      new DaybookError('case-locked', 'locked', 'wait'),
      { code: 'case-locked', message: 'locked', hint: 'wait' },
      false,
    ],
    [
      'a place in the query',
      new QueryError('query-syntax', 'what', 7),
      { code: 'query-syntax', message: 'what', position: 7 },
      false,
    ],
    [
      'a full disk',
      Object.assign(new Error('no space'), { code: 'ENOSPC' }),
      {
        code: 'disk-full',
        message: 'the disk is full',
        hint: 'free some space and try again: an import continues where it stopped',
      },
      false,
    ],
    [
      'a defect',
      new TypeError('x is not a function'),
      {
        code: 'internal',
        message: 'case.days failed: x is not a function',
        hint: 'this is a bug in Daybook; the log of the engine has details',
      },
      true,
    ],
  ];
  it.each(cases)('tells %s', async (_what, thrown, info, logged) => {
    const { engine, log } = run({
      'case.days': async () => {
        throw thrown;
      },
    });
    expect(await failure(engine.call('case.days', { case: '/x' }))).toEqual(info);
    expect(log.join('\n').includes('host.test.ts')).toBe(logged);
  });

  it('says which operation is missing', async () => {
    const { engine } = run({});
    expect(await failure(engine.call('case.days', { case: '/x' }))).toMatchObject({
      code: 'usage',
      message: 'case.days is not available in this engine',
    });
  });
});

describe('the contract', () => {
  it('fills in defaults and leaves out what it does not know', async () => {
    const seen: unknown[] = [];
    const { engine } = run({
      'case.audit': async (request) => {
        seen.push(request);
        return { total: 0, entries: [], secret: 1 };
      },
    });
    const result = await engine.call('case.audit', { case: '/x', more: 1 } as { case: string });
    expect(seen).toEqual([{ case: '/x', limit: 500 }]);
    expect(result).toEqual({ total: 0, entries: [] });
  });

  it('lets no result out that breaks it', async () => {
    const { engine, log } = run({
      'case.days': async () => ({
        days: [{ day: '2026-01-01', events: -1, bytes: 0, byKind: {} }],
      }),
    });
    const error = await failure(engine.call('case.days', { case: '/x' }));
    expect(error).toMatchObject({ code: 'internal' });
    expect(error.message).toContain('days.0.events');
    expect(log).toHaveLength(1);
  });

  it('lets no part out that breaks it, though nobody waits for it', async () => {
    const { engine, log } = run({
      'case.verify': async (_request, { signal, part }) => {
        void part({ phase: 7 } as never);
        return forever(signal);
      },
    });
    const parts: unknown[] = [];
    const call = engine.call('case.verify', { case: '/x' }, { onPart: (one) => parts.push(one) });
    expect(await failure(call)).toMatchObject({ code: 'internal' });
    expect(parts).toEqual([]);
    expect(log[0]).toContain('a part breaks the contract: phase');
  });

  it('says what checking cost beside what the handler measured', async () => {
    const { engine, calls } = run({
      'result.rows': async () => ({
        offset: 0,
        batch: { rows: 1, columns: [{ name: 'n', type: 'number', values: Float64Array.of(5) }] },
        timings: { totalMs: 1, spans: { execute: 1 } },
      }),
    });
    const params = { case: '/x', result: 1, offset: 0, limit: 1 };
    const { batch, timings } = await engine.call('result.rows', params);
    expect(batch.columns[0]).toMatchObject({ values: Float64Array.of(5) });
    expect(Object.keys(timings.spans)).toEqual(['execute', 'validate']);
    expect(calls[0]).toMatchObject({ operation: 'result.rows', outcome: 'done', parts: 0 });
    expect(calls[0]!.bytes).toBeGreaterThan(8);
    expect(calls[0]!.encodeMs).toBeGreaterThan(0);
  });
});

describe('frames', () => {
  it('refuses an answer that no window takes', async () => {
    const bytes = new Uint8Array((64 << 20) + 1);
    const { engine } = run({
      'event.raw': async () => ({ bytes, offset: 0, length: 1, truncated: false, source: '' }),
      'export.rows': async (_request, { part, signal }) => {
        await part({ bytes });
        await forever(signal);
        return WRITTEN;
      },
    });
    const raw = failure(engine.call('event.raw', { case: '/x', event: '1:1' }));
    expect((await raw).code).toBe('limit-exceeded');
    expect((await failure(engine.call('export.rows', PIECE))).code).toBe('limit-exceeded');
  });

  it.each([
    ['bytes that are no frame', Uint8Array.of(1, 2)],
    ['a frame without an id', encodeFrame({ frame: 'cancel', id: -1 })],
  ])('lets a window go that sends %s', async (_what, bytes) => {
    const host = new EngineHost({}, { version: '1', log: () => undefined });
    const [ours, theirs] = memoryPipe();
    host.connect(theirs);
    const closed = new Promise((resolve) => ours.onClose(resolve));
    ours.send(bytes);
    await closed;
  });

  it('answers a second call of a running number, and lets the first run on', async () => {
    let finish: () => void = () => undefined;
    const host = new EngineHost(
      {
        'case.days': async () => {
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return { days: [] };
        },
      },
      { version: '1', log: () => undefined },
    );
    const [ours, theirs] = memoryPipe();
    const frames: unknown[] = [];
    ours.onFrame((bytes) => frames.push(decodeFrame(bytes)));
    host.connect(theirs);
    const call = encodeFrame({ frame: 'call', id: 1, op: 'case.days', params: { case: '/x' } });
    ours.send(call);
    ours.send(call);
    await tick(20);
    finish();
    await tick(20);
    expect(frames.slice(1)).toMatchObject([
      { frame: 'error', id: 1, error: { code: 'usage' } },
      { frame: 'done', id: 1, result: { days: [] } },
    ]);
  });
});

describe('parts', () => {
  it('wait while the window has not taken what was sent', async () => {
    let open: () => void = () => undefined;
    let sent = 0;
    const { engine } = run(
      {
        'export.rows': async (_request, { part }) => {
          for (; sent < 3; sent++) await part({ done: sent });
          return WRITTEN;
        },
      },
      () =>
        new Promise<void>((resolve) => {
          open = resolve;
        }),
    );
    const call = engine.call('export.rows', PIECE);
    for (let part = 0; part < 3; part++) {
      await tick(20);
      expect(sent).toBe(part);
      open();
    }
    await call;
  });

  it('do not wait for a window whose call was cancelled', async () => {
    let ended = false;
    const { engine } = run(
      {
        'export.rows': async (_request, { part }) => {
          for (let i = 0; i < 100; i++) await part({ done: i });
          ended = true;
          return WRITTEN;
        },
      },
      () => new Promise<void>(() => undefined),
    );
    const stop = new AbortController();
    const call = engine.call('export.rows', PIECE, { signal: stop.signal });
    await tick(20);
    expect(ended).toBe(false);
    stop.abort();
    expect((await failure(call)).code).toBe('cancelled');
    await tick(20);
    expect(ended).toBe(true);
  });

  it('leave other frames their turn, a cancel above all', async () => {
    let sent = 0;
    const { engine } = run({
      'export.rows': async (_request, { part, signal }) => {
        // Endless if the cancellation does not arrive.
        while (!signal.aborted) await part({ done: sent++ });
        return WRITTEN;
      },
    });
    const stop = new AbortController();
    const onPart = (): void => stop.abort();
    const call = engine.call('export.rows', PIECE, { signal: stop.signal, onPart });
    expect((await failure(call)).code).toBe('cancelled');
    await engine.call('case.days', { case: '/x' }).catch(() => undefined);
  });
});

describe('a window that goes', () => {
  it('ends its calls, then disposes of what it kept, but not of its import', async () => {
    const events: string[] = [];
    const { engine, host } = run({
      'case.watch': async (_request, { signal, client }) => {
        await forever(signal).catch(() => tick(20));
        client.kept.set('late', { dispose: () => events.push('disposed') });
        events.push('ended');
        return {};
      },
      'import.start': async (_request, { signal, part }) => {
        for (let i = 0; i < 5; i++) {
          await part({ message: String(i) });
          await tick(10);
        }
        events.push(signal.aborted ? 'import aborted' : 'import done');
        return {
          importId: 1,
          ...{ sources: [], manifests: [], elapsedMs: 0 },
          total: {
            ...{ sources: 0, bytes: 0, read: 0, stored: 0, duplicate: 0, quarantined: 0 },
            ...{ skipped: 0, byKind: {} },
          },
        };
      },
    });
    const watching = failure(engine.call('case.watch', { case: '/x' }));
    const importing = failure(engine.call('import.start', { case: '/x', items: [{ path: '/y' }] }));
    await tick(10);
    engine.close();
    expect((await watching).code).toBe('engine-down');
    expect((await importing).code).toBe('engine-down');
    await host.close();
    expect(events.slice(0, 2)).toEqual(['ended', 'disposed']);
    expect(events).toHaveLength(3);
  });

  it('goes with the host, which waits for what runs', async () => {
    const { engine, host } = run({
      'import.resume': async (_request, { signal }) => {
        await forever(signal).catch(() => tick(30));
        throw new DaybookError('cancelled', 'at the edge of a chunk');
      },
    });
    const call = failure(engine.call('import.resume', { case: '/x', importId: 1 }));
    await tick(10);
    await host.close();
    expect(await call).toEqual({ code: 'cancelled', message: 'at the edge of a chunk' });
  });
});
