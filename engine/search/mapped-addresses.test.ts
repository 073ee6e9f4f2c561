/**
 * `::ffff:10.0.0.7` equals 10.0.0.7 (RFC 4291, 2.5.5.2) in every search, list and top, from tables, JSON and
 * captures.
 */
import { expect, it } from 'vitest';
import { startQuery } from './query.ts';
import { caseOfFiles } from './testing/case-of-files.ts';

/** An Ethernet frame with an IPv6 and UDP header between two mapped addresses, in a classic pcap. */
function capture(): Buffer {
  const mapped = (last: number) => [...Array<number>(10).fill(0), 255, 255, 10, 0, 0, last];
  const udp = [0x14, 0xe9, 0, 53, 0, 8, 0, 0];
  const ip6 = [0x60, 0, 0, 0, 0, udp.length, 17, 64, ...mapped(7), ...mapped(9)];
  const frame = Buffer.from([...Array<number>(12).fill(2), 0x86, 0xdd, ...ip6, ...udp]);
  const file = Buffer.alloc(40);
  file.writeUInt32LE(0xa1b2c3d4, 0);
  file.writeUInt16LE(2, 4);
  file.writeUInt16LE(4, 6);
  file.writeUInt32LE(65_535, 16);
  file.writeUInt32LE(1, 20);
  file.writeUInt32LE(1_795_219_200, 24);
  file.writeUInt32LE(frame.length, 32);
  file.writeUInt32LE(frame.length, 36);
  return Buffer.concat([file, frame]);
}

const session = await caseOfFiles({
  'flows.csv':
    'ts,src_ip,src_port,dst_ip,dst_port,proto,bytes\n' +
    '2026-11-21T00:00:01Z,::ffff:10.0.0.7,1000,10.0.0.9,80,6,1\n' +
    '2026-11-21T00:00:02Z,10.0.0.7,1001,::FFFF:0a00:0009,80,6,2\n' +
    '2026-11-21T00:00:03Z,2001:db8::7,1002,2001:db8::9,80,6,4\n',
  'app.json':
    '{"timestamp":"2026-11-21T00:00:04Z","src_ip":"::ffff:10.0.0.7","peer":"::ffff:10.0.0.7"}\n' +
    '{"timestamp":"2026-11-21T00:00:05Z","src_ip":"10.0.0.7","peer":"10.0.0.7"}\n',
  'node.log': '2026-11-21T00:00:06Z web app[1]: request from ::ffff:10.0.0.7 done\n',
  'udp.pcap': capture(),
});

async function count(text: string, list?: string) {
  const given = list === undefined ? undefined : { bytes: new TextEncoder().encode(list) };
  const seen: unknown[] = [];
  for (const path of [undefined, 'scan'] as const) {
    const question = { text: `${text} | count`, zone: 'UTC', list: given, path };
    const answer = await startQuery(session, question).answer();
    seen.push(answer.shape === 'count' ? Number(answer.count) : undefined);
  }
  expect(seen[1]).toBe(seen[0]);
  return seen[0];
}

it.each([
  ['src_ip:10.0.0.7', 5],
  ['src_ip:"::ffff:10.0.0.7"', 5],
  ['src_ip:"::ffff:a00:7"', 5],
  ['dst_ip:10.0.0.9', 3],
  ['src_ip:"::ffff:10.0.0.0/120"', 5],
  ['src_ip:"2001:db8::/32"', 1],
  ['10.0.0.7', 6],
  ['::ffff:10.0.0.7', 6],
  ['peer:10.0.0.7', 2],
  ['peer:::ffff:10.0.0.7', 2],
  ['flow:10.0.0.7-10.0.0.9', 3],
  ['flow:[::ffff:10.0.0.7]:1001-10.0.0.9:80/tcp', 1],
])('%s finds %i events', async (query, expected) => {
  expect(await count(query)).toBe(expected);
});

it.each(['10.0.0.7', '::ffff:10.0.0.7', '::ffff:10.0.0.4/126'])(
  'a list with %s finds all of them',
  async (line) => {
    expect(await count('*', `${line}\n`)).toBe(6);
  },
);

it('counts it once in a top, and keeps how it was written', async () => {
  const top = await startQuery(session, {
    text: 'src_ip:* | stats count() as n by src_ip | sort src_ip',
    zone: 'UTC',
  }).answer();
  expect('rows' in top ? top.rows : top).toEqual([
    { src_ip: '10.0.0.7', n: 5 },
    { src_ip: '2001:db8::7', n: 1 },
  ]);
  expect(await count('attributes:"::ffff:10.0.0.7"')).toBe(2);
});
