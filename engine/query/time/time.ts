/** Times in queries: as people write them (engine/contract/time/time-text.ts) and as answers show them. */
import type { EpochMicros } from '../../contract/event.ts';

export { parseDuration, parseTime } from '../../contract/time/time-text.ts';
export type { TimeSpan, ZoneOffset } from '../../contract/time/time-text.ts';

/** `2026-11-21T12:00:00.000000Z` */
export function formatMicros(micros: EpochMicros): string {
  const seconds = Math.floor(micros / 1e6);
  const rest = micros - seconds * 1e6;
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${String(rest).padStart(6, '0')}Z`;
}
