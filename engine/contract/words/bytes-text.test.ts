import { describe, expect, it } from 'vitest';
import { bytesText, hexLines } from './bytes-text.ts';

describe('bytes as text', () => {
  it.each<[string, number[], string]>([
    ['UTF-8 as it is', [0x47, 0xc3, 0xa4], 'Gä'],
    ['what is no UTF-8 byte by byte', [0x47, 0xe4, 0x0a], 'G\\xe4\n'],
    ['nothing', [], ''],
  ])('%s', (_, bytes, text) => expect(bytesText(Uint8Array.from(bytes))).toBe(text));
});

describe('bytes as hex', () => {
  it('sixteen a line, counted from the record', () => {
    const bytes = Uint8Array.from({ length: 18 }, (_, i) => 0x41 + i);
    expect(hexLines(bytes, 16)).toEqual([
      '0010  41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP',
      `0020  51 52${' '.repeat(42)}  QR`,
    ]);
  });
});
