import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../contract/event.ts';
import { DaybookError } from '../../../contract/errors.ts';
import type { Section } from '../../side-file.ts';
import { TextCache } from '../../text/text-cache.ts';
import type { DistinctValues, GroupKey } from '../../values/dimensions.ts';
import { mergeTop } from '../merge.ts';
import type { Restriction, RollupQuestion } from '../rollup-groups.ts';
import { RollupIndex } from '../rollup-index.ts';
import { rowsArbitrary } from '../testing/arbitrary-rows.ts';
import { sectionsOf, type TestRow, withSideFile } from '../testing/rows.ts';
import { CUBE_SECTION } from './cube-section.ts';
import { Cube } from './cube.ts';

const KEYS = ['proto', 'severity', 'host', 'event_type', 'a:role', 'source_id'] as const;
type Key = (typeof KEYS)[number];

type Asked = Omit<RollupQuestion, 'attributes'>;

function withIndex<T>(
  kind: Kind,
  rows: readonly TestRow[],
  use: (ask: (asked: Asked) => string[] | undefined) => T,
): T {
  return withSections(rows, sectionsOf(kind, rows, 40), use);
}

function withSections<T>(
  rows: readonly TestRow[],
  sections: readonly Section[],
  use: (ask: (asked: Asked) => string[] | undefined) => T,
): T {
  return withSideFile(rows.length, sections, (file) => {
    const index = RollupIndex.open(file, new TextCache())!;
    const role = rows.some((row) => 'a:role' in row) ? 'a:role' : undefined;
    const attributes = new Map<GroupKey, string | undefined>([
      ['a:role', role],
      ['a:nosuch', undefined],
    ]);
    return use((asked) => {
      const groups = index.groups({ ...asked, attributes });
      if (groups === undefined) return undefined;
      const { top } = mergeTop(groups, { dims: asked.dims, limit: Infinity, by: 'count' });
      return top
        .map(({ values, count, sums }) => JSON.stringify([values, count, sums[0] ?? null]))
        .sort();
    });
  });
}

function expected(
  rows: readonly TestRow[],
  dims: readonly Key[],
  holds: (row: TestRow) => boolean,
): string[] {
  const groups = new Map<string, [unknown, number, number | null]>();
  for (const row of rows.filter(holds)) {
    const values = dims.map((key) => row[key] ?? null);
    const key = JSON.stringify(values);
    const group = groups.get(key) ?? [values, 0, null];
    groups.set(key, group);
    group[1] += 1;
    if (row.bytes !== undefined) group[2] = (group[2] ?? 0) + row.bytes;
  }
  return [...groups.values()].map((group) => JSON.stringify(group)).sort();
}

/** A place for each value and for none. */
const valuesOf = ({ numbers, texts }: DistinctValues): (number | string | undefined)[] => [
  ...numbers,
  ...texts.map((text) => Buffer.from(text).toString('utf8')),
  undefined,
];

it('counts and sums under conditions like plain loops over the rows', () => {
  let answered = 0;
  fc.assert(
    fc.property(
      rowsArbitrary,
      fc.constantFrom<Kind>('flow', 'packet', 'log'),
      fc.array(
        fc.record({
          dims: fc.subarray([...KEYS], { maxLength: 2 }),
          where: fc.subarray([...KEYS], { maxLength: 2 }),
          wanted: fc.constantFrom(undefined, 6, 1, 'a', 'A', ''),
          address: fc.boolean(),
          unflowed: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      (rows, kind, questions) => {
        withIndex(kind, rows, (ask) => {
          for (const { dims, where, wanted, address, unflowed } of questions) {
            const conditions = where.map((dim): Restriction => ({
              dim,
              choose: (values) =>
                Uint8Array.from(valuesOf(values()), (value) => Number(value === wanted)),
            }));
            const source: Restriction = {
              ...{ dim: 'src_ip', presence: true, choose: (_, size) => ({ from: 0, to: size }) },
            };
            const said = ask({
              ...{ dims, measures: ['bytes'], unflowed: kind === 'packet' && unflowed },
              where: address ? [...conditions, source] : conditions,
            });
            if (said === undefined) continue;
            answered += 1;
            const holds = (row: TestRow) =>
              where.every((key) => row[key] === wanted) &&
              (!address || row.src_ip4 !== undefined || row.src_ip6 !== undefined) &&
              (!unflowed || kind !== 'packet' || row.flow_id === undefined);
            expect(said).toEqual(expected(rows, dims, holds));
          }
        });
      },
    ),
    { numRuns: 120 },
  );
  expect(answered).toBeGreaterThan(100);
});

const n = 20_000;
const rows = Array.from({ length: n }, (_, i): TestRow => ({
  ...{ ts: i * 1000, proto: i % 3, host: `h${i % 40}`, src_ip4: i % 7, bytes: i, source_id: 1 },
  ...{ 'a:role': `r${i % 1000}`, program: `p${i}` },
}));
const plain = { measures: [], where: [], unflowed: false } as const;

describe('what is left out', () => {
  it('is what has many values, or makes too many combinations', () => {
    withIndex('flow', rows, (ask) => {
      expect(ask({ ...plain, dims: ['host', 'proto'] })).toHaveLength(120);
      expect(ask({ ...plain, dims: ['program'] })).toBeUndefined();
      expect(ask({ ...plain, dims: ['a:role'] })).toBeUndefined();
      expect(ask({ ...plain, dims: ['a:nosuch', 'proto'] })).toHaveLength(3);
      expect(ask({ ...plain, dims: ['a:unknown', 'proto'] })).toBeUndefined();
    });
  });

  it('is which address there is', () => {
    withIndex('flow', rows, (ask) => {
      expect(ask({ ...plain, dims: ['src_ip', 'proto'] })).toBeUndefined();
      const places: Restriction = { dim: 'src_ip', choose: () => ({ from: 0, to: 1 }) };
      expect(ask({ ...plain, dims: ['proto'], where: [places] })).toBeUndefined();
    });
  });
});

describe('packets of flows', () => {
  const texts = ['host', 'program', 'event_type', 'service', 'conn_state'] as const;
  const numbers = ['proto', 'severity', 'facility'] as const;
  /** As many combinations as there may be, without flows. */
  const packets = Array.from({ length: 2000 }, (_, i): TestRow => {
    const row: TestRow = { ts: i * 1000, source_id: 1 };
    texts.forEach((name, bit) => {
      if (((i >> bit) & 1) === 1) row[name] = 'x';
    });
    numbers.forEach((name, bit) => {
      if (((i >> (bit + 5)) & 1) === 1) row[name] = 1;
    });
    if (i >= 256) row.flow_id = i;
    return row;
  });
  const pair = { ...plain, dims: ['host', 'event_type'] as const };

  it('are told from others, whatever else there is', () => {
    withIndex('packet', packets, (ask) => {
      const none = (row: TestRow) => row.flow_id === undefined;
      expect(ask(pair)).toEqual(expected(packets, pair.dims, () => true));
      expect(ask({ ...pair, unflowed: true })).toEqual(expected(packets, pair.dims, none));
    });
  });

  it('are not counted by a cube that does not tell them from others', () => {
    const cube = sectionsOf('flow', packets, 40).filter(({ name }) => name === CUBE_SECTION);
    const others = sectionsOf('packet', packets, 40).filter(({ name }) => name !== CUBE_SECTION);
    withSections(packets, [...others, ...cube], (ask) => expect(ask(pair)).toBeUndefined());
  });
});

it('answers for a column in place of a set of it', () => {
  const sections = sectionsOf('flow', rows, n);
  const asked = { ...plain, dims: ['host'] as const, measures: ['bytes'] as const };
  const counts = expected(rows, asked.dims, () => true);
  withSections(rows, sections, (ask) => expect(ask(asked)).toEqual(counts));
  const without = sections.filter(({ name }) => name !== CUBE_SECTION);
  withSections(rows, without, (ask) => {
    expect(ask(asked)).toBeUndefined();
    expect(ask({ ...plain, dims: ['src_ip'] })).toHaveLength(7);
  });
});

it('says that it is damaged, whatever byte of it is another', () => {
  const sections = sectionsOf('flow', rows, n);
  const own = sections.find(({ name }) => name === CUBE_SECTION)!;
  const asked = { ...plain, dims: ['host', 'proto'] as const };
  const others = sections.filter((one) => one !== own);
  const ask = (bytes: Uint8Array) =>
    withSideFile(n, [...others, { name: own.name, bytes }], (file) =>
      RollupIndex.open(file)!.groups(asked),
    );
  for (let at = 0; at < own.bytes.length; at += Math.ceil(own.bytes.length / 200)) {
    const bytes = own.bytes.slice();
    bytes[at]! ^= 1 << (at % 8);
    expect(() => ask(bytes)).toThrow(DaybookError);
  }
  expect(() => ask(own.bytes.subarray(0, 99))).toThrow(DaybookError);
  expect(() => withSideFile(7, [own], (file) => Cube.open(file))).toThrow(/damaged/);
});
