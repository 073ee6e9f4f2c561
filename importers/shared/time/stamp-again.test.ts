/** A time is parsed as if it were the first of its log: earlier ones must not affect it. */
import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { Stamp } from './stamp.ts';

const bytes = new TextEncoder();

function fieldsOf(stamp: Stamp, text: string): unknown {
  const b = bytes.encode(text);
  if (!stamp.parse(b, 0, b.length)) return false;
  const { shape, year, month, day, seconds, nanos, digits, zoned, offset, end } = stamp;
  return { shape, year, month, day, seconds, nanos, digits, zoned, offset, end };
}

const two = (most: number) =>
  fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'));
/** Few dates, so that many are repeated; some are invalid. */
const writing = fc
  .tuple(
    fc.constantFrom(
      '2026-10-01',
      '2026-10-02',
      '2025-10-01',
      '2026-02-30',
      '2026-1-01',
      '12026-10-01',
    ),
    fc.constantFrom('T', 'T', 'T', ' ', 't', ''),
    fc.tuple(two(24), two(60), two(61)).map((parts) => parts.join(':')),
    fc.constantFrom('', 'Z', '.5', '.123456Z', '+02:00', ' x', ',123', '.', 'T'),
  )
  .map((parts) => parts.join(''));

test('a date that was there before is read as a new one', () => {
  fc.assert(
    fc.property(fc.array(writing, { minLength: 1, maxLength: 12 }), (texts) => {
      const used = new Stamp();
      for (const text of texts) expect(fieldsOf(used, text)).toEqual(fieldsOf(new Stamp(), text));
    }),
    { numRuns: 2000 },
  );
});
