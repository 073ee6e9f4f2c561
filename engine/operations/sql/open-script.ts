/**
 * A SQL script that shows a case to any DuckDB: views `events`, `sources`, `tags`, `notes` and `findings` over the
 * segments in place. Deleted and left-out events are hidden, as in Daybook itself.
 *
 * Invariant: the case is not written.
 */
import type { SegmentRow } from '../../catalog/index.ts';
import {
  attachSegment,
  eventsView,
  markRows,
  markTables,
  segmentPath,
  tagsView,
  typedMacros,
  valuesView,
} from '../../store/index.ts';
import { type CaseSession, eventIdOf, statusOf } from '../../search/index.ts';
import { findingLines } from '../marks/findings.ts';

/** The statements, in order, without their semicolons. */
export function* openScript(session: CaseSession): Generator<string> {
  const { segments, tags, marks } = session.snapshot();
  for (const segment of segments)
    yield attachSegment(segment, segmentPath(session.folder, segment.file, segment));
  yield* typedMacros();
  yield* markTables();
  const names = new Map(tags.map(({ id, name }) => [id, name]));
  const tagsOf = ({ id }: SegmentRow): number[] => [...(marks.get(id) ?? [])];
  for (const segment of segments)
    for (const tag of tagsOf(segment)) {
      // Left-out events are marked as deleted, too.
      if (tag !== 0 && !names.has(tag)) continue;
      yield markRows(segment.id, names.get(tag), session.catalog.marks.of(segment.id, tag));
    }
  const viewed = segments.map((one) => ({ ...one, hasDeleted: tagsOf(one).includes(0) }));
  yield eventsView(viewed);
  yield tagsView(viewed.filter((one) => tagsOf(one).some((tag) => names.has(tag))));
  yield sourcesView(session);
  yield notesView(session);
  yield findingsView(session);
}

/** The whole script, in parts: a header, and each statement with its semicolon. */
export function* scriptText(session: CaseSession, version: string): Generator<string> {
  yield `-- The case ${oneLine(session.folder)}, for DuckDB 1.5 or newer, written by Daybook ${version}:\n`;
  yield '-- views events, sources, tags, notes and findings. It reads the files of the case and changes none.\n';
  yield '-- Run it again after an import, a deletion or a merge: it names the current files.\n';
  for (const statement of openScript(session)) yield `${statement};\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ');
}

function sourcesView(session: CaseSession): string {
  const columns = [
    { name: 'source_id', type: 'UINTEGER' },
    { name: 'name', type: 'VARCHAR' },
    { name: 'path', type: 'VARCHAR' },
    { name: 'format', type: 'VARCHAR' },
    { name: 'status', type: 'VARCHAR' },
    { name: 'sha256', type: 'VARCHAR' },
    { name: 'bytes', type: 'BIGINT' },
    ...(['read', 'stored', 'duplicate', 'quarantined', 'skipped'] as const).map((name) => ({
      name,
      type: 'BIGINT',
    })),
    { name: 'first_ts', type: 'TIMESTAMP' },
    { name: 'last_ts', type: 'TIMESTAMP' },
  ];
  const rows = session
    .snapshot()
    .sources()
    .map((source) => [
      ...[source.id, source.name, source.path, source.format, statusOf(source)],
      ...[source.rawSha256 ?? source.contentSha256, source.rawSize ?? source.contentSize],
      ...[source.read, source.stored, source.duplicate, source.quarantined, source.skipped],
      ...[source.firstTs, source.lastTs],
    ]);
  return valuesView('sources', columns, rows);
}

function notesView({ catalog }: CaseSession): string {
  const columns = ['event_id', 'text', 'at', 'user'].map((name) => ({ name, type: 'VARCHAR' }));
  const rows = catalog.notes.all().map((note) => [eventIdOf(note), note.text, note.at, note.user]);
  return valuesView('notes', columns, rows);
}

function findingsView({ catalog }: CaseSession): string {
  const columns = [
    ...['tag', 'event_id', 'severity', 'color'].map((name) => ({ name, type: 'VARCHAR' })),
    { name: 'place', type: 'INTEGER' },
  ];
  const rows = findingLines(catalog).map((one) =>
    [one.tag, one.event_id, one.severity, one.color, one.place].map((value) => value ?? undefined),
  );
  return valuesView('findings', columns, rows);
}
