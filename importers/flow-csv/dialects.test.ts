/** Each dialect on a few rows made for this test: it is recognised, and every column gets its meaning. */
import { describe, expect, it } from 'vitest';
import { TS_BASIS } from '../../engine/contract/event.ts';
import { collect, inputOf, type CollectedRow } from '../shared/testing/collect.ts';
import type { ReadOptions } from '../../engine/evidence/importer.ts';
import { flowCsvImporter } from '../registry.ts';

const encoder = new TextEncoder();

async function readText(text: string, options: Partial<ReadOptions> = {}) {
  const bytes = encoder.encode(text);
  const sniffed = flowCsvImporter.sniff(bytes, { name: 'x', complete: true });
  const format = options.format ?? sniffed?.format ?? '';
  const collected = await collect(flowCsvImporter, inputOf(bytes), { ...options, format });
  return { ...collected, sniffed };
}

const T = (iso: string): number => Date.parse(iso) * 1000;
const ip = (text: string): number =>
  text.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);

interface Case {
  readonly name: string;
  readonly format: string;
  readonly text: string;
  /** The minimum content of the first row. */
  readonly first: Record<string, unknown>;
  readonly attrs?: Record<string, string>;
  readonly rows: number;
  readonly skipped?: Record<string, number>;
}

const TSHARK =
  'frame.time_epoch,ip.src,ipv6.src,ip.dst,ipv6.dst,ip.proto,tcp.srcport,tcp.dstport,udp.srcport,udp.dstport\n';

const CASES: readonly Case[] = [
  {
    name: 'nfdump 1.6 csv with ICMP and a summary',
    format: 'nfdump-csv',
    text:
      'ts,te,td,sa,da,sp,dp,pr,flg,fwd,stos,ipkt,ibyt,opkt,obyt\n' +
      '2026-11-21 00:00:01,2026-11-21 00:00:02,1.250,192.0.2.1,2001:db8::2,0,34560,ICMP6,........,0,0,3,156,2,99\n' +
      'Summary\nflows,bytes,packets,avg_bps,avg_pps,avg_bpp\n1,156,3,0,0,0\n',
    first: {
      kind: 'flow',
      seq: 1,
      ts: T('2026-11-21T00:00:01Z'),
      ts_digits: 0,
      ts_basis: 1,
      tz_offset: 0,
      duration: 1.25,
      src_ip4: ip('192.0.2.1'),
      dst_ip6: '20010db8000000000000000000000002',
      src_port: 135,
      dst_port: 0,
      proto: 58,
      packets: 3,
      bytes: 156,
      packets_rev: 2,
      bytes_rev: 99,
      tcp_flags: 0,
    },
    attrs: { te: '2026-11-21 00:00:02', fwd: '0', stos: '0' },
    rows: 1,
    skipped: { 'summary line': 3 },
  },
  {
    name: 'nfdump pipe of 1.6',
    format: 'nfdump-pipe',
    text:
      '2|1795219200|5|1795219201|7|6|0|0|0|3221225985|1234|0|0|0|3325256711|443|64500|0|1|2|27|0|5|500\n' +
      '10|1795219200|0|1795219200|0|17|536939960|0|0|1|53|536939960|0|0|2|5353|0|0|0|0|0|0|1|60\n',
    first: {
      kind: 'flow',
      ts: T('2026-11-21T00:00:00.005Z'),
      ts_digits: 3,
      duration: 1.002,
      src_ip4: ip('192.0.2.1'),
      dst_ip4: ip('198.51.100.7'),
      src_port: 1234,
      dst_port: 443,
      proto: 6,
      tcp_flags: 27,
      packets: 5,
      bytes: 500,
    },
    attrs: {
      af: '2',
      last: '1795219201',
      dst_as: '0',
      src_as: '64500',
      input: '1',
      output: '2',
      tos: '0',
      last_msec: '7',
    },
    rows: 2,
  },
  {
    name: 'nfdump pipe of 1.7, with an address of version 6 that looks like one of version 4',
    format: 'nfdump-pipe',
    text: '10|1795219200005|1795219201007|1|0|0|0|1|0|536939960|0|0|2|2048|0|0|0|0|0|0|1|60\n',
    first: {
      ts: T('2026-11-21T00:00:00.005Z'),
      duration: 1.002,
      src_ip6: '00000000000000000000000000000001',
      dst_ip6: '20010db8000000000000000000000002',
      src_port: 8,
      dst_port: 0,
      proto: 1,
    },
    rows: 1,
  },
  {
    name: 'nfdump 1.7 csv',
    format: 'nfdump-csv',
    text:
      'firstSeen,duration,proto,srcAddr,srcPort,dstAddr,dstPort,packets,bytes,flows\n' +
      '2026-11-21 00:00:01.123,00:01:02.838,TCP,192.0.2.1,1234,198.51.100.7,443,5,600,1\n',
    first: {
      ts: T('2026-11-21T00:00:01.123Z'),
      ts_digits: 3,
      duration: 62.838,
      src_port: 1234,
      dst_port: 443,
      proto: 6,
      packets: 5,
      bytes: 600,
    },
    attrs: { flows: '1' },
    rows: 1,
  },
  {
    name: 'nfdump lines with units, IPv6 and ICMP',
    format: 'nfdump-text',
    text:
      'Date first seen             Duration     Proto      Src IP Addr:Port          Dst IP Addr:Port     Flags Tos  Packets    Bytes Flows\n' +
      '2026-11-21 00:00:01.500     00:00:02.250 TCP    192.0.2.1:1234  ->   198.51.100.7:443   ...AP.SF   0     1.5 M    2.0 G     1\n' +
      '2026-11-21 00:00:02.000     00:00:00.000 ICMP6      fe80::1.0     ->      ff02::2.133.1  ........   0        1       48     1\n' +
      'Summary: total flows: 2, total bytes: 1\nTime window: x\nTotal flows processed: 2\nSys: 0\n',
    first: {
      ts: T('2026-11-21T00:00:01.500Z'),
      duration: 2.25,
      src_ip4: ip('192.0.2.1'),
      src_port: 1234,
      dst_ip4: ip('198.51.100.7'),
      dst_port: 443,
      tcp_flags: 0b11011,
      packets: 1_500_000,
      bytes: 2_000_000_000,
    },
    attrs: { Tos: '0', Packets: '1.5 M', Bytes: '2.0 G', Flows: '1' },
    rows: 2,
    skipped: { 'summary line': 4 },
  },
  {
    name: 'SiLK rwcut',
    format: 'silk-rwcut',
    text:
      '            sIP|            dIP|sPort|dPort|pro|   packets|     bytes|   flags|                  sTime| duration|                  eTime|sen|\n' +
      '      192.0.2.1|   198.51.100.7|    0| 2048|  1|         3|       156|        |2026/11/21T00:00:00.123|    0.500|2026/11/21T00:00:00.623| S0|\n' +
      '      192.0.2.1|   198.51.100.7| 1234|  443|  6|         3|       156| FS PA  |2026/11/21T00:00:00.123|    0.500|2026/11/21T00:00:00.623| S0|\n',
    first: {
      ts: T('2026-11-21T00:00:00.123Z'),
      duration: 0.5,
      src_port: 8,
      dst_port: 0,
      proto: 1,
      packets: 3,
      bytes: 156,
    },
    attrs: { eTime: '2026/11/21T00:00:00.623', sen: 'S0' },
    rows: 2,
  },
  {
    name: 'Argus binetflow with ICMP',
    format: 'argus',
    text:
      'StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,sTos,dTos,TotPkts,TotBytes,SrcBytes,Label\n' +
      '2026/11/21 00:00:05.171480,0.000515,icmp,192.0.2.1,0x0103,  <->,198.51.100.7,0x0f72,URH,0,,2,220,110,flow=x\n',
    first: {
      ts: T('2026-11-21T00:00:05.171Z') + 480,
      ts_digits: 6,
      duration: 0.000515,
      proto: 1,
      src_port: 3,
      dst_port: 1,
      packets: 2,
      bytes: 110,
      bytes_rev: 110,
    },
    attrs: {
      Sport: '0x0103',
      Dport: '0x0f72',
      Dir: '<->',
      State: 'URH',
      sTos: '0',
      Label: 'flow=x',
    },
    rows: 1,
  },
  {
    name: 'Argus with flags of both sides, and a part larger than the sum',
    format: 'argus',
    text:
      'StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,TotPkts,TotBytes,SrcBytes,SrcPkts\n' +
      '2026/11/21 00:00:05,1,tcp,192.0.2.1,1234,->,198.51.100.7,80,FSPA_FSRPA,10,500,800,4\n',
    first: { tcp_flags: 0b11111, packets: 4, packets_rev: 6, bytes: 500 },
    attrs: { State: 'FSPA_FSRPA', Dir: '->', SrcBytes: '800' },
    rows: 1,
  },
  {
    name: 'CICFlowMeter in Java',
    format: 'cicflowmeter',
    text:
      'Flow ID, Source IP, Source Port, Destination IP, Destination Port, Protocol, Timestamp, Flow Duration, Total Fwd Packets, Total Backward Packets,Total Length of Fwd Packets, Total Length of Bwd Packets, Fwd Header Length, Fwd Header Length, Label\n' +
      'a,192.0.2.1,1234,198.51.100.7,80,6,5/7/2017 8:42,1500000,2,1,12.0,6.0,40,40,BENIGN\n' +
      'a,192.0.2.1,1234,198.51.100.7,80,6,13/7/2017 8:42:10 PM,1500000,2,1,12,6,40,41,BENIGN\n',
    first: {
      ts: T('2017-07-05T08:42:00Z'),
      duration: 1.5,
      packets: 2,
      packets_rev: 1,
      bytes: 12,
      bytes_rev: 6,
    },
    attrs: {
      'Flow ID': 'a',
      'Fwd Header Length': '40',
      'Fwd Header Length.1': '40',
      Label: 'BENIGN',
    },
    rows: 2,
  },
  {
    name: 'UNSW-NB15 without a header',
    format: 'unsw-nb15',
    text: `192.0.2.1,33661,198.51.100.7,1024,udp,CON,0.036133,528,304,31,29,0,0,-,87676.08594,50480.17188,4,4,${'0,'.repeat(10)}1421927414,1421927415,${'0,'.repeat(17)},0\n`,
    first: {
      ts: T('2015-01-22T11:50:14Z'),
      src_ip4: ip('192.0.2.1'),
      src_port: 33_661,
      dst_port: 1024,
      proto: 17,
      duration: 0.036133,
      bytes: 528,
      bytes_rev: 304,
      packets: 4,
      packets_rev: 4,
    },
    rows: 1,
  },
  {
    name: 'AWS VPC flow logs without a header',
    format: 'aws-vpc-flow',
    text:
      '2 123456789012 eni-0123456789abcdef0 192.0.2.1 198.51.100.7 20641 22 6 20 4249 1418530010 1418530070 ACCEPT OK\n' +
      '2 123456789012 eni-0123456789abcdef0 - - - - - - - 1431280876 1431280934 - NODATA\n',
    first: {
      ts: T('2014-12-14T04:06:50Z'),
      duration: 60,
      proto: 6,
      src_port: 20_641,
      dst_port: 22,
      packets: 20,
      bytes: 4249,
    },
    attrs: {
      version: '2',
      'account-id': '123456789012',
      'interface-id': 'eni-0123456789abcdef0',
      end: '1418530070',
      action: 'ACCEPT',
      'log-status': 'OK',
    },
    rows: 2,
  },
  {
    name: 'AWS VPC flow logs of version 5 with a header',
    format: 'aws-vpc-flow',
    text:
      'version srcaddr dstaddr srcport dstport protocol start end type packets bytes account-id interface-id tcp-flags pkt-srcaddr log-status action flow-direction\n' +
      '5 192.0.2.1 2001:db8::2 20641 22 6 1616729292 1616729349 IPv4 14 15044 123456789012 eni-1 19 192.0.2.9 OK ACCEPT ingress\n',
    first: { tcp_flags: 19, packets: 14, bytes: 15_044, duration: 57 },
    attrs: {
      version: '5',
      end: '1616729349',
      type: 'IPv4',
      'account-id': '123456789012',
      'interface-id': 'eni-1',
      'pkt-srcaddr': '192.0.2.9',
      'log-status': 'OK',
      action: 'ACCEPT',
      'flow-direction': 'ingress',
    },
    rows: 1,
  },
  {
    name: 'Zeek conn.log with another separator and unset mark',
    format: 'zeek-tsv',
    text:
      '#separator \\x7c\n#set_separator|,\n#empty_field|EMPTY\n#unset_field|NIL\n#path|conn\n#open|2026-11-21-00-00-00\n' +
      '#fields|ts|uid|id.orig_h|id.orig_p|id.resp_h|id.resp_p|proto|service|duration|orig_bytes|resp_bytes|conn_state|local_orig|missed_bytes|history|orig_pkts|orig_ip_bytes|resp_pkts|resp_ip_bytes|tunnel_parents\n' +
      '#types|time|string|addr|port|addr|port|enum|string|interval|count|count|string|bool|count|string|count|count|count|count|set[string]\n' +
      '1795219200.123456|C1|192.0.2.1|1234|198.51.100.7|443|tcp|ssl|NIL|10|20|SF|T|0|ShADadFf|3|130|2|100|EMPTY\n' +
      '#close|2026-11-21-00-00-01\n',
    first: {
      kind: 'flow',
      event_type: 'conn',
      ts: 1_795_219_200_123_456,
      ts_digits: 6,
      service: 'ssl',
      orig_bytes: 10,
      resp_bytes: 20,
      conn_state: 'SF',
      missed_bytes: 0,
      history: 'ShADadFf',
      packets: 3,
      bytes: 130,
      packets_rev: 2,
      bytes_rev: 100,
      record_key: expect.any(Number),
    },
    attrs: { uid: 'C1', local_orig: 'T' },
    rows: 1,
  },
  {
    name: 'Zeek dns.log',
    format: 'zeek-tsv',
    text: '#separator \\x09\n#unset_field\t-\n#path\tdns\n#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\ttrans_id\tquery\n1.5\tC1\t192.0.2.1\t53000\t198.51.100.7\t53\tudp\t7\texample.org\n',
    first: { kind: 'dns', event_type: 'dns', ts: 1_500_000, ts_digits: 1, proto: 17 },
    attrs: { uid: 'C1', trans_id: '7', query: 'example.org' },
    rows: 1,
  },
  {
    name: 'Zeek dns.log: sets and vectors are arrays, as in its JSON',
    format: 'zeek-tsv',
    text:
      '#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tdns\n' +
      '#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tquery\tanswers\tTTLs\ttags\tnames\n' +
      '#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tvector[string]\tvector[interval]\tset[string]\tset[string]\n' +
      '1.5\tC1\t192.0.2.1\t53000\t198.51.100.7\t53\tudp\ta,b\ta.example,"x\\x2cy",-,(empty)\t60.000000,-,300\t(empty)\t-\n' +
      '2.5\tC2\t192.0.2.1\t53001\t198.51.100.7\t53\tudp\tq\t192.0.2.9\t007\tone\tC:\\x5cd\n',
    first: { kind: 'dns', event_type: 'dns', ts: 1_500_000 },
    attrs: {
      uid: 'C1',
      query: 'a,b',
      answers: '["a.example","\\"x,y\\"",null,""]',
      TTLs: '[60.000000,null,300]',
    },
    rows: 2,
  },
  {
    name: 'zeek-cut',
    format: 'zeek-cut',
    text: 'ts\tuid\torig_bytes\thistory\n1.000000\tC1\t5\tDX\n',
    first: { kind: 'flow', event_type: 'conn', ts: 1_000_000, orig_bytes: 5, bytes: 5 },
    attrs: { uid: 'C1' },
    rows: 1,
  },
  {
    name: 'Zeek JSON with digits as stated',
    format: 'zeek-json',
    text: '{"ts":1795219200.120000,"uid":"C1","id.orig_h":"192.0.2.1","id.orig_p":3,"id.resp_h":"198.51.100.7","id.resp_p":1,"proto":"icmp","conn_state":"OTH","orig_pkts":1,"orig_ip_bytes":56,"local_orig":true,"tunnel_parents":["a"]}\n',
    first: {
      kind: 'flow',
      ts: 1_795_219_200_120_000,
      ts_digits: 6,
      src_port: 3,
      dst_port: 1,
      proto: 1,
      conn_state: 'OTH',
      packets: 1,
      bytes: 56,
    },
    attrs: { uid: 'C1', local_orig: 'true', tunnel_parents: '["a"]' },
    rows: 1,
  },
  {
    name: 'Zeek JSON notice',
    format: 'zeek-json',
    text: '{"ts":1.5,"note":"Scan::Port_Scan","msg":"scanned","src":"192.0.2.1","actions":["Notice::ACTION_LOG"]}\n',
    first: {
      ...{ kind: 'alert', event_type: 'notice', message: 'scanned' },
      src_ip4: ip('192.0.2.1'),
    },
    attrs: { note: 'Scan::Port_Scan', actions: '["Notice::ACTION_LOG"]' },
    rows: 1,
  },
  {
    name: 'Zeek notices, which are about an address or a connection',
    format: 'zeek-tsv',
    text:
      '#separator \\x09\n#unset_field\t-\n#path\tnotice\n#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tnote\tmsg\tsrc\tdst\tactions\n' +
      '1.5\t-\t-\t-\t-\t-\tSSH::Password_Guessing\tguessing\t192.0.2.17\t-\tNotice::ACTION_LOG\n' +
      '2.5\tC1\t192.0.2.18\t40001\t198.51.100.1\t443\tSSL::Invalid\tx\t192.0.2.18\t198.51.100.1\tNotice::ACTION_LOG\n',
    first: { kind: 'alert', rule: 'SSH::Password_Guessing', src_ip4: ip('192.0.2.17') },
    rows: 2,
  },
  {
    name: "Zeek JSON of Corelight's",
    format: 'zeek-json',
    text: '{"_path":"known_services","_system_name":"sensor1","ts":1.5,"kuid":"K1","host_ip":"192.0.2.1","port_num":80,"protocol":"tcp","service":["HTTP"]}\n',
    first: {
      ...{ kind: 'other', event_type: 'known_services', host: 'sensor1' },
      ...{ dst_ip4: ip('192.0.2.1'), dst_port: 80, proto: 6 },
    },
    rows: 1,
  },
  {
    name: "Zeek JSON of Corelight's users",
    format: 'zeek-json',
    text: '{"_path":"known_users","_system_name":"sensor1","ts":1.5,"kuid":"K1","host_ip":"192.0.2.1","server_ip":"198.51.100.7","user":"alice","protocol":"NTLM"}\n',
    first: {
      ...{ kind: 'other', event_type: 'known_users', host: 'sensor1', user: 'alice' },
      dst_ip4: ip('198.51.100.7'),
    },
    rows: 1,
  },
  {
    name: 'Suricata flow',
    format: 'suricata-eve',
    text: '{"timestamp":"2026-11-21T02:00:09.000000+0200","flow_id":1234567890123456789,"event_type":"flow","vlan":[7,8],"src_ip":"192.0.2.1","src_port":1234,"dest_ip":"198.51.100.7","dest_port":443,"proto":"TCP","app_proto":"tls","flow":{"pkts_toserver":3,"pkts_toclient":2,"bytes_toserver":130,"bytes_toclient":100,"start":"2026-11-21T02:00:00.250000+0200","end":"2026-11-21T02:00:01.500000+0200","state":"closed"},"tcp":{"tcp_flags":"1b"}}\n',
    first: {
      kind: 'flow',
      event_type: 'flow',
      ts: T('2026-11-21T00:00:00.250Z'),
      ts_digits: 6,
      duration: 1.25,
      service: 'tls',
      packets: 3,
      packets_rev: 2,
      bytes: 130,
      bytes_rev: 100,
      tcp_flags: 0x1b,
      vlan: 7,
      record_key: expect.any(Number),
    },
    attrs: {
      timestamp: '2026-11-21T02:00:09.000000+0200',
      flow_id: '1234567890123456789',
      vlan: '[7,8]',
      'flow.end': '2026-11-21T02:00:01.500000+0200',
      'flow.state': 'closed',
    },
    rows: 1,
  },
  {
    name: 'Suricata alert',
    format: 'suricata-eve',
    text: '{"timestamp":"2026-11-21T00:00:09.5Z","event_type":"alert","src_ip":"192.0.2.1","dest_ip":"2001:db8::2","proto":"ICMP","icmp_type":8,"icmp_code":0,"alert":{"signature":"ET X","severity":1}}\n',
    first: {
      kind: 'alert',
      ts: T('2026-11-21T00:00:09.5Z'),
      message: 'ET X',
      proto: 1,
      src_port: 8,
      dst_port: 0,
    },
    attrs: { 'alert.severity': '1' },
    rows: 1,
  },
  {
    name: 'nfdump JSON over many lines',
    format: 'nfdump-json',
    text: '[\n{\n\t"type" : "FLOW",\n\t"first" : "2026-11-21T00:00:02.141",\n\t"last" : "2026-11-21T00:00:03.141",\n\t"in_packets" : 1,\n\t"in_bytes" : 76,\n\t"proto" : 17,\n\t"src_port" : 53,\n\t"dst_port" : 5353,\n\t"src6_addr" : "2001:db8::1",\n\t"dst4_addr" : "192.0.2.1",\n\t"label" : "<none>"\n},\n{"first":"2026-11-21T00:00:02","last":"x","in_packets":1,"in_bytes":1}]\n',
    first: {
      ts: T('2026-11-21T00:00:02.141Z'),
      ts_basis: 1,
      duration: 1,
      proto: 17,
      packets: 1,
      bytes: 76,
      offset: 2,
      src_ip6: '20010db8000000000000000000000001',
    },
    attrs: { type: 'FLOW', last: '2026-11-21T00:00:03.141', label: '<none>' },
    rows: 2,
  },
  {
    name: 'JSON lines of no known kind',
    format: 'json-lines',
    text: '{"time":"2026-11-21T00:00:01Z","client":{"ip":"192.0.2.1"},"src_ip":"192.0.2.1","dst_ip":"198.51.100.7","proto":"tcp","bytes":12}\n\n{"time":"x","src_ip":"192.0.2.1","dst_ip":"198.51.100.7","proto":6,"bytes":1}\n',
    first: { kind: 'flow', ts: T('2026-11-21T00:00:01Z'), bytes: 12 },
    attrs: { 'client.ip': '192.0.2.1' },
    rows: 2,
    skipped: { 'blank line': 1 },
  },
  {
    name: 'a table with semicolons, quotes and lines within cells',
    format: 'table',
    text: 'Start;Source;Destination;Bytes;Remark\r\n2026-11-21 00:00:01;192.0.2.1;198.51.100.7;12;"a ""b"";\nc"\r\n2026-11-21 00:00:02;192.0.2.1;198.51.100.7;many;\r\n',
    first: { kind: 'flow', ts: T('2026-11-21T00:00:01Z'), bytes: 12, offset: 39, length: 58 },
    attrs: { Remark: 'a "b";\nc' },
    rows: 2,
  },
];

describe('dialects', () => {
  it.each(CASES)('$name', async ({ format, text, first, attrs, rows, skipped }) => {
    const result = await readText(text);
    expect(result.sniffed?.format).toBe(format);
    expect(result.quarantined).toEqual([]);
    expect(result.rows.length).toBe(rows);
    expect(result.records).toBe(rows);
    expect(result.skipped).toEqual(skipped ?? {});
    expect(result.rows[0]).toMatchObject(first);
    if (attrs !== undefined) expect(result.rows[0]!.attrs).toEqual(attrs);
  });

  it('gives the other rows their due', async () => {
    const second = async (name: string): Promise<CollectedRow> =>
      (await readText(CASES.find((each) => each.name === name)!.text)).rows[1]!;
    expect(await second('nfdump lines with units, IPv6 and ICMP')).toMatchObject({
      src_ip6: 'fe800000000000000000000000000001',
      src_port: 133,
      dst_port: 1,
      proto: 58,
    });
    expect(await second('SiLK rwcut')).toMatchObject({ tcp_flags: 0b11011, src_port: 1234 });
    expect(await second('CICFlowMeter in Java')).toMatchObject({ ts: T('2017-07-13T20:42:10Z') });
    const noData = await second('AWS VPC flow logs without a header');
    expect(noData['src_ip4']).toBeUndefined();
    expect(noData).toMatchObject({ attrs: { 'log-status': 'NODATA' }, duration: 58 });
    const odd = await second('a table with semicolons, quotes and lines within cells');
    expect(odd['bytes']).toBeUndefined();
    expect(odd.attrs).toEqual({ Bytes: 'many' });
  });
});

describe('other forms of the same', () => {
  it.each([
    [
      'a delimiter that Excel is told',
      'table',
      'sep=;\r\nSource;Destination;Bytes\r\n192.0.2.1;192.0.2.2;7\r\n',
      { bytes: 7 },
    ],
    [
      'comments before the heading',
      'table',
      '# by x\n# y\nStart,Src,Dst,Bytes\n2026-11-21,192.0.2.1,192.0.2.2,7\n',
      { bytes: 7 },
    ],
    [
      'SiLK with commas',
      'silk-rwcut',
      'sIP,dIP,pro,packets,bytes,flags,sTime,eTime\n192.0.2.1,192.0.2.2,6,7,8,FS PA,2026/11/21T00:00:00.123,2026/11/21T00:00:01.623\n',
      { duration: 1.5, tcp_flags: 27 },
    ],
    [
      'AWS from CloudWatch',
      'aws-vpc-flow',
      '2026-11-21T00:00:00.000Z 2 123456789012 eni-0123 192.0.2.1 192.0.2.2 1 2 6 3 4 1418530010 1418530070 ACCEPT OK\n',
      { packets: 3, bytes: 4 },
    ],
    [
      'AWS in an order of its own',
      'aws-vpc-flow',
      '3 eni-33 123456789010 vpc-ab 192.0.2.1 192.0.2.2 39812 80 6 3 IPv4 192.0.2.1 192.0.2.2 ACCEPT OK\n',
      { src_port: 39_812, dst_port: 80, proto: 6 },
    ],
    [
      'Zeek JSON in an array',
      'zeek-json',
      '[{"ts":1.5,"uid":"C1","id.orig_h":"192.0.2.1","_path":"dns","query":"x"}]',
      { kind: 'dns', event_type: 'dns' },
    ],
    [
      'Suricata statistics',
      'suricata-eve',
      '{"timestamp":"2026-11-21T00:00:00.1Z","event_type":"stats","stats":{"uptime":1}}\n',
      { kind: 'other', event_type: 'stats' },
    ],
    [
      'nfdump extended',
      'nfdump-text',
      'Date flow start          Duration Proto Src IP Addr:Port Dst IP Addr:Port Flags Tos Packets Bytes pps bps Bpp Flows\n2026-11-21 00:00:01.500 1.250 TCP 192.0.2.1:1 -> 192.0.2.2:2 .AP.SF 0 11 4483 8 20.1 M 407 1\n',
      {
        packets: 11,
        bytes: 4483,
        attrs: { Tos: '0', pps: '8', bps: '20.1 M', Bpp: '407', Flows: '1' },
      },
    ],
    [
      'the sets of UNSW-NB15',
      'unsw-nb15',
      '\ufeffid,dur,proto,service,state,spkts,dpkts,sbytes,dbytes,label\r\n1,0.12,tcp,-,FIN,6,4,258,172,0\r\n',
      { bytes: 258, packets_rev: 4, attrs: { id: '1', state: 'FIN', label: '0' } },
    ],
    [
      'Argus by its field names',
      'argus',
      'stime,proto,saddr,daddr,state,pkts,bytes,spkts,sbytes\n1526344121.125,rtp,192.0.2.1,192.0.2.2,CON,5,500,3,300\n',
      { proto: 17, packets_rev: 2, bytes_rev: 200, attrs: { state: 'CON', proto: 'rtp' } },
    ],
    [
      'an address with a zone',
      'table',
      'Timestamp\tClientIP\tServerIP\n21.11.2026 10:11:12\tfe80::1%eth0\t192.0.2.1\n',
      { src_ip6: 'fe800000000000000000000000000001', attrs: { ClientIP: 'fe80::1%eth0' } },
    ],
    [
      'objects one after another over many lines',
      'json-array',
      '{\n "src_ip": "192.0.2.1",\n "dst_ip": "192.0.2.2"\n}\n{\n "src_ip": "192.0.2.3"\n}\n',
      { kind: 'other', offset: 0, length: 50, src_ip4: ip('192.0.2.1') },
    ],
  ])('%s', async (_, format, text, first) => {
    const result = await readText(text);
    expect(result.sniffed?.format).toBe(format);
    expect(result.quarantined).toEqual([]);
    expect(result.rows[0]).toMatchObject(first);
  });
});

describe('values that cannot be', () => {
  const header = 'ts,sa,da,sp,dp,pr,ipkt,ibyt,flg\n';
  it.each([
    ['time', 'XXXX-11-21', { ts: 'XXXX-11-21' }],
    ['no such day', '2026-02-30 00:00:00', { ts: '2026-02-30 00:00:00' }],
    ['no such hour', '2026-02-03 25:00:00', { ts: '2026-02-03 25:00:00' }],
  ])('%s', async (_, stamp, attrs) => {
    const { rows } = await readText(`${header}${stamp},192.0.2.1,192.0.2.2,1,2,TCP,1,1,S\n`);
    expect(rows[0]!.attrs).toEqual(attrs);
    expect(rows[0]!['ts']).toBeUndefined();
  });

  it('are kept under the names of their columns', async () => {
    const { rows } = await readText(
      `${header}1795219200,192.0.2.256,host.example,70000,http,zzz,-1,9007199254740993,Q\n`,
    );
    expect(rows[0]!.attrs).toEqual({
      sa: '192.0.2.256',
      da: 'host.example',
      sp: '70000',
      dp: 'http',
      pr: 'zzz',
      ipkt: '-1',
      ibyt: '9007199254740993',
      flg: 'Q',
    });
    expect(Object.keys(rows[0]!).sort()).toEqual(
      ['attrs', 'kind', 'length', 'offset', 'seq', 'ts', 'ts_digits'].sort(),
    );
  });
});

describe('zones, dates and mappings', () => {
  it('reads local times in the zone that was given', async () => {
    const text = 'ts,sa,da,pr\n2026-07-01 12:00:00,192.0.2.1,192.0.2.2,TCP\n';
    const { rows, decisions } = await readText(text, { timeZone: 'Europe/Berlin' });
    expect(rows[0]).toMatchObject({ ts: T('2026-07-01T10:00:00Z'), ts_basis: 1, tz_offset: 7200 });
    expect(decisions).toMatchObject({ tz: 'Europe/Berlin' });
    const stated = await readText(text.replace(/(\d\d:\d\d:\d\d(\.\d+)?)/g, '$1Z'), {});
    expect(stated.decisions).not.toHaveProperty('tz');
  });

  it.each([
    ['UtcTime', ''],
    ['timestamp_utc', ''],
    ['eventTimeUTC', ''],
    ['time', 'Z'],
  ])('reads times of a column that says UTC in UTC: %s', async (name, zone) => {
    const text = `${name},src_ip,user\n2026-07-01 12:00:00${zone},192.0.2.1,a\n2026-07-01 12:00:01${zone},192.0.2.1,b\n`;
    const table = await readText(text, { timeZone: 'Europe/Berlin' });
    const record = { [name]: `2026-07-01 12:00:00${zone}`, src_ip: '192.0.2.1', user: 'a' };
    const json = await readText(`${JSON.stringify(record)}\n`, { timeZone: 'Europe/Berlin' });
    for (const { rows, decisions } of [table, json]) {
      expect(rows[0]).toMatchObject({ ts: T('2026-07-01T12:00:00Z') });
      expect(rows[0]!['ts_basis'] ?? 0).toBe(0);
      expect(decisions).not.toHaveProperty('tz');
    }
  });

  it('reads both ends of a flow in the zone that the columns say', async () => {
    const { rows } = await readText(
      'StartUTC,EndUTC,sa,da,pr\n2026-07-01 12:00:00,2026-07-01 12:00:05,192.0.2.1,192.0.2.2,TCP\n',
      {
        timeZone: 'Europe/Berlin',
        mapping: {
          fields: { ts: 'StartUTC', ts_end: 'EndUTC', src_ip: 'sa', dst_ip: 'da', proto: 'pr' },
        },
      },
    );
    expect(rows[0]).toMatchObject({ ts: T('2026-07-01T12:00:00Z'), duration: 5 });
  });

  it('reads times of files in the zone that their names say', async () => {
    const { rows } = await readText(
      `${JSON.stringify({ LastModifiedTimeUTC: '2026-07-01 12:00:00', Path: 'C:\\a.exe', CacheEntryPosition: 1 })}\n`,
      { timeZone: 'Europe/Berlin' },
    );
    expect(rows[0]).toMatchObject({ ts: T('2026-07-01T12:00:00Z'), file_path: 'C:\\a.exe' });
  });

  it.each([
    ['mdy', '1/2/2018 1:00,1/20/2018 1:00', T('2018-01-02T01:00:00Z'), true],
    ['dmy', '1/2/2018 1:00,20/1/2018 1:00', T('2018-02-01T01:00:00Z'), true],
    ['dmy', '1/2/2018 1:00,3/4/2018 1:00', T('2018-02-01T01:00:00Z'), false],
    ['mdy', '1/2/2018 1:00,1/3/2018 1:00,1/4/2018 1:00', T('2018-01-02T01:00:00Z'), false],
    ['dmy', '1/2/2018 1:00,2/2/2018 1:00,3/2/2018 1:00', T('2018-02-01T01:00:00Z'), false],
    ['mdy', '1/2/2018 1:00:30 PM +02:00,3/4/2018 1:00', T('2018-01-02T11:00:30Z'), false],
    ['mdy', '1/2/2018 1:00:30 PM +02:00,1/20/2018 1:00', T('2018-01-02T11:00:30Z'), true],
    ['mdy', '"1/2/2018, 1:00:30 PM","3/4/2018, 1:00:00 PM"', T('2018-01-02T13:00:30Z'), false],
    ['dmy', '"1/2/2018, 1:00:30 pm","3/4/2018, 1:00:00 pm"', T('2018-02-01T13:00:30Z'), false],
    ['mdy', '1/2/2018 1:00:30 PM,3/4/2018 1:00', T('2018-01-02T13:00:30Z'), false],
    ['dmy', '1/2/2018 1:00:30 PM,20/1/2018 1:00', T('2018-02-01T13:00:30Z'), true],
    ['dmy', '1.2.2018 1:00:30 PM,3.4.2018 1:00', T('2018-02-01T13:00:30Z'), false],
    ['mdy', '1/2/2018 12:00 AMZ,1/20/2018 1:00', T('2018-01-02T00:00:00Z'), true],
  ])('takes %s from %s', async (dateOrder, stamps, ts, certain) => {
    const rows = stamps.split(/,(?! )/).map((stamp) => `${stamp},192.0.2.1,192.0.2.2,7`);
    const result = await readText(`timestamp,src_ip,dst_ip,bytes\n${rows.join('\n')}\n`);
    expect(result.decisions).toMatchObject({ dateOrder });
    expect(result.rows[0]!['ts']).toBe(ts);
    expect(result.notes.length).toBe(certain ? 0 : 1);
  });

  it.each([
    '2026-03-04T05:06:07 UTC+02:00',
    '2026-03-04 05:06:07 GMT+02',
    '2026-03-04 05:06:07 UTC+2',
    'Wed Mar 04 05:06:07 GMT+02:00 2026',
    'Wed Mar 04 2026 05:06:07 GMT+0200 (Central European Summer Time)',
    '04 Mar 2026 05:06:07 GMT+0200',
  ])('reads the offset of %s', async (timestamp) => {
    const ts = T('2026-03-04T03:06:07Z');
    const { rows } = await readText(`${JSON.stringify({ timestamp, src_ip: '192.0.2.1' })}\n`);
    expect(rows[0]).toMatchObject({ ts });
    const table = `timestamp,src_ip,dst_ip,bytes\n${timestamp},192.0.2.1,192.0.2.2,7\n`;
    expect((await readText(table)).rows[0]).toMatchObject({ ts });
  });

  it.each([
    ['a row over several lines', '1/20/2018 1:00,192.0.2.1,192.0.2.2,"a\nb"'],
    [
      'one whose first line is long',
      `1/20/2018 1:00,192.0.2.1,192.0.2.2,"${'a'.repeat(70_000)}\nb"\n3/5/2018 1:00,192.0.2.1,192.0.2.2,c`,
    ],
    [
      'no line within a row over several',
      '1/3/2018 1:00,192.0.2.1,192.0.2.2,"a\n20/1/2018 1:00,192.0.2.1,192.0.2.2,b\n"\n1/20/2018 1:00,192.0.2.1,192.0.2.2,c',
    ],
    [
      'lines after a stray quote',
      '1/3/2018 1:00,192.0.2.1,192.0.2.2,"a\n1/20/2018 1:00,192.0.2.1,192.0.2.2,b',
    ],
  ])('finds the order of dates in %s', async (_, rest) => {
    const { rows, decisions, notes } = await readText(
      `timestamp,src_ip,dst_ip,note\n3/4/2018 1:00,192.0.2.1,192.0.2.2,a\n${rest}\n`,
    );
    expect(decisions).toMatchObject({
      ...{ dateOrder: 'mdy', dateOrderBasis: 'stated by dates that can be read one way only' },
    });
    expect(rows[0]).toMatchObject({ ts: T('2018-03-04T01:00:00Z') });
    expect(notes.filter((note) => note.includes('dates'))).toEqual([]);
  });

  it.each(['11/3/2020 9:06:42 AM +00:0', '11/3/2020 9:06:42 AMX', '11/3/2020 9:06:42 A'])(
    'says nothing of the order of %s, which is no time',
    async (stamp) => {
      const { rows, decisions, notes } = await readText(
        `timestamp,src_ip,dst_ip,bytes\n${stamp},192.0.2.1,192.0.2.2,7\n`,
      );
      expect(rows[0]).not.toHaveProperty('ts');
      expect(decisions).not.toHaveProperty('dateOrder');
      expect(notes).toEqual([]);
    },
  );

  it.each([
    ['lines', (records: string[]) => `${records.join('\n')}\n`],
    ['an array over lines', (records: string[]) => `[\n${records.join(',\n')}\n]\n`],
    ['a list on one line', (records: string[]) => `{"Records":[${records.join(',')}]}`],
  ])('finds the order of dates in all of JSON in %s', async (_, textOf) => {
    const record = (time: string) =>
      JSON.stringify({ timestamp: time, version: '13-12-2018', user: 'alice' });
    const first = ['1/2/2018 1:00', '3/4/2018 1:00'].map(record);
    const stated = await readText(
      textOf([...first, record('1\\/20\\/2018 1:00').replaceAll('\\\\', '\\')]),
    );
    expect(stated.decisions).toMatchObject({
      ...{ dateOrder: 'mdy', dateOrderBasis: 'stated by dates that can be read one way only' },
    });
    expect(stated.rows.map(({ ts }) => ts)).toEqual(
      ['2018-01-02', '2018-03-04', '2018-01-20'].map((day) => T(`${day}T01:00:00Z`)),
    );
    expect(stated.notes).toEqual([]);
    const open = await readText(textOf(first));
    expect(open.decisions['dateOrder']).toBe('dmy');
    expect(open.decisions['dateOrderBasis']).toMatch(/^guessed/);
    const asked = await readText(textOf(first), { dateOrder: 'mdy' });
    expect(asked.decisions).toMatchObject({ dateOrder: 'mdy', dateOrderBasis: 'given' });
    expect(asked.rows[0]!['ts']).toBe(T('2018-01-02T01:00:00Z'));
  });

  it('reads dates and times of two columns, and renames attributes', async () => {
    const mapping = {
      fields: { ts_date: 'Day', ts_time: 'Clock', src_ip: 'From', 'attrs.note': 'Remark' },
    };
    const { rows, metadata, decisions } = await readText(
      'Day,Clock,From,Remark\n2026-11-21,10:11:12.5,192.0.2.1,x\n2026-11-22,,192.0.2.1,\n',
      { mapping },
    );
    expect(rows[0]).toMatchObject({
      ts: T('2026-11-21T10:11:12.5Z'),
      src_ip4: ip('192.0.2.1'),
      attrs: { note: 'x' },
    });
    expect(rows[1]).toMatchObject({ ts: T('2026-11-22T00:00:00Z') });
    expect(metadata['mapping']).toEqual(mapping);
    expect(decisions['mapping']).toBe(JSON.stringify(mapping.fields));
  });

  it('takes columns for what their names mean, and never for what their values look like', async () => {
    const { metadata, rows } = await readText(
      'when,a,version,Octets\n2026-11-21 00:00:01,192.0.2.1,10.0.1.2,7\n2026-11-21 00:00:02,192.0.2.1,10.0.1.2,7\n',
    );
    expect(metadata['mapping']).toEqual({ fields: { ts: 'when', bytes: 'Octets' } });
    expect(rows[0]).toMatchObject({
      kind: 'other',
      attrs: { a: '192.0.2.1', version: '10.0.1.2' },
    });
  });

  it("takes log2timeline's CSV as month/day/year, in the zone of each row", async () => {
    const row = (zone: string): string =>
      `08/02/2026,03:04:05,${zone},M...,LOG,Log,Content,-,host1,short,long,2,x,-,-,-,-\n`;
    const { rows, decisions } = await readText(
      'date,time,timezone,MACB,source,sourcetype,type,user,host,short,desc,version,filename,inode,notes,format,extra\n' +
        ['UTC', 'Europe/Amsterdam', 'EST5EDT', 'nowhere'].map(row).join(''),
    );
    expect(decisions).toMatchObject({ dateOrder: 'mdy' });
    expect(rows.map(({ ts }) => ts)).toEqual([
      ...[T('2026-08-02T03:04:05Z'), T('2026-08-02T01:04:05Z'), T('2026-08-02T07:04:05Z')],
      T('2026-08-02T03:04:05Z'),
    ]);
    // The order of their dates can be changed, too; the zone only if none was stated.
    const order = TS_BASIS.monthFirst;
    expect(rows.map((each) => each['ts_basis'])).toEqual([
      ...[order, order, order, order | TS_BASIS.zoneDecided],
    ]);
    expect(rows[1]!.attrs['timezone']).toBe('Europe/Amsterdam');
  });

  it.each<[string, string, Record<string, unknown>]>([
    [
      'nfstream',
      'id,src_ip,src_port,dst_ip,dst_port,protocol,vlan_id,bidirectional_first_seen_ms,bidirectional_last_seen_ms,bidirectional_duration_ms,bidirectional_packets,bidirectional_bytes,src2dst_packets,src2dst_bytes,dst2src_packets,dst2src_bytes,application_name\n' +
        '0,192.0.2.1,1234,192.0.2.2,443,6,0,1795219200000,1795219201500,1500,5,500,3,300,2,200,TLS\n',
      {
        ...{ kind: 'flow', ts: 1_795_219_200_000_000, duration: 1.5, bytes: 300, bytes_rev: 200 },
        ...{ packets: 3, packets_rev: 2, service: 'TLS', src_port: 1234, dst_port: 443 },
      },
    ],
    [
      'tshark -T fields',
      'frame.time_epoch,ip.src,ip.dst,tcp.srcport,tcp.dstport\n1795219200.5,192.0.2.1,192.0.2.2,1234,443\n',
      { ts: 1_795_219_200_500_000, src_port: 1234, dst_port: 443, dst_ip4: ip('192.0.2.2') },
    ],
    [
      'tshark -T fields with a column for each protocol: TCP',
      TSHARK + '1795219200.5,192.0.2.1,,192.0.2.2,,6,1234,443,,\n',
      {
        src_ip4: ip('192.0.2.1'),
        dst_ip4: ip('192.0.2.2'),
        src_port: 1234,
        dst_port: 443,
        proto: 6,
      },
    ],
    [
      'tshark -T fields with a column for each protocol: UDP over IPv6',
      TSHARK + '1795219200.5,,2001:db8::1,,2001:db8::2,17,,,5353,53\n',
      {
        ...{ src_ip6: '20010db8000000000000000000000001', src_port: 5353, dst_port: 53 },
        ...{ dst_ip6: '20010db8000000000000000000000002', proto: 17, attrs: {} },
      },
    ],
    [
      'tshark -T fields of IPv6 in IPv4: the outer address, and the inner one as it is written',
      TSHARK + '1795219200.5,192.0.2.1,2001:db8::1,192.0.2.2,2001:db8::2,17,,,5353,53\n',
      {
        ...{ src_ip4: ip('192.0.2.1'), dst_ip4: ip('192.0.2.2'), src_port: 5353 },
        attrs: { 'ipv6.src': '2001:db8::1', 'ipv6.dst': '2001:db8::2' },
      },
    ],
    [
      'Wireshark: a source beside a destination',
      '"No.","Time","Source","Destination","Protocol","Length","Info"\n"1","0.000000","192.0.2.1","192.0.2.2","TCP","66","x"\n',
      { src_ip4: ip('192.0.2.1'), dst_ip4: ip('192.0.2.2'), proto: 6, message: 'x' },
    ],
  ])('knows the columns of %s', async (_, text, expected) => {
    const { rows } = await readText(text);
    expect(rows[0]).toMatchObject(expected);
    expect(rows[0]).not.toHaveProperty('vlan');
  });

  it('reads columns that share a field alike in all rows, and says so', async () => {
    const rows = Array.from({ length: 300 }, (_, i) =>
      i % 3 === 0
        ? `${1795219200 + i},192.0.2.1,,192.0.2.2,,6,${i},443,,`
        : `${1795219200 + i},192.0.2.1,,192.0.2.2,,17,,,${i},53`,
    );
    const read = await readText(TSHARK + rows.join('\n') + '\n');
    expect(read.rows.map((row) => row['src_port'])).toEqual(rows.map((_, i) => i));
    expect(read.rows.map((row) => row['dst_port'])).toEqual(
      rows.map((_, i) => (i % 3 === 0 ? 443 : 53)),
    );
    expect(read.notes).toContain('src_port: the first of tcp.srcport, udp.srcport that a row has');
  });

  it('takes a column out of those that share a field where a mapping says what it is', async () => {
    const text = `${TSHARK}1795219200,192.0.2.1,,192.0.2.2,,17,,,5353,53\n`;
    const fields = { src_port: 'tcp.srcport', 'attrs.udp': 'udp.srcport' };
    const { rows } = await readText(text, { mapping: { fields } });
    expect(rows[0]).not.toHaveProperty('src_port');
    expect(rows[0]?.attrs['udp']).toBe('5353');
  });

  it('takes no log for a table whose lines have as many commas', () => {
    const line = (n: number) =>
      `[INFO] 192.0.2.${n}:42114 - ${n} "A IN host${n}.example. udp 57 false 1232" NOERROR qr,aa,rd 66 0.0001s "0"\n`;
    const bytes = encoder.encode([1, 2, 3, 4].map(line).join(''));
    expect(flowCsvImporter.sniff(bytes, { name: 'x', complete: true })).toBeUndefined();
  });

  it('takes nothing for anything in a table without a header, until a mapping says it', async () => {
    const row = '1795219200,192.0.2.1,192.0.2.2,80,7\n';
    const plain = await readText(row + row);
    expect(plain.rows.length).toBe(2);
    expect(Object.keys(plain.rows[0]!.attrs).length).toBe(5);
    expect(plain.rows[0]).not.toHaveProperty('ts');
    const fields = { ts: 'column1', src_ip: 'column2', dst_ip: 'column3', bytes: 'column5' };
    const { rows } = await readText(row + row, { mapping: { fields } });
    expect(rows[0]).toMatchObject({
      ...{ kind: 'flow', ts: 1_795_219_200_000_000, dst_ip4: ip('192.0.2.2'), bytes: 7 },
    });
  });

  it.each([
    ['1795219200123', 1_795_219_200_123_000, 3, undefined],
    ['1795219200123456', 1_795_219_200_123_456, 6, undefined],
    ['1795219200123456789', 1_795_219_200_123_456, 9, 789],
    ['1795219200.123456789', 1_795_219_200_123_456, 9, 789],
    ['-1.5', -1_500_000, 1, undefined],
    ['2026-11-21T00:00:00.5-05:30', T('2026-11-21T05:30:00.5Z'), 1, undefined],
    ['2026-11-21 00:00:00 UTC', T('2026-11-21T00:00:00Z'), 0, undefined],
    ['21.11.2026 07:08', T('2026-11-21T07:08:00Z'), 0, undefined],
  ])('reads the time %s', async (stamp, ts, digits, nanos) => {
    const { rows } = await readText(`ts,sa,da,pr\n${stamp},192.0.2.1,192.0.2.2,TCP\n`);
    expect(rows[0]).toMatchObject({ ts, ts_digits: digits });
    expect(rows[0]!['ts_ns']).toBe(nanos);
  });
});
