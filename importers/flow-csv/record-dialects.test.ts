/** Text fields in records of known products, by the names in their documentation. */
import { describe, expect, it } from 'vitest';
import { shippedDialects } from '../../engine/fields/records/dialects.ts';
import { collect, type CollectedRow, inputOf } from '../shared/testing/collect.ts';
import { isSetter } from './fields.ts';
import { flowCsvImporter } from '../registry.ts';

async function readText(text: string): Promise<CollectedRow[]> {
  const bytes = Buffer.from(text);
  const found = flowCsvImporter.sniff(bytes, { name: 'x', complete: true });
  const { rows, quarantined } = await collect(flowCsvImporter, inputOf(bytes), {
    format: found?.format ?? '',
  });
  expect(quarantined).toEqual([]);
  return rows.toSorted((a, b) => Number(a['seq']) - Number(b['seq']));
}

async function readOne(record: object): Promise<CollectedRow> {
  const line = JSON.stringify(record);
  const rows = await readText(`${line}\n${line}\n`);
  expect(rows.length).toBe(2);
  return rows[0]!;
}

const ip = (text: string): number =>
  text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

it('every field that a dialect names is one that rows can have', () => {
  for (const { id, names, set, cases } of shippedDialects())
    for (const one of [names, set, ...cases.flatMap((given) => [given.names, given.set])])
      for (const name of Object.keys(one)) expect(isSetter(name), `${id}: ${name}`).toBe(true);
});

describe('records of products', () => {
  it.each<[string, object, Record<string, unknown>]>([
    [
      'CloudTrail: the user of a role, an error, and its outcome',
      {
        eventVersion: '1.08',
        eventTime: '2026-11-21T00:00:01Z',
        eventSource: 's3.amazonaws.com',
        eventName: 'GetObject',
        awsRegion: 'eu-west-1',
        sourceIPAddress: '192.0.2.1',
        userAgent: 'tool/1',
        errorCode: 'AccessDenied',
        recipientAccountId: '111122223333',
        eventID: '11111111-2222-3333-4444-555555555555',
        userIdentity: {
          type: 'AssumedRole',
          sessionContext: { sessionIssuer: { userName: 'deployer' } },
        },
      },
      {
        ...{ user: 'deployer', outcome: 'failure', error_code: 'AccessDenied' },
        ...{ cloud_account: '111122223333', cloud_region: 'eu-west-1', action: 'GetObject' },
        ...{ src_ip4: ip('192.0.2.1'), event_type: 'GetObject', user_agent: 'tool/1' },
        event_code: undefined,
      },
    ],
    [
      'Nextcloud: the account that its text says, where the member for it says that there is none',
      {
        ...{ reqId: 'a1', level: 2, time: '2026-11-21T00:00:01+00:00', user: '--', app: 'core' },
        ...{ remoteAddr: '192.0.2.1', method: 'POST', url: '/login' },
        message: 'Login failed: bob@example.com (Remote IP: 192.0.2.1)',
      },
      { user: 'bob@example.com', src_ip4: ip('192.0.2.1'), url: '/login', http_method: 'POST' },
    ],
    [
      'Falco: the sides of a connection, and who ran what',
      {
        ...{ output: 'Connection', priority: 'Notice', rule: 'Outbound', hostname: 'node1' },
        ...{ time: '2026-11-21T00:00:01Z', source: 'syscall' },
        output_fields: { 'user.name': 'bob', 'proc.name': 'curl', 'fd.cip': '192.0.2.1' },
      },
      { user: 'bob', process: 'curl', rule: 'Outbound', host: 'node1', src_ip4: ip('192.0.2.1') },
    ],
    [
      'Azure Firewall: its name is that of the resource',
      {
        ...{ time: '2026-11-21T00:00:01Z', category: 'AZFWNetworkRule', operationName: 'n' },
        resourceId: '/SUBSCRIPTIONS/X/PROVIDERS/MICROSOFT.NETWORK/AZUREFIREWALLS/FW1',
        properties: { SourceIp: '192.0.2.1', DestinationIp: '192.0.2.2', Action: 'Deny' },
      },
      { host: 'FW1', action: 'Deny', src_ip4: ip('192.0.2.1'), dst_ip4: ip('192.0.2.2') },
    ],
    [
      'an account and its user agent: their address is that of the client',
      {
        ...{ time: '2026-11-21T00:00:01Z', email: 'alice@example.com', event: 'login' },
        ip: '192.0.2.1',
      },
      { user: 'alice@example.com', src_ip4: ip('192.0.2.1') },
    ],
    [
      'Check Point: a service is the port of its destination',
      {
        ...{ time: '1764238522', origin: '192.0.2.9', hostname: 'gw1', product: 'Firewall' },
        ...{ sequencenum: 1, src: '192.0.2.1', s_port: 40001, dst: '192.0.2.2', service: 443 },
      },
      {
        ...{ host: 'gw1', src_ip4: ip('192.0.2.1'), src_port: 40001 },
        ...{ dst_ip4: ip('192.0.2.2'), dst_port: 443 },
      },
    ],
    [
      'src and dst, and what a syslog server read of the header',
      {
        ...{ time: '2026-11-21T00:00:01Z', src: '192.0.2.1', dst: '192.0.2.2', dport: 53 },
        syslog: { hostname: 'fw1' },
      },
      { host: 'fw1', src_ip4: ip('192.0.2.1'), dst_ip4: ip('192.0.2.2'), dst_port: 53 },
    ],
    [
      'src and dst of files',
      { time: '2026-11-21T00:00:01Z', src: '/a', dst: '/b', user: 'alice' },
      { user: 'alice', src_ip4: undefined, dst_ip4: undefined },
    ],
    [
      'an account and an address beside that of the source',
      {
        ...{ time: '2026-11-21T00:00:01Z', username: 'alice', action: 'GET' },
        ...{ ipAddress: '192.0.2.2', sourceIpAddress: '192.0.2.1' },
      },
      { user: 'alice', src_ip4: ip('192.0.2.1') },
    ],
    [
      'CloudTrail without an error',
      {
        ...{ eventVersion: '1.08', eventTime: '2026-11-21T00:00:01Z', eventName: 'ListUsers' },
        ...{
          eventSource: 'iam.amazonaws.com',
          userIdentity: { type: 'IAMUser', userName: 'alice' },
        },
      },
      { user: 'alice', outcome: 'success', service_name: 'iam.amazonaws.com' },
    ],
    [
      'Microsoft 365: an address with its port, and a file that was asked for',
      {
        ...{ CreationTime: '2026-11-21T00:00:01', RecordType: 6, Workload: 'SharePoint' },
        ...{ Operation: 'FileAccessed', UserId: 'alice@example.com', ResultStatus: 'Succeeded' },
        ...{ ClientIP: '[2001:db8::1]:443', ObjectId: 'https://example.com/a.docx' },
      },
      {
        ...{ user: 'alice@example.com', user_email: 'alice@example.com', event_code: '6' },
        ...{ src_ip6: '20010db8000000000000000000000001', src_port: 443, outcome: 'success' },
        url: 'https://example.com/a.docx',
      },
    ],
    [
      'Microsoft 365: what was acted on is no URL elsewhere',
      {
        ...{ CreationTime: '2026-11-21T00:00:01', RecordType: 1, Workload: 'Exchange' },
        ...{ Operation: 'Set-Mailbox', UserId: 'NT AUTHORITY\\SYSTEM (x)', ObjectId: 'a/b' },
      },
      { user: 'NT AUTHORITY\\SYSTEM (x)', user_domain: undefined, url: undefined },
    ],
    [
      'Windows: who logged on is the target',
      {
        winlog: {
          ...{ event_id: 4624, channel: 'Security', computer_name: 'host1' },
          event_data: {
            ...{ SubjectUserName: 'HOST1$', TargetUserName: 'alice', TargetDomainName: 'EXAMPLE' },
            ...{ IpAddress: '192.0.2.1', IpPort: '50000', LogonType: '3' },
          },
          keywords: ['Audit Success'],
        },
      },
      {
        ...{ user: 'alice', user_domain: 'EXAMPLE', logon_type: '3', event_code: '4624' },
        ...{ category: 'authentication', outcome: 'success', src_port: 50_000, host: 'host1' },
      },
    ],
    [
      'Windows: who changed an account is the subject, and the account the target',
      {
        ...{ EventID: 4720, Channel: 'Security', Hostname: 'host1', EventType: 'AUDIT_SUCCESS' },
        ...{ SubjectUserName: 'admin', TargetUserName: 'alice', SubjectDomainName: 'EXAMPLE' },
      },
      {
        ...{ user: 'admin', user_target: 'alice', user_domain: 'EXAMPLE', category: 'iam' },
        ...{ outcome: 'success', event_code: '4720' },
      },
    ],
    [
      'Sysmon: an account with its domain, and hashes',
      {
        Event: {
          System: {
            EventID: 1,
            Channel: 'Microsoft-Windows-Sysmon/Operational',
            Computer: 'host1',
          },
          EventData: {
            ...{ Image: 'C:\\a.exe', CommandLine: 'a.exe -x', User: 'EXAMPLE\\alice' },
            Hashes: `MD5=${'a'.repeat(32)},SHA256=${'b'.repeat(64)}`,
          },
        },
      },
      {
        ...{ user: 'alice', user_domain: 'EXAMPLE', process: 'C:\\a.exe', command: 'a.exe -x' },
        ...{ md5: 'a'.repeat(32), sha256: 'b'.repeat(64), event_code: '1' },
        ...{ category: 'process', action: 'process-created' },
      },
    ],
    [
      'Windows: what the number of an event means, its provider decides',
      {
        ...{ EventID: 21, SourceName: 'Microsoft-Windows-TerminalServices-LocalSessionManager' },
        ...{ User: 'EXAMPLE\\alice', Address: '192.0.2.1', SessionID: 3 },
      },
      {
        ...{ user: 'alice', user_domain: 'EXAMPLE', src_ip4: ip('192.0.2.1'), event_code: '21' },
        ...{ category: 'session', action: 'session-logged-in' },
      },
    ],
    [
      'Google Workspace: what was done is in a list of events, and the record is one event',
      {
        kind: 'admin#reports#activity',
        id: { time: '2026-11-21T00:00:01Z', applicationName: 'login' },
        actor: { email: 'alice@example.com' },
        ipAddress: '192.0.2.1',
        events: [{ type: 'login', name: 'login_failure' }],
      },
      {
        ...{ user: 'alice', user_domain: 'example.com', user_email: 'alice@example.com' },
        ...{ event_type: 'login_failure', src_ip4: ip('192.0.2.1') },
      },
    ],
    [
      'Google Workspace: a device of Chrome is in a list of names and values',
      {
        id: { time: '2026-11-21T00:00:01Z', applicationName: 'chrome' },
        actor: { callerType: 'KEY' },
        events: [
          {
            name: 'CHROME_OS_ADD_USER',
            parameters: [
              { name: 'EVENT_REASON', value: 'added' },
              { name: 'DEVICE_NAME', value: 'chromebook-7' },
              { name: 'DEVICE_USER', value: 'bob' },
            ],
          },
        ],
      },
      { host: 'chromebook-7', user: 'bob', event_type: 'CHROME_OS_ADD_USER' },
    ],
    [
      'a record that another wraps: its names mean what they mean on their own',
      { time: '2026-11-21T00:00:01Z', data: { ip_address: '192.0.2.1', status: 'x' } },
      { src_ip4: ip('192.0.2.1'), http_status: undefined },
    ],
    [
      'a container whose program writes JSON',
      {
        ...{ stream: 'stdout', time: '2026-11-21T00:00:01Z' },
        log: '{"client_ip":"192.0.2.1","user_name":"alice","msg":"login"}\n',
      },
      { src_ip4: ip('192.0.2.1'), user: 'alice' },
    ],
    [
      'Okta',
      {
        ...{ published: '2026-11-21T00:00:01Z', eventType: 'user.session.start', uuid: 'u1' },
        actor: { id: 'a1', alternateId: 'alice@example.com', displayName: 'Alice' },
        client: { ipAddress: '192.0.2.1' },
        outcome: { result: 'FAILURE', reason: 'INVALID_CREDENTIALS' },
      },
      {
        user: 'alice@example.com',
        user_id: 'a1',
        outcome: 'failure',
        reason: 'INVALID_CREDENTIALS',
      },
    ],
    [
      'Confluence: the login is a parameter of the address of the author',
      {
        timestamp: '2026-11-21T00:00:01Z',
        author: { name: 'Alice Example', uri: 'http://host1/viewuser.action?username=alice' },
        type: { action: 'Space created' },
        source: '192.0.2.1',
      },
      { user: 'alice', src_ip4: ip('192.0.2.1'), action: 'Space created' },
    ],
    [
      'Kubernetes',
      {
        ...{ kind: 'Event', auditID: 'a', verb: 'get', requestURI: '/api', stage: 'x' },
        ...{ stageTimestamp: '2026-11-21T00:00:01Z', sourceIPs: ['192.0.2.1'] },
        user: { username: 'system:node:host1' },
        responseStatus: { code: 403 },
      },
      { user: 'system:node:host1', url: '/api', http_status: '403' },
    ],
    [
      'Defender: an inbound connection begins at the other side',
      {
        ...{ time: '2026-11-21T00:00:01Z', tenantId: 't', category: 'AdvancedHunting-x' },
        properties: {
          ...{ DeviceId: 'd', DeviceName: 'host1', ActionType: 'InboundConnectionAccepted' },
          ...{ LocalIP: '192.0.2.1', LocalPort: 22, RemoteIP: '198.51.100.1', RemotePort: 50_000 },
          AccountName: 'alice',
        },
      },
      {
        ...{ src_ip4: ip('198.51.100.1'), src_port: 50_000, dst_ip4: ip('192.0.2.1') },
        ...{ dst_port: 22, user: 'alice', host: 'host1' },
      },
    ],
    [
      'ECS, whatever wrote it',
      {
        '@timestamp': '2026-11-21T00:00:01Z',
        event: { code: '7', outcome: 'success', action: 'logon' },
        user: { name: 'alice', domain: 'EXAMPLE', email: 'alice@example.com' },
        file: { hash: { sha256: 'c'.repeat(64) } },
        http: { request: { method: 'GET' }, response: { status_code: 200 } },
        url: { original: '/x' },
        cloud: { account: { id: '1' }, region: 'r' },
      },
      {
        ...{ user: 'alice', user_domain: 'EXAMPLE', user_email: 'alice@example.com' },
        ...{ event_code: '7', outcome: 'success', http_method: 'GET', http_status: '200' },
        ...{ url: '/x', sha256: 'c'.repeat(64), cloud_account: '1', cloud_region: 'r' },
      },
    ],
    [
      'OCSF, whatever wrote it',
      {
        time: 1_795_219_201_000,
        actor: { user: { name: 'alice', uid: 'u1' } },
        src_endpoint: { ip: '192.0.2.1' },
        http_request: { url: { url_string: '/x' }, http_method: 'GET' },
      },
      { user: 'alice', user_id: 'u1', url: '/x', http_method: 'GET', src_ip4: ip('192.0.2.1') },
    ],
  ])('%s', async (_, record, expected) => {
    const row = await readOne(record);
    for (const [name, value] of Object.entries(expected)) expect(row[name], name).toBe(value);
  });
});

describe('the status of an answer', () => {
  it.each([
    ['200 OK', '200'],
    ['404 not found', '404'],
    ['HTTP/1.1 503 Slow Down', '503'],
    [204, '204'],
    ['200 items', undefined],
    ['2000', undefined],
  ])('of %s', async (http_status, code) => {
    const record = { time: '2026-11-21T00:00:01Z', http_status };
    const row = await readOne(record);
    expect(row['http_status']).toBe(code);
    // Anything more than a code stays as written.
    expect(row.attrs['http_status']).toBe(
      String(http_status) === code ? undefined : String(http_status),
    );
    const lines = Buffer.from(`${JSON.stringify(record)}\n`.repeat(2));
    const shown = await flowCsvImporter.outline!(inputOf(lines), {
      ...{ format: 'json-lines', mapping: undefined },
    });
    expect(shown?.mapping['http_status']).toBe(code === undefined ? undefined : 'http_status');
  });
});

describe('values that are none of a field', () => {
  it.each<[string, object, string]>([
    ['a word is no status of HTTP', { status: 'open' }, 'http_status'],
    ['a way to log in is no method of HTTP', { method: 'Browser' }, 'http_method'],
    [
      'an identifier of the event is no code',
      { eventId: '11111111-2222-3333-4444-555555555555' },
      'event_code',
    ],
    ['a list has no one user', { user: ['alice', 'bob'] }, 'user'],
    ['a mark stands for nothing', { username: '-' }, 'user'],
    ['an outcome is success or failure', { result: 'maybe' }, 'outcome'],
  ])('%s', async (_, record, field) => {
    const row = await readOne({ time: '2026-11-21T00:00:01Z', ...record });
    expect(row[field]).toBeUndefined();
    expect(Object.keys(row.attrs)).toEqual(Object.keys(record));
  });
});

it('a member keeps its own name beside the field, unless both are called alike', async () => {
  const row = await readOne({ time: '2026-11-21T00:00:01Z', userName: 'alice', url: '/x' });
  expect(row).toMatchObject({ user: 'alice', url: '/x', attrs: { userName: 'alice' } });
  expect(row.attrs).not.toHaveProperty('url');
});

describe('records that are wrapped', () => {
  it('in a column of a table', async () => {
    const audit = JSON.stringify({
      ...{ CreationTime: '2026-11-21T00:00:01', RecordType: 15, Workload: 'AzureActiveDirectory' },
      ...{ UserId: 'alice@example.com', ClientIP: '192.0.2.1' },
    });
    const cell = `"${audit.replaceAll('"', '""')}"`;
    const [row] = await readText(
      `CreationDate,UserIds,RecordType,AuditData\n"11/21/2026 1:00:00 AM",alice,Entra,${cell}\n` +
        `"11/21/2026 1:00:00 AM",alice,Entra,${cell}\n`,
    );
    expect(row).toMatchObject({
      ...{ user: 'alice@example.com', src_ip4: ip('192.0.2.1'), event_code: '15' },
      ts: Date.parse('2026-11-21T00:00:01Z') * 1000,
    });
    expect(row?.attrs).toMatchObject({ RecordType: 'Entra', 'AuditData.RecordType': '15' });
  });

  it('in a column of a table, whose other times ask for no order of dates', async () => {
    const readAudit = async (CreationTime: string) => {
      const record = { CreationTime, RecordType: 15, Workload: 'Exchange', Operation: 'Send' };
      const audit = JSON.stringify({ ...record, UserId: 'alice' });
      const rows = ['11/3/2026', '11/13/2026'].map(
        (date) => `"${date} 1:00:00 AM","${audit.replaceAll('"', '""')}"\n`,
      );
      const bytes = Buffer.from(`CreationDate,AuditData\n${rows.join('')}`);
      return collect(flowCsvImporter, inputOf(bytes), { format: 'table' });
    };
    const stated = await readAudit('2026-11-03T01:00:01');
    expect(stated.notes).toEqual([]);
    expect(stated.decisions).not.toHaveProperty('dateOrder');
    // If the record states no other, that time is the event's, and its order is determined.
    const others = await readAudit('');
    expect(others.rows.map((row) => row['ts'])).toEqual(
      [3, 13].map((day) => Date.UTC(2026, 10, day, 1) * 1000),
    );
    expect(others.decisions).toMatchObject({ dateOrder: 'mdy' });
  });

  it("in an export of Splunk's", async () => {
    const inner = {
      ...{ ts: 1_795_219_201.5, uid: 'C1', 'id.orig_h': '192.0.2.1' },
      ...{ method: 'GET' },
    };
    const raw = { ...inner, host: 'example.com', uri: '/x', status_code: 200, trans_depth: 1 };
    const row = await readOne({
      preview: false,
      result: {
        ...{ _raw: JSON.stringify({ ...raw, response_body_len: 1 }), sourcetype: 'bro:http' },
        host: 'sensor1',
      },
    });
    expect(row).toMatchObject({ http_method: 'GET', url: '/x', src_ip4: ip('192.0.2.1') });
    expect(row['host']).toBe('sensor1');
  });
});

it('tables of EvtxECmd say who logged in, from where, and whether it worked', async () => {
  const heading =
    'RecordNumber,EventRecordId,TimeCreated,EventId,Provider,Channel,Computer,ChunkNumber,MapDescription,UserName,RemoteHost,PayloadData1,Keywords\n';
  const logon = (number: number, code: number, rest: string): string =>
    `${number},${number},2026-11-21 00:00:01.0000000,${code},Microsoft-Windows-Security-Auditing,Security,host1,0,Logon,${rest}\n`;
  const rows = await readText(
    heading +
      logon(1, 4625, '-\\-,PC9 (192.0.2.17),Target: EXAMPLE\\alice,Audit failure') +
      logon(2, 4624, 'EXAMPLE\\HOST1$,- (192.0.2.18),Target: EXAMPLE\\bob,Audit success') +
      logon(3, 4720, 'EXAMPLE\\carol,,Target: EXAMPLE\\eve,Audit success'),
  );
  const login = { category: 'authentication', user_domain: 'EXAMPLE' };
  expect(rows).toMatchObject([
    { ...login, user: 'alice', src_ip4: 0xc0000211, src_domain: 'PC9', outcome: 'failure' },
    { ...login, user: 'bob', src_ip4: 0xc0000212, outcome: 'success' },
    { user: 'carol', user_domain: 'EXAMPLE', outcome: 'success' },
  ]);
  expect(rows[1]).not.toHaveProperty('src_domain');
});

it('separates address and port in tables of EvtxECmd about tickets', async () => {
  const heading =
    'RecordNumber,EventRecordId,TimeCreated,EventId,Provider,Channel,Computer,ChunkNumber,MapDescription,UserName,RemoteHost,PayloadData1\n';
  const ticket = (code: number, rest: string): string =>
    `1,1,2026-11-21 00:00:01.0000000,${code},Microsoft-Windows-Security-Auditing,Security,host1,0,Ticket,,${rest}\n`;
  const rows = await readText(
    heading +
      ticket(4769, '192.0.2.17:40112,Target: EXAMPLE\\alice') +
      ticket(4771, '::ffff:192.0.2.17:40112,Target: alice (S-1-5-21-1-2-3-1001)') +
      ticket(4768, '::1:0,Target: EXAMPLE\\alice') +
      ticket(4768, '2001:db8::17:40112,Target: EXAMPLE\\alice') +
      ticket(4768, '::1,Target: EXAMPLE\\alice') +
      ticket(4768, '-:-,Target: EXAMPLE\\alice'),
  );
  const client = { user: 'alice', src_ip4: 0xc0000211, src_port: 40_112 };
  expect(rows.slice(0, 2)).toMatchObject([client, { ...client, user_id: 'S-1-5-21-1-2-3-1001' }]);
  for (const row of rows) expect(row).not.toHaveProperty('src_domain');
  // It is ambiguous where the address ends and the port begins.
  for (const i of [2, 3, 5]) expect(rows[i]).not.toHaveProperty('src_ip6');
  expect(rows[4]).toHaveProperty('src_ip6');
});

it("the portal's table of sign-ins to Entra ID says who, from where, and whether it worked", async () => {
  const rows = await readText(
    'Date (UTC),Request ID,User,Username,Application,IP address,Status,Sign-in error code,Failure reason\n' +
      '2026-11-21T00:00:01Z,r1,Alice,alice@example.com,Office,192.0.2.17,Failure,50126,Invalid password\n' +
      '2026-11-21T00:00:02Z,r2,Alice,alice@example.com,Office,192.0.2.17,Success,0,Other.\n',
  );
  const login = { category: 'authentication', user: 'alice', src_ip4: 0xc0000211 };
  expect(rows).toMatchObject([
    { ...login, outcome: 'failure', error_code: '50126', reason: 'Invalid password' },
    { ...login, outcome: 'success' },
  ]);
});

it('events of Windows in tables of Get-WinEvent have their host, provider and number', async () => {
  const [row] = await readText(
    '"TimeCreated","Id","LevelDisplayName","ProviderName","MachineName","Message"\n' +
      '"11/21/2026 1:00:00 PM","7045","Information","Service Control Manager","host1","A service was installed"\n' +
      '"11/21/2026 1:00:01 PM","7036","Information","Service Control Manager","host1","x"\n',
  );
  expect(row).toMatchObject({ host: 'host1', program: 'Service Control Manager' });
  expect(row).toMatchObject({ event_code: '7045', message: 'A service was installed' });
});

it.each([
  ['0x8010000000000000', 'failure'],
  ['0x8020000000000000', 'success'],
])('an event of evtx_dump with the keywords %s is a %s', async (keywords, outcome) => {
  const system = { EventID: 4776, Channel: 'Security', Computer: 'host1', Keywords: keywords };
  const [row] = await readText(`${JSON.stringify({ Event: { System: system } })}\n`);
  expect(row).toMatchObject({ event_code: '4776', outcome });
});

it('columns of tables mean what a dialect says', async () => {
  const [row] = await readText(
    'RecordNumber,EventRecordId,TimeCreated,EventId,Provider,Channel,Computer,MapDescription,UserName\n' +
      '1,1,2026-11-21 00:00:01.0000000,4624,P,Security,host1,Logon,EXAMPLE\\alice\n' +
      '2,2,2026-11-21 00:00:02.0000000,4625,P,Security,host1,Logon,EXAMPLE\\bob\n',
  );
  expect(row).toMatchObject({ event_code: '4624', host: 'host1', user: 'alice' });
  expect(row).toMatchObject({ user_domain: 'EXAMPLE' });
});
