/** Limits of reading evidence, and reasons for skipping some of it. */

/** Limits for evidence that may be crafted to be endless. Undefined: the default. */
export interface ReadLimits {
  /** Bytes that may be decompressed from each byte of a compressed file or archive. */
  readonly maxRatio?: number | undefined;
  /** Bytes that may be decompressed from one file. */
  readonly maxBytes?: number | undefined;
  /** Nesting depth of archives and layers of compression. */
  readonly maxDepth?: number | undefined;
  /** Members of one archive. */
  readonly maxMembers?: number | undefined;
  /** Whether to read bytes that fail their checksum. */
  readonly unchecked?: boolean | undefined;
}

/** Why an encrypted archive member was not read: no password, or none that fits. */
export const LOCKED = 'encrypted, and its password was not given';
export const NOT_UNLOCKED = 'encrypted, and no password that was given opens it';

export function isLocked(reason: string | undefined): boolean {
  return reason === LOCKED || reason === NOT_UNLOCKED;
}

/** Reason for skipping a hash manifest, which is not evidence itself. */
export const HASH_LIST =
  'a hash manifest: it is compared with the files that it lists (with --format text its lines become events)';
/** The same as cases of before December 2026 have it. */
const OLD_HASH_LIST =
  'a list of hashes: it is compared with the files that it lists (as format text its lines are events)';

export function isHashList(reason: string): boolean {
  return reason === HASH_LIST || reason === OLD_HASH_LIST;
}

/** Something found along the way that is not a source: a link, a device, an encrypted member. */
export interface Ignored {
  readonly name: string;
  readonly reason: string;
  /** Whether it is evidence that could not be read: damaged, or beyond a limit. */
  readonly failed?: boolean;
}
