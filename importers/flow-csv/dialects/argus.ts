/**
 * Argus's ra with a delimiter (`ra -c ,`), and the .binetflow files of CTU-13 that it made.
 * https://openargus.org/oldsite/man/man1/ra.1.pdf,
 * https://www.stratosphereips.org/datasets-ctu13
 */
import type { Dialect } from './dialect.ts';

export const argus: Dialect = {
  id: 'argus',
  kind: 'flow',
  icmp: 'argus',
  signatures: [
    ['starttime', 'srcaddr', 'dstaddr'],
    ['starttime', 'proto', 'totbytes'],
    ['stime', 'srcaddr', 'dstaddr', 'state'],
    ['srcaddr', 'dstaddr', 'dir', 'state'],
    // Bot-IoT uses Argus's field names.
    ['stime', 'saddr', 'daddr', 'state'],
  ],
  columns: {
    starttime: 'ts',
    stime: 'ts',
    lasttime: 'ts_end',
    ltime: 'ts_end',
    dur: 'duration',
    proto: 'proto',
    srcaddr: 'src_ip',
    saddr: 'src_ip',
    dstaddr: 'dst_ip',
    daddr: 'dst_ip',
    sport: 'src_port',
    dport: 'dst_port',
    totpkts: 'packets_total',
    pkts: 'packets_total',
    totbytes: 'bytes_total',
    bytes: 'bytes_total',
    srcpkts: 'packets',
    spkts: 'packets',
    dstpkts: 'packets_rev',
    dpkts: 'packets_rev',
    srcbytes: 'bytes',
    sbytes: 'bytes',
    dstbytes: 'bytes_rev',
    dbytes: 'bytes_rev',
    sappbytes: 'orig_bytes',
    dappbytes: 'resp_bytes',
    state: 'state_flags',
    svlan: 'attr',
  },
};
