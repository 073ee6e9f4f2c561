/** What all dates of a log together determine: their order and their years. */
import { describe, expect, it } from 'vitest';
import type { ReadOptions } from '../../engine/evidence/importer.ts';
import { collect, inputOf, type Collected } from '../shared/testing/collect.ts';
import { syslogImporter } from './index.ts';

const FILE = Date.UTC(2026, 10, 23);

function read(text: string, options: Partial<ReadOptions> = {}): Promise<Collected> {
  const input = inputOf(new TextEncoder().encode(text), 'evidence', 1 << 20, FILE);
  return collect(syslogImporter, input, { format: 'text', ...options });
}

function daysOf({ rows }: Collected): (string | undefined)[] {
  return rows.map(({ ts }) =>
    typeof ts === 'number' ? new Date(ts / 1000).toISOString().slice(0, 10) : undefined,
  );
}

describe('the order of dates', () => {
  it('is one for all of a log', async () => {
    const us = ['08-11', '08-12', '08-13', '08-14'].map((day) => `${day}-2013 21:22:28 app one\n`);
    const american = await read(us.join(''));
    expect(daysOf(american)).toEqual(['2013-08-11', '2013-08-12', '2013-08-13', '2013-08-14']);
    expect(american.decisions).toMatchObject({
      ...{ dateOrder: 'mdy', dateOrderBasis: 'stated by dates that can be read one way only' },
    });
    expect(american.notes).toEqual([]);
    const eu = [10, 11, 12, 13, 14].map((day) => `[${day}/12/2021 08:00:00] first\n`);
    const european = await read(eu.join(''));
    expect(daysOf(european)).toEqual([10, 11, 12, 13, 14].map((day) => `2021-12-${day}`));
    expect(european.decisions.dateOrder).toBe('dmy');
  });

  it('of two-digit years is found, too', async () => {
    for (const [lines, days] of [
      [
        ['08-12-13', '08-31-13'],
        ['2013-08-12', '2013-08-31'],
      ],
      [
        ['12-08-13', '31-08-13'],
        ['2013-08-12', '2013-08-31'],
      ],
      [
        ['17/05/09', '17/05/31'],
        ['2017-05-09', '2017-05-31'],
      ],
    ] as const) {
      const got = await read(lines.map((line) => `${line} 01:10:08 a\n`).join(''));
      expect(daysOf(got)).toEqual(days);
    }
  });

  it('is a guess where nothing tells it, and says so', async () => {
    const text = '03/04/2021 08:00:00 a\n05/06/2021 08:00:00 b\n';
    const got = await read(text);
    expect(daysOf(got)).toEqual(['2021-03-04', '2021-05-06']);
    expect(got.decisions.dateOrderBasis).toMatch(/^guessed/);
    expect(got.notes.join()).toContain('taken as month/day/year');
    const asked = await read(text, { dateOrder: 'dmy' });
    expect(daysOf(asked)).toEqual(['2021-04-03', '2021-06-05']);
    expect(asked.decisions).toMatchObject({ dateOrder: 'dmy', dateOrderBasis: 'given' });
    expect(asked.notes).toEqual([]);
  });

  it('is that in which the dates lie closest together, where nothing tells it', async () => {
    const lines = (days: readonly string[]) =>
      days.map((day) => `${day}/2021 08:00:00 a\n`).join('');
    const daily = await read(lines(['03/04', '04/04', '05/04']));
    expect(daysOf(daily)).toEqual(['2021-04-03', '2021-04-04', '2021-04-05']);
    expect(daily.decisions.dateOrder).toBe('dmy');
    expect(daily.decisions.dateOrderBasis).toMatch(/^guessed/);
    expect(daily.notes.join()).toContain('day/month/year, in which they lie closest together');
    const others = await read(lines(['04/03', '04/04', '04/05']));
    expect(daysOf(others)).toEqual(['2021-04-03', '2021-04-04', '2021-04-05']);
  });

  it('that contradicts itself is said', async () => {
    const got = await read(
      '13/08/2021 08:00:00 a\n14/08/2021 08:00:00 b\n08/15/2021 08:00:00 c\n01/02/2021 08:00:00 d\n',
    );
    expect(daysOf(got)).toEqual(['2021-08-13', '2021-08-14', '2021-08-15', '2021-02-01']);
    expect(got.decisions.dateOrder).toBe('dmy');
    expect(got.notes.join()).toContain('1 of 4 dates cannot be day/month/year');
  });
});

describe('the year of a log', () => {
  it('is that of full dates in its records', async () => {
    const line = (day: number) =>
      `Nov ${day} 22:45:25 test haproxy[760]: 192.0.2.1:58444 [${day}/Nov/2015:22:45:25.439] main\n`;
    const got = await read(line(14) + line(15));
    expect(daysOf(got)).toEqual(['2015-11-14', '2015-11-15']);
    expect(got.decisions.yearBasis).toBe('stated by full dates in the log');
    expect(got.notes.join()).toContain("the file's date of 2026-11-23 would make it 2026");
    // The date of something else determines nothing.
    const other = await read(
      'Nov 14 22:45:25 db postgres[7]: database system was shut down at 2017-06-17 16:58:04\n',
    );
    expect(other.decisions.year).toBe(2026);
  });

  it.each([
    'device 3 changed date=2020-01-01 time=00:00:00',
    'dev01 kernel: copied file date=2020-01-01 time=00:00:00 ok',
    'developer=x date=2020-01-01 time=00:00:00',
    'device=3 changed date=2020-01-01 time=00:00:00',
    'devname="fw" devid="FG1" date=2020-01-01 time=00:00:00 x=1',
    'CEF:0|A|B|1|2|x|3|rt=Jan 01 2020 00:00:00 UTC act=y',
  ])('is not that of %s', async (line) => {
    const others = 'Mar  4 05:06:07 h app: x\n'.repeat(3);
    const got = await read(`${others}${line}\n${others}`);
    expect(got.decisions.year).toBe(2026);
    expect(got.rows.filter(({ message }) => message === 'app: x').length).toBeGreaterThan(3);
    expect(daysOf(got)[0]).toBe('2026-03-04');
    const isPairs = /^(?:devname|CEF)/.test(line);
    expect(daysOf(got).includes('2020-01-01')).toBe(isPairs);
  });

  it.each([
    ['<190>77: sw1 Mar  1 1993 00:00:46 UTC: %SYS-5-CONFIG_I: x', '1993-03-01'],
    ['<46>: sw1 Jan  1 1970 00:00:46 UTC: %SYS-5-CONFIG_I: x', '1970-01-01'],
    ['<46>: Jan  1 1970 00:00:46 UTC: %SYS-5-CONFIG_I: x', '1970-01-01'],
    ['<190>77: *Mar  1 2002 00:00:46 UTC: %SYS-5-CONFIG_I: x', '2002-03-01'],
    ['*Mar  1 2002 00:00:46 UTC: %SYS-5-CONFIG_I: x', '2002-03-01'],
    ['sw1: *Mar  1 2002 00:00:46 UTC: %SYS-5-CONFIG_I: x', '2002-03-01'],
  ])('is not that of a clock that was not set: %s', async (line, day) => {
    const others = '<134>Nov 21 05:06:07 h app: x\n'.repeat(3);
    const got = await read(`${others}${line}\n${others}`);
    expect(got.decisions.year).toBe(2026);
    expect(new Set(daysOf(got))).toEqual(new Set(['2026-11-21', day]));
  });

  it('is an early one where a line that is not of a device states it', async () => {
    const got = await read(
      'Jan  5 1998 10:15:22 hostx sshd[12]: one\nJan  5 10:15:23 hostx sshd[12]: two\n',
    );
    expect(daysOf(got)).toEqual(['1998-01-05', '1998-01-05']);
  });

  it('is that of its weekdays', async () => {
    const got = await read(
      'Thu Nov 14 21:50:52.395 <airportd[88]> one\nFri Nov 15 01:00:00.000 <airportd[88]> two\n',
    );
    expect(daysOf(got)).toEqual(['2024-11-14', '2024-11-15']);
    expect(got.notes.join()).toContain('would make it 2026');
  });

  it('is that of its heading', async () => {
    const got = await read(
      'Log file created at: 2019/12/30 06:07:40\nRunning on machine: example\n' +
        'I1231 23:04:22.619632 7 a.cc:1] one\nI0101 00:04:22.619632 7 a.cc:1] two\n',
    );
    expect(daysOf(got).slice(-2)).toEqual(['2019-12-31', '2020-01-01']);
    expect(got.decisions.year).toBe(2020);
  });
});
