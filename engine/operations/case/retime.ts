/**
 * `source.retime`: changes the decided zone, year, date order or clock error of a source without reading it again.
 *
 * Every event keeps the offset that was subtracted from its stated time, so the stated time is known
 * exactly, and in which order its date was read where another would give a date, too. What the source
 * itself stated (a zone, a year, a date that can be read one way only) is left as it is. The error of its clock is one for
 * the whole source, and is undone first.
 */
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import type { SourceRow } from '../../catalog/tables/sources.ts';
import { canonicalClockError, clockErrorOf } from '../../contract/clock.ts';
import { GIVEN, type DateOrder } from '../../contract/decisions.ts';
import { CancelledError, DaybookError } from '../../contract/errors.ts';
import { TS_BASIS } from '../../contract/event.ts';
import { resolveZone, type Zone } from '../../contract/zone.ts';
import { findSource } from './find-source.ts';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { mergeRollups } from '../../ingest/compaction/merge-rollups.ts';
import { rewriteSegments } from '../../ingest/case/rewrite.ts';
import type { BuilderOptions } from '../../store/segment-builder.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

interface RetimeParameters {
  folder: string;
  /** Number or name of the source. */
  source: string;
  timeZone: string | undefined;
  year: number | undefined;
  dateOrder?: DateOrder | undefined;
  /** How wrong the clock was that dated it: `90s fast`, or `right`. */
  clock?: string | undefined;
  builder: BuilderOptions;
}

export interface RetimeReport {
  source: string;
  events: number;
  before: { first: number | undefined; last: number | undefined; decisions: unknown };
  after: { first: number | undefined; last: number | undefined; decisions: unknown };
}

export interface ManyRetimed {
  readonly reports: RetimeReport[];
  /** Sources that stay as they are: what was to be changed is no decision of theirs. */
  readonly left: { readonly source: string; readonly reason: string }[];
}

/**
 * Changes the same decisions of several sources, one after the other. Those for which they are no decisions are left; a
 * single one is an error.
 * @throws DaybookError not-found, usage, case-locked, cancelled (between two sources)
 */
export async function retimeSources(
  sources: readonly string[],
  parameters: Omit<RetimeParameters, 'source'>,
  signal?: AbortSignal,
  onDone: (done: number) => void = () => undefined,
): Promise<ManyRetimed> {
  const done: ManyRetimed = { reports: [], left: [] };
  for (const [i, source] of sources.entries()) {
    if (signal?.aborted === true) throw new CancelledError();
    try {
      done.reports.push(await retimeSource({ ...parameters, source }));
    } catch (error) {
      const isOne = error instanceof DaybookError && error.code === 'usage';
      if (!isOne || sources.length === 1) throw error;
      done.left.push({ source, reason: error.message });
    }
    onDone(i + 1);
  }
  if (done.reports.length > 0) return done;
  throw new DaybookError('usage', done.left[0]!.reason, 'no source was changed');
}

/** @throws DaybookError not-found, usage, case-locked */
export async function retimeSource(parameters: RetimeParameters): Promise<RetimeReport> {
  const { timeZone, year, dateOrder } = parameters;
  const clock = parameters.clock === undefined ? undefined : canonicalClockError(parameters.clock);
  if ([timeZone, year, dateOrder, clock].every((one) => one === undefined)) {
    throw new DaybookError(
      'usage',
      'nothing to change: give --tz, --year, --date-order or --clock',
    );
  }
  const zone = parameters.timeZone === undefined ? undefined : resolveZone(parameters.timeZone);
  const writer = await CaseWriter.open(parameters.folder, 'retime', parameters.builder);
  try {
    const source = findSource(writer.catalog, parameters.source);
    if (source.status !== 'complete') {
      throw new DaybookError(
        'usage',
        `${source.name} was not read to its end`,
        'import it again first: it continues where it stopped',
      );
    }
    if (zone !== undefined && source.decisions.tz === undefined) {
      throw new DaybookError(
        'usage',
        `the zone of ${source.name} is no decision: its records state their time in UTC`,
      );
    }
    if (dateOrder !== undefined && source.decisions.dateOrder === undefined) {
      throw new DaybookError(
        'usage',
        `the date order of ${source.name} is no decision: its dates do not leave it open`,
      );
    }
    const years = yearShift(source, parameters.year);
    // What is moved to another date may be on the other side of a change of the clocks.
    const moves = years !== 0 || dateOrder !== undefined;
    const decided = moves && source.decisions.tz !== undefined ? source.decisions.tz : undefined;
    const used = zone ?? (decided === undefined ? undefined : resolveZone(decided));
    return await retime(writer, source, used, years, { ...parameters, clock });
  } finally {
    writer.close();
  }
}

function yearShift(source: SourceRow, year: number | undefined): number {
  if (year === undefined) return 0;
  if (typeof source.decisions.year !== 'number') {
    throw new DaybookError(
      'usage',
      `the year of ${source.name} is no decision: its records state it`,
    );
  }
  return year - source.decisions.year;
}

async function retime(
  writer: CaseWriter,
  source: SourceRow,
  zone: Zone | undefined,
  years: number,
  parameters: RetimeParameters,
): Promise<RetimeReport> {
  const { catalog, builder } = writer;
  const mine = `source_id = ${source.id}`;
  const zoned = `(coalesce(ts_basis, 0) & ${TS_BASIS.zoneDecided}) <> 0`;
  const yeared = `(coalesce(ts_basis, 0) & ${TS_BASIS.yearDecided}) <> 0`;
  const { dateOrder } = parameters;
  const { decisions } = source;
  const errorBefore = clockErrorOf(decisions.clock);
  const error = parameters.clock === undefined ? errorBefore : clockErrorOf(parameters.clock);
  const derive: Record<string, string>[] = [
    {
      stated_time: `ts + to_seconds(coalesce(tz_offset, 0)) + to_microseconds(${errorBefore})`,
    },
    ...(dateOrder === undefined ? [] : readAgain(dateOrder)),
  ];
  const cases: string[] = [];
  if (years !== 0) cases.push(`WHEN ${yeared} THEN stated_time + to_years(${years})`);
  if (dateOrder !== undefined) cases.push(`WHEN ${ORDERED} THEN read_again`);
  derive.push({
    local_time: cases.length === 0 ? 'stated_time' : `CASE ${cases.join(' ')} ELSE stated_time END`,
  });
  const segments = catalog.segments
    .all()
    .filter((segment) => segment.sources.includes(source.id) && segment.columns.includes('ts'));

  let offset = 'coalesce(tz_offset, 0)';
  if (zone !== undefined && source.firstTs !== undefined && source.lastTs !== undefined) {
    const shift = years * 366 * 86_400;
    const span =
      dateOrder === undefined
        ? {
            first: (source.firstTs + errorBefore) / 1e6,
            last: (source.lastTs + errorBefore) / 1e6,
          }
        : await spanOf(writer, segments, derive, mine);
    const from = span.first + Math.min(0, shift) - 2 * DAY;
    const to = span.last + Math.max(0, shift) + 2 * DAY;
    offset = `CASE WHEN ${zoned} THEN ${offsetSql(zone, from, to)} ELSE coalesce(tz_offset, 0) END`;
  }
  derive.push({ new_offset: offset.replaceAll('LOCAL', 'local_time') });
  const replace = {
    ts: `CASE WHEN ${mine} THEN (local_time - to_seconds(new_offset) - to_microseconds(${error})) ELSE ts END`,
    tz_offset: `CASE WHEN ${mine} AND ${zoned} THEN new_offset::INTEGER ELSE tz_offset END`,
    ...(dateOrder === undefined
      ? {}
      : {
          ts_basis: `CASE WHEN ${mine} AND ${ORDERED} THEN (ts_basis - (ts_basis & ${ORDER_BITS}) + order_bits)::UTINYINT ELSE ts_basis END`,
        }),
  };

  const before = { first: source.firstTs, last: source.lastTs, decisions: { ...source.decisions } };
  let events = 0;
  let first: number | undefined;
  let last: number | undefined;
  const groups = [...Map.groupBy(segments, (segment) => segment.kind).values()];
  if (parameters.timeZone !== undefined)
    Object.assign(decisions, { tz: parameters.timeZone, tzBasis: GIVEN });
  if (parameters.year !== undefined)
    Object.assign(decisions, { year: parameters.year, yearBasis: GIVEN });
  if (dateOrder !== undefined) Object.assign(decisions, { dateOrder, dateOrderBasis: GIVEN });
  if (parameters.clock !== undefined)
    Object.assign(decisions, { clock: parameters.clock, clockBasis: GIVEN });
  // All segments before the first is rewritten: what is refused has changed nothing.
  for (const segment of segments) {
    const name = await writer.attach(segment);
    if (years === 0 || !segment.columns.includes('ts_basis')) continue;
    const offsetOrNone = segment.columns.includes('tz_offset') ? 'tz_offset' : '0';
    const [[lost]] = (await builder.rows(
      `SELECT count(*)::DOUBLE FROM (SELECT ts + to_seconds(coalesce(${offsetOrNone}, 0)) + to_microseconds(${errorBefore}) AS l FROM ${name}.events WHERE ${mine} AND ${yeared}) WHERE day(l + to_years(${years})) <> day(l)`,
    )) as [[number]];
    if (lost > 0) {
      throw new DaybookError(
        'usage',
        `${source.name} has records of 29 February, so its year cannot be ${parameters.year}`,
        'choose a year that keeps that day in a leap year',
      );
    }
  }
  for (const group of groups) {
    await rewriteSegments(writer, group, {
      need: { ts_basis: 'UTINYINT', tz_offset: 'INTEGER' },
      derive,
      replace,
      audit: {
        operation: 'retime',
        detail: { source: source.id, name: source.name, decisions: { ...decisions } },
      },
      commit: () => {
        // Who reads meanwhile must not take it for a merge, which leaves events on their days.
        catalog.changes.add('retime', { sources: [source.id] });
        // With the last kind, so that a crash never leaves new times beside the old decision.
        if (group === groups.at(-1)) catalog.sources.update(source);
      },
    });
  }
  for (const segment of catalog.segments.all()) {
    if (!segment.sources.includes(source.id) || !segment.columns.includes('ts')) continue;
    const name = await writer.attach(segment);
    const [[n, from, to]] = (await builder.rows(
      `SELECT count(ts)::DOUBLE, epoch_us(min(ts))::DOUBLE, epoch_us(max(ts))::DOUBLE FROM ${name}.events WHERE ${mine}`,
    )) as [[number, number | null, number | null]];
    events += n;
    if (from !== null) first = Math.min(first ?? Infinity, from);
    if (to !== null) last = Math.max(last ?? -Infinity, to);
  }
  source.firstTs = first;
  source.lastTs = last;
  const after = { first, last, decisions: source.decisions };
  catalog.transaction(() => {
    catalog.sources.update(source);
    catalog.audit.add('retime', { source: source.id, name: source.name, before, after });
  });
  try {
    await mergeRollups(writer);
  } finally {
    catalog.changes.add('retime', { sources: [source.id], rows: events });
  }
  return { source: source.name, events, before, after };
}

const ORDER_BITS = TS_BASIS.dayFirst | TS_BASIS.monthFirst;
const ORDERED = `(coalesce(ts_basis, 0) & ${ORDER_BITS}) <> 0`;

/** An order first, then those for dates that it does not fit: as importers/shared/date-order.ts has it. */
function ordersFrom(order: DateOrder): DateOrder[] {
  return [...new Set<DateOrder>([order, 'mdy', 'dmy', 'ymd'])];
}

/**
 * The steps that read dates in another order, as SQL: `read_again`, a local time, and `order_bits`. What was
 * written is undone by the order that it was read in.
 */
function readAgain(order: DateOrder): Record<string, string>[] {
  const [year, month, day] = ['year(stated_time)', 'month(stated_time)', 'day(stated_time)'];
  const two = `(coalesce(ts_basis, 0) & ${TS_BASIS.twoDigitYear}) <> 0`;
  const written = (dmy: string, mdy: string, ymd: string) =>
    `(CASE ts_basis & ${ORDER_BITS} WHEN ${TS_BASIS.dayFirst} THEN ${dmy} WHEN ${TS_BASIS.monthFirst} THEN ${mdy} ELSE ${ymd} END)`;
  const shortYear = `(CASE WHEN ${two} THEN ${year} % 100 ELSE ${year} END)`;
  const dateOf = (y: string, m: string, d: string) => {
    const full = `(CASE WHEN NOT (${two}) THEN ${y} WHEN ${y} < 70 THEN 2000 + ${y} ELSE 1900 + ${y} END)`;
    return `CASE WHEN ${ORDERED} THEN try_cast(printf('%04d-%02d-%02d', ${full}, ${m}, ${d}) AS DATE) END`;
  };
  const bits = { dmy: TS_BASIS.dayFirst, mdy: TS_BASIS.monthFirst, ymd: ORDER_BITS };
  const orders = ordersFrom(order);
  return [
    {
      number_1: written(day, month, shortYear),
      number_2: written(month, day, month),
      number_3: written(shortYear, shortYear, day),
    },
    {
      date_dmy: dateOf('number_3', 'number_2', 'number_1'),
      date_mdy: dateOf('number_3', 'number_1', 'number_2'),
      date_ymd: `CASE WHEN ${two} THEN (${dateOf('number_1', 'number_2', 'number_3')}) END`,
    },
    {
      read_again: `coalesce(${orders.map((one) => `date_${one}`).join(', ')})::TIMESTAMP + (stated_time - date_trunc('day', stated_time))`,
      order_bits: `CASE ${orders.map((one) => `WHEN date_${one} IS NOT NULL THEN ${bits[one]}`).join(' ')} END`,
    },
  ];
}

/** The first and the last second of `local_time` in the rows of a source. */
async function spanOf(
  writer: CaseWriter,
  segments: readonly SegmentRow[],
  derive: readonly Readonly<Record<string, string>>[],
  mine: string,
): Promise<{ first: number; last: number }> {
  let first = Infinity;
  let last = -Infinity;
  for (const segment of segments) {
    const name = await writer.attach(segment);
    const missing = ['ts_basis', 'tz_offset'].filter((column) => !segment.columns.includes(column));
    const columns = ['*', ...missing.map((column) => `NULL::INTEGER AS ${column}`)].join(', ');
    let source = `SELECT ${columns} FROM ${name}.events WHERE ${mine}`;
    for (const step of derive) {
      const helpers = Object.entries(step).map(([helper, sql]) => `${sql} AS ${helper}`);
      source = `SELECT *, ${helpers.join(', ')} FROM (${source})`;
    }
    const [[from, to]] = (await writer.builder.rows(
      `SELECT epoch(min(local_time))::DOUBLE, epoch(max(local_time))::DOUBLE FROM (${source})`,
    )) as [[number | null, number | null]];
    if (from !== null) first = Math.min(first, from);
    if (to !== null) last = Math.max(last, to);
  }
  return { first, last };
}

/** The zone's offset in seconds as SQL over the local time `LOCAL`, right from `from` to `to` (seconds). */
function offsetSql(zone: Zone, from: number, to: number): string {
  if (zone.fixed !== undefined) return String(zone.fixed);
  const start = Math.floor(from / DAY) * DAY;
  let current = zone.offsetAtLocalSeconds(start);
  const cases: string[] = [];
  for (let day = start; day < to; day += DAY) {
    if (zone.offsetAtLocalSeconds(day + DAY) === current) continue;
    for (let at = day; at <= day + DAY; at += HOUR / 4) {
      const offset = zone.offsetAtLocalSeconds(at);
      if (offset === current) continue;
      cases.push(`WHEN epoch(LOCAL) < ${at} THEN ${current}`);
      current = offset;
    }
  }
  return cases.length === 0 ? String(current) : `CASE ${cases.join(' ')} ELSE ${current} END`;
}
