import { expect, it } from 'vitest';
import { detailsText } from './details.ts';

it('says details in words', () => {
  expect(
    detailsText({
      paths: ['a', 'b'],
      timeZone: null,
      total: { read: 1234, rawSize: 2 },
      recursive: true,
    }),
  ).toBe('paths: a, b; total: (read: 1,234, raw size: 2); recursive: true');
});
