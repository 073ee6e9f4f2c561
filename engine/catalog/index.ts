/** The catalog of a case, by SQLite: what others may use of it. */
export { userName } from './catalog-database.ts';
export { Catalog } from './catalog.ts';
export { takeLock } from './file-lock.ts';
export { archiveOf, locationOf } from './source-place.ts';
export { type SpillFolder, makeSpillFolder, removeLeftSpill } from './spill-folder.ts';
export { type StoredAuditEntry, follows } from './tables/audit.ts';
export type { ChangeRow } from './tables/changes.ts';
export type { ImportRow, ImportStatus } from './tables/imports.ts';
export type { LedgerRow } from './tables/ledger.ts';
export type { ManifestRow } from './tables/manifests.ts';
export { LEFT_OUT } from './tables/marks.ts';
export type { EventKey, NoteRow, Rating } from './tables/notes.ts';
export type { OperationRow } from './tables/operations.ts';
export type { OverlapRow } from './tables/overlaps.ts';
export type { SearchRow } from './tables/searches.ts';
export type { SegmentRow } from './tables/segments.ts';
export { type SourceRow, statusOf } from './tables/sources.ts';
export { MAINTENANCE, RECOVERY, WriterLock } from './writer-lock.ts';
