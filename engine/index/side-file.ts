/**
 * The file next to a segment with everything known about its rows without reading them: named sections, each
 * written and read by one kind of index. It is made from the segment's rows and can be rebuilt from them; it
 * contains nothing that is not in the segment.
 *
 * Layout, little-endian: `DBIX`, u32 version, the sections' bytes, concatenated, the directory as JSON in UTF-8
 * (`{"rows":n,"sections":[[name,offset,length],…]}`), u32 length of the directory, `DBIX`. The last letter also
 * depends on the version, so that reading the end of a file is enough to open it; short sections are at the end,
 * and are read with it.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { caseRelative, openCaseFile } from '../util/files/case-files.ts';
import { writeAll } from '../util/files/files.ts';
import { DaybookError } from '../contract/errors.ts';

export interface Section {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A file of another version is ignored and rebuilt. */
const SIDE_FILE_VERSION = 1;
const MAGIC = 0x58494244;
/** The part common to all versions: `DBI`. */
const MAGIC_BITS = 0xff_ffff;
const HEAD = 8;
const TAIL = 8;
/** The cached end of a file: the directory, and short sections before it. */
const END = 8192;
/**
 * The first read: it brings sections that are needed next, such as those of times, into the system's cache. A disk
 * delivers it in less time than these pages one by one.
 */
const AHEAD = 65_536;

/** The path of a segment's side file. */
export function sideFilePath(segmentFile: string): string {
  return segmentFile.replace(/\.duckdb$/, '.idx');
}

/** Writes a side file; returns its size in bytes. */
export function writeSideFile(path: string, rows: number, sections: readonly Section[]): number {
  const head = new Uint8Array(HEAD);
  const view = new DataView(head.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, SIDE_FILE_VERSION, true);
  const fd = openSync(path, 'w');
  try {
    writeAll(fd, head);
    let at = HEAD;
    const longestFirst = sections.toSorted((a, b) => b.bytes.length - a.bytes.length);
    const entries = longestFirst.map(({ name, bytes }) => {
      const entry = [name, at, bytes.length] as const;
      writeAll(fd, bytes);
      at += bytes.length;
      return entry;
    });
    const directory = new TextEncoder().encode(JSON.stringify({ rows, sections: entries }));
    const tail = new Uint8Array(TAIL);
    const end = new DataView(tail.buffer);
    end.setUint32(0, directory.length, true);
    end.setUint32(4, MAGIC, true);
    writeAll(fd, directory);
    writeAll(fd, tail);
    return at + directory.length + TAIL;
  } finally {
    closeSync(fd);
  }
}

/** An open side file. Sections are read on request; the caller caches them. */
export class SideFile {
  readonly path: string;
  /** Rows of the segment. */
  readonly rows: number;
  readonly size: number;
  private readonly fd: number;
  /** The last bytes of the file. */
  private readonly end: Uint8Array;
  private readonly sections: ReadonlyMap<string, readonly [number, number]>;

  private constructor(
    path: string,
    fd: number,
    size: number,
    end: Uint8Array,
    rows: number,
    sections: ReadonlyMap<string, readonly [number, number]>,
  ) {
    this.path = path;
    this.fd = fd;
    this.size = size;
    this.end = end;
    this.rows = rows;
    this.sections = sections;
  }

  /**
   * Undefined if there is none, or one of another version.
   * @param caseFolder the case that it belongs to; links in it are not followed
   * @throws DaybookError case-damaged
   */
  static open(path: string, caseFolder?: string): SideFile | undefined {
    let fd: number;
    try {
      fd =
        caseFolder === undefined
          ? openSync(path, 'r')
          : openCaseFile(caseFolder, caseRelative(caseFolder, path), constants.O_RDONLY);
    } catch (error) {
      if (error instanceof DaybookError) throw error;
      return undefined;
    }
    try {
      const { size } = fstatSync(fd);
      const last = read(fd, Math.max(0, size - AHEAD), Math.min(AHEAD, size)).slice(-END);
      if (size < HEAD + TAIL || last.length < TAIL) throw damagedFile(path);
      const mark = word(last, last.length - 4);
      if ((mark & MAGIC_BITS) !== (MAGIC & MAGIC_BITS)) throw damagedFile(path);
      if (mark !== MAGIC) {
        closeSync(fd);
        return undefined;
      }
      const length = word(last, last.length - TAIL);
      if (length > size - HEAD - TAIL) throw damagedFile(path);
      const end = size - TAIL - length;
      const directory = JSON.parse(
        new TextDecoder().decode(readAt(fd, last, size, end, length)),
      ) as { rows: number; sections: [string, number, number][] };
      const sections = new Map<string, readonly [number, number]>();
      for (const [name, at, bytes] of directory.sections) {
        if (!isCount(at) || !isCount(bytes) || at < HEAD || at + bytes > end)
          throw damagedFile(path);
        sections.set(name, [at, bytes]);
      }
      return new SideFile(path, fd, size, last, directory.rows, sections);
    } catch (error) {
      closeSync(fd);
      throw error instanceof DaybookError ? error : damagedFile(path);
    }
  }

  has(name: string): boolean {
    return this.sections.has(name);
  }

  /** Length of a section in bytes; 0 if there is none. */
  length(name: string): number {
    return this.sections.get(name)?.[1] ?? 0;
  }

  /** Bytes `from` to `to` of a section, by default all; undefined if there is none. */
  read(name: string, from = 0, to = Infinity): Uint8Array | undefined {
    const found = this.sections.get(name);
    if (found === undefined) return undefined;
    const [at, length] = found;
    const end = Math.min(to, length);
    return readAt(this.fd, this.end, this.size, at + from, Math.max(0, end - from));
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** From the cached end of a file, if it is there. */
function readAt(
  fd: number,
  last: Uint8Array,
  size: number,
  at: number,
  length: number,
): Uint8Array {
  const from = at - (size - last.length);
  return from < 0 ? read(fd, at, length) : last.slice(from, from + length);
}

function read(fd: number, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const n = readSync(fd, bytes, done, length - done, at + done);
    if (n === 0) break;
    done += n;
  }
  return done === length ? bytes : bytes.subarray(0, done);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function word(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
}

/** The error for an index file that is not as it was written. */
export function damagedFile(path: string): DaybookError {
  const name = path.split(/[\\/]/).slice(-3).join('/');
  return new DaybookError(
    'case-damaged',
    `the index ${name} is damaged`,
    'to rebuild it, run: daybook verify CASE --repair',
  );
}
