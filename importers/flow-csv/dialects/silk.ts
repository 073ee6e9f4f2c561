/**
 * SiLK's rwcut: `|` between right-aligned columns, and one at the end; times are UTC unless `--timestamp-format`
 * said otherwise. https://tools.netsa.cert.org/silk/rwcut.html
 */
import type { Dialect } from './dialect.ts';

export const silk: Dialect = {
  id: 'silk-rwcut',
  kind: 'flow',
  icmp: 'dst_port',
  unquoted: true,
  signatures: [
    ['sip', 'dip'],
    ['sip', 'stime'],
    ['stime', 'packets', 'bytes'],
  ],
  columns: {
    sip: 'src_ip',
    dip: 'dst_ip',
    sport: 'src_port',
    dport: 'dst_port',
    pro: 'proto',
    protocol: 'proto',
    packets: 'packets',
    pkts: 'packets',
    bytes: 'bytes',
    flags: 'tcp_flags',
    stime: 'ts',
    stimemsec: 'ts',
    etime: 'ts_end',
    etimemsec: 'ts_end',
    duration: 'duration',
    dur: 'duration',
    durmsec: 'duration',
    itype: 'icmp_type',
    icode: 'icmp_code',
    type: 'attr',
  },
};
