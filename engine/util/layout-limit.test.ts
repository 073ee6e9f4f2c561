import { afterEach, expect, it, vi } from 'vitest';
import { layoutLimit } from './layout-limit.ts';

afterEach(() => vi.unstubAllEnvs());

it('is the default without an environment variable', () => {
  expect(layoutLimit('DAYBOOK_DENSE_ROWS', 32_768)).toBe(32_768);
  vi.stubEnv('DAYBOOK_DENSE_ROWS', '400');
  expect(layoutLimit('DAYBOOK_DENSE_ROWS', 32_768)).toBe(400);
});

it.each(['', '0', '-1', '1e3', 'few'])('refuses %j', (text) => {
  vi.stubEnv('DAYBOOK_INDEX_ROWS', text);
  expect(() => layoutLimit('DAYBOOK_INDEX_ROWS', 1)).toThrow(
    'DAYBOOK_INDEX_ROWS is not a whole number',
  );
});
