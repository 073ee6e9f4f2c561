/** The bars of a timeline answer; brushing narrows the range of time. The table below has the same. */
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useLayoutEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import {
  formatBytes,
  formatCount,
  formatRange,
  timeParts,
  usePivots,
  counted,
} from '../../panel-api.ts';
import { REST_COLOR, seriesColor } from '../../widgets/series-color.ts';
import { visibleText } from '../../widgets/visible-text.ts';
import css from './answer.module.css';
import { topsOf, type Bars } from './bars.ts';

const HEIGHT = 170;
const FONT = '10.5px Inter, "Segoe UI", Cantarell, "DejaVu Sans", "Liberation Sans", sans-serif';

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
  const { starts, series, measure } = bars;
  const shown = (n: number): string =>
    /bytes/.test(measure) ? formatBytes(n) : formatCount(Math.round(n));
  const color = (index: number): string => {
    const one = series[index];
    return one === undefined || one.rest ? REST_COLOR : seriesColor(by, one.name, index);
  };

  useLayoutEffect(() => {
    const into = canvas.current;
    if (into === null || width === 0) return undefined;
    const style = getComputedStyle(into);
    const resolved = (name: string): string => {
      const variable = /^var\((--[^)]+)\)$/.exec(name)?.[1];
      return variable === undefined ? name : style.getPropertyValue(variable).trim();
    };
    const tops = topsOf(bars.series);
    const paths = uPlot.paths.bars?.({ size: [0.92, 120], align: 1, gap: 1 });
    // The tallest are drawn first, the others over them.
    const order = tops.map((_, i) => i).reverse();
    const first = bars.starts[0] ?? 0;
    const end = (bars.starts[bars.starts.length - 1] ?? first) + bars.width;
    const axis = {
      stroke: resolved('var(--db-muted)'),
      font: FONT,
      ticks: { stroke: resolved('var(--db-line)'), width: 1, size: 3 },
    };
    const chart = new uPlot(
      {
        width,
        height: HEIGHT,
        padding: [8, 20, 0, 4],
        legend: { show: false },
        // Dates whose local parts are those of the window's zone.
        tzDate: (seconds) => {
          const { date, time } = timeParts(seconds * 1e6, zone, 0);
          return new Date(`${date}T${time}`);
        },
        scales: {
          x: { time: true, range: [first / 1e6, end / 1e6] },
          y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 24,
            values: (_, splits, __, ___, step) =>
              splits.map((seconds) => axisLabel(seconds * 1e6, step, zone)),
          },
          {
            ...axis,
            size: 64,
            grid: { stroke: resolved('var(--db-line)'), width: 1 },
            values: (_, splits) =>
              splits.map((n) =>
                /bytes/.test(bars.measure)
                  ? formatBytes(n)
                  : Number.isInteger(n)
                    ? formatCount(n)
                    : '',
              ),
          },
        ],
        series: [
          {},
          ...order.map((index) => {
            const one = bars.series[index];
            const fill = resolved(
              one === undefined || one.rest ? REST_COLOR : seriesColor(by, one.name, index),
            );
            return {
              fill,
              stroke: fill,
              width: 0,
              points: { show: false },
              ...(paths === undefined ? {} : { paths }),
            };
          }),
        ],
        cursor: {
          y: false,
          points: { show: false },
          drag: { x: true, y: false, setScale: false, dist: 4 },
        },
        hooks: {
          setCursor: [
            (u) => {
              const { left = -1 } = u.cursor;
              const bucket = Math.floor((u.posToVal(left, 'x') * 1e6 - first) / bars.width);
              setAt(left < 0 || bucket < 0 || bucket >= bars.starts.length ? undefined : bucket);
            },
          ],
          setSelect: [
            (u) => {
              const { left, width: wide } = u.select;
              if (wide < 4) return;
              const edge = (pixel: number, round: (n: number) => number): number =>
                first + round((u.posToVal(pixel, 'x') * 1e6 - first) / bars.width) * bars.width;
              zoom.current(edge(left, Math.floor), edge(left + wide, Math.ceil));
            },
          ],
        },
      },
      [
        Array.from(bars.starts, (start) => start / 1e6),
        ...order.map((index) => Array.from(tops[index] ?? [])),
      ],
      into,
    );
    return () => chart.destroy();
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
            <span className={css['swatch']} style={{ background: color(index) }} />
            {one.name === measure ? '' : `${visibleText(one.name, 30)} `}
            <b>{shown(at === undefined ? whole(index) : (one.values[at] ?? 0))}</b>
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

const DAY = 86_400;

/** A mark of the axis; `step` is the seconds between marks. */
function axisLabel(micros: number, step: number, zone: string): string {
  const { date, time } = timeParts(micros, zone, 0);
  if (step >= 27 * DAY) return date.slice(0, 7);
  if (step >= DAY || time === '00:00:00') return date.slice(5);
  return step < 60 ? time : time.slice(0, 5);
}
