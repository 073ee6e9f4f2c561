/**
 * Memory limits of an import, derived from what DuckDB may use while segments are built: batches, chunks, rows
 * waiting for the indexing threads, and merges are all in proportion to it. From `PLENTY` up they have their best
 * sizes; with less, an import takes longer and leaves smaller segments.
 */
import { BATCH_BYTES, BATCH_ROWS } from '../columns/event-batch.ts';

/** Bytes for DuckDB from which holding more gains nothing. */
const PLENTY = 500e6;
/** Bytes for DuckDB per import worker, which limits the number of workers. */
const BYTES_A_WORKER = 100e6;
/** Larger than `denseRows`: rows of a day that arrive at once get a segment of their own. */
const LEAST_BATCH_ROWS = 40_960;

const CHUNK_ROWS = 491_520;
/** With smaller chunks, cases would get a great many segments. */
const LEAST_CHUNK_ROWS = 245_760;
/** Bytes of parts in a chunk. Building an index of texts that are all different takes ten times as much. */
const CHUNK_BYTES = 64 << 20;
/** Texts of a chunk as read: if they repeat, parts have few bytes, but each row of many columns costs the same. */
const CHUNK_TEXT_BYTES = 256 << 20;
/**
 * Shared memory of rows that may wait for all indexing threads together: those of wide tables take a hundred
 * megabytes each.
 */
const WAITING_BYTES = 64 << 20;

/** Memory limits of a worker. */
export interface WorkerMemory {
  readonly batchRows: number;
  readonly batchBytes: number;
  readonly chunkRows: number;
  readonly chunkBytes: number;
  readonly chunkTextBytes: number;
  readonly waitingBytes: number;
}

/** The share of the best sizes that the memory allows; above 0, at most 1. */
export function memoryShare(memoryLimit: number): number {
  return Math.min(1, memoryLimit / PLENTY);
}

/** @param memoryLimit bytes that DuckDB may use while it builds segments */
export function workerMemory(memoryLimit: number): WorkerMemory {
  const share = memoryShare(memoryLimit);
  return {
    batchRows: Math.max(LEAST_BATCH_ROWS, Math.floor(BATCH_ROWS * share)),
    batchBytes: Math.floor(BATCH_BYTES * share),
    chunkRows: Math.max(LEAST_CHUNK_ROWS, Math.floor(CHUNK_ROWS * share)),
    chunkBytes: Math.floor(CHUNK_BYTES * share),
    chunkTextBytes: Math.floor(CHUNK_TEXT_BYTES * share),
    waitingBytes: Math.floor(WAITING_BYTES * share),
  };
}

/** The requested number of workers, limited by memory. */
export function workersWithin(memoryLimit: number, wanted: number): number {
  if (memoryLimit >= PLENTY) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor(memoryLimit / BYTES_A_WORKER)));
}
