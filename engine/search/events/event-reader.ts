/**
 * The events of a query, in batches, in order: from day to day where the order allows, in slices of time where a day's
 * rows do not fit in memory.
 */
import { hasCode } from '../../contract/errors.ts';
import {
  type FoundRows,
  type OutputColumn,
  type Path,
  type Plan,
  type RawValue,
  type RowsOptions,
  type SegmentInfo,
  compileRows,
  countOf,
  firstOf,
  intersect,
  rowsOf,
} from '../../query/index.ts';
import {
  foundByFilter,
  heavier,
  pathOf,
  rowsRead,
  segmentsRead,
} from '../../query/plan/plan-reads.ts';
import { RowSet } from '../../util/row-set.ts';
import {
  dayEnd,
  daysOf,
  disjointGroups,
  isUsual,
  lastDayOf,
  rowsOfDays,
} from '../../util/segment-days.ts';
import { type AskedView, toRawValue } from '../asked-view.ts';
import type { Asker } from '../asker.ts';
import type { RowFinder } from '../rows/row-finder.ts';
import {
  type DayRun,
  boundsOfRun,
  dayRuns,
  goesBeyond,
  readTogether,
  singleDays,
  withinTime,
} from './day-runs.ts';
import { rowsInSlices } from './rows-in-slices.ts';
import { sliceRows, sortableRows, timeSlices, type TimeSlice } from './time-slices.ts';

export interface RowBatch {
  columns: readonly OutputColumn[];
  rows: readonly (readonly RawValue[])[];
}

/** Options of `compileRows` for some segments. */
type RowsOfSegments = RowsOptions & { readonly segments: readonly SegmentInfo[] };

/** Sorts after every day. */
const UNDATED = 'undated';
/** Rows of a statement, at most, whose messages are put together one by one. */
const FEW = 2000;
/** Segments times columns that one statement reads: for each of them it is planned, and has room for 2,048 values. */
const MOST_CELLS = 32_768;
/** The same where most are columns that a segment has not: they are planned all the same, in 0.1 ms each. */
const MOST_PADDED = 1500;
/** Room for these values; where memory is short, it may take all of it. */
const CELL_BYTES = 2048 * 16;
/** Columns of an event beside those that are shown: time, identity and order. */
const ROW_COLUMNS = 6;

/** Reads the events of an asker's plan, once. */
export class EventReader {
  private readonly asker: Asker;
  private left: number | undefined;
  private examined = 0;
  private returned = 0;
  private readonly days = new Set<string>();
  private readonly segments = new Set<number>();
  private path: Path = 'catalog';
  /** The last day of which all is given, and whether some is of the day after it. */
  private given: string | undefined;
  private isWithinDay = false;

  constructor(asker: Asker, limit: number | undefined) {
    this.asker = asker;
    this.left = least(asker.plan.limit, limit);
  }

  async *batches(): AsyncGenerator<RowBatch> {
    const { asker } = this;
    for (let rest: readonly SegmentInfo[] | undefined = asker.plan.segmentsUsed; ;) {
      try {
        const asked = asker.asked();
        for (const run of runsOf(asked, rest)) {
          if (this.left === 0 || run.segments.length === 0) break;
          yield* this.run(asked, run);
        }
        break;
      } catch (error) {
        // A compaction may replace segments while a reader goes from day to day.
        if (this.returned === 0) this.given = undefined;
        rest = this.isWithinDay ? undefined : this.planAfter(error);
        if (rest === undefined) {
          asker.fail(error);
          throw error;
        }
      }
    }
    const { watch } = asker;
    watch.path = this.path;
    watch.rowsExamined = this.examined;
    watch.segments = this.segments.size;
    watch.days = this.days.size;
    watch.rowsReturned = this.returned;
    asker.finish('done');
  }

  /**
   * Plans again after an error that passes; returns the segments of the days that are to come, undefined where the error
   * is final. A reader that was given events goes on only where small segments were merged and nothing else was done,
   * the one change of a case that is not announced: the same events have the same times.
   */
  private planAfter(error: unknown): readonly SegmentInfo[] | undefined {
    const { asker, given } = this;
    if (!asker.canRetry(error)) return undefined;
    if (given !== undefined) {
      if (!asker.isUnchanged() || asker.question.only !== undefined) return undefined;
      if (given !== UNDATED && !isUsual(given)) return undefined;
    }
    asker.replan(given === undefined || given === UNDATED ? undefined : dayEnd(given));
    return given === UNDATED ? [] : asker.plan.segmentsUsed;
  }

  private async *run(asked: AskedView, run: DayRun): AsyncGenerator<RowBatch> {
    const { plan, finder, watch, session } = asked;
    let own: Plan = { ...plan, segmentsUsed: run.segments };
    if (finder !== undefined) {
      own = await watch.spanAsync('index', () => finder.prune(own, run.segments));
      if (plan.streaming) own = withFirst(own, run, this.left);
    }
    let read = this.note(own, run);
    if (finder !== undefined && plan.streaming && isSpread(read, run)) {
      // To find out which of many small segments have any takes less than to read all their columns.
      const exact = await finder.prune({ ...plan, segmentsUsed: read }, read, 'all');
      own = withFirst(exact, run, this.left);
      read = segmentsRead(own);
    }
    for (const part of plan.streaming ? readTogether(read) : [read]) {
      if (this.left === 0 || part.length === 0) break;
      // Sorting a long day at once takes more memory than there may be.
      const columns = columnsRead(plan, part);
      const wide = isWide(plan, part, mostCells(session.memory));
      const rows = wide ? Infinity : sliceRows(session.memory, columns);
      const slices = plan.streaming ? slicesOf(part, run, finder, rows) : [undefined];
      for (const slice of slices) {
        const dated = slice === undefined ? part : withinTime(part, slice);
        if (this.left === 0) break;
        if (dated.length > 0) yield* this.slice(asked, own, dated, slice);
      }
      this.given = lastGiven(part, run);
      this.isWithinDay = false;
      if (this.returned > 0) this.asker.progressed();
    }
  }

  private async *slice(
    asked: AskedView,
    own: Plan,
    segments: readonly SegmentInfo[],
    within: TimeSlice | undefined,
  ): AsyncGenerator<RowBatch> {
    const inParts = givesFew(own, segments);
    const options = { segments, limit: this.left, within, inParts };
    for await (const batch of inOrder(asked, own, options)) {
      this.isWithinDay = true;
      this.returned += batch.rows.length;
      if (this.left !== undefined) this.left -= batch.rows.length;
      yield batch;
    }
  }

  /** Notes what is looked at of a run; returns the segments that are read. */
  private note(own: Plan, run: DayRun): SegmentInfo[] {
    const read = segmentsRead(own);
    this.path = heavier(this.path, pathOf(own));
    this.examined += rowsRead(own);
    for (const one of read) {
      this.segments.add(one.id);
      for (const { day } of daysOf(one))
        if (day >= run.first && day <= run.last) this.days.add(day);
    }
    return read;
  }
}

function runsOf({ plan, finder }: AskedView, segments: readonly SegmentInfo[]): Iterable<DayRun> {
  if (!plan.streaming) return [{ segments: [...segments], first: '', last: UNDATED }];
  // A day that is in segments of its own has events soon; segments of many days are read once for several of them.
  const isOwn = finder === undefined && segments.every((one) => lastDayOf(one) === one.day);
  return isOwn ? singleDays(segments) : dayRuns(segments);
}

/** Rows of some segments, in order: by one statement, or in slices where memory does not hold what it sorts. */
async function* inOrder(
  asked: AskedView,
  whole: Plan,
  options: RowsOfSegments,
): AsyncGenerator<RowBatch> {
  const { segments } = options;
  const own = { ...whole, segmentsUsed: segments };
  const { session, plan } = asked;
  const columns = columnsRead(plan, segments);
  // Rows that are wide, or many: what they are ordered by first, and then only those that are asked for.
  const rows = Math.min(rowsRead(own), plan.streaming ? (options.limit ?? Infinity) : Infinity);
  const isLong = options.within === undefined && rows > sortableRows(session.memory, columns);
  if (isLong || isWide(own, segments, mostCells(session.memory))) {
    yield* inSlices(asked, own, options);
    return;
  }
  const statement = asked.watch.span('compile', () => compileRows(own, options));
  let isGiven = false;
  try {
    for await (const rows of asked.stream(statement, segments)) {
      isGiven = true;
      yield { columns: statement.columns, rows };
    }
    return;
  } catch (error) {
    if (isGiven || !hasCode(error, 'limit-exceeded')) throw error;
  }
  yield* inSlices(asked, own, options);
}

/** Rows that are given at a time. */
const BATCH_ROWS = 4096;

async function* inSlices(
  asked: AskedView,
  own: Plan,
  options: RowsOfSegments,
): AsyncGenerator<RowBatch> {
  const { store, memory } = asked.session;
  const groups = columnGroups(own, options.segments, mostCells(memory));
  const columns = Math.max(...groups.map((group) => columnsRead(own, group)));
  const reader = {
    // As values of JavaScript they take several times what DuckDB takes to sort them.
    ...{ rows: Math.ceil(sliceRows(memory, columns) / 2), memory, columns, groups },
    stream: (one: Parameters<AskedView['plainRows']>[0]) => asked.plainRows(one, options.segments),
    drop: (tables: readonly string[]) => store.dropWork(tables),
    folder: () => store.workFolder(),
    dropFolder: (folder: string) => store.dropFolder(folder),
  };
  for await (const slice of rowsInSlices(reader, own, options)) {
    await asked.assemble(slice.rows, slice.statement, slice.segments);
    // What is made of them takes several times their memory.
    for (let at = 0; at < slice.rows.length; at += BATCH_ROWS) {
      const portion = slice.rows.slice(at, at + BATCH_ROWS);
      yield { columns: slice.statement.columns, rows: portion.map((row) => row.map(toRawValue)) };
    }
  }
}

/** Whether all events that a plan has in some segments are known, and few. */
function givesFew(plan: Plan, segments: readonly SegmentInfo[]): boolean {
  const found = foundByFilter(plan);
  let rows = 0;
  for (const segment of segments) {
    const own = found?.get(segment.id);
    if (own?.exact !== true || own.asFilter === true) return false;
    rows += countOf(own.rows, segment.rows);
  }
  return rows <= FEW;
}

/** The events of a run of days; the first `limit` of each segment are enough for the first of all. */
function withFirst(plan: Plan, run: DayRun, limit = Infinity): Plan {
  const found = foundByFilter(plan);
  if (found === undefined || plan.events.node !== 'base') return plan;
  const cut = new Map<number, FoundRows>();
  // Segments of one group lie beside each other in time, groups one after the other.
  let before = 0;
  let sure = 0;
  for (const group of disjointGroups(plan.segmentsUsed)) {
    before = sure;
    for (const segment of group) {
      const whole = found.get(segment.id);
      if (whole === undefined) continue;
      const own = ofRun(whole, segment, run);
      const { rows } = own;
      if (before >= limit) {
        cut.set(segment.id, { ...own, rows: 'none', exact: true });
        continue;
      }
      if (own.exact) sure += countOf(rows, segment.rows);
      const isLonger = own.exact && countOf(rows, segment.rows) > limit;
      cut.set(
        segment.id,
        isLonger ? { ...own, rows: firstOf(rows, segment.rows, limit), asFilter: false } : own,
      );
    }
  }
  return { ...plan, events: { ...plan.events, found: cut } };
}

/** The rows that are of the days of a run. */
function ofRun(found: FoundRows, segment: SegmentInfo, run: DayRun): FoundRows {
  if (!goesBeyond(segment, run)) return found;
  const { from, to } = rowsOfDays(segment, run.first, run.last);
  return { ...found, rows: intersect(found.rows, rowsOf(RowSet.range(segment.rows, from, to))) };
}

/** Whether several segments have events of several days. */
function isSpread(segments: readonly SegmentInfo[], { first, last }: DayRun): boolean {
  return first !== last && segments.length > 1;
}

/** The last day of which all is given with these segments of a run. */
function lastGiven(segments: readonly SegmentInfo[], { last }: DayRun): string {
  const own = segments.map(lastDayOf).reduce((a, b) => (a > b ? a : b));
  return own < last ? own : last;
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

/** Columns that a statement reads of segments. */
function columnsRead({ projection }: Plan, segments: readonly SegmentInfo[]): number {
  if (projection !== undefined) return projection.length + ROW_COLUMNS;
  const names = new Set<string>();
  for (const columns of new Set(segments.map((one) => one.columns)))
    for (const name of columns) names.add(name);
  return names.size + ROW_COLUMNS;
}

/** Whether these segments have too many columns together for one statement. */
function isWide(plan: Plan, segments: readonly SegmentInfo[], most: number): boolean {
  if (segments.length < 2) return false;
  const cells = segments.length * columnsRead(plan, segments);
  const needed = segments.reduce((sum, one) => sum + columnsRead(plan, [one]), 0);
  return areTooMany({ cells, needed, most });
}

/** Whether these cells are too many for one statement, of which the segments have those that are `needed`. */
function areTooMany(of: { cells: number; needed: number; most: number }): boolean {
  return of.cells > of.most || of.cells > Math.max(2 * of.needed, MOST_PADDED);
}

function mostCells(memory: number): number {
  return Math.min(MOST_CELLS, memory / CELL_BYTES);
}

/**
 * Segments whose rows one statement reads, each with all columns of the others. Of a thousand sources there may be ten
 * thousand columns, of which a row has some.
 */
function columnGroups(plan: Plan, segments: readonly SegmentInfo[], most: number): SegmentInfo[][] {
  // Of few columns that are asked for, one statement reads all.
  if (plan.projection !== undefined) return [[...segments]];
  const groups: SegmentInfo[][] = [];
  let names = new Set<string>();
  let needed = 0;
  for (const [columns, alike] of Map.groupBy(segments, (segment) => segment.columns)) {
    let together = new Set([...names, ...columns]);
    for (const segment of alike) {
      const group = groups.at(-1);
      const cells = ((group?.length ?? 0) + 1) * (together.size + ROW_COLUMNS);
      needed += columns.size + ROW_COLUMNS;
      if (group === undefined || areTooMany({ cells, needed, most })) {
        groups.push([segment]);
        together = new Set(columns);
        needed = columns.size + ROW_COLUMNS;
      } else group.push(segment);
    }
    names = together;
  }
  return groups;
}

/** Undated events are in no slice of time. */
function slicesOf(
  segments: SegmentInfo[],
  run: DayRun,
  find: RowFinder | undefined,
  rows: number,
): (TimeSlice | undefined)[] {
  if (segments.some(({ day }) => day === UNDATED)) return [undefined];
  const slices = timeSlices(segments, (segment) => find?.timesOf(segment), rows);
  const bounds = boundsOfRun({ ...run, segments });
  if (bounds === undefined) return slices.length === 1 ? [undefined] : slices;
  return slices
    .map((slice) => ({
      from: Math.max(slice.from ?? -Infinity, bounds.from),
      to: Math.min(slice.to ?? Infinity, bounds.to),
    }))
    .filter(({ from, to }) => from < to);
}
