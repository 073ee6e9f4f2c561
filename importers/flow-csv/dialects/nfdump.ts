/**
 * nfdump's CSV: the long header of 1.6 (`ts,te,td,sa,…`), the spelled one of 1.7
 * (`firstSeen,duration,proto,…`), its JSON, and its pipe format, which has no header and addresses as numbers.
 * https://github.com/phaag/nfdump/blob/master/man/nfdump.1
 */
import { WHOLE, type Dialect } from './dialect.ts';

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

const WORDS = ['0', '1', '2', '3'];
/** Names of the columns of `-o pipe`: times in seconds followed by milliseconds, or (1.7) in milliseconds. */
function pipeColumns(millis: boolean): readonly string[] {
  return [
    'af',
    'first',
    ...(millis ? ['first_msec'] : []),
    'last',
    ...(millis ? ['last_msec'] : []),
    'proto',
    ...WORDS.map((n) => `src_${n}`),
    'src_port',
    ...WORDS.map((n) => `dst_${n}`),
    ...['dst_port', 'src_as', 'dst_as', 'input', 'output', 'flags', 'tos', 'packets', 'bytes'],
  ];
}
/** IPv4, and IPv6 on various systems. */
const FAMILIES: ReadonlySet<string> = new Set(['2', '10', '23', '24', '26', '28', '30']);
const PORT = /^\d{1,5}$/;
const STAMP = { 24: /^\d{9,10}$/, 22: /^\d{9,13}$/ } as const;

function pipeHeaderless(cells: readonly string[]): readonly string[] | undefined {
  const count = cells.length;
  if ((count !== 22 && count !== 24) || !cells.every((cell) => WHOLE.test(cell))) return undefined;
  const columns = pipeColumns(count === 24);
  const cell = (name: string): string => cells[columns.indexOf(name)]!;
  const fits =
    FAMILIES.has(cell('af')) &&
    STAMP[count].test(cell('first')) &&
    STAMP[count].test(cell('last')) &&
    Number(cell('proto')) < 256 &&
    [cell('src_port'), cell('dst_port')].every((port) => PORT.test(port)) &&
    (cell('af') !== '2' || ['src_0', 'src_1', 'src_2', 'dst_0'].every((one) => cell(one) === '0'));
  return fits ? columns : undefined;
}

export const nfdumpPipe: Dialect = {
  id: 'nfdump-pipe',
  kind: 'flow',
  icmp: 'dst_port',
  unquoted: true,
  signatures: [],
  headerless: pipeHeaderless,
  columns: {
    af: 'address_family',
    first: 'ts',
    firstmsec: 'ts_millis',
    last: 'ts_end',
    lastmsec: 'ts_end_millis',
    proto: 'proto',
    ...Object.fromEntries(WORDS.map((n) => [`src${n}`, 'src_word'] as const)),
    ...Object.fromEntries(WORDS.map((n) => [`dst${n}`, 'dst_word'] as const)),
    srcport: 'src_port',
    dstport: 'dst_port',
    flags: 'tcp_flags',
    packets: 'packets',
    bytes: 'bytes',
  },
};
