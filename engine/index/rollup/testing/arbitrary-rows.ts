/** Random evidence for property tests: few values and many, all equal and all different, absent ones. */
import fc from 'fast-check';
import type { TestRow } from './rows.ts';

const DAY = 1_793_232_000_000_000;
const ip6 = fc.nat(3).map((n) => `20010db8${'0'.repeat(16)}0000${n.toString(16).padStart(4, '0')}`);
const address = fc.oneof(
  fc.nat(5).map((n) => 0x0a00_0000 + n),
  fc.constantFrom(0, 0xffff_ffff, 0x7fff_ffff, 0x8000_0000),
  fc.nat(0xffff_ffff),
);
const text = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'sshd', 'ſ', '\u{ffff}', '\u{1f600}', 'a\0'),
  fc.string({ maxLength: 6, unit: 'binary' }).map((s) => s.toWellFormed()),
);
const sum = fc.oneof(fc.nat(2000), fc.nat({ max: 2 ** 31 - 1 }), fc.constant(0));

/** A side of a row: one form of address, or none. */
const side = (name: 'src' | 'dst'): fc.Arbitrary<TestRow> =>
  fc.oneof(
    { weight: 4, arbitrary: address.map((value): TestRow => ({ [`${name}_ip4`]: value })) },
    { weight: 2, arbitrary: ip6.map((value): TestRow => ({ [`${name}_ip6`]: value })) },
    { weight: 1, arbitrary: fc.constant<TestRow>({}) },
  );

const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 4 });

const other = fc.record({
  ts: fc.option(
    fc.oneof(
      fc.nat(86_399).map((second) => DAY + second * 1_000_000),
      fc.nat(86_399_999).map((ms) => DAY + ms * 1_000),
      fc.nat(3_000_000).map((us) => DAY + us),
    ),
    { nil: undefined, freq: 20 },
  ),
  src_port: some(fc.nat(65_535)),
  dst_port: some(fc.constantFrom(0, 22, 53, 443, 65_535)),
  proto: some(fc.constantFrom(0, 1, 6, 17, 255)),
  source_id: fc.integer({ min: 1, max: 3 }),
  facility: some(fc.nat(23)),
  severity: some(fc.nat(7)),
  flow_id: some(fc.integer({ min: 1, max: 9 })),
  bytes: some(sum),
  bytes_rev: some(sum),
  packets: some(sum),
  packets_rev: some(sum),
  host: some(text),
  program: some(text),
  event_type: some(text),
  service: some(text),
  conn_state: some(text),
  'a:role': some(text),
});

const row: fc.Arbitrary<TestRow> = fc
  .tuple(side('src'), side('dst'), other)
  .map(([src, dst, rest]) => present({ ...src, ...dst, ...rest }));

function present(row: Record<string, unknown>): TestRow {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

/** A row with the dimensions of another: it has its own time, and adds up to something else. */
function alike(one: TestRow, other: TestRow): TestRow {
  const { ts, bytes, packets, packets_rev, flow_id } = other;
  return present({ ...one, ts, bytes, packets, packets_rev, flow_id });
}

/** Some columns are in no row, so that absence of a whole column is met too. */
export const rowsArbitrary: fc.Arbitrary<TestRow[]> = fc
  .tuple(
    fc.array(row, { maxLength: 120, size: 'max' }),
    fc.uniqueArray(
      fc.constantFrom(
        'src',
        'dst',
        'ts',
        'bytes',
        'packets',
        'host',
        'proto',
        'dst_port',
        'a:role',
      ),
    ),
    fc.constantFrom('different', 'same', 'alike'),
  )
  .map(([rows, without, how]) => {
    const first = rows[0];
    const all = how === 'same' && first !== undefined ? rows.map(() => first) : rows;
    if (how === 'alike')
      all.splice(0, all.length, ...rows.map((one, i) => alike(rows[i % 3]!, one)));
    return all.map((one) =>
      Object.fromEntries(
        Object.entries(one).filter(([name]) => !without.some((part) => name.startsWith(part))),
      ),
    );
  });
