/**
 * Determines from the first bytes of a content its dialect, where its rows begin and the names of its columns.
 * Invariants: it never throws, and the result depends on these bytes alone.
 */
import { type Detected, fits, type Head, withDefaults } from './detected.ts';
import { detectJson, isMostlyObjects } from './json/detect-json.ts';
import { isUtf8 } from 'node:buffer';
import { headAsText } from '../shared/lines.ts';
import { isAddress } from './dialects/dialect.ts';
import { nfdumpText, readHeading } from './dialects/nfdump-text.ts';
import { TABLE_DIALECTS } from './dialects/registry.ts';
import { isZeek, zeekLog, zeekTsv } from './dialects/zeek.ts';
import { simplify } from './fields.ts';
import { guessMapping, isDateTime, timeByValues } from './guess.ts';

/** Bytes of a content that detection reads, unless the first line is longer. */
export const HEAD_BYTES = 64 * 1024;
const SAMPLE_LINES = 200;
const MOST_GUESSED_COLUMNS = 2000;

/** A damaged row may contain a NUL or two; a first line with one, or many of them, is not a table. */
function isBinary(text: string): boolean {
  const first = text.indexOf('\0');
  if (first < 0) return false;
  const lineEnd = text.indexOf('\n');
  if (lineEnd < 0 || first < lineEnd) return true;
  return text.split('\0').length - 1 > text.length / 64;
}

const windows1252 = new TextDecoder('windows-1252');
const LF = 10;

/** Decoded like the cells of rows: a line that is not UTF-8 is Windows-1252, unless it is merely truncated. */
function decoded(head: Uint8Array): string {
  if (isUtf8(head)) return new TextDecoder().decode(head);
  let text = '';
  for (let at = 0; at < head.length;) {
    const end = head.indexOf(LF, at) + 1;
    const line = head.subarray(at, end === 0 ? head.length : end);
    text += (end === 0 || isUtf8(line) ? new TextDecoder() : windows1252).decode(line);
    at += line.length;
  }
  return text;
}

/** Separators in sequences of JSON texts (RFC 7464). */
const RECORD_SEPARATORS = /^\x1e/gm;

/** The head as text; undefined for binary content. */
function readHead(head: Uint8Array, complete: boolean): Head | undefined {
  const text = decoded(headAsText(head)).replaceAll(RECORD_SEPARATORS, '');
  if (isBinary(text.slice(0, 8192))) return undefined;
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const last = lines.at(-1);
  if (lines.length > 1 && (last === '' || !complete)) lines.pop();
  return { lines: lines.slice(0, SAMPLE_LINES), text };
}

/** Splits a line of the head, with quotes as in RFC 4180. Undefined if a quote stays open. */
function cutRow(line: string, delimiter: string, quoted: boolean): string[] | undefined {
  if (!quoted || !line.includes('"')) return line.split(delimiter);
  const cells: string[] = [];
  let cell = '';
  let inside = false;
  let fresh = true;
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!;
    if (inside) {
      if (char !== '"') cell += char;
      else if (line[i + 1] === '"') {
        cell += '"';
        i += 1;
      } else inside = false;
    } else if (char === delimiter) {
      cells.push(cell);
      cell = '';
      fresh = true;
      continue;
    } else if (char === '"' && fresh) inside = true;
    else cell += char;
    fresh = false;
  }
  cells.push(cell);
  return inside ? undefined : cells;
}

/** The same for a single line: an open quote is ignored. */
function cut(line: string, delimiter: string, quoted: boolean): string[] {
  return cutRow(line, delimiter, quoted) ?? line.split(delimiter);
}

/** Lines of a row whose quotes are open, for a sample. */
const SAMPLE_ROW_LINES = 20;

/** The rows of the head that are whole; rows over several lines are joined. */
function rowsOf(lines: readonly string[], delimiter: string): string[][] {
  const rows: string[][] = [];
  for (let i = 0; i < lines.length; i++) {
    let text = lines[i]!;
    if (text.trim() === '') continue;
    let cells = cutRow(text, delimiter, true);
    let more = i;
    while (cells === undefined && more + 1 < lines.length && more - i < SAMPLE_ROW_LINES) {
      more += 1;
      text += `\n${lines[more]!}`;
      cells = cutRow(text, delimiter, true);
    }
    if (cells === undefined) continue;
    if (cells.length > 1 && cells.at(-1) === '') cells.pop();
    rows.push(cells);
    i = more;
  }
  return rows;
}

/** The first rows of a content that `detect` has judged by the same head. */
export function sampleRows(
  head: Uint8Array,
  complete: boolean,
  { sample, skipLines, delimiter, shape }: Detected,
): readonly string[][] {
  if (sample.length > 0 || shape !== 'table') return sample;
  const lines = readHead(head, complete)?.lines ?? [];
  return rowsOf(lines.slice(skipLines, skipLines + 50), String.fromCharCode(delimiter));
}

/** Cells of a heading without the empty one that a delimiter at its end makes. */
function heading(line: string, delimiter: string, quoted: boolean): string[] {
  const cells = cut(line, delimiter, quoted).map((cell) => cell.trim());
  if (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells;
}

const DELIMITERS = [',', '\t', ';', '|', ' '];

/**
 * @param head the first bytes of the content, at least `HEAD_BYTES` of them if the content has as many
 * @param complete whether that is all of it
 * @param asked the requested format: used unless the content contradicts it
 */
export function detect(head: Uint8Array, complete: boolean, asked = ''): Detected | undefined {
  const start = readHead(head, complete);
  if (start === undefined || start.text.trim() === '') return undefined;
  const { lines } = start;
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) return undefined;
  const opening = lines[first]!.trimStart();
  if (opening.startsWith('{') || opening.startsWith('[') || isMostlyObjects(lines)) {
    const json = detectJson(start, first, asked);
    if (json !== undefined) return json;
  }
  let at = first;
  let zeekDirectives = false;
  while (
    at < lines.length &&
    (lines[at]!.trimStart().startsWith('#') || lines[at]!.trim() === '')
  ) {
    if (/^\s*#(?:separator|fields|path)\b/.test(lines[at]!)) zeekDirectives = true;
    at += 1;
  }
  if (zeekDirectives) return detectZeek(lines);
  if (at === lines.length) return undefined;
  let excelDelimiter: string | undefined;
  const hint = /^sep=(.)$/.exec(lines[at]!);
  if (hint !== null) {
    excelDelimiter = hint[1];
    at += 1;
    if (at === lines.length) return undefined;
  }
  const text = readHeading(lines[at]!);
  if (text !== undefined) {
    return {
      score: 0.98,
      format: 'nfdump-text',
      shape: 'nfdump-text',
      dialect: nfdumpText,
      delimiter: 32,
      quoted: false,
      skipLines: at + 1,
      headingLine: at,
      columns: text.names,
      sample: [],
      lists: false,
    };
  }
  const rest = lines.slice(at);
  return (
    detectHeading(rest, at) ??
    detectHeadless(rest, at) ??
    detectEventViewer(rest, at) ??
    detectTable(rest, at, excelDelimiter, asked) ??
    (complete ? detectHeadingAlone(rest, at) : undefined)
  );
}

/** Zeek's TSV: everything else about it is read from its directives. */
function detectZeek(lines: readonly string[]): Detected {
  const named = lines.find((line) => line.startsWith('#fields'));
  const columns = named === undefined ? [] : named.slice(8).split(named[7] ?? '\t');
  return withDefaults(
    { score: 1, format: 'zeek-tsv', shape: 'zeek', dialect: zeekTsv, quoted: false, columns },
    '\t',
  );
}

function detectHeading(lines: readonly string[], at: number): Detected | undefined {
  for (const delimiter of DELIMITERS) {
    const columns = heading(lines[0]!, delimiter, true);
    const names = new Set(columns.map(simplify));
    const place = { skipLines: at + 1, headingLine: at, columns };
    if (names.size >= 2 && delimiter !== ' ') {
      // Zeek's names with a dot are unique to it; the others only count between TABs.
      const isUnique = columns.includes('id.orig_h') || (delimiter === '\t' && isZeek(names));
      if (isUnique) {
        const dialect = zeekLog(undefined, names, 'zeek-cut');
        return withDefaults(
          { score: 0.9, format: 'zeek-cut', dialect, quoted: false, ...place },
          delimiter,
        );
      }
    }
    for (const dialect of TABLE_DIALECTS) {
      if (!fits(dialect, names)) continue;
      if (delimiter === ' ' && dialect.id !== 'aws-vpc-flow') continue;
      const quoted = dialect.unquoted !== true;
      return withDefaults(
        { score: 0.95, format: dialect.id, dialect, quoted, ...place },
        delimiter,
      );
    }
  }
  return undefined;
}

function detectHeadless(lines: readonly string[], at: number): Detected | undefined {
  for (const dialect of TABLE_DIALECTS) {
    if (dialect.headerless === undefined) continue;
    for (const delimiter of DELIMITERS) {
      const columns = dialect.headerless(
        cut(lines[0]!, delimiter, true).map((cell) => cell.trim()),
      );
      if (columns === undefined) continue;
      const quoted = dialect.unquoted !== true;
      return withDefaults(
        { score: 0.9, format: dialect.id, dialect, quoted, skipLines: at, columns },
        delimiter,
      );
    }
  }
  return undefined;
}

/** What Windows' Event Viewer calls its columns in English; it writes the message after them, without a name. */
const EVENT_VIEWER = ['Date and Time', 'Source', 'Event ID', 'Task Category', 'Message'];

/** Windows' Event Viewer, "Save All Events As", CSV or text with tabs: names in the language of that Windows. */
function detectEventViewer(lines: readonly string[], at: number): Detected | undefined {
  const width = EVENT_VIEWER.length + 1;
  for (const delimiter of [',', '\t']) {
    const names = heading(lines[0]!, delimiter, true);
    const isHeading = names.every((name) => COLUMN_NAME.test(name));
    const row = lines[1];
    if (names.length !== width - 1 || !isHeading || row === undefined) continue;
    // In all languages its name is of several words, or not in ASCII; other tables name such a column `timestamp`.
    if (/^[!-~]*$/.test(names[1]!)) continue;
    // The message of the first row may go on for many lines.
    const cells = cutRow(row, delimiter, true) ?? cutRow(`${row}"`, delimiter, true) ?? [];
    const [level = '', time = '', , id = ''] = cells;
    if (cells.length !== width || cells.at(-1) === '' || /\d/.test(level)) continue;
    if (!isDateTime(time) || !/^\d{1,5}$/.test(id)) continue;
    const sample = rowsOf(lines.slice(1), delimiter).filter(({ length }) => length === width);
    const place = { skipLines: at + 1, headingLine: at, sample: sample.slice(0, 50) };
    const columns = [names[0]!, ...EVENT_VIEWER];
    return withDefaults({ score: 0.95, format: 'table', columns, ...place }, delimiter);
  }
  return undefined;
}

const BODYFILE = 'md5 name inode mode_as_string uid gid size atime mtime ctime crtime'.split(' ');
const HASH_OR_0 = /^(?:0|[0-9a-f]{32})$/i;
const TIME_OR_0 = /^-?\d{1,12}(?:\.\d{1,9})?$/;

/** The columns of The Sleuth Kit's bodyfile, which has no heading: https://wiki.sleuthkit.org/index.php?title=Body_file */
function bodyfileColumns(cells: readonly string[]): readonly string[] | undefined {
  const isOne =
    cells.length === BODYFILE.length &&
    HASH_OR_0.test(cells[0]!) &&
    cells.slice(7).every((cell) => TIME_OR_0.test(cell)) &&
    /^\d*$/.test(cells[6]!);
  return isOne ? BODYFILE : undefined;
}

/** A cell in a header of CEF or LEEF: up to an unescaped bar. */
const CELL = String.raw`(?:[^|\\]|\\.)*\|`;
/** `CEF:0|Vendor|Product|1.0|100|Name|5|src=…`, `LEEF:1.0|Vendor|Product|1.0|100|src=…`, and both without their names. */
const EVENT_FORMAT = new RegExp(
  `^(?:(?:CEF|LEEF): ?[012]|(?:[01]\\|(?:${CELL}){6}|[12]\\.0\\|(?:${CELL}){4,5}) ?[A-Za-z]\\w*=)`,
);

/** Any other table: as many cells in every line. */
function detectTable(
  lines: readonly string[],
  at: number,
  hint: string | undefined,
  asked: string,
): Detected | undefined {
  const forced = asked !== '';
  let delimiter: string | undefined = hint;
  let most = 1;
  for (const candidate of hint === undefined ? [',', '\t', ';', '|'] : []) {
    const cells = heading(lines[0]!, candidate, true).length;
    if (cells <= most) continue;
    const rows = rowsOf(lines, candidate);
    // An empty last cell may be missing: one cell less is equivalent.
    const fitting = rows.filter((row) => row.length === cells || row.length === cells - 1).length;
    if (fitting < Math.max(1, rows.length * 0.8)) continue;
    most = cells;
    delimiter = candidate;
  }
  if (delimiter === undefined) {
    if (!forced) return undefined;
    delimiter = ',';
  }
  // The header of CEF and LEEF has bars, followed by pairs: not a table, whatever its lines have in common.
  if (delimiter === '|' && !forced && EVENT_FORMAT.test(lines[0]!)) return undefined;
  const separator = delimiter;
  const cells = heading(lines[0]!, separator, true);
  const rows = rowsOf(lines.slice(1), separator);
  const bodyfile = separator === '|' ? bodyfileColumns(cells) : undefined;
  if (bodyfile !== undefined)
    return withDefaults(
      {
        score: 0.95,
        format: 'table',
        quoted: false,
        skipLines: at,
        columns: bodyfile,
        sample: [cells, ...rows],
      },
      separator,
    );
  const isData = cells.some((cell) => looksLikeData(cell)) || cells.every((cell) => cell === '');
  const columns = isData ? cells.map((_, i) => `column${i + 1}`) : cells;
  const sample = isData ? [cells, ...rows] : rows;
  const guess = guessMapping(columns.slice(0, MOST_GUESSED_COLUMNS), sample.slice(0, 50));
  const fields = Object.keys(guess.fields);
  const both = fields.includes('src_ip') && fields.includes('dst_ip');
  // A sentence with commas is not a heading.
  const mayBeFirst = isData || cells.every((cell) => cell === '' || COLUMN_NAME.test(cell));
  let score = 0;
  // A heading that names both ends is not a log's, even if each row has a time.
  if (both && !isData && rows.length > 0) score = 0.85;
  else if (!isData && isTableOfNames(cells, rows, isSentence(lines[0]!, separator))) score = 0.92;
  else if (both || fields.length >= 4) score = 0.6;
  else if (lines.length >= 2 && cells.length >= 3 && fields.length >= 1) score = 0.35;
  else if (lines.length >= 3 && cells.length >= 3 && mayBeFirst) score = 0.2;
  if (isData) score /= 2;
  if (score === 0 && !forced) return undefined;
  const dialect = TABLE_DIALECTS.find(({ id }) => id === asked);
  return withDefaults(
    {
      score: Math.max(score, 0.1),
      format: dialect?.id ?? 'table',
      dialect,
      quoted: dialect?.unquoted !== true,
      skipLines: isData ? at : at + 1,
      headingLine: isData ? -1 : at,
      columns,
      sample: sample.slice(0, 50),
    },
    separator,
  );
}

/** A table without a row: nothing but names, one of them of a time. */
function detectHeadingAlone(lines: readonly string[], at: number): Detected | undefined {
  if (lines.some((line, i) => i > 0 && line.trim() !== '')) return undefined;
  const delimiter = [',', '\t', ';', '|'].find((one) => {
    const cells = heading(lines[0]!, one, true);
    const isNames =
      cells.length >= 3 &&
      new Set(cells).size === cells.length &&
      cells.every((cell) => COLUMN_NAME.test(cell) && SHORT_NAME.test(cell));
    return isNames && guessMapping(cells, []).fields['ts'] !== undefined;
  });
  if (delimiter === undefined || isSentence(lines[0]!, delimiter)) return undefined;
  const columns = heading(lines[0]!, delimiter, true);
  return withDefaults(
    { score: 0.7, format: 'table', columns, skipLines: at + 1, headingLine: at },
    delimiter,
  );
}

/** A column's name in any language: words, perhaps with punctuation, that are not data. */
const COLUMN_NAME =
  /^[\p{L}_@#$%№\ufffd][\p{L}\p{M}\p{N} _.:/\\()[\]%#@$*&+<>=?\-'’°ºª№·・（）\ufffd]{0,63}$/u;
const SHORT_NAME = /^\S+(?: \S+){0,2}$/;
const DIGIT = /\p{N}/u;
/** The beginning of a log's line: a bracket, or a time followed by words. */
const LOG_START = /^[[(<].*\d|\d:\d\d\S*\s+(?:\S+\s+\S|\S*[=:[(])/;
/** Characters within which it is. */
const MOST_START = 128;
/** Milliseconds after a comma, with words after them. */
const LOG_FRACTION = /^\d{3}\s/;

/** Whether delimiters have spaces after them, as commas in sentences do. */
function isSentence(line: string, delimiter: string): boolean {
  const [, ...others] = cut(line, delimiter, true);
  return delimiter !== '\t' && others.every((cell) => cell === '' || cell.startsWith(' '));
}

function isLogLine([first = '', second = '']: readonly string[]): boolean {
  const cell = first.trim().slice(0, MOST_START);
  return isDateTime(cell) ? LOG_FRACTION.test(second) : LOG_START.test(cell);
}

/**
 * Whether a first line, however short, consists of column names and is not an event: names (distinct, if none means
 * a time), as many cells in every row, and times in a column identified by name or by its position in all rows, or
 * digits in all cells of a column whose name has none. The first line of a log may be truncated, and have as many
 * commas as the others.
 * @param isSentence whether the first line's delimiters look like those of a sentence
 */
function isTableOfNames(
  cells: readonly string[],
  rows: readonly string[][],
  isSentence: boolean,
): boolean {
  if (rows.length === 0) return false;
  if (!cells.every((cell) => cell === '' || COLUMN_NAME.test(cell))) return false;
  const isUnlike = !cells.includes('') && new Set(cells).size === cells.length;
  const sample = rows.slice(0, 50);
  // An empty last cell may be missing.
  const width = (row: readonly string[]): boolean =>
    row.length === cells.length || row.length === cells.length - 1;
  if (!sample.every(width)) return false;
  const { fields } = guessMapping(cells.slice(0, MOST_GUESSED_COLUMNS), sample);
  if (fields['ts'] !== undefined || fields['ts_date'] !== undefined) return true;
  // If names are missing or repeated, one must mean a time.
  if (!isUnlike) return false;
  if (sample.filter(isLogLine).length * 2 > sample.length) return false;
  const hasAlways = (test: (cell: string) => boolean): boolean =>
    cells.some((name, i) => !test(name) && sample.every((row) => test((row[i] ?? '').trim())));
  // With a single row the names must be short.
  const isWide = cells.length >= 4 && cells.every((cell) => SHORT_NAME.test(cell));
  if ((sample.length >= 2 && cells.length >= 3) || isWide)
    return (
      hasAlways((cell) => isDateTime(cell)) ||
      (!isSentence && hasAlways((cell) => DIGIT.test(cell)))
    );
  return !isSentence && sample.length >= 3 && Object.keys(timeByValues(cells, sample)).length > 0;
}

/** Whether a cell cannot be a name: an address, a number or a time. */
function looksLikeData(cell: string): boolean {
  if (cell.length > 64) return false;
  return (/\d/.test(cell) && /^[\d.:+\-/ TZ]+$/.test(cell)) || isAddress(cell);
}
