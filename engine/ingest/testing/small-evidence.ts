/**
 * For tests: a small, well-formed file of each format with the number of its records, small enough to import every
 * prefix.
 */
import { gzipSync } from 'node:zlib';
import { tarOf, zipOf } from '../../../importers/shared/testing/archives.ts';

export { zipOf };

export interface SmallFile {
  name: string;
  bytes: Buffer;
  /** Number of records that an import of the whole file stores. */
  records: number;
}

/** An Ethernet frame with an IPv4 UDP datagram. */
export function datagram(n: number, payload = Buffer.from(`q${n}\0\0`).subarray(0, 4)): Buffer {
  const frame = Buffer.alloc(14 + 20 + 8 + payload.length);
  frame.write('0200000000020200000000010800', 0, 'hex');
  frame.writeUInt8(0x45, 14);
  frame.writeUInt16BE(28 + payload.length, 16);
  frame.writeUInt8(64, 22);
  frame.writeUInt8(17, 23);
  frame.write('0a0000010a000002', 26, 'hex');
  frame.writeUInt16BE(40_000 + n, 34);
  frame.writeUInt16BE(53, 36);
  frame.writeUInt16BE(8 + payload.length, 38);
  payload.copy(frame, 42);
  return frame;
}

export const PCAP_HEADER = 24;
export const PCAP_RECORD = 16 + 46;

export function pcapOf(packets: number, frameOf: (n: number) => Buffer = datagram): Buffer {
  const header = Buffer.alloc(PCAP_HEADER);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  header.writeUInt32LE(1, 20);
  const parts: Buffer[] = [header];
  for (let n = 0; n < packets; n++) {
    const frame = frameOf(n);
    const record = Buffer.alloc(16);
    record.writeUInt32LE(1_760_000_000 + n, 0);
    record.writeUInt32LE(n * 1000, 4);
    record.writeUInt32LE(frame.length, 8);
    record.writeUInt32LE(frame.length, 12);
    parts.push(record, frame);
  }
  return Buffer.concat(parts);
}

function pcapngBlock(type: number, body: Buffer): Buffer {
  const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)]);
  const block = Buffer.alloc(padded.length + 12);
  block.writeUInt32LE(type, 0);
  block.writeUInt32LE(block.length, 4);
  padded.copy(block, 8);
  block.writeUInt32LE(block.length, block.length - 4);
  return block;
}

export function pcapngOf(packets: number): Buffer {
  const section = Buffer.alloc(16);
  section.writeUInt32LE(0x1a2b3c4d, 0);
  section.writeUInt16LE(1, 4);
  section.fill(0xff, 8);
  const iface = Buffer.alloc(8);
  iface.writeUInt16LE(1, 0);
  const parts = [pcapngBlock(0x0a0d0d0a, section), pcapngBlock(1, iface)];
  for (let n = 0; n < packets; n++) {
    const frame = datagram(n);
    const head = Buffer.alloc(20);
    const micros = BigInt(1_760_000_000 + n) * 1_000_000n;
    head.writeUInt32LE(Number(micros >> 32n), 4);
    head.writeUInt32LE(Number(micros & 0xffff_ffffn), 8);
    head.writeUInt32LE(frame.length, 12);
    head.writeUInt32LE(frame.length, 16);
    parts.push(pcapngBlock(6, Buffer.concat([head, frame])));
  }
  return Buffer.concat(parts);
}

const two = (n: number): string => String(n).padStart(2, '0');

export function rfc3164(lines: number): string {
  let text = '';
  for (let n = 0; n < lines; n++)
    text += `<38>Mar  4 10:${two(n % 60)}:00 gate sshd[${100 + n}]: Failed password for root from 192.0.2.${n % 250} port ${4000 + n} ssh2\n`;
  return text;
}

export function rfc5424(lines: number): string {
  let text = '';
  for (let n = 0; n < lines; n++)
    text += `<165>1 2026-03-04T10:${two(n % 60)}:00.5Z gate evnt ${n} ID${n} [x@32473 iut="${n}" e="a\\"b"] \ufefft\u00e4st ${n}\n`;
  return text;
}

export function nfdumpCsv(rows: number): string {
  let text =
    'ts,te,td,sa,da,sp,dp,pr,flg,fwd,stos,ipkt,ibyt,opkt,obyt,in,out,sas,das,smk,dmk,dtos,dir,nh,nhb,svln,dvln,ismc,odmc,idmc,osmc,mpls1,mpls2,mpls3,mpls4,mpls5,mpls6,mpls7,mpls8,mpls9,mpls10,cl,sl,al,ra,eng,exid,tr\n';
  for (let n = 0; n < rows; n++)
    text += `2026-03-04 10:${two(n % 60)}:00,2026-03-04 10:${two(n % 60)}:05,5.000,10.0.0.${n % 250},192.0.2.7,${4000 + n},443,TCP,...AP.SF,0,0,7,900,0,0,1,2,0,0,0,0,0,0,0.0.0.0,0.0.0.0,0,0,00:00:00:00:00:00,00:00:00:00:00:00,00:00:00:00:00:00,00:00:00:00:00:00,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0.000,0.000,0.000,0.0.0.0,0/0,1,2026-03-04 10:30:00.000\n`;
  return text;
}

export function zeekConn(rows: number, first = 0): string {
  const names =
    'ts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tservice\tduration\torig_bytes\tresp_bytes\tconn_state\torig_pkts\tresp_pkts';
  let text = `#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n#open\t2026-03-04-10-00-00\n#fields\t${names}\n#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tinterval\tcount\tcount\tstring\tcount\tcount\n`;
  for (let n = first; n < first + rows; n++)
    text += `${1_772_618_400 + n}.250000\tCabc${n}\t10.0.0.${n % 250}\t${4000 + n}\t192.0.2.7\t443\ttcp\tssl\t1.5\t100\t200\tSF\t3\t4\n`;
  return text;
}

export function eveJson(rows: number): string {
  let text = '';
  for (let n = 0; n < rows; n++)
    text += `${JSON.stringify({
      timestamp: `2026-03-04T10:${two(n % 60)}:00.125000+0000`,
      flow_id: 9000 + n,
      event_type: n % 2 === 0 ? 'flow' : 'alert',
      src_ip: '10.0.0.1',
      src_port: 4000 + n,
      dest_ip: '192.0.2.7',
      dest_port: 443,
      proto: 'TCP',
      ...(n % 2 === 0
        ? { flow: { pkts_toserver: 3, pkts_toclient: 4, bytes_toserver: 5, bytes_toclient: 6 } }
        : { alert: { signature: 'test', severity: 2, signature_id: n } }),
    })}\n`;
  return text;
}

const members = () => [
  { name: 'logs/auth.log', content: rfc3164(2) },
  { name: 'flows/conn.log', content: zeekConn(1) },
];

/** One file of each format that Daybook reads. */
export function smallEvidence(): SmallFile[] {
  const text = (name: string, content: string, records: number): SmallFile => ({
    name,
    bytes: Buffer.from(content),
    records,
  });
  return [
    { name: 'a.pcap', bytes: pcapOf(3), records: 3 },
    { name: 'b.pcapng', bytes: pcapngOf(2), records: 2 },
    text('c.rfc3164', rfc3164(2), 2),
    text('d.rfc5424', rfc5424(2), 2),
    text('e.nfdump', nfdumpCsv(1), 1),
    text('f.zeek', zeekConn(2), 2),
    text('g.eve', eveJson(2), 2),
    { name: 'h.gz', bytes: gzipSync(rfc3164(2)), records: 2 },
    { name: 'i.tar.gz', bytes: gzipSync(tarOf(members())), records: 3 },
    { name: 'j.zip', bytes: zipOf(members()), records: 3 },
  ];
}
