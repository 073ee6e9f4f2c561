/**
 * `source.retime`: changes the decided zone, year or date order of a source without reading it again.
 *
 * Every event keeps the offset that was subtracted from its stated time, so the stated time is known
 * exactly, and in which order its date was read where another would give a date, too. What the source
 * itself stated (a zone, a year, a date that can be read one way only) is left as it is.
 */
import type { Catalog, SourceRow } from '../catalog/catalog.ts';
import { GIVEN, type DateOrder } from '../contract/decisions.ts';
import { DaybookError } from '../contract/errors.ts';
import { TS_BASIS } from '../contract/event.ts';
import { resolveZone, type Zone } from '../contract/zone.ts';
import { CaseWriter } from '../ingest/case-writer.ts';
import { mergeRollups } from '../ingest/merge-rollups.ts';
import { rewriteSegments } from '../ingest/rewrite.ts';
import type { BuilderOptions } from '../store/segment-builder.ts';

const HOUR = 3600;

export interface RetimeParameters {
  folder: string;
  /** Number or name of the source. */
  source: string;
  timeZone: string | undefined;
  year: number | undefined;
  dateOrder?: DateOrder | undefined;
  builder: BuilderOptions;
}

export interface RetimeReport {
  source: string;
  events: number;
  before: { first: number | undefined; last: number | undefined; decisions: unknown };
  after: { first: number | undefined; last: number | undefined; decisions: unknown };
}

/** @throws DaybookError not-found, usage, case-locked */
export async function retimeSource(parameters: RetimeParameters): Promise<RetimeReport> {
  const { timeZone, year, dateOrder } = parameters;
  if (timeZone === undefined && year === undefined && dateOrder === undefined) {
    throw new DaybookError('usage', 'nothing to change: give --tz, --year or --date-order');
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
    return await retime(writer, source, zone, years, parameters);
  } finally {
    writer.close();
  }
}

function findSource(catalog: Catalog, text: string): SourceRow {
  const sources = catalog.sources();
  const exact = sources.filter((source) => source.name === text || String(source.id) === text);
  // As in `source:` of a query: the end of the path is enough where it is one source's only.
  const found =
    exact.length > 0
      ? exact
      : sources.filter(({ name }) => name.endsWith(`/${text}`) || name.endsWith(`!${text}`));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    throw new DaybookError(
      'usage',
      `${found.length} sources are called ${text}`,
      `give its number: ${found.map((source) => source.id).join(', ')}`,
    );
  }
  throw new DaybookError(
    'not-found',
    `there is no source ${JSON.stringify(text)}`,
    'list them with: daybook sources CASE',
  );
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
  const stated = 'ts + to_seconds(coalesce(tz_offset, 0))';
  const { dateOrder } = parameters;
  const orders = dateOrder === undefined ? [] : ordersFrom(dateOrder);
  const cases: string[] = [];
  if (years !== 0) cases.push(`WHEN ${yeared} THEN ${stated} + to_years(${years})`);
  if (orders.length > 0)
    cases.push(
      `WHEN ${ORDERED} THEN ${dateIn(orders, stated)} + (${stated} - date_trunc('day', ${stated}))`,
    );
  const local = cases.length === 0 ? stated : `CASE ${cases.join(' ')} ELSE ${stated} END`;
  const basis =
    orders.length === 0
      ? 'ts_basis'
      : `CASE WHEN ${mine} AND ${ORDERED} THEN (ts_basis - (ts_basis & ${ORDER_BITS}) + ${bitsIn(orders, stated)})::UTINYINT ELSE ts_basis END`;
  const segments = catalog
    .segments()
    .filter((segment) => segment.sources.includes(source.id) && segment.columns.includes('ts'));

  let offset = 'coalesce(tz_offset, 0)';
  if (zone !== undefined && source.firstTs !== undefined && source.lastTs !== undefined) {
    const shift = years * 366 * 86_400;
    // Another order moves a date within its year, or anywhere where the year has two digits.
    const moved = orders.length === 0 ? 2 * 86_400 : 100 * 366 * 86_400;
    const from = source.firstTs / 1e6 + Math.min(0, shift) - moved;
    const to = source.lastTs / 1e6 + Math.max(0, shift) + moved;
    offset = `CASE WHEN ${zoned} THEN ${offsetSql(zone, from, to)} ELSE coalesce(tz_offset, 0) END`;
  }
  const replace = {
    ts: `CASE WHEN ${mine} THEN (local_time - to_seconds(new_offset)) ELSE ts END`,
    tz_offset: `CASE WHEN ${mine} THEN new_offset::INTEGER ELSE tz_offset END`,
    ts_basis: basis,
  };

  const before = { first: source.firstTs, last: source.lastTs, decisions: { ...source.decisions } };
  let events = 0;
  let first: number | undefined;
  let last: number | undefined;
  const groups = [...Map.groupBy(segments, (segment) => segment.kind).values()];
  const { decisions } = source;
  if (parameters.timeZone !== undefined)
    Object.assign(decisions, { tz: parameters.timeZone, tzBasis: GIVEN });
  if (parameters.year !== undefined)
    Object.assign(decisions, { year: parameters.year, yearBasis: GIVEN });
  if (dateOrder !== undefined) Object.assign(decisions, { dateOrder, dateOrderBasis: GIVEN });
  // All segments before the first is rewritten: what is refused has changed nothing.
  for (const segment of segments) {
    const name = await writer.attach(segment);
    if (years === 0 || !segment.columns.includes('ts_basis')) continue;
    const offsetOrNone = segment.columns.includes('tz_offset') ? 'tz_offset' : '0';
    const [[lost]] = (await builder.rows(
      `SELECT count(*)::DOUBLE FROM (SELECT ts + to_seconds(coalesce(${offsetOrNone}, 0)) AS l FROM ${name}.events WHERE ${mine} AND ${yeared}) WHERE day(l + to_years(${years})) <> day(l)`,
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
      derive: { new_offset: offset.replaceAll('LOCAL', `(${local})`), local_time: local },
      replace,
      commit: () => {
        // Who reads meanwhile must not take it for a merge, which leaves events on their days.
        catalog.addChange('retime', { sources: [source.id] });
        // With the last kind, so that a crash never leaves new times beside the old decision.
        if (group === groups.at(-1)) catalog.updateSource(source);
      },
    });
  }
  for (const segment of catalog.segments()) {
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
    catalog.updateSource(source);
    catalog.addAudit('retime', { source: source.id, name: source.name, before, after });
  });
  try {
    await mergeRollups(writer);
  } finally {
    catalog.addChange('retime', { sources: [source.id], rows: events });
  }
  return { source: source.name, events, before, after };
}

const ORDER_BITS = TS_BASIS.dayFirst | TS_BASIS.monthFirst;
const ORDERED = `(coalesce(ts_basis, 0) & ${ORDER_BITS}) <> 0`;

/** An order first, then those for dates that it does not fit: as importers/shared/date-order.ts has it. */
function ordersFrom(order: DateOrder): DateOrder[] {
  return [...new Set<DateOrder>([order, 'mdy', 'dmy', 'ymd'])];
}

/** The three numbers of a date as they were written, as SQL: undone by the order it was read in. */
function numbersOf(stated: string): Record<'first' | 'second' | 'third' | 'two', string> {
  const two = `(ts_basis & ${TS_BASIS.twoDigitYear}) <> 0`;
  const year = `CASE WHEN ${two} THEN year(${stated}) % 100 ELSE year(${stated}) END`;
  const month = `month(${stated})`;
  const day = `day(${stated})`;
  const by = (dmy: string, mdy: string, ymd: string) =>
    `(CASE ts_basis & ${ORDER_BITS} WHEN ${TS_BASIS.dayFirst} THEN ${dmy} WHEN ${TS_BASIS.monthFirst} THEN ${mdy} ELSE ${ymd} END)`;
  return {
    first: by(day, month, year),
    second: by(month, day, month),
    third: by(year, year, day),
    two,
  };
}

/** The date that the numbers are in an order, NULL when they are none, as SQL. */
function dateBy(order: DateOrder, stated: string): string {
  const { first, second, third, two } = numbersOf(stated);
  const [year, month, day] =
    order === 'ymd'
      ? [first, second, third]
      : order === 'mdy'
        ? [third, first, second]
        : [third, second, first];
  const full = `(CASE WHEN NOT (${two}) THEN ${year} WHEN ${year} < 70 THEN 2000 + ${year} ELSE 1900 + ${year} END)`;
  const date = `try_cast(printf('%04d-%02d-%02d', ${full}, ${month}, ${day}) AS DATE)`;
  return order === 'ymd' ? `(CASE WHEN ${two} THEN ${date} END)` : date;
}

/** The date in the first of the orders that gives one. */
function dateIn(orders: readonly DateOrder[], stated: string): string {
  return `coalesce(${orders.map((order) => dateBy(order, stated)).join(', ')})::TIMESTAMP`;
}

/** The bits of that order. */
function bitsIn(orders: readonly DateOrder[], stated: string): string {
  const bits = { dmy: TS_BASIS.dayFirst, mdy: TS_BASIS.monthFirst, ymd: ORDER_BITS };
  const cases = orders.map(
    (order) => `WHEN ${dateBy(order, stated)} IS NOT NULL THEN ${bits[order]}`,
  );
  return `(CASE ${cases.join(' ')} END)`;
}

/** The zone's offset in seconds as SQL over the local time `LOCAL`, right from `from` to `to` (seconds). */
function offsetSql(zone: Zone, from: number, to: number): string {
  if (zone.fixed !== undefined) return String(zone.fixed);
  const start = Math.floor(from / HOUR) * HOUR;
  let current = zone.offsetAtLocalSeconds(start);
  const cases: string[] = [];
  for (let hour = start; hour < to; hour += HOUR) {
    if (zone.offsetAtLocalSeconds(hour + HOUR) === current) continue;
    for (let at = hour; at <= hour + HOUR; at += HOUR / 4) {
      const offset = zone.offsetAtLocalSeconds(at);
      if (offset === current) continue;
      cases.push(`WHEN epoch(LOCAL) < ${at} THEN ${current}`);
      current = offset;
    }
  }
  return cases.length === 0 ? String(current) : `CASE ${cases.join(' ')} ELSE ${current} END`;
}
