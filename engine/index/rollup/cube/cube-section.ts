/**
 * The cube, section `combinations`: how many rows have each combination of the values of columns with few values,
 * and the sums of what they carry. Attributes are among these columns. Of addresses it is only known
 * whether there is one (`src_ip`, `dst_ip`), and of a packet whether it belongs to a flow (`flow`).
 *
 * Head: u32 rows, u32 combinations, u8 which measures no row has, u8 which are summed (one bit each), u8
 * columns, of each its name (u8 length, UTF-8), u32 numbers, u32 texts, u32 values. One block: of each
 * column its numbers' steps, its texts and the place of its value in each combination, after the last
 * for none; the rows of each combination; of each measure its sum and one, 0 where no row has a value.
 */
import type { Section } from '../../side-file.ts';
import { inSteps } from '../../steps.ts';
import { BlockWriter } from '../../values/blocks.ts';
import type { DistinctValues } from '../../values/dimensions.ts';
import { PackWriter } from '../../values/packing.ts';
import { packTexts } from '../../values/value-section.ts';
import { type Counted, chosen32 } from '../counted.ts';
import { sumsOf } from '../measured.ts';
import { countRows, stepsOf } from '../rollup-section.ts';

/** Its name from when it was no part of a rollup: files of before and after are read alike. */
export const CUBE_SECTION = 'combinations';
/** The column that tells packets of flows from others. */
export const FLOW_COLUMN = 'flow';
/** Columns of which the cube does not have the values. */
export const PRESENCE_ONLY: ReadonlySet<string> = new Set(['src_ip', 'dst_ip', FLOW_COLUMN]);

/** A column with more values is not combined with others. */
export const MOST_VALUES = 1024;
/** Combinations that are kept at most: those of a further column must fit in. */
const MOST = 4096;
const ROWS_EACH = 32;
const FEW = 256;
/** Cells of the table that finds the next column's combinations. */
const MOST_CELLS = 1 << 20;
const MOST_COLUMNS = 24;
const MOST_NAME = 200;

/** A column of few values, as codes of entries. */
export interface SmallColumn {
  /** As it is stored. */
  readonly name: string;
  readonly values: Pick<DistinctValues, 'numbers' | 'texts'>;
  /** Distinct values; also the code of rows that have none. */
  readonly size: number;
  /** Of every entry; undefined: all have the first value. */
  readonly codes: Uint32Array | undefined;
}

interface Combined {
  readonly columns: readonly SmallColumn[];
  /** The combination of every entry. */
  readonly of: Uint32Array;
  /** An entry of each. */
  readonly examples: Uint32Array;
}

/** A cube, and the columns that it has the values of. */
interface WrittenCube {
  readonly section: Section;
  readonly values: ReadonlySet<string>;
}

/** Undefined when there is nothing to combine. */
export function cubeSection(
  { rows, entries, weights, measures }: Pick<Counted, 'rows' | 'entries' | 'weights' | 'measures'>,
  columns: readonly SmallColumn[],
): WrittenCube | undefined {
  const combined = combine(rows, entries, columns);
  if (combined.columns.length === 0) return undefined;
  const { examples, of } = combined;
  const counts = new Uint32Array(examples.length);
  countRows(of, weights, 0, entries, counts);
  const sums = measures.map((measure) =>
    measure?.exact === true ? sumsOf(of, counts, measure) : undefined,
  );
  const bits = (holds: (i: number) => boolean) =>
    measures.reduce((all, _, i) => all | (holds(i) ? 1 << i : 0), 0);
  const head = new PackWriter(true);
  const block = new PackWriter(true);
  head.u32(rows);
  head.u32(examples.length);
  head.u8(bits((i) => measures[i] === undefined));
  head.u8(bits((i) => sums[i] !== undefined));
  head.u8(combined.columns.length);
  for (const { name, values, size, codes } of combined.columns) {
    const bytes = Buffer.from(name);
    head.u8(bytes.length);
    head.raw(bytes);
    head.u32(values.numbers.length);
    head.u32(values.texts.length);
    head.u32(size);
    block.numbers(stepsOf(values.numbers));
    block.raw(packTexts(values.texts));
    block.numbers(
      codes === undefined ? new Uint32Array(examples.length) : chosen32(codes, examples),
    );
  }
  block.numbers(counts);
  for (const one of sums) if (one !== undefined) block.numbers(one);
  const blocks = new BlockWriter();
  blocks.add(block.finish());
  const names = combined.columns.map(({ name }) => name);
  return {
    section: blocks.finish(CUBE_SECTION, head.finish()),
    values: new Set(names.filter((name) => !PRESENCE_ONLY.has(name))),
  };
}

/**
 * Those of the fewest values first, while there are few enough combinations: as many at once as the table
 * has cells for, one by one where these are too many together.
 */
function combine(rows: number, entries: number, columns: readonly SmallColumn[]): Combined {
  const most = Math.min(MOST, Math.max(FEW, Math.floor(rows / ROWS_EACH)));
  const chosen = columns
    .filter(({ name, size }) => size <= MOST_VALUES && Buffer.byteLength(name) <= MOST_NAME)
    .sort((a, b) => a.size - b.size)
    .slice(0, MOST_COLUMNS);
  const kept = chosen.filter(({ codes }) => codes === undefined);
  const varying = chosen.filter(({ codes }) => codes !== undefined);
  let state: State = {
    ...{ of: new Uint32Array(entries), examples: Uint32Array.of(0) },
    other: new Uint32Array(entries),
  };
  for (let from = 0; from < varying.length;) {
    let cells = state.examples.length;
    let to = from;
    while (to < varying.length && (cells *= varying[to]!.size + 1) <= MOST_CELLS) to += 1;
    const portion = varying.slice(from, Math.max(to, from + 1));
    const together = refined(state, portion, most);
    if (together !== undefined) kept.push(...portion);
    state = together ?? state;
    from += portion.length;
    if (together !== undefined || portion.length === 1) continue;
    for (const column of portion) {
      const one = refined(state, [column], most);
      if (one !== undefined) kept.push(column);
      state = one ?? state;
    }
  }
  return { columns: kept, of: state.of, examples: state.examples };
}

/** The combination of every entry, and an entry of each. */
interface State extends Pick<Combined, 'of' | 'examples'> {
  /** As long as `of`, for the next to be written to. */
  readonly other: Uint32Array;
}

/** Undefined when there would be too many. */
function refined(
  { of, examples: before, other: cells }: State,
  columns: readonly SmallColumn[],
  most: number,
): State | undefined {
  const size = columns.reduce((cells, one) => cells * (one.size + 1), before.length);
  if (size > MOST_CELLS) return undefined;
  cells.set(of);
  for (const { codes, size: values } of columns)
    if (codes !== undefined)
      inSteps(cells.length, (from, to) => addCodes(cells, codes, values + 1, from, to));
  const examples = new Uint32Array(most);
  const found = numberCells(cells, new Uint32Array(size), examples);
  return found < 0 ? undefined : { of: cells, examples: examples.slice(0, found), other: of };
}

// Hot loops (CONTRIBUTING.md).

/** Numbers of cells in a table that is `width` as wide. */
function addCodes(
  cells: Uint32Array,
  codes: Uint32Array,
  width: number,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) cells[row] = cells[row]! * width + codes[row]!;
}

/**
 * Numbers cells in the order in which they come.
 * @param table of zeros, one for each cell
 * @param examples gets a row of each
 * @returns how many there are; -1 when there are more than `examples` has room for
 */
function numberCells(cells: Uint32Array, table: Uint32Array, examples: Uint32Array): number {
  let found = 0;
  inSteps(cells.length, (from, to) => {
    if (found >= 0) found = numberSome(cells, table, examples, from, to, found);
  });
  return found;
}

/** Those of some rows, where `before` were found; returns as `numberCells`. */
function numberSome(
  cells: Uint32Array,
  table: Uint32Array,
  examples: Uint32Array,
  from: number,
  to: number,
  before: number,
): number {
  let found = before;
  for (let row = from; row < to; row++) {
    const cell = cells[row]!;
    let id = table[cell]!;
    if (id === 0) {
      if (found === examples.length) return -1;
      examples[found++] = row;
      id = found;
      table[cell] = id;
    }
    cells[row] = id - 1;
  }
  return found;
}
