/**
 * The target of a hand-over: a folder of this machine, or a place in a bucket. What both report and refuse alike is
 * here.
 */
import { lstatSync } from 'node:fs';
import { DaybookError } from '../../contract/errors.ts';
import {
  HANDED_OVER_PATH,
  type HandedOverFile,
  type HandOverManifest,
} from '../../contract/hand-over.ts';
import { fileSha256 } from '../../store/index.ts';

/** A file's entry in the manifest without its path, size and hashes. */
export type Made = Omit<HandedOverFile, 'path' | 'bytes' | 'sha256' | 'from'>;

/** Holds always: a file is there whole or not at all; only files of a hand-over of the same case are replaced or removed. */
export interface HandOverTarget {
  /** Its name in reports and messages. */
  readonly path: string;
  /** The folder of this machine in which files are made: absolute, without links. */
  readonly work: string;
  /** Files that are known to be there, by their paths. */
  readonly known: ReadonlyMap<string, HandedOverFile>;
  /** Notes about the place, for the report of the finished hand-over. */
  notes(): string[];
  /** Whether a file made from the same is there, whole. */
  has(path: string, from: string): boolean;
  /** Makes a file: `make` writes it to the given path and returns its description. */
  put(
    path: string,
    from: string,
    make: (partial: string) => Promise<Made>,
  ): Promise<HandedOverFile>;
  /** Writes the manifest, removes files that are not in it, and marks the hand-over as complete. */
  finish(manifest: HandOverManifest): Promise<{ sha256: string; removed: number }>;
  /** Files that are not part of a hand-over. */
  strangers(known: ReadonlySet<string>): Promise<string[]>;
  /** Another run may use it afterwards, and continue what was started. */
  close(): void;
}

/**
 * Kinds, days and names of segments come from a case that somebody else may have made.
 * @throws DaybookError case-damaged
 */
export function refuseStrangePath(path: string): void {
  if (HANDED_OVER_PATH.test(path)) return;
  throw new DaybookError(
    'case-damaged',
    `the catalog of the case names what cannot be handed over: ${JSON.stringify(path)}`,
    'run: daybook verify CASE',
  );
}

/** The manifest's entry of a file that was written at `partial`. */
export async function describeFile(
  partial: string,
  path: string,
  from: string,
  made: Made,
): Promise<HandedOverFile> {
  const { size: bytes } = lstatSync(partial);
  return { path, bytes, sha256: await fileSha256(partial), from, ...made };
}

export function manifestText(manifest: HandOverManifest): string {
  return `${JSON.stringify(manifest, null, 1)}\n`;
}

/**
 * Foreign files are never mixed with those of a hand-over, nor those of two cases.
 * @param files existing files, of a hand-over or not
 * @param owner the case that was handed over to it; undefined: none, or none that can be read
 * @throws DaybookError usage
 */
export function refuseForeign(
  name: string,
  files: readonly string[],
  owner: string | undefined,
  caseId: string,
): void {
  if (files.length === 0 || owner === caseId) return;
  throw new DaybookError(
    'usage',
    owner === undefined
      ? `${name} holds other files (${files.slice(0, 3).join(', ')}${files.length > 3 ? ', …' : ''})`
      : `${name} holds the hand-over of another case`,
    'choose an empty place, or the one to which this case was handed over before',
  );
}

/** Another run has the place. */
export class AnotherWrites extends DaybookError {
  constructor(name: string) {
    super(
      'case-locked',
      `another hand-over writes to ${name}`,
      'run it again when that one is done, or choose another place',
    );
  }
}

/** The server does not support the request. */
export class Unsupported extends DaybookError {
  constructor(name: string, cause: unknown) {
    super(
      'unreadable',
      `the server of ${name} does not support a request that a hand-over needs`,
      undefined,
      cause,
    );
  }
}

/** A JSON document; undefined: it is not JSON, so we did not write it. */
export function parsed(document: string): unknown {
  try {
    return JSON.parse(document) as unknown;
  } catch {
    return undefined;
  }
}
