/** Times as people read them, in the zone of the window, and durations, sizes and counts. */
import { resolveZone, UTC, type Zone } from '../../../engine/contract/time/zone.ts';

const zones = new Map<string, Zone>();

/** The zone of that name; UTC when there is none. Offsets are cached by the zone. */
export function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (zone === undefined) {
    try {
      zone = resolveZone(name);
    } catch {
      zone = UTC;
    }
    zones.set(name, zone);
  }
  return zone;
}

/** `2026-11-20 14:12:25.204117`: local time of the zone with `digits` digits, cut. */
export function formatTime(micros: number, zone: string, digits = 6, nanos = 0): string {
  const { date, time } = timeParts(micros, zone, digits, nanos);
  return `${date} ${time}`;
}

export function timeParts(
  micros: number,
  zone: string,
  digits = 6,
  nanos = 0,
): { date: string; time: string } {
  const local = micros + zoneOf(zone).offsetSecondsAtUtc(micros) * 1e6;
  const seconds = Math.floor(local / 1e6);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return { date: '', time: `@${micros}` };
  const iso = date.toISOString();
  const rest = String(Math.round(local - seconds * 1e6)).padStart(6, '0');
  const fraction = `${rest}${String(nanos).padStart(3, '0')}`.slice(0, digits);
  return {
    date: iso.slice(0, iso.indexOf('T')),
    time: `${iso.slice(iso.indexOf('T') + 1, -5)}${fraction === '' ? '' : `.${fraction}`}`,
  };
}

/** `+01:00`: the zone's offset from UTC at a time. */
export function offsetText(micros: number, zone: string): string {
  const minutes = Math.round(zoneOf(zone).offsetSecondsAtUtc(micros) / 60);
  const size = Math.abs(minutes);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `20 Nov 2026 14:10 – 15:05`: a range in as few words as possible. */
export function formatRange(from: number, to: number, zone: string): string {
  const a = timeParts(from, zone, 0);
  const b = timeParts(to, zone, 0);
  const day = (date: string, year: boolean): string => {
    const [y, m, d] = date.split('-');
    return `${Number(d)} ${MONTHS[Number(m) - 1] ?? m}${year ? ` ${y}` : ''}`;
  };
  const seconds = !a.time.endsWith(':00') || !b.time.endsWith(':00');
  const clock = (time: string): string => (seconds ? time : time.slice(0, 5));
  const years = a.date.slice(0, 4) !== b.date.slice(0, 4);
  if (a.date === b.date) return `${day(a.date, true)} ${clock(a.time)} – ${clock(b.time)}`;
  return `${day(a.date, years)} ${clock(a.time)} – ${day(b.date, true)} ${clock(b.time)}`;
}

/** `38 ms`, `1.24 s`, `3 min 20 s`. */
export function formatMs(ms: number): string {
  if (ms < 1) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  const [days, hours, minutes] = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60].map(
    Math.floor,
  );
  if (days! > 0) return `${days} d ${hours} h`;
  return hours! > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** `8 s`, `3 min`: an estimate, no closer than it is known. */
export function formatRemaining(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** `1.9 GB`: decimal units, as disks are sold and network people count. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (Math.abs(size) >= 999.5 && unit < SIZES.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || size >= 99.95 ? 0 : 1;
  return `${size.toFixed(digits)} ${SIZES[unit]}`;
}

const grouped = new Intl.NumberFormat('en-US');

/** `61,204,118`. */
export function formatCount(n: number): string {
  return grouped.format(n);
}
