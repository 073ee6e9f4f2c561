/**
 * Finds the sources of a file: the file itself, or the contents of the archive that it is.
 *
 * Invariants: names in archives are text and never become paths on disk; whatever is not a source is reported with
 * its reason; memory is bounded; and a source can be opened again later from its `SourceLocation` alone.
 */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { DaybookError, LimitError, SourceError } from '../../../engine/contract/errors.ts';
import { type Ignored, isLocked, type ReadLimits } from '../../../engine/contract/left-out.ts';
import type { SourceLocation } from '../../../engine/contract/source-location.ts';
import type { EvidenceItem, SourceInput } from '../../../engine/evidence/importer.ts';
import { ByteSource } from '../byte-source.ts';
import {
  type Compression,
  compressionOf,
  type DecompressionLimits,
  DEFAULT_LIMITS,
  openContent,
  piecesOf,
} from '../decompress/decompress.ts';
import { SPOOL_BYTES } from '../files/list-files.ts';
import {
  BLOCK_BYTES,
  fileBlocks,
  fileBytes,
  fileProblem,
  keep,
  type HeldBytes,
  type Life,
  smallFileBytes,
  type StoredBytes,
} from '../files/stored-bytes.ts';
import { archivePasswords } from './archive-passwords.ts';
import { displayName, MemberNames } from './member-names.ts';
import { isSevenZip, sevenZipMembers } from './seven-zip.ts';
import { isTarHeader, nextTarMember, TAR_BLOCK } from './tar.ts';
import { isZip, overlappingMembers, type ZipArchive, zipMembers } from './zip.ts';

export interface WalkOptions {
  /** Folder for copies of content that cannot be read twice in place. */
  readonly temporary: string;
  /** Archives in archives. */
  readonly maxDepth?: number;
  /** Members of one archive. */
  readonly maxMembers?: number;
  /** Archive members up to this size are held in memory, larger ones in a temporary file. */
  readonly memoryBytes?: number;
  /** Bytes one temporary file may have. */
  readonly spoolBytes?: number;
  /**
   * For previews, which read beginnings only: maximum number of bytes of a member that must be copied; larger
   * nested archives are skipped.
   */
  readonly beginningBytes?: number;
  readonly limits?: DecompressionLimits;
}

/** The content of an item; `notes` fills while it is read. */
interface ContentInput extends SourceInput {
  /** Facts that are not errors but should be known: bytes after the end of compressed data. */
  readonly notes: readonly string[];
}

export interface FoundItem extends EvidenceItem {
  readonly input: ContentInput;
}

interface Context {
  readonly temporary: string;
  readonly maxDepth: number;
  readonly maxMembers: number;
  readonly memoryBytes: number;
  readonly spoolBytes: number;
  readonly beginningBytes: number;
  readonly limits: DecompressionLimits;
  readonly budget: Budget;
  readonly options: WalkOptions;
}

/**
 * Counts what is decompressed from one file, all members of all its archives together: a limit for each would be
 * none for an archive with many.
 */
class Budget {
  private total = 0;
  private readonly limits: DecompressionLimits;
  private readonly fileBytes: number;
  constructor(limits: DecompressionLimits, fileBytes: number) {
    this.limits = limits;
    this.fileBytes = fileBytes;
  }

  /** Limits of one content, which may be decoded more than once: it counts once. */
  content(): DecompressionLimits {
    let most = 0;
    return {
      ...this.limits,
      meter: (produced) => {
        if (produced <= most) return;
        this.total += produced - most;
        most = produced;
        this.check();
      },
    };
  }

  /** @throws LimitError once the limit is exceeded: then no other member is started */
  check(): void {
    const { maxBytes, maxRatio, ratioFrom } = this.limits;
    if (this.total > maxBytes) {
      throw new LimitError(
        `the contents of the archive are larger than ${maxBytes} bytes in total (--max-bytes)`,
        '--max-bytes',
      );
    }
    if (this.total > ratioFrom && this.total > this.fileBytes * maxRatio) {
      throw new LimitError(
        `the contents of the archive are more than ${maxRatio} times as large as its file (--max-ratio)`,
        '--max-ratio',
      );
    }
  }
}

interface Node {
  readonly bytes: StoredBytes;
  readonly name: string;
  readonly location: SourceLocation;
  readonly modifiedMs: number | undefined;
  /** Whether only its beginning was copied. */
  readonly cut?: boolean;
  /** For a member of a compressed archive: where in the archive's content it ends. */
  readonly archiveEnd?: number | undefined;
  /** The method of its encryption in the archive. */
  readonly encryption?: string | undefined;
}

/** A member to look for; all others are passed over. Undefined: every member is wanted. */
type Wanted = readonly string[] | undefined;

const CUT = { state: 'partial' } as const;

const UNLOCK = 'give the password: --password-file FILE, or Unlock in Sources & imports';

/** Members of an uncompressed tar up to this size are read over rather than jumped over. */
const SKIP_BY_READING = 4 * 1024 * 1024;

/**
 * The sources of one file: itself, or the members of the archive it is. An item is cheapest to read while the
 * generator is at it; later its `raw` and `input` open it again by its location.
 */
export function walkFile(
  path: string,
  name: string,
  temporary: string,
  limits: ReadLimits = {},
): AsyncGenerator<FoundItem | Ignored> {
  return walkPath(path, name, { temporary, ...walkLimits(limits) });
}

/** A person's limits as options of a walk. */
function walkLimits(limits: ReadLimits): Partial<WalkOptions> {
  const { maxRatio, maxBytes, maxDepth, maxMembers, unchecked } = limits;
  return {
    ...(maxDepth === undefined ? {} : { maxDepth }),
    ...(maxMembers === undefined ? {} : { maxMembers }),
    ...(maxBytes === undefined ? {} : { spoolBytes: Math.max(maxBytes, SPOOL_BYTES) }),
    limits: {
      ...DEFAULT_LIMITS,
      maxRatio: maxRatio ?? DEFAULT_LIMITS.maxRatio,
      maxBytes: maxBytes ?? DEFAULT_LIMITS.maxBytes,
      maxLayers: maxDepth ?? DEFAULT_LIMITS.maxLayers,
      unchecked: unchecked ?? false,
    },
  };
}

/** For reading again what an import has read, whatever its limits were. */
export const REREAD: Partial<WalkOptions> = {
  maxDepth: Infinity,
  maxMembers: Infinity,
  limits: {
    maxRatio: Infinity,
    ratioFrom: Infinity,
    maxBytes: Infinity,
    maxLayers: Infinity,
    holdBytes: 0,
    unchecked: true,
  },
};

/**
 * Like `walkFile`, with limits.
 * @throws DaybookError not-found, unreadable, limit-exceeded, disk-full; SourceError if an archive cannot be read
 * any further, after the members before
 */
export async function* walkPath(
  path: string,
  name: string,
  options: WalkOptions,
): AsyncGenerator<FoundItem | Ignored> {
  const node = await fileNode(path, name);
  yield* walkNode(node, 0, contextOf(options, node), undefined);
}

export interface OpenedItem {
  readonly evidence: FoundItem;
  /** Removes temporary copies. */
  close(): Promise<void>;
}

/**
 * Opens a source again, in another thread or years later.
 * @throws DaybookError not-found if the file or the member does not exist
 */
export async function openItem(
  location: SourceLocation,
  options: WalkOptions,
): Promise<OpenedItem> {
  const name = [basename(location.path), ...location.members].join('!');
  const node = await fileNode(location.path, basename(location.path));
  const found = walkNode(node, 0, contextOf(options, node), location.members);
  const first = await found.next();
  const value: FoundItem | Ignored =
    first.done === true ? { name, reason: 'no such archive member' } : first.value;
  if ('reason' in value) {
    await found.return(undefined);
    if (isLocked(value.reason))
      throw new DaybookError('unreadable', `${value.name} is ${value.reason}`, UNLOCK);
    throw new DaybookError('not-found', `${name}: ${value.reason}`);
  }
  return {
    evidence: value,
    close: async () => {
      await found.return(undefined);
    },
  };
}

function contextOf(options: WalkOptions, node: Node): Context {
  const given = options.limits ?? DEFAULT_LIMITS;
  // A preview does not wait for checksums.
  const limits = options.beginningBytes === undefined ? given : { ...given, holdBytes: 0 };
  return {
    temporary: options.temporary,
    maxDepth: options.maxDepth ?? 4,
    maxMembers: options.maxMembers ?? 1_000_000,
    memoryBytes: options.memoryBytes ?? 64 * 1024 * 1024,
    spoolBytes: options.spoolBytes ?? SPOOL_BYTES,
    beginningBytes: options.beginningBytes ?? Infinity,
    limits,
    budget: new Budget(limits, node.bytes.size ?? 0),
    options,
  };
}

async function fileNode(path: string, name: string): Promise<Node> {
  const info = await stat(path).catch((error: unknown) => {
    throw fileProblem(error, path);
  });
  if (!info.isFile()) throw new DaybookError('unreadable', `${path}: not a regular file`);
  const life = { ended: false };
  return {
    // The current size: bytes appended during reading belong to another source.
    bytes:
      info.size <= BLOCK_BYTES
        ? smallFileBytes(path, info.size, life)
        : fileBytes(path, 0, info.size, life),
    name,
    location: { path, members: [] },
    modifiedMs: Math.floor(info.mtimeMs),
  };
}

async function* walkNode(
  node: Node,
  depth: number,
  context: Context,
  wanted: Wanted,
): AsyncGenerator<FoundItem | Ignored> {
  const look = await lookAt(node.bytes, context);
  const tar = isTarHeader(look.head);
  const seven = isSevenZip(look.head);
  if ((!tar && !seven && !isZip(look.head)) || wanted?.length === 0) {
    if (wanted === undefined || wanted.length === 0) yield itemOf(node, look, context);
    return;
  }
  if (depth >= context.maxDepth) {
    const reason = `archives nested more than ${context.maxDepth} deep (--max-depth)`;
    yield { name: node.name, reason, failed: true };
    return;
  }
  if (node.cut === true) {
    yield { name: node.name, reason: 'an archive inside an archive, too large to be opened' };
    return;
  }
  if (tar) yield* walkTar(node, look.compression, depth, context, wanted);
  else if (seven) yield* walkSevenZip(node, look.compression, depth, context, wanted);
  else yield* walkZip(node, look.compression, depth, context, wanted);
}

/** A member, whose damage does not end the walk of the archive it is in. */
async function* walkMember(
  node: Node,
  depth: number,
  context: Context,
  wanted: Wanted,
): AsyncGenerator<FoundItem | Ignored> {
  try {
    yield* walkNode(node, depth, context, wanted);
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield { name: node.name, reason: error.message, failed: true };
  }
}

function isDamage(error: unknown): error is DaybookError {
  return (
    error instanceof DaybookError &&
    (error.code === 'source-damaged' || error.code === 'limit-exceeded')
  );
}

interface Look {
  readonly compression: Compression;
  /** The first bytes of the content. */
  readonly head: Uint8Array;
  /** From a gzip header. */
  readonly modifiedMs: number | undefined;
}

async function lookAt(bytes: StoredBytes, context: Context): Promise<Look> {
  let compression: Compression = 'none';
  try {
    const large = (bytes.size ?? 0) > BLOCK_BYTES ? bytes.file : undefined;
    const first = await headOf(large === undefined ? bytes.blocks() : firstBytes(large));
    compression = compressionOf(first);
    if (compression === 'none') return { compression, head: first, modifiedMs: undefined };
    const content = await openContent(bytes.blocks(), { ...context.limits, holdBytes: 0 });
    try {
      const head = await headOf(content.blocks());
      return { compression, head, modifiedMs: content.modifiedMs };
    } finally {
      await content.close();
    }
  } catch (error) {
    // Reading it reports the damage.
    if (!isDamage(error)) throw error;
    return { compression, head: new Uint8Array(0), modifiedMs: undefined };
  }
}

/** A small block is enough to recognise a file. */
function firstBytes(file: { path: string; start: number; end: number }) {
  return fileBlocks(file.path, file.start, Math.min(file.end, file.start + TAR_BLOCK));
}

/** The first bytes of blocks; errors do not matter yet, unless nothing could be read. */
async function headOf(blocks: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  const source = new ByteSource(blocks);
  await source.ensure(TAR_BLOCK);
  const end = Math.min(source.end, source.at + TAR_BLOCK);
  const head = new Uint8Array(source.buffer.subarray(source.at, end));
  await source.close();
  if (head.length === 0 && source.failure.length > 0) throw source.failure[0];
  return head;
}

function itemOf(node: Node, look: Look, context: Context): FoundItem {
  const { bytes, location } = node;
  const { compression } = look;
  const plain = compression === 'none';
  const notes: string[] = node.encryption === undefined ? [] : [opened(node.encryption)];
  const raw = () => (bytes.life.ended ? reopened(location, context.options) : bytes.blocks());
  const limits = plain ? context.limits : context.budget.content();
  return {
    name: node.name,
    location,
    rawSize: bytes.size,
    modifiedMs: look.modifiedMs ?? node.modifiedMs,
    archiveEnd: node.archiveEnd,
    plain,
    raw,
    input: {
      name: node.name,
      size: plain ? bytes.size : undefined,
      modifiedMs: look.modifiedMs ?? node.modifiedMs,
      notes,
      blocks: () => (plain ? raw() : decompressed(raw(), limits, notes)),
      ...(plain
        ? {}
        : { beginning: () => decompressed(raw(), { ...context.limits, holdBytes: 0 }, []) }),
      ...(compression === 'none'
        ? {}
        : { pieces: () => piecesOf(raw, compression, limits, notes) }),
    },
  };
}

function opened(encryption: string): string {
  return `encrypted (${encryption}), opened with a password`;
}

async function* decompressed(
  raw: AsyncIterable<Uint8Array>,
  limits: DecompressionLimits,
  notes: string[],
): AsyncGenerator<Uint8Array> {
  const content = await openContent(raw, limits);
  try {
    yield* content.blocks();
    for (const note of content.notes) if (!notes.includes(note)) notes.push(note);
  } finally {
    await content.close();
  }
}

async function* reopened(
  location: SourceLocation,
  options: WalkOptions,
): AsyncGenerator<Uint8Array> {
  const opened = await openItem(location, options);
  try {
    yield* opened.evidence.raw();
  } finally {
    await opened.close();
  }
}

function memberNode(
  parent: Node,
  name: string,
  bytes: StoredBytes,
  modifiedMs: number | undefined,
): Node {
  return {
    bytes,
    name: `${parent.name}!${name}`,
    location: { path: parent.location.path, members: [...parent.location.members, name] },
    modifiedMs: modifiedMs ?? parent.modifiedMs,
    archiveEnd: parent.archiveEnd,
    encryption: parent.encryption,
  };
}

async function* walkTar(
  node: Node,
  compression: Compression,
  depth: number,
  context: Context,
  wanted: Wanted,
): AsyncGenerator<FoundItem | Ignored> {
  const file = compression === 'none' ? node.bytes.file : undefined;
  const life = node.bytes.life;
  const names = new MemberNames(context.maxMembers);
  /** Position of `source` in the archive. */
  let base = 0;
  let source =
    compression === 'none'
      ? new ByteSource(node.bytes.blocks())
      : new ByteSource(decompressed(node.bytes.blocks(), context.budget.content(), []));
  try {
    for (;;) {
      context.budget.check();
      const member = await nextTarMember(source);
      if (member === undefined) return;
      const { size } = member;
      if (member.type === 'folder') {
        if (!(await source.skip(size + member.padding))) throw cutShort(node, source);
        continue;
      }
      const name = names.next(member.name);
      const found = wanted === undefined || wanted[0] === name;
      if (typeof member.type === 'object') {
        if (found) yield { name: `${node.name}!${name}`, reason: member.type.reason };
        if (!(await source.skip(size + member.padding))) throw cutShort(node, source);
        continue;
      }
      const start = base + source.position;
      if (found && file === undefined) {
        const take = Math.min(size, context.beginningBytes);
        const kept = await keepMember(source, take, context);
        try {
          const cut = take < size;
          const bytes = cut ? { ...kept.bytes, size } : kept.bytes;
          const child: Node = {
            ...memberNode(node, name, bytes, member.modifiedMs),
            cut,
            archiveEnd: node.archiveEnd ?? start + size,
          };
          yield* walkMember(child, depth + 1, context, wanted?.slice(1));
        } finally {
          await kept.release();
        }
        if (wanted !== undefined) return;
        if (kept.damage !== undefined) throw cutShort(node, source);
        if (!(await source.skip(size - take + member.padding))) throw cutShort(node, source);
        continue;
      }
      if (found && file !== undefined) {
        const from = file.start + start;
        const bytes = partOf(file, from, size, life);
        const child = memberNode(node, name, bytes, member.modifiedMs);
        yield* walkMember(child, depth + 1, context, wanted?.slice(1));
        if (wanted !== undefined) return;
      }
      const next = start + size + member.padding;
      if (file !== undefined && size > SKIP_BY_READING) {
        await source.close();
        if (file.start + start + size > file.end) throw cutShort(node, source);
        base = next;
        source = new ByteSource(fileBlocks(file.path, file.start + next, file.end));
      } else if (!(await source.skip(size + member.padding))) {
        throw cutShort(node, source);
      }
    }
  } finally {
    await source.close();
  }
}

/** A part of a file, which may extend beyond the part that contains it. */
function partOf(
  file: { path: string; start: number; end: number },
  from: number,
  size: number,
  life: Life,
): StoredBytes {
  const bytes = fileBytes(file.path, from, Math.min(from + size, file.end), life);
  if (from + size <= file.end) return bytes;
  const there = Math.max(0, file.end - from);
  return {
    ...bytes,
    size: there,
    async *blocks() {
      yield* bytes.blocks();
      throw new SourceError(
        `the archive ends at byte ${there} of its member`,
        there,
        undefined,
        CUT,
      );
    },
  };
}

function keepMember(source: ByteSource, size: number, context: Context): Promise<HeldBytes> {
  async function* blocks() {
    const missing = yield* source.take(size);
    if (missing === 0) return;
    if (source.failure.length > 0) throw source.failure[0];
    throw new SourceError(
      `the archive ends at byte ${size - missing} of its member`,
      size - missing,
      undefined,
      CUT,
    );
  }
  return keep(blocks(), context, size);
}

function cutShort(node: Node, source: ByteSource): unknown {
  if (source.failure.length > 0) return source.failure[0];
  return new SourceError(
    `${node.name}: the archive ends within a member, at byte ${source.position}`,
    source.position,
    undefined,
    CUT,
  );
}

/** An archive that is read at several positions: in memory, or in a file where `kept` has it. */
async function archiveOf(
  node: Node,
  compression: Compression,
  context: Context,
): Promise<{ archive: ZipArchive; kept: HeldBytes | undefined }> {
  const { file, memory } = node.bytes;
  if (compression === 'none' && memory !== undefined)
    return { archive: { bytes: memory }, kept: undefined };
  if (compression === 'none' && node.location.members.length === 0 && file !== undefined)
    return { archive: { path: file.path }, kept: undefined };
  const blocks =
    compression === 'none'
      ? node.bytes.blocks()
      : decompressed(node.bytes.blocks(), context.budget.content(), []);
  const kept = await keep(blocks, context);
  const stored = kept.bytes;
  const archive =
    stored.memory === undefined ? { path: stored.file!.path } : { bytes: stored.memory };
  return { archive, kept };
}

/** Members of a folder of a 7z archive are decoded in sequence, so each is copied while it is read. */
async function* walkSevenZip(
  node: Node,
  compression: Compression,
  depth: number,
  context: Context,
  wanted: Wanted,
): AsyncGenerator<FoundItem | Ignored> {
  const { archive, kept: whole } = await archiveOf(node, compression, context);
  const names = new MemberNames(context.maxMembers);
  const limits = () => context.budget.content();
  // Duplicate names are numbered: which member is meant is known once it is reached.
  const [first] = wanted ?? [];
  const isWanted = (member: { readonly name: string }) => {
    if (first === undefined) return true;
    const shown = displayName(member.name);
    return first === shown || first.startsWith(`${shown}#`);
  };
  try {
    const { maxMembers } = context;
    for await (const member of sevenZipMembers(archive, {
      ...{ limits, maxMembers, passwords: archivePasswords, wanted: isWanted },
    })) {
      context.budget.check();
      if (member.type === 'folder') continue;
      const name = member.name === undefined ? undefined : names.next(member.name);
      if (name !== undefined && wanted !== undefined && wanted[0] !== name) continue;
      if (typeof member.type === 'object') {
        yield { name: name === undefined ? node.name : `${node.name}!${name}`, ...member.type };
      } else if (name !== undefined) {
        const { size } = member;
        const take = Math.min(size, context.beginningBytes);
        const cut = take < size;
        const blocks = cut ? beginning(member.blocks(), take) : member.blocks();
        const kept = await keep(blocks, context, take);
        const child = {
          ...memberNode(node, name, cut ? { ...kept.bytes, size } : kept.bytes, member.modifiedMs),
          ...{ cut, encryption: member.encryption ?? node.encryption },
        };
        try {
          yield* walkMember(child, depth + 1, context, wanted?.slice(1));
        } finally {
          await kept.release();
        }
      }
      if (wanted !== undefined) return;
    }
    if (whole?.damage !== undefined) throw whole.damage;
  } finally {
    await whole?.release();
  }
}

async function* beginning(
  blocks: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let left = size;
  if (left === 0) return;
  for await (const block of blocks) {
    const part = block.subarray(0, left);
    left -= part.length;
    if (part.length > 0) yield part;
    if (left === 0) return;
  }
}

async function* walkZip(
  node: Node,
  compression: Compression,
  depth: number,
  context: Context,
  wanted: Wanted,
): AsyncGenerator<FoundItem | Ignored> {
  const { archive, kept } = await archiveOf(node, compression, context);
  const names = new MemberNames(context.maxMembers);
  const life: Life = { ended: false };
  try {
    const limits = () => context.budget.content();
    // The requested member was found by an import, which refused the others.
    const shared =
      wanted === undefined
        ? await overlappingMembers(archive, context.maxMembers, limits)
        : new Set<number>();
    let first: string | undefined;
    let index = -1;
    for await (const member of zipMembers(archive, limits, archivePasswords)) {
      index += 1;
      context.budget.check();
      if (shared.has(index)) {
        first ??= names.next(member.name);
        continue;
      }
      if (member.type === 'folder') continue;
      const name = names.next(member.name);
      if (wanted !== undefined && wanted[0] !== name) continue;
      if (typeof member.type === 'object') {
        yield { name: `${node.name}!${name}`, ...member.type };
      } else {
        const bytes: StoredBytes = { size: member.size, life, blocks: () => member.blocks() };
        const child = {
          ...memberNode(node, name, bytes, member.modifiedMs),
          encryption: member.encryption ?? node.encryption,
        };
        yield* walkMember(child, depth + 1, context, wanted?.slice(1));
      }
      if (wanted !== undefined) return;
    }
    if (first !== undefined) {
      throw new SourceError(
        `${shared.size} members of the archive share the same bytes, as in a decompression bomb; none of them was read (the first is ${first})`,
        0,
      );
    }
    if (kept?.damage !== undefined) throw kept.damage;
  } finally {
    life.ended = true;
    await kept?.release();
  }
}
