/**
 * Tables `overlaps` and `line_hashes`: stretches that two sources share, and the hashes by which they are found.
 */
import { type CatalogDatabase } from '../catalog-database.ts';
import { HASH_PLACEHOLDER } from '../row-hashes.ts';

/** A stretch of a source that another one has as well. */
export interface OverlapRow {
  id: number;
  sourceId: number;
  from: number;
  to: number;
  otherId: number;
  records: number;
  superseded: boolean;
  leftOut: boolean;
}

export class OverlapsTable {
  private readonly db: CatalogDatabase;

  constructor(db: CatalogDatabase) {
    this.db = db;
  }

  all(): OverlapRow[] {
    return this.db.all('SELECT * FROM overlaps ORDER BY id').map((row) => ({
      id: Number(row.id),
      sourceId: Number(row.source_id),
      from: Number(row.from_offset),
      to: Number(row.to_offset),
      otherId: Number(row.other_id),
      records: Number(row.records),
      superseded: row.superseded === 1,
      leftOut: row.left_out === 1,
    }));
  }

  add(overlap: Omit<OverlapRow, 'id' | 'leftOut'>): number {
    return this.db.insert(
      'overlaps',
      `INSERT INTO overlaps(source_id, from_offset, to_offset, other_id, records, superseded)
       VALUES (?, ?, ?, ?, ?, ?)`,
      overlap.sourceId,
      overlap.from,
      overlap.to,
      overlap.otherId,
      overlap.records,
      overlap.superseded ? 1 : 0,
    );
  }

  setLeftOut(id: number, leftOut: boolean): void {
    this.db.change(
      'overlaps',
      'id = ?',
      [id],
      'UPDATE overlaps SET left_out = ? WHERE id = ?',
      leftOut ? 1 : 0,
      id,
    );
  }

  /** Of one source; undefined if none are stored. */
  lineHashes(sourceId: number): Uint32Array | undefined {
    const row = this.db.get('SELECT hashes FROM line_hashes WHERE source_id = ?', sourceId);
    if (row === undefined) return undefined;
    const bytes = Uint8Array.from(row.hashes as Uint8Array);
    return new Uint32Array(bytes.buffer, 0, bytes.length >>> 2);
  }

  setLineHashes(sourceId: number, hashes: Uint32Array): void {
    this.db.change(
      'line_hashes',
      'source_id = ?',
      [sourceId],
      `INSERT OR REPLACE INTO line_hashes(source_id, hashes, row_hash) VALUES (?, ?, ${HASH_PLACEHOLDER})`,
      sourceId,
      new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength),
    );
  }
}
