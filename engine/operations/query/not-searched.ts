/**
 * What an answer leaves out: quarantined records, unread files, undated events if there is a time range, packets
 * beneath flows. An empty answer reports them, and how many of the first two contain the text searched for.
 *
 * Invariants: reading is bounded and can be cancelled; unread data, including compressed data, is reported and
 * never counted as empty. Evidence is opened for reading, and only if it is a regular file.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openCaseHandle, quarantineFile } from '../../util/files/case-files.ts';
import { statusOf } from '../../catalog/index.ts';
import { CancelledError } from '../../contract/errors.ts';
import type { Result } from '../../contract/operations.ts';
import { type Plan, recordTest } from '../../query/index.ts';
import { hintsWhenEmpty } from './empty-hints.ts';
import { type View, type CaseSession, askQuery } from '../../search/index.ts';

export interface NotSearched {
  /** Number of quarantined records, and how many of them contain the text searched for. */
  readonly quarantined: Looked;
  /** Files that were not read, or not to their end. */
  readonly unread: Looked;
  /** Events without a time, which no range of time has. */
  readonly undated: number;
  readonly packetsBeneath: { readonly packets: number; readonly exact: boolean } | undefined;
}

interface Looked {
  readonly count: number;
  /** Number of matches among those that were read. */
  readonly matching: number;
  /** Number read; less than `count` if it would take too long, or a file is compressed or missing. */
  readonly looked: number;
}

/** Maximum number of bytes of the quarantine, and of files, that are read. */
const MOST_BYTES = 64 << 20;

/** @throws DaybookError cancelled */
export async function notSearched(
  session: CaseSession,
  plan: Plan,
  signal?: AbortSignal,
): Promise<NotSearched> {
  const test = recordTest(plan.filters);
  const ranged = plan.range.from !== undefined || plan.range.to !== undefined;
  const undated = session.snapshot().segments.filter(({ day }) => day === 'undated');
  return {
    quarantined: await lookInQuarantine(session, test, signal),
    unread: await lookInUnread(session, test, signal),
    undated: ranged ? undated.reduce((sum, { rows }) => sum + rows, 0) : 0,
    packetsBeneath: plan.packetsBeneath,
  };
}

/** `query.unsearched`: of a view, with the same in words. */
export async function unsearched(
  session: CaseSession,
  { query, ...view }: View,
  signal: AbortSignal,
): Promise<Result<'query.unsearched'>> {
  const { plan } = await askQuery(session, { ...view, text: query, signal });
  const left = await notSearched(session, plan, signal);
  const { packetsBeneath, ...rest } = left;
  return {
    ...rest,
    ...(packetsBeneath === undefined ? {} : { packetsBeneath }),
    lines: notSearchedText(left),
    hints: hintsWhenEmpty(plan),
  };
}

/** The same in words, a sentence for each kind; empty if everything was searched. */
export function notSearchedText(left: NotSearched, { packets = true } = {}): string[] {
  const { quarantined, unread, undated, packetsBeneath } = left;
  const out: string[] = [];
  const parts = [
    counted(quarantined.count, 'quarantined record'),
    counted(unread.count, 'file that was not read in full', 'files that were not read in full'),
  ].filter((one) => one !== undefined);
  const all = quarantined.count + unread.count;
  if (all > 0) {
    const matching = quarantined.matching + unread.matching;
    const looked = quarantined.looked + unread.looked;
    const of = all === looked ? 'them' : `the ${number(looked)} that were searched`;
    const found =
      looked === 0
        ? `${all === 1 ? 'its' : 'their'} raw text was not searched`
        : all === 1
          ? `its raw text ${matching === 1 ? 'matches' : 'does not match'}`
          : `the raw text of ${matching === 0 ? 'none' : number(matching)} of ${of} matches`;
    out.push(`${parts.join(' and ')} ${all === 1 ? 'is' : 'are'} not among the events: ${found}`);
  }
  if (undated > 0)
    out.push(
      `${counted(undated, 'event without a time', 'events without a time')!} ${undated === 1 ? 'is' : 'are'} in no time range: leave out the range, or search for day:undated`,
    );
  if (packets && packetsBeneath !== undefined)
    out.push(
      `${packetsBeneath.exact ? '' : 'up to '}${counted(packetsBeneath.packets, 'packet')!} beneath flows ${packetsBeneath.packets === 1 ? 'is' : 'are'} not searched: add kind:* or kind:packet`,
    );
  return out;
}

function number(n: number): string {
  return n.toLocaleString('en-US');
}

function counted(n: number, one: string, more = `${one}s`): string | undefined {
  return n === 0 ? undefined : `${number(n)} ${n === 1 ? one : more}`;
}

type Test = ReturnType<typeof recordTest>;

async function lookInQuarantine(
  { catalog, folder }: CaseSession,
  test: Test,
  signal: AbortSignal | undefined,
): Promise<Looked> {
  const count = catalog.sources.all().reduce((sum, { quarantined }) => sum + quarantined, 0);
  let matching = 0;
  let looked = 0;
  let left = MOST_BYTES;
  for (const { id, quarantineBytes } of test === undefined ? [] : catalog.imports.all()) {
    const bytes = Math.min(left, quarantineBytes);
    if (bytes === 0) continue;
    left -= bytes;
    const handle = await opened(() =>
      openCaseHandle(folder, quarantineFile(id), constants.O_RDONLY),
    );
    if (handle === undefined) continue;
    try {
      for await (const line of linesOf(handle, bytes, signal)) {
        const raw = rawOf(line);
        if (raw === undefined) continue;
        looked += 1;
        if (test?.(raw) === true) matching += 1;
      }
    } finally {
      await handle.close();
    }
  }
  return { count, matching, looked };
}

/** The record of a line in a quarantine file; undefined if it is truncated. */
function rawOf(line: Buffer): Buffer | undefined {
  const at = line.lastIndexOf('"raw":"');
  const end = line.lastIndexOf('"}');
  return at < 0 || end < at
    ? undefined
    : Buffer.from(line.toString('latin1', at + 7, end), 'base64');
}

async function lookInUnread(
  { catalog }: CaseSession,
  test: Test,
  signal: AbortSignal | undefined,
): Promise<Looked> {
  const unread = new Map<string, readonly string[]>();
  for (const source of catalog.sources.all())
    if (statusOf(source) !== 'complete') unread.set(source.name, [source.path]);
  const items = new Map(catalog.imports.all().map((one) => [one.id, pathsOf(one.arguments)]));
  for (const { name, importId } of catalog.ledger.unread())
    unread.set(name, places(name, items.get(importId) ?? []));
  let matching = 0;
  let looked = 0;
  let left = MOST_BYTES;
  for (const paths of test === undefined ? [] : unread.values()) {
    const file = await regularFile(paths);
    if (file === undefined || file.size > left) continue;
    const handle = await opened(() => open(file.path, constants.O_RDONLY | constants.O_NOFOLLOW));
    if (handle === undefined) continue;
    try {
      if (await isPacked(handle)) continue;
      left -= file.size;
      looked += 1;
      for await (const line of linesOf(handle, file.size, signal)) {
        if (test?.(line) !== true && test?.(withoutNuls(line)) !== true) continue;
        matching += 1;
        break;
      }
    } finally {
      await handle.close();
    }
  }
  return { count: unread.size, matching, looked };
}

/** The paths given to an import. */
function pathsOf(given: unknown): string[] {
  if (typeof given !== 'object' || given === null || !('items' in given)) return [];
  const { items } = given;
  return Array.isArray(items)
    ? items.flatMap((item: unknown) =>
        typeof item === 'object' && item !== null && 'path' in item ? String(item.path) : [],
      )
    : [];
}

/** Where a file with this name may be: an argument of an import, or in a folder given to one. */
function places(name: string, given: readonly string[]): string[] {
  return given.flatMap((path) => (basename(path) === name ? [path] : []).concat(join(path, name)));
}

/** The first path that is a non-empty regular file. */
async function regularFile(
  paths: readonly string[],
): Promise<{ path: string; size: number } | undefined> {
  for (const path of paths) {
    const found = await opened(() => lstat(path));
    if (found?.isFile() === true && found.size > 0) return { path, size: found.size };
  }
  return undefined;
}

/**
 * Signatures of gzip, bzip2, xz, zstd, zip and 7z: words of the content do not occur in the bytes of such a file.
 */
const PACKED = ['1f8b', '425a68', 'fd377a585a00', '28b52ffd', '504b0304', '377abcaf271c'];

async function isPacked(handle: FileHandle): Promise<boolean> {
  const head = Buffer.alloc(6);
  await handle.read(head, 0, head.length, 0);
  return PACKED.some((magic) => head.toString('hex').startsWith(magic));
}

/** For texts in UTF-16, as Windows programs write them. */
function withoutNuls(line: Buffer): Buffer {
  return line.includes(0) ? Buffer.from(line.filter((byte) => byte !== 0)) : line;
}

/** Missing and unreadable files are passed over; the answer counts those that were read. */
async function opened<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

const LF = 10;
const BLOCK_BYTES = 1 << 20;
/** A longer line is searched in parts. */
const MOST_LINE = 16 << 20;

async function* linesOf(
  handle: FileHandle,
  bytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const block = Buffer.alloc(BLOCK_BYTES);
  let parts: Buffer[] = [];
  let held = 0;
  for (let at = 0; at < bytes;) {
    if (signal?.aborted === true) throw new CancelledError();
    const { bytesRead } = await handle.read(block, 0, Math.min(BLOCK_BYTES, bytes - at), at);
    if (bytesRead === 0) break;
    at += bytesRead;
    let begin = 0;
    for (;;) {
      const end = block.indexOf(LF, begin);
      if (end < 0 || end >= bytesRead) break;
      yield Buffer.concat([...parts, block.subarray(begin, end)]);
      parts = [];
      held = 0;
      begin = end + 1;
    }
    if (begin < bytesRead) parts.push(Buffer.from(block.subarray(begin, bytesRead)));
    held += bytesRead - begin;
    if (held <= MOST_LINE) continue;
    yield Buffer.concat(parts);
    parts = [];
    held = 0;
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}
