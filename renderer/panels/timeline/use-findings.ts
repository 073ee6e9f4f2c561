/** When events that someone tagged or wrote a note on happened, within the chart's time, whether the query finds them or not. */
import { useMemo } from 'react';
import { useAnswer, useCase } from '../../panel-api.ts';
import { visibleText } from '../../widgets/texts/visible-text.ts';
import type { Buckets } from './buckets.ts';
import type { Findings } from './chart/chart-data.ts';
import { findingsQuery } from './findings-query.ts';

const NONE: Findings = { times: [], counts: [] };

interface FoundFindings {
  /** Each in the middle of its bucket. */
  readonly findings: Findings;
  /** Note on findings that are not marked. */
  readonly notMarked: string | undefined;
}

export function useFindings({ starts, width, zone }: Buckets): FoundFindings {
  const { case: path, tags } = useCase();
  const noted = useAnswer('note.list', { case: path });
  const { query, leftOut } = findingsQuery(
    tags.some(({ count }) => count > 0),
    noted.data?.notes ?? [],
  );
  const [first, last] = [starts[0], starts[starts.length - 1]];
  const { data, error = noted.error } = useAnswer(
    'timeline.run',
    query === undefined || first === undefined || last === undefined
      ? undefined
      : {
          ...{ case: path, query, zone },
          // This range and number of buckets give the same round width as the chart's, and so the same buckets.
          ...{ from: first, to: last + width, buckets: starts.length },
        },
  );
  const findings = useMemo(() => {
    const counts = data?.series[0]?.counts;
    if (query === undefined || data === undefined || counts === undefined) return NONE;
    const found = Array.from(data.starts, (start, at) => ({
      time: start + data.width / 2,
      n: counts[at] ?? 0,
    })).filter(({ n }) => n > 0);
    return { times: found.map(({ time }) => time), counts: found.map(({ n }) => n) };
  }, [data, query]);
  return {
    findings,
    notMarked:
      error === undefined
        ? leftOut
        : `▾ tagged and noted events are not marked: ${visibleText(error.message, 200)}`,
  };
}
