/** Names for numbers: protocols, severities, facilities. */
import { FACILITIES, PROTOCOLS, SEVERITIES } from '../../contract/event.ts';
import type { NameSet } from '../names/fields.ts';
import { wildcardMatcher } from './wildcard.ts';

function indexed(names: readonly string[]): Map<string, number> {
  return new Map(names.map((name, code) => [name, code]));
}

/** Number 1 is Monday. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const WHOLE_WEEKDAYS = [
  ...(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const),
];

/** Every name of a set, aliases included, in lower case. */
export const NAMED: Readonly<Record<NameSet, ReadonlyMap<string, number>>> = {
  proto: new Map([
    ...Object.entries(PROTOCOLS),
    ['icmp6', 58],
    ['icmpv6', 58],
    ['ipv4', 4],
    ['udp-lite', 136],
    ['mpls', 137],
  ]),
  severity: new Map([
    ...indexed(SEVERITIES),
    ['emergency', 0],
    ['panic', 0],
    ['critical', 2],
    ['error', 3],
    ['warn', 4],
    ['information', 6],
    ['informational', 6],
  ]),
  facility: new Map([
    ...indexed(FACILITIES),
    ['kernel', 0],
    ['system', 3],
    ['printer', 6],
    ['audit', 13],
    ['log audit', 13],
    ['alert', 14],
    ['log alert', 14],
    ['clock', 15],
    ['clockd', 15],
  ]),
  weekday: new Map(
    [...WEEKDAYS, ...WHOLE_WEEKDAYS].map((name, i): [string, number] => [name, (i % 7) + 1]),
  ),
};

export function codeOf(set: NameSet, name: string): number | undefined {
  return NAMED[set].get(name.toLowerCase());
}

/** Codes of all names that a wildcard matches. */
export function codesOf(set: NameSet, pattern: string): number[] {
  const matches = wildcardMatcher(pattern, true);
  const codes = new Set<number>();
  for (const [name, code] of NAMED[set]) if (matches(name)) codes.add(code);
  return [...codes];
}

const PROTOCOL_NAMES = new Map(Object.entries(PROTOCOLS).map(([name, code]) => [code, name]));

/** The displayed name of a code; its number if it has none. */
export function nameOf(set: NameSet, code: number): string {
  const name =
    set === 'proto'
      ? PROTOCOL_NAMES.get(code)
      : set === 'weekday'
        ? WEEKDAYS[code - 1]
        : (set === 'severity' ? SEVERITIES : FACILITIES)[code];
  return name ?? String(code);
}

/** The name of an IP protocol by its number. */
export function protocolName(code: number): string {
  return nameOf('proto', code);
}
