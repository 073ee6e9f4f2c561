/**
 * The event: one record of any kind, as one wide logical relation.
 *
 * This module is the only place that lists the stored columns, their types and the field names that a query may use
 * for them. Writers (importers), the store and the query compiler all read it.
 *
 * Names follow Zeek's conn.log for connections (https://docs.zeek.org/en/master/logs/conn.html) and RFC 5424 for
 * syslog (https://www.rfc-editor.org/rfc/rfc5424).
 */

/** Kinds of events that protocols of a capture yield. */
export const PROTOCOL_KINDS = [
  ...(['dns', 'http', 'tls', 'ssh', 'dhcp', 'smtp', 'ftp', 'imap', 'pop3'] as const),
  ...([
    'ntlm',
    'smb',
    'kerberos',
    'ldap',
    'rdp',
    'sip',
    'snmp',
    'modbus',
    'dnp3',
    'dce_rpc',
    'netflow',
    'file',
  ] as const),
] as const;

/** Kinds of events. `packet` lies beneath `flow`; all others are independent of each other. */
export const KINDS = ['packet', 'flow', 'log', ...PROTOCOL_KINDS, 'alert', 'other'] as const;
export type Kind = (typeof KINDS)[number];

/** UTC microseconds since 1970-01-01, exact in a double until the year 2255. */
export type EpochMicros = number;
/** Position of a byte in a source's content (after decompression of a compressed source). */
export type ByteOffset = number;

/**
 * How an event got its time, one bit each, so that `retime` can redo decisions and leave alone what the source
 * stated.
 */
export const TS_BASIS = {
  /**
   * The source stated no zone: the offset of the zone decided for the source, `tz_offset` seconds, was subtracted.
   */
  zoneDecided: 1,
  /** The source stated no year: it was inferred. */
  yearDecided: 2,
  /** The record has no time of its own and takes that of the previous record. */
  inherited: 4,
  /**
   * The date is numeric and ambiguous; it was read in the order decided for the source: day first, month first, or,
   * with both bits, year first.
   */
  dayFirst: 8,
  monthFirst: 16,
  /** Such a date has a two-digit year, so that any of its three numbers may be the year. */
  twoDigitYear: 32,
} as const;

/**
 * Protocol events of a capture are numbered down from this, so that the numbers of its flows, which packets refer
 * to, stay the same.
 */
export const PROTOCOL_SEQ = 2 ** 40;

/** The physical type of a stored column. `u64` and `i64` hold whole numbers up to 2^53. */
export type ColumnType =
  'u8' | 'u16' | 'u32' | 'i32' | 'u64' | 'i64' | 'f64' | 'ip6' | 'micros' | 'text';

/** Every stored column except attributes, in storage order. All but the first four are nullable. */
export const COLUMNS = {
  /** Record number in its source, from 1; derived events count down: flows from -1, protocols from -PROTOCOL_SEQ - 1. */
  seq: 'i64',
  source_id: 'u32',
  /** UTC; null for an undated event. */
  ts: 'micros',
  /** Nanoseconds beyond `ts`, 0 to 999. */
  ts_ns: 'u16',
  /** Number of digits in the fraction of a second that the source stated, 0 to 9. */
  ts_digits: 'u8',
  /** TS_BASIS bits. */
  ts_basis: 'u8',
  /** Seconds that were subtracted from the stated local time to get `ts`. */
  tz_offset: 'i32',
  /** IPv4 as a 32-bit integer, first octet highest. */
  src_ip4: 'u32',
  dst_ip4: 'u32',
  /** IPv6 as 16 bytes. Each side of an event has at most one of the two forms. */
  src_ip6: 'ip6',
  dst_ip6: 'ip6',
  src_port: 'u16',
  dst_port: 'u16',
  /** IANA protocol number. */
  proto: 'u8',
  /** Outermost VLAN identifier. */
  vlan: 'u16',
  host: 'text',
  program: 'text',
  pid: 'u32',
  /** RFC 5424 codes: facility 0-23, severity 0 (emerg) to 7 (debug). */
  facility: 'u8',
  severity: 'u8',
  event_type: 'text',
  message: 'text',
  /** Flow: IP bytes from originator to responder. Packet: bytes of the frame on the wire. */
  bytes: 'u64',
  packets: 'u64',
  /** From responder to originator. */
  bytes_rev: 'u64',
  packets_rev: 'u64',
  /** Payload bytes in each direction, as Zeek counts them. */
  orig_bytes: 'u64',
  resp_bytes: 'u64',
  missed_bytes: 'u64',
  /** Seconds. */
  duration: 'f64',
  /** CWR ECE URG ACK PSH RST SYN FIN from bit 7 to 0 (NS is bit 8); for a flow, all flags of both sides. */
  tcp_flags: 'u16',
  conn_state: 'text',
  history: 'text',
  service: 'text',
  /** Packet: the number n of its flow in the same source, whose `seq` is -n; null if it belongs to none. */
  flow_id: 'u32',
  /** Position of the record in its source's content, headers included. */
  offset: 'u64',
  length: 'u32',
  /** Packet: bytes captured of the frame. */
  captured: 'u32',
  /** 53-bit hash of a record that states its own identity (see docs/importers.md, Duplicates). */
  record_key: 'u64',
  // Fields that dialects of structured records state, or that extractors cut out of messages (engine/fields).
  user: 'text',
  user_domain: 'text',
  user_target: 'text',
  src_domain: 'text',
  dst_domain: 'text',
  category: 'text',
  action: 'text',
  outcome: 'text',
  reason: 'text',
  rule: 'text',
  event_code: 'text',
  session: 'text',
  url: 'text',
  http_method: 'text',
  http_status: 'text',
  user_agent: 'text',
  referrer: 'text',
  query: 'text',
  query_type: 'text',
  process: 'text',
  command: 'text',
  file_path: 'text',
  iface_in: 'text',
  iface_out: 'text',
  user_id: 'text',
  user_email: 'text',
  logon_type: 'text',
  logon_id: 'text',
  parent_process: 'text',
  parent_command: 'text',
  md5: 'text',
  sha1: 'text',
  sha256: 'text',
  registry_key: 'text',
  registry_value: 'text',
  service_name: 'text',
  cloud_account: 'text',
  cloud_region: 'text',
  email_from: 'text',
  email_to: 'text',
  email_subject: 'text',
  tls_sni: 'text',
  ja3: 'text',
  rule_id: 'text',
  error_code: 'text',
  src_mac: 'text',
  dst_mac: 'text',
  /** The host in the header, if the message names another one. */
  header_host: 'text',
  /** `NAME/VERSION` of the extractor that cut fields of this event, some of which are in the columns above. */
  extractor: 'text',
} as const satisfies Record<string, ColumnType>;
export type ColumnName = keyof typeof COLUMNS;

export function isColumn(name: string): name is ColumnName {
  return Object.hasOwn(COLUMNS, name);
}

/** Text columns that dialects and extractors fill: many cases use only a few of them. */
export const CUT_TEXTS = [
  ...(['user', 'user_domain', 'user_target', 'src_domain', 'dst_domain'] as const),
  ...(['category', 'action'] as const),
  ...(['outcome', 'reason', 'rule', 'event_code', 'session', 'url', 'http_method'] as const),
  ...(['http_status', 'user_agent', 'referrer', 'query', 'query_type', 'process'] as const),
  ...(['command', 'file_path', 'iface_in', 'iface_out', 'extractor'] as const),
  ...(['user_id', 'user_email', 'logon_type', 'logon_id', 'parent_process'] as const),
  ...(['parent_command', 'md5', 'sha1', 'sha256', 'registry_key', 'registry_value'] as const),
  ...(['service_name', 'cloud_account', 'cloud_region', 'email_from', 'email_to'] as const),
  ...(['email_subject', 'tls_sni', 'ja3', 'rule_id', 'error_code', 'src_mac', 'dst_mac'] as const),
  'header_host',
] satisfies readonly ColumnName[];
export type CutText = (typeof CUT_TEXTS)[number];

/** What Daybook infers about an event or records about its own work: no text of the evidence. */
const CONCLUDED = ['category', 'outcome', 'extractor'] as const;
type Concluded = (typeof CONCLUDED)[number];
export type SearchedText =
  'message' | 'host' | 'program' | 'event_type' | Exclude<CutText, Concluded>;

/**
 * Texts, besides attributes, that a word without a field is searched in. If an extractor cut the event, `action` is
 * not searched: most extractors infer it, and what they infer it from is in the message.
 */
export const SEARCHED_TEXTS: readonly SearchedText[] = [
  ...(['message', 'host', 'program', 'event_type'] as const),
  ...CUT_TEXTS.filter((name) => !isConcluded(name)),
];

function isConcluded(name: CutText): name is Concluded {
  return CONCLUDED.some((one) => one === name);
}

/** RFC 5424, table 2, by code. */
export const SEVERITIES = [
  'emerg',
  'alert',
  'crit',
  'err',
  'warning',
  'notice',
  'info',
  'debug',
] as const;
/** RFC 5424, table 1, by code, with the names that syslog.conf uses. */
export const FACILITIES = [
  'kern',
  'user',
  'mail',
  'daemon',
  'auth',
  'syslog',
  'lpr',
  'news',
  'uucp',
  'cron',
  'authpriv',
  'ftp',
  'ntp',
  'security',
  'console',
  'solaris-cron',
  'local0',
  'local1',
  'local2',
  'local3',
  'local4',
  'local5',
  'local6',
  'local7',
] as const;

/**
 * The one word that sums up a TCP or UDP flow, as Zeek defines it:
 * https://docs.zeek.org/en/master/scripts/base/protocols/conn/main.zeek.html#field-Conn::Info$conn_state
 */
export const CONN_STATES = [
  'OTH',
  'S0',
  'S1',
  'SF',
  'REJ',
  'S2',
  'S3',
  'RSTO',
  'RSTR',
  'RSTOS0',
  'RSTRH',
  'SH',
  'SHR',
] as const;

/** IANA protocol numbers with a common name; others are shown as numbers. */
export const PROTOCOLS: Readonly<Record<string, number>> = {
  hopopt: 0,
  icmp: 1,
  igmp: 2,
  ggp: 3,
  ipip: 4,
  st: 5,
  tcp: 6,
  cbt: 7,
  egp: 8,
  igp: 9,
  udp: 17,
  dccp: 33,
  ipv6: 41,
  'ipv6-route': 43,
  'ipv6-frag': 44,
  rsvp: 46,
  gre: 47,
  esp: 50,
  ah: 51,
  'ipv6-icmp': 58,
  'ipv6-nonxt': 59,
  'ipv6-opts': 60,
  eigrp: 88,
  ospf: 89,
  etherip: 97,
  pim: 103,
  vrrp: 112,
  l2tp: 115,
  sctp: 132,
  udplite: 136,
  'mpls-in-ip': 137,
};
