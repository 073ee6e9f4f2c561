/** Searching the payloads of connections in captures from the command line. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Commands, daybook, ndjson, scratch } from './harness.ts';

const space = scratch();
const commands = new Commands();
const CASE = path.join(space.folder, 'a.daybook');
const CAPTURE = path.join(space.folder, 'a.pcap');

/** A frame of Ethernet, IPv4 and TCP, without sums; from 192.0.2.17:40000 to 198.51.100.7, or back. */
function frame(isClient: boolean, port: number, seq: number, text: string): Buffer {
  const [ip, tcp] = [Buffer.alloc(20), Buffer.alloc(20)];
  const ends = [Buffer.from([192, 0, 2, 17]), Buffer.from([198, 51, 100, 7])];
  const ports = [40_000, port];
  ip.writeUInt16BE(0x4500);
  ip.writeUInt16BE(40 + text.length, 2);
  ip.writeUInt16BE(0x4006, 8);
  ends[isClient ? 0 : 1]!.copy(ip, 12);
  ends[isClient ? 1 : 0]!.copy(ip, 16);
  tcp.writeUInt16BE(ports[isClient ? 0 : 1]!);
  tcp.writeUInt16BE(ports[isClient ? 1 : 0]!, 2);
  tcp.writeUInt32BE(seq, 4);
  tcp.writeUInt16BE(0x5010, 12);
  return Buffer.concat([Buffer.alloc(12), Buffer.from([8, 0]), ip, tcp, Buffer.from(text)]);
}

/** In pieces of five bytes: no packet contains the whole searched text. */
function frames(isClient: boolean, port: number, text: string): Buffer[] {
  const pieces = text.match(/[^]{1,5}/g) ?? [];
  return pieces.map((piece, i) => frame(isClient, port, 1 + 5 * i, piece));
}

function capture(all: readonly Buffer[]): Buffer {
  const header = Buffer.from('d4c3b2a1020004000000000000000000ffff000001000000', 'hex');
  const records = all.map((bytes, i) => {
    const record = Buffer.alloc(16);
    record.writeUInt32LE(1_790_000_000 + i);
    record.writeUInt32LE(bytes.length, 8);
    record.writeUInt32LE(bytes.length, 12);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([header, ...records]);
}

beforeAll(async () => {
  const asked = 'GET /?x=$%7Bjndi:ldap HTTP/1.1\r\nHost: a.example\r\n\r\n';
  const all = [
    ...[...frames(true, 8080, asked), ...frames(false, 8080, 'HTTP/1.1 404 no\r\n')],
    ...frames(true, 25, 'EHLO jndi:x\r\n'),
  ];
  writeFileSync(CAPTURE, capture(all));
  expect((await commands.run(['import', CASE, CAPTURE])).status).toBe(0);
});
afterAll(async () => {
  await commands.close();
  space.remove();
});

it('writes the packets of a query as a capture, and replaces no evidence by it', async () => {
  const slice = path.join(space.folder, 'slice.pcapng');
  const run = await daybook(['slice', CASE, 'kind:flow dst_port:25', '--out', slice]);
  expect([run.status, run.err]).toEqual([0, '']);
  expect(run.out).toMatch(/slice\.pcapng: 3 packets, .* SHA-256 [0-9a-f]{64}/);
  const text = 'kind:packet | stats count(), sum(bytes) by src_ip, dst_port';
  const [written, whole] = await Promise.all(
    [
      [slice, text],
      [CAPTURE, `dst_port:25 ${text}`],
    ].map(([file, query]) => commands.run(['scan', file!, query!, '--format', 'csv'])),
  );
  expect(written!.out).toBe(whole!.out);
  expect(written!.out).toContain('192.0.2.17,25,3,');
  for (const [out, what] of [
    [slice, /--force/],
    [CAPTURE, /evidence/],
    [path.join(CASE, 'x.pcapng'), /inside/],
  ] as const) {
    const refused = await commands.run(['slice', CASE, 'kind:packet', '--out', out]);
    expect([refused.status, refused.err]).toEqual([2, expect.stringMatching(what)]);
  }
  const none = await commands.run(['slice', CASE, 'kind:packet dst_port:1', '--out', '-']);
  expect([none.status, none.out]).toEqual([2, '']);
});

it('prints matches with their places, and says what was searched', async () => {
  const { status, out, err } = await commands.run(['payload', CASE, 'JNDI:']);
  expect([status, out.split('\n').length]).toEqual([0, 4]);
  expect(out).toContain('»jndi:«ldap HTTP/1.1..Host: a.example');
  expect(out).toMatch(/192\.0\.2\.17:40000 +→ +198\.51\.100\.7:8080 +tcp +12 /);
  expect(err).toMatch(/^2 matches in 81 B that 2 connections and 0 datagrams of 1 capture carried/);
});

it('searches in the connections of a query, and prints JSON', async () => {
  const run = await commands.run(['payload', CASE, '/jndi:[a-z]+/', 'dst_port:25', '--json']);
  const lines = ndjson<Record<string, unknown>>(run);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatchObject({
    ...{ source: 'a.pcap', sent_by: 'client', offset: 5, length: 6, text: 'jndi:x' },
    ...{ hex: '6a6e64693a78', before: 'EHLO ', after: '..', server_port: 25 },
  });
  expect(lines[1]).toMatchObject({ searched: { matches: 1, isStopped: false, left: [] } });
});

it('writes matches to a file, which is never the evidence, and tags their flows', async () => {
  const out = path.join(space.folder, 'matches.csv');
  const args = ['payload', CASE, 'jndi:', '--format', 'csv', '--out'];
  const run = await commands.run([...args, out, '--tag', 'log4shell']);
  expect([run.status, run.out]).toEqual([0, '']);
  expect(run.err).toContain('2 flows matched; 2 are now tagged log4shell');
  const lines = readFileSync(out, 'utf8').split('\n');
  expect(lines[0]).toBe(
    'ts,source,event_id,proto,client,client_port,server,server_port,sent_by,offset,length,text,hex,before,after,body_of,body_start,body_encoding',
  );
  expect(lines[1]).toMatch(
    /^2026-\S+,a\.pcap,1:f1,tcp,192\.0\.2\.17,40000,198\.51\.100\.7,8080,client,12,5,jndi:,/,
  );
  expect(lines).toHaveLength(4);
  const tagged = await commands.run(['count', CASE, 'kind:flow tag:log4shell']);
  expect(tagged.out.trim()).toBe('2');
  expect((await commands.run([...args, out])).status).toBe(2);
  const evidence = await commands.run([...args, CAPTURE, '--force']);
  expect([evidence.status, evidence.err]).toEqual([2, expect.stringContaining('evidence')]);
});

it('corrects times by the error of the clock', async () => {
  const first = async () =>
    Date.parse(
      ndjson<{ ts: string }>(await commands.run(['payload', CASE, 'jndi:', '--json']))[0]!.ts,
    );
  const before = await first();
  const retime = (clock: string) => commands.run(['retime', CASE, '1', '--clock', clock]);
  expect((await retime('1h fast')).status).toBe(0);
  expect(before - (await first())).toBe(3_600_000);
  expect((await retime('right')).status).toBe(0);
  expect(await first()).toBe(before);
});

it('finds what only the decoded body of a message has', async () => {
  const file = path.join(space.folder, 'chunks.pcap');
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const asked = frames(true, 80, 'GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n');
  const answered = frames(false, 80, `${head}7\r\nthe nee\r\n3\r\ndle\r\n0\r\n\r\n`);
  writeFileSync(file, capture([...asked, ...answered]));
  const folder = path.join(space.folder, 'chunks.daybook');
  expect((await commands.run(['import', folder, file])).status).toBe(0);
  const [match, last] = ndjson<Record<string, unknown>>(
    await commands.run(['payload', folder, 'needle', '--json']),
  );
  expect(match).toMatchObject({
    ...{ sent_by: 'server', offset: 4, text: 'needle', body_of: '200 OK for GET /a' },
    ...{ body_start: head.length + 3, body_encoding: 'chunked' },
  });
  expect(last).toMatchObject({ searched: { bodies: 1, decodedBytes: 10, undecoded: [] } });
  const shown = await commands.run(['payload', folder, 'needle']);
  expect(shown.out).toContain('decoded body (chunked) of 200 OK for GET /a');
});

it('says what is wrong with a pattern, and which captures are not there', async () => {
  const wrong = await commands.run(['payload', CASE, '/(/']);
  expect([wrong.status, wrong.err]).toEqual([2, expect.stringContaining('unclosed (')]);
  // Nothing was searched, and nothing printed.
  const badTag = await commands.run(['payload', CASE, 'jndi', '--tag', 'x'.repeat(101)]);
  expect([badTag.status, badTag.out]).toEqual([2, '']);
  expect(badTag.err).toContain('the name of a tag has 1 to 100 characters');
  writeFileSync(CAPTURE, 'another');
  const changed = await commands.run(['payload', CASE, 'jndi']);
  expect([changed.status, changed.out]).toEqual([3, '']);
  expect(changed.err).toContain('a.pcap was not searched: the evidence of a.pcap has changed');
});
