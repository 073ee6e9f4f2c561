/** Buckets: a partition of the range, the same in JavaScript and in SQL. */
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import type { Interval, IntervalUnit } from '../syntax/ast.ts';
import { Params } from '../dialect/duckdb.ts';
import { bucketSql, bucketStart, makeGrid, startSql, type Grid } from './grid.ts';
import { zoneOffset } from './zone.ts';

const at = (text: string) => Date.parse(text) * 1000;
const every = (count: number, unit: IntervalUnit): Interval => ({ count, unit, start: 0, end: 0 });
const starts = (grid: Grid) =>
  Array.from({ length: grid.buckets }, (_, i) =>
    new Date(bucketStart(grid, i) / 1000).toISOString(),
  );

function grid(from: string, to: string, interval: Interval | undefined, zone = 'UTC'): Grid {
  return makeGrid({ from: at(from), to: at(to) }, interval, zone, zoneOffset);
}

describe('buckets', () => {
  it.each<[string, Grid, string[]]>([
    [
      'align to the interval',
      grid('2026-11-20T01:10Z', '2026-11-20T03:00Z', every(1, 'h')),
      ['2026-11-20T01:00:00.000Z', '2026-11-20T02:00:00.000Z'],
    ],
    [
      'weeks start on Monday',
      grid('2026-11-21T00:00Z', '2026-11-24T00:00Z', every(1, 'w')),
      ['2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ],
    [
      'days start at the midnight of the zone',
      grid('2026-11-20T00:00Z', '2026-11-21T00:00Z', every(1, 'd'), '+02:00'),
      ['2026-11-19T22:00:00.000Z', '2026-11-20T22:00:00.000Z'],
    ],
    [
      'a day of 25 hours is one bucket',
      grid('2026-10-24T10:00Z', '2026-10-26T10:00Z', every(1, 'd'), 'Europe/Rome'),
      ['2026-10-23T22:00:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ],
    [
      'an hour that comes twice is two buckets',
      grid('2026-10-25T00:00Z', '2026-10-25T02:00Z', every(1, 'h'), 'Europe/Rome'),
      ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z'],
    ],
    [
      'six hours follow the clock',
      grid('2026-03-28T23:00Z', '2026-03-29T22:00Z', every(6, 'h'), 'Europe/Rome'),
      [
        '2026-03-28T23:00:00.000Z',
        '2026-03-29T04:00:00.000Z',
        '2026-03-29T10:00:00.000Z',
        '2026-03-29T16:00:00.000Z',
      ],
    ],
  ])('%s', (_, made, expected) => {
    expect(starts(made)).toEqual(expected);
  });

  it('are at most as many as there are microseconds', () => {
    expect(makeGrid({ from: 5, to: 8 }, undefined, 'UTC', zoneOffset).buckets).toBe(3);
  });

  it('are bounded', () => {
    expect(() => grid('2020-01-01', '2026-01-01', every(1, 's'))).toThrow(
      'more than 100000 buckets',
    );
  });
});

it('SQL and JavaScript put every time into the same bucket', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const grids = [
    grid('2026-03-28T00:00:00.123456Z', '2026-03-30T07:00:00Z', undefined),
    grid('2026-03-28T00:10Z', '2026-03-30T07:00Z', every(7, 'm')),
    grid('2026-03-28T00:10Z', '2026-03-30T07:00Z', every(1, 'h'), 'Europe/Rome'),
    grid('2026-03-28T00:10Z', '2026-03-30T07:00Z', every(5, 'h'), 'Europe/Rome'),
    grid('2026-10-20T00:10Z', '2026-10-30T07:00Z', every(1, 'd'), 'America/New_York'),
    grid('2026-04-04T00:10Z', '2026-04-06T00:00Z', every(1, 'h'), 'Australia/Lord_Howe'),
  ];
  for (const one of grids) {
    for (let i = 0; i < one.buckets; i++) {
      const from = bucketStart(one, i);
      const to = bucketStart(one, i + 1);
      expect(to).toBeGreaterThan(from);
    }
    const params = new Params();
    const { sql, params: values } = params.finish(
      `SELECT b.i, ${bucketSql(one, 'b.us', params)}, ${startSql(one, 'b.i', params)} FROM (SELECT unnest(?::BIGINT[]) AS i, unnest(?::BIGINT[]) AS us) AS b`,
    );
    const picks = Array.from({ length: one.buckets }, (_, i) => [
      [i, Math.max(bucketStart(one, i), bucketStart(one, 0))],
      [i, bucketStart(one, i + 1) - 1],
    ]).flat() as [number, number][];
    const list = (k: 0 | 1) => `[${picks.map((pick) => pick[k]).join(',')}]`;
    const bound = sql
      .replace('?::BIGINT[]', `${list(0)}::BIGINT[]`)
      .replace('?::BIGINT[]', `${list(1)}::BIGINT[]`);
    const rows = (await connection.runAndReadAll(bound, values)).getRows();
    for (const [i, index, start] of rows) {
      expect(Number(index)).toBe(Number(i));
      expect(Number(start)).toBe(bucketStart(one, Number(i)));
    }
  }
  connection.closeSync();
  instance.closeSync();
});
