import { expect, it } from 'vitest';
import { ACK, ascii, ethernet, FIN, ip4, RST, SYN, tcp } from '../../testing/build.ts';
import { Packet } from '../../decode/packet.ts';
import { TcpStreams } from './tcp-streams.ts';
import { type Frame, of, read, stream } from '../testing/frames.ts';

const GET = 'GET /a HTTP/1.1\r\nHost: www.example.com\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const HELLO_MD5 = '5d41402abc4b2a76b9719d911017c592';
const { client, server } = stream(8080);
const opened = [client(0, '', SYN), server(0, '', SYN | ACK)];

/** Uri, status and hash of each request. */
async function requests(frames: readonly Frame[]): Promise<unknown[]> {
  const rows = await of('http', frames);
  return rows.map((row) => [row.attrs['uri'], row['http_status'], row.attrs['resp_md5']]);
}

it('puts in order what comes before the first bytes of a connection', async () => {
  const late = client(11, GET.slice(10));
  expect(await requests([...opened, late, client(1, GET.slice(0, 10)), server(1, OK)])).toEqual([
    ['/a', '200', HELLO_MD5],
  ]);
});

it('waits with a FIN for what was sent before it', async () => {
  const end = OK.length + 1;
  const frames = [
    ...[...opened, client(1, GET), server(1, OK.slice(0, 30))],
    ...[server(end, '', ACK | FIN), server(31, OK.slice(30))],
  ];
  expect(await requests(frames)).toEqual([['/a', '200', HELLO_MD5]]);
});

it('gives all that was captured when a connection ends with gaps', async () => {
  const frames = [client(1, GET), server(1, 'of a lost response'), server(100, OK)];
  expect(await requests(frames)).toEqual([['/a', '200', HELLO_MD5]]);
});

it('does not wait for bytes that their receiver has acknowledged', async () => {
  // The captured part of the request ends in the middle; its receiver has all of it.
  const next = GET.replace('/a', '/b');
  const frames = [
    ...[...opened, client(1, 'x'.repeat(20)), client(500, next)],
    server(1, OK, ACK, 500 + next.length),
  ];
  expect(await requests(frames)).toEqual([['/b', '200', HELLO_MD5]]);
});

it.each<[string, Frame]>([
  ['a RST whose number is far from all others', client(2_000_000_000, '', RST)],
  ['a segment whose number is far from all others', client(2_000_000_000, 'garbage', ACK)],
])('reads on after %s', async (_, frame) => {
  expect(await requests([...opened, client(1, GET), frame, server(1, OK)])).toEqual([
    ['/a', '200', HELLO_MD5],
  ]);
});

it('reads another connection of the same addresses and ports', async () => {
  const frames = [client(1, GET), server(1, OK)];
  const again = [client(3_000_000_000, GET), server(2_000_000_000, OK)];
  expect(await requests([...frames, ...again])).toHaveLength(2);
});

it('finds a protocol whose first bytes come one by one, and what comes after others', async () => {
  const bytes = [...GET].map((char, i) => client(1 + i, char));
  expect(await requests([...opened, ...bytes, server(1, OK)])).toHaveLength(1);
  // A request of SOCKS, and its answer.
  const socks = [client(1, Uint8Array.of(5, 1, 0)), server(1, Uint8Array.of(5, 0))];
  expect(await requests([...opened, ...socks, client(4, GET), server(3, OK)])).toHaveLength(1);
});

it('finds a request whose target is longer than a segment', async () => {
  const long = GET.replace('/a', `/${'a'.repeat(3000)}`);
  const pieces = [client(1, long.slice(0, 1400)), client(1401, long.slice(1400))];
  expect(await requests([...opened, ...pieces])).toHaveLength(1);
});

it('keeps the bytes of early segments, whatever their memory is used for after', async () => {
  const early = [server(1, OK.slice(0, 10)), server(31, OK.slice(30))];
  const frames = [client(1, GET), ...early, server(11, OK.slice(10, 30))];
  const { rows } = await read(frames, { blockSize: 150 });
  expect(rows.find(({ kind }) => kind === 'http')?.attrs['resp_md5']).toBe(HELLO_MD5);
});

it('goes over the end of the sequence numbers', async () => {
  const at = 2 ** 32 - 20;
  const pieces = [client(at, GET.slice(0, 20)), client(0, GET.slice(20))];
  expect(await requests([...pieces, server(at, OK)])).toEqual([['/a', '200', HELLO_MD5]]);
});

it('takes the first of two segments with the same bytes', async () => {
  const frames = [client(1, GET), server(1, OK), server(OK.length - 4, 'HELLO')];
  expect(await requests(frames)).toEqual([['/a', '200', HELLO_MD5]]);
});

it('reads what a proxy sends after its answer to CONNECT', async () => {
  const connect = 'CONNECT www.example.com:80 HTTP/1.1\r\nHost: www.example.com:80\r\n\r\n';
  const done = `HTTP/1.1 200 OK\r\n\r\n${OK}`;
  const rows = await requests([client(1, connect), server(1, ascii(done))]);
  expect(rows).toEqual([
    ['www.example.com:80', '200', undefined],
    [undefined, '200', HELLO_MD5],
  ]);
});

it.each<[string, readonly Frame[]]>([
  ['of the client', [client(1, GET.slice(0, 30)), client(31, GET.slice(30)), server(1, OK)]],
  ['of the server', [server(1, OK.slice(0, 30)), client(1, GET), server(31, OK.slice(30))]],
  [
    'that another connection with the same ends follows',
    [client(9, GET.slice(0, 30)), client(3_000_000_000, GET), server(1, OK)],
  ],
])('reads on after the beginning of a message: %s', async (_, frames) => {
  expect(await requests(frames)).toEqual([['/a', '200', HELLO_MD5]]);
});

/** More connections than are followed at a time, each of which sends this. */
const many = (text: string): Frame[] =>
  Array.from({ length: 40_000 }, (_, i) =>
    ethernet(
      0x0800,
      ip4(
        { src: `10.1.${i >>> 8}.${i & 255}`, dst: '192.0.2.1', proto: 6 },
        tcp({ src: 40_000, dst: 80, flags: ACK, seq: 1 }, ascii(text)),
      ),
    ),
  );

it('gives up connections that have begun only before those that said something', async () => {
  const halfOpen = many('GET / HTTP/1.1\r\n');
  const rows = await requests([...opened, client(1, GET), ...halfOpen, server(1, OK)]);
  expect(rows).toEqual([['/a', '200', HELLO_MD5]]);
});

it('reads on after the beginning of a message while many connections stay open', async () => {
  const late = [client(1, GET.slice(0, 30)), client(31, GET.slice(30)), server(1, OK)];
  const rows = await requests([...many('GET / HTTP/1.1\r\n\r\n'), ...late]);
  expect(rows).toContainEqual(['/a', '200', HELLO_MD5]);
});

it('counts a connection once that ends with a segment', () => {
  const flows = {
    ...{ isFromStart: false, firstSequence: 0, isFromOriginator: true },
    services: new Map<number, string>(),
  };
  const streams = new TcpStreams({ message: () => 0 }, flows);
  const p = new Packet();
  const send = (flow: number, isClient: boolean, text: string, tcpFlags: number): void => {
    const bytes = ascii(text);
    const [srcPort, dstPort] = isClient ? [40_000, 80] : [80, 40_000];
    Object.assign(p, {
      bytes,
      start: 0,
      end: bytes.length,
      payload: bytes.length,
      srcPort,
      dstPort,
    });
    Object.assign(p, { ipVersion: 4, proto: 6, payloadStart: 0, tcpFlags, tcpSeq: 1 });
    streams.packet(p, flow);
  };
  for (let flow = 1; flow <= 40_000; flow++) {
    send(flow, true, GET, ACK | FIN);
    send(flow, false, OK, ACK | FIN);
  }
  // More than may be begun at a time.
  for (let flow = 40_001; flow <= 80_000; flow++) send(flow, true, 'GET / HTTP/1.1\r\n', ACK);
  expect(streams.evicted).toBeGreaterThan(1000);
});
