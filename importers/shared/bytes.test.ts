import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysFromCivil, isDate, parseDecimal, parseHex, parseIpv4, parseIpv6 } from './bytes.ts';
import { hash53 } from './hash53.ts';

/** The text within other bytes that would be read if the bounds were ignored. */
function within<T>(text: string, read: (bytes: Uint8Array, start: number, end: number) => T): T {
  const bytes = Buffer.from(`12:.${text}34:.`, 'latin1');
  return read(bytes, 4, bytes.length - 4);
}

const textOf = (characters: string) =>
  fc.string({ unit: fc.constantFrom(...characters), maxLength: 20 });

describe('numbers', () => {
  it('reads hexadecimal', () => {
    fc.assert(
      fc.property(fc.oneof(textOf('0123456789abcdefABCDEF'), textOf('019afgx')), (text) => {
        const value = parseInt(text, 16);
        const good = /^[0-9a-f]+$/i.test(text) && value <= Number.MAX_SAFE_INTEGER;
        expect(within(text, parseHex)).toBe(good ? value : -1);
      }),
    );
  });

  it('reads decimals as Number does', () => {
    const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
    fc.assert(
      fc.property(
        fc.oneof(
          textOf('0123456789.'),
          textOf('019.-+eE'),
          fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
          fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value.toFixed(6)),
        ),
        (text) => {
          expect(within(text, parseDecimal)).toBe(decimal.test(text) ? Number(text) : NaN);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('addresses', () => {
  const byteText = fc.integer({ min: 0, max: 299 }).map(String);
  it('reads IPv4', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          textOf('0123456789.'),
          fc.array(byteText, { minLength: 3, maxLength: 5 }).map((parts) => parts.join('.')),
        ),
        (text) => {
          const value = text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
          expect(within(text, parseIpv4)).toBe(isIPv4(text) ? value : -1);
        },
      ),
      { numRuns: 1000 },
    );
  });

  /** Through the platform's normal form. */
  function ipv6Bytes(text: string): string {
    const plain = new URL(`http://[${text.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
    const [left = '', right] = plain.split('::');
    const groups = (part: string) => (part === '' ? [] : part.split(':'));
    const tail = groups(right ?? '');
    const head = groups(left);
    const middle =
      right === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0');
    return [...head, ...middle, ...tail].map((group) => group.padStart(4, '0')).join('');
  }

  it('reads IPv6', () => {
    const out = new Uint8Array(20);
    fc.assert(
      fc.property(fc.oneof(fc.ipV6(), textOf('01af:'), textOf('1:.%')), (text) => {
        out.fill(0xaa);
        const good = within(text, (bytes, start, end) => parseIpv6(bytes, start, end, out, 2));
        expect(good).toBe(isIPv6(text));
        if (good) expect(Buffer.from(out.subarray(2, 18)).toString('hex')).toBe(ipv6Bytes(text));
        expect([out[0], out[1], out[18], out[19]]).toEqual([0xaa, 0xaa, 0xaa, 0xaa]);
      }),
      { numRuns: 3000 },
    );
    for (const text of [
      '::',
      '::1',
      '1::',
      'fe80::1%eth0',
      '::ffff:192.0.2.1',
      '1:2:3:4:5:6:7::',
    ]) {
      expect(within(text, (bytes, start, end) => parseIpv6(bytes, start, end, out, 0))).toBe(true);
    }
  });
});

describe('dates', () => {
  it('counts days', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9999 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (year, month, day) => {
          const date = new Date(Date.UTC(2000, month - 1, day));
          date.setUTCFullYear(year, month - 1, day);
          const good = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
          expect(isDate(year, month, day)).toBe(good);
          if (good) expect(daysFromCivil(year, month, day)).toBe(date.getTime() / 86_400_000);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

/** Of `''`, `a` and `the same record`. Cases store such values: changing them breaks those. */
const HASHES = [4096244671288371, 2618177102575311, 940454367010654];

describe('hash53', () => {
  it('keeps its values', () => {
    expect(within('', hash53)).toBe(HASHES[0]);
    expect(within('a', hash53)).toBe(HASHES[1]);
    expect(within('the same record', hash53)).toBe(HASHES[2]);
  });

  it('does not collide among similar records, and uses all its bits', () => {
    const seen = new Set<number>();
    const bytes = Buffer.alloc(8);
    let or = 0n;
    for (let i = 0; i < 300_000; i++) {
      bytes.writeUInt32LE(i, 0);
      bytes.writeUInt32LE(i % 7, 4);
      const hash = hash53(bytes, 0, 4 + (i & 3));

      seen.add(hash);
      or |= BigInt(hash);
    }
    expect(seen.size).toBe(300_000);
    expect(or).toBe(2n ** 53n - 1n);
  });

  it('spreads its lower bits', () => {
    const buckets = new Uint32Array(64);
    for (let i = 0; i < 64_000; i++) buckets[within(`record ${i}`, hash53) % 64]! += 1;
    expect(Math.min(...buckets)).toBeGreaterThan(850);
    expect(Math.max(...buckets)).toBeLessThan(1150);
  });
});
