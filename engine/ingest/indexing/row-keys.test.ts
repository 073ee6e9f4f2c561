import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ColumnName } from '../../contract/event.ts';
import type { NumberRows } from '../../index/rows.ts';
import { Growing64 } from '../../index/values/growing.ts';
import { RowKeys } from './row-keys.ts';

interface Key {
  ts: number | undefined;
  ts_ns: number | undefined;
  source_id: number;
  seq: number;
}

const DAY = 86_400_000_000;
const key = fc.record<Key>({
  ts: fc.option(
    fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      fc.integer({ min: 0, max: DAY - 1 }),
      fc.double({ noNaN: true, min: 0, max: 9 }),
    ),
    { nil: undefined },
  ),
  ts_ns: fc.option(fc.integer({ min: 0, max: 999 }), { nil: undefined }),
  source_id: fc.integer({ min: 1, max: 3 }),
  seq: fc.oneof(fc.integer({ min: -2, max: 9 }), fc.maxSafeNat()),
});

const compare = (a: Key, b: Key): number => {
  const [one, two] = [a.ts ?? Infinity, b.ts ?? Infinity];
  if (one !== two) return one < two ? -1 : 1;
  return (a.ts_ns ?? 0) - (b.ts_ns ?? 0) || a.source_id - b.source_id || a.seq - b.seq;
};

function column(rows: readonly Key[], name: keyof Key): NumberRows {
  const present = Uint8Array.from(rows, (row) => (row[name] === undefined ? 0 : 1));
  return {
    values: Float64Array.from(rows, (row) => row[name] ?? 7),
    present: present.includes(0) ? present : undefined,
  };
}

it('orders rows by time, nanoseconds, source and record, the undated last', () => {
  fc.assert(
    fc.property(fc.array(fc.array(key, { maxLength: 20 }), { maxLength: 4 }), (batches) => {
      const keys = new RowKeys();
      const times = new Growing64();
      for (const rows of batches) {
        const numbers = new Map<ColumnName, NumberRows>();
        for (const name of ['ts', 'ts_ns', 'source_id', 'seq'] as const) {
          if (rows.some((row) => row[name] !== undefined)) numbers.set(name, column(rows, name));
        }
        times.append(numbers.get('ts'), rows.length);
        keys.add({ kind: 'log', length: rows.length, texts: new Map(), numbers, ip6: new Map() });
      }
      const all = batches.flat();
      const wanted = all.map((_, i) => i).sort((a, b) => compare(all[a]!, all[b]!) || a - b);
      expect([...keys.order(times)]).toEqual(wanted);
    }),
    { numRuns: 500 },
  );
});
