/**
 * What members of JSON records mean, by their names: a list of exact paths by schema. Held always: a
 * value never makes a column; a member that is not listed stays an attribute.
 *
 * Paths are compared without regard to case, `_`, `-` and blanks; dots divide the names of nested
 * objects, so that `creationTimestamp` of another object is never the time of the event. Sources:
 * ECS (https://www.elastic.co/guide/en/ecs/current/ecs-field-reference.html), CloudTrail, Azure
 * Monitor, Microsoft 365, Google Cloud, Kubernetes audit, Okta, CEF, NetFlow, journald and Windows
 * events as their collectors write them.
 */
import type { Setter } from './fields.ts';

type Names = Partial<Record<Setter, readonly string[]>>;

/** Names that only mean something in records of one schema. */
interface JsonSchema {
  readonly id: string;
  /** A record is of this schema when it has all paths of one of these lists. */
  readonly has: readonly string[];
  /** Before the general names. */
  readonly names: Names;
  /** Columns that the general names do not give here. */
  readonly not?: readonly Setter[];
  /** Whether its records are never flows, though they name both ends (packets). */
  readonly neverFlow?: boolean;
}

function list(words: string): readonly string[] {
  return words.split(/\s+/).filter((word) => word !== '');
}

/** A path as it is compared. */
export function simplifyPath(path: string): string {
  return path.toLowerCase().replace(/[_\s-]/g, '');
}

/** The best first: where a record has several, the first that holds such a value is taken. */
const GENERAL: Names = {
  ts: list(`
    @eventcreatedate stagetimestamp winlog.eventdata.utctime timecreated utctime winlog.timecreated
    event.system.timecreated.#attributes.systemtime event.system.timecreated.@systemtime
    event.system.timecreatedattributes.systemtime timegenerated eventtimestring
    eventtime eventtimestamp eventdatetime eventdate event.datetime securityeventdate
    properties.timestamp payload.timestamp timestampderived querytimestamp isotimestamp ts timestamp
    @timestamp event.time unixtime timemillis epoch datetime time rt when date
    starttime startedat flowstart tsstart stime begin start edgestarttimestamp
    detectiontimestamp detectedat occurredat recordedat loggeddatetime loggedat logtime
    generatedtime generatedat messagetime clicktime receivedtime received
    createddatetime createdtime createdtimeutc createdat created datecreate createtime firstswitched
    flowstartmilliseconds flowstartseconds timestamp.epochsecond auditentry.time
    transaction.timestamp transaction.time`),
  ts_end: list(`
    endtime te flowend tsend stoptime timeend lastswitched flowendmilliseconds flowendseconds last end`),
  duration: list('duration dur td flowduration durationsec durationseconds elapsedtime'),
  src_ip: list(`
    source.ip src.ip srcip sourceip srcaddr sourceaddr sourceaddress source.address saddr ipsrc
    sourceipaddress srcipaddr srcipaddress sourceipv4address sourceipv6address sourceipv4 ipv4srcaddr
    ipv6srcaddr ipsourceaddress src.ip.address src.endpoint.ip.address src4addr src6addr idorigh
    jsonpayload.connection.srcip protopayload.requestmetadata.callerip httprequest.clientip
    httprequest.remoteip winlog.eventdata.sourceip winlog.eventdata.sourceaddress
    winlog.eventdata.ipaddress event.eventdata.sourceip event.eventdata.sourceaddress
    event.eventdata.ipaddress calleripaddress callerip properties.calleripaddress properties.clientip
    claims.ipaddr client.ip client.ipaddress client.address clientip clientipaddress clientipaddr
    actoripaddress userip remoteaddr remoteaddress remoteipaddress requestip request.remoteaddress
    request.clientip request.remoteip request.ip sourceips senderip senderipaddress sendingip fromip
    cip alertinfo.srcip network.sourceipv4 network.sourceipv6 transaction.clientip srchost`),
  dst_ip: list(`
    destination.ip dst.ip dest.ip dstip destip destinationip dstaddr destaddr destinationaddr
    dstaddress destaddress destinationaddress destination.address daddr ipdst destinationipaddress
    dstipaddr dstipaddress destinationipv4address destinationipv6address destinationipv4 ipv4dstaddr
    ipv6dstaddr ipdestinationaddress dst.ip.address dst.endpoint.ip.address dst4addr dst6addr idresph
    jsonpayload.connection.destip winlog.eventdata.destinationip winlog.eventdata.destaddress
    event.eventdata.destinationip event.eventdata.destaddress server.ip serverip targetip targetipv4
    alertinfo.dstip network.destinationipv4 network.destinationipv6 originip dsthost toip`),
  src_port: list(`
    source.port src.port srcport sourceport sport spt srcpt sourcetransportport l4srcport
    src.port.number tcpsrcport udpsrcport idorigp jsonpayload.connection.srcport client.port clientport
    clientsrcport properties.clientport winlog.eventdata.sourceport winlog.eventdata.ipport
    event.eventdata.sourceport event.eventdata.ipport alertinfo.srcport network.sourceport
    transaction.clientport portsrc ipsourceport`),
  dst_port: list(`
    destination.port dst.port dest.port dstport destport destinationport dport dpt dstpt
    destinationtransportport l4dstport dst.port.number tcpdstport udpdstport idrespp
    jsonpayload.connection.destport server.port serverport winlog.eventdata.destinationport
    winlog.eventdata.destport event.eventdata.destinationport event.eventdata.destport targetport
    alertinfo.dstport network.destinationport portdst originport`),
  proto: list(`
    network.iananumber network.transport proto protocol
    ipprotocol protocolidentifier l4proto transport transportprotocol ipproto networkprotocol
    jsonpayload.connection.protocol winlog.eventdata.protocol event.eventdata.protocol
    network.protocol`),
  packets: list(`
    source.packets packets pkts packetcount inpkts inpackets ipkt packetdeltacount packetssent pktssent
    srcpkts origpkts jsonpayload.packetssent`),
  bytes: list(`
    source.bytes bytes octets bytecount inbytes ibyt octetdeltacount bytessent sentbytes srcbytes
    origbytes jsonpayload.bytessent`),
  packets_rev: list(`
    destination.packets packetsrev outpkts outpackets opkt dstpkts resppkts packetsreceived
    pktsreceived`),
  bytes_rev: list(`
    destination.bytes bytesrev outbytes obyt dstbytes respbytes bytesreceived receivedbytes`),
  packets_total: list('network.packets totpkts totalpackets packetstotal'),
  bytes_total: list('network.bytes totbytes totalbytes bytestotal'),
  tcp_flags: list('tcpflags tcpcontrolbits flags'),
  vlan: list('vlan vlanid network.vlan.id'),
  service: list('appproto applicationprotocol network.application service'),
  event_type: list(`
    eventname event.action eventtype operationname operation protopayload.methodname verb
    actiontype action event.type eventtypename activity auditevent event type category`),
  message: list(`
    message msg eventmessage textpayload jsonpayload.message shortmessage log.message description desc`),
  host: list(`
    host.hostname host.name winlog.computername computername hostname computer devicename machinename
    properties.devicehostname properties.devicename endpoint.name endpointname endpointhostname device.hostname device.name
    agent.hostname agentrealtimeinfo.agentcomputername data.computername computerdnsname
    hostidentifier event.system.computer log.syslog.hostname beat.hostname host`),
  program: list(`
    syslogidentifier log.syslog.appname winlog.providername providername sourcename program appname
    programname processname process.name event.system.provider.#attributes.name daemon`),
  pid: list(`
    executionprocessid winlog.process.pid event.system.execution.#attributes.processid
    log.syslog.procid process.pid pid processid`),
};

const SCHEMAS: readonly JsonSchema[] = [
  {
    id: 'journald',
    has: ['__realtime_timestamp message', '__realtime_timestamp _boot_id'],
    names: {
      ts: list('sourcerealtimetimestamp realtimetimestamp'),
      host: ['hostname'],
      program: list('syslogidentifier comm'),
      pid: list('pid syslogpid'),
      severity: ['priority'],
      message: ['message'],
    },
  },
  { id: 'docker', has: ['log stream time'], names: { ts: ['time'], message: ['log'] } },
  {
    // The time is that of the log's entry; the flow has its own.
    id: 'gcp-vpc-flow',
    has: ['jsonpayload.connection.src_ip jsonpayload.bytes_sent'],
    names: { ts: list('jsonpayload.starttime timestamp'), ts_end: ['jsonpayload.endtime'] },
  },
  { id: 'okta', has: ['published event_type uuid'], names: { ts: ['published'] } },
  {
    id: 'google-workspace',
    has: ['id.time actor.email', 'id.time id.applicationname'],
    names: { ts: ['id.time'], src_ip: ['ipaddress'] },
  },
  {
    id: 'microsoft-365',
    has: ['creationtime recordtype workload', 'creationtime operation workload'],
    names: { ts: ['creationtime'], src_ip: list('clientip clientipaddress actoripaddress') },
    not: ['dst_ip', 'host'],
  },
  {
    id: 'azure-monitor',
    has: ['time resourceid', 'time operationname category'],
    names: {
      ts: list('properties.timestamp time'),
      src_ip: list('properties.ipaddress calleripaddress properties.clientip'),
    },
  },
  {
    id: 'azure-activity',
    has: ['eventtimestamp correlationid'],
    names: { ts: ['eventtimestamp'] },
  },
  {
    id: 'guardduty',
    has: ['service.action.actiontype type', 'service.detectorid type'],
    names: {
      ts: list('updatedat createdat'),
      src_ip: list(`
        service.action.awsapicallaction.remoteipdetails.ipaddressv4
        service.action.kubernetesapicallaction.remoteipdetails.ipaddressv4`),
    },
  },
  { id: 'snort', has: ['seconds rule', 'seconds msg class'], names: { ts: ['seconds'] } },
  { id: 'google-alert', has: ['alert_id create_time'], names: { ts: ['createtime'] } },
  {
    id: 'auth0',
    has: ['data.date data.log_id'],
    names: { ts: ['data.date'], src_ip: ['data.ip'], event_type: ['data.type'] },
  },
  {
    id: 'slack',
    has: ['date_create context.ip_address'],
    names: { ts: ['datecreate'], src_ip: ['context.ipaddress'] },
  },
  {
    id: '1password',
    has: ['session_uuid client.ip_address', 'uuid timestamp client.ip_address'],
    names: { src_ip: ['client.ipaddress'] },
  },
  {
    id: 'macos-unified',
    has: ['event_message mach_timestamp', 'event_message process_image_path'],
    names: {
      ts: ['timestamp'],
      message: ['eventmessage'],
      program: ['processimagepath'],
      pid: ['processid'],
      event_type: ['eventtype'],
    },
  },
  {
    id: 'windows-event',
    has: ['event_id channel', 'event_id source_name', 'event_id provider_guid', 'winlog.channel'],
    names: {
      // NXLog's EventTime states no zone.
      ts: list(
        'winlog.eventdata.utctime timecreated utctime winlog.timecreated @timestamp eventtime',
      ),
      src_ip: ['ipaddress'],
      src_port: ['ipport'],
    },
  },
  // `host` of a request is the host that was asked for, and stays under its name.
  {
    id: 'http-request',
    has: list('method uri url request_uri request_method http_method status status_code').map(
      (name) => `host ${name}`,
    ),
    names: { host: list('host.hostname host.name hostname computername') },
    not: ['host'],
  },
  {
    // tshark -T json and -T ek: packets, not flows.
    id: 'tshark',
    has: list(`
      layers.frame.frameframenumber layers.frame.frameframetime layers.framenumber layers.frametimeepoch
      layers.ipsrc layers.ip.ipipsrc layers.ipv6.ipv6ipv6src source.layers.frame.frame.number
      source.layers.frame.frame.timeepoch source.layers.ip.ip.src source.layers.ip.src
      source.layers.frame.timeepoch source.layers.frame.number`),
    names: {
      ts: list(`
        source.layers.frame.frame.timeepoch source.layers.frame.timeepoch layers.frametimeepoch
        layers.frame.frameframetimeepoch timestamp`),
      src_ip: list(`
        layers.ip.ipipsrc layers.ipv6.ipv6ipv6src layers.ipsrc layers.ipv6src source.layers.ip.ip.src
        source.layers.ipv6.ipv6.src source.layers.ip.src source.layers.ipv6.src`),
      dst_ip: list(`
        layers.ip.ipipdst layers.ipv6.ipv6ipv6dst layers.ipdst layers.ipv6dst source.layers.ip.ip.dst
        source.layers.ipv6.ipv6.dst source.layers.ip.dst source.layers.ipv6.dst`),
      src_port: list(`
        layers.tcp.tcptcpsrcport layers.udp.udpudpsrcport layers.tcpsrcport layers.udpsrcport
        source.layers.tcp.tcp.srcport source.layers.udp.udp.srcport source.layers.tcp.srcport
        source.layers.udp.srcport`),
      dst_port: list(`
        layers.tcp.tcptcpdstport layers.udp.udpudpdstport layers.tcpdstport layers.udpdstport
        source.layers.tcp.tcp.dstport source.layers.udp.udp.dstport source.layers.tcp.dstport
        source.layers.udp.dstport`),
      proto: list(
        'layers.ip.ipipproto layers.ipproto source.layers.ip.ip.proto source.layers.ip.proto',
      ),
    },
    neverFlow: true,
  },
];

/** A setter that a path has in a schema; the lower the rank the better. */
export interface Meaning {
  readonly setter: Setter;
  readonly rank: number;
}

/** The meaning of paths in the records of one schema. */
export interface Meanings {
  readonly id: string;
  readonly neverFlow: boolean;
  of(key: string): Meaning | undefined;
}

function meaningsOf(schema: JsonSchema | undefined): Meanings {
  const byPath = new Map<string, Meaning>();
  const add = (names: Names, not: readonly Setter[], from: number): void => {
    for (const [setter, paths] of Object.entries(names) as [Setter, readonly string[]][]) {
      if (not.includes(setter)) continue;
      for (const [at, path] of paths.entries()) {
        if (!byPath.has(path)) byPath.set(path, { setter, rank: from + at });
      }
    }
  };
  if (schema !== undefined) add(schema.names, [], 0);
  add(GENERAL, schema?.not ?? [], 1000);
  return {
    id: schema?.id ?? 'general',
    neverFlow: schema?.neverFlow ?? false,
    of: (key) => byPath.get(simplifyPath(key)),
  };
}

/** Names whose part in signatures is remembered. */
const MAX_KEYS = 8192;
const NO_LISTS: readonly number[] = [];

/** Tells the schema of records by the names of their members. */
export class SchemaFinder {
  private readonly general = meaningsOf(undefined);
  private readonly schemas: readonly Meanings[] = SCHEMAS.map(meaningsOf);
  /** Of each list of names that gives a schema away: its schema, and how many names it has. */
  private readonly schemaOf: number[] = [];
  private readonly sizes: number[] = [];
  private readonly listsOf = new Map<string, number[]>();
  private readonly known = new Map<string, readonly number[]>();
  private readonly hits: Uint8Array;

  constructor() {
    for (const [schema, { has }] of SCHEMAS.entries()) {
      for (const signature of has) {
        const paths = list(signature).map(simplifyPath);
        for (const path of paths) {
          const lists = this.listsOf.get(path) ?? [];
          lists.push(this.sizes.length);
          this.listsOf.set(path, lists);
        }
        this.schemaOf.push(schema);
        this.sizes.push(paths.length);
      }
    }
    this.hits = new Uint8Array(this.sizes.length);
  }

  find(keys: readonly string[]): Meanings {
    const { hits, sizes, known } = this;
    let best = SCHEMAS.length;
    let any = false;
    for (const key of keys) {
      let lists = known.get(key);
      if (lists === undefined) {
        lists = this.listsOf.get(simplifyPath(key)) ?? NO_LISTS;
        if (known.size < MAX_KEYS) known.set(key, lists);
      }
      if (lists.length === 0) continue;
      any = true;
      for (const at of lists) {
        hits[at]! += 1;
        if (hits[at] === sizes[at] && this.schemaOf[at]! < best) best = this.schemaOf[at]!;
      }
    }
    if (any) hits.fill(0);
    return this.schemas[best] ?? this.general;
  }
}
