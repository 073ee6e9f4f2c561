/** HTTP/2 in clear, on connections that are built here; its compression against RFC 7541, appendix C. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CollectedRow } from '../../../shared/testing/collect.ts';
import { ACK, ascii, cat, hex, n32 } from '../../testing/build.ts';
import { HpackTable } from './hpack.ts';
import { Http2Stream } from './http2.ts';
import {
  END_HEADERS,
  END_STREAM,
  frame,
  PREFACE,
  PRIORITY,
  request,
  response,
  SESSION,
  SETTINGS,
} from '../testing/http2.ts';
import { events, exchange, type Frame, of, stream } from '../testing/frames.ts';

const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');
const brief = (rows: readonly CollectedRow[]): unknown[] =>
  rows.map((row) => [row['message'], row.attrs['response_body_len'], row.attrs['problem']]);
/** What a client and a server send, in one connection. */
const said = (client: Uint8Array, server: Uint8Array, cut = Infinity): Frame[] =>
  exchange(8080, [cat(PREFACE, SETTINGS, client), cat(SETTINGS, server)], cut);
const GET = frame('headers', 1, END_HEADERS | END_STREAM, request('/a'));

describe('HTTP/2', () => {
  it.each([Infinity, 1, 10])('joins requests and responses (pieces of %s)', async (cut) => {
    const rows = (await events(exchange(8080, SESSION, cut))).filter(({ kind }) => kind !== 'flow');
    const [a, b] = ['/a', '/b'].map((uri) =>
      rows.find((row) => row.kind === 'http' && row.attrs['uri'] === uri),
    );
    expect(a).toMatchObject({
      ...{ src_ip4: 0xc0000211, dst_port: 8080, service: 'http', flow_id: 1, outcome: 'success' },
      ...{ url: 'http://www.example.com/a', http_method: 'GET', http_status: '200' },
      ...{ user_agent: 'agent/1', dst_domain: 'www.example.com' },
      message: 'GET http://www.example.com/a 200',
    });
    expect(a?.attrs).toMatchObject({
      ...{ version: '2', info_code: '100', content_type: 'text/plain', response_body_len: '3' },
      resp_sha256: sha256('one'),
    });
    expect(a?.attrs).not.toHaveProperty('problem');
    expect(b).toMatchObject({ http_method: 'POST', http_status: '201' });
    expect(b?.attrs).toMatchObject({ req_sha256: sha256('hello'), resp_sha256: sha256('two') });
    const files = rows.filter(({ kind }) => kind === 'file');
    expect(
      files.map((row) => [row['event_type'], row.attrs['filename'], row['sha256']]).toSorted(),
    ).toEqual(
      [
        ['upload', 'b', sha256('hello')],
        ['download', 'b', sha256('two')],
        ['download', 'a', sha256('one')],
      ].toSorted(),
    );
    const flows = await of('flow', exchange(8080, SESSION, cut));
    expect(flows.map((row) => row['service'])).toEqual(['http']);
  });

  it('decodes bodies', async () => {
    const zipped = gzipSync('text '.repeat(100));
    const head = response('200', ['content-encoding', 'gzip']);
    const answer = cat(
      frame('headers', 1, END_HEADERS, head),
      frame('data', 1, 0, zipped.subarray(0, 9)),
      frame('data', 1, END_STREAM, zipped.subarray(9)),
    );
    const [file] = await of('file', said(GET, answer));
    expect(file).toMatchObject({ sha256: sha256('text '.repeat(100)) });
  });

  it('puts headers together that go over several frames, whatever their priority', async () => {
    const whole = cat(n32(0), '10', request('/a'));
    const rows = await of(
      'http',
      said(
        cat(
          frame('headers', 1, PRIORITY | END_STREAM, whole.subarray(0, 20)),
          frame('continuation', 1, 0, whole.subarray(20, 30)),
          frame('continuation', 1, END_HEADERS, whole.subarray(30)),
        ),
        frame('headers', 1, END_HEADERS | END_STREAM, response('204')),
      ),
    );
    expect(brief(rows)).toEqual([['GET http://www.example.com/a 204', '0', undefined]]);
  });

  it('says what a server promises, and what is reset or not answered', async () => {
    const rows = await of(
      'http',
      said(
        cat(GET, frame('headers', 3, END_HEADERS | END_STREAM, request('/c'))),
        cat(
          frame('push', 1, END_HEADERS, cat(n32(2), request('/pushed'))),
          frame('headers', 2, END_HEADERS | END_STREAM, response('200')),
          frame('reset', 1, 0, n32(8)),
        ),
      ),
    );
    expect(brief(rows)).toEqual([
      ['GET http://www.example.com/pushed 200', '0', undefined],
      ['GET http://www.example.com/a', undefined, 'the stream was reset: CANCEL'],
      ['GET http://www.example.com/c', undefined, undefined],
    ]);
  });

  it('puts a promise together that goes on in the next frame, and keeps its headers in step', async () => {
    const kept = cat('40 06', ascii('server'), '01', ascii('x'));
    const promise = cat(n32(2), request('/pushed'), kept);
    const rows = await of(
      'http',
      said(
        GET,
        cat(
          frame('push', 1, 0, promise.subarray(0, 20)),
          frame('continuation', 1, END_HEADERS, promise.subarray(20)),
          frame('headers', 2, END_HEADERS | END_STREAM, cat(response('200'), 'be')),
          frame('headers', 1, END_HEADERS | END_STREAM, cat(response('204'), 'be')),
        ),
      ),
    );
    expect(brief(rows)).toEqual([
      ['GET http://www.example.com/pushed 200', '0', undefined],
      ['GET http://www.example.com/a 204', '0', undefined],
    ]);
    expect(rows.map((row) => row.attrs['server'])).toEqual(['x', 'x']);
  });

  it.each([
    ['4', 'one', 'has a body of 3 bytes, and states 4'],
    ['2', 'one', 'has a body of 3 bytes, and states 2'],
    ['4', '', 'has a body of 0 bytes, and states 4'],
  ])('has no digests of a body that states %s bytes and is %j', async (length, body, problem) => {
    const head = response('200', ['content-length', length]);
    const answer = cat(frame('headers', 1, END_HEADERS, head), frame('data', 1, END_STREAM, body));
    const rows = await of('http', said(GET, answer));
    expect(brief(rows)).toEqual([
      ['GET http://www.example.com/a 200', String(body.length), `the response ${problem}`],
    ]);
    expect(rows[0]?.attrs).not.toHaveProperty('resp_sha256');
    const files = await of('file', said(GET, answer));
    expect(files.map((row) => [row['sha256'], row.attrs['problem']])).toEqual(
      body === '' ? [] : [[undefined, `its message ${problem}`]],
    );
  });

  it.each([
    ['HEAD', '200'],
    ['GET', '304'],
  ])('knows that the answer to %s with %s has no body', async (method, status) => {
    const asked = frame('headers', 1, END_HEADERS | END_STREAM, request('/a', method));
    const head = response(status, ['content-length', '4']);
    const rows = await of('http', said(asked, frame('headers', 1, END_HEADERS | END_STREAM, head)));
    expect(brief(rows)).toEqual([[`${method} http://www.example.com/a ${status}`, '0', undefined]]);
  });

  it.each([
    ['3, 3', undefined],
    ['3, 4', 'the response states several lengths'],
    ['x', 'the response states a length that is no number'],
  ])('says what is wrong with a length (%s)', async (length, problem) => {
    const head = response('200', ['content-length', length]);
    const answer = cat(frame('headers', 1, END_HEADERS, head), frame('data', 1, END_STREAM, 'one'));
    expect(brief(await of('http', said(GET, answer)))).toEqual([
      ['GET http://www.example.com/a 200', '3', problem],
    ]);
  });

  it('has one event of what a client resets while its answer is under way', async () => {
    const frames = said(
      cat(
        GET,
        frame('reset', 1, 0, n32(8)),
        frame('headers', 3, END_HEADERS | END_STREAM, request('/b')),
      ),
      cat(
        ...[frame('headers', 1, END_HEADERS, response('200')), frame('data', 1, END_STREAM, 'one')],
        frame('headers', 3, END_HEADERS | END_STREAM, response('204')),
      ),
    );
    expect(brief(await of('http', frames))).toEqual([
      ['GET http://www.example.com/a 200', '3', 'the stream was reset: CANCEL'],
      ['GET http://www.example.com/b 204', '0', undefined],
    ]);
    const files = await of('file', frames);
    expect(files.map((row) => row.attrs['filename'])).toEqual(['a']);
  });

  it.each([
    ['the client', 'is under way', 0],
    ['the server', 'is under way', 0],
    ['the server', 'has ended', END_STREAM],
  ])('says what %s resets with NO_ERROR while its answer %s', async (who, _, flags) => {
    const asked = frame('headers', 1, END_HEADERS, request('/a', 'POST'));
    const [answer, reset] = [frame('headers', 1, END_HEADERS, response('200')), n32(0)];
    const stops = frame('reset', 1, 0, reset);
    const body = frame('data', 1, flags, 'one');
    const { client, server } = stream(8080);
    const mine = cat(PREFACE, SETTINGS, asked);
    const theirs = cat(SETTINGS, answer, body);
    const rows = await of('http', [
      ...[client(1, mine), server(1, theirs, ACK, 1 + mine.length)],
      who === 'the client'
        ? client(1 + mine.length, stops, ACK, 1 + theirs.length)
        : server(1 + theirs.length, stops, ACK, 1 + mine.length),
    ]);
    const cut = 'the request did not come to its end';
    const isUnderWay = flags === 0;
    expect(brief(rows)).toEqual([
      [
        ...['POST http://www.example.com/a 200', '3'],
        isUnderWay
          ? `the stream was reset: NO_ERROR; the body was not captured to its end; ${cut}`
          : cut,
      ],
    ]);
  });

  it('gives up streams that were reset before others', async () => {
    const resets = Array.from({ length: 300 }, (_, n) =>
      cat(
        frame('headers', 2 * n + 3, END_HEADERS | END_STREAM, request(`/${n}`)),
        frame('reset', 2 * n + 3, 0, n32(8)),
      ),
    );
    const answer = frame('headers', 1, END_HEADERS | END_STREAM, response('204'));
    const rows = await of('http', said(cat(GET, ...resets), answer));
    expect(rows).toHaveLength(301);
    expect(brief(rows)).toContainEqual(['GET http://www.example.com/a 204', '0', undefined]);
  });

  it('joins the latest 256 answers to requests that were reset, and says which are alone', async () => {
    const ids = Array.from({ length: 400 }, (_, n) => 2 * n + 1);
    const head = (id: number, what: Uint8Array) =>
      frame('headers', id, END_HEADERS | END_STREAM, what);
    const asked = ids.map((id) => cat(head(id, request('/a')), frame('reset', id, 0, n32(8))));
    const answered = ids.map((id) => head(id, response('200')));
    const rows = await of('http', said(cat(...asked), cat(...answered), 1400));
    const told = Map.groupBy(rows, (row) => [row['message'], row.attrs['problem']].join(': '));
    const [reset, tooMany] = ['the stream was reset: CANCEL', 'more than 256 streams were open'];
    expect(Object.fromEntries([...told].map(([what, { length }]) => [what, length]))).toEqual({
      [`GET http://www.example.com/a 200: ${reset}`]: 256,
      [`GET http://www.example.com/a: ${reset}; ${tooMany}: what came later of this one is another event, or left out`]: 144,
      [`200: ${tooMany}: its request is another event`]: 144,
    });
  });

  /** Adds an entry to its table, which a byte refers to afterwards. */
  const long = cat('40 0a', ascii('user-agent'), '7f a11e', new Uint8Array(4000).fill(97));
  const named = (times: number): Uint8Array => new Uint8Array(times).fill(0xbe);

  it('bounds what a head says, decoded, and goes on with the next', async () => {
    const rows = await of(
      'http',
      said(
        cat(
          frame('headers', 1, END_HEADERS | END_STREAM, cat(request('/a'), long, named(40))),
          frame('headers', 3, END_HEADERS | END_STREAM, cat(request('/b'), 'be')),
        ),
        frame('headers', 3, END_HEADERS | END_STREAM, response('204')),
      ),
    );
    expect(rows.map((row) => [row.attrs['uri'], row.attrs['problem']]).toSorted()).toEqual([
      ['/a', 'the request has headers of more than 64 KiB, of which some are left out'],
      ['/b', undefined],
    ]);
    const second = rows.find((row) => row.attrs['uri'] === '/b');
    expect(second?.['user_agent']).toMatch(/^agent\/1, a{1000}/);
  });

  it('goes on after a head that stands for more than 256 KiB, and says so', async () => {
    const rows = await of(
      'http',
      said(
        cat(
          frame('headers', 1, END_HEADERS | END_STREAM, cat(request('/a'), long, named(200))),
          frame('headers', 3, END_HEADERS | END_STREAM, cat(request('/b'), 'be')),
        ),
        frame('headers', 3, END_HEADERS | END_STREAM, response('204')),
      ),
    );
    expect(rows.map((row) => [row.attrs['uri'], row.attrs['problem']]).toSorted()).toEqual([
      ['/a', 'the request has headers of more than 64 KiB, of which some are left out'],
      ['/b', undefined],
    ]);
  });

  it('cuts pseudo-headers that are too long, and goes on', async () => {
    // Paths, each of which evicts the table's entry.
    const path = cat('40 05', ascii(':path'), '7f a11e', new Uint8Array(4000).fill(98));
    const rows = await of(
      'http',
      said(
        cat(
          frame('headers', 1, END_HEADERS | END_STREAM, cat(path, named(40), request('/a'))),
          frame('headers', 3, END_HEADERS | END_STREAM, request('/b')),
        ),
        frame('headers', 3, END_HEADERS | END_STREAM, response('204')),
      ),
    );
    const told = rows.map((row) => [
      ...[row['http_method'], row.attrs['uri']?.slice(0, 4003), row.attrs['problem']],
    ]);
    expect(told.toSorted()).toEqual([
      ['GET', '/b', undefined],
      [
        ...['GET', `${'b'.repeat(4000)}, b`],
        'the request has pseudo-headers of more than 64 KiB, which are cut',
      ],
    ]);
  });

  it('says why a head that is sent in more than 64 KiB ends its side', async () => {
    const part = (stream: number, flags: number, type: 'headers' | 'continuation') =>
      frame(type, stream, flags, cat('00 01 61 7f a11e', new Uint8Array(4000).fill(97)));
    const parts = Array.from({ length: 17 }, () => part(3, 0, 'continuation'));
    const rows = await of('http', said(cat(GET, part(3, 0, 'headers'), ...parts), SETTINGS, 1400));
    expect(brief(rows)).toEqual([
      [
        ...['GET http://www.example.com/a', undefined],
        'one side of the connection could not be read further: a head has more than 64 KiB as it was sent',
      ],
    ]);
  });

  it('counts what it holds of heads as they are decoded', () => {
    const address = new Uint8Array(4);
    const ends = { flow: 1, proto: 6, client: address, server: address, vlan: -1 };
    const parser = new Http2Stream(
      { ...ends, clientPort: 1, serverPort: 80 },
      { message: () => 0 },
    );
    const heads = Array.from({ length: 100 }, (_, n) =>
      frame('headers', 2 * n + 3, END_HEADERS, cat(request('/a'), named(10))),
    );
    const first = frame('headers', 1, END_HEADERS, cat(request('/a'), long));
    const bytes = cat(PREFACE, SETTINGS, first, ...heads);
    parser.data(true, bytes, 0, bytes.length, { micros: 0, nanos: 0, digits: 6 });
    expect(parser.heldBytes).toBeGreaterThan(100 * 10 * 4000);
  });

  it('has no file of a tunnel, whose bytes may be missing', async () => {
    const { client, server } = stream(8080);
    const mine = cat(PREFACE, SETTINGS, frame('headers', 1, END_HEADERS, request('', 'CONNECT')));
    const bytes = frame('data', 1, END_STREAM, 'x'.repeat(100));
    const answer = cat(SETTINGS, frame('headers', 1, END_HEADERS, response('200')), bytes);
    const start = answer.length - 50;
    const frames = [
      ...[client(1, mine), server(1, answer.subarray(0, start - 20))],
      ...[
        server(1 + start, answer.subarray(start)),
        client(1 + mine.length, frame('data', 1, END_STREAM), ACK, 1 + answer.length),
      ],
    ];
    expect(await of('file', frames)).toEqual([]);
    const [connect] = await of('http', frames);
    expect(connect).toMatchObject({ http_method: 'CONNECT', http_status: '200' });
    expect(connect?.attrs).not.toHaveProperty('problem');
  });

  it('goes on after missing bytes of a body, and no further after others', async () => {
    const { client, server } = stream(8080);
    const mine = cat(PREFACE, SETTINGS, GET);
    const second = frame('headers', 3, END_HEADERS | END_STREAM, request('/b'));
    const body = frame('data', 1, END_STREAM, 'x'.repeat(100));
    const answer = cat(SETTINGS, frame('headers', 1, END_HEADERS, response('200')), body);
    const start = answer.length - 50;
    const frames = (lost: number): Frame[] => [
      ...[client(1, mine), server(1, answer.subarray(0, start - lost))],
      ...[server(1 + start, answer.subarray(start)), client(1 + mine.length, second)],
      server(1 + answer.length, frame('headers', 3, END_HEADERS | END_STREAM, response('200'))),
      client(1 + mine.length + second.length, 'x', ACK, 1 + answer.length),
    ];
    expect(brief(await of('http', frames(20)))).toEqual([
      ['GET http://www.example.com/a 200', '80', 'bytes of the body were not captured'],
      ['GET http://www.example.com/b 200', '0', undefined],
    ]);
    const [file] = await of('file', frames(20));
    expect(file?.attrs).toMatchObject({ seen_bytes: '80', missing_bytes: '20' });
    expect(file).not.toHaveProperty('sha256');
    expect(brief(await of('http', frames(55)))).toEqual([
      [
        ...['GET http://www.example.com/a 200', '0'],
        'one side of the connection could not be read further; the body was not captured to its end',
      ],
      [
        ...['GET http://www.example.com/b', undefined],
        'one side of the connection could not be read further',
      ],
    ]);
  });

  it('is what a connection of HTTP/1 changes to', async () => {
    const asked =
      'GET /a HTTP/1.1\r\nHost: www.example.com\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    const agreed = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n';
    const answer = cat(
      ...[ascii(agreed), SETTINGS, frame('headers', 1, END_HEADERS, response('200'))],
      frame('data', 1, END_STREAM, 'one'),
    );
    const second = cat(
      PREFACE,
      SETTINGS,
      frame('headers', 3, END_HEADERS | END_STREAM, request('/b')),
    );
    const last = frame('headers', 3, END_HEADERS | END_STREAM, response('204'));
    const rows = await of('http', exchange(80, [ascii(asked), answer, second, last]));
    expect(brief(rows)).toEqual([
      ['GET http://www.example.com/a 200', '3', undefined],
      ['GET http://www.example.com/b 204', '0', undefined],
    ]);
    expect(rows[0]?.attrs).toMatchObject({ version: '1.1', info_code: '101' });
    expect(rows[1]?.attrs).toMatchObject({ version: '2' });
  });

  it('reads nothing after headers that cannot be decoded', async () => {
    const wrong = frame('headers', 3, END_HEADERS | END_STREAM, hex('ff ff'));
    const rows = await of(
      'http',
      said(cat(GET, wrong, frame('headers', 5, END_HEADERS, request('/x'))), GET),
    );
    expect(brief(rows)).toEqual([
      [
        ...['GET http://www.example.com/a', undefined],
        'one side of the connection could not be read further',
      ],
    ]);
  });

  it('follows a bounded number of streams, and says those that it gives up', async () => {
    const all = Array.from({ length: 300 }, (_, n) =>
      frame('headers', 2 * n + 1, END_HEADERS | END_STREAM, request(`/${n}`)),
    );
    const late = frame('headers', 1, END_HEADERS | END_STREAM, response('204'));
    const last = frame('headers', 599, END_HEADERS | END_STREAM, response('204'));
    const rows = await of('http', said(cat(...all), cat(late, last)));
    const asked = rows.filter((row) => row.attrs['uri'] !== undefined);
    expect(asked.map((row) => row.attrs['uri']).toSorted()).toEqual(
      all.map((_, n) => `/${n}`).toSorted(),
    );
    const problems = Map.groupBy(rows, (row) => row.attrs['problem']);
    const tooMany = 'more than 256 streams were open';
    expect([...problems].map(([problem, { length }]) => [problem, length])).toEqual([
      [`${tooMany}: what came later of this one is another event, or left out`, 44],
      [`${tooMany}: its request is another event`, 1],
      [undefined, 256],
    ]);
  });
});

describe('HPACK', () => {
  const decode = (table: HpackTable, ...blocks: readonly string[]): string[][] =>
    blocks.map((one) => table.decode(hex(one)).map(([name, value]) => `${name}=${value}`));

  it('decodes the examples of RFC 7541, C.4', () => {
    const common = [':method=GET', ':scheme=http', ':path=/', ':authority=www.example.com'];
    expect(
      decode(
        new HpackTable(),
        '828684418cf1e3c2e5f23a6ba0ab90f4ff',
        '828684be5886a8eb10649cbf',
        '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
      ),
    ).toEqual([
      common,
      [...common, 'cache-control=no-cache'],
      [
        ...[':method=GET', ':scheme=https', ':path=/index.html', ':authority=www.example.com'],
        'custom-key=custom-value',
      ],
    ]);
  });

  it('drops what its table has no room for (C.6)', () => {
    const table = new HpackTable();
    const first = decode(
      table,
      '3fe101',
      '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3',
      '4883640effc1c0bf',
    );
    expect(first[2]).toEqual([
      ...[':status=307', 'cache-control=private', 'date=Mon, 21 Oct 2013 20:13:21 GMT'],
      'location=https://www.example.com',
    ]);
    // The fifth entry was dropped for the status.
    expect(() => table.decode(hex('c2'))).toThrow(RangeError);
  });

  it.each([
    ['an entry that there is not', 'ff00'],
    ['a text that is cut', '0005 6162'],
    ['a number that does not end', 'ffffffffffffff'],
    ['a code that does not end', '0081ff00'],
    ['a table that is too large', '3fffff7f'],
  ])('takes no %s', (_, bytes) => {
    expect(() => new HpackTable().decode(hex(bytes))).toThrow(RangeError);
  });

  it('shares an entry that a block names often', () => {
    const table = new HpackTable();
    // Of 4,000 bytes.
    table.decode(cat('40 01 61 7f a11e', new Uint8Array(4000).fill(97)));
    const list = table.decode(new Uint8Array(65_536).fill(0xbe));
    expect(list).toHaveLength(65_536);
    expect(new Set(list).size).toBe(1);
  });
});
