/** The fields of a flow, grouped by the questions that they answer: who, what, how much, how long. */

const GROUPS: readonly (readonly [heading: FlowHeading, names: readonly string[]])[] = [
  [
    'Who',
    [
      ...['src_ip', 'src_port', 'src_domain', 'src_mac', 'dst_ip', 'dst_port', 'dst_domain'],
      ...['dst_mac', 'host', 'user', 'user_domain'],
    ],
  ],
  // And all that is in no other group.
  ['What', ['proto', 'service', 'conn_state', 'history', 'tcp_flags']],
  [
    'Volume',
    [
      ...['bytes', 'packets', 'bytes_rev', 'packets_rev', 'orig_bytes', 'resp_bytes'],
      ...['missed_bytes'],
    ],
  ],
  ['Time', ['duration']],
  ['Record', ['seq', 'offset', 'length', 'captured']],
];
type FlowHeading = 'Who' | 'What' | 'Volume' | 'Time' | 'Record';

export function isFlow(kind: string): boolean {
  return kind === 'flow' || kind === 'netflow';
}

/** Every group, with every field in one of them. */
export function flowGroups<F extends { readonly name: string }>(
  fields: readonly F[],
): { readonly heading: FlowHeading; readonly fields: readonly F[] }[] {
  const grouped = new Set(GROUPS.flatMap(([, names]) => names));
  const others = fields.filter(({ name }) => !grouped.has(name));
  return GROUPS.map(([heading, names]) => ({
    heading,
    fields: [
      ...names.flatMap((name) => fields.filter((field) => field.name === name)),
      ...(heading === 'What' ? others : []),
    ],
  }));
}
