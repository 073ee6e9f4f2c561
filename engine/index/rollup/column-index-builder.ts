/**
 * Builds the indexes that are made from single columns: times, values, rollups. They are built
 * together because all of them work on the same codes of the same columns.
 */
import type { Kind } from '../../contract/event.ts';
import type { IndexRows } from '../rows.ts';
import type { Section } from '../side-file.ts';
import { datedRows, timeSection } from '../time/time-section.ts';
import { DimensionCollector } from '../values/dimensions.ts';
import { Growing32, Growing64 } from '../values/growing.ts';
import { valueSection } from '../values/value-section.ts';
import { AttributeCodes } from './cube/attribute-codes.ts';
import { FLOW_COLUMN, type SmallColumn, cubeSection } from './cube/cube-section.ts';
import { type CodedColumn, alikeRows } from './pre-aggregate.ts';
import {
  type Counted,
  Groups,
  chosen32,
  countedAlike,
  countedRows,
  countedSome,
} from './counted.ts';
import { measured } from './measured.ts';
import { FLOWED_SECTION, ROLLUP_SECTION, rollupSection } from './rollup-section.ts';
import { MEASURES } from './sets.ts';

export class ColumnIndexBuilder {
  private readonly dimensions = new DimensionCollector();
  private readonly attributes = new AttributeCodes();
  readonly times = new Growing64();
  private readonly measures = MEASURES.map(() => new Growing64());
  /** Not 0 for packets that belong to a flow; undefined for other kinds. */
  private readonly flows: Growing32 | undefined;
  private rows = 0;

  constructor(kind: Kind) {
    this.flows = kind === 'packet' ? new Growing32() : undefined;
  }

  add(rows: IndexRows): void {
    this.rows += rows.length;
    this.dimensions.add(rows);
    this.attributes.add(rows);
    this.times.append(rows.numbers.get('ts'), rows.length);
    MEASURES.forEach((name, i) => this.measures[i]!.append(rows.numbers.get(name), rows.length));
    if (this.flows !== undefined) noteFlows(this.flows, rows);
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
    const attributes = this.attributes.finish(order);
    const noFlow = this.flows && absences(this.flows.codes(), order);
    const unflowed = noFlow && placesOf(noFlow, 1);
    const groups = new Groups();
    const sections = [valueSection(rows, dimensions, groups, unflowed, inText)];
    if (dated !== undefined) sections.push(timeSection(times, dated));

    const aggregated = alikeRows(rows, [
      ...dimensions.present,
      ...withCodes(attributes),
      ...(noFlow ? [{ codes: noFlow, size: 1 }] : []),
    ]);
    const parts: Own =
      aggregated === undefined
        ? {
            counted: countedRows(rows, {
              ...{ dimensions, groups },
              measures: this.measures.map((one) =>
                one.used ? measured(one.inOrder(order)) : undefined,
              ),
            }),
            attributes,
            noFlow,
          }
        : {
            counted: countedAlike({ rows, dimensions }, this.measures, order, aggregated),
            attributes: attributes.map((one) => ofEntries(one, aggregated.firsts)),
            noFlow: noFlow && chosen32(noFlow, aggregated.firsts),
          };
    return [...sections, ...countedSections(parts, unflowed)];
  }
}

function noteFlows(flows: Growing32, { numbers, length }: IndexRows): void {
  const column = numbers.get('flow_id');
  if (column === undefined) {
    flows.skip(length);
    return;
  }
  const first = flows.extend(length);
  if (column.present === undefined) flows.values.fill(1, first, first + length);
  else flows.values.set(column.present.subarray(0, length), first);
}

/** The input of rollups and cube, with a code for each entry. */
interface Own {
  readonly counted: Counted;
  readonly attributes: readonly SmallColumn[];
  /** 1 for packets that belong to no flow; undefined for other kinds. */
  readonly noFlow: Uint32Array | undefined;
}

/** Packets that belong to a flow are counted apart from others. */
function countedSections(parts: Own, unflowedRows: Uint32Array | undefined): Section[] {
  const { counted, noFlow } = parts;
  const cube = cubeSection(counted, smallColumns(parts));
  const inCube = cube?.values ?? new Set();
  const partSection = (name: string, entries: Uint32Array): Section => {
    const all = entries.length === counted.entries;
    return rollupSection(name, all ? counted : countedSome(counted, entries), inCube);
  };
  const sections =
    noFlow === undefined || unflowedRows === undefined || unflowedRows.length === counted.rows
      ? [rollupSection(ROLLUP_SECTION, counted, inCube)]
      : [
          partSection(ROLLUP_SECTION, placesOf(noFlow, 1)),
          partSection(FLOWED_SECTION, placesOf(noFlow, 0)),
        ];
  return cube === undefined ? sections : [...sections, cube.section];
}

/** Columns as they may be combined: of addresses, and of flows, whether there is one. */
function smallColumns({ counted, attributes, noFlow }: Own): SmallColumn[] {
  const columns = counted.dimensions.present
    .filter(({ name }) => name !== 'src_port' && name !== 'dst_port')
    .map((column): SmallColumn => {
      const { name, size, codes } = column;
      const isPresence = name === 'src_ip' || name === 'dst_ip';
      const isConstant = (size === 1 || isPresence) && !codes.includes(size);
      if (!isPresence) return isConstant ? { ...column, codes: undefined } : column;
      return { name, ...PRESENCE, codes: isConstant ? undefined : flagsOf(codes, size) };
    });
  // Combined first: it must be in the cube, whichever other columns are.
  const flow =
    noFlow?.includes(0) === true ? [{ name: FLOW_COLUMN, ...PRESENCE, codes: noFlow }] : [];
  return [...flow, ...columns, ...attributes];
}

/** One value, which nobody asks for. */
const PRESENCE = { size: 1, values: { numbers: new Uint32Array(0), texts: [] } } as const;

function withCodes(columns: readonly SmallColumn[]): CodedColumn[] {
  return columns.flatMap(({ codes, size }) => (codes === undefined ? [] : [{ codes, size }]));
}

function ofEntries(column: SmallColumn, entries: Uint32Array): SmallColumn {
  return { ...column, codes: column.codes && chosen32(column.codes, entries) };
}

// Hot loops (CONTRIBUTING.md).

/** 1 for codes that are `code`. */
function flagsOf(codes: Uint32Array, code: number): Uint32Array {
  const out = new Uint32Array(codes.length);
  putFlags(codes, code, out);
  return out;
}

function putFlags(codes: Uint32Array, code: number, out: Uint32Array): void {
  for (let i = 0; i < codes.length; i++) out[i] = codes[i] === code ? 1 : 0;
}

/** 1 for rows whose code is 0. */
function absences(codes: Uint32Array, order: Uint32Array | undefined): Uint32Array {
  const out = new Uint32Array(codes.length);
  if (order === undefined) putFlags(codes, 0, out);
  else for (let row = 0; row < out.length; row++) out[row] = codes[order[row]!] === 0 ? 1 : 0;
  return out;
}

/** Where `flags` are `flag`. */
function placesOf(flags: Uint32Array, flag: number): Uint32Array {
  const out = new Uint32Array(countOf(flags, flag));
  putPlaces(flags, flag, out);
  return out;
}

function countOf(flags: Uint32Array, flag: number): number {
  let n = 0;
  for (let i = 0; i < flags.length; i++) if (flags[i] === flag) n += 1;
  return n;
}

function putPlaces(flags: Uint32Array, flag: number, out: Uint32Array): void {
  for (let i = 0, to = 0; to < out.length; i++) if (flags[i] === flag) out[to++] = i;
}
