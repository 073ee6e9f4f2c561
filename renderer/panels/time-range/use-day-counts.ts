/** Events on each day of a month, by the calendar of the window's zone. */
import { useMemo } from 'react';
import { timeParts, useAnswer, useCase, useZone } from '../../panel-api.ts';
import { spanOf } from './range-text.ts';

/** Quarters of an hour in half a month, and a few: every zone's days begin at one. */
const BUCKETS = 1600;
/** Packets within flows are events as well. */
const EVERYTHING = 'kind:*';

/** @param month a day of it, `2026-10-15`; counts are by day of the zone, without days that have no event */
export function useDayCounts(month: string | null): ReadonlyMap<string, number> {
  const { case: path } = useCase();
  const zone = useZone();
  const [first, middle, end] = useMemo(() => boundsOf(month, zone), [month, zone]);
  const part = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined
      ? undefined
      : { case: path, query: EVERYTHING, from, to, zone, buckets: BUCKETS };
  const early = useAnswer('timeline.run', part(first, middle)).data;
  const late = useAnswer('timeline.run', part(middle, end)).data;
  return useMemo(() => {
    const counts = new Map<string, number>();
    for (const half of [early, late]) {
      half?.starts.forEach((start, at) => {
        const n = half.series.reduce((sum, one) => sum + (one.counts[at] ?? 0), 0);
        if (n === 0) return;
        const day = timeParts(start, zone).date;
        counts.set(day, (counts.get(day) ?? 0) + n);
      });
    }
    return counts;
  }, [early, late, zone]);
}

/** The beginning, middle and end of a month. */
function boundsOf(month: string | null, zone: string): (number | undefined)[] {
  if (month === null) return [];
  const begin = month.slice(0, 7);
  const next = new Date(`${begin}-01T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return [`${begin}-01`, `${begin}-16`, next.toISOString().slice(0, 10)].map(
    (day) => spanOf(day, zone)?.from,
  );
}
