/** `case.latency`: what measured operations took, in all and one by one. */
import type { OperationRow } from '../catalog/catalog.ts';
import { summarise, type LatencySummary } from '../measure/operation-log.ts';
import type { CaseSession } from './case-session.ts';

export type { LatencySummary, OperationRow };

/** Percentiles by operation, over the last ten thousand operations of the case. */
export function latencySummary(session: CaseSession): LatencySummary[] {
  return summarise(session.catalog.operations());
}

/** The last `n` operations, oldest first. */
export function recentOperations(session: CaseSession, n: number): OperationRow[] {
  return session.catalog.operations().slice(-n);
}
