/**
 * What can be learned about a segment's rows without reading the segment: the sections of its side file, each
 * opened on first use.
 *
 * Invariant: a missing or unreadable section is undefined. The caller then reads the rows themselves: the answer is
 * the same.
 */
import { hasCode } from '../contract/errors.ts';
import type { RollupIndex } from './rollup/rollup-index.ts';
import { mostSideFiles, OpenFiles, openFileLimit } from '../util/files/open-files.ts';
import { SideFile, sideFilePath } from './side-file.ts';
import type { TextIndex } from './text/index.ts';
import type { ValueIndex } from './values/value-index.ts';

type TextLookup = Pick<
  TextIndex,
  'hasAllTexts' | 'search' | 'patterns' | 'rowsOfText' | 'countsOfText' | 'close'
>;

export interface TimeLookup {
  /** The first row at or after a time in UTC microseconds; rows without a time come last. */
  rowAt(ts: number): number;
  /** Undefined: the row has no time. */
  timeOf(row: number): number | undefined;
}

/** Rows by whole values; undefined: the column is not indexed, or has too many values. */
export type ValueLookup = Pick<
  ValueIndex,
  | 'close'
  | 'countsOfText'
  | 'countsOfAddress'
  | 'rowsOfIp4'
  | 'rowsOfIp6'
  | 'rowsOfIp4List'
  | 'rowsOfText'
  | 'placesOfIp4'
  | 'placesOfIp6'
  | 'unflowed'
  | 'mostOfIp4'
  | 'mostOfIp6'
  | 'mostOfIp4List'
>;
type Values = ValueLookup & Pick<ValueIndex, 'isInText'>;
type RollupLookup = Pick<RollupIndex, 'close' | 'groups'>;

export interface SegmentIndexes {
  readonly text?: TextLookup | undefined;
  readonly time?: TimeLookup | undefined;
  readonly values?: ValueLookup | undefined;
  readonly rollup?: RollupLookup | undefined;
}

/** How each section is opened; undefined: the file does not have it. */
export interface Openers {
  readonly text: (file: SideFile) => TextLookup | undefined;
  readonly time: (file: SideFile) => TimeLookup | undefined;
  readonly values: (file: SideFile) => Values | undefined;
  readonly rollup: (file: SideFile) => RollupLookup | undefined;
}

/** A section could not be read. The file is not used again: retry the operation, which goes on without it. */
export class IndexDamaged extends Error {
  override readonly name = 'IndexDamaged';
}

/** The side files of a case that are in use. */
export class IndexFiles {
  private readonly openers: Openers;
  private readonly caseFolder: string | undefined;
  /** By the path of the segment. */
  private readonly handles = new Map<string, Handle>();
  private readonly open = new OpenFiles<Handle>(mostSideFiles(openFileLimit()));

  /** @param caseFolder the case that they belong to; links in it are not followed */
  constructor(openers: Openers, caseFolder?: string) {
    this.openers = openers;
    this.caseFolder = caseFolder;
  }

  /**
   * The indexes of the segment in `segmentFile`, which has `rows` rows. The result may be kept.
   * @throws IndexDamaged when the result is used
   */
  of(segmentFile: string, rows: number): SegmentIndexes {
    let handle = this.handles.get(segmentFile);
    if (handle === undefined) {
      const path = sideFilePath(segmentFile);
      const open = () => SideFile.open(path, this.caseFolder);
      handle = new Handle(path, rows, open, this.openers, (one) => this.open.used(one));
      this.handles.set(segmentFile, handle);
    }
    return handle;
  }

  /** How many of these segments have a damaged side file. */
  damagedOf(segmentFiles: readonly string[]): number {
    return segmentFiles.filter((file) => this.handles.get(file)?.damaged === true).length;
  }

  /** Closes indexes of other segments, and forgets which were missing or damaged: they may have been rebuilt. */
  keepOnly(segmentFiles: ReadonlySet<string>): void {
    for (const [file, handle] of this.handles) {
      if (this.open.has(handle) && segmentFiles.has(file)) continue;
      handle.close();
      this.open.delete(handle);
      this.handles.delete(file);
    }
  }

  close(): void {
    this.keepOnly(new Set());
  }
}

/** The sections of a side file, each after its first use; undefined: it has no such section. */
interface Sections {
  readonly file: SideFile;
  text?: TextLookup | undefined;
  time?: TimeLookup | undefined;
  values?: Values | undefined;
  rollup?: RollupLookup | undefined;
}

/** One side file, open while it is in use. */
class Handle implements SegmentIndexes {
  damaged = false;
  private readonly path: string;
  private readonly rows: number;
  private readonly openFile: () => SideFile | undefined;
  private readonly openers: Openers;
  private readonly used: (handle: Handle) => void;
  private sections: Sections | undefined;
  private missing = false;
  private asText: TextLookup | undefined;
  private asTime: TimeLookup | undefined;

  constructor(
    path: string,
    rows: number,
    open: () => SideFile | undefined,
    openers: Openers,
    used: (handle: Handle) => void,
  ) {
    this.path = path;
    this.openFile = open;
    this.rows = rows;
    this.openers = openers;
    this.used = used;
  }

  get text(): TextLookup | undefined {
    const section = () => this.section('text', this.openers.text);
    if (section() === undefined) return undefined;
    // One object per segment is enough: it reopens the file where that was closed.
    return (this.asText ??= {
      hasAllTexts: this.ask(() => section()?.hasAllTexts === true),
      search: (query, column) => this.ask(() => section()?.search(query, column)),
      patterns: (column) => this.ask(() => section()?.patterns(column) ?? []),
      rowsOfText: (column, test) => this.ask(() => section()?.rowsOfText(column, test)),
      countsOfText: (column, rows, most) =>
        this.ask(() => section()?.countsOfText(column, rows, most)),
      close: () => undefined,
    });
  }

  get time(): TimeLookup | undefined {
    const lookup = (): TimeLookup => {
      const found = this.section('time', this.openers.time);
      if (found === undefined) throw new IndexDamaged(`${this.path} is gone`);
      return found;
    };
    if (this.section('time', this.openers.time) === undefined) return undefined;
    return (this.asTime ??= {
      rowAt: (ts) => this.ask(() => lookup().rowAt(ts)),
      timeOf: (row) => this.ask(() => lookup().timeOf(row)),
    });
  }

  get values(): ValueLookup | undefined {
    const section = () => this.section('values', this.openers.values);
    if (section() === undefined) return undefined;
    const textsOf = (column: 'host' | 'program') =>
      section()?.isInText(column) === true ? this.section('text', this.openers.text) : section();
    return {
      rowsOfIp4: (column, low, high) => this.ask(() => section()?.rowsOfIp4(column, low, high)),
      rowsOfIp6: (column, low, high) => this.ask(() => section()?.rowsOfIp6(column, low, high)),
      rowsOfIp4List: (column, ranges) => this.ask(() => section()?.rowsOfIp4List(column, ranges)),
      placesOfIp4: (dim, low, high) => this.ask(() => section()?.placesOfIp4(dim, low, high)),
      placesOfIp6: (dim, low, high) => this.ask(() => section()?.placesOfIp6(dim, low, high)),
      rowsOfText: (column, test) => this.ask(() => textsOf(column)?.rowsOfText(column, test)),
      countsOfText: (column, rows, most) =>
        this.ask(() => textsOf(column)?.countsOfText(column, rows, most)),
      countsOfAddress: (side, rows, most) =>
        this.ask(() => section()?.countsOfAddress(side, rows, most)),
      unflowed: () => this.ask(() => section()?.unflowed()),
      mostOfIp4: (column, low, high) => this.ask(() => section()?.mostOfIp4(column, low, high)),
      mostOfIp6: (column, low, high) => this.ask(() => section()?.mostOfIp6(column, low, high)),
      mostOfIp4List: (column, ranges) => this.ask(() => section()?.mostOfIp4List(column, ranges)),
      close: () => undefined,
    };
  }

  get rollup(): RollupLookup | undefined {
    const section = () => this.section('rollup', this.openers.rollup);
    if (section() === undefined) return undefined;
    return {
      groups: (question) => this.ask(() => section()?.groups(question)),
      close: () => undefined,
    };
  }

  close(): void {
    this.sections?.text?.close();
    this.sections?.values?.close();
    this.sections?.rollup?.close();
    this.sections?.file.close();
    this.sections = undefined;
  }

  private section<K extends keyof Openers>(
    name: K,
    open: (file: SideFile) => Sections[K],
  ): Sections[K] {
    const here = this.opened();
    if (here === undefined) return undefined;
    if (!Object.hasOwn(here, name)) here[name] = this.ask(() => open(here.file));
    return here[name];
  }

  /** Undefined if there is no usable file. */
  private opened(): Sections | undefined {
    if (this.missing || this.damaged) return undefined;
    if (this.sections === undefined) {
      const file = this.ask(this.openFile);
      if (file === undefined) {
        this.missing = true;
        return undefined;
      }
      if (file.rows !== this.rows) {
        // A file left from other rows does not describe these.
        file.close();
        this.damaged = true;
        return undefined;
      }
      this.sections = { file };
    }
    this.used(this);
    return this.sections;
  }

  private ask<T>(question: () => T): T {
    try {
      return question();
    } catch (error) {
      if (!hasCode(error, 'case-damaged')) throw error;
      this.damaged = true;
      this.close();
      throw new IndexDamaged(`${this.path} is damaged`, { cause: error });
    }
  }
}
