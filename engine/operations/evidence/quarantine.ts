/**
 * `quarantine.list`: pages through the records that could not be parsed. The files may be large (a record of a
 * mebibyte is one line), so the positions of lines are recorded while they are scanned once.
 *
 * Invariants: only bytes that the catalog has as committed are read; memory is one number per page of lines.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openCaseHandle, quarantineFile } from '../../util/files/case-files.ts';
import type { Result } from '../../contract/operations.ts';
import { CancelledError } from '../../contract/errors.ts';

type QuarantinedRecord = Result<'quarantine.list'>['records'][number];

/** Lines between two noted beginnings. */
const STRIDE = 256;
const BLOCK_BYTES = 1 << 20;
/** Bytes of a line that are read: the fields before `raw`, and more of that than is shown. */
const HEAD_BYTES = 32 << 10;
const SHOWN_BYTES = 4096;
const LF = 10;

/** Beginnings of every STRIDE-th line: of all lines, or of those of one source. */
interface Lines {
  count: number;
  readonly starts: number[];
}

interface FileIndex {
  /** Committed bytes that were scanned. */
  scanned: number;
  readonly all: Lines;
  readonly bySource: Map<number, Lines>;
}

export interface QuarantineQuery {
  readonly importId?: number | undefined;
  readonly sourceId?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Reads the quarantine files of one case, and remembers its positions in them. */
export class QuarantineReader {
  private readonly folder: string;
  private readonly files = new Map<number, FileIndex>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * A page of records, oldest import first.
   * @param imports every import with the committed length of its file
   * @throws DaybookError cancelled
   */
  async list(
    imports: readonly { id: number; quarantineBytes: number }[],
    query: QuarantineQuery,
    signal: AbortSignal,
  ): Promise<Result<'quarantine.list'>> {
    const records: QuarantinedRecord[] = [];
    let total = 0;
    for (const { id, quarantineBytes } of imports) {
      if (query.importId !== undefined && query.importId !== id) continue;
      if (quarantineBytes === 0) continue;
      let handle: FileHandle;
      try {
        handle = await openCaseHandle(this.folder, quarantineFile(id), constants.O_RDONLY);
      } catch (error) {
        // Whoever removed it removed its records; `verify` reports that.
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') continue;
        throw error;
      }
      try {
        const index = await this.index(handle, id, quarantineBytes, signal);
        const lines = query.sourceId === undefined ? index.all : index.bySource.get(query.sourceId);
        const here = lines?.count ?? 0;
        const skip = Math.max(0, query.offset - total);
        const wanted = Math.min(query.limit - records.length, here - skip);
        if (lines !== undefined && wanted > 0)
          records.push(
            ...(await page(handle, id, lines, index.scanned, skip, wanted, query, signal)),
          );
        total += here;
      } finally {
        await handle.close();
      }
    }
    return { total, records };
  }

  /** Brings the index of a file up to its committed length. */
  private async index(
    handle: FileHandle,
    id: number,
    committed: number,
    signal: AbortSignal,
  ): Promise<FileIndex> {
    let index = this.files.get(id);
    // A file that became shorter was cut by a recovery.
    if (index === undefined || index.scanned > committed) {
      index = { scanned: 0, all: { count: 0, starts: [] }, bySource: new Map() };
      this.files.set(id, index);
    }
    const { all, bySource } = index;
    for await (const { start, end, head } of linesOf(handle, index.scanned, committed, signal)) {
      addLine(all, start);
      const source = sourceIdOf(head);
      let lines = bySource.get(source);
      if (lines === undefined) {
        lines = { count: 0, starts: [] };
        bySource.set(source, lines);
      }
      addLine(lines, start);
      index.scanned = end;
    }
    return index;
  }
}

function addLine(lines: Lines, start: number): void {
  if (lines.count % STRIDE === 0) lines.starts.push(start);
  lines.count += 1;
}

interface Line {
  readonly start: number;
  /** Behind its line feed. */
  readonly end: number;
  /** Its first HEAD_BYTES bytes. */
  readonly head: Buffer;
}

/** The whole lines of a part of a file, with the beginning of each. */
export async function* linesOf(
  handle: FileHandle,
  from: number,
  to: number,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  const block = Buffer.alloc(BLOCK_BYTES);
  const head = Buffer.alloc(HEAD_BYTES);
  let size = 0;
  let start = from;
  const add = (part: Buffer) => {
    size += part.copy(head, size);
  };
  for (let at = from; at < to;) {
    if (signal.aborted) throw new CancelledError();
    const { bytesRead } = await handle.read(block, 0, Math.min(BLOCK_BYTES, to - at), at);
    if (bytesRead === 0) return;
    let begin = 0;
    for (;;) {
      const found = block.indexOf(LF, begin);
      if (found < 0 || found >= bytesRead) break;
      add(block.subarray(begin, found));
      begin = found + 1;
      yield { start, end: at + begin, head: head.subarray(0, size) };
      start = at + begin;
      size = 0;
    }
    add(block.subarray(begin, bytesRead));
    at += bytesRead;
  }
}

async function page(
  handle: FileHandle,
  importId: number,
  lines: Lines,
  end: number,
  skip: number,
  wanted: number,
  { sourceId }: QuarantineQuery,
  signal: AbortSignal,
): Promise<QuarantinedRecord[]> {
  const out: QuarantinedRecord[] = [];
  let at = Math.floor(skip / STRIDE) * STRIDE;
  const from = lines.starts[at / STRIDE]!;
  for await (const { head } of linesOf(handle, from, end, signal)) {
    if (sourceId !== undefined && sourceIdOf(head) !== sourceId) continue;
    if (at++ < skip) continue;
    out.push(recordOf(head, importId));
    if (out.length === wanted) break;
  }
  return out;
}

/** As written by ChunkWriter: `{"source":…,"sourceId":N,…`. */
export function sourceIdOf(head: Buffer): number {
  const text = head.toString('latin1', 0, HEAD_BYTES);
  return Number(/^\{"source":"(?:[^"\\]|\\.)*","sourceId":(\d+)/.exec(text)?.[1] ?? -1);
}

interface QuarantineLine {
  source?: unknown;
  sourceId?: unknown;
  offset?: unknown;
  line?: unknown;
  reason?: unknown;
  length?: unknown;
  raw?: unknown;
}

function recordOf(head: Buffer, importId: number): QuarantinedRecord {
  const kept = parsed(head.toString('utf8'));
  const raw = Buffer.from(typeof kept.raw === 'string' ? kept.raw : '', 'base64');
  const whole = (value: unknown, other: number) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : other;
  return {
    importId,
    ...(typeof kept.sourceId === 'number' ? { sourceId: whole(kept.sourceId, 0) } : {}),
    source: typeof kept.source === 'string' ? kept.source : '',
    offset: whole(kept.offset, 0),
    ...(typeof kept.line === 'number' ? { line: whole(kept.line, 0) } : {}),
    reason: typeof kept.reason === 'string' ? kept.reason : 'the quarantine file is damaged here',
    raw: new Uint8Array(raw.subarray(0, SHOWN_BYTES)),
    size: whole(kept.length, raw.length),
  };
}

/** A line whose end may be missing: that is the end of `raw`, the last value. */
function parsed(text: string): QuarantineLine {
  const shown = text.endsWith('}')
    ? text
    : `${text.slice(0, text.lastIndexOf('"raw":"') + 7)}${text
        .slice(text.lastIndexOf('"raw":"') + 7)
        .slice(0, 4 * Math.ceil(SHOWN_BYTES / 3))}"}`;
  try {
    const value: unknown = JSON.parse(shown);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
