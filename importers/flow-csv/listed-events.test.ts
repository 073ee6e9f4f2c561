/** Records that list events are one event for each: Azure's flow logs, deliveries of CloudWatch Logs. */
import { expect, it, vi } from 'vitest';
import { flatten, type Flat, writtenText } from '../../engine/fields/reading/json/flatten.ts';
import { parseJson } from '../../engine/fields/reading/json/parse-json.ts';
import { EventBatch } from '../../engine/columns/event-batch.ts';
import {
  type Collected,
  collect,
  collectFrom,
  DEFAULT_OPTIONS,
  inputOf,
} from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';
import { eventsOf } from './json/listed-events.ts';

const read = (records: readonly object[]): Promise<Collected> =>
  readText(records.map((one) => `${JSON.stringify(one)}\n`).join(''));

async function readText(content: string): Promise<Collected> {
  const bytes = Buffer.from(content);
  const found = flowCsvImporter.sniff(bytes, { name: 'x', complete: true });
  return collect(flowCsvImporter, inputOf(bytes), { format: found?.format ?? '' });
}

const CLIENT = 0xc0000211;
const SERVER = 0xc6336401;
const SECONDS = Date.UTC(2026, 10, 21, 9, 0, 0) / 1000;
const ENDS = '192.0.2.17,198.51.100.1,40112,443';
const group = (...flowTuples: unknown[]): object => ({
  ...{ time: '2026-11-21T10:00:00Z', category: 'NetworkSecurityGroupFlowEvent', resourceId: '/N' },
  operationName: 'NetworkSecurityGroupFlowEvents',
  properties: {
    Version: 2,
    flows: [{ rule: 'DefaultRule_DenyAllInBound', flows: [{ mac: '000D3A000001', flowTuples }] }],
  },
});
const network = (...flowTuples: string[]): object => ({
  ...{ time: '2026-11-21T10:00:00Z', flowLogVersion: 4, macAddress: '000D3A000001' },
  ...{ category: 'FlowLogFlowEvent', operationName: 'FlowLogFlowEvent' },
  flowRecords: { flows: [{ aclID: 'a', flowGroups: [{ rule: 'web', flowTuples }] }] },
});

it('a flow log of a network security group has an event for each flow', async () => {
  const { rows, notes, records } = await read([
    group(`${SECONDS},${ENDS},T,I,D,B,,,,`, `${SECONDS + 1},${ENDS},U,O,A,E,3,767,2,1580`),
    group(`${SECONDS + 2},${ENDS},T,I,A`),
  ]);
  expect(records).toBe(3);
  const flow = { kind: 'flow', src_port: 40112, dst_port: 443, category: 'network' };
  expect(rows.map(({ ts, seq }) => [ts, seq])).toEqual([
    [SECONDS * 1e6, 1],
    [(SECONDS + 1) * 1e6, 2],
    [(SECONDS + 2) * 1e6, 3],
  ]);
  for (const row of rows) expect(row).toMatchObject({ ...flow, src_ip4: CLIENT, dst_ip4: SERVER });
  expect(rows[0]).toMatchObject({ proto: 6, action: 'Denied', dst_mac: '000D3A000001' });
  expect(rows[0]).toMatchObject({ rule: 'DefaultRule_DenyAllInBound' });
  expect(rows[0]!['bytes'] ?? null).toBeNull();
  expect(rows[0]!.attrs).toMatchObject({ FlowDirection: 'Inbound', FlowState: 'B' });
  expect(rows[0]!.attrs).toMatchObject({ 'properties.Version': '2', resourceId: '/N' });
  expect(rows[1]).toMatchObject({ proto: 17, action: 'Allowed', src_mac: '000D3A000001' });
  expect(rows[1]).toMatchObject({ packets: 3, bytes: 767, packets_rev: 2, bytes_rev: 1580 });
  expect(rows[2]).toMatchObject({ proto: 6, action: 'Allowed' });
  expect(notes).toEqual([
    '2 records with a list of events gave 3 events, one for each in the list',
  ]);
});

it('a flow log of a virtual network does, too', async () => {
  const { rows } = await read([
    network(
      `${SECONDS}599,${ENDS},6,O,E,NX,3,767,2,1580`,
      `${SECONDS}600,2001:db8::1,2001:db8::2,1,22,6,I,D,NX,0,0,0,0`,
    ),
  ]);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({ kind: 'flow', ts: SECONDS * 1e6 + 599_000, proto: 6 });
  expect(rows[0]).toMatchObject({ bytes: 767, bytes_rev: 1580, rule: 'web', action: 'Allowed' });
  expect(rows[0]!.attrs).toMatchObject({ FlowState: 'E', FlowEncryption: 'NX', aclID: 'a' });
  expect(rows[1]).toMatchObject({ kind: 'flow', dst_port: 22, action: 'Denied' });
});

it('a shipper may have numbered its flows', async () => {
  const outer = { time: '2026-11-21T10:00:00Z', flowLogVersion: 4, rule: 'web' };
  const { rows } = await read([{ ...outer, 'flow.0': `${SECONDS}599,${ENDS},6,O,B,NX,0,0,0,0` }]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ kind: 'flow', ts: SECONDS * 1e6 + 599_000, rule: 'web' });
});

const GOOD = `${SECONDS},${ENDS},T,I,D`;
const inList = (...flows: object[]): object => ({ ...group(), properties: { flows } });

it.each<[string, object, string]>([
  ['a text in another form', group(GOOD, 'unknown'), 'unknown'],
  ['a direction in another form', group(GOOD, `${SECONDS},${ENDS},T,X,D`), ',X,'],
  [
    'names that objects inherit',
    group(`${SECONDS},${ENDS},constructor,toString,valueOf`),
    'valueOf',
  ],
  ['a time in another form', group(`7,${ENDS},T,I,D`), '"7,'],
  ['a time of nine digits', group(GOOD, `100000000,${ENDS},T,I,D`), '"100000000,'],
  ['a time of twelve digits', network(`100000000000,${ENDS},6,O,B,NX,0,0,0,0`), '"100000000000,'],
  ['an address in another form', group(`${SECONDS},999.1.1.1,::1,1,2,T,I,D`), '999.1.1.1'],
  ['a port in another form', group(`${SECONDS},192.0.2.17,::1,x,2,T,I,D`), ',x,'],
  ['more values', group(`${SECONDS},${ENDS},T,I,D,B,,,,,`), 'B,,,,,'],
  ['a denied flow that is allowed', group(`${SECONDS},${ENDS},T,I,A,D,,,,`), 'A,D'],
  ['another value', group(GOOD, 7), '7]'],
  [
    'a rule without flows',
    inList({ rule: 'kept', flows: [] }, { flows: [{ flowTuples: [GOOD] }] }),
    'kept',
  ],
  [
    'much text around many flows',
    { ...group(...Array.from({ length: 3000 }, () => GOOD)), x: 'x'.repeat(25_000) },
    ENDS,
  ],
])('a record that lists %s remains one event, with all of its text', async (_, record, text) => {
  const { rows, notes } = await read([record]);
  expect(rows).toHaveLength(1);
  const { attrs } = rows[0]!;
  expect(attrs['properties.flows'] ?? attrs['flowRecords.flows']).toContain(text);
  expect(notes).toEqual([expect.stringMatching(/^1 record with a list .* as text$/)]);
});

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

it.each([900, 1001, 100_000])('a list that is nested %i times is read or not', (depth) => {
  const list = depth < 1000 ? 'read' : 'unread';
  const flows = `[{"x":${nested(depth)},"flowTuples":["${GOOD}"]}]`;
  const events = `[{"timestamp":1,"message":"m","deep":${nested(depth)}}]`;
  for (const record of [
    { keys: ['properties.flows'], values: [flows] },
    { keys: ['logGroup', 'logEvents'], values: ['g', events] },
  ]) {
    const found = eventsOf(record);
    expect(found.list).toBe(list);
    expect([...found.events]).toHaveLength(1);
  }
});

it('a record that is nested too deeply does not end the import', async () => {
  const canSerialise = (depth: number): boolean => {
    try {
      return JSON.stringify(JSON.parse(nested(depth))).length > 0;
    } catch {
      return false;
    }
  };
  let [from, to] = [1000, 1_000_000];
  while (to - from > 1) {
    const depth = Math.floor((from + to) / 2);
    if (canSerialise(depth)) from = depth;
    else to = depth;
  }
  for (let depth = from - 30; depth < from + 20; depth++) {
    const event = `{"timestamp":${SECONDS * 1000},"message":"m","deep":${nested(depth)}}`;
    const delivery = `{"logGroup":"g","logStream":"s","logEvents":[${event}]}`;
    const { rows, quarantined } = await readText(`${delivery}\n{"time":"2026-11-21T10:00:00Z"}\n`);
    expect(rows.length + quarantined.length, `${depth}`).toBe(2);
  }
});

it.each([
  [
    'in a member with dots',
    '{"time":"2026-11-21T10:00:00Z","user":"eve","properties.flows":"[ ]"}',
  ],
  [
    'of another line',
    '{"time":"2026-11-21T10:00:00Z","user":"eve","properties":{"flows":"[\\n]"}}',
  ],
  [
    'with a number',
    '{"time":"2026-11-21T10:00:00Z","user":"eve","flowLogVersion":4,"flow.0":"[ ]"}',
  ],
  [
    'of log events',
    '{"time":"2026-11-21T10:00:00Z","user":"eve","logGroup":"g","logEvents":" [ ]"}',
  ],
  [
    'in a table',
    'id,message\n1,"{""time"":""2026-11-21T10:00:00Z"",""user"":""eve"",""flowRecords.flows"":""[ ]""}"',
  ],
])('a record with an empty list %s is one event', async (_, content) => {
  const { rows, records, notes } = await readText(`${content}\n`);
  expect(rows).toHaveLength(1);
  expect(records).toBe(1);
  expect(rows[0]).toMatchObject({ user: 'eve', ts: Date.UTC(2026, 10, 21, 10) * 1000 });
  expect(notes).toEqual([]);
});

it('a flow in a record that is not of a flow log is text', async () => {
  const { rows } = await read([
    {
      ...{ time: '2026-11-21T10:00:00Z', src_ip: '203.0.113.9', user: 'mallory', action: 'login' },
      'flow.3': GOOD,
    },
  ]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ ts: Date.UTC(2026, 10, 21, 10) * 1000, src_ip4: 0xcb007109 });
  expect(rows[0]).toMatchObject({ user: 'mallory', action: 'login' });
  expect(rows[0]!.attrs).toMatchObject({ 'flow.3': GOOD });
});

it.each<[string, object]>([
  ['version', { flowLogVersion: 4 }],
  ['category', { category: 'NetworkSecurityGroupFlowEvent' }],
  ['operation', { operationName: 'FlowLogFlowEvent' }],
])('a record with numbered flows is of a flow log by its %s', async (_, outer) => {
  const { rows } = await read([{ ...outer, 'flow.0': GOOD, 'flow.1': GOOD, 'flow.2': '' }]);
  expect(rows).toHaveLength(2);
  for (const row of rows) expect(row).toMatchObject({ src_ip4: CLIENT, ts: SECONDS * 1e6 });
});

it('numbers of one name keep their own spelling in a record and in its list', () => {
  const flat: Flat = { keys: [], values: [] };
  const list = `[{"v":2.100,"flowTuples":["${GOOD}"]}]`;
  flatten(parseJson(`{"v":2.10,"w":1.0,"properties":{"flows":${JSON.stringify(list)}}}`), flat);
  const [event] = eventsOf(flat).events;
  const spelled = event!.keys.map((key, i) => `${key}=${writtenText(event!, i)}`);
  expect(spelled.filter((text) => /^[vw]=/.test(text))).toEqual(['v=2.100', 'v=2.10', 'w=1.0']);
});

it('each flow of a list is made when it is its turn', () => {
  const tuples = Array.from({ length: 200 }, (_, i) => `${SECONDS + i},${ENDS},T,I,D`);
  const list = JSON.stringify([{ flowTuples: tuples }]);
  const split = vi.spyOn(String.prototype, 'split');
  const { events } = eventsOf({ keys: ['properties.flows'], values: [list] });
  const before = split.mock.calls.length;
  const times = Array.from(events, ({ keys, values }) => values[keys.indexOf('FlowTime')]);
  const during = split.mock.calls.length - before;
  split.mockRestore();
  expect(times).toEqual(tuples.map((tuple) => tuple.split(',')[0]));
  expect(during).toBe(200);
});

it('much around many rules leaves a record one event', async () => {
  const members = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`m${i}`, 'x']));
  const rules = Array.from({ length: 2000 }, (_, i) => ({ rule: `r${i}`, flowTuples: [GOOD] }));
  const { rows, notes } = await read([inList({ ...members, flows: rules })]);
  expect(rows).toHaveLength(1);
  expect(notes).toHaveLength(1);
});

it("a record in a container's log keeps the names of its members apart", async () => {
  const log = JSON.stringify({ log: 'audit', message: 'login failed' });
  const { rows } = await read([{ log, stream: 'stdout', time: '2026-11-21T10:00:00Z' }]);
  expect(rows[0]).toMatchObject({ message: 'login failed' });
});

it('members of flows that would be flows themselves are not listed again', async () => {
  const tuples = [GOOD, GOOD];
  const { rows, records } = await read([
    {
      ...inList({
        rule: 'r',
        properties: { flows: [{ flowTuples: tuples }] },
        flows: [{ flowTuples: tuples }],
      }),
    },
  ]);
  expect(records).toBe(2);
  expect(rows).toHaveLength(2);
});

it('a flow without ports has its protocol, and one that may have been dropped no status', async () => {
  const { rows } = await read([
    network(
      `${SECONDS}599,192.0.2.17,198.51.100.1,,,1,I,B,NX,0,0,0,0`,
      `${SECONDS}599,${ENDS},6,O,B,NX_NOT_ACCEPTED,0,0,0,0`,
    ),
  ]);
  const icmp = rows.find(({ proto }) => proto === 1);
  expect(icmp).toMatchObject({ ts: SECONDS * 1e6 + 599_000, src_ip4: CLIENT, action: 'Allowed' });
  const dropped = rows.find(({ proto }) => proto === 6);
  expect(dropped!['action'] ?? null).toBeNull();
  expect(dropped!.attrs).toMatchObject({ FlowEncryption: 'NX_NOT_ACCEPTED' });
});

it('the events of one record fill a batch like those of many', async () => {
  const fills = async (records: readonly object[]): Promise<number> => {
    let full = 0;
    const take = (batch: EventBatch): void => {
      full += 1;
      batch.clear();
    };
    const batch = new EventBatch('flow', take, 10_000, 50_000);
    await collectFrom((sink) => {
      const bytes = Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''));
      const options = { ...DEFAULT_OPTIONS, format: 'json-lines' };
      return flowCsvImporter.read(inputOf(bytes), { ...sink, batch: () => batch }, options);
    });
    return full;
  };
  const of = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => `${SECONDS + from + i},${ENDS},T,I,D`);
  const one = await fills([group(...of(0, 500))]);
  const many = await fills(Array.from({ length: 500 }, (_, i) => group(...of(i, 1))));
  expect(one).toBeGreaterThan(0);
  expect(one).toBeLessThanOrEqual(many);
});

it('a delivery of CloudWatch Logs has an event for each log event', async () => {
  const trail = {
    ...{ eventVersion: '1.08', eventTime: '2026-11-21T00:00:01Z', eventName: 'ConsoleLogin' },
    ...{ eventSource: 'signin.amazonaws.com', sourceIPAddress: '192.0.2.17' },
    ...{ userIdentity: { type: 'IAMUser', userName: 'alice' } },
  };
  const delivery = (logStream: string, messages: readonly string[]): object => ({
    ...{ messageType: 'DATA_MESSAGE', owner: '123456789012', logGroup: 'g', logStream },
    subscriptionFilters: ['s'],
    logEvents: messages.map((message, id) => ({ id, timestamp: SECONDS * 1000 + id, message })),
  });
  const { rows: byKind, records } = await read([
    delivery('a', ['first', JSON.stringify(trail)]),
    delivery('b', ['third']),
    { ...delivery('c', []), messageType: 'CONTROL_MESSAGE' },
  ]);
  expect(records).toBe(4);
  const rows = byKind.toSorted((a, b) => Number(a['seq']) - Number(b['seq']));
  expect(rows.map(({ attrs }) => attrs['logStream'])).toEqual(['a', 'a', 'b', 'c']);
  expect(rows[0]).toMatchObject({ message: 'first', ts: SECONDS * 1e6 });
  expect(rows[0]).toMatchObject({ cloud_account: '123456789012' });
  expect(rows[1]).toMatchObject({ user: 'alice', src_ip4: CLIENT, action: 'ConsoleLogin' });
  expect(rows[2]).toMatchObject({ message: 'third' });
});

it.each([
  [
    'has an own time',
    { timestamp: '2026-11-20T00:00:01Z' },
    Date.UTC(2026, 10, 20, 0, 0, 1) * 1000,
  ],
  ['has no time', { level: 'info' }, SECONDS * 1e6],
])('a record in a log event that %s', async (_, record, ts) => {
  const inner = { ...record, message: 'text', owner: 'bob' };
  const { rows } = await read([
    {
      ...{ messageType: 'DATA_MESSAGE', owner: '123456789012', logGroup: 'g', logStream: 's' },
      logEvents: [{ id: '1', timestamp: SECONDS * 1000, message: JSON.stringify(inner) }],
    },
  ]);
  expect(rows[0]).toMatchObject({ ts, message: 'text', cloud_account: '123456789012' });
});

it('a delivery without a stream has an event for each log event, with its time', async () => {
  const { rows } = await read([
    {
      ...{ messageType: 'DATA_MESSAGE', owner: '123456789012', logGroup: 'g' },
      logEvents: [{ id: '1', timestamp: SECONDS * 1000, message: 'hello' }],
    },
  ]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ ts: SECONDS * 1e6, message: 'hello' });
  expect(rows[0]).toMatchObject({ cloud_account: '123456789012' });
});

it('log events without a message leave their record one event', async () => {
  const { rows, notes } = await read([
    { messageType: 'DATA_MESSAGE', logGroup: 'g', logStream: 's', logEvents: [{}, {}] },
  ]);
  expect(rows).toHaveLength(1);
  expect(rows[0]!.attrs['logEvents']).toBe('[{},{}]');
  expect(notes).toHaveLength(1);
});

/** A delivery with a record of each of these times. */
const dated = (...times: string[]) => ({
  ...{ messageType: 'DATA_MESSAGE', logGroup: 'g', logStream: 's' },
  logEvents: times.map((timestamp) => ({
    timestamp: SECONDS * 1000,
    message: JSON.stringify({ timestamp, msg: 'm' }),
  })),
});
const MARCH_4 = Date.UTC(2026, 2, 4, 1) * 1000;

it('dates in listed records decide on the order of day and month', async () => {
  const { rows } = await read([dated('03/04/2026 01:00:00', '04/21/2026 01:00:00')]);
  expect(rows.map(({ ts }) => ts)).toContain(MARCH_4);
});

it.each([
  ['as its writer escapes them', (text: string) => text],
  ['escaped again around it', (text: string) => text.replaceAll('/', '\\/')],
])('dates with slashes in a message decide on the order, %s', async (_, around) => {
  const delivery = dated('03/04/2026 01:00:00', '04/21/2026 01:00:00');
  for (const event of delivery.logEvents) event.message = event.message.replaceAll('/', '\\/');
  const { rows } = await readText(`${around(JSON.stringify(delivery))}\n`);
  expect(rows.map(({ ts }) => ts)).toContain(MARCH_4);
});

it('dates in records that rows of a table list decide, too', async () => {
  const row = (id: number, time: string): string =>
    `${id},"${JSON.stringify(dated('03/04/2026 01:00:00', time)).replaceAll('"', '""')}"\n`;
  const { rows } = await readText(
    `id,message\n${row(1, '03/04/2026 01:00:00')}${row(2, '04/21/2026 01:00:00')}`,
  );
  expect(rows).toHaveLength(4);
  expect(rows.filter(({ ts }) => ts === MARCH_4)).toHaveLength(3);
});

it('dates in a sequence of JSON texts decide on the order of day and month', async () => {
  const times = ['03/04/2026 01:00:00', '04/21/2026 01:00:00'];
  const records = times.map((time) => `\x1e${JSON.stringify({ time, msg: 'm' })}\n`);
  const { rows } = await readText(records.join(''));
  expect(rows.map(({ ts }) => ts)).toContain(MARCH_4);
});
