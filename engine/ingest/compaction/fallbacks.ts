/**
 * Records maintenance that failed: the case is intact and gives the same answers without it, only more slowly. The
 * operation log has it as a failed operation with its reason, which `daybook latency` counts and lists.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { OperationRow } from '../../catalog/tables/operations.ts';
import { DaybookError } from '../../contract/errors.ts';
import { Stopwatch } from '../../measure/operation-log.ts';

export function recordFallbacks(
  catalog: Catalog,
  operation: 'case.compact' | 'case.rollups',
  reasons: readonly string[],
): void {
  for (const reason of reasons)
    record(catalog, new Stopwatch(operation).measured('failed', reason));
}

/** Adds to the log unless the folder now holds another case. */
export function record(catalog: Catalog, measured: OperationRow): void {
  try {
    if (catalog.isCurrent()) catalog.operations.add([measured]);
  } catch (error) {
    // As for any operation: a full disk must not make it fail.
    if (!(error instanceof DaybookError)) throw error;
  }
}
