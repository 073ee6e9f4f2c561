/** Which findings are listed, and in which order. */
import { severityRank, type Severity } from '../../../engine/contract/findings.ts';
import type { Result } from '../../../engine/contract/operations.ts';

export type Finding = Result<'finding.list'>['findings'][number];
export type Order = 'report' | 'severity';

/** @param least undefined: those that were not rated, too */
export function arranged(
  findings: readonly Finding[],
  least: Severity | undefined,
  order: Order,
): Finding[] {
  const shown = findings.filter(({ severity }) => severityRank(severity) >= severityRank(least));
  // A stable sort: those as severe stay in the order of the report.
  return order === 'report'
    ? shown
    : shown.sort((a, b) => severityRank(b.severity) - severityRank(a.severity));
}
