/** Draws the chart's bars, lines and labels on uPlot's canvas. Lengths are in pixels of the canvas. */
import uPlot from 'uplot';
import { countMarks, shortCount, type ChartData } from './chart-data.ts';
import { timeMarks, type TimeMark } from './time-axis.ts';

/** Input of the drawing. */
export interface Picture {
  readonly data: ChartData;
  /** Buckets marked for the keyboard, the last included. */
  readonly cursor: { readonly first: number; readonly last: number } | undefined;
  /** The colour named by a CSS variable or a colour name. */
  readonly color: (name: string) => string;
}

/** Between marks of the axis, in CSS pixels. */
const MARK_PIXELS = 96;
/** Bars are at least so wide, in CSS pixels. */
const LEAST_BAR = 2;
/** Bars this wide or wider have a gap between them, in CSS pixels. */
const GAP_FROM = 4;
/** Width of the sign for a finding, in CSS pixels: no higher than the room above the bars. */
const FINDING = 7;
/** A chart this high has room for a second count, in CSS pixels. */
const TWO_COUNTS = 60;
const FONT = 'Inter, "Segoe UI", Cantarell, "DejaVu Sans", "Liberation Sans", sans-serif';

/** The times that the x axis names. */
export function axisMarks(u: uPlot, { starts, range, zone }: ChartData): TimeMark[] {
  // Without buckets there is no range of time.
  if (starts.length === 0) return [];
  return timeMarks(range[0], range[1], Math.max(2, Math.floor(u.width / MARK_PIXELS)), zone);
}

const xOf = (u: uPlot, time: number): number => u.valToPos(time / 1e6, 'x', true);
const yOf = (u: uPlot, n: number): number => u.valToPos(n, 'y', true);
const countsOn = (u: uPlot, data: ChartData): number[] =>
  countMarks(data, u.bbox.height > TWO_COUNTS * uPlot.pxRatio);

export function drawBars(u: uPlot, picture: Picture): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height + uPlot.pxRatio);
  ctx.clip();
  drawGrid(u, picture);
  const { starts, width } = picture.data;
  const first = starts[0];
  const wide = first === undefined ? 0 : xOf(u, first + width) - xOf(u, first);
  drawCursor(u, picture, wide);
  drawStacks(u, picture, wide);
  drawMarked(u, picture);
  ctx.restore();
}

function drawGrid(u: uPlot, { data, color }: Picture): void {
  const { ctx, bbox } = u;
  const ratio = uPlot.pxRatio;
  // Buckets without events are gaps over a line, not missing.
  ctx.fillStyle = color('var(--db-line)');
  ctx.fillRect(bbox.left, bbox.top + bbox.height - ratio, bbox.width, ratio);
  for (const n of countsOn(u, data)) {
    ctx.globalAlpha = 0.6;
    ctx.fillRect(bbox.left, Math.round(yOf(u, n)), bbox.width, 1);
    ctx.globalAlpha = 1;
  }
}

/** @param wide the width of a bucket */
function drawCursor(u: uPlot, { data, cursor, color }: Picture, wide: number): void {
  if (cursor === undefined) return;
  const { ctx, bbox } = u;
  const buckets = cursor.last - cursor.first + 1;
  ctx.fillStyle = color('var(--db-selected)');
  ctx.fillRect(
    xOf(u, data.starts[cursor.first] ?? 0),
    bbox.top,
    Math.max(uPlot.pxRatio, wide * buckets),
    bbox.height,
  );
}

/** @param wide the width of a bucket */
function drawStacks(u: uPlot, { data, color }: Picture, wide: number): void {
  const { ctx, bbox } = u;
  const ratio = uPlot.pxRatio;
  const bottom = bbox.top + bbox.height;
  const { starts, width: bucket, stacks } = data;
  const gap = wide >= GAP_FROM * ratio ? ratio : 0;
  stacks.forEach(({ tops, color: name }, at) => {
    const below = stacks[at - 1]?.tops;
    ctx.fillStyle = color(name);
    ctx.beginPath();
    for (let i = 0; i < starts.length; i++) {
      const low = below?.[i] ?? 0;
      const high = tops[i] ?? 0;
      if (high <= low) continue;
      const left = Math.round(xOf(u, starts[i] ?? 0));
      const right = Math.round(xOf(u, (starts[i] ?? 0) + bucket));
      const foot = low === 0 ? bottom : Math.round(yOf(u, low));
      // One event among many is still there.
      const head = Math.min(Math.round(yOf(u, high)), foot - (low === 0 ? ratio : 0));
      const across = Math.max(starts.length > 40 ? ratio : LEAST_BAR * ratio, right - left - gap);
      if (head < foot) ctx.rect(left, head, across, foot - head);
    }
    ctx.fill();
  });
}

/** The line at the time that is marked. */
function drawMarked(u: uPlot, { data: { marked, range }, color }: Picture): void {
  if (marked === undefined || marked < range[0] || marked > range[1]) return;
  const { ctx, bbox } = u;
  const ratio = uPlot.pxRatio;
  ctx.fillStyle = color('var(--db-text)');
  ctx.fillRect(Math.round(xOf(u, marked)) - ratio / 2, bbox.top, ratio, bbox.height);
}

/** Above the bars, a small triangle that points at each time with findings. */
export function drawFindings(u: uPlot, { data, color }: Picture): void {
  const { ctx, bbox } = u;
  const half = (FINDING / 2) * uPlot.pxRatio;
  const [low, high] = data.range;
  ctx.save();
  ctx.fillStyle = color('var(--db-highlight)');
  ctx.beginPath();
  let free = -Infinity;
  for (const time of data.findings.times) {
    const middle = xOf(u, time);
    // Of thousands side by side, only those that are visible.
    if (time < low || time > high || middle < free) continue;
    free = middle + uPlot.pxRatio;
    ctx.moveTo(middle - half, bbox.top - 2 * half + uPlot.pxRatio);
    ctx.lineTo(middle + half, bbox.top - 2 * half + uPlot.pxRatio);
    ctx.lineTo(middle, bbox.top);
    ctx.closePath();
  }
  ctx.fill();
  ctx.restore();
}

export function drawLabels(u: uPlot, { data, color }: Picture): void {
  const { ctx, bbox } = u;
  const ratio = uPlot.pxRatio;
  const { width: wide } = ctx.canvas;
  ctx.save();
  ctx.font = `${10.5 * ratio}px ${FONT}`;
  ctx.fillStyle = color('var(--db-muted)');
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  let free = 0;
  for (const { at, label } of axisMarks(u, data)) {
    const size = ctx.measureText(label).width;
    const middle = xOf(u, at);
    const left = Math.min(Math.max(4 * ratio, middle - size / 2), wide - size - 4 * ratio);
    // A label that was moved may overlap its neighbour.
    if (left < free) continue;
    ctx.fillText(label, left, bbox.top + bbox.height + 6 * ratio);
    free = left + size + 8 * ratio;
  }
  drawCounts(u, data);
  ctx.restore();
}

function drawCounts(u: uPlot, data: ChartData): void {
  const { ctx, bbox } = u;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  for (const n of countsOn(u, data))
    ctx.fillText(shortCount(n), bbox.left - 6 * uPlot.pxRatio, Math.round(yOf(u, n)));
}
