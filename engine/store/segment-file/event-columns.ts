/** The columns of a segment's events out of its file, also those that its table generates from what it stores. */
import { MESSAGE, SHAPE, TEXTS } from '../messages/message-columns.ts';
import { TIME_UNITS } from '../table-layout.ts';
import { Unreadable } from './pages.ts';
import type { FileValue, SegmentReader } from './segment-reader.ts';

/** Some rows' values, each column read once. */
export class EventColumns {
  private readonly reader: SegmentReader;
  private readonly rows: readonly number[];
  private readonly known = new Map<string, readonly FileValue[]>();
  private readonly limits = new Map<string, (place: number) => boolean>();

  /** @param rows numbers of rows, ascending */
  constructor(reader: SegmentReader, rows: readonly number[]) {
    this.reader = reader;
    this.rows = rows;
  }

  /** Of column `name` only these rows, by their place among all, are wanted: the others have null. */
  limit(name: string, isWanted: (place: number) => boolean): void {
    this.limits.set(name, isWanted);
  }

  /**
   * Has the disk bring what these columns will be read from; those that the segment has not are left out.
   * @throws Unreadable, and what reading a file throws
   */
  async bring(names: Iterable<string>): Promise<void> {
    const { reader, rows } = this;
    const wanted: [string, readonly number[]][] = [];
    for (const name of new Set([...names].flatMap((one) => this.storedNames(one)))) {
      const isWanted = this.limits.get(name);
      const some = isWanted === undefined ? rows : rows.filter((_, place) => isWanted(place));
      if (some.length > 0) wanted.push([name, some]);
    }
    await reader.bring(wanted);
  }

  /** The columns that the file has, and not as one value, of what one is made of. */
  private storedNames(name: string): string[] {
    const { reader } = this;
    if (reader.has(name)) return reader.isConstant(name) ? [] : [name];
    const parts =
      name === 'ts' ? Object.values(TIME_UNITS) : name === MESSAGE ? [TEXTS, SHAPE] : [];
    return parts.filter((one) => reader.has(one) && !reader.isConstant(one));
  }

  /** @throws Unreadable, and what reading a file throws */
  values(name: string): readonly FileValue[] {
    let values = this.known.get(name);
    if (values === undefined) this.known.set(name, (values = this.read(name)));
    return values;
  }

  private read(name: string): readonly FileValue[] {
    const { reader } = this;
    if (reader.has(name)) return this.stored(name);
    if (name === 'ts')
      for (const [unit, stored] of Object.entries(TIME_UNITS))
        if (reader.has(stored))
          return this.values(stored).map((time) =>
            time === null ? null : Number(time) * Number(unit),
          );
    if (name === MESSAGE && reader.has(TEXTS)) {
      const texts = this.values(TEXTS);
      return this.values(SHAPE).map((shape, i) => {
        const list = shape === null ? texts[i] : null;
        return Array.isArray(list) ? (list[0] ?? null) : null;
      });
    }
    throw new Unreadable(`no column ${name}`);
  }

  private stored(name: string): readonly FileValue[] {
    const { reader, rows } = this;
    const isWanted = this.limits.get(name);
    if (isWanted === undefined) return reader.values(name, rows);
    const some = rows.filter((_, place) => isWanted(place));
    if (some.length === 0) return rows.map(() => null);
    const values = reader.values(name, some);
    let at = 0;
    return rows.map((_, place) => (isWanted(place) ? values[at++]! : null));
  }
}
