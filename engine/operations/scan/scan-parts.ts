/**
 * A scan of one large capture by several threads: each takes the next piece of the file until there are
 * none, and what they found is put together. Answers do not depend on how many they are, or on who read
 * what: pieces must join without a gap, and only what does not depend on the order of rows is counted so.
 */
import type { EventSink, ReadOptions } from '../../contract/importer.ts';
import { Budget } from '../../query/batch/budget.ts';
import { Scan, type ScanPart } from '../../scan/scan.ts';
import type { ScanRequest } from '../../scan/plan-scan.ts';
import { append } from '../../util/append.ts';

/** Bytes of a piece. */
export const PIECE_BYTES = 32 * 1024 * 1024;
/**
 * Pieces for which it is worth to start a thread: it takes 0.2 to 0.4 s of processor time, in which one
 * that runs reads half a gigabyte, and is worth it from a gigabyte each on.
 */
const PIECES_EACH = 32;

/** Threads for a file of so many bytes, the one that asks included; 1: to be read as a whole. */
export function threadsFor(size: number, pieceBytes: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(size / pieceBytes / PIECES_EACH)));
}

export interface PieceRange {
  readonly from: number;
  readonly until: number;
  readonly size: number;
}

/** Where the first record of a piece begins, and where the first one behind it does. */
export interface JoinedPiece {
  readonly begin: number;
  readonly end: number;
}

/** Reads the records that begin in a range of a file; undefined: it has to be read as a whole. */
export type ReadPiece = (
  path: string,
  range: PieceRange,
  sink: EventSink,
  options: Pick<ReadOptions, 'packets' | 'columns'>,
) => Promise<JoinedPiece | undefined>;

/** What a thread is started with. */
export interface ScanTask {
  readonly request: ScanRequest;
  readonly limit: number | undefined;
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly pieceBytes: number;
  /** Bytes that groups and values may take in the thread. */
  readonly budget: number;
  /** The number of the next piece, for all threads. */
  readonly next: Int32Array<SharedArrayBuffer>;
}

export interface PartFound {
  readonly part: ScanPart;
  readonly pieces: readonly (JoinedPiece & { readonly index: number })[];
}

/** A thread that runs `scanPart`. */
export interface ScanThread {
  /** Undefined: it met what cannot be read in pieces. Rejects when the thread fails. */
  readonly found: Promise<PartFound | undefined>;
  stop(): void;
}

/** Runs in a thread of its own. */
export async function scanPart(
  task: ScanTask,
  readPiece: ReadPiece,
): Promise<PartFound | undefined> {
  const scan = new Scan(task.request, task.limit, undefined, new Budget(task.budget));
  const pieces = await takePieces(scan, task, readPiece);
  return pieces === undefined ? undefined : { part: scan.part(), pieces };
}

async function takePieces(
  scan: Scan,
  { path, name, size, pieceBytes, next }: ScanTask,
  readPiece: ReadPiece,
): Promise<(JoinedPiece & { index: number })[] | undefined> {
  const pieces: (JoinedPiece & { index: number })[] = [];
  const count = Math.ceil(size / pieceBytes);
  let broken = false;
  await scan.readWith({ name, size }, 1, async (sink, wanted) => {
    for (let index = Atomics.add(next, 0, 1); index < count; index = Atomics.add(next, 0, 1)) {
      const from = index * pieceBytes;
      const until = Math.min(size, from + pieceBytes);
      const piece = await readPiece(path, { from, until, size }, sink, wanted);
      if (piece === undefined) {
        broken = true;
        // The others need not go on either.
        Atomics.store(next, 0, count);
        return;
      }
      pieces.push({ ...piece, index });
    }
  });
  return broken ? undefined : pieces;
}

/**
 * Reads a file into `scan` together with other threads. False: it has to be read as a whole, by a scan
 * that is new.
 * @throws DaybookError cancelled, limit-exceeded
 */
export async function scanInParts(
  scan: Scan,
  task: ScanTask,
  threads: number,
  tools: { readonly readPiece: ReadPiece; startThread(task: ScanTask): ScanThread },
): Promise<boolean> {
  const others = Array.from({ length: threads - 1 }, () => tools.startThread(task));
  // A thread that fails, or is stopped while nobody waits for it, found nothing.
  const waiting = new Map(
    others.map(({ found }, i) => [
      i,
      found.then(
        (part) => ({ i, part }),
        () => ({ i, part: undefined }),
      ),
    ]),
  );
  try {
    const own = await takePieces(scan, task, tools.readPiece);
    if (own === undefined) return false;
    const pieces = [...own];
    // Who took no piece, because it was still starting when there were none left, is not waited for.
    while (pieces.length < Math.ceil(task.size / task.pieceBytes)) {
      if (waiting.size === 0) return false;
      const next = await Promise.race(waiting.values());
      if (next.part === undefined) return false;
      waiting.delete(next.i);
      append(pieces, next.part.pieces);
      scan.merge(next.part.part);
    }
    pieces.sort((a, b) => a.index - b.index);
    return pieces.every(({ begin }, i) => i === 0 || begin === pieces[i - 1]!.end);
  } finally {
    for (const thread of others) thread.stop();
  }
}
