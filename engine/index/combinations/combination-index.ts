/**
 * Counts and sums of a segment's rows by columns of few values, under conditions on any of these
 * columns, exactly and without the segment: see `combination-section.ts`.
 *
 * It knows nothing of deleted events: the caller does not ask it for a segment that has some.
 */
import { type Chosen, type Restriction, chosenBy, isChosen } from '../rollup/restricted.ts';
import { addSum, type RollupGroups } from '../rollup/rollup-index.ts';
import { MEASURES, type Measure } from '../rollup/sets.ts';
import type { SideFile } from '../side-file.ts';
import { BlockReader } from '../values/blocks.ts';
import { type DistinctValues, type GroupKey, memoryOf } from '../values/dimensions.ts';
import { Damaged, PackReader, type SmallNumbers } from '../values/packing.ts';
import { readTexts } from '../values/value-index.ts';
import { COMBINATION_SECTION, FLOW_COLUMN, MOST_VALUES } from './combination-section.ts';

export interface CombinationQuestion {
  /** None, one or two, in any order. */
  readonly dims: readonly GroupKey[];
  readonly measures: readonly Measure[];
  /** Only rows that meet all of these. Of addresses they may only ask whether there is one. */
  readonly where: readonly Restriction[];
  /** Leave out packets that belong to a flow: asked only where there are some, and others. */
  readonly unflowed: boolean;
  /** The column of the segment; undefined: no row has a value. */
  readonly columnOf: (key: GroupKey) => string | undefined;
}

interface KeptColumn {
  readonly numbers: number;
  readonly texts: number;
  readonly size: number;
}

interface Table {
  readonly columns: ReadonlyMap<string, { values: DistinctValues; codes: SmallNumbers }>;
  readonly counts: SmallNumbers;
  readonly sums: ReadonlyMap<Measure, Float64Array>;
}

/** Bytes of a table that is kept when it was read: many segments are open at once. */
const SMALL = 65_536;
const MOST_COMBINATIONS = 65_536;
const NO_VALUES: DistinctValues = {
  numbers: new Uint32Array(0),
  ip6: new Uint8Array(0),
  texts: [],
};
/** Of these it is known only whether there is a value. */
const ADDRESSES: ReadonlySet<string> = new Set(['src_ip', 'dst_ip']);

export class CombinationIndex {
  private readonly reader: BlockReader;
  private readonly size: number;
  private readonly columns = new Map<string, KeptColumn>();
  private readonly absent: ReadonlySet<Measure>;
  private readonly summed: readonly Measure[];
  private table: Table | undefined;

  private constructor(file: SideFile, reader: BlockReader) {
    this.reader = reader;
    const head = new PackReader(reader.head, true);
    if (head.u32() !== file.rows) throw new Damaged('rows');
    this.size = head.u32();
    if (this.size > Math.min(file.rows, MOST_COMBINATIONS)) throw new Damaged('combinations');
    this.absent = new Set(measuresOf(head.u8()));
    this.summed = measuresOf(head.u8());
    for (let n = head.u8(); n > 0; n--) {
      const name = Buffer.from(head.raw(head.u8())).toString('utf8');
      const [numbers, texts, size] = [head.u32(), head.u32(), head.u32()];
      if (size > MOST_VALUES || numbers > size || texts > size) throw new Damaged('values');
      this.columns.set(name, { numbers, texts, size });
    }
  }

  /**
   * Undefined when the file has no such section.
   * @throws DaybookError case-damaged, like all that follow
   */
  static open(file: SideFile): CombinationIndex | undefined {
    const reader = BlockReader.open(file, COMBINATION_SECTION);
    return reader?.guarded(() => new CombinationIndex(file, reader));
  }

  /** To be added up, with those of other segments; undefined when a column or a sum is not in it. */
  groups(question: CombinationQuestion): RollupGroups | undefined {
    const { dims, measures, where, unflowed, columnOf } = question;
    // It may have made too many combinations, as any column may.
    if (unflowed && !this.columns.has(FLOW_COLUMN)) return undefined;
    const keys = [...dims, ...where.map(({ dim }) => dim)];
    const known = keys.every((key) => {
      const column = columnOf(key);
      return column === undefined || this.columns.has(column);
    });
    const values = dims.every((key) => !ADDRESSES.has(key));
    const met = where.every(({ dim, presence }) => presence === true || !ADDRESSES.has(dim));
    const sums = measures.every((name) => this.absent.has(name) || this.summed.includes(name));
    if (!known || !values || !met || !sums || dims.length > 2) return undefined;
    return this.reader.guarded(() => this.read(question));
  }

  private read(question: CombinationQuestion): RollupGroups {
    const { dims, measures, columnOf } = question;
    const table = this.opened();
    const column = (key: GroupKey) => table.columns.get(columnOf(key) ?? '');
    const unsorted = this.kept(table, question);
    const sums = measures.map((name) => table.sums.get(name));
    const [a, b] = dims.map(column);
    const sizes = dims.map((key) => this.sizeOf(columnOf(key)));
    const width = (sizes[1] ?? 0) + 1;
    // Rows without a value have the place behind the last, which is the only one of a column that is absent.
    const keyOf = (at: number) => (a?.codes[at] ?? 0) * width + (b?.codes[at] ?? 0);
    const kept = dims.length === 2 ? sortedBy(keyOf, unsorted) : unsorted;
    const places = dims.length === 2 ? distinctKeys(kept, keyOf) : undefined;
    const size = places?.keys.length ?? (sizes[0] ?? 0) + 1;
    const counts = new Uint32Array(size);
    const added = measures.map(() => new Float64Array(size));
    kept.forEach((at, i) => {
      const group = places?.places[i] ?? a?.codes[at] ?? 0;
      if (group >= size) throw new Damaged('combination');
      counts[group]! += table.counts[at]!;
      sums.forEach((list, m) => list && addSum(added[m]!, group, list[at]!));
    });
    const values = dims.map((key) => column(key)?.values ?? NO_VALUES);
    const groups = { dims, values, sizes, counts, sums: added };
    if (places === undefined) return { ...groups, starts: undefined, seconds: undefined };
    const starts = new Uint32Array((sizes[0] ?? 0) + 2);
    for (const key of places.keys) {
      const first = Math.floor(key / width);
      if (first + 2 > starts.length) throw new Damaged('combination');
      starts[first + 1]! += 1;
    }
    for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    return { ...groups, starts, seconds: Uint32Array.from(places.keys, (key) => key % width) };
  }

  /** Combinations that meet the conditions. */
  private kept(table: Table, { where, unflowed, columnOf }: CombinationQuestion): number[] {
    const tests: { codes: SmallNumbers | undefined; chosen: Chosen }[] = [];
    for (const [key, own] of Map.groupBy(where, ({ dim }) => dim)) {
      const column = table.columns.get(columnOf(key) ?? '');
      const size = this.sizeOf(columnOf(key));
      tests.push({
        codes: column?.codes,
        chosen: chosenBy(own, () => column?.values ?? NO_VALUES, size),
      });
    }
    if (unflowed) {
      const codes = table.columns.get(FLOW_COLUMN)?.codes;
      tests.push({ codes, chosen: { from: 1, to: 2, flags: undefined } });
    }
    const kept: number[] = [];
    for (let at = 0; at < this.size; at++)
      if (tests.every(({ codes, chosen }) => isChosen(chosen, codes?.[at] ?? 0))) kept.push(at);
    return kept;
  }

  private sizeOf(column: string | undefined): number {
    return (column === undefined ? undefined : this.columns.get(column))?.size ?? 0;
  }

  private opened(): Table {
    if (this.table !== undefined) return this.table;
    const reader = new PackReader(this.reader.block(0, this.reader.length), true);
    const columns = new Map<string, { values: DistinctValues; codes: SmallNumbers }>();
    for (const [name, { numbers: n, texts: m, size }] of this.columns) {
      const numbers = reader.numbers32(n);
      for (let i = 1; i < n; i++) numbers[i]! += numbers[i - 1]!;
      const texts = readTexts(reader, m);
      const codes = reader.small(this.size);
      if (codes.some((code) => code > size)) throw new Damaged('combination');
      columns.set(name, { values: { numbers, ip6: new Uint8Array(0), texts }, codes });
    }
    const counts = reader.small(this.size);
    const sums = new Map(this.summed.map((name) => [name, reader.numbers53(this.size)] as const));
    const table = { columns, counts, sums };
    if (this.bytesOf(table) <= SMALL) this.table = table;
    return table;
  }

  /** Of memory, about. */
  private bytesOf({ columns }: Table): number {
    let bytes = this.size * (this.columns.size * 2 + 4 + this.summed.length * 8);
    for (const { values } of columns.values()) bytes += memoryOf(values);
    return bytes;
  }
}

/** By key, then by number: sorted as numbers, which asks nobody. */
function sortedBy(keyOf: (at: number) => number, kept: readonly number[]): number[] {
  const sorted = Float64Array.from(kept, (at) => keyOf(at) * MOST_COMBINATIONS + at).sort();
  return Array.from(sorted, (one) => one % MOST_COMBINATIONS);
}

/** @param kept in the order of their keys */
function distinctKeys(
  kept: readonly number[],
  keyOf: (at: number) => number,
): { keys: readonly number[]; places: readonly number[] } {
  const keys: number[] = [];
  const places = kept.map((at) => {
    const key = keyOf(at);
    if (keys.at(-1) !== key) keys.push(key);
    return keys.length - 1;
  });
  return { keys, places };
}

function measuresOf(bits: number): Measure[] {
  return MEASURES.filter((_, i) => (bits & (1 << i)) !== 0);
}
