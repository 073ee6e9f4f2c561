/** Where DuckDB finds a segment, which it opens by its path and reads together with a log beside it. */
import { lstatSync } from 'node:fs';
import { casePath } from '../util/case-files.ts';
import { DaybookError } from '../contract/errors.ts';
import { segmentIdentity } from './segment-identity.ts';

/** Which file a segment is, as the catalog has it; what is left out is not compared. */
export interface ExpectedFile {
  readonly bytes?: number | undefined;
  /** See `segmentIdentity`; undefined: written before there was one. */
  readonly identity?: string | undefined;
}

/**
 * The absolute path of a segment's file, whether or not it is there.
 * @param file as the catalog names it
 * @throws DaybookError case-damaged where another file is in its place, or a link in its way, or a log beside it:
 * DuckDB would add what is in that
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

function otherFile(what: string): DaybookError {
  return new DaybookError(
    'case-damaged',
    `${what}: another file is in its place, or it was changed`,
    'daybook verify CASE says what else is; restore the file from a copy of the case',
  );
}
