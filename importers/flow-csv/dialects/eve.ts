/**
 * Suricata's eve.json. https://docs.suricata.io/en/latest/output/eve/eve-json-format.html
 */
import type { Kind } from '../../../engine/contract/event.ts';
import type { Setter } from '../fields.ts';
import type { Flat } from '../../../engine/fields/reading/json/flatten.ts';
import type { Dialect } from './dialect.ts';

const EVERY_EVENT: Readonly<Record<string, Setter>> = {
  eventtype: 'event_type',
  srcip: 'src_ip',
  srcport: 'src_port',
  destip: 'dst_ip',
  destport: 'dst_port',
  proto: 'proto',
  appproto: 'service',
  host: 'host',
  vlan: 'vlan',
  icmptype: 'icmp_type',
  icmpcode: 'icmp_code',
  httpurl: 'url',
  httphttpmethod: 'http_method',
  httpstatus: 'http_status',
  httphttpuseragent: 'user_agent',
  dnsrrname: 'query',
  dnsrrtype: 'query_type',
  tlssni: 'tls_sni',
  tlsja3hash: 'ja3',
  alertsignature: 'rule',
  alertsignatureid: 'rule_id',
  alertaction: 'action',
  fileinfofilename: 'file_path',
  fileinfosha256: 'sha256',
  smtpmailfrom: 'email_from',
  smtprcptto: 'email_to',
};

/** Their `timestamp` is when they were written; their start is a member. */
const FLOW: Readonly<Record<string, Setter>> = {
  ...EVERY_EVENT,
  flowid: 'key',
  flowstart: 'ts',
  flowend: 'ts_end',
  flowpktstoserver: 'packets',
  flowbytestoserver: 'bytes',
  flowpktstoclient: 'packets_rev',
  flowbytestoclient: 'bytes_rev',
  netflowstart: 'ts',
  netflowend: 'ts_end',
  netflowpkts: 'packets',
  netflowbytes: 'bytes',
  tcptcpflags: 'tcp_flags_hex',
};

const KINDS_OF_EVENTS: Readonly<Record<string, Kind>> = {
  flow: 'flow',
  netflow: 'flow',
  dns: 'dns',
  http: 'http',
  tls: 'tls',
  alert: 'alert',
  fileinfo: 'file',
  mdns: 'dns',
  krb5: 'kerberos',
  ...{ ssh: 'ssh', dhcp: 'dhcp', smtp: 'smtp', ftp: 'ftp', pop3: 'pop3', imap: 'imap' },
  ...{ smb: 'smb', ldap: 'ldap', rdp: 'rdp', sip: 'sip', snmp: 'snmp', modbus: 'modbus' },
  ...{ dnp3: 'dnp3', dcerpc: 'dce_rpc' },
};

/** The dialect of one event's type. */
export function eveEvent(eventType: string): Dialect {
  const kind = Object.hasOwn(KINDS_OF_EVENTS, eventType) ? KINDS_OF_EVENTS[eventType]! : 'other';
  return {
    id: 'suricata-eve',
    kind,
    signatures: [],
    keyed: eventType === 'flow',
    columns:
      kind === 'flow' ? FLOW : { ...EVERY_EVENT, timestamp: 'ts', alertsignature: 'message' },
  };
}

/** All values that Suricata writes into `event_type`. */
const EVENT_TYPES: ReadonlySet<string> = new Set(
  (
    'alert anomaly arp bittorrent_dht dcerpc dhcp dnp3 dns doh2 drop engine enip fileinfo flow frame ftp ' +
    'ftp_data http http2 ike ikev2 krb5 ldap mdns metadata modbus mqtt netflow nfs packet packetinfo pgsql ' +
    'pop3 quic rdp rfb rpc sip smb smtp snmp ssh stats template tftp tls websocket'
  ).split(' '),
);
/** Members that are in every event of Suricata's but its statistics. */
const SHAPE: readonly string[] = ['flow_id', 'in_iface', 'pcap_cnt', 'src_ip'];

/**
 * The type of a Suricata event; undefined for any other record: many have a `timestamp` and some event type.
 * @param known whether most of the content is Suricata's, so that an unlisted type counts as well
 */
export function eveTypeOf({ keys, values }: Flat, known: boolean): string | undefined {
  const at = keys.indexOf('event_type');
  const type = at < 0 ? undefined : values[at];
  if (typeof type !== 'string' || !keys.includes('timestamp')) return undefined;
  if (known) return type;
  if (!EVENT_TYPES.has(type)) return undefined;
  if (SHAPE.some((name) => keys.includes(name))) return type;
  return keys.some((key) => key.startsWith(`${type}.`)) ? type : undefined;
}

export const eve: Dialect = eveEvent('flow');
