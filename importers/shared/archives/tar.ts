/**
 * tar headers: ustar, GNU long names, pax, and the old format without a magic number. Reads headers only; the
 * caller handles the contents.
 *
 * Formats: https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html and
 * https://www.gnu.org/software/tar/manual/html_node/Standard.html
 */
import { nounOf } from '../../../engine/contract/words/counted.ts';
import { SourceError } from '../../../engine/contract/errors.ts';
import type { ByteSource } from '../byte-source.ts';

export const TAR_BLOCK = 512;
/** Larger names and pax records are damage, or an attack. */
const MAX_EXTENSION = 1024 * 1024;

interface TarMember {
  readonly name: Buffer;
  readonly size: number;
  readonly modifiedMs: number | undefined;
  /** `file`, or why it is not one. */
  readonly type: 'file' | 'folder' | { readonly reason: string };
  /** Bytes after the content, up to the next header. */
  readonly padding: number;
}

const TYPES: Readonly<Record<string, string>> = {
  '1': 'hard link',
  '2': 'symbolic link',
  '3': 'character device',
  '4': 'block device',
  '6': 'named pipe',
  S: 'sparse file',
  M: 'continued from another volume',
  V: 'volume label',
};

/** Whether a content that begins with `block` (512 bytes) is an archive: its first member has a name. */
export function isTarHeader(block: Uint8Array): boolean {
  return block.length >= TAR_BLOCK && block[0] !== 0 && hasChecksum(block);
}

/** Whether `block` is a header. A block of zeros, the end of an archive, is not. */
function hasChecksum(block: Uint8Array): boolean {
  let sum = 0;
  let signed = 0;
  for (let i = 0; i < TAR_BLOCK; i++) {
    const byte = i >= 148 && i < 156 ? 32 : block[i]!;
    sum += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  const stored = tarNumber(block, 148, 8);
  return stored === sum || stored === signed;
}

/** Octal, or binary if the first bit is set; NaN if it is neither. */
function tarNumber(block: Uint8Array, at: number, size: number): number {
  const first = block[at]!;
  if ((first & 0x80) !== 0) {
    if ((first & 0x40) !== 0) return NaN;
    let value = first & 0x3f;
    for (let i = 1; i < size; i++) value = value * 256 + block[at + i]!;
    return value;
  }
  let value = 0;
  let i = at;
  while (i < at + size && block[i] === 32) i++;
  for (; i < at + size; i++) {
    const digit = block[i]!;
    if (digit === 0 || digit === 32) break;
    if (digit < 0x30 || digit > 0x37) return NaN;
    value = value * 8 + digit - 0x30;
  }
  return value;
}

function field(block: Buffer, at: number, size: number): Buffer {
  const end = block.indexOf(0, at);
  return block.subarray(at, end < 0 || end > at + size ? at + size : end);
}

/** `key=value` records; a broken one ends them. */
function paxRecords(bytes: Buffer, into: Map<string, Buffer>): void {
  let at = 0;
  while (at < bytes.length) {
    const space = bytes.indexOf(32, at);
    if (space < 0 || space - at > 10) return;
    const length = Number(bytes.toString('latin1', at, space));
    const equals = bytes.indexOf(61, space);
    const end = at + length;
    if (!Number.isInteger(length) || equals < 0 || equals >= end || end > bytes.length) return;
    into.set(bytes.toString('utf8', space + 1, equals), bytes.subarray(equals + 1, end - 1));
    at = end;
  }
}

/** The next header block, and its position; undefined at the end. */
async function nextHeader(
  source: ByteSource,
): Promise<{ block: Buffer; start: number } | undefined> {
  for (;;) {
    const start = source.position;
    if (!(await source.ensure(TAR_BLOCK))) {
      if (source.failure.length > 0) throw source.failure[0];
      if (source.available === 0) return undefined;
      const rest = source.buffer.subarray(source.at, source.end);
      if (rest.every((byte) => byte === 0)) return undefined;
      throw endsWithin(start);
    }
    const block = Buffer.from(source.buffer.subarray(source.at, source.at + TAR_BLOCK));
    if (hasChecksum(block)) {
      source.at += TAR_BLOCK;
      return { block, start };
    }
    if (!block.every((byte) => byte === 0))
      throw new SourceError(`no header of an archive member at byte ${start}`, start);
    source.at += TAR_BLOCK;
  }
}

/**
 * The next member, leaving `source` at its content. Undefined at the end. Blocks of zeros are skipped, so that
 * concatenated archives are one.
 * @throws SourceError if a header cannot be read; whatever the source throws
 */
export async function nextTarMember(source: ByteSource): Promise<TarMember | undefined> {
  let longName: Buffer | undefined;
  const global = new Map<string, Buffer>();
  const pax = new Map<string, Buffer>();
  for (;;) {
    const header = await nextHeader(source);
    if (header === undefined) return undefined;
    const { block, start } = header;
    const headerSize = tarNumber(block, 124, 12);
    const flag = String.fromCharCode(block[156]!);
    if (!Number.isSafeInteger(headerSize)) {
      throw new SourceError(`an impossible size in the header at byte ${start}`, start);
    }
    if (flag === 'L' || flag === 'K' || flag === 'x' || flag === 'g' || flag === 'X') {
      if (headerSize > MAX_EXTENSION) {
        throw new SourceError(
          `a name or record of ${headerSize} ${nounOf(headerSize, 'byte')} at byte ${start}`,
          start,
        );
      }
      const whole = headerSize + paddingOf(headerSize);
      if (!(await source.ensure(whole))) {
        if (source.failure.length > 0) throw source.failure[0];
        throw endsWithin(start);
      }
      const bytes = Buffer.from(source.buffer.subarray(source.at, source.at + headerSize));
      source.at += whole;
      if (flag === 'L') longName = field(bytes, 0, bytes.length);
      else if (flag === 'g') paxRecords(bytes, global);
      else if (flag !== 'K') paxRecords(bytes, pax);
      continue;
    }
    if (flag === 'S') {
      let extended = block[482] === 1;
      while (extended) {
        if (!(await source.ensure(TAR_BLOCK))) throw endsWithin(start);
        extended = source.buffer[source.at + 504] === 1;
        source.at += TAR_BLOCK;
      }
    }
    const value = (key: string) => pax.get(key) ?? global.get(key);
    const sizeText = value('size')?.toString('latin1');
    const links = flag === '1' || flag === '2' || flag === '3' || flag === '4' || flag === '6';
    const size = links || flag === '5' ? 0 : sizeText === undefined ? headerSize : Number(sizeText);
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new SourceError(`an impossible size in the header at byte ${start}`, start);
    }
    let name = value('path') ?? longName;
    if (name === undefined) {
      name = field(block, 0, 100);
      // GNU uses the prefix for other things.
      const ustar = block.toString('latin1', 257, 263) === 'ustar\0';
      const prefix = ustar ? field(block, 345, 155) : Buffer.alloc(0);
      if (prefix.length > 0) name = Buffer.concat([prefix, Buffer.from('/'), name]);
    }
    const seconds = Number(value('mtime')?.toString('latin1') ?? tarNumber(block, 136, 12));
    const sparse = [...pax.keys()].some((key) => key.startsWith('GNU.sparse.'));
    return {
      name,
      size,
      modifiedMs: seconds > 0 && seconds < 1e11 ? Math.floor(seconds * 1000) : undefined,
      type: typeOf(flag, name, sparse),
      padding: paddingOf(size),
    };
  }
}

function endsWithin(header: number): SourceError {
  const message = `the archive ends within a header, at byte ${header}`;
  return new SourceError(message, header, undefined, { state: 'partial' });
}

function paddingOf(size: number): number {
  return (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
}

function typeOf(flag: string, name: Buffer, sparse: boolean): TarMember['type'] {
  if (sparse) return { reason: 'sparse file' };
  if (flag === '5' || flag === 'D') return 'folder';
  if (flag === '0' || flag === '\0' || flag === '7') {
    return name[name.length - 1] === 0x2f ? 'folder' : 'file';
  }
  return { reason: TYPES[flag] ?? `archive member of type ${JSON.stringify(flag)}` };
}
