/** An S3 server that listens on this machine, for tests: moto's, in Python, whose objects are in memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';

export interface S3Server {
  readonly url: string;
  /** Answers the next requests of a method with 503 and `Retry-After: 1`. @returns when they arrived */
  refuseNext(method: string, times: number): readonly number[];
  /** Lets the next request of a method whose path begins so wait until it is released. */
  holdNext(method: string, begin: string): { readonly came: Promise<void>; release(): void };
  /** Answers nothing to the next request of a method whose path begins so, once it was done. */
  loseAnswer(method: string, begin: string): void;
  /** How it treats `If-Match` and `If-None-Match` of requests that change something. */
  conditions(how: Conditions): void;
  /** Ends the next answers that have a body of more than 64 bytes in its middle. */
  cutNext(times: number): void;
  /** Number of requests, without those of this interface. */
  requests(): number;
  /** Resolves once there were that many requests. */
  cameTo(requests: number): Promise<void>;
  makeBucket(name: string): Promise<void>;
  put(
    bucket: string,
    key: string,
    content: string | Uint8Array<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** The metadata of an object. */
  note(bucket: string, key: string): Promise<string>;
  remove(bucket: string, key: string): Promise<void>;
  /** All objects by their keys. */
  objects(bucket: string): Promise<Map<string, Buffer>>;
  empty(bucket: string): Promise<void>;
  close(): Promise<void>;
}

interface Held {
  readonly method: string;
  readonly begin: string;
  readonly came: () => void;
  readonly released: Promise<void>;
}

type Conditions = 'keep' | 'refuse' | 'ignore';

interface Faults {
  readonly held: Set<Held>;
  readonly lost: Set<Pick<Held, 'method' | 'begin'>>;
  conditions: Conditions;
  refused: { method: string; times: number; at: number[] };
  cut: number;
}

/** Requests pass through here, so that they can be counted, refused and interrupted. */
async function counting(port: number, faults: Faults, count: () => void) {
  const serve = async (from: IncomingMessage, back: ServerResponse): Promise<void> => {
    count();
    const isMeant = ({ method, begin }: Pick<Held, 'method' | 'begin'>): boolean =>
      from.method === method && from.url?.startsWith(begin) === true;
    const held = [...faults.held].find(isMeant);
    if (held !== undefined) {
      faults.held.delete(held);
      held.came();
      await held.released;
      // The sender was killed meanwhile.
      if (from.destroyed) return;
    }
    const { refused } = faults;
    if (from.method === refused.method && refused.at.length <= refused.times) {
      refused.at.push(Date.now());
      if (refused.at.length <= refused.times) {
        from.resume();
        back.writeHead(503, { 'Retry-After': '1' });
        back.end('<Error><Code>SlowDown</Code></Error>');
        return;
      }
    }
    const { 'if-match': only, 'if-none-match': none, ...others } = from.headers;
    const isConditional = from.method !== 'GET' && (only ?? none) !== undefined;
    if (isConditional && faults.conditions === 'refuse') {
      from.resume();
      back.writeHead(501);
      back.end('<Error><Code>NotImplemented</Code></Error>');
      return;
    }
    const headers = faults.conditions === 'ignore' ? others : from.headers;
    const lost = [...faults.lost].find(isMeant);
    if (lost !== undefined) faults.lost.delete(lost);
    const forwarded = request(
      { host: '127.0.0.1', port, method: from.method, path: from.url, headers },
      (answer) => {
        if (lost !== undefined) {
          answer.resume().once('end', () => back.destroy());
          return;
        }
        back.writeHead(answer.statusCode ?? 500, answer.headers);
        if (
          faults.cut > 0 &&
          Number(answer.headers['content-length']) > 64 &&
          from.method === 'GET'
        ) {
          faults.cut -= 1;
          answer.once('data', (part: Buffer) =>
            back.write(part.subarray(0, 32), () => back.destroy()),
          );
        } else answer.pipe(back);
      },
    );
    forwarded.on('error', () => back.destroy());
    // A killed sender sends half of a request: so does this.
    from.on('aborted', () => forwarded.destroy());
    from.pipe(forwarded);
  };
  const server = createServer((from, back) => void serve(from, back));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Awaited<ReturnType<typeof counting>>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** @param python with moto in `folder` */
export async function s3Server({
  python,
  folder,
}: {
  readonly python: string;
  readonly folder: string;
}): Promise<S3Server> {
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
    env: { ...process.env, PYTHONPATH: folder, PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(child, 'exit');
  let port: number | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    const [, found] = /Running on http:\/\/127[.]0[.]0[.]1:(\d+)/.exec(line) ?? [];
    if (found === undefined) continue;
    port = Number(found);
    break;
  }
  if (port === undefined) throw new Error('moto does not start');
  child.stderr.resume();
  const origin = `http://127.0.0.1:${port}`;
  let requests = 0;
  const awaited = new Map<number, () => void>();
  const faults: Faults = {
    held: new Set(),
    lost: new Set(),
    conditions: 'keep',
    refused: { method: '', times: 0, at: [] },
    cut: 0,
  };
  const front = await counting(port, faults, () => {
    requests += 1;
    awaited.get(requests)?.();
    awaited.delete(requests);
  });
  const send = (
    path: string,
    init: RequestInit = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    // It tells which service is requested; nobody checks it.
    const authorization = 'AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request';
    return fetch(`${origin}/${path}`, { ...init, headers: { ...headers, authorization } });
  };
  const ask = async (...request: Parameters<typeof send>): Promise<Buffer> => {
    const answer = await send(...request);
    const [path] = request;
    const content = Buffer.from(await answer.arrayBuffer());
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${content.toString()}`);
    return content;
  };
  const at = (bucket: string, key: string): string =>
    `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  const keys = async (bucket: string): Promise<string[]> => {
    const found = (await ask(`${bucket}?list-type=2&max-keys=1000`)).toString();
    return [...found.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key!);
  };
  return {
    url: `http://127.0.0.1:${portOf(front)}`,
    refuseNext: (method, times) => (faults.refused = { method, times, at: [] }).at,
    holdNext: (method, begin) => {
      const came = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      faults.held.add({ method, begin, came: came.resolve, released: released.promise });
      return { came: came.promise, release: released.resolve };
    },
    loseAnswer: (method, begin) => void faults.lost.add({ method, begin }),
    conditions: (how) => void (faults.conditions = how),
    cutNext: (times) => void (faults.cut = times),
    requests: () => requests,
    cameTo: (count) => {
      const came = Promise.withResolvers<void>();
      awaited.set(count, came.resolve);
      return came.promise;
    },
    makeBucket: async (name) => void (await ask(name, { method: 'PUT' })),
    put: async (bucket, key, content, headers) =>
      void (await ask(at(bucket, key), { method: 'PUT', body: content }, headers)),
    note: async (bucket, key) =>
      (await send(at(bucket, key), { method: 'HEAD' })).headers.get('x-amz-meta-daybook') ?? '',
    remove: async (bucket, key) => void (await ask(at(bucket, key), { method: 'DELETE' })),
    objects: async (bucket) => {
      const out = new Map<string, Buffer>();
      for (const key of await keys(bucket)) out.set(key, await ask(at(bucket, key)));
      return out;
    },
    empty: async (bucket) => {
      for (const key of await keys(bucket)) await ask(at(bucket, key), { method: 'DELETE' });
    },
    close: async () => {
      front.close();
      child.kill();
      await gone;
    },
  };
}
