/**
 * Cached parts of side files are counted once, stay within the limit, and survive a question about all segments.
 */
import { describe, expect, it } from 'vitest';
import { TextCache, keptBytes } from './text-cache.ts';

const KB = 1024;

describe('what was read', () => {
  it('is counted once under several names, and goes with all of them', () => {
    const cache = new TextCache(100 * KB);
    const owner = cache.owner();
    const set = new Uint8Array(20 * KB);
    const size = ({ length }: Uint8Array) => length;
    owner.take('list', () => set, size);
    owner.take(
      'token',
      () => ({ rows: set }),
      () => 20 * KB,
      ({ rows }) => rows,
    );
    expect(cache.bytes).toBeGreaterThanOrEqual(20 * KB);
    expect(cache.bytes).toBeLessThan(22 * KB);
    for (let i = 0; i < 20; i++) owner.take(`page ${i}`, () => new Uint8Array(20 * KB), size);
    expect(cache.bytes).toBeLessThanOrEqual(100 * KB);
    let made = 0;
    const again = (key: string) => owner.take(key, () => new Uint8Array(++made), size);
    again('list');
    again('token');
    expect(made === 0 || made === 2).toBe(true);
    owner.forget();
    expect(cache.bytes).toBe(0);
  });

  it('stays while it has a name, and a name may be given again', () => {
    const cache = new TextCache(100 * KB);
    const [first, found] = [cache.owner(), cache.owner()];
    const set = { bytes: 20 * KB };
    first.set('list', set, set.bytes, set);
    found.set('1', { rows: set }, set.bytes, set);
    found.set('1', { rows: set, exact: true }, set.bytes, set);
    expect(found.get('1')).toEqual({ rows: set, exact: true });
    expect(cache.bytes).toBeLessThan(22 * KB);
    found.forget();
    expect(found.get('1')).toBeUndefined();
    expect(first.get('list')).toBe(set);
    expect(cache.bytes).toBeGreaterThanOrEqual(20 * KB);
    first.set('list', 'other', 10, {});
    expect(first.get('list')).toBe('other');
    expect(cache.bytes).toBeLessThan(KB);
    first.forget();
    expect(cache.bytes).toBe(0);
  });

  it('is counted again when what was evicted comes back', () => {
    const cache = new TextCache(100 * KB);
    const set = { bytes: 20 * KB };
    for (let turn = 0; turn < 3; turn++) {
      const own = cache.owner();
      own.take(
        'list',
        () => set,
        ({ bytes }) => bytes,
      );
      expect(cache.bytes).toBeGreaterThanOrEqual(20 * KB);
      own.forget();
      expect(cache.bytes).toBe(0);
    }
  });

  it('is not made again when it fits, nor all of it when it does not quite', () => {
    const segments = 500;
    const cache = new TextCache(segments * 10 * KB);
    const owners = Array.from({ length: segments }, () => cache.owner());
    let made = 0;
    const askAll = (key: string, bytes: number): number => {
      made = 0;
      for (const own of owners)
        own.take(
          key,
          () => ((made += 1), new Uint8Array(8)),
          () => bytes,
        );
      expect(cache.bytes).toBeLessThanOrEqual(segments * 10 * KB);
      return made;
    };
    expect(askAll('answer', 100)).toBe(segments);
    expect(askAll('pages', 8 * KB)).toBe(segments);
    expect(askAll('pages', 8 * KB)).toBe(0);
    // A sixth more than there is room for.
    askAll('sets', 1500);
    for (let turn = 0; turn < 5; turn++) {
      const again = askAll('pages', 8 * KB) + askAll('sets', 1500);
      expect(again).toBeGreaterThan(0);
      expect(again).toBeLessThan(segments);
    }
    expect(askAll('answer', 100)).toBe(0);
  });

  it('makes room for what is asked now', () => {
    const cache = new TextCache(1000 * KB);
    const own = cache.owner();
    const bytes = () => 10 * KB;
    for (let i = 0; i < 300; i++) own.take(`old ${i}`, () => new Uint8Array(8), bytes);
    let made = 0;
    for (let turn = 0; turn < 2; turn++) {
      made = 0;
      for (let i = 0; i < 30; i++)
        own.take(`new ${i}`, () => ((made += 1), new Uint8Array(8)), bytes);
    }
    expect(made).toBeLessThan(15);
  });
});

it('is more where there is more memory', () => {
  const { read, found } = keptBytes(2e8);
  expect(keptBytes(1e6)).toEqual({ read, found });
  expect(keptBytes(16e9).read).toBe(2e9);
  expect(keptBytes(16e9).found).toBe(5e8);
  expect(read).toBeGreaterThan(found);
});
