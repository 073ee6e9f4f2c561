/**
 * Counts and sums of a segment's rows by their values, exactly, without the segment: see
 * `rollup-section.ts`. What it answers with is made for `mergeTop`, which adds up many segments.
 *
 * It knows nothing of deleted events: the caller does not ask it for a segment that has some.
 */
import type { SideFile } from '../side-file.ts';
import type { OwnedCache, TextCache } from '../text/text-cache.ts';
import { BlockReader } from '../values/blocks.ts';
import {
  DIMENSIONS,
  type DimensionName,
  type DistinctValues,
  type GroupKey,
  NO_VALUES,
  isDimension,
  memoryOf,
} from '../values/dimensions.ts';
import { Damaged, PackReader, type SmallNumbers } from '../values/packing.ts';
import { readTexts } from '../values/value-index.ts';
import { IN_PAGES, PairPages } from './pair-pages.ts';
import {
  type Chosen,
  type Part,
  byBoth,
  byKey,
  chosenBy,
  groupsLeft,
  isChosen,
  withoutUnused,
} from './filtered-groups.ts';
import { Cube, type CubeQuestion } from './cube/cube.ts';
import type { RollupGroups, RollupQuestion } from './rollup-groups.ts';
import { DIMENSION_STATE, FLOWED_SECTION, ROLLUP_SECTION } from './rollup-section.ts';
import { type Measure, measuresOf, SETS } from './sets.ts';

export class RollupIndex {
  /** All rows, or packets that belong to no flow. */
  readonly rest: Rollup;
  /** Packets that belong to a flow. */
  readonly flowed: Rollup | undefined;

  private readonly cache: OwnedCache | undefined;

  private constructor(rest: Rollup, flowed: Rollup | undefined, cache: OwnedCache | undefined) {
    this.rest = rest;
    this.flowed = flowed;
    this.cache = cache;
  }

  /**
   * Undefined when the file has no such section.
   * @param cache of what may be asked for again; left out: it is read once
   * @throws DaybookError case-damaged, like all that follow
   */
  static open(file: SideFile, cache?: TextCache): RollupIndex | undefined {
    const owner = cache?.owner();
    const cube = Cube.open(file, owner);
    const of = (flow: 0 | 1): CubePart | undefined => {
      if (!file.has(FLOWED_SECTION)) return cube && { cube, flow: undefined };
      return cube?.hasFlows === true ? { cube, flow } : undefined;
    };
    const rest = Rollup.open(file, ROLLUP_SECTION, owner, of(1));
    return rest && new RollupIndex(rest, Rollup.open(file, FLOWED_SECTION, owner, of(0)), owner);
  }

  /** Removes its entries from the cache. */
  close(): void {
    this.cache?.forget();
  }

  /** Whether `groups` answers this: otherwise there were too many groups, or no such set is kept. */
  covers(question: RollupQuestion): boolean {
    return this.asked(question).every((rollup) => rollup.covers(question));
  }

  /** Groups to merge with those of other segments; undefined if the question is not covered. */
  groups(question: RollupQuestion): RollupGroups[] | undefined {
    if (!this.covers(question)) return undefined;
    const asked = this.asked(question);
    const whole = asked.length > 1 ? this.rest.ofSegment(question) : undefined;
    return whole === undefined ? asked.map((rollup) => rollup.groups(question)) : [whole];
  }

  /** Rows; those without a time are among them. */
  rows(unflowed = false): number {
    return this.asked({ dims: [], unflowed }).reduce((sum, { rows }) => sum + rows, 0);
  }

  private asked({ unflowed }: RollupQuestion): Rollup[] {
    return this.flowed === undefined || unflowed === true ? [this.rest] : [this.rest, this.flowed];
  }
}

/** The cube of a segment, and which of its rows are meant. */
interface CubePart {
  readonly cube: Cube;
  readonly flow: CubeQuestion['flow'];
}

interface KeptSet {
  readonly dims: readonly DimensionName[];
  readonly groups: number;
  /** Blocks: where keys and counts begin and end, and the sums of each measure. */
  readonly keys: Span;
  /** Keys and counts are in pages, and this is their directory. */
  readonly directory: Span | undefined;
  readonly sums: ReadonlyMap<Measure, Span>;
}
type Span = readonly [from: number, to: number];

/** The set that answers a question; a set in pages may have a third dimension. */
interface Served {
  readonly set: KeptSet;
  readonly third: DimensionName | undefined;
}

interface KeptDimension {
  readonly numbers: number;
  readonly ip6: number;
  readonly texts: number;
  readonly span: Span;
  values: DistinctValues | undefined;
}

interface Table {
  readonly starts: Uint32Array | undefined;
  readonly seconds: SmallNumbers | undefined;
  readonly counts: SmallNumbers;
}

/** Memory of a dimension's values that are kept when they were read. */
const FEW_BYTES = 32_768;

/** One section: it covers all rows, or only those with or without a flow. */
export class Rollup {
  readonly rows: number;
  private readonly cache: OwnedCache | undefined;
  private readonly part: CubePart | undefined;
  private readonly reader: BlockReader;
  private readonly present = new Map<GroupKey, KeptDimension>();
  private readonly leftOut = new Set<DimensionName>();
  private readonly sets: KeptSet[] = [];
  private readonly absentMeasures = new Set<Measure>();
  private readonly pages = new Map<KeptSet, PairPages>();
  private keeping = false;

  private constructor(
    file: SideFile,
    reader: BlockReader,
    cache: OwnedCache | undefined,
    part: CubePart | undefined,
  ) {
    this.cache = cache;
    this.part = part;
    this.reader = reader;
    const head = new PackReader(reader.head, true);
    let at = 0;
    const block = (): Span => {
      const from = at;
      at = head.u32();
      return [from, at];
    };
    this.rows = head.u32();
    if (this.rows > file.rows) throw new Damaged('rows');
    const within = (n: number): number => {
      if (n > this.rows && n > file.rows) throw new Damaged('too many values');
      return n;
    };
    for (let n = head.u8(); n > 0; n--) {
      const name = DIMENSIONS[head.u8()];
      const state = head.u8();
      if (name === undefined) throw new Damaged('dimension');
      if (state === DIMENSION_STATE.leftOut) {
        this.leftOut.add(name);
        continue;
      }
      const [numbers, ip6, texts] = [head.u32(), head.u32(), head.u32()];
      within(numbers + ip6 + texts);
      this.present.set(name, { numbers, ip6, texts, span: block(), values: undefined });
    }
    for (const name of measuresOf(head.u8())) this.absentMeasures.add(name);
    // Which cannot be summed is said by their sums being kept of no set.
    head.u8();
    // Hours and minutes, of older files.
    if (head.u8() === 1) {
      const n = head.u8();
      head.f64();
      head.numbers53(n);
      head.u8();
    }
    if (head.u8() === 1) {
      head.f64();
      head.u32();
      block();
    }
    for (let n = head.u8(); n > 0; n--) {
      const which = head.u8();
      const dims = SETS[which % IN_PAGES];
      if (dims === undefined || (which >= IN_PAGES && dims.length < 2)) throw new Damaged('set');
      const groups = head.u32();
      if (groups > file.rows + 1) throw new Damaged('groups');
      const measures = measuresOf(head.u8());
      const split = head.u8() === 1;
      const keys = block();
      const directory = which >= IN_PAGES ? block() : undefined;
      const sums = new Map(measures.map((name) => [name, block()] as const));
      if (split) {
        head.u32();
        block();
        for (const _ of measures) block();
      }
      this.sets.push({ dims, groups, keys, directory, sums });
    }
  }

  /**
   * @param part where there is a cube
   * @throws DaybookError case-damaged, like all that follow
   */
  static open(
    file: SideFile,
    name: string,
    cache?: OwnedCache,
    part?: CubePart,
  ): Rollup | undefined {
    const reader = BlockReader.open(file, name);
    return reader?.guarded(() => new Rollup(file, reader, cache, part));
  }

  covers(question: RollupQuestion): boolean {
    if (this.inCube(question) !== undefined) return true;
    const { measures = [] } = question;
    const served = this.reader.guarded(() => this.servedBy(question));
    if (served === undefined) return false;
    const { set, third } = served;
    const summed = measures.filter((name) => !this.absentMeasures.has(name));
    return !summed.some((name) => third !== undefined || !set.sums.has(name));
  }

  /** Number of groups to read; 0 for a question that is not covered. */
  entries(question: RollupQuestion): number {
    const found = this.inCube(question);
    if (found !== undefined) return found.cube.entries(found.asked);
    return this.setFor(question.dims.filter(isDimension))?.groups ?? 0;
  }

  /** The third dimension beside a set of two, where its groups are in pages. */
  thirdOf(dims: readonly DimensionName[]): DimensionName | undefined {
    return this.reader.guarded(() => {
      const set = this.setFor(dims);
      const third = set?.directory && this.pagesOf(set).third;
      return third === undefined ? undefined : DIMENSIONS[third];
    });
  }

  /**
   * The groups of some of the first values, by their places, with others among them; undefined where the set is
   * not in pages.
   */
  pairsOf(dims: readonly DimensionName[], firsts: Uint32Array): readonly Part[] | undefined {
    return this.reader.guarded(() => {
      const set = this.setFor(dims);
      return set?.directory && this.pagesOf(set).readSome(firsts);
    });
  }

  /** From now on values are read once and held: for callers that read all of it and soon drop it. */
  keepValues(): void {
    this.keeping = true;
  }

  /** The distinct values of a dimension; none for one that was left out. */
  distinct(name: DimensionName): DistinctValues {
    return this.reader.guarded(() => this.valuesOf(name));
  }

  /** Requires a question that is covered. */
  groups(question: RollupQuestion): RollupGroups {
    const found = this.inCube(question);
    if (found !== undefined) return found.cube.groups(found.asked);
    return this.reader.guarded(() => {
      const served = this.servedBy(question);
      if (served === undefined) throw new TypeError('asked for what is not covered');
      return this.read(served, question);
    });
  }

  /** The cube and its question, if it can answer. */
  private inCube(question: RollupQuestion): { cube: Cube; asked: CubeQuestion } | undefined {
    const { dims, where = [], attributes } = question;
    const keys = [...dims, ...where.map(({ dim }) => dim)];
    if (this.part === undefined || keys.length === 0) return undefined;
    const { cube, flow } = this.part;
    if (!keys.every((key) => isDimension(key) || attributes?.has(key) === true)) return undefined;
    const columnOf = (key: GroupKey): string | undefined => {
      if (!isDimension(key)) return attributes?.get(key);
      return this.present.has(key) || this.leftOut.has(key) ? key : undefined;
    };
    const asked = { ...question, columnOf, flow };
    return cube.covers(asked) ? { cube, asked } : undefined;
  }

  /** The groups of packets of flows and of others together, where the cube has them. */
  ofSegment(question: RollupQuestion): RollupGroups | undefined {
    const found = this.inCube(question);
    return found?.cube.groups({ ...found.asked, flow: undefined });
  }

  /** The set of these dimensions, else one that has them. */
  private setFor(dims: readonly DimensionName[]): KeptSet | undefined {
    if (dims.length > 2) return undefined;
    if (dims.some((name) => this.leftOut.has(name))) return undefined;
    const wanted = new Set(dims.filter((name) => this.present.has(name)));
    const having = this.sets.filter((set) => [...wanted].every((name) => set.dims.includes(name)));
    // Those of the fewest groups: what no row has a value in needs no set.
    const size = (set: KeptSet): number => set.dims.filter((name) => !dims.includes(name)).length;
    const fits = having.filter((set) => size(set) === 0 || wanted.size === 1);
    return fits.sort((a, b) => size(a) - size(b) || a.groups - b.groups)[0];
  }

  /**
   * The set that answers. What is in pages is not read whole for a few values: then the first of its
   * dimensions must be restricted.
   */
  private servedBy({ dims, where = [] }: RollupQuestion): Served | undefined {
    if (new Set(dims).size < dims.length) return undefined;
    const keys = [...new Set([...dims, ...where.map(({ dim }) => dim)])];
    const names = keys.filter(isDimension);
    // Sets have no attributes.
    if (names.length < keys.length || names.some((name) => this.leftOut.has(name)))
      return undefined;
    const plain = this.setFor(names);
    if (where.length === 0) return plain && { set: plain, third: undefined };
    if (plain !== undefined && plain.directory === undefined)
      return { set: plain, third: undefined };
    for (const set of this.sets) {
      if (set.directory === undefined || !where.some(({ dim }) => dim === set.dims[0])) continue;
      const more = names.filter((name) => this.present.has(name) && !set.dims.includes(name));
      const [third] = more;
      if (third === undefined) return { set, third };
      const { third: kept } = this.pagesOf(set);
      if (more.length === 1 && !dims.includes(third) && kept === DIMENSIONS.indexOf(third))
        return { set, third };
    }
    return undefined;
  }

  private pagesOf(set: KeptSet): PairPages {
    const known = this.pages.get(set);
    if (known !== undefined) return known;
    const [first] = set.dims;
    const span = [set.keys[0], set.keys[1], set.directory?.[1] ?? 0] as const;
    const most = { keys: this.sizeOf(first!) + 1, groups: set.groups, rows: this.rows };
    const { cache } = this;
    const name = `${this.reader.name} ${this.sets.indexOf(set)}`;
    const pages = new PairPages(this.reader, span, most, cache && { cache, name });
    this.pages.set(set, pages);
    return pages;
  }

  private read(served: Served, question: RollupQuestion): RollupGroups {
    const { set } = served;
    const { dims, measures = [], where = [] } = question;
    const sums = measures.map((name) => this.sumsOf(set.sums.get(name), set.groups));
    if (where.length > 0 && set.directory !== undefined)
      return withoutUnused(this.filteredGroups(served, question, undefined, sums));
    const table = this.keysOf(set);
    if (where.length > 0) return withoutUnused(this.filteredGroups(served, question, table, sums));
    return set.dims.every((name) => dims.includes(name))
      ? this.shaped(set.dims, table, sums, dims.filter(isDimension))
      : this.filteredGroups(served, question, table, sums);
  }

  /**
   * Groups that meet the conditions, added up by the dimensions that are asked for.
   * @param table of the set; undefined where it is in pages
   */
  private filteredGroups(
    { set, third }: Served,
    { dims, where = [] }: RollupQuestion,
    table: Table | undefined,
    sums: readonly Float64Array[],
  ): RollupGroups {
    const chosen = (name: DimensionName | undefined): Chosen | undefined => {
      const restrictions = where.filter(({ dim }) => dim === name);
      if (name === undefined || restrictions.length === 0) return undefined;
      return chosenBy(restrictions, () => this.valuesOf(name), this.sizeOf(name));
    };
    const [a, b] = set.dims;
    const first = chosen(a);
    // Of what no row has a value in, rows without one are meant or none are.
    const none = where.some(
      (one) =>
        !this.present.has(one.dim) &&
        !isChosen(
          chosenBy([one], () => NO_VALUES, 0),
          0,
        ),
    );
    const whole =
      table === undefined ? this.partsOf(set, first, third !== undefined) : [partOf(table)];
    const parts = none ? [] : whole;
    const left = groupsLeft(parts, { first, second: chosen(b), third: chosen(third) });
    const kept = set.dims.filter((name) => dims.includes(name));
    const [one, two] = kept;
    if (one !== undefined && two !== undefined)
      return { ...this.keys(kept), ...byBoth(left, this.sizeOf(one) + 1, sums) };
    const keys = one === undefined ? undefined : one === a ? left.firsts : left.seconds;
    const size = one === undefined ? 1 : this.sizeOf(one) + 1;
    const added = byKey(left, keys, size, sums);
    const plain = { starts: undefined, seconds: undefined, counts: added.counts };
    return this.shaped(kept, plain, added.sums, dims.filter(isDimension));
  }

  private partsOf(set: KeptSet, first: Chosen | undefined, thirds: boolean): readonly Part[] {
    const { flags } = first ?? {};
    const from = Math.max(first?.from ?? 0, flags?.indexOf(1) ?? 0);
    const to = Math.min(
      first?.to ?? Infinity,
      flags === undefined ? Infinity : flags.lastIndexOf(1) + 1,
    );
    return from < to ? this.pagesOf(set).read(from, to, thirds) : [];
  }

  private keysOf(set: KeptSet): Table {
    if (set.directory !== undefined) return this.joinedPages(set);
    const reader = this.open(set.keys);
    if (set.dims.length < 2) {
      const [first] = set.dims;
      if (set.groups !== (first === undefined ? 1 : this.sizeOf(first) + 1))
        throw new Damaged('groups');
      return { starts: undefined, seconds: undefined, counts: reader.small(set.groups) };
    }
    const [first] = set.dims;
    const lengths = reader.numbers32(this.sizeOf(first!) + 1);
    const starts = startsOf(lengths, set.groups);
    const seconds = reader.small(set.groups);
    return { starts, seconds, counts: reader.small(set.groups) };
  }

  private joinedPages(set: KeptSet): Table {
    const parts = this.pagesOf(set).all();
    const seconds = new Uint32Array(set.groups);
    const counts = new Uint32Array(set.groups);
    const lengths = new Uint32Array(this.sizeOf(set.dims[0]!) + 1);
    for (const part of parts) {
      lengths.set(part.lengths, part.first);
      seconds.set(part.seconds, part.firstGroup);
      counts.set(part.counts, part.firstGroup);
    }
    return { starts: startsOf(lengths, set.groups), seconds, counts };
  }

  private sumsOf(span: Span | undefined, n: number): Float64Array {
    return span === undefined ? new Float64Array(n) : this.open(span).numbers53(n);
  }

  /** As asked for: with the dimensions that no row has a value in. */
  private shaped(
    kept: readonly DimensionName[],
    table: Table,
    sums: readonly Float64Array[],
    asked: readonly DimensionName[],
  ): RollupGroups {
    const more = asked.filter((name) => !kept.includes(name));
    const dims = [...kept, ...more];
    if (more.length === 0 || dims.length === 1) return { ...this.keys(dims), ...table, sums };
    // One group for each first key, without a second; or one group that has neither.
    const { counts } = table;
    const starts = Uint32Array.from({ length: counts.length + 1 }, (_, group) => group);
    return { ...this.keys(dims), starts, seconds: new Uint32Array(counts.length), counts, sums };
  }

  private keys(dims: readonly DimensionName[]): Pick<RollupGroups, 'dims' | 'values' | 'sizes'> {
    return {
      dims,
      values: dims.map((name) => this.valuesOf(name)),
      sizes: dims.map((name) => this.sizeOf(name)),
    };
  }

  private sizeOf(name: DimensionName): number {
    const kept = this.present.get(name);
    return kept === undefined ? 0 : kept.numbers + kept.ip6 + kept.texts;
  }

  private valuesOf(name: DimensionName): DistinctValues {
    const kept = this.present.get(name);
    if (kept === undefined) return NO_VALUES;
    if (kept.values !== undefined) return kept.values;
    const reader = this.open(kept.span);
    const numbers = reader.numbers32(kept.numbers);
    for (let i = 1; i < numbers.length; i++) numbers[i]! += numbers[i - 1]!;
    const ip6 = reader.packed(kept.ip6 * 16);
    if (ip6.length !== kept.ip6 * 16) throw new Damaged('addresses');
    const texts = readTexts(reader, kept.texts);
    const values = { numbers, ip6, texts };
    // Only small lists are cached: many segments are open at once.
    if (this.keeping || memoryOf(values) <= FEW_BYTES) kept.values = values;
    return values;
  }

  private open([from, to]: Span): PackReader {
    return new PackReader(this.reader.block(from, to), true);
  }
}

function partOf({ starts, seconds, counts }: Table): Part {
  const lengths = starts && Uint32Array.from(starts.subarray(1), (end, i) => end - starts[i]!);
  return { first: 0, lengths, seconds, counts, thirds: undefined, firstGroup: 0 };
}

function startsOf(lengths: Uint32Array, total: number): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  let sum = 0;
  for (let i = 0; i < lengths.length; i++) {
    sum += lengths[i]!;
    starts[i + 1] = sum;
  }
  if (sum !== total) throw new Damaged('groups');
  return starts;
}
