/**
 * Hands a case over to others: events as Parquet by kind and day, the rest of the catalog, and a manifest that
 * vouches for each file. Segments never change, so a second run writes what is new and removes what is gone.
 * docs/hand-over.md; ADR 24 explains the layout of the files.
 */
import { basename, sep } from 'node:path';
import type { Catalog } from '../../catalog/index.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { Kind } from '../../contract/event.ts';
import {
  HAND_OVER_FORMAT,
  SUMMED,
  type HandedOverFile,
  type HandOverProgress,
  type HandOverReport,
} from '../../contract/hand-over.ts';
import { Stopwatch } from '../../measure/operation-log.ts';
import { type CaseSession, isGone } from '../../search/index.ts';
import {
  type StoreOptions,
  ParquetFolder,
  SCHEMA_VERSION,
  typedMacros,
} from '../../store/index.ts';
import { auditOutput } from '../output/output-file.ts';
import type { Bucket } from './bucket.ts';
import { BucketTarget } from './bucket-target.ts';
import { HandOverFolder } from './folder.ts';
import { hashOfRows, planEvents, type EventsFile, type EventsPlan, type TagsFile } from './plan.ts';
import type { HandOverTarget } from './target.ts';
import { hashLines, TABLES, writeLines } from './tables.ts';

interface HandOverOptions extends StoreOptions {
  /** On this machine; undefined: to `bucket`. */
  readonly folder?: string;
  readonly bucket?: Bucket;
  /** Daybook's version. */
  readonly version: string;
  readonly signal: AbortSignal;
  readonly report: (progress: HandOverProgress) => Promise<void>;
}

/** Number of retries if a case changes while it is handed over. */
const MOST_ROUNDS = 20;
/** Number of unknown files that are named. */
const MOST_NAMED = 5;

/** The case has other rows than were planned for: the plan is made again. */
class CaseChanged extends Error {}

/** @throws DaybookError usage, case-locked, case-damaged, disk-full, unreadable, cancelled */
export async function handOver(
  session: CaseSession,
  options: HandOverOptions,
): Promise<HandOverReport> {
  const watch = new Stopwatch('hand-over');
  const { catalog } = session;
  session.snapshot();
  const caseId = idOf(catalog);
  const target = await targetOf(session, options, caseId);
  try {
    refuseEvidence(session, target.work);
    const writer = await ParquetFolder.open(
      session.folder,
      target.work,
      typedMacros(),
      options,
      options.signal,
    );
    try {
      const report = await new HandOver(session, target, writer, options).run(caseId);
      watch.rowsReturned = report.events;
      session.record(watch, 'done');
      const { folder: path, events, files, bytes, written, removed, sha256 } = report;
      auditOutput(session, 'hand-over', {
        ...{ path, events, files, bytes, written, removed, sha256 },
      });
      return report;
    } finally {
      writer.close();
    }
  } finally {
    target.close();
  }
}

async function targetOf(
  session: CaseSession,
  { folder, bucket }: HandOverOptions,
  caseId: string,
): Promise<HandOverTarget> {
  if (bucket !== undefined) return BucketTarget.open(bucket, session, caseId);
  if (folder !== undefined) return HandOverFolder.open(folder, caseId);
  throw new TypeError('a hand-over goes to a folder or to a bucket');
}

/** Identity of a case: that of its first audit entry, wherever it was moved or copied since. */
function idOf(catalog: Catalog): string {
  const [first] = catalog.audit.stored();
  if (first !== undefined) return first.hash;
  throw new DaybookError(
    'usage',
    'the case is empty: nothing was ever imported into it',
    'import evidence first: daybook import CASE EVIDENCE',
  );
}

/** @throws DaybookError usage where evidence is in the folder, which was handed over before */
function refuseEvidence(session: CaseSession, folder: string): void {
  const inside = session
    .snapshot()
    .sources()
    .find(({ path }) => path.startsWith(folder + sep));
  if (inside === undefined) return;
  throw new DaybookError(
    'usage',
    `${folder} holds evidence of this case (${inside.name})`,
    'choose another folder: evidence is never overwritten',
  );
}

class HandOver {
  private readonly session: CaseSession;
  private readonly target: HandOverTarget;
  private readonly writer: ParquetFolder;
  private readonly options: HandOverOptions;
  /** Paths that were there before this run. */
  private readonly before: ReadonlySet<string>;
  private readonly written = new Map<string, HandedOverFile>();
  private done = 0;
  private writtenBytes = 0;
  private of = 0;

  constructor(
    session: CaseSession,
    target: HandOverTarget,
    writer: ParquetFolder,
    options: HandOverOptions,
  ) {
    this.session = session;
    this.target = target;
    this.writer = writer;
    this.options = options;
    this.before = new Set(target.known.keys());
  }

  async run(caseId: string): Promise<HandOverReport> {
    for (let round = 1; ; round++) {
      const { catalog } = this.session;
      const plan = catalog.consistently(() => planEvents(catalog));
      try {
        const files = await this.files(plan);
        const end = await this.tables(plan);
        if (end !== undefined)
          return await this.finish([...files, ...end.files], end.audit, caseId);
      } catch (error) {
        // A merge has replaced segments that were planned.
        if (!(error instanceof CaseChanged) && !(isGone(error) && catalog.state() !== plan.state))
          throw error;
      }
      if (round === MOST_ROUNDS)
        throw new DaybookError(
          'case-locked',
          'the case changes faster than it can be handed over',
          'run it again when the import is done: what was written is kept',
        );
    }
  }

  private async files(plan: EventsPlan): Promise<HandedOverFile[]> {
    const files: HandedOverFile[] = [];
    this.of = plan.events.reduce((sum, { rows: [first, end] }) => sum + end - first, 0);
    this.done = 0;
    for (const file of plan.events) {
      const made = await this.kept(file.path, file.from, () => this.events(file, plan));
      if (made !== undefined) files.push(made);
      this.done += file.rows[1] - file.rows[0];
      await this.tell(file.path);
    }
    for (const file of plan.tags) {
      const made = await this.kept(file.path, file.from, () => this.tags(file, plan));
      if (made !== undefined) files.push(made);
    }
    return files;
  }

  /** The existing file, otherwise the one that `make` writes; undefined if it would have no rows. */
  private async kept(
    path: string,
    from: string,
    make: () => Promise<HandedOverFile | undefined>,
  ): Promise<HandedOverFile | undefined> {
    if (this.target.has(path, from)) return this.target.known.get(path);
    const file = await make();
    if (file !== undefined) {
      this.written.set(path, file);
      this.writtenBytes += file.bytes;
    }
    return file;
  }

  private async tell(file: string): Promise<void> {
    const { done, of, writtenBytes: bytes } = this;
    await this.options.report({ done, of, bytes, file });
  }

  /** Makes the segment ready, with its rows that are not shown. */
  private async attach({ segment }: EventsFile | TagsFile, plan: EventsPlan): Promise<void> {
    const expected = plan.deleted.get(segment.id);
    const deleted = expected === undefined ? undefined : this.marks(segment.id, 0, expected);
    await this.writer.attach(segment, deleted);
  }

  /** Rows with a mark, if they are those that were planned. */
  private marks(segment: number, tag: number, expected: string): Uint32Array {
    const { catalog } = this.session;
    catalog.refuseDamagedMarks(segment, tag);
    const rows = catalog.marks.of(segment, tag);
    if (hashOfRows(rows) !== expected) throw new CaseChanged();
    return rows;
  }

  private async events(file: EventsFile, plan: EventsPlan): Promise<HandedOverFile | undefined> {
    const { writer } = this;
    const { segment, day, path, rows } = file;
    await this.attach(file, plan);
    const expected = await writer.summaryOfEvents(segment, rows, SUMMED);
    if (expected.rows === 0) return undefined;
    return this.target.put(path, file.from, async (partial) => {
      await writer.copyEvents(segment, rows, partial);
      const found = await writer.summaryOfFile(partial, SUMMED);
      if (JSON.stringify(found) !== JSON.stringify(expected))
        throw new DaybookError(
          'internal',
          `${path} differs from its segment: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`,
        );
      return { segment: segment.id, kind: segment.kind, day, ...expected };
    });
  }

  private async tags(file: TagsFile, plan: EventsPlan): Promise<HandedOverFile | undefined> {
    const { segment, path } = file;
    await this.attach(file, plan);
    const rows = await this.writer.countTagged(
      file.tags.map((tag) => ({
        name: tag.name,
        rows: this.marks(segment.id, tag.id, tag.hash),
      })),
    );
    if (rows === 0) return undefined;
    return this.target.put(path, file.from, async (partial) => {
      await this.writer.copyTagged(partial);
      return { segment: segment.id, rows };
    });
  }

  /** The tables of the catalog; undefined if it has changed since planning. */
  private async tables(
    plan: EventsPlan,
  ): Promise<{ files: HandedOverFile[]; audit: { entries: number; hash: string } } | undefined> {
    const { catalog } = this.session;
    const found = catalog.consistently(() =>
      catalog.state() === plan.state
        ? {
            audit: catalog.audit.head(),
            lines: TABLES.map((table) => ({ table, ...hashLines(table, catalog) })),
          }
        : undefined,
    );
    if (found === undefined) return undefined;
    const files: HandedOverFile[] = [];
    for (const { table, rows, sha256 } of found.lines) {
      const file = await this.kept(table.path, sha256, () =>
        this.target.put(table.path, sha256, async (partial) => {
          const lines = catalog.consistently(() => writeLines(table, catalog, partial));
          return { rows: lines };
        }),
      );
      if (file === undefined) continue;
      // Written from a catalog that was changed since.
      if (file.sha256 !== sha256 || file.rows !== rows) return undefined;
      files.push(file);
    }
    return { files, audit: found.audit };
  }

  private async finish(
    files: readonly HandedOverFile[],
    audit: { entries: number; hash: string },
    caseId: string,
  ): Promise<HandOverReport> {
    const { options, target, written, before } = this;
    const byKind: Partial<Record<Kind, number>> = {};
    let events = 0;
    for (const { kind, rows } of files) {
      if (kind === undefined) continue;
      byKind[kind] = (byKind[kind] ?? 0) + rows;
      events += rows;
    }
    const { sha256, removed } = await target.finish({
      format: HAND_OVER_FORMAT,
      schema: SCHEMA_VERSION,
      daybook: options.version,
      writtenAt: new Date().toISOString(),
      case: { id: caseId, name: basename(this.session.folder) },
      audit: { entries: audit.entries, head: audit.hash },
      ...{ events, byKind, files: [...files] },
    });
    const now = files.filter(({ path }) => written.has(path));
    return {
      ...{ folder: target.path, events, byKind, files: files.length, bytes: bytesOf(files) },
      ...{ written: now.length, writtenBytes: bytesOf(now) },
      replaced: now.filter(({ path }) => before.has(path)).length,
      kept: files.length - now.length,
      ...{ removed, sha256, notes: [...target.notes(), ...(await this.strangers(files))] },
    };
  }

  /** Files that are not part of the hand-over: readers of whole folders would read them as well. */
  private async strangers(files: readonly HandedOverFile[]): Promise<string[]> {
    const others = await this.target.strangers(new Set(files.map(({ path }) => path)));
    if (others.length === 0) return [];
    const named = others.slice(0, MOST_NAMED).join(', ');
    return [
      `${this.target.path} has files that do not belong to the hand-over and were left alone: ${named}${others.length > MOST_NAMED ? ', …' : ''}`,
    ];
  }
}

function bytesOf(files: readonly HandedOverFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
