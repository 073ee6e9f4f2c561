import { describe, expect, it } from 'vitest';
import { fieldAt } from './field-at.ts';

const LAYERS = [
  { name: 'Frame', offset: 0, length: 60, fields: [] },
  {
    name: 'Ethernet II',
    offset: 0,
    length: 14,
    fields: [{ name: 'Destination', value: 'aa', offset: 0, length: 6 }],
  },
  {
    name: 'IPv4',
    offset: 14,
    length: 20,
    fields: [
      {
        name: 'Flags',
        value: '0x40',
        offset: 20,
        length: 2,
        fields: [{ name: "Don't fragment", value: 'set', offset: 20, length: 1 }],
      },
    ],
  },
];

describe('fieldAt', () => {
  it.each([
    [0, 'Ethernet II › Destination: aa', 0, 6],
    [13, 'Ethernet II', 0, 14],
    [20, "IPv4 › Flags: 0x40 › Don't fragment: set", 20, 1],
    [21, 'IPv4 › Flags: 0x40', 20, 2],
  ])('byte %i is of %s', (at, path, offset, length) => {
    expect(fieldAt(LAYERS, at)).toEqual({ path, offset, length });
  });

  it('knows of no field beyond the layers', () => {
    expect(fieldAt(LAYERS, 59)).toBeUndefined();
  });
});
