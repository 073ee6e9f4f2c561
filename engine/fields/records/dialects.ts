/**
 * The dialects of structured records that Daybook knows. Each is a file of data in `dialects/`, in the format of
 * dialect.ts; a new one is listed here. Of two that fit a record as well, the first counts.
 */
import _1password from '../dialects/1password.json' with { type: 'json' };
import akamaiDatastream from '../dialects/akamai-datastream.json' with { type: 'json' };
import akamaiSiem from '../dialects/akamai-siem.json' with { type: 'json' };
import atlassianAudit from '../dialects/atlassian-audit.json' with { type: 'json' };
import auth0 from '../dialects/auth0.json' with { type: 'json' };
import authentik from '../dialects/authentik.json' with { type: 'json' };
import awsApiGateway from '../dialects/aws-api-gateway.json' with { type: 'json' };
import awsCloudtrail from '../dialects/aws-cloudtrail.json' with { type: 'json' };
import awsCloudwatch from '../dialects/aws-cloudwatch.json' with { type: 'json' };
import awsGuardduty from '../dialects/aws-guardduty.json' with { type: 'json' };
import awsNetworkFirewall from '../dialects/aws-network-firewall.json' with { type: 'json' };
import awsRoute53Resolver from '../dialects/aws-route53-resolver.json' with { type: 'json' };
import awsSecurityHub from '../dialects/aws-security-hub.json' with { type: 'json' };
import awsWaf from '../dialects/aws-waf.json' with { type: 'json' };
import azureActivity from '../dialects/azure-activity.json' with { type: 'json' };
import azureFlow from '../dialects/azure-flow.json' with { type: 'json' };
import azureMonitor from '../dialects/azure-monitor.json' with { type: 'json' };
import azureTrafficAnalytics from '../dialects/azure-traffic-analytics.json' with { type: 'json' };
import beyondtrust from '../dialects/beyondtrust.json' with { type: 'json' };
import bitdefender from '../dialects/bitdefender.json' with { type: 'json' };
import box from '../dialects/box.json' with { type: 'json' };
import caddy from '../dialects/caddy.json' with { type: 'json' };
import carbonBlack from '../dialects/carbon-black.json' with { type: 'json' };
import chainsaw from '../dialects/chainsaw.json' with { type: 'json' };
import cloudflare from '../dialects/cloudflare.json' with { type: 'json' };
import cowrie from '../dialects/cowrie.json' with { type: 'json' };
import crowdstrikeDataReplicator from '../dialects/crowdstrike-data-replicator.json' with { type: 'json' };
import crowdstrikeStream from '../dialects/crowdstrike-stream.json' with { type: 'json' };
import cyberarkAudit from '../dialects/cyberark-audit.json' with { type: 'json' };
import cyberarkEpm from '../dialects/cyberark-epm.json' with { type: 'json' };
import cybereason from '../dialects/cybereason.json' with { type: 'json' };
import defenderAlert from '../dialects/defender-alert.json' with { type: 'json' };
import defenderHunting from '../dialects/defender-hunting.json' with { type: 'json' };
import delinea from '../dialects/delinea.json' with { type: 'json' };
import docker from '../dialects/docker.json' with { type: 'json' };
import dropbox from '../dialects/dropbox.json' with { type: 'json' };
import duo from '../dialects/duo.json' with { type: 'json' };
import elasticsearchAudit from '../dialects/elasticsearch-audit.json' with { type: 'json' };
import endpointConnection from '../dialects/endpoint-connection.json' with { type: 'json' };
import entraSigninExport from '../dialects/entra-signin-export.json' with { type: 'json' };
import entraGraph from '../dialects/entra-graph.json' with { type: 'json' };
import evtxecmd from '../dialects/evtxecmd.json' with { type: 'json' };
import exchangeMessageTrace from '../dialects/exchange-message-trace.json' with { type: 'json' };
import esetProtect from '../dialects/eset-protect.json' with { type: 'json' };
import extrahop from '../dialects/extrahop.json' with { type: 'json' };
import f5Asm from '../dialects/f5-asm.json' with { type: 'json' };
import falco from '../dialects/falco.json' with { type: 'json' };
import forgerock from '../dialects/forgerock.json' with { type: 'json' };
import gcpAudit from '../dialects/gcp-audit.json' with { type: 'json' };
import gcpDns from '../dialects/gcp-dns.json' with { type: 'json' };
import gcpLoadBalancer from '../dialects/gcp-load-balancer.json' with { type: 'json' };
import gcpVpcFlow from '../dialects/gcp-vpc-flow.json' with { type: 'json' };
import gcpFirewall from '../dialects/gcp-firewall.json' with { type: 'json' };
import gkeEvent from '../dialects/gke-event.json' with { type: 'json' };
import githubAlert from '../dialects/github-alert.json' with { type: 'json' };
import gitlab from '../dialects/gitlab.json' with { type: 'json' };
import githubAudit from '../dialects/github-audit.json' with { type: 'json' };
import googleAlert from '../dialects/google-alert.json' with { type: 'json' };
import googleWorkspace from '../dialects/google-workspace.json' with { type: 'json' };
import harfanglab from '../dialects/harfanglab.json' with { type: 'json' };
import hashicorpVault from '../dialects/hashicorp-vault.json' with { type: 'json' };
import hayabusa from '../dialects/hayabusa.json' with { type: 'json' };
import httpRequest from '../dialects/http-request.json' with { type: 'json' };
import infobloxDhcp from '../dialects/infoblox-dhcp.json' with { type: 'json' };
import journald from '../dialects/journald.json' with { type: 'json' };
import jumpcloud from '../dialects/jumpcloud.json' with { type: 'json' };
import jamfComplianceReporter from '../dialects/jamf-compliance-reporter.json' with { type: 'json' };
import ciscoUmbrella from '../dialects/cisco-umbrella.json' with { type: 'json' };
import beelzebub from '../dialects/beelzebub.json' with { type: 'json' };
import tetragon from '../dialects/tetragon.json' with { type: 'json' };
import keycloak from '../dialects/keycloak.json' with { type: 'json' };
import kubernetesAudit from '../dialects/kubernetes-audit.json' with { type: 'json' };
import lacework from '../dialects/lacework.json' with { type: 'json' };
import lastpass from '../dialects/lastpass.json' with { type: 'json' };
import lyveCloud from '../dialects/lyve-cloud.json' with { type: 'json' };
import macosUnified from '../dialects/macos-unified.json' with { type: 'json' };
import mattermost from '../dialects/mattermost.json' with { type: 'json' };
import microsoft365 from '../dialects/microsoft-365.json' with { type: 'json' };
import mimecast from '../dialects/mimecast.json' with { type: 'json' };
import minio from '../dialects/minio.json' with { type: 'json' };
import mongodb from '../dialects/mongodb.json' with { type: 'json' };
import modsecurity from '../dialects/modsecurity.json' with { type: 'json' };
import mysqlEnterpriseAudit from '../dialects/mysql-enterprise-audit.json' with { type: 'json' };
import neropot from '../dialects/neropot.json' with { type: 'json' };
import nextcloud from '../dialects/nextcloud.json' with { type: 'json' };
import netskope from '../dialects/netskope.json' with { type: 'json' };
import nozomi from '../dialects/nozomi.json' with { type: 'json' };
import ntfy from '../dialects/ntfy.json' with { type: 'json' };
import nucleon from '../dialects/nucleon.json' with { type: 'json' };
import ogoShield from '../dialects/ogo-shield.json' with { type: 'json' };
import okta from '../dialects/okta.json' with { type: 'json' };
import onelogin from '../dialects/onelogin.json' with { type: 'json' };
import openAppsec from '../dialects/open-appsec.json' with { type: 'json' };
import osquery from '../dialects/osquery.json' with { type: 'json' };
import paloaltoCortex from '../dialects/paloalto-cortex.json' with { type: 'json' };
import pingOne from '../dialects/ping-one.json' with { type: 'json' };
import proofpointPod from '../dialects/proofpoint-pod.json' with { type: 'json' };
import proofpointTap from '../dialects/proofpoint-tap.json' with { type: 'json' };
import requestLine from '../dialects/request-line.json' with { type: 'json' };
import rubycatProveit from '../dialects/rubycat-proveit.json' with { type: 'json' };
import pushSecurity from '../dialects/push-security.json' with { type: 'json' };
import safenet from '../dialects/safenet.json' with { type: 'json' };
import salesforce from '../dialects/salesforce.json' with { type: 'json' };
import sekoiaActivity from '../dialects/sekoia-activity.json' with { type: 'json' };
import sentinelTables from '../dialects/sentinel-tables.json' with { type: 'json' };
import sentinelone from '../dialects/sentinelone.json' with { type: 'json' };
import sentineloneDeepVisibility from '../dialects/sentinelone-deep-visibility.json' with { type: 'json' };
import slack from '../dialects/slack.json' with { type: 'json' };
import snyk from '../dialects/snyk.json' with { type: 'json' };
import snort from '../dialects/snort.json' with { type: 'json' };
import snowflake from '../dialects/snowflake.json' with { type: 'json' };
import sophosCentral from '../dialects/sophos-central.json' with { type: 'json' };
import structuredData from '../dialects/structured-data.json' with { type: 'json' };
import tanium from '../dialects/tanium.json' with { type: 'json' };
import tehtris from '../dialects/tehtris.json' with { type: 'json' };
import teleport from '../dialects/teleport.json' with { type: 'json' };
import thinkstCanary from '../dialects/thinkst-canary.json' with { type: 'json' };
import tines from '../dialects/tines.json' with { type: 'json' };
import traefik from '../dialects/traefik.json' with { type: 'json' };
import trellixAtd from '../dialects/trellix-atd.json' with { type: 'json' };
import trellixEpo from '../dialects/trellix-epo.json' with { type: 'json' };
import trellixEdr from '../dialects/trellix-edr.json' with { type: 'json' };
import trapster from '../dialects/trapster.json' with { type: 'json' };
import trellixHx from '../dialects/trellix-hx.json' with { type: 'json' };
import trendVisionOne from '../dialects/trend-vision-one.json' with { type: 'json' };
import truenas from '../dialects/truenas.json' with { type: 'json' };
import tshark from '../dialects/tshark.json' with { type: 'json' };
import wazuh from '../dialects/wazuh.json' with { type: 'json' };
import windowsEvent from '../dialects/windows-event.json' with { type: 'json' };
import withsecure from '../dialects/withsecure.json' with { type: 'json' };
import wiz from '../dialects/wiz.json' with { type: 'json' };
import zimperium from '../dialects/zimperium.json' with { type: 'json' };
import zoom from '../dialects/zoom.json' with { type: 'json' };
import zscaler from '../dialects/zscaler.json' with { type: 'json' };
import sourceTarget from '../dialects/source-target.json' with { type: 'json' };
import stormshieldEndpoint from '../dialects/stormshield-endpoint.json' with { type: 'json' };
import carbonBlackEdr from '../dialects/carbon-black-edr.json' with { type: 'json' };
import sophosEndpoint from '../dialects/sophos-endpoint.json' with { type: 'json' };
import sophosThreatAnalysis from '../dialects/sophos-threat-analysis.json' with { type: 'json' };
import envoy from '../dialects/envoy.json' with { type: 'json' };
import broadcomSwg from '../dialects/broadcom-swg.json' with { type: 'json' };
import olfeo from '../dialects/olfeo.json' with { type: 'json' };
import ubika from '../dialects/ubika.json' with { type: 'json' };
import cortexXdr from '../dialects/cortex-xdr.json' with { type: 'json' };
import checkpoint from '../dialects/checkpoint.json' with { type: 'json' };
import checkpointHarmonyEmail from '../dialects/checkpoint-harmony-email.json' with { type: 'json' };
import checkpointHarmonyEndpoint from '../dialects/checkpoint-harmony-endpoint.json' with { type: 'json' };
import cloudflareAudit from '../dialects/cloudflare-audit.json' with { type: 'json' };
import vectra from '../dialects/vectra.json' with { type: 'json' };
import nsgFlow from '../dialects/nsg-flow.json' with { type: 'json' };
import actorLocation from '../dialects/actor-location.json' with { type: 'json' };
import clientServer from '../dialects/client-server.json' with { type: 'json' };
import menloSecurity from '../dialects/menlo-security.json' with { type: 'json' };
import accountEvent from '../dialects/account-event.json' with { type: 'json' };
import authelia from '../dialects/authelia.json' with { type: 'json' };
import bodyfile from '../dialects/bodyfile.json' with { type: 'json' };
import mactime from '../dialects/mactime.json' with { type: 'json' };
import mftecmd from '../dialects/mftecmd.json' with { type: 'json' };
import usnJournal from '../dialects/usn-journal.json' with { type: 'json' };
import pecmd from '../dialects/pecmd.json' with { type: 'json' };
import lecmd from '../dialects/lecmd.json' with { type: 'json' };
import amcacheparser from '../dialects/amcacheparser.json' with { type: 'json' };
import appcompatcacheparser from '../dialects/appcompatcacheparser.json' with { type: 'json' };
import rancher from '../dialects/rancher.json' with { type: 'json' };
import rbcmd from '../dialects/rbcmd.json' with { type: 'json' };
import recmd from '../dialects/recmd.json' with { type: 'json' };
import requestHost from '../dialects/request-host.json' with { type: 'json' };
import sbecmd from '../dialects/sbecmd.json' with { type: 'json' };
import srumecmd from '../dialects/srumecmd.json' with { type: 'json' };
import sumecmd from '../dialects/sumecmd.json' with { type: 'json' };
import wxtcmd from '../dialects/wxtcmd.json' with { type: 'json' };
import kapeCopyLog from '../dialects/kape-copy-log.json' with { type: 'json' };
import forensicTimeline from '../dialects/forensic-timeline.json' with { type: 'json' };
import plaso from '../dialects/plaso.json' with { type: 'json' };
import l2tcsv from '../dialects/l2tcsv.json' with { type: 'json' };
import velociraptorFile from '../dialects/velociraptor-file.json' with { type: 'json' };
import velociraptorNetstat from '../dialects/velociraptor-netstat.json' with { type: 'json' };
import velociraptorProcess from '../dialects/velociraptor-process.json' with { type: 'json' };
import untangle from '../dialects/untangle.json' with { type: 'json' };
import ciscoSecureEndpoint from '../dialects/cisco-secure-endpoint.json' with { type: 'json' };
import darktrace from '../dialects/darktrace.json' with { type: 'json' };
import zscalerPrivateAccess from '../dialects/zscaler-private-access.json' with { type: 'json' };
import {
  type PathsByName,
  type RecordDialect,
  shippedDialect,
  simplifyPath,
  wordsOf,
} from './dialect.ts';
import { once } from '../../util/once.ts';
import general from '../general-names.json' with { type: 'json' };
import outcomeWords from '../outcome-words.json' with { type: 'json' };
import { FIELDS } from '../registry/registry.ts';

export const DOCUMENTS: readonly unknown[] = [
  _1password,
  requestLine,
  rubycatProveit,
  extrahop,
  beyondtrust,
  akamaiDatastream,
  akamaiSiem,
  atlassianAudit,
  auth0,
  authentik,
  awsApiGateway,
  awsCloudtrail,
  awsCloudwatch,
  awsGuardduty,
  awsNetworkFirewall,
  awsRoute53Resolver,
  awsSecurityHub,
  awsWaf,
  azureActivity,
  azureFlow,
  azureMonitor,
  azureTrafficAnalytics,
  bitdefender,
  box,
  caddy,
  carbonBlack,
  chainsaw,
  cloudflare,
  cowrie,
  crowdstrikeDataReplicator,
  crowdstrikeStream,
  cyberarkAudit,
  cyberarkEpm,
  cybereason,
  defenderAlert,
  defenderHunting,
  delinea,
  docker,
  dropbox,
  duo,
  elasticsearchAudit,
  endpointConnection,
  entraGraph,
  entraSigninExport,
  evtxecmd,
  exchangeMessageTrace,
  f5Asm,
  falco,
  forgerock,
  gcpAudit,
  gcpDns,
  gcpFirewall,
  gkeEvent,
  gcpLoadBalancer,
  gcpVpcFlow,
  githubAlert,
  gitlab,
  githubAudit,
  googleAlert,
  googleWorkspace,
  harfanglab,
  hashicorpVault,
  hayabusa,
  httpRequest,
  requestHost,
  infobloxDhcp,
  journald,
  jumpcloud,
  jamfComplianceReporter,
  ciscoUmbrella,
  beelzebub,
  tetragon,
  keycloak,
  kubernetesAudit,
  lacework,
  lastpass,
  lyveCloud,
  macosUnified,
  mattermost,
  microsoft365,
  mimecast,
  minio,
  mongodb,
  modsecurity,
  mysqlEnterpriseAudit,
  neropot,
  netskope,
  nextcloud,
  nozomi,
  ntfy,
  nucleon,
  ogoShield,
  okta,
  onelogin,
  openAppsec,
  osquery,
  paloaltoCortex,
  pingOne,
  proofpointPod,
  proofpointTap,
  pushSecurity,
  safenet,
  salesforce,
  sekoiaActivity,
  sentinelTables,
  sentinelone,
  sentineloneDeepVisibility,
  slack,
  snort,
  snowflake,
  snyk,
  sophosCentral,
  structuredData,
  tanium,
  tehtris,
  teleport,
  thinkstCanary,
  tines,
  traefik,
  trellixAtd,
  trellixEpo,
  trellixHx,
  trellixEdr,
  trapster,
  trendVisionOne,
  truenas,
  tshark,
  wazuh,
  windowsEvent,
  withsecure,
  wiz,
  zimperium,
  zoom,
  zscaler,
  stormshieldEndpoint,
  carbonBlackEdr,
  sophosEndpoint,
  sophosThreatAnalysis,
  envoy,
  broadcomSwg,
  olfeo,
  ubika,
  cortexXdr,
  checkpoint,
  checkpointHarmonyEmail,
  checkpointHarmonyEndpoint,
  cloudflareAudit,
  vectra,
  nsgFlow,
  accountEvent,
  actorLocation,
  clientServer,
  menloSecurity,
  sourceTarget,
  authelia,
  bodyfile,
  mactime,
  mftecmd,
  usnJournal,
  pecmd,
  lecmd,
  amcacheparser,
  appcompatcacheparser,
  rancher,
  rbcmd,
  recmd,
  sbecmd,
  srumecmd,
  sumecmd,
  wxtcmd,
  kapeCopyLog,
  forensicTimeline,
  plaso,
  l2tcsv,
  velociraptorFile,
  velociraptorNetstat,
  velociraptorProcess,
  zscalerPrivateAccess,
  darktrace,
  ciscoSecureEndpoint,
  untangle,
  esetProtect,
];

export const shippedDialects = once((): readonly RecordDialect[] => DOCUMENTS.map(shippedDialect));

/**
 * Names that mean the same whatever wrote them, by field, the best first: those of the list, then every name of the
 * registry in ECS and OCSF whose dots make it unmistakable.
 */
export const generalNames = once((): PathsByName => {
  const out: Record<string, readonly string[]> = {};
  for (const [name, paths] of Object.entries(general.names))
    out[name] = wordsOf(paths).map(simplifyPath);
  for (const { of, names } of general.objects)
    for (const [name, members] of Object.entries(names)) {
      const pairs = wordsOf(of).flatMap((one) =>
        wordsOf(members).map((member) => `${one}.${member}`),
      );
      out[name] = [...new Set([...(out[name] ?? []), ...pairs.map(simplifyPath)])];
    }
  for (const { name, names } of FIELDS) {
    const schemas = [...(names.ecs ?? []), ...(names.ocsf ?? [])];
    const dotted = schemas.filter((one) => one.includes('.')).map(simplifyPath);
    const known = new Set(out[name] ?? []);
    out[name] = [...known, ...dotted.filter((one) => !known.has(one))];
  }
  return out;
});

/** Values of the general names, as written in lower case, and as stored. */
export const GENERAL_VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  outcome: outcomeWords,
};

/** Fields whose members and columns are not also kept under their own names. */
const MOVED = ['src_ip', 'dst_ip', 'src_port', 'dst_port'] as const;
/** Names that some products use for one side and others for the other. */
const EITHER: Readonly<Record<string, string>> = {
  src_ip: 'ip',
  dst_ip: 'ip',
  src_port: 'port',
  dst_port: 'port',
};

/**
 * The field of an address or port by a product's name for it, such as `ipAddress`: no attribute has that name,
 * since the value is in the field's column.
 */
export function movedField(name: string): string | undefined {
  return movedNames().get(simplifyPath(name));
}

const movedNames = once((): ReadonlyMap<string, string> => {
  const out = new Map<string, string>();
  const add = (names: PathsByName): void => {
    for (const field of MOVED)
      for (const path of names[field] ?? []) {
        const known = out.get(path);
        const isOther = known !== undefined && known !== field;
        out.set(path, isOther ? (EITHER[field] ?? field) : field);
      }
  };
  add(generalNames());
  for (const { names, cases } of shippedDialects())
    for (const one of [names, ...cases.map((given) => given.names)]) add(one);
  return out;
});
