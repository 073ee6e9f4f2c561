/** Output of evidence collectors: timelines, and records with several times, each of which is an event. */
import { describe, expect, it } from 'vitest';
import { collect, type CollectedRow, inputOf } from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';
import { StampReader } from './stamp.ts';

async function read(text: string): Promise<Awaited<ReturnType<typeof collect>>> {
  const bytes = Buffer.from(text);
  const found = flowCsvImporter.sniff(bytes, { name: 'x', complete: true });
  return collect(flowCsvImporter, inputOf(bytes), { format: found?.format ?? '' });
}

async function rowsOf(text: string): Promise<readonly CollectedRow[]> {
  const { rows, quarantined } = await read(text);
  expect(quarantined).toEqual([]);
  return rows.toSorted((a, b) => Number(a['seq']) - Number(b['seq']));
}

const micros = (text: string): number => Date.parse(text) * 1000;
const timed = (row: CollectedRow): readonly unknown[] => [
  row['seq'],
  row['ts'],
  row.attrs['timestamp_desc'],
];

describe('records with several times', () => {
  const BODYFILE =
    '0|/etc/passwd|12|r/rrw-r--r--|0|0|1024|1772600767|1772600768|1772600768|0\n' +
    '0|/tmp/a "b"|13|r/rrw-------|1000|1000|7|1772600770|0|0|1772600769\n' +
    '0|/tmp/none|14|r/rrw-------|1000|1000|7|0|0|0|0\n';

  it('a bodyfile: each time is an event, and a record of the ledger', async () => {
    const { rows, records, notes } = await read(BODYFILE);
    expect(rows.map(timed)).toEqual([
      [1, 1_772_600_767_000_000, 'Last Access Time'],
      [2, 1_772_600_768_000_000, 'Content Modification Time'],
      [3, 1_772_600_768_000_000, 'Metadata Modification Time'],
      [4, 1_772_600_770_000_000, 'Last Access Time'],
      [5, 1_772_600_769_000_000, 'Creation Time'],
      [6, undefined, undefined],
    ]);
    expect(records).toBe(6);
    expect(notes).toContain('2 records with times gave 5 events, one for each time');
    expect(rows[3]).toMatchObject({
      file_path: '/tmp/a "b"',
      user_id: '1000',
      offset: rows[4]!['offset'],
    });
    // `0` means no digest.
    expect(rows[0]!['md5']).toBeUndefined();
  });

  it('prefetch, as PECmd writes it', async () => {
    const rows = await rowsOf(
      'SourceFilename,ExecutableName,Hash,RunCount,LastRun,PreviousRun0,PreviousRun1\n' +
        'C:\\Windows\\Prefetch\\A.EXE-1.pf,A.EXE,1,2,2026-03-04 05:06:07,2026-03-03 05:06:07,\n' +
        'C:\\Windows\\Prefetch\\B.EXE-2.pf,B.EXE,2,1,2026-03-05 05:06:07,,\n',
    );
    expect(rows.map((row) => [row['process'], ...timed(row)])).toEqual([
      ['A.EXE', 1, micros('2026-03-04T05:06:07Z'), 'Last Time Executed'],
      ['A.EXE', 2, micros('2026-03-03T05:06:07Z'), 'Previous Last Time Executed'],
      ['B.EXE', 3, micros('2026-03-05T05:06:07Z'), 'Last Time Executed'],
    ]);
  });

  it.each([
    ['a table', (rows: readonly (readonly string[])[]) => rows.map((row) => row.join(','))],
    [
      'JSON',
      ([names = [], ...rows]: readonly (readonly string[])[]) =>
        rows.map((row) =>
          JSON.stringify(Object.fromEntries(row.map((cell, i) => [names[i], cell]))),
        ),
    ],
  ])('their dates decide on the order of day and month, in %s', async (_, linesOf) => {
    const lines = linesOf([
      ['FileKeyLastWriteTimestamp', 'SHA1', 'FullPath', 'LinkDate'],
      ['03/04/2026 05:06:07', 'a'.repeat(40), 'C:\\a.exe', ''],
      ['03/05/2026 05:06:07', 'b'.repeat(40), 'C:\\b.exe', '04/21/2025 05:06:07'],
    ]);
    const rows = await rowsOf(`${lines.join('\n')}\n`);
    expect(rows.map(timed)).toEqual([
      [1, micros('2026-03-04T05:06:07Z'), 'Last Written Time (key)'],
      [2, micros('2026-03-05T05:06:07Z'), 'Last Written Time (key)'],
      [3, micros('2025-04-21T05:06:07Z'), 'Link Time'],
    ]);
  });

  it('files, as Velociraptor writes them, beside a record of another kind', async () => {
    const rows = await rowsOf(
      `${JSON.stringify({ OSPath: 'C:\\a.exe', Mtime: '2026-03-04T05:06:07Z', Atime: '2026-03-04T05:06:08Z', Btime: '0001-01-01T00:00:00Z', Hash: { MD5: 'a'.repeat(32) } })}\n` +
        `${JSON.stringify({ Pid: 7, Laddr: { IP: '192.0.2.17', Port: 40112 }, Raddr: { IP: '198.51.100.1', Port: 443 }, Timestamp: '2026-03-04T05:06:09Z' })}\n`,
    );
    expect(rows.map(timed)).toEqual([
      [1, micros('2026-03-04T05:06:07Z'), 'Content Modification Time'],
      [2, micros('2026-03-04T05:06:08Z'), 'Last Access Time'],
      [3, micros('2026-03-04T05:06:09Z'), undefined],
    ]);
    expect(rows[0]).toMatchObject({ file_path: 'C:\\a.exe', md5: 'a'.repeat(32) });
    expect(rows[2]).toMatchObject({ src_port: 40112, dst_port: 443 });
  });

  it('the recycle bin, as RBCmd writes it', async () => {
    const file = 'C:\\$Recycle.Bin\\S-1-5-21-1\\$IABCD12.doc,$I,C:\\a.doc,7,2026-03-04 05:06:07\n';
    const [row] = await rowsOf(`SourceName,FileType,FileName,FileSize,DeletedOn\n${file}${file}`);
    expect(row).toMatchObject({ ts: micros('2026-03-04T05:06:07Z'), file_path: 'C:\\a.doc' });
    expect(row!['program']).toBeUndefined();
  });

  it('is no bodyfile where a column is none of its', async () => {
    const rows = await rowsOf(BODYFILE.replaceAll('|1024|', '|x|').replaceAll('|7|', '|x|'));
    expect(rows.every((row) => row.attrs['timestamp_desc'] === undefined)).toBe(true);
  });
});

describe('timelines', () => {
  it.each<[string, string, Record<string, unknown>]>([
    [
      'Plaso, dynamic',
      'datetime,timestamp_desc,source,source_long,message,parser,display_name,tag\n' +
        '2026-03-04T05:06:07.5+00:00,Last Access Time,FILE,File stat,a text,filestat,OS:/a,-\n',
      {
        ts: micros('2026-03-04T05:06:07.500Z'),
        event_type: 'Last Access Time',
        program: 'filestat',
        file_path: 'OS:/a',
      },
    ],
    [
      'Plaso, l2tcsv: date and time in two columns',
      'date,time,timezone,MACB,source,sourcetype,type,user,host,short,desc,version,filename,inode,notes,format,extra\n' +
        '03/04/2026,05:06:07,UTC,M...,FILE,NTFS,Content Modification Time,alice,pc1,short,long,2,TSK:/a,5,-,filestat,-\n',
      {
        ts: micros('2026-03-04T05:06:07Z'),
        user: 'alice',
        host: 'pc1',
        message: 'long',
        file_path: 'TSK:/a',
      },
    ],
    [
      'mactime',
      'Date,Size,Type,Mode,UID,GID,Meta,File Name\n2026-03-04T05:06:07Z,7,m.c.,r/rrw-------,0,0,12,"/tmp/a"\n',
      { ts: micros('2026-03-04T05:06:07Z'), event_type: 'm.c.', file_path: '/tmp/a', user_id: '0' },
    ],
    [
      'RECmd',
      'HivePath,HiveType,Description,Category,KeyPath,ValueName,ValueData,LastWriteTimestamp\nC:\\h,SYSTEM,Run,Run,ROOT\\Run,a,a.exe,2026-03-04 05:06:07\n',
      { ts: micros('2026-03-04T05:06:07Z'), registry_key: 'ROOT\\Run', registry_value: 'a.exe' },
    ],
  ])('%s', async (_, text, expected) => {
    // The row twice: a single one may be a heading.
    const rows = await rowsOf(text + text.slice(text.indexOf('\n') + 1));
    expect(rows.length).toBe(2);
    expect(rows[1]).toMatchObject(expected);
  });
});

it.each([
  ['23/May/2022:06:28:50 +0200', '2022-05-23T04:28:50Z'],
  ['Fri May 14 14:52:47 2021', '2021-05-14T14:52:47Z'],
  ['Fri May  4 14:52:47 UTC 2021', '2021-05-04T14:52:47Z'],
  ['Mon, 28 Aug 2023 08:04:30 -0100', '2023-08-28T09:04:30Z'],
  ['Mar 01 2021 20:35:54', '2021-03-01T20:35:54Z'],
  ['Fri Xyz 14 14:52:47 2021', undefined],
  ['Feb 30 2021 20:35:54', undefined],
  ['14/May 2021 14:52', undefined],
])('a month that is a name: %s', (text, expected) => {
  const stamp = new StampReader();
  const bytes = Buffer.from(text);
  expect(stamp.read(bytes, 0, bytes.length) ? stamp.micros : undefined).toBe(
    expected === undefined ? undefined : micros(expected),
  );
});
