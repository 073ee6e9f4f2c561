/**
 * An open case for reading: the catalog, the segment store and a snapshot of what is in it that is
 * renewed when another process commits.
 */
import { resolve } from 'node:path';
import { Catalog, type OperationRow, type SegmentRow, type SourceRow } from '../catalog/catalog.ts';
import type { Stopwatch } from '../measure/operation-log.ts';
import { SegmentStore, type StoreOptions } from '../store/segment-store.ts';

export type { SourceRow };

export interface Snapshot {
  segments: readonly SegmentRow[];
  sources: readonly SourceRow[];
  tags: readonly { id: number; name: string; count: number }[];
  /** By segment: the tags that some of its rows have; 0 stands for deleted. */
  marks: ReadonlyMap<number, ReadonlySet<number>>;
}

export class CaseSession {
  readonly folder: string;
  readonly catalog: Catalog;
  readonly store: SegmentStore;
  private version = -1;
  private current: Snapshot | undefined;
  private readonly loadedMarks = new Set<string>();

  private constructor(folder: string, catalog: Catalog, store: SegmentStore) {
    this.folder = folder;
    this.catalog = catalog;
    this.store = store;
  }

  /** @throws DaybookError not-a-case, case-too-new, case-damaged */
  static open(folder: string, options: StoreOptions): CaseSession {
    const root = resolve(folder);
    return new CaseSession(root, Catalog.open(root), new SegmentStore(root, options));
  }

  async close(): Promise<void> {
    await this.store.close();
    this.catalog.close();
  }

  snapshot(): Snapshot {
    const version = this.catalog.dataVersion();
    if (this.current !== undefined && version === this.version) return this.current;
    this.version = version;
    this.loadedMarks.clear();
    const marks = new Map<number, Set<number>>();
    for (const mark of this.catalog.markSummary()) {
      const tags = marks.get(mark.segmentId) ?? new Set<number>();
      tags.add(mark.tagId);
      marks.set(mark.segmentId, tags);
    }
    this.current = {
      segments: this.catalog.segments(),
      sources: this.catalog.sources(),
      tags: this.catalog.tags(),
      marks,
    };
    return this.current;
  }

  /** Makes these segments, and the marks on them, ready for a statement. */
  async prepare(segments: readonly SegmentRow[], snapshot: Snapshot): Promise<void> {
    await this.store.keepOnly(new Set(snapshot.segments.map((segment) => segment.id)));
    await this.store.attach(segments);
    for (const segment of segments) {
      for (const tag of snapshot.marks.get(segment.id) ?? []) {
        const key = `${segment.id}/${tag}`;
        if (this.loadedMarks.has(key)) continue;
        this.loadedMarks.add(key);
        await this.store.setMarks(segment.id, tag, this.catalog.marks(segment.id, tag));
      }
    }
  }

  /** Keeps what an operation cost. A case that cannot be written keeps nothing. */
  record(watch: Stopwatch, status: string, text?: string): void {
    const timings = watch.timings();
    const row: OperationRow = {
      at: watch.at,
      operation: watch.operation,
      text,
      status,
      totalMs: timings.totalMs,
      spans: timings.spans,
      path: timings.path,
      days: timings.days,
      segments: timings.segments,
      rowsExamined: timings.rowsExamined,
      rowsReturned: watch.rowsReturned,
    };
    try {
      this.catalog.addOperation(row);
    } catch {
      // A full disk or a read-only folder must not make a query fail.
    }
  }
}
