import { expect, it } from 'vitest';
import { giveBack, take32, takeBuffer } from './spare.ts';

it('gives out what it was given, once, and only what is large enough', () => {
  const array = take32(100_000);
  expect(array.length).toBeGreaterThanOrEqual(100_000);
  giveBack(array.buffer);
  expect(takeBuffer(array.byteLength * 2)).not.toBe(array.buffer);
  expect(takeBuffer(array.byteLength)).toBe(array.buffer);
  expect(takeBuffer(array.byteLength)).not.toBe(array.buffer);
});

it('leaves alone what is not its own', () => {
  const odd = new ArrayBuffer(100_000);
  giveBack(odd);
  const shared = new SharedArrayBuffer(1 << 17);
  giveBack(shared);
  expect(takeBuffer(1 << 17)).toBeInstanceOf(ArrayBuffer);
  expect(takeBuffer(100_000)).not.toBe(odd);
});

it('keeps a bounded number of bytes', () => {
  const size = 16 << 20;
  const given = Array.from({ length: 8 }, () => new ArrayBuffer(size));
  for (const buffer of given) giveBack(buffer);
  const again = given.map(() => takeBuffer(size));
  expect(again.filter((buffer) => given.includes(buffer)).length).toBeLessThanOrEqual(4);
});

it('gives little to who asks for little', () => {
  expect(takeBuffer(1).byteLength).toBeLessThanOrEqual(1024);
  expect(takeBuffer(5_000).byteLength).toBe(8192);
});
