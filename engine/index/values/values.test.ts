import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowsArbitrary } from '../rollup/testing/arbitrary-rows.ts';
import { inSegmentOrder, sectionsOf, type TestRow, withSideFile } from '../rollup/testing/rows.ts';
import { RowSet } from '../../util/row-set.ts';
import { ValueIndex } from './value-index.ts';
import { OLD_VALUES_SECTION, VALUES_SECTION } from './value-section.ts';

const members = (set: RowSet | undefined): number[] | undefined =>
  set === undefined ? undefined : [...set.slice(0, set.count)];
const where = (rows: readonly TestRow[], holds: (row: TestRow) => boolean): number[] =>
  rows.flatMap((row, i) => (holds(row) ? [i] : []));

function withIndex(came: readonly TestRow[], use: (index: ValueIndex, rows: TestRow[]) => void) {
  withSideFile(came.length, sectionsOf('packet', came, 40), (file) => {
    use(ValueIndex.open(file)!, inSegmentOrder(came));
  });
}

it('finds the rows of values and ranges', () => {
  fc.assert(
    fc.property(
      rowsArbitrary,
      fc.nat(0xffff_ffff),
      fc.nat(0xffff_ffff),
      fc.string(),
      (came, one, other, part) => {
        withIndex(came, (index, rows) => {
          for (const side of ['src_ip4', 'dst_ip4'] as const) {
            const ranges = [...new Set(rows.flatMap((row) => row[side] ?? []))].map((n) => [n, n]);
            ranges.push([Math.min(one, other), Math.max(one, other)], [0, 0xffff_ffff], [5, 4]);
            for (const [low, high] of ranges) {
              const expected = where(
                rows,
                ({ [side]: ip }) => ip !== undefined && ip >= low! && ip <= high!,
              );
              expect(members(index.rowsOfIp4(side, low!, high!))).toEqual(expected);
              expect(index.mostOfIp4(side, low!, high!)).toBeGreaterThanOrEqual(expected.length);
            }
          }
          for (const side of ['src_ip6', 'dst_ip6'] as const) {
            const values = [...new Set(rows.flatMap((row) => row[side] ?? []))];
            const ranges = values.map((value) => [value, value]);
            ranges.push(
              ['0'.repeat(32), 'f'.repeat(32)],
              [`20010db8${'0'.repeat(24)}`, `20010db8${'0'.repeat(23)}1`],
            );
            for (const [low, high] of ranges) {
              const bytes = [Buffer.from(low!, 'hex'), Buffer.from(high!, 'hex')] as const;
              const expected = where(
                rows,
                ({ [side]: ip }) => ip !== undefined && ip >= low! && ip <= high!,
              );
              expect(members(index.rowsOfIp6(side, ...bytes))).toEqual(expected);
              expect(index.mostOfIp6(side, ...bytes)).toBeGreaterThanOrEqual(expected.length);
            }
          }
          const some = rows.map((_, i) => (i * 7 + part.length) % 3 === 0);
          const words = new Uint32Array((rows.length + 31) >>> 5);
          some.forEach((is, i) => (words[i >>> 5]! |= Number(is) << (i & 31)));
          for (const side of ['src_ip', 'dst_ip'] as const) {
            const { numbers, ip6, counts } = index.countsOfAddress(side, words)!;
            const found = [
              ...Array.from(numbers, String),
              ...Array.from({ length: ip6.length / 16 }, (_, i) =>
                Buffer.from(ip6.subarray(i * 16, i * 16 + 16)).toString('hex'),
              ),
            ];
            const expected = new Map<string, number>();
            rows.forEach((values, row) => {
              const short = values[`${side}4` as const];
              const long = values[`${side}6` as const];
              const ip = short === undefined ? long : String(short);
              if (some[row] && ip !== undefined) expected.set(ip, (expected.get(ip) ?? 0) + 1);
            });
            expect(new Map(found.map((ip, i) => [ip, counts[i]]))).toEqual(expected);
            expect(found).toHaveLength(expected.size);
            expect([...numbers]).toEqual([...numbers].sort((a, b) => a - b));
          }
          for (const column of ['host', 'program'] as const) {
            for (const test of [
              (t: string) => t.includes(part),
              (t: string) => t === 'a',
              () => true,
            ])
              expect(members(index.rowsOfText(column, test))).toEqual(
                where(rows, ({ [column]: text }) => text !== undefined && test(text)),
              );
            const counted = index.countsOfText(column, words)!;
            expect(counted.texts.map((text, i) => [text, counted.counts[i]])).toEqual(
              counted.texts.map((text) => [
                text,
                where(rows, (row) => row[column] === text).filter((row) => some[row]).length,
              ]),
            );
            expect(new Set(counted.texts)).toEqual(
              new Set(rows.flatMap((row) => row[column] ?? [])),
            );
            expect(index.distinct(column)).toBe(
              new Set(rows.flatMap((row) => row[column] ?? [])).size,
            );
          }
          expect(members(index.unflowed())).toEqual(
            where(rows, (row) => row.flow_id === undefined),
          );
        });
      },
    ),
    { numRuns: 100 },
  );
});

describe('columns of many rows', () => {
  const n = 30_000;
  const made = (make: (i: number) => TestRow): TestRow[] =>
    Array.from({ length: n }, (_, i) => ({ ts: i * 1000, ...make(i) }));
  const columns: Record<string, TestRow[]> = {
    'all different': made((i) => ({ src_ip4: Math.imul(i, 0x9e37_79b1) >>> 0 })),
    'all equal': made(() => ({ src_ip4: 7 })),
    skewed: made((i) => ({ src_ip4: Math.floor(n ** ((i * 0.618_033_99) % 1)) })),
    'two values and none': made((i) => (i % 3 === 0 ? {} : { src_ip4: i % 3 })),
  };
  for (const [name, rows] of Object.entries(columns)) {
    it(name, () => {
      withIndex(rows, (index) => {
        const expected = new Map<number, number[]>();
        rows.forEach(({ src_ip4: ip }, row) => {
          if (ip === undefined) return;
          const list = expected.get(ip) ?? [];
          expected.set(ip, list);
          list.push(row);
        });
        const step = Math.ceil(expected.size / 300);
        [...expected].forEach(([ip, list], i) => {
          if (i % step === 0) expect(members(index.rowsOfIp4('src_ip4', ip, ip))).toEqual(list);
        });
        const half = where(rows, ({ src_ip4: ip }) => ip !== undefined && ip <= 0x7fff_ffff);
        expect(members(index.rowsOfIp4('src_ip4', 0, 0x7fff_ffff))).toEqual(half);
        expect(index.distinct('src_ip4')).toBe(expected.size);
      });
    });
  }

  it('costs at most five bytes a row when all addresses differ', () => {
    const [section] = sectionsOf('flow', columns['all different']!, n).filter(
      (one) => one.name === VALUES_SECTION,
    );
    expect(section!.bytes.length / n).toBeLessThan(5);
  });

  it('counts texts that most rows have, and texts that few have', () => {
    const rows = made((i) => ({ host: ['often', 'seldom'][Number(i % 50 === 0)]! }));
    withIndex(rows, (index) => {
      const words = new Uint32Array((n + 31) >>> 5).fill(0xffff_ffff, 0, 100);
      expect(index.countsOfText('host', words, 0)).toBeUndefined();
      const { texts, counts } = index.countsOfText('host', words)!;
      expect([texts, [...counts]]).toEqual([
        ['often', 'seldom'],
        [3136, 64],
      ]);
      // Then nothing needs to be read to count others.
      const few = new Uint32Array(words.length).fill(3, 0, 1);
      expect([...index.countsOfText('host', few, 0)!.counts]).toEqual([1, 1]);
      index.close();
      expect(index.countsOfText('host', few, 0)).toBeUndefined();
    });
  });

  it('counts more texts than a byte can tell apart, and rows without one', () => {
    const rows = made((i) => (i % 5 === 0 ? {} : { host: `host${i % 300}` }));
    withIndex(rows, (index) => {
      const words = new Uint32Array((n + 31) >>> 5);
      for (let i = 0; i < n; i += 3) words[i >>> 5]! |= 1 << (i & 31);
      const { texts, counts } = index.countsOfText('host', words)!;
      const expected = texts.map(
        (text) => rows.filter((row, i) => i % 3 === 0 && row['host'] === text).length,
      );
      expect([texts.length, [...counts]]).toEqual([240, expected]);
    });
  });

  it('leaves a column of too many texts out, and says so', () => {
    withIndex(
      made((i) => ({ host: `host${i}`, program: 'p'.repeat(i === 5 ? 2_000_000 : 3) })),
      (index) => {
        expect(index.rowsOfText('host', () => true)).toBeUndefined();
        expect(index.rowsOfText('program', () => true)).toBeUndefined();
        expect(index.distinct('host')).toBeUndefined();
        expect(index.countsOfText('host', new Uint32Array(n / 32 + 1))).toBeUndefined();
      },
    );
  });
});

/** The rows below, as written before the introduction of codes. */
const OLD = [
  'xwAAAEN0VgjECQAABwdzcmNfaXA0AQYAAAACAAAAAAAAAAEAAgAAAAUB//oAyggCAAIAAAARRwICAAAAAQEAAgAAAA',
  'BjB3NyY19pcDYAB2RzdF9pcDQAB2RzdF9pcDYBAwAAAAEAAABYAgAAAQABAAAAAwEAAQAAAAUBAAEAAABJAAAAAAAA',
  'AAAAAAAAAAAAAARob3N0AQEAAAABAAAAoQIAAAEAAQAAAAEBAAEAAAAFAQABAAAAF80CAAAHcHJvZ3JhbQAIdW5mbG',
  '93ZWQA40pC6QAIAQAAAAEACgoKCgExMTExMQEAMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTEx',
  'MTExMTExMTExMQoxMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExFDExMTExMT',
  'ExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTEeMTExMTExMTExMTExMTExMTExMTExMTEx',
  'MTExMTExMTExMTExMTExMTExMTExMTExMSgxMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMT',
  'ExMTExMTExSpwFqwA+AQAAAQD++++///7777///vvvv//++++///7777///vvvv//++++///7777///vvvv//++++/',
  '//7777///vvvv//++++///7777///vvvv//++++///7777///vvvv//++++///7777///vvvv//++++///7777///v',
  'vvv//++++///7777///vvvv//++++///7777///vvvv//++++///7777///vvvv//++++///7777///vvvv//++++/',
  '//7777///vvvv//++++///7777///vvvv//++++///7777///vvvv//++++///7777///vvvv//++++///7777///v',
  'vvv//++++///7777///vvvv//++++///7777///vvvv//++++///7777///vvvv//++++///7777///vsPAAAA6ukk',
  'ugBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAgEBAAECANvo9NsABQ',
  'MBBV0rtIoADgAAAAABBAIA8/Pz8wABAQEBlYlIPQEAAQAAAAUABQAAAGhvc3Qw',
].join('');

it('reads what was written before rows were kept in codes', () => {
  const rows = Array.from({ length: 2500 }, (_, i): TestRow => ({
    ...{ ts: i * 1000, src_ip4: i % 10 === 0 ? i % 50 : 99 },
    ...(i % 500 === 0
      ? { dst_ip6: (i % 3).toString(16).padStart(32, '0'), host: `host${i % 4}` }
      : {}),
  }));
  const old = { name: OLD_VALUES_SECTION, bytes: Buffer.from(OLD, 'base64') };
  withSideFile(rows.length, [old], (file) => {
    const index = ValueIndex.open(file)!;
    for (const ip of [0, 10, 30, 99, 100])
      expect(members(index.rowsOfIp4('src_ip4', ip, ip))).toEqual(
        where(rows, (row) => row.src_ip4 === ip),
      );
    const [low, high] = [Buffer.alloc(16), Buffer.alloc(16, 255)];
    expect(members(index.rowsOfIp6('dst_ip6', low, high))).toEqual([0, 500, 1000, 1500, 2000]);
    expect(members(index.rowsOfText('host', (text) => text === 'host0'))).toEqual(
      where(rows, (row) => row.host === 'host0'),
    );
    const counted = index.countsOfText('host', RowSet.all(rows.length).toWords());
    expect([counted?.texts, [...(counted?.counts ?? [])]]).toEqual([['host0'], [5]]);
  });
});
