/**
 * The extractors that Daybook has. Each is a file of data in `extractors/`, in the format of extractor.ts; a new one
 * is listed here.
 */
import { once } from '../../util/once.ts';
import { Cutter } from './cutter.ts';
import { type Extractor, shippedExtractor } from './extractor.ts';
import a10 from '../extractors/a10.json' with { type: 'json' };
import accessLog from '../extractors/access-log.json' with { type: 'json' };
import anydesk from '../extractors/anydesk.json' with { type: 'json' };
import aruba from '../extractors/aruba.json' with { type: 'json' };
import arubaCx from '../extractors/aruba-cx.json' with { type: 'json' };
import asterisk from '../extractors/asterisk.json' with { type: 'json' };
import auditd from '../extractors/auditd.json' with { type: 'json' };
import awsFlowLog from '../extractors/aws-flow-log.json' with { type: 'json' };
import azureNetwork from '../extractors/azure-network.json' with { type: 'json' };
import barracuda from '../extractors/barracuda.json' with { type: 'json' };
import barracudaWaf from '../extractors/barracuda-waf.json' with { type: 'json' };
import beyondtrust from '../extractors/beyondtrust.json' with { type: 'json' };
import bind from '../extractors/bind.json' with { type: 'json' };
import bluecoat from '../extractors/bluecoat.json' with { type: 'json' };
import brocade from '../extractors/brocade.json' with { type: 'json' };
import bsdFirewalls from '../extractors/bsd-firewalls.json' with { type: 'json' };
import cef from '../extractors/cef.json' with { type: 'json' };
import cefLines from '../extractors/cef-lines.json' with { type: 'json' };
import chatAndCalls from '../extractors/chat-and-calls.json' with { type: 'json' };
import checkpoint from '../extractors/checkpoint.json' with { type: 'json' };
import ciscoAsa from '../extractors/cisco-asa.json' with { type: 'json' };
import ciscoEsa from '../extractors/cisco-esa.json' with { type: 'json' };
import ciscoIos from '../extractors/cisco-ios.json' with { type: 'json' };
import ciscoIse from '../extractors/cisco-ise.json' with { type: 'json' };
import ciscoMnemonic from '../extractors/cisco-mnemonic.json' with { type: 'json' };
import ciscoWlc from '../extractors/cisco-wlc.json' with { type: 'json' };
import ciscoWsa from '../extractors/cisco-wsa.json' with { type: 'json' };
import citrixAdc from '../extractors/citrix-adc.json' with { type: 'json' };
import clavister from '../extractors/clavister.json' with { type: 'json' };
import comware from '../extractors/comware.json' with { type: 'json' };
import coredns from '../extractors/coredns.json' with { type: 'json' };
import cyberark from '../extractors/cyberark.json' with { type: 'json' };
import daemons from '../extractors/daemons.json' with { type: 'json' };
import databases from '../extractors/databases.json' with { type: 'json' };
import dhcp from '../extractors/dhcp.json' with { type: 'json' };
import dnsResolvers from '../extractors/dns-resolvers.json' with { type: 'json' };
import dovecot from '../extractors/dovecot.json' with { type: 'json' };
import draytek from '../extractors/draytek.json' with { type: 'json' };
import dropbear from '../extractors/dropbear.json' with { type: 'json' };
import ekinops from '../extractors/ekinops.json' with { type: 'json' };
import elasticsearch from '../extractors/elasticsearch.json' with { type: 'json' };
import envoy from '../extractors/envoy.json' with { type: 'json' };
import esxi from '../extractors/esxi.json' with { type: 'json' };
import esxiShell from '../extractors/esxi-shell.json' with { type: 'json' };
import exchange from '../extractors/exchange.json' with { type: 'json' };
import exim from '../extractors/exim.json' with { type: 'json' };
import extreme from '../extractors/extreme.json' with { type: 'json' };
import f5 from '../extractors/f5.json' with { type: 'json' };
import fail2ban from '../extractors/fail2ban.json' with { type: 'json' };
import filezilla from '../extractors/filezilla.json' with { type: 'json' };
import filterlog from '../extractors/filterlog.json' with { type: 'json' };
import forcepoint from '../extractors/forcepoint.json' with { type: 'json' };
import forcepointSmc from '../extractors/forcepoint-smc.json' with { type: 'json' };
import fortiedr from '../extractors/fortiedr.json' with { type: 'json' };
import fortinet from '../extractors/fortinet.json' with { type: 'json' };
import ftp from '../extractors/ftp.json' with { type: 'json' };
import guardicore from '../extractors/guardicore.json' with { type: 'json' };
import haproxy from '../extractors/haproxy.json' with { type: 'json' };
import hillstone from '../extractors/hillstone.json' with { type: 'json' };
import honeypots from '../extractors/honeypots.json' with { type: 'json' };
import iis from '../extractors/iis.json' with { type: 'json' };
import infobloxNios from '../extractors/infoblox-nios.json' with { type: 'json' };
import iscDhcpd from '../extractors/isc-dhcpd.json' with { type: 'json' };
import juniperSrx from '../extractors/juniper-srx.json' with { type: 'json' };
import kerberos from '../extractors/kerberos.json' with { type: 'json' };
import keyValue from '../extractors/key-value.json' with { type: 'json' };
import keycloak from '../extractors/keycloak.json' with { type: 'json' };
import kubernetes from '../extractors/kubernetes.json' with { type: 'json' };
import leef from '../extractors/leef.json' with { type: 'json' };
import linuxAccounts from '../extractors/linux-accounts.json' with { type: 'json' };
import loginSentences from '../extractors/login-sentences.json' with { type: 'json' };
import logfmt from '../extractors/logfmt.json' with { type: 'json' };
import mailGateways from '../extractors/mail-gateways.json' with { type: 'json' };
import mailLogins from '../extractors/mail-logins.json' with { type: 'json' };
import managementControllers from '../extractors/management-controllers.json' with { type: 'json' };
import mariadbAudit from '../extractors/mariadb-audit.json' with { type: 'json' };
import meraki from '../extractors/meraki.json' with { type: 'json' };
import microsoftDhcp from '../extractors/microsoft-dhcp.json' with { type: 'json' };
import mikrotik from '../extractors/mikrotik.json' with { type: 'json' };
import mimecast from '../extractors/mimecast.json' with { type: 'json' };
import netfilter from '../extractors/netfilter.json' with { type: 'json' };
import netfilterLines from '../extractors/netfilter-lines.json' with { type: 'json' };
import netscreen from '../extractors/netscreen.json' with { type: 'json' };
import netskope from '../extractors/netskope.json' with { type: 'json' };
import networkAlarms from '../extractors/network-alarms.json' with { type: 'json' };
import networkServices from '../extractors/network-services.json' with { type: 'json' };
import nps from '../extractors/nps.json' with { type: 'json' };
import nutanix from '../extractors/nutanix.json' with { type: 'json' };
import ocserv from '../extractors/ocserv.json' with { type: 'json' };
import openldap from '../extractors/openldap.json' with { type: 'json' };
import openssh from '../extractors/openssh.json' with { type: 'json' };
import oracle from '../extractors/oracle.json' with { type: 'json' };
import ossec from '../extractors/ossec.json' with { type: 'json' };
import paloalto from '../extractors/paloalto.json' with { type: 'json' };
import pam from '../extractors/pam.json' with { type: 'json' };
import pensando from '../extractors/pensando.json' with { type: 'json' };
import pfsense from '../extractors/pfsense.json' with { type: 'json' };
import pingfederate from '../extractors/pingfederate.json' with { type: 'json' };
import postfix from '../extractors/postfix.json' with { type: 'json' };
import pulseSecure from '../extractors/pulse-secure.json' with { type: 'json' };
import radius from '../extractors/radius.json' with { type: 'json' };
import radware from '../extractors/radware.json' with { type: 'json' };
import rsaSecurid from '../extractors/rsa-securid.json' with { type: 'json' };
import ruckusIcx from '../extractors/ruckus-icx.json' with { type: 'json' };
import sangfor from '../extractors/sangfor.json' with { type: 'json' };
import sendmail from '../extractors/sendmail.json' with { type: 'json' };
import serviceFiles from '../extractors/service-files.json' with { type: 'json' };
import siteminder from '../extractors/siteminder.json' with { type: 'json' };
import skyhigh from '../extractors/skyhigh.json' with { type: 'json' };
import snort from '../extractors/snort.json' with { type: 'json' };
import snortCsv from '../extractors/snort-csv.json' with { type: 'json' };
import sonicwall from '../extractors/sonicwall.json' with { type: 'json' };
import sophosUtm from '../extractors/sophos-utm.json' with { type: 'json' };
import sophosXg from '../extractors/sophos-xg.json' with { type: 'json' };
import spamd from '../extractors/spamd.json' with { type: 'json' };
import stormshield from '../extractors/stormshield.json' with { type: 'json' };
import storage from '../extractors/storage.json' with { type: 'json' };
import su from '../extractors/su.json' with { type: 'json' };
import sudo from '../extractors/sudo.json' with { type: 'json' };
import symantecEndpoint from '../extractors/symantec-endpoint.json' with { type: 'json' };
import systancia from '../extractors/systancia.json' with { type: 'json' };
import tailscale from '../extractors/tailscale.json' with { type: 'json' };
import tcpdump from '../extractors/tcpdump.json' with { type: 'json' };
import teamviewer from '../extractors/teamviewer.json' with { type: 'json' };
import trafficSentences from '../extractors/traffic-sentences.json' with { type: 'json' };
import trellixEpo from '../extractors/trellix-epo.json' with { type: 'json' };
import ubiquiti from '../extractors/ubiquiti.json' with { type: 'json' };
import umbrella from '../extractors/umbrella.json' with { type: 'json' };
import unixLogins from '../extractors/unix-logins.json' with { type: 'json' };
import vectra from '../extractors/vectra.json' with { type: 'json' };
import veeam from '../extractors/veeam.json' with { type: 'json' };
import vmware from '../extractors/vmware.json' with { type: 'json' };
import vpn from '../extractors/vpn.json' with { type: 'json' };
import wallix from '../extractors/wallix.json' with { type: 'json' };
import watchguard from '../extractors/watchguard.json' with { type: 'json' };
import webApps from '../extractors/web-apps.json' with { type: 'json' };
import webError from '../extractors/web-error.json' with { type: 'json' };
import webmail from '../extractors/webmail.json' with { type: 'json' };
import windowsDnsDebug from '../extractors/windows-dns-debug.json' with { type: 'json' };
import windowsText from '../extractors/windows-text.json' with { type: 'json' };
import wordpress from '../extractors/wordpress.json' with { type: 'json' };
import zscalerNss from '../extractors/zscaler-nss.json' with { type: 'json' };
import zyxel from '../extractors/zyxel.json' with { type: 'json' };

export const DOCUMENTS: Readonly<Record<string, unknown>> = {
  a10,
  'access-log': accessLog,
  anydesk,
  aruba,
  'aruba-cx': arubaCx,
  asterisk,
  auditd,
  'aws-flow-log': awsFlowLog,
  'azure-network': azureNetwork,
  barracuda,
  'barracuda-waf': barracudaWaf,
  beyondtrust,
  bind,
  bluecoat,
  brocade,
  'bsd-firewalls': bsdFirewalls,
  cef,
  'cef-lines': cefLines,
  'chat-and-calls': chatAndCalls,
  checkpoint,
  'cisco-asa': ciscoAsa,
  'cisco-esa': ciscoEsa,
  'cisco-ios': ciscoIos,
  'cisco-ise': ciscoIse,
  'cisco-mnemonic': ciscoMnemonic,
  'cisco-wlc': ciscoWlc,
  'cisco-wsa': ciscoWsa,
  'citrix-adc': citrixAdc,
  clavister,
  comware,
  coredns,
  cyberark,
  daemons,
  databases,
  dhcp,
  'dns-resolvers': dnsResolvers,
  dovecot,
  draytek,
  dropbear,
  ekinops,
  elasticsearch,
  envoy,
  esxi,
  'esxi-shell': esxiShell,
  exchange,
  exim,
  extreme,
  f5,
  fail2ban,
  filezilla,
  filterlog,
  forcepoint,
  'forcepoint-smc': forcepointSmc,
  fortiedr,
  fortinet,
  ftp,
  guardicore,
  haproxy,
  hillstone,
  honeypots,
  iis,
  'infoblox-nios': infobloxNios,
  'isc-dhcpd': iscDhcpd,
  'juniper-srx': juniperSrx,
  kerberos,
  'key-value': keyValue,
  keycloak,
  kubernetes,
  leef,
  'linux-accounts': linuxAccounts,
  logfmt,
  'login-sentences': loginSentences,
  'mail-gateways': mailGateways,
  'mail-logins': mailLogins,
  'management-controllers': managementControllers,
  'mariadb-audit': mariadbAudit,
  meraki,
  'microsoft-dhcp': microsoftDhcp,
  mikrotik,
  mimecast,
  netfilter,
  'netfilter-lines': netfilterLines,
  netscreen,
  netskope,
  'network-alarms': networkAlarms,
  'network-services': networkServices,
  nps,
  nutanix,
  ocserv,
  openldap,
  openssh,
  oracle,
  ossec,
  paloalto,
  pam,
  pensando,
  pfsense,
  pingfederate,
  postfix,
  'pulse-secure': pulseSecure,
  radius,
  radware,
  'rsa-securid': rsaSecurid,
  'ruckus-icx': ruckusIcx,
  sangfor,
  sendmail,
  'service-files': serviceFiles,
  siteminder,
  skyhigh,
  snort,
  'snort-csv': snortCsv,
  sonicwall,
  'sophos-utm': sophosUtm,
  'sophos-xg': sophosXg,
  spamd,
  stormshield,
  storage,
  su,
  sudo,
  'symantec-endpoint': symantecEndpoint,
  systancia,
  tailscale,
  tcpdump,
  teamviewer,
  'traffic-sentences': trafficSentences,
  'trellix-epo': trellixEpo,
  ubiquiti,
  umbrella,
  'unix-logins': unixLogins,
  vectra,
  veeam,
  vmware,
  vpn,
  wallix,
  watchguard,
  'web-apps': webApps,
  'web-error': webError,
  webmail,
  'windows-dns-debug': windowsDnsDebug,
  'windows-text': windowsText,
  wordpress,
  'zscaler-nss': zscalerNss,
  zyxel,
};

export const shippedExtractors = once((): readonly Extractor[] =>
  Object.values(DOCUMENTS).map(shippedExtractor),
);

/** Cuts with all of them. */
export const shippedCutter = once(() => new Cutter(shippedExtractors()));
