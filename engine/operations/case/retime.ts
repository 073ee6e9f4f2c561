/**
 * `source.retime`: changes the decided zone, year, date order or clock error of a source without reading it again.
 *
 * Every event keeps the offset that was subtracted from its stated time, so the stated time is known exactly, and,
 * for an ambiguous date, the order in which it was read. What the source itself stated (a zone, a year, an
 * unambiguous date) stays. A clock error applies to the whole source; the old one is undone first.
 */
import type { SegmentRow, SourceRow } from '../../catalog/index.ts';
import { canonicalClockError, clockErrorOf } from '../../contract/time/clock.ts';
import { type DateOrder, type Decisions, GIVEN } from '../../contract/time/decisions.ts';
import { CancelledError, DaybookError, hasCode } from '../../contract/errors.ts';
import { TS_BASIS } from '../../contract/event.ts';
import { resolveZone, type Zone } from '../../contract/time/zone.ts';
import { findSources } from './find-source.ts';
import {
  CaseWriter,
  mergeRollups,
  rewrite,
  type RewriteOptions,
  type Rewritten,
  swapAll,
} from '../../ingest/index.ts';
import { type BuilderOptions, epochMicros, intervalOfMicros } from '../../store/index.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

interface RetimeParameters {
  folder: string;
  /** Numbers or names. */
  sources: readonly string[];
  timeZone?: string | undefined;
  year?: number | undefined;
  dateOrder?: DateOrder | undefined;
  /** Error of the clock that timestamped them: `90s fast`, or `right`. */
  clock?: string | undefined;
  builder: BuilderOptions;
  /** Nothing changes before the new segments replace the old ones. */
  signal?: AbortSignal | undefined;
}

interface State {
  first: number | undefined;
  last: number | undefined;
  decisions: Decisions;
}

export interface RetimeReport {
  source: string;
  events: number;
  before: State;
  after: State;
}

interface Retimed {
  readonly reports: readonly RetimeReport[];
  /** Sources left unchanged, with the reason. */
  readonly left: readonly { readonly source: string; readonly reason: string }[];
}

/**
 * Changes the same decisions for all sources in one transaction, or for none. With several sources, those that
 * cannot be changed are skipped; a single one that cannot be changed is an error.
 * @throws DaybookError not-found, usage, case-locked, cancelled
 */
export async function retimeSources(parameters: RetimeParameters): Promise<Retimed> {
  const { folder, timeZone, year, dateOrder, builder } = parameters;
  const clock = parameters.clock === undefined ? undefined : canonicalClockError(parameters.clock);
  const asked: Asked = { timeZone, year, dateOrder, clock };
  if (Object.values(asked).every((one) => one === undefined)) {
    throw new DaybookError(
      'usage',
      'nothing to change: give --tz, --year, --date-order or --clock',
    );
  }
  if (timeZone !== undefined) resolveZone(timeZone);
  const writer = await CaseWriter.open(folder, 'retime', builder);
  try {
    const changes: Change[] = [];
    const left: { source: string; reason: string; hint: string | undefined }[] = [];
    for (const source of findSources(writer.catalog, parameters.sources)) {
      const refused = refusalOf(source, asked);
      if (refused === undefined) changes.push(changeOf(source, asked));
      else left.push({ source: source.name, ...refused });
    }
    const [only] = left;
    if (changes.length === 0 && only !== undefined)
      throw new DaybookError(
        'usage',
        only.reason,
        left.length === 1 ? only.hint : `nor can any of the other ${left.length - 1} be changed`,
      );
    const reports = await retime(writer, changes, asked, parameters.signal);
    return { reports, left: left.map(({ source, reason }) => ({ source, reason })) };
  } finally {
    writer.close();
  }
}

interface Asked {
  readonly timeZone: string | undefined;
  readonly year: number | undefined;
  readonly dateOrder: DateOrder | undefined;
  readonly clock: string | undefined;
}

/** Changes of one source. */
interface Change {
  readonly source: SourceRow;
  /** Added to its times if the year was decided. */
  readonly years: number;
  /** The zone in which times without a stated one are read; undefined: each keeps its offset. */
  readonly zone: string | undefined;
  /** Old and new error of its clock, in microseconds. */
  readonly errorBefore: number;
  readonly error: number;
}

/** Why a source cannot be changed; undefined: it can. */
function refusalOf(
  { name, status, decisions }: SourceRow,
  { timeZone, year, dateOrder }: Asked,
): { reason: string; hint: string | undefined } | undefined {
  if (status !== 'complete')
    return {
      reason: `${name} was not read to its end`,
      hint: 'import it again first: it continues where it stopped',
    };
  const refused = (reason: string) => ({ reason, hint: undefined });
  if (timeZone !== undefined && decisions.tz === undefined)
    return refused(`the zone of ${name} was not decided: its records state their time in UTC`);
  if (dateOrder !== undefined && decisions.dateOrder === undefined)
    return refused(`the date order of ${name} was not decided: its dates are unambiguous`);
  if (year !== undefined && typeof decisions.year !== 'number')
    return refused(`the year of ${name} was not decided: its records state it`);
  return undefined;
}

function changeOf(source: SourceRow, { timeZone, year, dateOrder, clock }: Asked): Change {
  const { decisions } = source;
  const years = year === undefined ? 0 : year - decisions.year!;
  // A time moved to another date may cross a daylight-saving change.
  const moves = years !== 0 || dateOrder !== undefined;
  const errorBefore = clockErrorOf(decisions.clock);
  return {
    ...{ source, years, zone: timeZone ?? (moves ? decisions.tz : undefined), errorBefore },
    error: clock === undefined ? errorBefore : clockErrorOf(clock),
  };
}

const ZONED = `(coalesce(ts_basis, 0) & ${TS_BASIS.zoneDecided}) <> 0`;
const YEARED = `(coalesce(ts_basis, 0) & ${TS_BASIS.yearDecided}) <> 0`;

async function retime(
  writer: CaseWriter,
  changes: readonly Change[],
  asked: Asked,
  signal: AbortSignal | undefined,
): Promise<RetimeReport[]> {
  const { catalog } = writer;
  const ids = changes.map(({ source }) => source.id);
  const changed = new Set(ids);
  const mine = ofSources(changes);
  const segments = catalog.segments
    .all()
    .filter(
      ({ sources, columns }) => columns.includes('ts') && sources.some((id) => changed.has(id)),
    );
  await refuseLostDays(writer, segments, changes, asked.year);
  const local = localTime(changes, asked.dateOrder);
  const spans = await spansOf(writer, segments, mine, [...local, { new_time: 'local_time' }]);
  const derive = [...local, { new_offset: newOffset(changes, spans) }];
  const error = perSource(changes, (change) => intervalOfMicros(change.error));
  const newTime = `(local_time - to_seconds(new_offset) - ${error})`;
  const after = await spansOf(writer, segments, mine, [...derive, { new_time: newTime }]);
  const replace = {
    ts: `CASE WHEN ${mine} THEN ${newTime} ELSE ts END`,
    tz_offset: `CASE WHEN ${mine} AND ${ZONED} THEN new_offset::INTEGER ELSE tz_offset END`,
    ...(asked.dateOrder === undefined
      ? {}
      : {
          ts_basis: `CASE WHEN ${mine} AND ${ORDERED} THEN (ts_basis - (ts_basis & ${ORDER_BITS}) + order_bits)::UTINYINT ELSE ts_basis END`,
        }),
  };
  const reports = changes.map(({ source }) => reportOf(source, asked, after.get(source.id)));
  const rewritten: Rewritten[] = [];
  for (const group of Map.groupBy(segments, ({ kind }) => kind).values()) {
    if (signal?.aborted === true) throw new CancelledError();
    const need = { ts_basis: 'UTINYINT', tz_offset: 'INTEGER' };
    rewritten.push(...(await inHalves(writer, group, { need, derive, replace })));
  }
  if (signal?.aborted === true) throw new CancelledError();
  const rows = reports.reduce((sum, { events }) => sum + events, 0);
  // In one transaction: a clock error applies to a whole source, so none may be corrected in part.
  swapAll(writer, writer.places, rewritten, {
    audit: { operation: 'retime', detail: { sources: ids, decisions: decisionsOf(asked) } },
    commit: () => {
      // A concurrent reader must not take this for a merge, which leaves events on their days.
      catalog.changes.add('retime', { sources: ids });
      for (const [i, { source }] of changes.entries()) {
        const { before, after: now } = reports[i]!;
        Object.assign(source, { firstTs: now.first, lastTs: now.last, decisions: now.decisions });
        catalog.sources.update(source);
        catalog.audit.add('retime', { source: source.id, name: source.name, before, after: now });
      }
    },
  });
  try {
    await mergeRollups(writer);
  } finally {
    catalog.changes.add('retime', { sources: ids, rows });
  }
  return reports;
}

/** Rewrites segments together, or bisects them if they do not fit in memory. */
async function inHalves(
  writer: CaseWriter,
  segments: readonly SegmentRow[],
  options: RewriteOptions,
): Promise<Rewritten[]> {
  try {
    return [await rewrite(writer, segments, options)];
  } catch (error) {
    if (!hasCode(error, 'limit-exceeded') || segments.length === 1) throw error;
  }
  const middle = segments.length >> 1;
  const first = await inHalves(writer, segments.slice(0, middle), options);
  return [...first, ...(await inHalves(writer, segments.slice(middle), options))];
}

function decisionsOf({ timeZone, year, dateOrder, clock }: Asked): Decisions {
  return {
    ...(timeZone === undefined ? {} : { tz: timeZone, tzBasis: GIVEN }),
    ...(year === undefined ? {} : { year, yearBasis: GIVEN }),
    ...(dateOrder === undefined ? {} : { dateOrder, dateOrderBasis: GIVEN }),
    ...(clock === undefined ? {} : { clock, clockBasis: GIVEN }),
  };
}

function reportOf(source: SourceRow, asked: Asked, after: Span | undefined): RetimeReport {
  const { name, firstTs, lastTs, decisions } = source;
  return {
    ...{ source: name, events: after?.events ?? 0 },
    before: { first: firstTs, last: lastTs, decisions },
    after: {
      ...{ first: after?.first, last: after?.last },
      decisions: { ...decisions, ...decisionsOf(asked) },
    },
  };
}

/** Steps that derive `local_time`: the time that a source states, its date read as now decided. */
function localTime(
  changes: readonly Change[],
  dateOrder: DateOrder | undefined,
): Record<string, string>[] {
  const error = perSource(changes, ({ errorBefore }) => intervalOfMicros(errorBefore));
  const cases: string[] = [];
  if (changes.some(({ years }) => years !== 0)) {
    const years = perSource(changes, (change) => `to_years(${change.years})`);
    cases.push(`WHEN ${YEARED} THEN stated_time + ${years}`);
  }
  if (dateOrder !== undefined) cases.push(`WHEN ${ORDERED} THEN read_again`);
  const local = cases.length === 0 ? 'stated_time' : `CASE ${cases.join(' ')} ELSE stated_time END`;
  return [
    { stated_time: `ts + to_seconds(coalesce(tz_offset, 0)) + ${error}` },
    ...(dateOrder === undefined ? [] : readAgain(dateOrder)),
    { local_time: local },
  ];
}

/**
 * SQL of the zone offset of a row, in seconds.
 * @param spans of `local_time`
 */
function newOffset(changes: readonly Change[], spans: ReadonlyMap<number, Span>): string {
  const unchanged = 'coalesce(tz_offset, 0)';
  const offsets = new Map<string | undefined, string>();
  for (const [name, sameZone] of Map.groupBy(changes, ({ zone }) => zone)) {
    const times = sameZone.flatMap(({ source }) => spans.get(source.id) ?? []);
    if (name === undefined || times.length === 0) continue;
    const from = times.reduce((least, { first }) => Math.min(least, first), Infinity) / 1e6;
    const to = times.reduce((most, { last }) => Math.max(most, last), -Infinity) / 1e6;
    const sql = offsetSql(resolveZone(name), from - 2 * DAY, to + 2 * DAY);
    offsets.set(name, sql.replaceAll('LOCAL', 'local_time'));
  }
  const decided = perSource(changes, ({ zone }) => offsets.get(zone) ?? unchanged);
  return `CASE WHEN ${ZONED} THEN ${decided} ELSE ${unchanged} END`;
}

/** SQL of a value that may differ between sources; rows of other sources get any of the values. */
function perSource(changes: readonly Change[], valueOf: (change: Change) => string): string {
  const [[value] = ['NULL'], ...others] = [...Map.groupBy(changes, valueOf)];
  if (others.length === 0) return value;
  const cases = others.map(([other, changed]) => `WHEN ${ofSources(changed)} THEN ${other}`);
  return `(CASE ${cases.join(' ')} ELSE ${value} END)`;
}

function ofSources(changes: readonly Change[]): string {
  return `source_id IN (${changes.map(({ source }) => source.id).join(', ')})`;
}

/** @throws DaybookError usage if a source has records of a day that its new year lacks */
async function refuseLostDays(
  writer: CaseWriter,
  segments: readonly SegmentRow[],
  changes: readonly Change[],
  year: number | undefined,
): Promise<void> {
  const moved = changes.filter(({ years }) => years !== 0);
  if (moved.length === 0) return;
  const years = perSource(moved, (change) => `to_years(${change.years})`);
  const steps = localTime(moved, undefined).slice(0, 1);
  for (const segment of segments) {
    const rows = await selectRows(writer, segment, ofSources(moved), steps);
    const [lost] = await writer.builder.rows(
      `SELECT source_id::DOUBLE FROM (${rows}) WHERE ${YEARED} AND day(stated_time + ${years}) <> day(stated_time) LIMIT 1`,
    );
    const change = moved.find(({ source }) => source.id === lost?.[0]);
    if (change !== undefined)
      throw new DaybookError(
        'usage',
        `${change.source.name} has records of 29 February, so its year cannot be ${year}`,
        'choose a year that puts that day in a leap year',
      );
  }
}

const ORDER_BITS = TS_BASIS.dayFirst | TS_BASIS.monthFirst;
const ORDERED = `(coalesce(ts_basis, 0) & ${ORDER_BITS}) <> 0`;

/** The given order first, then those for dates that it does not fit: as in importers/shared/time/date-order.ts. */
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

/** Events of a source that have a time, and their first and last, in microseconds. */
interface Span {
  events: number;
  first: number;
  last: number;
}

/** Spans of `new_time` by source; the last step derives it. */
async function spansOf(
  writer: CaseWriter,
  segments: readonly SegmentRow[],
  mine: string,
  derive: readonly Readonly<Record<string, string>>[],
): Promise<Map<number, Span>> {
  const spans = new Map<number, Span>();
  for (const segment of segments) {
    const from = await selectRows(writer, segment, mine, derive);
    const rows = (await writer.builder.rows(
      `SELECT source_id::DOUBLE, count(*)::DOUBLE, ${epochMicros('min(new_time)')}::DOUBLE, ${epochMicros('max(new_time)')}::DOUBLE FROM (${from}) WHERE new_time IS NOT NULL GROUP BY source_id`,
    )) as [number, number, number, number][];
    for (const [id, events, first, last] of rows) {
      const span = spans.get(id);
      spans.set(id, {
        events: events + (span?.events ?? 0),
        first: Math.min(first, span?.first ?? Infinity),
        last: Math.max(last, span?.last ?? -Infinity),
      });
    }
  }
  return spans;
}

/** SQL of the changed rows of a segment, with derived columns. */
async function selectRows(
  writer: CaseWriter,
  segment: SegmentRow,
  mine: string,
  derive: readonly Readonly<Record<string, string>>[],
): Promise<string> {
  const name = await writer.attach(segment);
  const missing = ['ts_basis', 'tz_offset'].filter((column) => !segment.columns.includes(column));
  const columns = ['*', ...missing.map((column) => `NULL::INTEGER AS ${column}`)].join(', ');
  let source = `SELECT ${columns} FROM ${name}.events WHERE ${mine}`;
  for (const step of derive) {
    const helpers = Object.entries(step).map(([helper, sql]) => `${sql} AS ${helper}`);
    source = `SELECT *, ${helpers.join(', ')} FROM (${source})`;
  }
  return source;
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
