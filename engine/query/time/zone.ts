/** Offsets of time zones by name, in epoch microseconds; the rules are the contract's. */
import type { EpochMicros } from '../../contract/event.ts';
import { resolveZone, type Zone } from '../../contract/time/zone.ts';

/** Making a zone costs more than using it; its results never change. */
const zones = new Map<string, Zone>();

function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = resolveZone(name);
    zones.set(name, zone);
  }
  return zone;
}

/** Seconds that `zone` is ahead of UTC at the instant `utc`. Throws DaybookError `usage`. */
export function zoneOffsetAt(zone: string, utc: EpochMicros): number {
  return zoneOf(zone).offsetSecondsAtUtc(utc);
}

/**
 * Seconds that `zone` is ahead of UTC when its clocks show `local`. A time that occurs twice means its first
 * occurrence; one that is skipped is read with the offset before the gap.
 */
export function zoneOffset(zone: string, local: EpochMicros): number {
  return zoneOf(zone).offsetSecondsAtLocal(local);
}
