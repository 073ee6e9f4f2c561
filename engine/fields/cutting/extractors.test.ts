/**
 * Every extractor cuts the fields in its file out of its sample messages, and nothing out of those it must leave
 * alone.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EventBatch } from '../../columns/event-batch.ts';
import { Cutter } from './cutter.ts';
import { type Extractor, programOf, readExtractor, shippedExtractor } from './extractor.ts';
import { DOCUMENTS, shippedExtractors } from './extractors.ts';
import { cutFields } from './cut-fields.ts';
import { cutterWith } from './own-extractors.ts';

const extractors = shippedExtractors();
const all = new Cutter(extractors);

it('has every file of its folder', () => {
  const files = readdirSync(path.join(import.meta.dirname, '../extractors'));
  expect(extractors.map(({ name }) => `${name}.json`).sort()).toEqual(files.sort());
});

it.each(Object.entries(DOCUMENTS))('%s is an extractor', (name, document) => {
  expect(readExtractor(document, `${name}.json`).name).toBe(name);
});

it.each([
  ['sshd', 'sshd[100]: Failed password for root from 192.0.2.17 port 22 ssh2', 'openssh/4'],
  [
    'sshd',
    'sshd[100:1a2b] (libsystem) [com.openssh.sshd:default] Failed password for root from 192.0.2.17 port 22 ssh2',
    'openssh/4',
  ],
  ['app', 'app[7]: [com.example:x] Successful login from 192.0.2.17 for user root', undefined],
  [
    'krb5kdc',
    'krb5kdc[100](info): AS_REQ (1 etypes {18}) 192.0.2.17: CLIENT_NOT_FOUND: bob@EXAMPLE.COM for krbtgt/EXAMPLE.COM@EXAMPLE.COM, x',
    'kerberos/1',
  ],
  [
    'sogod',
    "sogod [100]: SOGoRootPage Login from '192.0.2.17' for user 'bob' might not have worked - x",
    'webmail/5',
  ],
  [
    'sshd',
    'sshd[100]: [ID 800047 auth.info] Failed password for root from 192.0.2.17 port 22 ssh2',
    'openssh/4',
  ],
  [
    'nginx',
    'nginx: 2026/11/27 10:15:22 [error] 100#100: *1 limiting requests, client: 192.0.2.17, server: _, request: "GET / HTTP/1.1"',
    'web-error/8',
  ],
  [
    'apache2',
    'apache2[7]: [Fri Nov 27 10:15:22.123456 2026] [auth_basic:error] [pid 7] [client 192.0.2.17:40001] AH01618: user bob not found: /a',
    'web-error/8',
  ],
  [
    'vaultwarden',
    'vaultwarden[7]: [2026-11-27 10:15:22.123][vaultwarden::api::identity][ERROR] Username or password is incorrect. Try again. IP: 192.0.2.17. Username: bob.',
    'web-apps/14',
  ],
  [
    'app',
    'app[7]: 2026-11-27 10:15:22 Failed password for root from 192.0.2.17 port 22 ssh2',
    undefined,
  ],
  ['/usr/sbin/sshd', '/usr/sbin/sshd[100]: Invalid user a from 192.0.2.17', 'openssh/4'],
  ['sudo', 'sudo:    alice : PWD=/ ; USER=root ; COMMAND=/bin/ls', 'sudo/3'],
  [
    'kernel',
    'kernel: [   12.5] [UFW BLOCK] IN=eth0 OUT= SRC=192.0.2.1 DST=192.0.2.2',
    'netfilter/6',
  ],
  ['', 'Failed password for root from 192.0.2.17 port 22 ssh2', 'openssh/4'],
  [
    '',
    '1234: *Mar  4 05:06:07.123: %SEC-6-IPACCESSLOGP: list a denied tcp 192.0.2.1(7) -> 192.0.2.2(8), 1 packet',
    'cisco-ios/9',
  ],
  [
    '',
    '2026 Mar  4 05:06:07 UTC: %DAEMON-3-SYSTEM_MSG: error: PAM: Authentication failure for bob from 192.0.2.1 - sshd[1]',
    'cisco-ios/9',
  ],
  [
    '',
    'Mar  4 05:06:07.123: 100% of %SEC-6-IPACCESSLOGP: list a denied tcp 192.0.2.1(7) -> 192.0.2.2(8), 1 packet',
    undefined,
  ],
  ['app', 'app[7]: Failed password for root from 192.0.2.17 port 22 ssh2', undefined],
  ['httpd/site1', 'httpd/site1[7]: [client 192.0.2.17:40001] AH01630: denied', undefined],
  [
    'httpd/site1',
    'httpd/site1[7]: [error] [client 192.0.2.17:40001] AH01630: denied',
    'web-error/8',
  ],
  ['', '[error] [auth.core] Failed login attempt. 192.0.2.17', 'web-apps/14'],
  [
    '',
    'WARN [http-1] org.example.Login: Login failed for user alice from 192.0.2.17',
    'login-sentences/4',
  ],
  ['app', 'app[7]: [warn] Bad password for alice (192.0.2.17)', 'login-sentences/4'],
  ['app', 'app[7]: query Bad password for alice (192.0.2.17)', undefined],
  [
    '',
    'INFO [http-1] org.x.Search: Accepted password for root from 192.0.2.17 port 5 ssh2',
    undefined,
  ],
  ['sshd', 'sshd[1]: error: Accepted password for root from 192.0.2.17 port 5 ssh2', undefined],
  ['chat', 'chat: [bob] Successful login from 192.0.2.17 for user root', undefined],
  ['httpd', 'httpd: [client 192.0.2.1] Login failed for root from 192.0.2.17', undefined],
  ['app', 'app: [error] [client 192.0.2.1] Login failed for root from 192.0.2.17', undefined],
  ['app', 'app: [error] [client pc1] Login failed for root from 192.0.2.17', undefined],
  ['app', 'app: [error] [2001:db8::1] Login failed for root from 192.0.2.17', undefined],
  [
    'app',
    'app: [error] [api::identity] Login failed for root from 192.0.2.17',
    'login-sentences/4',
  ],
  [
    'python3.11',
    'python3.11[5]: Accepted password for root from 192.0.2.17 port 5 ssh2',
    undefined,
  ],
  ['docker/web', 'docker/web[5]: [bob] connected to ZNC from 192.0.2.17', undefined],
  ['irc.bot', 'irc.bot: OK - [192.0.2.17] hello', undefined],
  ['', 'Alerts %NGIPS-6-430003: SrcIP: 192.0.2.1, DstIP: 192.0.2.2', 'cisco-asa/10'],
  ['fw1 sshd', 'fw1 sshd[7]: Failed password for root from 192.0.2.17 port 22 ssh2', 'openssh/4'],
  ['0a1b2c3d4e5f', '0a1b2c3d4e5f[7]: Failed login attempt. 192.0.2.17', 'web-apps/14'],
  [
    '(squid-1)',
    '(squid-1)[7]: 192.0.2.17 - - [27/Nov/2026:10:15:22 +0000] "GET http://www.example.org/ HTTP/1.1" 200 12 "-" "curl/8.0"',
    'access-log/15',
  ],
  ['app', 'app[7]: pam_unix(sshd:session): session closed for user alice', 'pam/9'],
  ['sshd', 'sshd[100]: Invalid user a from 192.0.2.17 \r\n', 'openssh/4'],
  [
    '1/5-4/fw1/box_Config_MC-update',
    'Info     fw1 [master@192.0.2.17_29010]  Commit operation: 0 Copy: a.conf from boxsrv',
    'barracuda/8',
  ],
])('finds the message behind the tag of %s', (program, message, extractor) => {
  expect(cutFields(all, program, message)['extractor']).toBe(extractor);
});

it.each(['user', 'action'] as const)(
  'reads no sentence of a login that a record quotes which states its %s',
  (field) => {
    const batch = new EventBatch('log', () => undefined, 2);
    for (const isStated of [true, false]) {
      batch.message.setString(batch.length, 'Successful login from 192.0.2.17 for user root');
      if (isStated) batch.cutText(field).setString(batch.length, 'bob');
      batch.endRow();
    }
    expect(all.cut(batch)).toBe(1);
    expect([...batch.cutText('outcome').present.subarray(0, 2)]).toEqual([0, 1]);
  },
);

it('takes no account of pairs without an address that a record quotes which states an event code', () => {
  const batch = new EventBatch('log', () => undefined, 4);
  for (const [message, code] of [
    ['ServiceName=a ImagePath=a.exe AccountName=LocalSystem', '7045'],
    ['ServiceName=a ImagePath=a.exe AccountName=LocalSystem', undefined],
    ['src=192.0.2.17 AccountName=alice', '7045'],
    ['dst=198.51.100.1 AccountName=alice', '7045'],
  ] as const) {
    batch.message.setString(batch.length, message);
    if (code !== undefined) batch.cutText('event_code').setString(batch.length, code);
    batch.endRow();
  }
  expect(all.cut(batch)).toBe(3);
  expect([...batch.cutText('user').present.subarray(0, 4)]).toEqual([0, 1, 1, 1]);
});

it.each([
  'query failed: x IN=eth0 OUT= SRC=203.0.113.9 DST=198.51.100.1 PROTO=TCP',
  'query failed: An account was logged off.\nSubject:\n\tAccount Name:\t\troot\n\tAccount Domain:\t\tEXAMPLE\n\tOther:\t\tx',
  'x SSH login: root - 203.0.113.9(x',
  'x Message: Successfully logged in using root, from 203.0.113.9 and GUI.',
  'ua: msg_id="1100-0004" Management user root from 203.0.113.9 logged in',
])('reads no message of another program within that of any: %s', (message) => {
  expect(cutFields(all, 'app', `app: ${message}`)).toEqual({});
});

it.each([
  '<38>Nov 27 10:15:22 web1 sshd[100]: Failed password for root from 192.0.2.17 port 22 ssh2',
  'Nov  7 10:15:22 web1 sshd[100]: Failed password for root from 192.0.2.17 port 22 ssh2',
  'Message forwarded from web1: sshd[100]: Failed password for root from 192.0.2.17 port 22 ssh2',
])('reads the header behind that of a relay: %s', (message) => {
  expect(cutFields(all, '', message)).toMatchObject({
    user: 'root',
    src_ip: '192.0.2.17',
    host: 'web1',
  });
});

it.each([
  ['apache', '192.0.2.17 - - [27/Nov/2026:10:15:22 +0000] "GET / HTTP/1.1" 200 12 "-" "curl/8.0"'],
  ['smbd_audit', 'alice|192.0.2.17|pc1|share|open|ok|r|file.txt'],
  ['app', '198.51.100.5 GET /health - 80 - 192.0.2.17 - 200 0 0 15'],
])('takes the bare tag of %s for no part of the message: %s', (program, message) => {
  const line = `${program}[100]: ${message}`;
  expect(cutFields(all, '', line)).toEqual(cutFields(all, program, line));
});

it.each(['app', 'sshd'])('lets an extractor of a case read the tag of %s itself', (program) => {
  const text = `${program}[{:number}]: Failed password for {user_target:word} from {src_ip} port {src_port} {:rest}`;
  const line = `${program}[100]: Failed password for root from 192.0.2.17 port 22 ssh2`;
  const about = { for: 'x', leavesOut: 'y', programs: [''] };
  const given = { user_target: 'root', src_ip: '192.0.2.17', src_port: '22' };
  const templates = [{ text, samples: [[line, given]] }];
  const document = JSON.stringify({ extractor: 'own', version: 1, ...about, templates });
  expect(cutFields(cutterWith([document]), '', line)).toEqual({ ...given, extractor: 'own/1' });
});

it.each([
  ['failed', 'failure'],
  ['Denied', 'failure'],
  ['Succeeded', 'success'],
  ['OK', 'success'],
  ['pending', 'pending'],
  ['no', 'failure'],
])('stores the outcome that is written %s as %s', (written, outcome) => {
  const about = { extractor: 'own', version: 1, for: 'x', leavesOut: 'y', programs: ['app'] };
  const templates = [{ text: 'status of the job: {outcome:word}' }];
  const samples = [
    { program: 'app', message: 'status of the job: no', fields: { outcome: 'failure' } },
  ];
  const values = { outcome: { no: 'failure' } };
  const cutter = cutterWith([JSON.stringify({ ...about, values, templates, samples })]);
  expect(cutFields(cutter, 'app', `status of the job: ${written}`)).toMatchObject({ outcome });
});

it.each(['sending events Primary server is down', 'removed events All done', 'our events dhcp x'])(
  'takes no word for a device of Meraki: %s',
  (message) => {
    expect(cutFields(all, '', message)).toEqual({});
  },
);

it.each([
  'sshd[100]: Failed password for root from 192.0.2.17 port 22 ssh2',
  ' sshd[100]: Failed password for root from 192.0.2.17 port 22 ssh2',
])('reads the tag of a program where an export has left the header out: "%s"', (line) => {
  expect(cutFields(all, '', line)).toMatchObject({ user: 'root', src_ip: '192.0.2.17' });
  expect(cutFields(all, '', line)).not.toHaveProperty('host');
});

it.each([
  'app[7]: Failed password for root from 192.0.2.17 port 22 ssh2',
  'x sshd[7]: Failed password for root from 192.0.2.17 port 22 ssh2',
  'Nov 27 10:15:22 web1 app[7]: Failed password for root from 192.0.2.17 port 22 ssh2',
  'Nov 27 10:15:22 Failed password for root from 192.0.2.17 port 22 ssh2',
  'Nov 27 10:15 web1 sshd[100]: Failed password for root from 192.0.2.17 port 22 ssh2',
  'Message forwarded from web1 sshd[100]: Failed password for root from 192.0.2.17 port 22 ssh2',
])('reads no header of another program, or that is none: %s', (message) => {
  expect(cutFields(all, '', message)).toEqual({});
});

it.each([
  [
    '<189>Nov 27 10:15:22 router1 1234: *Mar  4 05:06:07.123: %SEC-6-IPACCESSLOGP: list a denied tcp 192.0.2.17(40001) -> 198.51.100.1(22), 1 packet',
    { src_ip: '192.0.2.17', dst_port: '22', host: 'router1' },
  ],
  [
    '<38>Nov 27 10:15:22 sun1 sshd[100]: [ID 800047 auth.info] Failed password for root from 192.0.2.17 port 22 ssh2',
    { src_ip: '192.0.2.17', user: 'root', host: 'sun1' },
  ],
  [
    '<38>Nov 27 10:15:22 web1 app[7]: {"client_ip":"192.0.2.17","user":"alice"}',
    { src_ip: '192.0.2.17', host: 'web1' },
  ],
])('reads what follows the header behind that of a relay: %s', (message, fields) => {
  expect(cutFields(all, '', message)).toMatchObject(fields);
});

/** Names that people may choose, or texts they may send, to make the line say something else. */
it.each([
  [
    'dovecot',
    'auth: passwd-file(bob,192.0.2.17): Password mismatch (given password: x,203.0.113.9): )',
    { src_ip: '192.0.2.17', user: 'bob', outcome: 'failure' },
  ],
  [
    'drupal',
    'http://h|1|page not found|192.0.2.17|http://h/x|http://r/|0||/|1|user|203.0.113.9|a|b|0||Session opened for root.',
    { src_ip: '192.0.2.17' },
  ],
  [
    '',
    "%WEBSERVER-5-LOGIN_FAILED: Chassis 1 R0/0: nginx: Login Un-Successful from host 192.0.2.17 by user 'x Login Successful from host 203.0.113.9 by user 'root''",
    { src_ip: '192.0.2.17', outcome: 'failure' },
  ],
  [
    'vsftpd',
    '[pid 3] [x] OK LOGIN: Client "203.0.113.9", y] FAIL LOGIN: Client "192.0.2.17"',
    { src_ip: '192.0.2.17', outcome: 'failure' },
  ],
  [
    '',
    'proftpd[7] ftp1 (h[192.0.2.17]): USER x: Login successful. (Login failed): Incorrect password.',
    { src_ip: '192.0.2.17', outcome: 'failure' },
  ],
  [
    '',
    'system,error,critical login failure for user user root logged in from 203.0.113.9 via x from 192.0.2.17 via ssh',
    { src_ip: '192.0.2.17', outcome: 'failure' },
  ],
  ['', '%ASA-5-713119: Group = vpn, IP = 192.0.2.17, PHASE 1 COMPLETED', { src_ip: '192.0.2.17' }],
  [
    'server_audit',
    ',db1,a,203.0.113.9,5,0,CONNECT,b,192.0.2.17,12,0,FAILED_CONNECT,,,1045',
    { src_ip: '192.0.2.17', outcome: 'failure' },
  ],
  [
    'suhosin',
    "ALERT - dropped variable 'x' (attacker '203.0.113.9', file '/a')' (attacker '192.0.2.17', file '/var/www/a.php')",
    { src_ip: '192.0.2.17', file_path: '/var/www/a.php' },
  ],
  [
    '',
    'Attempt to deliver to unknown recipient <a>, from <b>, IP address 203.0.113.9>, from <c>, IP address 192.0.2.17',
    { src_ip: '192.0.2.17' },
  ],
  [
    '',
    '0|ManageEngine|ADAuditPlus|1|EventLog|x|1|suser=x shost=192.0.2.17 suser=root',
    { src_ip: '192.0.2.17' },
  ],
  [
    '',
    'smtp: x [203.0.113.9] authentication failure using internet password y [192.0.2.17] authentication failure using internet password',
    { src_ip: '192.0.2.17' },
  ],
  [
    'roundcube',
    'IMAP Error: Login failed for x from 203.0.113.9. y in z on line 1 from 192.0.2.17',
    { src_ip: '192.0.2.17' },
  ],
  [
    '',
    'LEEF:1.0|WatchGuard|XTM|12|1100|serial=1\tmsg=Authentication of SSLVPN user [x@y] from 203.0.113.9 was accepted, z@Firebox-DB] from 192.0.2.17 was rejected',
    { src_ip: '192.0.2.17', action: 'rejected' },
  ],
])('takes no more of a line than its program says: %s: %s', (program, message, fields) => {
  expect(cutFields(all, program, message)).toMatchObject(fields);
});

it.each([
  [
    'smbd',
    'Auth: [SMB2,(null)] user [X]\\[x] at [a] with [b] status [NT_STATUS_OK] workstation [c] remote host [ipv4:203.0.113.9:1] became [d] local host [ipv4:203.0.113.9:2]] at [Thu, 14 Oct 2026 15:24:12.023984 UTC] with [NTLMv2] status [NT_STATUS_NO_SUCH_USER] workstation [PC1] remote host [ipv4:192.0.2.17:44890] mapped to [X]\\[x]. local host [ipv4:198.51.100.2:445]',
  ],
  ['', '%ASA-5-713130: Group = x, IP = 203.0.113.9, y, IP = 192.0.2.17, Received a packet'],
  [
    'auth',
    'pam_unix(dovecot:auth): authentication failure; logname= uid=0 euid=0 tty=dovecot ruser=x rhost=203.0.113.9 rhost=192.0.2.17',
  ],
  [
    '',
    '[12:00:00] [Server thread/INFO]: <x> y/INFO]: root[/203.0.113.9:1] logged in with entity id 1',
  ],
  ['', 'Login failed: x IN=eth0 OUT= SRC=203.0.113.9 DST=192.0.2.1 LEN=40 TTL=64 PROTO=TCP'],
  [
    '',
    'site=a;when=1;who=x (y);who_ip=203.0.113.9;event=login;z (bob);who_ip=192.0.2.17;event=login;',
  ],
  [
    '',
    'id=firewall time="2026-03-04 05:06:07" pri=6 fw=192.0.2.1 vpn=a user=x realm="" roles="" proto= src=203.0.113.9 msg="A: b" realm="" roles="" proto= src=192.0.2.17 dst= msg="AUT1: c" msg="AUT1: d"',
  ],
  [
    '',
    'IP address 192.0.2.17 found in DNS blacklist a, mail from <x> to <y>, mail from <z> to <bob>',
  ],
  [
    'hostd',
    '[Originator@6876 sub=Vimsvc.ha-eventmgr] Event 7 : Cannot login x] Event 5 : User root@198.51.100.9 logged in as y@192.0.2.9',
  ],
])('leaves a line alone that may be read in two ways: %s', (program, message) => {
  const fields = cutFields(all, program, message);
  expect(fields).not.toHaveProperty('src_ip', '203.0.113.9');
  expect(fields).not.toHaveProperty('outcome', 'success');
});

it('cuts no address out of a name that Gitea writes twice', () => {
  const name = 'x from 203.0.113.9:1: y';
  const line = `...ers/web/auth/auth.go:200:SignInPost() [I] Failed authentication attempt for ${name} from 192.0.2.17:39522: user does not exist [uid: 0, name: ${name}, keyid: 0]`;
  expect(cutFields(all, 'gitea', line)).not.toHaveProperty('src_ip');
});

it('names accounts with blanks wholly, and none that a name makes up', () => {
  const logon = (name: string): string =>
    `An account failed to log on. Account For Which Logon Failed: Security ID: S-1-0-0 Account Name: ${name} Account Domain: EX Source Network Address: 192.0.2.17 Source Port: 40001 Other: x`;
  expect(cutFields(all, '', logon('John Smith'))).toMatchObject({ user: 'John Smith' });
  const forged = logon('root Account Domain: EX Source Network Address: 203.0.113.9 y');
  expect(cutFields(all, '', forged)).not.toHaveProperty('src_ip', '203.0.113.9');
});

it('leaves what a source states as it is', () => {
  const batch = new EventBatch('log', () => undefined, 2);
  batch.program.setString(0, 'sshd');
  batch.message.setString(0, 'Failed password for root from 192.0.2.17 port 22 ssh2');
  batch.dst_port.set(0, 2222);
  batch.endRow();
  expect(all.cut(batch)).toBe(0);
  expect(batch.src_ip4.present[0]).toBe(0);
});

/** A field that no extractor fills: here it tells which template of a document has matched. */
const TEMPLATE = 'registry_value';

interface Document {
  readonly programs: readonly string[];
  readonly templates: readonly {
    readonly text: string;
    readonly set?: Readonly<Record<string, string>>;
    readonly samples?: readonly (readonly [message: string, fields: unknown])[];
  }[];
  readonly samples?: readonly { readonly program?: string; readonly message: string }[];
}

const documents = Object.entries(DOCUMENTS).map(([name, document]): [string, Document] => [
  name,
  document as Document,
]);
const numbered = new Cutter(
  documents.map(([, document]) => {
    const templates = document.templates.map((one, i) => ({
      ...one,
      set: { ...one.set, [TEMPLATE]: `${i}` },
    }));
    return shippedExtractor({ ...document, templates });
  }),
);

describe.each(documents)('%s', (name, { programs, templates, samples = [] }) => {
  it('cuts each sample by the template that has it', () => {
    const program = programOf(programs);
    const cutBy = templates.flatMap(({ samples: samplesOfTemplate = [] }, i) =>
      samplesOfTemplate.map(([message]) => {
        const { extractor, [TEMPLATE]: number } = cutFields(numbered, program, message);
        return { message, expected: `${name} ${i}`, by: `${extractor?.split('/')[0]} ${number}` };
      }),
    );
    expect(cutBy.filter(({ expected, by }) => expected !== by)).toEqual([]);
  });

  // A name may contain a whole message: tried first, a longer template would match it.
  it('tries a message that ends before one that goes on, where a name may be anything', () => {
    const texts = shippedExtractor(DOCUMENTS[name])
      .drafts()
      .map(({ make }) => make().text);
    const goesOn = (text: string, of: string): boolean =>
      text !== of && text.startsWith(of) && /:(rest|text|brief)\}/.test(text.slice(of.length));
    const late = texts.filter(
      (text, i) => text.includes(':text}') && texts.slice(0, i).some((one) => goesOn(one, text)),
    );
    expect(late).toEqual([]);
  });

  it('has a sample of each template', () => {
    const shown = new Set(
      samples.map(({ program = programOf(programs), message }) => {
        return Number(cutFields(numbered, program, message)[TEMPLATE]);
      }),
    );
    const missing = templates.filter(
      ({ samples: own = [] }, i) => own.length === 0 && !shown.has(i),
    );
    expect(missing.map(({ text }) => text)).toEqual([]);
  });
});

it('leaves the field free that numbers templates', () => {
  expect(extractors.filter(({ fields }) => fields.includes(TEMPLATE))).toEqual([]);
});

describe.each(extractors.map((one): [string, Extractor] => [one.name, one]))('%s', (name, one) => {
  it.each(one.samples.map(({ message, program, fields }) => [message, program, fields] as const))(
    '%s',
    (message, program, fields) => {
      expect(cutFields(all, program, message)).toEqual({
        ...fields,
        extractor: `${name}/${one.version}`,
      });
    },
  );

  it('leaves other messages alone', () => {
    for (const message of one.uncut) {
      // Another one may match what this one does not.
      const { extractor } = cutFields(all, programOf(one.programs), message);
      expect([message, extractor]).not.toEqual([message, `${name}/${one.version}`]);
    }
  });

  it('has a sample of every field that it fills', () => {
    const shown = new Set(one.samples.flatMap(({ fields }) => Object.keys(fields)));
    expect(one.fields.filter((field) => !shown.has(field) && !field.endsWith('_domain'))).toEqual(
      [],
    );
  });
});

const REQUEST =
  '192.0.2.17 - alice [20/Nov/2026:22:00:01 +0000] "GET /a HTTP/1.1" 200 12 "-" "curl/8"';

it.each([
  ['with the end of its line', `${REQUEST}\n`],
  ['with the end of its line, as Windows writes it', `${REQUEST}\r\n`],
  ['as the runtime of a container writes it', `stdout F ${REQUEST}`],
])('cuts a message %s', (_, message) => {
  expect(cutFields(all, '', message)).toEqual(cutFields(all, '', REQUEST));
  expect(cutFields(all, '', message)).toMatchObject({ src_ip: '192.0.2.17', user_agent: 'curl/8' });
});

it('finds the header of a program after the name of an output, but in no part of a line', () => {
  const failed = 'sshd[100]: Failed password for root from 192.0.2.17 port 22 ssh2';
  expect(cutFields(all, '', `stderr F ${failed}`)).toEqual(cutFields(all, '', failed));
  expect(cutFields(all, '', `stderr P ${failed}`)).toEqual({});
});

it('tries an extractor of a case on the message with the name of an output', () => {
  const message = 'stdout F Failed alice';
  const own = {
    ...{ extractor: 'outputs', version: 1, for: 'x', leavesOut: 'x', programs: [''] },
    templates: [{ text: 'stdout F Failed {user:word}', samples: [[message, { user: 'alice' }]] }],
  };
  const fields = cutFields(cutterWith([JSON.stringify(own)]), '', message);
  expect(fields).toEqual({ user: 'alice', extractor: 'outputs/1' });
});

it('takes no account out of a long name in an event of vCenter', () => {
  const name = `root] [] [1] [Successful login root${'] ['.repeat(600)}`;
  const event = '[1-1] [2026-02-14T15:45:26.279286Z] [vim.event.EventEx] [error]';
  const message = `Event [7] ${event} [${name}] [] [7] [Failed login ${name} from 192.0.2.1]`;
  expect(cutFields(all, 'vpxd', message)).toMatchObject({ event_code: 'vim.event.EventEx' });
  expect(cutFields(all, 'vpxd', message)).not.toHaveProperty('user');
});
