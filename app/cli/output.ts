/**
 * What the command line prints. Text from evidence is hostile: on a terminal control characters are
 * shown, never sent; in CSV, cells that a spreadsheet would run as formulas are defused.
 */
import { once } from 'node:events';

/** Where a command writes; results and messages never mix. */
export interface Streams {
  out: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  err: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
}

export type Cell = string | number | bigint | boolean | null | undefined;

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

/** Writes and waits when the reader is slow. */
export async function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}

/** One CSV record (RFC 4180, line feed at the end). */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}
function csvCell(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  let text = String(cell);
  if (typeof cell === 'string' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Characters of a cell shown in a table that is not the last column. */
const MAX_CELL = 60;

/** A table for people: numbers to the right, the last column cut at the terminal's width. */
export function table(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: number | undefined,
): string {
  const numeric = names.map((_, column) => rows.every((row) => typeof row[column] !== 'string'));
  const shown = rows.map((row) =>
    names.map((_, column) => {
      const cell = row[column];
      const text = cell === null || cell === undefined ? '' : visible(String(cell));
      return column < names.length - 1 && text.length > MAX_CELL
        ? `${text.slice(0, MAX_CELL - 1)}…`
        : text;
    }),
  );
  const widths = names.map((name, column) =>
    Math.max(name.length, ...shown.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]) => {
    const text = cells
      .map((cell, column) => {
        if (numeric[column] === true) return cell.padStart(widths[column]!);
        return column === cells.length - 1 ? cell : cell.padEnd(widths[column]!);
      })
      .join('  ');
    return width !== undefined && text.length > width
      ? `${text.slice(0, Math.max(10, width - 1))}…`
      : text;
  };
  return `${[line(names), ...shown.map(line)].join('\n')}\n`;
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

export function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** UTC microseconds as RFC 3339 with six digits. */
export function isoMicros(micros: number | undefined): string | null {
  if (micros === undefined) return null;
  const seconds = Math.floor(micros / 1e6);
  const fraction = String(micros - seconds * 1e6).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}.${fraction}Z`;
}
