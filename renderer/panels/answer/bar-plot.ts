/** Draws the bars of a timeline answer, as uPlot draws them. */
import uPlot from 'uplot';
import { formatBytes, formatCount, timeParts } from '../../panel-api.ts';
import { topsOf, type Bars } from './bars.ts';

export const HEIGHT = 170;
const FONT = '10.5px Inter, "Segoe UI", Cantarell, "DejaVu Sans", "Liberation Sans", sans-serif';

interface BarPlot {
  readonly bars: Bars;
  readonly width: number;
  readonly zone: string;
  /** Of a series, by its number. */
  readonly color: (series: number) => string;
  /** The bucket under the pointer. */
  readonly onBucket: (bucket: number | undefined) => void;
  /** Whole buckets were brushed: from the start of the first to the end of the last. */
  readonly onRange: (from: number, to: number) => void;
}

/** @returns removes the plot */
export function drawBars(into: HTMLElement, plot: BarPlot): () => void {
  const { bars, width, zone, color } = plot;
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
      axes: axesOf(bars, zone, resolved('var(--db-muted)'), resolved('var(--db-line)')),
      series: [
        {},
        ...order.map((index) => {
          const fill = resolved(color(index));
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
      hooks: hooksOf(plot, first),
    },
    [
      Array.from(bars.starts, (start) => start / 1e6),
      ...order.map((index) => Array.from(tops[index] ?? [])),
    ],
    into,
  );
  return () => chart.destroy();
}

function axesOf({ measure }: Bars, zone: string, text: string, line: string): uPlot.Axis[] {
  const axis = { stroke: text, font: FONT, ticks: { stroke: line, width: 1, size: 3 } };
  return [
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
      grid: { stroke: line, width: 1 },
      values: (_, splits) =>
        splits.map((n) =>
          /bytes/.test(measure) ? formatBytes(n) : Number.isInteger(n) ? formatCount(n) : '',
        ),
    },
  ];
}

/** @param first the start of the first bucket */
function hooksOf({ bars, onBucket, onRange }: BarPlot, first: number): uPlot.Hooks.Arrays {
  const bucketsTo = (u: uPlot, pixel: number): number =>
    (u.posToVal(pixel, 'x') * 1e6 - first) / bars.width;
  return {
    setCursor: [
      (u) => {
        const { left = -1 } = u.cursor;
        const bucket = Math.floor(bucketsTo(u, left));
        onBucket(left < 0 || bucket < 0 || bucket >= bars.starts.length ? undefined : bucket);
      },
    ],
    setSelect: [
      (u) => {
        const { left, width } = u.select;
        if (width < 4) return;
        onRange(
          first + Math.floor(bucketsTo(u, left)) * bars.width,
          first + Math.ceil(bucketsTo(u, left + width)) * bars.width,
        );
      },
    ],
  };
}

const DAY = 86_400;

/** A mark of the axis; `step` is the seconds between marks. */
function axisLabel(micros: number, step: number, zone: string): string {
  const { date, time } = timeParts(micros, zone, 0);
  if (step >= 27 * DAY) return date.slice(0, 7);
  if (step >= DAY || time === '00:00:00') return date.slice(5);
  return step < 60 ? time : time.slice(0, 5);
}
