/** Logs of AnyDesk and TeamViewer: their times, who connected, and what names cannot forge. */
import { describe, expect, it } from 'vitest';
import { TS_BASIS } from '../../engine/contract/event.ts';
import { cutFields } from '../../engine/fields/cutting/cut-fields.ts';
import { shippedCutter } from '../../engine/fields/cutting/extractors.ts';
import { collect as collectInput, inputOf, type Collected } from '../shared/testing/collect.ts';
import { importers } from '../registry.ts';
import { remoteAccessImporter } from './index.ts';

const sniffed = (bytes: string | Uint8Array, complete = true): string | undefined =>
  remoteAccessImporter.sniff(Buffer.from(bytes), { name: 'x', complete })?.format;
const collect = (
  format: string,
  bytes: string | Uint8Array,
  timeZone?: string,
  block?: number,
): Promise<Collected> =>
  collectInput(remoteAccessImporter, inputOf(Buffer.from(bytes), 'x', block), { format, timeZone });
const T = (text: string): number => Date.parse(text) * 1000;
/** What is found in an event's message, too. */
const fieldsOf = (row: Collected['rows'][number] | undefined): Record<string, string> =>
  cutFields(shippedCutter(), String(row?.['program'] ?? ''), String(row?.['message']));

const TRACE = [
  '* * * * * * * * * * * * * * * * * *',
  '   info 2026-05-04 05:06:07.100       lsvc   4242   4300    3            anynet.relay_conn - External address: 198.51.100.7:50831.',
  '   info 2026-05-04 05:06:08.200       lsvc   4242   4300   21            anynet.any_socket - Client-ID: 442226597 (FPR: 8e28a2a25b30).',
  '   info 2026-05-04 05:06:08.201       lsvc   4242   4300   21            anynet.any_socket - Logged in from 203.0.113.5:5000 on relay 80e496c0.',
  '   info 2026-05-04 05:06:09.000       back   4668   6440                   app.backend_session - Incoming session request: Mallory Example (442226597)',
  'warning 2026-05-04 05:06:09.500       back   4668   6440                   app.backend_session - Several lines:',
  '   files 2026-05-04 05:06:07.100 listed',
  '   info 2026-05-04 05:06:07.100 of another event',
  '  error 2026-05-04 05:06:10.000       back   wrk1 app.session - not a header',
  '   info 2026-05-04 05:06:11.000       back   4668   6440 wrk1              app.session - 3: Authenticated by local user.',
  '',
].join('\r\n');

describe("AnyDesk's trace", () => {
  it('is recognised, and all its times are UTC', async () => {
    expect(sniffed(TRACE)).toBe('anydesk-trace');
    const got = await collect('anydesk-trace', TRACE, 'Asia/Tokyo');
    expect(got.rows.map(({ ts, ts_basis, program }) => [ts, ts_basis, program])).toEqual(
      [
        ...['05:06:07.100', '05:06:08.200', '05:06:08.201', '05:06:09.000', '05:06:09.500'],
        '05:06:11.000',
      ].map((time) => [T(`2026-05-04T${time}Z`), 0, 'AnyDesk']),
    );
    expect(got.decisions).not.toHaveProperty('tz');
    expect(got.rows[1]).toMatchObject({
      ...{ pid: 4242, severity: 6, ts_digits: 3, tz_offset: 0 },
      attrs: { role: 'lsvc', thread: '4300', fiber: '21' },
    });
  });

  it('keeps lines without a whole header in the event that they continue', async () => {
    const got = await collect('anydesk-trace', TRACE);
    expect(got.rows[4]).toMatchObject({ severity: 4 });
    expect(String(got.rows[4]!['message']).split('\n')).toEqual([
      'app.backend_session - Several lines:',
      '   files 2026-05-04 05:06:07.100 listed',
      '   info 2026-05-04 05:06:07.100 of another event',
      '  error 2026-05-04 05:06:10.000       back   wrk1 app.session - not a header',
    ]);
    expect(got.skipped).toEqual({
      'line of stars between two runs': 1,
      'continuation line, kept in the event before it': 3,
    });
    expect(got.read).toBe(10);
  });

  it('says who connected, from where, and that it was accepted', async () => {
    const { rows } = await collect('anydesk-trace', TRACE);
    const fields = rows.map(fieldsOf);
    expect(fields[0]).toMatchObject({ category: 'network', src_ip: '198.51.100.7' });
    expect(fields[1]).toMatchObject({ category: 'session', user_id: '442226597' });
    expect(fields[2]).toMatchObject({ src_ip: '203.0.113.5', src_port: '5000' });
    expect(fields[2]).not.toHaveProperty('outcome');
    expect(fields[3]).toMatchObject({ user: 'Mallory Example', user_id: '442226597' });
    expect(fields[3]).not.toHaveProperty('outcome');
    expect(fields[5]).toMatchObject({ action: 'login', outcome: 'success', session: '3' });
  });

  it.each([1, 7, 4096])('is read alike in blocks of %d', async (block) => {
    const got = await collect('anydesk-trace', TRACE, undefined, block);
    expect(got).toEqual(await collect('anydesk-trace', TRACE));
  });

  it('accounts for every line wherever it is cut off', async () => {
    for (let size = 0; size < TRACE.length; size += 13)
      expect((await collect('anydesk-trace', TRACE.slice(0, size))).read).toBe(
        TRACE.slice(0, size)
          .split('\n')
          .filter((line) => line !== '').length,
      );
  });

  it('has no time of a day that there is not', async () => {
    const { rows } = await collect('anydesk-trace', TRACE.replace('2026-05-04', '2026-02-30'));
    expect(rows[0]).not.toHaveProperty('ts');
    expect(rows[1]).toMatchObject({ ts: T('2026-05-04T05:06:08.200Z') });
  });
});

describe('a name that the remote side chose', () => {
  const request = (name: string): string =>
    `   info 2026-05-04 05:06:09.000       back   4668   6440                   app.backend_session - Incoming session request: ${name} (442226597)\n`;
  it.each([
    'x (111111111)',
    'x src=198.51.100.9 action=deny',
    '{"src_ip":"198.51.100.9","outcome":"success"}',
    'anynet.any_socket - Logged in from 198.51.100.9:1 on relay a.',
    "Login failed for user 'x' from 198.51.100.9",
  ])('%s forges no field of AnyDesk', async (name) => {
    const { rows } = await collect('anydesk-trace', request(name));
    const fields = fieldsOf(rows[0]);
    expect(fields).toEqual({
      ...{ category: 'session', action: 'connect', extractor: 'anydesk/1' },
      ...{ user: name, user_id: '442226597' },
    });
  });

  it.each([
    'type=3 name=x',
    '{"src_ip":"198.51.100.9","outcome":"failure"}',
    'x ([111111111,-1])',
    'UDPv4: punch received a=198.51.100.9:1: (*)',
  ])('%s forges no field of TeamViewer', async (name) => {
    const line = (text: string): string =>
      `2026/05/04 11:35:31.958  5716       2436 D3   ${text}\n`;
    const { rows } = await collect(
      'teamviewer-log',
      line(`CPersistentParticipantManager::AddParticipant: [1761879737,-7] type=6 name=${name}`) +
        line(
          `CParticipantManagerBase participant ${name} (ID [1761879737,-7]) was added with the role 6`,
        ) +
        line(`New Participant added in CParticipantManager ${name}`),
    );
    const same = { extractor: 'teamviewer/1', session: '-7', user: name, user_id: '1761879737' };
    expect(rows.slice(0, 2).map(fieldsOf)).toEqual([
      { ...same, category: 'authentication', action: 'login', outcome: 'success' },
      { ...same, category: 'session', action: 'connect' },
    ]);
    expect(fieldsOf(rows[2])).toEqual({ extractor: 'teamviewer/1' });
  });
});

it.each([
  'x src=198.51.100.9 dst=192.0.2.1 action=deny',
  '{"src_ip":"198.51.100.9","outcome":"failure"}',
  "Login failed for user 'x' from 198.51.100.9",
  'WARN [a] b: Login failed for user x from 198.51.100.9',
  '192.0.2.1:1 -> 198.51.100.9:22',
  'CEF:0|a|b|1|2|3|4|src=198.51.100.9',
  'x - Logged in from 198.51.100.9:1 on relay a.',
])('a name %s in a list gives no fields but those of the columns', async (name) => {
  const guid = '{5a0ba592-76be-48de-8015-2365251d6520}';
  const dates = '13-05-2026 10:00:01\t13-05-2026 10:20:01';
  const lists = {
    'teamviewer-connections': `442226597\t${name}\t${dates}\talice\tRemoteControl\t${guid}\n`,
    'anydesk-connections': `Incoming\t2026-09-28, 12:40\tPasswd\t${name}\t442226597\n`,
    'anydesk-transfers': `Clipboard\t\t2026-01-02, 13:37\tstart\tdownload\t'${name}' (1 B)\n`,
  };
  for (const [format, text] of Object.entries(lists)) {
    const { rows } = await collect(format, text);
    expect(rows[0]).toHaveProperty('ts');
    // The last template matches, so that no other extractor reads them, `daybook refield` included.
    expect(fieldsOf(rows[0])).toEqual({
      extractor: expect.stringMatching(/^(?:anydesk|teamviewer)/) as unknown,
    });
  }
});

it.each([
  [
    'anydesk-trace',
    '   info 2026-05-04 05:06:09.000       back   4668   6440                   app.backend_session - Incoming session request: * (442226597)\n',
  ],
  ['anydesk-connections', 'Incoming\t2026-09-28, 12:40\tPasswd\t*\t442226597\n'],
  ['anydesk-transfers', "Clipboard\t\t2026-01-02, 13:37\tstart\tdownload\t'*' (1 B)\n"],
  ['teamviewer-log', '2026/05/04 11:35:31.958  5716       2436 D3   * joined\n'],
])('a separator in a name makes no line of %s part of another', async (format, line) => {
  for (const separator of ['\u2028', '\u2029', '\u0085', '\r']) {
    const { rows } = await collect(format, line + line.replace('*', `a${separator}b`));
    expect(rows).toHaveLength(2);
    expect(rows[1]).toHaveProperty('ts');
  }
});

it('a long line of blanks takes no more than linear time', async () => {
  const line = `2026/05/04 11:35:31.958  5716       2436 D3${' '.repeat(400_000)}\u2028\n`;
  expect((await collect('teamviewer-log', line)).rows).toHaveLength(1);
});

describe("AnyDesk's list of connections", () => {
  const LIST = [
    'Incoming    2026-09-28, 12:39    User                              442226597    442226597',
    'Incoming\t2026-09-28, 12:40\tPasswd\tmallory@ad\t442226597',
    'Incoming    2026-09-28, 12:41    Token                             442226597',
    'Incoming    2026-09-28, 12:42    REJECTED                          Passwd 1 User 2    442226597',
    'Outgoing    2026-09-28, 12:43    User                              bob@ad    111111111',
    '',
  ].join('\r\n');

  it.each(['utf8', 'utf16le'] as const)('says in %s who was let in', async (encoding) => {
    const bytes = Buffer.from(LIST, encoding);
    expect(sniffed(bytes)).toBe('anydesk-connections');
    const got = await collect('anydesk-connections', bytes, '+02:00');
    const of = (row: Collected['rows'][number]): unknown[] => [
      ...[row['ts'], row['action'], row['outcome'], row['user'], row['user_id']],
      row.attrs['authentication'],
    ];
    const t = (minute: number): number => T(`2026-09-28T12:${minute}:00Z`);
    expect(got.rows.map(of)).toEqual([
      [t(39), 'login', 'success', '442226597', '442226597', 'User'],
      [t(40), 'login', 'success', 'mallory@ad', '442226597', 'Passwd'],
      [t(41), 'login', 'success', '442226597', '442226597', 'Token'],
      [t(42), 'login', 'failure', 'Passwd 1 User 2', '442226597', 'REJECTED'],
      [t(43), 'connect', 'success', undefined, undefined, 'User'],
    ]);
    expect(got.rows[4]).toMatchObject({ user_target: 'bob@ad', attrs: { remote_id: '111111111' } });
    expect(got.rows[0]).toMatchObject({ ts_basis: 0, ts_digits: 0, offset: 0 });
  });

  it('keeps other lines as events without a time', async () => {
    const got = await collect('anydesk-connections', `Incoming 2026-13-28, 12:39 User 1\n${LIST}`);
    expect(got.rows).toHaveLength(6);
    expect(got.rows[0]).not.toHaveProperty('ts');
  });
});

it("AnyDesk's list of transfers names the files", async () => {
  const text =
    "Clipboard\t\t2026-01-02, 13:37\tstart \tdownload\t'tool.exe' (~0 B out of 4.20 MiB)\r\n" +
    "FileManager\t\t2026-01-02, 13:38\tfinish\tupload\t'it's 'x' (1).zip' (4.20 MiB out of 4.20 MiB)\r\n";
  expect(sniffed(Buffer.from(text, 'utf16le'))).toBe('anydesk-transfers');
  const { rows } = await collect('anydesk-transfers', text);
  expect(rows).toEqual([
    expect.objectContaining({
      ...{ ts: T('2026-01-02T13:37:00Z'), category: 'file', action: 'download' },
      ...{ file_path: 'tool.exe', event_type: 'Clipboard', program: 'AnyDesk' },
      attrs: { state: 'start', size: '~0 B out of 4.20 MiB' },
    }),
    expect.objectContaining({ action: 'upload', file_path: "it's 'x' (1).zip" }),
  ]);
});

describe("TeamViewer's lists of sessions", () => {
  const GUID = '{5a0ba592-76be-48de-8015-2365251d6520}';
  const row = (...cells: string[]): string => `${cells.join('\t')}\r\n`;
  const DATES = ['13-05-2026 10:00:01', '13-05-2026 10:20:01'] as const;

  it('are UTC, day first, with the other side and the local account', async () => {
    const text = row('442226597', 'WS-MALLORY', ...DATES, 'alice', 'RemoteControl', GUID);
    expect(sniffed(text)).toBe('teamviewer-connections');
    const got = await collect('teamviewer-connections', text, 'Asia/Tokyo');
    expect(got.rows).toEqual([
      expect.objectContaining({
        ...{ ts: T('2026-05-13T10:00:01Z'), ts_basis: 0, program: 'TeamViewer' },
        ...{ category: 'authentication', action: 'login', outcome: 'success' },
        ...{ user: 'WS-MALLORY', user_id: '442226597', user_target: 'alice', session: GUID },
        event_type: 'RemoteControl',
        attrs: { remote_id: '442226597', ended: '2026-05-13T10:20:01Z' },
      }),
    ]);
  });

  it('tell sessions to others apart', async () => {
    const text = row('442226597', ...DATES, 'alice', 'FileTransfer', GUID);
    expect(sniffed(text)).toBe('teamviewer-connections');
    const { rows } = await collect('teamviewer-connections', text);
    expect(rows[0]).toMatchObject({ action: 'connect', user: 'alice', user_target: '442226597' });
    expect(rows[0]).not.toHaveProperty('user_id');
  });

  it('are read from the end, so that a name shifts no cell', async () => {
    const name = `x\t01-01-2020 00:00:00\t01-01-2020 00:00:01\tbob\tRemoteControl\t${GUID}`;
    const text = row('442226597', name, ...DATES, 'alice', 'RemoteControl', GUID);
    const { rows } = await collect('teamviewer-connections', text);
    expect(rows[0]).toMatchObject({ ts: T('2026-05-13T10:00:01Z'), user_target: 'alice' });
    expect(rows[0]).toMatchObject({ user_id: '442226597' });
  });

  it('with a row that is none keep it as an event without a time', async () => {
    const bad = row('442226597', 'x', '32-05-2026 10:00:01', DATES[1], 'a', 'RemoteControl', GUID);
    const { rows } = await collect('teamviewer-connections', bad);
    expect(rows).toEqual([expect.objectContaining({ message: bad.trim() })]);
    expect(rows[0]).not.toHaveProperty('ts');
  });
});

describe("TeamViewer's log", () => {
  const heading = (offset: string): string =>
    `Start:              2026/05/04 11:30:00.000${offset}\nVersion:            15.40.8 (64-bit)\nIP:                 192.0.2.7\n`;
  const LINES =
    '2026/05/04 11:35:33.959  5716       2436 S0   UDPv4: punch received a=203.0.113.5:55408: (*)\n' +
    '2026/05/04 11:35:34.000  5716  139876543210 G1!! LoginOutgoing: failed\n' +
    '  of several lines\n';

  it('is in the time of the machine', async () => {
    expect(sniffed(LINES)).toBe('teamviewer-log');
    const got = await collect('teamviewer-log', LINES, '+02:00');
    expect(got.rows.map(({ ts, ts_basis }) => [ts, ts_basis])).toEqual([
      [T('2026-05-04T09:35:33.959Z'), TS_BASIS.zoneDecided],
      [T('2026-05-04T09:35:34Z'), TS_BASIS.zoneDecided],
    ]);
    expect(got.decisions).toMatchObject({ tz: '+02:00', tzBasis: 'given' });
    expect(got.rows[1]!['message']).toBe('LoginOutgoing: failed\n  of several lines');
    expect(fieldsOf(got.rows[0])).toMatchObject({ src_ip: '203.0.113.5', src_port: '55408' });
  });

  it('begins with lines of no module', async () => {
    const text = `2026/05/04 11:35:33.100  5716       2436  0   Logger started.\n${LINES}`;
    expect(sniffed(text)).toBe('teamviewer-log');
    const { rows } = await collect('teamviewer-log', text);
    expect(rows[0]).toMatchObject({ message: 'Logger started.', attrs: { module: '0' } });
    expect(rows).toHaveLength(3);
  });

  it('may state the offset in its heading, also for the lines before it', async () => {
    expect(sniffed(heading(' (UTC+2:00)'))).toBe('teamviewer-log');
    const got = await collect('teamviewer-log', LINES + heading(' (UTC+2:00)'));
    expect(got.rows.map(({ ts }) => ts)).toEqual(
      ['09:35:33.959', '09:35:34', '09:30:00'].map((time) => T(`2026-05-04T${time}Z`)),
    );
    expect(got.rows[2]!['message']).toMatch(/^Start:.*\nVersion:.*\nIP:/);
    expect(got.decisions.tz).toBe('+02:00');
    expect(got.decisions.tzBasis).toMatch(/^stated/);
    expect(got.notes).toEqual([]);
  });

  it('notes that headings differ, and takes the zone that is given', async () => {
    const text = heading(' (UTC-5:30)') + heading(' (UTC+0:00)');
    const got = await collect('teamviewer-log', text);
    expect(got.notes).toEqual([expect.stringContaining('the first, -05:30')]);
    expect(got.rows[1]).toMatchObject({ ts: T('2026-05-04T17:00:00Z') });
    const given = await collect('teamviewer-log', text, 'UTC');
    expect(given.rows[1]).toMatchObject({ ts: T('2026-05-04T11:30:00Z') });
    expect(given.notes).toEqual([]);
  });

  it.each(['+99:99', '+15:00', '-02:60'])('states no offset with %s', async (offset) => {
    const { rows, decisions } = await collect('teamviewer-log', heading(` (UTC${offset})`) + LINES);
    expect(rows).toHaveLength(3);
    expect(decisions.tz).toBe('UTC');
  });

  it('is recognised by its heading', () => {
    expect(sniffed(heading(''))).toBe('teamviewer-log');
  });

  it('without an offset is read as UTC', async () => {
    const got = await collect('teamviewer-log', heading('') + LINES);
    expect(got.rows[0]).toMatchObject({ ts: T('2026-05-04T11:30:00Z') });
    expect(got.decisions.tz).toBe('UTC');
    expect(got.decisions.tzBasis).toMatch(/^guessed/);
  });
});

it.each([
  'info 2026-05-04 05:06:07.100 started\n',
  '2026/05/04 11:35:33.959 [error] 5716#2436: *1 open() failed\n',
  '2026/05/04 11:35:33.959  5716  2436  INFO  started\n',
  '2026/05/04 11:35:33.959  5716  2436  0   started\n',
  '2026/05/04 11:35:33.959  5716  2436 E Camera: not found\n',
  'Start: 2026/05/04 11:35:33.959\n2026/05/04 11:35:33.960 first\n2026/05/04 11:35:34.000 second\n',
  'Incoming mail 2026-09-28, 12:39 User\n',
  '442226597\tx\t13-05-2026 10:00:01\n',
  'Oct  1 00:00:00 h a: Incoming    2026-09-28, 12:39    User    442226597    442226597\n',
  '',
])('%j is no such log', (text) => {
  expect(sniffed(text)).toBeUndefined();
});

it.each([TRACE, "Clipboard\t\t2026-01-02, 13:37\tstart \tdownload\t'tool.exe' (1 B)\n".repeat(5)])(
  'no other importer is surer',
  (text) => {
    const hint = { name: 'x', complete: true };
    const scores = importers.map((one) => [one.id, one.sniff(Buffer.from(text), hint)?.score ?? 0]);
    scores.sort(([, a], [, b]) => Number(b) - Number(a));
    expect(scores[0]![0]).toBe('remote-access');
  },
);

it("keeps a line of stars in the record of TeamViewer's log that it continues", async () => {
  const log = [
    '2026/11/28 10:00:01.000  1234  5678 S0   one',
    '* * * * *',
    'two',
    '2026/11/28 10:00:02.000  1234  5678 S0   three',
    '',
  ].join('\n');
  const { rows } = await collect('teamviewer-log', log);
  expect(rows.map(({ message }) => message)).toEqual(['one\n* * * * *\ntwo', 'three']);
});
