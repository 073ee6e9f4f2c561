import { once } from 'node:events';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineProcess } from '../../app/engine/process.ts';
import { startWebShell, type WebShell } from '../../app/web/server.ts';
import { describeContract } from './contract.ts';
import { enter, openSocket, scratch, startEngine, startWeb, webShell } from './shell.ts';

describeContract(webShell);

describe('the web shell as others meet it', () => {
  const { folder, remove } = scratch();
  let engine: EngineProcess;
  let shell: WebShell;
  let stop: () => Promise<void>;
  let cookie: string;
  let key: string;

  beforeAll(async () => {
    ({ engine } = startEngine({ DAYBOOK_STATE: folder }));
    ({ shell, stop } = await startWeb(engine));
    ({ cookie, key } = await enter(shell));
  });
  afterAll(async () => {
    await stop();
    await engine.stop();
    remove();
  });

  interface Answer {
    status: number;
    headers: Record<string, string | string[] | undefined>;
    body: string;
  }

  /** A request whose path and headers are sent unchanged. */
  const get = (
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: shell.port, path, method, headers };
      const sent = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      sent.on('error', reject);
      sent.end();
    });

  it('exchanges the token for a cookie that scripts and other sites do not get', async () => {
    const { pathname, search, searchParams } = new URL(shell.url);
    expect(Buffer.from(searchParams.get('token') ?? '', 'base64url').length).toBe(32);
    const answer = await get(`${pathname}${search}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const set = String(answer.headers['set-cookie']);
    expect(set).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(set).not.toContain(searchParams.get('token'));
    expect(answer.body).not.toContain(searchParams.get('token'));
  });

  it('takes a token once, from whoever opens it rather than fetches ahead', async () => {
    const { search } = new URL(shell.url);
    for (const ahead of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }])
      expect((await get(`/${search}`, ahead)).status).toBe(403);
    expect((await get(`/${search}`, {}, 'HEAD')).status).toBe(403);
    expect((await get(`/${search}`)).status).toBe(200);
    const again = await get(`/${search}`);
    expect(again.status).toBe(403);
    expect(again.headers['set-cookie']).toBeUndefined();
    expect(again.body).not.toContain(key);
    // The browser that has a session already only loses the token.
    const same = await get(`/${search}`, { cookie });
    expect(same).toMatchObject({ status: 302, headers: { location: './' }, body: '' });
    expect(new URL(shell.url).search).not.toBe(search);
  });

  it.each([
    ['no token and no cookie', '/', {}],
    ['a wrong token', `/?token=${'A'.repeat(43)}`, {}],
    ['an empty token', '/?token=', {}],
    ['a wrong cookie', '/', { cookie: 'daybook=1' }],
    ['a file without a cookie', '/assets/a.js', {}],
  ])('refuses %s', async (_what, path, headers: Record<string, string>) => {
    const answer = await get(path, headers);
    expect(answer.status).toBe(403);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.body).not.toContain('export');
  });

  it('refuses a cookie of the right name and a wrong secret', async () => {
    const [name] = cookie.split('=');
    const answer = await get('/', { cookie: `${name}=${'A'.repeat(43)}` });
    expect(answer.status).toBe(403);
  });

  it.each(['evil.example', 'evil.example:80', '127.0.0.1', '127.0.0.1.evil.example', '0.0.0.0'])(
    'refuses the host %s, whoever asks',
    async (host) => {
      for (const path of ['/', new URL(shell.url).search && `/${new URL(shell.url).search}`]) {
        const answer = await get(path, { host, cookie });
        expect(answer.status).toBe(421);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    },
  );

  it('serves the page with a strict policy, its nonce new each time', async () => {
    const answers = [await get('/', { cookie }), await get('/index.html', { cookie })];
    const nonces = answers.map(({ status, headers, body }) => {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      const policy = String(headers['content-security-policy']);
      const directives = new Map(
        policy.split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1)] as const),
      );
      expect(directives.get('default-src')).toEqual(["'none'"]);
      expect(directives.get('script-src')).toEqual(["'self'"]);
      for (const name of ['base-uri', 'form-action', 'frame-ancestors']) {
        expect(directives.get(name)).toEqual(["'none'"]);
      }
      expect(policy).not.toContain('unsafe');
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      expect(body).toContain(`nonce="${nonce}"`);
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
    expect(Buffer.from(nonces[0] ?? '', 'base64').length).toBe(16);
  });

  it('serves the files of the window', async () => {
    const answer = await get('/assets/a.js', { cookie });
    expect(answer).toMatchObject({ status: 200, body: 'export const a = 1;\n' });
    expect(answer.headers['cache-control']).toContain('immutable');
    expect(answer.headers['content-type']).toMatch(/javascript/);
    expect((await get('/assets/b.js', { cookie })).status).toBe(404);
    expect((await get('/', { cookie }, 'POST')).status).toBe(405);
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/..%5csecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '//secret.txt',
    '/%00',
    '/%',
    'http://127.0.0.1/../secret.txt',
  ])('gives nothing beyond its folder for %s', async (path) => {
    const answer = await get(path, { cookie });
    expect([404, 421]).toContain(answer.status);
    expect(answer.body).not.toContain('not for the window');
  });

  const origin = (): string => `http://127.0.0.1:${shell.port}`;
  it.each([
    ['without a cookie', (): Record<string, string> => ({ origin: origin() })],
    ['without an origin', () => ({ cookie })],
    ['from another origin', () => ({ cookie, origin: 'http://evil.example' })],
    ['from another port', () => ({ cookie, origin: 'http://127.0.0.1:1' })],
    ['from a page without an origin', () => ({ cookie, origin: 'null' })],
    ['with another host', () => ({ cookie, origin: 'http://evil.example', host: 'evil.example' })],
    ['from localhost to 127.0.0.1', () => ({ cookie, origin: `http://localhost:${shell.port}` })],
  ])('opens no WebSocket %s', async (_what, headers) => {
    const socket = openSocket(shell, headers(), key);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toMatch(/403/);
  });

  it.each([
    ['without the key', ''],
    ['with a wrong key', 'A'.repeat(43)],
  ])('opens no WebSocket %s: cookies reach other ports, too', async (_what, wrong) => {
    const socket = openSocket(shell, { cookie, origin: origin() }, wrong === '' ? 'none' : wrong);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toMatch(/403/);
  });

  it('closes clients that send nothing, or half a request', async () => {
    const { shell: quick, stop: end } = await startWeb(engine, 200);
    for (const sent of ['', 'GET / HTTP/1.1\r\nHost: 127', 'GET / HTTP/1.1\r\n']) {
      const socket = connect(quick.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.resume();
      socket.write(sent);
      await once(socket, 'close');
    }
    await end();
  });

  it('lets a WebSocket go that sends a mebibyte of JSON, or what is nested without end', async () => {
    const frameOf = (json: string): Buffer => {
      const head = Buffer.from(json);
      const frame = Buffer.alloc(4 + head.length);
      frame.writeUInt32LE(head.length, 0);
      head.copy(frame, 4);
      return frame;
    };
    const params = [`[${'{},'.repeat(400_000)}{}]`, '['.repeat(1000) + ']'.repeat(1000)];
    for (const one of params) {
      const socket = openSocket(shell, { cookie, origin: origin() }, key);
      await once(socket, 'open');
      socket.send(frameOf(`{"frame":"call","id":1,"op":"engine.info","params":${one}}`));
      await once(socket, 'close');
    }
    expect(engine.state).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it('lets a WebSocket go that sends text, and one that sends what is no frame', async () => {
    for (const message of ['{"frame":"call"}', Buffer.from('no frame')]) {
      const socket = openSocket(shell, { cookie, origin: origin() }, key);
      await once(socket, 'open');
      socket.send(message);
      await once(socket, 'close');
    }
    expect(engine.state).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it('listens on the loopback address only', async () => {
    for (const address of ['0.0.0.0', '::', '192.0.2.1']) {
      const start = startWebShell({ engine, files: folder, address });
      await expect(start).rejects.toMatchObject({ code: 'usage' });
    }
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal);
    for (const { address } of others) {
      const socket = connect(shell.port, address);
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
      expect(error.code).toBe('ECONNREFUSED');
    }
  });
});
