/** A time means the same in a cell, in a member and in a line of a log. */
import { expect, it } from 'vitest';
import { resolveZone } from '../../engine/contract/time/zone.ts';
import { collect, inputOf } from '../shared/testing/collect.ts';
import { flowCsvImporter } from '../registry.ts';
import { StampReader } from './stamp.ts';

const MINUTE = 60_000;
/** 22:00:01 of one clock, and how far it is ahead of UTC in minutes. */
const WRITTEN: readonly (readonly [text: string, ahead?: number])[] = [
  ['20261120T220001Z', 0],
  ['20261120 22:00:01'],
  ['20261120220001'],
  ['20261120220001.000'],
  ['2026-324T22:00:01Z', 0],
  ['2026.11.20 22:00:01'],
  ['2026:11:20 22:00:01'],
  ['2026-11-20-22.00.01'],
  ['2026-11-20-22.00.01+02:00', 120],
  ['2026-11-20-22.00.01+02', 120],
  ['2026-11-20-22.00.01-300', -300],
  ['2026-11-20 22:00:01 -0500 EST', -300],
  ['2026-11-20 22:00:01.000 +0000 UTC m=+0.000012', 0],
  ['2026-11-20 22:00:01 +0300 +03', 180],
  ['2026-11-20 22:00:01 EST', -300],
  ['2026-11-20 22:00:01 CET', 60],
  ['2026-11-20T22:00:01\u221202:00', -120],
  ['2026-11-20T22:00:01+01:00[Europe/Berlin]', 60],
  ['2026-11-20T22:00:01Z[UTC]', 0],
  ['Nov 20, 2026 10:00:01 PM'],
  ['Nov 20, 2026, 10:00:01\u202fPM'],
  ['Nov 20, 2026 10:00:01 PM UTC', 0],
  ['Nov 20, 2026 @ 22:00:01'],
  ['November 20, 2026 10:00:01 PM'],
  ['Friday, November 20, 2026 10:00:01 PM'],
  ['20.11.2026, 22:00:01'],
  ['11/20/2026, 10:00:01 PM'],
  ['20/11/2026 10:00:01 p.\u00a0m.'],
  ['20-Nov-26 22:00:01'],
  ['20-NOV-26 10.00.01 PM'],
  ['20-NOV-26 10.00.01 PM +02:00', 120],
  ['20/Nov/2026:22:00:01 +0000', 0],
  ['Fri Nov 20 22:00:01 2026'],
  ['Fri Nov 20 22:00:01 EST 2026', -300],
  ['Fri, 20 Nov 2026 22:00:01 -0500', -300],
  ['Fri, 20 Nov 2026 22:00:01 EST', -300],
  ['Fri Nov 20 2026 22:00:01 GMT+0100 (Central European Standard Time)', 60],
  ['/Date(1795212001000)/', 0],
  ['/Date(1795212001000+0100)/', 0],
];

async function read(bytes: Buffer) {
  const format = flowCsvImporter.sniff(bytes, { name: 'x', complete: true })?.format ?? '';
  const { rows } = await collect(flowCsvImporter, inputOf(bytes), {
    format,
    timeZone: 'Asia/Tokyo',
  });
  return rows;
}
const timeOf = (ahead = 9 * 60) => (Date.UTC(2026, 10, 20, 22, 0, 1) - ahead * MINUTE) * 1000;

it.each(WRITTEN.map(([text, ahead]) => ({ text, ahead })))('$text', async ({ text, ahead }) => {
  const ts = timeOf(ahead);
  const cell = Buffer.from(`x${text}x`);
  const stamp = new StampReader(resolveZone('Asia/Tokyo'), 'dmy');
  expect(stamp.read(cell, 1, cell.length - 1)).toBe(true);
  expect(stamp).toMatchObject({ micros: ts, zoned: ahead === undefined });

  const rows = Array.from({ length: 3 }, (_, i) => `"${text}",192.0.2.${i},text ${i}\n`);
  const table = Buffer.from(`timestamp,src_ip,message\n${rows.join('')}`);
  const members = Array.from(rows, (_, i) =>
    JSON.stringify({ timestamp: text, src_ip: `192.0.2.${i}`, message: `text ${i}` }),
  );
  for (const bytes of [table, Buffer.from(`${members.join('\n')}\n`)]) {
    const events = await read(bytes);
    expect(events.map((event) => event['ts'])).toEqual([ts, ts, ts]);
    expect(events.map((event) => Number(event['ts_basis'] ?? 0) & 1)).toEqual(
      Array.from(events, () => (ahead === undefined ? 1 : 0)),
    );
  }
});

it.each([
  ...['2026-11-20 22:00:01 XYZ', '2026-11-20T22:00:01[UTC]', 'Nov 20 22:00:01', 'x20261120'],
  ...['20261320220001', '/Date(x)/', '/Date(1795212001000)', '10:00:01 PM', '11-20 22:00:01'],
  ...['133764840012345678', '639307764011234567', '2026-11-20-22.00.01+1'],
  ...['2026-11-20 22:00:01 EST m=+0.1', '2026-11-20 22:00:01 +0000 utc'],
  ...['Nov 20, 2026 10:00:01 PM text', '2026-11-20T22:00:01Z 7', '@400000006b0f3a2b1d2c3b4a'],
])('does not take %s', (text) => {
  const bytes = Buffer.from(text);
  expect(new StampReader().read(bytes, 0, bytes.length)).toBe(false);
});

it.each(['2026/1/2 3:04', '2026-1-2 3:04', '2026.1.2 3:04', '2-Jan-26 3:04', '260102 030400'])(
  'reads %s, as short as a time can be',
  (text) => {
    const stamp = new StampReader();
    expect(stamp.read(Buffer.from(text), 0, text.length)).toBe(true);
    expect(stamp.micros).toBe(Date.UTC(2026, 0, 2, 3, 4) * 1000);
  },
);
