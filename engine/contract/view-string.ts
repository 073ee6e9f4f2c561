/**
 * A view as a string that can be shared: `?q=QUERY&from=MICROS&to=MICROS&tz=ZONE&tab=NAME&sort=FIELD:desc`. Windows
 * put it in their address, cases store it as a saved search, reports read it.
 *
 * Invariants: `parseView` never throws; it omits values that it does not understand and keeps keys that it does not
 * know; `parseView(formatView(v))` equals `v`.
 */
import type { EpochMicros } from './event.ts';

interface ViewSort {
  readonly field: string;
  readonly descending: boolean;
}

/** A view: query, time range, list, tab and order. */
export interface View {
  readonly query: string;
  /** Half-open time range: `from` is included, `to` is not. */
  readonly from?: EpochMicros | undefined;
  readonly to?: EpochMicros | undefined;
  /** IANA zone or fixed offset; UTC if the string names none. */
  readonly zone: string;
  /** The open tab of the window. */
  readonly tab?: string | undefined;
  readonly sort?: ViewSort | undefined;
  /** Fields that top talkers are grouped by. */
  readonly by?: readonly string[] | undefined;
  /** Columns of the list, in their order. */
  readonly columns?: readonly string[] | undefined;
  /** Keys of a later version of Daybook with their values, in order. */
  readonly others?: readonly (readonly [string, string])[] | undefined;
}

const KNOWN: ReadonlySet<string> = new Set([
  'q',
  'from',
  'to',
  'tz',
  'tab',
  'sort',
  'by',
  'columns',
]);

/** Always in the same order, so that equal views give equal strings. UTC is omitted. */
export function formatView(view: View): string {
  const text = new URLSearchParams();
  text.append('q', view.query);
  if (view.from !== undefined) text.append('from', String(view.from));
  if (view.to !== undefined) text.append('to', String(view.to));
  if (view.zone !== 'UTC') text.append('tz', view.zone);
  if (view.tab !== undefined) text.append('tab', view.tab);
  if (view.sort !== undefined) {
    text.append('sort', `${view.sort.field}:${view.sort.descending ? 'desc' : 'asc'}`);
  }
  // Each field is a separate parameter: names of attributes may contain any character.
  for (const field of view.by ?? []) text.append('by', field);
  for (const field of view.columns ?? []) text.append('columns', field);
  for (const [key, value] of view.others ?? []) text.append(key, value);
  return `?${text.toString()}`;
}

/** The view that a string describes: with or without its `?`, or an address that ends with it. */
export function parseView(text: string): View {
  const mark = text.indexOf('?');
  const parameters = new URLSearchParams(mark < 0 ? text : text.slice(mark + 1));
  const one = (key: string): string | undefined => {
    const value = parameters.get(key);
    return value === null || value === '' ? undefined : value;
  };
  const all = (key: string): string[] | undefined => {
    const values = parameters.getAll(key).filter((value) => value !== '');
    return values.length === 0 ? undefined : values;
  };
  const others = [...parameters].filter(([key]) => !KNOWN.has(key));
  return {
    query: parameters.get('q') ?? '',
    from: microsOf(one('from')),
    to: microsOf(one('to')),
    zone: one('tz') ?? 'UTC',
    tab: one('tab'),
    sort: sortOf(one('sort')),
    by: all('by'),
    columns: all('columns'),
    others: others.length === 0 ? undefined : others,
  };
}

function microsOf(text: string | undefined): EpochMicros | undefined {
  if (text === undefined || !/^-?\d{1,16}$/.test(text)) return undefined;
  const micros = Number(text);
  return Number.isSafeInteger(micros) ? micros : undefined;
}

/** `FIELD`, `FIELD:asc` or `FIELD:desc`; names of fields may contain colons. */
function sortOf(text: string | undefined): ViewSort | undefined {
  if (text === undefined) return undefined;
  const at = text.lastIndexOf(':');
  const order = text.slice(at + 1);
  if (at < 0 || (order !== 'asc' && order !== 'desc')) return { field: text, descending: false };
  return at === 0 ? undefined : { field: text.slice(0, at), descending: order === 'desc' };
}
