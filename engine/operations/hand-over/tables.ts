/** The tables of a catalog as JSON lines: sources, ledger, notes, findings, saved views, audit log. */
import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import type { Catalog, SourceRow } from '../../catalog/index.ts';
import { writeAll } from '../../util/files/files.ts';
import { eventIdOf, statusOf } from '../../search/index.ts';
import { findingLines } from '../marks/findings.ts';

interface Table {
  readonly path: string;
  lines(catalog: Catalog): Iterable<object>;
}

const BUFFER_BYTES = 1 << 18;

export const TABLES: readonly Table[] = [
  { path: 'sources/sources.jsonl', lines: (catalog) => catalog.sources.all().map(sourceLine) },
  {
    path: 'ledger/ledger.jsonl',
    lines: (catalog) =>
      catalog.ledger
        .of()
        .map(({ importId, ordinal, name, sourceId, status, message, ...counts }) => ({
          ...{ import_id: importId, ordinal, name, source_id: sourceId ?? null, status },
          ...{ message: message ?? null, ...counts },
        })),
  },
  {
    path: 'ledger/imports.jsonl',
    lines: (catalog) =>
      catalog.imports.all().map(({ id, startedAt, finishedAt, status }) => ({
        ...{ import_id: id, started_at: startedAt, finished_at: finishedAt ?? null, status },
      })),
  },
  {
    path: 'notes/notes.jsonl',
    lines: (catalog) =>
      catalog.notes.all().map((note) => ({
        event_id: eventIdOf(note),
        text: note.text,
        at: note.at,
        user: note.user,
      })),
  },
  { path: 'findings/findings.jsonl', lines: findingLines },
  {
    path: 'searches/searches.jsonl',
    lines: (catalog) =>
      catalog.searches.all().map(({ name, view, note, createdAt }) => ({
        ...{ name, view, note, created_at: createdAt },
      })),
  },
  { path: 'audit/audit.jsonl', lines: (catalog) => catalog.audit.stored() },
];

function sourceLine(source: SourceRow): object {
  return {
    ...{ source_id: source.id, name: source.name, path: source.path, location: source.location },
    ...{ status: statusOf(source), error: source.error ?? null, broken: source.broken ?? null },
    ...{ raw_size: source.rawSize ?? null, raw_sha256: source.rawSha256 ?? null },
    ...{ content_size: source.contentSize ?? null, content_sha256: source.contentSha256 ?? null },
    ...{ importer: source.importer, importer_version: source.importerVersion },
    ...{ format: source.format, options: source.options, decisions: source.decisions },
    ...{ metadata: source.metadata, notes: source.notes, import_id: source.importId },
    ...{ read: source.read, stored: source.stored, duplicate: source.duplicate },
    ...{ quarantined: source.quarantined, skipped: source.skipped },
    ...{ skipped_reasons: source.skippedReasons, by_kind: source.byKind },
    ...{ first_ts: source.firstTs ?? null, last_ts: source.lastTs ?? null },
  };
}

/** SHA-256 of the lines, and how many there are. */
export function hashLines({ lines }: Table, catalog: Catalog): { rows: number; sha256: string } {
  const sum = createHash('sha256');
  let rows = 0;
  for (const line of lines(catalog)) {
    sum.update(textOf(line));
    rows += 1;
  }
  return { rows, sha256: sum.digest('hex') };
}

export function writeLines({ lines }: Table, catalog: Catalog, file: string): number {
  const fd = openSync(file, 'wx', 0o600);
  let rows = 0;
  let waiting: string[] = [];
  let bytes = 0;
  const flush = (): void => {
    writeAll(fd, Buffer.from(waiting.join('')));
    waiting = [];
    bytes = 0;
  };
  try {
    for (const line of lines(catalog)) {
      const text = textOf(line);
      waiting.push(text);
      bytes += text.length;
      rows += 1;
      if (bytes >= BUFFER_BYTES) flush();
    }
    flush();
  } finally {
    closeSync(fd);
  }
  return rows;
}

function textOf(line: object): string {
  return `${JSON.stringify(line)}\n`;
}
