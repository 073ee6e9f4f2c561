/** The answer that the timeline shows, as buckets of the series that are not hidden. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { KINDS } from '../../../engine/contract/event.ts';
import { useAnswer, useParsedQuery, useQuestion, useView } from '../../panel-api.ts';
import { colorOf, type Buckets } from './buckets.ts';
import { stacked, stageStack, type Series, type Stack } from './chart/stacks.ts';

/** Pixels for one bucket. */
const BUCKET_PIXELS = 8;
/** Every kind has its own colour. */
const ALL_KINDS = { most: KINDS.length };
const NO_SERIES: readonly Series[] = [];
const NO_STARTS = new Float64Array(0);

export interface Timeline {
  readonly buckets: Buckets;
  readonly stacks: readonly Stack[];
  /** Events with and without a time; undefined until there is an answer. */
  readonly counts: { readonly total: number; readonly undated: number } | undefined;
  readonly error: { readonly message: string } | undefined;
  readonly loading: boolean;
  /** The buckets belong to another view than the current one. */
  readonly stale: boolean;
  /** The field that events are stacked by; empty for none. */
  readonly by: string;
  /** The query states that field. */
  readonly isStated: boolean;
  /** Shows or hides a series by its key. */
  toggle(key: string): void;
}

/** @param pixels the chart's width; nothing is requested while it is 0 */
export function useTimeline(pixels: number): Timeline {
  const { stack } = useView();
  const question = useQuestion();
  const parsed = useParsedQuery(question.query);
  const stated = parsed === undefined ? undefined : stageStack(parsed.stages);
  const by = stated ?? stack;
  // In steps, so that resizing does not cause a request per pixel.
  const count = Math.min(400, Math.max(20, Math.round(pixels / BUCKET_PIXELS / 10) * 10));
  const { data, error, loading } = useAnswer(
    'timeline.run',
    pixels === 0
      ? undefined
      : {
          ...{ ...question, buckets: count },
          ...(by === '' ? {} : { by }),
          ...(by === 'kind' ? ALL_KINDS : {}),
        },
  );
  // Buckets that are only updated for changes of the case are not those of another view.
  const view = JSON.stringify([question, by]);
  // The series of the last answer belong to the field that it was requested with.
  const answered = useRef({ view, field: by });
  if (!loading) answered.current = { view, field: by };
  const { field } = answered.current;

  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setHidden(new Set()), [by]);

  const series = data?.series ?? NO_SERIES;
  const starts = data?.starts ?? NO_STARTS;
  const { stacks, sums } = useMemo(
    () => stacked(series, starts.length, hidden, (one, at) => colorOf(one, field, at)),
    [series, starts, hidden, field],
  );
  return {
    buckets: { starts, width: data?.width ?? 1, field, series, hidden, sums, zone: question.zone },
    ...{ stacks, error, loading, by },
    counts: data,
    stale:
      data !== undefined && (error !== undefined || (loading && answered.current.view !== view)),
    isStated: stated !== undefined,
    toggle(key) {
      const next = new Set(hidden);
      if (!next.delete(key)) next.add(key);
      setHidden(next);
    },
  };
}
