import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { collect, type CollectedRow, inputOf } from '../../shared/testing/collect.ts';
import {
  ACK,
  ascii,
  cat,
  classicFile,
  ethernet,
  FIN,
  hex,
  ip4,
  n16,
  tcp,
} from '../testing/build.ts';
import { pcapImporter } from '../index.ts';
import { ja3, ja4 } from './tls/fingerprints.ts';
import { CLIENT, datagram, events, type Frame, of, SERVER, stream } from './testing/frames.ts';
import { readHello } from './tls/hello.ts';
import { clientHello, handshake } from './testing/hellos.ts';
import { AUTHENTICATE, CHALLENGE } from './testing/smb.ts';

const name = (text: string): Uint8Array =>
  cat(...text.split('.').flatMap((label) => [Uint8Array.of(label.length), ascii(label)]), '00');

/** A message of DNS with one question. */
function dns(id: number, flags: number, asked: string, type: number, answers: Uint8Array[] = []) {
  const counts = cat(n16(1), n16(answers.length), n16(0), n16(0));
  return cat(n16(id), n16(flags), counts, name(asked), n16(type), n16(1), ...answers);
}
/** A record whose name is that of the question. */
const record = (type: number, ttl: number, data: Uint8Array): Uint8Array =>
  cat('c00c', n16(type), n16(1), n16(0), n16(ttl), n16(data.length), data);

describe('DNS', () => {
  const ask = dns(7, 0x0100, 'www.example.com', 1);
  const answer = dns(7, 0x8180, 'www.example.com', 1, [
    record(5, 60, name('host1.example.com')),
    record(1, 30, Uint8Array.of(203, 0, 113, 9)),
  ]);

  it('joins a query and its answer', async () => {
    const [row, ...more] = await of('dns', [datagram(true, 53, ask), datagram(false, 53, answer)]);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      ...{ src_ip4: 0xc0000211, dst_ip4: 0xc6336407, src_port: 40_000, dst_port: 53, proto: 17 },
      ...{ ts: 1_700_000_000_000_000, flow_id: 1, service: 'dns', event_type: 'query' },
      ...{ query: 'www.example.com', query_type: 'A', outcome: 'success', extractor: 'dns/11' },
      message: 'A www.example.com → host1.example.com, 203.0.113.9',
    });
    expect(row?.attrs).toEqual({
      ...{ trans_id: '7', qclass_name: 'IN', rcode: '0', rcode_name: 'NOERROR', rtt: '0.001000' },
      ...{ answers: '["host1.example.com","203.0.113.9"]', TTLs: '["60","30"]' },
      ...{ AA: 'F', TC: 'F', RD: 'T', RA: 'T', Z: '0' },
    });
  });

  it('gives a query without an answer, and an answer without a query', async () => {
    const other = dns(8, 0x8183, 'no.example.com', 28);
    const rows = await of('dns', [datagram(false, 53, other), datagram(true, 53, ask)]);
    expect(rows.map((row) => [row['query'], row['outcome'], row['src_ip4']])).toEqual([
      ['no.example.com', 'failure', 0xc0000211],
      ['www.example.com', undefined, 0xc0000211],
    ]);
  });

  it('reads several messages over TCP, whose lengths and bytes come in pieces', async () => {
    const { client, server } = stream(53);
    const both = cat(n16(ask.length), ask, n16(ask.length), ask);
    const back = cat(n16(answer.length), answer);
    const rows = await of('dns', [
      client(1, both.subarray(0, ask.length + 3)),
      client(ask.length + 4, both.subarray(ask.length + 3)),
      server(1, back.subarray(0, 1)),
      server(2, back.subarray(1)),
    ]);
    expect(rows.map((row) => [row['query'], row.attrs['rcode_name']])).toEqual([
      ['www.example.com', undefined],
      ['www.example.com', 'NOERROR'],
    ]);
  });

  it('takes the questions of a message that was cut', async () => {
    const [row] = await of('dns', [datagram(false, 53, answer)], 34 + 8 + answer.length - 4);
    expect(row).toMatchObject({ query: 'www.example.com', outcome: 'success' });
    expect(row?.attrs).toMatchObject({ answers: '["host1.example.com"]' });
    expect(row?.attrs['problem']).toBe('the message cannot be read to its end');
  });

  it('finds it on another port, and takes nothing else for it', async () => {
    expect(await of('dns', [datagram(true, 9999, ask)])).toHaveLength(1);
    expect(await of('dns', [datagram(true, 9999, ask.subarray(0, -1))])).toEqual([]);
    expect(await of('dns', [datagram(true, 53, ascii('no message of DNS at all'))])).toEqual([]);
  });

  it('escapes what is no text in names', async () => {
    const [row] = await of('dns', [datagram(true, 53, dns(3, 0x0100, 'a\x04b\\c', 1))]);
    expect(row).toMatchObject({ query: 'a\\004b\\\\c' });
  });

  it.each([
    ['HOST1'.padEnd(15), 'HOST1<00>'],
    ['\x01\x02__MSBROWSE__\x02', '<01><02>__MSBROWSE__<02><00>'],
  ])('reads names of NetBIOS', async (name, text) => {
    const encoded = [...name, '\0']
      .map((char) => char.charCodeAt(0))
      .map((code) => String.fromCharCode(65 + (code >>> 4), 65 + (code & 15)))
      .join('');
    const [row] = await of('dns', [datagram(true, 137, dns(3, 0x0110, encoded, 32))]);
    expect(row).toMatchObject({ query: text, query_type: 'NB' });
  });

  it('lists all questions of a message, with their types', async () => {
    const questions = [
      ...[name('_adisk._tcp.local'), n16(12), n16(1)],
      ...[name('host1.local'), n16(28), n16(0x8001)],
    ];
    const many = cat(n16(0), n16(0), n16(2), n16(0), n16(0), n16(0), ...questions);
    const [row, ...more] = await of('dns', [datagram(true, 5353, many)]);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      ...{ query: '_adisk._tcp.local', query_type: 'PTR' },
      message: 'PTR _adisk._tcp.local and 1 more question',
    });
    expect(row?.attrs).toMatchObject({
      ...{ query: '["_adisk._tcp.local","host1.local"]', query_type: '["PTR","AAAA"]' },
    });
    const [one] = await of('dns', [datagram(true, 53, ask)]);
    expect(Object.keys(one?.attrs ?? {})).not.toContain('query');
  });

  it('follows no name forwards or round', async () => {
    const loop = cat(n16(1), n16(0), n16(1), n16(0), n16(0), n16(0), 'c00c', n16(1), n16(1));
    expect(await of('dns', [datagram(true, 53, loop)])).toEqual([]);
  });
});

const GET =
  'GET /a?b=c HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: agent/1\r\nReferer: http://example.com/\r\nAuthorization: Basic YWxpY2U6c2VjcmV0\r\n\r\n';
const OK =
  'HTTP/1.1 200 OK\r\nServer: x\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello';

describe('HTTP', () => {
  it.each([
    ['no text', 'HTTX/1.1 200 OK'],
    ['a version that is none', 'HTTP/1.01 200 OK'],
    ['a status that is none', 'HTTP/1.1 20 OK'],
  ])('says that an answer with %s cannot be read, up to the next', async (_, line) => {
    const { client, server } = stream(8080);
    const [head, body] = [`${line}\r\nContent-Length: 3\r\n\r\n`, 'one'];
    const size = head.length + body.length;
    const frames = [client(1, GET), server(1, head + body)];
    const unread = 'what the server sent cannot be read as a response of HTTP/1';
    const [row, ...more] = await of('http', frames);
    expect(more).toEqual([]);
    expect(row?.attrs['problem']).toBe(unread);
    const next = [
      client(1 + GET.length, GET),
      server(1 + size, 'HTTP/1.1 204 No Content\r\n\r\n', ACK, 1 + 2 * GET.length),
    ];
    const both = await of('http', [...frames, ...next]);
    expect(both.map((one) => [one['http_status'], one.attrs['problem']])).toEqual([
      [undefined, unread],
      [
        '204',
        'bytes before the response are missing or cannot be read: it may be that of another request',
      ],
    ]);
  });

  it('says that chunks of a body cannot be read, not that they were not captured', async () => {
    const { client, server } = stream(8080);
    const answer =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n\x0c3\r\ntwo\r\n0\r\n\r\n';
    const rows = await events([client(1, GET), server(1, answer)]);
    const reason = 'a chunk states no size that can be read';
    expect(rows.find(({ kind }) => kind === 'http')?.attrs['problem']).toBe(
      `the body cannot be read to its end: ${reason}`,
    );
    const file = rows.find(({ kind }) => kind === 'file');
    expect(file?.attrs['problem']).toContain(reason);
    expect(file).not.toHaveProperty('sha256');
    for (const body of ['x\r\none\r\n', 'X without a line end']) {
      const asked = `POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
      const [row] = await of('http', [client(1, asked)]);
      expect(row?.attrs['problem']).toBe(`the request cannot be read to its end: ${reason}`);
    }
  });

  it('joins a request and its response, and hashes the body', async () => {
    const { client, server } = stream(8080);
    const [row, ...more] = await of('http', [client(1, GET), server(1, OK)]);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      ...{ src_ip4: 0xc0000211, dst_port: 8080, flow_id: 1, extractor: 'http/11' },
      ...{ url: 'http://www.example.com/a?b=c', http_method: 'GET', http_status: '200' },
      ...{ user_agent: 'agent/1', referrer: 'http://example.com/', user: 'alice' },
      ...{ dst_domain: 'www.example.com', outcome: 'success' },
      message: 'GET http://www.example.com/a?b=c 200 OK',
    });
    expect(row?.attrs).toEqual({
      ...{ host: 'www.example.com', uri: '/a?b=c', version: '1.1', status_msg: 'OK', server: 'x' },
      ...{ request_body_len: '0', response_body_len: '5', response_time: '0.001000' },
      ...{ content_type: 'text/plain', password: 'secret' },
      resp_md5: '5d41402abc4b2a76b9719d911017c592',
      resp_sha1: 'aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d',
      resp_sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    });
    // Lists and reports show messages: no password may be in them.
    expect(row?.['message']).not.toMatch(/secret|YWxpY2U6/);
  });

  it('puts segments in order, those that come early and those that come twice', async () => {
    const { client, server } = stream(80);
    const [a, b, c] = [OK.slice(0, 30), OK.slice(30, 60), OK.slice(60)];
    const [row] = await of('http', [
      client(1, GET),
      server(1, a),
      server(61, c),
      server(1, a + b.slice(0, 5)),
      server(31, b),
    ]);
    expect(row).toMatchObject({ http_status: '200' });
    expect(row?.attrs).toMatchObject({ response_body_len: '5' });
    expect(row?.attrs['resp_md5']).toBe('5d41402abc4b2a76b9719d911017c592');
  });

  it('pairs pipelined requests in order', async () => {
    const { client, server } = stream(80);
    const get = (n: number): string => `GET /${n} HTTP/1.1\r\nHost: example.com\r\n\r\n`;
    const answer = (n: number): string => `HTTP/1.1 20${n} OK\r\nContent-Length: 1\r\n\r\n${n}`;
    const rows = await of('http', [client(1, get(1) + get(2)), server(1, answer(1) + answer(2))]);
    expect(rows.map((row) => [row.attrs['uri'], row['http_status']])).toEqual([
      ['/1', '201'],
      ['/2', '202'],
    ]);
  });

  it('says all requests of one side, however many, and pairs late responses with none of them', async () => {
    const { client, server } = stream(80);
    const count = 200;
    let next = 1;
    const frames = Array.from({ length: count }, (_, n) => {
      const get = `POST /${n} HTTP/1.1\r\nContent-Length: 1\r\n\r\n${n % 10}`;
      next += get.length;
      return client(next - get.length, get);
    });
    const answers = Array.from(
      { length: count },
      (_, n) => `HTTP/1.1 200 ${n}\r\nContent-Length: 0\r\n\r\n`,
    );
    const uris = (rows: readonly CollectedRow[]): unknown[] =>
      rows.flatMap((row) => row.attrs['uri'] ?? []);
    const all = Array.from({ length: count }, (_, n) => `/${n}`);
    const rows = await of('http', frames);
    expect(uris(rows)).toEqual(all);
    expect(rows.at(-1)?.attrs['req_sha256']).toHaveLength(64);
    const late = await of('http', [...frames, server(1, answers.join(''))]);
    expect(uris(late)).toEqual(all);
    const pairs = late.map((row) => [row.attrs['uri'], row.attrs['status_msg']]);
    expect(pairs.filter(([uri]) => uri === undefined).map(([, text]) => text)).toEqual(
      all.slice(0, 72).map((uri) => uri.slice(1)),
    );
    expect(pairs.at(-1)).toEqual(['/199', '199']);
    const problems = Object.groupBy(late, (row) => row.attrs['problem'] ?? 'none');
    expect(Object.entries(problems).map(([text, group]) => [text, group?.length])).toEqual([
      ['more than 128 requests were unanswered: its response, if captured, is another event', 72],
      ['more than 128 requests were unanswered: its request is another event', 72],
      ['none', 128],
    ]);
  });

  it('knows the methods of requests that it does not join with their responses', async () => {
    const { client, server } = stream(80);
    const count = 130;
    const all = (text: string): string => text.repeat(count);
    const heads = [
      client(1, all('HEAD /i HTTP/1.1\r\n\r\n')),
      server(1, all('HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n')),
    ];
    const rows = await events(heads);
    expect(rows.filter(({ kind }) => kind === 'file')).toEqual([]);
    const requests = rows.filter((row) => row['http_method'] === 'HEAD');
    expect(requests).toHaveLength(count);
    expect(requests.filter((row) => row['http_status'] === '200')).toHaveLength(128);
    const gets = 'GET /i HTTP/1.1\r\n\r\n'.repeat(count);
    const tunnel = await events([
      client(1, `CONNECT a:1 HTTP/1.1\r\n\r\n${gets}`),
      server(1, 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd'),
    ]);
    expect(tunnel.filter(({ kind }) => kind === 'file')).toEqual([]);
  });

  it('reads no responses after more unanswered requests than it can count, and says so', async () => {
    const { client, server } = stream(80);
    const count = 128 + 8192 + 2;
    const asked = ascii('HEAD /i HTTP/1.1\r\n\r\n'.repeat(count));
    const frames = [];
    for (let at = 0; at < asked.length; at += 60_000)
      frames.push(client(1 + at, asked.subarray(at, at + 60_000)));
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n';
    const rows = await events([
      server(1, 'HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\nbegins'),
      ...frames,
      server(1 + answer.length + 6, 'ends'),
      server(1 + answer.length + 10, answer.repeat(3)),
    ]);
    const files = rows.filter(({ kind }) => kind === 'file');
    expect(files).toHaveLength(1);
    // The response under way is read to its end.
    expect(files[0]!.attrs['problem']).toBeUndefined();
    const http = rows.filter(({ kind }) => kind === 'http');
    expect(http.filter((row) => row['http_method'] === 'HEAD')).toHaveLength(count);
    expect(http.filter((row) => row['http_status'] !== undefined)).toHaveLength(1);
    const last = 'more than 8320 requests were unanswered: responses are no longer read';
    expect(http.at(-1)?.attrs['problem']).toBe(last);
  });

  it('reads the whole lines of heads that the capture cuts', async () => {
    const { client, server } = stream(80);
    const rows = await of('http', [client(1, GET), server(1, OK), client(1, 'x', ACK, 200)], 110);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ url: 'http://www.example.com/a?b=c', http_status: '200' });
    expect(rows[0]).not.toHaveProperty('user_agent');
    expect(rows[0]?.attrs['problem']).toMatch(
      'the request has a head that was not captured to its end; the response has a head',
    );
  });

  it.each<[string, string, string]>([
    [
      'in chunks',
      'Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nTrailer: 1\r\n\r\n',
      '5',
    ],
    ['up to the end of the connection', '\r\nhello', '5'],
  ])('reads a body %s', async (_, rest, size) => {
    const { client, server } = stream(80);
    const text = `HTTP/1.1 200 OK\r\n${rest}`;
    // Byte by byte: no state depends on where segments end.
    const bytes = [...text].map((char, i) => server(1 + i, char));
    const [row] = await of('http', [
      client(1, GET),
      ...bytes,
      server(1 + text.length, '', ACK | FIN),
    ]);
    expect(row?.attrs).toMatchObject({ response_body_len: size });
    expect(row?.attrs['resp_md5']).toBe('5d41402abc4b2a76b9719d911017c592');
    expect(row?.attrs).not.toHaveProperty('problem');
  });

  it('goes on after a gap, and says that the response may be another', async () => {
    const { client, server } = stream(80);
    const frames = [client(1, GET), client(1 + GET.length, GET), server(1, 'of a lost response')];
    const rows = await of('http', [...frames, server(19, OK)]);
    expect(rows.map((row) => row['http_status'])).toEqual([undefined, '200']);
    expect(rows[1]?.attrs['problem']).toMatch(/may be that of another request/);
  });

  it('hashes no body of which bytes were not captured', async () => {
    const { client, server } = stream(80);
    const long = OK.replace('Content-Length: 5', 'Content-Length: 200').replace(
      'hello',
      'x'.repeat(200),
    );
    const [row] = await of(
      'http',
      [client(1, GET), server(1, long), server(1 + long.length, OK)],
      260,
    );
    expect(row?.attrs).not.toHaveProperty('resp_md5');
    expect(row?.attrs['problem']).toBe('the body was not captured to its end');
  });

  it.each([
    ['200', 'success', 'alice'],
    ['401', 'failure', 'alice'],
  ])('says logins with NTLM (%s)', async (status, outcome, user) => {
    const { client, server } = stream(8080);
    const challenge = CHALLENGE.toString('base64');
    const login = AUTHENTICATE.toString('base64');
    const asks = `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: NTLM ${login}\r\n\r\n`;
    const offers =
      'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="a"\r\n' +
      `WWW-Authenticate: NTLM ${challenge}\r\nContent-Length: 0\r\n\r\n`;
    const answer = `HTTP/1.1 ${status} x\r\nContent-Length: 0\r\n\r\n`;
    const first = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const frames = [
      ...[client(1, first), server(1, offers)],
      ...[client(1 + first.length, asks), server(1 + offers.length, answer)],
    ];
    const [row, ...more] = await of('ntlm', frames);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      ...{ user, user_domain: 'EXAMPLE', outcome, service: 'http' },
      attrs: { hostname: 'HOST1', server_nb_computer_name: 'SERVER1' },
    });
    expect((await of('http', frames)).map((http) => http['user'])).toEqual([undefined, user]);
  });

  it('says which account Digest authentication names', async () => {
    const { client } = stream(8080);
    const ask =
      'GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Digest realm="a", username="bob", uri="/"\r\n\r\n';
    const [row] = await of('http', [client(1, ask)]);
    expect(row?.['user']).toBe('bob');
  });

  it.each([
    ['GET /HTTP/1.1', '/HTTP/1.1'],
    ['GET /a', '/a'],
  ])('takes a request without a version for one where headers follow (%s)', async (line, uri) => {
    const { client, server } = stream(8080);
    const [row] = await of('http', [client(1, `${line}\r\nHost: a\r\n\r\n`), server(1, OK)]);
    expect(row).toMatchObject({ http_status: '200', attrs: { uri, host: 'a', version: '1.1' } });
    expect(await of('http', [client(1, `${line}\r\nPING\r\n`)])).toEqual([]);
  });

  it('says which response came before the final one', async () => {
    const { client, server } = stream(8080);
    const rows = await of('http', [
      client(1, 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n'),
      server(1, `HTTP/1.1 100 Continue\r\n\r\n${OK}${OK}`),
    ]);
    expect(rows.map((row) => [row['http_status'], row.attrs['info_code']])).toEqual([
      ['200', '100'],
      ['200', undefined],
    ]);
    expect(rows[0]?.attrs['info_msg']).toBe('Continue');
  });

  it('gives a request without a response', async () => {
    const [row] = await of('http', [stream(80).client(1, GET)]);
    expect(row).toMatchObject({ http_method: 'GET' });
    expect(row).not.toHaveProperty('http_status');
  });

  it('finds what goes through the tunnel of a proxy', async () => {
    const { client, server } = stream(3128);
    const connect = 'CONNECT www.example.com:443 HTTP/1.1\r\nHost: www.example.com:443\r\n\r\n';
    const done = 'HTTP/1.1 200 OK\r\n\r\n';
    const rows = await events([
      client(1, connect),
      server(1, done),
      client(1 + connect.length, tls(1, clientHello())),
    ]);
    expect(
      rows
        .filter(({ kind }) => kind !== 'flow')
        .map((row) => [row.kind, row['url'] ?? row.attrs['server_name']]),
    ).toEqual([
      ['http', 'www.example.com:443'],
      ['tls', 'www.example.com'],
    ]);
  });
});

/** A record with one handshake message. */
function tls(type: number, message: Uint8Array): Uint8Array {
  const header = cat(Uint8Array.of(type, 0), n16(message.length));
  return cat('16 0301', n16(message.length + 4), header, message);
}

describe('TLS', () => {
  const { client, server } = stream(8443);
  it('reads what servers of drafts of TLS 1.3 choose', async () => {
    const hello = tls(2, cat('7f12', '22'.repeat(32), '1301', n16(4), '0028 0000'));
    const [row] = await of('tls', [client(1, tls(1, clientHello())), server(1, hello)]);
    expect(row?.attrs).toMatchObject({
      ...{ version: 'TLSv13-draft18', cipher: 'TLS_AES_128_GCM_SHA256' },
      ja3s: createHash('md5').update('32530,4865,40').digest('hex'),
    });
  });

  const serverHello = (version: string): Uint8Array =>
    tls(2, cat('0303', '22'.repeat(32), '00 c02b 00', n16(6), '002b 0002', version));

  it('says what was offered and chosen', async () => {
    const hello = tls(1, clientHello());
    const [row, ...more] = await of('tls', [
      client(1, hello.subarray(0, 50)),
      client(51, hello.subarray(50)),
      server(1, cat(serverHello('0304'), '17 0303 0001 00')),
      client(1 + hello.length, hex('14 0303 0001 01 17 0303 0001 00')),
    ]);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      ...{ dst_port: 8443, outcome: 'success', extractor: 'tls/11' },
      ...{ tls_sni: 'www.example.com', ja3: '87991a9b84cb5b4bc5f84c5ecad46032' },
    });
    expect(row?.attrs).toEqual({
      ...{ server_name: 'www.example.com', version: 'TLSv13', established: 'T' },
      cipher: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
      alpn: '["h2","http/1.1"]',
      ja3s: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      ja4: 't13d0206h2_777cda164f4b_fb71836bce29',
    });
  });

  it('reads the second ServerHello after one that asks for another ClientHello', async () => {
    const retry = tls(
      2,
      cat(
        '0303',
        'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c',
        '00 1301 00',
        n16(6),
        '002b 0002 0304',
      ),
    );
    const change = hex('14 0303 0001 01');
    const hello = tls(1, clientHello());
    const back = cat(retry, change, serverHello('0304'));
    const [row] = await of('tls', [
      client(1, hello),
      server(1, back),
      client(1 + hello.length, cat(change, hello)),
    ]);
    expect(row?.attrs).toMatchObject({
      version: 'TLSv13',
      cipher: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    });
  });

  it('is found after what a database says before (PostgreSQL)', async () => {
    const { client, server } = stream(54_320);
    const hello = handshake(1, clientHello());
    const chosen = cat('0303', '22'.repeat(32), '00 c02b 00', n16(0));
    const [row] = await of('tls', [
      ...[client(1, hex('00000008 04d2162f')), server(1, 'S'), client(9, hello)],
      server(2, handshake(2, chosen)),
    ]);
    expect(row?.attrs).toMatchObject({
      ...{ version: 'TLSv12', cipher: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256' },
    });
    expect(row?.attrs).not.toHaveProperty('problem');
  });

  it('says which alert ended a handshake', async () => {
    const [row] = await of('tls', [
      client(1, tls(1, clientHello())),
      server(1, hex('15 0301 0002 02 28')),
    ]);
    expect(row).toMatchObject({ outcome: 'failure', reason: 'handshake_failure' });
  });

  it('says that a certificate cannot be read', async () => {
    const certificate = ascii('no certificate');
    const size = (n: number): Uint8Array => Uint8Array.of(0, n >>> 8, n & 255);
    const list = cat(size(certificate.length + 3), size(certificate.length), certificate);
    const [row] = await of('tls', [
      client(1, tls(1, clientHello())),
      server(1, cat(serverHello('0303'), tls(11, list))),
    ]);
    expect(row?.attrs['problem']).toMatch(/^the certificate cannot be read: /);
    expect(row?.attrs['cert_sha256']).toMatch(/^[0-9a-f]{64}$/);
  });
});

it('has the fingerprints that JA4 publishes as an example', () => {
  const words = (text: string): number[] =>
    text.split(',').map((word) => Number.parseInt(word, 16));
  const hello = {
    ...readHello(cat('0303', '00'.repeat(32), '00', n16(2), '1301', '01 00'), 0, 41, true)!,
    ciphers: words(
      '0a0a,1301,1302,1303,c02b,c02f,c02c,c030,cca9,cca8,c013,c014,009c,009d,002f,0035',
    ),
    extensions: words(
      '1a1a,0000,0017,ff01,000a,000b,0023,0010,0005,000d,0012,0033,002d,002b,001b,4469,2a2a,0015',
    ),
    signatures: words('0403,0804,0401,0503,0805,0501,0806,0601'),
    versions: [0x3a3a, 0x0304, 0x0303],
    alpn: ['h2', 'http/1.1'],
  };
  expect(ja4(hello, 't')).toBe('t13d1516h2_8daaf6152771_e5627efa2ab1');
  // https://github.com/salesforce/ja3: 769,4-5-10-9-100-98-3-6-19-18-99,,,
  const old = { ...hello, version: 769, ciphers: [4, 5, 10, 9, 100, 98, 3, 6, 19, 18, 99] };
  expect(ja3({ ...old, extensions: [], groups: [], pointFormats: [] })).toBe(
    'de350869b8c85de67a350c8d186f11e6',
  );
});

it('gives the oldest up where too much is begun, and says so', async () => {
  // 60 KiB of a head that does not end, on each of 1,200 connections.
  const begun = cat(
    ascii('GET / HTTP/1.1\r\nHost: example.com\r\nX: '),
    new Uint8Array(1400).fill(97),
  );
  const more = new Uint8Array(begun.length).fill(98);
  const frames: Frame[] = [];
  for (let port = 0; port < 1200; port++) {
    for (let n = 0; n < 43; n++) {
      const segment = tcp(
        { src: 10_000 + port, dst: 80, flags: ACK, seq: 1 + n * begun.length },
        n === 0 ? begun : more,
      );
      frames.push(ethernet(0x0800, ip4({ src: CLIENT, dst: SERVER, proto: 6 }, segment)));
    }
  }
  const file = classicFile(
    {},
    frames.map((bytes, i) => ({ seconds: 1_700_000_000, fraction: i, bytes })),
  );
  const { notes } = await collect(pcapImporter, inputOf(file), { protocols: true, packets: false });
  expect(notes.join()).toMatch(
    /connections were read only in part: too much of them was open at once/,
  );
});

it('follows no more connections than it has memory for, however little each has begun', async () => {
  const begun = ascii('GET / HTTP/1.1\r\n');
  const frames = Array.from({ length: 40_000 }, (_, port) =>
    ethernet(
      0x0800,
      ip4(
        { src: CLIENT, dst: SERVER, proto: 6 },
        tcp({ src: 10_000 + port, dst: 80, flags: ACK, seq: 1 }, begun),
      ),
    ),
  );
  const file = classicFile(
    {},
    frames.map((bytes, i) => ({ seconds: 1_700_000_000, fraction: i, bytes })),
  );
  const { notes } = await collect(pcapImporter, inputOf(file), { protocols: true, packets: false });
  expect(notes.join()).toMatch(
    /connections were read only in part: too much of them was open at once/,
  );
});

it('names the protocol of a flow', async () => {
  const { client, server } = stream(8080);
  const rows = await of('flow', [client(1, GET), server(1, OK)]);
  expect(rows.map((row) => row['service'])).toEqual(['http']);
});

it('survives every changed byte of every protocol, and numbers each event once', async () => {
  const { client, server } = stream(443);
  const frames = [
    client(1, tls(1, clientHello())),
    stream(80).client(1, GET),
    stream(80).server(1, OK),
    datagram(true, 53, dns(7, 0x0100, 'www.example.com', 1)),
    server(1, hex('15 0301 0002 02 28')),
  ];
  for (const [i, frame] of frames.entries()) {
    for (let at = 34; at < frame.length; at++) {
      const changed = Uint8Array.from(frame);
      changed[at]! ^= 0xff;
      const rows = await events(frames.with(i, changed));
      const numbers = rows.map((row) => row['seq']);
      expect(new Set(numbers).size).toBe(numbers.length);
    }
  }
});

describe('hostile content', () => {
  const { client, server } = stream(80);

  it.each<[string, string, RegExp | undefined]>([
    [
      'a length and chunks',
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      /a length, and chunks/,
    ],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 0', /several lengths/],
    ['a length that is no number', 'Content-Length: +5', /no number/],
    ['an encoding beside chunks', 'Transfer-Encoding: chunked, identity', /not as all/],
    ['a blank before the colon', 'Transfer-Encoding : chunked\r\nContent-Length: 1', /and chunks/],
    ['the same length twice', 'Content-Length: 0\r\nContent-Length: 0', undefined],
  ])('says that a request states %s', async (_, headers, problem) => {
    const [row] = await of('http', [client(1, `POST / HTTP/1.1\r\n${headers}\r\n\r\n0\r\n\r\n`)]);
    if (problem === undefined) expect(row?.attrs).not.toHaveProperty('problem');
    else expect(row?.attrs['problem']).toMatch(problem);
  });

  it('takes no longer for lines that are made to be slow', async () => {
    const blanks = ' '.repeat(60_000);
    const pieces = (sent: typeof client, text: string): Frame[] => {
      const all = Buffer.from(text);
      return Array.from({ length: Math.ceil(all.length / 1400) }, (_, i) =>
        sent(1 + 1400 * i, all.subarray(1400 * i, 1400 * (i + 1))),
      );
    };
    const rows = await of('http', [
      ...pieces(client, `${GET}GET /${blanks}x HTTP/1.1${blanks.slice(0, 4000)}x\r\n\r\n`),
      ...pieces(server, `${OK}HTTP/1.1 200${blanks}x\u2028y\r\n\r\n`),
    ]);
    expect(rows.map((row) => row['http_status'])).toEqual(['200', '200']);
  });

  it('reads handshake messages that come in records of one byte', async () => {
    const certificate = new Uint8Array(200_000);
    const size = (n: number): Uint8Array => Uint8Array.of(n >>> 16, (n >>> 8) & 255, n & 255);
    const list = cat(size(certificate.length + 3), size(certificate.length), certificate);
    const message = cat('0b', size(list.length), list);
    const records = new Uint8Array(message.length * 6);
    for (const [i, byte] of message.entries()) records.set([22, 3, 3, 0, 1, byte], 6 * i);
    const hello = tls(2, cat('0303', '22'.repeat(32), '00 c02b 00'));
    const sent = cat(hello, records);
    const frames = [client(1, tls(1, clientHello()))];
    for (let at = 0; at < sent.length; at += 1400)
      frames.push(server(1 + at, sent.subarray(at, at + 1400)));
    const [row] = await of('tls', frames);
    expect(row?.attrs['cert_sha256']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('follows no name over more hops than a name has labels', async () => {
    const hops = Array.from({ length: 200 }, (_, i) => n16(0xc000 | (i === 0 ? 12 : 27 + 2 * i)));
    const data = cat(...hops);
    const header = cat(n16(1), n16(0x8000), n16(1), n16(2), n16(0), n16(0));
    const first = cat('00', n16(10), n16(1), n16(0), n16(1), n16(data.length), data);
    const last = cat(n16(0xc000 | (27 + 2 * 199)), n16(1), n16(1), n16(0), n16(1), n16(0));
    const message = cat(header, '00', n16(1), n16(1), first, last);
    expect(await of('dns', [datagram(false, 9999, message)])).toEqual([]);
  });

  it('takes what is announced to all as its sender says', async () => {
    const answer = dns(0, 0x8400, 'host1.local', 1, [record(1, 30, Uint8Array.of(203, 0, 113, 9))]);
    const frame = datagram(true, 5353, answer);
    frame.set([224, 0, 0, 251], 30);
    const [row] = await of('dns', [frame]);
    expect(row).toMatchObject({ src_ip4: 0xc0000211, dst_ip4: 0xe00000fb });
  });

  it('takes no fragment but the first for a datagram', async () => {
    const frame = datagram(true, 53, dns(7, 0x0100, 'www.example.com', 1));
    // A later fragment has no ports: its payload looks like a UDP header, too.
    const payload = dns(7, 0x0100, 'www.example.com', 1);
    const ip = ip4({ src: CLIENT, dst: SERVER, proto: 17 }, payload);
    ip.set([0x00, 0x10], 6);
    const rows = await events([frame, ethernet(0x0800, ip)]);
    expect(rows.filter(({ kind }) => kind === 'dns')).toHaveLength(1);
  });

  it('holds no more of what waits for answers than the bound', async () => {
    const questions = 60;
    const big = cat(
      ...[n16(7), n16(0x0100), n16(questions), n16(0), n16(0), n16(0)],
      ...Array.from({ length: questions }, (_, i) =>
        cat(name(`${'a'.repeat(10)}${i}.example.com`), n16(1), n16(1)),
      ),
    );
    const frames = Array.from({ length: 4000 }, (_, i) => {
      const query = Uint8Array.from(big);
      query.set([i >>> 8, i & 255], 0);
      const frame = datagram(true, 53, query);
      // Another client for each few queries.
      frame.set([10, 0, 0, i >>> 6], 26);
      return frame;
    });
    const file = classicFile(
      {},
      frames.map((bytes, i) => ({ seconds: 1_700_000_000, fraction: i, bytes })),
    );
    const { rows, notes } = await collect(pcapImporter, inputOf(file), {
      ...{ protocols: true, packets: false },
    });
    expect(rows.filter(({ kind }) => kind === 'dns')).toHaveLength(4000);
    expect(notes.join()).toMatch(/connections were read only in part/);
  });
});
