/**
 * The protocol words that packets carry as `event_type`, encoded once so that a packet costs a copy of a few bytes.
 * Link-layer words are numbered by their position in the list; IP protocols by IANA.
 * https://www.iana.org/assignments/protocol-numbers
 */
import { PROTOCOLS } from '../../../engine/contract/event.ts';

const LINK_WORDS = [
  'undecoded',
  'ethernet',
  'arp',
  'rarp',
  'stp',
  'lldp',
  'eapol',
  'lacp',
  'slow-protocols',
  'cdp',
  'vtp',
  'dtp',
  'udld',
  'pvst',
  'pagp',
  'isis',
  'es-is',
  'clnp',
  'ipx',
  'netbios',
  'llc',
  'snap',
  'pppoe-discovery',
  'pppoe',
  'ppp',
  'ppp-lcp',
  'ppp-ipcp',
  'ppp-ipv6cp',
  'ppp-pap',
  'ppp-chap',
  'ppp-ccp',
  'ppp-multilink',
  'ppp-compressed',
  'hdlc',
  'slarp',
  'frame-relay',
  'frame-relay-lmi',
  'mfr',
  'atm',
  'atm-lane',
  'atm-ilmi',
  'atm-signalling',
  'slip-compressed',
  'macsec',
  'homeplug',
  'ptp',
  'cfm',
  'goose',
  'sampled-values',
  'profinet',
  'ethercat',
  'appletalk',
  'aarp',
  'loopback-test',
  'wake-on-lan',
  'fcoe',
  'aoe',
  'roce',
  'trill',
  'batman',
  'decnet',
  'lat',
  'mop',
  'vlan',
  'mpls',
  'null',
  'linux-sll',
  'nflog',
  'netlink',
  'can',
  'usb',
  'bluetooth',
  'ieee802.15.4',
  'dbus',
  'vsock',
  'juniper',
  'fddi',
  'token-ring',
  'arcnet',
  'fibre-channel',
  'zigbee',
  '802.11',
  '802.11-association-request',
  '802.11-association-response',
  '802.11-reassociation-request',
  '802.11-reassociation-response',
  '802.11-probe-request',
  '802.11-probe-response',
  '802.11-timing-advertisement',
  '802.11-management',
  '802.11-beacon',
  '802.11-atim',
  '802.11-disassociation',
  '802.11-authentication',
  '802.11-deauthentication',
  '802.11-action',
  '802.11-action-no-ack',
  '802.11-control',
  '802.11-control-wrapper',
  '802.11-block-ack-request',
  '802.11-block-ack',
  '802.11-ps-poll',
  '802.11-rts',
  '802.11-cts',
  '802.11-ack',
  '802.11-cf-end',
  '802.11-data',
  '802.11-data-protected',
  '802.11-null',
  '802.11-extension',
  'sctp',
] as const;
export type LinkWord = (typeof LINK_WORDS)[number];

const utf8 = new TextEncoder();

/** The number of a link-layer word. */
export function word(name: LinkWord): number {
  return LINK_WORDS.indexOf(name);
}

export const LINK_WORD_BYTES: readonly Uint8Array[] = LINK_WORDS.map((name) => utf8.encode(name));

/** `event_type` by IANA protocol number. */
export const IP_WORD_BYTES: readonly Uint8Array[] = (() => {
  const names = Array.from({ length: 256 }, (_, proto) => `ip-proto-${proto}`);
  for (const [name, proto] of Object.entries(PROTOCOLS)) names[proto] = name;
  names[58] = 'icmpv6';
  return names.map((name) => utf8.encode(name));
})();
