/**
 * `source.retime`: changes the decided zone or year of a source without reading it again.
 *
 * Every event keeps the offset that was subtracted from its stated time, so the stated time is known
 * exactly; what the source itself stated (a zone, a year) is left as it is.
 */
import type { Catalog, SourceRow } from '../catalog/catalog.ts';
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
  if (parameters.timeZone === undefined && parameters.year === undefined) {
    throw new DaybookError('usage', 'nothing to change: give --tz, --year or both');
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
  const local =
    years === 0
      ? stated
      : `CASE WHEN ${yeared} THEN ${stated} + to_years(${years}) ELSE ${stated} END`;
  const segments = catalog
    .segments()
    .filter((segment) => segment.sources.includes(source.id) && segment.columns.includes('ts'));

  let offset = 'coalesce(tz_offset, 0)';
  if (zone !== undefined && source.firstTs !== undefined && source.lastTs !== undefined) {
    const shift = years * 366 * 86_400;
    const from = source.firstTs / 1e6 + Math.min(0, shift) - 2 * 86_400;
    const to = source.lastTs / 1e6 + Math.max(0, shift) + 2 * 86_400;
    offset = `CASE WHEN ${zoned} THEN ${offsetSql(zone, from, to)} ELSE coalesce(tz_offset, 0) END`;
  }
  const replace = {
    ts: `CASE WHEN ${mine} THEN (local_time - to_seconds(new_offset)) ELSE ts END`,
    tz_offset: `CASE WHEN ${mine} THEN new_offset::INTEGER ELSE tz_offset END`,
  };

  const before = { first: source.firstTs, last: source.lastTs, decisions: { ...source.decisions } };
  let events = 0;
  let first: number | undefined;
  let last: number | undefined;
  const groups = [...Map.groupBy(segments, (segment) => segment.kind).values()];
  if (parameters.timeZone !== undefined) source.decisions.tz = parameters.timeZone;
  if (parameters.year !== undefined) source.decisions.year = parameters.year;
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
