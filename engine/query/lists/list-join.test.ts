/** A list compared with columns in memory takes the rows that a comparison of each with each takes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ColumnName } from '../../contract/event.ts';
import { knownField } from '../names/fields.ts';
import { type JoinColumn, JoinTable, hashRows, joinKeys } from './list-join.ts';
import { type MatchList, readList } from './match-list.ts';

function listOf(text: string, fields?: readonly string[]): MatchList {
  return readList({
    ...{ text, digest: '00', fields },
    resolve: ({ name }) => {
      const field = knownField(name.toLowerCase());
      if (field === undefined) throw new TypeError(name);
      return field;
    },
  });
}

/** Few values, so that rows match; including the largest possible ones. */
const ADDRESS = fc.constantFrom(0, 1, 0x0a00_0001, 0x0a00_0002, 0x0a00_0100, 0xffff_ffff);
const PORT = fc.constantFrom(0, 53, 443, 65_535);
const PROTO = fc.constantFrom(0, 6, 17, 255);
const orNone = (values: fc.Arbitrary<number>) => fc.option(values, { freq: 5, nil: undefined });
const EVENT = fc.record({
  ...{ src_ip4: orNone(ADDRESS), dst_ip4: orNone(ADDRESS) },
  ...{ src_port: orNone(PORT), dst_port: orNone(PORT), proto: orNone(PROTO) },
});
type Event = Partial<Record<ColumnName, number | undefined>>;

const dotted = (address: number) =>
  [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
const cell = (values: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 6, arbitrary: values }, { weight: 1, arbitrary: fc.constant('') });
const CELLS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  src_ip: cell(fc.oneof(ADDRESS.map(dotted), fc.constantFrom('10.0.0.0/24', '0.0.0.0/0'))),
  dst_ip: cell(ADDRESS.map(dotted)),
  src_port: cell(PORT.map(String)),
  dst_port: cell(PORT.map(String)),
  proto: cell(PROTO.map(String)),
};
const LIST = fc.subarray(Object.keys(CELLS), { minLength: 1 }).chain((fields) =>
  fc
    .array(fc.tuple(...fields.map((field) => CELLS[field]!)), { minLength: 1, maxLength: 40 })
    .map((rows) => rows.filter((row) => row.some((one) => one !== '')))
    .filter((rows) => rows.length > 0)
    .map((rows) => [fields, ...rows].map((row) => row.join(',')).join('\n')),
);

function arrayOf(type: string, rows: number): Uint8Array | Uint16Array | Uint32Array {
  if (type === 'UTINYINT') return new Uint8Array(rows);
  return type === 'USMALLINT' ? new Uint16Array(rows) : new Uint32Array(rows);
}

function columnOf(events: readonly Event[], name: ColumnName, type: string): JoinColumn {
  const values = arrayOf(type, events.length);
  events.forEach((event, row) => {
    values[row] = event[name] ?? 0;
  });
  const nulls = Uint8Array.from(events, (event) => (event[name] === undefined ? 1 : 0));
  return { values, nulls: nulls.includes(1) ? nulls : undefined };
}

/** Rows that the list takes, compared by hashes. */
function joined(list: MatchList, events: readonly Event[]): number[] | undefined {
  const groups = joinKeys(list);
  if (groups === undefined) return undefined;
  const words = new Uint32Array((events.length + 31) >>> 5);
  for (const [at, keys] of groups.entries()) {
    const columns = keys.map(({ column, type }) => columnOf(events, column, type));
    const hashes = hashRows(keys, columns, events.length);
    new JoinTable(list.groups[at]!).markRows(words, hashes, keys, columns);
  }
  return [...events.keys()].filter((row) => ((words[row >>> 5]! >>> (row & 31)) & 1) === 1);
}

/** The same by comparing each row with each. */
function compared(list: MatchList, events: readonly Event[]): number[] {
  return [...events.keys()].filter((row) =>
    list.groups.some(({ keys, lines }) =>
      lines.some((_, line) =>
        keys.every(({ key, values }) => {
          if (key.key !== 'address4' && key.key !== 'number') return false;
          const value = events[row]![key.column];
          if (value === undefined) return false;
          const size = key.key === 'address4' ? 2 ** (32 - key.prefix) : 1;
          return Math.floor(value / size) * size === values[line];
        }),
      ),
    ),
  );
}

it('takes the rows whose keys are those of a row of the list', () => {
  let taken = 0;
  fc.assert(
    fc.property(LIST, fc.array(EVENT, { minLength: 50, maxLength: 200 }), (text, events) => {
      const list = listOf(text);
      const rows = joined(list, events);
      // Which side has no value matters if both directions match: that is left to statements.
      if (rows === undefined) return;
      taken += rows.length;
      expect(rows).toEqual(compared(list, events));
    }),
    { numRuns: 200, seed: 4 },
  );
  expect(taken).toBeGreaterThan(100);
});

it('takes long time neither for a row that a list repeats nor for values that are all the same', () => {
  const line = '10.0.0.1,53';
  const list = listOf(`src_ip,src_port\n${`${line}\n`.repeat(200_000)}`);
  const events = Array.from({ length: 100 }, (_, n) => ({
    src_ip4: 0x0a00_0001,
    src_port: n === 7 ? 54 : 53,
  }));
  expect(joined(list, events)?.length).toBe(99);
});

it('takes numbers below zero for what they are', () => {
  const list = listOf('tz_offset,src_port\n-3600,53\n3600,53\n', undefined);
  const groups = joinKeys(list);
  expect(groups?.[0]?.map(({ type }) => type).sort()).toEqual(['INTEGER', 'USMALLINT']);
  const columns = groups![0]!.map(({ column }) =>
    column === 'tz_offset'
      ? { values: Int32Array.of(-3600, 3600, 0), nulls: undefined }
      : { values: Uint16Array.of(53, 53, 53), nulls: undefined },
  );
  const words = new Uint32Array(1);
  const hashes = hashRows(groups![0]!, columns, 3);
  new JoinTable(list.groups[0]!).markRows(words, hashes, groups![0]!, columns);
  expect(words[0]).toBe(0b011);
});

it.each([
  ['text', 'host\nweb01\n'],
  ['IPv6', 'src_ip\n2001:db8::1\n'],
  ['64 bits', 'bytes\n100\n'],
])('leaves %s to statements', (_, text) => {
  expect(joinKeys(listOf(text))).toBeUndefined();
});
