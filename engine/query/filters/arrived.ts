/**
 * Events that came between two moments of a case, by their numbers: what was committed of each source then. Whose
 * segments were merged or rewritten meanwhile is found all the same.
 */
import { TRUE, type Predicate, type Scope } from '../scope.ts';

/** What was there at a moment. Plain numbers: filters are told apart by their text. */
export interface Reached {
  /** Sources with a higher number were not there yet. */
  readonly sources: number;
  /** Those that were not read to their end. */
  readonly open: readonly ({ readonly source: number } & Bounds)[];
}

/** The last record and the last derived event (0 or negative) that were stored of a source. */
interface Bounds {
  readonly record: number;
  readonly derived: number;
}

export interface ArrivedFilter {
  readonly filter: 'arrived';
  readonly after: Reached;
  readonly until: Reached;
}

type Part = 'none' | 'whole' | { readonly from: Bounds; readonly to: Bounds };

const NOTHING: Bounds = { record: 0, derived: 0 };
const EVERYTHING: Bounds = { record: Infinity, derived: -Infinity };

export function compileArrived({ after, until }: ArrivedFilter, scope: Scope): Predicate {
  const { segment, params } = scope;
  const sourceId = scope.column('source_id');
  const seq = scope.column('seq');
  if (segment === undefined || sourceId === undefined || seq === undefined)
    throw new TypeError('what arrived is asked of segments');
  const ids = [...segment.sources];
  const parts = ids.map((id) => partOf(boundsOf(after, id), boundsOf(until, id)));
  if (parts.every((part) => part === 'none')) return { value: false, reason: 'source' };
  if (parts.every((part) => part === 'whole')) return TRUE;
  const number = (value: number): string => params.bind(value, 'BIGINT');
  const cases = ids.flatMap((id, i) => {
    const part = parts[i]!;
    if (part === 'none') return [];
    const own = `${sourceId} = ${params.bind(id, 'UINTEGER')}`;
    if (part === 'whole') return [own];
    const { from, to } = part;
    const records = [`${seq} > ${number(from.record)}`];
    if (to.record < Infinity) records.push(`${seq} <= ${number(to.record)}`);
    const derived = [`${seq} < ${number(from.derived)}`];
    if (to.derived > -Infinity) derived.push(`${seq} >= ${number(to.derived)}`);
    return [`(${own} AND ((${records.join(' AND ')}) OR (${derived.join(' AND ')})))`];
  });
  return { sql: `(${cases.join(' OR ')})` };
}

function boundsOf(reached: Reached, source: number): Bounds {
  const open = reached.open.find((one) => one.source === source);
  return open ?? (source <= reached.sources ? EVERYTHING : NOTHING);
}

function partOf(from: Bounds, to: Bounds): Part {
  if (from.record >= to.record && from.derived <= to.derived) return 'none';
  return from === NOTHING && to === EVERYTHING ? 'whole' : { from, to };
}
