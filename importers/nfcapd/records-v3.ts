/**
 * Flows of nfdump 1.7: a record is a header and elements, each with its type and length. Elements of other types are
 * passed over, and so is the rest of an element that is longer than listed here.
 *
 * Layout: https://github.com/phaag/nfdump/blob/master/src/libnffile/nfxV3.h
 */
import { emptyFlow, type Flow, ip4Text, ip6Text, note, type RecordView } from './flow.ts';

const HEADER_BYTES = 12;
const ELEMENT_BYTES = 4;
const [EVENT, SAMPLED] = [1, 2];

interface Element {
  /** Bytes that are read of it. */
  readonly least: number;
  read(flow: Flow, view: RecordView, at: number, length: number): void;
}

const ACL_WORDS = 3;

/** By type. */
const ELEMENTS: ReadonlyMap<number, Element> = new Map<number, Element>([
  [
    1,
    {
      least: 48,
      read(flow, view, at) {
        flow.first = view.u64(at);
        flow.last = view.u64(at + 8);
        note(flow, 't_received', timeText(view.u64(at + 16)));
        flow.packets = view.u64(at + 24);
        flow.bytes = view.u64(at + 32);
        flow.srcPort = view.u16(at + 40);
        flow.dstPort = view.u16(at + 42);
        flow.proto = view.u8(at + 44);
        flow.tcpFlags = view.u8(at + 45);
        note(flow, 'fwd_status', view.u8(at + 46));
        note(flow, 'src_tos', view.u8(at + 47));
      },
    },
  ],
  [
    2,
    {
      least: 8,
      read(flow, view, at) {
        flow.src4 = view.u32(at);
        flow.dst4 = view.u32(at + 4);
      },
    },
  ],
  [
    3,
    {
      least: 32,
      read(flow, view, at) {
        flow.src6 = view.ip6(at);
        flow.dst6 = view.ip6(at + 16);
      },
    },
  ],
  [
    4,
    {
      least: 12,
      read(flow, view, at) {
        note(flow, 'input_snmp', view.u32(at));
        note(flow, 'output_snmp', view.u32(at + 4));
        note(flow, 'src_mask', view.u8(at + 8));
        note(flow, 'dst_mask', view.u8(at + 9));
        note(flow, 'direction', view.u8(at + 10));
        note(flow, 'dst_tos', view.u8(at + 11));
      },
    },
  ],
  [
    5,
    {
      least: 24,
      read(flow, view, at) {
        note(flow, 'aggr_flows', view.u64(at));
        flow.outPackets = view.u64(at + 8);
        flow.outBytes = view.u64(at + 16);
      },
    },
  ],
  [
    6,
    {
      least: 8,
      read(flow, view, at) {
        flow.vlan = view.u32(at);
        note(flow, 'dst_vlan', view.u32(at + 4));
      },
    },
  ],
  [7, numbers('src_as', 'dst_as')],
  [8, address4('bgp4_next_hop')],
  [9, address6('bgp6_next_hop')],
  [10, address4('ip4_next_hop')],
  [11, address6('ip6_next_hop')],
  [12, address4('ip4_router')],
  [13, address6('ip6_router')],
  [
    14,
    {
      least: 40,
      read(flow, view, at) {
        mplsLabels(flow, view, at);
      },
    },
  ],
  [
    15,
    {
      least: 32,
      read(flow, view, at) {
        note(flow, 'in_src_mac', view.mac(at));
        note(flow, 'out_dst_mac', view.mac(at + 8));
        note(flow, 'in_dst_mac', view.mac(at + 16));
        note(flow, 'out_src_mac', view.mac(at + 24));
      },
    },
  ],
  [16, numbers('next_as', 'prev_as')],
  [
    17,
    {
      least: 24,
      read(flow, view, at) {
        note(flow, 'cli_latency', view.u64(at) / 1000);
        note(flow, 'srv_latency', view.u64(at + 8) / 1000);
        note(flow, 'app_latency', view.u64(at + 16) / 1000);
      },
    },
  ],
  [
    19,
    {
      least: 15,
      read(flow, view, at) {
        eventTime(flow, view.u64(at));
        note(flow, 'connect_id', view.u32(at + 8));
        note(flow, 'xevent_id', view.u16(at + 12));
        note(flow, 'event_id', view.u8(at + 14));
      },
    },
  ],
  [
    20,
    {
      least: 8,
      read(flow, view, at) {
        note(flow, 'src4_xlt_ip', text4(view.u32(at)));
        note(flow, 'dst4_xlt_ip', text4(view.u32(at + 4)));
      },
    },
  ],
  [
    21,
    {
      least: 32,
      read(flow, view, at) {
        note(flow, 'src6_xlt_ip', text6(view.ip6(at)));
        note(flow, 'dst6_xlt_ip', text6(view.ip6(at + 16)));
      },
    },
  ],
  [
    22,
    {
      least: 4,
      read(flow, view, at) {
        note(flow, 'src_xlt_port', view.u16(at));
        note(flow, 'dst_xlt_port', view.u16(at + 2));
      },
    },
  ],
  [
    23,
    {
      least: 8 * ACL_WORDS,
      read(flow, view, at) {
        note(flow, 'ingress_acl', acl(view, at));
        note(flow, 'egress_acl', acl(view, at + 4 * ACL_WORDS));
      },
    },
  ],
  [
    24,
    {
      least: 1,
      read(flow, view, at, length) {
        flow.user = view.text(at, length);
      },
    },
  ],
  [
    25,
    {
      least: 13,
      read(flow, view, at) {
        eventTime(flow, view.u64(at));
        note(flow, 'nat_pool_id', view.u32(at + 8));
        note(flow, 'nat_event_id', view.u8(at + 12));
      },
    },
  ],
  [
    26,
    {
      least: 8,
      read(flow, view, at) {
        note(flow, 'pblock_start', view.u16(at));
        note(flow, 'pblock_end', view.u16(at + 2));
        note(flow, 'pblock_step', view.u16(at + 4));
        note(flow, 'pblock_size', view.u16(at + 6));
      },
    },
  ],
  [
    28,
    {
      least: 1,
      read(flow, view, at, length) {
        note(flow, 'label', view.text(at, length));
      },
    },
  ],
  [
    31,
    {
      least: 12,
      read(flow, view, at) {
        note(flow, 'tun_src4_addr', text4(view.u32(at)));
        note(flow, 'tun_dst4_addr', text4(view.u32(at + 4)));
        note(flow, 'tun_proto', view.u32(at + 8));
      },
    },
  ],
  [
    32,
    {
      least: 36,
      read(flow, view, at) {
        note(flow, 'tun_src6_addr', text6(view.ip6(at)));
        note(flow, 'tun_dst6_addr', text6(view.ip6(at + 16)));
        note(flow, 'tun_proto', view.u32(at + 32));
      },
    },
  ],
  [
    33,
    {
      least: 12,
      read(flow, view, at) {
        note(flow, 'observationPointID', view.u64(at));
        note(flow, 'observationDomainID', view.u32(at + 8));
      },
    },
  ],
  [36, numbers('egress_vrf', 'ingress_vrf')],
  [
    37,
    {
      least: 20,
      read(flow, view, at, length) {
        note(flow, 'pf_action', view.u8(at));
        note(flow, 'pf_reason', view.u8(at + 1));
        note(flow, 'pf_dir', view.u8(at + 2));
        note(flow, 'pf_rulenr', view.u32(at + 4));
        note(flow, 'pf_uid', view.u32(at + 12));
        note(flow, 'pf_pid', view.u32(at + 16));
        note(flow, 'pf_ifname', view.text(at + 20, length - 20));
      },
    },
  ],
  [
    38,
    {
      least: 27,
      read(flow, view, at) {
        if (flow.vlan === 0) flow.vlan = view.u16(at);
        note(flow, 'customer_vlan', view.u16(at + 2));
        note(flow, 'post_vlan', view.u16(at + 4));
        note(flow, 'post_customer_vlan', view.u16(at + 6));
        note(flow, 'phys_ingress', view.u32(at + 8));
        note(flow, 'phys_egress', view.u32(at + 12));
        note(flow, 'vxlan', view.u64(at + 16));
      },
    },
  ],
  [39, { least: 8, read: (flow, view, at) => note(flow, 'flowId', view.u64(at)) }],
  [
    42,
    {
      least: 4,
      read(flow, view, at) {
        note(flow, 'min_ttl', view.u8(at + 2));
        note(flow, 'max_ttl', view.u8(at + 3));
      },
    },
  ],
]);

/** Text: what is wrong with the record, which is all of `view`. */
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
    const own = size - ELEMENT_BYTES;
    if (element !== undefined) {
      if (own < element.least) return 'an element shorter than its type has it';
      element.read(flow, view, at + ELEMENT_BYTES, own);
    }
    at += size;
  }
  if ((flags & EVENT) !== 0) flow.others.set('type', 'EVENT');
  if ((flags & SAMPLED) !== 0) flow.others.set('sampled', '1');
  return flow;
}

function numbers(first: string, second: string): Element {
  return {
    least: 8,
    read(flow, view, at) {
      note(flow, first, view.u32(at));
      note(flow, second, view.u32(at + 4));
    },
  };
}

function address4(name: string): Element {
  return { least: 4, read: (flow, view, at) => note(flow, name, text4(view.u32(at))) };
}

function address6(name: string): Element {
  return { least: 16, read: (flow, view, at) => note(flow, name, text6(view.ip6(at))) };
}

export function text4(address: number): string | undefined {
  return address === 0 ? undefined : ip4Text(address);
}

export function text6(bytes: Uint8Array): string | undefined {
  return bytes.every((byte) => byte === 0) ? undefined : ip6Text(bytes);
}

export function timeText(ms: number): string | undefined {
  return ms > 0 && ms < 8.64e15 ? new Date(ms).toISOString() : undefined;
}

/** Of an event that has no flow's times. */
export function eventTime(flow: Flow, ms: number): void {
  if (flow.first === 0) flow.first = ms;
  if (flow.last === 0) flow.last = ms;
}

const MPLS_LABELS = 10;

/** Of each its number, its experimental bits, and whether it is the last one, as nfdump prints them. */
export function mplsLabels(flow: Flow, view: RecordView, at: number): void {
  for (let i = 0; i < MPLS_LABELS; i++) {
    const label = view.u32(at + 4 * i);
    if (label !== 0)
      note(flow, `mpls_${i + 1}`, `${label >>> 4}-${(label >>> 1) & 7}-${label & 1}`);
  }
}

export function acl(view: RecordView, at: number): string | undefined {
  const words = Array.from({ length: ACL_WORDS }, (_, i) => view.u32(at + 4 * i));
  return words.every((word) => word === 0)
    ? undefined
    : words.map((word) => `0x${word.toString(16)}`).join('/');
}
