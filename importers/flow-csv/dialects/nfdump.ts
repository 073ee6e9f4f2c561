/**
 * nfdump's CSV: the long header of 1.6 (`ts,te,td,sa,…`), the spelled one of 1.7
 * (`firstSeen,duration,proto,…`), and its JSON.
 * https://github.com/phaag/nfdump/blob/master/man/nfdump.1
 */
import type { Dialect } from './dialect.ts';

export const nfdump: Dialect = {
  id: 'nfdump-csv',
  kind: 'flow',
  icmp: 'dst_port',
  summary: 'Summary',
  signatures: [
    ['ts', 'sa', 'da', 'pr'],
    ['firstseen', 'srcaddr', 'dstaddr'],
    ['firstseen', 'proto', 'packets', 'bytes'],
  ],
  columns: {
    ts: 'ts',
    te: 'ts_end',
    td: 'duration',
    sa: 'src_ip',
    da: 'dst_ip',
    sp: 'src_port',
    dp: 'dst_port',
    pr: 'proto',
    flg: 'tcp_flags',
    ipkt: 'packets',
    ibyt: 'bytes',
    opkt: 'packets_rev',
    obyt: 'bytes_rev',
    svln: 'vlan',
    firstseen: 'ts',
    lastseen: 'ts_end',
    duration: 'duration',
    srcaddr: 'src_ip',
    dstaddr: 'dst_ip',
    srcport: 'src_port',
    dstport: 'dst_port',
    proto: 'proto',
    flags: 'tcp_flags',
    packets: 'packets',
    bytes: 'bytes',
    inpackets: 'packets',
    inbytes: 'bytes',
    outpackets: 'packets_rev',
    outbytes: 'bytes_rev',
    srcvlan: 'vlan',
  },
};

/** One JSON object per flow; times have no zone. */
export const nfdumpJson: Dialect = {
  id: 'nfdump-json',
  kind: 'flow',
  signatures: [['first', 'last', 'inpackets', 'inbytes']],
  columns: {
    first: 'ts',
    last: 'ts_end',
    proto: 'proto',
    tcpflags: 'tcp_flags',
    srcport: 'src_port',
    dstport: 'dst_port',
    icmptype: 'icmp_type',
    icmpcode: 'icmp_code',
    src4addr: 'src_ip',
    src6addr: 'src_ip',
    dst4addr: 'dst_ip',
    dst6addr: 'dst_ip',
    inpackets: 'packets',
    inbytes: 'bytes',
    outpackets: 'packets_rev',
    outbytes: 'bytes_rev',
    srcvlan: 'vlan',
  },
};
