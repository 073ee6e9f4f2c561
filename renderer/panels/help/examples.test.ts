import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../../engine/query/index.ts';
import { EXAMPLES } from './examples.ts';

describe('examples of the language', () => {
  it.each(EXAMPLES.flatMap(({ examples }) => examples.map(({ query }) => query)))('%s', (query) => {
    expect(outlineOf(query).error).toBeUndefined();
  });
});
