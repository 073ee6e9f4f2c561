/**
 * The possible meanings of a table's column. Dialects name these setters; `row-writer.ts` implements them.
 * Invariants: each setter has one number, the numbers are dense, and `attr` is 0.
 */
import { CUT_TEXTS, type CutText } from '../../engine/contract/event.ts';

export const ATTR = 0;
export const TS = 1;
export const TS_END = 2;
export const TS_DATE = 3;
export const TS_TIME = 4;
export const DURATION = 5;
export const DURATION_MILLIS = 6;
export const DURATION_MICROS = 7;
export const SRC_IP = 8;
export const DST_IP = 9;
export const SRC_ENDPOINT = 10;
export const DST_ENDPOINT = 11;
export const SRC_PORT = 12;
export const DST_PORT = 13;
export const ICMP_TYPE = 14;
export const ICMP_CODE = 15;
export const PROTO = 16;
export const PACKETS = 17;
export const BYTES = 18;
export const PACKETS_REV = 19;
export const BYTES_REV = 20;
export const PACKETS_TOTAL = 21;
export const BYTES_TOTAL = 22;
export const ORIG_BYTES = 23;
export const RESP_BYTES = 24;
export const MISSED_BYTES = 25;
export const TCP_FLAGS = 26;
export const TCP_FLAGS_HEX = 27;
export const STATE_FLAGS = 28;
export const VLAN = 29;
export const CONN_STATE = 30;
export const HISTORY = 31;
export const SERVICE = 32;
export const EVENT_TYPE = 33;
export const MESSAGE = 34;
export const HOST = 35;
export const PROGRAM = 36;
export const PID = 37;
export const SEVERITY = 38;
export const KEY = 39;
export const TS_ZONE = 40;
export const TS_MILLIS = 41;
export const TS_END_MILLIS = 42;
export const ADDRESS_FAMILY = 43;
export const SRC_WORD = 44;
export const DST_WORD = 45;
/** An attribute that has several values, as Zeek writes sets and vectors. No mapping names it. */
export const LIST = 46;
/** Sysmon's list of hashes. */
export const HASHES = 47;
/** Times whose column's name says that they are UTC. No mapping names them: `inStatedZone` finds them. */
export const TS_UTC = 48;
export const TS_END_UTC = 49;
/** Whether a login worked. */
export const LOGIN_WORKED = 50;
/** Zeek's `kerberos` log: `alice/EXAMPLE.COM`, `AS` or `TGS`, and whether there is a ticket. */
export const KERBEROS_CLIENT = 51;
export const KERBEROS_REQUEST = 52;
export const KERBEROS_SUCCESS = 53;
/** The level of a Windows event, by its number or name. */
export const WINDOWS_LEVEL = 54;
export const PROTO_LETTER = 55;
/** The first of the texts of the registry, in the order of `TEXTS`. */
export const FIRST_TEXT = 56;

type TextSetter = Exclude<CutText, 'extractor'>;
/** Text fields that dialects fill; a column with any other name stays an attribute as well. */
export const TEXTS: readonly TextSetter[] = CUT_TEXTS.filter((name) => name !== 'extractor');
export const SETTER_COUNT = FIRST_TEXT + TEXTS.length;

/** Setters by the name that dialects and mappings use: event fields, and a few that need working out. */
export const SETTERS = {
  /** An attribute under the column's own name. */
  attr: ATTR,
  /** When the flow began. */
  ts: TS,
  /** The end: gives the duration if no column states it. Also an attribute. */
  ts_end: TS_END,
  /** Date and time of day in two columns. */
  ts_date: TS_DATE,
  ts_time: TS_TIME,
  /** The zone of the time in the columns before it. Also an attribute. */
  ts_zone: TS_ZONE,
  /** Seconds, or `h:m:s`. */
  duration: DURATION,
  duration_ms: DURATION_MILLIS,
  duration_us: DURATION_MICROS,
  src_ip: SRC_IP,
  dst_ip: DST_IP,
  /** Address and port in one, as nfdump writes it: `10.0.0.1:53`, `fe80::1.53`, `10.0.0.1:3.1`. */
  src_endpoint: SRC_ENDPOINT,
  dst_endpoint: DST_ENDPOINT,
  src_port: SRC_PORT,
  dst_port: DST_PORT,
  /** Stored in `src_port` and `dst_port`, as in Zeek. */
  icmp_type: ICMP_TYPE,
  icmp_code: ICMP_CODE,
  proto: PROTO,
  packets: PACKETS,
  bytes: BYTES,
  packets_rev: PACKETS_REV,
  bytes_rev: BYTES_REV,
  /** Both directions together: the part not in `packets` and `bytes` goes to `*_rev`. */
  packets_total: PACKETS_TOTAL,
  bytes_total: BYTES_TOTAL,
  orig_bytes: ORIG_BYTES,
  resp_bytes: RESP_BYTES,
  missed_bytes: MISSED_BYTES,
  tcp_flags: TCP_FLAGS,
  tcp_flags_hex: TCP_FLAGS_HEX,
  /** Argus's State: TCP flags of both sides (`SPA_FSPA`) or a word. Also an attribute. */
  state_flags: STATE_FLAGS,
  vlan: VLAN,
  conn_state: CONN_STATE,
  history: HISTORY,
  service: SERVICE,
  event_type: EVENT_TYPE,
  message: MESSAGE,
  host: HOST,
  program: PROGRAM,
  pid: PID,
  severity: SEVERITY,
  /** Identifies the flow in its source: rows with it get a record key. Also an attribute. */
  key: KEY,
  /** Milliseconds of the time in the column before. */
  ts_millis: TS_MILLIS,
  ts_end_millis: TS_END_MILLIS,
  /** 2 for IPv4; decides how the words of both addresses are read. */
  address_family: ADDRESS_FAMILY,
  /** One of the four 32-bit numbers of an address, the highest first. */
  src_word: SRC_WORD,
  dst_word: DST_WORD,
  hashes: HASHES,
  /** Zeek's `T` or `F`: category and outcome of a login. Also an attribute. */
  login_worked: LOGIN_WORKED,
  /** Name and realm: user and domain. Also an attribute. */
  kerberos_client: KERBEROS_CLIENT,
  /** A request for an initial ticket is a login. Also an attribute. */
  kerberos_request: KERBEROS_REQUEST,
  /** The outcome, except of an error that asks the client to prove its identity first. Also an attribute. */
  kerberos_success: KERBEROS_SUCCESS,
  /** The severity. Also an attribute. */
  windows_level: WINDOWS_LEVEL,
  /** A protocol as one letter, by its name or number. */
  proto_letter: PROTO_LETTER,
} as const;
export type Setter = keyof typeof SETTERS | TextSetter;

const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...Object.entries(SETTERS),
  ...TEXTS.map((name, i): [string, number] => [name, FIRST_TEXT + i]),
]);

/** Every name of a setter. */
export const SETTER_NAMES: readonly string[] = [...NUMBERS.keys()];

export function numberOf(name: Setter): number {
  return NUMBERS.get(name) ?? ATTR;
}

/** How much a flow carried, and for how long. */
export const MEASURES = [
  'duration',
  'duration_ms',
  'duration_us',
  'packets',
  'bytes',
  'packets_rev',
  'bytes_rev',
  'packets_total',
  'bytes_total',
] as const satisfies readonly Setter[];

export function isSetter(name: string): name is Setter {
  return NUMBERS.has(name);
}

/** The left side of a mapping: a setter, or an attribute's name. */
export function isMappable(field: string): boolean {
  return isSetter(field) || (field.startsWith('attrs.') && field.length > 'attrs.'.length);
}

/** `UtcTime`, `LastModifiedTimeUTC`, `TimeGenerated [UTC]`. */
const SAYS_UTC = /^(?:utc|gmt)|(?:utc|gmt)$/;

/** The setter of a time in a column with this name: the one for UTC if the name says so. */
export function inStatedZone(setter: number, column: string): number {
  if (setter !== TS && setter !== TS_END) return setter;
  const name = simplify(column.slice(column.lastIndexOf('.') + 1));
  if (!SAYS_UTC.test(name)) return setter;
  return setter === TS ? TS_UTC : TS_END_UTC;
}

/** A column's name without case, spaces and marks: `Flow Bytes/s` and `flow_bytes_s` are one. */
export function simplify(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
