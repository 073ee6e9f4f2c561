/**
 * Reads hash manifests, recognised by content: lists by coreutils, BSD and OpenSSL, hashdeep and md5deep, a single
 * hash in FILE.sha256, and tables with a path and its hash: KAPE's copy log, Get-FileHash, uploads of Velociraptor.
 *
 * Invariants: every line is an entry, a comment, or a problem with its number; memory is bounded by MOST_LINES and
 * MOST_LINE_BYTES. Formats: coreutils' `sha256sum(1)`, md5deep's `hashdeep(1)`, KAPE's documentation of its logs.
 */
import { createHash } from 'node:crypto';

const MOST_LINES = 1_000_000;
const MOST_LINE_BYTES = 64 * 1024;
const HEAD_BYTES = 8192;
const HEAD_LINES = 20;

export interface ManifestEntry {
  /** From 1. */
  readonly line: number;
  /** As in the manifest, with `/` as separator. */
  readonly path: string;
  /** Its name in node:crypto. */
  readonly algorithm: string;
  /** Lower-case hex; '' if a table has no hash for this file. */
  readonly hash: string;
}

interface ManifestProblem {
  readonly line: number;
  readonly reason: string;
}

export type ManifestFormat = 'checksums' | 'single hash' | 'hashdeep' | 'table' | 'json lines';

export interface Manifest {
  readonly format: ManifestFormat;
  /** SHA-256 of its content. */
  readonly sha256: string;
  readonly entries: readonly ManifestEntry[];
  readonly problems: readonly ManifestProblem[];
}

const BY_DIGITS: Readonly<Record<number, string>> = {
  32: 'md5',
  40: 'sha1',
  56: 'sha224',
  64: 'sha256',
  96: 'sha384',
  128: 'sha512',
};
const DIGITS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.entries(BY_DIGITS).map(([digits, name]) => [name, Number(digits)])),
  blake2b512: 128,
};
/** Algorithms of hashdeep and of table columns; the first that is present is used. */
const STRONGEST = ['sha512', 'sha384', 'sha256', 'sha224', 'sha1', 'md5'] as const;

const PLAIN = /^(\\?)([0-9a-f]+) [ *](\S.*)$/i;
const TAGGED = /^(\\?)([A-Za-z0-9-]+) ?\((.+)\) ?= ?([0-9a-f]+)$/i;
const BARE = /^[0-9a-f]+$/i;
/** Names that such lists have. */
const NAMED =
  /(?:^|[._-])(?:md5|sha-?(?:1|224|256|384|512)|b2)(?:sums?)?(?:\.txt)?$|^(?:md5|sha(?:1|224|256|384|512)|b2)sums?\b/i;
const SIDECAR = /^(.+)\.(md5|sha1|sha224|sha256|sha384|sha512)$/i;
const HASHDEEP = /^%%%% HASHDEEP-1\.\d/;

/** The format of a manifest, judged by its beginning; undefined for other contents. */
export function manifestFormat(bytes: Uint8Array, name: string): ManifestFormat | undefined {
  const text = Buffer.from(bytes.subarray(0, HEAD_BYTES))
    .toString('utf8')
    .replace(/^\ufeff/, '');
  const lines = text.split(/\r?\n/);
  if (bytes.length > HEAD_BYTES && lines.length > 1) lines.pop();
  const first = lines[0] ?? '';
  if (HASHDEEP.test(first)) return 'hashdeep';
  if (first.startsWith('{')) return jsonEntry(first, 1) === undefined ? undefined : 'json lines';
  if (tableColumns(first) !== undefined) return 'table';
  const said = lines.filter((line) => !isComment(line)).slice(0, HEAD_LINES);
  if (said.length === 1 && bareHash(said[0]!, name) !== undefined) return 'single hash';
  return isHashList(said) || (NAMED.test(baseOf(name)) && said.some(isHashLine))
    ? 'checksums'
    : undefined;
}

/** Whether most lines consist of a hash and a name. */
export function isHashList(lines: readonly string[]): boolean {
  return lines.filter(isHashLine).length * 2 > lines.length;
}

/** Reads a manifest from its first byte to its last. */
export async function readManifest(
  blocks: AsyncIterable<Uint8Array>,
  format: ManifestFormat,
  name: string,
): Promise<Manifest> {
  const hash = createHash('sha256');
  const reader = new ManifestReader(format, name);
  let rest = Buffer.alloc(0);
  for await (const block of blocks) {
    hash.update(block);
    const bytes = Buffer.concat([rest, block]);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      reader.line(bytes.subarray(from, end));
      from = end + 1;
    }
    rest = bytes.subarray(from);
    // The end of a line that is too long for any path is dropped.
    if (rest.length > MOST_LINE_BYTES) rest = rest.subarray(0, MOST_LINE_BYTES + 1);
  }
  if (rest.length > 0) reader.line(rest);
  const { entries, problems } = reader;
  return { format, sha256: hash.digest('hex'), entries, problems };
}

class ManifestReader {
  readonly entries: ManifestEntry[] = [];
  readonly problems: ManifestProblem[] = [];
  private readonly format: ManifestFormat;
  private readonly name: string;
  private at = 0;
  private columns: Columns | undefined;

  constructor(format: ManifestFormat, name: string) {
    this.format = format;
    this.name = name;
  }

  line(bytes: Uint8Array): void {
    this.at += 1;
    if (this.at > MOST_LINES) {
      if (this.at === MOST_LINES + 1)
        this.problem(`it has more than ${MOST_LINES} lines: the rest is not compared`);
      return;
    }
    if (bytes.length > MOST_LINE_BYTES) return this.problem('too long for a hash and a name');
    let text = Buffer.from(bytes).toString('utf8').replace(/\r$/, '');
    if (this.at === 1) text = text.replace(/^\ufeff/, '');
    const found = this.read(text);
    if (typeof found === 'string') this.problem(found);
    else if (found !== undefined) this.entries.push({ line: this.at, ...found });
  }

  private problem(reason: string): void {
    this.problems.push({ line: this.at, reason });
  }

  private read(text: string): Listed | string | undefined {
    switch (this.format) {
      case 'checksums':
        return isComment(text) ? undefined : checksumLine(text, baseOf(this.name));
      case 'single hash':
        return isComment(text) ? undefined : (bareHash(text, this.name) ?? 'not a hash');
      case 'hashdeep':
        return this.hashdeep(text);
      case 'table':
        if (this.at > 1) return text === '' ? undefined : tableRow(text, this.columns!);
        this.columns = tableColumns(text)!;
        return undefined;
      case 'json lines':
        return text === '' ? undefined : (jsonEntry(text, this.at) ?? 'it has no path and hash');
    }
  }

  /**
   * `%%%% size,md5,sha256,filename` names the columns of the lines; the last is the name, which may contain commas.
   */
  private hashdeep(text: string): Listed | string | undefined {
    if (text.startsWith('%%%%')) {
      const names = text.slice(4).trim().toLowerCase().split(',');
      const algorithm = STRONGEST.find((one) => names.includes(one));
      if (algorithm !== undefined && names.at(-1) === 'filename')
        this.columns = { path: names.length - 1, hash: names.indexOf(algorithm), algorithm };
      return undefined;
    }
    if (text === '' || text.startsWith('#')) return undefined;
    const columns = this.columns;
    if (columns === undefined) return 'no line before it names the algorithms';
    const cells = text.split(',');
    if (cells.length <= columns.path) return 'fewer values than the header names';
    return listed(
      cells.slice(columns.path).join(','),
      columns.algorithm!,
      cells[columns.hash]!.trim(),
    );
  }
}

type Listed = Omit<ManifestEntry, 'line'>;

function listed(path: string, algorithm: string, hash: string): Listed | string {
  const digits = DIGITS[algorithm];
  if (digits === undefined) return `unknown algorithm ${algorithm}`;
  if (!BARE.test(hash) || hash.length !== digits)
    return `not a hash of ${algorithm}: ${JSON.stringify(hash.slice(0, 140))}`;
  if (path === '') return 'it names no file';
  return { path: path.replaceAll('\\', '/'), algorithm, hash: hash.toLowerCase() };
}

/** Empty lines, and comments, which `*sum --check` and others ignore. */
function isComment(line: string): boolean {
  return /^\s*(?:[#;].*)?$/.test(line);
}

function isHashLine(line: string): boolean {
  return typeof checksumLine(line, '') === 'object';
}

/** `HASH  NAME`, or `ALGORITHM (NAME) = HASH`; a backslash before the line means that the name is escaped. */
function checksumLine(line: string, manifest: string): Listed | string {
  const tagged = TAGGED.exec(line);
  if (tagged !== null) {
    const [, escaped, tag = '', path = '', hash = ''] = tagged;
    return listedAs(path, algorithmOf(tag), hash, escaped !== '');
  }
  const plain = PLAIN.exec(line);
  if (plain === null) return 'neither "HASH  NAME" nor "ALGORITHM (NAME) = HASH"';
  const [, escaped, hash = '', path = ''] = plain;
  const usual = BY_DIGITS[hash.length];
  if (usual === undefined) return `no known hash has ${hash.length} digits`;
  const isBlake = hash.length === 128 && /(?:^|[._-])b(?:lake)?2/i.test(manifest);
  return listedAs(path, isBlake ? 'blake2b512' : usual, hash, escaped !== '');
}

function listedAs(path: string, algorithm: string, hash: string, escaped: boolean) {
  const name = escaped
    ? path.replace(/\\([\\nr])/g, (_, c: string) => (c === 'n' ? '\n' : c === 'r' ? '\r' : '\\'))
    : path;
  // A Unix file name may contain a backslash, but then it is escaped.
  const found = listed(name, algorithm, hash);
  return escaped && typeof found === 'object' ? { ...found, path: name } : found;
}

/** The algorithm named by tagged lines and columns: `SHA256`, `SHA2-256`, `SHA-256`, `BLAKE2b`. */
function algorithmOf(tag: string): string {
  const name = tag
    .toLowerCase()
    .replace(/^sha2-/, 'sha')
    .replaceAll('-', '');
  return name === 'blake2b' ? 'blake2b512' : name;
}

/** The line of an `a.log.sha256` that contains only a hash. */
function bareHash(line: string, name: string): Listed | undefined {
  const [, file, algorithm = ''] = SIDECAR.exec(baseOf(name)) ?? [];
  if (file === undefined) return undefined;
  const found = listed(file, algorithm.toLowerCase(), line.trim());
  return typeof found === 'object' ? found : undefined;
}

function baseOf(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('!')) + 1);
}

// -- tables and records --------------------------------------------------------------------------

interface Columns {
  readonly path: number;
  readonly hash: number;
  /** Undefined: `algorithmColumn` names it. */
  readonly algorithm: string | undefined;
  readonly algorithmColumn?: number;
}

/** A table that has both is a manifest: KAPE's copy log, and Velociraptor's table of uploads for it. */
const COPIED = 'destinationfile';
const OF_SOURCE = ['sourcefilesha256', 'sourcefilesha1', 'sourcefilemd5'];

function tableColumns(header: string): Columns | undefined {
  if (!header.includes(',')) return undefined;
  const names = cellsOf(header).map((name) => name.toLowerCase());
  const hash = OF_SOURCE.find((name) => names.includes(name));
  if (hash !== undefined && names.includes(COPIED))
    return {
      path: names.indexOf(COPIED),
      hash: names.indexOf(hash),
      algorithm: hash.slice('sourcefile'.length),
    };
  // PowerShell: Get-FileHash | Export-Csv
  if (['algorithm', 'hash', 'path'].every((name) => names.includes(name)))
    return {
      path: names.indexOf('path'),
      hash: names.indexOf('hash'),
      algorithm: undefined,
      algorithmColumn: names.indexOf('algorithm'),
    };
  return undefined;
}

function tableRow(text: string, columns: Columns): Listed | string | undefined {
  const cells = cellsOf(text);
  const { path, hash, algorithm, algorithmColumn = 0 } = columns;
  const [file, digest] = [cells[path], cells[hash]];
  if (file === undefined || digest === undefined) return 'fewer cells than the header';
  const name = algorithm ?? algorithmOf(cells[algorithmColumn] ?? '');
  // For files that a collector could not read.
  if (digest === '' && file !== '')
    return { path: file.replaceAll('\\', '/'), algorithm: name, hash: '' };
  return listed(file, name, digest);
}

/** Cells of a line; a quoted cell may contain commas, and doubled quotes. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/y;
  for (;;) {
    const found = pattern.exec(line);
    if (found === null) return cells;
    cells.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '') return cells;
  }
}

/** A record of Velociraptor's uploads. */
function jsonEntry(text: string, line: number): Listed | string | undefined {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return line === 1 ? undefined : 'not JSON';
  }
  if (typeof record !== 'object' || record === null) return undefined;
  const fields = new Map(Object.entries(record).map(([key, value]) => [key.toLowerCase(), value]));
  const path: unknown = fields.get(COPIED);
  const name = OF_SOURCE.find((one) => typeof fields.get(one) === 'string');
  if (typeof path !== 'string' || name === undefined) return undefined;
  return listed(path, name.slice('sourcefile'.length), String(fields.get(name)));
}
