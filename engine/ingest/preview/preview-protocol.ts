/** Messages to and from a worker that previews evidence. Plain data, so that it crosses threads. */
import type { Kind } from '../../contract/event.ts';
import type { SourceLocation } from '../../contract/source-location.ts';
import type { TableOutline } from '../../evidence/importer.ts';
import type { Decisions } from '../../contract/time/decisions.ts';
import type { FoundFile, ImportOptions } from '../worker/protocol.ts';

export type ToPreviewWorker =
  | {
      type: 'start';
      /** Folder for copies of archive members. */
      temporary: string;
      /** Sizes of the sources in the case: a file of the same size may be the same. */
      sizes: readonly number[];
    }
  | {
      type: 'preview';
      file: FoundFile;
      options: ImportOptions;
      /** Maximum number of sources to read. */
      most: number;
    };

/** The value of a stored column; IPv6 addresses as 32 hexadecimal digits. */
export type StoredValue = number | string;

/** One event of a previewed source. */
export interface PreviewRow {
  kind: Kind;
  /** By stored column. */
  values: [string, StoredValue][];
  attributes: [string, string][];
}

/** Findings from the beginning of a source. */
export interface SourcePreview {
  name: string;
  location: SourceLocation;
  rawSize: number | undefined;
  /** Undefined if no importer recognises the content. */
  importer: string | undefined;
  format: string | undefined;
  headSha256: string | undefined;
  /** Hash of the stored bytes, if a source of the case has the same size and the file is small. */
  rawSha256: string | undefined;
  /** Hashes of its first lines, for a content made of lines. */
  lineHashes: Uint32Array | undefined;
  /** Average number of lines per record, as far as it was read: indented JSON has many. */
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

/** The end of a file's preview. */
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

/** A worker that previews one file after the other. */
export interface PreviewWorkerHandle {
  post(message: ToPreviewWorker): void;
  onMessage(handler: (message: FromPreviewWorker) => void): void;
  /** Called once when the worker has exited; with an error if it was not asked to exit. */
  onExit(handler: (error: Error | undefined) => void): void;
  stop(): void;
}
