/**
 * Counts and sums of a segment's rows by columns of few values, under conditions on any of these
 * columns, exactly and without the segment: see `combination-section.ts`.
 *
 * It knows nothing of deleted events: the caller does not ask it for a segment that has some.
 */
import { type Chosen, type Restriction, chosenBy, isChosen } from '../rollup/filtered-groups.ts';
import { addSum } from '../rollup/rollup-index.ts';
import type { RollupGroups } from '../rollup/rollup-groups.ts';
import { type Measure, measuresOf } from '../rollup/sets.ts';
import type { SideFile } from '../side-file.ts';
import { BlockReader } from '../values/blocks.ts';
import { type DistinctValues, type GroupKey, memoryOf } from '../values/dimensions.ts';
import { Damaged, PackReader, type SmallNumbers } from '../values/packing.ts';
import { readTexts } from '../values/value-index.ts';
import { LruCache } from '../../util/lru-cache.ts';
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

/** Tables that were read, of all segments; by a key of each index, so that none is held by the cache. */
const tables = new LruCache<symbol, Table>(16e6);
const MOST_COMBINATIONS = 65_536;
const NO_VALUES: DistinctValues = {
  numbers: new Uint32Array(0),
  ip6: new Uint8Array(0),
  texts: [],
};
/** Of these it is known only whether there is a value. */
const ADDRESSES: ReadonlySet<string> = new Set(['src_ip', 'dst_ip']);

export class CombinationIndex {
  private readonly key = Symbol('combinations');
  private readonly reader: BlockReader;
  private readonly size: number;
  private readonly columns = new Map<string, KeptColumn>();
  private readonly absent: ReadonlySet<Measure>;
  private readonly summed: readonly Measure[];

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
    const kept = this.kept(table, question);
    const [a, b] = dims.map(column);
    const sizes = dims.map((key) => this.sizeOf(columnOf(key)));
    // Rows without a value have the place after the last, which is the only one of a column that is absent.
    const width = dims.length === 2 ? sizes[1]! + 1 : 1;
    const cells = cellsOf(this.size, a?.codes, b?.codes, width);
    const places = dims.length === 2 ? usedCells(cells, kept, (sizes[0]! + 1) * width) : undefined;
    const size = places?.length ?? (sizes[0] ?? 0) + 1;
    const counts = new Uint32Array(size);
    addCounts(counts, cells, kept, table.counts);
    const sums = measures.map((name) => {
      const added = new Float64Array(size);
      const list = table.sums.get(name);
      if (list !== undefined) addSums(added, cells, kept, list);
      return added;
    });
    const values = dims.map((key) => column(key)?.values ?? NO_VALUES);
    const groups = { dims, values, sizes, counts, sums };
    if (places === undefined) return { ...groups, starts: undefined, seconds: undefined };
    const starts = new Uint32Array(sizes[0]! + 2);
    for (const cell of places) starts[Math.floor(cell / width) + 1]! += 1;
    for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    return { ...groups, starts, seconds: places.map((cell) => cell % width) };
  }

  /** Combinations that meet the conditions, ascending. */
  private kept(table: Table, { where, unflowed, columnOf }: CombinationQuestion): Uint32Array {
    let kept = new Uint32Array(this.size);
    for (let at = 0; at < kept.length; at++) kept[at] = at;
    const test = (column: string | undefined, chosen: Chosen): void => {
      const codes = table.columns.get(column ?? '')?.codes;
      if (codes !== undefined) kept = kept.subarray(0, keep(kept, codes, chosen));
      else if (!isChosen(chosen, 0)) kept = new Uint32Array(0);
    };
    for (const [key, own] of Map.groupBy(where, ({ dim }) => dim)) {
      const column = columnOf(key);
      const values = () => table.columns.get(column ?? '')?.values ?? NO_VALUES;
      test(column, chosenBy(own, values, this.sizeOf(column)));
    }
    if (unflowed) test(FLOW_COLUMN, { from: 1, to: 2, flags: undefined });
    return kept;
  }

  private sizeOf(column: string | undefined): number {
    return (column === undefined ? undefined : this.columns.get(column))?.size ?? 0;
  }

  private opened(): Table {
    const known = tables.get(this.key);
    if (known !== undefined) return known;
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
    tables.set(this.key, table, this.bytesOf(table));
    return table;
  }

  /** Of memory, about. */
  private bytesOf({ columns }: Table): number {
    let bytes = this.size * (this.columns.size * 2 + 4 + this.summed.length * 8);
    for (const { values } of columns.values()) bytes += memoryOf(values);
    return bytes;
  }
}

// Hot loops (CONTRIBUTING.md).

/** Moves those whose code is chosen to the front; returns how many they are. */
function keep(kept: Uint32Array, codes: SmallNumbers, chosen: Chosen): number {
  let count = 0;
  for (let i = 0; i < kept.length; i++) {
    const at = kept[i]!;
    if (isChosen(chosen, codes[at]!)) kept[count++] = at;
  }
  return count;
}

/** The place of each combination among all that two columns could have; of what is not grouped by, 0. */
function cellsOf(
  size: number,
  first: SmallNumbers | undefined,
  second: SmallNumbers | undefined,
  width: number,
): Uint32Array {
  const cells = new Uint32Array(size);
  if (first !== undefined) for (let at = 0; at < size; at++) cells[at] = first[at]! * width;
  if (second !== undefined) for (let at = 0; at < size; at++) cells[at]! += second[at]!;
  return cells;
}

/**
 * Cells that combinations of `kept` are in, ascending; `cells` of these become places among them.
 * @param total cells that there are
 */
function usedCells(cells: Uint32Array, kept: Uint32Array, total: number): Uint32Array {
  const places = new Uint32Array(total);
  for (const at of kept) places[cells[at]!] = 1;
  let used = 0;
  for (let cell = 0; cell < total; cell++) if (places[cell] !== 0) places[cell] = used++;
  const out = new Uint32Array(used);
  for (const at of kept) {
    const cell = cells[at]!;
    out[places[cell]!] = cell;
    cells[at] = places[cell]!;
  }
  return out;
}

function addCounts(
  counts: Uint32Array,
  cells: Uint32Array,
  kept: Uint32Array,
  more: SmallNumbers,
): void {
  for (let i = 0; i < kept.length; i++) {
    const at = kept[i]!;
    counts[cells[at]!]! += more[at]!;
  }
}

function addSums(
  sums: Float64Array,
  cells: Uint32Array,
  kept: Uint32Array,
  more: Float64Array,
): void {
  for (let i = 0; i < kept.length; i++) {
    const at = kept[i]!;
    addSum(sums, cells[at]!, more[at]!);
  }
}
