import { describe, expect, it } from 'vitest';
import { recognise, unknownReason } from './recognise.ts';
import { importers } from '../../../importers/registry.ts';

const utf8 = new TextEncoder();

function importerOf(lines: readonly string[]): string | undefined {
  const bytes = utf8.encode(lines.map((line) => `${line}\n`).join(''));
  return recognise(importers, { bytes, complete: true }, 'evidence', undefined)?.importer.id;
}

describe('which importer reads what', () => {
  const rows = ['10.7.191.49,192.168.0.31,2005-12-01 00:00:00,FW_Accept,14,IGMP'];
  const log = [
    '2005-12-01 00:00:00 fw01 kernel: src_ip 10.7.191.49, dst_ip 192.168.0.31, FW_Accept',
    '2005-12-01 00:00:01 fw01 kernel: src_ip 10.7.191.49, dst_ip 192.168.0.32, FW_Accept',
  ];
  it.each([
    [
      'a table with a time in each row',
      ['src_ip,dst_ip,time,event_type,device,protocol', ...rows],
      'flow-csv',
    ],
    ['a log with commas and names of fields', log, 'syslog'],
    [
      'a table of few columns, whose heading is no event',
      [
        'timestamp,user,action',
        '2019-06-05T19:23:00Z,bob,login',
        '2019-06-05T19:24:00Z,eve,logout',
      ],
      'flow-csv',
    ],
    [
      'a table of two columns in quotes',
      ['"Time","Event"', '"2019-06-05 19:23:00","a, b"', '"2019-06-05 19:24:00","c"'],
      'flow-csv',
    ],
    [
      'a table with times under a name of its own',
      [
        'Name;Last seen by us;User',
        'a.exe;2019-06-05 19:23:00;bob',
        'b.exe;2019-06-05 19:24:00;bob',
      ],
      'flow-csv',
    ],
    ['prose with a comma a line', ['Hello, world', 'Goodbye, moon', 'Well, then'], 'syslog'],
    [
      'a log with a comma in the time',
      ['2019-06-05 19:23:00,123 INFO started', '2019-06-05 19:23:01,456 INFO ended'],
      'syslog',
    ],
    [
      'a log of CSV rows without a heading',
      ['2005-12-01T00:00:00Z,a,b', '2005-12-01T00:00:01Z,a,c'],
      'syslog',
    ],
  ])('%s', (_, lines, importer) => {
    expect(importerOf(lines)).toBe(importer);
  });
});

it('reads flows of nfdump in its layouts 1 and 2', () => {
  for (const layout of [1, 2]) {
    const bytes = new Uint8Array(200);
    bytes.set([0x0c, 0xa5, layout]);
    expect(recognise(importers, { bytes, complete: true }, 'nfcapd', undefined)?.importer.id).toBe(
      'nfcapd',
    );
  }
});

describe('what no importer reads', () => {
  it.each([
    [[], /^empty$/],
    [[0x0c, 0xa5, 3, 0], /nfdump -r FILE -o csv/],
    [[...Buffer.from('SQLite format 3\0')], /sqlite3 -header -csv/],
    [[...Buffer.from('regf')], /registry hive/],
    [[...Buffer.from('ASL DB\0\0')], /syslog -f FILE/],
    [[0, 16, 0, 0, 17, 0, 0, 0, 208], /log show/],
    [[1, 2, 3], /no importer recognises/],
    [[0, 0, 0], /^only NUL bytes$/],
  ])('%j', (bytes, reason) => {
    expect(unknownReason({ bytes: Uint8Array.from(bytes), complete: true })).toMatch(reason);
  });
});

describe('a log behind a hole of NULs', () => {
  const lines = 'Mar  4 10:10:10 web-02 sshd[411]: session opened for user root\n'.repeat(3);
  const holed = Buffer.from(`${'\0'.repeat(5000)}${lines}`);

  it('is recognised by what follows the hole', () => {
    const found = recognise(importers, { bytes: holed, complete: true }, 'auth.log', undefined);
    expect(found?.result.format).toBe('rfc3164');
  });

  it('of which only the hole is seen: told how it can be read', () => {
    const head = { bytes: holed.subarray(0, 5000), complete: false };
    expect(recognise(importers, head, 'auth.log', undefined)).toBeUndefined();
    expect(unknownReason(head)).toMatch(/NUL bytes .* --format text$/);
    expect(recognise(importers, head, 'auth.log', 'text')?.importer.id).toBe('syslog');
  });
});

describe('text that is no log', () => {
  const sha256 = (n: number): string => n.toString(16).repeat(64).slice(0, 64);
  it.each<[string, readonly string[], RegExp]>([
    [
      'what Argus ra prints',
      [
        '         StartTime      Flgs  Proto            SrcAddr  Sport   Dir            DstAddr  Dport  TotPkts   TotBytes State',
        '   04:37:27.662651  e           tcp          192.0.2.1.1234      ->          192.0.2.2.443           1         78   CON',
      ],
      /ra -r FILE -n -u -c ,/,
    ],
    [
      'what Argus ra prints of other fields',
      [
        '           SrcAddr  Sport   Dir            DstAddr  Dport  Proto  TotPkts State',
        '         192.0.2.1.1234      ->          192.0.2.2.443      tcp        1   CON',
      ],
      /ra -r FILE -n -u -c ,/,
    ],
    [
      'conversations of tshark',
      [
        '='.repeat(80),
        'IPv4 Conversations',
        'Filter:<No Filter>',
        '   |  <-  | |  ->  |',
        '192.0.2.1 <-> 192.0.2.2 1 78 bytes',
      ],
      /import the capture/,
    ],
    ['checksums', [1, 2, 3].map((n) => `${sha256(n)}  file${n}.evtx`), /hash manifest/],
    [
      'checksums as BSD writes them',
      [1, 2].map((n) => `SHA256 (file${n}) = ${sha256(n)}`),
      /hash manifest/,
    ],
  ])('%s: refused with a reason, read where it is asked for', (_, lines, reason) => {
    const bytes = utf8.encode(lines.map((line) => `${line}\n`).join(''));
    const head = { bytes, complete: true };
    expect(recognise(importers, head, 'evidence', undefined)).toBeUndefined();
    expect(unknownReason(head)).toMatch(reason);
    expect(recognise(importers, head, 'evidence', 'text')?.importer.id).toBe('syslog');
  });

  it('a log with a checksum in a line is a log', () => {
    expect(importerOf([`${sha256(1)}  a`, 'Nov 21 00:00:01 host prog: verified'])).toBe('syslog');
  });
});
