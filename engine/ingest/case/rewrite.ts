/**
 * Replaces segments by others with the same events: the common part of compaction, retiming and physical deletion.
 * Deleted rows are dropped, tags move with their events, and the catalog changes in one transaction.
 */
import { evidenceNames, renamedTogether } from '../../util/attribute-columns.ts';
import { type DayCount, daysOf, daysOfAll, denseRows, spansOf } from '../../util/segment-days.ts';
import { LEFT_OUT } from '../../catalog/tables/marks.ts';
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import { MESSAGE, SHAPE, variableColumns } from '../../store/messages/message-columns.ts';
import { type BuiltSegment, identifier, literal } from '../../store/segment-builder.ts';
import { isAmong, isNotAmong, withBeside } from '../../store/segment-sql.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { Kind } from '../../contract/event.ts';
import type { SegmentRewriter } from './segment-rewriter.ts';
import type { CaseWriter } from './case-writer.ts';
import type { BuiltIndex } from '../indexing/index-protocol.ts';
import type { SegmentPlaces } from './segment-places.ts';
import { type MergedShapes, mergeShapes } from './merge-messages.ts';

export interface RewriteOptions {
  /** SQL expressions for columns that change, by column name; they may use all columns. */
  replace?: Readonly<Record<string, string>>;
  /**
   * Helper expressions that `replace` may refer to by name; they are not stored. Each step may refer to earlier
   * ones.
   */
  derive?: readonly Readonly<Record<string, string>>[];
  /** Columns that `replace` requires: missing ones are added as typed NULLs. */
  need?: Readonly<Record<string, string>>;
  /** Additional values that `replace` may use for each row of a segment. */
  beside?: RowsBeside;
  /** Columns that are not stored. */
  drop?: readonly string[];
  /** Whether all times stay the same. */
  keepsTimes?: boolean;
  /** Whether side files of small segments are deferred. */
  lowLatency?: boolean;
}

/** Values for some rows of one segment, by row number. */
interface RowsBeside {
  /** SQL of a select. */
  readonly select: string;
  /** Its column of row numbers. */
  readonly row: string;
}

/** Changes made together with the swap. */
export interface SwapOptions {
  /** The audit log's entry; by default, a merge. */
  audit?: { readonly operation: string; readonly detail: Readonly<Record<string, unknown>> };
  /** Called inside the transaction that swaps the segments. */
  commit?: (added: SegmentRow[]) => void;
  importId?: number | undefined;
}

/** Segments, and those built to replace them. */
export interface Rewritten {
  readonly before: readonly SegmentRow[];
  readonly kind: Kind;
  readonly made: readonly Made[];
}

interface Made {
  readonly days: readonly DayCount[];
  readonly built: BuiltSegment;
  readonly index: BuiltIndex | undefined;
  readonly unflowedPackets: number;
  readonly tags: { readonly tagId: number; readonly rows: Uint32Array }[];
}

/**
 * A SELECT over the live rows of `segments`, with every column that any of them has; messages stay cut if `merged`
 * has the shapes.
 */
async function selectLive(
  rewriter: SegmentRewriter,
  segments: readonly SegmentRow[],
  merged: MergedShapes | undefined,
  beside: RowsBeside | undefined,
): Promise<string> {
  const parts: string[] = [];
  const renamed = renamedTogether(segments.map(({ columns }) => evidenceNames(columns)));
  for (const [i, segment] of segments.entries()) {
    const name = await rewriter.attach(segment);
    // Rows that are left out because another source has them may be shown again.
    const leftOut = new Set(rewriter.catalog.marks.of(segment.id, LEFT_OUT));
    const deleted = rewriter.catalog.marks.of(segment.id, 0).filter((row) => !leftOut.has(row));
    const numbers = merged?.numbers.get(segment.id);
    const table = numbers === undefined ? 'events' : 'stored';
    let where = '';
    if (deleted.length > 0) {
      await rewriter.builder.rowTable(`deleted_${segment.id}`, deleted);
      where = ` WHERE ${isNotAmong(`SELECT row FROM deleted_${segment.id}`, table)}`;
    }
    const columns = segment.columns.map((column) => {
      const other = renamed[i]?.get(column);
      return other === undefined
        ? identifier(column)
        : `${identifier(column)} AS ${identifier(other)}`;
    });
    if (numbers !== undefined) {
      const shape = identifier(SHAPE);
      columns.push(`[${numbers.join(', ')}][${shape}]::USMALLINT AS ${shape}`);
      columns.push(...variableColumns(segment.numberForm));
    }
    let from = `${identifier(name)}.${table}`;
    if (beside !== undefined) {
      columns.push('beside.*');
      from = withBeside(identifier(name), table, beside.select, identifier(beside.row));
    }
    parts.push(`SELECT ${columns.join(', ')} FROM ${from}${where}`);
  }
  return parts.join(' UNION ALL BY NAME ');
}

/**
 * Writes the live rows of `segments` (all of one kind) as new segments, one for each of the day ranges of
 * `spansOf`, and swaps them.
 * @returns the new segments
 */
export async function rewriteSegments(
  writer: CaseWriter,
  segments: readonly SegmentRow[],
  options: RewriteOptions & SwapOptions = {},
): Promise<SegmentRow[]> {
  return swap(writer, writer.places, await rewrite(writer, segments, options), options);
}

/** Replaces segments by those built from them, in one transaction. */
export function swap(
  writer: Pick<SegmentRewriter, 'catalog'>,
  places: SegmentPlaces,
  rewritten: Rewritten,
  options: SwapOptions = {},
): SegmentRow[] {
  return swapAll(writer, places, [rewritten], options);
}

/** The same for segments of several kinds. */
export function swapAll(
  { catalog }: Pick<SegmentRewriter, 'catalog'>,
  places: SegmentPlaces,
  all: readonly Rewritten[],
  { commit, importId, audit = MERGE }: SwapOptions = {},
): SegmentRow[] {
  const swaps = all.map(({ before, kind, made }) => {
    const added = made.map(({ built, days, unflowedPackets, index }) =>
      places.place(built, days, kind, unflowedPackets, importId, index),
    );
    return { before, kind, made, added };
  });
  places.settleNow();
  const added = swaps.flatMap((one) => one.added);
  catalog.transaction(() => {
    for (const { before, made, added: newSegments } of swaps) {
      for (const segment of before) catalog.segments.remove(segment.id);
      for (const [i, segment] of newSegments.entries()) {
        catalog.segments.add(segment);
        for (const { tagId, rows } of made[i]!.tags) catalog.marks.set(segment.id, tagId, rows);
      }
    }
    for (const { before, kind, added: addedRows } of swaps)
      catalog.audit.add(audit.operation, {
        ...(importId === undefined ? {} : { import: importId }),
        ...audit.detail,
        kind,
        days: daysOfAll(before),
        segments: { before: before.length, after: addedRows.length },
        rows: { before: rowsOf(before), after: rowsOf(addedRows) },
      });
    commit?.(added);
  });
  for (const { before } of swaps) for (const segment of before) places.discard(segment);
  return added;
}

const MERGE = { operation: 'merge', detail: {} };

function rowsOf(segments: readonly SegmentRow[]): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0);
}

/** Builds the replacements of `segments` (all of one kind) without swapping them. */
export async function rewrite(
  rewriter: SegmentRewriter,
  segments: readonly SegmentRow[],
  options: RewriteOptions = {},
): Promise<Rewritten> {
  await rewriter.returnMemory();
  try {
    return await rewriteAttached(rewriter, segments, options);
  } finally {
    // Attached segments take memory, of which there may have been too little.
    for (const { id } of segments) await rewriter.builder.detach(`seg_${id}`);
  }
}

async function rewriteAttached(
  rewriter: SegmentRewriter,
  segments: readonly SegmentRow[],
  options: RewriteOptions,
): Promise<Rewritten> {
  const { builder } = rewriter;
  const kind = segments[0]!.kind;
  const have = new Set(segments.flatMap((segment) => segment.columns));
  const merged = await mergeShapes(rewriter, segments);
  let source = await selectLive(rewriter, segments, merged, options.beside);
  const missing = Object.entries(options.need ?? {}).filter(([name]) => !have.has(name));
  if (missing.length > 0) {
    source = `SELECT *, ${missing.map(([name, type]) => `NULL::${type} AS ${identifier(name)}`).join(', ')} FROM (${source})`;
  }
  if (options.replace !== undefined) {
    const replaced = Object.entries(options.replace).map(
      ([name, sql]) => `${sql} AS ${identifier(name)}`,
    );
    const names: string[] = [];
    for (const step of options.derive ?? []) {
      const derived = Object.entries(step);
      if (derived.length === 0) continue;
      names.push(...derived.map(([name]) => identifier(name)));
      const helpers = derived.map(([name, sql]) => `${sql} AS ${identifier(name)}`).join(', ');
      source = `SELECT *, ${helpers} FROM (${source})`;
    }
    if (names.length > 0) {
      source = `SELECT * EXCLUDE (${names.join(', ')}) REPLACE (${replaced.join(', ')}) FROM (${source})`;
    } else {
      source = `SELECT * REPLACE (${replaced.join(', ')}) FROM (${source})`;
    }
  }
  const { lowLatency, drop = [] } = options;
  if (drop.length > 0)
    source = `SELECT * EXCLUDE (${drop.map(identifier).join(', ')}) FROM (${source})`;
  const mayMove = options.replace !== undefined && options.keepsTimes !== true;
  const known = mayMove ? undefined : daysKnown(rewriter, segments);
  const [whole, ...more] = known === undefined ? [] : spansOf(known, denseRows());
  if (whole !== undefined && more.length === 0)
    return build(rewriter, segments, [{ days: whole, select: source }], {
      ...{ kind, merged, source: `(${source})`, lowLatency },
    });
  // Read and computed once; each segment then takes its rows.
  try {
    const day = have.has('ts') ? "strftime(ts, '%Y-%m-%d')" : 'NULL::VARCHAR';
    await builder.table(
      WORK,
      `SELECT *, coalesce(${day}, '${UNDATED}') AS ${DAY} FROM (${source})`,
    );
    const rows = await builder.rows(`SELECT ${DAY}, count(*)::DOUBLE FROM ${WORK} GROUP BY ${DAY}`);
    const spans = spansOf(
      rows.map(([name, n]) => ({ day: String(name), rows: Number(n) })),
      denseRows(),
    );
    const parts = spans.map((days) => ({
      days,
      select: `SELECT * EXCLUDE (${DAY}) FROM ${WORK} WHERE ${DAY} IN (${days.map((one) => literal(one.day)).join(', ')})`,
    }));
    return await build(rewriter, segments, parts, { kind, merged, source: WORK, lowLatency });
  } finally {
    await builder.dropTable(WORK);
  }
}

const UNDATED = 'undated';
/** Table of rows while they are assigned to days. */
const WORK = 'rewritten_rows';
const DAY = 'rewritten_day';

/** Number of events that the segments have on each day; undefined: some are deleted, so they must be counted. */
function daysKnown(
  { catalog }: SegmentRewriter,
  segments: readonly SegmentRow[],
): DayCount[] | undefined {
  const ids = new Set(segments.map(({ id }) => id));
  if (catalog.marks.summary().some(({ tagId, segmentId }) => tagId === 0 && ids.has(segmentId)))
    return undefined;
  const counts = new Map<string, number>();
  for (const { day, rows } of segments.flatMap(daysOf))
    counts.set(day, (counts.get(day) ?? 0) + rows);
  return Array.from(counts, ([day, rows]) => ({ day, rows }));
}

interface Built {
  readonly kind: Kind;
  readonly merged: MergedShapes | undefined;
  /** All rows, in the form of a FROM clause. */
  readonly source: string;
  readonly lowLatency: boolean | undefined;
}

/** Builds a segment from each part. */
async function build(
  rewriter: SegmentRewriter,
  segments: readonly SegmentRow[],
  parts: readonly { readonly days: readonly DayCount[]; readonly select: string }[],
  { kind, merged, source, lowLatency }: Built,
): Promise<Rewritten> {
  const { builder } = rewriter;
  const messages = merged && {
    shapes: merged.shapes,
    wholeShare: await wholeShare(rewriter, source),
  };
  const inputBytes = segments.reduce((sum, segment) => sum + segment.bytes, 0) * 4;
  const made: Made[] = [];
  for (const { days, select } of parts) {
    const built = await builder.build(select, { sorted: false, inputBytes, messages });
    const rows = days.reduce((sum, one) => sum + one.rows, 0);
    if (built.rows !== rows)
      throw new DaybookError('internal', `${rows} events of ${days[0]!.day} became ${built.rows}`);
    await builder.attach(MADE, built.path);
    let unflowedPackets = 0;
    let tags: Made['tags'];
    try {
      if (kind === 'packet') unflowedPackets = await unflowedOf(rewriter, built);
      tags = await tagsOf(rewriter, segments);
    } finally {
      // If this one failed, a later merge would read it instead of its own.
      await builder.detach(MADE);
    }
    const index = await rewriter.indexOf(built, kind, lowLatency);
    made.push({ days, built, index, unflowedPackets, tags });
  }
  return { before: segments, kind, made };
}

/** The database name of a new segment while it is read. */
const MADE = 'made';

async function unflowedOf(
  { builder }: SegmentRewriter,
  { columns }: BuiltSegment,
): Promise<number> {
  const count = columns.includes('flow_id') ? 'count(*) FILTER (flow_id IS NULL)' : 'count(*)';
  const [row] = await builder.rows(`SELECT ${count}::DOUBLE FROM ${MADE}.events`);
  return Number(row?.[0]);
}

/** The share of the messages of `source` that are stored whole. */
async function wholeShare({ builder }: SegmentRewriter, source: string): Promise<number> {
  const [row] = await builder.rows(
    `SELECT count(${identifier(MESSAGE)})::DOUBLE / greatest(count(*), 1) FROM ${source}`,
  );
  return Number(row?.[0]);
}

/** The rows of the new segment whose events were tagged in `before`, by tag. */
async function tagsOf(
  rewriter: SegmentRewriter,
  before: readonly SegmentRow[],
): Promise<Made['tags']> {
  const { catalog, builder } = rewriter;
  const ids = new Set(before.map((segment) => segment.id));
  const tagged = catalog.marks
    .summary()
    .filter((mark) => mark.tagId !== 0 && ids.has(mark.segmentId));
  const out: Made['tags'] = [];
  for (const [tagId, marks] of Map.groupBy(tagged, (mark) => mark.tagId)) {
    const events: string[] = [];
    for (const { segmentId } of marks) {
      const table = `tagged_${segmentId}_${tagId === LEFT_OUT ? 'left_out' : tagId}`;
      await builder.rowTable(table, catalog.marks.of(segmentId, tagId));
      events.push(
        `SELECT source_id, seq FROM seg_${segmentId}.events WHERE ${isAmong(`SELECT row FROM ${table}`)}`,
      );
    }
    const rows = await builder.numbersWhere(
      `${MADE}.events`,
      `(source_id, seq) IN (${events.join(' UNION ALL ')})`,
    );
    if (rows.length === 0) continue;
    out.push({ tagId, rows });
    if (tagId === LEFT_OUT) out.push({ tagId: 0, rows });
  }
  return out;
}
