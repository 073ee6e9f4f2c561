/** Lines of a list, and the values in one of them. */
import { LIST_LIMITS, ListError } from './list-error.ts';

/** Iterates over lines, skipping empty ones and comments. */
export class LineReader {
  /** Number of the last line read, from 1. */
  number = 0;
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
    if (text.startsWith('\u{feff}')) this.at = 1;
  }

  next(): string | undefined {
    for (let line = this.raw(); line !== undefined; line = this.raw())
      if (line !== '' && line[0] !== '#' && line.trim() !== '') return line;
    return undefined;
  }

  /** The next line, whatever it holds. */
  raw(): string | undefined {
    const { text, at } = this;
    if (at >= text.length) return undefined;
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    this.at = end + 1;
    this.number += 1;
    const last = end > at && text.charCodeAt(end - 1) === 13 ? end - 1 : end;
    return text.slice(at, last);
  }
}

/** The delimiter of a line; undefined: it has one value. */
export function delimiterOf(line: string): string | undefined {
  const plain = unquoted(line);
  return ['\t', ',', ';'].find((one) => plain.includes(one));
}

/** The text outside of closed quotes. A pattern would need memory for every character. */
function unquoted(line: string): string {
  const parts: string[] = [];
  for (let at = 0; ;) {
    const quote = line.indexOf('"', at);
    const end = quote < 0 ? undefined : quotedEnd(line, quote);
    parts.push(line.slice(at, end === undefined ? undefined : quote));
    if (end === undefined) return parts.join('');
    at = end;
  }
}

/** Where the text that begins with the quote at `at` ends; if it is not closed, at its last quote, if any. */
function quotedEnd(line: string, at: number): number | undefined {
  let last: number | undefined;
  for (let from = at + 1; ;) {
    const quote = line.indexOf('"', from);
    if (quote < 0) return last;
    if (line[quote + 1] !== '"') return quote + 1;
    last = quote + 1;
    from = quote + 2;
  }
}

/** Quoted values may contain separators, quotes (`""`) and line ends, for which further lines are read. */
export function cellsOf(line: string, delimiter: string, reader: LineReader): string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const from = reader.number;
  const cells: string[] = [];
  let rest = line;
  for (let at = 0; ;) {
    if (rest[at] !== '"') {
      const end = rest.indexOf(delimiter, at);
      cells.push(end < 0 ? rest.slice(at) : rest.slice(at, end));
      if (end < 0) return cells;
      at = end + 1;
      continue;
    }
    let cell = '';
    for (at += 1; ;) {
      const quote = rest.indexOf('"', at);
      if (quote < 0) {
        cell += `${rest.slice(at)}\n`;
        const more = cell.length > LIST_LIMITS.value ? undefined : reader.raw();
        if (more === undefined) throw new ListError('usage', from, 'a quote " that is not closed');
        rest = more;
        at = 0;
      } else if (rest[quote + 1] === '"') {
        cell += rest.slice(at, quote + 1);
        at = quote + 2;
      } else {
        cell += rest.slice(at, quote);
        at = quote + 1;
        break;
      }
    }
    cells.push(cell);
    if (at >= rest.length) return cells;
    if (rest[at] !== delimiter) throw new ListError('usage', from, 'text after a value in quotes');
    at += 1;
  }
}

/** @throws ListError if it is not an object */
export function jsonObject(line: string, number: number): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw new ListError('usage', number, 'not a JSON object', 'NDJSON has one object per line');
}
