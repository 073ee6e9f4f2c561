/** `timeline.run`: events over time in equal buckets of a round width, stacked by a field. */
import { dayStart, daysOf } from '../../util/segment-days.ts';
import type { EpochMicros } from '../../contract/event.ts';
import {
  type EvenGrid,
  type Names,
  type OutputColumn,
  type Plan,
  type RawValue,
  DAY,
  type SegmentInfo,
  afterColumns,
  compileStackedTimeline,
  evenGrid,
  formatter,
  limited,
  takesAll,
} from '../../query/index.ts';
import { bucketCounts, eventsIn, rangeOf, spansBuckets } from '../access-paths/timed-rows.ts';
import { askView } from '../ask-view.ts';
import { type View, type ViewScope } from '../asker.ts';
import type { AskedView } from '../asked-view.ts';
import type { CaseSession } from '../session/case-session.ts';
import { SearchCost } from '../search-cost.ts';

export interface TimelineParameters extends View {
  buckets: number;
  by?: string | undefined;
  most: number;
}

interface Series {
  value: string | number | null;
  rest: boolean;
  counts: Float64Array<ArrayBuffer>;
  total: number;
}

export interface Timeline {
  starts: Float64Array<ArrayBuffer>;
  /** Microseconds. */
  width: number;
  series: Series[];
  /**
   * Number of events with and without a time; an event counts once for each value of a field with several values.
   */
  total: number;
  undated: number;
}

/** @throws DaybookError query-syntax, unknown-field, cancelled */
export function timeline(
  session: CaseSession,
  parameters: TimelineParameters,
  signal: AbortSignal,
): Promise<Timeline & ViewScope> {
  return askView(session, 'timeline.run', parameters, signal, async (whole) => {
    const plan = limited(whole.plan);
    const asked = plan === whole.plan ? whole : whole.on(plan);
    const { buckets, by, most } = parameters;
    const stacked = by === undefined ? undefined : plan.resolve({ name: by, start: 0, end: 0 });
    // All rows of a segment are of one kind: their numbers are enough.
    const byKind = stacked?.type === 'virtual' && stacked.name === 'kind' && !stacked.ref;
    const span = coveredSpan(plan);
    if (span === undefined) {
      const none = await counted(asked, { from: 0, width: DAY, buckets: 1 }, by, most);
      return { ...emptied(none), starts: new Float64Array(0) };
    }
    const grid = evenGrid(span.from, span.to, buckets);
    const byNumber = by === undefined || byKind;
    const mostKinds = byKind ? most : undefined;
    const isScan = parameters.path === 'scan';
    if (byNumber && !isScan && grid.width % DAY === 0 && takesAll(plan))
      return byCatalog(asked, grid, mostKinds);
    return fitted(
      grid,
      plan.range,
      buckets,
      async (on) =>
        (byNumber ? await countedByNumber(asked, on, mostKinds) : undefined) ??
        (await counted(asked, on, by, most)),
    );
  });
}

/** Counts a timeline on `grid`, and again on a finer grid if the events cover less of it. */
export async function fitted(
  grid: EvenGrid,
  { from, to }: Plan['range'],
  buckets: number,
  count: (on: EvenGrid) => Promise<Counted>,
): Promise<Timeline> {
  const found = await count(grid);
  if ((from !== undefined && to !== undefined) || found.low === undefined)
    return shown(found, grid);
  // An end that the view leaves open is that of the first or last event, which may be far from the segments' ends.
  const low = from ?? found.low;
  const high = to ?? found.high! + 1;
  const fit = evenGrid(low, high, buckets);
  if (fit.from === grid.from && fit.width === grid.width && fit.buckets === grid.buckets)
    return shown(found, grid);
  if (fit.width === grid.width) return shown(found, grid, fit);
  return shown(await count(fit), fit);
}

/**
 * Counts events that are known, or can be found, with their times as far as these buckets need them; undefined:
 * count by statement.
 * @param mostKinds when stacked by kind: number of the largest kinds; the others are added up
 */
async function countedByNumber(
  { finder, plan, watch }: AskedView,
  grid: EvenGrid,
  mostKinds: number | undefined,
): Promise<Counted | undefined> {
  const { segmentsUsed: segments, events } = plan;
  if (finder === undefined || events.node !== 'base' || !finder.hasTimes(segments))
    return undefined;
  const { filter } = events;
  const before = await watch.spanAsync('index', () => finder.findAll(filter, segments));
  const starts = Float64Array.from(
    { length: grid.buckets + 1 },
    (_, i) => grid.from + i * grid.width,
  );
  const times = (segment: SegmentInfo) => spansBuckets(segment, starts);
  const rows = await finder.timed(filter, segments, { times });
  if (rows === undefined) return undefined;
  const cost = new SearchCost('index');
  for (const segment of segments) cost.add(segment, before.get(segment.id));
  cost.tell(watch);
  const range = rangeOf(rows);
  const ofKind = Map.groupBy(rows, ({ segment }) =>
    mostKinds === undefined ? null : segment.kind,
  );
  const kinds = [...ofKind].map(([kind, ofOne]) => ({
    kind,
    counts: countsOf(bucketCounts(ofOne, starts)),
  }));
  return {
    series: seriesOf(kinds, mostKinds),
    undated: eventsIn(rows.filter(({ segment }) => segment.day === 'undated')),
    low: range?.low,
    high: range?.high,
  };
}

/** Counts by bucket; without a kind, of all. */
interface OfKind {
  readonly kind: string | null;
  readonly counts: Map<number, number>;
}

/** Ordered as in `compileStackedTimeline`: largest first, ties by name. */
function seriesOf(kinds: readonly OfKind[], most: number | undefined): Counted['series'] {
  if (most === undefined)
    return new Map([[1, { value: null, counts: kinds[0]?.counts ?? new Map<number, number>() }]]);
  const ranked = kinds
    .map((one) => ({ ...one, total: one.counts.values().reduce((sum, n) => sum + n, 0) }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total || (a.kind! < b.kind! ? -1 : 1));
  const out: Counted['series'] = new Map();
  ranked.slice(0, most).forEach(({ kind, counts }, i) => out.set(i + 1, { value: kind, counts }));
  const rest = ranked.slice(most);
  if (rest.length > 0) {
    const counts = new Map<number, number>();
    for (const one of rest) for (const [i, n] of one.counts) add(counts, i, n);
    out.set(0, { value: null, counts });
  }
  return out;
}

function add(counts: Map<number, number>, bucket: number, n: number): void {
  counts.set(bucket, (counts.get(bucket) ?? 0) + n);
}

/** Non-empty buckets. */
function countsOf(list: Float64Array): Map<number, number> {
  const out = new Map<number, number>();
  list.forEach((n, i) => {
    if (n > 0) out.set(i, n);
  });
  return out;
}

/** The view's time range; an open end is that of the segments. */
export function coveredSpan(plan: Plan): { from: EpochMicros; to: EpochMicros } | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (const { minTs, maxTs } of plan.segmentsUsed) {
    if (minTs !== undefined) low = Math.min(low, minTs);
    if (maxTs !== undefined) high = Math.max(high, maxTs);
  }
  const from = plan.range.from ?? low;
  const to = plan.range.to ?? high + 1;
  return Number.isFinite(from) && Number.isFinite(to) && from < to ? { from, to } : undefined;
}

export interface Counted {
  /** By rank from 1; 0 is the rest. */
  series: Map<number, { value: string | number | null; counts: Map<number, number> }>;
  undated: number;
  low: EpochMicros | undefined;
  high: EpochMicros | undefined;
}

async function counted(
  asked: AskedView,
  grid: EvenGrid,
  by: string | undefined,
  most: number,
): Promise<Counted> {
  const { plan, snapshot } = asked;
  const out: Counted = { series: new Map(), undated: 0, low: undefined, high: undefined };
  if (by === undefined) out.series.set(1, { value: null, counts: new Map() });
  if (plan.segmentsUsed.length === 0) return out;
  const statement = compileStackedTimeline(plan, grid, by, most);
  const after = afterColumns(statement.columns);
  return countedRows(await asked.rows(statement), statement.columns[0], after, snapshot, by);
}

/**
 * @param column of the series' values
 * @param after index in a row of its events, first and last time
 */
export function countedRows(
  rows: readonly (readonly RawValue[])[],
  column: OutputColumn | undefined,
  after: number,
  names: Names,
  by: string | undefined,
): Counted {
  const out: Counted = { series: new Map(), undated: 0, low: undefined, high: undefined };
  if (by === undefined) out.series.set(1, { value: null, counts: new Map() });
  const { value } = formatter(names);
  for (const row of rows) {
    const [i, rank] = row;
    const [n, low, high] = [row[after], row[after + 1], row[after + 2]].map(Number) as [
      number,
      number,
      number,
    ];
    if (typeof i !== 'number') {
      out.undated += n;
      continue;
    }
    const number = Number(rank ?? 0);
    let one = out.series.get(number);
    if (one === undefined) {
      one = { value: number === 0 ? null : cell(row), counts: new Map() };
      out.series.set(number, one);
    }
    one.counts.set(i, (one.counts.get(i) ?? 0) + n);
    out.low = Math.min(out.low ?? low, low);
    out.high = Math.max(out.high ?? high, high);
  }
  return out;

  function cell(row: readonly RawValue[]): string | number | null {
    const found = column === undefined ? null : value(column, row);
    return typeof found === 'object' && found !== null ? JSON.stringify(found) : found;
  }
}

/** Counts on the buckets of `fit`, whose width equals that of the grid on which they were counted. */
function shown(found: Counted, grid: EvenGrid, fit: EvenGrid = grid): Timeline {
  const shift = (fit.from - grid.from) / grid.width;
  const ranks = [...found.series.keys()].sort((a, b) => (a || Infinity) - (b || Infinity));
  const series = ranks.map((rank): Series => {
    const { value, counts } = found.series.get(rank)!;
    const fitted = new Float64Array(fit.buckets);
    let total = 0;
    for (const [i, n] of counts) {
      fitted[i - shift] = n;
      total += n;
    }
    return { value, rest: rank === 0, counts: fitted, total };
  });
  return {
    starts: Float64Array.from({ length: fit.buckets }, (_, i) => fit.from + i * fit.width),
    width: fit.width,
    series,
    total: series.reduce((sum, { total }) => sum + total, 0) + found.undated,
    undated: found.undated,
  };
}

export function emptied(found: Counted): Omit<Timeline, 'starts'> {
  return { width: 0, series: [], total: found.undated, undated: found.undated };
}

/** Whole days of whole segments: the catalog has their counts. */
function byCatalog(
  { plan, watch }: AskedView,
  grid: EvenGrid,
  mostKinds: number | undefined,
): Timeline {
  watch.path = 'catalog';
  watch.rowsExamined = 0;
  const kinds = new Map<string | null, OfKind>();
  let undated = 0;
  for (const segment of plan.segmentsUsed) {
    if (segment.day === 'undated') {
      undated += segment.rows;
      continue;
    }
    const kind = mostKinds === undefined ? null : segment.kind;
    let one = kinds.get(kind);
    if (one === undefined) kinds.set(kind, (one = { kind, counts: new Map() }));
    for (const { day, rows } of daysOf(segment))
      add(one.counts, Math.floor((dayStart(day) - grid.from) / grid.width), rows);
  }
  const series = seriesOf([...kinds.values()], mostKinds);
  return shown({ series, undated, low: undefined, high: undefined }, grid);
}
