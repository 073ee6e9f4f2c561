/** Bins in a time zone: SQL and arithmetic agree, also for times before 1970. */
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import type { Interval } from '../syntax/ast.ts';
import { ZoneClock } from './zone-clock.ts';

const HOUR = 3600e6;
const AT = [
  ...[Date.UTC(1914, 11, 4, 20, 23, 50), Date.UTC(1969, 11, 31, 23, 59, 59), 0],
  ...[Date.UTC(1970, 0, 5), Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 1, 30)],
].flatMap((ms) => [ms * 1000 - 1, ms * 1000]);
const INTERVALS: readonly Interval[] = (
  [
    [1, 's'],
    [5, 'm'],
    [1, 'h'],
    [6, 'h'],
    [1, 'd'],
    [1, 'w'],
  ] as const
).map(([count, unit]) => ({ count, unit, start: 0, end: 0 }));

it.each(['UTC', 'Europe/Berlin', 'America/New_York', '+05:30'])('%s', async (zone) => {
  const clock = new ZoneClock(zone);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    // A short expression is repeated, a long one is bound to a name.
    for (const ts of ['ts', `make_timestamp(epoch_us(ts) + ${HOUR} - 3600000000 + 0 * 123456789)`])
      for (const interval of INTERVALS) {
        const bin = clock.binStartSql(ts, interval);
        const reader = await connection.runAndReadAll(
          `SELECT epoch_us(${bin})::DOUBLE FROM (SELECT make_timestamp(unnest([${AT.map((at) => `${at}::BIGINT`).join(', ')}])) AS ts)`,
        );
        const found = reader.getRows().map(([us]) => Number(us));
        expect(found, `${interval.count}${interval.unit}`).toEqual(
          AT.map((at) => clock.binStart(at, interval)),
        );
      }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});

it('has a long time once in the SQL of ClickHouse', () => {
  const clock = new ZoneClock('Europe/Berlin');
  const long = 'toUnixTimestamp64Micro(addMicroseconds(ts, toInt64(n)))';
  for (const sql of [
    ...[clock.localMicros(long), clock.utcMicros(long)],
    ...INTERVALS.map((interval) => clock.binStartMicros(long, interval)),
  ])
    expect(sql.split(long)).toHaveLength(2);
});

it('looks many offsets up in ClickHouse, which computes every branch of a condition', () => {
  const clock = new ZoneClock('Europe/Berlin');
  for (const sql of [clock.localMicros('t'), clock.utcMicros('t')]) {
    expect(sql).toContain('roundDown(');
    expect(sql).not.toContain('CASE');
  }
  const day = Date.UTC(2026, 9, 25) * 1000;
  expect(clock.localMicros('t', { minTs: day, maxTs: day })).toContain('CASE WHEN t < ');
});
