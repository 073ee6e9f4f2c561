/**
 * UNSW-NB15: the four raw files have no header, the training and testing sets have one.
 * https://research.unsw.edu.au/projects/unsw-nb15-dataset (NUSW-NB15_features.csv)
 */
import { IP4, WHOLE, type Dialect } from './dialect.ts';

const COLUMNS =
  'srcip,sport,dstip,dsport,proto,state,dur,sbytes,dbytes,sttl,dttl,sloss,dloss,service,Sload,Dload,' +
  'Spkts,Dpkts,swin,dwin,stcpb,dtcpb,smeansz,dmeansz,trans_depth,res_bdy_len,Sjit,Djit,Stime,Ltime,' +
  'Sintpkt,Dintpkt,tcprtt,synack,ackdat,is_sm_ips_ports,ct_state_ttl,ct_flw_http_mthd,is_ftp_login,' +
  'ct_ftp_cmd,ct_srv_src,ct_srv_dst,ct_dst_ltm,ct_src_ltm,ct_src_dport_ltm,ct_dst_sport_ltm,' +
  'ct_dst_src_ltm,attack_cat,Label';
const NAMES: readonly string[] = COLUMNS.split(',');

export const unswNb15: Dialect = {
  id: 'unsw-nb15',
  kind: 'flow',
  unset: ['-'],
  signatures: [
    ['srcip', 'dstip', 'dsport', 'sbytes'],
    ['dur', 'spkts', 'dpkts', 'sbytes', 'dbytes'],
  ],
  headerless: (cells) =>
    cells.length === NAMES.length &&
    IP4.test(cells[0]!) &&
    IP4.test(cells[2]!) &&
    WHOLE.test(cells[28]!) &&
    WHOLE.test(cells[29]!)
      ? NAMES
      : undefined,
  columns: {
    srcip: 'src_ip',
    sport: 'src_port',
    dstip: 'dst_ip',
    dsport: 'dst_port',
    proto: 'proto',
    dur: 'duration',
    sbytes: 'bytes',
    dbytes: 'bytes_rev',
    spkts: 'packets',
    dpkts: 'packets_rev',
    service: 'service',
    stime: 'ts',
    ltime: 'ts_end',
  },
};
