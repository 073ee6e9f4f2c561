/** Forms of log lines and the columns that each must give. All lines were made for these tests. */
import { describe, expect, it } from 'vitest';
import { TS_BASIS } from '../../../engine/contract/event.ts';
import { collect, inputOf, type CollectedRow } from '../../shared/testing/collect.ts';
import { Header } from './header.ts';
import { parseHeader } from './parse-header.ts';
import { syslogImporter } from '../index.ts';

const utf8 = new TextEncoder();
const MODIFIED = Date.UTC(2026, 10, 21);
const ZONE = TS_BASIS.zoneDecided;
const BOTH = TS_BASIS.zoneDecided | TS_BASIS.yearDecided;

async function one(line: string): Promise<CollectedRow> {
  const got = await collect(
    syslogImporter,
    inputOf(utf8.encode(`${line}\n`), 'x', 4096, MODIFIED),
    {
      format: 'text',
    },
  );
  expect(got.rows).toHaveLength(1);
  expect(got.records).toBe(1);
  return got.rows[0]!;
}

/** Time as ISO text with its nanoseconds, to compare at a glance. */
function timeOf(row: CollectedRow): string | undefined {
  if (typeof row.ts !== 'number') return undefined;
  const digits = Number(row.ts_digits);
  const micros = String(((row.ts % 1e6) + 1e6) % 1e6).padStart(6, '0');
  const nanos = String(row.ts_ns ?? 0).padStart(3, '0');
  const whole = new Date(Math.floor(row.ts / 1e6) * 1000).toISOString().slice(0, 19);
  return digits === 0 ? whole : `${whole}.${(micros + nanos).slice(0, digits)}`;
}

interface Case {
  line: string;
  time?: string | undefined;
  basis?: number;
  offset?: number;
  host?: string;
  program?: string;
  pid?: number;
  facility?: number;
  severity?: number;
  event_type?: string;
  message?: string;
  attrs?: Record<string, string>;
}

const CASES: Case[] = [
  // AIX writes facility and severity after the host; `auth` is `security`, too.
  {
    line: 'Mar  4 05:06:07 aix1 auth|security:info sshd[100]: Failed password for root from 192.0.2.17 port 1 ssh2',
    time: '2026-03-04T05:06:07',
    ...{ basis: BOTH, host: 'aix1', program: 'sshd', pid: 100, facility: 4, severity: 6 },
    message: 'sshd[100]: Failed password for root from 192.0.2.17 port 1 ssh2',
  },
  {
    line: 'Mar  4 05:06:07 aix1 daemon:notice inetd[7]: x',
    time: '2026-03-04T05:06:07',
    ...{ basis: BOTH, host: 'aix1', program: 'inetd', pid: 7, facility: 3, severity: 5 },
    message: 'inetd[7]: x',
  },
  {
    line: 'Mar  4 05:06:07 host1 auth|audit:info app: x',
    time: '2026-03-04T05:06:07',
    ...{ basis: BOTH, host: 'host1' },
    message: 'auth|audit:info app: x',
  },
  // FileZilla Server before 1.0.
  {
    line: '(000001)3/4/2026 5:06:07 - (not logged in) (192.0.2.17)> 530 Login or password incorrect!',
    time: '2026-03-04T05:06:07',
    basis: ZONE | TS_BASIS.monthFirst,
    message:
      '(000001)3/4/2026 5:06:07 - (not logged in) (192.0.2.17)> 530 Login or password incorrect!',
  },
  {
    line: '(000001)04.03.2026 05:06:07 - bob (192.0.2.17)> 230 Logged on',
    time: '2026-03-04T05:06:07',
    basis: ZONE | TS_BASIS.dayFirst,
    message: '(000001)04.03.2026 05:06:07 - bob (192.0.2.17)> 230 Logged on',
  },
  // Zabbix.
  {
    line: '  1234:20260304:050607.123 Starting Zabbix Server. Zabbix 6.0.0',
    time: '2026-03-04T05:06:07.123',
    ...{ basis: ZONE, pid: 1234, message: 'Starting Zabbix Server. Zabbix 6.0.0' },
  },
  {
    line: '123456:20260304:050607.123 x',
    time: '2026-03-04T05:06:07.123',
    ...{ basis: ZONE, pid: 123456, message: 'x' },
  },
  // macOS: `log show` in its default and its compact style.
  {
    line: '2026-03-04 05:06:07.123456+0100 0x1a2b     Error       0x0                  100    0    Some App: (AppKit) [com.apple.x:y] text',
    time: '2026-03-04T04:06:07.123456',
    ...{ offset: 3600, program: 'Some App', pid: 100, severity: 3 },
    message: 'Some App: (AppKit) [com.apple.x:y] text',
  },
  {
    line: '2026-03-04 05:06:07.123 Df sshd[100:1a2b] [com.openssh.sshd:default] text',
    time: '2026-03-04T05:06:07.123',
    ...{ basis: ZONE, program: 'sshd', pid: 100, severity: 5 },
    message: 'sshd[100:1a2b] [com.openssh.sshd:default] text',
  },
  {
    line: '2026-03-04 05:06:07.123 I  was here [100:1a2b]: text',
    time: '2026-03-04T05:06:07.123',
    ...{ basis: ZONE, message: 'I  was here [100:1a2b]: text' },
  },
  // Prosody has its modules and sessions where others have the host.
  {
    line: 'Mar 04 05:06:07 c2s5f\twarn\tFailed authentication attempt',
    time: '2026-03-04T05:06:07',
    ...{ basis: BOTH, severity: 4, message: 'c2s5f\twarn\tFailed authentication attempt' },
  },
  // Others have the host there.
  {
    line: '<14>Mar 04 05:06:07 web1\tinfo\tstarted',
    time: '2026-03-04T05:06:07',
    ...{ basis: BOTH, facility: 1, severity: 6, host: 'web1', message: 'info\tstarted' },
  },
  {
    line: 'Mar 04 05:06:07 192.0.2.9\tinfo\tstarted',
    time: '2026-03-04T05:06:07',
    ...{ basis: BOTH, host: '192.0.2.9', message: 'info\tstarted' },
  },
  // The access log of Proxmox has the day first, with a number for the month.
  {
    line: '192.0.2.17 - - [03/12/2026:10:00:00 +0100] "GET / HTTP/1.1" 200 1',
    time: '2026-12-03T09:00:00',
    basis: TS_BASIS.dayFirst,
    offset: 3600,
  },
  // Symantec's manager writes its name before its host.
  {
    line: '<54>Mar  4 05:06:07 SymantecServer av1.example.com: Virus found,Computer name: PC1',
    time: '2026-03-04T05:06:07',
    basis: BOTH,
    host: 'av1.example.com',
    program: 'SymantecServer',
    facility: 6,
    severity: 6,
    message: 'Virus found,Computer name: PC1',
  },
  {
    line: 'Mar  4 05:06:07 SymantecServer1 app: hello',
    time: '2026-03-04T05:06:07',
    basis: BOTH,
    host: 'SymantecServer1',
    program: 'app',
    message: 'app: hello',
  },
  // Unified CM puts a blank before the colon.
  {
    line: '<189>17: Mar  4 05:06:07.100 UTC : %UC_AUDITLOG-5-AdministrativeEvent: %[ UserID =alice]',
    time: '2026-03-04T05:06:07.100',
    basis: BOTH,
    facility: 23,
    severity: 5,
    event_type: 'UC_AUDITLOG-5-AdministrativeEvent',
    message: '%UC_AUDITLOG-5-AdministrativeEvent: %[ UserID =alice]',
    attrs: { sequence: '17' },
  },
  // A word that is not a zone stays in the message: it may be the device's name.
  {
    line: '<189>17: Mar  4 05:06:07.100 host1 : %SYS-5-CONFIG_I: Configured from console',
    time: '2026-03-04T05:06:07.100',
    basis: BOTH,
    facility: 23,
    severity: 5,
    message: 'host1 : %SYS-5-CONFIG_I: Configured from console',
    attrs: { sequence: '17' },
  },
  {
    line: '<189>17: Mar  4 05:06:07.100 h1A : %SYS-5-CONFIG_I: Configured from console',
    time: '2026-03-04T05:06:07.100',
    basis: BOTH,
    facility: 23,
    severity: 5,
    message: 'h1A : %SYS-5-CONFIG_I: Configured from console',
    attrs: { sequence: '17' },
  },
  // Barracuda's firewalls put blanks between the numbers of a date.
  {
    line: '2026 03 04 05:06:07 +02:00 Notice   192.0.2.17:23697 login succeeded: alice ok',
    time: '2026-03-04T03:06:07',
    offset: 7200,
    severity: 5,
    message: 'Notice   192.0.2.17:23697 login succeeded: alice ok',
  },
  { line: '2026 3 4 05:06:07 a', message: '2026 3 4 05:06:07 a' },
  { line: '2026 13 04 05:06:07 a', message: '2026 13 04 05:06:07 a' },
  // What devices put in place of names is their message.
  {
    line: '<5>1 2026-03-10T09:11:20Z VAULT {"format":"elastic","version":"1.0","syslog":{"a":"b c"}}',
    time: '2026-03-10T09:11:20',
    host: 'VAULT',
    facility: 0,
    severity: 5,
    message: '{"format":"elastic","version":"1.0","syslog":{"a":"b c"}}',
  },
  {
    line: '<134>1 2026-03-10T09:11:20Z fw1 CEF:0|Example|Wall|1|100|denied|5|src=192.0.2.1 dst=192.0.2.2',
    time: '2026-03-10T09:11:20',
    host: 'fw1',
    facility: 16,
    severity: 6,
    message: 'CEF:0|Example|Wall|1|100|denied|5|src=192.0.2.1 dst=192.0.2.2',
  },
  {
    line: '<190>2026-03-10T09:11:20-07:00 192.0.2.20 CEF:0|Example|Wall|1|100|denied|5|src=192.0.2.1',
    time: '2026-03-10T16:11:20',
    host: '192.0.2.20',
    facility: 23,
    severity: 6,
    message: 'CEF:0|Example|Wall|1|100|denied|5|src=192.0.2.1',
  },
  {
    line: '2026-03-10T09:11:20Z fw1 %FTD-6-430002: SrcIP: 192.0.2.1, DstIP: 192.0.2.2',
    time: '2026-03-10T09:11:20',
    host: 'fw1',
    event_type: 'FTD-6-430002',
    severity: 6,
    message: '%FTD-6-430002: SrcIP: 192.0.2.1, DstIP: 192.0.2.2',
  },
  ...['2026-03-10T09:11:20Z', 'Mar 10 09:11:20'].map((time) => ({
    line: `${time} fw1 Alerts %NGIPS-6-430003: SrcIP: 192.0.2.1, DstIP: 192.0.2.2`,
    time: '2026-03-10T09:11:20',
    ...(time.startsWith('Mar') && { basis: BOTH }),
    host: 'fw1',
    event_type: 'NGIPS-6-430003',
    severity: 6,
    message: 'Alerts %NGIPS-6-430003: SrcIP: 192.0.2.1, DstIP: 192.0.2.2',
  })),
  {
    line: 'Mar 10 09:11:20 h logger %ASA-6-605005: Login permitted from 192.0.2.1/5 to x:192.0.2.2/22 for user "root"',
    time: '2026-03-10T09:11:20',
    basis: BOTH,
    host: 'h',
    message:
      'logger %ASA-6-605005: Login permitted from 192.0.2.1/5 to x:192.0.2.2/22 for user "root"',
  },
  {
    line: '2026-03-10T09:11:20Z fw1 1,2026/03/10 09:11:20,0123,TRAFFIC,end',
    time: '2026-03-10T09:11:20',
    host: 'fw1',
    message: '1,2026/03/10 09:11:20,0123,TRAFFIC,end',
  },
  {
    line: '<134>Mar 10 09:11:20 lb1 notice mcpd[5555]: 01070417:5: AUDIT - user alice',
    time: '2026-03-10T09:11:20',
    basis: BOTH,
    facility: 16,
    severity: 6,
    host: 'lb1',
    program: 'mcpd',
    pid: 5555,
    message: 'mcpd[5555]: 01070417:5: AUDIT - user alice',
  },
  {
    line: '<134>Mar 10 09:11:20 fw1 LEEF:1.0|Example|Wall|1|100|src=192.0.2.1',
    time: '2026-03-10T09:11:20',
    host: 'fw1',
    facility: 16,
    severity: 6,
    message: 'LEEF:1.0|Example|Wall|1|100|src=192.0.2.1',
  },
  {
    line: '<174>1 2026-03-10T09:11:20+01:00 192.0.2.112 vpn: - - - 2026-03-10 09:11:20 - vpn1 - hello',
    time: '2026-03-10T08:11:20',
    host: '192.0.2.112',
    program: 'vpn',
    facility: 21,
    severity: 6,
    message: '2026-03-10 09:11:20 - vpn1 - hello',
  },
  {
    line: '<134>1 2026-03-10T09:11:20Z fw1 1,2026/03/10 09:11:20,0123,TRAFFIC',
    time: '2026-03-10T09:11:20',
    host: 'fw1',
    facility: 16,
    severity: 6,
    message: '1,2026/03/10 09:11:20,0123,TRAFFIC',
  },
  {
    line: 'router1: Oct 19 16:07:39.018 CET: %IP-4-DUPADDR: Duplicate address 192.0.2.1 on Vlan40',
    time: '2026-10-19T15:07:39.018',
    host: 'router1',
    severity: 4,
    event_type: 'IP-4-DUPADDR',
    message: '%IP-4-DUPADDR: Duplicate address 192.0.2.1 on Vlan40',
  },
  {
    line: '<190>switch1: 2026 Mar 13 17:07:57 UTC: %AAA-6-AAA_ACCOUNTING_MESSAGE: start:vsh',
    time: '2026-03-13T17:07:57',
    host: 'switch1',
    facility: 23,
    severity: 6,
    event_type: 'AAA-6-AAA_ACCOUNTING_MESSAGE',
    message: '%AAA-6-AAA_ACCOUNTING_MESSAGE: start:vsh',
  },
  // The count of a frame that no longer fits, as of a file whose lines were edited.
  {
    line: '535 <14>1 2026-03-10T09:57:41+01:00 fw1 - - - - 1,2026/03/10 09:57:41,hello',
    time: '2026-03-10T08:57:41',
    host: 'fw1',
    facility: 1,
    severity: 6,
    message: '1,2026/03/10 09:57:41,hello',
  },
  // RFC 5424, section 6.5.
  {
    line: `<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - \u{feff}'su root' failed for lonvick on /dev/pts/8`,
    time: '2003-10-11T22:14:15.003',
    basis: 0,
    offset: 0,
    host: 'mymachine.example.com',
    program: 'su',
    facility: 4,
    severity: 2,
    event_type: 'ID47',
    message: "'su root' failed for lonvick on /dev/pts/8",
  },
  {
    line: '<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It is time to make the do-nuts.',
    time: '2003-08-24T12:14:15.000003',
    offset: -25200,
    host: '192.0.2.1',
    program: 'myproc',
    pid: 8710,
    facility: 20,
    severity: 5,
    message: '%% It is time to make the do-nuts.',
  },
  {
    line: '<165>1 2003-10-11T22:14:15.003Z host evntslog - ID47 [exampleSDID@32473 iut="3" eventSource="Application" eventID="1011"][examplePriority@32473 class="high"]',
    time: '2003-10-11T22:14:15.003',
    host: 'host',
    program: 'evntslog',
    event_type: 'ID47',
    facility: 20,
    severity: 5,
    attrs: {
      'exampleSDID@32473.iut': '3',
      'exampleSDID@32473.eventSource': 'Application',
      'exampleSDID@32473.eventID': '1011',
      'examplePriority@32473.class': 'high',
    },
  },
  {
    line: '<14>1 - - - - - [a x="q\\"b\\]c\\\\d\\n" x="2"][empty] end',
    time: undefined,
    facility: 1,
    severity: 6,
    message: 'end',
    attrs: { 'a.x': 'q"b]c\\d\\n', 'a.x.2': '2', empty: '' },
  },
  {
    line: '<14>1 2026-01-02T03:04:05Z h app proc-7 - - m',
    time: '2026-01-02T03:04:05',
    host: 'h',
    program: 'app',
    facility: 1,
    severity: 6,
    message: 'm',
    attrs: { procid: 'proc-7' },
  },
  // Structured data that is broken stays in the message.
  {
    line: '<14>1 2026-01-02T03:04:05Z h app 1 - [a x="1 m',
    time: '2026-01-02T03:04:05',
    host: 'h',
    program: 'app',
    pid: 1,
    facility: 1,
    severity: 6,
    message: '[a x="1 m',
  },
  // RFC 5424 without priority, as rsyslog writes it to files.
  {
    line: '2022-08-27T17:22:01.694554+03:00 space01 CRON 20856 - -  (root) CMD (x)',
    time: '2022-08-27T14:22:01.694554',
    offset: 10800,
    host: 'space01',
    program: 'CRON',
    pid: 20856,
    message: ' (root) CMD (x)',
  },
  // RFC 3164.
  {
    line: "<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8",
    time: '2026-10-11T22:14:15',
    basis: BOTH,
    offset: 0,
    host: 'mymachine',
    program: 'su',
    facility: 4,
    severity: 2,
    message: "su: 'su root' failed for lonvick on /dev/pts/8",
  },
  {
    line: 'Feb  6 00:00:01 host sshd[2154]: Failed password for root',
    time: '2026-02-06T00:00:01',
    basis: BOTH,
    host: 'host',
    program: 'sshd',
    pid: 2154,
    message: 'sshd[2154]: Failed password for root',
  },
  {
    line: 'Feb 6 1:02:03 host a: b',
    time: '2026-02-06T01:02:03',
    host: 'host',
    program: 'a',
    message: 'a: b',
  },
  {
    line: 'Jun 21 16:47:48 sshd[13709]: no host',
    time: '2026-06-21T16:47:48',
    program: 'sshd',
    pid: 13709,
    message: 'sshd[13709]: no host',
  },
  {
    line: 'Jun 14 15:16:01 combo sshd(pam_unix)[19939]: authentication failure',
    time: '2026-06-14T15:16:01',
    host: 'combo',
    program: 'sshd(pam_unix)',
    pid: 19939,
    message: 'sshd(pam_unix)[19939]: authentication failure',
  },
  {
    line: 'Jun 14 15:16:01 host postfix/smtpd[19]: connect from unknown[10.0.0.1]',
    time: '2026-06-14T15:16:01',
    host: 'host',
    program: 'postfix/smtpd',
    pid: 19,
    message: 'postfix/smtpd[19]: connect from unknown[10.0.0.1]',
  },
  {
    line: 'Jun 14 15:16:01 mac Web Page Service[77]: gone',
    time: '2026-06-14T15:16:01',
    host: 'mac',
    program: 'Web Page Service',
    pid: 77,
    message: 'Web Page Service[77]: gone',
  },
  {
    line: 'Jun 14 15:16:01 host lookup for opt failed',
    time: '2026-06-14T15:16:01',
    host: 'host',
    message: 'lookup for opt failed',
  },
  {
    line: 'Jun 14 15:16:01 last message repeated 2 times',
    time: '2026-06-14T15:16:01',
    message: 'last message repeated 2 times',
  },
  {
    line: 'Jun 14 15:16:01 --- last message repeated 1 time ---',
    time: '2026-06-14T15:16:01',
    message: '--- last message repeated 1 time ---',
  },
  {
    line: 'Jun 14 15:16:01 host app: https://example.com/x',
    time: '2026-06-14T15:16:01',
    host: 'host',
    program: 'app',
    message: 'app: https://example.com/x',
  },
  {
    line: 'Jun 14 15:16:01 host https://example.com/x',
    time: '2026-06-14T15:16:01',
    host: 'host',
    message: 'https://example.com/x',
  },
  {
    line: 'Jun 14 15:16:01.123456 fe80::1 app: m',
    time: '2026-06-14T15:16:01.123456',
    host: 'fe80::1',
    program: 'app',
    message: 'app: m',
  },
  // A year and zones, before, between and after.
  {
    line: 'Oct 10 2018 12:34:56 host app: m',
    time: '2018-10-10T12:34:56',
    basis: ZONE,
    host: 'host',
    program: 'app',
    message: 'app: m',
  },
  {
    line: 'Oct 10 12:34:56 2018 host app: m',
    time: '2018-10-10T12:34:56',
    basis: ZONE,
    host: 'host',
    program: 'app',
    message: 'app: m',
  },
  {
    line: '2018 Oct 10 12:34:56 host app: m',
    time: '2018-10-10T12:34:56',
    basis: ZONE,
    host: 'host',
    program: 'app',
    message: 'app: m',
  },
  {
    line: 'Oct 10 2018 12:34:56 UTC: %SYS-5-X: m',
    time: '2018-10-10T12:34:56',
    basis: 0,
    event_type: 'SYS-5-X',
    severity: 5,
    message: '%SYS-5-X: m',
  },
  // ESXi 8 writes a word for the severity and the priority before the tag.
  {
    line: '2026-02-14T15:45:33Z In(14) shell[2099876]: [root]: esxcli vm process list',
    time: '2026-02-14T15:45:33',
    program: 'shell',
    pid: 2099876,
    facility: 1,
    severity: 6,
    message: 'shell[2099876]: [root]: esxcli vm process list',
  },
  {
    line: '2026-02-14T15:45:33.483Z In(166) Hostd[2099655]: [Originator@6876 sub=Default] a',
    time: '2026-02-14T15:45:33.483',
    program: 'Hostd',
    pid: 2099655,
    facility: 20,
    severity: 6,
    message: 'Hostd[2099655]: [Originator@6876 sub=Default] a',
  },
  {
    line: '2026-02-14T15:45:33.483Z Wa(180) vmkwarning: cpu5:2097649)WARNING: a',
    time: '2026-02-14T15:45:33.483',
    program: 'vmkwarning',
    facility: 22,
    severity: 4,
    message: 'vmkwarning: cpu5:2097649)WARNING: a',
  },
  {
    line: '2026-02-14T15:45:33.483Z Er(11) backup.sh[77]: a',
    time: '2026-02-14T15:45:33.483',
    program: 'backup.sh',
    pid: 77,
    facility: 1,
    severity: 3,
    message: 'backup.sh[77]: a',
  },
  {
    line: '2026-02-14T15:45:33Z esx01 In(14) shell[2099876]: [root]: ls',
    time: '2026-02-14T15:45:33',
    host: 'esx01',
    program: 'shell',
    pid: 2099876,
    facility: 1,
    severity: 6,
    message: 'shell[2099876]: [root]: ls',
  },
  // A line that continues another is not one that its program began.
  {
    line: '2026-02-14T15:45:33.483Z In(166)+ Hostd[2099655]: Event 1 : User root@192.0.2.9 logged in',
    time: '2026-02-14T15:45:33.483',
    program: 'Hostd',
    pid: 2099655,
    facility: 20,
    severity: 6,
    message: 'In(166)+ Hostd[2099655]: Event 1 : User root@192.0.2.9 logged in',
  },
  // Other words, a level that is no priority, one that contradicts its word, and none before a tag.
  ...[
    'In(05) vmx -',
    'In(5) vmx - Log for VMware ESX',
    'Ix(05) vmx - Log for VMware ESX',
    'In(05) vmx: - Log for VMware ESX',
    'In(14) shell',
    'In(14) shell started: a',
    'In(13) shell[7]: a',
    'in(14) shell[7]: a',
    'In(198) shell[7]: a',
    'In() shell[7]: a',
  ].map((message) => ({
    line: `2026-02-14T15:45:33Z ${message}`,
    time: '2026-02-14T15:45:33',
    message,
  })),
  // UniFi's gateways write their host twice.
  {
    line: 'Nov 20 22:00:01 udm-pro udm-pro sshd[5]: Failed password',
    time: '2026-11-20T22:00:01',
    basis: BOTH,
    host: 'udm-pro',
    program: 'sshd',
    pid: 5,
    message: 'sshd[5]: Failed password',
  },
  {
    line: 'Nov 20 22:00:01 sshd sshd: ok',
    time: '2026-11-20T22:00:01',
    basis: BOTH,
    host: 'sshd',
    program: 'sshd',
    message: 'sshd: ok',
  },
  // The log of a virtual machine.
  ...(
    [
      ['In(05) vmx - Log for VMware ESX', 6],
      ['In(05)+ vmx - Power on failure messages: a', 6],
      ['No(00) vmx - Log for VMware ESX', 5],
      ['Er(02) vcpu-0 vim-cmd-09-a45d DISK: Cannot open disk', 3],
      ['Wa(03) mks host-12:5d a', 4],
    ] as const
  ).map(([message, severity]) => ({
    line: `2026-02-14T15:45:33.483Z ${message}`,
    time: '2026-02-14T15:45:33.483',
    severity,
    message,
  })),
  ...(
    [
      ['vmx| I005: Log for VMware ESX', 6],
      ['vcpu-0| W115: a', 4],
      ['vmx| E002+ a', 3],
      ['vmx| A115: a', undefined],
      ['vmx| I05: a', undefined],
      ['vmx I005: a', undefined],
    ] as const
  ).map(([message, severity]) => ({
    line: `2026-02-14T15:45:33.483Z| ${message}`,
    time: '2026-02-14T15:45:33.483',
    severity,
    message,
  })),
  // BusyBox's syslogd writes facility and level after the host, OpenWrt's logread has no host.
  {
    line: 'Nov 20 22:00:01 alpine auth.info sshd[5]: ok',
    time: '2026-11-20T22:00:01',
    basis: BOTH,
    host: 'alpine',
    program: 'sshd',
    pid: 5,
    facility: 4,
    severity: 6,
    message: 'sshd[5]: ok',
  },
  {
    line: 'Nov 20 22:00:01 alpine authpriv.notice su: + /dev/pts/0 alice:root',
    time: '2026-11-20T22:00:01',
    basis: BOTH,
    host: 'alpine',
    program: 'su',
    facility: 10,
    severity: 5,
    message: 'su: + /dev/pts/0 alice:root',
  },
  {
    line: 'Nov 20 22:00:01 web1 auth.sys sshd[5]: ok',
    time: '2026-11-20T22:00:01',
    basis: BOTH,
    host: 'web1',
    program: 'auth.sys sshd',
    pid: 5,
    message: 'auth.sys sshd[5]: ok',
  },
  {
    line: 'Nov 20 22:00:01 mail.info sshd[5]: ok',
    time: '2026-11-20T22:00:01',
    basis: BOTH,
    host: 'mail.info',
    program: 'sshd',
    pid: 5,
    message: 'sshd[5]: ok',
  },
  {
    line: 'Fri Nov 20 22:00:01 2026 authpriv.warn dropbear[555]: ok',
    time: '2026-11-20T22:00:01',
    basis: ZONE,
    program: 'dropbear',
    pid: 555,
    facility: 10,
    severity: 4,
    message: 'dropbear[555]: ok',
  },
  // GNOME's display manager.
  {
    line: '2026-11-20T22:00:01Z pc1 gdm-password][1400]: pam_unix(gdm-password:auth): x',
    time: '2026-11-20T22:00:01',
    offset: 0,
    host: 'pc1',
    program: 'gdm-password',
    pid: 1400,
    message: 'gdm-password][1400]: pam_unix(gdm-password:auth): x',
  },
  {
    line: '2026-11-20T22:00:01Z pc1 gdm-password]: gkr-pam: unlocked login keyring',
    time: '2026-11-20T22:00:01',
    offset: 0,
    host: 'pc1',
    program: 'gdm-password',
    message: 'gdm-password]: gkr-pam: unlocked login keyring',
  },
  // After a year a zone's name is no host.
  {
    line: '2026 Nov 20 22:00:01 CET web1 app[12]: x',
    time: '2026-11-20T21:00:01',
    offset: 3600,
    host: 'web1',
    program: 'app',
    pid: 12,
    message: 'app[12]: x',
  },
  {
    line: 'Nov 20 22:00:01 2026 UTC web1 app[12]: x',
    time: '2026-11-20T22:00:01',
    offset: 0,
    host: 'web1',
    program: 'app',
    pid: 12,
    message: 'app[12]: x',
  },
  {
    line: 'Nov 20 22:00:01 cet app[12]: x',
    time: '2026-11-20T22:00:01',
    basis: BOTH,
    host: 'cet',
    program: 'app',
    pid: 12,
    message: 'app[12]: x',
  },
  // FreeBSD's syslogd -v and -vv.
  {
    line: 'Apr  2 17:51:27 <4.3> pancake sshd[55624]: error',
    time: '2026-04-02T17:51:27',
    facility: 4,
    severity: 3,
    host: 'pancake',
    program: 'sshd',
    pid: 55624,
    message: 'sshd[55624]: error',
  },
  {
    line: 'Apr  2 17:51:27 <auth.info> pancake sshd[5]: ok',
    time: '2026-04-02T17:51:27',
    facility: 4,
    severity: 6,
    host: 'pancake',
    program: 'sshd',
    pid: 5,
    message: 'sshd[5]: ok',
  },
  {
    line: 'Apr  2 17:51:27 sun sshd[800]: [ID 800047 auth.error] error: x',
    time: '2026-04-02T17:51:27',
    facility: 4,
    severity: 3,
    host: 'sun',
    program: 'sshd',
    pid: 800,
    message: 'sshd[800]: [ID 800047 auth.error] error: x',
  },
  {
    line: 'jan 2, 2026 8:34:08 PM org.example.Logger warn',
    time: '2026-01-02T20:34:08',
    message: 'org.example.Logger warn',
  },
  {
    line: '2024-04-16T06:21:30.49495227Z stdout F 192.0.2.1 - - [Tue] x',
    time: '2024-04-16T06:21:30.49495227',
    message: 'stdout F 192.0.2.1 - - [Tue] x',
  },
  {
    line: '2024-04-04T20:30:55.424Z source=k8s 2024-04-04 18:30:54 [myid:] - INFO x',
    time: '2024-04-04T20:30:55.424',
    message: 'source=k8s 2024-04-04 18:30:54 [myid:] - INFO x',
  },
  // A priority and no time: Linux sockets, and senders that leave it out.
  {
    line: "<34>su[12]: 'su root' failed",
    facility: 4,
    severity: 2,
    program: 'su',
    pid: 12,
    message: "su[12]: 'su root' failed",
  },
  { line: '<192>not a priority', message: '<192>not a priority' },
  { line: '<34>no tag here', facility: 4, severity: 2, message: 'no tag here' },
  // The kernel.
  {
    line: '[12345.678901] usb 1-1: new device',
    message: 'usb 1-1: new device',
    attrs: { uptime: '12345.678901' },
  },
  {
    line: '<6>[    0.000000] Linux version',
    facility: 0,
    severity: 6,
    message: 'Linux version',
    attrs: { uptime: '0.000000' },
  },
  {
    line: 'Jun 21 16:47:50 machine kernel: [  970.699396] F2B',
    time: '2026-06-21T16:47:50',
    host: 'machine',
    program: 'kernel',
    message: 'kernel: [  970.699396] F2B',
    attrs: { uptime: '970.699396' },
  },
  // Cisco.
  {
    line: '%ASA-6-302013: Built outbound',
    severity: 6,
    event_type: 'ASA-6-302013',
    message: '%ASA-6-302013: Built outbound',
  },
  {
    line: '<166>%ASA-4-106023: Deny',
    facility: 20,
    severity: 6,
    event_type: 'ASA-4-106023',
    message: '%ASA-4-106023: Deny',
  },
  {
    line: '<166>Oct 10 2018 12:34:56: %ASA-6-302013: Built outbound',
    time: '2018-10-10T12:34:56',
    facility: 20,
    severity: 6,
    event_type: 'ASA-6-302013',
    message: '%ASA-6-302013: Built outbound',
  },
  {
    line: '<166>Oct 10 2018 12:34:56 fw1 : %ASA-6-302013: Built outbound',
    time: '2018-10-10T12:34:56',
    facility: 20,
    severity: 6,
    host: 'fw1',
    event_type: 'ASA-6-302013',
    message: '%ASA-6-302013: Built outbound',
  },
  {
    line: '<166>Oct 10 2018 12:34:56 fw1: %ASA-6-302013: Built outbound',
    time: '2018-10-10T12:34:56',
    facility: 20,
    severity: 6,
    host: 'fw1',
    event_type: 'ASA-6-302013',
    message: '%ASA-6-302013: Built outbound',
  },
  {
    line: '<187>Jun 14 2026 11:34:35 sw1 XYZ: %SFF8472-3-THRESHOLD_VIOLATION: Te2/0/17',
    time: '2026-06-14T11:34:35',
    facility: 23,
    severity: 3,
    host: 'sw1',
    event_type: 'SFF8472-3-THRESHOLD_VIOLATION',
    message: '%SFF8472-3-THRESHOLD_VIOLATION: Te2/0/17',
  },
  {
    line: '<189>: 2026 May  2 12:57:15: %ETHPORT-5-IF_DOWN: Interface',
    time: '2026-05-02T12:57:15',
    facility: 23,
    severity: 5,
    event_type: 'ETHPORT-5-IF_DOWN',
    message: '%ETHPORT-5-IF_DOWN: Interface',
  },
  {
    line: '<158>77: wlc1: 78: Oct 3 2026 16:14:07.740 XYZ: %APMGR-6-AWIPS: Alarm',
    time: '2026-10-03T16:14:07.740',
    facility: 19,
    severity: 6,
    host: 'wlc1',
    event_type: 'APMGR-6-AWIPS',
    message: '%APMGR-6-AWIPS: Alarm',
    attrs: { sequence: '77' },
  },
  {
    line: '<165>77: sw1: 000078: 2y10w: %SYS-5-CONFIG_I: Configured',
    facility: 20,
    severity: 5,
    host: 'sw1',
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: Configured',
    attrs: { sequence: '77', uptime: '2y10w' },
  },
  {
    line: '<165>78: 00:00:46: %SYS-5-CONFIG_I: Configured',
    facility: 20,
    severity: 5,
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: Configured',
    attrs: { sequence: '78', uptime: '00:00:46' },
  },
  {
    line: '<190>77: 192.0.2.9 78: Nov 29 2026 10:00:00.398 UTC: %SYS-5-CONFIG_I: Configured',
    time: '2026-11-29T10:00:00.398',
    offset: 0,
    facility: 23,
    severity: 6,
    host: '192.0.2.9',
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: Configured',
    attrs: { sequence: '77' },
  },
  {
    line: '<190>77: 2001:db8::: 78: Nov 29 2026 10:00:00.398 UTC: %SYS-5-CONFIG_I: Configured',
    time: '2026-11-29T10:00:00.398',
    offset: 0,
    facility: 23,
    severity: 6,
    host: '2001:db8::',
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: Configured',
    attrs: { sequence: '77' },
  },
  {
    line: '<190>77: sw1 Nov 29 2026 10:00:00.398 UTC: %SYS-5-CONFIG_I: Configured',
    time: '2026-11-29T10:00:00.398',
    offset: 0,
    facility: 23,
    severity: 6,
    host: 'sw1',
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: Configured',
    attrs: { sequence: '77' },
  },
  {
    line: '<46>: sw1 Nov 29 2026 10:00:00 UTC: %SNMPD-6-INFO: x',
    time: '2026-11-29T10:00:00',
    offset: 0,
    facility: 5,
    severity: 6,
    host: 'sw1',
    event_type: 'SNMPD-6-INFO',
    message: '%SNMPD-6-INFO: x',
  },
  {
    line: '<46>Original Address=192.0.2.9 1 2026-11-29T10:00:00Z sw1 sshd 7 - - x',
    time: '2026-11-29T10:00:00',
    facility: 5,
    severity: 6,
    host: 'sw1',
    program: 'sshd',
    pid: 7,
    message: 'x',
    attrs: { original_address: '192.0.2.9' },
  },
  {
    line: '<46>Original Address=192.0.2.9 <38>Nov 29 10:00:00 sw1 sshd[7]: x',
    time: '2025-11-29T10:00:00',
    facility: 4,
    severity: 6,
    host: 'sw1',
    program: 'sshd',
    pid: 7,
    message: 'sshd[7]: x',
    attrs: { original_address: '192.0.2.9' },
  },
  {
    line: '<46>Original Address=2001:db8::9 hello',
    facility: 5,
    severity: 6,
    host: '2001:db8::9',
    message: 'hello',
    attrs: { original_address: '2001:db8::9' },
  },
  // A relay that writes its own time and the sender before the line as it came.
  ...['', '78 '].map((count) => ({
    line: `Mar  1 22:05:25 192.0.2.9 ${count}<38>1 2026-03-01T21:05:25.508Z sw1 sshd 7 ID1 - x`,
    time: '2026-03-01T21:05:25.508',
    digits: 3,
    facility: 4,
    severity: 6,
    host: 'sw1',
    program: 'sshd',
    pid: 7,
    event_type: 'ID1',
    message: 'x',
    attrs: { original_address: '192.0.2.9' },
  })),
  {
    line: '<13>Mar  1 22:05:25 192.0.2.9 <38>Mar  1 21:05:24 sw1 sshd[7]: x',
    time: '2026-03-01T21:05:24',
    facility: 4,
    severity: 6,
    host: 'sw1',
    program: 'sshd',
    pid: 7,
    message: 'sshd[7]: x',
    attrs: { original_address: '192.0.2.9' },
  },
  // The relay's time states its zone, the device's does not.
  {
    line: '2026-03-01T22:05:25+01:00 192.0.2.9 <38>Mar  1 23:05:24 sw1 sshd[7]: x',
    time: '2026-03-01T21:05:25',
    facility: 4,
    severity: 6,
    host: 'sw1',
    program: 'sshd',
    pid: 7,
    message: 'sshd[7]: x',
    attrs: { original_address: '192.0.2.9' },
  },
  {
    line: 'Mar  1 22:05:25 192.0.2.9 <14>CEF:0|Example|Wall|1.0|100|denied|5|act=x',
    time: '2026-03-01T22:05:25',
    facility: 1,
    severity: 6,
    host: '192.0.2.9',
    message: 'CEF:0|Example|Wall|1.0|100|denied|5|act=x',
    attrs: { original_address: '192.0.2.9' },
  },
  // What looks like a priority is one only before a time, and is not above 191.
  ...[
    '<14>hello',
    '<3> I love it',
    '17 <b>bold',
    '<14>21:05:25 sw1 sshd[7]: x',
    '<999>Mar  1 21:05:25 sw1 sshd[7]: x',
    'x <14>Mar  1 21:05:25 sw1 sshd[7]: x',
  ].map((message) => ({
    line: `<13>Mar  1 22:05:25 fw1 ${message}`,
    time: '2026-03-01T22:05:25',
    facility: 1,
    severity: 5,
    host: 'fw1',
    message,
  })),
  // Only one relay's header is skipped.
  {
    line: 'Mar  1 22:05:25 fw1 <14>Mar  1 22:05:24 fw2 <14>Mar  1 22:05:23 sw1 x',
    time: '2026-03-01T22:05:24',
    facility: 1,
    severity: 6,
    host: 'fw2',
    message: '<14>Mar  1 22:05:23 sw1 x',
    attrs: { original_address: 'fw1' },
  },
  {
    line: '<46>Original Address=unknown hello',
    facility: 5,
    severity: 6,
    message: 'Original Address=unknown hello',
  },
  // A word of a sentence is not a host, nor is the client of an access log.
  ...[
    'Login failed for user alice',
    'fw-1 Login failed for user alice',
    'user1 logged in from 10.0.0.1',
    'user1 : opened session',
    '192.0.2.7 connected to port 22',
    '999.999.999.999 is pi',
    'index.html not found',
    'Re-established connection to db',
    'non-fatal error in module',
    'v1.2 started',
    'eth0 link down',
    'x509 certificate expired',
    'java.lang.NullPointerException at com.x',
    'config.yml [warn] deprecated',
    '::1 - - [29/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5',
    'alice.smith logged in',
    '10.0.0.5 10.0.0.6 - - "GET / HTTP/1.1" 200',
    '550e8400-e29b-41d4-a716-446655440000 request done',
    'worker-1 started',
    'Removed device=foo',
    'Updated device="X" by bob',
    'Found device_name=foo',
    'Found devname=foo',
    'Set date=2026-11-29',
    'Read id=firewall from cache',
    'Processed 1,234 records',
    '203.0.113.5 - alice [29/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 12 "-" "curl"',
  ].flatMap((message) => [
    {
      line: `<134>2026-11-29T10:00:00Z ${message}`,
      time: '2026-11-29T10:00:00',
      facility: 16,
      severity: 6,
      message,
    },
    {
      line: `2026-11-29T10:00:00.123456+00:00 ${message}`,
      time: '2026-11-29T10:00:00.123456',
      message,
    },
    {
      line: `2026-11-29 10:00:00 ${message}`,
      time: '2026-11-29T10:00:00',
      message,
    },
  ]),
  ...['Received', 'fw-1'].map((word) => {
    const message = `${word} date=2026-11-29 time=10:00:00 devname="fw1"`;
    return { line: `2026-11-29 10:00:00 ${message}`, time: '2026-11-29T10:00:00', message };
  }),
  ...[
    'date=2026-11-29 time=10:00:00 devname="fw1"',
    'devname="fw1" devid="FG1" date=2026-11-29 time=10:00:00',
    'device="SFW" date=2026-11-29 time=10:00:00 timezone="UTC"',
    'id=firewall sn=0017C5000000 time="2026-11-29 10:00:00" fw=192.0.2.1',
    'id=firewall time="2026-11-29 10:00:00" fw="pf"',
    '1,2026/11/29 10:00:00,0154,TRAFFIC,end',
  ].map((message) => ({
    line: `<134>2026-11-29T10:00:00Z fw1 ${message}`,
    time: '2026-11-29T10:00:00',
    facility: 16,
    severity: 6,
    host: 'fw1',
    message,
  })),
  // Names without a following mnemonic, numbers, and times since the start are not names of Cisco's devices.
  ...[
    '5: last 78: Nov 29 2026 10:00:00: restored',
    '5: since 78: Nov 29 2026 10:00:00: link down',
    '5: port 3: Nov 29 2026 10:00:00 link down',
    '5: port: Nov 29 2026 10:00:00 link down',
  ].map((message) => ({
    line: `<189>${message}`,
    time: '2026-11-29T10:00:00',
    facility: 23,
    severity: 5,
    message,
  })),
  {
    line: '<190>77: 78: Nov 29 2026 10:00:00 UTC: %SYS-5-CONFIG_I: x',
    time: '2026-11-29T10:00:00',
    facility: 23,
    severity: 6,
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: x',
    attrs: { sequence: '77' },
  },
  {
    line: '<14>5: %SYS-5-X: x',
    facility: 1,
    severity: 6,
    event_type: 'SYS-5-X',
    message: '%SYS-5-X: x',
    attrs: { sequence: '5' },
  },
  {
    line: '<189>1y2w: %SYS-5-CONFIG_I: x',
    facility: 23,
    severity: 5,
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: x',
    attrs: { uptime: '1y2w' },
  },
  ...[
    'Error Nov 29 2026 10:00:00: %d items failed',
    'Task Nov 29 2026 10:00:00 UTC: %d items failed',
    'Task: Nov 29 2026 10:00:00 UTC: %d items failed',
  ].map((line) => ({ line, time: '2026-11-29T10:00:00', message: line })),
  // A percent sign is not a mnemonic, and the word before it not a zone.
  ...['EST used %d of 10', 'PST top %CPU reached 99'].map((text) => ({
    line: `Nov 29 10:00:00 ${text}`,
    time: '2025-11-29T10:00:00',
    offset: 0,
    host: text.slice(0, 3),
    message: text.slice(4),
  })),
  // Output of `debug`.
  {
    line: '<189>47: sw2: Nov 29 2026 10:00:00.001: ISAKMP (0): received',
    time: '2026-11-29T10:00:00.001',
    facility: 23,
    severity: 5,
    host: 'sw2',
    message: 'ISAKMP (0): received',
    attrs: { sequence: '47' },
  },
  // Hardly any zone has a digit: it is the device, if a mnemonic follows.
  {
    line: '<189>17: Nov 29 2026 10:00:00 sw1: %SYS-5-CONFIG_I: x',
    time: '2026-11-29T10:00:00',
    facility: 23,
    severity: 5,
    host: 'sw1',
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: x',
    attrs: { sequence: '17' },
  },
  {
    line: '<189>17: sw9: Nov 29 2026 10:00:00 sw1: %SYS-5-CONFIG_I: x',
    time: '2026-11-29T10:00:00',
    facility: 23,
    severity: 5,
    host: 'sw9',
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: x',
    attrs: { sequence: '17' },
  },
  ...['GMT8', 'CET1', 'UTC7', 'utc8', 'WIB7', 'EST5EDT', 'AEST10'].map((zone) => ({
    line: `<189>17: Nov 29 2026 10:00:00 ${zone}: %SYS-5-CONFIG_I: x`,
    time: '2026-11-29T10:00:00',
    facility: 23,
    severity: 5,
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: x',
    attrs: { sequence: '17' },
  })),
  ...['eth1: down', 'sw1: %d items', 'sw1: % of it'].map((message) => ({
    line: `<189>17: Nov 29 2026 10:00:00 ${message}`,
    time: '2026-11-29T10:00:00',
    facility: 23,
    severity: 5,
    message,
    attrs: { sequence: '17' },
  })),
  // H3C, Huawei and NX-OS.
  ...['%%10SHELL/5/SHELL_LOGIN: admin in', '%$VDC-1 %$ %LINK-3-UPDOWN: x'].map((message) => ({
    line: `Nov 29 10:00:00 CET fw1 ${message}`,
    time: '2025-11-29T09:00:00',
    offset: 3600,
    host: 'fw1',
    message,
  })),
  {
    line: '<189>45: 10.0.0.1: 00:10:11: %SYS-5-CONFIG_I: y',
    facility: 23,
    severity: 5,
    host: '10.0.0.1',
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: y',
    attrs: { sequence: '45', uptime: '00:10:11' },
  },
  {
    line: ' <134>1 2026-11-29T10:00:00Z sw1 sshd 7 - - x',
    time: '2026-11-29T10:00:00',
    offset: 0,
    facility: 16,
    severity: 6,
    host: 'sw1',
    program: 'sshd',
    pid: 7,
    message: 'x',
  },
  {
    line: '%SNMP-W-SNMPAUTHFAIL: Access attempted',
    severity: 4,
    event_type: 'SNMP-W-SNMPAUTHFAIL',
    message: '%SNMP-W-SNMPAUTHFAIL: Access attempted',
  },
  {
    line: '<166>: 2026 Nov 29 10:00:00 UTC fw1 : %FTD-auth-6-113039: Group',
    time: '2026-11-29T10:00:00',
    offset: 0,
    facility: 20,
    severity: 6,
    host: 'fw1',
    event_type: 'FTD-auth-6-113039',
    message: '%FTD-auth-6-113039: Group',
  },
  {
    line: '2026-11-29T10:00:00Z fw1 : %FTD-6-430003: x',
    time: '2026-11-29T10:00:00',
    offset: 0,
    severity: 6,
    host: 'fw1',
    event_type: 'FTD-6-430003',
    message: '%FTD-6-430003: x',
  },
  {
    line: '2026-11-29T10:00:00.976660+00:00 192.0.2.9 date=2026-11-29 time=10:00:00 devname="fw1"',
    time: '2026-11-29T10:00:00.976660',
    offset: 0,
    host: '192.0.2.9',
    message: 'date=2026-11-29 time=10:00:00 devname="fw1"',
  },
  {
    line: '<134>1 1764410400.123456789 MX84 events type=vpn_connectivity_change',
    time: '2025-11-29T10:00:00.123456789',
    facility: 16,
    severity: 6,
    host: 'MX84',
    message: '1 1764410400.123456789 MX84 events type=vpn_connectivity_change',
  },
  {
    line: 'Oct 10 2018 12:34:56 localhost CiscoASA[999]: %ASA-4-106023: Deny',
    time: '2018-10-10T12:34:56',
    host: 'localhost',
    program: 'CiscoASA',
    pid: 999,
    severity: 4,
    event_type: 'ASA-4-106023',
    message: 'CiscoASA[999]: %ASA-4-106023: Deny',
  },
  {
    line: '<189>000123: *Mar  1 00:00:00.123 UTC: %SYS-5-CONFIG_I: Configured',
    time: '2026-03-01T00:00:00.123',
    basis: TS_BASIS.yearDecided,
    facility: 23,
    severity: 5,
    event_type: 'SYS-5-CONFIG_I',
    message: '%SYS-5-CONFIG_I: Configured',
    attrs: { sequence: '000123' },
  },
  {
    line: '*Mar  1 18:46:11: %LINK-3-UPDOWN: Interface',
    time: '2026-03-01T18:46:11',
    severity: 3,
    event_type: 'LINK-3-UPDOWN',
    message: '%LINK-3-UPDOWN: Interface',
  },
  {
    line: '<187>45: router1: *Mar  1 18:46:11: %LINK-3-UPDOWN: Interface',
    time: '2026-03-01T18:46:11',
    facility: 23,
    severity: 3,
    host: 'router1',
    event_type: 'LINK-3-UPDOWN',
    message: '%LINK-3-UPDOWN: Interface',
    attrs: { sequence: '45' },
  },
  {
    line: 'Mar  1 18:46:12 10.0.0.1 77: *Mar  1 18:46:11.5: %LINK-3-UPDOWN: I',
    time: '2026-03-01T18:46:12',
    host: '10.0.0.1',
    severity: 3,
    event_type: 'LINK-3-UPDOWN',
    attrs: { sequence: '77' },
  },
  // ISO 8601 and RFC 3339 as rsyslog and others write them.
  {
    line: '2026-10-01T00:00:00.000Z host12 sshd[123]: Accepted',
    time: '2026-10-01T00:00:00.000',
    basis: 0,
    host: 'host12',
    program: 'sshd',
    pid: 123,
    message: 'sshd[123]: Accepted',
  },
  {
    line: '2026-10-01T02:00:00+02:00 host12 kernel: x',
    time: '2026-10-01T00:00:00',
    offset: 7200,
    host: 'host12',
    program: 'kernel',
    message: 'kernel: x',
  },
  {
    line: '2026-10-01T02:00:00,5+0200 m',
    // A fraction after a comma, as the zone after it shows.
    time: '2026-10-01T00:00:00.5',
    basis: 0,
    offset: 7200,
    message: 'm',
  },
  {
    line: '2026-10-01 10:11:12,123 - INFO [main] x',
    time: '2026-10-01T10:11:12.123',
    basis: ZONE,
    message: 'INFO [main] x',
  },
  {
    line: '2026-10-01 10:11:12.123456789 +0130 m',
    time: '2026-10-01T08:41:12.123456789',
    offset: 5400,
    message: 'm',
  },
  {
    line: '2026-10-01 10:11:12 UTC [77] LOG:  x',
    time: '2026-10-01T10:11:12',
    basis: 0,
    message: '[77] LOG:  x',
  },
  {
    line: '2026-10-01 10:11:12 CEST [77] LOG:  x',
    time: '2026-10-01T08:11:12',
    offset: 7200,
    message: '[77] LOG:  x',
  },
  {
    line: '2026-10-01 10:11:12 host1 sshd[5]: x',
    time: '2026-10-01T10:11:12',
    host: 'host1',
    program: 'sshd',
    pid: 5,
    message: 'sshd[5]: x',
  },
  {
    line: '2026-10-01T10:11:12Z info vpxd[45715] x',
    time: '2026-10-01T10:11:12',
    severity: 6,
    program: 'vpxd',
    pid: 45715,
    message: 'info vpxd[45715] x',
  },
  {
    line: '2026/10/01 10:11:12 [error] 2865#0: *6 user',
    time: '2026-10-01T10:11:12',
    severity: 3,
    message: '[error] 2865#0: *6 user',
  },
  {
    line: '2026.10.01 10:11:12 LOG3: x',
    time: '2026-10-01T10:11:12',
    program: 'LOG3',
    message: 'LOG3: x',
  },
  { line: '20261001 10:11:12 x', time: '2026-10-01T10:11:12', message: 'x' },
  { line: '20261001T101112Z x', time: '2026-10-01T10:11:12', message: 'x' },
  { line: '20261001-1:2:3:45|x', time: '2026-10-01T01:02:03.045', message: 'x' },
  { line: '261001 101112 148 INFO x', time: '2026-10-01T10:11:12', message: '148 INFO x' },
  { line: '2026-274T10:11:12 x', time: '2026-10-01T10:11:12', message: 'x' },
  { line: '2026-12-31T23:59:60Z x', time: '2027-01-01T00:00:00', message: 'x' },
  // ctime, Apache errors, RFC 5322.
  {
    line: 'Sat Jun 01 02:17:42 2013 [pid 2] CONNECT',
    time: '2013-06-01T02:17:42',
    message: '[pid 2] CONNECT',
  },
  {
    line: '[Sat Jun 01 02:17:42.569531 2013] [core:error] [pid 4] AH1',
    time: '2013-06-01T02:17:42.569531',
    severity: 3,
    message: '[core:error] [pid 4] AH1',
  },
  {
    line: 'Wed May 19 08:00:01 EST 2021 line',
    time: '2021-05-19T13:00:01',
    basis: 0,
    offset: -18000,
    message: 'line',
  },
  {
    line: 'Fri, 19 Jan 2007 12:20:33 +0100 x',
    time: '2007-01-19T11:20:33',
    offset: 3600,
    message: 'x',
  },
  // Access logs: the client before the time is part of the message.
  {
    line: '192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326',
    time: '2000-10-10T20:55:36',
    offset: -25200,
    message: '192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326',
  },
  {
    line: '[10/Oct/2000:13:55:36 +0000] 192.0.2.7 GET /',
    time: '2000-10-10T13:55:36',
    message: '192.0.2.7 GET /',
  },
  { line: '192.0.2.7 - - [02/sept./2015:00:11:31 +0200] "GET /"', time: '2015-09-01T22:11:31' },
  // Seconds since 1970, TAI64N.
  { line: '1428634687 x', time: '2015-04-10T02:58:07', basis: 0, message: 'x' },
  {
    line: '1428634687.123    4 192.0.2.7 TCP_DENIED/403',
    time: '2015-04-10T02:58:07.123',
    basis: 0,
    message: '4 192.0.2.7 TCP_DENIED/403',
  },
  { line: '1428634687123 x', time: '2015-04-10T02:58:07.123', message: 'x' },
  {
    line: '[1387288694] nsd[7745]: info: x',
    time: '2013-12-17T13:58:14',
    program: 'nsd',
    pid: 7745,
    message: 'nsd[7745]: info: x',
  },
  {
    line: '@400000004c91b044077a9e94 imap-login: x',
    time: '2010-09-16T05:50:50.125476500',
    message: 'imap-login: x',
  },
  // Microsoft's DHCP server, audit, Fortinet, supercomputers.
  {
    line: '10,12/06/21,12:43:57,Assign,192.0.2.17,pc1.example.org,00005E005301,,1,0',
    time: '2021-12-06T12:43:57',
    message: '10,12/06/21,12:43:57,Assign,192.0.2.17,pc1.example.org,00005E005301,,1,0',
  },
  {
    line: '10,13/06/21,12:43:57,Assign,192.0.2.17',
    message: '10,13/06/21,12:43:57,Assign,192.0.2.17',
  },
  {
    line: '24,12/06/21,12:43:57,Database Cleanup Begin,,,,,0,6,,,,,,,,,0',
    time: '2021-12-06T12:43:57',
    message: '24,12/06/21,12:43:57,Database Cleanup Begin,,,,,0,6,,,,,,,,,0',
  },
  // An unknown log: the meaning of its dates is unknown.
  ...['1,05/06/21,12:43:57,door,open', '10,05/06/21,12:43:57,Assign,one,two,three,four'].map(
    (line) => ({ line, message: line }),
  ),
  {
    line: 'type=USER_LOGIN msg=audit(1373330716.415:4063): user pid=1',
    time: '2013-07-09T00:45:16.415',
    event_type: 'USER_LOGIN',
    message: 'type=USER_LOGIN msg=audit(1373330716.415:4063): user pid=1',
  },
  {
    line: '<189>date=2020-04-23 time=01:16:08 devname="fw" tz="-0500" x=1',
    time: '2020-04-23T06:16:08',
    offset: -18000,
    facility: 23,
    severity: 5,
    message: 'date=2020-04-23 time=01:16:08 devname="fw" tz="-0500" x=1',
  },
  {
    line: '<30>device="SFW" date=2020-05-18 time=14:38:48 timezone="CEST" device_name="fw"',
    time: '2020-05-18T12:38:48',
    offset: 7200,
    facility: 3,
    severity: 6,
    message: 'device="SFW" date=2020-05-18 time=14:38:48 timezone="CEST" device_name="fw"',
  },
  {
    line: 'device="SFW" date=2020-05-18 time=14:38:48 timezone="+11" device_name="fw"',
    time: '2020-05-18T03:38:48',
    offset: 39_600,
    message: 'device="SFW" date=2020-05-18 time=14:38:48 timezone="+11" device_name="fw"',
  },
  {
    line: 'device="SFW" date=2020-05-18 time=14:38:48 timezone="IST" device_name="fw"',
    time: '2020-05-18T14:38:48',
    message: 'device="SFW" date=2020-05-18 time=14:38:48 timezone="IST" device_name="fw"',
  },
  {
    line: 'devname="fw" devid="FG1" date=2021-05-07 time=08:31:14 eventtime=1620372674 tz="+0100" x=1',
    time: '2021-05-07T07:31:14',
    offset: 3600,
    message:
      'devname="fw" devid="FG1" date=2021-05-07 time=08:31:14 eventtime=1620372674 tz="+0100" x=1',
  },
  {
    line: 'date=2018-07-26 time=16:51:36 logid="1" eventtime=1532616695 srcip=192.0.2.1',
    time: '2018-07-26T14:51:36',
    offset: 7200,
    message: 'date=2018-07-26 time=16:51:36 logid="1" eventtime=1532616695 srcip=192.0.2.1',
  },
  {
    line: 'date=2023-01-30,time=16:09:16.825,device_id=FE1,type=spam',
    time: '2023-01-30T16:09:16.825',
    message: 'date=2023-01-30,time=16:09:16.825,device_id=FE1,type=spam',
  },
  {
    line: 'time="2023-11-23 06:49:20" fw="SN1" tz=+0100 startime="2023-11-23 06:49:20" pri=4',
    time: '2023-11-23T05:49:20',
    offset: 3600,
    message: 'time="2023-11-23 06:49:20" fw="SN1" tz=+0100 startime="2023-11-23 06:49:20" pri=4',
  },
  {
    line: '1,2023/06/28 14:40:42,0154,GLOBALPROTECT,0,2562,2023/06/28 14:40:42,x,2023-06-28T14:40:43.134+02:00,y',
    time: '2023-06-28T12:40:42',
    offset: 7200,
    message:
      '1,2023/06/28 14:40:42,0154,GLOBALPROTECT,0,2562,2023/06/28 14:40:42,x,2023-06-28T14:40:43.134+02:00,y',
  },
  {
    line: '<14>Jun 28 14:40:43 pa-1 1,2023/06/28 14:40:42,0154,TRAFFIC,end,2562,x,2023-06-28T14:40:43.134-07:00,y',
    time: '2023-06-28T21:40:43',
    offset: -25_200,
    facility: 1,
    severity: 6,
    host: 'pa-1',
    message: '1,2023/06/28 14:40:42,0154,TRAFFIC,end,2562,x,2023-06-28T14:40:43.134-07:00,y',
  },
  // An epoch of another day, an exact time of another hour: they refer to something else.
  {
    line: 'date=2018-12-29 time=14:50:47 eventtime=1540849847 x=1',
    time: '2018-12-29T14:50:47',
    message: 'date=2018-12-29 time=14:50:47 eventtime=1540849847 x=1',
  },
  {
    line: '1,2023/06/28 14:40:42,0154,TRAFFIC,end,2562,2023/06/28 14:40:42,2023-06-28T12:00:00.000+02:00,y',
    time: '2023-06-28T14:40:42',
    message:
      '1,2023/06/28 14:40:42,0154,TRAFFIC,end,2562,2023/06/28 14:40:42,2023-06-28T12:00:00.000+02:00,y',
  },
  {
    line: '<134>CEF:0|A|B|1|2|moved|3|src=192.0.2.1 start=1593013775000 rt=1593013776005 end=1593013777000',
    time: '2020-06-24T15:49:36.005',
    facility: 16,
    severity: 6,
    message:
      'CEF:0|A|B|1|2|moved|3|src=192.0.2.1 start=1593013775000 rt=1593013776005 end=1593013777000',
  },
  {
    line: 'CEF:0|A|B|1|2|moved|3|rt=Mar 04 2026 05:06:07 GMT+02:00 act=x',
    time: '2026-03-04T03:06:07',
    offset: 7200,
    message: 'CEF:0|A|B|1|2|moved|3|rt=Mar 04 2026 05:06:07 GMT+02:00 act=x',
  },
  {
    line: 'LEEF:1.0|A|B|1|2|src=192.0.2.1\tdevTime=1593013776\tusrName=alice',
    time: '2020-06-24T15:49:36',
    message: 'LEEF:1.0|A|B|1|2|src=192.0.2.1\tdevTime=1593013776\tusrName=alice',
  },
  // A repeated name, an invalid time, a number with further digits, another name with the same ending.
  ...[
    'CEF:0|A|B|1|2|x|3|msg=said rt=1593013776000 rt=1593013777000',
    'CEF:0|A|B|1|2|x|3|rt=soon start=1593013776000',
    'CEF:0|A|B|1|2|x|3|rt=1593013776000x act=y',
    'CEF:0|A|B|1|2|x|3|art=1593013776000 mrt=1593013776000',
  ].map((line) => ({ line, message: line })),
  {
    line: 'CEF:0|A|B|1|2|moved|3|rt=Mar 04 2026 05:06:07 CEST end=1772593567000 act=x',
    time: '2026-03-04T03:06:07',
    offset: 7200,
    message: 'CEF:0|A|B|1|2|moved|3|rt=Mar 04 2026 05:06:07 CEST end=1772593567000 act=x',
  },
  // A text within quotes may be chosen by anybody.
  ...(
    [
      [
        'date=2026-03-04 time=05:06:07 devname="fw1" url="/a tz=+0900 x" tz="-0500"',
        '10:06:07',
        -18_000,
      ],
      [
        'date=2026-03-04 time=05:06:07 devname="fw1" agent="x timezone=+0900" tz="-0500"',
        '10:06:07',
        -18_000,
      ],
      ['date=2026-03-04 time=05:06:07 eventtime=1772597167 url="/a tz=+0900 x"', '04:06:07', 3600],
      [
        'devid="FG" devname="x date=2020-01-01 time=00:00:00 y" date=2026-03-04 time=05:06:07',
        '05:06:07',
      ],
      [
        'id=firewall time="2026-03-04 05:06:07" fw="pf" user="bob tz=+0900" tz=+0100',
        '04:06:07',
        3600,
      ],
      ['device="SFW" date=2026-03-04 time=05:06:07 timezone="GMT+02:00" x=1', '03:06:07', 7200],
      // Quotes that may end elsewhere, a zone that is there twice.
      ['date=2026-03-04 time=05:06:07 url="/a\\" tz=+0900 x=" tz="-0500"', '05:06:07'],
      ['date=2026-03-04 time=05:06:07 url=/a tz=+0900 tz="-0500"', '05:06:07'],
      ['date=2026-03-04 time=05:06:07 url="/a" tz=+0900 x=" tz="-0500"', '05:06:07'],
      ['date=2026-03-04 time=05:06:07 tz="-0500" url="/a "b" c"', '10:06:07', -18_000],
      ['time="2026-03-04 05:06:07" level=info msg="hello tz=+1100 x"', '05:06:07'],
      ['time="2026-03-04 05:06:07" level=info tz=+1100', '05:06:07'],
      [
        '1,2026/03/04 05:06:07,0154,THREAT,url,2562,"x/,2026-03-04T05:07:07.000+09:00,a",2026-03-04T05:06:07.134+01:00,y',
        '04:06:07',
        3600,
      ],
      [
        '1,2026/03/04 05:06:07,0154,THREAT,url,2562,"a ""b,2026-03-04T05:07:07.000+09:00,",2026-03-04T05:06:07.134+01:00',
        '04:06:07',
        3600,
      ],
      [
        '1,2026/03/04 05:06:07,0154,THREAT,url,2562,2026-03-04T05:07:07.000+09:00,2026-03-04T05:06:07.134+01:00,y',
        '05:06:07',
      ],
      [
        'CEF:0|V|P|1|100|GET /x rt=1593013776000 y|5|src=1.2.3.4 start=1772600767000',
        '05:06:07.000',
      ],
      ['CEF:0|V|P|1|100|a \\| rt=1593013776000 y|5|start=1772600767000', '05:06:07.000'],
    ] satisfies [string, string, number?][]
  ).map(([line, clock, offset]) => ({
    ...{ line, time: `2026-03-04T${clock}`, message: line },
    ...(offset === undefined ? {} : { offset }),
  })),
  ...[
    'CEF:0|V|P|1|100|x|5|start=1772600000000 requestClientApplication=Mozilla rt=1593013776000 x',
    'CEF:0|V|P|1|100|x|5|start=1772600000000 requestClientApplication=Mozilla rt=1593013776000',
    'CEF:0|V|P|1|100|x|5|rt=Jun 24 2020 15:49:36 IST src=192.0.2.1',
    'CEF:0|V|P|1|100|x|5|rt=Jun 24 2020 15:49:36 UTC src=192.0.2.1 end=1772600000000',
    'LEEF:1.0|V|P|1|x devTime=1593013776 y|src=192.0.2.1',
  ].map((line) => ({ line, message: line })),
  {
    line: '- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228/dn228 crond[2915]: session',
    time: '2005-11-09T20:01:01',
    host: 'dn228',
    program: 'crond',
    pid: 2915,
    message: 'crond[2915]: session',
  },
  // Orders of day, month and year.
  { line: '10/13/2021 07:57:42.865 x', time: '2021-10-13T07:57:42.865', message: 'x' },
  { line: '13/10/2021 07:57:42 x', time: '2021-10-13T07:57:42', message: 'x' },
  { line: '27.05.2019 10:09:04 x', time: '2019-05-27T10:09:04', message: 'x' },
  { line: '03-07-2005 23:07:20 x', time: '2005-07-03T23:07:20', message: 'x' },
  { line: '17/06/09 20:10:40 INFO x', time: '2017-06-09T20:10:40', message: 'INFO x' },
  { line: '10/13/21 07:57:42.865446 pid=6', time: '2021-10-13T07:57:42.865446', message: 'pid=6' },
  {
    line: '03-17 16:13:38.811  1702 D W: x',
    time: '2026-03-17T16:13:38.811',
    basis: BOTH,
    message: '1702 D W: x',
  },
  { line: '9/27/2013 2:42:26 PM x', time: '2013-09-27T14:42:26', message: 'x' },
  { line: '27-Jun-2013 11:55:44.569 x', time: '2013-06-27T11:55:44.569', message: 'x' },
  { line: 'Apr-07-13 07:08:36 [SSL-out] x', time: '2013-04-07T07:08:36', message: '[SSL-out] x' },
  {
    line: 'I0517 15:04:22.619632 1952452992 a.cc:253] x',
    time: '2026-05-17T15:04:22.619632',
    severity: 6,
  },
  {
    line: 'E0517 15:04:22.619632       1 a.go:25] x',
    time: '2026-05-17T15:04:22.619632',
    severity: 3,
  },
  {
    line: 'Dez 24 18:00:00 host app: x',
    time: '2025-12-24T18:00:00',
    host: 'host',
    program: 'app',
    message: 'app: x',
  },
  {
    line: 'Déc 24 18:00:00 host app: x',
    time: '2025-12-24T18:00:00',
    host: 'host',
    program: 'app',
    message: 'app: x',
  },
  // Times further on.
  {
    line: 'logger=x t=2025-04-24T19:51:48.520963849Z level=info',
    time: '2025-04-24T19:51:48.520963849',
    message: 'logger=x t=2025-04-24T19:51:48.520963849Z level=info',
  },
  {
    line: '{"ts": "2013-09-06T20:00:48.124817Z", "msg": "x"}',
    time: '2013-09-06T20:00:48.124817',
    message: '{"ts": "2013-09-06T20:00:48.124817Z", "msg": "x"}',
  },
  {
    line: '{"log":"2024/04/16 06:21:30 up","note":"\\"time\\":1","time":"2016-01-02T03:04:05.5Z"}',
    time: '2016-01-02T03:04:05.5',
  },
  {
    line: '{ "__CURSOR" : "s=1", "__REALTIME_TIMESTAMP" : "1600000000123456" }',
    time: '2020-09-13T12:26:40.123456',
    basis: 0,
  },
  // Invalid times.
  { line: 'Feb 30 10:00:00 host app: x', message: 'Feb 30 10:00:00 host app: x' },
  { line: '2026-13-01 10:00:00 x', message: '2026-13-01 10:00:00 x' },
  { line: '2026-02-29 10:00:00 x', message: '2026-02-29 10:00:00 x' },
  { line: '2026-02-28 24:00:00 x', message: '2026-02-28 24:00:00 x' },
  { line: '12:34:56.7 only a time of day', message: '12:34:56.7 only a time of day' },
  { line: '1234567890123456789012 x', message: '1234567890123456789012 x' },
  { line: 'just text', message: 'just text' },
];

describe('headers', () => {
  it.each(CASES)('$line', async (wanted) => {
    const row = await one(wanted.line);
    expect(timeOf(row)).toBe(wanted.time);
    if (wanted.basis !== undefined) expect(row.ts_basis).toBe(wanted.basis);
    if (wanted.offset !== undefined) expect(row.tz_offset).toBe(wanted.offset);
    for (const name of ['host', 'program', 'pid', 'facility', 'severity', 'event_type'] as const) {
      expect(row[name], name).toBe(wanted[name]);
    }
    if (wanted.message !== undefined) expect(row.message).toBe(wanted.message);
    expect(row.attrs).toEqual(wanted.attrs ?? {});
    expect(row.seq).toBe(1);
    expect(row.offset).toBe(0);
    expect(row.length).toBe(utf8.encode(wanted.line).length);
  });
});

it.each([
  ['Apr 13 22:14:36  ns1 192.0.2.9 httpd: 2026-04-13 16:44:36.850Z x', '2026-04-13T16:44:36.850'],
  ['Mar  4 05:06:07 host1 app: 2026-03-04T03:06:06.123Z x', '2026-03-04T03:06:06.123'],
  ['Dec 31 23:59:59 host1 app: 2027-01-01T04:00:01Z x', '2027-01-01T04:00:01'],
  ['Mar  4 05:06:07 host1 app: 2026-03-04T05:06:06+01:00 x', '2026-03-04T04:06:06'],
  ['2026-03-04 05:06:07 host1 app[7]: 2026-03-04T03:06:07Z x', '2026-03-04T03:06:07'],
])("takes a program's own time with a zone where the header has none: %s", async (line, time) => {
  const row = await one(line);
  expect(timeOf(row)).toBe(time);
  expect(row.ts_basis).toBe(0);
});

it.each([
  'Mar  4 05:06:07 host1 app: 2026-03-04T02:55:07Z another moment',
  'Mar  4 05:06:07 host1 app: 2026-03-04T12:00:00Z is the next run',
  'Mar  4 05:06:07 host1 app: 2026-03-04T12:06:15Z is the next run',
  'Mar  4 05:06:07 host1 app: 2026-03-03T05:06:07Z another day',
  'Mar  4 05:06:07 host1 app: 2026-03-04 04:06:07 no zone',
  'Mar  4 05:06:07 host1 app: copy: 2026-03-04T04:06:07Z in the message',
  'Mar  4 05:06:07 host1 app copies 2026-03-04T04:06:07Z in the message',
  '2026-03-04T05:06:07Z host1 app: 2026-03-04T04:06:07Z a header with a zone',
])("keeps the header's time: %s", async (line) => {
  expect(timeOf(await one(line))).toBe('2026-03-04T05:06:07');
});

it.each([
  'CEF:0|V|P|1|N|x|5|aaa=1 bbb=1 ccc=2',
  'LEEF:1.0|V|P|1|N|aaa=1\tbbb=1\tccc=2',
  '< 2026-03-04 05:06:07 x1',
  '1,2026/03/04 05:06:07,a text without any more columns',
])('looks for nothing beyond the end of %s', (line) => {
  const size = line.length;
  const bytes = utf8.encode(`${line}\n${'.'.repeat(1000)}`);
  let last = 0;
  const watched = new Proxy(bytes, {
    get(target, name) {
      if (name === 'indexOf') return Array.prototype.indexOf;
      const at = Number(name);
      if (Number.isInteger(at)) last = Math.max(last, at);
      return Reflect.get(target, name, target) as unknown;
    },
  });
  parseHeader(new Header(), watched, 0, size);
  expect(last).toBeLessThan(size + 50);
});

it('gives the fields that structured data of an enterprise states, and leaves it as it is', async () => {
  const row = await one(
    '<134>1 2026-11-21T00:00:01Z fw1 fw - DENY [meta src="192.0.2.9"][fw@32473 src="192.0.2.1" source-port="40112" ' +
      'dst="2001:db8::1" dpt="443" protocol-id="6" act="deny" user="EXAMPLE\\\\alice" rule="de\\"ny" spt="99999"] x',
  );
  expect(row).toMatchObject({
    ...{ src_ip4: 0xc0000201, src_port: 40_112, dst_port: 443, proto: 6, action: 'deny' },
    ...{ user: 'alice', user_domain: 'EXAMPLE', rule: 'de"ny', message: 'x' },
    attrs: { 'meta.src': '192.0.2.9', 'fw@32473.src': '192.0.2.1', 'fw@32473.spt': '99999' },
  });
  expect(row).not.toHaveProperty('extractor');
});
