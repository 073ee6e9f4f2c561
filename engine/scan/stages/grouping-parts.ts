/** Parts of stages that are groups and nothing else. */
import type { Grouping } from '../grouping.ts';
import type { ScanStage } from './stage.ts';

export function groupingParts(grouping: Grouping): ScanStage['parts'] {
  if (!grouping.mergeable) return undefined;
  return {
    part: () => ({ grouping: grouping.part() }),
    merge: (part) => {
      if (part.grouping !== undefined) grouping.merge(part.grouping);
    },
  };
}
