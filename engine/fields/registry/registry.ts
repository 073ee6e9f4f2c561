/**
 * The registry of fields: every field that Daybook knows, with its type, its meaning and its names in other
 * schemas.
 *
 * Queries resolve names through it, extractors (engine/fields/cutting/extractor.ts) may fill the fields that it
 * marks as such, `daybook fields --schema` prints it, and docs/fields.md is made from it.
 *
 * Schemas: https://www.elastic.co/guide/en/ecs/current/ecs-field-reference.html, https://schema.ocsf.io/,
 * https://docs.zeek.org/en/master/logs/conn.html,
 * https://docs.suricata.io/en/latest/output/eve/eve-json-format.html, https://sigmahq.io/docs/basics/rules.html,
 * https://docs.splunk.com/Documentation/CIM/latest/User/Overview
 */
export const SCHEMAS = ['ecs', 'ocsf', 'zeek', 'suricata', 'sigma', 'cim', 'other'] as const;
export type Schema = (typeof SCHEMAS)[number];

type FieldType = 'ip' | 'port' | 'proto' | 'number' | 'text' | 'time' | 'name';

interface FieldEntry {
  readonly name: string;
  readonly type: FieldType;
  readonly meaning: string;
  /** Whether extractors may cut it out of messages. */
  readonly cut: boolean;
  /** Its names in other schemas, in their spelling. */
  readonly names: Readonly<Partial<Record<Schema, readonly string[]>>>;
}

type Names = Partial<Record<Schema, string>>;

/** @param names by schema, separated by spaces */
function field(name: string, type: FieldType, meaning: string, names: Names = {}): FieldEntry {
  const split: Partial<Record<Schema, readonly string[]>> = {};
  for (const schema of SCHEMAS) {
    const text = names[schema];
    if (text !== undefined) split[schema] = text.trim().split(/\s+/);
  }
  return { name, type, meaning, cut: false, names: split };
}

function cut(name: string, type: FieldType, meaning: string, names: Names = {}): FieldEntry {
  return { ...field(name, type, meaning, names), cut: true };
}

export const FIELDS: readonly FieldEntry[] = [
  field('ts', 'time', 'Time of the event, in UTC.', {
    ecs: '@timestamp',
    suricata: 'timestamp',
    cim: '_time',
    other: 'eventTime',
  }),
  field('kind', 'name', 'Kind of event: log, flow, packet, alert, ….', {
    cim: 'sourcetype',
  }),
  field('source', 'name', 'The evidence that contains the event.', { ecs: 'log.file.path' }),
  field('event_id', 'name', 'Identifier of the event: its source and number.', { ecs: 'event.id' }),
  field('offset', 'number', 'Offset of the record in its source.', { ecs: 'log.offset' }),
  field('tag', 'name', 'Tags of the event.', { ecs: 'tags' }),
  field('message', 'text', 'The text of a record.', { ecs: 'event.original', cim: '_raw' }),
  cut('host', 'text', 'The host or device that wrote the record, as the record itself names it.', {
    ecs: 'host.name host.hostname log.syslog.hostname',
    ocsf: 'device.hostname',
    other: 'hostname',
  }),
  field(
    'header_host',
    'text',
    'The host of the header, often a relay, if the message names another one (which is then `host`).',
    { other: 'syslog_host' },
  ),
  field('program', 'text', 'The program that wrote the record; for Windows events, the provider.', {
    ecs: 'process.name log.syslog.appname event.provider',
    sigma: 'Provider_Name',
    other: 'appname app_name winlog.provider_name SourceName',
  }),
  cut('pid', 'number', 'The process that wrote the record; for Linux audit, the one it is about.', {
    ecs: 'process.pid log.syslog.procid',
    ocsf: 'process.pid',
    cim: 'process_id',
    other: 'procid',
  }),
  field('facility', 'name', 'Syslog facility.', {
    ecs: 'log.syslog.facility.name log.syslog.facility.code',
  }),
  field('severity', 'name', 'Syslog severity, or the level of a record.', {
    ecs: 'log.syslog.severity.name log.syslog.severity.code log.level',
  }),
  field('event_type', 'text', 'Name of this type of event in its source.', {
    ecs: 'event.action log.syslog.msgid',
    other: 'msgid eventName',
  }),
  cut('src_ip', 'ip', 'Address of the initiating side.', {
    ecs: 'source.ip source.address client.ip',
    ocsf: 'src_endpoint.ip',
    zeek: 'id.orig_h orig_h',
    sigma: 'SourceIp c-ip',
    cim: 'src src_host',
    other: 'sourceIPAddress',
  }),
  cut('src_port', 'port', 'Port of the initiating side.', {
    ecs: 'source.port client.port',
    ocsf: 'src_endpoint.port',
    zeek: 'id.orig_p orig_p',
    sigma: 'SourcePort',
    other: 'sport',
  }),
  cut('dst_ip', 'ip', 'Address of the responding side.', {
    ecs: 'destination.ip destination.address server.ip',
    ocsf: 'dst_endpoint.ip',
    zeek: 'id.resp_h resp_h',
    suricata: 'dest_ip',
    sigma: 'DestinationIp',
    cim: 'dest dest_host',
    other: 'dst',
  }),
  cut('dst_port', 'port', 'Port of the responding side.', {
    ecs: 'destination.port server.port',
    ocsf: 'dst_endpoint.port',
    zeek: 'id.resp_p resp_p',
    suricata: 'dest_port',
    sigma: 'DestinationPort',
    other: 'dport',
  }),
  field('ip', 'ip', 'Either address.', { ecs: 'related.ip' }),
  field('port', 'port', 'Either port.'),
  cut('proto', 'proto', 'Transport protocol.', {
    ecs: 'network.transport network.iana_number',
    ocsf: 'connection_info.protocol_num',
    zeek: 'ip_proto',
    cim: 'transport protocol',
  }),
  field('vlan', 'number', 'Outermost VLAN.', { ecs: 'network.vlan.id', other: 'vlan_id' }),
  field('service', 'text', 'Application protocol.', {
    ecs: 'network.protocol',
    suricata: 'app_proto',
  }),
  field('community_id', 'name', 'Community ID of its five-tuple.', {
    ecs: 'network.community_id',
  }),
  cut('bytes', 'number', 'Bytes from the initiating side; for a request, bytes of the response.', {
    ecs: 'source.bytes client.bytes',
    ocsf: 'traffic.bytes_out',
    zeek: 'orig_ip_bytes',
    suricata: 'flow.bytes_toserver bytes_toserver',
    cim: 'bytes_out',
  }),
  cut('packets', 'number', 'Packets from the initiating side.', {
    ecs: 'source.packets',
    ocsf: 'traffic.packets_out',
    zeek: 'orig_pkts',
    suricata: 'flow.pkts_toserver pkts_toserver',
    cim: 'packets_out',
  }),
  cut('bytes_rev', 'number', 'Bytes from the responding side.', {
    ecs: 'destination.bytes server.bytes',
    ocsf: 'traffic.bytes_in',
    zeek: 'resp_ip_bytes',
    suricata: 'flow.bytes_toclient bytes_toclient',
    cim: 'bytes_in',
  }),
  cut('packets_rev', 'number', 'Packets from the responding side.', {
    ecs: 'destination.packets',
    ocsf: 'traffic.packets_in',
    zeek: 'resp_pkts',
    suricata: 'flow.pkts_toclient pkts_toclient',
    cim: 'packets_in',
  }),
  cut('user', 'text', 'Account that acted, logged in or tried to log in.', {
    ecs: 'user.name source.user.name client.user.name',
    ocsf: 'actor.user.name user.name',
    sigma: 'SubjectUserName',
    cim: 'src_user',
    other: 'username user_name',
  }),
  cut('user_domain', 'text', 'Domain of that account.', {
    ecs: 'user.domain source.user.domain client.user.domain',
    ocsf: 'actor.user.domain user.domain',
    sigma: 'SubjectDomainName',
    cim: 'src_nt_domain',
  }),
  cut('user_target', 'text', 'Account that was the target: switched to, created, deleted.', {
    ecs: 'user.target.name destination.user.name user.effective.name',
    sigma: 'TargetUserName',
    cim: 'dest_user',
    other: 'target_user',
  }),
  cut('src_domain', 'text', 'Name of the initiating side, if stated.', {
    ecs: 'source.domain client.domain',
    ocsf: 'src_endpoint.hostname',
  }),
  cut('dst_domain', 'text', 'Name of the responding side, if stated.', {
    ecs: 'destination.domain server.domain',
    ocsf: 'dst_endpoint.hostname',
    sigma: 'DestinationHostname',
  }),
  cut('category', 'text', 'ECS category: authentication, session, network, iam, process, web, ….', {
    ecs: 'event.category',
    ocsf: 'category_name',
  }),
  cut(
    'action',
    'text',
    'The action, or the decision of a firewall; `login` for logins in messages and Windows events.',
    {
      ocsf: 'activity_name',
      cim: 'vendor_action',
    },
  ),
  cut('outcome', 'text', 'success or failure, where the record states it.', {
    ecs: 'event.outcome',
  }),
  cut('reason', 'text', 'The reason, in the words of the record.', {
    ecs: 'event.reason',
    ocsf: 'status_detail',
  }),
  cut('rule', 'text', 'Rule, policy or log prefix that decided.', {
    ecs: 'rule.name',
    ocsf: 'rule.name',
    cim: 'signature',
  }),
  cut('event_code', 'text', 'Code of the product for this type of event.', {
    ecs: 'event.code winlog.event_id',
    ocsf: 'metadata.event_code',
    sigma: 'EventID',
    cim: 'signature_id',
  }),
  cut('session', 'text', 'Identifier of a session or connection.', {
    ecs: 'network.session_id',
    cim: 'session_id',
  }),
  cut('url', 'text', 'The requested URL, as written.', {
    ecs: 'url.original url.full',
    ocsf: 'http_request.url.url_string',
    suricata: 'http.url',
    sigma: 'c-uri',
    other: 'request_uri',
  }),
  cut('http_method', 'text', 'Method of a request.', {
    ecs: 'http.request.method',
    ocsf: 'http_request.http_method',
    suricata: 'http.http_method',
    sigma: 'cs-method',
  }),
  cut('http_status', 'text', 'Status of a response.', {
    ecs: 'http.response.status_code',
    ocsf: 'http_response.code',
    zeek: 'status_code',
    suricata: 'http.status',
    sigma: 'sc-status',
  }),
  cut('user_agent', 'text', 'User agent of a request.', {
    ecs: 'user_agent.original',
    ocsf: 'http_request.user_agent',
    suricata: 'http.http_user_agent',
    sigma: 'c-useragent cs-user-agent',
    cim: 'http_user_agent',
  }),
  cut('referrer', 'text', 'Referrer of a request.', {
    ecs: 'http.request.referrer',
    ocsf: 'http_request.referrer',
    suricata: 'http.http_refer',
    sigma: 'cs-referer',
    cim: 'http_referrer',
    other: 'referer',
  }),
  cut('query', 'text', 'Name in a DNS query.', {
    ecs: 'dns.question.name',
    ocsf: 'query.hostname',
    suricata: 'dns.rrname',
    sigma: 'QueryName',
  }),
  cut('query_type', 'text', 'Record type in a DNS query.', {
    ecs: 'dns.question.type',
    ocsf: 'query.type',
    zeek: 'qtype_name',
    suricata: 'dns.rrtype',
    cim: 'record_type',
  }),
  cut('process', 'text', 'Executable or program that the record is about.', {
    ecs: 'process.executable',
    ocsf: 'process.file.path',
    sigma: 'Image',
    cim: 'process_path',
  }),
  cut('command', 'text', 'Command line.', {
    ecs: 'process.command_line',
    ocsf: 'process.cmd_line',
    sigma: 'CommandLine',
  }),
  cut('file_path', 'text', 'File that the record is about.', {
    ecs: 'file.path',
    ocsf: 'file.path',
    sigma: 'TargetFilename',
  }),
  cut('iface_in', 'text', 'Incoming interface.', {
    ecs: 'observer.ingress.interface.name',
    suricata: 'in_iface',
    cim: 'src_interface',
  }),
  cut('iface_out', 'text', 'Outgoing interface.', {
    ecs: 'observer.egress.interface.name',
    cim: 'dest_interface',
  }),
  cut(
    'user_id',
    'text',
    'Identifier of the account that acted: SID, uid, ARN, object identifier.',
    {
      ecs: 'user.id',
      ocsf: 'actor.user.uid user.uid',
      sigma: 'SubjectUserSid',
      cim: 'src_user_id',
    },
  ),
  cut('user_email', 'text', 'Mail address of the account that acted.', {
    ecs: 'user.email',
    ocsf: 'actor.user.email_addr user.email_addr',
  }),
  cut('logon_type', 'text', 'Type of a Windows logon, by number.', {
    ecs: 'winlog.logon.type',
    ocsf: 'logon_type_id logon_type',
    sigma: 'LogonType',
  }),
  cut('logon_id', 'text', 'Logon session of the event.', {
    ecs: 'winlog.logon.id',
    ocsf: 'session.uid',
    sigma: 'LogonId SubjectLogonId TargetLogonId',
  }),
  cut('parent_process', 'text', 'Executable of the parent process.', {
    ecs: 'process.parent.executable',
    ocsf: 'process.parent_process.file.path',
    sigma: 'ParentImage ParentProcessName',
    cim: 'parent_process_path',
  }),
  cut('parent_command', 'text', 'Command line of the parent process.', {
    ecs: 'process.parent.command_line',
    ocsf: 'process.parent_process.cmd_line',
    sigma: 'ParentCommandLine',
  }),
  cut('md5', 'text', 'MD5 of the file or executable that the record is about.', {
    ecs: 'file.hash.md5 process.hash.md5',
    other: 'hash.md5',
  }),
  cut('sha1', 'text', 'SHA-1 of the file or executable that the record is about.', {
    ecs: 'file.hash.sha1 process.hash.sha1',
    other: 'hash.sha1',
  }),
  cut('sha256', 'text', 'SHA-256 of the file or executable that the record is about.', {
    ecs: 'file.hash.sha256 process.hash.sha256',
    suricata: 'fileinfo.sha256',
    cim: 'file_hash',
    other: 'hash.sha256',
  }),
  cut('registry_key', 'text', 'Registry key, with its value if they are one text.', {
    ecs: 'registry.path registry.key',
    ocsf: 'reg_key.path',
    sigma: 'TargetObject',
    cim: 'registry_path',
  }),
  cut('registry_value', 'text', 'New content of a registry value.', {
    ecs: 'registry.data.strings',
    ocsf: 'reg_value.data',
    sigma: 'Details',
    cim: 'registry_value_data',
  }),
  cut(
    'service_name',
    'text',
    'Service of an operating system that was installed, started or changed.',
    {
      ecs: 'service.name',
      ocsf: 'win_service.name',
      sigma: 'ServiceName',
    },
  ),
  cut('cloud_account', 'text', 'Account, tenant, project or subscription of a cloud.', {
    ecs: 'cloud.account.id cloud.project.id',
    ocsf: 'cloud.account.uid cloud.project_uid',
    cim: 'vendor_account',
  }),
  cut('cloud_region', 'text', 'Region of a cloud.', {
    ecs: 'cloud.region',
    ocsf: 'cloud.region',
    cim: 'vendor_region',
  }),
  cut('email_from', 'text', 'Sender of a mail.', {
    ecs: 'email.from.address email.sender.address',
    ocsf: 'email.from email.smtp_from',
    cim: 'src_user_email sender',
  }),
  cut('email_to', 'text', 'Recipient of a mail.', {
    ecs: 'email.to.address',
    ocsf: 'email.to email.smtp_to',
    cim: 'recipient',
  }),
  cut('email_subject', 'text', 'Subject of a mail.', {
    ecs: 'email.subject',
    ocsf: 'email.subject',
  }),
  cut('tls_sni', 'text', 'Server name requested by a TLS client.', {
    ecs: 'tls.client.server_name',
    ocsf: 'tls.sni',
    zeek: 'server_name',
    suricata: 'tls.sni',
    cim: 'ssl_subject_common_name',
  }),
  cut('ja3', 'text', 'JA3 of a TLS client.', {
    ecs: 'tls.client.ja3',
    ocsf: 'tls.ja3_hash.value',
    suricata: 'tls.ja3.hash',
  }),
  cut('rule_id', 'text', 'Identifier of the rule, policy or detection that decided.', {
    ecs: 'rule.id',
    ocsf: 'finding_info.uid rule.uid',
    suricata: 'alert.signature_id',
  }),
  cut('error_code', 'text', 'Code of the error that the record states.', {
    ecs: 'error.code',
    ocsf: 'api.response.error',
    other: 'errorCode',
  }),
  cut('src_mac', 'text', 'Hardware address of the initiating side.', {
    ecs: 'source.mac client.mac',
    ocsf: 'src_endpoint.mac',
    zeek: 'orig_l2_addr',
  }),
  cut('dst_mac', 'text', 'Hardware address of the responding side.', {
    ecs: 'destination.mac server.mac',
    ocsf: 'dst_endpoint.mac',
    zeek: 'resp_l2_addr',
  }),
  field('extractor', 'text', 'Extractor, with its version, of the fields of this event.'),
];

const BY_NAME = new Map(FIELDS.map((one) => [one.name, one]));

export function fieldEntry(name: string): FieldEntry | undefined {
  return BY_NAME.get(name);
}

/** Names of other schemas, in lower case, and ours. A name that several schemas have means the first field that has it. */
export const ALIASES: Readonly<Record<string, string>> = aliases();

function aliases(): Record<string, string> {
  const out: Record<string, string> = {};
  for (const { name, names } of FIELDS) {
    for (const schema of SCHEMAS)
      for (const other of names[schema] ?? []) {
        const lower = other.toLowerCase();
        if (!BY_NAME.has(lower)) out[lower] ??= name;
      }
  }
  return out;
}

/**
 * Windows' names for the reporter of an event, or for one of its two sessions. Their column holds the account that
 * the event is about, which may be another's: for a failed log-on `user_id` is the account that failed,
 * `SubjectUserSid` the service that reports it.
 */
const ROLES = /^(?:.*\.)?(?:Subject(?:UserName|UserSid|DomainName|LogonId)|TargetLogonId)$/i;

/**
 * Whether an attribute with this name keeps that meaning, whatever is in the column that the name is an alias of.
 */
export function isNameOfRole(name: string): boolean {
  return ROLES.test(name);
}
