/** Which columns of packets are written. */

export const ATTRIBUTES = [
  'icmp_type',
  'icmp_code',
  'tunnel',
  'inner_vlan',
  'mpls_label',
  'dlci',
  'vpi',
  'vci',
  'ether_type',
  'problem',
  'src_mac',
  'dst_mac',
  'comment',
  'raw_time',
] as const;
export type Attribute = (typeof ATTRIBUTES)[number];
/** The numbers of a link that identify circuits. */
export type Circuit = 'dlci' | 'vpi' | 'vci';

/** The requested columns. */
export interface Writes {
  readonly seq: boolean;
  readonly ts: boolean;
  readonly fraction: boolean;
  readonly offset: boolean;
  readonly length: boolean;
  readonly captured: boolean;
  readonly bytes: boolean;
  readonly packets: boolean;
  readonly vlan: boolean;
  readonly sources: boolean;
  readonly targets: boolean;
  readonly proto: boolean;
  readonly sourcePort: boolean;
  readonly targetPort: boolean;
  readonly tcpFlags: boolean;
  readonly type: boolean;
  readonly message: boolean;
  readonly attributes: readonly boolean[];
  /** Whether any of them needs the frame decoded. */
  readonly frame: boolean;
  /** Whether for that the link is enough. */
  readonly linkOnly: boolean;
  wants(attribute: Attribute): boolean;
}

/** Attributes that the link has. */
const OF_LINK: ReadonlySet<string> = new Set<Circuit>(['dlci', 'vpi', 'vci']);
/** Attributes that do not come from the frame. */
const OF_RECORD: ReadonlySet<string> = new Set(['comment', 'raw_time']);

/** @param hint ReadOptions.columns */
export function writesOf(hint: ReadonlySet<string> | undefined): Writes {
  const has = (...names: string[]) => hint === undefined || names.some((name) => hint.has(name));
  const attributes = ATTRIBUTES.map((name) => has(`a:${name}`, 'a:*'));
  const ofFrame = {
    vlan: has('vlan'),
    sources: has('src_ip4', 'src_ip6'),
    targets: has('dst_ip4', 'dst_ip6'),
    proto: has('proto'),
    sourcePort: has('src_port'),
    targetPort: has('dst_port'),
    tcpFlags: has('tcp_flags'),
    type: has('event_type'),
    message: has('message'),
  };
  const wanted = ATTRIBUTES.filter((name, i) => attributes[i] === true && !OF_RECORD.has(name));
  const inside = Object.values(ofFrame).includes(true) || wanted.some((name) => !OF_LINK.has(name));
  return {
    ...ofFrame,
    seq: has('seq'),
    ts: has('ts'),
    fraction: has('ts_ns', 'ts_digits'),
    offset: has('offset'),
    length: has('length'),
    captured: has('captured'),
    bytes: has('bytes'),
    packets: has('packets'),
    attributes,
    frame: inside || wanted.length > 0,
    linkOnly: !inside,
    wants: (attribute) => attributes[ATTRIBUTES.indexOf(attribute)] === true,
  };
}
