/**
 * Flows of nfdump 1.6: a record names a map, which says of what extensions it is made.
 *
 * Layout: https://github.com/phaag/nfdump/blob/v1.6.25/bin/nffile.h
 */
import { emptyFlow, type Flow, note, type RecordView } from './flow.ts';
import { acl, eventTime, mplsLabels, text4, text6, timeText } from './records-v3.ts';

/** Records of type 1 have no identifier of their exporter. */
const COMMON_BYTES = { 1: 28, 10: 32 } as const;
const [IP6, PACKETS_64, BYTES_64, EVENT, SAMPLED] = [1, 2, 4, 64, 128];

/** Identifiers of extensions, in the order of their bytes. */
export type ExtensionMap = readonly number[];

/** Text: what is wrong with the record, which is all of `view`. */
export function mapOf(view: RecordView): { id: number; extensions: ExtensionMap } | string {
  const { length } = view.bytes;
  if (length < 8) return 'a map shorter than its header';
  const extensions: number[] = [];
  for (let at = 8; at + 2 <= length; at += 2) {
    const id = view.u16(at);
    // What follows aligns the record.
    if (id === 0) break;
    extensions.push(id);
  }
  return { id: view.u16(4), extensions };
}

interface Extension {
  readonly bytes: number;
  read(flow: Flow, view: RecordView, at: number): void;
}

const pair16 = (first: string, second: string): Extension => ({
  bytes: 4,
  read(flow, view, at) {
    note(flow, first, view.u16(at));
    note(flow, second, view.u16(at + 2));
  },
});
const pair32 = (first: string, second: string): Extension => ({
  bytes: 8,
  read(flow, view, at) {
    note(flow, first, view.u32(at));
    note(flow, second, view.u32(at + 4));
  },
});
const address4 = (name: string): Extension => ({
  bytes: 4,
  read: (flow, view, at) => note(flow, name, text4(view.u32(at))),
});
const address6 = (name: string): Extension => ({
  bytes: 16,
  read: (flow, view, at) => note(flow, name, text6(view.ip6(at))),
});
const macs = (first: string, second: string): Extension => ({
  bytes: 16,
  read(flow, view, at) {
    note(flow, first, view.mac(at));
    note(flow, second, view.mac(at + 8));
  },
});
const user = (bytes: number): Extension => ({
  bytes,
  read(flow, view, at) {
    flow.user = view.text(at, bytes);
  },
});

const EXTENSIONS: ReadonlyMap<number, Extension> = new Map<number, Extension>([
  [4, pair16('input_snmp', 'output_snmp')],
  [5, pair32('input_snmp', 'output_snmp')],
  [6, pair16('src_as', 'dst_as')],
  [7, pair32('src_as', 'dst_as')],
  [
    8,
    {
      bytes: 4,
      read(flow, view, at) {
        note(flow, 'dst_tos', view.u8(at));
        note(flow, 'direction', view.u8(at + 1));
        note(flow, 'src_mask', view.u8(at + 2));
        note(flow, 'dst_mask', view.u8(at + 3));
      },
    },
  ],
  [9, address4('ip4_next_hop')],
  [10, address6('ip6_next_hop')],
  [11, address4('bgp4_next_hop')],
  [12, address6('bgp6_next_hop')],
  [
    13,
    {
      bytes: 4,
      read(flow, view, at) {
        flow.vlan = view.u16(at);
        note(flow, 'dst_vlan', view.u16(at + 2));
      },
    },
  ],
  [14, { bytes: 4, read: (flow, view, at) => void (flow.outPackets = view.u32(at)) }],
  [15, { bytes: 8, read: (flow, view, at) => void (flow.outPackets = view.u64(at)) }],
  [16, { bytes: 4, read: (flow, view, at) => void (flow.outBytes = view.u32(at)) }],
  [17, { bytes: 8, read: (flow, view, at) => void (flow.outBytes = view.u64(at)) }],
  [18, { bytes: 4, read: (flow, view, at) => note(flow, 'aggr_flows', view.u32(at)) }],
  [19, { bytes: 8, read: (flow, view, at) => note(flow, 'aggr_flows', view.u64(at)) }],
  [20, macs('in_src_mac', 'out_dst_mac')],
  [21, macs('in_dst_mac', 'out_src_mac')],
  [22, { bytes: 40, read: mplsLabels }],
  [23, address4('ip4_router')],
  [24, address6('ip6_router')],
  [
    25,
    {
      bytes: 4,
      read(flow, view, at) {
        note(flow, 'engine_type', view.u8(at + 2));
        note(flow, 'engine_id', view.u8(at + 3));
      },
    },
  ],
  [26, pair32('next_as', 'prev_as')],
  [27, { bytes: 8, read: (flow, view, at) => note(flow, 't_received', timeText(view.u64(at))) }],
  [
    37,
    {
      bytes: 20,
      read(flow, view, at) {
        eventTime(flow, view.u64(at));
        note(flow, 'connect_id', view.u32(at + 8));
        note(flow, 'event_id', view.u8(at + 14));
        note(flow, 'xevent_id', view.u16(at + 16));
      },
    },
  ],
  [38, pair16('src_xlt_port', 'dst_xlt_port')],
  [
    39,
    {
      bytes: 8,
      read(flow, view, at) {
        note(flow, 'src4_xlt_ip', text4(view.u32(at)));
        note(flow, 'dst4_xlt_ip', text4(view.u32(at + 4)));
      },
    },
  ],
  [
    40,
    {
      bytes: 32,
      read(flow, view, at) {
        note(flow, 'src6_xlt_ip', text6(view.ip6(at)));
        note(flow, 'dst6_xlt_ip', text6(view.ip6(at + 16)));
      },
    },
  ],
  [
    41,
    {
      bytes: 24,
      read(flow, view, at) {
        note(flow, 'ingress_acl', acl(view, at));
        note(flow, 'egress_acl', acl(view, at + 12));
      },
    },
  ],
  [42, user(24)],
  [43, user(72)],
  [
    45,
    {
      bytes: 24,
      read(flow, view, at) {
        note(flow, 'cli_latency', view.u64(at) / 1000);
        note(flow, 'srv_latency', view.u64(at + 8) / 1000);
        note(flow, 'app_latency', view.u64(at + 16) / 1000);
      },
    },
  ],
  [
    46,
    {
      bytes: 12,
      read(flow, view, at) {
        note(flow, 'nat_event_id', view.u8(at));
        note(flow, 'egress_vrf', view.u32(at + 4));
        note(flow, 'ingress_vrf', view.u32(at + 8));
      },
    },
  ],
  [
    47,
    {
      bytes: 8,
      read(flow, view, at) {
        note(flow, 'nat_inside', text4(view.u32(at)));
        note(flow, 'nat_outside', text4(view.u32(at + 4)));
      },
    },
  ],
  [
    48,
    {
      bytes: 8,
      read(flow, view, at) {
        note(flow, 'pblock_start', view.u16(at));
        note(flow, 'pblock_end', view.u16(at + 2));
        note(flow, 'pblock_step', view.u16(at + 4));
        note(flow, 'pblock_size', view.u16(at + 6));
      },
    },
  ],
]);

/** Text: what is wrong with the record, which is all of `view`. */
export function flowOfV1(view: RecordView, maps: ReadonlyMap<number, ExtensionMap>): Flow | string {
  const { length } = view.bytes;
  const common = COMMON_BYTES[view.u16(0) === 1 ? 1 : 10];
  if (length < common) return 'a record shorter than its header';
  const flags = common === COMMON_BYTES[1] ? view.u8(4) : view.u16(4);
  const map = maps.get(view.u16(6));
  if (map === undefined) return 'a record of a map that did not come before it';
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
    if (extension === undefined)
      return `a record of extension ${id}, of which the size is not known`;
    const from = take(extension.bytes);
    if (from < 0) return 'a record ends before its extensions';
    extension.read(flow, view, from);
  }
  if ((flags & EVENT) !== 0) flow.others.set('type', 'EVENT');
  if ((flags & SAMPLED) !== 0) flow.others.set('sampled', '1');
  return flow;
}
