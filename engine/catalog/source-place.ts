/** The location of a source's content in the catalog's form. */
import type { SourceLocation } from '../contract/source-location.ts';
import type { SourceRow } from './tables/sources.ts';

/** The state of an archive when its members were read: used to compare bytes of it that belong to no member. */
export interface ArchiveFile {
  readonly bytes: number;
  readonly sha256: string;
}

type Place = Pick<SourceRow, 'path' | 'location'>;

export function locationOf({ path, location }: Place): SourceLocation {
  const members: unknown = field(location, 'members');
  return {
    path,
    members: Array.isArray(members) ? members.filter((one) => typeof one === 'string') : [],
  };
}

/** The archive from which a member was read; undefined for other sources, and if no import stored its hash. */
export function archiveOf({ location }: Place): ArchiveFile | undefined {
  const archive = field(location, 'archive');
  const bytes = field(archive, 'bytes');
  const sha256 = field(archive, 'sha256');
  return typeof bytes === 'number' && typeof sha256 === 'string' ? { bytes, sha256 } : undefined;
}

export function samePlace(a: SourceLocation, b: SourceLocation): boolean {
  return (
    a.path === b.path &&
    a.members.length === b.members.length &&
    a.members.every((member, at) => member === b.members[at])
  );
}

export function sameArchive(a: ArchiveFile | undefined, b: ArchiveFile | undefined): boolean {
  return a?.bytes === b?.bytes && a?.sha256 === b?.sha256;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
