/** Sort keys of addresses, and the classes of addresses that pictures distinguish. */

export type AddressClass = 'inside' | 'outside' | 'group';

/** A text that sorts as the address does: IPv4 before IPv6, both by number; anything else comes last. */
export function addressKey(address: string): string {
  const four = bytesOfV4(address);
  if (four !== undefined) return `4${four.map((n) => String(n).padStart(3, '0')).join('')}`;
  const six = groupsOfV6(address);
  if (six !== undefined) return `6${six.map((n) => n.toString(16).padStart(4, '0')).join('')}`;
  return `9${address}`;
}

/**
 * `inside`: addresses that are not routed in the internet (RFC 1918, shared, loopback, link-local,
 * unique local). `group`: multicast and broadcast.
 */
export function addressClass(address: string): AddressClass {
  const four = bytesOfV4(address);
  if (four !== undefined) {
    const [a = 0, b = 0] = four;
    if (a >= 224) return a < 240 || address === '255.255.255.255' ? 'group' : 'outside';
    const inside =
      a === 10 ||
      a === 127 ||
      a === 0 ||
      (a === 172 && b >= 16 && b < 32) ||
      (a === 192 && b === 168) ||
      (a === 169 && b === 254) ||
      (a === 100 && b >= 64 && b < 128);
    return inside ? 'inside' : 'outside';
  }
  const six = groupsOfV6(address);
  if (six === undefined) return 'outside';
  const [first = 0] = six;
  if (first >= 0xff00) return 'group';
  const loopback = six.slice(0, 7).every((n) => n === 0);
  return loopback || (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80
    ? 'inside'
    : 'outside';
}

function bytesOfV4(address: string): number[] | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) return undefined;
  return address.split('.').map(Number);
}

function groupsOfV6(address: string): number[] | undefined {
  if (!address.includes(':') || !/^[0-9a-fA-F:.]+$/.test(address)) return undefined;
  const [before = '', after, more] = address.split('::');
  if (more !== undefined) return undefined;
  const groups = (text: string): number[] =>
    text === ''
      ? []
      : text.split(':').reduce<number[]>((out, part) => {
          const four = bytesOfV4(part);
          if (four === undefined) return [...out, parseInt(part, 16)];
          const [a = 0, b = 0, c = 0, d = 0] = four;
          return [...out, a * 256 + b, c * 256 + d];
        }, []);
  const left = groups(before);
  if (after === undefined) return left.length === 8 ? left : undefined;
  const right = groups(after);
  const zeros = 8 - left.length - right.length;
  return zeros < 1 ? undefined : [...left, ...new Array<number>(zeros).fill(0), ...right];
}
