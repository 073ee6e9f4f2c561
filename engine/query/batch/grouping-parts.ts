/** Parts of stages that are groups and nothing else. */
import type { Grouping } from './grouping.ts';
import type { BatchStage } from './stage.ts';

export function groupingParts(grouping: Grouping): BatchStage['parts'] {
  if (!grouping.mergeable) return undefined;
  return {
    part: () => ({ grouping: grouping.part() }),
    merge: (part) => {
      if (part.grouping !== undefined) grouping.merge(part.grouping);
    },
  };
}
