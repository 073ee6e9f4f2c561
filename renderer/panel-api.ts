/**
 * Everything of the window that a panel may use: this module and the widgets. Panels read state through hooks and
 * change it through the workspace's methods; they never import each other.
 */
export {
  useCase,
  usePreference,
  useSession,
  useView,
  useWorkspace,
  useZone,
} from './state/context.ts';
export { refusalOf, useRefusal } from './state/refused.ts';
export { useParsedQuery } from './state/parsed-query.ts';
export { questionOf, useQuestion } from './state/view/question.ts';
export { linesOf } from './state/view/lists.ts';
export { useAnswer } from './state/answer.ts';
export { useDialog, usePivots, useResultList, useCommands } from './state/hooks.ts';
export {
  showEvidence,
  useEvidenceView,
  useFollowedImport,
  useImportJob,
  useImportJobs,
  type EvidenceSection,
} from './state/case/case-work.ts';
export { isRunning, type ImportJob, type SourceReport } from './state/case/import-job.ts';
export { notifyDone, notifyError, notifyPartly } from './state/notify.ts';
export { useSubmit } from './state/submit.ts';
export {
  formatBytes,
  formatCount,
  formatMs,
  formatRange,
  formatRemaining,
  formatTime,
  offsetText,
  timeParts,
  zoneOf,
} from './state/view/time.ts';
export {
  dissect,
  fieldTerm,
  oppositeOf,
  testOf,
  timelineOf,
  withoutStage,
  withoutTerm,
  withTerm,
  withTermReplaced,
  type TimelineShape,
} from './state/query-text.ts';
export {
  printName,
  printTest,
  quoted,
  quoteValue,
  tokensOf,
  type Test,
} from '../engine/query/syntax/index.ts';
export { viewFromString, viewToString } from './state/view/shared-view.ts';
export { ALL } from './state/view/views.ts';
export type { Workspace } from './state/case/workspace.ts';
export type { DialogState } from './state/dialogs.ts';
export type { Command } from './state/commands.ts';
export type { ResultList } from './state/view/result-list.ts';
export { receiveFiles, type Received } from './client/receive.ts';
export { counted, nounOf } from '../engine/contract/words/counted.ts';
export { saveFile } from './client/save.ts';
