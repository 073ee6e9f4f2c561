import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readStream } from './read-stream.ts';
import { ACK, classicFile } from '../testing/build.ts';
import { datagram, type Frame, stream } from '../protocols/testing/frames.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-stream-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(frames: readonly Frame[], flow: number, limit = 1000, snaplen = 65_535) {
  const path = join(folder, 'a.pcap');
  writeFileSync(
    path,
    classicFile(
      {},
      frames.map((bytes, i) => ({
        seconds: 1_700_000_000 + i,
        fraction: 0,
        bytes: bytes.subarray(0, snaplen),
        wire: bytes.length,
      })),
    ),
  );
  const content = await readStream({
    ...{ location: { path, members: [] }, flow, limit },
    progress: () => undefined,
  });
  return {
    ...{ fromClient: content.fromClient, fromServer: content.fromServer },
    said: content.parts.map(({ isFromClient, bytes, missing }) => {
      const way = isFromClient ? '>' : '<';
      return missing > 0 ? `${way} ${missing} missing` : `${way} ${Buffer.from(bytes).toString()}`;
    }),
  };
}

const { client, server } = stream(9999);

it('gives both sides of a connection in order, whatever they say', async () => {
  const other = stream(22);
  const found = await read(
    [
      ...[client(0, '', 2), server(0, '', 18, 1), other.client(1, 'SSH-2.0-other\r\n')],
      // The second segment comes first.
      ...[client(4, 'def'), client(1, 'abc'), server(1, 'no protocol'), client(7, 'ghi')],
    ],
    1,
  );
  expect(found).toEqual({
    fromClient: 9,
    fromServer: 11,
    said: ['> abcdef', '< no protocol', '> ghi'],
  });
});

it('says what is missing, and how much there is beyond the limit', async () => {
  const frames = [client(1, 'abc'), client(10, 'jkl'), server(1, 'x', ACK, 13), client(13, 'mno')];
  expect((await read(frames, 1)).said).toEqual(['> abc', '> 6 missing', '> jkl', '< x', '> mno']);
  expect(await read(frames, 1, 5)).toEqual({
    ...{ fromClient: 9, fromServer: 1, said: ['> abc', '> 6 missing', '> jk'] },
  });
});

it('gives datagrams', async () => {
  const frames = [
    datagram(true, 7777, Buffer.from('ping')),
    datagram(false, 7777, Buffer.from('pong')),
  ];
  expect((await read(frames, 1)).said).toEqual(['> ping', '< pong']);
  expect((await read(frames, 2)).said).toEqual([]);
});

it('says what the capture cut off datagrams', async () => {
  const frames = [
    ...[datagram(true, 7777, Buffer.from('ping')), datagram(true, 7777, Buffer.from('ping'))],
    datagram(false, 7777, Buffer.from('pong')),
  ];
  const said = ['> pi', '> 2 missing', '> pi', '> 2 missing', '< po', '< 2 missing'];
  expect((await read(frames, 1, 1000, 14 + 20 + 8 + 2)).said).toEqual(said);
  const many = Array.from({ length: 100 }, () => datagram(true, 7777, Buffer.from('ping')));
  expect((await read(many, 1, 1000, 14 + 20 + 8)).said).toEqual(['> 400 missing']);
});

it('keeps a bounded number of parts', async () => {
  const turns = Array.from({ length: 10_100 }, (_, i) =>
    datagram(i % 2 === 0, 7777, Buffer.from('x')),
  );
  const found = await read(turns, 1, 1 << 20);
  expect([found.said.length, found.fromClient + found.fromServer]).toEqual([10_000, 10_100]);
});
