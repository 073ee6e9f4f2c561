/** Ways from a value to another view. */
import { fieldTerm, withFilter, withTerm } from '../query-text.ts';
import type { Tab } from './views.ts';
import type { Workspace } from '../case/workspace.ts';

export interface Pivots {
  include(field: string, value: string | number | null): void;
  exclude(field: string, value: string | number | null): void;
  /** Only this condition, in the same range of time; without a list. */
  only(field: string, value: string | number | null): void;
  /** A filter in the query language instead of the present one, as for a five-tuple. */
  filter(filter: string, tab?: Tab): void;
  /** Narrows the present filter to this one: the list stays. */
  narrow(filter: string, tab?: Tab): void;
  /** Groups the shown events by a field. */
  topValues(field: string): void;
  /** Everything within `minutes` of a time, whatever the query. */
  around(ts: number, minutes: number): void;
  range(from: number | undefined, to: number | undefined): void;
}

const MINUTE = 60_000_000;

export function pivotsOf({ views }: Pick<Workspace, 'views'>): Pivots {
  const query = (): string => views.store.getState().view.query;
  return {
    include: (field, value) => views.show({ query: withTerm(query(), fieldTerm(field, value)) }),
    exclude: (field, value) =>
      views.show({ query: withTerm(query(), fieldTerm(field, value), true) }),
    only: (field, value) =>
      views.show({ query: withFilter('', fieldTerm(field, value)), list: undefined }),
    filter: (filter, tab) =>
      views.show({ query: filter, list: undefined, ...(tab === undefined ? {} : { tab }) }),
    narrow: (filter, tab) => views.show({ query: filter, ...(tab === undefined ? {} : { tab }) }),
    topValues: (field) => views.show({ by: [field], tab: 'talkers' }),
    around: (ts, minutes) =>
      views.show({
        query: '',
        list: undefined,
        from: ts - minutes * MINUTE,
        to: ts + minutes * MINUTE + 1,
        tab: 'events',
      }),
    range: (from, to) => views.show({ from, to }),
  };
}
