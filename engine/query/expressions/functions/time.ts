/** Functions of times. Clocks are those of the query's zone. */
import { dayOfTime, dayPart } from '../../dialect/duckdb.ts';
import {
  calendarPart,
  clockPart as clockPartSql,
  maybeMicrosOf,
  real,
  timeOfMicros,
} from '../../dialect/clickhouse.ts';
import type { ClickHouseScope } from '../../dialect/clickhouse-scope.ts';
import { epochSeconds, oneOfTexts, unitsBetween } from '../../dialect/function-sql.ts';
import { WEEKDAYS } from '../../filters/names.ts';
import type { Scope } from '../../plan/scope.ts';
import type { TimeRange } from '../../time/zone-clock.ts';
import {
  type Call,
  type FunctionOperator,
  literalAt,
  scalar,
  typedAt,
  valueAt,
} from '../operator.ts';
import { valueClickHouse, onePart } from '../value.ts';

const UNITS: Readonly<Record<string, number>> = {
  ...{ ms: 1e3, millisecond: 1e3, s: 1e6, second: 1e6, m: 60e6, minute: 60e6 },
  ...{ h: 3600e6, hour: 3600e6, d: 86_400e6, day: 86_400e6, w: 604_800e6, week: 604_800e6 },
};

/** Range of the times that a call is given, as far as known: that of a segment's events. */
function timesOf({ args }: Call, scope: Scope): TimeRange | undefined {
  const [given] = args;
  return given !== undefined && 'text' in given && given.text === 'ts' ? scope.segment : undefined;
}

/** The microseconds that the clock shows, in ClickHouse. */
function localThere(ts: string, scope: ClickHouseScope, call: Call): string {
  const [given] = call.args;
  const isOfEvents = given !== undefined && 'text' in given && given.text === 'ts';
  return call.clock().localMicros(maybeMicrosOf(ts), isOfEvents ? scope.times : undefined);
}

/** A part of the clock time, as a number. */
function clockPart(
  name: string,
  gives: string,
  sqlPart: 'hour' | 'minute' | 'day' | 'month' | 'year',
  of: (local: Date) => number,
): FunctionOperator {
  return scalar({
    form: `${name}(ts)`,
    ...{ gives, takes: ['time'], type: 'number' },
    sql: ([ts], scope, call) => dayPart(sqlPart, call.clock().localSql(ts!, timesOf(call, scope))),
    of: ([ts], call) => of(new Date(Math.floor(call.clock().local(Number(ts)) / 1000))),
    clickhouse: ([ts], scope, call) => {
      const local = localThere(ts!, scope, call);
      return real(
        sqlPart === 'hour' || sqlPart === 'minute'
          ? clockPartSql(sqlPart, local)
          : calendarPart(sqlPart, local),
      );
    },
  });
}

/** From 1, Monday. */
function weekdayOf(local: Date): number {
  return ((local.getUTCDay() + 6) % 7) + 1;
}

export const TIME_FUNCTIONS: Readonly<Record<string, FunctionOperator>> = {
  hour: clockPart('hour', 'the hour on the clock, 0 to 23', 'hour', (local) => local.getUTCHours()),
  minute: clockPart('minute', 'the minute on the clock, 0 to 59', 'minute', (local) =>
    local.getUTCMinutes(),
  ),
  monthday: clockPart('monthday', 'the day of the month, 1 to 31', 'day', (local) =>
    local.getUTCDate(),
  ),
  month: clockPart('month', 'the month, 1 to 12', 'month', (local) => local.getUTCMonth() + 1),
  year: clockPart('year', 'the year', 'year', (local) => local.getUTCFullYear()),
  weekday: scalar({
    form: 'weekday(ts)',
    gives: 'mon, tue, wed, thu, fri, sat or sun',
    ...{ takes: ['time'], type: 'text' },
    sql: ([ts], scope, call) =>
      oneOfTexts(
        WEEKDAYS,
        `date_part('isodow', ${call.clock().localSql(ts!, timesOf(call, scope))})`,
      ),
    of: ([ts], call) =>
      WEEKDAYS[weekdayOf(new Date(Math.floor(call.clock().local(Number(ts)) / 1000))) - 1] ?? null,
    clickhouse: ([ts], scope, call) => {
      const day = clockPartSql('weekday', localThere(ts!, scope, call));
      return `if(${ts} IS NULL, NULL, [${WEEKDAYS.map((name) => `'${name}'`).join(', ')}][${day}])`;
    },
  }),
  date: scalar({
    ...{
      form: 'date(ts)',
      gives: 'the calendar day, such as 2026-11-21',
      takes: ['time'],
      type: 'text',
    },
    clickhouse: ([ts], scope, call) => calendarPart('date', localThere(ts!, scope, call)),
    sql: ([ts], scope, call) => dayOfTime(call.clock().localSql(ts!, timesOf(call, scope))),
    of: ([ts], call) =>
      new Date(Math.floor(call.clock().local(Number(ts)) / 1000)).toISOString().replace(/T.*/, ''),
  }),
  epoch: scalar({
    ...{ form: 'epoch(ts)', gives: 'seconds since 1970', takes: ['time'], type: 'number' },
    sql: ([ts]) => epochSeconds(ts!),
    of: ([ts]) => Number(ts) / 1e6,
    clickhouse: ([ts]) => `(${real(maybeMicrosOf(ts!))} / 1000000)`,
  }),
  date_diff: scalar({
    form: 'date_diff("unit", from, to)',
    gives: 'the time from one moment to another, in ms, s, m, h, d or w',
    ...{ takes: ['text', 'time', 'time'], type: 'number' },
    check: (call) => {
      const unit = String(literalAt(call, 0, 'text')).toLowerCase();
      if (!Object.hasOwn(UNITS, unit))
        call.wrong(0, 'takes a unit', `units are ${Object.keys(UNITS).join(', ')}`);
    },
    sql: ([, from, to], _, call) =>
      unitsBetween(from!, to!, UNITS[String(literalAt(call, 0, 'text')).toLowerCase()]!),
    clickhouse: ([, from, to], _, call) =>
      `(${real(`${maybeMicrosOf(to!)} - ${maybeMicrosOf(from!)}`)} / ${UNITS[String(literalAt(call, 0, 'text')).toLowerCase()]!})`,
    of: ([unit, from, to]) => (Number(to) - Number(from)) / UNITS[String(unit).toLowerCase()]!,
  }),
  bin: {
    form: 'bin(ts, 5m) or bin(number, size)',
    gives: 'the start of the interval that contains it',
    ...{ least: 2, most: 2 },
    make: (call) => {
      const [, size] = call.args;
      if (size?.type === 'interval') {
        const ts = typedAt(call, 0, 'time');
        const clock = call.clock();
        const { interval } = size;
        return {
          type: 'time',
          sql: (scope) => [clock.binStartSql(onePart(ts, scope), interval, timesOf(call, scope))],
          clickhouse: (scope) => {
            const us = maybeMicrosOf(valueClickHouse(ts, scope));
            const range = ts.text === 'ts' ? scope.times : undefined;
            return timeOfMicros(clock.binStartMicros(us, interval, range));
          },
          reader: (scope) => {
            const read = ts.reader(scope);
            return (row) => {
              const cell = read(row);
              return cell === null ? null : clock.binStart(Number(cell), interval);
            };
          },
        };
      }
      if (valueAt(call, 0).type === 'time')
        return call.wrong(1, 'takes an interval', 'write bin(ts, 5m)');
      const step = Number(literalAt(call, 1, 'number'));
      if (!(step > 0)) return call.wrong(1, 'takes a number above 0');
      return scalar({
        ...{ form: '', gives: '', takes: ['number', 'number'], type: 'number' },
        sql: ([x, by]) => `(floor(${x} / ${by}) * ${by} + 0)`,
        clickhouse: ([x, by]) => `(floor(${x} / ${by}) * ${by} + 0)`,
        of: ([x, by]) => Math.floor(Number(x) / Number(by)) * Number(by) + 0,
      }).make(call);
    },
  },
};
