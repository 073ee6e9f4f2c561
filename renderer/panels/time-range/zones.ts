/** The zones that can be chosen: UTC and the system's first, then the world's. */
import { resolveZone } from '../../../engine/contract/time/zone.ts';

/** For systems that cannot list them (browsers before 2022). */
const FEW = [
  ...['Africa/Cairo', 'Africa/Johannesburg', 'Africa/Lagos', 'Africa/Nairobi'],
  ...['America/Anchorage', 'America/Argentina/Buenos_Aires', 'America/Bogota', 'America/Chicago'],
  ...['America/Denver', 'America/Halifax', 'America/Los_Angeles', 'America/Mexico_City'],
  ...['America/New_York', 'America/Phoenix', 'America/Sao_Paulo', 'America/Toronto'],
  ...['Asia/Bangkok', 'Asia/Dubai', 'Asia/Hong_Kong', 'Asia/Jakarta', 'Asia/Jerusalem'],
  ...['Asia/Karachi', 'Asia/Kolkata', 'Asia/Manila', 'Asia/Riyadh', 'Asia/Seoul', 'Asia/Shanghai'],
  ...['Asia/Singapore', 'Asia/Tehran', 'Asia/Tokyo', 'Australia/Brisbane', 'Australia/Perth'],
  ...['Australia/Sydney', 'Europe/Athens', 'Europe/Berlin', 'Europe/Brussels', 'Europe/Dublin'],
  ...['Europe/Helsinki', 'Europe/Istanbul', 'Europe/Kyiv', 'Europe/Lisbon', 'Europe/London'],
  ...['Europe/Madrid', 'Europe/Moscow', 'Europe/Paris', 'Europe/Prague', 'Europe/Rome'],
  ...['Europe/Stockholm', 'Europe/Vienna', 'Europe/Warsaw', 'Europe/Zurich', 'Pacific/Auckland'],
  'Pacific/Honolulu',
];

export function systemZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** All names, the usual ones first. */
export function allZones(): readonly string[] {
  const local = systemZone();
  const known = 'supportedValuesOf' in Intl ? Intl.supportedValuesOf('timeZone') : FEW;
  const first = local === 'UTC' ? ['UTC'] : ['UTC', local];
  return [...first, ...known.filter((name) => !first.includes(name))];
}

/** Zones that match a search: every word is in the name; an offset such as `+02:00` is a zone itself. */
export function findZones(zones: readonly string[], search: string): readonly string[] {
  const wanted = search.trim();
  const words = wanted.toLowerCase().split(/[\s_]+/);
  const found = zones.filter((name) => {
    const text = name.toLowerCase().replace(/_/g, ' ');
    return words.every((word) => text.includes(word));
  });
  if (wanted === '' || found.includes(wanted)) return found;
  try {
    const { name } = resolveZone(wanted);
    return found.includes(name) ? found : [name, ...found];
  } catch {
    return found;
  }
}
