/** Groups that were added up before, as a section of the form of `rollup-section.ts`. */
import type { Section } from '../../side-file.ts';
import { BlockWriter } from '../../values/blocks.ts';
import { PackWriter } from '../../values/packing.ts';
import { IN_PAGES, writePages } from '../pair-pages.ts';
import { type DimensionValues, writeDimensions } from '../rollup-section.ts';
import { MEASURES, type Measure } from '../sets.ts';

/** A set's groups, by the places of their values. */
export interface Table {
  /** Of `SETS`. */
  readonly which: number;
  /** Two dimensions: how many groups each first value has, those without one last; and their second values. */
  readonly pairs: { readonly lengths: Uint32Array; readonly seconds: Uint32Array } | undefined;
  readonly counts: Float64Array;
  /** Pairs are kept in pages: they are asked for by their first value, or all of them. */
  readonly inPages?: boolean;
  /** Plus one, 0 for none. */
  readonly sums: ReadonlyMap<Measure, Float64Array>;
}

export interface Tables {
  readonly rows: number;
  readonly dimensions: DimensionValues;
  /** Measures that no row has. */
  readonly absent: ReadonlySet<Measure>;
  readonly list: readonly Table[];
}

export function tablesSection(name: string, { rows, dimensions, absent, list }: Tables): Section {
  const head = new PackWriter(true);
  const blocks = new BlockWriter();
  head.u32(rows);
  writeDimensions(dimensions, head, blocks);
  head.u8(measureBits(absent));
  // Values that cannot be summed are in no table; nor are hours and minutes.
  for (let i = 0; i < 3; i++) head.u8(0);
  head.u8(list.length);
  for (const { which, pairs, counts, sums, inPages } of list) {
    const paged = inPages === true && pairs !== undefined;
    head.u8(paged ? which + IN_PAGES : which);
    head.u32(counts.length);
    head.u8(measureBits(sums));
    head.u8(0);
    if (paged) {
      const written = writePages(
        { ...pairs, counts: Uint32Array.from(counts), third: undefined },
        blocks,
      );
      head.u32(written.pages);
      head.u32(written.directory);
    } else {
      const keys = new PackWriter(true);
      if (pairs !== undefined) {
        keys.numbers(pairs.lengths);
        keys.numbers(pairs.seconds);
      }
      keys.numbers(counts);
      head.u32(blocks.add(keys.finish()));
    }
    for (const measure of MEASURES) {
      const measureSums = sums.get(measure);
      if (measureSums === undefined) continue;
      const block = new PackWriter(true);
      block.numbers(measureSums);
      head.u32(blocks.add(block.finish()));
    }
  }
  return blocks.finish(name, head.finish());
}

function measureBits(names: { has(name: Measure): boolean }): number {
  return MEASURES.reduce((bits, name, i) => bits | (names.has(name) ? 1 << i : 0), 0);
}
