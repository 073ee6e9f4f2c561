/** Table `segments`: a segment file without a row does not exist. */
import type { EpochMicros, Kind } from '../../contract/event.ts';
import type { DayCount } from '../../util/segment-days.ts';
import { type CatalogDatabase, json, optional } from '../catalog-database.ts';
import { MetaTable } from './meta.ts';
import { daysIn, daysText } from '../segment-days.ts';
import { valueCountsIn } from '../value-counts.ts';

export interface SegmentRow {
  id: number;
  /** The first day, if it has several. */
  day: string;
  /** Undefined: all rows are of `day`. */
  days: readonly DayCount[] | undefined;
  kind: Kind;
  file: string;
  rows: number;
  minTs: EpochMicros | undefined;
  maxTs: EpochMicros | undefined;
  bytes: number;
  sha256: string;
  /**
   * Identifies the file without reading all of it: see `segmentIdentity`; undefined if an earlier version wrote it.
   */
  identity?: string | undefined;
  columns: string[];
  /**
   * Number of rows with a value (engine/store/value-counts.ts), for a segment that is added; `valueCounts` reads
   * it. Undefined if an earlier version wrote it.
   */
  counts?: readonly number[] | undefined;
  sources: number[];
  /** Number of message shapes; 0 if messages are stored whole. */
  shapes: number;
  /** Layout of their numbers: bytes in one list, or a list for each width. */
  numberForm: 'bytes' | 'widths';
  unflowedPackets: number;
  importId: number | undefined;
  /** The side file. */
  index: SideFileRow | undefined;
}

/**
 * The columns of all segments that each import reads, of which there may be thousands: without those that take time
 * to read.
 */
export interface SegmentOutline extends Pick<
  SegmentRow,
  'id' | 'day' | 'days' | 'kind' | 'file' | 'rows' | 'bytes'
> {
  hasIndex: boolean;
}

interface SideFileRow {
  bytes: number;
  sha256: string;
}

export class SegmentsTable {
  private readonly db: CatalogDatabase;
  private readonly meta: MetaTable;

  constructor(db: CatalogDatabase) {
    this.db = db;
    this.meta = new MetaTable(db);
  }

  /** The highest number that a segment of this case ever had; numbers are never reused. */
  lastId(): number {
    return Number(this.meta.get('last_segment') ?? 0);
  }

  add(segment: SegmentRow): void {
    const { id } = segment;
    this.db.change(
      'segments',
      'id = ?',
      [id],
      `INSERT INTO segments(id, day, kind, file, rows, min_ts, max_ts, bytes, sha256, columns, sources,
         shapes, number_bytes, unflowed_packets, import_id, index_bytes, index_sha256, identity, days, value_counts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      segment.id,
      segment.day,
      segment.kind,
      segment.file,
      segment.rows,
      segment.minTs ?? null,
      segment.maxTs ?? null,
      segment.bytes,
      segment.sha256,
      JSON.stringify(segment.columns),
      JSON.stringify(segment.sources),
      segment.shapes,
      segment.numberForm === 'bytes' ? 1 : 0,
      segment.unflowedPackets,
      segment.importId ?? null,
      segment.index?.bytes ?? null,
      segment.index?.sha256 ?? null,
      segment.identity ?? null,
      daysText(segment.days),
      segment.counts === undefined ? null : JSON.stringify(segment.counts),
    );
    if (id > this.lastId()) this.meta.set('last_segment', String(id));
  }

  remove(id: number): void {
    this.db.within(() => {
      this.db.change('marks', 'segment_id = ?', [id], 'DELETE FROM marks WHERE segment_id = ?', id);
      this.db.change('segments', 'id = ?', [id], 'DELETE FROM segments WHERE id = ?', id);
    });
  }

  setSideFile(id: number, index: SideFileRow | undefined): void {
    this.db.change(
      'segments',
      'id = ?',
      [id],
      'UPDATE segments SET index_bytes = ?, index_sha256 = ? WHERE id = ?',
      index?.bytes ?? null,
      index?.sha256 ?? null,
      id,
    );
  }

  setValueCounts(id: number, counts: readonly number[]): void {
    this.db.change(
      'segments',
      'id = ?',
      [id],
      'UPDATE segments SET value_counts = ? WHERE id = ?',
      JSON.stringify(counts),
      id,
    );
  }

  /** By segment: number of rows with a value; segments without counts are omitted. */
  valueCounts(): Map<number, readonly number[]> {
    const rows = this.db.all(
      `SELECT id, rows, json_array_length(columns) AS columns, value_counts FROM segments
       WHERE value_counts IS NOT NULL`,
    );
    return new Map(
      rows.map((row) => [
        Number(row.id),
        valueCountsIn(row.value_counts, Number(row.columns), Number(row.rows)),
      ]),
    );
  }

  all(): SegmentRow[] {
    return this.db.all('SELECT * FROM segments ORDER BY day, kind, id').map((row) => ({
      id: Number(row.id),
      day: String(row.day),
      days: daysIn(row.days),
      kind: row.kind as Kind,
      file: String(row.file),
      rows: Number(row.rows),
      minTs: optional<number>(row.min_ts),
      maxTs: optional<number>(row.max_ts),
      bytes: Number(row.bytes),
      sha256: String(row.sha256),
      identity: optional<string>(row.identity),
      columns: json(row.columns),
      sources: json(row.sources),
      shapes: Number(row.shapes),
      numberForm: Number(row.number_bytes) === 1 ? 'bytes' : 'widths',
      unflowedPackets: Number(row.unflowed_packets),
      importId: optional<number>(row.import_id),
      index:
        row.index_sha256 === null
          ? undefined
          : { bytes: Number(row.index_bytes), sha256: String(row.index_sha256) },
    }));
  }

  /** In the order of `segments`. */
  outlines(): SegmentOutline[] {
    return this.db
      .all(
        `SELECT id, day, days, kind, file, rows, bytes, index_sha256 IS NOT NULL AS has_index
       FROM segments ORDER BY day, kind, id`,
      )
      .map((row) => ({
        id: Number(row.id),
        day: String(row.day),
        days: daysIn(row.days),
        kind: row.kind as Kind,
        file: String(row.file),
        rows: Number(row.rows),
        bytes: Number(row.bytes),
        hasIndex: row.has_index === 1,
      }));
  }
}
