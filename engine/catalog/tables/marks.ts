/**
 * Tables `tags`, `marks` and `hand_tags`: tagged and deleted rows of segments, and the events that a person tagged.
 */
import { type CatalogDatabase, now } from '../catalog-database.ts';
import { HASH_PLACEHOLDER } from '../row-hashes.ts';
import { TAG_COLORS, type TagColor } from '../../contract/findings.ts';
import { type EventKey, keyOf, type Rating, ratingOf } from './notes.ts';

/**
 * Marks of rows that are left out because another source has them as well; these rows are also marked as deleted.
 */
export const LEFT_OUT = -1;

interface TagRow extends Rating {
  id: number;
  name: string;
  /** The chosen colour; undefined: one derived from its id. */
  color: TagColor | undefined;
}

interface CountedTag extends TagRow {
  /** Rows with the tag, including deleted ones. */
  marked: number;
  /** Rows with the tag that answers include: neither deleted nor left out. */
  visible: number;
}

const NO_ROWS = { marked: 0, visible: 0 };

export class MarksTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  /** By name. */
  tags(): TagRow[] {
    return this.db.all('SELECT * FROM tags ORDER BY name').map((row) => ({
      ...{ id: Number(row.id), name: String(row.name) },
      color: TAG_COLORS.find((color) => color === row.color),
      ...ratingOf(row),
    }));
  }

  /** By name, with the numbers of rows. */
  countedTags(): CountedTag[] {
    const marks = this.summary();
    const withDeleted = new Set(marks.filter(({ tagId }) => tagId === 0).map((m) => m.segmentId));
    const tagged = Map.groupBy(
      marks.filter(({ tagId }) => tagId > 0),
      ({ segmentId }) => segmentId,
    );
    const counts = new Map<number, { marked: number; visible: number }>();
    for (const [segmentId, ofSegment] of tagged) {
      const deleted = withDeleted.has(segmentId) ? this.of(segmentId, 0) : undefined;
      for (const { tagId, count } of ofSegment) {
        const sum = counts.get(tagId) ?? { marked: 0, visible: 0 };
        sum.marked += count;
        sum.visible +=
          deleted === undefined ? count : count - inBoth(this.of(segmentId, tagId), deleted);
        counts.set(tagId, sum);
      }
    }
    return this.tags().map((tag) => ({ ...tag, ...(counts.get(tag.id) ?? NO_ROWS) }));
  }

  /** Stores the rating and colour of a tag. */
  rate({ id, color, severity, place }: Pick<TagRow, 'id' | 'color' | keyof Rating>): void {
    this.db.change(
      'tags',
      'id = ?',
      [id],
      'UPDATE tags SET color = ?, severity = ?, place = ? WHERE id = ?',
      ...[color ?? null, severity ?? null, place ?? null, id],
    );
  }

  tagId(name: string): number {
    const row = this.db.get('SELECT id FROM tags WHERE name = ?', name);
    if (row !== undefined) return Number(row.id);
    return this.db.insert('tags', 'INSERT INTO tags(name, created_at) VALUES (?, ?)', name, now());
  }

  /** The segments that have marks: by segment the tags (0 = deleted) and numbers of rows. */
  summary(): { segmentId: number; tagId: number; count: number }[] {
    return this.db.all('SELECT segment_id, tag_id, count FROM marks').map((row) => ({
      segmentId: Number(row.segment_id),
      tagId: Number(row.tag_id),
      count: Number(row.count),
    }));
  }

  /** By segment: number of rows that a person deleted, without those that are only left out. */
  deletedBySegment(): Map<number, number> {
    const out = new Map<number, number>();
    for (const { segmentId, tagId, count } of this.summary()) {
      if (tagId !== 0 && tagId !== LEFT_OUT) continue;
      out.set(segmentId, (out.get(segmentId) ?? 0) + (tagId === 0 ? count : -count));
    }
    for (const [id, count] of out) if (count === 0) out.delete(id);
    return out;
  }

  of(segmentId: number, tagId: number): Uint32Array {
    const row = this.db.get(
      'SELECT rows FROM marks WHERE segment_id = ? AND tag_id = ?',
      segmentId,
      tagId,
    );
    if (row === undefined) return new Uint32Array(0);
    const blob = row.rows as Uint8Array;
    return new Uint32Array(blob.slice().buffer);
  }

  /** Replaces the marks of a segment; `rows` ascending. */
  set(segmentId: number, tagId: number, rows: Uint32Array): void {
    const where = 'segment_id = ? AND tag_id = ?';
    const key = [segmentId, tagId];
    if (rows.length === 0) {
      this.db.change('marks', where, key, `DELETE FROM marks WHERE ${where}`, ...key);
      return;
    }
    this.db.change(
      'marks',
      where,
      key,
      `INSERT OR REPLACE INTO marks(segment_id, tag_id, count, rows, row_hash)
       VALUES (?, ?, ?, ?, ${HASH_PLACEHOLDER})`,
      segmentId,
      tagId,
      rows.length,
      Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength),
    );
  }

  /** Events tagged by hand, each once, with the latest time. */
  handTagged(): (EventKey & { at: string })[] {
    return this.db
      .all(
        'SELECT source_id, seq, max(at) AS at FROM hand_tags GROUP BY source_id, seq ORDER BY at DESC, source_id, seq',
      )
      .map((row) => ({ ...keyOf(row), at: String(row.at) }));
  }

  /** With `tagId` 0 those of any tag, as deletion needs. */
  handTags(tagId: number): EventKey[] {
    return this.db
      .all('SELECT * FROM hand_tags WHERE tag_id = ? OR ? = 0', tagId, tagId)
      .map(keyOf);
  }

  addHandTag(tagId: number, { sourceId, seq }: EventKey): void {
    this.db.change(
      'hand_tags',
      'tag_id = ? AND source_id = ? AND seq = ?',
      [tagId, sourceId, seq],
      'INSERT OR REPLACE INTO hand_tags(tag_id, source_id, seq, at) VALUES (?, ?, ?, ?)',
      tagId,
      sourceId,
      seq,
      now(),
    );
  }

  /** With `tagId` 0 for every tag. */
  removeHandTag(tagId: number, { sourceId, seq }: EventKey): void {
    const where = '(tag_id = ? OR ? = 0) AND source_id = ? AND seq = ?';
    const key = [tagId, tagId, sourceId, seq];
    this.db.change('hand_tags', where, key, `DELETE FROM hand_tags WHERE ${where}`, ...key);
  }
}

/** Number of rows that are in both of two ascending lists. */
function inBoth(a: Uint32Array, b: Uint32Array): number {
  let common = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [one, other] = [a[i]!, b[j]!];
    if (one === other) common += 1;
    if (one <= other) i += 1;
    if (one >= other) j += 1;
  }
  return common;
}
