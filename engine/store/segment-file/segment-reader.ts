/** Values of known rows out of a segment's file. */
import { closeSync, openSync } from 'node:fs';
import { type NumberType, type Value, numberType, readNumbers } from './numbers.ts';
import { Pages, type Scratch, Unreadable } from './pages.ts';
import type { Piece, SegmentMap, Stored } from './segment-map.ts';
import { readTexts } from './texts.ts';
import { readValidity } from './validity.ts';

export type { Value };
/** As a statement gives them: numbers (times in microseconds), texts (UUIDs, too), lists. */
export type FileValue = Value | Value[];

/** Elements of the lists of some rows; more are not what a message has. */
const MOST_ELEMENTS = 1 << 20;

export class SegmentReader {
  private readonly fd: number;
  private readonly map: SegmentMap;
  private readonly pages: Pages;

  /** @throws what opening a file throws, Unreadable */
  constructor(path: string, map: SegmentMap, scratch: Scratch) {
    this.fd = openSync(path, 'r');
    this.map = map;
    try {
      this.pages = new Pages(this.fd, map, scratch);
    } catch (error) {
      closeSync(this.fd);
      throw error;
    }
  }

  close(): void {
    closeSync(this.fd);
  }

  /** The text of the shapes of its messages, as its table's comment has it. */
  get shapes(): string | undefined {
    return this.map.shapes;
  }

  /** Whether the segment's table stores a column, or has one value of it. */
  has(name: string): boolean {
    return Object.hasOwn(this.map.columns, name) || Object.hasOwn(this.map.constants, name);
  }

  /** Whether it has one value of a column, which its map says. */
  isConstant(name: string): boolean {
    return Object.hasOwn(this.map.constants, name);
  }

  /**
   * The values of a column that it has.
   * @param rows their numbers, ascending
   * @throws Unreadable, and what reading a file throws
   */
  values(name: string, rows: readonly number[]): FileValue[] {
    const { constants } = this.map;
    const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
    if (constant !== undefined) return rows.map(() => constant);
    return [...this.groupsOf(name, rows)].flatMap(([stored, positions]) =>
      this.ofGroup(stored, positions),
    );
  }

  /**
   * Has the disk bring what the values of columns lie in, before they are asked for.
   * @param wanted of each column the rows, ascending
   * @throws Unreadable, and what reading a file throws
   */
  async bring(wanted: Iterable<readonly [name: string, rows: readonly number[]]>): Promise<void> {
    const own = new Set<number>();
    const lists: { stored: Stored; positions: readonly number[] }[] = [];
    for (const [name, rows] of wanted)
      for (const [stored, positions] of this.groupsOf(name, rows)) {
        const isList = stored.type.endsWith('[]');
        blocksOf(stored.valid, positions, own);
        blocksOf(stored.data, isList ? edgesOf(positions) : positions, own);
        if (isList && stored.child !== undefined) lists.push({ stored, positions });
      }
    await this.pages.bring(own);
    if (lists.length === 0) return;
    const elements = new Set<number>();
    for (const { stored, positions } of lists) {
      const child = stored.child!;
      const there = this.whichPresent(stored, positions);
      const some = positions.filter((_, i) => there[i] === 1);
      const { places } = this.elements(stored, some);
      blocksOf(child.valid, places, elements);
      blocksOf(child.data, places, elements);
    }
    await this.pages.bring(elements);
  }

  /** Of a column that is stored, each group that some of `rows` lie in, and where in it they do. */
  private *groupsOf(
    name: string,
    rows: readonly number[],
  ): Generator<[stored: Stored, positions: number[]]> {
    const { columns, groups } = this.map;
    const stored = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (stored?.length !== groups.length) throw new Unreadable(`no column ${name}`);
    let start = 0;
    let at = 0;
    for (const [group, count] of groups.entries()) {
      const positions: number[] = [];
      for (; at < rows.length && rows[at]! < start + count; at++) positions.push(rows[at]! - start);
      if (positions.length > 0) yield [stored[group]!, positions];
      start += count;
    }
    if (at < rows.length) throw new Unreadable('row');
  }

  private ofGroup(stored: Stored, positions: readonly number[]): FileValue[] {
    const there = this.whichPresent(stored, positions);
    const some = positions.filter((_, i) => there[i] === 1);
    if (some.length === 0) return positions.map(() => null);
    const values: readonly FileValue[] = stored.type.endsWith('[]')
      ? this.lists(stored, some)
      : this.plain(stored, some);
    if (some.length === positions.length) return [...values];
    let at = 0;
    return positions.map((_, i) => (there[i] === 1 ? values[at++]! : null));
  }

  /** 1 where there is a value. */
  private whichPresent({ valid }: Stored, positions: readonly number[]): Uint8Array {
    const there = new Uint8Array(positions.length);
    inPieces(valid, positions, (piece, some, at) =>
      readValidity(this.pages, piece, some, there, at),
    );
    return there;
  }

  private plain({ type, data }: Stored, positions: readonly number[]): Value[] {
    const out: Value[] = new Array<Value>(positions.length).fill(null);
    if (type === 'VARCHAR')
      inPieces(data, positions, (piece, some, at) => readTexts(this.pages, piece, some, out, at));
    else this.numbers(data, numberType(type), positions, out);
    return out;
  }

  private numbers(
    pieces: readonly Piece[],
    type: NumberType | undefined,
    positions: readonly number[],
    out: Value[],
  ): void {
    if (type === undefined) throw new Unreadable('type');
    inPieces(pieces, positions, (piece, some, at) =>
      readNumbers(this.pages, piece, type, some, out, at),
    );
  }

  private lists(stored: Stored, positions: readonly number[]): Value[][] {
    const { child } = stored;
    const { counts, places } = this.elements(stored, positions);
    // Where all are empty, nothing is stored of elements.
    if (child === undefined && places.length > 0) throw new Unreadable('list');
    const values = child === undefined ? [] : this.ofGroup(child, places);
    let at = 0;
    return counts.map((count) => values.slice(at, (at += count)) as Value[]);
  }

  /**
   * How many elements lists have, and where in their column. A list is stored as the number of elements up to its
   * end, in its group of rows.
   */
  private elements(
    { type, data }: Stored,
    positions: readonly number[],
  ): { counts: number[]; places: number[] } {
    const ends: Value[] = [];
    this.numbers(data, numberType(type), edgesOf(positions), ends);
    const places: number[] = [];
    let edge = 0;
    const counts = positions.map((position) => {
      const from = position === 0 ? 0 : Number(ends[edge++]);
      const to = Number(ends[edge++]);
      if (!(from <= to) || places.length + to - from > MOST_ELEMENTS) throw new Unreadable('list');
      for (let at = from; at < to; at++) places.push(at);
      return to - from;
    });
    return { counts, places };
  }
}

/** Where the ends of lists stand, and those of the lists before them. */
function edgesOf(positions: readonly number[]): number[] {
  return positions.flatMap((position) => (position === 0 ? [position] : [position - 1, position]));
}

/** Adds the blocks of pieces that some of `positions` (ascending) lie in. */
function blocksOf(
  pieces: readonly Piece[],
  positions: readonly number[],
  blocks: Set<number>,
): void {
  inPieces(pieces, positions, ([, encoding, block]) => {
    if (encoding !== 'Constant' && encoding !== 'Empty Validity') blocks.add(block);
  });
}

/** Calls `read` with those of `positions` (ascending) that lie in each piece, counted from its begin. */
function inPieces(
  pieces: readonly Piece[],
  positions: readonly number[],
  read: (piece: Piece, some: readonly number[], at: number) => void,
): void {
  let start = 0;
  let at = 0;
  for (const piece of pieces) {
    if (at === positions.length) return;
    const [count] = piece;
    const from = at;
    while (at < positions.length && positions[at]! < start + count) at++;
    if (at > from) {
      const base = start;
      read(
        piece,
        positions.slice(from, at).map((position) => position - base),
        from,
      );
    }
    start += count;
  }
  if (at < positions.length) throw new Unreadable('row');
}
