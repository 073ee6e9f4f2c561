/** The bars of a timeline answer; brushing narrows the range of time. The table below has the same. */
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useLayoutEffect, useRef, useState } from 'react';
import { formatBytes, formatRange, usePivots, counted } from '../../panel-api.ts';
import { REST_COLOR, seriesColor } from '../../widgets/series-color.ts';
import { visibleText } from '../../widgets/texts/visible-text.ts';
import css from './answer.module.css';
import { drawBars, HEIGHT } from './bar-plot.ts';
import type { Bars } from './bars.ts';

export function BarChart({
  bars,
  by,
  zone,
}: {
  readonly bars: Bars;
  /** The field that the series are values of; empty for one series. */
  readonly by: string;
  readonly zone: string;
}) {
  const { ref, width } = useElementSize();
  const canvas = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const pivots = usePivots();
  const [at, setAt] = useState<number>();
  const zoom = useRef(pivots.range);
  zoom.current = pivots.range;
  const { starts, series, measure, adds } = bars;
  const shown = (n: number): string =>
    /bytes/.test(measure)
      ? formatBytes(n)
      : n.toLocaleString('en-US', { maximumFractionDigits: 2 });

  useLayoutEffect(() => {
    if (canvas.current === null || width === 0) return undefined;
    return drawBars(canvas.current, {
      ...{ bars, width, zone },
      color: (index) => colorOf(bars, by, index),
      onBucket: setAt,
      onRange: (from, to) => zoom.current(from, to),
    });
  }, [bars, by, zone, width, scheme]);

  const whole = (index: number): number => series[index]?.values.reduce((a, b) => a + b, 0) ?? 0;
  const start = at === undefined ? undefined : starts[at];
  return (
    <figure className={css['figure']}>
      <figcaption className={css['caption']}>
        <span className={css['said']}>
          {start === undefined
            ? `${measure === 'count' ? 'events' : measure} in ${counted(starts.length, 'bucket')}`
            : formatRange(start, start + bars.width, zone)}
        </span>
        {series.map((one, index) => (
          <span key={index} className={css['key']}>
            <span className={css['swatch']} style={{ background: colorOf(bars, by, index) }} />
            {one.name === measure ? '' : `${visibleText(one.name, 30)} `}
            {(at !== undefined || adds) && (
              <b>{shown(at === undefined ? whole(index) : (one.values[at] ?? 0))}</b>
            )}
          </span>
        ))}
      </figcaption>
      <div ref={ref}>
        <div
          ref={canvas}
          role="img"
          aria-label={`Bars of ${measure} over time; the table below has their numbers`}
          style={{ height: HEIGHT }}
        />
      </div>
    </figure>
  );
}

function colorOf({ series }: Bars, by: string, index: number): string {
  const one = series[index];
  return one === undefined || one.rest ? REST_COLOR : seriesColor(by, one.name, index);
}
