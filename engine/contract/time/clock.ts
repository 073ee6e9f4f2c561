/**
 * The error of the clock that timestamped a source, as the analyst states it: `1m30s fast`, `2h slow`, or `right`.
 * Times of a fast clock are moved back, those of a slow one forward.
 */
import { DaybookError } from '../errors.ts';

/** Microseconds. */
const UNITS: Readonly<Record<string, number>> = {
  d: 86_400e6,
  h: 3600e6,
  m: 60e6,
  s: 1e6,
  ms: 1e3,
};
const PART = /(\d+(?:\.\d{1,6})?)\s*(d|h|ms|m|s)/gy;
const ERROR = /^(.*?)[\s-]*(fast|slow)$/;
/** The largest clock error that is accepted: 100 years, in microseconds. */
const MOST = 36_525 * 86_400e6;

/** The clock error of a source whose clock is not known to be wrong. */
const CLOCK_RIGHT = 'right';

/**
 * The clock error that a text states, in microseconds: positive for a clock that was fast.
 * @returns undefined if the text is not a clock error
 */
export function parseClockError(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase();
  if (trimmed === CLOCK_RIGHT) return 0;
  const match = ERROR.exec(trimmed);
  if (match === null) return undefined;
  const duration = durationOf(match[1]!);
  if (duration === undefined || duration > MOST) return undefined;
  return match[2] === 'fast' ? duration : -duration || 0;
}

/** Microseconds of `1h30m`, `90s`, `1.5s`. */
function durationOf(text: string): number | undefined {
  let sum = 0;
  let end = 0;
  PART.lastIndex = 0;
  for (let part = PART.exec(text); part !== null; part = PART.exec(text)) {
    sum += Number(part[1]) * UNITS[part[2]!]!;
    end = PART.lastIndex;
    while (text[end] === ' ') PART.lastIndex = ++end;
  }
  return end > 0 && end === text.length ? Math.round(sum) : undefined;
}

/** Formats a clock error as `1m30s fast`; parseClockError reads it back exactly. */
export function clockErrorText(micros: number): string {
  if (micros === 0) return CLOCK_RIGHT;
  let left = Math.abs(micros);
  let text = '';
  for (const unit of ['d', 'h', 'm'] as const) {
    const n = Math.floor(left / UNITS[unit]!);
    if (n > 0) text += `${n}${unit}`;
    left -= n * UNITS[unit]!;
  }
  if (left > 0) text += `${(left / 1e6).toFixed(6).replace(/\.?0+$/, '')}s`;
  return `${text} ${micros > 0 ? 'fast' : 'slow'}`;
}

/**
 * A clock error in the canonical form in which it is stored.
 * @throws DaybookError usage
 */
export function canonicalClockError(text: string): string {
  const micros = parseClockError(text);
  if (micros !== undefined) return clockErrorText(micros);
  throw new DaybookError(
    'usage',
    `${JSON.stringify(text)} is not a clock error`,
    'give how far the clock was ahead or behind, such as "90s fast" or "1h2m slow", or "right"',
  );
}

/** The clock error of a decision or option, in microseconds; 0 if undefined. */
export function clockErrorOf(text: string | undefined): number {
  return text === undefined ? 0 : (parseClockError(text) ?? 0);
}
