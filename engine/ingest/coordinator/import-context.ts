/** State that the parts of an import share: the case being written, and the sources being read. */
import type { SourceRow } from '../../catalog/tables/sources.ts';
import type { CaseWriter } from '../case/case-writer.ts';
import type { BeginRequest } from '../worker/protocol.ts';
import type { ImportRequest } from './import-report.ts';

/** A commit waits for the disk if none has for this long; the commit that ends the import always does. */
const SYNC_MS = 1_000;

interface InFlight {
  begin: BeginRequest;
  committed: Promise<void>;
  commit: () => void;
  /** Its position in the ledger. */
  ordinal: number;
}

export class ImportContext {
  readonly writer: CaseWriter;
  readonly request: ImportRequest;
  readonly importId: number;
  readonly startedAt = performance.now();
  /** Sources of this import, as in the catalog. */
  readonly sources = new Map<number, SourceRow>();
  /** The sources that are being read. */
  readonly inFlight = new Map<number, InFlight>();
  private syncedAt = this.startedAt;

  constructor(writer: CaseWriter, request: ImportRequest) {
    this.writer = writer;
    this.request = request;
    this.importId = writer.catalog.unhurried(() =>
      writer.catalog.imports.begin(request.description),
    );
  }

  /**
   * A transaction within the import. The last one makes all of them durable before the import is reported as done;
   * before that, one of them does now and then.
   */
  transact<T>(work: () => T): T {
    const { catalog } = this.writer;
    if (performance.now() - this.syncedAt < SYNC_MS)
      return catalog.unhurried(() => catalog.transaction(work));
    this.syncedAt = performance.now();
    return catalog.transaction(work);
  }
}
