/**
 * Flows of nfdump 1.7: a record is a header and elements, each with its type and length. Elements of other types are
 * passed over, and so is the rest of an element that is longer than listed here.
 *
 * Layout: https://github.com/phaag/nfdump/blob/master/src/libnffile/nfxV3.h
 */
import { emptyFlow, type Flow, type RecordView } from './flow.ts';
import { layout, mplsLabels, type Layout } from './layout.ts';

const HEADER_BYTES = 12;
const ELEMENT_BYTES = 4;
const [EVENT, SAMPLED] = [1, 2];

/** By type. */
const ELEMENTS: ReadonlyMap<number, Layout> = new Map([
  [
    1,
    layout(
      'first:u64 last:u64 t_received:time packets:u64 bytes:u64 srcPort:u16 dstPort:u16 ' +
        'proto:u8 tcpFlags:u8 fwd_status:u8 src_tos:u8',
    ),
  ],
  [2, layout('src4:u32 dst4:u32')],
  [3, layout('src6:bytes6 dst6:bytes6')],
  [4, layout('input_snmp:u32 output_snmp:u32 src_mask:u8 dst_mask:u8 direction:u8 dst_tos:u8')],
  [5, layout('aggr_flows:u64 outPackets:u64 outBytes:u64')],
  [6, layout('vlan:u32 dst_vlan:u32')],
  [7, layout('src_as:u32 dst_as:u32')],
  [8, layout('bgp4_next_hop:ip4')],
  [9, layout('bgp6_next_hop:ip6')],
  [10, layout('ip4_next_hop:ip4')],
  [11, layout('ip6_next_hop:ip6')],
  [12, layout('ip4_router:ip4')],
  [13, layout('ip6_router:ip6')],
  [14, mplsLabels],
  [15, layout('in_src_mac:mac out_dst_mac:mac in_dst_mac:mac out_src_mac:mac')],
  [16, layout('next_as:u32 prev_as:u32')],
  [17, layout('cli_latency:latency srv_latency:latency app_latency:latency')],
  [19, layout('event:u64 connect_id:u32 xevent_id:u16 event_id:u8')],
  [20, layout('src4_xlt_ip:ip4 dst4_xlt_ip:ip4')],
  [21, layout('src6_xlt_ip:ip6 dst6_xlt_ip:ip6')],
  [22, layout('src_xlt_port:u16 dst_xlt_port:u16')],
  [23, layout('ingress_acl:acl egress_acl:acl')],
  [24, layout('user:text', 1)],
  [25, layout('event:u64 nat_pool_id:u32 nat_event_id:u8')],
  [26, layout('pblock_start:u16 pblock_end:u16 pblock_step:u16 pblock_size:u16')],
  [28, layout('label:text', 1)],
  [31, layout('tun_src4_addr:ip4 tun_dst4_addr:ip4 tun_proto:u32')],
  [32, layout('tun_src6_addr:ip6 tun_dst6_addr:ip6 tun_proto:u32')],
  [33, layout('observationPointID:u64 observationDomainID:u32')],
  [36, layout('egress_vrf:u32 ingress_vrf:u32')],
  [
    37,
    layout(
      'pf_action:u8 pf_reason:u8 pf_dir:u8 -:u8 pf_rulenr:u32 -:u32 pf_uid:u32 pf_pid:u32 pf_ifname:text',
    ),
  ],
  [
    38,
    layout(
      'vlan?:u16 customer_vlan:u16 post_vlan:u16 post_customer_vlan:u16 ' +
        'phys_ingress:u32 phys_egress:u32 vxlan:u64',
      27,
    ),
  ],
  [39, layout('flowId:u64')],
  [42, layout('-:u16 min_ttl:u8 max_ttl:u8')],
]);

/** Text: the fault of the record, which is all of `view`. */
export function flowOfV3(view: RecordView): Flow | string {
  const { length } = view.bytes;
  if (length < HEADER_BYTES) return 'a record shorter than its header';
  const flow = emptyFlow();
  const count = view.u16(4);
  const flags = view.u8(10);
  let at = HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    if (at + ELEMENT_BYTES > length) return 'a record ends before its elements';
    const size = view.u16(at + 2);
    if (size < ELEMENT_BYTES || at + size > length) return 'an element ends beyond its record';
    const element = ELEMENTS.get(view.u16(at));
    const content = size - ELEMENT_BYTES;
    if (element !== undefined) {
      if (content < element.bytes) return 'an element shorter than its type requires';
      element.read(flow, view, at + ELEMENT_BYTES, content);
    }
    at += size;
  }
  if ((flags & EVENT) !== 0) flow.others.set('type', 'EVENT');
  if ((flags & SAMPLED) !== 0) flow.others.set('sampled', '1');
  return flow;
}
