/**
 * Moves built segments to their places in a case and returns what the catalog records of them.
 *
 * Invariant: only the holder of the writer's lock moves files; a file counts once a row of the catalog names it,
 * and `settle` (or `settleNow`) is called before that.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  casePath,
  makeCaseFolder,
  moveInCase,
  removeFromCase,
} from '../../util/files/case-files.ts';
import { syncAll, syncFolder } from '../../util/files/files.ts';
import type { DayCount } from '../../util/segment-days.ts';
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import type { Kind } from '../../contract/event.ts';
import { sideFilePath } from '../../index/side-file.ts';
import type { BuiltSegment } from '../../store/segment-builder.ts';
import { segmentIdentity } from '../../store/segment-identity.ts';
import { isSegmentFile } from './case-contents.ts';
import type { BuiltIndex } from '../indexing/index-protocol.ts';

export class SegmentPlaces {
  private readonly folder: string;
  private lastSegment: number;
  private readonly folders = new Set<string>();

  /** @param lastSegment the highest segment number the case ever had */
  constructor(folder: string, lastSegment: number) {
    this.folder = folder;
    this.lastSegment = lastSegment;
  }

  /**
   * Moves a built segment to its place.
   * @param days the days of its events, in order
   */
  place(
    built: BuiltSegment,
    days: readonly DayCount[],
    kind: Kind,
    unflowedPackets: number,
    importId: number | undefined,
    index?: BuiltIndex,
  ): SegmentRow {
    this.lastSegment += 1;
    const id = this.lastSegment;
    const { day } = days[0]!;
    const name = days.length === 1 ? day : `${day}_${days.at(-1)!.day}`;
    const file = `days/${name}/${id.toString(16).padStart(8, '0')}.duckdb`;
    const folder = casePath(this.folder, `days/${name}`);
    if (!existsSync(folder)) {
      makeCaseFolder(this.folder, `days/${name}`);
      this.folders.add(join(this.folder, 'days'));
    }
    moveInCase(this.folder, built.path, file);
    const sideFile = sideFilePath(file);
    if (index !== undefined) moveInCase(this.folder, index.path, sideFile);
    // A killed writer may have left a file of this name, which does not describe these rows.
    else removeFromCase(this.folder, sideFile);
    this.folders.add(folder);
    return {
      id,
      day,
      days: days.length === 1 ? undefined : days,
      kind,
      file,
      rows: built.rows,
      minTs: built.minTs,
      maxTs: built.maxTs,
      bytes: built.bytes,
      sha256: built.sha256,
      identity: segmentIdentity(join(this.folder, file)),
      columns: built.columns,
      counts: built.counts,
      sources: built.sources,
      shapes: built.shapes,
      numberForm: 'bytes',
      unflowedPackets,
      importId,
      index: index && { bytes: index.bytes, sha256: index.sha256 },
    };
  }

  /** Makes the placed files durable. */
  async settle(): Promise<void> {
    const folders = [...this.folders];
    this.folders.clear();
    await syncAll([], folders);
  }

  /** The same, blocking this thread. */
  settleNow(): void {
    for (const folder of this.folders) syncFolder(folder);
    this.folders.clear();
  }

  /**
   * Removes the file of a segment that the catalog no longer names. If another process still has it open and the
   * system refuses, the next recovery removes it.
   */
  discard(segment: SegmentRow): void {
    // A damaged catalog may name files that are not ours.
    if (!isSegmentFile(segment.file)) return;
    removeFromCase(this.folder, segment.file);
    removeFromCase(this.folder, sideFilePath(segment.file));
  }
}

/** Moves the side file of a segment to its final place. */
export function placeSideFile(folder: string, segment: SegmentRow, index: BuiltIndex): void {
  const file = sideFilePath(segment.file);
  moveInCase(folder, index.path, file);
  syncFolder(dirname(join(folder, file)));
}
