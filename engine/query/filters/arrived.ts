/**
 * Events that arrived between two states of a case, by their numbers: what was committed of each source then.
 * Events whose segments were merged or rewritten meanwhile are found as well.
 *
 * Derived events (flows of a capture) arrive when their source has been read to its end: they are numbered by their
 * beginnings and committed by their ends, so the last number of a partial set tells nothing.
 */
import { TRUE, type Predicate, type Scope } from '../plan/scope.ts';
import type { FilterOperator } from './operator.ts';

/** The state of a case at a moment. Plain numbers: filters are compared by their text. */
interface Reached {
  /** Sources with a higher number were not there yet. */
  readonly sources: number;
  /** Sources that were not read to their end, each with its last stored record; 0: none. */
  readonly open: readonly { readonly source: number; readonly record: number }[];
}

export interface ArrivedFilter {
  readonly filter: 'arrived';
  readonly after: Reached;
  readonly until: Reached;
}

type Part = 'none' | 'whole' | { readonly from: number; readonly to: number };

function arrivedSql({ after, until }: ArrivedFilter, scope: Scope): Predicate {
  const { segment, params } = scope;
  const sourceId = scope.column('source_id');
  const seq = scope.column('seq');
  if (segment === undefined || sourceId === undefined || seq === undefined)
    throw new TypeError('what arrived is asked of segments');
  const ids = [...segment.sources];
  const parts = ids.map((id) => partOf(lastOf(after, id), lastOf(until, id)));
  if (parts.every((part) => part === 'none')) return { value: false, reason: 'source' };
  if (parts.every((part) => part === 'whole')) return TRUE;
  const number = (value: number): string => params.bind(value, 'BIGINT');
  const cases = ids.flatMap((id, i) => {
    const part = parts[i]!;
    if (part === 'none') return [];
    const isOfSource = `${sourceId} = ${params.bind(id, 'UINTEGER')}`;
    if (part === 'whole') return [isOfSource];
    const { from, to } = part;
    const more = `${seq} > ${number(from)}`;
    const come = to < Infinity ? `${more} AND ${seq} <= ${number(to)}` : `(${more} OR ${seq} < 0)`;
    return [`(${isOfSource} AND ${come})`];
  });
  return { sql: `(${cases.join(' OR ')})` };
}

/** The last record of a source; Infinity: it was read to its end. */
function lastOf(reached: Reached, source: number): number {
  const open = reached.open.find((one) => one.source === source);
  return open?.record ?? (source <= reached.sources ? Infinity : 0);
}

function partOf(from: number, to: number): Part {
  if (from >= to) return 'none';
  return from === 0 && to === Infinity ? 'whole' : { from, to };
}

export const arrivedOperator: FilterOperator<ArrivedFilter> = {
  describe: () => 'events that arrived between two moments',
  sql: arrivedSql,
  sqlCost: 'low',
  lookUpCost: () => 0,
};
