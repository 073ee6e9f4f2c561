/**
 * The chart: stacked bars of counts over time on a canvas. uPlot provides the scales, the axis, the pointer and the
 * brush; draw-chart.ts draws the bars from cumulative sums.
 *
 * Times are UTC microseconds outside uPlot and seconds inside.
 */
import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import type { Range } from '../buckets.ts';
import { bucketAt, wholeBuckets, type ChartData } from './chart-data.ts';
import { axisMarks, drawBars, drawFindings, drawLabels, type Picture } from './draw-chart.ts';

export interface ChartEvents {
  /** A range was brushed, in whole buckets. */
  onBrush(from: number, to: number): void;
  /** While brushing; undefined when that ends. */
  onBrushing(range: Range | undefined): void;
  onReset(): void;
  /** A bar was clicked. */
  onBar(from: number, to: number): void;
  /** The bucket under the pointer and where that is, in pixels of the chart. */
  onHover(bucket: number | undefined, left: number): void;
}

export interface Chart {
  setData(data: ChartData): void;
  setSize(width: number, height: number): void;
  /** Marks buckets for the keyboard, `last` included. */
  setCursor(first: number | undefined, last: number | undefined): void;
  /** Pixels from the chart's left edge to a time. */
  left(time: number): number;
  /** Colours have changed. */
  redraw(): void;
  destroy(): void;
}

const AXIS_HEIGHT = 20;
/** Room for the counts of the y axis, left of the bars. */
const LEFT = 46;
const RIGHT = 14;
/** A second click within this time is a double click. */
const DOUBLE_MS = 260;
const LEAST_BRUSH = 4;

const EMPTY: ChartData = {
  starts: new Float64Array(0),
  width: 1,
  stacks: [],
  sums: new Float64Array(0),
  range: [0, 1e6],
  logarithmic: false,
  zone: 'UTC',
  marked: undefined,
  findings: { times: [], counts: [] },
};

/** Colours by the names that stacks use; a CSS variable is looked up once until `forget`. */
function colorsOf(element: HTMLElement): { color: (name: string) => string; forget: () => void } {
  const known = new Map<string, string>();
  return {
    color(name) {
      let found = known.get(name);
      if (found === undefined) {
        const variable = /^var\((--[^)]+)\)$/.exec(name)?.[1];
        found =
          variable === undefined
            ? name
            : getComputedStyle(element).getPropertyValue(variable).trim();
        known.set(name, found);
      }
      return found;
    },
    forget: () => known.clear(),
  };
}

/** Scales, axes and series of uPlot for the picture's current data. */
function axesOf(picture: Picture): Pick<uPlot.Options, 'scales' | 'axes' | 'series'> {
  const { color } = picture;
  return {
    scales: {
      x: { time: false, range: () => [picture.data.range[0] / 1e6, picture.data.range[1] / 1e6] },
      y: {
        distr: 100,
        fwd: (n) => (picture.data.logarithmic ? Math.log10(1 + Math.max(0, n)) : n),
        bwd: (n) => (picture.data.logarithmic ? 10 ** n - 1 : n),
        range: () => [0, Math.max(1, ...picture.data.sums)],
      },
    },
    axes: [
      {
        size: AXIS_HEIGHT,
        gap: 3,
        stroke: () => color('var(--db-faint)'),
        grid: { show: false },
        ticks: { show: true, size: 3, width: 1, stroke: () => color('var(--db-line)') },
        splits: (u) => axisMarks(u, picture.data).map(({ at }) => at / 1e6),
        // drawLabels writes them: at the ends they are moved into the chart.
        values: (_, splits) => splits.map(() => ''),
      },
      { show: false },
    ],
    series: [{}, { paths: () => null, points: { show: false } }],
  };
}

/** The time at a place in the chart, in pixels from the left edge of the bars. */
const timeAt = (u: uPlot, left: number): number => u.posToVal(left, 'x') * 1e6;

/** The brushed range, in whole buckets. */
function brushed(u: uPlot, data: ChartData): Range {
  const { left, width } = u.select;
  return wholeBuckets(data, { from: timeAt(u, left), to: timeAt(u, left + width) });
}

/** Pointer events: hover, brush, click on a bar, double click to go back. */
function pointerOf(picture: Picture, events: ChartEvents) {
  let wasBrushed = false;
  let clicking: ReturnType<typeof setTimeout> | undefined;
  return {
    onMove(u: uPlot) {
      const { left = -1 } = u.cursor;
      if (u.select.width > 0 && left >= 0) events.onBrushing(brushed(u, picture.data));
      events.onHover(left < 0 ? undefined : bucketAt(picture.data, timeAt(u, left)), left + LEFT);
    },
    onSelect(u: uPlot) {
      if (u.select.width < LEAST_BRUSH) return;
      const { from, to } = brushed(u, picture.data);
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      wasBrushed = true;
      events.onBrushing(undefined);
      events.onBrush(from, to);
    },
    /** A click on a bar zooms to it, unless it is the first of a double click or the end of a brush. */
    onClick(u: uPlot, event: MouseEvent) {
      clearTimeout(clicking);
      const isEnd = wasBrushed;
      wasBrushed = false;
      if (isEnd || event.detail > 1) return;
      const { starts, sums, width } = picture.data;
      const at = bucketAt(picture.data, timeAt(u, event.offsetX));
      const start = at === undefined ? undefined : starts[at];
      if (at === undefined || start === undefined || (sums[at] ?? 0) === 0) return;
      if (starts.length > 1)
        clicking = setTimeout(() => events.onBar(start, start + width), DOUBLE_MS);
    },
    onDoubleClick() {
      clearTimeout(clicking);
      events.onReset();
      return null;
    },
    stop: () => clearTimeout(clicking),
  };
}

export function createChart(
  into: HTMLElement,
  width: number,
  height: number,
  events: ChartEvents,
): Chart {
  const { color, forget } = colorsOf(into);
  const picture: { -readonly [K in keyof Picture]: Picture[K] } = {
    data: EMPTY,
    cursor: undefined,
    color,
  };
  const pointer = pointerOf(picture, events);
  const chart = new uPlot(
    {
      ...{ width, height, padding: [6, RIGHT, 0, LEFT], legend: { show: false } },
      ...axesOf(picture),
      cursor: {
        y: false,
        x: true,
        points: { show: false },
        drag: { x: true, y: false, setScale: false, dist: LEAST_BRUSH },
        bind: { dblclick: () => pointer.onDoubleClick },
      },
      hooks: {
        draw: [
          (u) => drawBars(u, picture),
          (u) => drawFindings(u, picture),
          (u) => drawLabels(u, picture),
        ],
        setCursor: [pointer.onMove],
        setSelect: [pointer.onSelect],
      },
    },
    [
      [0, 1],
      [null, null],
    ],
    into,
  );
  chart.over.addEventListener('click', (event) => pointer.onClick(chart, event));

  return {
    setData(next) {
      picture.data = next;
      const xs = Array.from(next.starts, (start) => start / 1e6);
      const ys: (number | null)[] = Array.from(next.sums);
      if (xs.length === 0) {
        xs.push(next.range[0] / 1e6);
        ys.push(null);
      }
      chart.setData([xs, ys]);
    },
    setSize: (w, h) => chart.setSize({ width: w, height: h }),
    setCursor(first, last) {
      const next = first === undefined || last === undefined ? undefined : { first, last };
      if (picture.cursor === undefined && next === undefined) return;
      picture.cursor = next;
      chart.redraw(false);
    },
    left: (time) => chart.valToPos(time / 1e6, 'x') + LEFT,
    redraw() {
      forget();
      chart.redraw(false, true);
    },
    destroy() {
      pointer.stop();
      chart.destroy();
    },
  };
}
