/**
 * Row numbers from times and times from row numbers, exactly, without the segment: see
 * `time-section.ts` for the section. At most one page is read for a lookup; the last few stay in memory.
 */
import { LruCache } from '../../util/lru-cache.ts';
import { BlockReader } from '../values/blocks.ts';
import { Damaged, PackReader } from '../values/packing.ts';
import type { SideFile } from '../side-file.ts';
import { TIME_SECTION, UNITS } from './time-section.ts';

/** Number of decoded pages in the cache, 16 KB each. */
const KEPT_PAGES = 4;
/** Number of cached answers: a window asks for the same buckets repeatedly. */
const KEPT_ANSWERS = 256;
const MAX_PAGE_ROWS = 65_536;
/** Bytes of a page: a width and up to seven planes. */
const MAX_PAGE_BYTES = MAX_PAGE_ROWS * 7 + 1;

export class TimeIndex {
  /** Rows of the segment, and how many of them, the first ones, have a time. */
  readonly rows: number;
  readonly dated: number;
  private readonly reader: BlockReader;
  private readonly pageRows: number;
  /** For each page: the first row's time, the end of its block, its unit. */
  private readonly firsts: Float64Array;
  private readonly ends: Float64Array;
  private readonly units: Uint8Array;
  private readonly pages = new LruCache<number, Float64Array>(KEPT_PAGES);
  /** Rows by time. */
  private readonly answers = new Map<number, number>();

  private constructor(file: SideFile, reader: BlockReader) {
    const head = new PackReader(reader.head, false);
    this.reader = reader;
    this.rows = head.u32();
    this.dated = head.u32();
    this.pageRows = head.u32();
    if (
      this.rows !== file.rows ||
      this.dated > this.rows ||
      this.pageRows < 1 ||
      this.pageRows > MAX_PAGE_ROWS
    )
      throw new Damaged('head');
    const pages = Math.ceil(this.dated / this.pageRows);
    if (reader.head.length !== 12 + pages * 13) throw new Damaged('head');
    this.firsts = new Float64Array(pages);
    this.ends = new Float64Array(pages);
    this.units = new Uint8Array(pages);
    for (let page = 0; page < pages; page++) {
      this.firsts[page] = head.f64();
      this.ends[page] = head.u32();
      this.units[page] = head.u8();
    }
  }

  /**
   * Undefined if the file has no such section.
   * @throws DaybookError case-damaged, like all methods
   */
  static open(file: SideFile): TimeIndex | undefined {
    const reader = BlockReader.open(file, TIME_SECTION);
    return reader?.guarded(() => new TimeIndex(file, reader));
  }

  /**
   * The first row whose time is `ts` (UTC microseconds) or later; the number of dated rows if there is none.
   * Undated rows come after those.
   */
  rowAt(ts: number): number {
    const known = this.answers.get(ts);
    if (known !== undefined) return known;
    const row = this.find(ts);
    if (this.answers.size >= KEPT_ANSWERS) this.answers.clear();
    this.answers.set(ts, row);
    return row;
  }

  private find(ts: number): number {
    const { firsts } = this;
    let low = 0;
    let high = firsts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (firsts[middle]! < ts) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return 0;
    const number = low - 1;
    const page = this.page(number);
    let from = 0;
    let to = page.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (page[middle]! < ts) from = middle + 1;
      else to = middle;
    }
    return number * this.pageRows + from;
  }

  /** The time of a row in UTC microseconds; undefined if it has none. */
  timeOf(row: number): number | undefined {
    if (!(row >= 0 && row < this.dated)) return undefined;
    const number = Math.floor(row / this.pageRows);
    return this.page(number)[row - number * this.pageRows];
  }

  private page(number: number): Float64Array {
    return this.pages.take(number, () => this.reader.guarded(() => this.read(number)));
  }

  private read(number: number): Float64Array {
    const from = number === 0 ? 0 : this.ends[number - 1]!;
    const block = new PackReader(this.reader.block(from, this.ends[number]!), false);
    const planes = new PackReader(block.packed(MAX_PAGE_BYTES), false);
    const rows = Math.min(this.pageRows, this.dated - number * this.pageRows);
    const steps = planes.numbers53(rows - 1);
    const unit = UNITS[this.units[number]!];
    if (unit === undefined) throw new Damaged('unit');
    const page = new Float64Array(rows);
    let time = this.firsts[number]!;
    page[0] = time;
    for (let i = 1; i < rows; i++) {
      time += steps[i - 1]! * unit;
      page[i] = time;
    }
    return page;
  }
}
