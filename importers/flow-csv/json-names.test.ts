/** JSON records: columns by known names, and a kind for each record. */
import { describe, expect, it } from 'vitest';
import { collect, inputOf, type CollectedRow } from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';

const T = (iso: string): number => Date.parse(iso) * 1000;
const ip = (text: string): number =>
  text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

async function readAll(
  records: readonly object[],
): Promise<{ format: string; rows: CollectedRow[] }> {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const bytes = Buffer.from(text);
  const found = flowCsvImporter.sniff(bytes, { name: 'x', complete: true });
  const format = found?.format ?? '';
  const { rows, quarantined } = await collect(flowCsvImporter, inputOf(bytes), { format });
  expect(quarantined).toEqual([]);
  return { format, rows: rows.toSorted((a, b) => Number(a['seq']) - Number(b['seq'])) };
}

async function readText(text: string): Promise<CollectedRow> {
  const bytes = Buffer.from(`${text}\n${text}\n`);
  const format = flowCsvImporter.sniff(bytes, { name: 'x', complete: true })?.format ?? '';
  const { rows } = await collect(flowCsvImporter, inputOf(bytes), { format });
  expect(rows.length).toBe(2);
  return rows[0]!;
}

describe('what an object is called says who acts', () => {
  it.each<[string, object]>([
    ['no place in code', { caller: { name: 'main.go:15' } }],
    ['no thread', { executor: { name: 'thread-pool-5' } }],
    ['no operator of a filter', { operator: { name: 'eq' } }],
    ['no sender of mail', { source: { email: 'lists@example.com' } }],
  ])('%s', async (_, members) => {
    expect(await readOne({ timestamp: '2026-03-04T05:06:07Z', ...members })).not.toHaveProperty(
      'user',
    );
  });

  it('who changed it last, not who made it', async () => {
    const row = await readOne({
      ...{ timestamp: '2026-03-04T05:06:07Z', createdBy: { email: 'old@example.com' } },
      updatedBy: { email: 'new@example.com' },
    });
    expect(row).toMatchObject({ user: 'new@example.com' });
  });

  it('not the address of another one who acts', async () => {
    const row = await readOne({
      ...{ timestamp: '2026-03-04T05:06:07Z', user: 'bob', src_ip: '10.0.0.1' },
      admin: { id: 'a1', email: 'root@example.com' },
    });
    expect(row).toMatchObject({ user: 'bob' });
    for (const name of ['user_email', 'user_id']) expect(row).not.toHaveProperty(name);
  });

  it('no step of a program is a URL', async () => {
    const row = await readOne({ timestamp: '2026-03-04T05:06:07Z', context: { path: 'checkout' } });
    expect(row).not.toHaveProperty('url');
  });
});

describe('events of Windows that are wrapped', () => {
  it('have the process that wrote them, and nothing of whom they are about', async () => {
    const row = await readOne({
      path: 'Security.evtx',
      record: {
        Event: {
          System: {
            Provider: { '#attributes': { Name: 'Microsoft-Windows-Security-Auditing' } },
            EventID: 4720,
            TimeCreated: { '#attributes': { SystemTime: '2026-03-04T05:06:07.123456Z' } },
            Execution: { '#attributes': { ProcessID: 948, ThreadID: 328 } },
            Computer: 'dc.example.com',
          },
          EventData: {
            ProcessId: 6632,
            UserPrincipalName: 'new@example.com',
            ActionName: 'calc.exe',
          },
        },
      },
    });
    expect(row).toMatchObject({ host: 'dc.example.com', pid: 948, event_code: '4720' });
    for (const name of ['user', 'user_email', 'action']) expect(row).not.toHaveProperty(name);
  });
});

describe('whole numbers count, however they are written', () => {
  it('in flows', async () => {
    const row = await readText(
      '{"ts":1.772600767123E9,"src_ip":"10.0.0.1","src_port":443.0,"dst_ip":"10.0.0.2","dst_port":8.0e1,"bytes":1.0e3,"packets":1e2,"weight":2.10}',
    );
    expect(row).toMatchObject({
      ...{ kind: 'flow', ts: 1_772_600_767_123_000, src_port: 443, dst_port: 80 },
      ...{ bytes: 1000, packets: 100, attrs: { weight: '2.10' } },
    });
  });

  it('in other records', async () => {
    const row = await readText(
      '{"timestamp":1772600767.120000,"user":1000.0,"http_status":200.0,"event_id":4624.0}',
    );
    expect(row).toMatchObject({ user: '1000', http_status: '200', event_code: '4624' });
    expect(row).toMatchObject({ ts: 1_772_600_767_120_000, attrs: { event_id: '4624.0' } });
  });
});

async function readOne(record: object): Promise<CollectedRow> {
  const { rows } = await readAll([record, record]);
  expect(rows.length).toBe(2);
  return rows[0]!;
}

describe('what no name says is no column', () => {
  it.each<[string, object]>([
    ['version numbers', { details: { targetFileVersion: '10.0.1.2' }, httpVersion: '1.1.0.0' }],
    ['identifiers', { id: '10.20.30.40', process_id: -6_970_000_000, event_id: 1_111_111_111 }],
    ['an address of an asset', { asset: { ip: '10.0.0.1' }, ipv4: '10.0.0.2' }],
    [
      'times of other objects',
      { object: { metadata: { creationTimestamp: '2020-01-01T00:00:00Z' } } },
    ],
    ['numbers that are no time', { time: 17, timestamp: 3.5, ts: 99_999 }],
    ['names of hosts where an address is meant', { sourceIPAddress: 'cloudtrail.amazonaws.com' }],
    ['ports that are none', { src_port: 'any', dst_port: 70_000 }],
  ])('%s', async (_, record) => {
    const row = await readOne(record);
    for (const name of ['ts', 'src_ip4', 'dst_ip4', 'src_port', 'dst_port', 'host']) {
      expect(row).not.toHaveProperty(name);
    }
    expect(row.kind).toBe('other');
    expect(Object.keys(row.attrs).length).toBeGreaterThan(0);
  });

  it('a caller has one address, and no target', async () => {
    const row = await readOne({
      time: '2026-11-21T00:00:01Z',
      resourceId: '/x',
      operationName: 'Sign-in',
      callerIpAddress: '192.0.2.1',
      properties: { ipAddress: '192.0.2.1', networkLocation: '192.0.2.1' },
    });
    expect(row).toMatchObject({ kind: 'other', src_ip4: ip('192.0.2.1'), event_type: 'Sign-in' });
    expect(row).not.toHaveProperty('dst_ip4');
  });
});

describe('objects of one who acts, and of requests', () => {
  it.each<[string, object, Record<string, unknown>]>([
    [
      'a performer, described by another object',
      { performer: { meta: { username: 'alice' }, id: 7, ip_address: '192.0.2.17' } },
      { user: 'alice', user_id: '7', src_ip4: ip('192.0.2.17') },
    ],
    [
      'an audit record in a document',
      { audit: { action: 'login', user: { email: 'alice@example.com', ipAddress: '192.0.2.17' } } },
      { user: 'alice@example.com', action: 'login', src_ip4: ip('192.0.2.17') },
    ],
    [
      'the user of a session of one who acts',
      { actor: { session: { ip_address: '192.0.2.17', user: { email: 'alice@example.com' } } } },
      { user: 'alice@example.com', src_ip4: ip('192.0.2.17') },
    ],
    [
      'a name that DNS was asked for, with the dot of the root',
      { query_name: 'www.example.com.' },
      { query: 'www.example.com' },
    ],
    ['the root itself', { query_name: '.' }, { query: '.' }],
    [
      'one who acts before the account, in names of one word',
      { user_name: 'bob', actor_user_name: 'alice', ipaddr: '192.0.2.17' },
      { user: 'alice', src_ip4: ip('192.0.2.17') },
    ],
    [
      'a person who acts',
      { event: { actor: { person: { email: 'alice@example.com' } }, ip_address: '192.0.2.17' } },
      { user: 'alice@example.com', src_ip4: ip('192.0.2.17') },
    ],
    [
      'an administrator',
      { Administrator: 'alice@example.com', LoggedFrom: '192.0.2.17' },
      { user: 'alice@example.com', src_ip4: ip('192.0.2.17') },
    ],
    [
      'the type of an action that is a sentence',
      { action: "'alice' logged in via access key.", actionType: 'LOGIN', user: 'alice' },
      { action: 'LOGIN', user: 'alice' },
    ],
    [
      'a request within data',
      { data: { request: { ip: '192.0.2.17', method: 'GET', path: '/v0/a', user_agent: 'curl' } } },
      { src_ip4: ip('192.0.2.17'), http_method: 'GET', url: '/v0/a', user_agent: 'curl' },
    ],
    [
      'two sides of a session',
      {
        performed_by: { username: 'alice', hostname: 'pc1', public_ip: '192.0.2.17' },
        destination: { username: 'bob', hostname: 'srv1', public_ip: '198.51.100.1' },
      },
      {
        ...{ user: 'alice', src_domain: 'pc1', src_ip4: ip('192.0.2.17') },
        ...{ user_target: 'bob', dst_domain: 'srv1', dst_ip4: ip('198.51.100.1') },
      },
    ],
    [
      'a digest of a file',
      { file_hash: 'd41d8cd98f00b204e9800998ecf8427e' },
      { md5: 'd41d8cd98f00b204e9800998ecf8427e' },
    ],
    [
      'who created what is listed',
      { created_by: { email: 'alice@example.com' } },
      { user: 'alice@example.com' },
    ],
    [
      'one who acts before one who created',
      { created_by: { email: 'alice@example.com' }, actor: { email: 'bob@example.com' } },
      { user: 'bob@example.com' },
    ],
    [
      'a station that calls before the server that it calls through',
      { event_data: { CallingStationID: '192.0.2.17', ClientIPAddress: '198.51.100.1' } },
      { src_ip4: ip('192.0.2.17') },
    ],
    [
      "data of an event that is not Windows'",
      { type: 'login', eventData: { src_ip: '192.0.2.17', username: 'alice' } },
      { src_ip4: ip('192.0.2.17'), user: 'alice' },
    ],
    [
      'such data within data',
      { data: { eventData: { src_ip: '192.0.2.17', username: 'alice', dst_port: 22 } } },
      { src_ip4: ip('192.0.2.17'), user: 'alice', dst_port: 22 },
    ],
    [
      'where one who acts is',
      { attributes: { actor: { email: 'alice@example.com' }, location: { ip: '192.0.2.17' } } },
      { user: 'alice@example.com', src_ip4: ip('192.0.2.17') },
    ],
    [
      'a list of one address',
      { sourceIp: ['192.0.2.17'], destinationIp: ['198.51.100.1', '198.51.100.1'] },
      { src_ip4: ip('192.0.2.17'), dst_ip4: ip('198.51.100.1') },
    ],
    [
      'a server and the client that a proxy states',
      {
        ...{ 'x-client-ip': '192.0.2.17', server_addr: '198.51.100.1' },
        ...{ ua_type: 'supported_browser', request_type: 'GET' },
      },
      { src_ip4: ip('192.0.2.17'), dst_ip4: ip('198.51.100.1'), http_method: 'GET' },
    ],
    [
      'the process of one who acts',
      { actor: { process: { pid: 17, parent_process: { pid: 3 } } } },
      { pid: 17 },
    ],
    [
      'the port of the server, as W3C names it',
      { 'c-ip': '192.0.2.17', 'cs-method': 'GET', 's-ip': '198.51.100.1', 's-port': 443 },
      { src_ip4: ip('192.0.2.17'), dst_ip4: ip('198.51.100.1'), dst_port: 443 },
    ],
    [
      'both sides, as W3C names them',
      { c_ip: '192.0.2.17', c_port: 40001, s_ip: '198.51.100.1', s_port: 443 },
      {
        ...{ src_ip4: ip('192.0.2.17'), src_port: 40001 },
        ...{ dst_ip4: ip('198.51.100.1'), dst_port: 443 },
      },
    ],
    [
      'a list of one path, without what escapes it',
      { process: { name: ['a'], command_line: ['a.exe "b"'] }, file_path: ['C:\\Temp\\a.exe'] },
      { command: 'a.exe "b"', file_path: 'C:\\Temp\\a.exe' },
    ],
    [
      'the address of a client before a place',
      {
        ...{ actor: { email: 'alice@example.com' }, client_ip: '192.0.2.17' },
        location: { ip: '203.0.113.9' },
      },
      { src_ip4: ip('192.0.2.17') },
    ],
    [
      'the name of a performer before the number',
      { data: { performedby: '1234', performedby_username: 'alice' } },
      { user: 'alice' },
    ],
  ])('%s', async (_, record, expected) => {
    const row = await readOne({ time: '2026-11-21T00:00:01Z', ...record });
    expect({ ...row.attrs, ...row }).toMatchObject(expected);
  });

  it.each<[string, object]>([
    ['an account that was acted on', { target: { user: { email: 'alice@example.com' } } }],
    [
      'an account as it was',
      { old: { user: { name: 'alice' } }, new: { user: { ip: '10.0.0.1' } } },
    ],
    ['who owns a rule', { rule: { created_by: { username: 'alice' } } }],
    ['who created a thing, by a name of anything', { created_by: { name: 'Nightly import' } }],
    ['a program that is a client', { client: { name: 'Mobile app', id: 'x1' } }],
    ['an identifier of a session', { session: { id: 'a1' } }],
    [
      'an address of a resource',
      { resource: { ip: '10.0.0.1' }, device: { ip_address: '10.0.0.2' } },
    ],
    ['a list of several addresses', { sourceIp: ['192.0.2.17', '192.0.2.18'] }],
    ['a list of what is no address', { sourceIp: ['dead:beef', 'dead:beef'], ip: ['1.2.3'] }],
    ["data of Wazuh's", { win: { eventdata: { username: 'alice', ipAddress: '192.0.2.17' } } }],
    ['the address of a device', { device: { location: { ip: '192.0.2.17' } } }],
    ['a kind of request that is no method', { request_type: 'login' }],
    [
      "data of Windows', whatever it is in",
      {
        body: {
          event_id: 4720,
          event_data: { UserPrincipalName: 'eve@example.com', UserName: 'e' },
        },
      },
    ],
    [
      'such data of another collector',
      { Data: { EventData: { UserName: 'eve', IpAddress: '::1' } } },
    ],
    ['no host that is a step', { nodeName: 'HTTP Request' }],
    ['no host that is an element', { nodeName: 'BUTTON' }],
    ['a name of a queue', { qname: 'orders.created' }],
    ['a request that is no method', { requestType: 'search' }],
    ['a command that is no method', { requestType: 'Delete' }],
    ['the address of a place', { location: { name: 'rack 5', ip: '10.0.0.1' } }],
    ['a digest that is none', { file_hash: 'unknown', process: { hash: 'abc' } }],
    ['a number for an action', { action: 10 }],
    ['a code of Windows for an action', { action: '%%887' }],
    ['a sentence for an action', { operation: 'Sites retrieved by user alice.' }],
    ['what an answer says of a request', { response: { request: { path: '/a', method: 'GET' } } }],
  ])('%s is none', async (_, record) => {
    const row = await readOne({ time: '2026-11-21T00:00:01Z', ...record });
    for (const name of [
      ...['user', 'user_id', 'user_email', 'src_ip4', 'action', 'url', 'http_method', 'md5'],
      ...['host', 'query', 'pid'],
    ])
      expect(row).not.toHaveProperty(name);
  });

  it('what a product is known to do stays before what it calls it', async () => {
    const row = await readOne({
      ...{ EventID: 4624, Channel: 'Security', Computer: 'pc1', action: 'Logon' },
      ...{ Provider: 'Microsoft-Windows-Security-Auditing', TimeCreated: '2026-11-21T00:00:01Z' },
    });
    expect(row).not.toMatchObject({ action: 'Logon' });
  });
});

describe('records of known schemas', () => {
  it.each<[string, object, Record<string, unknown>]>([
    [
      'the audit log of Kubernetes: the stage has a time, objects have others',
      {
        kind: 'Event',
        requestReceivedTimestamp: '2026-11-21T00:00:01.000000Z',
        stageTimestamp: '2026-11-21T00:00:02.500000Z',
        verb: 'create',
        sourceIPs: ['192.0.2.1'],
        responseObject: { metadata: { creationTimestamp: '2020-01-01T00:00:00Z' } },
      },
      { ts: T('2026-11-21T00:00:02.5Z'), src_ip4: ip('192.0.2.1'), event_type: 'create' },
    ],
    [
      'CloudTrail: the event itself, not a service of it',
      {
        serviceEventDetails: { sourceIpAddress: '192.0.2.9' },
        eventTime: '2026-11-21T00:00:01Z',
        sourceIPAddress: '192.0.2.1',
        userIdentity: { sessionContext: { attributes: { creationDate: '2020-01-01T00:00:00Z' } } },
        eventName: 'GetObject',
        eventType: 'AwsApiCall',
      },
      { ts: T('2026-11-21T00:00:01Z'), src_ip4: ip('192.0.2.1'), event_type: 'GetObject' },
    ],
    [
      'a table of Azure Monitor',
      { TenantId: 'redacted', TimeGenerated: '2026-11-21T00:00:01.5Z', Computer: 'ws1' },
      { ts: T('2026-11-21T00:00:01.5Z'), host: 'ws1' },
    ],
    [
      'a host that stands for none',
      { TenantId: 'redacted', TimeGenerated: '2026-11-21T00:00:01.5Z', Computer: 'N/A' },
      { ts: T('2026-11-21T00:00:01.5Z'), attrs: { TenantId: 'redacted', Computer: 'N/A' } },
    ],
    [
      'the audit log of Jira and Bitbucket',
      { timestamp: { epochSecond: T('2026-11-21T00:00:01Z') / 1e6, nano: 5 }, method: 'Browser' },
      { ts: T('2026-11-21T00:00:01Z') },
    ],
    [
      'Snort',
      {
        seconds: T('2026-11-21T00:00:01Z') / 1e6,
        rule: '1:2:3',
        msg: 'scan',
        src_addr: '192.0.2.1',
      },
      { ts: T('2026-11-21T00:00:01Z'), message: 'scan', src_ip4: ip('192.0.2.1') },
    ],
    [
      'a Windows event as evtx tools write it',
      { Event: { System: { TimeCreated_attributes: { SystemTime: '2026-11-21T00:00:01Z' } } } },
      { ts: T('2026-11-21T00:00:01Z') },
    ],
    [
      'winlogbeat',
      {
        '@timestamp': '2026-11-21T00:00:01.250Z',
        event: { type: 'info', code: 4624 },
        winlog: {
          channel: 'Security',
          provider_name: 'Auditing',
          event_data: { IpAddress: '192.0.2.1' },
        },
        host: { name: 'ws1' },
        message: 'An account was logged on.',
      },
      {
        ...{ kind: 'log', ts: T('2026-11-21T00:00:01.250Z'), host: 'ws1', program: 'Auditing' },
        ...{ message: 'An account was logged on.', src_ip4: ip('192.0.2.1') },
      },
    ],
    [
      'macOS, which has a timestamp and a type of event as Suricata does',
      {
        timestamp: '2026-11-21 01:00:01.500000+0100',
        machTimestamp: 5,
        eventType: 'logEvent',
        eventMessage: 'started',
        processImagePath: '/usr/libexec/x',
        processID: 71,
      },
      {
        ...{ kind: 'log', ts: T('2026-11-21T00:00:01.5Z'), message: 'started', pid: 71 },
        ...{ program: '/usr/libexec/x', event_type: 'logEvent' },
      },
    ],
    [
      'an access log: what was asked for is not the host of the log',
      {
        time: '2026-11-21T00:00:01Z',
        host: 'www.example.org',
        method: 'GET',
        remote_addr: '192.0.2.1',
      },
      { src_ip4: ip('192.0.2.1'), attrs: { host: 'www.example.org', method: 'GET' } },
    ],
    [
      'a flow of Google Cloud',
      {
        jsonPayload: {
          bytes_sent: '1776',
          packets_sent: '8',
          connection: {
            src_ip: '192.0.2.1',
            src_port: 1234,
            dest_ip: '192.0.2.2',
            dest_port: 443,
            protocol: 6,
          },
          start_time: '2026-11-21T00:00:01Z',
          end_time: '2026-11-21T00:00:03Z',
        },
        timestamp: '2026-11-21T00:00:09Z',
      },
      {
        ...{ kind: 'flow', ts: T('2026-11-21T00:00:01Z'), duration: 2, bytes: 1776, packets: 8 },
        ...{ src_port: 1234, dst_port: 443, dst_ip4: ip('192.0.2.2') },
      },
    ],
    [
      'a packet of tshark -T ek: source and target, and no flow',
      {
        timestamp: '1795219201000',
        layers: {
          frame: { frame_frame_number: '1' },
          ip: {
            ip_ip_src: '192.0.2.1',
            ip_ip_src_host: '192.0.2.1',
            ip_ip_dst: '192.0.2.2',
            ip_ip_proto: '6',
          },
          tcp: { tcp_tcp_srcport: '1234', tcp_tcp_dstport: '80' },
        },
      },
      {
        ...{ kind: 'other', ts: 1_795_219_201_000_000, src_ip4: ip('192.0.2.1') },
        ...{ dst_ip4: ip('192.0.2.2'), src_port: 1234, dst_port: 80 },
      },
    ],
    [
      'ECS, with what a flow carried',
      {
        '@timestamp': '2026-11-21T00:00:01Z',
        source: { ip: '192.0.2.1', port: 1, bytes: 10 },
        destination: { ip: '192.0.2.2', port: 2, bytes: 20 },
        network: { transport: 'udp' },
      },
      { kind: 'flow', bytes: 10, bytes_rev: 20, proto: 17 },
    ],
  ])('%s', async (_, record, expected) => {
    expect(await readOne(record)).toMatchObject(expected);
  });
});

describe('the kind is that of the record', () => {
  const flow = { src_ip: '192.0.2.1', src_port: 1, dst_ip: '192.0.2.2', dst_port: 2, proto: 'tcp' };

  it('events beside flows are no flows', async () => {
    const { rows } = await readAll([flow, { user: 'bob', action: 'login' }, flow]);
    expect(rows.map(({ kind }) => kind)).toEqual(['flow', 'other', 'flow']);
  });

  it.each(['@stream', '_path'])('Zeek logs in one file, named by %s', async (name) => {
    const id = { 'id.orig_h': '192.0.2.1', 'id.resp_h': '192.0.2.2', uid: 'C1' };
    const logs = ['conn', 'dns', 'http', 'ssl', 'kerberos', 'files', 'ntlm'];
    const { rows, format } = await readAll(
      logs.map((log, i) => ({ [name]: log, ts: 1_795_219_200 + i, ...id, cipher: 'x' })),
    );
    expect(format).toBe('zeek-json');
    expect(rows.map(({ kind }) => kind)).toEqual([
      ...['flow', 'dns', 'http', 'tls', 'kerberos', 'file', 'ntlm'],
    ]);
    expect(rows.map((row) => row['event_type'])).toEqual(logs);
  });

  it('Zeek logs in one file that are not named, by the members of each', async () => {
    const id = {
      'id.orig_h': '192.0.2.1',
      'id.resp_h': '192.0.2.2',
      uid: 'C1',
      ts: 1_795_219_200.5,
    };
    const { rows } = await readAll([
      { ...id, conn_state: 'SF', history: 'ShADadFf' },
      { ...id, trans_id: 7, query: 'example.org', rcode: 0 },
      { ...id, request_type: 'TGS', client: 'bob', service: 'cifs', cipher: 'aes' },
      { ...id, version: 'TLSv12', cipher: 'x', established: true, resumed: false },
    ]);
    expect(rows.map(({ kind }) => kind)).toEqual(['flow', 'dns', 'kerberos', 'tls']);
    expect(rows[2]).toMatchObject({ event_type: 'kerberos', src_ip4: ip('192.0.2.1') });
  });

  it.each<[string, string, object, object]>([
    [
      'ntlm',
      'ntlm',
      { username: 'alice', hostname: 'HOST1', domainname: 'EXAMPLE', success: false },
      { user: 'alice', outcome: 'failure', category: 'authentication' },
    ],
    ['radius', 'other', { username: 'bob', mac: '00:00:5e:00:53:1', result: 'x' }, { user: 'bob' }],
    [
      'ssh',
      'ssh',
      { auth_success: true, auth_attempts: 2, client: 'SSH-2.0-a' },
      { outcome: 'success', category: 'authentication' },
    ],
    ['modbus', 'modbus', { func: 'READ_COILS' }, {}],
    ['dnp3', 'dnp3', { fc_request: 'READ' }, {}],
    ['dce_rpc', 'dce_rpc', { rtt: 0.1, endpoint: 'svcctl', operation: 'OpenServiceW' }, {}],
    ['smb_mapping', 'smb', { path: String.raw`\\a\b`, share_type: 'DISK' }, {}],
    ['ldap_search', 'ldap', { message_id: 3, scope: 'tree', base_object: 'dc=a' }, {}],
  ])('Zeek logs that are not named: %s', async (log, kind, members, columns) => {
    const id = { uid: 'C1', 'id.orig_h': '192.0.2.1', 'id.resp_h': '192.0.2.2' };
    const { rows } = await readAll([{ ts: 1_795_219_200, ...id, ...members }]);
    expect(rows[0]).toMatchObject({ kind, event_type: log, ...columns });
  });

  it('Zeek: services and certificates that are known are those of a server', async () => {
    const { rows } = await readAll([
      { ts: 1_795_219_200, host: '192.0.2.1', port_num: 53, port_proto: 'udp', service: ['DNS'] },
      { ts: 1_795_219_201, host: '192.0.2.1', port_num: 443, issuer_subject: 'CN=a', serial: '1' },
    ]);
    expect(rows.map((row) => [row['dst_ip4'], row['dst_port'], row['host']])).toEqual([
      [ip('192.0.2.1'), 53, undefined],
      [ip('192.0.2.1'), 443, undefined],
    ]);
  });

  it('Zeek: whether a login worked, where it is known', async () => {
    const head = '#separator \\x09\n#unset_field\t-\n#path\tssh\n#fields\tts\tuid\tauth_success\n';
    const text = `${head}1.5\tC1\tT\n2.5\tC2\tF\n3.5\tC3\t-\n`;
    const { rows } = await collect(flowCsvImporter, inputOf(Buffer.from(text)), {
      format: 'zeek-tsv',
    });
    expect(rows.map((row) => row['outcome'])).toEqual(['success', 'failure', undefined]);
    expect(rows.map(({ attrs }) => attrs['auth_success'])).toEqual(['T', 'F', undefined]);
  });

  it('Zeek: what Kerberos answered to whom', async () => {
    const head =
      '#separator \\x09\n#unset_field\t-\n#path\tkerberos\n' +
      '#fields\tts\tuid\trequest_type\tclient\tservice\tsuccess\terror_msg\n';
    const cells = [
      ['AS', 'alice/EXAMPLE.COM', 'krbtgt/EXAMPLE.COM', 'F', 'KDC_ERR_PREAUTH_REQUIRED'],
      ['AS', 'alice/EXAMPLE.COM', 'krbtgt/EXAMPLE.COM', 'F', 'KDC_ERR_PREAUTH_FAILED'],
      ['AS', 'alice/EXAMPLE.COM', 'krbtgt/EXAMPLE.COM', 'T', '-'],
      ['TGS', 'http/web1/EXAMPLE.COM', 'cifs/a', 'T', '-'],
      ['-', 'bob', '-', '-', '-'],
      ['AS', '/EXAMPLE.COM', 'krbtgt/EXAMPLE.COM', 'F', 'NEEDED_PREAUTH'],
      ['AS', 'bob/EXAMPLE.COM', 'a', 'F', 'Need to use PA-ENC-TIMESTAMP/PA-PK-AS-REQ'],
    ];
    const text = head + cells.map((row, n) => [n, `C${n}`, ...row].join('\t')).join('\n');
    const read = await collect(flowCsvImporter, inputOf(Buffer.from(text)), { format: 'zeek-tsv' });
    const login = { category: 'authentication', action: 'login' };
    const alice = { user: 'alice', user_domain: 'EXAMPLE.COM' };
    const expected = [
      { ...alice, ...login, outcome: undefined, reason: 'KDC_ERR_PREAUTH_REQUIRED' },
      { ...alice, ...login, outcome: 'failure', reason: 'KDC_ERR_PREAUTH_FAILED' },
      { ...alice, ...login, outcome: 'success' },
      { user: 'http/web1', user_domain: 'EXAMPLE.COM', outcome: 'success', category: undefined },
      { user: 'bob', user_domain: undefined, outcome: undefined, category: undefined },
      { user: undefined, user_domain: 'EXAMPLE.COM', ...login, outcome: undefined },
      { user: 'bob', user_domain: 'EXAMPLE.COM', ...login, outcome: undefined },
    ];
    const shown = (rows: readonly CollectedRow[]): object[] =>
      rows.map((row, n) =>
        Object.fromEntries(Object.keys(expected[n]!).map((name) => [name, row[name]])),
      );
    expect(shown(read.rows)).toEqual(expected);
    expect(read.rows[0]!.attrs).toMatchObject({ client: 'alice/EXAMPLE.COM', success: 'F' });
    // In JSON the error may precede the answer.
    const { rows } = await readAll(
      cells.map(([type, client, service, success, error], n) => ({
        ...{ ts: n + 1.5, uid: 'C1', 'id.orig_h': '192.0.2.1', 'id.resp_h': '192.0.2.2' },
        ...(error === '-' ? {} : { error_msg: error }),
        ...(success === '-' ? {} : { success: success === 'T' }),
        ...{ request_type: type, client, service },
      })),
    );
    expect(shown(rows)).toEqual(expected);
  });

  it('Zeek: a stated path is believed, whatever the columns', async () => {
    const text =
      '#separator \\x09\n#path\tkerberos\n#fields\tts\tuid\tclient\tcipher\n1.5\tC1\tbob\taes\n';
    const { rows } = await collect(flowCsvImporter, inputOf(Buffer.from(text)), {
      format: 'zeek-tsv',
    });
    expect(rows[0]).toMatchObject({ kind: 'kerberos', event_type: 'kerberos' });
  });

  it('Suricata among others: only what has its shape', async () => {
    const { rows } = await readAll([
      {
        timestamp: '2026-11-21T00:00:01Z',
        event_type: 'alert',
        flow_id: 1,
        src_ip: '192.0.2.1',
        alert: { signature: 's' },
      },
      { timestamp: '2026-11-21T00:00:01Z', event_type: 'flow', user: 'a job of another program' },
      { timestamp: '2026-11-21T00:00:01Z', event_type: 'login', user: 'bob' },
    ]);
    expect(rows.map(({ kind }) => kind)).toEqual(['alert', 'other', 'other']);
    expect(rows[0]).toMatchObject({ message: 's' });
    expect(rows[1]!['ts']).toBe(T('2026-11-21T00:00:01Z'));
  });

  it('actions of a bulk upload are no events', async () => {
    const { rows } = await readAll([flow, flow]);
    const bulk = Buffer.from(
      `{"index":{"_index":"packets-2026","_type":"doc"}}\n${JSON.stringify(flow)}\n`.repeat(2),
    );
    const result = await collect(flowCsvImporter, inputOf(bulk), { format: 'json-lines' });
    expect(result.rows.length).toBe(rows.length);
    expect(result.skipped).toEqual({ 'Elasticsearch bulk action': 2 });
  });

  it('VLAN 0 is no VLAN', async () => {
    expect(await readOne({ ...flow, vlan_id: 0 })).not.toHaveProperty('vlan');
    expect(await readOne({ ...flow, vlan_id: 7 })).toMatchObject({ vlan: 7 });
  });
});

describe('dialects of products', () => {
  it.each<[string, object, Record<string, unknown>]>([
    [
      'ESET PROTECT: an account that an audit event names',
      {
        ...{ event_type: 'Audit_Event', source_uuid: 'u1', occured: '20-May-2026 09:14:03' },
        ...{ hostname: 'era1', domain: 'Native user', action: 'Logout', target: 'bob' },
        ...{ user: 'alice', result: 'Success' },
      },
      { user: 'alice', user_target: 'bob', action: 'Logout' },
    ],
    [
      'ESET PROTECT: a detection is no account',
      {
        ...{ event_type: 'Audit_Event', source_uuid: 'u1', occured: '20-May-2026 09:14:03' },
        ...{ hostname: 'era1', domain: 'ESET INSPECT', action: 'Resolved', target: 'u2' },
        ...{ processname: 'a.exe', rule_name: 'R1' },
      },
      { user_target: undefined, process: 'a.exe', rule: 'R1' },
    ],
    [
      'Jamf Compliance Reporter: the other end of what connects',
      {
        header: { event_id: 32, event_name: 'AUE_CONNECT', time_seconds_epoch: 1_788_000_000 },
        host_info: { host_name: 'mac1', host_uuid: 'u1' },
        socket_inet: { ip_address: '198.51.100.1', port: 443 },
        subject: {
          ...{ user_name: 'alice', effective_user_name: 'root', audit_user_name: '-1' },
          ...{ process_id: 79, process_name: '/usr/bin/a', process_hash: 'A'.repeat(40) },
          terminal_id: { ip_address: '0.0.0.0', port: 5033 },
        },
      },
      {
        ...{ ts: 1_788_000_000_000_000, host: 'mac1', user: 'alice', pid: 79 },
        ...{ dst_ip4: ip('198.51.100.1'), dst_port: 443, event_code: '32' },
        ...{ src_ip4: undefined, src_port: undefined, sha1: 'A'.repeat(40) },
      },
    ],
    [
      'Jamf Compliance Reporter: who is accepted is not its target',
      {
        header: { event_id: 33, event_name: 'AUE_ACCEPT', time_seconds_epoch: 1_788_000_000 },
        host_info: { host_name: 'mac1' },
        socket_inet: { ip_address: '198.51.100.1', port: 443 },
      },
      { dst_ip4: undefined, dst_port: undefined, host: 'mac1' },
    ],
    [
      'Check Point Harmony Endpoint: users as a list',
      {
        ...{ time: '2026-03-04T05:06:07Z', orig: '203.0.113.1', product: 'Anti-Malware' },
        ...{ client_name: 'Endpoint Client', src: '192.0.2.17', src_machine_name: 'pc1' },
        ...{ src_user_name: ['alice'], action: 'Detect', file_md5: 'b'.repeat(32) },
        product_family: 'Endpoint',
      },
      { src_ip4: ip('192.0.2.17'), user: 'alice', host: 'pc1', md5: 'b'.repeat(32) },
    ],
    [
      'Check Point Harmony Endpoint: of several users none',
      {
        ...{ time: '2026-03-04T05:06:07Z', orig: '203.0.113.1', client_name: 'C' },
        ...{ src: '192.0.2.17', src_machine_name: 'pc1', src_user_name: ['alice', 'bob'] },
        product_family: 'Endpoint',
      },
      { user: undefined, host: 'pc1' },
    ],
    [
      'Check Point: a gateway names the client that logs in to it',
      {
        ...{ time: '2026-03-04T05:06:07Z', orig: '203.0.113.1', hostname: 'gw1' },
        ...{ product: 'Identity Awareness', client_name: 'MUH', src_machine_name: 'pc1' },
        ...{ src: '192.0.2.17', src_user_name: 'alice', action: 'Log In' },
      },
      { src_ip4: ip('192.0.2.17'), user: 'alice', host: 'gw1' },
    ],
    [
      'Check Point over its API: the firewall names both sides',
      {
        ...{ time: '2026-03-04T05:06:07Z', orig: '203.0.113.1', product_family: 'Access' },
        ...{ src: '192.0.2.17', dst: '198.51.100.1', src_machine_name: 'pc1' },
      },
      { src_ip4: ip('192.0.2.17'), dst_ip4: ip('198.51.100.1'), host: undefined },
    ],
    [
      'Tetragon: what opened a socket',
      {
        process_kprobe: {
          process: { exec_id: 'e1', pid: 79, binary: '/usr/bin/curl', pod: { pid: 4 } },
          parent: { pid: 1, binary: '/bin/sh' },
          args: [
            { sock_arg: { saddr: '192.0.2.17', daddr: '198.51.100.1', sport: 40_001, dport: 80 } },
            { int_arg: 1 },
          ],
        },
        ...{ node_name: 'n1', time: '2026-03-04T05:06:07Z' },
      },
      {
        ...{ src_ip4: ip('192.0.2.17'), dst_ip4: ip('198.51.100.1'), src_port: 40_001 },
        ...{ dst_port: 80, pid: 79, process: '/usr/bin/curl', host: 'n1' },
      },
    ],
    [
      'Beelzebub: who logs in',
      {
        event: {
          ...{ DateTime: '2026-03-04T05:06:07Z', RemoteAddr: '192.0.2.17:40001' },
          ...{ Protocol: 'SSH', User: 'root', SourceIp: '192.0.2.17', SourcePort: '40001' },
        },
        ...{ level: 'info', msg: 'New Event' },
      },
      { src_ip4: ip('192.0.2.17'), src_port: 40_001, user: 'root' },
    ],
    [
      'Cisco Umbrella: the client behind the network, whose identity may be no user',
      {
        ...{ Timestamp: '2026-03-04 05:06:07', MostGranularIdentity: 'Berlin' },
        ...{ InternalIp: '192.0.2.17', ExternalIp: '198.51.100.1', Action: 'Allowed' },
        ...{ QueryType: '28 (AAAA)', ResponseCode: 'NOERROR', Domain: 'www.example.com.' },
      },
      { src_ip4: ip('192.0.2.17'), dst_ip4: undefined, user: undefined, action: 'Allowed' },
    ],
    [
      'sides of what an object calls the network',
      {
        ...{ ts: '2026-03-04T05:06:07Z', type: 'NF', proc: { pid: 5, exe: '/bin/nc' } },
        net: { sip: '192.0.2.17', sport: 42_944, dip: '198.51.100.1', dport: 80, proto: 6 },
      },
      { src_ip4: ip('192.0.2.17'), dst_ip4: ip('198.51.100.1'), src_port: 42_944, dst_port: 80 },
    ],
    [
      'who runs a process, where no one else is named',
      { '@timestamp': '2026-03-04T05:06:07Z', process: { pid: 8, user: { name: 'svc' } } },
      { user: 'svc' },
    ],
    [
      'and not before one who is',
      { user: { name: 'bob' }, '@timestamp': '2026-03-04T05:06:07Z', 'process.user.name': 'svc' },
      { user: 'bob' },
    ],
  ])('%s', async (_, record, columns) => {
    const row = await readOne(record);
    expect(Object.fromEntries(Object.keys(columns).map((name) => [name, row[name]]))).toEqual(
      columns,
    );
  });
});

it('reads what the journal writes as a list of bytes as the text that it is', async () => {
  const entry = {
    ...{ __REALTIME_TIMESTAMP: '1795212001123456', _BOOT_ID: 'b', _HOSTNAME: 'web1' },
    ...{ SYSLOG_IDENTIFIER: 'app', MESSAGE: [...Buffer.from('caf\u00e9 \u001b[31mred')] },
    ...{ OLD: [99, 97, 102, 0xe9], SAID: '[99,97]', EACH: ['a', [98, 7]] },
  };
  expect(await readOne(entry)).toMatchObject({
    ...{ message: 'caf\u00e9 \u001b[31mred', program: 'app', host: 'web1' },
    attrs: { OLD: 'caf\u00e9', SAID: '[99,97]', EACH: '["a","b\\u0007"]' },
  });
});

it('leaves lists of numbers of other records as they are', async () => {
  const row = await readOne({ timestamp: '2026-03-04T05:06:07Z', ports: [22, 80], user: 'alice' });
  expect(row).toMatchObject({ user: 'alice', attrs: { ports: '[22,80]' } });
});

it('reads the outputs of containers as Fluentd writes them', async () => {
  const row = await readOne({
    ...{ log: 'Started.\n', stream: 'stdout', '@timestamp': '2026-03-04T05:06:07Z' },
    kubernetes: { container_name: 'web', pod_name: 'web-1', host: 'node1' },
  });
  expect(row).toMatchObject({ message: 'Started.\n', host: 'node1' });
});

it.each([
  ['Login Failed', { category: 'authentication', action: 'login', outcome: 'failure' }],
  ['Login Successful', { category: 'authentication', action: 'login', outcome: 'success' }],
  ['Edit admin record', { category: undefined, outcome: undefined }],
])('an administrator in the audit log of Netskope: %s', async (event, fields) => {
  const row = await readOne({
    ...{ timestamp: 1_795_219_200, type: 'admin_audit_logs', ur_normalized: 'alice@example.com' },
    ...{ user: 'alice@example.com', audit_log_event: event, ccl: 'unknown', count: 1 },
  });
  expect(row).toMatchObject({ user: 'alice', event_type: 'admin_audit_logs' });
  const found = Object.keys(fields).map((name) => [name, row[name]]);
  expect(Object.fromEntries(found)).toEqual(fields);
});
