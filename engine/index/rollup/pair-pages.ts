/**
 * Many groups of two dimensions, in pages by the code of the first: what is asked of one source reads one
 * page. Beside them may lie a code of a third dimension for every row, in the order of the groups: so
 * the groups of one first value are known by the third, too.
 *
 * A page is a block: groups of each first code, then of each group its second code and its rows, then the
 * third code of each row. A first code with many groups has a page of its own. Directory, after the last
 * page: u32 pages, u8 the third dimension and one (0: none), then of each page its first codes, groups,
 * rows and bytes.
 */
import type { OwnedCache } from '../text/text-cache.ts';
import type { BlockReader, BlockWriter } from '../values/blocks.ts';
import { Damaged, PackReader, PackWriter, type SmallNumbers } from '../values/packing.ts';

/** Added to a set's number where its keys are in pages. */
export const IN_PAGES = 128;
/** Fewer groups are read at once. */
export const WORTH_PAGES = 16_384;
/** All of a page is read for one code. */
const PAGE_GROUPS = 4096;
/** A first code with more groups has a page of its own. */
const OWN_PAGE = 512;

/** The code of a dimension in `DIMENSIONS` for every row, in the order of the groups. */
export interface ThirdCodes {
  readonly dim: number;
  readonly codes: Uint32Array;
}

interface PairGroups {
  readonly lengths: Uint32Array;
  readonly seconds: Uint32Array;
  readonly counts: Uint32Array;
  readonly third: ThirdCodes | undefined;
}

/** Returns where the last page and the directory end. */
export function writePages(
  { lengths, seconds, counts, third }: PairGroups,
  blocks: BlockWriter,
): { pages: number; directory: number } {
  const list = { keys: [] as number[], groups: [] as number[], rows: [] as number[] };
  const bytes: number[] = [];
  let pages = blocks.end;
  let group = 0;
  let row = 0;
  for (let from = 0; from < lengths.length;) {
    let to = from + 1;
    let groups = lengths[from]!;
    const hasOwnPage = groups >= OWN_PAGE;
    while (
      !hasOwnPage &&
      to < lengths.length &&
      lengths[to]! < OWN_PAGE &&
      groups + lengths[to]! <= PAGE_GROUPS
    )
      groups += lengths[to++]!;
    const rows = sumOf(counts.subarray(group, group + groups));
    const page = new PackWriter(true, groups * 4 + 256);
    page.numbers(lengths.subarray(from, to));
    page.numbers(seconds.subarray(group, group + groups));
    page.numbers(counts.subarray(group, group + groups));
    if (third !== undefined) page.numbers(third.codes.subarray(row, row + rows));
    const end = blocks.add(page.finish());
    list.keys.push(to - from);
    list.groups.push(groups);
    list.rows.push(rows);
    bytes.push(end - pages);
    pages = end;
    from = to;
    group += groups;
    row += rows;
  }
  const directory = new PackWriter(true);
  directory.u32(bytes.length);
  directory.u8(third === undefined ? 0 : third.dim + 1);
  for (const numbers of [list.keys, list.groups, list.rows, bytes])
    directory.numbers(Uint32Array.from(numbers));
  return { pages, directory: blocks.add(directory.finish()) };
}

/** Groups of some first codes, from the first to the last of the pages that were read. */
interface PairPart {
  /** The first of the codes. */
  readonly first: number;
  /** Groups of each. */
  readonly lengths: Uint32Array;
  readonly seconds: SmallNumbers;
  readonly counts: SmallNumbers;
  /** Of each row, in the order of the groups. */
  readonly thirds: SmallNumbers | undefined;
  /** The place of the first group among all. */
  readonly firstGroup: number;
}

/** The cache of pages, and the set's name in it. */
interface KeptPages {
  readonly cache: OwnedCache;
  readonly name: string;
}

export class PairPages {
  /** The place of the third dimension in `DIMENSIONS`; undefined: there is none. */
  readonly third: number | undefined;
  private readonly reader: BlockReader;
  private readonly kept: KeptPages | undefined;
  /** Of each page, and after the last their sum: codes, groups and rows before it. */
  private readonly keys: Uint32Array;
  private readonly groups: Uint32Array;
  private readonly rows: Uint32Array;
  /** Where the first page begins, and where each ends. */
  private readonly ends: Uint32Array;

  /**
   * @param span of the pages, then of the directory
   * @param most bounds that hold for the segment
   * @param kept none where each page is read once
   * @throws Damaged, like all that follow
   */
  constructor(
    reader: BlockReader,
    [begin, end, last]: readonly [number, number, number],
    most: { keys: number; groups: number; rows: number },
    kept: KeptPages | undefined,
  ) {
    this.reader = reader;
    this.kept = kept;
    const directory = new PackReader(reader.block(end, last), true);
    const pages = directory.u32();
    if (pages > most.keys) throw new Damaged('pages');
    const third = directory.u8();
    this.third = third === 0 ? undefined : third - 1;
    const sums = (total: number): Uint32Array => runningSums(directory.numbers32(pages), total);
    this.keys = sums(most.keys);
    this.groups = sums(most.groups);
    this.rows = sums(most.rows);
    this.ends = sums(end - begin).map((before) => begin + before);
    if (this.keys[pages] !== most.keys || this.groups[pages] !== most.groups)
      throw new Damaged('pages');
  }

  /** All groups, without third codes. */
  all(): PairPart[] {
    return this.reader.blocks(this.ends).map((block, page) => this.page(page, block, false));
  }

  /** Groups of the first codes from `from` to `to`, the last not included, and of those in the same pages. */
  read(from: number, to: number, thirds: boolean): PairPart[] {
    const parts: PairPart[] = [];
    for (let page = 0; page + 1 < this.keys.length; page++)
      if (this.keys[page + 1]! > from && this.keys[page]! < to)
        parts.push(this.keptPage(page, thirds));
    return parts;
  }

  /** The pages that have groups of some first codes, which ascend, with the third codes. */
  readSome(firsts: Uint32Array): PairPart[] {
    const parts: PairPart[] = [];
    let at = 0;
    for (let page = 0; page + 1 < this.keys.length && at < firsts.length; page++) {
      const before = at;
      while (at < firsts.length && firsts[at]! < this.keys[page + 1]!) at += 1;
      if (at > before) parts.push(this.keptPage(page, true));
    }
    return parts;
  }

  private keptPage(page: number, thirds: boolean): PairPart {
    const make = (): PairPart =>
      this.page(page, this.reader.block(this.ends[page]!, this.ends[page + 1]!), thirds);
    const { kept } = this;
    if (kept === undefined) return make();
    return kept.cache.take(`${kept.name} ${page} ${thirds}`, () => alone(make()), bytesOf);
  }

  private page(page: number, block: Uint8Array, thirds: boolean): PairPart {
    const of = (sums: Uint32Array): number => sums[page + 1]! - sums[page]!;
    const reader = new PackReader(block, true);
    const lengths = reader.numbers32(of(this.keys));
    const seconds = reader.small(of(this.groups));
    const counts = reader.small(of(this.groups));
    if (sumOf(lengths) !== seconds.length || sumOf(counts) !== of(this.rows))
      throw new Damaged('groups');
    return {
      ...{ first: this.keys[page]!, lengths, seconds, counts },
      thirds: thirds && this.third !== undefined ? reader.small(of(this.rows)) : undefined,
      firstGroup: this.groups[page]!,
    };
  }
}

/** Copies the part out of its block, which would otherwise stay in memory. */
function alone(part: PairPart): PairPart {
  const { seconds, counts, thirds } = part;
  return {
    ...part,
    seconds: compacted(seconds),
    counts: compacted(counts),
    thirds: thirds && compacted(thirds),
  };
}

function compacted(numbers: SmallNumbers): SmallNumbers {
  return numbers.byteLength < numbers.buffer.byteLength ? numbers.slice() : numbers;
}

function bytesOf({ lengths, seconds, counts, thirds }: PairPart): number {
  return lengths.byteLength + seconds.byteLength + counts.byteLength + (thirds?.byteLength ?? 0);
}

function runningSums(numbers: Uint32Array, most: number): Uint32Array {
  const sums = new Uint32Array(numbers.length + 1);
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) {
    sum += numbers[i]!;
    if (sum > most) throw new Damaged('pages');
    sums[i + 1] = sum;
  }
  return sums;
}

function sumOf(numbers: SmallNumbers): number {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i]!;
  return sum;
}
