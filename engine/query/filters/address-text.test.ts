/** The addresses that a block finds in text, against parsed addresses. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIp4, formatIp6, parseAddress } from '../values/address.ts';
import { compilePattern } from '../re2/matcher.ts';
import { addressPattern, addressTextFilter } from './address-text.ts';
import { wholePattern } from './text.ts';

const utf8 = new TextEncoder();

function finds(block: string, text: string): boolean {
  const matcher = compilePattern(
    wholePattern(addressTextFilter(parseAddress(block)!, undefined)),
    true,
  );
  const bytes = utf8.encode(text);
  return matcher.test(bytes, 0, bytes.length);
}

describe('a block in text', () => {
  it.each([
    ['183.62.140.0/24', 'from 183.62.140.253 port 22', true],
    ['183.62.140.0/24', 'from 183.62.141.1 port 22', false],
    ['183.62.140.0/24', 'from 1183.62.140.1', false],
    ['183.62.140.0/24', '183.62.140.256', false],
    ['183.62.140.0/24', '183.62.140.01', false],
    ['183.62.140.0/24', 'IP 183.62.140.7.443 > 10.0.0.1.80:', true],
    ['183.62.140.0/24', '183-62-140-1', false],
    ['172.16.0.0/12', 'x=172.31.255.255;', true],
    ['172.16.0.0/12', 'x=172.32.0.0;', false],
    ['0.0.0.0/0', 'no address 1.2.3', false],
    ['0.0.0.0/0', '(9.9.9.9)', true],
    ['2001:db8::/32', 'peer 2001:DB8:0:1::7: refused', true],
    ['2001:db8::/32', '[2001:0db8::1]:443', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::1', '2001:db8:0:0:0:0:0:1', true],
    ['2001:db8::1', '2001:db8::1:2', false],
    ['2001:db8::1', '2001:db8::10', false],
    ['::1', 'line 1 of 2', false],
    ['::1', 'from ::1 port 22', true],
  ])('%s in "%s": %s', (block, text, expected) => {
    expect(finds(block, text)).toBe(expected);
  });

  it('is every address of it in every form, and no other', () => {
    const v4 = fc.tuple(fc.nat(2 ** 32 - 1), fc.integer({ min: 0, max: 32 }), fc.nat(2 ** 32 - 1));
    fc.assert(
      fc.property(v4, ([base, bits, other]) => {
        const range = parseAddress(`${formatIp4(base)}/${bits}`)!;
        if (range.version !== 4) throw new Error('an IPv4 block');
        for (const one of [base, other, range.low, range.high, range.low - 1, range.high + 1]) {
          if (one < 0 || one >= 2 ** 32) continue;
          expect(finds(`${formatIp4(base)}/${bits}`, `a ${formatIp4(one)}, b`)).toBe(
            one >= range.low && one <= range.high,
          );
        }
      }),
      { seed: 1, numRuns: 200 },
    );
    const group = fc.oneof(fc.constant(0), fc.nat(0xffff), fc.nat(15));
    const address = fc.array(group, { minLength: 8, maxLength: 8 });
    const spelled = (groups: readonly number[], short: boolean): string => {
      const value = groups.reduce((sum, one) => (sum << 16n) | BigInt(one), 0n);
      const text = formatIp6(value);
      // Forms that end in an IPv4 address are not searched for.
      if (short && !text.includes('.')) return text;
      return groups.map((one) => one.toString(16).padStart(4, '0')).join(':');
    };
    fc.assert(
      fc.property(
        ...([address, fc.integer({ min: 0, max: 128 }), address, fc.nat(8), fc.boolean()] as const),
        (base, bits, other, same, short) => {
          const block = `${base.map((one) => one.toString(16)).join(':')}/${bits}`;
          const range = parseAddress(block)!;
          if (range.version !== 6) throw new Error('an IPv6 block');
          const asked = [...base.slice(0, same), ...other.slice(same)];
          const value = asked.reduce((sum, one) => (sum << 16n) | BigInt(one), 0n);
          const bytes = utf8.encode(spelled(asked, short));
          const matcher = compilePattern(`^${addressPattern(range)}$`, true);
          expect(matcher.test(bytes, 0, bytes.length)).toBe(
            value >= range.low && value <= range.high,
          );
        },
      ),
      { seed: 2, numRuns: 500 },
    );
  });
});
