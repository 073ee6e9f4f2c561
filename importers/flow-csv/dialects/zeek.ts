/**
 * Zeek's logs, as TSV with `#fields`, as zeek-cut prints them, and as JSON.
 * https://docs.zeek.org/en/master/log-formats.html, https://docs.zeek.org/en/master/logs/conn.html
 */
import type { Kind } from '../../../engine/contract/event.ts';
import { simplify, type Setter } from '../fields.ts';
import type { Flat } from '../../../engine/fields/reading/json/flatten.ts';
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
  // Names that notices and renamed logs have (`LogAscii` maps): of type `addr`, or no address.
  src: 'src_ip',
  dst: 'dst_ip',
  // Corelight's name of the sensor that writes the log.
  systemname: 'host',
  // From a Splunk export, which wraps the record.
  resulthost: 'host',
};

/** A log's name (`event_type`), its kind, and the columns that identify it in JSON. */
interface Log {
  readonly path: string;
  readonly kind: Kind;
  readonly signatures: readonly (readonly string[])[];
  readonly columns?: Readonly<Record<string, Setter>>;
}

const NAMED_USER: Readonly<Record<string, Setter>> = {
  username: 'user',
  domainname: 'user_domain',
};

const LOGS: readonly Log[] = [
  {
    path: 'conn',
    kind: 'flow',
    signatures: [['connstate'], ['origipbytes'], ['uid', 'history']],
    columns: {
      // LogAscii's maps of field names, as used in Zeek's documentation and tests.
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
  {
    path: 'dns',
    kind: 'dns',
    signatures: [['transid', 'uid'], ['qtypename'], ['query', 'rcode']],
    columns: { qtypename: 'query_type' },
  },
  // Listed before those whose columns they share.
  {
    path: 'kerberos',
    kind: 'kerberos',
    signatures: [['requesttype', 'client', 'service']],
    columns: {
      client: 'kerberos_client',
      requesttype: 'kerberos_request',
      success: 'kerberos_success',
      errormsg: 'reason',
    },
  },
  {
    path: 'sip',
    kind: 'sip',
    signatures: [['callid', 'seq', 'requestfrom']],
    columns: { uri: 'url' },
  },
  {
    path: 'rdp',
    kind: 'rdp',
    signatures: [['cookie', 'securityprotocol']],
    columns: { cookie: 'user' },
  },
  {
    path: 'http',
    kind: 'http',
    columns: { method: 'http_method', uri: 'url', statuscode: 'http_status', username: 'user' },
    signatures: [
      ['transdepth', 'responsebodylen'],
      ['method', 'uri', 'uid'],
    ],
  },
  {
    path: 'ssl',
    kind: 'tls',
    signatures: [
      ['established', 'resumed'],
      ['cipher', 'curve', 'uid'],
      ['version', 'cipher', 'uid'],
    ],
    columns: { servername: 'tls_sni' },
  },
  {
    path: 'files',
    kind: 'file',
    signatures: [
      ['fuid', 'seenbytes'],
      ['fuid', 'overflowbytes'],
    ],
    columns: { duration: 'duration', filename: 'file_path' },
  },
  {
    path: 'notice',
    kind: 'alert',
    signatures: [['note', 'actions']],
    columns: { msg: 'message', note: 'rule' },
  },
  {
    path: 'weird',
    kind: 'alert',
    signatures: [['name', 'notice', 'peer']],
    columns: { name: 'message' },
  },
  {
    path: 'reporter',
    kind: 'other',
    signatures: [['level', 'message', 'location']],
    columns: { message: 'message' },
  },
  {
    path: 'dhcp',
    kind: 'dhcp',
    signatures: [['uids', 'msgtypes']],
    columns: { duration: 'duration', clientaddr: 'src_ip', serveraddr: 'dst_ip', mac: 'src_mac' },
  },
  {
    path: 'smtp',
    kind: 'smtp',
    signatures: [['uid', 'helo']],
    columns: { mailfrom: 'email_from', rcptto: 'email_to', subject: 'email_subject' },
  },
  {
    path: 'ntlm',
    kind: 'ntlm',
    signatures: [['servernbcomputername'], ['uid', 'hostname', 'domainname']],
    columns: { ...NAMED_USER, success: 'login_worked' },
  },
  {
    path: 'ssh',
    kind: 'ssh',
    signatures: [
      ['uid', 'authattempts'],
      ['uid', 'kexalg', 'macalg'],
    ],
    columns: { authsuccess: 'login_worked' },
  },
  { path: 'snmp', kind: 'snmp', signatures: [['uid', 'getrequests', 'setrequests']] },
  { path: 'modbus', kind: 'modbus', signatures: [['uid', 'func']] },
  {
    path: 'dnp3',
    kind: 'dnp3',
    signatures: [
      ['uid', 'fcrequest'],
      ['uid', 'fcreply'],
    ],
  },
  { path: 'dce_rpc', kind: 'dce_rpc', signatures: [['uid', 'endpoint', 'operation']] },
  { path: 'smb_files', kind: 'smb', signatures: [['uid', 'action', 'timesmodified']] },
  { path: 'smb_mapping', kind: 'smb', signatures: [['uid', 'path', 'sharetype']] },
  { path: 'ldap_search', kind: 'ldap', signatures: [['uid', 'messageid', 'baseobject']] },
  { path: 'ldap', kind: 'ldap', signatures: [['uid', 'messageid', 'opcode']] },
  {
    path: 'known_services',
    kind: 'other',
    signatures: [['host', 'portnum', 'portproto']],
    columns: {
      ...{ host: 'dst_ip', portnum: 'dst_port', portproto: 'proto' },
      // Corelight's names.
      ...{ hostip: 'dst_ip', protocol: 'proto' },
    },
  },
  {
    path: 'known_certs',
    kind: 'other',
    signatures: [['host', 'portnum', 'issuersubject']],
    columns: { host: 'dst_ip', hostip: 'dst_ip', portnum: 'dst_port' },
  },
  // Corelight's logs: a server at which a user was seen, and one whose encrypted traffic was analysed.
  {
    path: 'known_users',
    kind: 'other',
    signatures: [['kuid', 'serverip', 'user']],
    columns: { serverip: 'dst_ip', user: 'user' },
  },
  {
    path: 'etc_viz',
    kind: 'other',
    signatures: [['uid', 'servera', 'serverp', 'vizstat']],
    columns: { servera: 'dst_ip', serverp: 'dst_port' },
  },
  { path: 'ftp', kind: 'ftp', signatures: [['uid', 'datachannel.passive']], columns: NAMED_USER },
  {
    path: 'radius',
    kind: 'other',
    signatures: [
      ['uid', 'connectinfo'],
      ['uid', 'username', 'mac', 'result'],
    ],
    columns: NAMED_USER,
  },
  { path: 'x509', kind: 'other', signatures: [['certificateserial']] },
  { path: 'pe', kind: 'other', signatures: [['compilets', 'subsystem']] },
  { path: 'stats', kind: 'other', signatures: [['peer', 'pktsproc']] },
  { path: 'capture_loss', kind: 'other', signatures: [['tsdelta', 'percentlost']] },
  { path: 'packet_filter', kind: 'other', signatures: [['node', 'filter', 'success']] },
];

/** Other logs of Zeek's scripts: their names are their types. */
const OTHER_LOGS: ReadonlySet<string> = new Set(
  (
    'analyzer barnyard2 broker bacnet cip cluster config dce_rpc dnp3 dnp3_control dnp3_objects dpd enip ftp intel ' +
    'irc known_certs known_devices known_hosts known_modbus known_services ldap ldap_search ' +
    'loaded_scripts login modbus modbus_register_change mysql netcontrol netcontrol_drop ntlm ntp ocsp openflow ' +
    'print postgresql prof quic radius rfb signatures smb_cmd smb_files smb_mapping snmp socks software ' +
    'ssh syslog telemetry traceroute tunnel websocket wireguard'
  ).split(' '),
);

/** Kinds of logs that only their names tell. */
const KINDS_OF_PATHS: Readonly<Record<string, Kind>> = {
  ...{ smb_cmd: 'smb', dnp3_control: 'dnp3', dnp3_objects: 'dnp3' },
};

/** The dialect of a log by its `#path` or, without one, by its simplified column names. */
export function zeekLog(
  path: string | undefined,
  names: ReadonlySet<string>,
  id: string,
): Dialect & { readonly path: string | undefined } {
  // A log may be written under a custom path: its columns identify it. A name of Zeek's is believed whatever the
  // columns are.
  const log =
    LOGS.find((candidate) => candidate.path === path) ??
    (path !== undefined && OTHER_LOGS.has(path)
      ? undefined
      : LOGS.find(({ signatures }) => signatures.some((list) => hasAll(names, list))));
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
  if (Object.hasOwn(KINDS_OF_PATHS, path)) return KINDS_OF_PATHS[path];
  const first = path.split(/[_-]/, 1)[0];
  return LOGS.find((candidate) => candidate.path === first)?.kind;
}

/** Whether simplified column names are of some Zeek log: for zeek-cut's output and for JSON. */
export function isZeek(names: ReadonlySet<string>): boolean {
  if (names.has('idorigh') || names.has('uid')) return true;
  return LOGS.some(({ signatures }) => signatures.some((list) => hasAll(names, list)));
}

/** Forms of records that are remembered: those of one log are few. */
const MAX_FORMS = 4096;

/** Finds the log that a Zeek JSON record belongs to. */
export class ZeekLogFinder {
  private readonly byForm = new Map<string, string | undefined>();

  /**
   * According to the record (`_path`, RockNSM's `@stream`), or its members; undefined for a record that is not
   * Zeek's, or cannot be assigned.
   * @param known whether the content is Zeek's, so that a record needs no Zeek identifier
   */
  find({ keys, values }: Flat, known: boolean): string | undefined {
    if (!keys.includes('ts') && !known) return undefined;
    for (const name of ['_path', '@stream']) {
      const at = keys.indexOf(name);
      const path = at < 0 ? undefined : values[at];
      if (typeof path === 'string' && path !== '') return path;
    }
    const { byForm } = this;
    const form = keys.join('\n');
    let log = byForm.get(form);
    if (log !== undefined || byForm.has(form)) return log;
    const names = new Set(keys.map(simplify));
    log = LOGS.find(({ signatures }) => signatures.some((list) => hasAll(names, list)))?.path;
    if (log !== undefined && !known && !UNMISTAKABLE.has(log)) {
      if (!IDENTIFIERS.some((name) => names.has(name))) log = undefined;
    }
    if (byForm.size >= MAX_FORMS) byForm.clear();
    byForm.set(form, log);
    return log;
  }
}

/** Logs with unique columns; records of others need a Zeek identifier. */
const UNMISTAKABLE: ReadonlySet<string> = new Set(
  'notice weird x509 pe stats capture_loss known_services known_certs'.split(' '),
);
const IDENTIFIERS: readonly string[] = ['idorigh', 'uid', 'uids', 'fuid'];

export function hasAll(names: ReadonlySet<string>, list: readonly string[]): boolean {
  return list.every((name) => names.has(name));
}

export const zeekTsv: Dialect = { ...zeekLog(undefined, new Set(), 'zeek-tsv') };
export const zeekJson: Dialect = { ...zeekLog(undefined, new Set(), 'zeek-json') };
