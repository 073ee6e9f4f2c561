/** Defanged indicators, as reports write them, match the events' real values. */
import { expect, it } from 'vitest';
import { shownRows, startQuery } from '../index.ts';
import { caseOfFiles, ndjson } from '../testing/case-of-files.ts';

const RECORDS = [
  {
    src_ip: '10.0.0.1',
    url: 'http://b.example/x',
    domain: 'b.example',
    command: 'get http://b.example/x',
  },
  {
    src_ip: '2001:db8::7',
    url: 'https://b.example:8443/',
    user: 'a@b.example',
    command: 'ls a[.]b -l',
    note: 'https://b.example:8443/ a@b.example',
  },
  { src_ip: '10.0.0.2', url: 'http://c.example/', domain: 'c.example', user: 'c@c.example' },
];

const session = await caseOfFiles({
  'records.ndjson': ndjson(
    RECORDS.map((one, n) => ({ timestamp: `2026-01-01T00:00:0${n}Z`, ...one })),
  ),
});

async function found(list: string, path?: 'scan'): Promise<number[]> {
  const given = { bytes: new TextEncoder().encode(list) };
  const text = '* | fields event_id';
  const running = startQuery(session, { text, zone: 'UTC', list: given, path });
  const ids: string[] = [];
  for await (const records of shownRows(running, 'UTC'))
    for (const record of records) ids.push(String(record['event_id']));
  return ids.map((id) => Number(id.split(':')[1]) - 1);
}

it.each<[string, number[]]>([
  ['10.0.0[.]1\n', [0]],
  ['2001[:]db8::7\n', [1]],
  ['hxxp://b[.]example/x\n', [0]],
  ['HXXPS[://]b[.]example:8443/\n', [1]],
  ['hxxps[:]//b[.]example:8443/\n', [1]],
  ['c[.]example\n', [2]],
  ['a[@]b[.]example\n', [1]],
  ['url\nhxxp://b[.]example/x\n', [0]],
  ['url\nhxxps[://]b[.]example:8443/\n', [1]],
  ['domain\nb[.]example\n', [0]],
  ['user\na[@]b[.]example\n', [1]],
  ['{"domain":"c[.]example"}\n', [2]],
  // In a text with blanks the brackets belong to the text.
  ['command\nls a[.]b -l\n', [1]],
])('finds %j', async (list, expected) => {
  expect(await found(list)).toEqual(expected);
  expect(await found(list, 'scan')).toEqual(expected);
});
