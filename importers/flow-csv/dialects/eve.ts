/**
 * Suricata's eve.json. https://docs.suricata.io/en/latest/output/eve/eve-json-format.html
 */
import type { Kind } from '../../../engine/contract/event.ts';
import type { Setter } from '../fields.ts';
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
};

/** Their `timestamp` is when they were written; when they began stands within. */
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

export const eve: Dialect = {
  ...eveEvent('flow'),
  signatures: [['timestamp', 'eventtype']],
};
