/** When the findings of the case happened: events that someone tagged or wrote a note on, whatever the query finds. */
import { useMemo } from 'react';
import { useAnswer, useCase } from '../../panel-api.ts';
import type { Buckets } from './buckets.ts';
import type { Findings } from './chart-data.ts';

/** Events with a note that are asked for. */
const MOST_NOTES = 500;
const NONE: Findings = { times: [], counts: [] };

/** Those within the chart's buckets, each in the middle of its bucket. */
export function useFindings({ starts, width, zone }: Buckets): Findings {
  const { case: path, tags } = useCase();
  const notes = useAnswer('note.list', { case: path }).data?.notes ?? [];
  const noted = notes.slice(0, MOST_NOTES).map(({ event }) => event);
  const terms = [
    ...(tags.some(({ count }) => count > 0) ? ['tag:*'] : []),
    ...(noted.length > 0 ? [`event_id:(${noted.join(' OR ')})`] : []),
  ];
  const [first, last] = [starts[0], starts[starts.length - 1]];
  const { data } = useAnswer(
    'timeline.run',
    terms.length === 0 || first === undefined || last === undefined
      ? undefined
      : {
          ...{ case: path, query: `kind:* (${terms.join(' OR ')})`, zone },
          // The finest round width with so many buckets over this range is that of the chart: the buckets are the same.
          ...{ from: first, to: last + width, buckets: starts.length },
        },
  );
  return useMemo(() => {
    const counts = data?.series[0]?.counts;
    if (terms.length === 0 || data === undefined || counts === undefined) return NONE;
    const found = Array.from(data.starts, (start, at) => ({
      time: start + data.width / 2,
      n: counts[at] ?? 0,
    })).filter(({ n }) => n > 0);
    return { times: found.map(({ time }) => time), counts: found.map(({ n }) => n) };
  }, [data, terms.length]);
}
