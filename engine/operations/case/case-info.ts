/** The contents of a case, from the catalog and the sizes of its files. */
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type SegmentRow, WriterLock } from '../../catalog/index.ts';
import type { OperationName, Result } from '../../contract/operations.ts';
import { tagColor } from '../../contract/findings.ts';
import type { Kind } from '../../contract/event.ts';
import { hostname } from 'node:os';
import { descriptionOf } from './describe.ts';
import type { CaseSession, Snapshot } from '../../search/index.ts';

export type CaseInfo = Result<Extract<OperationName, 'case.open'>>;
type CaseDays = (Result<'case.days'>['days'][number] & { bytes: number })[];

/** The day of events without a usable time. */
const UNDATED = 'undated';
const CATALOG_FILES = ['case.sqlite', 'case.sqlite-wal'];

/** A case's name: its folder's, without the ending that cases have. */
export function caseName(folder: string): string {
  return basename(folder).replace(/[.]daybook$/i, '') || folder;
}

/** Deleted events are not counted; `recovered` lists what recovery did when the case was opened. */
export function caseInfo(session: CaseSession, recovered: readonly string[] = []): CaseInfo {
  const snapshot = session.snapshot();
  const { segments } = snapshot;
  const deleted = deletedBySegment(session, snapshot);
  const byKind: Partial<Record<Kind, number>> = {};
  let events = 0;
  let bytes = 0;
  let first: number | undefined;
  let last: number | undefined;
  const days = new Set<string>();
  for (const segment of segments) {
    const left = segment.rows - (deleted.get(segment.id) ?? 0);
    events += left;
    bytes += segment.bytes;
    byKind[segment.kind] = (byKind[segment.kind] ?? 0) + left;
    for (const { day, events: dayEvents } of eventsByDay(session, segment, left))
      if (day !== UNDATED && dayEvents > 0) days.add(day);
    if (segment.minTs !== undefined) first = Math.min(first ?? Infinity, segment.minTs);
    if (segment.maxTs !== undefined) last = Math.max(last ?? -Infinity, segment.maxTs);
  }
  for (const name of CATALOG_FILES) bytes += sizeOf(join(session.folder, name));
  for (const run of session.catalog.imports.all()) bytes += run.quarantineBytes;
  const writer = otherWriter(session.folder);
  return {
    case: session.folder,
    name: caseName(session.folder),
    ...descriptionOf(session.catalog),
    readOnly: session.catalog.readOnly,
    events,
    byKind,
    days: days.size,
    first,
    last,
    sources: session.catalog.sources.count(),
    segments: segments.length,
    bytes,
    tags: session.catalog.marks.countedTags().map(({ id, name, visible, color }) => ({
      ...{ id, name, count: visible },
      color: tagColor(id, color),
    })),
    ...(writer === undefined ? {} : { writer }),
    recovered: [...recovered],
  };
}

/** Days in order of time, `undated` last. */
export function caseDays(session: CaseSession): CaseDays {
  const snapshot = session.snapshot();
  const deleted = deletedBySegment(session, snapshot);
  const days = new Map<string, CaseDays[number]>();
  for (const segment of snapshot.segments) {
    const left = segment.rows - (deleted.get(segment.id) ?? 0);
    for (const { day: name, events, bytes } of eventsByDay(session, segment, left)) {
      const day = days.get(name) ?? { day: name, events: 0, bytes: 0, byKind: {} };
      day.events += events;
      day.bytes += bytes;
      day.byKind[segment.kind] = (day.byKind[segment.kind] ?? 0) + events;
      days.set(name, day);
    }
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

/**
 * A segment's share of each of its days: of a file with several days, in proportion to rows.
 * @param left number of its events that are not deleted
 */
export function eventsByDay(
  { catalog }: Pick<CaseSession, 'catalog'>,
  segment: SegmentRow,
  left: number,
): { day: string; events: number; bytes: number }[] {
  const { id, day, days, rows: all, bytes } = segment;
  if (days === undefined) return [{ day, events: left, bytes }];
  const deleted = left === all ? new Uint32Array(0) : catalog.marks.of(id, 0);
  let at = 0;
  let from = 0;
  let given = 0;
  return days.map(({ day: name, rows }) => {
    from += rows;
    const before = at;
    while (at < deleted.length && deleted[at]! < from) at += 1;
    const upTo = Math.round((bytes * from) / all);
    const share = upTo - given;
    given = upTo;
    return { day: name, events: rows - (at - before), bytes: share };
  });
}

function deletedBySegment(session: CaseSession, snapshot: Snapshot): ReadonlyMap<number, number> {
  const out = new Map<number, number>();
  // Most cases have none, and then no further question is needed.
  if (![...snapshot.marks.values()].some((tags) => tags.has(0))) return out;
  for (const mark of session.catalog.marks.summary()) {
    if (mark.tagId === 0) out.set(mark.segmentId, mark.count);
  }
  return out;
}

/** The process that is writing to a case, if it is not this engine. */
export function otherWriter(folder: string): CaseInfo['writer'] {
  const holder = WriterLock.holder(folder);
  if (holder === undefined || (holder.pid === process.pid && holder.host === hostname())) {
    return undefined;
  }
  return { pid: holder.pid, since: holder.since, operation: holder.what };
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}
