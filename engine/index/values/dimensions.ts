/**
 * Columns of a segment as codes, from which indexes of values and rollups are made. The code of a row is the index
 * of its value among the column's distinct values, in the order in which results are sorted (IPv4 before IPv6,
 * texts by their bytes); a row without a value has the code after the last value's.
 */
import { ByteDictionary } from '../../util/hash-table/byte-dictionary.ts';
import type { ColumnName } from '../../contract/event.ts';
import { smallDictionary, nextPresent, putKnown } from '../small-dictionary.ts';
import type { IndexRows, Ip6Rows, NumberRows, TextRows } from '../rows.ts';
import { Ip6Dictionary, NumberDictionary, SmallDictionary } from './dictionaries.ts';
import { inSteps } from '../steps.ts';
import { Growing32 } from './growing.ts';

/** Columns with an index of values or a rollup; `src_ip` is `src_ip4` and `src_ip6`. */
export const DIMENSIONS = [
  'src_ip',
  'dst_ip',
  'src_port',
  'dst_port',
  'proto',
  'source_id',
  'facility',
  'severity',
  'host',
  'program',
  'event_type',
  'service',
  'conn_state',
] as const;
export type DimensionName = (typeof DIMENSIONS)[number];
/** A key to group rows by: a dimension or an attribute. */
export type GroupKey = DimensionName | `a:${string}`;

export function isDimension(key: GroupKey): key is DimensionName {
  return (DIMENSIONS as readonly string[]).includes(key);
}

/** A text column with more distinct values, or longer ones in total, is left out. */
const MAX_TEXTS = 16_384;
export const MAX_TEXT_BYTES = 1_048_576;

/** Distinct values: numbers, then IPv6 addresses of 16 bytes, or texts. Each list is ascending. */
export interface DistinctValues {
  readonly numbers: Uint32Array;
  readonly ip6: Uint8Array;
  readonly texts: readonly Uint8Array[];
}

/** Of a column that no row has a value of. */
export const NO_VALUES: DistinctValues = {
  numbers: new Uint32Array(0),
  ip6: new Uint8Array(0),
  texts: [],
};

/** Memory of a text in addition to its bytes. */
const TEXT_MEMORY = 128;

/** Bytes of memory that they take, about. */
export function memoryOf({ numbers, ip6, texts }: DistinctValues): number {
  const bytes = texts.reduce((sum, { length }) => sum + length + TEXT_MEMORY, 0);
  return bytes + numbers.byteLength + ip6.length;
}

export interface Dimension {
  readonly name: DimensionName;
  readonly values: DistinctValues;
  /** Number of distinct values; also the code of rows without one. */
  readonly size: number;
  /** Of every row of the segment, in its order. */
  readonly codes: Uint32Array;
}

/** A column being collected. */
interface Collector {
  add(rows: IndexRows): void;
  /** Undefined if no row has a value; `left-out` if there are too many values. */
  finish(order: Uint32Array | undefined): Omit<Dimension, 'name'> | 'left-out' | undefined;
}

/** Collects the columns of one segment as rows arrive. */
export class DimensionCollector {
  private readonly collectors = new Map<DimensionName, Collector>(
    DIMENSIONS.map((name) => [name, collectorFor(name)]),
  );

  add(rows: IndexRows): void {
    for (const collector of this.collectors.values()) collector.add(rows);
  }

  finish(order: Uint32Array | undefined): Dimensions {
    const present: Dimension[] = [];
    const leftOut: DimensionName[] = [];
    for (const [name, collector] of this.collectors) {
      const found = collector.finish(order);
      // Its codes are released before the last one is finished.
      this.collectors.delete(name);
      if (found === 'left-out') leftOut.push(name);
      else if (found !== undefined) present.push({ name, ...found });
    }
    return { present, leftOut };
  }
}

/** Dimensions that are in neither list have no value in any row. */
export interface Dimensions {
  readonly present: readonly Dimension[];
  readonly leftOut: readonly DimensionName[];
}

function collectorFor(name: DimensionName): Collector {
  switch (name) {
    case 'src_ip':
    case 'dst_ip':
      return new AddressCollector(name);
    case 'host':
    case 'program':
    case 'event_type':
    case 'service':
    case 'conn_state':
      return new TextCollector(name, MAX_TEXTS, MAX_TEXT_BYTES);
    case 'src_port':
    case 'dst_port':
      return new NumberCollector(name, new SmallDictionary(65_536));
    case 'proto':
    case 'facility':
    case 'severity':
      return new NumberCollector(name, new SmallDictionary(256));
    case 'source_id':
      return new NumberCollector(name, new NumberDictionary());
  }
}

class NumberCollector implements Collector {
  private readonly column: ColumnName;
  private readonly dictionary: NumberDictionary | SmallDictionary;
  /** Identifier + 1. */
  private readonly codes = new Growing32();

  constructor(column: ColumnName, dictionary: NumberDictionary | SmallDictionary) {
    this.column = column;
    this.dictionary = dictionary;
  }

  add(rows: IndexRows): void {
    const column = rows.numbers.get(this.column);
    if (column === undefined) {
      this.codes.skip(rows.length);
      return;
    }
    const at = this.codes.extend(rows.length);
    const codes = this.codes.values;
    const { dictionary } = this;
    if (dictionary instanceof SmallDictionary) dictionary.put(column, codes, at, rows.length);
    else putNumbers(column, dictionary, codes, at, rows.length);
  }

  finish(order: Uint32Array | undefined): Omit<Dimension, 'name'> | undefined {
    const { values, ranks } = this.dictionary.sorted();
    const size = values.length;
    if (size === 0) return undefined;
    const places = new Uint32Array(ranks.length + 1);
    places[0] = size;
    places.set(ranks, 1);
    return {
      values: { numbers: values, ip6: new Uint8Array(0), texts: [] },
      size,
      codes: placed(this.codes, places, order),
    };
  }
}

class AddressCollector implements Collector {
  private readonly side: 'src_ip' | 'dst_ip';
  private readonly ip4 = new NumberDictionary();
  private readonly ip6 = new Ip6Dictionary();
  /** Twice the identifier + 1 for IPv4, + 2 for IPv6. */
  private readonly codes = new Growing32();

  constructor(side: 'src_ip' | 'dst_ip') {
    this.side = side;
  }

  add(rows: IndexRows): void {
    const ip4 = rows.numbers.get(`${this.side}4`);
    const ip6 = rows.ip6.get(`${this.side}6`);
    if (ip4 === undefined && ip6 === undefined) {
      this.codes.skip(rows.length);
      return;
    }
    const first = this.codes.extend(rows.length);
    const codes = this.codes.values;
    if (ip4 !== undefined) putIp4(ip4, this.ip4, codes, first, rows.length);
    if (ip6 !== undefined) putIp6(ip6, this.ip6, codes, first, rows.length);
  }

  finish(order: Uint32Array | undefined): Omit<Dimension, 'name'> | undefined {
    const before = this.ip4.size;
    const size = before + this.ip6.size;
    if (size === 0) return undefined;
    const ip4 = this.ip4.sorted();
    const ip6 = this.ip6.sorted();
    const places = new Uint32Array(Math.max(ip4.ranks.length, ip6.ranks.length) * 2 + 1);
    places[0] = size;
    putRanks(ip4.ranks, 0, places, 1);
    putRanks(ip6.ranks, before, places, 2);
    return {
      values: { numbers: ip4.values, ip6: ip6.values, texts: [] },
      size,
      codes: placed(this.codes, places, order),
    };
  }
}

/** Bytes of a text that is found as a number. */
const SHORT = 4;
const SHORT_SLOTS = 256;

/** Texts of a column, up to a number of different ones and of their bytes. */
export class TextCollector implements Collector {
  private readonly column: string;
  private readonly dictionary: ByteDictionary;
  private codes: Growing32 | undefined = new Growing32();
  /** Identifiers of recent short texts, each text as a number that begins with its length. */
  private readonly shortTexts = new Float64Array(SHORT_SLOTS);
  private readonly shortIds = new Uint32Array(SHORT_SLOTS);

  /** @param before number of previous rows, all without a value */
  constructor(column: string, maxTexts: number, maxBytes: number, before = 0) {
    this.column = column;
    this.dictionary = new ByteDictionary({ strings: maxTexts, bytes: maxBytes });
    this.codes?.skip(before);
  }

  add(rows: IndexRows): void {
    if (this.codes === undefined) return;
    const column = rows.texts.get(this.column);
    if (column === undefined) {
      this.codes.skip(rows.length);
      return;
    }
    const at = this.codes.extend(rows.length);
    if (column.same === true) {
      const { data, starts } = column;
      const start = starts[0]!;
      const id = this.dictionary.idOf(data, start + 4, start + 4 + lengthAt(data, start));
      if (id < 0) this.leaveOut();
      else this.codes.values.fill(id + 1, at, at + rows.length);
      return;
    }
    const fits =
      column.sharesTexts === true
        ? this.addFew(column, at, rows.length)
        : this.addEach(column, at, rows.length);
    if (!fits) this.leaveOut();
  }

  /** Whether there is room for all the values. */
  private addFew(text: TextRows, first: number, n: number): boolean {
    const { data } = text;
    const ids = new Uint32Array(data.length);
    for (const start of smallDictionary(text, n).places) {
      const id = this.dictionary.idOf(data, start + 4, start + 4 + lengthAt(data, start));
      if (id < 0) return false;
      ids[start] = id + 1;
    }
    putKnown(text, ids, this.codes!.values.subarray(first, first + n));
    return true;
  }

  /** Whether there is room for all the values. */
  private addEach({ data, starts, present }: TextRows, first: number, n: number): boolean {
    const { dictionary, shortTexts, shortIds } = this;
    const codes = this.codes!.values;
    for (let row = nextPresent(present, 0, n); row < n; row = nextPresent(present, row + 1, n)) {
      const start = starts[row]!;
      const length = lengthAt(data, start);
      if (length > 0 && length <= SHORT) {
        let text = length;
        for (let i = start + 4; i < start + 4 + length; i++) text = text * 256 + data[i]!;
        const slot = Math.imul(text, 0x9e37_79b1) >>> 24;
        if (shortTexts[slot] !== text) {
          const id = dictionary.idOf(data, start + 4, start + 4 + length);
          if (id < 0) return false;
          shortTexts[slot] = text;
          shortIds[slot] = id;
        }
        codes[first + row] = shortIds[slot]! + 1;
        continue;
      }
      const id = dictionary.idOf(data, start + 4, start + 4 + length);
      if (id < 0) return false;
      codes[first + row] = id + 1;
    }
    return true;
  }

  private leaveOut(): void {
    this.codes = undefined;
  }

  finish(order: Uint32Array | undefined): Omit<Dimension, 'name'> | 'left-out' | undefined {
    if (this.codes === undefined) return 'left-out';
    const { size } = this.dictionary;
    if (size === 0) return undefined;
    const { values, ranks } = this.dictionary.sorted();
    const places = new Uint32Array(size + 1);
    places[0] = size;
    places.set(ranks, 1);
    return {
      values: { numbers: new Uint32Array(0), ip6: new Uint8Array(0), texts: values },
      size,
      codes: placed(this.codes, places, order),
    };
  }
}

/** Bytes of the text whose length word is at `at`. */
function lengthAt(data: Uint8Array, at: number): number {
  return data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
}

/** The place of each row's value, in the segment's order. */
function placed(
  codes: Growing32,
  places: Uint32Array,
  order: Uint32Array | undefined,
): Uint32Array {
  const out = new Uint32Array(codes.length);
  const values = codes.codes();
  inSteps(out.length, (from, to) => {
    if (order === undefined) putPlaces(values, places, out, from, to);
    else putPlacesInOrder(values, places, order, out, from, to);
  });
  return out;
}

// Hot loops (CONTRIBUTING.md).

function putNumbers(
  { values, present }: NumberRows,
  dictionary: NumberDictionary,
  codes: Uint32Array,
  first: number,
  n: number,
): void {
  let last = -1;
  let code = 0;
  for (let row = 0; row < n; row++) {
    if (present !== undefined && present[row] === 0) continue;
    const value = values[row]!;
    if (value !== last) {
      last = value;
      code = dictionary.idOf(value) + 1;
    }
    codes[first + row] = code;
  }
}

function putIp4(
  { values, present }: NumberRows,
  dictionary: NumberDictionary,
  codes: Uint32Array,
  first: number,
  n: number,
): void {
  for (let row = 0; row < n; row++)
    if (present === undefined || present[row] !== 0)
      codes[first + row] = dictionary.idOf(values[row]!) * 2 + 1;
}

function putIp6(
  { values, present }: Ip6Rows,
  dictionary: Ip6Dictionary,
  codes: Uint32Array,
  first: number,
  n: number,
): void {
  for (let row = nextPresent(present, 0, n); row < n; row = nextPresent(present, row + 1, n))
    codes[first + row] = dictionary.idOf(values, row * 16) * 2 + 2;
}

function putPlaces(
  values: Uint32Array,
  places: Uint32Array,
  out: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) out[i] = places[values[i]!]!;
}

function putPlacesInOrder(
  values: Uint32Array,
  places: Uint32Array,
  order: Uint32Array,
  out: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) out[i] = places[values[order[i]!]!]!;
}

/** Every second place from `first` on. */
function putRanks(ranks: Uint32Array, before: number, places: Uint32Array, first: number): void {
  for (let id = 0; id < ranks.length; id++) places[id * 2 + first] = before + ranks[id]!;
}
