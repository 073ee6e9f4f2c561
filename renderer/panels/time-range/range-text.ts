/**
 * A range of time as people write it into two fields: times of the query language in the window's
 * zone, or how long before the newest event it begins.
 */
import {
  parseDuration,
  parseTime,
  type TimeSpan,
} from '../../../engine/contract/time/time-text.ts';
import { formatTime, zoneOf } from '../../panel-api.ts';

export interface Range {
  /** UTC microseconds; half-open. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

type Read =
  | { readonly ok: true; readonly range: Range }
  | { readonly ok: false; readonly from?: string; readonly to?: string };

const FORMS = 'write 2026-11-21, 2026-11-21 14:30, 2026-11-21T14:30:05.25Z, or 24h';

/** The span that a text names in a zone; undefined when it is not a time. */
export function spanOf(text: string, zone: string): TimeSpan | undefined {
  return parseTime(text, zone, (name, local) => zoneOf(name).offsetSecondsAtLocal(local));
}

/**
 * Reads both fields; an empty one leaves that end open. `24h` as the start is that long before the
 * newest event, as the end that long after the start.
 */
export function readRange(
  fromText: string,
  toText: string,
  zone: string,
  newest: number | undefined,
): Read {
  const starting = readStart(fromText, zone, newest);
  if (starting === 'wrong') return { ok: false, from: `Not a time: ${FORMS}` };
  const ending = readEnd(toText, zone, starting);
  if (ending === 'wrong') return { ok: false, to: `Not a time: ${FORMS}` };
  if (starting !== undefined && ending !== undefined && ending <= starting) {
    return { ok: false, to: 'The end is not after the start' };
  }
  return { ok: true, range: { from: starting, to: ending } };
}

function readStart(
  text: string,
  zone: string,
  newest: number | undefined,
): number | undefined | 'wrong' {
  if (text.trim() === '') return undefined;
  const duration = parseDuration(text.replace(/^\s*-/, ''));
  if (duration !== undefined && newest !== undefined) return newest - duration;
  return spanOf(text, zone)?.from ?? 'wrong';
}

function readEnd(
  text: string,
  zone: string,
  starting: number | undefined,
): number | undefined | 'wrong' {
  if (text.trim() === '') return undefined;
  const duration = parseDuration(text.replace(/^\s*\+/, ''));
  if (duration !== undefined && starting !== undefined) return starting + duration;
  return spanOf(text, zone)?.from ?? 'wrong';
}

/** A time in as few characters as name it exactly, for a field. */
export function writeTime(micros: number | undefined, zone: string): string {
  if (micros === undefined) return '';
  const text = formatTime(micros, zone, 6).replace(/[.]?0+$/, (zeros) =>
    zeros.startsWith('.') ? '' : zeros,
  );
  const trimmed = text.includes('.') ? text.replace(/0+$/, '') : text;
  return trimmed.replace(/(\d\d:\d\d):00$/, '$1').replace(/ 00:00$/, '');
}

/** A range of the same length before or after this one; undefined when it has an open end. */
export function shifted({ from, to }: Range, steps: number): Range | undefined {
  if (from === undefined || to === undefined) return undefined;
  const width = (to - from) * steps;
  return { from: from + width, to: to + width };
}
