/** The chart on the page: brushed or clicked to zoom, and walked with the keyboard. */
import { useComputedColorScheme } from '@mantine/core';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  counted,
  formatRange,
  useAnswer,
  useCase,
  useQuestion,
  useSession,
} from '../../../panel-api.ts';
import { errorWords } from '../../../widgets/texts/window-words.ts';
import { visibleText } from '../../../widgets/texts/visible-text.ts';
import { shownRange, spokenBucket, type Range } from '../buckets.ts';
import { findingsIn, type ChartData, type Findings } from './chart-data.ts';
import { createChart, type Chart, type ChartEvents } from './timeline-chart.ts';
import { BucketTip, RangeTip } from './tips.tsx';
import { useLogarithmic } from '../tools.tsx';
import { useBucketCursor } from './use-bucket-cursor.ts';
import type { Timeline } from '../use-timeline.ts';
import { useFindings } from '../use-findings.ts';
import type { Zoom } from '../use-zoom.ts';
import css from '../timeline.module.css';

/** Pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** The time of the event in the details. */
function useSelectedTime(): number | undefined {
  const { case: path } = useCase();
  const event = useSession((session) => session.selected);
  const { data } = useAnswer('event.get', event === undefined ? undefined : { case: path, event }, {
    live: false,
  });
  return event === undefined || data?.event !== event ? undefined : data.ts;
}

/** The data of the chart; the same object until some of it changes. */
function useChartData({ buckets, stacks }: Timeline, findings: Findings): ChartData {
  const { from, to } = useQuestion();
  const [logarithmic] = useLogarithmic();
  const marked = useSelectedTime();
  const { starts, width, sums, zone } = buckets;
  const range = useMemo(() => shownRange({ starts, width }, from, to), [starts, width, from, to]);
  return useMemo(
    () => ({ starts, width, stacks, sums, range, logarithmic, zone, marked, findings }),
    [starts, width, stacks, sums, range, logarithmic, zone, marked, findings],
  );
}

/** Draws into an element as long as that is there. Its events go to the latest handlers. */
function useChart(
  into: HTMLElement | null,
  { width, height }: Size,
  data: ChartData,
  marked: readonly [first: number, last: number] | undefined,
  events: ChartEvents,
): Chart | undefined {
  const chart = useRef<Chart>(undefined);
  const handlers = useRef(events);
  handlers.current = events;
  const scheme = useComputedColorScheme();
  const [first, last] = marked ?? [];

  useLayoutEffect(() => {
    if (into === null) return undefined;
    const made = createChart(into, Math.max(50, into.clientWidth), into.clientHeight, {
      onBrush: (from, to) => handlers.current.onBrush(from, to),
      onBrushing: (range) => handlers.current.onBrushing(range),
      onReset: () => handlers.current.onReset(),
      onBar: (from, to) => handlers.current.onBar(from, to),
      onHover: (bucket, left) => handlers.current.onHover(bucket, left),
    });
    chart.current = made;
    return () => {
      chart.current = undefined;
      made.destroy();
    };
  }, [into]);
  useLayoutEffect(() => {
    if (width > 0) chart.current?.setSize(width, height);
  }, [into, width, height]);
  useLayoutEffect(() => chart.current?.setData(data), [into, data]);
  useLayoutEffect(() => chart.current?.redraw(), [scheme]);
  useLayoutEffect(() => chart.current?.setCursor(first, last), [first, last, data.starts]);
  return chart.current;
}

/** Shows why there are no bars. */
function Nothing({
  timeline: { counts, error, loading, buckets },
}: {
  readonly timeline: Timeline;
}) {
  const { events } = useCase();
  if (error !== undefined) {
    return (
      <div className={css['nothing']} role="status">
        <span>
          {buckets.starts.length === 0 ? 'No timeline. ' : 'The timeline is not up to date. '}
          {visibleText(errorWords(error).message, 200)}
        </span>
      </div>
    );
  }
  if (counts === undefined || counts.total > counts.undated || loading) return null;
  return (
    <div className={css['nothing']}>
      {events === 0 ? 'Events over time appear here' : 'No dated events in this view'}
    </div>
  );
}

function bucketRange({ starts, width }: Timeline['buckets'], at: number): Range {
  const from = starts[at] ?? 0;
  return { from, to: from + width };
}

export function ChartView({
  timeline,
  zoom,
  size,
}: {
  readonly timeline: Timeline;
  readonly zoom: Zoom;
  readonly size: Size;
}) {
  const { buckets, counts, stale } = timeline;
  const { starts, zone } = buckets;
  const [into, setInto] = useState<HTMLDivElement | null>(null);
  const [hover, setHover] = useState<{ bucket: number; left: number }>();
  const [brushing, setBrushing] = useState<Range>();
  const { findings, notMarked } = useFindings(buckets);
  const data = useChartData(timeline, findings);
  const cursor = useBucketCursor(buckets, zoom);
  const zoomTo = (from: number, to: number): void => {
    cursor.clear();
    zoom.to({ from, to });
  };
  const chart = useChart(into, size, data, cursor.marked, {
    onBrush: zoomTo,
    onBrushing: setBrushing,
    onReset: () => {
      cursor.leave();
      zoom.back();
    },
    onBar: zoomTo,
    onHover: (at, left) => setHover(at === undefined ? undefined : { bucket: at, left }),
  });

  const range = brushing ?? cursor.range;
  const tipAt = hover?.bucket ?? cursor.at;
  const left =
    hover?.left ?? (cursor.at === undefined ? 0 : (chart?.left(starts[cursor.at] ?? 0) ?? 0));
  const place = { left, width: size.width };
  const [low, high] = data.range;
  const found = (at: number): number => findingsIn(findings, bucketRange(buckets, at));
  const summary = counted(counts?.total ?? 0, 'event');
  return (
    <div
      ref={setInto}
      className={stale ? `${css['chart']} ${css['stale']}` : css['chart']}
      style={{ height: size.height }}
      role="slider"
      tabIndex={0}
      aria-label="Timeline: arrows move over buckets, Shift extends, Enter zooms, Escape goes back"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, starts.length - 1)}
      aria-valuenow={cursor.at ?? 0}
      aria-valuetext={
        cursor.at !== undefined
          ? spokenBucket(buckets, cursor.at, found(cursor.at))
          : starts.length === 0
            ? summary
            : `${summary}, ${formatRange(low, high, zone)}`
      }
      onKeyDown={cursor.onKeyDown}
      onBlur={cursor.leave}
    >
      <Nothing timeline={timeline} />
      {notMarked !== undefined && starts.length > 0 && (
        <div className={css['notMarked']} role="status">
          {notMarked}
        </div>
      )}
      {range !== undefined ? (
        <RangeTip {...{ ...place, range, zone }} />
      ) : (
        tipAt !== undefined &&
        tipAt < starts.length && (
          <BucketTip {...{ ...place, buckets, at: tipAt, findings: found(tipAt) }} />
        )
      )}
    </div>
  );
}
