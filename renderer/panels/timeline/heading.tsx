/** The line above the chart: the number of events, their series, and how they are shown. */
import { Tooltip, UnstyledButton } from '@mantine/core';
import { counted, formatCount, useQuestion, useWorkspace, withTerm } from '../../panel-api.ts';
import { bucketTime } from './buckets.ts';
import { Legend } from './legend.tsx';
import { peakOf } from './chart/stacks.ts';
import { durationWords } from './chart/time-axis.ts';
import { Tools } from './tools.tsx';
import type { Timeline } from './use-timeline.ts';
import css from './timeline.module.css';

export function Heading({
  timeline,
  isNarrow,
}: {
  readonly timeline: Timeline;
  readonly isNarrow: boolean;
}) {
  const { views } = useWorkspace();
  const { query } = useQuestion();
  const { buckets, counts } = timeline;
  const { width, series, field, sums } = buckets;
  const peak = peakOf(sums);
  return (
    <div className={css['head']}>
      <span>
        <b>{counts === undefined ? '… events' : counted(counts.total, 'event')}</b>
      </span>
      {counts !== undefined && counts.total > counts.undated && (
        <span>buckets of {durationWords(width)}</span>
      )}
      {!isNarrow && peak !== undefined && width < 86_400e6 && (
        <span>
          peak {formatCount(sums[peak] ?? 0)} at {bucketTime(buckets, peak)}
        </span>
      )}
      {counts !== undefined && counts.undated > 0 && (
        <Tooltip label="Events without a time are not in the chart and come last in the table; click to show only these">
          <UnstyledButton
            className={`${css['series']} ${css['undated']}`}
            onClick={() => views.show({ query: withTerm(query, 'day:undated') })}
          >
            {formatCount(counts.undated)} of them undated
          </UnstyledButton>
        </Tooltip>
      )}
      <span className={css['grow']} />
      {(series.length > 1 || field !== '') && (
        <Legend {...{ buckets, onToggle: timeline.toggle }} />
      )}
      <Tools by={timeline.by} isStated={timeline.isStated} />
    </div>
  );
}
