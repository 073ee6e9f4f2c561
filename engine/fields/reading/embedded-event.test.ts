/** Windows events in XML as messages: the fields of the same event in an event log. */
import { expect, it } from 'vitest';
import { EventBatch } from '../../columns/event-batch.ts';
import { Cutter } from '../cutting/cutter.ts';
import { cutFields } from '../cutting/cut-fields.ts';
import { shippedExtractors } from '../cutting/extractors.ts';
import { readEventXml } from './event-xml.ts';

const all = new Cutter(shippedExtractors());
const SECURITY = 'Microsoft-Windows-Security-Auditing';

const event = (provider: string, code: number, rest: string): string =>
  `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='${provider}' Guid='{1}'/>` +
  `<EventID Qualifiers="0">${code}</EventID><Channel>x</Channel><Computer>pc1.example.org</Computer><Security/></System>${rest}</Event>`;
const named = (members: Record<string, string>): string =>
  `<EventData>${Object.entries(members)
    .map(([name, value]) => `<Data Name='${name}'>${value}</Data>`)
    .join('')}</EventData>`;
const MARK = { host: 'pc1.example.org', extractor: 'windows-xml/11' };

it.each<[string, string, Record<string, string>]>([
  [
    'a login',
    event(
      SECURITY,
      4624,
      named({
        ...{ SubjectUserName: 'PC1$', TargetUserName: 'alice', TargetDomainName: 'EXAMPLE' },
        ...{ LogonType: '3', IpAddress: '192.0.2.17', IpPort: '40112', WorkstationName: '-' },
      }),
    ),
    {
      ...{ user: 'alice', user_domain: 'EXAMPLE', user_target: 'alice', src_ip: '192.0.2.17' },
      ...{ src_port: '40112', logon_type: '3', event_code: '4624', action: 'login' },
      ...{ category: 'authentication', outcome: 'success', ...MARK },
    },
  ],
  [
    'Kerberos, of the account that it is about',
    event(
      SECURITY,
      4771,
      named({ TargetUserName: 'bob', Status: '0x18', IpAddress: '::ffff:192.0.2.17' }),
    ),
    {
      ...{ user: 'bob', user_target: 'bob', src_ip: '192.0.2.17', error_code: '0x18' },
      ...{ action: 'kerberos-preauth-failed', category: 'authentication', outcome: 'failure' },
      ...{ event_code: '4771', ...MARK },
    },
  ],
  [
    'values without names',
    event(
      'MSSQLSERVER',
      18456,
      '<EventData><Data>sa</Data><Data> Reason: A &quot;bad&quot; password.</Data><Data> [CLIENT: 192.0.2.17]</Data></EventData>',
    ),
    {
      ...{ user: 'sa', src_ip: '192.0.2.17', reason: 'A "bad" password.', event_code: '18456' },
      ...{ action: 'login', category: 'authentication', outcome: 'failure', ...MARK },
    },
  ],
  [
    'the structure of UserData, in a namespace',
    event(
      'Microsoft-Windows-TerminalServices-LocalSessionManager',
      21,
      "<UserData><EventXML xmlns='Event_NS'><x:User>EXAMPLE\\bob</x:User><Address>192.0.2.17</Address></EventXML></UserData>",
    ),
    {
      ...{ user: 'bob', user_domain: 'EXAMPLE', src_ip: '192.0.2.17', event_code: '21' },
      ...{ action: 'session-logged-in', category: 'session', ...MARK },
    },
  ],
  [
    'after a declaration, over several lines, with `>` in a value',
    `<?xml version="1.0"?>\r\n${event(SECURITY, 4688, named({ SubjectUserName: 'alice', CommandLine: 'a > b' })).replaceAll('><', '>\n  <')}`,
    {
      ...{ user: 'alice', command: 'a > b', event_code: '4688', action: 'created-process' },
      ...{ category: 'process', ...MARK },
    },
  ],
  [
    'what is whole of one that is cut off',
    event(SECURITY, 4625, named({ TargetUserName: 'bob', IpAddress: '192.0.2.17' })).split(
      '.17',
    )[0]!,
    {
      ...{ user: 'bob', user_target: 'bob', event_code: '4625', action: 'login' },
      ...{ category: 'authentication', outcome: 'failure', ...MARK },
    },
  ],
  [
    'the first of two',
    event(SECURITY, 4625, named({ TargetUserName: 'bob' })) +
      event(SECURITY, 4624, named({ TargetUserName: 'eve', IpAddress: '192.0.2.17' })),
    {
      ...{ user: 'bob', user_target: 'bob', event_code: '4625', action: 'login' },
      ...{ category: 'authentication', outcome: 'failure', ...MARK },
    },
  ],
  [
    'sections of CDATA after a comment, with quotes and marks in them',
    event(
      SECURITY,
      4688,
      "<!-- it's <Data Name='SubjectUserName'>eve</Data> --><EventData><Data Name='SubjectUserName'><![CDATA[alice]]></Data><Data Name='CommandLine'><![CDATA[it's <b> &amp; c]]></Data></EventData>",
    ),
    {
      ...{ user: 'alice', command: "it's <b> &amp; c", event_code: '4688' },
      ...{ action: 'created-process', category: 'process', ...MARK },
    },
  ],
  [
    'texts without comments in them, and sections of CDATA in several parts',
    event(
      SECURITY,
      4688,
      "<EventData><Data Name='SubjectUserName'>al<!-- x -->ice</Data><Data Name='CommandLine'>a &amp; <![CDATA[b]]]]><![CDATA[>c]]></Data></EventData>",
    ),
    {
      ...{ user: 'alice', command: 'a & b]]>c', event_code: '4688' },
      ...{ action: 'created-process', category: 'process', ...MARK },
    },
  ],
  [
    'no address out of a value that looks like a list before the end of its line',
    event(
      'MSSQLSERVER',
      18456,
      '<EventData><Data>["sa","x"," [CLIENT: 192.0.2.17]"]\n</Data></EventData>',
    ),
    {
      ...{ event_code: '18456', action: 'login', category: 'authentication' },
      ...{ outcome: 'failure', ...MARK },
    },
  ],
  [
    'no user out of a name that looks like a list',
    event(SECURITY, 4625, named({ TargetUserName: '["root"]' })),
    {
      ...{ event_code: '4625', action: 'login', category: 'authentication' },
      ...{ outcome: 'failure', ...MARK },
    },
  ],
  [
    'a command that begins with a bracket, and is as long as commands are',
    event(
      SECURITY,
      4688,
      named({ SubjectUserName: 'alice', CommandLine: `[Net.X]::Y; [${'a'.repeat(300)}]` }),
    ),
    {
      ...{ user: 'alice', command: `[Net.X]::Y; [${'a'.repeat(300)}]`, event_code: '4688' },
      ...{ action: 'created-process', category: 'process', ...MARK },
    },
  ],
  [
    'no address out of a value that looks like a list',
    event(
      'MSSQLSERVER',
      18456,
      '<EventData><Data>["sa","x"," [CLIENT: 192.0.2.17]"]</Data></EventData>',
    ),
    {
      ...{ event_code: '18456', action: 'login', category: 'authentication' },
      ...{ outcome: 'failure', ...MARK },
    },
  ],
])('cuts %s', (_, message, fields) => {
  expect(cutFields(all, '', message)).toEqual(fields);
});

it.each([
  '<Events><a/></Events>',
  '<Event><System><Computer>a</Computer></System></Event>',
  '<EventData>1</EventData>',
  '<Event',
])('leaves %s as it is', (message) => {
  expect(cutFields(all, '', message)).toEqual({});
});

it('names members of the data apart from those of System, and repeated ones as a list', () => {
  const text = event('x', 1, named({ EventID: '7', Empty: '' }));
  const bytes = new TextEncoder().encode(
    text.replace('</EventData>', '<Data>a</Data><Data/><Data>b</Data></EventData>'),
  );
  const { keys, values } = readEventXml(bytes, 0, bytes.length)!;
  expect(Object.fromEntries(keys.map((key, i) => [key, values[i]]))).toEqual({
    ...{ Provider_Name: 'x', Provider_Guid: '{1}', EventID: '1', Qualifiers: '0', Channel: 'x' },
    ...{ Computer: 'pc1.example.org', 'EventData.EventID': '7', Data: '["a","","b"]' },
  });
});

it('reads any prefix, and elements within elements without end', () => {
  const bytes = new TextEncoder().encode(event('x', 1, named({ a: '1&amp;', b: "'" })));
  for (let end = 0; end <= bytes.length; end++) readEventXml(bytes, 0, end);
  const deep = new TextEncoder().encode('<Event>'.repeat(10_000));
  expect(readEventXml(deep, 0, deep.length)).toBeUndefined();
});

it('reads no members within names without end, and no such host', () => {
  const long = (n: number): string => `<n${n}${'x'.repeat(9000)}>`;
  const begin = '<Event><System><EventID>1</EventID>';
  const nested = Array.from({ length: 20 }, (_, i) => long(i)).join('');
  const members = Array.from({ length: 400 }, (_, i) => `<a${i}>1</a${i}>`).join('');
  const bytes = new TextEncoder().encode(`${begin}</System><EventData>${nested}${members}`);
  expect(readEventXml(bytes, 0, bytes.length)!.keys).toEqual(['EventID']);
  const marks = '>'.repeat(110_000);
  expect(
    cutFields(
      all,
      '',
      `${begin}<Data>${marks}</Data><Computer>${marks}</Computer></System></Event>`,
    ),
  ).toEqual({ event_code: '1', extractor: MARK.extractor });
});

function programOf(message: string): string | undefined {
  const batch = new EventBatch('log', () => undefined, 1);
  batch.message.setString(0, message);
  batch.endRow();
  expect(all.cut(batch)).toBe(1);
  const { present, data, size } = batch.program;
  return present[0] === 1 ? new TextDecoder().decode(data.subarray(4, size)) : undefined;
}

it('names the provider as the program of a line without one, and no other', () => {
  const batch = new EventBatch('log', () => undefined, 3);
  const message = event(SECURITY, 4625, named({ TargetUserName: 'bob' }));
  for (const [row, program] of [undefined, 'agent', undefined].entries()) {
    if (program !== undefined) batch.program.setString(row, program);
    batch.message.setString(row, row === 2 ? 'no event' : message);
    batch.endRow();
  }
  all.cut(batch);
  const { present, starts, data } = batch.program;
  const programs = [0, 1, 2].map((row) => {
    const at = starts[row]! + 4;
    const size = new DataView(data.buffer, data.byteOffset).getUint32(at - 4, true);
    return present[row] === 1 ? new TextDecoder().decode(data.subarray(at, at + size)) : undefined;
  });
  expect(programs).toEqual([SECURITY, 'agent', undefined]);
});

it('names the computer and the provider, whatever members its data has', () => {
  const data = {
    TargetUserName: 'bob',
    Hostname: 'mallory',
    SourceName: 'x',
    SyslogIdentifier: 'y',
  };
  const message = event(SECURITY, 4625, named(data));
  expect(cutFields(all, '', message)).toMatchObject({ user: 'bob', ...MARK });
  expect(programOf(message)).toBe(SECURITY);
});

it('names the program that OpenSSH relays, as event logs do, and that of no other provider', () => {
  const data = named({ process: 'sshd', payload: 'Server listening on 0.0.0.0 port 22.' });
  expect(programOf(event('OpenSSH', 4, data))).toBe('sshd');
  expect(programOf(event('Other', 4, data))).toBe('Other');
});

it('names no program where a header precedes the event, which is skipped without one only', () => {
  const message = event(SECURITY, 4625, named({ TargetUserName: 'bob' }));
  expect(programOf(` ${message}`)).toBe(SECURITY);
  expect(programOf(`<38>Nov 27 10:15:22 pc1 nxlog[100]: ${message}`)).toBeUndefined();
  expect(programOf(`stdout F ${message}`)).toBeUndefined();
});

it('reads an event as a record, whatever text it holds as well', () => {
  const text = 'An account failed to log on.\nSubject:\nx\nAccount For Which Logon Failed:\n';
  const more = `Account Name:\t\tmallory\nAccount Domain:\t\tX\nSource Network Address:\t203.0.113.9\n`;
  const message = event(SECURITY, 4625, named({ TargetUserName: 'bob' })).replace(
    '</Event>',
    `<RenderingInfo><Message>${text}${more}</Message></RenderingInfo></Event>`,
  );
  const fields = cutFields(all, 'microsoft-windows-security-auditing', message);
  expect(fields).toMatchObject({ user: 'bob', ...MARK });
  expect(fields).not.toHaveProperty('src_ip');
});

it('finds the computer in a section of CDATA', () => {
  const message = event(SECURITY, 4625, named({ TargetUserName: 'bob' })).replace(
    /<Computer>([^<]*)</,
    '<Computer><![CDATA[$1]]><',
  );
  expect(message).toContain('CDATA');
  expect(cutFields(all, '', message)).toMatchObject({ user: 'bob', ...MARK });
});
