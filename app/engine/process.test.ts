import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Connection, OperationError, type EngineState } from '../../engine/contract/wire/client.ts';
import { decodeFrame } from '../../engine/contract/wire/frame.ts';
import { EngineProcess, type EngineCommand } from './process.ts';

const node = (script: string): EngineCommand => ({
  file: process.execPath,
  args: ['--input-type=module', '-e', script],
});
const WIRE = JSON.stringify(join(import.meta.dirname, 'wire.ts'));
const FRAMES = JSON.stringify(join(import.meta.dirname, '../../engine/contract/wire/frame.ts'));
/** An engine that says hello to each window, and then runs `then`. */
const engineThat = (then: string): EngineCommand =>
  node(`
    import { encodeFrame, decodeFrame } from ${FRAMES};
    import { WireReader, wireHead, takenBytes } from ${WIRE};
    const send = (channel, frame) => {
      const bytes = encodeFrame(frame);
      process.stdout.write(wireHead(0, channel, bytes.length));
      process.stdout.write(bytes);
    };
    const reader = new WireReader((type, channel, body) => {
      if (type === 1) send(channel, { frame: 'hello', contract: 1, version: '1', pid: process.pid });
      ${then}
    });
    process.stdin.on('data', (chunk) => reader.push(chunk));
  `);

function states(connection: Connection, until: (state: EngineState) => boolean) {
  return new Promise<EngineState[]>((resolve) => {
    const seen: EngineState[] = [];
    connection.onState((state) => {
      seen.push(state);
      if (until(state)) resolve(seen);
    });
  });
}

describe('the engine as a process', () => {
  it.each([
    ['a Node that is missing', { file: '/no/such/node', args: [] }, /could not be started.*ENOENT/],
    [
      'an engine that ends',
      node('console.error("first\\nit is broken"); process.exit(3)'),
      /status 3: it is broken/,
    ],
  ])('gives up on %s, and says why', async (_what, command: EngineCommand, reason) => {
    const engine = new EngineProcess({ command });
    const connection = new Connection(engine.openChannel());
    const seen = await states(connection, (state) => /not restarted/.test(state.reason ?? ''));
    expect(seen.filter(({ state }) => state === 'down').length).toBe(5);
    for (const state of seen) if (state.state === 'down') expect(state.reason).toMatch(reason);
    const restarted = seen.flatMap(({ state, restart }) => (state === 'down' ? [restart] : []));
    expect(restarted).toEqual([100, 200, 400, 800, 'on-request']);
    const error = await connection.call('engine.info', {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OperationError);
    expect((error as OperationError).info.code).toBe('engine-down');
    // On request it tries once more, even if asked twice.
    const { restarts } = engine.state;
    const again = states(connection, ({ state }) => state === 'down');
    connection.start();
    connection.start();
    expect(engine.state).toMatchObject({ state: 'starting', restarts: restarts + 1 });
    expect((await again).at(-1)).toMatchObject({ restarts: restarts + 1, restart: 'on-request' });
    // So does a new window.
    engine.openChannel();
    expect(engine.state).toMatchObject({ state: 'starting', restarts: restarts + 2 });
    await engine.stop();
  });

  it('ends an engine whose output it cannot read', async () => {
    const engine = new EngineProcess({
      command: node('process.stdout.write("Hello, I am no engine"); setInterval(() => {}, 1000)'),
    });
    const connection = new Connection(engine.openChannel());
    const seen = await states(connection, (state) => state.state === 'down');
    expect(seen.at(-1)?.reason).toMatch(/SIGKILL|status/);
    await engine.stop();
  });

  it('restarts an engine that died, for the windows that are open', async () => {
    const engine = new EngineProcess({
      command: engineThat("if (type === 0) { console.error('out of memory'); process.exit(134); }"),
    });
    const connections = [1, 2].map(() => new Connection(engine.openChannel()));
    await Promise.all(connections.map((one) => states(one, ({ state }) => state === 'ready')));
    const ready = connections.map((one) =>
      states(one, ({ state, restarts }) => state === 'ready' && restarts === 1),
    );
    const call = connections[0]!.call('engine.info', {}).catch((thrown: unknown) => thrown);
    expect(((await call) as OperationError).info).toMatchObject({
      code: 'engine-down',
      message: 'the engine stopped: it ended with status 134: out of memory',
    });
    for (const seen of await Promise.all(ready)) {
      const order = seen.map(({ state }) => state).filter((one, i, all) => one !== all[i - 1]);
      expect(order.slice(-3)).toEqual(['down', 'starting', 'ready']);
    }
    await engine.stop();
  });

  it('says how much a window has taken only once it has', async () => {
    const engine = new EngineProcess({
      command: engineThat(`
        if (type === 0 && body[0] === 1) send(channel, { frame: 'done', id: 2, result: 'heard' });
        else if (type === 0) {
          for (let i = 0; i < 8; i++) send(channel, { frame: 'part', id: 1, part: new Uint8Array(100_000) });
        }
        if (type === 3) send(channel, { frame: 'done', id: 1, result: takenBytes(body) });
      `),
    });
    const channel = engine.openChannel();
    const open: (() => void)[] = [];
    let frames = 0;
    let last: Uint8Array = new Uint8Array();
    channel.onFrame((frame) => {
      frames += 1;
      last = frame;
      return new Promise<void>((resolve) => open.push(resolve));
    });
    const before = async (count: number) => {
      while (frames < count) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await before(2); // hello, ready
    channel.send(Uint8Array.of(0));
    await before(10);
    // If the engine had been told that bytes were taken, its answer would precede this one.
    channel.send(Uint8Array.of(1));
    await before(11);
    expect(decodeFrame(last)).toMatchObject({ frame: 'done', id: 2 });
    for (const resolve of open) resolve();
    await before(13); // after 256 KiB, and again
    await engine.stop();
  });

  it('kills an engine that does not finish in time', async () => {
    const engine = new EngineProcess({
      command: engineThat('setInterval(() => undefined, 1000);'),
      graceMs: 200,
    });
    const connection = new Connection(engine.openChannel());
    await states(connection, ({ state }) => state === 'ready');
    const from = performance.now();
    await engine.stop();
    expect(performance.now() - from).toBeGreaterThan(150);
    expect(connection.state).toMatchObject({ state: 'down', reason: 'Daybook was closed' });
  });
});
