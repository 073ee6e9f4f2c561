/** Counts over time as a drawing (SVG) with its figures; without a script, a style or a colour that must be seen. */
import { counted } from '../../contract/words/counted.ts';
import { axisTicks } from './axis-ticks.ts';
import { markup, plainText, type Html } from './html.ts';

export interface Bucket {
  /** As shown: RFC 3339 in the report's zone. */
  readonly start: string;
  readonly count: number;
}

const WIDTH = 760;
const HEIGHT = 150;
const LEFT = 52;
const BOTTOM = 22;
const TOP = 8;
/** A label this close to an end of the axis is not centred on its tick. */
const EDGE = 60;

/** @param id of the drawing in the page; its figures have `id` + `-figures` */
export function timelineChart(id: string, title: string, buckets: readonly Bucket[]): Html {
  const high = niceCeiling(buckets.reduce((most, { count }) => Math.max(most, count), 1));
  const width = (WIDTH - LEFT) / Math.max(1, buckets.length);
  const base = HEIGHT - BOTTOM;
  const y = (count: number): number => base - (count / high) * (base - TOP);
  const bars = buckets.map(({ start, count }, i) => {
    if (count === 0) return undefined;
    const top = Math.min(y(count), base - 1);
    return markup`<rect
      class="bar"
      x="${fixed(LEFT + i * width + 0.5)}"
      y="${fixed(top)}"
      width="${fixed(Math.max(1, width - 1))}"
      height="${fixed(base - top)}"
      ><title>${plainText(`${start}: ${count.toLocaleString('en-US')}`)}</title></rect
    > `;
  });
  const lines = [0.5, 1]
    .filter((share) => Number.isInteger(high * share))
    .map((share) => {
      const at = fixed(y(high * share));
      return markup`<line
        class="grid"
        x1="${fixed(LEFT)}"
        x2="${fixed(WIDTH)}"
        y1="${at}"
        y2="${at}"
      /><text x="${fixed(LEFT - 6)}" y="${fixed(y(high * share) + 4)}" text-anchor="end"
        >${high * share}</text
      >`;
    });
  const ticks = axisTicks(buckets.map(({ start }) => start)).map(({ place, label }) => {
    const at = LEFT + place * width;
    const anchor = at > WIDTH - EDGE ? 'end' : at < LEFT + EDGE ? 'start' : 'middle';
    return markup`<line
        class="axis"
        x1="${fixed(at)}"
        x2="${fixed(at)}"
        y1="${fixed(base)}"
        y2="${fixed(base + 4)}"
      /><text x="${fixed(at)}" y="${fixed(HEIGHT - 5)}" text-anchor="${anchor}">${label}</text>`;
  });
  return markup`<figure>
    <svg
      class="chart"
      viewBox="0 0 ${fixed(WIDTH)} ${fixed(HEIGHT)}"
      role="img"
      aria-labelledby="${id}-title"
    >
      <title id="${id}-title">${plainText(title)}</title>
      ${lines}${bars}
      <line
        class="axis"
        x1="${fixed(LEFT)}"
        x2="${fixed(WIDTH)}"
        y1="${fixed(base)}"
        y2="${fixed(base)}"
      />
      ${ticks}
    </svg>
    <figcaption>${title}. <a href="#${id}-figures">Figures</a></figcaption>
  </figure>`;
}

/** The same as a list: the values of the drawing's bars. Empty buckets are omitted. */
export function timelineFigures(id: string, title: string, buckets: readonly Bucket[]): Html {
  const there = buckets.filter(({ count }) => count > 0);
  return markup`<h3 id="${id}-figures">${title}</h3>
    <p class="soft">${counted(buckets.length, 'interval')}, ${there.length} of them with events.</p>
    <ol class="figures">
      ${there.map(
        ({ start, count }) => markup`<li><span>${shortTime(start)}</span><b>${count}</b></li> `,
      )}
    </ol>`;
}

/** A number for an attribute: at most two digits after the point. */
function fixed(value: number): Html {
  return plainText(String(Math.round(value * 100) / 100));
}

/** The next of 1, 2, 3, 4, 6, 8, 10, 20, … */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 3, 4, 6, 8, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}

function shortTime(start: string): string {
  return start
    .replace('T', ' ')
    .replace(/\.0+(?=Z|[+-]|$)/, '')
    .replace(/(?:Z|[+-]\d\d:\d\d)$/, '');
}
