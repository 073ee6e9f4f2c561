/**
 * Pairs of the most frequent first values, of a set whose groups are too many to be merged: these repeat,
 * so that all of a case's are hardly more than one segment's. Asked for one of these values, the top
 * answers for all segments.
 *
 * Gain (docs/adr/0015): destinations of one source at 100 million events take 8.5 ms instead of 69 to 113; the
 * aim is 30.
 *
 * A section has the groups of one value of a third dimension, or of none of its values, which is then the
 * only value that it has of that dimension; where there is no third dimension there is one section. All have
 * the same first values, and of those every group.
 */
import { DaybookError } from '../../../contract/errors.ts';
import type { Section, SideFile } from '../../side-file.ts';
import { DIMENSIONS, type DimensionName, type DistinctValues } from '../../values/dimensions.ts';
import { oriented } from '../merge-pairs.ts';
import { type Part, chosenBy, isChosen, valuesAt } from '../filtered-groups.ts';
import type { Restriction, RollupGroups, RollupQuestion } from '../rollup-groups.ts';
import { Rollup } from '../rollup-index.ts';
import { SETS } from '../sets.ts';
import { type Table, type Tables, tablesSection } from './tables-section.ts';

/**
 * The share of all rows that a first value has at least. So in most segments it has a page of its own, which
 * is all that is read of these.
 */
const LEAST_SHARE = 1 / 512;
/** Rows of a first value for each of its groups, at least: else they are as many as in all segments. */
const REPEATED = 4;
/** Counts that are held while they are added up, of four bytes each; and what the first values must leave of them. */
const MOST_CELLS = 8_000_000;
const LEAST_KEYS = 16;
/** Values of a third dimension, each of which has its section. */
const MOST_THIRD = 32;

const ADDRESS_BYTES = 16;

/** A set of which there are such sections. */
export interface FrequentSet {
  /** Of `SETS`. */
  readonly which: number;
  /** The third dimension's place in `DIMENSIONS`; -1: there is none. */
  readonly third: number;
  readonly sections: number;
}

function sectionName(which: number, section: number): string {
  return `rollup.frequent.${which}.${section}`;
}

/** Distinct values of all segments, and after the last place that of none. */
interface Axis {
  readonly name: DimensionName;
  readonly values: DistinctValues;
  readonly size: number;
}

/**
 * Undefined: there are none, or too many values beside them.
 * @param tables what is merged of the same rows
 * @param sources the parts that have the set
 * @throws DaybookError case-damaged
 */
export function frequentOf(
  which: number,
  sources: readonly Rollup[],
  tables: Tables,
): { sections: Section[]; set: FrequentSet } | undefined {
  const [a, b] = (SETS[which] ?? []).map((name) => axisOf(name, tables));
  if (a === undefined || b === undefined || tables.rows > 0xffff_ffff) return undefined;
  // Parts without any of the first values contribute nothing.
  const having = sources.filter((source) => sizeOf(source.distinct(a.name)) > 0);
  const third = thirdOf(having, [a.name, b.name], tables);
  const cells = (b.size + 1) * (third === undefined ? 1 : third.size + 1);
  const keys = frequentKeys(a.name, tables, Math.floor(MOST_CELLS / cells));
  if (keys.length === 0 || keys.length * cells > MOST_CELLS) return undefined;
  const adder = new Adder([a, b, third], keys);
  for (const source of having) adder.add(source);
  return adder.finish(which, tables);
}

function axisOf(name: DimensionName, { dimensions }: Tables): Axis | undefined {
  const found = dimensions.present.find((one) => one.name === name);
  if (found === undefined) return undefined;
  const { values } = found;
  return { name, values, size: sizeOf(values) };
}

function sizeOf({ numbers, ip6, texts }: DistinctValues): number {
  return numbers.length + ip6.length / ADDRESS_BYTES + texts.length;
}

/** The dimension that all parts have beside the set. */
function thirdOf(
  sources: readonly Rollup[],
  dims: readonly DimensionName[],
  tables: Tables,
): Axis | undefined {
  const known = sources.map((source) => source.thirdOf(dims)).filter((name) => name !== undefined);
  const [name] = known;
  const axis = name === undefined ? undefined : axisOf(name, tables);
  if (axis === undefined || axis.size >= MOST_THIRD) return undefined;
  const all = sources.every(
    (source) => source.thirdOf(dims) === axis.name || onlyValue(source, axis.name) !== undefined,
  );
  return all ? axis : undefined;
}

/** The place of the value that all rows of a part have, or of none. */
function onlyValue(source: Rollup, name: DimensionName): number | undefined {
  if (!source.covers({ dims: [name] })) return undefined;
  const counts = [...source.groups({ dims: [name] }).counts];
  const [place, ...more] = [...counts.keys()].filter((at) => counts[at]! > 0);
  return more.length === 0 ? (place ?? 0) : undefined;
}

/** Places of the values with the most rows, ascending. */
function frequentKeys(name: DimensionName, { list, rows }: Tables, most: number): Uint32Array {
  const which = SETS.findIndex((dims) => dims.length === 1 && dims[0] === name);
  const counts = list.find((table) => table.which === which)?.counts;
  if (counts === undefined || most < LEAST_KEYS) return new Uint32Array(0);
  const found: number[] = [];
  for (let place = 0; place + 1 < counts.length; place++)
    if (counts[place]! >= rows * LEAST_SHARE) found.push(place);
  return Uint32Array.from(found.sort((x, y) => counts[y]! - counts[x]!).slice(0, most)).sort();
}

/** Of each of some values its place among others, -1 where it is none of them. */
function placesAmong(others: DistinctValues, values: DistinctValues): Int32Array {
  const ip6 = (list: DistinctValues, at: number): Uint8Array =>
    list.ip6.subarray(at * ADDRESS_BYTES, (at + 1) * ADDRESS_BYTES);
  const numbers = placesOf(
    [values.numbers.length, others.numbers.length],
    (i, at) => values.numbers[i]! - others.numbers[at]!,
  );
  const addresses = placesOf(
    [values.ip6.length / ADDRESS_BYTES, others.ip6.length / ADDRESS_BYTES],
    (i, at) => Buffer.compare(ip6(values, i), ip6(others, at)),
  );
  const texts = placesOf([values.texts.length, others.texts.length], (i, at) =>
    Buffer.compare(values.texts[i]!, others.texts[at]!),
  );
  const behind = (place: number): number => (place < 0 ? place : place + others.numbers.length);
  const places = new Int32Array(numbers.length + addresses.length + texts.length);
  places.set(numbers);
  places.set(addresses.map(behind), numbers.length);
  places.set(texts.map(behind), numbers.length + addresses.length);
  return places;
}

/** Both ascend. */
function placesOf(
  [values, others]: readonly [number, number],
  compare: (value: number, other: number) => number,
): Int32Array {
  const places = new Int32Array(values).fill(-1);
  let at = 0;
  for (let i = 0; i < values; i++) {
    let order = 1;
    while (at < others && (order = compare(i, at)) > 0) at += 1;
    if (order === 0) places[i] = at;
  }
  return places;
}

function damagedPart(): DaybookError {
  return new DaybookError(
    'case-damaged',
    'the rollup of a segment is damaged',
    'to rebuild it, run: daybook verify CASE --repair',
  );
}

/** All groups of a set that is not in pages. */
function wholeOf(source: Rollup, dims: readonly DimensionName[]): Part {
  const { starts, seconds, counts } = oriented(source.groups({ dims }), dims[0]!);
  const lengths = Uint32Array.from(starts.subarray(1), (end, i) => end - starts[i]!);
  return { first: 0, lengths, seconds, counts, thirds: undefined, firstGroup: 0 };
}

class Adder {
  private readonly a: Axis;
  private readonly b: Axis;
  private readonly third: Axis | undefined;
  private readonly keys: Uint32Array;
  private readonly keyValues: DistinctValues;
  /** Rows by key, second and third place. */
  private readonly cells: Uint32Array;
  private readonly thirds: number;

  constructor([a, b, third]: [Axis, Axis, Axis | undefined], keys: Uint32Array) {
    this.a = a;
    this.b = b;
    this.third = third;
    this.keys = keys;
    this.keyValues = valuesAt(a.values, keys);
    this.thirds = third === undefined ? 1 : third.size + 1;
    this.cells = new Uint32Array(keys.length * (b.size + 1) * this.thirds);
  }

  add(source: Rollup): void {
    const { a, b, third, keyValues } = this;
    const sourceValues = source.distinct(a.name);
    const firsts = new Map<number, number>();
    placesAmong(sourceValues, keyValues).forEach((place, key) => {
      if (place >= 0) firsts.set(place, key);
    });
    const seconds = this.among(b, source);
    const dims = [a.name, b.name];
    const parts = source.pairsOf(dims, Uint32Array.from(firsts.keys())) ?? [wholeOf(source, dims)];
    const thirds = third && this.among(third, source);
    const only =
      third === undefined || source.thirdOf(dims) !== undefined
        ? 0
        : thirds![onlyValue(source, third.name) ?? 0]!;
    for (const part of parts) this.addPart(part, firsts, seconds, thirds, only);
  }

  /** Of each place of a part's values, and of none, its place among those of all. */
  private among(all: Axis, source: Rollup): Uint32Array {
    const places = placesAmong(all.values, source.distinct(all.name));
    if (places.includes(-1)) throw damagedPart();
    const out = new Uint32Array(places.length + 1).fill(all.size);
    out.set(places);
    return out;
  }

  /** @param only the third place of all rows, where none are beside them */
  private addPart(
    part: Part,
    firsts: ReadonlyMap<number, number>,
    seconds: Uint32Array,
    thirds: Uint32Array | undefined,
    only: number,
  ): void {
    const { lengths, counts } = part;
    if (lengths === undefined || part.seconds === undefined) throw damagedPart();
    const beside = thirds === undefined ? undefined : part.thirds;
    let group = 0;
    let row = 0;
    for (let first = 0; first < lengths.length; first++) {
      const key = firsts.get(part.first + first) ?? -1;
      for (const end = group + lengths[first]!; group < end; group++) {
        const rows = counts[group]!;
        if (key >= 0) {
          const place = seconds[part.seconds[group]!];
          if (place === undefined) throw damagedPart();
          const cell = (key * (this.b.size + 1) + place) * this.thirds;
          if (beside === undefined) this.cells[cell + only]! += rows;
          else
            for (let at = row; at < row + rows; at++)
              this.cells[cell + thirds![beside[at]!]!]! += 1;
        }
        row += rows;
      }
    }
  }

  finish(which: number, tables: Tables): { sections: Section[]; set: FrequentSet } | undefined {
    const { a, b, third } = this;
    const kept = this.repeated();
    if (kept.length === 0) return undefined;
    const firsts = valuesAt(
      a.values,
      kept.map((key) => this.keys[key]!),
    );
    const axes = [a.name, b.name, ...(third === undefined ? [] : [third.name])];
    const { present, leftOut } = tables.dimensions;
    const sections: Section[] = [];
    for (let other = 0; other < this.thirds; other++) {
      const table = this.tableOf(kept, other);
      if (table.counts.length === 0) continue;
      const otherThird = third && other < third.size ? Uint32Array.of(other) : undefined;
      sections.push(
        tablesSection(sectionName(which, sections.length), {
          rows: table.counts.reduce((sum, count) => sum + count, 0),
          dimensions: {
            present: [
              { name: a.name, values: firsts },
              { name: b.name, values: b.values },
              ...(third && otherThird
                ? [{ name: third.name, values: valuesAt(third.values, otherThird) }]
                : []),
            ],
            // Of others nothing is known here; not to be named is to have no values.
            leftOut: [...leftOut, ...present.map(({ name }) => name)].filter(
              (name) => !axes.includes(name),
            ),
          },
          absent: tables.absent,
          list: [{ ...table, which, inPages: true, sums: new Map() }],
        }),
      );
    }
    const place = third === undefined ? -1 : DIMENSIONS.indexOf(third.name);
    return { sections, set: { which, third: place, sections: sections.length } };
  }

  /** Groups of some keys that have one third value. */
  private tableOf(kept: Uint32Array, other: number): Pick<Table, 'pairs' | 'counts'> {
    const { cells, thirds } = this;
    const size = this.b.size + 1;
    const lengths = new Uint32Array(kept.length + 1);
    const forEach = (visit: (at: number, place: number, count: number) => void): void => {
      kept.forEach((key, at) => {
        for (let place = 0; place < size; place++) {
          const count = cells[(key * size + place) * thirds + other]!;
          if (count > 0) visit(at, place, count);
        }
      });
    };
    let groups = 0;
    forEach((at) => {
      lengths[at]! += 1;
      groups += 1;
    });
    const seconds = new Uint32Array(groups);
    const counts = new Float64Array(groups);
    let group = 0;
    forEach((_, place, count) => {
      seconds[group] = place;
      counts[group++] = count;
    });
    return { pairs: { lengths, seconds }, counts };
  }

  /** The keys that have few groups for their rows. */
  private repeated(): Uint32Array {
    const each = (this.b.size + 1) * this.thirds;
    return this.keys
      .map((_, key) => key)
      .filter((key) => {
        let groups = 0;
        let rows = 0;
        for (let cell = key * each; cell < (key + 1) * each; cell++) {
          rows += this.cells[cell]!;
          if (this.cells[cell]! > 0) groups += 1;
        }
        return groups * REPEATED <= rows;
      });
  }
}

/** The sections of one set, of an open node. */
export class FrequentPairs {
  private readonly set: FrequentSet;
  private readonly rollups: readonly Rollup[];

  /** @throws DaybookError case-damaged, like all that follow */
  constructor(file: SideFile, set: FrequentSet) {
    this.set = set;
    this.rollups = Array.from({ length: set.sections }, (_, section) =>
      Rollup.open(file, sectionName(set.which, section)),
    ).filter((rollup) => rollup !== undefined);
  }

  /** Undefined if the sections cannot answer. */
  groups(question: RollupQuestion): RollupGroups[] | undefined {
    const { dims, where = [] } = question;
    const [first] = SETS[this.set.which] ?? [];
    const firsts = where.filter(({ dim }) => dim === first);
    const third = DIMENSIONS[this.set.third];
    const [anyRollup] = this.rollups;
    if (anyRollup === undefined || first === undefined) return undefined;
    if (this.rollups.length < this.set.sections) return undefined;
    if (third !== undefined && dims.includes(third)) return undefined;
    // Of one value it is certain that nothing is missing, if it is here at all.
    const meant = firsts.find(({ isOne }) => isOne === true);
    if (meant === undefined || !this.has(first, meant)) return undefined;
    const thirds = where.filter(({ dim }) => dim === third);
    const asked = { ...question, where: where.filter(({ dim }) => dim !== third) };
    const chosen = this.rollups.filter((rollup) => isMeant(rollup, third, thirds));
    if (!this.rollups.every((rollup) => rollup.covers(asked))) return undefined;
    return chosen.map((rollup) => rollup.groups(asked));
  }

  private has(first: DimensionName, meant: Restriction): boolean {
    const values = this.rollups[0]!.distinct(first);
    const size = sizeOf(values);
    const { from, to, flags } = chosenBy([meant], () => values, size);
    for (let place = from; place < Math.min(to, size); place++)
      if (isChosen({ from, to, flags }, place)) return true;
    return false;
  }
}

/** Whether the one value that a section has of a dimension, or that it has none, is meant. */
function isMeant(
  rollup: Rollup,
  third: DimensionName | undefined,
  where: readonly Restriction[],
): boolean {
  if (third === undefined || where.length === 0) return true;
  const values = rollup.distinct(third);
  return isChosen(
    chosenBy(where, () => values, sizeOf(values)),
    0,
  );
}
