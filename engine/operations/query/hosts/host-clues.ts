/** Facts about hosts in events: for each kind of fact the queries that find it, as people would write them. */
import { ICMP6_TYPES, ICMP_TYPES } from '../../../contract/icmp.ts';

/** `offers`: services that others used on it; `uses`: those that it used. */
export const HOST_FACTS = ['name', 'mac', 'user', 'system', 'offers', 'uses'] as const;
export type FactName = (typeof HOST_FACTS)[number];

export interface HostClue {
  readonly fact: FactName;
  /** Where it comes from, for people. */
  readonly by: string;
  readonly filter: string;
  /** Stages that make the fields. */
  readonly stages?: string;
  /** Field with the address of the host. */
  readonly address: string;
  readonly values: readonly string[];
  /** The fact as one text, from `values` and the address; undefined: there is no fact. */
  readonly text?: (values: readonly string[], address: string) => string | undefined;
}

const SERVICE: Pick<HostClue, 'filter' | 'values' | 'text'> = {
  // Unanswered or refused connections are no evidence of a service. In tables with a record for each direction and
  // no state, those from a low port to a high one are the answers. ICMP has types and codes instead of ports.
  filter:
    'kind:flow -conn_state in (S0, REJ, OTH) -proto in (icmp, ipv6-icmp) -(src_port:<1024 dst_port:>1023 -conn_state:*)',
  values: ['dst_port', 'proto', 'service'],
  text: ([port = '', proto = '', service = '']) =>
    port === '' ? undefined : `${port}/${proto}${service === '' ? '' : ` ${service}`}`,
};
const ARP = 'kind:packet event_type:arp';
/** The highest type and code. */
const MOST_ICMP = 255;

export const HOST_CLUES: readonly HostClue[] = [
  {
    // In a message with several questions, which `query` lists, it is unknown which one an answer belongs to.
    fact: 'name',
    by: 'DNS',
    filter: 'kind:dns query_type in (A, AAAA, NB) -query:/^\\[".*"\\]$/',
    ...{ stages: 'unnest answers', address: 'answers', values: ['query'] },
    // NetBIOS writes `HOST<00>` to say what a name refers to.
    text: ([name = '']) => name.replace(/(?:<[0-9a-f]{2}>|\.)$/i, ''),
  },
  {
    ...{ fact: 'name', by: 'DHCP', filter: 'kind:dhcp attrs.host_name:*' },
    ...{ address: 'attrs.requested_addr', values: ['attrs.host_name'] },
  },
  {
    ...{ fact: 'name', by: 'DHCP', filter: 'kind:dhcp attrs.host_name:*' },
    ...{ address: 'attrs.assigned_addr', values: ['attrs.host_name'] },
  },
  {
    ...{ fact: 'name', by: 'NTLM', filter: 'kind:ntlm attrs.hostname:*' },
    ...{ address: 'src_ip', values: ['attrs.hostname'] },
  },
  {
    ...{ fact: 'name', by: 'NTLM', filter: 'kind:ntlm attrs.server_dns_computer_name:*' },
    ...{ address: 'dst_ip', values: ['attrs.server_dns_computer_name'] },
  },
  {
    ...{ fact: 'name', by: 'TLS', filter: 'kind:tls tls_sni:*' },
    ...{ address: 'dst_ip', values: ['tls_sni'] },
  },
  {
    ...{ fact: 'name', by: 'HTTP', filter: 'kind:http dst_domain:*' },
    ...{ address: 'dst_ip', values: ['dst_domain'] },
  },
  {
    ...{ fact: 'mac', by: 'ARP', filter: ARP, stages: 'extract "{host_ip} is-at {host_mac}"' },
    ...{ address: 'host_ip', values: ['host_mac'] },
  },
  {
    ...{ fact: 'mac', by: 'ARP', filter: ARP, stages: 'extract "tell {host_ip}"' },
    ...{ address: 'host_ip', values: ['src_mac'] },
  },
  {
    ...{ fact: 'mac', by: 'DHCP', filter: 'kind:dhcp attrs.mac:*' },
    ...{ address: 'attrs.assigned_addr', values: ['attrs.mac'] },
  },
  {
    ...{ fact: 'user', by: 'logins', filter: 'user:*', address: 'src_ip' },
    values: ['user', 'kind', 'outcome'],
    text: ([user = '', kind = '', outcome = '']) =>
      `${user} (${kind}${outcome === 'failure' ? ', refused' : ''})`,
  },
  {
    ...{ fact: 'system', by: 'HTTP', filter: 'kind:http user_agent:*' },
    ...{ address: 'src_ip', values: ['user_agent'] },
  },
  {
    ...{ fact: 'system', by: 'HTTP', filter: 'kind:http attrs.server:*' },
    ...{ address: 'dst_ip', values: ['attrs.server'] },
  },
  {
    ...{ fact: 'system', by: 'SSH', filter: 'kind:ssh attrs.client:*' },
    ...{ address: 'src_ip', values: ['attrs.client'] },
  },
  {
    ...{ fact: 'system', by: 'SSH', filter: 'kind:ssh attrs.server:*' },
    ...{ address: 'dst_ip', values: ['attrs.server'] },
  },
  {
    ...{ fact: 'system', by: 'DHCP', filter: 'kind:dhcp attrs.vendor_class:*' },
    ...{ address: 'attrs.requested_addr', values: ['attrs.vendor_class'] },
  },
  { ...SERVICE, fact: 'offers', by: 'flows', address: 'dst_ip' },
  { ...SERVICE, fact: 'uses', by: 'flows', address: 'src_ip' },
  {
    ...{ fact: 'uses', by: 'flows', filter: 'kind:flow proto in (icmp, ipv6-icmp)' },
    ...{ address: 'src_ip', values: ['proto', 'src_port', 'dst_port'], text: icmpKind },
  },
];

/**
 * `icmp echo request`; without its kind if that is unknown: tables without types have 0 for both ports, or
 * something else, such as an identifier or type and code in one number. Zeek says `icmp` for ICMPv6 as well.
 */
function icmpKind([proto = '', type = '', code = '']: readonly string[], address: string): string {
  const isKind = Number(type) <= MOST_ICMP && Number(code) <= MOST_ICMP;
  if (type === '' || !isKind || (type === '0' && code === '0')) return proto;
  const names = address.includes(':') ? ICMP6_TYPES : ICMP_TYPES;
  return `${proto} ${names[Number(type)] ?? `type ${type}`}`;
}
