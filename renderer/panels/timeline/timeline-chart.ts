/**
 * The chart: stacked bars of counts over time on a canvas. uPlot has the scales, the axis, the pointer
 * and the brush; the bars are drawn here, from sums that stand on each other.
 *
 * Times are UTC microseconds outside and seconds in uPlot.
 */
import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { timeMarks, type TimeMark } from './time-axis.ts';
import type { Stack } from './stacks.ts';

export interface ChartData {
  /** Start of each bucket. */
  readonly starts: Float64Array;
  readonly width: number;
  readonly stacks: readonly Stack[];
  /** What all stacks shown add up to. */
  readonly sums: Float64Array;
  /** What is seen: from, to. */
  readonly range: readonly [number, number];
  readonly logarithmic: boolean;
  readonly zone: string;
  /** A time that is marked. */
  readonly marked: number | undefined;
}

export interface ChartEvents {
  /** A range was brushed, in whole buckets. */
  onBrush(from: number, to: number): void;
  /** While brushing; undefined when that ends. */
  onBrushing(range: { readonly from: number; readonly to: number } | undefined): void;
  onReset(): void;
  /** A bar was clicked. */
  onBar(from: number, to: number): void;
  /** The bucket under the pointer and where that is, in pixels of the chart. */
  onHover(bucket: number | undefined, left: number): void;
}

export interface Chart {
  readonly element: HTMLElement;
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
/** Between marks of the axis. */
const MARK_PIXELS = 96;
/** Bars are at least so wide, in pixels. */
const LEAST_BAR = 2;
/** A second click within this time is a double click. */
const DOUBLE_MS = 260;
/** Bars this wide or wider have a gap between them. */
const GAP_FROM = 4;
const LEAST_BRUSH = 4;
const FONT = 'Inter, "Segoe UI", Cantarell, "DejaVu Sans", "Liberation Sans", sans-serif';

const EMPTY: ChartData = {
  starts: new Float64Array(0),
  width: 1,
  stacks: [],
  sums: new Float64Array(0),
  range: [0, 1e6],
  logarithmic: false,
  zone: 'UTC',
  marked: undefined,
};

/** In the room beside the bars: `4,015`, `123k`, `1.2M`. */
function shortCount(n: number): string {
  if (n < 1e5) return n.toLocaleString('en-US');
  return n < 1e6 ? `${Math.round(n / 1e3)}k` : `${(n / 1e6).toPrecision(3)}M`;
}

export function createChart(
  into: HTMLElement,
  width: number,
  height: number,
  events: ChartEvents,
): Chart {
  let data = EMPTY;
  let colors = new Map<string, string>();
  let cursor: { first: number; last: number } | undefined;
  let brushing = false;
  let wasBrushed = false;
  let clicking: ReturnType<typeof setTimeout> | undefined;

  const color = (name: string): string => {
    let found = colors.get(name);
    if (found === undefined) {
      const variable = /^var\((--[^)]+)\)$/.exec(name)?.[1];
      found =
        variable === undefined ? name : getComputedStyle(into).getPropertyValue(variable).trim();
      colors.set(name, found);
    }
    return found;
  };

  const chart = new uPlot(
    {
      width,
      height,
      padding: [6, RIGHT, 0, LEFT],
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [data.range[0] / 1e6, data.range[1] / 1e6] },
        y: {
          distr: 100,
          fwd: (n) => (data.logarithmic ? Math.log10(1 + Math.max(0, n)) : n),
          bwd: (n) => (data.logarithmic ? 10 ** n - 1 : n),
          range: () => [0, Math.max(1, ...data.sums)],
        },
      },
      axes: [
        {
          size: AXIS_HEIGHT,
          gap: 3,
          stroke: () => color('var(--db-faint)'),
          grid: { show: false },
          ticks: { show: true, size: 3, width: 1, stroke: () => color('var(--db-line)') },
          splits: (u) => marks(u).map(({ at }) => at / 1e6),
          // Drawn below: at the ends they are moved into the chart.
          values: (_, splits) => splits.map(() => ''),
        },
        { show: false },
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      cursor: {
        y: false,
        x: true,
        points: { show: false },
        drag: { x: true, y: false, setScale: false, dist: LEAST_BRUSH },
        bind: {
          dblclick: () => () => {
            clearTimeout(clicking);
            events.onReset();
            return null;
          },
        },
      },
      hooks: {
        draw: [drawBars, drawLabels],
        setCursor: [
          (u) => {
            const { left = -1 } = u.cursor;
            const selected = u.select.width > 0;
            brushing = selected && left >= 0;
            if (brushing) events.onBrushing(brushed(u));
            events.onHover(
              left < 0 ? undefined : bucketAt(u.posToVal(left, 'x') * 1e6),
              left + LEFT,
            );
          },
        ],
        setSelect: [
          (u) => {
            if (u.select.width < LEAST_BRUSH) return;
            const { from, to } = brushed(u);
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            brushing = false;
            wasBrushed = true;
            events.onBrushing(undefined);
            events.onBrush(from, to);
          },
        ],
      },
    },
    [
      [0, 1],
      [null, null],
    ],
    into,
  );

  /** A click on a bar zooms to it; the first of a double click does not, nor the end of a brush. */
  chart.over.addEventListener('click', (event) => {
    clearTimeout(clicking);
    const isEnd = wasBrushed;
    wasBrushed = false;
    if (isEnd || event.detail > 1) return;
    const at = bucketAt(chart.posToVal(event.offsetX, 'x') * 1e6);
    const start = at === undefined ? undefined : data.starts[at];
    if (at === undefined || start === undefined || (data.sums[at] ?? 0) === 0) return;
    const { width: bucket } = data;
    if (data.starts.length > 1)
      clicking = setTimeout(() => events.onBar(start, start + bucket), DOUBLE_MS);
  });

  /** What the brush covers, out to the edges of buckets. */
  function brushed(u: uPlot): { from: number; to: number } {
    const { left, width: wide } = u.select;
    const from = u.posToVal(left, 'x') * 1e6;
    const to = u.posToVal(left + wide, 'x') * 1e6;
    const first = data.starts[0];
    if (first === undefined) return { from, to };
    const edge = (time: number, round: (n: number) => number): number =>
      first + round((time - first) / data.width) * data.width;
    return { from: edge(from, Math.floor), to: edge(to, Math.ceil) };
  }

  function bucketAt(time: number): number | undefined {
    const first = data.starts[0];
    if (first === undefined) return undefined;
    const at = Math.floor((time - first) / data.width);
    return at >= 0 && at < data.starts.length ? at : undefined;
  }

  function marks(u: uPlot): TimeMark[] {
    // Without buckets there is no time to speak of.
    if (data.starts.length === 0) return [];
    const most = Math.max(2, Math.floor(u.width / MARK_PIXELS));
    return timeMarks(data.range[0], data.range[1], most, data.zone);
  }

  function drawBars(u: uPlot): void {
    const { ctx, bbox } = u;
    const ratio = uPlot.pxRatio;
    const bottom = bbox.top + bbox.height;
    const x = (time: number): number => u.valToPos(time / 1e6, 'x', true);
    const y = (n: number): number => u.valToPos(n, 'y', true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height + ratio);
    ctx.clip();
    // Buckets without events are gaps over a line, not missing.
    ctx.fillStyle = color('var(--db-line)');
    ctx.fillRect(bbox.left, bottom - ratio, bbox.width, ratio);
    for (const n of countMarks(u)) {
      ctx.globalAlpha = 0.6;
      ctx.fillRect(bbox.left, Math.round(y(n)), bbox.width, 1);
      ctx.globalAlpha = 1;
    }
    const { starts, width: bucket, stacks } = data;
    const wide = starts.length === 0 ? 0 : x((starts[0] ?? 0) + bucket) - x(starts[0] ?? 0);
    const gap = wide >= GAP_FROM * ratio ? ratio : 0;
    if (cursor !== undefined) {
      ctx.fillStyle = color('var(--db-selected)');
      const left = x(starts[cursor.first] ?? 0);
      const buckets = cursor.last - cursor.first + 1;
      ctx.fillRect(left, bbox.top, Math.max(ratio, wide * buckets), bbox.height);
    }
    stacks.forEach(({ tops, color: name }, at) => {
      const below = stacks[at - 1]?.tops;
      ctx.fillStyle = color(name);
      ctx.beginPath();
      for (let i = 0; i < starts.length; i++) {
        const low = below?.[i] ?? 0;
        const high = tops[i] ?? 0;
        if (high <= low) continue;
        const left = Math.round(x(starts[i] ?? 0));
        const right = Math.round(x((starts[i] ?? 0) + bucket));
        const foot = low === 0 ? bottom : Math.round(y(low));
        // One event among many is still there.
        const head = Math.min(Math.round(y(high)), foot - (low === 0 ? ratio : 0));
        const across = Math.max(starts.length > 40 ? ratio : LEAST_BAR * ratio, right - left - gap);
        if (head < foot) ctx.rect(left, head, across, foot - head);
      }
      ctx.fill();
    });
    const { marked } = data;
    if (marked !== undefined && marked >= data.range[0] && marked <= data.range[1]) {
      ctx.fillStyle = color('var(--db-text)');
      ctx.fillRect(Math.round(x(marked)) - ratio / 2, bbox.top, ratio, bbox.height);
    }
    ctx.restore();
  }

  function drawLabels(u: uPlot): void {
    const { ctx, bbox } = u;
    const ratio = uPlot.pxRatio;
    const { width: wide } = ctx.canvas;
    ctx.save();
    ctx.font = `${10.5 * ratio}px ${FONT}`;
    ctx.fillStyle = color('var(--db-muted)');
    ctx.textAlign = 'left';
    ctx.textBaseline = 'top';
    let free = 0;
    for (const { at, label } of marks(u)) {
      const size = ctx.measureText(label).width;
      const middle = u.valToPos(at / 1e6, 'x', true);
      const left = Math.min(Math.max(4 * ratio, middle - size / 2), wide - size - 4 * ratio);
      // Moved aside, a label may stand where its neighbour is.
      if (left < free) continue;
      ctx.fillText(label, left, bbox.top + bbox.height + 6 * ratio);
      free = left + size + 8 * ratio;
    }
    drawCounts(u);
    ctx.restore();
  }

  /** Counts that the y axis names: the most that a bar has, and half of it. */
  function countMarks({ bbox }: uPlot): number[] {
    const most = Math.max(0, ...data.sums);
    if (most < 1) return [];
    const half = data.logarithmic ? Math.round(Math.sqrt(most)) : Math.round(most / 2);
    return half > 0 && half < most && bbox.height > 60 * uPlot.pxRatio ? [most, half] : [most];
  }

  function drawCounts(u: uPlot): void {
    const { ctx, bbox } = u;
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    for (const n of countMarks(u))
      ctx.fillText(
        shortCount(n),
        bbox.left - 6 * uPlot.pxRatio,
        Math.round(u.valToPos(n, 'y', true)),
      );
  }

  return {
    element: chart.root,
    setData(next) {
      data = next;
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
      if (cursor === undefined && next === undefined) return;
      cursor = next;
      chart.redraw(false);
    },
    left: (time) => chart.valToPos(time / 1e6, 'x') + LEFT,
    redraw() {
      colors = new Map();
      chart.redraw(false, true);
    },
    destroy() {
      clearTimeout(clicking);
      chart.destroy();
    },
  };
}
