/**
 * Guesses the meaning of an unknown table's columns: by names with that meaning, and only if the values of the
 * column fit. Invariants: a value alone never makes a column, except the time of a table without a name for it, as
 * in another language; a column without a known name is an attribute. The import reports its guesses, and `--map`
 * overrides them.
 */
import type { Kind } from '../../engine/contract/event.ts';
import type { ColumnMapping } from '../../engine/evidence/importer.ts';
import {
  DialectFinder,
  type Meaning,
  type Meanings,
  storedAs,
} from '../../engine/fields/registry/meanings.ts';
import { parseIpv4, parseIpv6 } from '../shared/bytes.ts';
import {
  FIRST_TEXT,
  HASHES,
  isSetter,
  MEASURES,
  numberOf,
  simplify,
  type Setter,
} from './fields.ts';
import { DaybookError } from '../../engine/contract/errors.ts';
import { textOf } from '../../engine/fields/reading/texts.ts';
import { resolveZone, UTC, type Zone } from '../../engine/contract/time/zone.ts';
import { parseProtocol } from './numbers.ts';
import { StampReader } from './stamp.ts';

const encoder = new TextEncoder();

/** Simplified names, the likeliest first. */
const NAMES: Partial<Record<Setter, readonly string[]>> = {
  ts: list(
    'ts timestamp starttime flowstart firstseen start datetime eventtime timecreated begin stime tsstart ' +
      'starttimestamp first flowstartmilliseconds flowstartseconds bidirectionalfirstseenms eventtimestamp generatedtime ' +
      'timegenerated eventdate creationtime createddatetime dateutc frametimeepoch time date utctime ' +
      'timestamputc receivedtime logtime received creationdate lastwrittentime lastwritetimestamp runtime ' +
      'created0x10 epoch unixtime when eventdatetime',
  ),
  ts_time: list('timeofday clock time hour'),
  ts_zone: list('timezone tz tzone'),
  ts_end: list(
    'te endtime flowend lastseen end etime tsend stoptime timeend last flowendmilliseconds bidirectionallastseenms',
  ),
  duration: list('duration dur flowduration td elapsed durationsec durations elapsedtime'),
  duration_ms: list('bidirectionaldurationms durationms'),
  src_ip: list(
    'srcip sourceip srcaddr sourceaddress sourceaddr ipsrc saddr sip sa clientip idorigh ' +
      'srcipaddr srcipaddress ipv4srcaddr sourceipv4address sourceipaddress orighost clientipaddress ' +
      'calleripaddress actoripaddress cip ipsourceaddress ipv6src',
  ),
  dst_ip: list(
    'dstip destip destinationip dstaddr destaddr destinationaddress destaddress ipdst daddr dip ' +
      'da serverip idresph dstipaddr dstipaddress ipv4dstaddr destinationipv4address ' +
      'destinationipaddress targetip ipdestinationaddress resphost ipv6dst',
  ),
  src_port: list(
    'srcport sourceport sport sp srcpt tcpsrcport udpsrcport sctpsrcport dccpsrcport l4srcport sourcetransportport idorigp clientport',
  ),
  dst_port: list(
    'dstport destport destinationport dport dp dpt dstpt dsport tcpdstport udpdstport sctpdstport dccpdstport l4dstport ' +
      'destinationtransportport idrespp serverport',
  ),
  proto: list('proto protocol pr ipprotocol prot protocolidentifier ipproto transport pro ipv6nxt'),
  packets: list(
    'packets pkts packetcount npackets numpackets ipkt inpkts packetdeltacount packetssent srcpkts ' +
      'origpkts totfwdpkts pktssent sentpkt sentpackets packetsout src2dstpackets',
  ),
  bytes: list(
    'bytes octets bytecount nbytes numbytes ibyt inbytes octetdeltacount bytessent srcbytes origbytes ' +
      'sentbyte sentbytes bytesout src2dstbytes',
  ),
  packets_rev: list(
    'packetsrev pktsrev outpkts opkt dstpkts resppkts packetsreceived pktsreceived rcvdpkt packetsin ' +
      'dst2srcpackets',
  ),
  bytes_rev: list(
    'bytesrev outbytes obyt dstbytes respbytes bytesreceived rcvdbyte receivedbytes bytesin dst2srcbytes',
  ),
  packets_total: list('totpkts totalpackets packetstotal bidirectionalpackets'),
  bytes_total: list('totbytes totalbytes bytestotal bidirectionalbytes'),
  tcp_flags: list('tcpflags flags flg tcpflag tcpcontrolbits'),
  vlan: list('vlan vlanid'),
  service: list('service app application appproto applicationname'),
  event_type: list('eventtype type eventname event subtype category action'),
  message: list('message msg description desc details text info'),
  host: list('host hostname computer devname machine computername'),
  program: list('program processname appname sourcename daemon'),
  pid: list('pid processid'),
};

/** Names that mean an end only if the other end has the matching one: a single `source` may be many things. */
const PAIRS: readonly (readonly [source: string, target: string])[] = [
  ['src', 'dst'],
  ['src', 'dest'],
  ['source', 'destination'],
  ['source', 'dest'],
  ['localip', 'remoteip'],
];
const PORT_PAIRS: readonly (readonly [source: string, target: string])[] = [
  ['localport', 'remoteport'],
];

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
  if (/^\d*\.?\d*$/.test(cell) && !/^(?:19|20)\d{12}(?:\.\d+)?$/.test(cell))
    return /^1\d{9}(?:\.\d+)?$|^1\d{12}$|^1\d{15}$|^1\d{18}$/.test(cell);
  const bytes = encoder.encode(cell);
  return (
    new StampReader().read(bytes, 0, bytes.length) ||
    new StampReader(undefined, 'mdy').read(bytes, 0, bytes.length)
  );
}

/** The zone that a cell names; undefined if it names none. */
export function zoneOf(cell: string): Zone | undefined {
  if (/^(?:utc|gmt|z)$/i.test(cell)) return UTC;
  if (!/^(?:[A-Za-z_]+\/[\w/+-]+|[+-]\d\d:?\d\d|[A-Z]{3,4}(?:\d[A-Z]{3})?)$/.test(cell))
    return undefined;
  const offset = /^([+-]\d\d):?(\d\d)$/.exec(cell);
  try {
    return resolveZone(offset === null ? cell : `${offset[1]!}:${offset[2]!}`);
  } catch (error) {
    // There is no zone of that name: the cell stays an attribute.
    if (error instanceof DaybookError || error instanceof RangeError) return undefined;
    throw error;
  }
}

const isDay = (cell: string): boolean => cell.length <= 10 && !/^\d+$/.test(cell);
/** Whether a cell is a day and a time of day, not a number. */
export function isDateTime(cell: string): boolean {
  return cell.length > 10 && !/^[\d.]+$/.test(cell) && isStamp(cell);
}

const isClock = (cell: string): boolean =>
  /^\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[ap]m)?$/i.test(cell);

function isProtocol(cell: string): boolean {
  const bytes = encoder.encode(cell);
  return parseProtocol(bytes, 0, bytes.length) >= 0;
}

/** Microseconds of 1990 and 2100: a number outside is not the time of an event. */
const LEAST_TIME = 631_152_000e6;
const MOST_TIME = 4_102_444_800e6;

/**
 * Whether the value of a member whose name means a time is one: a day alone is not the time of an event, nor is a
 * number of another century.
 */
export function isTime(bytes: Uint8Array, size: number, stamp: StampReader): boolean {
  if (!stamp.peek(bytes, 0, size)) return false;
  for (let at = 1; at < size; at++) {
    const byte = bytes[at]!;
    // Dates have marks: a number has digits and a point.
    if (byte !== 46 && (byte < 48 || byte > 57)) return size > 10;
  }
  return stamp.micros > LEAST_TIME && stamp.micros < MOST_TIME;
}

/** The required form of cells for a name alone to be believed, if there are cells. */
const PROOFS: ReadonlyMap<string, (cell: string) => boolean> = new Map(
  Object.entries({
    ts: isStamp,
    ts_end: isStamp,
    ts_time: isClock,
    ts_zone: (cell) => zoneOf(cell) !== undefined,
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
 * Finds the columns of a table whose names mean a field.
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
  const take = (field: Setter, name: string): boolean => {
    const column = simple.findIndex((candidate, i) => candidate === name && !taken.has(i));
    if (column < 0) return false;
    const proof = PROOFS.get(field);
    const filled = share(rows, column, () => true) > 0;
    if (proof !== undefined && filled && share(rows, column, proof) < 0.5) return false;
    fields[field] = header[column]!;
    taken.add(column);
    return true;
  };
  const pair = (from: Setter, to: Setter, pairs: typeof PAIRS): void => {
    if (fields[from] !== undefined || fields[to] !== undefined) return;
    for (const [source, target] of pairs) {
      if (!simple.includes(source) || !simple.includes(target)) continue;
      take(from, source);
      take(to, target);
      return;
    }
  };
  for (const [field, names] of Object.entries(NAMES) as [Setter, readonly string[]][]) {
    if (field === 'ts_time') {
      // A date whose time of day is in another column.
      const date = fields['ts'];
      if (date === undefined || share(rows, header.indexOf(date), isDay) < 1) continue;
      if (names.some((name) => take('ts_time', name))) {
        delete fields['ts'];
        fields['ts_date'] = date;
      }
      continue;
    }
    names.some((name) => take(field, name));
    if (field === 'dst_ip') pair('src_ip', 'dst_ip', PAIRS);
    if (field === 'dst_port') pair('src_port', 'dst_port', PORT_PAIRS);
  }
  return { fields };
}

/** Whether all filled cells of a column, at least half of all, satisfy `test`. */
function isAll(
  rows: readonly string[][],
  column: number,
  test: (cell: string) => boolean,
): boolean {
  const filled = rows.filter((row) => !/^\s*-?\s*$/.test(row[column] ?? '')).length;
  return filled > 0 && filled * 2 >= rows.length && share(rows, column, test) === 1;
}

const isDayOnly = (cell: string): boolean => isDay(cell) && isStamp(cell);

/**
 * The time of a table by its values: the only column with days and times of day, or the first column of the table
 * if there are several; otherwise the only column of days together with the only one of times of day.
 */
export function timeByValues(
  header: readonly string[],
  rows: readonly string[][],
  taken: ReadonlySet<string> = new Set(),
): { readonly [field: string]: string } {
  const free = [...header.keys()].filter((column) => !taken.has(header[column]!));
  const whole = free.filter((column) => isAll(rows, column, isDateTime));
  const [first] = whole;
  if (first !== undefined) return whole.length === 1 || first === 0 ? { ts: header[first]! } : {};
  const [day, other] = free.filter((column) => isAll(rows, column, isDayOnly));
  const [clock, another] = free.filter((column) => isAll(rows, column, isClock));
  if (day === undefined || clock === undefined || other !== undefined || another !== undefined)
    return {};
  return { ts_date: header[day]!, ts_time: header[clock]! };
}

/**
 * The result of `guessMapping`, preceded by the header's meaning in a dialect of records with these names. Values
 * that a dialect lists for a field are not looked up in tables.
 */
export function tableMapping(
  header: readonly string[],
  rows: readonly string[][],
): ColumnMapping & { readonly fields: Record<string, string> } {
  const { fields } = guessMapping(header, rows);
  const meanings = new DialectFinder().find(header);
  for (const field of Object.keys(fields)) if (meanings.refuses(field)) delete fields[field];
  const taken = new Set(Object.values(fields));
  const ranks = new Map<Setter, number>();
  for (const column of header) {
    const meaning = meanings.of(column);
    if (meaning === undefined || meaning.part !== undefined) continue;
    const { field: setter, rank } = meaning;
    if (!isSetter(setter)) continue;
    const isText = numberOf(setter) >= FIRST_TEXT;
    if (meanings.id === 'general' ? !isText || taken.has(column) : numberOf(setter) === HASHES)
      continue;
    if (meanings.valuesOf(setter) !== undefined || rank >= (ranks.get(setter) ?? Infinity))
      continue;
    const at = header.indexOf(column);
    // A cell is stored unchanged.
    const proof = isText
      ? (cell: string): boolean => textOf(setter, cell) === cell
      : PROOFS.get(setter);
    const isFilled = share(rows, at, () => true) > 0;
    if (proof !== undefined && isFilled && share(rows, at, proof) < 0.5) continue;
    // A column has one meaning: that of the dialect.
    for (const [name, of] of Object.entries(fields)) if (of === column) delete fields[name];
    ranks.set(setter, rank);
    fields[setter] = column;
  }
  const hasTime = fields['ts'] !== undefined || fields['ts_date'] !== undefined;
  const isNamed = header.some((name, i) => name !== `column${i + 1}`);
  if (!hasTime && isNamed)
    Object.assign(fields, timeByValues(header, rows, new Set(Object.values(fields))));
  return { fields };
}

/** Whether a field of texts can have one of the values, if there are any. */
function mayHold(meanings: Meanings, { field, part }: Meaning, cells: readonly string[]): boolean {
  if (!isSetter(field) || numberOf(field) < FIRST_TEXT || part !== undefined) return true;
  const stated = cells.filter((cell) => cell !== '');
  const values = meanings.valuesOf(field);
  return (
    stated.length === 0 ||
    stated.some(
      (cell) => (values === undefined ? textOf(field, cell) : storedAs(values, cell)) !== undefined,
    )
  );
}

/**
 * The same for members of JSON records, whose names are looked up for each record. A member gives nothing if no
 * value in `rows` is possible for its field.
 */
export function listedMapping(
  columns: readonly string[],
  meanings: Meanings,
  rows: readonly string[][] = [],
): { readonly fields: Record<string, string> } {
  const fields: Record<string, string> = {};
  const ranks = new Map<string, number>();
  for (const [at, column] of columns.entries()) {
    const meaning = meanings.of(column);
    if (meaning === undefined || meaning.rank >= (ranks.get(meaning.field) ?? Infinity)) continue;
    if (
      !mayHold(
        meanings,
        meaning,
        rows.map((cells) => cells[at] ?? ''),
      )
    )
      continue;
    ranks.set(meaning.field, meaning.rank);
    fields[meaning.field] = column;
  }
  return { fields };
}

/**
 * The kind of an event with these fields. A flow has both ends, and their ports, a protocol or the amount of data;
 * with a message as well, it is a log.
 */
export function kindOf(has: (name: Setter) => boolean): Kind {
  const said = has('message');
  const source = has('src_ip') || has('src_endpoint');
  if (source && (has('dst_ip') || has('dst_endpoint'))) {
    const ports =
      (has('src_port') || has('src_endpoint')) && (has('dst_port') || has('dst_endpoint'));
    const proto = has('proto') || has('proto_letter');
    if (ports && proto && !said) return 'flow';
    if ((ports || proto) && MEASURES.some(has)) return 'flow';
  }
  return said && (has('ts') || has('ts_date')) ? 'log' : 'other';
}

/** The kind of events that a table with these fields has: its columns are all that its rows are. */
export function kindOfFields(fields: Readonly<Record<string, string>>): Kind {
  const has = (name: Setter): boolean => fields[name] !== undefined;
  const source = has('src_ip') || has('src_endpoint');
  const target = has('dst_ip') || has('dst_endpoint');
  if (source && target && MEASURES.some(has)) return 'flow';
  return kindOf(has);
}
