/**
 * `ts:[2026-11-01 TO 2026-11-02]`, `ts:2026-11`, `ts:>=…`, `last:24h` and the time range of a request:
 * half-open spans. Segments outside a span are left out, segments inside it need no condition.
 * An event without a time is in no span.
 */
import type { EpochMicros } from '../../contract/event.ts';
import { type Ref, refSql } from '../fields.ts';
import type { Predicate, Scope } from '../scope.ts';

export interface TimeFilter {
  readonly filter: 'time';
  readonly ref: Ref;
  /** From here on; undefined: open. */
  readonly from: EpochMicros | undefined;
  /** Up to here, not included. */
  readonly to: EpochMicros | undefined;
}

export function compileTime(filter: TimeFilter, scope: Scope): Predicate {
  const { ref, from, to } = filter;
  const { segment } = scope;
  if (segment !== undefined && 'column' in ref) {
    const { minTs, maxTs, day } = segment;
    if (minTs === undefined || maxTs === undefined) {
      if (day === 'undated' || !segment.columns.has('ts')) return { value: false, reason: 'time' };
    } else {
      if ((from !== undefined && maxTs < from) || (to !== undefined && minTs >= to)) {
        return { value: false, reason: 'time' };
      }
      const inside = (from === undefined || minTs >= from) && (to === undefined || maxTs < to);
      if (inside && day !== 'undated') return { value: true, reason: 'time' };
    }
  }
  const sql = refSql(ref, scope);
  if (sql === undefined) return { value: false, reason: 'time' };
  if (from !== undefined && to !== undefined && from >= to) return { value: false, reason: 'time' };
  const parts: string[] = [];
  if (from !== undefined) parts.push(`${sql} >= ${scope.params.time(from)}`);
  if (to !== undefined) parts.push(`${sql} < ${scope.params.time(to)}`);
  if (parts.length === 0) parts.push(`${sql} IS NOT NULL`);
  return { sql: parts.length === 1 ? parts[0]! : `(${parts.join(' AND ')})` };
}
