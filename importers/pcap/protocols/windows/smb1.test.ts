/** SMB 1. */
import { expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import type { CollectedRow } from '../../../shared/testing/collect.ts';
import { ascii } from '../../testing/build.ts';
import { BIND, bindAck, HANDLE, ndr, request, response, rpc } from '../testing/dce-rpc.ts';
import { events, exchange, type Frame } from '../testing/frames.ts';
import { AUTHENTICATE, le, utf16 } from '../testing/smb.ts';
import {
  close,
  connect,
  connected,
  done,
  message,
  named,
  ntRename,
  open,
  opened,
  read,
  readPart,
  refusal,
  reply,
  SESSION,
  setInfo,
  setUp,
  transact,
  transacted,
  write,
} from '../testing/smb1.ts';

async function said(frames: readonly Frame[]): Promise<CollectedRow[]> {
  return (await events(frames)).filter(({ kind }) => kind !== 'flow');
}
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

it.each([Infinity, 1])(
  'says logins, shares, files and what they have (pieces of %s)',
  async (cut) => {
    const rows = await said(exchange(4450, SESSION, cut));
    expect(rows.map((row) => [row.kind, row['event_type'], row['file_path'], row['user']])).toEqual(
      [
        ['ntlm', 'login', undefined, 'alice'],
        ['smb', 'tree_connect', '\\\\server1\\share', 'alice'],
        ['smb', 'open', '\\\\server1\\share\\folder\\a.txt', 'alice'],
        ['file', 'upload', '\\\\server1\\share\\folder\\a.txt', 'alice'],
        ['file', 'download', '\\\\server1\\share\\folder\\a.txt', 'alice'],
      ],
    );
    expect(rows[0]).toMatchObject({ outcome: 'success', attrs: { hostname: 'HOST1' } });
    expect(rows[1]?.attrs).toMatchObject({ share_type: 'DISK', status: 'SUCCESS' });
    expect(rows[2]).toMatchObject({
      attrs: { name: 'folder\\a.txt', action: 'OPENED', size: '8', is_directory: 'F' },
    });
    expect(rows[2]?.attrs['times.created']).toMatch(/^2022-/);
    expect(rows[4]).toMatchObject({ sha256: sha256('one, two'), service: 'smb' });
  },
);

it('reads several commands in one message', async () => {
  const rows = await said(
    exchange(4450, [
      message({ id: 3 }, connect('\\\\s\\d'), open('\\a'), read(0xffff, 0)),
      reply(3, connected('A:'), opened(6, 3), readPart(Buffer.from('abc'))),
      ...[message({ id: 4 }, close(6)), reply(4, done(0x04))],
    ]),
  );
  expect(rows.map((row) => [row['event_type'], row['file_path']])).toEqual([
    ['tree_connect', '\\\\s\\d'],
    ['open', '\\\\s\\d\\a'],
    ['download', '\\\\s\\d\\a'],
  ]);
  expect(rows[2]?.['sha256']).toBe(sha256('abc'));
});

it('says renames, deletions and folders, and what was refused', async () => {
  const target = utf16('new.txt');
  const rename = Buffer.concat([Buffer.alloc(8), le(4, target.length), target]);
  const rows = await said(
    exchange(4450, [
      ...[message({ id: 1 }, named(0x07, '\\a', '\\b')), reply(1, done(0x07))],
      ...[message({ id: 2 }, named(0x06, '\\c')), refusal(2, 0x06, 0xc0000022)],
      ...[message({ id: 3 }, named(0x00, '\\d')), reply(3, done(0x00))],
      ...[message({ id: 4 }, open('\\e.txt', 0x1000)), reply(4, opened(9, 0, 2))],
      ...[message({ id: 5 }, setInfo(9, 1010, rename)), reply(5, done(0x32))],
      ...[message({ id: 6 }, setInfo(9, 0x102, Buffer.of(1))), reply(6, done(0x32))],
      message({ id: 7 }, open('\\f')),
    ]),
  );
  expect(rows.map((row) => [row['message'], row['outcome'] ?? 'unknown'])).toEqual([
    ['rename a → b', 'success'],
    ['delete c ACCESS_DENIED', 'failure'],
    ['open d', 'success'],
    ['open e.txt', 'success'],
    ['rename e.txt → new.txt', 'success'],
    ['delete e.txt', 'success'],
    ['open f', 'unknown'],
  ]);
  expect(rows[2]?.attrs).toMatchObject({ action: 'CREATED', is_directory: 'T' });
  expect(rows[3]?.attrs).toMatchObject({ action: 'CREATED', delete_on_close: 'T' });
});

it('tells links from renames', async () => {
  const target = utf16('d');
  const link = Buffer.concat([Buffer.alloc(8), le(4, target.length), target]);
  const rows = await said(
    exchange(4450, [
      ...[message({ id: 1 }, ntRename(0x104, '\\a', '\\b')), reply(1, done(0xa5))],
      ...[message({ id: 2 }, ntRename(0x103, '\\b', '\\c')), reply(2, done(0xa5))],
      // Moves clusters.
      ...[message({ id: 3 }, ntRename(0x102, '\\b', '\\x')), reply(3, done(0xa5))],
      ...[message({ id: 4 }, open('\\b')), reply(4, opened(9, 0))],
      ...[message({ id: 5 }, setInfo(9, 1011, link)), reply(5, done(0x32))],
    ]),
  );
  expect(rows.map((row) => [row['event_type'], row['message']])).toEqual([
    ['rename', 'rename a → b'],
    ['link', 'link b → c'],
    ['open', 'open b'],
    ['link', 'link b → d'],
  ]);
  expect(rows[1]?.attrs).toMatchObject({ name: 'b', new_name: 'c' });
});

/** Type, name and content of files. */
async function filesOf(messages: readonly Uint8Array[]): Promise<unknown[][]> {
  const rows = (await said(exchange(4450, messages))).filter(({ kind }) => kind === 'file');
  return rows.map((row) => [row['event_type'], row['file_path'], row['sha256']]);
}
const opening = (id: number, name: string, file: number, size: number): Uint8Array[] => [
  ...[message({ id }, open(name)), reply(id, opened(file, size))],
];
const reading = (id: number, file: number, data: string): Uint8Array[] => [
  ...[message({ id }, read(file, 0)), reply(id, readPart(Buffer.from(data)))],
];
const closing = (id: number, file: number): Uint8Array[] => [
  ...[message({ id }, close(file)), reply(id, done(0x04))],
];

it('ends a file whose number is reused', async () => {
  const files = await filesOf([
    ...[...opening(1, '\\a.txt', 5, 3), ...reading(2, 5, 'one')],
    ...[...opening(3, '\\b.txt', 5, 6), ...reading(4, 5, 'secret'), ...closing(5, 5)],
  ]);
  expect(files).toEqual([
    ['download', 'a.txt', sha256('one')],
    ['download', 'b.txt', sha256('secret')],
  ]);
});

it('forgets the name of a file that is closed', async () => {
  const files = await filesOf([
    ...[...opening(1, '\\a.txt', 5, 3), ...closing(2, 5)],
    // Opened by an unsupported command.
    ...[...reading(3, 5, 'secret'), ...closing(4, 5)],
  ]);
  expect(files).toEqual([['download', undefined, sha256('secret')]]);
});

it.each([
  ['its share is disconnected', message({ id: 9 }, done(0x71)), reply(9, done(0x71)), true],
  [
    'another share is disconnected',
    message({ id: 9, tree: 8 }, done(0x71)),
    message({ id: 9, tree: 8, isReply: true }, done(0x71)),
    false,
  ],
  ['its account logs off', message({ id: 9 }, done(0x74)), reply(9, done(0x74)), true],
  ['logging off is refused', message({ id: 9 }, done(0x74)), refusal(9, 0x74, 0xc0000022), false],
])('knows whether a file is whole when %s', async (_, request, answer, isWhole) => {
  const parts = [message({ id: 2 }, write(5, 0, Buffer.from('abc'))), reply(2, done(0x2f))];
  const made = [message({ id: 1 }, open('\\a')), reply(1, opened(5, 0, 2))];
  expect(await filesOf([...made, ...parts, request, answer])).toEqual([
    ['upload', 'a', isWhole ? sha256('abc') : undefined],
  ]);
});

it('reports a request whose number is used again before its answer', async () => {
  const rows = await said(
    exchange(4450, [
      ...[message({ id: 1 }, open('\\a.txt')), new Uint8Array()],
      ...opening(1, '\\b.txt', 5, 0),
    ]),
  );
  expect(rows.map((row) => [row['message'], row['outcome']])).toEqual([
    ['open a.txt', undefined],
    ['open b.txt', 'success'],
  ]);
});

it('ascribes what is written after an open to the file that it opens', async () => {
  const files = await filesOf([
    ...[...opening(1, '\\a.txt', 5, 3), ...closing(2, 5)],
    message({ id: 1 }, open('\\b.txt'), write(0xffff, 0, Buffer.from('secret'))),
    reply(1, opened(6, 0, 2), done(0x2f)),
    ...closing(3, 6),
    // Refused.
    message({ id: 1 }, open('\\c.txt'), write(0xffff, 0, Buffer.from('lost'))),
    refusal(1, 0xa2, 0xc0000022),
  ]);
  expect(files).toEqual([
    ['upload', 'b.txt', sha256('secret')],
    ['upload', 'c.txt', undefined],
  ]);
});

it('does not take a share for the pipes whose number it has', async () => {
  const files = await filesOf([
    ...[message({ id: 1 }, connect('\\\\s\\pipes')), reply(1, connected('IPC'))],
    ...[message({ id: 2 }, connect('\\\\s\\d')), reply(2, connected('A:'))],
    ...[...opening(3, '\\a', 5, 3), ...reading(4, 5, 'one'), ...closing(5, 5)],
  ]);
  expect(files).toEqual([['download', '\\\\s\\d\\a', sha256('one')]]);
});

it('does not name the account that had the number of the session before', async () => {
  const rows = await said(
    exchange(4450, [
      ...[message({ id: 1 }, setUp(AUTHENTICATE)), reply(1, setUp(Buffer.alloc(0)))],
      ...opening(2, '\\a', 5, 0),
      // With a token without an account.
      ...[message({ id: 3 }, setUp(Buffer.alloc(8))), reply(3, setUp(Buffer.alloc(0)))],
      ...opening(4, '\\b', 6, 0),
    ]),
  );
  expect(rows.map((row) => [row['message'], row['user']])).toEqual([
    ['EXAMPLE\\alice HOST1 success', 'alice'],
    ['open a', 'alice'],
    ['open b', undefined],
  ]);
});

it('reads accounts, names and errors of servers before NT', async () => {
  const words = Buffer.alloc(16);
  words.writeUInt16LE(3, 10);
  const login = {
    ...{ code: 0x73, isChained: true, words },
    bytes: ascii('\x01\x02\x03BOB\0EXAMPLE\0Unix\0'),
  };
  const openOld = { code: 0x2d, isChained: true, words: Buffer.alloc(26), bytes: ascii('\\A\0') };
  const flags2 = 0;
  const rows = await said(
    exchange(4450, [
      ...[message({ id: 1, flags2 }, login), reply(1, done(0x73))],
      message({ id: 2, flags2 }, openOld),
      message({ id: 2, isReply: true, status: 0x0002_0001, flags2 }, done(0x2d)),
    ]),
  );
  expect(rows.map((row) => [row.kind, row['user'], row['outcome'], row['reason']])).toEqual([
    ['ntlm', 'BOB', 'success', undefined],
    ['smb', 'BOB', 'failure', 'ERRDOS 2'],
  ]);
  expect(rows[1]?.['file_path']).toBe('A');
});

it('reads calls in pipes', async () => {
  const rows = await said(
    exchange(4450, [
      ...[message({ id: 1 }, connect('\\\\s\\IPC$')), reply(1, connected('IPC'))],
      ...[message({ id: 2 }, open('\\svcctl')), reply(2, opened(5, 0))],
      ...[
        message({ id: 3 }, transact(5, rpc(11, 1, BIND))),
        reply(3, transacted(rpc(12, 1, bindAck('\\PIPE\\svcctl')))),
      ],
      message({ id: 4 }, transact(5, rpc(0, 2, request(0, 16, HANDLE, ndr('service1'))))),
      reply(4, transacted(rpc(2, 2, response()))),
    ]),
  );
  expect(rows.map((row) => [row.kind, row['event_type']])).toEqual([
    ...[
      ['smb', 'tree_connect'],
      ['smb', 'open'],
      ['dce_rpc', 'call'],
    ],
  ]);
  expect(rows[2]).toMatchObject({
    attrs: { endpoint: 'svcctl', operation: 'OpenServiceW', service_name: 'service1' },
  });
});

it('goes on after data that is too long to be held', async () => {
  const data = Buffer.alloc(100_000, 'x');
  const rows = await said(
    exchange(
      4450,
      [
        ...[message({ id: 1 }, open('\\a')), reply(1, opened(5, 0, 2))],
        ...[message({ id: 2 }, write(5, 0, data)), reply(2, done(0x2f))],
        ...[message({ id: 3 }, close(5)), reply(3, done(0x04))],
        message({ id: 4 }, open('\\b')),
      ],
      1400,
    ),
  );
  expect(rows.map((row) => row['event_type'])).toEqual(['open', 'open', 'upload']);
  expect(rows[2]?.['sha256']).toBe(sha256('x'.repeat(100_000)));
});
