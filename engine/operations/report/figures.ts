/** Numbers, sizes and times as the report writes them. */
import { counted } from '../../contract/words/counted.ts';
import type { EpochMicros } from '../../contract/event.ts';
import { formatTime } from '../../query/index.ts';
import { markup, type Html } from './html.ts';

export function number(value: number): string {
  return value.toLocaleString('en-US');
}

export function bytesText(bytes: number): string {
  const exact = counted(bytes, 'byte');
  return bytes < 1000 ? exact : `${shortBytes(bytes)} (${exact})`;
}

/** To one digit after the point: `1.2 MB`. */
export function shortBytes(bytes: number): string {
  const units = ['byte', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return unit === 0 ? counted(bytes, 'byte') : `${value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** A time with whole seconds in the report's zone. */
export function time(micros: EpochMicros | undefined, zone: string): Html | undefined {
  return micros === undefined
    ? undefined
    : markup`<span class="time">${formatTime(micros, 0, 0, zone)}</span>`;
}

/** A time that is text already; in a narrow column it is broken after its date. */
export function timeText(text: string): Html {
  const at = text.indexOf('T') + 1;
  return markup`<span class="time">${text.slice(0, at)}</span><wbr><span class="time">${text.slice(at)}</span>`;
}

/** A time of the catalog (RFC 3339, UTC) in the report's zone. */
export function recorded(at: string, zone: string): Html {
  return markup`<span class="time">${recordedText(at, zone)}</span>`;
}

/** The same as text. */
export function recordedText(at: string, zone: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? at : formatTime(ms * 1000, 0, 0, zone);
}

export function hash(sha256: string | undefined): Html | undefined {
  return sha256 === undefined ? undefined : markup`<code class="hash">${sha256}</code>`;
}
