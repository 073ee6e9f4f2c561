/** `case.latency`: costs of measured operations, in total and one by one. */
import type { OperationRow } from '../../catalog/index.ts';
import { Stopwatch, summarise, type LatencySummary } from '../../measure/operation-log.ts';
import type { CaseSession } from '../../search/index.ts';

export type { LatencySummary, OperationRow };

/** Percentiles by operation, over the last ten thousand operations of the case. */
export function latencySummary(session: CaseSession): LatencySummary[] {
  session.writeRecords();
  return summarise(session.catalog.operations.all());
}

/** Runs what the catalog alone answers, measured as `operation`. */
export function fromCatalog<T>(session: CaseSession, operation: string, work: () => T): T {
  const watch = new Stopwatch(operation);
  watch.path = 'catalog';
  watch.rowsExamined = 0;
  const result = watch.span('execute', work);
  session.record(watch, 'done');
  return result;
}

/** Reads bytes of the evidence, measured as `operation`. */
export async function fromEvidence<T>(
  session: CaseSession,
  operation: string,
  work: () => Promise<T>,
): Promise<T> {
  const watch = new Stopwatch(operation);
  watch.path = 'evidence';
  const result = await watch.spanAsync('read', work);
  session.record(watch, 'done');
  return result;
}

/** The last `n` operations, oldest first. */
export function recentOperations(session: CaseSession, n: number): OperationRow[] {
  session.writeRecords();
  return session.catalog.operations.all().slice(-n);
}
