/**
 * Formats raw result values for people and scripts: addresses and names as text, times as RFC 3339
 * (https://www.rfc-editor.org/rfc/rfc3339) with as many digits as the source had.
 */
import { shownDigits } from '../../contract/time/time-text.ts';
import { once } from '../../util/once.ts';
import type { EpochMicros } from '../../contract/event.ts';
import { formatIp4, formatIp6, uuidToIp6 } from '../values/address.ts';
import { formatEventId } from '../filters/event-id.ts';
import { nameOf } from '../filters/names.ts';
import type { Names } from '../filters/surroundings.ts';
import type { OutputColumn, ResultPart } from '../statements/outputs.ts';
import type { RawValue } from '../values/raw-value.ts';
import { zoneOffsetAt } from '../time/zone.ts';

export type ShownValue = string | number | null | readonly string[] | ShownRecord;
export interface ShownRecord {
  [name: string]: ShownValue;
}

const COMPUTED_DIGITS = 6;

/**
 * RFC 3339 with `digits` digits (0 to 9) of the second, cut, not rounded; in UTC with `Z`, in another
 * zone with its offset.
 */
export function formatTime(
  micros: EpochMicros,
  nanos = 0,
  digits: number = COMPUTED_DIGITS,
  zone = 'UTC',
): string {
  const utc = zone === 'UTC' || zone === 'Z';
  const offset = utc ? 0 : zoneOffsetAt(zone, micros);
  const seconds = Math.floor(micros / 1e6);
  const rest = micros - seconds * 1e6;
  const date = new Date((seconds + offset) * 1000);
  if (Number.isNaN(date.getTime())) return `@${micros}`;
  const text = date.toISOString().slice(0, -5);
  const fraction = `${String(rest).padStart(6, '0')}${String(nanos).padStart(3, '0')}`;
  const shown = digits === 0 ? '' : `.${fraction.slice(0, digits)}`;
  return `${text}${shown}${utc ? 'Z' : formatOffset(offset)}`;
}

function formatOffset(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Whole numbers beyond 2^53 stay exact, as text. */
export function formatNumber(value: RawValue): number | string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return String(value);
}

interface Formatter {
  /** One value of a column; null if it has none. */
  value(column: OutputColumn, row: readonly RawValue[]): ShownValue;
  /**
   * A row as an object. Events omit columns without a value; attributes that `fields` did not select are under
   * `attrs`.
   */
  event(columns: readonly OutputColumn[], row: readonly RawValue[]): ShownRecord;
  /** A row of a table: every column, null where it has no value. */
  record(columns: readonly OutputColumn[], row: readonly RawValue[]): ShownRecord;
}

/** @param zone times are shown in it */
export function formatter(names: Names, zone = 'UTC'): Formatter {
  const sources = once(() => new Map(names.sources().map(({ id, name }) => [id, name])));
  const tags = new Map(names.tags.map(({ id, name }) => [id, name]));

  const value = (column: OutputColumn, row: readonly RawValue[]): ShownValue => {
    // Most values of a large table are single numbers.
    if (column.type === 'integer' && column.parts.length === 1) {
      const number = row[column.parts[0]!.at];
      return number === null || number === undefined ? null : formatNumber(number);
    }
    if (column.type === 'address') return shownAddress(column, row);
    if (column.type === 'event-id') return shownEventId(column, row);
    const raw = partOf(column, row, 'value');
    if (raw === null || raw === undefined) return null;
    switch (column.type) {
      case 'instant': {
        const digits = Number(partOf(column, row, 'digits') ?? COMPUTED_DIGITS);
        const nanos = Number(partOf(column, row, 'nanos') ?? 0);
        return formatTime(Number(raw), nanos, shownDigits(Number(raw), digits), zone);
      }
      case 'time':
        return formatTime(Number(raw), 0, COMPUTED_DIGITS, zone);
      case 'proto':
      case 'severity':
      case 'facility':
      case 'weekday':
        return nameOf(column.type, Number(raw));
      case 'source':
        return sources().get(Number(raw)) ?? String(raw);
      case 'tag':
        return tags.get(Number(raw)) ?? String(raw);
      case 'tags':
        return String(raw)
          .split(',')
          .map((id) => tags.get(Number(id)) ?? id);
      case 'integer':
      case 'real':
        return formatNumber(raw);
      default:
        return String(raw);
    }
  };

  return {
    value,
    event: (columns, row) => {
      const out: ShownRecord = {};
      const attrs: ShownRecord = {};
      for (const column of columns) {
        if (column.type === 'overflow') {
          Object.assign(attrs, readOverflow(row[column.parts[0]!.at]));
          continue;
        }
        const shown = value(column, row);
        if (shown === null) continue;
        set(column.type === 'attribute' ? attrs : out, column.name, shown);
      }
      if (Object.keys(attrs).length > 0) out.attrs = attrs;
      return out;
    },
    record: (columns, row) => {
      const out: ShownRecord = {};
      for (const column of columns) set(out, column.name, value(column, row));
      return out;
    },
  };
}

function partOf(
  { parts }: OutputColumn,
  row: readonly RawValue[],
  role: ResultPart['role'],
): RawValue {
  const found = parts.find((one) => one.role === role);
  return found === undefined ? null : row[found.at];
}

function shownAddress(column: OutputColumn, row: readonly RawValue[]): string | null {
  const v4 = partOf(column, row, 'v4');
  if (v4 !== null && v4 !== undefined) return formatIp4(Number(v4));
  const v6 = partOf(column, row, 'v6');
  return v6 === null || v6 === undefined ? null : formatIp6(uuidToIp6(String(v6)));
}

function shownEventId(column: OutputColumn, row: readonly RawValue[]): string | null {
  const source = partOf(column, row, 'source');
  const seq = partOf(column, row, 'seq');
  if (source === null || seq === null || seq === undefined) return null;
  return formatEventId(Number(source), Number(seq));
}

/** Names come from evidence: `__proto__` must be treated like any other. */
function set(record: ShownRecord, name: string, value: ShownValue): void {
  if (name !== '__proto__') {
    record[name] = value;
    return;
  }
  Object.defineProperty(record, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function readOverflow(raw: RawValue): ShownRecord {
  const out: ShownRecord = {};
  if (typeof raw !== 'string') return out;
  try {
    const parsed: unknown = JSON.parse(raw);
    if (typeof parsed !== 'object' || parsed === null) return out;
    for (const [name, value] of Object.entries(parsed)) {
      set(out, name, typeof value === 'string' ? value : JSON.stringify(value));
    }
  } catch {
    // The store does not write this: there is nothing to show.
  }
  return out;
}
