/**
 * Time zones of sources whose times state none: IANA zones through Intl and fixed offsets.
 *
 * Invariant: the result for a local time depends on the zone and that time alone. A local time that occurs twice
 * means its first occurrence; one that a clock change skips is read with the offset before the change (as java.time
 * and Temporal's `compatible` do). Offsets are known to the quarter of an hour at which they change, as all have
 * since 1972.
 */
import { DaybookError } from '../errors.ts';

const QUARTER = 900;
const DAY = 86_400;
/** Quarters of an hour that the cache holds before it is cleared: 14 years of them. */
const MAX_CACHED = 500_000;
/** The range of Date, in seconds. */
const MOST_SECONDS = 8_640_000_000_000;

const FIXED = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$/i;
const OFFSET_NAME = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/** `11/21/2026, 14:05:09`: the clock of a zone as `en-US` writes it. */
const CLOCK = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/;

/** Local time in seconds since 1970, as if it were UTC. */
function localSeconds([, month, day, year, hour, minute, second]: RegExpExecArray): number {
  const ms = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    // Some versions write midnight as 24.
    Number(hour) % 24,
    Number(minute),
    Number(second),
  );
  return ms / 1000;
}

/**
 * The format from which offsets of a zone are read: the name of the offset, or, in browsers that do not support
 * that (Chromium before 95), the time that its clock shows.
 * @throws RangeError if the zone does not exist
 */
function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return clockFormat(timeZone);
  }
}

/** Exported for the test: both formats must give the same offsets. */
export function clockFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}

export class Zone {
  /** As given; `UTC` for all its spellings. */
  readonly name: string;
  /** Seconds east of UTC, if the zone has one offset for all time. */
  readonly fixed: number | undefined;
  private readonly format: Intl.DateTimeFormat | undefined;
  private readonly cache = new Map<number, number>();
  private lastQuarter = Number.NaN;
  private lastOffset = 0;

  constructor(name: string, fixed: number | undefined, format: Intl.DateTimeFormat | undefined) {
    this.name = name;
    this.fixed = fixed;
    this.format = format;
  }

  /** Seconds to subtract from a local time (µs since 1970-01-01 local) to get UTC. */
  offsetSecondsAtLocal(localMicros: number): number {
    return this.offsetAtLocalSeconds(Math.floor(localMicros / 1_000_000));
  }

  /** Like `offsetSecondsAtLocal`, for local time in whole seconds. */
  offsetAtLocalSeconds(local: number): number {
    if (this.fixed !== undefined) return this.fixed;
    const quarter = Math.floor(local / QUARTER);
    if (quarter === this.lastQuarter) return this.lastOffset;
    let offset = this.cache.get(quarter);
    if (offset === undefined) {
      offset = this.findAtLocal(quarter * QUARTER);
      if (this.cache.size >= MAX_CACHED) this.cache.clear();
      this.cache.set(quarter, offset);
    }
    this.lastQuarter = quarter;
    this.lastOffset = offset;
    return offset;
  }

  /** Seconds east of UTC at an instant (µs since 1970). */
  offsetSecondsAtUtc(utcMicros: number): number {
    return this.fixed ?? this.atUtcSeconds(Math.floor(utcMicros / 1_000_000));
  }

  private findAtLocal(local: number): number {
    const before = this.atUtcSeconds(local - DAY);
    const after = this.atUtcSeconds(local + DAY);
    const beforeHolds = this.atUtcSeconds(local - before) === before;
    if (before === after && beforeHolds) return before;
    const afterHolds = this.atUtcSeconds(local - after) === after;
    // Both are valid in an overlap; the greater offset is the earlier instant.
    if (beforeHolds && afterHolds) return Math.max(before, after);
    return afterHolds ? after : before;
  }

  private atUtcSeconds(seconds: number): number {
    if (this.format === undefined) return 0;
    const within = Math.max(-MOST_SECONDS, Math.min(MOST_SECONDS, seconds));
    const shown = this.format.format(within * 1000);
    const clock = CLOCK.exec(shown);
    if (clock !== null) return localSeconds(clock) - within;
    const match = OFFSET_NAME.exec(shown);
    if (match?.[1] === undefined) return 0;
    const size = Number(match[2]) * 3600 + Number(match[3]) * 60 + Number(match[4] ?? 0);
    return match[1] === '-' ? -size : size;
  }
}

export const UTC = new Zone('UTC', 0, undefined);

/**
 * The zone that `text` names: `UTC`, `Z`, a fixed offset (`+02:00`, `-0530`, `UTC+1`) or an IANA
 * name (`Europe/Berlin`). Throws DaybookError `usage` for anything else.
 */
export function resolveZone(text: string): Zone {
  const name = text.trim();
  if (/^(?:UTC|GMT|Z)$/i.test(name)) return UTC;
  const match = FIXED.exec(name);
  if (match !== null) {
    const [, sign, hours, minutes, seconds] = match;
    const size = Number(hours) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
    if (size <= 18 * 3600 && Number(minutes ?? 0) < 60 && Number(seconds ?? 0) < 60) {
      return size === 0 ? UTC : new Zone(name, sign === '-' ? -size : size, undefined);
    }
  } else if (name !== '') {
    try {
      return new Zone(name, undefined, offsetFormat(name));
    } catch {
      // Falls through to the error, which names valid spellings.
    }
  }
  throw new DaybookError(
    'usage',
    `unknown time zone: ${JSON.stringify(text)}`,
    'Give an IANA name such as Europe/Berlin, or an offset such as +02:00.',
  );
}
