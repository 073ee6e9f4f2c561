/** SMB 2 and the NTLM within. */
import { describe, expect, it } from 'vitest';
import type { CollectedRow } from '../../../shared/testing/collect.ts';
import { cat } from '../../testing/build.ts';
import { BIND, bindAck, HANDLE, ndr, request, response, rpc } from '../testing/dce-rpc.ts';
import {
  answered,
  connect,
  connected,
  AUTHENTICATE,
  framed,
  header,
  le,
  open,
  opened,
  SESSION,
  setUp,
  transceive,
  transceived,
  utf16,
  writeAt,
} from '../testing/smb.ts';
import { events, exchange, type Frame, stream } from '../testing/frames.ts';

const { client } = stream(4450);
async function said(frames: readonly Frame[]): Promise<CollectedRow[]> {
  return (await events(frames)).filter(({ kind }) => kind !== 'flow');
}

it.each([Infinity, 1])('says logins, shares and files (pieces of %s)', async (cut) => {
  const rows = await said(exchange(4450, SESSION, cut));
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
    exchange(4450, [
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

const done = (command: number, id: number): Uint8Array =>
  framed(header({ command, id, isResponse: true }), Buffer.alloc(17));

it.each([4, 2])('knows that a file is whole when command %i ends it', async (command) => {
  const rows = await said(
    exchange(4450, [
      ...[connect(1, 'share'), connected(1, 7), framed(open(2, 'a.txt')), opened(2, 0)],
      ...[framed(writeAt(3, 2, 0, Buffer.from('abc'))), done(9, 3)],
      ...[
        framed(header({ command, id: 4, tree: 7 }), Buffer.alloc(4)),
        framed(header({ command, id: 4, tree: 7, isResponse: true }), Buffer.alloc(4)),
      ],
    ]),
  );
  const [file] = rows.filter(({ kind }) => kind === 'file');
  expect(file).toMatchObject({ file_path: 'share\\a.txt' });
  expect(file?.['sha256']).toHaveLength(64);
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
  const target = utf16('new.txt');
  const rename = Buffer.concat([Buffer.alloc(16), le(4, target.length), target]);
  const first = open(4, 'a.txt');
  const rows = await said(
    exchange(4450, [
      framed(Buffer.concat([open(4, 'a.txt', first.length), open(6, 'b.txt')])),
      cat(opened(4, 0), opened(6, 0)),
      ...[framed(info(7, 10, rename)), done(17, 7)],
      ...[framed(info(8, 13, Buffer.of(1))), done(17, 8)],
    ]),
  );
  expect(rows.map((row) => row['message'])).toEqual([
    ...['open a.txt', 'open b.txt', 'rename a.txt → new.txt', 'delete a.txt'],
  ]);
});

it('names the file that a request before it in its message opens', async () => {
  const SAME = Buffer.alloc(16, 0xff);
  const target = utf16('new.txt');
  const name = Buffer.concat([Buffer.alloc(16), le(4, target.length), target]);
  const body = Buffer.alloc(32);
  body[2] = 1;
  body.writeUInt32LE(name.length, 4);
  body.writeUInt16LE(96, 8);
  SAME.copy(body, 16);
  const info = (id: number, kind: number, next: number): Buffer => {
    body[3] = kind;
    return Buffer.concat([header({ command: 17, id, isRelated: true, next }), body, name]);
  };
  const data = Buffer.from('abc');
  const write = Buffer.concat([
    ...[header({ command: 9, id: 5, isRelated: true, next: 115 }), le(2, 49), le(2, 112)],
    ...[le(4, data.length), le(4, 0), le(4, 0), SAME, Buffer.alloc(16), data],
  ]);
  const closing = Buffer.concat([
    ...[header({ command: 6, id: 8, isRelated: true }), Buffer.alloc(8), SAME],
  ]);
  const [rename, link] = [info(6, 10, 96 + name.length), info(7, 11, 96 + name.length)];
  const first = open(4, 'a.txt', open(4, 'a.txt').length);
  const rows = await said(
    exchange(4450, [
      framed(first, write, rename, link, closing),
      cat(opened(4, 0), ...[9, 17, 17, 6].map((command, i) => done(command, 5 + i))),
    ]),
  );
  expect(rows.map((row) => [row['event_type'], row['message']])).toEqual([
    ['open', 'open a.txt'],
    ['rename', 'rename a.txt → new.txt'],
    ['link', 'link a.txt → new.txt'],
    ['upload', 'upload, a.txt, text/plain, 3 bytes'],
  ]);
  expect(rows[3]?.['sha256']).toHaveLength(64);
});

it('reads calls in a pipe that is opened in the same message', async () => {
  const opening = open(2, 'svcctl');
  const call = rpc(0, 2, request(0, 16, HANDLE, ndr('service1')));
  const rows = await said(
    exchange(4450, [
      ...[connect(1, '\\\\s\\IPC$'), connected(1, 7)],
      framed(open(2, 'svcctl', opening.length), transceive(3, 0xff, rpc(11, 1, BIND), true)),
      cat(opened(2, 0), transceived(3, rpc(12, 1, bindAck('\\PIPE\\svcctl')))),
      ...[framed(transceive(4, 2, call)), transceived(4, rpc(2, 2, response()))],
    ]),
  );
  expect(rows.find(({ kind }) => kind === 'dce_rpc')).toMatchObject({
    attrs: { endpoint: 'svcctl', operation: 'OpenServiceW', service_name: 'service1' },
  });
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
