/** Offsets that a line states apart from its time, in every position. */
import { expect, it } from 'vitest';
import { collect, inputOf } from '../shared/testing/collect.ts';
import { syslogImporter } from './index.ts';

const HOUR = 3600;

async function readOne(line: string) {
  const bytes = Buffer.from(`${line} app[7]: text\n`);
  const { rows } = await collect(syslogImporter, inputOf(bytes), { timeZone: 'Asia/Tokyo' });
  expect(rows).toHaveLength(1);
  return rows[0]!;
}

it.each([
  ['2026-11-21T10:00:00 +0530', 5.5],
  ['2026-11-21T10:00:00 -03:30', -3.5],
  ['2026-11-21T10:00:00 Z', 0],
  ['2026-11-21T10:00:00,5Z', 0],
  ['2026-11-21T10:00:00,5-03:30', -3.5],
  ['[2026-11-21T10:00:00.123 +0200]', 2],
  ['Nov 21 2026 10:00:00 +02:00', 2],
  ['Sat Nov 21 10:00:00 +0200 2026', 2],
  ['2026-11-21 10:00:00 GMT+2', 2],
  ['2026-11-21 10:00:00 UTC-03:30', -3.5],
  ['2026-11-21 10:00:00 GMT+0200', 2],
  ['2026-11-21T10:00:00 GMT+02:00', 2],
  ['2026-11-21T10:00:00.25 UTC-0330', -3.5],
  ['Nov 21 2026 10:00:00 GMT+02:00', 2],
  ['Nov 21 2026 10:00:00 UTC+2', 2],
  ['Sat Nov 21 10:00:00 GMT-03:30 2026', -3.5],
  ['21/Nov/2026 10:00:00 GMT+0200', 2],
  ['20261121 100000 GMT+0200', 2],
  ['20261121 100000 +0200', 2],
  ['261121 10:00:00 +0200', 2],
  ['2026-11-21 10:00:00 a.m. +0200', 2],
  ['2026-11-21 10:00:00 a. m. +0200', 2],
  ['2026-11-21T10:00:00\u221203:30', -3.5],
  ['2026-11-21T10:00Z', 0],
  ['2026-11-21T10:00+02:00', 2],
  ['21-NOV-26 10.00.00 AM +02:00', 2],
  ['2026-11-21-10.00.00+02:00', 2],
  ['2026-11-21-10.00.00-0330', -3.5],
  ['2026-11-21-10.00.00+02', 2],
  ['2026-11-21-10.00.00+120', 2],
  ['2026-11-21-10.00.00-090', -1.5],
  ['2026-11-21-10.00.00Z', 0],
  ['2026-11-21-10.00.00 UTC', 0],
  ['Nov 21, 2026 10:00:00 UTC', 0],
  ['Nov 21, 2026, 10:00:00 AM EST', -5],
  ['Nov 21, 2026 @ 10:00:00 CET', 1],
  ['2026-11-21 10:00:00 AMZ', 0],
  ['2026-11-21T10:00:00 UTC', 0],
  ['20261121T100000 GMT', 0],
  ['Sat Nov 21 2026 10:00:00 UTC', 0],
])('%s', async (line, hours) => {
  const row = await readOne(line);
  const offset = hours * HOUR;
  const fraction = /[.,](\d+)/.exec(line.slice(0, 26))?.[1] ?? '';
  const local = Date.UTC(2026, 10, 21, 10) * 1000 + Number(`0.${fraction}`) * 1e6;
  expect(row).toMatchObject({ ts: local - offset * 1e6, tz_offset: offset });
  expect(Number(row['ts_basis']) & 1).toBe(0);
  expect(row['host']).toBeUndefined();
  expect(String(row['message'])).toMatch(/^\]? ?app\[7\]: text$/);
});

it.each([
  '2026-11-21 10:00:00 EST+2',
  '2026-11-21T10:00:00 -1',
  '2026-11-21T10:00:00,5',
  '2026-11-21T10:00:00 EST+02:00',
  '2026-11-21 10:00:00,42-1234',
  '2026-11-21-10.00.00-1',
])('does not guess at %s', async (line) => {
  const row = await readOne(line);
  expect(row).toMatchObject({ ts: Date.UTC(2026, 10, 21, 1) * 1000, tz_offset: 9 * HOUR });
  expect(Number(row['ts_basis']) & 1).toBe(1);
});

it('reads hours of the afternoon however they are marked', async () => {
  for (const half of ['PM', 'pm', 'p.m.', 'P.M.', 'p. m.', 'p.\u00a0m.', 'p.\u202fm.'])
    for (const blank of ['', ' ', '\u00a0', '\u202f'])
      for (const time of ['2026-11-21 10:00:00', 'Nov 21, 2026, 10:00:00', '21-Nov-2026 10.00.00'])
        expect(await readOne(`${time}${blank}${half}`), `${time}${blank}${half}`).toMatchObject({
          ts: Date.UTC(2026, 10, 21, 13) * 1000,
          message: 'app[7]: text',
        });
  expect(await readOne('2026-11-21 10:00:00 a. many')).toMatchObject({
    ts: Date.UTC(2026, 10, 21, 1) * 1000,
  });
});

it("reads Kibana's times", async () => {
  expect(await readOne('Nov 21, 2026 @ 19:00:00.123')).toMatchObject({
    ts: Date.UTC(2026, 10, 21, 10, 0, 0, 123) * 1000,
    message: 'app[7]: text',
  });
});

it('takes no time whose year cannot be for one without a year', async () => {
  for (const line of ['31 Dec 9999 23:59:59', 'Jan 1 0001 00:00:00', 'Dec/31/1601 10:00:00']) {
    const row = await readOne(line);
    expect(row['ts'], line).toBeUndefined();
    expect(row['message']).toBe(`${line} app[7]: text`);
  }
});
