/**
 * Printing on the command line. Text from evidence is hostile: on a terminal control characters are shown, never
 * sent.
 */
import { counted, nounOf } from '../../engine/contract/words/counted.ts';
import { once } from 'node:events';
import type { Cell } from '../../engine/operations/output/csv.ts';

/** Where a command writes; results and messages are never mixed. */
export interface Streams {
  out: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  err: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Shows control and direction-changing characters as `\n`, `\x1b` or `\u202e`. */
export function visible(text: string): string {
  return text.replace(CONTROL, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    const code = character.charCodeAt(0);
    return code < 256
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Writes, and waits if the reader is slow. */
export async function write(
  stream: NodeJS.WritableStream,
  bytes: string | Uint8Array,
): Promise<void> {
  if (!stream.write(bytes)) await once(stream, 'drain');
}

/** Length at which a cell is truncated on a terminal; on a narrow one, half of its width. */
const MAX_CELL = 60;
/** Characters to which a column is filled at most: one long value does not make every line long. */
const MAX_FILL = 60;

/** A table for people: numbers to the right, the last column cut at the terminal's width. */
export function table(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: number | undefined,
): string {
  return new TableLayout(names, width).add(rows);
}

/**
 * A table whose rows arrive in parts: columns of later parts are aligned with those of the first, which are as wide
 * as its values. Without a terminal (`width` undefined) values are not truncated.
 */
export class TableLayout {
  private readonly names: readonly string[];
  private readonly width: number | undefined;
  private readonly widths: number[];
  private numeric: readonly boolean[] | undefined;

  constructor(names: readonly string[], width: number | undefined) {
    // Series of a timeline and attributes are named by evidence.
    this.names = names.map(visible);
    this.width = width;
    this.widths = this.names.map((name) => name.length);
  }

  /** The lines of these rows; below the names, if they are the first. */
  add(rows: readonly (readonly Cell[])[]): string {
    const last = this.names.length - 1;
    const shown = rows.map((row) => this.names.map((_, i) => this.shown(row[i], i === last)));
    const first = this.numeric === undefined;
    this.numeric ??= this.names.map((_, i) => rows.every((row) => typeof row[i] !== 'string'));
    for (const row of shown) {
      row.forEach((text, i) => {
        const needed = Math.min(text.length, MAX_FILL);
        if (needed > this.widths[i]!) this.widths[i] = needed;
      });
    }
    const lines = shown.map((row) => this.line(row));
    return `${(first ? [this.line(this.names), ...lines] : lines).join('\n')}\n`;
  }

  private shown(cell: Cell, isLast: boolean): string {
    const text = cell === null || cell === undefined ? '' : visible(String(cell));
    if (isLast || this.width === undefined) return text;
    const most = Math.max(10, Math.min(MAX_CELL, this.width >>> 1));
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
  }

  private line(cells: readonly string[]): string {
    const text = cells
      .map((cell, column) => {
        if (this.numeric?.[column] === true) return cell.padStart(this.widths[column]!);
        return column === cells.length - 1 ? cell : cell.padEnd(this.widths[column]!);
      })
      .join('  ')
      .trimEnd();
    return this.width !== undefined && text.length > this.width
      ? `${text.slice(0, Math.max(10, this.width - 1))}…`
      : text;
  }
}

/** A note if a query omitted the packets beneath flows; otherwise empty. */
export function packetsLeftOut(beneath: { packets: number; exact: boolean } | undefined): string {
  if (beneath === undefined || beneath.packets === 0) return '';
  const packets = counted(beneath.packets, 'packet');
  const were = nounOf(beneath.packets, 'was', 'were');
  return `${beneath.exact ? '' : 'up to '}${packets} beneath flows ${were} left out (kind:* brings them in)\n`;
}

export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]!}`;
}

/** `1,234,567`. Whole numbers without the system's tables, which take longer to load than a command. */
export function count(number: number): string {
  if (!Number.isSafeInteger(number)) return number.toLocaleString('en-US');
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** UTC microseconds as RFC 3339 with six digits. */
export function isoMicros(micros: number | undefined): string | null {
  if (micros === undefined) return null;
  const seconds = Math.floor(micros / 1e6);
  const fraction = String(micros - seconds * 1e6).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${fraction}Z`;
}
