import { describe, expect, it } from 'vitest';
import { orderRotated, rotationKey } from './rotation.ts';

describe('rotationKey', () => {
  it.each([
    ['auth.log', 'auth.log'],
    ['auth.log.1', 'auth.log'],
    ['auth.log.2.gz', 'auth.log'],
    ['daemon.log.3.bz2', 'daemon.log'],
    ['auth.log.2026-01-01', 'auth.log'],
    ['messages-20260101.gz', 'messages'],
    ['messages-2026010112.xz', 'messages'],
    ['messages-1767225600', 'messages'],
    ['app-2026-01-01.log', 'app.log'],
    ['app-2026-01-01T10-20-30.log.zst', 'app.log'],
    ['app.1.log', 'app.log'],
    ['log.0', 'log'],
    ['a/auth.log.1', 'a/auth.log'],
    ['b.tar!a/auth.log.1', 'b.tar!a/auth.log'],
    ['eth0.99999999', 'eth0.99999999'],
    ['x-20261399', 'x-20261399'],
    ['.gz', undefined],
  ])('%s belongs to %s', (name, set) => {
    expect(rotationKey(name)?.set).toBe(set);
  });
});

describe('orderRotated', () => {
  it.each([
    [['auth.log', 'auth.log.1', 'auth.log.2.gz', 'auth.log.10.gz']],
    [['log', 'log.0', 'log.1']],
    [['m', 'm-20260101.gz', 'm-20251231.gz']],
    [['m', 'm.1', 'm-20260101', 'm-20251231.1', 'm-20251231.2']],
    [['app.log', 'app-2026-01-02.log', 'app-2026-01-01.log']],
    [['m-1767225601', 'm-1767225600']],
  ])('newest first: %s', (names) => {
    const items = names.map((name) => ({ name }));
    const oldestFirst = [...names].reverse();
    expect(orderRotated(items).map((item) => item.name)).toEqual(oldestFirst);
    expect(orderRotated([...items].reverse()).map((item) => item.name)).toEqual(oldestFirst);
  });

  it('keeps folders and sets apart', () => {
    const names = ['b/x.log', 'a/x.log.1', 'a/x.log', 'b/x.log.1', 'a/y'];
    expect(orderRotated(names.map((name) => ({ name }))).map((item) => item.name)).toEqual([
      'a/x.log.1',
      'a/x.log',
      'a/y',
      'b/x.log.1',
      'b/x.log',
    ]);
  });
});
