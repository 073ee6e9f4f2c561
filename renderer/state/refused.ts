/**
 * Operations that the open case does not support because it is on a cluster, and why: controls are disabled and say
 * so.
 */
import type { OperationName } from '../../engine/contract/operations.ts';
import { useSession } from './context.ts';
import type { CaseInfo } from './case/session.ts';

/** A sentence; undefined: the case can do it. */
export function refusalOf(
  info: Pick<CaseInfo, 'refused'> | undefined,
  operation: OperationName,
): string | undefined {
  return info?.refused?.[operation];
}

export function useRefusal(operation: OperationName): string | undefined {
  return useSession(({ openCase }) => refusalOf(openCase, operation));
}
