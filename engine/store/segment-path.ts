/** Where DuckDB finds a segment, which it opens by its path and reads together with a log beside it. */
import { lstatSync } from 'node:fs';
import { casePath } from '../base/case-files.ts';
import { DaybookError } from '../contract/errors.ts';

/**
 * The absolute path of a segment's file, whether or not it is there.
 * @param file as the catalog names it
 * @param bytes its size, as the catalog has it; undefined: it is not compared
 * @throws DaybookError case-damaged where a link is in its way, or a log beside it: DuckDB would add what is in that
 */
export function segmentPath(folder: string, file: string, bytes?: number): string {
  const path = casePath(folder, file);
  const size = lstatSync(path, { throwIfNoEntry: false })?.size;
  if (bytes !== undefined && size !== undefined && size !== bytes)
    throw new DaybookError(
      'case-damaged',
      `segment ${file} has ${size} bytes, and was written with ${bytes}: another file is in its place, or it was changed`,
      'daybook verify CASE says what else is; restore the file from a copy of the case',
    );
  if (lstatSync(`${path}.wal`, { throwIfNoEntry: false }) === undefined) return path;
  throw new DaybookError(
    'case-damaged',
    `segment ${file} has a write-ahead log beside it, which would change what it says`,
    `segments have none: move ${path}.wal out of the case`,
  );
}
