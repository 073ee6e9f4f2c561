/** `field.list`: the fields that a case's events have, and whether they can be computed with. */
import { CancelledError } from '../../../contract/errors.ts';
import type { Kind } from '../../../contract/event.ts';
import { knownField } from '../../../query/index.ts';
import type { CaseSession, Snapshot } from '../../../search/index.ts';
import { caseFields, type FieldSummary } from './fields.ts';

/** Fields of a snapshot never change: they are counted once. */
const counted = new WeakMap<Snapshot, Promise<FieldSummary[]>>();

/** @throws DaybookError cancelled */
export async function fieldsOf(session: CaseSession, signal: AbortSignal): Promise<FieldSummary[]> {
  const snapshot = session.snapshot();
  const known = counted.get(snapshot);
  if (known !== undefined) {
    try {
      return await known;
    } catch {
      // The caller that had them counted was cancelled, which must not cancel this one.
      if (signal.aborted) throw new CancelledError();
    }
  }
  const counting = caseFields(session, signal);
  counted.set(snapshot, counting);
  counting.catch(() => {
    if (counted.get(snapshot) === counting) counted.delete(snapshot);
  });
  return counting;
}

/** The fields if they are known already; counts nothing. */
export function fieldsIfKnown(session: CaseSession): Promise<FieldSummary[]> | undefined {
  return counted.get(session.snapshot());
}

export async function fieldList(session: CaseSession, signal: AbortSignal) {
  const fields = await fieldsOf(session, signal);
  return fieldListOf(fields, session.snapshot().segments);
}

/** @param segments whose events have these fields */
export function fieldListOf(
  fields: readonly FieldSummary[],
  segments: readonly { readonly kind: Kind; readonly rows: number }[],
) {
  return {
    fields: [
      // No column: every event has one, by the segment it is in.
      {
        field: 'kind',
        attribute: false,
        events: segments.reduce((n, { rows }) => n + rows, 0),
        kinds: [...new Set(segments.map(({ kind }) => kind))].sort(),
        numeric: false,
      },
      ...fields.map(({ kinds, ...field }) => ({
        ...field,
        kinds: [...kinds],
        numeric: isNumeric(field),
      })),
    ],
  };
}

/** Numbers that are not quantities: ports and codes are names. */
const NAMES: ReadonlySet<string> = new Set([
  ...['src_port', 'dst_port', 'proto', 'severity', 'facility', 'vlan', 'pid', 'flow_id'],
  ...['tcp_flags', 'offset', 'source_id', 'seq'],
]);

function isNumeric({ field, attribute }: Pick<FieldSummary, 'field' | 'attribute'>): boolean {
  if (attribute) return false;
  return knownField(field)?.type === 'number' && !NAMES.has(field);
}
