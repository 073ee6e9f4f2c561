/** Numbers, times and addresses as text and back, the same in SQL and in memory. */
import {
  formatIp4,
  formatIp6,
  ip6ToUuid,
  parseIp4,
  parseIp6,
  uuidToIp6,
} from '../values/address.ts';
import { textNumber } from '../batch/values/text-number.ts';
import { textAsNumber } from '../dialect/duckdb.ts';
import * as sql from '../dialect/written-sql.ts';
import { formatMicros } from '../time/time.ts';
import type { Cell } from './value.ts';

/** A number as DuckDB writes it, without the `.0` of a whole one. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : value < 0 ? '-inf' : 'nan';
  if (value === 0) return '0';
  const [digits = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  const sign = value < 0 ? '-' : '';
  const power = Number(exponent);
  const plain = digits.replace('.', '');
  if (power < -4 || power >= 16) {
    const least = String(Math.abs(power)).padStart(2, '0');
    return `${sign}${digits}e${power < 0 ? '-' : '+'}${least}`;
  }
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${plain}`;
  if (plain.length <= power + 1) return sign + plain.padEnd(power + 1, '0');
  return `${sign}${plain.slice(0, power + 1)}.${plain.slice(power + 1)}`;
}

export function addressText(value: string | number): string {
  return typeof value === 'number' ? formatIp4(value) : formatIp6(uuidToIp6(value));
}

const MAPPED_TEXT = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** An address in one of its usual forms; `null` if it is not one. */
export function textAddress(text: string): Cell {
  const v4 = parseIp4(MAPPED_TEXT.exec(text)?.[1] ?? text);
  if (v4 !== undefined) return v4;
  if (text.includes('.')) return null;
  const v6 = parseIp6(text);
  return v6 === undefined ? null : ip6ToUuid(v6);
}

export const WRITTEN = {
  number: { sql: sql.numberText, of: numberText },
  time: { sql: sql.timeText, of: formatMicros },
} as const;

export const READ_NUMBER = {
  sql: textAsNumber,
  of: (text: string): Cell => textNumber(text) ?? null,
} as const;
