/** Which lines are records, and which belong to the previous record. */
import { describe, expect, it } from 'vitest';
import { collect, inputOf, type Collected } from '../shared/testing/collect.ts';
import { syslogImporter } from './index.ts';

const utf8 = new TextEncoder();

function read(text: string, blockSize = 1 << 20): Promise<Collected> {
  const input = inputOf(utf8.encode(text), 'evidence', blockSize, Date.UTC(2026, 10, 21));
  return collect(syslogImporter, input, { format: 'text' });
}

/** Lines of a log whose records have times, around the lines under test. */
const DATED = Array.from({ length: 12 }, (_, i) => `2026-01-01 00:00:${10 + i} INFO work ${i}`);

function startsOf(collected: Collected): unknown[] {
  return collected.rows.map((row) => row.seq);
}

/** Each is one record, whatever the log is. */
const ONE_RECORD: Record<string, string> = {
  'version of SQL Server': `2026-01-01 00:00:00.12 Server      Microsoft SQL Server 2019 (RTM) - 15.0.2000.5 (X64) 
\tSep 24 2019 13:48:23 
\tCopyright (C) 2019 Microsoft Corporation`,
  indented: '2026-01-01 00:00:00 ERROR first\n\tsecond\n    third',
  java: `2026-01-01 00:00:00 ERROR [main] failed
java.lang.IllegalStateException: no pool
\tat org.example.Pool.take(Pool.java:12)
at org.example.Main.run(Main.java:3)
Caused by: java.io.IOException: closed
\tat org.example.Io.read(Io.java:7)
\t... 12 more
Suppressed: java.io.IOException: again
\tat org.example.Io.close(Io.java:9)`,
  'java with a host': `Oct  1 00:00:00 web1 app[3]: request failed
java.lang.NullPointerException
\tat org.example.Main.run(Main.java:3)`,
  'numbers in angle brackets': `2026-01-01 00:00:00 ERROR request failed:
 <134>stack line one
 <99>stack line two
 <12>
 <1> item
 <1> 12:30:00 lunch`,
  'java.util.logging': `Apr 15, 2026 8:34:08 PM org.example.Login authenticate
WARNING: login failed for "root"`,
  python: `2026-01-01 00:00:00 ERROR failed
Traceback (most recent call last):
  File "/srv/app.py", line 3, in main
    run()
File "/srv/run.py", line 9, in run
    raise ValueError('no')
ValueError: no

During handling of the above exception, another exception occurred:
Traceback (most recent call last):
  File "/srv/app.py", line 5, in main
    report()
app.errors.ReportError: twice`,
  'python after a message': `2026-01-01 00:00:00 ERROR Traceback (most recent call last):
  File "/srv/app.py", line 3, in main
    run()
KeyError: 'a'`,
  'dot net': `2026-01-01 00:00:00 fail: Host[0]
System.IO.IOException: no disk
 ---> System.Exception: inner
   at Example.Disk.Write() in /src/Disk.cs:line 3
   --- End of inner exception stack trace ---
--- End of stack trace from previous location ---
   at Example.Program.Main()`,
  go: `2026-01-01 00:00:00 http: panic serving 192.0.2.7:5: no
goroutine 5 [running]:
net/http.(*conn).serve.func1(0xc000096000)
\t/usr/lib/go/src/net/http/server.go:1801 +0x147
panic(0x6a4c20, 0x7a1a30)
\t/usr/lib/go/src/runtime/panic.go:975 +0x47a
main.main()
\t/src/main.go:12 +0x20
created by net/http.(*Server).Serve
\t/usr/lib/go/src/net/http/server.go:2969 +0x36c`,
  php: `[2026-01-01 00:00:00] local.ERROR: no {"exception":"[object] (Error(code: 0): no at /srv/a.php:5)
[stacktrace]
#0 /srv/b.php(140): A->b()
#1 [internal function]: C->d()
#2 {main}
"}`,
  javascript: `2026-01-01T00:00:00Z ERROR TypeError: x is not a function
    at run (/srv/app.js:3:5)
at async Promise.all (index 0)
at /srv/app.js:9:1`,
  ruby: `2026-01-01 00:00:00 FATAL RuntimeError (no):
app/models/user.rb:12:in 'save'
app/controllers/users.rb:3:in 'create'`,
  postgresql: `2026-01-01 00:00:00.000 UTC [5] LOG:  statement: SELECT a,
\t       b
\tFROM t;`,
  'slow query': `# Time: 2026-01-01T00:00:00.000000Z
# User@Host: app[app] @ db1 [192.0.2.3]  Id: 7
# Query_time: 4.07  Lock_time: 0.00 Rows_sent: 1  Rows_examined: 9
use shop;
SET timestamp=1767225600;
SELECT *
FROM orders
WHERE id = 1;`,
  'oracle audit': `Wed Oct  7 11:58:08 2026 -04:00
LENGTH : '366'
ACTION :[6] 'SELECT'
DATABASE USER:[1] '/'`,
  'apt history': `Start-Date: 2026-01-01  16:38:08
Commandline: apt-get upgrade
Upgrade: example:amd64 (1, 2)
End-Date: 2026-01-01  16:38:10`,
  json: `2026-01-01 00:00:00 DEBUG body: {
"name": "a",
"list": [
"b"
]
}`,
  'json begun in an object': `{"type": "server", "timestamp": "2026-01-01T00:00:00,000Z", "message": "no" ,
"stacktrace": ["java.lang.Exception: 2026-02-02T00:00:00Z",
"at org.example.Main.run(Main.java:3)"] }`,
  xml: `<Event xmlns="urn:example">
<System>
    <EventID>4624</EventID>
</System>
</Event>`,
  weblogic: `####<Jan 1, 2026 10:30:29,193 AM GMT> <Notice> <JMX> <host1> <Server> <BEA-1> <Received
a CONNECT EVENT
> `,
  'windows event': `<14>Jan  1 00:00:00 dc1 Security-Auditing[4]: An account was logged on.

Subject:
\tSecurity ID:\t\tS-1-5-18
Logon Type:\t\t\t3
New Logon:
\tAccount Name:\t\tadmin
Network Information:
\tSource Port:\t\t4711

This event is generated when a logon session is created.`,
};

describe('lines of one record', () => {
  for (const [name, text] of Object.entries(ONE_RECORD)) {
    it(`${name}: one record, alone and among others, in blocks of any size`, async () => {
      const size = text.split('\n').length;
      expect(startsOf(await read(`${text}\n`))).toEqual([1]);
      const among = [...DATED, text, ...DATED, ''].join('\n');
      const wanted = [...DATED.map((_, i) => i + 1), 13, ...DATED.map((_, i) => 13 + size + i)];
      expect(startsOf(await read(among))).toEqual(wanted);
      expect(startsOf(await read(among, 11))).toEqual(wanted);
    });
  }

  it('takes lines in an open quote, and after a colon, where most records have times', async () => {
    const quoted = '2026-01-01 00:00:00 LOG "pages: 0 removed\ntuples: 3 removed\nelapsed: 0 s",x';
    const announced = '2026-01-01 00:00:00 INFO Drive response:\nRequest (None)\nAbout(a=1)';
    for (const text of [quoted, announced]) {
      const among = await read([...DATED, text, ...DATED, ''].join('\n'));
      expect(among.rows).toHaveLength(25);
      expect(among.rows[12]!.message).toContain('\n');
    }
  });
});

/** Each line is a separate record. */
const RECORDS: Record<string, string[]> = {
  'another line after one with a host': [
    '2026-01-01T00:00:00Z web1 sshd[1]: Accepted password for root from 192.0.2.7',
    'Failed password for root from 203.0.113.6',
    'Failed password for admin from 203.0.113.6',
  ],
  'a date in the text of one line': [
    'alpha one started',
    'alpha two ok',
    'alpha three saved at Fri Jul 01 08:16:53 PDT 2005',
    'alpha four ok',
    'alpha five ok',
    'beta six ok',
  ],
  'XML of a line each': [
    '<Event><System><TimeCreated SystemTime="2026-01-01T00:00:00Z"/></System></Event>',
    '<Event><System><EventID>1</EventID></System></Event>',
    '<Event><System><EventID>2</EventID></System></Event>',
  ],
  'XML that is cut off': ['<Event><System>', '<Event><System>', '<Event><System>'],
  CEF: [
    'CEF:0|a|b|1|1|started at 2026-01-01 00:00:00|1|',
    'CEF:0|a|b|1|2|next|1|src=192.0.2.1',
    'CEF:0|a|b|1|3|last|1|src=192.0.2.2',
  ],
  LEEF: [
    'LEEF:1.0|a|b|1|1|devTime=2026-01-01 00:00:00',
    'LEEF:1.0|a|b|1|2|x=1',
    'LEEF:1.0|a|b|1|3|',
  ],
  'a syslog header cut off': [
    'Jan  1 00:00:00 web1 sshd[1]: Received disconnect from 192.0.2.1',
    ' Connection closed by 192.0.2.2 port 1',
    ' Failed password for root from 192.0.2.3',
  ],
  'a blank before the time’s place': [
    'WARN: [Jul  2 05:14:17.037] no user ip=192.0.2.1',
    'WARN: [Jul  2 05:14:18.037] no user ip=192.0.2.2',
    'WARN: [Jul  2 05:14:19.037] no user ip=192.0.2.3',
    ' WARN: [Jul  2 05:14:20.037] no user ip=192.0.2.4',
  ],
  'a colon at the end of a line of a host': [
    'Jan  1 00:00:00 web1 app: list of users:',
    'Failed password for root from 192.0.2.3',
    'Jan  1 00:00:01 web1 app: a',
    'Jan  1 00:00:02 web1 app: b',
  ],
};

describe('records', () => {
  for (const [name, lines] of Object.entries(RECORDS)) {
    it(`${name}: every line is one`, async () => {
      const got = await read(`${lines.join('\n')}\n`);
      expect(got.rows.map((row) => row.seq)).toEqual(lines.map((_, i) => i + 1));
      const last = got.rows.filter((row) => row.host !== undefined).map((row) => row.message);
      for (const message of last) expect(message).not.toContain('\n');
    });
  }

  it('keeps the headings of a W3C log out of its records', async () => {
    const heading =
      '#Software: Example 1.0\n#Version: 1.0\n#Date: 2026-01-01 00:00:01\n#Fields: date time\n';
    const got = await read(`${heading}2026-01-01 00:00:02 /a\n${heading}2026-01-01 00:00:03 /b\n`);
    expect(got.rows.map((row) => row.message)).toEqual(['/a', '/b']);
    expect(got.skipped).toEqual({ 'heading line of a W3C log': 8 });
  });
});

const two = (n: number) => String(n).padStart(2, '0');

describe('times further on in a line', () => {
  it('is not the record’s where it is quoted', async () => {
    const lines = Array.from({ length: 400 }, (_, i) =>
      i % 90 === 7
        ? `CRITICAL core ${i} saved at Fri Jul 01 08:16:53 PDT 2005`
        : `INFO core ${i} ok`,
    );
    const got = await read(lines.join('\n'));
    expect(got.rows).toHaveLength(400);
    expect(got.rows.filter((row) => row.ts !== undefined)).toEqual([]);
  });

  it('is where many lines have it', async () => {
    const lines = Array.from({ length: 400 }, (_, i) =>
      i % 9 === 7
        ? 'core dumped'
        : `node-${i % 7} [worker] 2026-01-01 00:00:${two(i % 60)} ok ${i}`,
    );
    const got = await read(lines.join('\n'));
    expect(got.rows).toHaveLength(400);
    expect(got.rows.filter((row) => row.ts === undefined)).toHaveLength(44);
  });

  it('reads an epoch in a later column', async () => {
    const lines = Array.from(
      { length: 50 },
      (_, i) => `${134_681 + i} node-${i} unix.hw state_change ${1_077_804_742 + i * 60} 1 ok`,
    );
    const got = await read(lines.join('\n'));
    expect(got.rows.map((row) => row.ts)).toEqual(
      lines.map((_, i) => (1_077_804_742 + i * 60) * 1e6),
    );
    // Ten-digit numbers that are spread like identifiers are not times.
    const ids = await read(
      lines.map((_, i) => `job a b ${1_000_000_007 + i * 61_234_567}`).join('\n'),
    );
    expect(ids.rows.every((row) => row.ts === undefined)).toBe(true);
  });

  it('reads the logs of supercomputers', async () => {
    const got = await read(
      '- 1117838570 2005.06.03 R02-M1-N0 2005-06-03-15.42.50.675872 R02-M1-N0 RAS KERNEL INFO ok\n' +
        'APPREAD 1117869872 2005.06.04 R23-M1 2005-06-04-00.24.32.398284 R23-M1 RAS APP FATAL no\n',
    );
    expect(got.rows.map((row) => [row.ts, row.host, row.message])).toEqual([
      [1_117_838_570e6, 'R02-M1-N0', 'RAS KERNEL INFO ok'],
      [1_117_869_872e6, 'R23-M1', 'RAS APP FATAL no'],
    ]);
  });
});

describe('times that were not read', () => {
  const cases: [line: string, time: string, message: string][] = [
    ['20120702.102240,672:DEBUG:foo', '2012-07-02T10:22:40.672Z', 'DEBUG:foo'],
    ['2005-06-03-15.42.50.675872 R02 one', '2005-06-03T15:42:50.675Z', 'R02 one'],
    ['2005-06-03-15.42.50.675872-240 I1A1', '2005-06-03T19:42:50.675Z', 'I1A1'],
    ['30 May 2024 10:03:19 * started', '2024-05-30T10:03:19.000Z', '* started'],
    // The hour is not a year.
    ['30 May 10:03:19 * started', '2026-05-30T10:03:19.000Z', '* started'],
    ['\u001b[32m2026-01-01 00:00:00\u001b[0m INFO up', '2026-01-01T00:00:00.000Z', 'INFO up'],
    [
      'web_1  | {"level":"info","time":"2026-01-01T00:00:00Z"}',
      '2026-01-01T00:00:00.000Z',
      'web_1  | {"level":"info","time":"2026-01-01T00:00:00Z"}',
    ],
    ['Wed Oct  7 11:58:08 2020 -04:00 a', '2020-10-07T15:58:08.000Z', 'a'],
  ];
  for (const [line, time, message] of cases) {
    it(JSON.stringify(line), async () => {
      const { rows } = await read(`${line}\n`);
      const at = rows[0]!.ts as number | undefined;
      expect(at === undefined ? undefined : new Date(Math.floor(at / 1000)).toISOString()).toBe(
        time,
      );
      expect(rows[0]!.message).toBe(message);
    });
  }
});
