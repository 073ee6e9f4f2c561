/**
 * The files of a hand-over of a case in its current state: one for each segment and day with visible events, one
 * for each segment with tags, and the tables of the catalog. Each has a hash of its input, so that existing files
 * need not be made again.
 */
import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { Catalog, SegmentRow } from '../../catalog/index.ts';
import { daysOf } from '../../util/segment-days.ts';
import { SCHEMA_VERSION } from '../../store/index.ts';

/** Events of one segment and day. */
export interface EventsFile {
  readonly path: string;
  readonly from: string;
  readonly segment: SegmentRow;
  readonly day: string;
  /** Rows of the segment, the last not included; deleted ones are among them. */
  readonly rows: readonly [first: number, end: number];
}

export interface TagsFile {
  readonly path: string;
  readonly from: string;
  readonly segment: SegmentRow;
  readonly tags: readonly { readonly id: number; readonly name: string; readonly hash: string }[];
}

/** Goes up when rows of a file are chosen or written in another way. */
const MADE_BY = 1;

export interface EventsPlan {
  readonly state: string;
  readonly events: readonly EventsFile[];
  readonly tags: readonly TagsFile[];
  /** By segment: hash of the hidden rows, if there are any. */
  readonly deleted: ReadonlyMap<number, string>;
}

/** On one snapshot: call it within `consistently`. */
export function planEvents(catalog: Catalog): EventsPlan {
  const names = new Map(catalog.marks.tags().map(({ id, name }) => [id, name]));
  const marked = Map.groupBy(catalog.marks.summary(), ({ segmentId }) => segmentId);
  const events: EventsFile[] = [];
  const tags: TagsFile[] = [];
  const deleted = new Map<number, string>();
  for (const segment of catalog.segments.all()) {
    const { id, sha256 } = segment;
    const name = basename(segment.file, '.duckdb');
    const marks = (marked.get(id) ?? []).map(({ tagId }) => tagId).sort((a, b) => a - b);
    const isCut = marks.includes(0);
    if (isCut) deleted.set(id, hashOfRows(catalog.marks.of(id, 0)));
    const shown = `${MADE_BY} ${SCHEMA_VERSION} ${sha256} ${deleted.get(id) ?? ''}`;
    let first = 0;
    for (const { day, rows } of daysOf(segment)) {
      events.push({
        path: `events/kind=${segment.kind}/day=${day}/${name}.parquet`,
        from: hash('sha256', `${shown} ${first} ${rows}`),
        ...{ segment, day, rows: [first, first + rows] },
      });
      first += rows;
    }
    const named = marks.flatMap((tag) => {
      const text = names.get(tag);
      if (text === undefined) return [];
      return [{ id: tag, name: text, hash: hashOfRows(catalog.marks.of(id, tag)) }];
    });
    if (named.length === 0) continue;
    tags.push({
      path: `tags/${name}.parquet`,
      from: hash('sha256', `${shown} ${JSON.stringify(named)}`),
      ...{ segment, tags: named },
    });
  }
  return { state: catalog.state(), events, tags, deleted };
}

export function hashOfRows({ buffer, byteOffset, byteLength }: Uint32Array): string {
  return hash('sha256', new Uint8Array(buffer, byteOffset, byteLength));
}
