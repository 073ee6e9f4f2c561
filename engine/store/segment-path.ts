/** The path of a segment for DuckDB, which also reads a log file next to it. */
import { lstatSync } from 'node:fs';
import { casePath } from '../util/files/case-files.ts';
import { DaybookError } from '../contract/errors.ts';
import { segmentIdentity } from './segment-identity.ts';

/** A segment's file according to the catalog; omitted properties are not compared. */
export interface ExpectedFile {
  readonly bytes?: number | undefined;
  /** See `segmentIdentity`; undefined: written before it was introduced. */
  readonly identity?: string | undefined;
}

/**
 * The absolute path of a segment's file, whether or not it exists.
 * @param file name in the catalog
 * @throws DaybookError case-damaged if another file is in its place, a link is on the path, or a log is next to it:
 * DuckDB would add the log's content
 */
export function segmentPath(
  folder: string,
  file: string,
  { bytes, identity }: ExpectedFile = {},
): string {
  const path = casePath(folder, file);
  const size = lstatSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined) {
    if (bytes !== undefined && size !== bytes)
      throw otherFile(`segment ${file} has ${size} bytes, and was written with ${bytes}`);
    if (identity !== undefined && segmentIdentity(path) !== identity)
      throw otherFile(`segment ${file} is not the file that was written`);
  }
  if (lstatSync(`${path}.wal`, { throwIfNoEntry: false }) === undefined) return path;
  throw new DaybookError(
    'case-damaged',
    `segment ${file} has a write-ahead log beside it, which would change what it says`,
    `segments have none: move ${path}.wal out of the case`,
  );
}

function otherFile(file: string): DaybookError {
  return new DaybookError(
    'case-damaged',
    `${file}: another file is in its place, or it was changed`,
    'daybook verify CASE says what else is; restore the file from a copy of the case',
  );
}
