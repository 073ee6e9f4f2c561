/**
 * What is asked of a worker that looks at evidence before it is imported, and what it tells. Plain
 * data, so that it crosses threads.
 */
import type { Kind } from '../../contract/event.ts';
import type { SourceLocation, TableOutline } from '../../contract/importer.ts';
import type { Decisions } from '../../contract/decisions.ts';
import type { FoundFile, ImportOptions } from '../worker/protocol.ts';

export type ToPreviewWorker =
  | {
      type: 'start';
      /** Folder for copies of archive members. */
      temporary: string;
      /** Sizes of the sources that the case has: what has one of them may be the same again. */
      sizes: readonly number[];
    }
  | {
      type: 'preview';
      file: FoundFile;
      options: ImportOptions;
      /** Sources to look at, at most. */
      most: number;
    };

/** The value of a stored column; IPv6 addresses as 32 hexadecimal digits. */
export type StoredValue = number | string;

/** One event of a source that was looked at. */
export interface PreviewRow {
  kind: Kind;
  /** By stored column. */
  values: [string, StoredValue][];
  attributes: [string, string][];
}

/** What the beginning of a source tells. */
export interface SourcePreview {
  name: string;
  location: SourceLocation;
  rawSize: number | undefined;
  /** Undefined when no importer knows the content. */
  importer: string | undefined;
  format: string | undefined;
  headSha256: string | undefined;
  /** Of the bytes as they lie, where a source of the case has the same size and they are few. */
  rawSha256: string | undefined;
  /** Hashes of its first lines, of a content of lines. */
  lineHashes: Uint32Array | undefined;
  /** Lines of a record on average, as far as it was read: indented JSON has many. */
  linesPerRecord: number;
  rows: PreviewRow[];
  quarantined: { offset: number; reason: string }[];
  skippedReasons: Record<string, number>;
  decisions: Decisions;
  table: TableOutline | undefined;
  notes: string[];
  /** Why it cannot be read, or not to its end. */
  problem: string | undefined;
}

/** How looking at a file ended. */
export interface PreviewEnd {
  /** Whether the file has sources beyond `most`. */
  more: boolean;
  /** Why the file, or the rest of an archive, cannot be read. */
  problem: string | undefined;
}

export type FromPreviewWorker =
  | { type: 'ready' }
  | { type: 'previewed'; preview: SourcePreview }
  | { type: 'ignored'; name: string; reason: string }
  | { type: 'done'; end: PreviewEnd };

/** A worker that looks at one file after the other. */
export interface PreviewWorkerHandle {
  post(message: ToPreviewWorker): void;
  onMessage(handler: (message: FromPreviewWorker) => void): void;
  /** Called once when the worker is gone; with an error when it was not asked to go. */
  onExit(handler: (error: Error | undefined) => void): void;
  stop(): void;
}
