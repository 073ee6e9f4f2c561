/** What an import worker and its storing thread say to each other. Plain data, so that it crosses threads. */
import type { ErrorCode } from '../contract/errors.ts';
import type { DayRows, PartLimits, RowsSource } from './day-parts.ts';
import type { BuiltIndex } from './index-protocol.ts';
import type { LentBatch } from './lent-batch.ts';
import type { PartInfo } from './protocol.ts';

export type ToStorer =
  /** An import begins, in which parts have names of their own (`prefix`). */
  | (PartLimits & {
      readonly type: 'start';
      readonly staging: string;
      readonly prefix: string;
      readonly indexers: number;
      readonly background: boolean;
    })
  | {
      readonly type: 'rows';
      readonly id: number;
      readonly batch: LentBatch;
      readonly source: RowsSource;
      readonly days: readonly DayRows[];
    }
  /** The chunk is whole. */
  | { readonly type: 'finish' }
  /** The chunk is given up. */
  | { readonly type: 'abandon' }
  /** The import has ended. */
  | { readonly type: 'end' };

export type FromStorer =
  /** The `rows` of this number were taken in: nothing of them is read any more. */
  | { readonly type: 'taken'; readonly id: number }
  /** Of the oldest chunk that is whole. */
  | { readonly type: 'parts'; readonly parts: PartInfo[] }
  | { readonly type: 'indexed'; readonly part: string; readonly index: BuiltIndex | undefined }
  /** What was sent since the start is lost, and what comes before the next one. */
  | {
      readonly type: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string | undefined;
    }
  /** All side files are written, or cannot be. */
  | { readonly type: 'ended' };
