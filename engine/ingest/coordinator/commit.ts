/**
 * Commits chunks: DuckDB turns their parts into segments, which become visible together with the sources' positions
 * and counts in one catalog transaction.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import type { SourceRow } from '../../catalog/tables/sources.ts';
import { DaybookError } from '../../contract/errors.ts';
import type { Kind } from '../../contract/event.ts';
import {
  identifier,
  literal,
  type BuildOptions,
  type BuiltSegment,
  type KnownRows,
} from '../../store/segment-builder.ts';
import { firstOfEach } from '../../store/segment-sql.ts';
import { type DayCount, daysOf, daysOfAll } from '../../util/segment-days.ts';
import { EarlyNodes } from '../compaction/merge-rollups.ts';
import type { BuiltIndex } from '../indexing/index-protocol.ts';
import type { FromWorker, PartInfo, SourceState } from '../worker/protocol.ts';
import type { ImportContext } from './import-context.ts';
import type { ImportLedger } from './import-ledger.ts';
import { reportOf, type SourceReport } from './import-report.ts';
import { relativeTimesNote } from './relative-times.ts';
import type { SourceOverlaps } from './source-overlaps.ts';

const NOT_TO_ITS_END = 'not read to its end: the import was interrupted, or is still reading it';

export type ChunkMessage = Extract<FromWorker, { type: 'chunk' }>;

export class ChunkCommits {
  private readonly context: ImportContext;
  private readonly ledger: ImportLedger;
  private readonly overlaps: SourceOverlaps;
  private readonly indexes = new Map<string, PromiseWithResolvers<BuiltIndex | undefined>>();
  private quarantineSize = 0;
  private readonly quarantineHash = createHash('sha256');
  /** Only for a single item: items that are read concurrently do not arrive in order of time. */
  private readonly earlyNodes: EarlyNodes | undefined;
  private isStopped = false;

  constructor(context: ImportContext, ledger: ImportLedger, overlaps: SourceOverlaps) {
    this.context = context;
    this.ledger = ledger;
    this.overlaps = overlaps;
    const { items, lowLatency } = context.request;
    if (items.length === 1 && lowLatency !== true) this.earlyNodes = new EarlyNodes(context.writer);
  }

  /** Called when no worker will report a side file any more: commits that wait for one continue without it. */
  stop(): void {
    this.isStopped = true;
    for (const index of this.indexes.values()) index.resolve(undefined);
  }

  /** Called when the side file of a part is finished, or will not be made. */
  indexed(part: string, index: BuiltIndex | undefined): void {
    this.indexOf(part).resolve(index);
  }

  async commit(chunk: ChunkMessage): Promise<void> {
    const { writer } = this.context;
    const placed = await this.buildSegments(chunk.parts);
    const quarantineSize = writer.appendQuarantine(
      this.context.importId,
      this.quarantineSize,
      chunk.quarantine,
    );
    const finished = this.context.transact(() => {
      for (const segment of placed) writer.catalog.segments.add(segment);
      const reports = this.updateSources(chunk.sources);
      if (quarantineSize > this.quarantineSize) {
        this.quarantineHash.update(chunk.quarantine);
        writer.catalog.imports.setQuarantine(
          this.context.importId,
          quarantineSize,
          this.quarantineHash.copy().digest('hex'),
        );
      }
      this.addChange(placed);
      return reports;
    });
    this.quarantineSize = quarantineSize;
    await this.earlyNodes?.take(placed);
    for (const report of finished) {
      this.ledger.tell(report);
      this.context.inFlight.get(report.sourceId!)?.commit();
      this.context.inFlight.delete(report.sourceId!);
    }
  }

  /** Segments in their places, but not in the catalog yet. */
  private async buildSegments(parts: readonly PartInfo[]): Promise<SegmentRow[]> {
    const placed: SegmentRow[] = [];
    const builds: { select: string; options: BuildOptions }[] = [];
    const days: (readonly DayCount[])[] = [];
    for (const part of parts) {
      const selected = await this.selectPart(part);
      days.push(selected.days);
      const { sorted, bytes: inputBytes, messages, constants } = part;
      const known = knownOf(part);
      builds.push({
        select: selected.select,
        options: { sorted, inputBytes, constants, messages, known },
      });
    }
    const built = await this.context.writer.builder.buildAll(builds);
    for (const [at, part] of parts.entries()) {
      rmSync(part.path, { force: true });
      const segment = await this.placePart(part, days[at]!, built[at]!);
      if (segment !== undefined) placed.push(segment);
    }
    await this.context.writer.places.settle();
    return placed;
  }

  /** Returns reports of sources that were read to their end. */
  private updateSources(states: readonly SourceState[]): SourceReport[] {
    const finished: SourceReport[] = [];
    for (const state of states) this.applyState(state);
    for (const state of states) {
      const row = this.source(state.sourceId);
      this.context.writer.catalog.sources.update(row);
      const { ordinal } = this.context.inFlight.get(row.id)!;
      if (state.done === undefined) {
        // If the import ends here, or is killed, the ledger has the source of its events.
        this.ledger.add(ordinal, reportOf(row, 'partial', NOT_TO_ITS_END));
        continue;
      }
      this.overlaps.compare(row, state.done);
      const report = reportOf(
        row,
        row.broken?.state ?? 'complete',
        row.broken?.reason ?? row.error,
      );
      finished.push(report);
      this.ledger.add(ordinal, report);
    }
    return finished;
  }

  private addChange(placed: readonly SegmentRow[]): void {
    this.context.writer.catalog.changes.add('import', {
      import: this.context.importId,
      sources: [...new Set(placed.flatMap((segment) => segment.sources))],
      days: daysOfAll(placed),
      kinds: [...new Set(placed.map((segment) => segment.kind))],
      rows: placed.reduce((sum, segment) => sum + segment.rows, 0),
      segments: placed.map((segment) => segment.id),
    });
  }

  private source(id: number): SourceRow {
    return this.context.sources.get(id)!;
  }

  /** Selects the rows of a part to store, and their days; counts them for their sources. */
  private async selectPart(part: PartInfo): Promise<{ select: string; days: readonly DayCount[] }> {
    let select = `SELECT * FROM read_parquet(${literal(part.path)})`;
    let countBySource = part.sources;
    let { days } = part;
    if (part.columns.includes('record_key')) {
      select = await this.withoutDuplicates(part, select);
      const day = days.length === 1 ? literal(days[0]!.day) : `strftime(ts, '%Y-%m-%d')`;
      const left = await this.context.writer.builder.rows(
        `SELECT source_id, ${day} AS day, count(*)::DOUBLE FROM (${select}) GROUP BY ALL ORDER BY day`,
      );
      const remaining = new Map<number, number>();
      const rowsOfDay = new Map<string, number>();
      for (const [source, name, n] of left) {
        const [id, of, rows] = [Number(source), String(name), Number(n)];
        remaining.set(id, (remaining.get(id) ?? 0) + rows);
        rowsOfDay.set(of, (rowsOfDay.get(of) ?? 0) + rows);
      }
      days = Array.from(rowsOfDay, ([name, rows]) => ({ day: name, rows }));
      countBySource = [];
      for (const [id, rows] of part.sources) {
        const row = this.source(id);
        const stored = remaining.get(id) ?? 0;
        row.emitted['#keyDuplicates'] = (row.emitted['#keyDuplicates'] ?? 0) + rows - stored;
        countBySource.push([id, stored]);
      }
    }
    this.countRows(part.kind, countBySource);
    return { select, days };
  }

  private countRows(kind: Kind, bySource: readonly [number, number][]): void {
    for (const [id, rows] of bySource) {
      const row = this.source(id);
      if (rows > 0) row.byKind[kind] = (row.byKind[kind] ?? 0) + rows;
    }
  }

  private async placePart(
    part: PartInfo,
    days: readonly DayCount[],
    built: BuiltSegment,
  ): Promise<SegmentRow | undefined> {
    let index = part.indexed ? await this.indexOf(part.path).promise : undefined;
    this.indexes.delete(part.path);
    // Duplicates were removed since: the row numbers have changed.
    if (index !== undefined && built.rows !== part.rows) {
      rmSync(index.path, { force: true });
      index = built.rows === 0 ? undefined : await this.context.writer.indexOf(built, part.kind);
    }
    if (built.rows === 0) {
      rmSync(built.path, { force: true });
      return undefined;
    }
    const { kind, unflowedPackets } = part;
    const rows = days.reduce((sum, one) => sum + one.rows, 0);
    if (rows !== built.rows)
      throw new DaybookError('internal', `${rows} events of ${days[0]!.day} became ${built.rows}`);
    return this.context.writer.places.place(
      built,
      days,
      kind,
      unflowedPackets,
      this.context.importId,
      index,
    );
  }

  /** The side file of a part, once its worker has reported it. */
  private indexOf(part: string): PromiseWithResolvers<BuiltIndex | undefined> {
    let known = this.indexes.get(part);
    if (known === undefined) {
      known = Promise.withResolvers();
      this.indexes.set(part, known);
      // A stopped worker reports nothing any more.
      if (this.isStopped) known.resolve(undefined);
    }
    return known;
  }

  /**
   * Removes records that state their own identity and are already in the case, or in the part: same time, same
   * kind, same 53-bit hash of the whole record.
   */
  private async withoutDuplicates(part: PartInfo, select: string): Promise<string> {
    const days = new Set(part.days.map(({ day }) => day));
    const existing = this.context.writer.catalog.segments
      .all()
      .filter(
        (segment) =>
          daysOf(segment).some(({ day }) => days.has(day)) &&
          segment.kind === part.kind &&
          segment.columns.includes('record_key'),
      );
    // Segments of events without a time have no column for it.
    const time = (columns: readonly string[]) =>
      columns.includes('ts') ? 'ts' : 'NULL::TIMESTAMP AS ts';
    const known: string[] = [];
    for (const segment of existing) {
      const name = await this.context.writer.attach(segment);
      known.push(
        `SELECT record_key, ${time(segment.columns)} FROM ${identifier(name)}.events WHERE record_key IS NOT NULL`,
      );
    }
    const hasTime = part.columns.includes('ts');
    const columns = hasTime ? ['record_key', 'ts'] : ['record_key'];
    const kept = firstOfEach(select, columns, ['source_id', 'seq']);
    if (known.length === 0) return kept;
    return `SELECT * FROM (${kept}) p WHERE record_key IS NULL OR NOT EXISTS (FROM (${known.join(' UNION ALL ')}) k WHERE k.record_key = p.record_key AND k.ts IS NOT DISTINCT FROM ${hasTime ? 'p.ts' : 'NULL'})`;
  }

  private applyState(state: SourceState): void {
    const row = this.source(state.sourceId);
    const keyDuplicates = row.emitted['#keyDuplicates'] ?? 0;
    const counted = countedOf(row, state);
    row.read = counted.read;
    row.stored = counted.stored - keyDuplicates;
    row.duplicate = counted.duplicate + keyDuplicates;
    row.quarantined = counted.quarantined;
    row.skippedReasons = counted.skippedReasons;
    row.skipped = Object.values(counted.skippedReasons).reduce((sum, n) => sum + n, 0);
    row.emitted = {
      ...counted.emitted,
      '#quarantined': counted.quarantineMet,
      '#keyDuplicates': keyDuplicates,
    };
    row.checkpointBytes = state.checkpointBytes;
    row.checkpointSha256 = state.checkpointSha256;
    if (state.firstTs !== undefined) row.firstTs = Math.min(state.firstTs, row.firstTs ?? Infinity);
    if (state.lastTs !== undefined) row.lastTs = Math.max(state.lastTs, row.lastTs ?? -Infinity);
    row.decisions = state.decisions;
    row.metadata = { ...row.metadata, ...state.metadata };
    row.notes = state.notes;
    row.elapsedMs = Math.round(state.elapsedMs);
    if (state.done === undefined) return;
    const relative = relativeTimesNote(row.firstTs, row.lastTs);
    if (relative !== undefined) row.notes = [...row.notes, relative];
    row.status = 'complete';
    row.rawSize = state.done.rawSize;
    row.rawSha256 = state.done.rawSha256;
    row.contentSize = state.done.contentSize;
    row.contentSha256 = state.done.contentSha256;
    row.wholeLines = state.done.wholeLines;
    row.error = state.done.error;
    row.broken = state.done.broken ?? state.broken;
  }
}

type Counted = Pick<
  SourceState,
  'read' | 'stored' | 'duplicate' | 'quarantined' | 'skippedReasons' | 'emitted' | 'quarantineMet'
>;

/**
 * Counts of everything read of a source. A file that was truncated between an interrupted import and the next has
 * fewer records than the case: these count, plus new ones in its rest.
 */
function countedOf(row: SourceRow, state: SourceState): Counted {
  if (state.read >= row.read) return state;
  const { '#quarantined': met = 0, '#keyDuplicates': keyDuplicates = 0, ...rows } = row.emitted;
  const emitted = { ...rows };
  for (const [kind, n] of Object.entries(state.emitted))
    emitted[kind] = Math.max(n, emitted[kind] ?? 0);
  const more = Math.max(0, state.quarantineMet - met);
  return {
    read: row.read + more,
    stored: row.stored + keyDuplicates,
    duplicate: row.duplicate - keyDuplicates,
    quarantined: row.quarantined + more,
    skippedReasons: row.skippedReasons,
    emitted,
    quarantineMet: met + more,
  };
}

/** Selection and statistics of the rows of a part; undefined if some rows may be dropped. */
function knownOf(part: PartInfo): KnownRows | undefined {
  const { selected, columns, counts, timeUnit, rareMessages, rows, minTs, maxTs } = part;
  if (selected === undefined || columns.includes('record_key')) return undefined;
  const sources = part.sources.map(([id]) => id).sort((a, b) => a - b);
  return { selected, counts, timeUnit, rareMessages, rows, minTs, maxTs, sources };
}
