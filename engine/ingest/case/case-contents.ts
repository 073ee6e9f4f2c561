/**
 * The contents of a case's folders: files that the catalog names, files that a killed import left, and files that
 * are not Daybook's.
 *
 * Invariant: only files with exactly the names that Daybook writes count as left over, and links are not followed.
 * Everything else (`.DS_Store`, `Thumbs.db`, `@eaDir`) stays.
 */
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { CASE_ENTRIES, linkInCase, listCaseFolder } from '../../util/files/case-files.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { NODE_FILE } from '../../index/rollup/tree/node-file.ts';
import { sideFilePath } from '../../index/side-file.ts';

const DAY = /^(?:[+-]?\d{4,6}-\d{2}-\d{2}|\d{4}-\d{2}-\d{2}_\d{4}-\d{2}-\d{2}|undated)$/;
const SEGMENT_OR_INDEX = /^[0-9a-f]{8}\.(?:duckdb|idx)$/;
const SEGMENT = /^days\/[^/]+\/[0-9a-f]{8}\.duckdb$/;
const QUARANTINE = /^\d+\.ndjson$/;
const STAGED_FILE =
  /^(?:segment-\d+(?:-tight)?\.duckdb(?:\.wal|\.idx)?|part-\d+s?-\d+\.(?:duckdb|parquet)(?:\.idx)?|(?:index|rollup)-\d+\.idx|spool-[0-9a-f-]{36})$/;
/** Prefix of folders below `staging` for work that is done without the lock; `upkeep-` in earlier versions. */
export const MAINTENANCE_FOLDER = 'maintenance-';
const STAGED_FOLDER = /^(?:spill|spill-\w+|(?:maintenance|upkeep)-[\w-]+)$/;

interface CaseContents {
  /** Files below `days` that no catalog row names, as an import can leave them. */
  readonly orphans: string[];
  /** Entries that are not Daybook's; a folder stands for everything in it. */
  readonly strays: string[];
  /** Links in place of Daybook's files or folders. */
  readonly links: string[];
}

/** Paths are relative to the case's folder. */
export function caseContents(folder: string, catalog: Catalog): CaseContents {
  const contents: CaseContents = { orphans: [], strays: [], links: [] };
  const named = new Set(
    catalog.segments
      .outlines()
      .flatMap(({ file, hasIndex }) => (hasIndex ? [file, sideFilePath(file)] : [file])),
  );
  /** Entries of a folder with the expected type; records the others. */
  const expected = (
    within: string,
    isOwn: (entry: Dirent) => boolean,
    kind: 'file' | 'folder' | 'any',
  ): string[] =>
    listCaseFolder(folder, within).flatMap((entry) => {
      const path = `${within}/${entry.name}`;
      const fits = kind === 'any' || (kind === 'file' ? entry.isFile() : entry.isDirectory());
      if (!isOwn(entry)) contents.strays.push(path);
      else if (entry.isSymbolicLink()) contents.links.push(path);
      else if (fits) return [path];
      else contents.strays.push(path);
      return [];
    });
  const known: readonly string[] = [...CASE_ENTRIES.folders, ...CASE_ENTRIES.files];
  const there = new Set<string>();
  for (const entry of listCaseFolder(folder, '')) {
    if (!known.includes(entry.name)) contents.strays.push(entry.name);
    else if (entry.isSymbolicLink()) contents.links.push(entry.name);
    else if (entry.isDirectory()) there.add(entry.name);
    else if (!entry.isFile()) contents.strays.push(entry.name);
  }
  if (there.has('days'))
    for (const day of expected('days', ({ name }) => DAY.test(name), 'folder'))
      for (const file of expected(day, ({ name }) => SEGMENT_OR_INDEX.test(name), 'file'))
        if (!named.has(file)) contents.orphans.push(file);
  if (there.has('quarantine')) expected('quarantine', ({ name }) => QUARANTINE.test(name), 'file');
  if (there.has('rollups')) expected('rollups', ({ name }) => NODE_FILE.test(name), 'file');
  if (there.has('staging')) expected('staging', isStaged, 'any');
  return contents;
}

/** @throws DaybookError case-damaged if there is a link in place of a file or folder of the case */
export function refuseLinks(folder: string, { links }: CaseContents): void {
  const [first] = links;
  if (first !== undefined) throw linkInCase(join(folder, first));
}

/** Whether something in `staging` was put there by an import or a reader. */
export function isStaged(entry: Dirent): boolean {
  const { name } = entry;
  if (STAGED_FOLDER.test(name)) return entry.isDirectory() || entry.isSymbolicLink();
  return STAGED_FILE.test(name) || NODE_FILE.test(name);
}

/** Whether a segment's file name in the catalog is one that Daybook writes. */
export function isSegmentFile(file: string): boolean {
  return SEGMENT.test(file);
}
