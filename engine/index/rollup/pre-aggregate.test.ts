import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CodedColumn, alikeRows } from './pre-aggregate.ts';
import { sectionsOf, type TestRow } from './testing/rows.ts';

/** Entries by plain loops: each row's, the first row of each, its rows. */
function expected(columns: readonly CodedColumn[], rows: number) {
  const known = new Map<string, number>();
  const entryOf: number[] = [];
  const firsts: number[] = [];
  const weights: number[] = [];
  for (let row = 0; row < rows; row++) {
    const key = columns.map(({ codes }) => codes[row]).join(' ');
    const entry = known.get(key) ?? known.size;
    if (!known.has(key)) firsts.push(row);
    known.set(key, entry);
    entryOf.push(entry);
    weights[entry] = (weights[entry] ?? 0) + 1;
  }
  return { entryOf, firsts, weights };
}

const sizes = fc.array(fc.constantFrom(1, 2, 3, 255, 65_536, 0xffff_ffff), {
  minLength: 1,
  maxLength: 8,
});

it('makes one entry of the rows that have the same codes in all columns', () => {
  let found = 0;
  fc.assert(
    fc.property(
      sizes,
      fc.array(fc.nat(3), { minLength: 1, maxLength: 90 }),
      fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }),
      (all, rows, salts) => {
        // Four sorts of row at most, of codes that fill the words of their column.
        const columns = all.map((size, column) => ({
          codes: Uint32Array.from(
            rows,
            (sort) => (size - (((sort * salts[column]!) >>> 3) % size)) >>> 0,
          ),
          size,
        }));
        const plain = expected(columns, rows.length);
        const alike = alikeRows(rows.length, columns);
        if (plain.firsts.length > rows.length / 3) expect(alike).toBeUndefined();
        else {
          found += 1;
          expect([...alike!.entryOf]).toEqual(plain.entryOf);
          expect([...alike!.firsts]).toEqual(plain.firsts);
          expect([...alike!.weights]).toEqual(plain.weights);
        }
      },
    ),
  );
  expect(found).toBeGreaterThan(20);
});

it.each([
  ['so many that its tables grow', 40_000, 9000],
  ['a few', 40_000, 7],
])('finds %s among many rows', (_, rows, kinds) => {
  const codes = Uint32Array.from({ length: rows }, (_unused, row) => (row * 7919) % kinds);
  const columns = [{ codes, size: kinds }];
  const alike = alikeRows(rows, columns)!;
  const plain = expected(columns, rows);
  expect(alike.entryOf.every((entry, row) => entry === plain.entryOf[row])).toBe(true);
  expect([...alike.firsts]).toEqual(plain.firsts);
  expect([...alike.weights]).toEqual(plain.weights);
});

it('gives up where rows differ', () => {
  const codes = Uint32Array.from({ length: 40_000 }, (_, row) => row);
  expect(alikeRows(40_000, [{ codes, size: 40_000 }])).toBeUndefined();
});

it.each(['flow', 'packet', 'log'] as const)(
  'is the same in rollups of %s as row by row',
  (kind) => {
    const rows = Array.from({ length: 1200 }, (_, i): TestRow => {
      const like = (i * 31) % 190;
      return {
        ...{
          ts: 1_793_232_000_000_000 + i * 9_000_000,
          src_ip4: like % 95,
          dst_ip4: (like * 7) % 89,
        },
        ...{ src_port: like, dst_port: like % 5, proto: 6, source_id: 1, bytes: i },
        ...{ event_type: `t${(like >> 1) % 3}`, host: like % 4 === 0 ? '' : `h${like % 9}` },
        ...(like % 6 === 0 ? {} : { flow_id: like }),
        ...(i % 5 === 0 ? {} : { packets: i % 7 }),
        ...(i === 77 ? { packets_rev: 0.5 } : { packets_rev: 2 }),
      };
    });
    // With an attribute that nearly all differ in, hardly any is like another.
    const different = rows.map((row, i): TestRow => ({ ...row, 'a:role': `${i % 900}` }));
    const rollups = (some: readonly TestRow[]) =>
      sectionsOf(kind, some, 500).filter(({ name }) => name.startsWith('rollup'));
    const alike = rollups(rows);
    expect(alike).toHaveLength(kind === 'packet' ? 2 : 1);
    expect(alike[0]!.bytes.length).toBeGreaterThan(1000);
    expect(alike).toEqual(rollups(different));
  },
);
