/**
 * What an import holds in memory at a time, by what DuckDB may use while segments are built: batches, chunks, what waits
 * for the indexing threads, and what is merged, are all in proportion to it. With `PLENTY` and more they are as large as
 * they are worth; with less, an import takes longer and leaves smaller segments.
 */
import { BATCH_BYTES, BATCH_ROWS } from '../contract/event-batch.ts';

/** Bytes for DuckDB from which on nothing is gained by holding more. */
const PLENTY = 500e6;
/** Bytes for DuckDB for each import worker, where they are fewer. */
const BYTES_A_WORKER = 100e6;
/** Above `denseRows`: rows of a day that come at once have a segment of their own. */
const LEAST_BATCH_ROWS = 40_960;

const CHUNK_ROWS = 491_520;
/** Of fewer, cases would get a great many segments. */
const LEAST_CHUNK_ROWS = 245_760;
/** Bytes of parts in a chunk. An index of texts that are all different takes ten times as much while it is built. */
const CHUNK_BYTES = 64 << 20;
/** Texts of a chunk as they are read: where they repeat, parts have few bytes, and each row of many columns costs all the same. */
const CHUNK_TEXT_BYTES = 256 << 20;
/** Shared memory of rows that may wait for all indexing threads together: those of wide tables have a hundred megabytes each. */
const WAITING_BYTES = 64 << 20;

/** What a worker may hold. */
export interface WorkerMemory {
  readonly batchRows: number;
  readonly batchBytes: number;
  readonly chunkRows: number;
  readonly chunkBytes: number;
  readonly chunkTextBytes: number;
  readonly waitingBytes: number;
}

/** The share of what is held with memory in plenty; above 0, at most 1. */
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

/** Of the workers that were asked for, those there is memory for. */
export function workersWithin(memoryLimit: number, wanted: number): number {
  if (memoryLimit >= PLENTY) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor(memoryLimit / BYTES_A_WORKER)));
}
