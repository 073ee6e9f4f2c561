/** The holder of a hardware address (MAC), by the registry of the IEEE (MA-L, MA-M, MA-S). */
import { createRequire } from 'node:module';

/** Loaded with the first address; Node caches it. */
function registry(): Readonly<Record<string, string>> {
  return createRequire(import.meta.url)('oui-data') as Record<string, string>;
}

/** Hexadecimal digits that are assigned, of the twelve of an address: the smallest blocks first. */
const ASSIGNED = [9, 7, 6];
const [GROUP, LOCAL] = [1, 2];

/**
 * @param mac six bytes in hexadecimal, with any separators
 * @returns the organisation; that the address was made up by software; undefined if the holder is unknown
 */
export function macVendor(mac: string): string | undefined {
  const digits = mac.replace(/[:.-]/g, '').toUpperCase();
  // All zeros is a placeholder for an unknown address, not the first of the first block.
  if (!/^[0-9A-F]{12}$/.test(digits) || /^0+$/.test(digits)) return undefined;
  for (const length of ASSIGNED) {
    // An organisation's name is followed by its address.
    const entry = registry()[digits.slice(0, length)]?.split('\n')[0];
    // For a block that is divided into smaller ones the registry names itself.
    if (entry !== undefined && entry !== 'IEEE Registration Authority') return nameOf(entry);
  }
  const first = Number.parseInt(digits.slice(0, 2), 16);
  return (first & LOCAL) !== 0 && (first & GROUP) === 0 ? 'locally administered' : undefined;
}

function nameOf(entry: string): string {
  return entry === 'Private' ? 'not published' : entry;
}
