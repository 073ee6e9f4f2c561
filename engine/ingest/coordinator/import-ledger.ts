/** The ledger of an import: the outcome of each source, corrected if an archive's checksum fails afterwards. */
import {
  locationOf,
  archiveOf,
  sameArchive,
  samePlace,
  type ArchiveFile,
} from '../../catalog/source-place.ts';
import type { SourceRow } from '../../catalog/tables/sources.ts';
import type { Kind } from '../../contract/event.ts';
import type { BeginRequest } from '../worker/protocol.ts';
import type { ImportContext } from './import-context.ts';
import type { ManifestChecks } from './manifest-checks.ts';
import { reportOf, type ImportReport, type SourceReport } from './import-report.ts';

/** An archive whose checksum failed after its members were read: their content is unverified. */
interface Doubt {
  item: number;
  /** Bytes whose checksums matched. */
  checked: number;
  reason: string;
}

export class ImportLedger {
  private readonly context: ImportContext;
  private readonly reports: SourceReport[] = [];
  private readonly memberCounts = new Map<number, number>();
  private readonly doubts: Doubt[] = [];
  private readonly archives = new Map<number, ArchiveFile>();
  private readonly members: { item: number; sourceId: number }[] = [];
  /** Where in the content of its archive each member ends, by item and source. */
  private readonly archiveEnds = new Map<number, Map<number, number>>();
  private readonly ordinals = new Map<number, number>();

  private readonly manifests: ManifestChecks;

  constructor(context: ImportContext, manifests: ManifestChecks) {
    this.context = context;
    this.manifests = manifests;
  }

  doubt(doubt: Doubt): void {
    this.doubts.push(doubt);
  }

  archive(item: number, file: ArchiveFile): void {
    this.archives.set(item, file);
  }

  /** Records that a source is being read; returns its position in the ledger. */
  begun({ item, location, archiveEnd }: BeginRequest, sourceId: number): number {
    if (location.members.length > 0) this.members.push({ item: item.ordinal, sourceId });
    const ordinal = this.ordinal(item.ordinal);
    if (archiveEnd !== undefined) {
      const ends = this.archiveEnds.get(item.ordinal) ?? new Map<number, number>();
      this.archiveEnds.set(item.ordinal, ends.set(sourceId, archiveEnd));
      this.ordinals.set(sourceId, ordinal);
    }
    return ordinal;
  }

  /** Position in the ledger of the next source of an item; -1 for entries found while listing. */
  private ordinal(item: number): number {
    const member = this.memberCounts.get(item) ?? 0;
    this.memberCounts.set(item, member + 1);
    return (item + 1) * 1_000_000 + member;
  }

  add(ordinal: number, report: SourceReport): void {
    this.context.writer.catalog.ledger.add({
      importId: this.context.importId,
      ordinal,
      name: report.source,
      sourceId: report.sourceId,
      status: report.status,
      message: report.message,
      read: report.read,
      stored: report.stored,
      duplicate: report.duplicate,
      quarantined: report.quarantined,
      skipped: report.skipped,
    });
  }

  /** Reports a source's ledger entry to the caller of the import. */
  tell(report: SourceReport): void {
    this.reports.push(report);
    this.context.request.onSource?.(report);
  }

  addDuplicate(begin: BeginRequest, same: SourceRow): void {
    if (samePlace(locationOf(same), begin.location) && begin.location.members.length > 0)
      this.members.push({ item: begin.item.ordinal, sourceId: same.id });
    const otherwise = JSON.stringify(same.options) !== JSON.stringify(begin.item.options);
    const report: SourceReport = {
      ...reportOf(
        same,
        'duplicate',
        `identical to source ${same.id} (${same.name}), nothing stored` +
          (same.broken === undefined
            ? ''
            : `; that one was not read to its end: ${same.broken.reason}`) +
          (otherwise ? '; it was read with other options, which still apply' : ''),
      ),
      source: begin.name,
      // The bytes may differ: the same content in another compression. For uncompressed sources the hash is that of
      // the content.
      sha256: begin.rawSha256 ?? begin.content?.sha256 ?? same.rawSha256,
      bytes: begin.rawSize ?? same.rawSize ?? 0,
      stored: 0,
      // What an importer skips is not an event, the second time either.
      duplicate: same.read - same.skipped,
      quarantined: 0,
      byKind: {},
      elapsedMs: 0,
    };
    this.context.transact(() => this.add(this.ordinal(begin.item.ordinal), report));
    this.manifests.known(begin.location, begin.name, same.id, report.sha256);
    this.tell(report);
  }

  /** Members of such archives are damaged, whatever was reported when they were read. */
  applyDoubts(): void {
    for (const { item, checked, reason } of this.doubts) {
      for (const [id, end] of this.archiveEnds.get(item) ?? []) {
        const row = this.context.sources.get(id);
        if (row === undefined || end <= checked || row.broken !== undefined) continue;
        row.broken = {
          state: 'damaged',
          reason: `read without a check, because its archive is damaged: ${reason}`,
          offset: row.contentSize ?? 0,
          checked: 0,
        };
        const report = reportOf(row, 'damaged', row.broken.reason);
        this.context.transact(() => {
          this.context.writer.catalog.sources.update(row);
          this.add(this.ordinals.get(id)!, report);
        });
        const at = this.reports.findIndex(({ sourceId }) => sourceId === id);
        if (at >= 0) this.reports[at] = report;
        this.context.request.onSource?.(report);
      }
    }
  }

  /** Records the archive that each member was read from, including members that were in the case already. */
  keepArchives(): void {
    if (this.archives.size === 0) return;
    const { catalog } = this.context.writer;
    this.context.transact(() => {
      for (const { item, sourceId } of this.members) {
        const archive = this.archives.get(item);
        const source = catalog.sources.get(sourceId);
        if (archive === undefined || source === undefined) continue;
        if (sameArchive(archiveOf(source), archive)) continue;
        const { path, members } = locationOf(source);
        catalog.sources.place(sourceId, path, { path, members, archive });
      }
    });
  }

  addIgnored(item: number, name: string, reason: string, failed: boolean): void {
    const report: SourceReport = {
      source: name,
      sourceId: undefined,
      sha256: undefined,
      format: undefined,
      dialect: undefined,
      bytes: 0,
      read: 0,
      stored: 0,
      duplicate: 0,
      quarantined: 0,
      skipped: 0,
      skippedReasons: {},
      byKind: {},
      first: undefined,
      last: undefined,
      decisions: {},
      notes: [],
      elapsedMs: 0,
      status: failed ? 'failed' : 'ignored',
      message: reason,
      broken: undefined,
    };
    this.context.transact(() => this.add(this.ordinal(item), report));
    this.tell(report);
  }

  report(smallSegmentsLeft: number, overlaps: number): ImportReport {
    const total: ImportReport['total'] = {
      sources: 0,
      bytes: 0,
      read: 0,
      stored: 0,
      duplicate: 0,
      quarantined: 0,
      skipped: 0,
      byKind: {},
    };
    for (const report of this.reports) {
      if (report.status !== 'failed' && report.status !== 'ignored') total.sources += 1;
      total.bytes += report.bytes;
      total.read += report.read;
      total.stored += report.stored;
      total.duplicate += report.duplicate;
      total.quarantined += report.quarantined;
      total.skipped += report.skipped;
      for (const [kind, n] of Object.entries(report.byKind) as [Kind, number][])
        total.byKind[kind] = (total.byKind[kind] ?? 0) + n;
    }
    return {
      importId: this.context.importId,
      sources: this.reports,
      manifests: this.manifests.reports,
      total,
      elapsedMs: Math.round(performance.now() - this.context.startedAt),
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
      smallSegmentsLeft,
      overlaps,
    };
  }
}
