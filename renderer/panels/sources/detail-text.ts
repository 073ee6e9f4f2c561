/** Details of an entry of the audit log as lines of text: times, sizes, names. */
import { formatTime } from '../../panel-api.ts';

/** Names under which a number is a time in UTC microseconds. */
const TIMES: ReadonlySet<string> = new Set(['first', 'last', 'from', 'to', 'ts']);
/** Microseconds until 1973: a number below is a count. */
const LEAST_TIME = 1e14;

/** `name: value` for each; nested ones as `name.inner: value`; lists and empty objects as JSON. */
export function detailLines(
  detail: Readonly<Record<string, unknown>>,
  zone: string,
  prefix = '',
): string[] {
  return Object.entries(detail).flatMap(([name, value]): string[] => {
    const full = `${prefix}${name}`;
    if (isRecord(value) && Object.keys(value).length > 0)
      return detailLines(value, zone, `${full}.`);
    if (typeof value === 'number' && TIMES.has(name) && value >= LEAST_TIME)
      return [`${full}: ${formatTime(value, zone)}`];
    return [`${full}: ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
