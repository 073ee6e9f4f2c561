/**
 * Reads the events of a query in order, in batches: day by day if the order allows it, in slices of time if a day's
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
/** At most this many rows of a statement have their messages assembled one by one. */
const FEW = 2000;
/** Limit of segments times columns for one statement: each is planned and gets room for 2,048 values. */
const MOST_CELLS = 32_768;
/** The limit if most columns do not exist in a segment: planning takes 0.1 ms for each of them all the same. */
const MOST_PADDED = 1500;
/** Room for these values; if memory is short, it may take all of it. */
const CELL_BYTES = 2048 * 16;
/** Columns of an event besides those shown: time, identity and order. */
const ROW_COLUMNS = 6;

/** Reads the events of an asker's plan once. */
export class EventReader {
  private readonly asker: Asker;
  private left: number | undefined;
  private examined = 0;
  private returned = 0;
  private readonly days = new Set<string>();
  private readonly segments = new Set<number>();
  private path: Path = 'catalog';
  /** The last day that was delivered completely, and whether some events of the next one were. */
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
        // A compaction may replace segments while a reader moves from day to day.
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
   * Plans again after a temporary error; returns the segments of the remaining days, or undefined if the error is
   * final. After some events were delivered, reading continues only if small segments were merged and nothing else
   * changed (the one change that is not announced): the same events then have the same times.
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
    let runPlan: Plan = { ...plan, segmentsUsed: run.segments };
    if (finder !== undefined) {
      runPlan = await watch.spanAsync('index', () => finder.prune(runPlan, run.segments));
      if (plan.streaming) runPlan = withFirst(runPlan, run, this.left);
    }
    let read = this.note(runPlan, run);
    if (finder !== undefined && plan.streaming && isSpread(read, run)) {
      // Finding out which of many small segments have any events is faster than reading all their columns.
      const exact = await finder.prune({ ...plan, segmentsUsed: read }, read, 'all');
      runPlan = withFirst(exact, run, this.left);
      read = segmentsRead(runPlan);
    }
    for (const part of plan.streaming ? readTogether(read) : [read]) {
      if (this.left === 0 || part.length === 0) break;
      const before = this.returned;
      // Sorting a long day at once may take more memory than there is.
      const columns = columnsRead(plan, part);
      const wide = isWide(plan, part, mostCells(session.memory));
      const rows = wide ? Infinity : sliceRows(session.memory, columns);
      const slices = plan.streaming ? slicesOf(part, run, finder, rows) : [undefined];
      for (const slice of slices) {
        const dated = slice === undefined ? part : withinTime(part, slice);
        if (this.left === 0) break;
        if (dated.length > 0) yield* this.slice(asked, runPlan, dated, slice);
      }
      this.given = lastGiven(part, run);
      this.isWithinDay = false;
      // A part without events is no progress: planned again after an error, it would be read for ever.
      if (this.returned > before) this.asker.progressed();
    }
  }

  private async *slice(
    asked: AskedView,
    runPlan: Plan,
    segments: readonly SegmentInfo[],
    within: TimeSlice | undefined,
  ): AsyncGenerator<RowBatch> {
    const inParts = givesFew(runPlan, segments);
    const options = { segments, limit: this.left, within, inParts };
    for await (const batch of inOrder(asked, runPlan, options)) {
      this.isWithinDay = true;
      this.returned += batch.rows.length;
      if (this.left !== undefined) this.left -= batch.rows.length;
      yield batch;
    }
  }

  /** Records the cost of a run; returns the segments that are read. */
  private note(runPlan: Plan, run: DayRun): SegmentInfo[] {
    const read = segmentsRead(runPlan);
    this.path = heavier(this.path, pathOf(runPlan));
    this.examined += rowsRead(runPlan);
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
  // A day in segments of its own delivers events soon; segments of many days are read once for several of them.
  const isOwn = finder === undefined && segments.every((one) => lastDayOf(one) === one.day);
  return isOwn ? singleDays(segments) : dayRuns(segments);
}

/** Rows of some segments, in order: by one statement, or in slices if the rows to sort do not fit in memory. */
async function* inOrder(
  asked: AskedView,
  whole: Plan,
  options: RowsOfSegments,
): AsyncGenerator<RowBatch> {
  const { segments } = options;
  const groupPlan = { ...whole, segmentsUsed: segments };
  const { session, plan } = asked;
  const columns = columnsRead(plan, segments);
  // Rows are wide, or many: read the columns that decide the order first, and the requested columns afterwards.
  const rows = Math.min(
    rowsRead(groupPlan),
    plan.streaming ? (options.limit ?? Infinity) : Infinity,
  );
  const isLong = options.within === undefined && rows > sortableRows(session.memory, columns);
  if (isLong || isWide(groupPlan, segments, mostCells(session.memory))) {
    yield* inSlices(asked, groupPlan, options);
    return;
  }
  const statement = asked.watch.span('compile', () => compileRows(groupPlan, options));
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
  yield* inSlices(asked, groupPlan, options);
}

/** Rows delivered at a time. */
const BATCH_ROWS = 4096;

async function* inSlices(
  asked: AskedView,
  groupPlan: Plan,
  options: RowsOfSegments,
): AsyncGenerator<RowBatch> {
  const { store, memory } = asked.session;
  const groups = columnGroups(groupPlan, options.segments, mostCells(memory));
  const columns = Math.max(...groups.map((group) => columnsRead(groupPlan, group)));
  const reader = {
    // As JavaScript values they take several times as much memory as DuckDB needs to sort them.
    ...{ rows: Math.ceil(sliceRows(memory, columns) / 2), memory, columns, groups },
    stream: (one: Parameters<AskedView['plainRows']>[0]) => asked.plainRows(one, options.segments),
    drop: (tables: readonly string[]) => store.dropWork(tables),
    folder: () => store.workFolder(),
    dropFolder: (folder: string) => store.dropFolder(folder),
  };
  for await (const slice of rowsInSlices(reader, groupPlan, options)) {
    await asked.assemble(slice.rows, slice.statement, slice.segments);
    // The results take several times the memory of the rows.
    for (let at = 0; at < slice.rows.length; at += BATCH_ROWS) {
      const portion = slice.rows.slice(at, at + BATCH_ROWS);
      yield { columns: slice.statement.columns, rows: portion.map((row) => row.map(toRawValue)) };
    }
  }
}

/** Whether all events of a plan in some segments are known, and few. */
function givesFew(plan: Plan, segments: readonly SegmentInfo[]): boolean {
  const found = foundByFilter(plan);
  let rows = 0;
  for (const segment of segments) {
    const known = found?.get(segment.id);
    if (known?.exact !== true || known.asFilter === true) return false;
    rows += countOf(known.rows, segment.rows);
  }
  return rows <= FEW;
}

/** The events of a run of days; the first `limit` events of each segment contain the first `limit` of all. */
function withFirst(plan: Plan, run: DayRun, limit = Infinity): Plan {
  const found = foundByFilter(plan);
  if (found === undefined || plan.events.node !== 'base') return plan;
  const cut = new Map<number, FoundRows>();
  // The segments of a group overlap in time; groups follow each other.
  let before = 0;
  let sure = 0;
  for (const group of disjointGroups(plan.segmentsUsed)) {
    before = sure;
    for (const segment of group) {
      const whole = found.get(segment.id);
      if (whole === undefined) continue;
      const inRun = ofRun(whole, segment, run);
      const { rows } = inRun;
      if (before >= limit) {
        cut.set(segment.id, { ...inRun, rows: 'none', exact: true });
        continue;
      }
      if (inRun.exact) sure += countOf(rows, segment.rows);
      const isLonger = inRun.exact && countOf(rows, segment.rows) > limit;
      cut.set(
        segment.id,
        isLonger ? { ...inRun, rows: firstOf(rows, segment.rows, limit), asFilter: false } : inRun,
      );
    }
  }
  return { ...plan, events: { ...plan.events, found: cut } };
}

/** The rows that belong to the days of a run. */
function ofRun(found: FoundRows, segment: SegmentInfo, run: DayRun): FoundRows {
  if (!goesBeyond(segment, run)) return found;
  const { from, to } = rowsOfDays(segment, run.first, run.last);
  return { ...found, rows: intersect(found.rows, rowsOf(RowSet.range(segment.rows, from, to))) };
}

/** Whether several segments have events of several days. */
function isSpread(segments: readonly SegmentInfo[], { first, last }: DayRun): boolean {
  return first !== last && segments.length > 1;
}

/** The last day that is complete with these segments of a run. */
function lastGiven(segments: readonly SegmentInfo[], { last }: DayRun): string {
  const lastDay = segments.map(lastDayOf).reduce((a, b) => (a > b ? a : b));
  return lastDay < last ? lastDay : last;
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

/** Columns that a statement reads from segments. */
function columnsRead({ projection }: Plan, segments: readonly SegmentInfo[]): number {
  if (projection !== undefined) return projection.length + ROW_COLUMNS;
  const names = new Set<string>();
  for (const columns of new Set(segments.map((one) => one.columns)))
    for (const name of columns) names.add(name);
  return names.size + ROW_COLUMNS;
}

/** Whether these segments together have too many columns for one statement. */
function isWide(plan: Plan, segments: readonly SegmentInfo[], most: number): boolean {
  if (segments.length < 2) return false;
  const cells = segments.length * columnsRead(plan, segments);
  const needed = segments.reduce((sum, one) => sum + columnsRead(plan, [one]), 0);
  return areTooMany({ cells, needed, most });
}

/** Whether there are too many cells for one statement; `needed` of them exist in the segments. */
function areTooMany(of: { cells: number; needed: number; most: number }): boolean {
  return of.cells > of.most || of.cells > Math.max(2 * of.needed, MOST_PADDED);
}

function mostCells(memory: number): number {
  return Math.min(MOST_CELLS, memory / CELL_BYTES);
}

/**
 * Groups of segments whose rows one statement reads, each with the columns of all others. A thousand sources may
 * have ten thousand columns, of which a row has a few.
 */
function columnGroups(plan: Plan, segments: readonly SegmentInfo[], most: number): SegmentInfo[][] {
  // If few columns are requested, one statement reads all segments.
  if (plan.projection !== undefined) return [[...segments]];
  const groups: SegmentInfo[][] = [];
  let names = new Set<string>();
  let needed = 0;
  for (const [columns, sameColumns] of Map.groupBy(segments, (segment) => segment.columns)) {
    let together = new Set([...names, ...columns]);
    for (const segment of sameColumns) {
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
