import { expect, it } from 'vitest';
import { collect as collectInput, inputOf, type Collected } from '../shared/testing/collect.ts';
import { evtxImporter } from './index.ts';
import { CHUNK_BYTES, FILE_HEADER_BYTES } from './log-reader.ts';
import { buildLog, fileTime, logon, number, text, type XmlElement } from './testing/build.ts';
import { ARRAY, T } from './values.ts';

const collect = (log: Uint8Array): Promise<Collected> => collectInput(evtxImporter, inputOf(log));

const TIME = fileTime('2026-11-21T10:00:00.123Z', 4567);
const ALICE = logon(7n, TIME, 'alice');

it('reads what a record states, its time to 100 ns', async () => {
  const { rows, notes, quarantined } = await collect(buildLog([[ALICE]]));
  expect(notes).toEqual([]);
  expect(quarantined).toEqual([]);
  expect(rows).toEqual([
    {
      kind: 'log',
      ...{ seq: 1, offset: FILE_HEADER_BYTES + 512, length: expect.any(Number) as number },
      ...{ ts: Date.parse('2026-11-21T10:00:00.123Z') * 1000 + 456, ts_ns: 700, ts_digits: 7 },
      ...{ host: 'host1.example.com', program: 'Microsoft-Windows-Security-Auditing', pid: 712 },
      ...{ event_code: '4624', category: 'authentication', outcome: 'success', logon_type: '3' },
      ...{ action: 'login' },
      ...{ user: 'alice', user_target: 'alice', user_id: 'S-1-5-21-1-2-3-500' },
      src_ip4: 0xc0000211,
      message:
        'TargetUserSid=S-1-5-21-1-2-3-500 TargetUserName=alice LogonType=3 IpAddress=192.0.2.17 EventData.Computer="client & host2"',
      attrs: {
        ...{ Provider_Guid: '12345678-9ABC-DEF0-0123-456789ABCDEF', EventID: '4624', Level: '0' },
        ...{ Keywords: '0x8020000000000000', EventRecordID: '7', Execution_ThreadID: '4242' },
        ...{ Channel: 'Security', TargetUserSid: 'S-1-5-21-1-2-3-500', TargetUserName: 'alice' },
        ...{ LogonType: '3', IpAddress: '192.0.2.17', 'EventData.Computer': 'client & host2' },
      },
    },
  ]);
});

it('takes the account of an event by its code', async () => {
  const { rows } = await collect(buildLog([[logon(7n, TIME, 'EXAMPLE\\bob', 4720)]]));
  expect(rows[0]).toMatchObject({
    event_code: '4720',
    category: 'iam',
    action: 'added-user-account',
    user_target: 'bob',
  });
});

it('reads records that share a template, over several chunks', async () => {
  const user = (n: number): string => `user${n}`;
  const records = Array.from({ length: 90 }, (_, n) => logon(BigInt(n + 1), TIME, user(n)));
  const log = buildLog([records.slice(0, 50), records.slice(50)]);
  const { rows } = await collect(log);
  expect(rows.map(({ attrs }) => attrs['TargetUserName'])).toEqual(records.map((_, n) => user(n)));
});

it.each<[string, XmlElement['children'], Readonly<Record<string, string>>]>([
  [
    'data without names as a list',
    [{ name: 'EventData', children: ['a', 'b c'].map((value) => data(value)) }],
    { Data: '["a","b c"]' },
  ],
  [
    'members of UserData by their path',
    [
      {
        name: 'UserData',
        children: [
          {
            name: 'EventXML',
            attributes: { xmlns: 'Event_NS' },
            children: [
              { name: 'Param1', children: ['x'] },
              {
                name: 'Outer',
                attributes: { kind: 'k' },
                children: [{ name: 'Inner', children: ['y'] }],
              },
            ],
          },
        ],
      },
    ],
    { Param1: 'x', 'Outer.kind': 'k', 'Outer.Inner': 'y' },
  ],
  [
    'what stands beside System under its own name',
    [{ name: 'BinaryEventData', children: ['0A'] }],
    { BinaryEventData: '0A' },
  ],
])('gives %s', async (_, children, attrs) => {
  const xml = { name: 'Event', children: [{ name: 'System' }, ...(children ?? [])] };
  const { rows } = await collect(buildLog([[{ id: 1n, written: TIME, xml }]]));
  expect(rows[0]?.attrs).toEqual(attrs);
});

it.each<[string, string, number, readonly XmlElement[], object]>([
  [
    'values without names by their positions',
    ...(['MSSQLSERVER', 18456] as const),
    ['sa', ' Reason: A bad password.', ' [CLIENT: 192.0.2.17]'].map((value) => data(value)),
    { user: 'sa', src_ip4: 0xc0000211, reason: 'A bad password.', outcome: 'failure' },
  ],
  [
    'a message that OpenSSH relays as that of its program',
    ...(['OpenSSH', 4] as const),
    [data('sshd', 'process'), data('Accepted password for bob', 'payload')],
    { program: 'sshd', message: 'Accepted password for bob' },
  ],
  [
    'values of these names from others as data',
    ...(['Other', 4] as const),
    [data('sshd', 'process'), data('Accepted', 'payload')],
    { program: 'Other', message: 'process=sshd payload=Accepted' },
  ],
])('takes %s', async (_, provider, code, children, fields) => {
  const system = [
    { name: 'Provider', attributes: { Name: provider } },
    { name: 'EventID', children: [String(code)] },
    { name: 'Channel', children: ['Application'] },
  ];
  const xml = {
    name: 'Event',
    children: [
      { name: 'System', children: system },
      { name: 'EventData', children },
    ],
  };
  const { rows } = await collect(buildLog([[{ id: 1n, written: TIME, xml }]]));
  expect(rows[0]).toMatchObject(fields);
});

it('takes no field out of a single text that looks like a list', async () => {
  const system = [
    { name: 'Provider', attributes: { Name: 'Microsoft-Windows-Security-Auditing' } },
    { name: 'EventID', children: ['4625'] },
    { name: 'Channel', children: ['Security'] },
  ];
  const eventData = { name: 'EventData', children: [data('["root"]', 'TargetUserName')] };
  const xml = { name: 'Event', children: [{ name: 'System', children: system }, eventData] };
  const { rows } = await collect(buildLog([[{ id: 1n, written: TIME, xml }]]));
  expect(rows[0]).toMatchObject({ event_code: '4625', outcome: 'failure' });
  expect(rows[0]).not.toHaveProperty('user');
});

function data(value: string, name?: string): XmlElement {
  if (name !== undefined) return { name: 'Data', attributes: { Name: name }, children: [value] };
  return { name: 'Data', children: [value] };
}

it('takes the time of writing where the record states none, and the message that a collector rendered', async () => {
  const xml = {
    name: 'Event',
    children: [
      {
        name: 'System',
        children: [{ name: 'EventID', attributes: { Qualifiers: '3' }, children: ['9'] }],
      },
      {
        name: 'RenderingInfo',
        children: [{ name: 'Message', children: ['An account logged on.'] }],
      },
    ],
  };
  const { rows } = await collect(buildLog([[{ id: 1n, written: TIME, xml }]]));
  expect(rows[0]).toMatchObject({
    ...{ ts: Date.parse('2026-11-21T10:00:00.123Z') * 1000 + 456, ts_ns: 700 },
    ...{ message: 'An account logged on.', attrs: { EventID: '9', Qualifiers: '3' } },
  });
});

it('takes the time of writing for one that no event can have, which stays as text', async () => {
  const { rows } = await collect(buildLog([[{ ...logon(7n, 0n, 'alice'), written: TIME }]]));
  expect(rows[0]).toMatchObject({ ts: Date.parse('2026-11-21T10:00:00.123Z') * 1000 + 456 });
  expect(rows[0]?.attrs['TimeCreated']).toBe('1601-01-01T00:00:00.0000000Z');
});

it('leaves a record undated that has no such time', async () => {
  const { rows } = await collect(buildLog([[logon(7n, 0n, 'alice')]]));
  expect(rows[0]).not.toHaveProperty('ts');
});

it('repeats an element for each value of an array', async () => {
  const xml: XmlElement = {
    name: 'Event',
    children: [
      {
        name: 'EventData',
        children: [{ name: 'Data', attributes: { Name: 'Ports' }, children: [0] }],
      },
    ],
  };
  const values = [{ type: T.uint16 | ARRAY, bytes: Buffer.from('16005000bb01', 'hex') }];
  const log = buildLog([[{ id: 1n, written: TIME, xml, values }]]);
  const { rows } = await collect(log);
  expect(rows[0]?.attrs).toEqual({ Ports: '["22","80","443"]' });
});

it.each<[string, number, Buffer, string | undefined]>([
  ['int8', T.int8, Buffer.from('ff', 'hex'), '-1'],
  ['int64', T.int64, number(T.int64, 8, -5).bytes, '-5'],
  ['uint64', T.uint64, number(T.uint64, 8, 2n ** 64n - 1n).bytes, '18446744073709551615'],
  ['float', T.float, Buffer.from('0000c03f', 'hex'), '1.5'],
  ['bool', T.bool, Buffer.from('01000000', 'hex'), 'true'],
  ['binary', T.binary, Buffer.from('00ab', 'hex'), '00AB'],
  ['a pointer of 32 bits', T.size, Buffer.from('10000000', 'hex'), '0x10'],
  ['hex32', T.hex32, Buffer.from('00000080', 'hex'), '0x80000000'],
  ['ansi', T.ansi, Buffer.from('caf\xe9\0', 'latin1'), 'café'],
  [
    'a system time',
    T.systemTime,
    Buffer.from('ea070b0006001500' + '0a00000000007b00', 'hex'),
    '2026-11-21T10:00:00.123Z',
  ],
  ['a file time', T.fileTime, number(T.fileTime, 8, TIME).bytes, '2026-11-21T10:00:00.1234567Z'],
  ['the last file time', T.fileTime, Buffer.alloc(8, 255), '+060056-05-28T05:36:10.9551615Z'],
  ['a number that is cut off', T.uint32, Buffer.from('0100', 'hex'), undefined],
  ['a SID that is cut off', T.sid, Buffer.from('0105000000000005', 'hex'), undefined],
])('prints %s', async (_, type, bytes, expected) => {
  const xml: XmlElement = {
    name: 'Event',
    children: [{ name: 'UserData', children: [{ name: 'X', children: [0] }] }],
  };
  const log = buildLog([[{ id: 1n, written: TIME, xml, values: [{ type, bytes }] }]]);
  const { rows } = await collect(log);
  expect(rows[0]?.attrs['X']).toBe(expected);
});

it('reads the other chunks where one is damaged, and says so', async () => {
  const log = buildLog([[ALICE], [logon(8n, TIME, 'bob')], [logon(9n, TIME, 'carol')]]);
  log.fill(0, FILE_HEADER_BYTES + CHUNK_BYTES, FILE_HEADER_BYTES + CHUNK_BYTES + 8);
  const { rows, notes } = await collect(log);
  expect(rows.map(({ attrs }) => attrs['TargetUserName'])).toEqual(['alice', 'bob', 'carol']);
  expect(notes).toEqual([`the chunk at ${FILE_HEADER_BYTES + CHUNK_BYTES} has no header`]);
});

it('quarantines a record that cannot be read, and goes on after it', async () => {
  const log = buildLog([[ALICE, logon(8n, TIME, 'bob'), logon(9n, TIME, 'carol')]]);
  const second = log.indexOf('**\0\0', FILE_HEADER_BYTES + 520, 'latin1');
  log.writeUInt32LE(CHUNK_BYTES, second + 4);
  const { rows, quarantined, notes } = await collect(log);
  expect(rows.map(({ attrs }) => attrs['TargetUserName'])).toEqual(['alice', 'carol']);
  expect(quarantined.map(({ offset, reason }) => [offset, reason])).toEqual([
    [second, 'the record ends after its chunk'],
  ]);
  expect(notes).toEqual([`the chunk at ${FILE_HEADER_BYTES} fails the checksum of its records`]);
});

it('says that a log was not closed', async () => {
  const { rows, notes } = await collect(buildLog([[ALICE]], 1));
  expect(rows).toHaveLength(1);
  expect(notes).toEqual(['the log was not closed properly: its last records may be missing']);
});

it('survives every prefix and every changed byte', async () => {
  const log = buildLog([[ALICE, logon(8n, TIME, 'bob')]]);
  const end = FILE_HEADER_BYTES + log.readUInt32LE(FILE_HEADER_BYTES + 48);
  for (let size = 0; size < end; size += 7) await collect(log.subarray(0, size));
  for (let at = FILE_HEADER_BYTES; at < end; at++) {
    const changed = Buffer.from(log);
    changed[at]! ^= 0xff;
    await collect(changed);
  }
});

it('ends where a template has itself in it', async () => {
  const inner: XmlElement = {
    name: 'Event',
    children: [{ name: 'System', children: [text('x').type] }],
  };
  const values = [{ type: T.binXml, bytes: Buffer.alloc(0) }];
  const log = buildLog([[{ id: 1n, written: TIME, xml: inner, values }]]);
  // The value is the record itself.
  const start = FILE_HEADER_BYTES + 512 + 24;
  const size = log.indexOf(Buffer.from([0, 0, T.binXml, 0]), start);
  log.writeUInt16LE(0xffff, size);
  const { rows, quarantined } = await collect(log);
  expect(rows.length + quarantined.length).toBe(1);
});

it('quarantines a record that says more than its chunk could hold, and reads on', async () => {
  // Many substitutions refer to the same long text.
  const many: XmlElement = {
    name: 'Event',
    children: [
      {
        name: 'EventData',
        children: [{ name: 'Data', children: Array.from({ length: 9000 }, () => 0) }],
      },
    ],
  };
  const bomb = { id: 1n, written: TIME, xml: many, values: [text('x'.repeat(8000))] };
  const { rows, quarantined } = await collect(buildLog([[bomb], [ALICE]]));
  expect(quarantined.map(({ reason }) => reason)).toEqual([
    'the record expands to more than its chunk can hold',
  ]);
  expect(rows).toHaveLength(1);
});

it('reads a list of all the values that a record can have', async () => {
  const values = [{ type: T.text | ARRAY, bytes: Buffer.alloc(50_000) }];
  const list: XmlElement = {
    name: 'Event',
    children: [{ name: 'EventData', children: [{ name: 'Data', children: [0] }] }],
  };
  const { rows } = await collect(buildLog([[{ id: 1n, written: TIME, xml: list, values }]]));
  expect(JSON.parse(rows[0]!.attrs['Data']!)).toHaveLength(25_000);
});
