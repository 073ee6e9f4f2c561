/** Names of time zones to choose from: all that the browser knows, or the usual ones of old browsers. */

const USUAL = [
  ...['Africa/Cairo', 'Africa/Johannesburg', 'Africa/Lagos', 'Africa/Nairobi'],
  ...['America/Anchorage', 'America/Argentina/Buenos_Aires', 'America/Bogota', 'America/Chicago'],
  ...['America/Denver', 'America/Halifax', 'America/Lima', 'America/Los_Angeles'],
  ...['America/Mexico_City', 'America/New_York', 'America/Phoenix', 'America/Sao_Paulo'],
  ...['America/Toronto', 'Asia/Bangkok', 'Asia/Dubai', 'Asia/Hong_Kong', 'Asia/Jakarta'],
  ...['Asia/Jerusalem', 'Asia/Karachi', 'Asia/Kolkata', 'Asia/Manila', 'Asia/Riyadh'],
  ...['Asia/Seoul', 'Asia/Shanghai', 'Asia/Singapore', 'Asia/Tehran', 'Asia/Tokyo'],
  ...['Australia/Adelaide', 'Australia/Brisbane', 'Australia/Perth', 'Australia/Sydney'],
  ...['Europe/Amsterdam', 'Europe/Athens', 'Europe/Berlin', 'Europe/Brussels'],
  ...['Europe/Bucharest', 'Europe/Dublin', 'Europe/Helsinki', 'Europe/Istanbul'],
  ...['Europe/Kiev', 'Europe/Lisbon', 'Europe/London', 'Europe/Madrid', 'Europe/Moscow'],
  ...['Europe/Oslo', 'Europe/Paris', 'Europe/Prague', 'Europe/Rome', 'Europe/Stockholm'],
  ...['Europe/Vienna', 'Europe/Warsaw', 'Europe/Zurich', 'Pacific/Auckland', 'Pacific/Honolulu'],
];

let names: readonly string[] | undefined;

/** `UTC`, the zone of this machine, then every other one by name. */
export function zoneNames(): string[] {
  if (names === undefined) {
    const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    // Not there in the oldest browser.
    const all = 'supportedValuesOf' in Intl ? Intl.supportedValuesOf('timeZone') : USUAL;
    names = [...new Set(['UTC', here, ...all])];
  }
  return [...names];
}
