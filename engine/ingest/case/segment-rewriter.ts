/**
 * Reads, rewrites and indexes segments of a case, with a folder for unfinished files. The holder of the writer's
 * lock moves the results to their places.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '../../catalog/catalog.ts';
import type { SegmentRow } from '../../catalog/tables/segments.ts';
import { hasCode } from '../../contract/errors.ts';
import type { Kind } from '../../contract/event.ts';
import type { BuiltSegment, SegmentBuilder } from '../../store/segment-builder.ts';
import { returnMemoryAbove } from '../../store/return-memory.ts';
import { segmentPath } from '../../store/segment-path.ts';
import { layoutLimit } from '../../util/layout-limit.ts';
import type { BuiltIndex } from '../indexing/index-protocol.ts';
import { indexSegment } from '../indexing/index-segment.ts';

/** Segments with fewer rows are scanned as fast as they are looked up. */
const INDEX_ROWS = 2000;
/** A low-latency import defers the side files of segments with fewer rows. */
const LOW_LATENCY_INDEX_ROWS = 32_768;

/** Minimum rows of a segment with a side file. */
export function indexRows(lowLatency = false): number {
  return layoutLimit('DAYBOOK_INDEX_ROWS', lowLatency ? LOW_LATENCY_INDEX_ROWS : INDEX_ROWS);
}

export class SegmentRewriter {
  readonly folder: string;
  readonly staging: string;
  readonly catalog: Catalog;
  readonly builder: SegmentBuilder;

  constructor(folder: string, staging: string, catalog: Catalog, builder: SegmentBuilder) {
    this.folder = folder;
    this.staging = staging;
    this.catalog = catalog;
    this.builder = builder;
  }

  /** Call it before work that takes much memory. */
  returnMemory(): Promise<void> {
    return returnMemoryAbove(this.builder.memoryLimit * 3);
  }

  /** Makes a segment readable by the builder; returns the name of its database there. */
  async attach(segment: SegmentRow): Promise<string> {
    const name = `seg_${segment.id}`;
    await this.builder.attach(name, segmentPath(this.folder, segment.file, segment));
    return name;
  }

  /** Makes the side file of a new segment in the staging folder; undefined if the segment is too small for one. */
  async indexOf(
    built: BuiltSegment,
    kind: Kind,
    lowLatency = false,
  ): Promise<BuiltIndex | undefined> {
    if (built.rows < indexRows(lowLatency)) return undefined;
    await this.returnMemory();
    const { path: file, columns } = built;
    return indexSegment(this.builder, { file, kind, columns }, `${file}.idx`);
  }

  /** Makes missing side files one by one; each is in the staging folder until it is moved to its place. */
  async *missingIndexes(): AsyncGenerator<{ segment: SegmentRow; index: BuiltIndex }> {
    for (const segment of this.catalog.segments.all()) {
      if (segment.index !== undefined || segment.rows < indexRows()) continue;
      if (!existsSync(join(this.folder, segment.file))) continue;
      const path = join(this.staging, `index-${segment.id}.idx`);
      const { kind, columns } = segment;
      try {
        const file = segmentPath(this.folder, segment.file, segment);
        const index = await indexSegment(this.builder, { file, kind, columns }, path);
        yield { segment, index };
      } catch (error) {
        // Readers of the segment get an error; the others still get their side files.
        if (!hasCode(error, 'case-damaged')) throw error;
      }
    }
  }
}
