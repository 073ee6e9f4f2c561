/** How each column of the table looks: width, face, side. */
import { columnLabel, SUMMARY } from '../../widgets/event-columns.ts';
import { cell } from '../../../engine/contract/column-batch.ts';
import type { Page } from './page-cache.ts';

export interface EventColumn {
  readonly name: string;
  readonly label: string;
  /** Pixels, unless a person sized it. */
  readonly width: number;
  /** Pixels that it may shrink to where the table is narrow. */
  readonly least: number;
  /** Pixels of the longest text that the first rows have in it, if they are there. */
  readonly wanted: number;
  /** The first rows have nothing in it. */
  readonly isEmpty: boolean;
  /** Takes what is left of the width. */
  readonly fills: boolean;
  /** Says from where to where as well: the columns of addresses gave way. */
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

/** Of one character of the fixed-width face at the table's size. */
export const CHARACTER = 6.95;
export const CELL_PADDING = 14;

/** Of a column that is as wide as what it holds. */
const WIDEST = 330;
const WIDEST_OF: Readonly<Record<string, number>> = { host: 180, program: 160, user: 160 };

/** Columns that are as wide as the widest value seen, not that of the first rows: what is cut is another value. */
export const isWhole = (name: string): boolean => NUMBERS.has(name) || ADDRESSES.has(name);

/** Characters of the longest text in each of these columns of these rows; 0 where no row has anything. */
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

/** What rows must be read with so that these columns and the menus on their cells have what they need. */
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

/** Of the width for the column that fills it: more where its texts are long and others leave it room. */
function fillShare(wanted: number, others: number): string {
  if (wanted <= READABLE) return '30%';
  return `min(42%, ${wanted}px, calc(100% - ${others}px))`;
}

/** What a column that fills the table should have at least to be read. */
const READABLE = 260;
/** More of it where addresses come before it, `192.168.100.101 → 198.51.100.102:443 `: worth more than a program or user. */
const WITH_ENDS = READABLE + Math.ceil(26 * CHARACTER);
/** What it is given before empty columns are, where its texts are so long. */
const ROOMY = 900;
/** Of columns that nobody chose: those that a narrow table does without, in this order; empty ones first. */
const DISPENSABLE = ['program', 'user', 'host'];

/** What goes into the column that fills the table when it is narrower still. */
const ENDS: ReadonlySet<string> = new Set(['src_ip', 'dst_ip', 'dst_port']);

/**
 * Columns that fit a table of this width, of columns that nobody chose.
 * @param sorted the column that the table is sorted by, whose heading says so
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
  // The room that addresses had may be enough for what was given up before them.
  let given = columns.filter((column) => left.includes(column) || !empty.includes(column));
  for (const name of DISPENSABLE) {
    if (fits(folded(given), false, name === 'host' ? READABLE : WITH_ENDS)) break;
    given = given.filter((column) => column.name !== name);
  }
  return folded(given);
}

/**
 * The fields that a table of these columns shows. Addresses that gave way to a message are seen before it.
 * @param names the fields that the columns were chosen of
 */
export function fieldsShown(columns: readonly EventColumn[], names: readonly string[]): string[] {
  return columns.flatMap(({ name, ends }) =>
    ends ? [...names.filter((one) => ENDS.has(one)), name] : [name],
  );
}
