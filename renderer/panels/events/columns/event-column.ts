/** The look of each column of the table: width, typeface, alignment. */
import { columnLabel, SUMMARY } from '../../../widgets/event-columns.ts';
import { cell } from '../../../../engine/contract/wire/column-batch.ts';
import type { Page } from '../rows/page-cache.ts';

export interface EventColumn {
  readonly name: string;
  readonly label: string;
  /** Pixels, unless a person sized it. */
  readonly width: number;
  /** Pixels to which it may shrink where the table is narrow. */
  readonly least: number;
  /** Pixels of the longest text in the first rows, if there are rows. */
  readonly wanted: number;
  /** No value in the first rows. */
  readonly isEmpty: boolean;
  /** Takes the remaining width. */
  readonly fills: boolean;
  /** Shows source and destination as well, as the columns of addresses are hidden. */
  readonly ends: boolean;
  readonly type: 'time' | 'kind' | 'number' | 'text';
}

const NUMBERS: ReadonlySet<string> = new Set([
  ...['src_port', 'dst_port', 'bytes', 'packets', 'bytes_rev', 'packets_rev', 'orig_bytes'],
  ...['resp_bytes', 'missed_bytes', 'duration', 'offset', 'length', 'captured', 'pid', 'vlan'],
  ...['seq', 'source_id', 'flow_id'],
]);

const ADDRESSES: ReadonlySet<string> = new Set(['src_ip', 'dst_ip']);

const WIDTHS: Readonly<Record<string, number>> = {
  kind: 78,
  src_ip: 119,
  dst_ip: 119,
  src_port: 58,
  dst_port: 52,
  host: 84,
  program: 78,
  user: 84,
  proto: 52,
  severity: 72,
  facility: 72,
  event_id: 84,
  source: 150,
  tag: 110,
  message: 360,
  [SUMMARY]: 150,
};

const LEAST: Readonly<Record<string, number>> = {
  host: 56,
  program: 56,
  user: 56,
};

/** Width of the tags' colours, before the first column. */
export const STRIPES = 14;

/** Width of a character of the fixed-width face at the table's size. */
export const CHARACTER = 6.95;
export const CELL_PADDING = 14;

/** The widest that a column fitted to its contents becomes. */
const WIDEST = 330;
const WIDEST_OF: Readonly<Record<string, number>> = { host: 180, program: 160, user: 160 };

/**
 * Columns as wide as the widest value seen, not only in the first rows: a truncated value looks like another value.
 */
export const isWhole = (name: string): boolean => NUMBERS.has(name) || ADDRESSES.has(name);

/** Characters of the longest text in each of these columns in these rows; 0 where no row has a value. */
export function contentLengths(
  page: Page,
  isMeasured: (name: string) => boolean = () => true,
): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>();
  for (const [name, column] of page.columns) {
    if (!isMeasured(name)) continue;
    let longest = 0;
    for (let row = 0; row < page.rows; row++) {
      const value = cell(column, row);
      if (value !== null) longest = Math.max(longest, String(value).length);
    }
    lengths.set(name, longest);
  }
  return lengths;
}

/**
 * @param timeCharacters how long the longest time is
 * @param length characters of the longest text that the first rows have in the column, if they are there
 */
export function eventColumn(name: string, timeCharacters: number, length?: number): EventColumn {
  const type =
    name === 'ts' ? 'time' : name === 'kind' ? 'kind' : NUMBERS.has(name) ? 'number' : 'text';
  const time = Math.ceil(timeCharacters * CHARACTER) + CELL_PADDING;
  const usual = type === 'time' ? time : (WIDTHS[name] ?? (type === 'number' ? 76 : 120));
  const needed = Math.ceil((length ?? 0) * CHARACTER) + CELL_PADDING;
  const width =
    type === 'number'
      ? Math.max(usual, needed)
      : type === 'text' && name !== SUMMARY
        ? Math.max(usual, Math.min(needed, WIDEST_OF[name] ?? WIDEST))
        : usual;
  return {
    name,
    label: columnLabel(name),
    width,
    // A number that is cut is another number, and an address another address.
    least: isWhole(name) ? width : (LEAST[name] ?? usual),
    wanted: needed,
    isEmpty: length === 0,
    fills: name === SUMMARY,
    ends: false,
    type,
  };
}

/** The fields to read for these columns and for the menus of their cells. */
export function fieldsToRead(columns: readonly string[]): string[] {
  const needed = [...columns, 'src_ip', 'src_port', 'dst_ip', 'dst_port', 'proto'];
  return [...new Set(needed)].filter((name) => name !== 'ts' && name !== 'kind');
}

/**
 * The columns as tracks of a CSS grid, and the pixels they need at least. Columns that a person sized
 * are as wide as that; others shrink before the table scrolls sideways, and one fills it.
 */
export function tracksOf(
  columns: readonly EventColumn[],
  sizes: Readonly<Record<string, number>>,
): { tracks: string; least: number } {
  let sum = 0;
  const others = columns.reduce(
    (all, { name, least, fills }) => all + (fills ? 0 : (sizes[name] ?? least)),
    STRIPES,
  );
  const tracks = columns.map(({ name, width, least, wanted, fills }) => {
    const sized = sizes[name];
    sum += sized ?? least;
    if (fills) return `minmax(max(${sized ?? width}px, ${fillShare(wanted, others)}), 1fr)`;
    return sized === undefined && least < width
      ? `minmax(${least}px, ${width}px)`
      : `${sized ?? width}px`;
  });
  return { tracks: tracks.join(' '), least: sum };
}

/** Share of the width for the column that fills it: larger if its texts are long and others leave room. */
function fillShare(wanted: number, others: number): string {
  if (wanted <= READABLE) return '30%';
  return `min(42%, ${wanted}px, calc(100% - ${others}px))`;
}

/** The least readable width of a column that fills the table. */
const READABLE = 260;
/** More if addresses precede it, `192.168.100.101 → 198.51.100.102:443 `: worth more than a program or user. */
const WITH_ENDS = READABLE + Math.ceil(26 * CHARACTER);
/** Its width before empty columns get any, if its texts are that long. */
const ROOMY = 900;
/** Default columns that a narrow table hides, in this order; empty ones first. */
const DISPENSABLE = ['program', 'user', 'host'];

/** Columns merged into the one that fills the table when it is narrower still. */
const ENDS: ReadonlySet<string> = new Set(['src_ip', 'dst_ip', 'dst_port']);

/**
 * The default columns that fit a table of this width.
 * @param sorted the column by which the table is sorted, whose heading says so
 */
export function fittingWidth(
  columns: readonly EventColumn[],
  width: number,
  sorted: string | undefined,
): EventColumn[] {
  const fits = (chosen: readonly EventColumn[], roomy = false, readable = READABLE): boolean =>
    chosen.reduce((sum, { fills, width: full, least, wanted }) => {
      if (!fills) return sum + (roomy ? full : least);
      return sum + Math.max(readable, roomy ? Math.min(wanted, ROOMY) : 0);
    }, 0) <= width;
  let left = [...columns];
  const isDispensable = ({ name }: EventColumn): boolean =>
    name !== sorted && (DISPENSABLE.includes(name) || ENDS.has(name));
  const empty = left.filter((column) => column.isEmpty && isDispensable(column));
  if (!fits(left, true)) left = left.filter((column) => !empty.includes(column));
  for (const name of DISPENSABLE) {
    if (fits(left)) return left;
    left = left.filter((column) => column.name !== name);
  }
  const folds =
    left.some(({ fills }) => fills) &&
    left.some(({ name }) => ENDS.has(name)) &&
    (sorted === undefined || !ENDS.has(sorted));
  if (fits(left) || !folds) return left;
  const folded = (chosen: readonly EventColumn[]): EventColumn[] =>
    chosen
      .filter(({ name }) => !ENDS.has(name))
      .map((column) => (column.fills ? { ...column, ends: true } : column));
  // The space freed by addresses may suffice for a column that was hidden before them.
  let given = columns.filter((column) => left.includes(column) || !empty.includes(column));
  for (const name of DISPENSABLE) {
    if (fits(folded(given), false, name === 'host' ? READABLE : WITH_ENDS)) break;
    given = given.filter((column) => column.name !== name);
  }
  return folded(given);
}

/**
 * The fields shown by a table of these columns. Addresses that are hidden as columns precede the message.
 * @param names the fields of the chosen columns
 */
export function fieldsShown(columns: readonly EventColumn[], names: readonly string[]): string[] {
  return columns.flatMap(({ name, ends }) =>
    ends ? [...names.filter((one) => ENDS.has(one)), name] : [name],
  );
}
