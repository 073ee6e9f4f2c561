/**
 * A guess at what the columns of an unknown table mean: by their names first, then by what stands in
 * them. It is an offer: the import says what was guessed, and `--map` overrides it.
 */
import type { Kind } from '../../engine/contract/event.ts';
import type { ColumnMapping } from '../../engine/contract/importer.ts';
import { parseIpv4, parseIpv6 } from '../shared/bytes.ts';
import { simplify, type Setter } from './fields.ts';
import { parseProtocol } from './numbers.ts';
import { StampReader } from './stamp.ts';

const encoder = new TextEncoder();

/** Simplified names, the likeliest first. */
const NAMES: Partial<Record<Setter, readonly string[]>> = {
  ts: list(
    'ts timestamp starttime flowstart firstseen start time datetime eventtime begin stime tsstart ' +
      'starttimestamp timestart first date flowstartmilliseconds flowstartseconds eventtimestamp generatedtime',
  ),
  ts_end: list(
    'te endtime flowend lastseen end etime tsend stoptime timeend last flowendmilliseconds',
  ),
  duration: list('duration dur flowduration td elapsed durationsec durations elapsedtime'),
  src_ip: list(
    'srcip sourceip src source srcaddr sourceaddress sourceaddr ipsrc saddr sip sa clientip idorigh ' +
      'srcipaddr ipv4srcaddr sourceipv4address sourceipaddress orighost localip',
  ),
  dst_ip: list(
    'dstip destip destinationip dst dest destination dstaddr destaddr destinationaddress ipdst daddr dip ' +
      'da serverip idresph dstipaddr ipv4dstaddr destinationipv4address destinationipaddress remoteip targetip',
  ),
  src_port: list(
    'srcport sourceport sport sp srcpt tcpsrcport l4srcport sourcetransportport idorigp clientport localport',
  ),
  dst_port: list(
    'dstport destport destinationport dport dp dpt dstpt dsport l4dstport destinationtransportport ' +
      'idrespp serverport remoteport service_port port',
  ),
  proto: list('proto protocol pr ipprotocol prot protocolidentifier ipproto transport pro'),
  packets: list(
    'packets pkts packetcount npackets numpackets ipkt inpkts packetdeltacount packetssent srcpkts ' +
      'origpkts totfwdpkts pktssent sentpkt sentpackets packetsout',
  ),
  bytes: list(
    'bytes octets bytecount nbytes numbytes ibyt inbytes octetdeltacount bytessent srcbytes origbytes ' +
      'length size sentbyte sentbytes bytesout',
  ),
  packets_rev: list(
    'packetsrev pktsrev outpkts opkt dstpkts resppkts packetsreceived pktsreceived rcvdpkt packetsin',
  ),
  bytes_rev: list(
    'bytesrev outbytes obyt dstbytes respbytes bytesreceived rcvdbyte receivedbytes bytesin',
  ),
  packets_total: list('totpkts totalpackets packetstotal'),
  bytes_total: list('totbytes totalbytes bytestotal'),
  tcp_flags: list('tcpflags flags flg tcpflag tcpcontrolbits'),
  vlan: list('vlan vlanid'),
  service: list('service app application appproto'),
  event_type: list('eventtype type eventname event subtype category action'),
  message: list('message msg description desc details text info'),
  host: list('host hostname computer device devname sensor machine computername'),
  program: list('program process processname appname source_name daemon'),
  pid: list('pid processid'),
};

function list(words: string): readonly string[] {
  return words.split(' ').map(simplify);
}

/** Shares of the filled cells of a column for which `test` holds; 0 without any. */
function share(rows: readonly string[][], column: number, test: (cell: string) => boolean): number {
  let filled = 0;
  let good = 0;
  for (const row of rows) {
    const cell = (row[column] ?? '').trim();
    if (cell === '' || cell === '-') continue;
    filled += 1;
    if (test(cell)) good += 1;
  }
  return filled === 0 ? 0 : good / filled;
}

const address = new Uint8Array(16);

function isIp(cell: string): boolean {
  const bytes = encoder.encode(cell);
  if (parseIpv4(bytes, 0, bytes.length) >= 0) return true;
  return cell.length > 2 && parseIpv6(bytes, 0, bytes.length, address, 0);
}

const isPort = (cell: string): boolean =>
  (/^\d{1,5}$/.test(cell) && Number(cell) < 65_536) || /^0x[0-9a-f]{1,4}$/i.test(cell);
const isNumber = (cell: string): boolean => /^-?\d+(?:\.\d*)?(?:e[+-]?\d+)?$/i.test(cell);

/** Whether a cell is a time and cannot be a mere number, or a number of these decades. */
function isStamp(cell: string): boolean {
  if (/^[\d.]+$/.test(cell)) return /^1\d{9}(?:\.\d+)?$|^1\d{12}$|^1\d{15}$|^1\d{18}$/.test(cell);
  const bytes = encoder.encode(cell);
  return (
    new StampReader().read(bytes, 0, bytes.length) ||
    new StampReader(undefined, 'mdy').read(bytes, 0, bytes.length)
  );
}

const isDay = (cell: string): boolean => cell.length <= 10 && !/^\d+$/.test(cell);
const isClock = (cell: string): boolean =>
  /^\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[ap]m)?$/i.test(cell);

function isProtocol(cell: string): boolean {
  const bytes = encoder.encode(cell);
  return parseProtocol(bytes, 0, bytes.length) >= 0;
}

/** What cells must be for a name alone to be believed, where there are cells. */
const PROOFS: ReadonlyMap<string, (cell: string) => boolean> = new Map(
  Object.entries({
    ts: isStamp,
    ts_end: isStamp,
    proto: isProtocol,
    src_ip: isIp,
    dst_ip: isIp,
    src_port: isPort,
    dst_port: isPort,
    duration: (cell) => isNumber(cell) || /^\d+:\d\d(?::\d\d)?(?:\.\d+)?$/.test(cell),
    packets: isNumber,
    bytes: isNumber,
    packets_rev: isNumber,
    bytes_rev: isNumber,
    packets_total: isNumber,
    bytes_total: isNumber,
    pid: isNumber,
    vlan: isNumber,
  }),
);

/**
 * Guesses a mapping for a table.
 * @param header the columns' names
 * @param rows the first rows, cut into cells
 * @returns fields and the names of their columns; no field if there is nothing to go by
 */
export function guessMapping(
  header: readonly string[],
  rows: readonly string[][],
): ColumnMapping & { readonly fields: Record<string, string> } {
  const fields: Record<string, string> = {};
  const taken = new Set<number>();
  const simple = header.map(simplify);
  for (const [field, names] of Object.entries(NAMES)) {
    const proof = PROOFS.get(field);
    for (const name of names) {
      const column = simple.findIndex((candidate, i) => candidate === name && !taken.has(i));
      if (column < 0) continue;
      const filled = share(rows, column, () => true) > 0;
      if (proof !== undefined && filled && share(rows, column, proof) < 0.5) continue;
      fields[field] = header[column]!;
      taken.add(column);
      break;
    }
  }
  const free = (test: (cell: string) => boolean): number =>
    header.findIndex((_, i) => !taken.has(i) && share(rows, i, test) >= 0.9);
  for (const field of ['src_ip', 'dst_ip']) {
    if (fields[field] !== undefined) continue;
    const column = free(isIp);
    if (column < 0) continue;
    fields[field] = header[column]!;
    taken.add(column);
  }
  if (fields['ts'] === undefined) {
    const column = free(isStamp);
    if (column >= 0) {
      fields['ts'] = header[column]!;
      taken.add(column);
    }
  }
  // A date whose time of day stands in a column of its own.
  const date = fields['ts'];
  if (date !== undefined && share(rows, header.indexOf(date), isDay) === 1) {
    const clock = free(isClock);
    if (clock >= 0) {
      delete fields['ts'];
      fields['ts_date'] = date;
      fields['ts_time'] = header[clock]!;
    }
  }
  return { fields };
}

/** The kind of events that a table with these fields has. */
export function kindOfFields(fields: Readonly<Record<string, string>>): Kind {
  const has = (name: string): boolean => fields[name] !== undefined;
  const source = has('src_ip') || has('src_endpoint');
  const target = has('dst_ip') || has('dst_endpoint');
  const measured = ['bytes', 'packets', 'bytes_total', 'packets_total', 'duration'].some(has);
  if ((source && target) || ((source || target) && measured)) return 'flow';
  if (has('message') && (has('ts') || has('ts_date'))) return 'log';
  return 'other';
}
