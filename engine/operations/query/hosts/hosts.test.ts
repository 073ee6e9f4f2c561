import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidence } from '../../../../app/compose.ts';
import {
  ascii,
  cat,
  classicFile,
  ethernet,
  hex,
  n16,
} from '../../../../importers/pcap/testing/build.ts';
import {
  CLIENT,
  datagram,
  type Frame,
  SERVER,
  stream,
} from '../../../../importers/pcap/protocols/testing/frames.ts';
import { called } from '../../testing/called.ts';
import { type SmallCase, smallCase } from '../../testing/small-case.ts';
import { queryHandlers } from '../handlers.ts';
import { rowOf } from '../../../contract/wire/column-batch.ts';
import type { Result } from '../../../contract/operations.ts';

/** A question for www.example.com, and its answer. */
function names(): Frame[] {
  const name = cat('03', ascii('www'), '07', ascii('example'), '03', ascii('com'), '00');
  const head = (flags: string, answers: number): Uint8Array =>
    cat('0001', flags, n16(1), n16(answers), n16(0), n16(0), name, '00010001');
  const answer = cat(
    'c00c 0001 0001 0000003c 0004',
    Uint8Array.from(SERVER.split('.').map(Number)),
  );
  return [datagram(true, 53, head('0100', 0)), datagram(false, 53, cat(head('8180', 1), answer))];
}
/** A question for two names, and the answer to one of them. */
function twoNames(): Frame[] {
  const name = (text: string): Uint8Array =>
    cat(Uint8Array.of(text.length), ascii(text), '00', '00010001');
  const head = (flags: string, answers: number): Uint8Array =>
    cat('0002', flags, n16(2), n16(answers), n16(0), n16(0), name('first'), name('second'));
  const answer = cat('c013 0001 0001 0000003c 0004', hex('cb007109'));
  return [datagram(true, 53, head('0100', 0)), datagram(false, 53, cat(head('8180', 1), answer))];
}
/** `192.0.2.17 is-at 0a:00:00:00:00:01` */
const arp = ethernet(
  0x0806,
  cat('0001 0800 06 04 0002 0a0000000001 c0000211 0a0000000002 c0000201', hex('00'.repeat(18))),
);
function web(): Frame[] {
  const { client, server } = stream(8080);
  const ask = 'GET / HTTP/1.1\r\nHost: WWW.example.com:8080\r\nUser-Agent: browser 1\r\n\r\n';
  return [
    ...[client(0, '', 2), server(0, '', 18, 1), client(1, ask)],
    server(
      1,
      'HTTP/1.1 200 OK\r\nServer: server 2\r\nContent-Length: 0\r\n\r\n',
      16,
      1 + ask.length,
    ),
  ];
}
const LOG = [
  `Nov 14 22:00:00 web01 sshd[1]: Accepted password for alice from ${CLIENT} port 50000 ssh2`,
  `Nov 14 22:00:01 web01 sshd[1]: Failed password for bob from ${CLIENT} port 50001 ssh2`,
  'Nov 14 22:00:02 web01 sshd[1]: Failed password for bob from 203.0.113.9 port 50001 ssh2',
  '',
].join('\n');

type Host = Result<'hosts.run'>['hosts'][number];
let files: SmallCase;
let all: Host[];
beforeAll(async () => {
  const frames = [...names(), arp, ...web(), ...twoNames()];
  const capture = classicFile(
    {},
    frames.map((bytes, i) => ({
      seconds: 1_700_000_000 + i,
      fraction: 7,
      bytes,
      wire: bytes.length,
    })),
  );
  files = await smallCase({ 'a.pcap': capture, 'auth.log': LOG }, evidence, {
    options: { timeZone: 'UTC', year: 2023 },
  });
  all = (await ask({ query: '' })).hosts;
});
afterAll(() => files.dispose());

async function ask(request: { query: string; of?: string; limit?: number }) {
  const handlers = queryHandlers(files.services);
  return (await called(handlers, 'hosts.run', { case: files.folder, ...request })).result;
}
function said(address: string, fact: keyof Host['facts']): unknown[] {
  const host = all.find((one) => one.address === address);
  return (host?.facts[fact].values ?? []).map(({ value, by }) => [value, by.join(' ')]);
}

it('says names, hardware, users, systems and services of each address', () => {
  expect(all.map(({ address }) => address).toSorted()).toEqual([CLIENT, SERVER, '203.0.113.9']);
  // One name, however it is written.
  expect(said(SERVER, 'name')).toEqual([['www.example.com', 'DNS HTTP']]);
  expect(said(CLIENT, 'mac')).toEqual([['0a:00:00:00:00:01', 'ARP']]);
  expect(all.find(({ address }) => address === CLIENT)?.facts.mac.values[0]).toMatchObject({
    vendor: 'locally administered',
  });
  expect(said(CLIENT, 'user')).toEqual([
    ...[
      ['alice (log)', 'logins'],
      ['bob (log, refused)', 'logins'],
    ],
  ]);
  expect(said(CLIENT, 'system')).toEqual([['browser 1', 'HTTP']]);
  expect(said(SERVER, 'system')).toEqual([['server 2', 'HTTP']]);
  const offered = [
    ['53/udp dns', 'flows'],
    ['8080/tcp http', 'flows'],
  ];
  expect(said(SERVER, 'offers')).toEqual(offered);
  expect(said(CLIENT, 'uses')).toEqual(offered);
  expect(said(CLIENT, 'offers')).toEqual([]);
});

it('gives no address the name of another question', () => {
  expect(said('203.0.113.9', 'name')).toEqual([]);
});

it('says when, to the microsecond', () => {
  const name = all.find(({ address }) => address === SERVER)?.facts.name.values[0];
  expect(name).toMatchObject({ first: 1_700_000_000_000_007, last: 1_700_000_005_000_007 });
});

it('is of the events that a query finds, and of the addresses that are asked for', async () => {
  const { hosts, total } = await ask({ query: 'kind:log outcome:failure' });
  expect(hosts.map(({ address, events }) => [address, events])).toEqual([
    ...[
      [CLIENT, 1],
      ['203.0.113.9', 1],
    ],
  ]);
  expect(total).toBe(2);
  expect(hosts[0]?.facts.user.values.map(({ value }) => value)).toEqual(['bob (log, refused)']);
  const some = await ask({ query: '', of: '198.51.100.0/24' });
  expect(some.hosts.map(({ address }) => address)).toEqual([SERVER]);
  const one = await ask({ query: '', limit: 1 });
  expect(one).toMatchObject({ total: 3, hosts: [{ address: CLIENT }] });
  expect((await ask({ query: 'host:nowhere' })).hosts).toEqual([]);
});

it('says what each address sent and received, whichever side opened the flows', async () => {
  const table = [
    'ts,duration,src_ip,src_port,dst_ip,dst_port,proto,bytes,bytes_rev',
    '2026-11-21T10:00:00Z,90.5,10.0.0.7,50000,192.0.2.1,443,tcp,100,900',
    '2026-11-21T10:01:00Z,2,192.0.2.1,443,10.0.0.7,50000,tcp,7,30',
    '2026-11-21T10:01:10Z,,10.0.0.7,50001,192.0.2.1,443,tcp,1,',
    '',
  ].join('\n');
  const flows = await smallCase({ 'flows.csv': table }, evidence);
  try {
    const handlers = queryHandlers(flows.services);
    const view = { case: flows.folder, query: '' };
    const { hosts } = (await called(handlers, 'hosts.run', view)).result;
    expect(hosts.map(({ address, sent, received }) => [address, sent, received])).toEqual([
      ['10.0.0.7', 131, 907],
      ['192.0.2.1', 907, 131],
    ]);
    // From the first start to the latest end, which is not that of the last start.
    const { batch } = (await called(handlers, 'conversations.run', view)).result;
    const seconds = batch.columns.find(({ name }) => name === 'duration');
    expect(seconds).toMatchObject({ type: 'number', values: Float64Array.of(90.5) });
  } finally {
    await flows.dispose();
  }
});

it('counts an event once of which both ends are the same address', async () => {
  const table = (rows: readonly string[]) => `${rows.join('\n')}\n`;
  const flows = {
    'ways.csv': table([
      'ts,src_ip,src_port,dst_ip,dst_port,proto,bytes,bytes_rev',
      '2026-11-21T10:00:00Z,127.0.0.1,50000,127.0.0.1,443,tcp,100,900',
      '2026-11-21T10:01:00Z,127.0.0.1,50000,10.0.0.7,443,tcp,7,30',
    ]),
    'totals.csv': table([
      'StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,TotPkts,TotBytes',
      '2026/11/21 10:02:00,1,tcp,127.0.0.1,5,->,127.0.0.1,6,CON,2,500',
    ]),
  };
  const made = await smallCase(flows, evidence);
  try {
    const view = { case: made.folder, query: '' };
    const { hosts } = (await called(queryHandlers(made.services), 'hosts.run', view)).result;
    expect(hosts).toMatchObject([
      { address: '127.0.0.1', events: 3, sent: 1007, received: 1030, bothWays: 500 },
      { address: '10.0.0.7', events: 1 },
    ]);
  } finally {
    await made.dispose();
  }
});

it('says neither sent nor received of what flows do not state', async () => {
  const argus = 'StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,TotPkts,TotBytes';
  const flows = {
    'none.csv':
      'ts,src_ip,src_port,dst_ip,dst_port,proto\n2026-11-21T10:00:00Z,10.0.0.1,5,10.0.0.2,6,tcp\n',
    'one-way.csv':
      'ts,src_ip,src_port,dst_ip,dst_port,proto,bytes\n2026-11-21T10:00:00Z,10.0.0.3,5,10.0.0.4,6,tcp,70\n',
    // Argus: with the bytes of one way, and of both ways together alone.
    'ways.csv': `${argus},SrcBytes\n2026/11/21 10:00:00,1,tcp,10.0.0.5,5,->,10.0.0.6,6,CON,2,110,40\n`,
    'totals.csv': `${argus}\n2026/11/21 10:00:00,1,tcp,10.0.0.7,5,->,10.0.0.8,6,CON,2,5000000\n2026/11/21 10:00:00,1,icmp,10.0.0.7,0x0008,->,10.0.0.8,0x0000,ECO,2,100\n`,
    // Argus: with the bytes of one way alone.
    'forth.csv':
      'StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,SrcPkts,SrcBytes\n2026/11/21 10:00:00,1,tcp,10.0.0.10,5,->,10.0.0.11,6,CON,1,41\n',
    // A column of totals that the importer guesses.
    'guessed.csv':
      'time,source ip,dest ip,source port,dest port,protocol,totbytes\n2026-11-21T10:00:00Z,10.0.0.7,10.0.0.9,5,6,tcp,3\n',
  };
  const made = await smallCase(flows, evidence);
  try {
    const handlers = queryHandlers(made.services);
    const view = { case: made.folder, query: '' };
    const { hosts, notes } = (await called(handlers, 'hosts.run', view)).result;
    const volumes = hosts.map(({ address, sent, received, bothWays }) => [
      ...[address.slice('10.0.0.'.length), [sent, received, bothWays]],
    ]);
    expect(Object.fromEntries(volumes)).toEqual({
      ...{ 1: [undefined, undefined, undefined], 2: [undefined, undefined, undefined] },
      ...{ 3: [70, undefined, undefined], 4: [undefined, 70, undefined] },
      ...{ 5: [40, 70, undefined], 6: [70, 40, undefined] },
      ...{ 7: [undefined, undefined, 5_000_103], 8: [undefined, undefined, 5_000_100] },
      9: [undefined, undefined, 3],
      ...{ 10: [41, undefined, undefined], 11: [undefined, 41, undefined] },
    });
    // Conversations say the same about each pair.
    const { batch } = (await called(handlers, 'conversations.run', view)).result;
    const pairs = Array.from({ length: batch.rows }, (_, at) => {
      const { a, b, ...pair } = rowOf(batch, at);
      const ways = [pair['bytes_ab'], pair['bytes_ba'], pair['bytes_both']];
      return [`${String(a).slice(-1)}${String(b).slice(-1)}`, ways];
    });
    expect(Object.fromEntries(pairs)).toEqual({
      12: [undefined, undefined, undefined],
      34: [70, undefined, undefined],
      56: [40, 70, undefined],
      78: [undefined, undefined, 5_000_100],
      79: [undefined, undefined, 3],
      // 10.0.0.10 and 10.0.0.11.
      '01': [41, undefined, undefined],
    });
    expect(notes).toEqual([]);
    // Talkers have the two ways alone.
    const notesOf = async (query: string): Promise<readonly string[]> =>
      (await called(handlers, 'query.run', { ...view, query })).result.notes;
    expect(await notesOf('dst_port:6 | talkers')).toEqual([
      expect.stringMatching(
        /^3 sources \(\w+\.csv, …\): flows that state one number of bytes for both ways count as sent/,
      ),
    ]);
    // ICMP has kinds, and no services.
    const values = (last: string, fact: 'offers' | 'uses') =>
      hosts
        .find(({ address }) => address === `10.0.0.${last}`)
        ?.facts[fact].values.map(({ value }) => value);
    expect(values('8', 'offers')).toEqual(['6/tcp']);
    expect(values('7', 'uses')).toEqual(['6/tcp', 'icmp echo request']);
  } finally {
    await made.dispose();
  }
});

/** Processes, and only after them two flows with one number for both ways. */
const mixed: readonly object[] = [
  ...Array.from({ length: 1000 }, (_, i) => ({
    '@timestamp': '2026-11-21T10:00:00Z',
    event: { kind: 'event', category: 'process', action: 'start' },
    host: { name: `h${i}` },
    message: `started ${i}`,
  })),
  ...[500, 700].map((bytes, i) => ({
    '@timestamp': `2026-11-21T10:00:0${i}Z`,
    event: { kind: 'event', category: 'network', action: 'network_flow' },
    source: { ip: '10.0.0.1', port: 1000 + i },
    destination: { ip: '10.0.0.2', port: 443 },
    network: { bytes, packets: 3, transport: 'tcp' },
  })),
];
it.each([
  ['lines', mixed.map((record) => `${JSON.stringify(record)}\n`).join('')],
  ['a list in an object', JSON.stringify({ tenant: 'x', value: mixed })],
  [
    'a column of a table',
    `CreationDate,AuditData\n${mixed.map((record) => `2026-11-21T10:00:00Z,"${JSON.stringify(record).replaceAll('"', '""')}"\n`).join('')}`,
  ],
])('takes no bytes of both ways for sent where records of JSON state them: %s', async (_, text) => {
  const made = await smallCase({ 'mixed.json': text }, evidence);
  try {
    const handlers = queryHandlers(made.services);
    const view = { case: made.folder, query: 'kind:flow' };
    const { batch } = (await called(handlers, 'conversations.run', view)).result;
    expect(batch.rows).toBe(1);
    const pair = rowOf(batch, 0);
    expect([pair['bytes_ab'], pair['bytes_ba'], pair['bytes_both']]).toEqual([
      ...[undefined, undefined, 1200],
    ]);
    const { hosts } = (await called(handlers, 'hosts.run', view)).result;
    for (const { sent, received, bothWays } of hosts)
      expect([sent, received, bothWays]).toEqual([undefined, undefined, 1200]);
    const talkers = { ...view, query: 'kind:flow | talkers' };
    expect((await called(handlers, 'query.run', talkers)).result.notes).toEqual([
      expect.stringMatching(/^mixed[.]json: flows that state one number of bytes for both ways/),
    ]);
  } finally {
    await made.dispose();
  }
});

it('says what was sent where it is more than a number of JavaScript counts exactly', async () => {
  const row = '2026-11-21T10:00:00Z,10.0.0.1,5,10.0.0.2,6,tcp,9007199254740991\n';
  const made = await smallCase(
    { 'flows.csv': `ts,src_ip,src_port,dst_ip,dst_port,proto,bytes\n${row}${row}` },
    evidence,
  );
  try {
    const view = { case: made.folder, query: '' };
    const { hosts } = (await called(queryHandlers(made.services), 'hosts.run', view)).result;
    expect(hosts.map(({ sent, received }) => [sent, received])).toEqual([
      [2 * 9_007_199_254_740_991, undefined],
      [undefined, 2 * 9_007_199_254_740_991],
    ]);
  } finally {
    await made.dispose();
  }
});

it('says of what kind ICMP is where ports are its type and code alone', async () => {
  const zeek = (host: string, type: number, code: number): string =>
    JSON.stringify({
      ...{ _path: 'conn', ts: 1_790_000_000, uid: `C${host}`, proto: 'icmp', conn_state: 'OTH' },
      ...{ 'id.orig_h': `2001:db8::${host}`, 'id.orig_p': type },
      ...{ 'id.resp_h': '2001:db8::ff', 'id.resp_p': code },
    });
  const table = [
    'ts,src_ip,src_port,dst_ip,dst_port,proto,bytes',
    // Type and code in one number, as in NetFlow; an identifier; a type and a code.
    '2026-11-21T10:00:00Z,10.0.0.1,0,10.0.0.9,2048,icmp,70',
    '2026-11-21T10:00:00Z,10.0.0.2,4711,10.0.0.9,0,icmp,70',
    '2026-11-21T10:00:00Z,10.0.0.3,3,10.0.0.9,1,icmp,70',
  ];
  const made = await smallCase(
    {
      'table.csv': `${table.join('\n')}\n`,
      'conn.log': `${zeek('4', 3, 0)}\n${zeek('5', 135, 136)}\n`,
    },
    evidence,
  );
  try {
    const view = { case: made.folder, query: '' };
    const { hosts } = (await called(queryHandlers(made.services), 'hosts.run', view)).result;
    const uses = hosts.map(({ address, facts }) => [address, facts.uses.values[0]?.value]);
    expect(Object.fromEntries(uses)).toMatchObject({
      ...{ '10.0.0.1': 'icmp', '10.0.0.2': 'icmp', '10.0.0.3': 'icmp destination unreachable' },
      ...{ '2001:db8::4': 'icmp time exceeded', '2001:db8::5': 'icmp neighbor solicitation' },
    });
  } finally {
    await made.dispose();
  }
});

it('names addresses by what the whole case says of them', async () => {
  const handlers = queryHandlers(files.services);
  const addresses = [CLIENT, SERVER];
  const asked = await called(handlers, 'hosts.names', { case: files.folder, addresses });
  expect(asked.result.hosts).toEqual([{ address: SERVER, names: ['www.example.com'] }]);
});

it('looks for names of the addresses that are asked for alone', async () => {
  const dns = (query: string, answers: readonly string[]): string =>
    JSON.stringify({
      ...{ _path: 'dns', ts: 1_700_000_000, uid: query, 'id.orig_h': '10.0.0.1', 'id.orig_p': 5 },
      ...{ 'id.resp_h': '10.0.0.2', 'id.resp_p': 53, proto: 'udp', query },
      ...{ qtype_name: 'A', answers },
    });
  const addresses = Array.from({ length: 1001 }, (_, i) => `192.0.${i >> 8}.${i & 255}`);
  // Twice, so that what is mentioned once would be beyond the 50,000 with the most events.
  const many = Array.from({ length: 51 }, (_, i) => dns(`n${i}.example`, addresses));
  const rare = ['198.51.100.9', '2001:db8::9'];
  const lines = [...many, ...many, dns('rare.example', rare)];
  const made = await smallCase({ 'dns.log': `${lines.join('\n')}\n` }, evidence);
  try {
    const handlers = queryHandlers(made.services);
    const names = async (...asked: string[]) =>
      (await called(handlers, 'hosts.names', { case: made.folder, addresses: asked })).result;
    expect(await names('', ...rare, '10.0.0.0/8', '* OR 1')).toEqual({
      hosts: rare.map((address) => ({ address, names: ['rare.example'] })),
      notes: [],
    });
    const all = await names(...addresses, ...rare);
    expect(all.hosts.map(({ address }) => address)).toEqual([...addresses, ...rare]);
    expect(all.notes).toEqual([]);
    expect(await names()).toEqual({ hosts: [], notes: [] });
    // For more than 2,000 it is faster to ask for all.
    const others = Array.from({ length: 1000 }, (_, i) => `10.1.${i >> 8}.${i & 255}`);
    const more = await names(...addresses, ...rare, ...others);
    expect(more.hosts.filter(({ address }) => rare.includes(address))).toEqual([]);
    expect(more.notes).toEqual(['names by DNS: only the 50000 with the most events were examined']);
  } finally {
    await made.dispose();
  }
});

it('refuses what is no list of events, and fields that there are not', async () => {
  await expect(ask({ query: '* | count' })).rejects.toMatchObject({ code: 'usage' });
  await expect(ask({ query: 'nonsense = 1' })).rejects.toMatchObject({ code: 'unknown-field' });
});

it('takes no answer for a service, in tables that have a record for each direction', async () => {
  const table = [
    'ts,src_ip,src_port,dst_ip,dst_port,proto,bytes',
    '2026-11-21T10:00:00Z,10.0.0.7,50000,192.0.2.1,443,tcp,100',
    '2026-11-21T10:00:00Z,192.0.2.1,443,10.0.0.7,50000,tcp,900',
    '',
  ].join('\n');
  const flows = await smallCase({ 'flows.csv': table }, evidence);
  try {
    const handlers = queryHandlers(flows.services);
    const request = { case: flows.folder, query: '' };
    const { hosts } = (await called(handlers, 'hosts.run', request)).result;
    const offered = hosts.map(({ address, facts }) => [
      ...[address, facts.offers.values.map(({ value }) => value)],
    ]);
    expect(Object.fromEntries(offered)).toEqual({ '10.0.0.7': [], '192.0.2.1': ['443/tcp'] });
  } finally {
    await flows.dispose();
  }
});
