/** The ways to the engine that the suite of the contract is run against. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { engineCommand } from '../../app/engine/command.ts';
import { EngineProcess } from '../../app/engine/process.ts';
import { startWebShell, type WebShell } from '../../app/web/server.ts';
import { Connection, type EngineState, type FramePipe } from '../../engine/contract/wire/client.ts';
import { scratch } from '../harness.ts';

export { scratch };

/** How a call ended, according to the engine. */
export interface EndedCall {
  readonly operation: string;
  readonly outcome: string;
}

export interface RunningShell {
  /** A new window. */
  connect(): Promise<Connection>;
  stop(): Promise<void>;
  /** Calls that have ended; undefined where that cannot be seen. */
  readonly ended: (() => readonly EndedCall[]) | undefined;
}

export interface Shell {
  readonly name: string;
  /** `env` is added to this process's environment for the engine. */
  start(env: NodeJS.ProcessEnv): Promise<RunningShell>;
}

/** Resolves when `connection` is in that state; at once, if it already is. */
export function reached(connection: Connection, state: EngineState['state']): Promise<void> {
  if (connection.state.state === state) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = connection.onState((now) => {
      if (now.state !== state) return;
      stop();
      resolve();
    });
  });
}

/** The engine's process, and the calls in its trace. */
export function startEngine(env: NodeJS.ProcessEnv): { engine: EngineProcess; ended: EndedCall[] } {
  const ended: EndedCall[] = [];
  const engine = new EngineProcess({
    command: engineCommand({ ...process.env, ...env, DAYBOOK_TRACE: '1' }),
    onLog: (line) => {
      const told = line.replace('daybook engine: ', '');
      if (told.startsWith('{"operation"')) ended.push(JSON.parse(told) as EndedCall);
      else process.stderr.write(`${line}\n`);
    },
  });
  return { engine, ended };
}

/** The web shell with a page of no importance. */
export async function startWeb(
  engine: EngineProcess,
  patienceMs?: number,
): Promise<{ shell: WebShell; stop: () => Promise<void> }> {
  const { folder, remove } = scratch();
  mkdirSync(join(folder, 'files/assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'not for the window\n');
  writeFileSync(join(folder, 'files/index.html'), '<!doctype html><head></head><p>window</p>\n');
  writeFileSync(join(folder, 'files/assets/a.js'), 'export const a = 1;\n');
  const shell = await startWebShell({ engine, files: join(folder, 'files'), patienceMs });
  return {
    shell,
    stop: async () => {
      await shell.close();
      remove();
    },
  };
}

interface Session {
  readonly cookie: string;
  readonly key: string;
}

/** Goes through the door as a browser does. */
export async function enter(shell: WebShell): Promise<Session> {
  const answer = await fetch(shell.url);
  const page = await answer.text();
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  const key = /setItem\("daybook-key", "([\w-]{43})"\)/.exec(page)?.[1];
  if (cookie === undefined || key === undefined) throw new Error(`no session: ${answer.status}`);
  return { cookie, key };
}

export function openSocket(
  shell: WebShell,
  headers: Record<string, string>,
  key: string,
): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${shell.port}/frames`, ['daybook', key], { headers });
}

function socketPipe(socket: WebSocket): FramePipe {
  return {
    send: (frame) => socket.send(frame),
    onFrame: (handler) =>
      void socket.on('message', (data) => {
        if (Buffer.isBuffer(data)) handler(data);
      }),
    onClose: (handler) => void socket.on('close', () => handler('the socket was closed')),
    close: () => socket.close(),
  };
}

export const webShell: Shell = {
  name: 'web shell',
  async start(env) {
    const { engine, ended } = startEngine(env);
    const { shell, stop } = await startWeb(engine);
    const { cookie, key } = await enter(shell);
    return {
      connect: async () => {
        const origin = `http://127.0.0.1:${shell.port}`;
        const socket = openSocket(shell, { cookie, origin }, key);
        const connection = new Connection(socketPipe(socket));
        await once(socket, 'open');
        await reached(connection, 'ready');
        return connection;
      },
      stop: async () => {
        await stop();
        await engine.stop();
      },
      ended: () => ended,
    };
  },
};
