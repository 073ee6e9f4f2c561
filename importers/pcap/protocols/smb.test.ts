/** SMB 2 and the NTLM within. */
import { describe, expect, it } from 'vitest';
import type { CollectedRow } from '../../shared/testing/collect.ts';
import { cat } from '../testing/build.ts';
import { events, type Frame, stream } from './testing/frames.ts';

const { client, server } = stream(4450);
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const le = (size: number, value: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(value, 0, size);
  return bytes;
};

interface Message {
  readonly command: number;
  readonly id: number;
  readonly status?: number;
  readonly tree?: number;
  readonly session?: number;
  readonly isResponse?: boolean;
  readonly next?: number;
}

function header({ command, id, status = 0, tree = 0, session = 9, isResponse, next = 0 }: Message) {
  return Buffer.concat([
    ...[Buffer.from('fe534d4240000000', 'hex'), le(4, status), le(2, command), le(2, 1)],
    ...[
      le(4, isResponse === true ? 1 : 0),
      le(4, next),
      le(4, id),
      le(4, 0),
      le(4, 0),
      le(4, tree),
    ],
    ...[le(4, session), le(4, 0), Buffer.alloc(16)],
  ]);
}
/** Messages in one frame of NetBIOS' session service. */
function framed(...messages: readonly Uint8Array[]): Uint8Array {
  const all = cat(...messages);
  return cat(Uint8Array.of(0, all.length >>> 16, (all.length >>> 8) & 255, all.length & 255), all);
}

/** A body with a name or buffer after `size` bytes of it, whose place and length are at two places. */
function body(size: number, place: number, length: number, name: Buffer): Buffer {
  const fixed = Buffer.alloc(size);
  fixed.writeUInt16LE(64 + size, place);
  fixed.writeUInt16LE(name.length, length);
  return Buffer.concat([fixed, name]);
}
const connect = (id: number, path: string): Uint8Array =>
  framed(header({ command: 3, id }), body(8, 4, 6, utf16(path)));
const connected = (id: number, tree: number): Uint8Array =>
  framed(
    header({ command: 3, id, tree, isResponse: true }),
    Buffer.from('1000010000000000', 'hex'),
  );
const open = (id: number, name: string, next = 0): Buffer =>
  Buffer.concat([header({ command: 5, id, tree: 7, next }), body(56, 44, 46, utf16(name))]);
function opened(id: number, status: number): Uint8Array {
  const response = Buffer.alloc(88);
  response.writeUInt32LE(2, 4);
  response.writeBigUInt64LE(133_000_000_000_000_000n, 8);
  response.writeBigUInt64LE(1234n, 48);
  response.fill(id, 64, 80);
  return framed(header({ command: 5, id, tree: 7, status, isResponse: true }), response);
}

function ntlm(type: number, fields: readonly (readonly [number, Buffer])[], size: number): Buffer {
  const fixed = Buffer.alloc(size);
  fixed.write('NTLMSSP\0', 'latin1');
  fixed.writeUInt32LE(type, 8);
  let at = size;
  for (const [place, text] of fields) {
    fixed.writeUInt16LE(text.length, place);
    fixed.writeUInt32LE(at, place + 4);
    at += text.length;
  }
  if (size >= 64) fixed.writeUInt32LE(1, 60);
  return Buffer.concat([fixed, ...fields.map(([, text]) => text)]);
}
const pair = (id: number, text: string): Buffer =>
  Buffer.concat([le(2, id), le(2, utf16(text).length), utf16(text)]);
const CHALLENGE = ntlm(2, [[40, Buffer.concat([pair(1, 'SERVER1'), pair(0, '')])]], 56);
const AUTHENTICATE = ntlm(
  3,
  [
    [28, utf16('EXAMPLE')],
    [36, utf16('alice')],
    [44, utf16('HOST1')],
  ],
  64,
);
const setUp = (id: number, token: Buffer): Uint8Array =>
  framed(header({ command: 1, id }), body(24, 12, 14, token));
const answered = (id: number, status: number, token: Buffer): Uint8Array =>
  framed(header({ command: 1, id, status, isResponse: true }), body(8, 4, 6, token));

/** Messages in turn, the client's first, cut into pieces. */
function exchange(messages: readonly Uint8Array[], cut = Infinity): Frame[] {
  const next = [1, 1];
  return messages.flatMap((message, i) => {
    const pieces: Frame[] = [];
    for (let at = 0; at < message.length; at += cut) {
      const piece = message.subarray(at, at + cut);
      pieces.push((i % 2 === 0 ? client : server)(next[i % 2]!, piece));
      next[i % 2]! += piece.length;
    }
    return pieces;
  });
}
async function said(frames: readonly Frame[]): Promise<CollectedRow[]> {
  return (await events(frames)).filter(({ kind }) => kind !== 'flow');
}

const SESSION = [
  ...[setUp(1, Buffer.alloc(8)), answered(1, 0xc0000016, CHALLENGE)],
  ...[setUp(2, AUTHENTICATE), answered(2, 0, Buffer.alloc(0))],
  ...[connect(3, '\\\\server1\\share'), connected(3, 7)],
  ...[framed(open(4, 'folder\\a.txt')), opened(4, 0)],
];

it.each([Infinity, 1])('says logins, shares and files (pieces of %s)', async (cut) => {
  const rows = await said(exchange(SESSION, cut));
  expect(rows.map((row) => [row.kind, row['message']])).toEqual([
    ['ntlm', 'EXAMPLE\\alice HOST1 success'],
    ['smb', 'tree_connect \\\\server1\\share'],
    ['smb', 'open \\\\server1\\share\\folder\\a.txt'],
  ]);
  expect(rows[0]).toMatchObject({
    ...{ user: 'alice', user_domain: 'EXAMPLE', outcome: 'success', action: 'login' },
    attrs: { hostname: 'HOST1', server_nb_computer_name: 'SERVER1', success: 'T' },
  });
  expect(rows[1]?.attrs).toMatchObject({ path: '\\\\server1\\share', share_type: 'DISK' });
  expect(rows[2]).toMatchObject({
    ...{ user: 'alice', file_path: '\\\\server1\\share\\folder\\a.txt', service: 'smb' },
    attrs: { name: 'folder\\a.txt', action: 'CREATED', size: '1234', status: 'SUCCESS' },
  });
  expect(rows[2]?.attrs['times.created']).toMatch(/^2022-/);
});

it('says what was refused, and what was not answered', async () => {
  const rows = await said(
    exchange([
      ...[setUp(1, AUTHENTICATE), answered(1, 0xc000006d, Buffer.alloc(0))],
      ...[framed(open(4, 'a')), opened(4, 0xc0000022), framed(open(5, 'b'))],
    ]),
  );
  expect(rows.map((row) => [row['event_type'], row['outcome'], row['reason']])).toEqual([
    ['login', 'failure', undefined],
    ['open', 'failure', 'ACCESS_DENIED'],
    ['open', undefined, undefined],
  ]);
});

it('reads several commands in one message, renames and deletions', async () => {
  const info = (id: number, kind: number, data: Buffer): Buffer => {
    const fixed = Buffer.alloc(32);
    fixed[2] = 1;
    fixed[3] = kind;
    fixed.writeUInt32LE(data.length, 4);
    fixed.writeUInt16LE(96, 8);
    fixed.fill(4, 16, 32);
    return Buffer.concat([header({ command: 17, id }), fixed, data]);
  };
  const done = (id: number): Uint8Array =>
    framed(header({ command: 17, id, isResponse: true }), Buffer.alloc(2));
  const target = utf16('new.txt');
  const rename = Buffer.concat([Buffer.alloc(16), le(4, target.length), target]);
  const first = open(4, 'a.txt');
  const rows = await said(
    exchange([
      framed(Buffer.concat([open(4, 'a.txt', first.length), open(6, 'b.txt')])),
      cat(opened(4, 0), opened(6, 0)),
      ...[framed(info(7, 10, rename)), done(7)],
      ...[framed(info(8, 13, Buffer.of(1))), done(8)],
    ]),
  );
  expect(rows.map((row) => row['message'])).toEqual([
    ...['open a.txt', 'open b.txt', 'rename a.txt → new.txt', 'delete a.txt'],
  ]);
});

describe('bounds', () => {
  it('skips data that is written, however long, and reads what follows', async () => {
    const data = Buffer.alloc(300_000);
    const write = framed(Buffer.concat([header({ command: 9, id: 3 }), data]));
    const sent = cat(framed(open(2, 'a')), write, framed(open(4, 'b')));
    const frames: Frame[] = [];
    for (let at = 0; at < sent.length; at += 1400)
      frames.push(client(1 + at, sent.subarray(at, at + 1400)));
    expect((await said(frames)).map((row) => row['message'])).toEqual(['open a', 'open b']);
  });

  it('goes on after a gap with the next message', async () => {
    const [a, b] = [framed(open(2, 'a')), framed(open(4, 'b'))];
    const rows = await said([client(1, a), client(1 + a.length + 999, b)]);
    expect(rows.map((row) => row['message'])).toEqual(['open a', 'open b']);
  });
});
