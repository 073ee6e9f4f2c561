/**
 * CICFlowMeter, in Java (CIC-IDS2017, 2018) and in Python: durations in microseconds, lengths of
 * packets summed by direction. https://github.com/ahlashkari/CICFlowMeter,
 * https://www.unb.ca/cic/datasets/ids-2017.html
 */
import type { Dialect } from './dialect.ts';

export const cicflowmeter: Dialect = {
  id: 'cicflowmeter',
  kind: 'flow',
  signatures: [
    ['flowduration', 'totfwdpkts'],
    ['flowduration', 'totalfwdpackets'],
    ['flowduration', 'totalfwdpacket'],
  ],
  columns: {
    srcip: 'src_ip',
    sourceip: 'src_ip',
    srcport: 'src_port',
    sourceport: 'src_port',
    dstip: 'dst_ip',
    destinationip: 'dst_ip',
    dstport: 'dst_port',
    destinationport: 'dst_port',
    protocol: 'proto',
    timestamp: 'ts',
    flowduration: 'duration_us',
    totfwdpkts: 'packets',
    totalfwdpackets: 'packets',
    totalfwdpacket: 'packets',
    totbwdpkts: 'packets_rev',
    totalbackwardpackets: 'packets_rev',
    totalbwdpackets: 'packets_rev',
    totlenfwdpkts: 'bytes',
    totallengthoffwdpackets: 'bytes',
    totallengthoffwdpacket: 'bytes',
    totlenbwdpkts: 'bytes_rev',
    totallengthofbwdpackets: 'bytes_rev',
    totallengthofbwdpacket: 'bytes_rev',
  },
};
