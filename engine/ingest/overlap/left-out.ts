/**
 * Hides the events of a stretch that another source has as well, and shows them again. They are marked as deleted,
 * so that every answer omits them, and as left out (`LEFT_OUT`), so that compaction keeps them and hiding can be
 * undone.
 */
import { LEFT_OUT } from '../../catalog/tables/marks.ts';
import type { OverlapRow } from '../../catalog/tables/overlaps.ts';
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import { DaybookError } from '../../contract/errors.ts';
import { RowSet } from '../../util/row-set.ts';
import { identifier } from '../../store/segment-builder.ts';
import type { CaseWriter } from '../case/case-writer.ts';

/**
 * @returns the number of events that are hidden or shown now and were not before
 * @throws DaybookError not-found
 */
export async function setLeftOut(
  writer: CaseWriter,
  id: number,
  leftOut: boolean,
): Promise<number> {
  const { catalog } = writer;
  const overlap = catalog.overlaps.all().find((one) => one.id === id);
  if (overlap === undefined)
    throw new DaybookError(
      'not-found',
      `there is no overlap ${id}`,
      'list them with: daybook overlap CASE',
    );
  if (overlap.leftOut === leftOut) return 0;
  const segments = catalog.segments
    .all()
    .filter(({ sources }) => sources.includes(overlap.sourceId));
  const rows = new Map<number, RowSet>();
  for (const segment of segments) rows.set(segment.id, await rowsOf(writer, segment, overlap));
  return catalog.transaction(() => {
    let events = 0;
    for (const [segment, found] of rows) {
      const deleted = RowSet.ofSorted(catalog.marks.of(segment, 0), found.total);
      const hidden = RowSet.ofSorted(catalog.marks.of(segment, LEFT_OUT), found.total);
      // Events that a person deleted stay deleted.
      const changed = leftOut ? found.and(deleted.not()) : found.and(hidden);
      if (changed.count === 0) continue;
      events += changed.count;
      const set = (tag: number, before: RowSet) => {
        const after = leftOut ? before.or(changed) : before.and(changed.not());
        catalog.marks.set(segment, tag, after.slice(0, after.count));
      };
      set(0, deleted);
      set(LEFT_OUT, hidden);
    }
    catalog.overlaps.setLeftOut(id, leftOut);
    const { sourceId, from, to, otherId } = overlap;
    catalog.audit.add('overlap', { overlap: id, leftOut, sourceId, from, to, otherId, events });
    catalog.changes.add('overlap', { leftOut, rows: events, segments: [...rows.keys()] });
    return events;
  });
}

async function rowsOf(
  writer: CaseWriter,
  segment: SegmentRow,
  { sourceId, from, to, superseded }: OverlapRow,
): Promise<RowSet> {
  const name = identifier(await writer.attach(segment));
  // For a superseded source, everything: what was derived from its records has no offset. A record that extends
  // beyond the stretch is a different one there.
  const end = segment.columns.includes('length') ? `"offset" + "length"` : `"offset" + 1`;
  const within = superseded ? '' : ` AND "offset" >= ${from} AND ${end} <= ${to}`;
  const isThere = superseded || segment.columns.includes('offset');
  const found = isThere
    ? await writer.builder.numbersWhere(`${name}.events`, `source_id = ${sourceId}${within}`)
    : new Uint32Array(0);
  return RowSet.ofSorted(found, segment.rows);
}
