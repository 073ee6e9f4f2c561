/**
 * Builds the indexes that are made from single columns: times, values, rollups. They are built
 * together because all of them work on the same codes of the same columns.
 */
import type { Kind } from '../../contract/event.ts';
import { AttributeCodes } from '../combinations/attribute-codes.ts';
import {
  FLOW_COLUMN,
  type SmallColumn,
  combinationSection,
} from '../combinations/combination-section.ts';
import type { IndexRows } from '../rows.ts';
import { giveBack, take32, take64 } from '../spare.ts';
import type { Section } from '../side-file.ts';
import { datedRows, timeSection } from '../time/time-section.ts';
import { type Dimension, DimensionCollector, type Dimensions } from '../values/dimensions.ts';
import { Growing64 } from '../values/growing.ts';
import type { Grouped } from '../values/radix.ts';
import { groupedRows, valueSection } from '../values/value-section.ts';
import { measured } from './measured.ts';
import { type Counted, FLOWED_SECTION, ROLLUP_SECTION, rollupSection } from './rollup-section.ts';
import { MEASURES } from './sets.ts';

export class ColumnIndexBuilder {
  private readonly dimensions = new DimensionCollector();
  private readonly attributes = new AttributeCodes();
  private readonly times = new Growing64();
  private readonly measures = MEASURES.map(() => new Growing64());
  /** Numbers of the flows that packets belong to; undefined for other kinds. */
  private readonly flows: Growing64 | undefined;
  private rows = 0;

  constructor(kind: Kind) {
    this.flows = kind === 'packet' ? new Growing64() : undefined;
  }

  add(rows: IndexRows): void {
    this.rows += rows.length;
    this.dimensions.add(rows);
    this.attributes.add(rows);
    this.times.append(rows.numbers.get('ts'), rows.length);
    MEASURES.forEach((name, i) => this.measures[i]!.append(rows.numbers.get(name), rows.length));
    this.flows?.append(rows.numbers.get('flow_id'), rows.length);
  }

  /**
   * @param order as of `IndexBuilder.finish`
   * @param inText columns whose values the text index has with their rows
   */
  finish(order: Uint32Array | undefined, inText: ReadonlySet<string>): Section[] {
    const { rows } = this;
    const times = this.times.inOrder(order);
    const dated = datedRows(times);
    const dimensions = this.dimensions.finish(order);
    const known = new Map<Dimension, Grouped>();
    const grouped = (dimension: Dimension): Grouped => {
      const found = known.get(dimension) ?? groupedRows(dimension);
      known.set(dimension, found);
      return found;
    };
    const counted: Counted = {
      ...{ rows, dimensions, grouped },
      times: dated === undefined ? undefined : times,
      measures: this.measures.map((values) =>
        values.used ? measured(values.inOrder(order)) : undefined,
      ),
    };
    const { flowed, unflowed } = this.parts(order);
    const sections = [valueSection(rows, dimensions, grouped, unflowed, inText)];
    if (dated !== undefined) sections.push(timeSection(times, dated));
    if (flowed === undefined || unflowed === undefined || flowed.length === 0) {
      sections.push(rollupSection(ROLLUP_SECTION, counted));
    } else {
      if (unflowed.length > 0) known.clear();
      sections.push(partSection(ROLLUP_SECTION, counted, unflowed));
      sections.push(partSection(FLOWED_SECTION, counted, flowed));
    }
    const attributes = this.attributes.finish(order);
    const combined = combinationSection(
      rows,
      [...smallColumns(dimensions, rows, unflowed), ...attributes],
      counted.measures,
    );
    if (combined !== undefined) sections.push(combined);
    for (const { codes } of [...dimensions.present, ...attributes])
      if (codes !== undefined) giveBack(codes.buffer);
    for (const numbers of [this.times, this.flows, ...this.measures]) numbers?.release();
    return sections;
  }

  /** Rows of packets that belong to a flow and of those that do not. */
  private parts(order: Uint32Array | undefined): {
    flowed: Uint32Array | undefined;
    unflowed: Uint32Array | undefined;
  } {
    if (this.flows === undefined) return { flowed: undefined, unflowed: undefined };
    const flows = this.flows.inOrder(order);
    const flowed = new Uint32Array(flows.length);
    const unflowed = new Uint32Array(flows.length);
    let some = 0;
    let others = 0;
    for (let row = 0; row < flows.length; row++) {
      if (Number.isNaN(flows[row]!)) unflowed[others++] = row;
      else flowed[some++] = row;
    }
    return { flowed: flowed.subarray(0, some), unflowed: unflowed.subarray(0, others) };
  }
}

/** Dimensions as they may be combined: of addresses, and of flows, whether there is one. */
function smallColumns(
  { present }: Dimensions,
  rows: number,
  unflowed: Uint32Array | undefined,
): SmallColumn[] {
  const columns = present
    .filter(({ name }) => name !== 'src_port' && name !== 'dst_port')
    .map((column): SmallColumn => {
      const { name, size, codes } = column;
      const isPresence = name === 'src_ip' || name === 'dst_ip';
      const isConstant = (size === 1 || isPresence) && !codes.includes(size);
      if (!isPresence) return isConstant ? { ...column, codes: undefined } : column;
      return { name, ...PRESENCE, codes: isConstant ? undefined : absences(codes, size) };
    });
  if (unflowed === undefined || unflowed.length === rows) return columns;
  const codes = new Uint32Array(rows);
  for (const row of unflowed) codes[row] = 1;
  return [...columns, { name: FLOW_COLUMN, ...PRESENCE, codes }];
}

/** 1 for rows that have no value. */
function absences(codes: Uint32Array, size: number): Uint32Array {
  const out = new Uint32Array(codes.length);
  for (let row = 0; row < codes.length; row++) out[row] = codes[row] === size ? 1 : 0;
  return out;
}

/** One value, which nobody asks for. */
const PRESENCE = { size: 1, values: { numbers: new Uint32Array(0), texts: [] } } as const;

/** Of some rows. */
function partSection(name: string, counted: Counted, rows: Uint32Array): Section {
  if (rows.length === counted.rows) return rollupSection(name, counted);
  const part = partOf(counted, rows);
  const section = rollupSection(name, part);
  for (const { codes } of part.dimensions.present) giveBack(codes.buffer);
  for (const measure of part.measures) if (measure !== undefined) giveBack(measure.values.buffer);
  if (part.times !== undefined) giveBack(part.times.buffer);
  return section;
}

/** The same of some rows, in memory to be given back; values that only other rows have stay, with no rows. */
function partOf(counted: Counted, rows: Uint32Array): Counted {
  const dimensions: Dimensions = {
    present: counted.dimensions.present.map((dimension) => ({
      ...dimension,
      codes: chosen(dimension.codes, rows),
    })),
    leftOut: counted.dimensions.leftOut,
  };
  const known = new Map<Dimension, Grouped>();
  return {
    rows: rows.length,
    dimensions,
    times: counted.times === undefined ? undefined : chosenNumbers(counted.times, rows),
    measures: counted.measures.map((measure) =>
      measure === undefined ? undefined : measured(chosenNumbers(measure.values, rows)),
    ),
    grouped(dimension) {
      const found = known.get(dimension) ?? groupedRows(dimension);
      known.set(dimension, found);
      return found;
    },
  };
}

function chosen(values: Uint32Array, rows: Uint32Array): Uint32Array {
  const out = take32(rows.length).subarray(0, rows.length);
  for (let i = 0; i < out.length; i++) out[i] = values[rows[i]!]!;
  return out;
}

function chosenNumbers(values: Float64Array, rows: Uint32Array): Float64Array {
  const out = take64(rows.length).subarray(0, rows.length);
  for (let i = 0; i < out.length; i++) out[i] = values[rows[i]!]!;
  return out;
}
