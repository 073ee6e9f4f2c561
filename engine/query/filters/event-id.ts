/**
 * `event_id:12:345` and, for events derived from a capture, `event_id:12:f345` (a flow) and `event_id:12:p345` (of
 * a protocol): one event.
 */
import { PROTOCOL_SEQ } from '../../contract/event.ts';
import type { Test } from '../syntax/ast.ts';
import { type RowFilter, each } from '../batch/row-filter.ts';
import { type RowScope, numberAt } from '../batch/row-scope.ts';
import { text } from '../dialect/clickhouse.ts';
import { eventIdRefs, refClickHouse, refSql, type VirtualField } from '../names/fields.ts';
import { syntaxError, shown } from '../syntax/query-error.ts';
import { NO_COLUMN, type Predicate, type Scope } from '../plan/scope.ts';
import type { FilterOperator } from './operator.ts';

export interface EventIdFilter {
  readonly filter: 'event-id';
  readonly source: number;
  /** Negative for derived events. */
  readonly seq: number;
  /** Column in which a stage returned the id; undefined: the event's id itself. */
  readonly field: VirtualField | undefined;
}

/** `12:345`, `12:f345`, `12:p345`; undefined if `text` is not an event's id. */
export function parseEventId(text: string): { source: number; seq: number } | undefined {
  const m = /^(\d{1,10}):([fp]?)(\d{1,15})$/i.exec(text);
  if (m === null || Number(m[1]) > 0xffff_ffff) return undefined;
  const number = Number(m[3]);
  const kind = m[2]!.toLowerCase();
  const seq = kind === '' ? number : kind === 'f' ? -number : -(PROTOCOL_SEQ + number);
  return { source: Number(m[1]), seq };
}

export function formatEventId(source: number, seq: number): string {
  if (seq >= 0) return `${source}:${seq}`;
  return seq < -PROTOCOL_SEQ ? `${source}:p${-seq - PROTOCOL_SEQ}` : `${source}:f${-seq}`;
}

function eventIdFilter(field: VirtualField, test: Test, at: number): EventIdFilter {
  const text = test.test === 'word' || test.test === 'quoted' ? test.text : '';
  const id = parseEventId(text);
  if (id === undefined) {
    throw syntaxError(
      `${shown(text)} is not the id of an event`,
      at,
      'write event_id:12:345, 12:f345 or 12:p345',
    );
  }
  return { filter: 'event-id', ...id, field: field.ref === undefined ? undefined : field };
}

const OWN: VirtualField = { type: 'virtual', name: 'event_id', ref: undefined };

function eventIdSql(filter: EventIdFilter, scope: Scope): Predicate {
  const isOwn = filter.field === undefined;
  if (isOwn && scope.segment !== undefined && !scope.segment.sources.has(filter.source)) {
    return { value: false, reason: 'source' };
  }
  const [source, seq] = eventIdRefs(filter.field ?? OWN).map((ref) => refSql(ref, scope));
  if (source === undefined || seq === undefined) return NO_COLUMN;
  const { params } = scope;
  return {
    sql: `(${source} = ${params.bind(filter.source, 'UINTEGER')} AND ${seq} = ${params.bind(filter.seq, 'BIGINT')})`,
  };
}

function eventIdColumns({ source, seq, field }: EventIdFilter, scope: RowScope): RowFilter {
  return each(() => {
    const [sources, numbers] = eventIdRefs(field ?? OWN).map((ref) => scope.column(ref));
    return (row) => numberAt(sources, row) === source && numberAt(numbers, row) === seq;
  });
}

export const eventIdOperator: FilterOperator<EventIdFilter> = {
  parse: ({ field, test, at }) =>
    field.type === 'virtual' && field.name === 'event_id'
      ? eventIdFilter(field, test, at)
      : undefined,
  describe: ({ source, seq }) => `event_id:${formatEventId(source, seq)}`,
  sql: eventIdSql,
  clickhouse: ({ source, seq, field }, scope) => {
    const id = field?.ref === undefined ? 'event_id' : refClickHouse(field.ref, scope);
    return `${id} = ${text(formatEventId(source, seq))}`;
  },
  sqlCost: 'low',
  lookUpCost: () => 0,
  columns: eventIdColumns,
};
