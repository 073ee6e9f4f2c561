/**
 * `query.run`: plans a query on what the case holds now, executes it and streams rows, or answers.
 */
import { RowSet } from '../util/row-set.ts';
import {
  dayEnd,
  daysOf,
  daysOfAll,
  disjointGroups,
  isUsual,
  lastDayOf,
  rowsOfDays,
} from '../util/segment-days.ts';
import type { SegmentRow } from '../catalog/tables/segments.ts';
import { DaybookError } from '../contract/errors.ts';
import type { EpochMicros } from '../contract/event.ts';
import { IndexDamaged } from '../index/segment-indexes.ts';
import { Stopwatch, type Timings } from '../measure/operation-log.ts';
import {
  type Answer,
  type AnswerStatement,
  type CompileContext,
  type FoundRows,
  type MatchedRange,
  type OutputColumn,
  type Path,
  type Plan,
  type RawValue,
  type RowsOptions,
  type SegmentInfo,
  type Statement,
  compileRange,
  type ShownRecord,
  compileRows,
  countOf,
  firstOf,
  formatter,
  intersect,
  parseQuery,
  planQuery,
  rowsOf,
  shapeAnswer,
} from '../query/index.ts';
import { foundByFilter, heavier, pathOf, rowsRead, segmentsRead } from '../query/plan-reads.ts';
import type { Plain } from '../store/segment-store.ts';
import { rowsInSlices } from './events/rows-in-slices.ts';
import { sliceRows, sortableRows, timeSlices, type TimeSlice } from './events/time-slices.ts';
import { answerDirectly } from './groups/answer-directly.ts';
import { answerGroups } from './groups/answer-groups.ts';
import { isShortOfMemory, tableBatches, type TableReader } from './groups/answer-table.ts';
import { damageNotes, notesOf } from './answer-notes.ts';
import {
  type DayRun,
  boundsOfRun,
  dayRuns,
  goesBeyond,
  readTogether,
  singleDays,
  withinTime,
} from './events/day-runs.ts';
import type { GivenList } from './lists/case-lists.ts';
import type { CaseSession } from './session/case-session.ts';
import type { Snapshot } from './session/snapshot.ts';
import { explainPlan } from './explain-query.ts';
import { type RowFinder, finderOf } from './rows/row-finder.ts';
import { addCommunityId } from '../query/shown-events.ts';
import { putTogether } from './rows/whole-messages.ts';

export type { Answer, OutputColumn, RawValue, ShownRecord, ShownValue } from '../query/index.ts';

export interface QueryParameters {
  text: string;
  from?: EpochMicros | undefined;
  to?: EpochMicros | undefined;
  /** Events must also meet one of its rows. */
  list?: GivenList | undefined;
  /** For times without a zone in the query, and for times shown. */
  zone: string;
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
  /** What the latency log calls it; `query.run` when left out. */
  operation?: string;
  /** Only these segments. */
  only?: ReadonlySet<number>;
  /** Only events that came between two moments of the case. */
  arrived?: CompileContext['arrived'];
  /** `scan`: reads the rows of every segment that may have some, whatever is known of them. */
  path?: 'scan' | undefined;
}

export interface RowBatch {
  columns: readonly OutputColumn[];
  rows: readonly (readonly RawValue[])[];
}

/** A table whose rows come as they are read: `records` is to be read once, to its end or until it is returned. */
export interface AnswerTable {
  readonly columns: readonly string[];
  readonly records: AsyncGenerator<readonly ShownRecord[]>;
}

/** A query that is planned and may be run, once. */
export interface RunningQuery {
  readonly plan: Plan;
  readonly sources: Snapshot['sources'];
  readonly tags: Snapshot['tags'];
  /** Events, for a plan of shape `rows`. */
  rows(): AsyncGenerator<RowBatch>;
  /** The answer of every other shape. */
  answer(): Promise<Answer>;
  /** The same as it comes, for an answer that is a table: as many rows as the case has groups. */
  table(): Promise<AnswerTable>;
  /** What would be read and why, in lines of text. */
  explain(): Promise<string[]>;
  /** To be asked when it has ended: what a person should know of the answer. */
  notes(): string[];
  /** Likewise. */
  timings(): Timings;
}

/** Options of `compileRows` for some segments. */
type RowsOfSegments = RowsOptions & { readonly segments: readonly SegmentInfo[] };

/** How often a query is planned anew because a compaction took segments away meanwhile. */
const MAX_PLANS = 3;

/** @throws DaybookError query-syntax, unknown-field */
export function startQuery(session: CaseSession, parameters: QueryParameters): RunningQuery {
  const watch = new Stopwatch(parameters.operation ?? 'query.run');
  const ast = watch.span('parse', () => {
    try {
      return parseQuery(parameters.text);
    } catch (error) {
      session.record(watch, 'failed', parameters.text);
      throw error;
    }
  });
  // Asked for first: what changes between the two is not missed.
  let lastChange = session.catalog.changes.last();
  let snapshot = session.snapshot();
  const replan = (notBefore?: EpochMicros): Plan =>
    watch.span('plan', () =>
      planQuery(ast, { ...contextOf(snapshot, parameters, session), notBefore }),
    );
  let plan = replan();
  note(watch, plan);

  /** Runs `work` on segments that are there, on a new plan if some went away. */
  async function prepared(segments: readonly SegmentInfo[], sql: string): Promise<void> {
    const wanted = new Set(segments.map(({ id }) => id));
    const rows = snapshot.segments.filter(({ id }) => wanted.has(id));
    await watch.spanAsync('attach', () => session.prepare(rows, snapshot, sql, plan.context.list));
  }

  async function* execute(
    statement: Statement,
    signal = parameters.signal,
  ): AsyncGenerator<readonly Plain[][]> {
    let name = 'execute';
    let from = performance.now();
    for await (const batch of session.store.query(statement.sql, statement.params, signal)) {
      watch.add(name, performance.now() - from);
      name = 'fetch';
      const rows: Plain[][] = [];
      for (let row = 0; row < batch.rows; row++)
        rows.push(batch.columns.map((column) => column[row]!));
      yield rows;
      from = performance.now();
    }
    watch.add(name, performance.now() - from);
  }

  /** Puts messages together that are in parts. */
  async function withMessages(
    rows: readonly Plain[][],
    { messages }: Statement,
    segments: readonly SegmentInfo[],
  ): Promise<void> {
    if (messages === undefined) return;
    const cut = segments.filter((one) => one.cut === true).map(({ id }) => id);
    const shapes = await session.store.messageShapes(cut);
    for (const row of rows) putTogether(row, messages, shapes);
  }

  async function all(statement: Statement, signal?: AbortSignal): Promise<RawValue[][]> {
    const out: RawValue[][] = [];
    for await (const rows of execute(statement, signal))
      for (const row of rows) out.push(row.map(raw));
    return out;
  }

  /** What is known of the plan's events before they are read; undefined: nothing may be used. */
  function finder(): RowFinder | undefined {
    if (parameters.path === 'scan') return undefined;
    return finderOf(session, snapshot, parameters.signal, runOn);
  }

  async function runOn(
    statement: Statement,
    segments: readonly SegmentInfo[],
    signal?: AbortSignal,
  ): Promise<RawValue[][]> {
    await prepared(segments, statement.sql);
    return all(statement, signal);
  }

  async function* rows(): AsyncGenerator<RowBatch> {
    const release = session.store.hold();
    try {
      yield* planned();
    } finally {
      release();
    }
  }

  /** Rows of some segments, in order: by one statement, or in slices where memory does not hold what it sorts. */
  async function* inOrder(own: Plan, options: RowsOfSegments): AsyncGenerator<RowBatch> {
    const { segments } = options;
    const columns = columnsRead(plan, segments);
    // Rows that are wide, or many: what they are ordered by first, and then only those that are asked for.
    if (!plan.streaming && rowsRead(own) > sortableRows(session.memory, columns)) {
      yield* inSlices(own, options, columns);
      return;
    }
    const statement = watch.span('compile', () => compileRows(own, options));
    await prepared(segments, statement.sql);
    let given = false;
    try {
      for await (const rows of execute(statement)) {
        given = true;
        await withMessages(rows, statement, segments);
        yield { columns: statement.columns, rows: rows.map((row) => row.map(raw)) };
      }
      return;
    } catch (error) {
      if (given || !isShortOfMemory(error)) throw error;
    }
    yield* inSlices(own, options, columns);
  }

  async function* inSlices(
    own: Plan,
    options: RowsOfSegments,
    columns: number,
  ): AsyncGenerator<RowBatch> {
    const { segments } = options;
    const { store, memory } = session;
    const reader = {
      ...{ rows: 2 * sliceRows(memory, columns), memory, columns },
      async *stream(statement: Statement) {
        await prepared(segments, statement.sql);
        yield* execute(statement);
      },
      drop: (tables: readonly string[]) => store.dropWork(tables),
      folder: () => store.workFolder(),
      dropFolder: (folder: string) => store.dropFolder(folder),
    };
    for await (const slice of rowsInSlices(reader, own, options)) {
      await withMessages(slice.rows, slice.statement, slice.segments);
      yield { columns: slice.statement.columns, rows: slice.rows.map((row) => row.map(raw)) };
    }
  }

  async function* planned(): AsyncGenerator<RowBatch> {
    let left = least(plan.limit, parameters.limit);
    let examined = 0;
    let returned = 0;
    const seenDays = new Set<string>();
    const seen = new Set<number>();
    let path: Path = 'catalog';
    /** The last day of which all is given, and whether some is of the day behind it. */
    let given: string | undefined;
    let within = false;
    for (let rest = plan.segmentsUsed; ;) {
      try {
        const find = finder();
        const runsOf = find === undefined ? singleDays : dayRuns;
        const all: DayRun = { segments: [...rest], first: '', last: UNDATED };
        for (const run of plan.streaming ? runsOf(rest) : [all]) {
          const { segments: day } = run;
          if (left === 0 || day.length === 0) break;
          let own: Plan = { ...plan, segmentsUsed: day };
          if (find !== undefined) {
            own = await watch.spanAsync('index', () => find.narrow(own, day));
            if (plan.streaming) own = withFirst(own, run, left);
          }
          path = heavier(path, pathOf(own));
          let read = segmentsRead(own);
          examined += rowsRead(own);
          for (const one of read)
            for (const { day } of daysOf(one))
              if (day >= run.first && day <= run.last) seenDays.add(day);
          for (const { id } of read) seen.add(id);
          if (find !== undefined && plan.streaming && isSpread(read, run)) {
            // To find out which of many small segments have any takes less than to read all their columns.
            const exact = await find.narrow({ ...plan, segmentsUsed: read }, read, 'all');
            own = withFirst(exact, run, left);
            read = segmentsRead(own);
          }
          for (const part of plan.streaming ? readTogether(read) : [read]) {
            if (left === 0 || part.length === 0) break;
            // Sorting a long day at once takes more memory than there may be.
            const slices = plan.streaming
              ? slicesOf(part, run, find, sliceRows(session.memory, columnsRead(plan, part)))
              : [undefined];
            for (const slice of slices) {
              const some = slice === undefined ? part : withinTime(part, slice);
              if (left === 0) break;
              if (some.length === 0) continue;
              const inParts = givesFew(own, some);
              const options = { segments: some, limit: left, within: slice, inParts };
              for await (const batch of inOrder(own, options)) {
                within = true;
                returned += batch.rows.length;
                if (left !== undefined) left -= batch.rows.length;
                yield batch;
              }
            }
            given = lastGiven(part, run);
            within = false;
            if (returned > 0) attempts = 0;
          }
        }
        break;
      } catch (error) {
        // A compaction may replace segments while a reader goes from day to day.
        if (returned === 0) given = undefined;
        const behind = within ? undefined : planBehind(given, error);
        if (behind === undefined) {
          const cancelled = error instanceof DaybookError && error.code === 'cancelled';
          finish(cancelled ? 'cancelled' : 'failed');
          throw error;
        }
        rest = behind;
      }
    }
    watch.path = path;
    watch.rowsExamined = examined;
    watch.segments = seen.size;
    watch.days = seenDays.size;
    watch.rowsReturned = returned;
    finish('done');
  }
  let attempts = 0;
  const canRetry = (error: unknown): boolean =>
    error instanceof IndexDamaged || (isGone(error) && attempts++ < MAX_PLANS);

  /**
   * Plans anew after an error that passes; gives the segments of the days that are to come, undefined where the
   * error is to be told. Who was given events goes on only where small segments were merged and nothing else was done,
   * which is the one change of a case that nobody is told of: the same events have the same times.
   * @param given the last day whose events were given; undefined: none were
   */
  function planBehind(
    given: string | undefined,
    error: unknown,
  ): readonly SegmentInfo[] | undefined {
    if (!canRetry(error)) return undefined;
    const isSame = session.catalog.changes.last() === lastChange;
    if (given !== undefined && (!isSame || parameters.only !== undefined)) return undefined;
    lastChange = session.catalog.changes.last();
    snapshot = session.snapshot();
    if (given !== undefined && given !== UNDATED && !isUsual(given)) return undefined;
    plan = replan(given === undefined || given === UNDATED ? undefined : dayEnd(given));
    return given === UNDATED ? [] : plan.segmentsUsed;
  }

  async function answer(): Promise<Answer> {
    let statement: AnswerStatement | undefined;
    const rows: (readonly RawValue[])[] = [];
    for await (const batch of answered()) {
      ({ statement } = batch);
      for (const row of batch.rows) rows.push(row);
    }
    return shapeAnswer(plan, statement, rows, shownAs());
  }

  async function table(): Promise<AnswerTable> {
    const batches = answered();
    const first = await batches.next();
    const columns = first.done === true ? [] : (first.value.statement?.columns ?? []);
    const { record } = formatter(shownAs());
    async function* records(): AsyncGenerator<readonly ShownRecord[]> {
      try {
        for (let next = first; next.done !== true; next = await batches.next())
          if (next.value.rows.length > 0) yield next.value.rows.map((row) => record(columns, row));
      } finally {
        await batches.return(undefined);
      }
    }
    return { columns: columns.map(({ name }) => name), records: records() };
  }

  function shownAs() {
    return { sources: snapshot.sources, tags: snapshot.tags, zone: parameters.zone };
  }

  /** Where a table's rows come from. */
  function reader(
    own: Plan,
    matched: MatchedRange | undefined,
    limit: number | undefined,
  ): TableReader {
    const read = segmentsRead(own);
    return {
      ...{ plan: own, matched, limit, memory: session.memory },
      async *stream(statement) {
        await prepared(read, statement.sql);
        for await (const rows of execute(statement)) yield rows.map((row) => row.map(raw));
      },
      drop: (tables) => session.store.dropWork(tables),
    };
  }

  /** The statement of the answer, and its rows as they come. Segments that are read stay. */
  async function* answered(): AsyncGenerator<{
    readonly statement: AnswerStatement | undefined;
    readonly rows: readonly (readonly RawValue[])[];
  }> {
    const release = session.store.hold();
    try {
      for (let given = 0; ;) {
        try {
          for await (const batch of computed()) {
            given += batch.rows.length;
            yield batch;
          }
          watch.rowsReturned = given;
          finish('done');
          return;
        } catch (error) {
          if (given > 0 || !canRetry(error)) {
            const cancelled = error instanceof DaybookError && error.code === 'cancelled';
            finish(cancelled ? 'cancelled' : 'failed');
            throw error;
          }
          snapshot = session.snapshot();
          plan = replan();
        }
      }
    } finally {
      release();
    }
  }

  async function* computed(): ReturnType<typeof answered> {
    if (plan.catalogCount !== undefined) {
      yield { statement: undefined, rows: [] };
      return;
    }
    const find = finder();
    const direct = find && (await watch.spanAsync('index', () => answerDirectly(find, plan)));
    if (direct !== undefined) {
      direct.cost.tell(watch);
      yield direct;
      return;
    }
    const grouped =
      find &&
      (await watch.spanAsync('index', () =>
        answerGroups(find, plan, runOn, parameters.limit ?? Infinity),
      ));
    if (grouped !== undefined) {
      grouped.cost.tell(watch);
      yield grouped;
      return;
    }
    const own = find ? await watch.spanAsync('index', () => find.narrow(plan)) : plan;
    noteRead(watch, own);
    let matched: MatchedRange | undefined;
    if (plan.needsRange) {
      const [[low, high] = []] = await runOn(compileRange(own), segmentsRead(own));
      if (typeof low === 'number' && typeof high === 'number') matched = { low, high };
    }
    // A count is one row, and is shown whatever the limit.
    yield* tableBatches(
      reader(own, matched, plan.shape === 'count' ? undefined : parameters.limit),
    );
  }

  let timings: Timings | undefined;
  function finish(status: string): void {
    timings = watch.timings();
    session.record(watch, status, parameters.text);
  }

  return {
    plan,
    sources: snapshot.sources,
    tags: snapshot.tags,
    rows,
    answer,
    table,
    explain: () => explainPlan(plan, finder()),
    notes: () => [...notesOf(plan), ...damageNotes(session, snapshot, plan)],
    timings: () => timings ?? watch.timings(),
  };
}

/** Rows of a statement, at most, whose messages are put together one by one. */
const FEW = 2000;

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
      const some = own.exact && countOf(rows, segment.rows) > limit;
      cut.set(
        segment.id,
        some ? { ...own, rows: firstOf(rows, segment.rows, limit), asFilter: false } : own,
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

/** Sorts behind every day. */
const UNDATED = 'undated';

function note(watch: Stopwatch, plan: Plan): void {
  watch.path = plan.path;
  watch.days = plan.days.used;
  watch.segments = plan.segmentsUsed.length;
  watch.rowsExamined = plan.rowsExamined;
}

/** Notes what statements of a plan look at. */
export function noteRead(watch: Stopwatch, plan: Plan): void {
  const read = segmentsRead(plan);
  watch.path = pathOf(plan);
  watch.days = daysOfAll(read).length;
  watch.segments = read.length;
  watch.rowsExamined = rowsRead(plan);
}

/** Whether a segment was missing: a compaction took it away. */
export function isGone(error: unknown): boolean {
  return error instanceof DaybookError && error.code === 'not-found';
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

/** A value of the store as a formatter takes it. */
export function raw(value: Plain): RawValue {
  return Array.isArray(value) ? JSON.stringify(value) : value;
}

/** What a query is planned with: the case as it is in `snapshot`. */
export function contextOf(
  snapshot: Snapshot,
  parameters: QueryParameters,
  { lists }: Pick<CaseSession, 'lists'>,
): Parameters<typeof planQuery>[1] {
  const { only } = parameters;
  const all = infosOf(snapshot);
  const segments = only === undefined ? all : all.filter(({ id }) => only.has(id));
  let newestTs: number | undefined;
  for (const { maxTs } of snapshot.segments) {
    if (maxTs !== undefined && (newestTs === undefined || maxTs > newestTs)) newestTs = maxTs;
  }
  return {
    segments,
    sources: snapshot.sources,
    tags: snapshot.tags,
    newestTs,
    zone: parameters.zone,
    from: parameters.from,
    to: parameters.to,
    list: parameters.list && lists.read(parameters.list, segments),
    arrived: parameters.arrived,
  };
}

const infos = new WeakMap<Snapshot, readonly SegmentInfo[]>();

/** Segments as plans take them; those with the same columns have one set of them. */
function infosOf(snapshot: Snapshot): readonly SegmentInfo[] {
  let known = infos.get(snapshot);
  if (known === undefined) {
    const sets = new Map<string, ReadonlySet<string>>();
    known = snapshot.segments.map((segment) => {
      const key = JSON.stringify(segment.columns);
      const columns = sets.get(key) ?? new Set(segment.columns);
      sets.set(key, columns);
      return infoOf(segment, columns, snapshot);
    });
    infos.set(snapshot, known);
  }
  return known;
}

function infoOf(
  segment: SegmentRow,
  columns: ReadonlySet<string>,
  snapshot: Snapshot,
): SegmentInfo {
  const marks = snapshot.marks.get(segment.id);
  return {
    id: segment.id,
    kind: segment.kind,
    day: segment.day,
    days: segment.days,
    rows: segment.rows,
    minTs: segment.minTs,
    maxTs: segment.maxTs,
    columns,
    cut: segment.shapes > 0,
    numberForm: segment.numberForm,
    hasDeletes: marks?.has(0) ?? false,
    tags: new Set([...(marks ?? [])].filter((tag) => tag !== 0)),
    unflowedPackets: segment.unflowedPackets,
    sources: new Set(segment.sources),
  };
}

/** Columns that a statement reads of segments. */
function columnsRead({ projection }: Plan, segments: readonly SegmentInfo[]): number {
  if (projection !== undefined) return projection.length + ROW_COLUMNS;
  const names = new Set<string>();
  for (const columns of new Set(segments.map((one) => one.columns)))
    for (const name of columns) names.add(name);
  return names.size + ROW_COLUMNS;
}
/** Time, identity and order. */
const ROW_COLUMNS = 6;

/** Undated events are in no slice: they are read at once. */
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

/** The running query's rows as people and scripts see them. */
export async function* shownRows(
  running: RunningQuery,
  zone: string,
): AsyncGenerator<ShownRecord[]> {
  const { event } = formatter({ sources: running.sources, tags: running.tags, zone });
  const whole = running.plan.projection === undefined;
  for await (const batch of running.rows()) {
    const records = batch.rows.map((row) => event(batch.columns, row));
    if (whole) for (const record of records) addCommunityId(record);
    yield records;
  }
}
