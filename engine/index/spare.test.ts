import { expect, it } from 'vitest';
import { giveBack, scratch32, scratch64, take32, takeBuffer, withScratch } from './spare.ts';

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

it('gives zeros that are used again once what asked for them is done', () => {
  const n = 1 << 21;
  const [outer, inner] = withScratch(() => {
    const first = scratch32(n).fill(1);
    const second = withScratch(() => scratch64(n / 2).fill(1));
    const third = scratch32(n);
    expect(first[0]).toBe(1);
    expect(third.buffer).toBe(second.buffer);
    expect(third).toHaveLength(n);
    expect(third.every((value) => value === 0)).toBe(true);
    return [first, second];
  });
  expect([outer.buffer, inner.buffer]).toContain(takeBuffer(n * 4));
  expect(scratch32(n).buffer).not.toBe(scratch32(n).buffer);
});

it('gives back what was taken when it fails', () => {
  const n = 3 << 20;
  let taken: ArrayBuffer | undefined;
  expect(() =>
    withScratch(() => {
      taken = scratch32(n).buffer;
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(takeBuffer(n * 4)).toBe(taken);
});
