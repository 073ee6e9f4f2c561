import { describe, expect, it } from 'vitest';
import { addressClass, addressKey } from './addresses.ts';

describe('addressKey', () => {
  it('sorts addresses by number, IPv4 first, what is none last', () => {
    const sorted = ['9.9.9.9', '10.0.0.2', '10.0.0.10', '::1', '2001:db8::2', '2001:db8::10', 'x'];
    expect([...sorted].reverse().sort((a, b) => (addressKey(a) < addressKey(b) ? -1 : 1))).toEqual(
      sorted,
    );
  });
  it('knows the same address in its long and its short form', () => {
    expect(addressKey('2001:db8:0:0:0:0:0:1')).toBe(addressKey('2001:db8::1'));
    expect(addressKey('::ffff:1.2.3.4')).toBe(addressKey('::ffff:102:304'));
  });
});

describe('addressClass', () => {
  it.each([
    ['10.1.2.3', 'inside'],
    ['172.31.0.1', 'inside'],
    ['172.32.0.1', 'outside'],
    ['192.168.1.1', 'inside'],
    ['100.64.0.1', 'inside'],
    ['8.8.8.8', 'outside'],
    ['224.0.0.251', 'group'],
    ['255.255.255.255', 'group'],
    ['fe80::1', 'inside'],
    ['fd00::1', 'inside'],
    ['::1', 'inside'],
    ['ff02::fb', 'group'],
    ['2001:db8::1', 'outside'],
    ['not an address', 'outside'],
  ])('%s is %s', (address, expected) => {
    expect(addressClass(address)).toBe(expected);
  });
});
