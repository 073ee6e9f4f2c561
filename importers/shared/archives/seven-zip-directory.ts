/**
 * The directory of a 7z archive, at its end: its packed streams, their coders, and the files in the decoded data.
 *
 * Format: https://py7zr.readthedocs.io/en/latest/archive_format.html and 7zFormat.txt of the LZMA SDK,
 * https://www.7-zip.org/sdk.html
 */

import { tooManyMembers } from './zip.ts';

/** A coder as the archive names it: its method, in hexadecimal, and its properties. */
export interface Coder {
  readonly method: string;
  readonly properties: Buffer;
  /** Number of bytes it produces. */
  readonly size: number;
}

/** Files that are coded as one stream. */
export interface Folder {
  /** From the packed stream to the files; a text says why it cannot be decoded. */
  readonly coders: readonly Coder[] | string;
  /** The packed stream, counted from the end of the archive's first header. */
  readonly start: number;
  readonly packedSize: number;
  readonly size: number;
  readonly crc: number | undefined;
  /** Its files, in order. */
  files: { readonly size: number; readonly crc: number | undefined }[];
}

export interface Member {
  /** As UTF-16 has it. */
  readonly name: string;
  readonly modifiedMs: number | undefined;
  readonly isFolder: boolean;
  /** The Unix mode, if the archive was made there. */
  readonly mode: number | undefined;
  /** Undefined: it has no bytes. */
  readonly folder: number | undefined;
}

interface Directory {
  readonly folders: readonly Folder[];
  /** Those of a folder are adjacent. */
  readonly members: readonly Member[];
}

const END = 0;
const HEADER = 1;
const ARCHIVE_PROPERTIES = 2;
const ADDITIONAL_STREAMS = 3;
const MAIN_STREAMS = 4;
const FILES = 5;
const PACKED = 6;
const UNPACKED = 7;
const SUBSTREAMS = 8;
const SIZES = 9;
const SUMS = 10;
const FOLDERS = 11;
const CODER_SIZES = 12;
const STREAM_COUNTS = 13;
const EMPTY_STREAM = 14;
const EMPTY_FILE = 15;
const NAMES = 17;
const MODIFIED = 20;
const ATTRIBUTES = 21;
const ENCODED = 23;
/** Properties of files that are read. */
const PROPERTIES: ReadonlySet<number> = new Set([
  ...[EMPTY_STREAM, EMPTY_FILE, NAMES, MODIFIED, ATTRIBUTES],
]);

/** 7-Zip's own limit. */
const MOST_CODERS = 32;
/**
 * Limit for a folder that is read: a filter or two, a method, and encryption. A directory with long chains would
 * take gigabytes.
 */
const MOST_IN_CHAIN = 6;
/** LZMA2 and LZMA, each of which needs a dictionary in memory. */
const WITH_DICTIONARY: ReadonlySet<string> = new Set(['21', '030101']);
const NO_PROPERTIES = Buffer.alloc(0);
const IS_FOLDER = 0x10;
const HAS_MODE = 0x8000;
/** 1970 in Windows file time, in ticks of 100 ns. */
const EPOCH = 116_444_736_000_000_000n;

/** The bytes of a directory, each number as the format writes it. */
class Fields {
  readonly maxMembers: number;
  private readonly bytes: Buffer;
  private at = 0;
  constructor(bytes: Buffer, maxMembers: number) {
    this.bytes = bytes;
    this.maxMembers = maxMembers;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  take(n: number): Buffer {
    if (n > this.left) throw new Error('it ends within a field');
    this.at += n;
    return this.bytes.subarray(this.at - n, this.at);
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  /** The first byte's leading ones are the number of further bytes. */
  number(): number {
    const first = this.byte();
    let value = 0;
    let mask = 0x80;
    for (let i = 0; i < 8; i++, mask >>>= 1) {
      if ((first & mask) === 0) return safe(value + (first & (mask - 1)) * 2 ** (8 * i));
      value += this.byte() * 2 ** (8 * i);
    }
    return safe(value);
  }

  /** A number of things that take at least one byte each. */
  count(): number {
    const value = this.number();
    if (value > this.left) throw new Error('impossible number');
    if (value > this.maxMembers) throw tooManyMembers(this.maxMembers);
    return value;
  }

  expect(id: number): void {
    if (this.byte() !== id) throw new Error('an unexpected part');
  }

  bits(n: number): boolean[] {
    const bytes = this.take(Math.ceil(n / 8));
    return Array.from({ length: n }, (_, i) => (bytes[i >>> 3]! & (0x80 >>> (i & 7))) !== 0);
  }

  /** Bits, or one byte that says that all are set. */
  bitsOrAll(n: number): boolean[] {
    return this.byte() === 0 ? this.bits(n) : new Array<boolean>(n).fill(true);
  }

  sums(n: number): (number | undefined)[] {
    return this.bitsOrAll(n).map((isGiven) => (isGiven ? this.take(4).readUInt32LE(0) : undefined));
  }
}

/** Refuses a repeated part: one of two bytes may take as long to parse as all files. */
function onlyOnce(): (id: number) => void {
  const seen = new Set<number>();
  return (id) => {
    if (seen.has(id)) throw new Error('a part that comes twice');
    seen.add(id);
  };
}

function safe(value: number): number {
  if (value > Number.MAX_SAFE_INTEGER) throw new Error('impossible number');
  return value;
}

/**
 * A parsed directory, or how to decode it: then it is the only file of a folder. Throws Error if it is damaged.
 * @throws LimitError for more than `maxMembers`
 */
export function parseDirectory(
  bytes: Buffer,
  maxMembers: number,
): Directory | { readonly encoded: Folder } {
  const fields = new Fields(bytes, maxMembers);
  const id = fields.byte();
  if (id === ENCODED) {
    const [encoded, other] = streams(fields);
    if (encoded === undefined || other !== undefined) throw new Error('impossible encoding');
    return { encoded };
  }
  if (id !== HEADER) throw new Error('an unexpected part');
  let folders: Folder[] = [];
  let members: Member[] = [];
  for (;;) {
    switch (fields.byte()) {
      case END:
        return { folders, members };
      case ARCHIVE_PROPERTIES:
        while (fields.byte() !== END) fields.take(fields.number());
        break;
      case ADDITIONAL_STREAMS:
        streams(fields);
        break;
      case MAIN_STREAMS:
        folders = streams(fields);
        break;
      case FILES:
        members = files(fields, folders);
        break;
      default:
        throw new Error('an unexpected part');
    }
  }
}

/** The packed streams, and their decoded contents. */
function streams(fields: Fields): Folder[] {
  let position = 0;
  let packed: number[] = [];
  let folders: (Omit<Folder, 'start' | 'packedSize'> & { readonly streams: number })[] = [];
  let haveFiles = false;
  const begin = onlyOnce();
  for (;;) {
    const id = fields.byte();
    if (id === END) break;
    begin(id);
    if (id === PACKED) [position, packed] = packedStreams(fields);
    else if (id === UNPACKED) folders = unpacked(fields);
    else if (id === SUBSTREAMS) {
      substreams(fields, folders);
      haveFiles = true;
    } else throw new Error('an unexpected part');
  }
  let stream = 0;
  return folders.map(({ streams: count, ...folder }) => {
    const start = position;
    const sizes = packed.slice(stream, stream + count);
    if (sizes.length < count) throw new Error('fewer streams than folders');
    stream += count;
    position = safe(start + sizes.reduce((sum, size) => sum + size, 0));
    if (!haveFiles) folder.files = [{ size: folder.size, crc: folder.crc }];
    return { ...folder, start, packedSize: position - start };
  });
}

function packedStreams(fields: Fields): [position: number, sizes: number[]] {
  const position = fields.number();
  const n = fields.count();
  let sizes: number[] = [];
  for (;;) {
    const id = fields.byte();
    if (id === END) return [position, sizes];
    if (id === SIZES) sizes = Array.from({ length: n }, () => fields.number());
    else if (id === SUMS) fields.sums(n);
    else throw new Error('an unexpected part');
  }
}

function unpacked(fields: Fields): (Omit<Folder, 'start' | 'packedSize'> & { streams: number })[] {
  fields.expect(FOLDERS);
  const n = fields.count();
  fields.expect(0);
  const chains = Array.from({ length: n }, () => chain(fields));
  fields.expect(CODER_SIZES);
  const sizes = chains.map(({ outputs }) => Array.from({ length: outputs }, () => fields.number()));
  let sums: (number | undefined)[] = [];
  for (;;) {
    const id = fields.byte();
    if (id === END) break;
    if (id !== SUMS) throw new Error('an unexpected part');
    sums = fields.sums(n);
  }
  return chains.map(({ coders, last, streams: count }, i) => ({
    coders:
      typeof coders === 'string'
        ? coders
        : coders.map(({ at, ...coder }) => ({ ...coder, size: sizes[i]![at]! })),
    size: sizes[i]![last]!,
    crc: sums[i],
    files: [],
    streams: count,
  }));
}

/** The coders of a folder, in the order in which they are undone, and which of their outputs is the last. */
function chain(fields: Fields): {
  coders: (Omit<Coder, 'size'> & { readonly at: number })[] | string;
  outputs: number;
  last: number;
  streams: number;
} {
  const n = fields.number();
  if (n === 0 || n > MOST_CODERS) throw new Error('impossible number of coders');
  let inputs = 0;
  let outputs = 0;
  const all = Array.from({ length: n }, () => {
    const flags = fields.byte();
    if ((flags & 0xc0) !== 0) throw new Error('an unknown form of coder');
    const method = fields.take(flags & 15).toString('hex');
    const [ins, outs] = (flags & 16) === 0 ? [1, 1] : [fields.number(), fields.number()];
    if (ins > MOST_CODERS || outs !== 1) throw new Error('impossible coder');
    inputs += ins;
    outputs += outs;
    const properties = (flags & 32) === 0 ? NO_PROPERTIES : fields.take(fields.number());
    return { method, properties, ins };
  });
  /** The input that each output is bound to. */
  const bound = new Map<number, number>();
  for (let i = 0; i < outputs - 1; i++) {
    const input = fields.number();
    bound.set(fields.number(), input);
  }
  const streamCount = inputs - (outputs - 1);
  if (streamCount < 1 || streamCount > MOST_CODERS) throw new Error('impossible streams');
  const fed = new Set(bound.values());
  let at = Array.from({ length: inputs }, (_, i) => i).find((input) => !fed.has(input)) ?? 0;
  if (streamCount > 1) for (let i = 0; i < streamCount; i++) at = fields.number();
  const last = all.findIndex((_, output) => !bound.has(output));
  if (last < 0) throw new Error('coders in a circle');
  const several = all.find(({ ins }) => ins !== 1);
  if (several !== undefined || streamCount > 1)
    return { coders: unsupported(several?.method ?? ''), outputs, last, streams: streamCount };
  const coders: (Omit<Coder, 'size'> & { readonly at: number })[] = [];
  for (let next: number | undefined = at; next !== undefined; next = bound.get(next)) {
    const coder = all[next];
    if (coder === undefined || coders.length === n) throw new Error('coders in a circle');
    coders.push({ method: coder.method, properties: coder.properties, at: next });
  }
  if (coders.length < n) throw new Error('coders apart');
  const dictionaries = coders.filter(({ method }) => WITH_DICTIONARY.has(method));
  if (n > MOST_IN_CHAIN || dictionaries.length > 1)
    return { coders: TOO_MANY, outputs, last, streams: streamCount };
  return { coders, outputs, last, streams: streamCount };
}

/** Methods by the names that 7-Zip shows. */
const NAMES_OF_METHODS: Readonly<Record<string, string>> = {
  '0303011b': 'BCJ2',
  '030401': 'PPMd',
  '040109': 'Deflate64',
  '04f71101': 'zstd',
  '04f71104': 'lz4',
};

const TOO_MANY =
  'compressed by a longer chain of methods than is supported: extract it with 7z x, and import the files';

export function unsupported(method: string): string {
  const name = NAMES_OF_METHODS[method] ?? `method ${method}`;
  return `compressed with ${name}, which is not supported: extract it with 7z x, and import the files`;
}

function substreams(
  fields: Fields,
  folders: readonly Omit<Folder, 'start' | 'packedSize'>[],
): void {
  let counts = folders.map(() => 1);
  let id = fields.byte();
  if (id === STREAM_COUNTS) {
    counts = folders.map(() => fields.number());
    if (counts.reduce((sum, n) => sum + n, 0) > fields.maxMembers)
      throw tooManyMembers(fields.maxMembers);
    id = fields.byte();
  }
  const hasSizes = id === SIZES;
  if (hasSizes || counts.every((n) => n < 2)) {
    for (const [i, folder] of folders.entries()) {
      let rest = folder.size;
      folder.files = [];
      for (let file = 0; file < counts[i]!; file++) {
        const size = file === counts[i]! - 1 ? rest : fields.number();
        rest -= size;
        if (rest < 0) throw new Error('files beyond their folder');
        folder.files.push({ size, crc: undefined });
      }
    }
    if (hasSizes) id = fields.byte();
  } else throw new Error('files without sizes');
  const begin = onlyOnce();
  for (; id !== END; id = fields.byte()) {
    if (id !== SUMS) throw new Error('an unexpected part');
    begin(id);
    // A folder of one file has the sum already.
    const isKnown = folders.map(({ crc }, i) => counts[i] === 1 && crc !== undefined);
    const wanted = folders.reduce(
      (sum, { files: folderFiles }, i) => sum + (isKnown[i]! ? 0 : folderFiles.length),
      0,
    );
    const sums = fields.sums(wanted);
    let next = 0;
    for (const [i, folder] of folders.entries())
      if (!isKnown[i]!)
        folder.files = folder.files.map(({ size }) => ({ size, crc: sums[next++] }));
  }
  for (const [i, folder] of folders.entries())
    if (counts[i] === 1 && folder.crc !== undefined)
      folder.files = [{ size: folder.size, crc: folder.crc }];
}

function files(fields: Fields, folders: readonly Folder[]): Member[] {
  const n = fields.count();
  const none = new Array<boolean>(n).fill(false);
  let names: string[] = [];
  let [isEmpty, isFile] = [none, none];
  let modified: (number | undefined)[] = [];
  let attributes: (number | undefined)[] = [];
  const begin = onlyOnce();
  for (;;) {
    const id = fields.number();
    if (id === END) break;
    const part = new Fields(fields.take(fields.number()), fields.maxMembers);
    // Padding may occur repeatedly.
    if (PROPERTIES.has(id)) begin(id);
    switch (id) {
      case NAMES:
        part.expect(0);
        names = part.take(part.left).toString('utf16le').split('\0', n);
        break;
      case EMPTY_STREAM:
        isEmpty = part.bits(n);
        break;
      case EMPTY_FILE: {
        const flags = part.bits(isEmpty.filter(Boolean).length);
        let next = 0;
        isFile = isEmpty.map((empty) => empty && flags[next++]!);
        break;
      }
      case MODIFIED: {
        const given = part.bitsOrAll(n);
        part.expect(0);
        modified = given.map((is) => (is ? timeOf(part.take(8).readBigUInt64LE(0)) : undefined));
        break;
      }
      case ATTRIBUTES: {
        const given = part.bitsOrAll(n);
        part.expect(0);
        attributes = given.map((is) => (is ? part.take(4).readUInt32LE(0) : undefined));
        break;
      }
      default:
    }
  }
  if (names.length < n) throw new Error('fewer names than files');
  const places = folders.flatMap((folder, i) => folder.files.map(() => i));
  let next = 0;
  const members = names.map((name, i): Member => {
    const attribute = attributes[i] ?? 0;
    const folder = isEmpty[i]! ? undefined : places[next++];
    if (folder === undefined && !isEmpty[i]!) throw new Error('more files than streams');
    return {
      ...{ name, modifiedMs: modified[i], folder },
      isFolder: isEmpty[i]! && (!isFile[i]! || (attribute & IS_FOLDER) !== 0),
      mode: (attribute & HAS_MODE) === 0 ? undefined : attribute >>> 16,
    };
  });
  if (next < places.length) throw new Error('more streams than files');
  return members;
}

function timeOf(ticks: bigint): number | undefined {
  return ticks > EPOCH ? Number((ticks - EPOCH) / 10_000n) : undefined;
}
