/** `hour:22-6`, `weekday:sat,sun`: the clock time of an event in the query's zone. */
import { clockPart, maybeMicrosOf, real } from '../dialect/clickhouse.ts';
import { dayPart, nullOf } from '../dialect/duckdb.ts';
import { CLOCK_NAMES, type NumberField, type Resolve } from '../names/fields.ts';
import { numberAt } from '../batch/row-scope.ts';
import { QueryError } from '../syntax/query-error.ts';
import { ZoneClock } from './zone-clock.ts';

function clockField(name: string, zone: string): NumberField {
  const clock = new ZoneClock(zone);
  const isHour = name === 'hour';
  const of = (ts: number): number => {
    const local = new Date(Math.floor(clock.local(ts) / 1000));
    return isHour ? local.getUTCHours() : ((local.getUTCDay() + 6) % 7) + 1;
  };
  return {
    ...{ type: 'number', name, names: isHour ? undefined : 'weekday' },
    refs: [
      {
        sqlType: 'DOUBLE',
        computation: {
          text: `${name}@${zone}`,
          sql: (scope) => {
            const ts = scope.column('ts');
            if (ts === undefined) return nullOf('DOUBLE');
            return dayPart(isHour ? 'hour' : 'isodow', clock.localSql(ts, scope.segment));
          },
          clickhouse: ({ column, times }) =>
            real(
              clockPart(
                isHour ? 'hour' : 'weekday',
                clock.localMicros(maybeMicrosOf(column('ts')), times),
              ),
            ),
          reader: (scope) => {
            const column = scope.column({ column: 'ts' });
            return (row) => {
              const ts = numberAt(column, row);
              return ts === undefined ? null : of(ts);
            };
          },
        },
      },
    ],
  };
}

/** Names of events, and the parts of the clock: an attribute of such a name is found as well. */
export function withClock(resolve: Resolve, zone: string, unlisted: Set<string>): Resolve {
  return (name) => {
    const lower = name.name.toLowerCase();
    if (name.expression !== undefined || !CLOCK_NAMES.has(lower)) return resolve(name);
    const field = clockField(lower, zone);
    try {
      const other = resolve(name);
      const certain = !unlisted.has(name.name);
      if (!certain) unlisted.delete(name.name);
      return other.type === 'attribute'
        ? { ...field, attribute: { key: other.key, certain } }
        : field;
    } catch (error) {
      if (error instanceof QueryError && error.code === 'unknown-field') return field;
      throw error;
    }
  };
}
