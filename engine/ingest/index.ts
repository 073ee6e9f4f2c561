/** From evidence to segments, and changes of segments: what others may use of it. */
export { caseContents, MAINTENANCE_FOLDER, refuseLinks } from './case/case-contents.ts';
export { type WriterOptions, CaseWriter } from './case/case-writer.ts';
export {
  type RewriteOptions,
  type Rewritten,
  rewrite,
  rewriteSegments,
  swap,
  swapAll,
} from './case/rewrite.ts';
export { placeSideFile, SegmentPlaces } from './case/segment-places.ts';
export { SegmentRewriter } from './case/segment-rewriter.ts';
export { type CompactReport, compactAll, mergeRuns, runsToMerge } from './compaction/compact.ts';
export { record, recordFallbacks } from './compaction/fallbacks.ts';
export { damagedNodes, makeNodes, mergeRollups } from './compaction/merge-rollups.ts';
export { IDLE_MS, isSmallImport, isUrgent, PAUSE_MS, TOLERATED } from './compaction/policy.ts';
export type {
  ImportProgress,
  ImportReport,
  SourceReport,
  WorkerHandle,
} from './coordinator/import-report.ts';
export { relativeTimesNote } from './coordinator/relative-times.ts';
export { bytesOf, runImport } from './coordinator/run-import.ts';
export { type KeptThread, type ThreadHandle, WarmThreads } from './coordinator/warm-threads.ts';
export { setLeftOut } from './overlap/left-out.ts';
export { LEAST_RUN, LineIndex } from './overlap/line-runs.ts';
export type {
  FromPreviewWorker,
  PreviewEnd,
  PreviewRow,
  PreviewWorkerHandle,
  SourcePreview,
  StoredValue,
  ToPreviewWorker,
} from './preview/preview-protocol.ts';
export { MOST_ROWS } from './preview/preview.ts';
export { readOptions } from './worker/import-worker.ts';
export type {
  FoundFile,
  FromWorker,
  ImportOptions,
  ToWorker,
  WorkItem,
} from './worker/protocol.ts';
export {
  type Head,
  type Recognised,
  readHead,
  recognise,
  unknownReason,
  UNRECOGNISED,
} from './worker/recognise.ts';
export type { Walk } from './worker/rotated-start.ts';
