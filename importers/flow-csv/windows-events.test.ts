/** Windows events whose meaning depends on who wrote them, and those whose values have no names. */
import { describe, expect, it } from 'vitest';
import { collect, inputOf } from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';

const TIME = '2026-11-21T00:00:01Z';
const CLIENT = 0xc0000211;
const FAILED = { action: 'login', outcome: 'failure', category: 'authentication' };

type Fields = Record<string, unknown>;

/** As evtx_dump writes an event. */
const event = (
  [provider, code]: readonly [string, number],
  data: object,
  channel = 'Application',
): object => ({
  Event: {
    System: {
      ...{ Provider: { '#attributes': { Name: provider } }, EventID: code, Channel: channel },
      TimeCreated: { '#attributes': { SystemTime: TIME } },
    },
    EventData: data,
  },
});
const unnamed = (...values: string[]): object => ({ Data: { '#text': values } });

function fieldsOf(record: object): Promise<Fields> {
  const line = JSON.stringify(record);
  return fieldsIn(`${line}\n${line}\n`);
}

/** Of the first record. */
async function fieldsIn(text: string): Promise<Fields> {
  const bytes = Buffer.from(text);
  const found = flowCsvImporter.sniff(bytes, { name: 'x', complete: true });
  const { rows } = await collect(flowCsvImporter, inputOf(bytes), { format: found?.format ?? '' });
  return rows[0] ?? {};
}

it.each<[string, object, Fields]>([
  [
    'SQL Server: a login that failed',
    event(
      ['MSSQL$PAYROLL', 18456],
      unnamed('sa', ' Reason: A bad password.', ' [CLIENT: 192.0.2.17]'),
    ),
    { user: 'sa', src_ip4: CLIENT, reason: 'A bad password.', event_code: '18456', ...FAILED },
  ],
  [
    'SQL Server: an account that is disabled',
    event(['MSSQLSERVER', 18470], unnamed('carol', ' [CLIENT: 192.0.2.17]')),
    { user: 'carol', src_ip4: CLIENT, ...FAILED },
  ],
  [
    'SQL Server: another event with such values',
    event(['MSSQLSERVER', 307], unnamed('sa', ' [CLIENT: 192.0.2.17]')),
    { user: undefined, src_ip4: undefined, event_code: '307' },
  ],
  [
    'Remote Access: a login that failed',
    event(
      ['RemoteAccess', 20271],
      unnamed('{NA}', 'EXAMPLE\\bob', '192.0.2.17', 'Not recognized.', '0x10'),
    ),
    { user: 'bob', user_domain: 'EXAMPLE', src_ip4: CLIENT, reason: 'Not recognized.', ...FAILED },
  ],
  [
    'AD FS: a login that failed',
    event(
      ['AD FS Auditing', 1203],
      unnamed(
        '{1}',
        '<AuditBase><UserId>EXAMPLE\\bob</UserId>\n<IpAddress>192.0.2.17</IpAddress>\n</AuditBase>',
      ),
      'Security',
    ),
    { user: 'bob', user_domain: 'EXAMPLE', src_ip4: CLIENT, ...FAILED },
  ],
  [
    'AD FS: a login without an address',
    event(
      ['AD FS Auditing', 1200],
      unnamed('{1}', '<AuditBase><UserId>bob</UserId>\n<IpAddress>N/A</IpAddress></AuditBase>'),
      'Security',
    ),
    { user: 'bob', src_ip4: undefined, action: 'login', outcome: 'success' },
  ],
  [
    'AD FS: a token that failed, by way of a proxy',
    event(
      ['AD FS Auditing', 411],
      unnamed(
        ...['{1}', 'http://example.com/UserName', '192.0.2.17,198.51.100.3'],
        'bob@example.com-The user name or password is incorrect',
      ),
      'Security',
    ),
    { user: 'bob', src_ip4: CLIENT, ...FAILED },
  ],
  [
    'PowerShell: a pipeline',
    event(
      ['PowerShell', 800],
      unnamed(
        'Get-Item x',
        '\tDetailTotal=1\r\n\r\n\tUserId=EXAMPLE\\bob\r\n\tHostApplication=powershell -nop\r\n\tEngineVersion=5.1\r\n',
      ),
    ),
    { user: 'bob', user_domain: 'EXAMPLE', command: 'powershell -nop', category: 'process' },
  ],
  [
    'PowerShell: a command of several lines',
    event(
      ['PowerShell', 400],
      unnamed('Available', 'None', '\tHostApplication=powershell a\n b\n\tEngineVersion=5.1\n'),
    ),
    { command: 'powershell a\n b', user: undefined },
  ],
  [
    'an error of a program',
    event(['Application Error', 1000], unnamed(...'abcdefghij', 'C:\\Temp\\a.exe')),
    { process: 'C:\\Temp\\a.exe' },
  ],
  [
    'RDP: a password that was guessed wrongly',
    event(
      ['Microsoft-Windows-RemoteDesktopServices-RdpCoreTS', 140],
      { IPString: '192.0.2.17' },
      'Microsoft-Windows-RemoteDesktopServices-RdpCoreTS/Operational',
    ),
    { src_ip4: CLIENT, ...FAILED },
  ],
  [
    'SMB: a login that failed',
    event(['Microsoft-Windows-SMBServer', 551], {
      ...{ ClientName: '\\\\192.0.2.17', UserName: 'EXAMPLE\\bob', Status: '0xc000006d' },
    }),
    { src_ip4: CLIENT, user: 'bob', src_domain: undefined, ...FAILED },
  ],
  [
    'OpenSSH: what it says to syslog elsewhere',
    event(['OpenSSH', 4], {
      ...{ process: 'sshd', payload: 'Failed password for bob from 192.0.2.17 port 4022 ssh2' },
    }),
    { program: 'sshd', message: 'Failed password for bob from 192.0.2.17 port 4022 ssh2' },
  ],
  [
    'a failed login whose export has no outcome',
    event(['Microsoft-Windows-Security-Auditing', 4625], { TargetUserName: 'bob' }, 'Security'),
    { user: 'bob', ...FAILED },
  ],
  [
    'a failed login whose export has no provider',
    { EventID: 4625, Channel: 'Security', '@timestamp': TIME, TargetUserName: 'bob' },
    { user: 'bob', ...FAILED },
  ],
  [
    'a command and names that begin with a bracket',
    event(
      ['Microsoft-Windows-Security-Auditing', 4688],
      {
        SubjectUserName: '[root',
        CommandLine: `[Net.WebRequest]::Create("x"); & { ${'a'.repeat(300)} }`,
        ParentProcessName: '{x',
      },
      'Security',
    ),
    {
      user: '[root',
      command: `[Net.WebRequest]::Create("x"); & { ${'a'.repeat(300)} }`,
      parent_process: '{x',
    },
  ],
  [
    'a command in brackets',
    event(
      ['Microsoft-Windows-Security-Auditing', 4688],
      { SubjectUserName: '[redacted]', CommandLine: '{ Get-Item "x" }' },
      'Security',
    ),
    { user: undefined, command: '{ Get-Item "x" }' },
  ],
  [
    'no list or object, whole or cut off',
    event(
      ['Microsoft-Windows-Security-Auditing', 4688],
      {
        SubjectUserName: '["root',
        CommandLine: '{"a":[1]}',
        ParentProcessName: "['a'",
      },
      'Security',
    ),
    { user: undefined, command: undefined, parent_process: undefined },
  ],
  [
    'a connection of a client of RDP, with the number of a log that was cleared',
    event(
      ['Microsoft-Windows-TerminalServices-ClientActiveXCore', 1102],
      { Value: '192.0.2.17' },
      'Microsoft-Windows-TerminalServices-RDPClient/Operational',
    ),
    { action: undefined, category: undefined, event_code: '1102' },
  ],
])('%s', async (_, record, expected) => {
  const row = await fieldsOf(record);
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, row[name]]))).toEqual(
    expected,
  );
});

describe('what Event Viewer saves: the message has no name in the heading', () => {
  const FAILED_LOGIN = [
    ...['An account failed to log on.', '', 'Subject:', '\tSecurity ID:\t\tNULL SID'],
    ...['\tAccount Name:\t\t-', '\tAccount Domain:\t\t-', '\tLogon ID:\t\t0x0', ''],
    ...['Logon Type:\t\t\t3', '', 'Account For Which Logon Failed:', '\tSecurity ID:\t\tNULL SID'],
    ...['\tAccount Name:\t\tbob', '\tAccount Domain:\t\tEXAMPLE', '', 'Network Information:'],
    ...[
      '\tWorkstation Name:\tWS1',
      '\tSource Network Address:\t192.0.2.17',
      '\tSource Port:\t\t4022',
    ],
    ...['', ...Array.from({ length: 30 }, () => 'This event is generated when a logon fails.')],
  ].join('\r\n');

  async function read(heading: readonly string[], rows: readonly (readonly string[])[], by = ',') {
    const quoted = (cell: string): string =>
      /["\r\n]/.test(cell) || cell.includes(by) ? `"${cell.replaceAll('"', '""')}"` : cell;
    const lines = [heading, ...rows].map((cells) => cells.map(quoted).join(by));
    const bytes = Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`);
    const found = flowCsvImporter.sniff(bytes, { name: 'x', complete: true });
    const result = await collect(flowCsvImporter, inputOf(bytes), { format: found?.format ?? '' });
    expect(result.quarantined).toEqual([]);
    return result.rows;
  }

  it.each([',', '\t'])('in English, divided by %j', async (by) => {
    const rows = await read(
      ['Keywords', 'Date and Time', 'Source', 'Event ID', 'Task Category'],
      [
        [
          ...['Audit Failure', '11/21/2026 1:00:01 PM', 'Microsoft-Windows-Security-Auditing'],
          ...['4625', 'Logon', FAILED_LOGIN],
        ],
        [
          ...['Audit Success', '11/21/2026 1:00:00 PM', 'Microsoft-Windows-Security-Auditing'],
          ...['4672', 'Special Logon', 'Special privileges assigned to new logon.'],
        ],
        ['Information', '11/21/2026 12:59:59 PM', 'ESENT', '326', 'General', 'It said "a, b".'],
      ],
      by,
    );
    expect(rows).toMatchObject([
      {
        ...{ program: 'Microsoft-Windows-Security-Auditing', event_code: '4625', ...FAILED },
        message: FAILED_LOGIN.replaceAll('\r\n', '\n'),
        attrs: { Keywords: 'Audit Failure', 'Task Category': 'Logon' },
      },
      { event_code: '4672', outcome: 'success', category: 'authentication' },
      { program: 'ESENT', event_code: '326', message: 'It said "a, b".' },
    ]);
    expect(rows[0]!['ts']).toBe(Date.parse('2026-11-21T13:00:01Z') * 1000);
  });

  const NAMES = ['Nr', 'timestamp', 'src_ip', 'src_port', 'action'];
  it.each([
    ['a comma at the end of each row', NAMES, ['1', '192.0.2.1', '443', 'allow', '']],
    [
      'the same, with other names',
      ['Level', 'Date and Time', 'src_ip', 'src_port', 'action'],
      ['Info', '192.0.2.1', '443', 'allow', ''],
    ],
    ['a text of several lines at the end', NAMES, ['1', '192.0.2.1', '443', 'a, b, c\r\nd']],
    [
      'the same, with other names',
      ['Level', 'Date and Time', 'src_ip', 'src_port', 'action'],
      ['Info', '192.0.2.1', '443', 'a, b, c\r\nd'],
    ],
  ])('is no other table of five columns: %s', async (_, names, [first, ...others]) => {
    const rows = await read(
      names,
      [1, 2].map((n) => [first!, `2026-11-21 10:00:0${n}`, ...others]),
    );
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(row).toMatchObject({ src_ip4: 0xc0000201, src_port: 443 });
      expect(row).not.toHaveProperty('program');
      expect(row).not.toHaveProperty('event_code');
    }
  });

  it('in German', async () => {
    const rows = await read(
      ['Ebene', 'Datum und Uhrzeit', 'Quelle', 'Ereignis-ID', 'Aufgabenkategorie'],
      [
        [
          ...['Informationen', '21.11.2026 13:00:01', 'Service Control Manager', '7036', 'Keine'],
          'Dienst "Druck" befindet sich jetzt im Status "Beendet".',
        ],
      ],
    );
    expect(rows).toMatchObject([
      {
        ...{ program: 'Service Control Manager', event_code: '7036' },
        message: 'Dienst "Druck" befindet sich jetzt im Status "Beendet".',
        attrs: { Ebene: 'Informationen', 'Task Category': 'Keine' },
      },
    ]);
  });
});

it.each([
  ['Critical', 2],
  ['Error', 3],
  ['Warning', 4],
  ['Information', 6],
  ['Verbose', 7],
  ['4', 6],
  ['0', undefined],
  ['constructor', undefined],
])('the level %s is the severity %s', async (level, severity) => {
  const record = { EventID: 7031, Channel: 'System', TimeCreated: TIME, Level: level };
  expect((await fieldsOf(record))['severity']).toBe(severity);
});

it.each([
  ['Fehler', '2', 3],
  ['Error', '2', 3],
  ['Information', '0', 6],
  ['Informationen', '0', undefined],
])('the level is %s, in its language, and %s', async (LevelDisplayName, Level, severity) => {
  const record = { EventID: 7031, Channel: 'System', TimeCreated: TIME, LevelDisplayName, Level };
  const [names, cells] = [Object.keys(record), Object.values(record)].map((row) => row.join(','));
  const rows = [await fieldsOf(record), await fieldsIn(`${names!}\n${cells!}\n${cells!}\n`)];
  expect(rows.map((row) => row['severity'])).toEqual([severity, severity]);
});
