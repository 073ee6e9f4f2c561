/**
 * The rule that packets are the layer beneath flows: leaves out packets that belong to a flow. It is
 * part of every query that does not mention `kind`.
 */
import { both, either } from './logic.ts';
import { FALSE, type Predicate, type Scope } from '../scope.ts';

export interface UnflowedFilter {
  readonly filter: 'unflowed';
}
export const UNFLOWED: UnflowedFilter = { filter: 'unflowed' };

export function compileUnflowed(_filter: UnflowedFilter, scope: Scope): Predicate {
  const { segment } = scope;
  const flow = scope.column('flow_id');
  if (segment !== undefined) {
    if (segment.kind !== 'packet' || flow === undefined) return { value: true, reason: 'kind' };
    if (segment.unflowedPackets === 0) return { value: false, reason: 'kind' };
    if (segment.unflowedPackets === segment.rows) return { value: true, reason: 'kind' };
    return { sql: `${flow} IS NULL` };
  }
  const isPacket = `${scope.kind()} = ${scope.params.text('packet')}`;
  return either([
    { sql: `(${isPacket}) IS NOT TRUE` },
    flow === undefined ? FALSE : both([{ sql: `${flow} IS NULL` }]),
  ]);
}
