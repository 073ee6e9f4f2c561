/**
 * A view as a string that can be shared: `?q=QUERY&from=MICROS&to=MICROS&tz=ZONE&tab=NAME&sort=FIELD:desc`.
 * Windows put it in their address, cases keep it as a saved search, reports read it.
 *
 * Holds always: `parseView` never throws, whatever it is given; what it does not understand in a value
 * it leaves out, keys it does not know it keeps; and `parseView(formatView(v))` equals `v`.
 */
import type { EpochMicros } from './event.ts';

interface ViewSort {
  readonly field: string;
  readonly descending: boolean;
}

/** A view: query, time range, list, tab and order. */
export interface View {
  readonly query: string;
  /** Half-open range of time: `from` is in it, `to` is not. */
  readonly from?: EpochMicros | undefined;
  readonly to?: EpochMicros | undefined;
  /** IANA zone or fixed offset; UTC when the string names none. */
  readonly zone: string;
  /** The tab of the window that is open. */
  readonly tab?: string | undefined;
  readonly sort?: ViewSort | undefined;
  /** Fields that top talkers are grouped by. */
  readonly by?: readonly string[] | undefined;
  /** Columns of the list, in their order. */
  readonly columns?: readonly string[] | undefined;
  /** Keys of a later Daybook, with their values, in their order. */
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

/** Always in the same order, so that equal views are equal strings. UTC is not written. */
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
  // Each field is a parameter of its own: names of attributes may contain any character.
  for (const field of view.by ?? []) text.append('by', field);
  for (const field of view.columns ?? []) text.append('columns', field);
  for (const [key, value] of view.others ?? []) text.append(key, value);
  return `?${text.toString()}`;
}

/** The view that a string stands for: with or without its `?`, or a whole address that ends with it. */
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

/** `FIELD`, `FIELD:asc` or `FIELD:desc`; names of fields may have colons themselves. */
function sortOf(text: string | undefined): ViewSort | undefined {
  if (text === undefined) return undefined;
  const at = text.lastIndexOf(':');
  const order = text.slice(at + 1);
  if (at < 0 || (order !== 'asc' && order !== 'desc')) return { field: text, descending: false };
  return at === 0 ? undefined : { field: text.slice(0, at), descending: order === 'desc' };
}
