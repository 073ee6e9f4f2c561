/**
 * Addresses by what they are for: `src_ip:private`, `dst_ip:public`.
 * https://www.iana.org/assignments/iana-ipv4-special-registry/, https://www.rfc-editor.org/rfc/rfc4193
 *
 * Public addresses are those in no other class and not reserved; they include blocks for documentation and
 * benchmarks.
 */
import { type AddressRange, mappedRange, parseAddress } from '../values/address.ts';

/** IPv4 blocks as IPv6, too: older cases stored addresses that were written so. */
function blocks(...texts: readonly string[]): AddressRange[] {
  return texts.flatMap((text) => {
    const range = parseAddress(text);
    if (range === undefined) throw new RangeError(text);
    return range.version === 4 ? [range, mappedRange(range)] : [range];
  });
}

const NAMED: Readonly<Record<string, readonly AddressRange[]>> = {
  private: blocks('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'),
  loopback: blocks('127.0.0.0/8', '::1'),
  linklocal: blocks('169.254.0.0/16', 'fe80::/10'),
  multicast: blocks('224.0.0.0/4', 'ff00::/8'),
};
/** Neither public nor of a class: this network, shared by a provider's customers, reserved. */
const RESERVED = blocks('0.0.0.0/8', '100.64.0.0/10', '240.0.0.0/4', '::');

const MOST4 = 0xffff_ffff;
const MOST6 = (1n << 128n) - 1n;

function complement(taken: readonly AddressRange[]): AddressRange[] {
  const out: AddressRange[] = [];
  const fours = taken
    .flatMap((range) => (range.version === 4 ? range : []))
    .sort((a, b) => a.low - b.low);
  let next = 0;
  for (const { low, high } of fours) {
    if (low > next) out.push({ version: 4, low: next, high: low - 1 });
    next = Math.max(next, high + 1);
  }
  if (next <= MOST4) out.push({ version: 4, low: next, high: MOST4 });
  const sixes = taken
    .flatMap((range) => (range.version === 6 ? range : []))
    .sort((a, b) => (a.low < b.low ? -1 : 1));
  let from = 0n;
  for (const { low, high } of sixes) {
    if (low > from) out.push({ version: 6, low: from, high: low - 1n });
    if (high >= from) from = high + 1n;
  }
  if (from <= MOST6) out.push({ version: 6, low: from, high: MOST6 });
  return out;
}

export const ADDRESS_CLASSES: ReadonlyMap<string, readonly AddressRange[]> = new Map([
  ...Object.entries(NAMED),
  ['public', complement([...Object.values(NAMED).flat(), ...RESERVED])],
]);

/** The ranges of a class by its name; undefined if there is none. */
export function addressClass(name: string): readonly AddressRange[] | undefined {
  return ADDRESS_CLASSES.get(name.toLowerCase().replace('-', ''));
}

/** Names for ranges: each class that is whole among them, and the ranges that are left. */
export function classesIn<R>(ranges: readonly (AddressRange | R)[]): {
  readonly names: readonly string[];
  readonly rest: readonly (AddressRange | R)[];
} {
  const names: string[] = [];
  let rest = ranges;
  for (const [name, classRanges] of ADDRESS_CLASSES) {
    const left = new Set<unknown>(rest);
    if (!classRanges.every((range) => left.has(range))) continue;
    const taken = new Set<unknown>(classRanges);
    names.push(name);
    rest = rest.filter((range) => !taken.has(range));
  }
  return { names, rest };
}
