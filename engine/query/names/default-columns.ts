/** The columns of events that are shown by default. */
import { COLUMNS } from '../../contract/event.ts';
import type { Name } from '../syntax/ast.ts';
import type { Extent } from '../values/values.ts';

/** Columns that are never shown by themselves: they are part of, or beneath, other fields. */
export const HIDDEN_COLUMNS: ReadonlySet<string> = new Set([
  'seq',
  'source_id',
  'ts',
  'ts_ns',
  'ts_digits',
  'ts_basis',
  'tz_offset',
  'src_ip4',
  'dst_ip4',
  'src_ip6',
  'dst_ip6',
  'record_key',
]);

interface Others {
  readonly hidden: ReadonlySet<string>;
  readonly computed: readonly Name[];
}

/** Names that a stage computed or hid (`hiddenNames`). */
export function otherNames({ hidden, computed }: Others): Set<string> {
  return new Set([...hidden, ...computed.map(({ name }) => name.toLowerCase())]);
}

/** Whether an attribute is among the given names. */
export function isOther(others: ReadonlySet<string>, attribute: string): boolean {
  const name = attribute.toLowerCase();
  return others.has(name) || others.has(`attrs.${name}`) || others.has('attributes');
}

/** The stored columns of the plan's events, without attributes. */
export function defaultColumns(of: Others & { readonly extent: Extent }): string[] {
  const there = of.extent.columns ?? new Set<string>();
  const others = otherNames(of);
  return [
    ...['ts', 'kind', 'event_id', 'source'],
    ...['src_ip', 'dst_ip'].filter((side) => there.has(`${side}4`) || there.has(`${side}6`)),
    ...Object.keys(COLUMNS).filter((name) => there.has(name) && !HIDDEN_COLUMNS.has(name)),
  ].filter((name) => !others.has(name));
}
