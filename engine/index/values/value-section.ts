/**
 * Section `values.coded`: the rows of each address, host and program, so that a keyed lookup reads one page and not
 * a day.
 *
 * The distinct values of each column are in ascending order in pages of about 10 KB, each followed by the row
 * numbers: u8 form; `CODES`: 16 bytes of each value (IPv6), then as bits the values' steps (IPv4; for texts the
 * index in the dictionary is the value), and the rows of each (`row-lists.ts`); `BITS`: the value (IPv6), and
 * compressed one bit for each row of the segment, for a frequent value with a page of its own. Section `values`, of
 * older files, has pages that are compressed as a whole, and gaps in planes instead of codes.
 *
 * Head: u32 rows, u8 columns, then of each column: name, u8 state, and where it is indexed: u32 values, u32 pages;
 * values, rows and bytes of each page; its first value; for texts also the end of the block that holds them, which
 * follows the pages, and its bytes.
 *
 * A column whose values and rows the text index has is omitted: its state says so.
 */
import type { Section } from '../side-file.ts';
import { wordsFor } from '../../util/row-set.ts';
import { BlockWriter } from './blocks.ts';
import type { Dimension, Dimensions, DimensionName } from './dimensions.ts';
import { PackWriter } from './packing.ts';
import type { Grouped } from './radix.ts';
import { codedLists } from './row-lists.ts';

/** Older programs take a file as one without this section, and read the rows. */
export const VALUES_SECTION = 'values.coded';
/** The same with other pages. */
export const OLD_VALUES_SECTION = 'values';

/** Columns by which rows can be looked up. `unflowed` has one value: packets that belong to no flow. */
export const VALUE_COLUMNS = {
  src_ip4: 'ip4',
  src_ip6: 'ip6',
  dst_ip4: 'ip4',
  dst_ip6: 'ip6',
  host: 'text',
  program: 'text',
  unflowed: 'one',
} as const;
export type ValueColumn = keyof typeof VALUE_COLUMNS;
export type ValueType = (typeof VALUE_COLUMNS)[ValueColumn];

/** State of a column: without values; indexed; with too many values; as shapes of the text index. */
export const STATE = { absent: 0, indexed: 1, leftOut: 2, inText: 3 } as const;
export const FORM = { gaps: 0, bits: 1, codes: 2 } as const;
export const ADDRESS_BYTES = 16;

/** Values and rows of a page. */
const PAGE_ENTRIES = 6144;
/** A value with more rows has a page of its own. */
const OWN_PAGE = 2048;
/** The rows of a value that at least one row in this many has are stored as bits. */
export const DENSE = 16;

/** Values of one column, ascending, with their rows. */
interface Column {
  readonly name: ValueColumn;
  readonly type: ValueType;
  /** Value `i` has the rows from `starts[first + i]` to `starts[first + i + 1]` of `rows`. */
  readonly grouped: Grouped;
  readonly first: number;
  readonly size: number;
  readonly numbers: Uint32Array;
  readonly ip6: Uint8Array;
  readonly texts: readonly Uint8Array[];
}

/**
 * @param rows of the segment.
 * @param groups rows by the codes of a dimension.
 * @param unflowed rows of packets of no flow; undefined for other kinds.
 * @param inText columns whose values the text index has with their rows.
 */
export function valueSection(
  rows: number,
  dimensions: Dimensions,
  groups: { of(dimension: Dimension): Grouped },
  unflowed: Uint32Array | undefined,
  inText: ReadonlySet<string>,
): Section {
  const columns = dimensions.present
    .filter(({ name }) => !inText.has(name))
    .flatMap((dimension) => columnsOf(dimension, groups));
  if (unflowed !== undefined && unflowed.length > 0) columns.push(oneValue(unflowed));
  const leftOut = new Set<string>(dimensions.leftOut);
  const names = Object.keys(VALUE_COLUMNS);
  const head = new PackWriter(true);
  const blocks = new BlockWriter();
  head.u32(rows);
  head.u8(names.length);
  for (const name of names) {
    const column = columns.find((one) => one.name === name);
    head.u8(name.length);
    head.raw(Buffer.from(name, 'latin1'));
    if (inText.has(name)) head.u8(STATE.inText);
    else if (leftOut.has(name)) head.u8(STATE.leftOut);
    else head.u8(column === undefined ? STATE.absent : STATE.indexed);
    if (column !== undefined) addColumn(column, rows, head, blocks);
  }
  return blocks.finish(VALUES_SECTION, head.finish());
}

function columnsOf(dimension: Dimension, groups: { of(dimension: Dimension): Grouped }): Column[] {
  const { numbers, ip6, texts } = dimension.values;
  const none = { numbers: new Uint32Array(0), ip6: new Uint8Array(0), texts: [] };
  const sides: Partial<Record<DimensionName, [ValueColumn, ValueColumn]>> = {
    src_ip: ['src_ip4', 'src_ip6'],
    dst_ip: ['dst_ip4', 'dst_ip6'],
  };
  const side = sides[dimension.name];
  if (side !== undefined) {
    const rows = groups.of(dimension);
    const both: Column[] = [
      {
        ...{ ...none, name: side[0], type: 'ip4', grouped: rows, first: 0 },
        ...{ size: numbers.length, numbers },
      },
      {
        ...{ ...none, name: side[1], type: 'ip6', grouped: rows, first: numbers.length },
        ...{ size: ip6.length / ADDRESS_BYTES, ip6 },
      },
    ];
    return both.filter(({ size }) => size > 0);
  }
  if (dimension.name !== 'host' && dimension.name !== 'program') return [];
  return [
    {
      ...{ ...none, name: dimension.name, type: 'text', grouped: groups.of(dimension), first: 0 },
      ...{ size: texts.length, texts },
    },
  ];
}

function oneValue(rows: Uint32Array): Column {
  return {
    ...{ name: 'unflowed', type: 'one', first: 0, size: 1 },
    ...{ grouped: { starts: Uint32Array.of(0, rows.length), rows } },
    ...{ numbers: new Uint32Array(0), ip6: new Uint8Array(0), texts: [] },
  };
}

function addColumn(column: Column, total: number, head: PackWriter, blocks: BlockWriter): void {
  const { starts } = column.grouped;
  const firsts: number[] = [];
  const rows: number[] = [];
  const begin = blocks.end;
  const ends: number[] = [];
  for (let from = 0; from < column.size;) {
    const start = starts[column.first + from]!;
    const to = pageEnd(starts, column.first, from, column.size);
    firsts.push(from);
    rows.push(starts[column.first + to]! - start);
    ends.push(blocks.add(packPage(column, from, to, total)) - begin);
    from = to;
  }
  head.u32(column.size);
  head.u32(firsts.length);
  head.u32(begin);
  head.numbers(steps([...firsts, column.size]));
  head.numbers(Uint32Array.from(rows));
  head.numbers(steps([0, ...ends]));
  if (column.type === 'ip4') head.numbers(Uint32Array.from(firsts, (at) => column.numbers[at]!));
  if (column.type === 'ip6')
    for (const at of firsts)
      head.raw(column.ip6.subarray(at * ADDRESS_BYTES, (at + 1) * ADDRESS_BYTES));
  if (column.type === 'text') {
    const bytes = packTexts(column.texts);
    head.u32(blocks.add(bytes));
  }
}

/** Texts as their lengths and their bytes. */
export function packTexts(texts: readonly Uint8Array[]): Uint8Array {
  const out = new PackWriter(true);
  const lengths = Uint32Array.from(texts, ({ length }) => length);
  out.numbers(lengths);
  out.packed(Buffer.concat(texts));
  return out.finish();
}

/** The difference of each number to the one before; one less than there are numbers. */
function steps(numbers: readonly number[]): Uint32Array {
  return Uint32Array.from({ length: numbers.length - 1 }, (_, i) => numbers[i + 1]! - numbers[i]!);
}

function packPage(column: Column, from: number, to: number, total: number): Uint8Array {
  const { grouped, first, type, numbers, ip6 } = column;
  const { starts, rows } = grouped;
  const low = starts[first + from]!;
  const high = starts[first + to]!;
  const dense = to - from === 1 && (high - low) * DENSE >= total;
  const page = new PackWriter(true, (high - low) * 2 + 256);
  page.u8(dense ? FORM.bits : FORM.codes);
  if (type === 'ip6') page.packed(ip6.subarray(from * ADDRESS_BYTES, to * ADDRESS_BYTES));
  if (dense) page.packed(bitmapOf(rows, low, high, total));
  else {
    const steps = type === 'ip4' ? stepsIn(numbers, from, to) : NO_STEPS;
    page.raw(codedLists(grouped, first + from, to - from, total, steps));
  }
  return page.finish();
}

const NO_STEPS = new Uint32Array(0);

// Hot loops (CONTRIBUTING.md).

/** End of the page that begins with value `from` of a column's `size`, the first of which has code `first`. */
function pageEnd(starts: Uint32Array, first: number, from: number, size: number): number {
  const start = starts[first + from]!;
  let to = from + 1;
  for (; to < size; to++) {
    const begin = starts[first + to]!;
    const end = starts[first + to + 1]!;
    if (begin - start >= OWN_PAGE || end - begin >= OWN_PAGE) break;
    if (end - start + (to + 1 - from) > PAGE_ENTRIES) break;
  }
  return to;
}

/** The difference of each number to the one before; 0 of the first. */
function stepsIn(numbers: Uint32Array, from: number, to: number): Uint32Array {
  const out = new Uint32Array(to - from);
  for (let i = 1; i < out.length; i++) out[i] = numbers[from + i]! - numbers[from + i - 1]!;
  return out;
}

function bitmapOf(rows: Uint32Array, from: number, to: number, total: number): Uint8Array {
  const out = new Uint8Array(wordsFor(total) * 4);
  for (let at = from; at < to; at++) out[rows[at]! >>> 3]! |= 1 << (rows[at]! & 7);
  return out;
}
