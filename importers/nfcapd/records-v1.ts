/**
 * Flows of nfdump 1.6: a record refers to a map, which lists its extensions.
 *
 * Layout: https://github.com/phaag/nfdump/blob/v1.6.25/bin/nffile.h
 */
import { emptyFlow, type Flow, note, type RecordView } from './flow.ts';
import { layout, mplsLabels, type Layout } from './layout.ts';

/** Records of type 1 have no identifier of their exporter. */
const COMMON_BYTES = { 1: 28, 10: 32 } as const;
const [IP6, PACKETS_64, BYTES_64, EVENT, SAMPLED] = [1, 2, 4, 64, 128];

/** Identifiers of extensions, in the order of their bytes. */
export type ExtensionMap = readonly number[];

/** Text: the fault of the record, which is all of `view`. */
export function mapOf(view: RecordView): { id: number; extensions: ExtensionMap } | string {
  const { length } = view.bytes;
  if (length < 8) return 'a map shorter than its header';
  const extensions: number[] = [];
  for (let at = 8; at + 2 <= length; at += 2) {
    const id = view.u16(at);
    // The rest is alignment.
    if (id === 0) break;
    extensions.push(id);
  }
  return { id: view.u16(4), extensions };
}

const EXTENSIONS: ReadonlyMap<number, Layout> = new Map([
  [4, layout('input_snmp:u16 output_snmp:u16')],
  [5, layout('input_snmp:u32 output_snmp:u32')],
  [6, layout('src_as:u16 dst_as:u16')],
  [7, layout('src_as:u32 dst_as:u32')],
  [8, layout('dst_tos:u8 direction:u8 src_mask:u8 dst_mask:u8')],
  [9, layout('ip4_next_hop:ip4')],
  [10, layout('ip6_next_hop:ip6')],
  [11, layout('bgp4_next_hop:ip4')],
  [12, layout('bgp6_next_hop:ip6')],
  [13, layout('vlan:u16 dst_vlan:u16')],
  [14, layout('outPackets:u32')],
  [15, layout('outPackets:u64')],
  [16, layout('outBytes:u32')],
  [17, layout('outBytes:u64')],
  [18, layout('aggr_flows:u32')],
  [19, layout('aggr_flows:u64')],
  [20, layout('in_src_mac:mac out_dst_mac:mac')],
  [21, layout('in_dst_mac:mac out_src_mac:mac')],
  [22, mplsLabels],
  [23, layout('ip4_router:ip4')],
  [24, layout('ip6_router:ip6')],
  [25, layout('-:u16 engine_type:u8 engine_id:u8')],
  [26, layout('next_as:u32 prev_as:u32')],
  [27, layout('t_received:time')],
  [37, layout('event:u64 connect_id:u32 -:u16 event_id:u8 -:u8 xevent_id:u16 -:u16')],
  [38, layout('src_xlt_port:u16 dst_xlt_port:u16')],
  [39, layout('src4_xlt_ip:ip4 dst4_xlt_ip:ip4')],
  [40, layout('src6_xlt_ip:ip6 dst6_xlt_ip:ip6')],
  [41, layout('ingress_acl:acl egress_acl:acl')],
  [42, layout('user:text', 24)],
  [43, layout('user:text', 72)],
  [45, layout('cli_latency:latency srv_latency:latency app_latency:latency')],
  [46, layout('nat_event_id:u8 -:u8 -:u16 egress_vrf:u32 ingress_vrf:u32')],
  [47, layout('nat_inside:ip4 nat_outside:ip4')],
  [48, layout('pblock_start:u16 pblock_end:u16 pblock_step:u16 pblock_size:u16')],
]);

/** Text: the fault of the record, which is all of `view`. */
export function flowOfV1(view: RecordView, maps: ReadonlyMap<number, ExtensionMap>): Flow | string {
  const { length } = view.bytes;
  const common = COMMON_BYTES[view.u16(0) === 1 ? 1 : 10];
  if (length < common) return 'a record shorter than its header';
  const flags = common === COMMON_BYTES[1] ? view.u8(4) : view.u16(4);
  const map = maps.get(view.u16(6));
  if (map === undefined) return 'a record whose map did not come before it';
  const flow = emptyFlow();
  flow.first = view.u32(12) * 1000 + view.u16(8);
  flow.last = view.u32(16) * 1000 + view.u16(10);
  note(flow, 'fwd_status', view.u8(20));
  flow.tcpFlags = view.u8(21);
  flow.proto = view.u8(22);
  note(flow, 'src_tos', view.u8(23));
  flow.srcPort = view.u16(24);
  flow.dstPort = view.u16(26);
  let at: number = common;
  const take = (bytes: number): number => {
    at += bytes;
    return at <= length ? at - bytes : -1;
  };
  const isLong = (flags & IP6) !== 0;
  const addresses = take(isLong ? 32 : 8);
  const packets = take((flags & PACKETS_64) === 0 ? 4 : 8);
  const bytes = take((flags & BYTES_64) === 0 ? 4 : 8);
  if (bytes < 0) return 'a record ends before its extensions';
  if (isLong) {
    flow.src6 = view.ip6(addresses);
    flow.dst6 = view.ip6(addresses + 16);
  } else {
    flow.src4 = view.u32(addresses);
    flow.dst4 = view.u32(addresses + 4);
  }
  flow.packets = (flags & PACKETS_64) === 0 ? view.u32(packets) : view.u64(packets);
  flow.bytes = (flags & BYTES_64) === 0 ? view.u32(bytes) : view.u64(bytes);
  for (const id of map) {
    const extension = EXTENSIONS.get(id);
    if (extension === undefined) return `a record of extension ${id}, whose size is unknown`;
    const from = take(extension.bytes);
    if (from < 0) return 'a record ends before its extensions';
    extension.read(flow, view, from, extension.bytes);
  }
  if ((flags & EVENT) !== 0) flow.others.set('type', 'EVENT');
  if ((flags & SAMPLED) !== 0) flow.others.set('sampled', '1');
  return flow;
}
