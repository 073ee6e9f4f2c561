/**
 * Replaces segments by others with the same events: what compaction, retiming and physical deletion
 * have in common. Deleted rows are left out, tags move along by event, and the catalog changes in one
 * transaction.
 */
import type { SegmentRow } from '../catalog/catalog.ts';
import { MESSAGE, SHAPE, VARIABLES } from '../store/messages/message-columns.ts';
import { identifier } from '../store/segment-builder.ts';
import type { CaseWriter } from './case-writer.ts';
import { type MergedShapes, mergeShapes } from './merge-messages.ts';

export interface RewriteOptions {
  /** SQL expressions for columns that change, by column name; they may use all columns. */
  replace?: Readonly<Record<string, string>>;
  /** Helper expressions that `replace` may use by name; they are not stored. */
  derive?: Readonly<Record<string, string>>;
  /** Column definitions that have to exist for `replace`: absent ones are added as typed NULLs. */
  need?: Readonly<Record<string, string>>;
  /** Called inside the transaction that swaps the segments. */
  commit?: (added: SegmentRow[]) => void;
  importId?: number | undefined;
}

/**
 * One SELECT over the live rows of `segments`, with every column that any of them has; messages as they are
 * cut where `merged` has the shapes.
 */
async function selectLive(
  writer: CaseWriter,
  segments: readonly SegmentRow[],
  merged: MergedShapes | undefined,
): Promise<string> {
  const parts: string[] = [];
  for (const segment of segments) {
    const name = await writer.attach(segment);
    const deleted = writer.catalog.marks(segment.id, 0);
    let where = '';
    if (deleted.length > 0) {
      await writer.builder.rowTable(`deleted_${segment.id}`, deleted);
      where = ` WHERE rowid NOT IN (SELECT row FROM deleted_${segment.id})`;
    }
    const columns = segment.columns.map(identifier);
    const numbers = merged?.numbers.get(segment.id);
    if (numbers !== undefined) {
      const shape = identifier(SHAPE);
      columns.push(`[${numbers.join(', ')}][${shape}]::USMALLINT AS ${shape}`);
      columns.push(...VARIABLES.map(identifier));
    }
    const table = numbers === undefined ? 'events' : 'stored';
    parts.push(`SELECT ${columns.join(', ')} FROM ${identifier(name)}.${table}${where}`);
  }
  return parts.join(' UNION ALL BY NAME ');
}

/**
 * Writes the live rows of `segments` (all of one kind) as new segments, one per day, and swaps them.
 * @returns the new segments
 */
export async function rewriteSegments(
  writer: CaseWriter,
  segments: readonly SegmentRow[],
  options: RewriteOptions = {},
): Promise<SegmentRow[]> {
  const { catalog, builder } = writer;
  const kind = segments[0]!.kind;
  const have = new Set(segments.flatMap((segment) => segment.columns));
  const merged = await mergeShapes(writer, segments);
  let source = await selectLive(writer, segments, merged);
  const missing = Object.entries(options.need ?? {}).filter(([name]) => !have.has(name));
  if (missing.length > 0) {
    source = `SELECT *, ${missing.map(([name, type]) => `NULL::${type} AS ${identifier(name)}`).join(', ')} FROM (${source})`;
  }
  if (options.replace !== undefined) {
    const replaced = Object.entries(options.replace).map(
      ([name, sql]) => `${sql} AS ${identifier(name)}`,
    );
    const derived = Object.entries(options.derive ?? {});
    if (derived.length > 0) {
      const names = derived.map(([name]) => identifier(name)).join(', ');
      const helpers = derived.map(([name, sql]) => `${sql} AS ${identifier(name)}`).join(', ');
      source = `SELECT * EXCLUDE (${names}) REPLACE (${replaced.join(', ')}) FROM (SELECT *, ${helpers} FROM (${source}))`;
    } else {
      source = `SELECT * REPLACE (${replaced.join(', ')}) FROM (${source})`;
    }
  }
  const messages = merged && {
    shapes: merged.shapes,
    wholeShare: await wholeShare(writer, source),
  };
  const inputBytes = segments.reduce((sum, segment) => sum + segment.bytes, 0) * 4;
  const added: SegmentRow[] = [];
  const days = have.has('ts')
    ? (await builder.rows(`SELECT DISTINCT strftime(ts, '%Y-%m-%d') FROM (${source})`)).map(
        ([day]) => day as string | null,
      )
    : [null];
  for (const day of days.sort()) {
    const filter = !have.has('ts')
      ? ''
      : day === null
        ? ' WHERE ts IS NULL'
        : ` WHERE strftime(ts, '%Y-%m-%d') = '${day}'`;
    const built = await builder.build(
      `SELECT * FROM (${source})${days.length === 1 ? '' : filter}`,
      { sorted: false, inputBytes, messages },
    );
    if (built.rows === 0) continue;
    let unflowed = 0;
    if (kind === 'packet') {
      await builder.attach('rebuilt', built.path);
      const count = built.columns.includes('flow_id')
        ? 'count(*) FILTER (flow_id IS NULL)'
        : 'count(*)';
      unflowed = Number((await builder.rows(`SELECT ${count}::DOUBLE FROM rebuilt.events`))[0]![0]);
      await builder.detach('rebuilt');
    }
    const index = await writer.indexOf(built, kind);
    added.push(writer.place(built, day ?? 'undated', kind, unflowed, options.importId, index));
  }
  writer.settle();
  const moved = await moveTags(writer, segments, added);
  catalog.transaction(() => {
    for (const segment of segments) catalog.removeSegment(segment.id);
    for (const segment of added) catalog.addSegment(segment);
    for (const { segmentId, tagId, rows } of moved) catalog.setMarks(segmentId, tagId, rows);
    options.commit?.(added);
  });
  for (const segment of [...segments, ...added]) await builder.detach(`seg_${segment.id}`);
  for (const segment of segments) writer.discard(segment);
  return added;
}

/** Of the messages of `select`, the share that is kept whole. */
async function wholeShare({ builder }: CaseWriter, select: string): Promise<number> {
  const [row] = await builder.rows(
    `SELECT count(${identifier(MESSAGE)})::DOUBLE / greatest(count(*), 1) FROM (${select})`,
  );
  return Number(row?.[0]);
}

async function moveTags(
  writer: CaseWriter,
  from: readonly SegmentRow[],
  to: readonly SegmentRow[],
) {
  const { catalog, builder } = writer;
  const ids = new Set(from.map((segment) => segment.id));
  const tagged = catalog
    .markSummary()
    .filter((mark) => mark.tagId !== 0 && ids.has(mark.segmentId));
  const out: { segmentId: number; tagId: number; rows: Uint32Array }[] = [];
  for (const tagId of new Set(tagged.map((mark) => mark.tagId))) {
    const events: string[] = [];
    for (const mark of tagged.filter((one) => one.tagId === tagId)) {
      const table = `tagged_${mark.segmentId}_${tagId}`;
      await builder.rowTable(table, catalog.marks(mark.segmentId, tagId));
      events.push(
        `SELECT source_id, seq FROM seg_${mark.segmentId}.events WHERE rowid IN (SELECT row FROM ${table})`,
      );
    }
    for (const segment of to) {
      await writer.attach(segment);
      const rows = await builder.rows(
        `SELECT rowid::DOUBLE FROM seg_${segment.id}.events WHERE (source_id, seq) IN (${events.join(' UNION ALL ')}) ORDER BY rowid`,
      );
      if (rows.length > 0)
        out.push({
          segmentId: segment.id,
          tagId,
          rows: Uint32Array.from(rows, ([row]) => Number(row)),
        });
    }
  }
  return out;
}
