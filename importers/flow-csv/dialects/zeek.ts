/**
 * Zeek's logs, as TSV with `#fields`, as zeek-cut prints them, and as JSON.
 * https://docs.zeek.org/en/master/log-formats.html, https://docs.zeek.org/en/master/logs/conn.html
 */
import type { Kind } from '../../../engine/contract/event.ts';
import type { Setter } from '../fields.ts';
import type { Dialect } from './dialect.ts';

/** Columns that mean the same in every log. */
const EVERY_LOG: Readonly<Record<string, Setter>> = {
  ts: 'ts',
  idorigh: 'src_ip',
  idorigp: 'src_port',
  idresph: 'dst_ip',
  idrespp: 'dst_port',
  proto: 'proto',
  uid: 'key',
};

/** What names the log (`event_type`), its kind, and the columns that give it away in JSON. */
interface Log {
  readonly path: string;
  readonly kind: Kind;
  readonly own: readonly (readonly string[])[];
  readonly columns?: Readonly<Record<string, Setter>>;
}

const LOGS: readonly Log[] = [
  {
    path: 'conn',
    kind: 'flow',
    own: [['connstate'], ['origipbytes'], ['uid', 'history']],
    columns: {
      // LogAscii's maps of field names, as Zeek's own documentation and tests use them.
      srcip: 'src_ip',
      srcport: 'src_port',
      dstip: 'dst_ip',
      dstport: 'dst_port',
      service: 'service',
      duration: 'duration',
      origbytes: 'orig_bytes',
      respbytes: 'resp_bytes',
      missedbytes: 'missed_bytes',
      connstate: 'conn_state',
      history: 'history',
      origpkts: 'packets',
      origipbytes: 'bytes',
      resppkts: 'packets_rev',
      respipbytes: 'bytes_rev',
      vlan: 'vlan',
    },
  },
  { path: 'dns', kind: 'dns', own: [['transid', 'uid'], ['qtypename'], ['query', 'rcode']] },
  {
    path: 'http',
    kind: 'http',
    own: [
      ['transdepth', 'responsebodylen'],
      ['method', 'uri', 'uid'],
    ],
  },
  {
    path: 'ssl',
    kind: 'tls',
    own: [
      ['established', 'resumed'],
      ['cipher', 'uid'],
    ],
  },
  {
    path: 'files',
    kind: 'file',
    own: [
      ['fuid', 'seenbytes'],
      ['fuid', 'overflowbytes'],
    ],
    columns: { duration: 'duration' },
  },
  { path: 'notice', kind: 'alert', own: [['note', 'actions']], columns: { msg: 'message' } },
  {
    path: 'weird',
    kind: 'alert',
    own: [['name', 'notice', 'peer']],
    columns: { name: 'message' },
  },
  {
    path: 'reporter',
    kind: 'other',
    own: [['level', 'message', 'location']],
    columns: { message: 'message' },
  },
  { path: 'dhcp', kind: 'other', own: [['uids', 'msgtypes']], columns: { duration: 'duration' } },
  { path: 'smtp', kind: 'other', own: [['uid', 'helo']] },
  { path: 'x509', kind: 'other', own: [['certificateserial']] },
  { path: 'pe', kind: 'other', own: [['compilets', 'subsystem']] },
  { path: 'stats', kind: 'other', own: [['peer', 'pktsproc']] },
  { path: 'capture_loss', kind: 'other', own: [['tsdelta', 'percentlost']] },
  { path: 'packet_filter', kind: 'other', own: [['node', 'filter', 'success']] },
];

/** The dialect of a log by its `#path` or, without one, by its simplified column names. */
export function zeekLog(
  path: string | undefined,
  names: ReadonlySet<string>,
  id: string,
): Dialect & { readonly path: string | undefined } {
  // A log may be written under a path of its own: what it is shows in its columns.
  const log =
    LOGS.find((candidate) => candidate.path === path) ??
    LOGS.find(({ own }) => own.some((list) => list.every((name) => names.has(name))));
  const kind = log?.kind ?? (path === undefined ? undefined : kindOfPath(path)) ?? 'other';
  return {
    id,
    kind,
    path: path ?? log?.path,
    columns: { ...log?.columns, ...EVERY_LOG },
    signatures: [],
    unset: ['-', '(empty)'],
    unquoted: true,
    payloadAsBytes: kind === 'flow' && !names.has('origipbytes'),
    keyed: kind === 'flow',
  };
}

function kindOfPath(path: string): Kind | undefined {
  const first = path.split(/[_-]/, 1)[0];
  return LOGS.find((candidate) => candidate.path === first)?.kind;
}

/** Whether simplified column names are of some Zeek log: for zeek-cut's output and for JSON. */
export function isZeek(names: ReadonlySet<string>): boolean {
  if (names.has('idorigh') || names.has('uid')) return true;
  return LOGS.some(({ own }) => own.some((list) => list.every((name) => names.has(name))));
}

export const zeekTsv: Dialect = { ...zeekLog(undefined, new Set(), 'zeek-tsv') };
export const zeekJson: Dialect = { ...zeekLog(undefined, new Set(), 'zeek-json') };
