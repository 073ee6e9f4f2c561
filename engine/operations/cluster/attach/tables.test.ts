import { expect, it } from 'vitest';
import { describeFiles, FILES_AT_ONCE } from './tables.ts';

it('describes so many files at once that a server takes the statement', () => {
  const files = Array.from({ length: FILES_AT_ONCE }, (_, i) => ({
    path: `events/kind=packet/day=-123456-12-31/${String(i).padStart(16, '0')}.parquet`,
    sha256: 'f'.repeat(64),
  }));
  const sql = describeFiles('-123456-12-31', files, { events: 'e', notes: 'n' });
  // ClickHouse's max_query_size.
  expect(Buffer.byteLength(sql)).toBeLessThan(256 * 1024);
});
