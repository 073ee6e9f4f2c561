/** The names of formats and dialects: `Zeek (JSON)` for `flow-csv` and `zeek-json`. */

const NAMES: Readonly<Record<string, string>> = {
  zeek: 'Zeek',
  'suricata-eve': 'Suricata EVE',
  nfdump: 'nfdump',
  'nfdump-pipe': 'nfdump (pipe)',
  nfcapd: 'nfcapd of nfdump',
  'silk-rwcut': 'SiLK',
  argus: 'Argus',
  cicflowmeter: 'CICFlowMeter',
  'unsw-nb15': 'UNSW-NB15',
  'aws-vpc-flow': 'AWS VPC flow log',
  csv: 'CSV',
  json: 'JSON',
  ndjson: 'JSON lines',
  'json-lines': 'JSON lines',
  'json-array': 'JSON array',
  text: 'plain text',
  access: 'web access log',
  pcap: 'pcap',
  'pcap-nano': 'pcap (nanoseconds)',
  'pcap-modified': 'pcap (modified)',
  pcapng: 'pcapng',
  syslog: 'syslog',
  snoop: 'snoop',
  cef: 'CEF',
  rfc3164: 'syslog (RFC 3164)',
  rfc5424: 'syslog (RFC 5424)',
  rfc6587: 'syslog over TCP (RFC 6587)',
  iso8601: 'text with ISO 8601 times',
  epoch: 'text with Unix times',
  kernel: 'kernel log',
  cisco: 'Cisco log',
  evtx: 'Windows event log',
  'windows-xml': 'Windows events (XML)',
  'journald-export': 'systemd journal (export)',
  journald: 'systemd journal',
  journal: 'systemd journal (binary)',
  'zeek-cut': 'Zeek (zeek-cut)',
  'flow-csv': 'tables and JSON',
  shell: 'shell history',
  utmp: 'log-ins (utmp)',
  lastlog: 'log-ins (lastlog)',
  'bash-history': 'Bash history',
  'zsh-history': 'zsh history',
  'fish-history': 'fish history',
  'powershell-transcript': 'PowerShell transcript',
  cmtrace: 'Configuration Manager log',
  'modsecurity-audit': 'ModSecurity audit log',
  'anydesk-trace': 'AnyDesk trace',
  'anydesk-connections': 'AnyDesk connections',
  'anydesk-transfers': 'AnyDesk file transfers',
  'teamviewer-log': 'TeamViewer log',
  'teamviewer-connections': 'TeamViewer connections',
  setupapi: 'Windows device installation log',
};
const FORMS: Readonly<Record<string, string>> = {
  json: 'JSON',
  tsv: 'TSV',
  csv: 'CSV',
  text: 'text',
};

/** Undefined for a format that is known by its ID. */
function named(id: string): string | undefined {
  const known = NAMES[id];
  if (known !== undefined) return known;
  const dash = id.lastIndexOf('-');
  const [base, form] = [NAMES[id.slice(0, dash)], FORMS[id.slice(dash + 1)]];
  return dash > 0 && base !== undefined && form !== undefined ? `${base} (${form})` : undefined;
}

export function formatName(format: string, dialect: string | undefined): string {
  if (dialect !== undefined && dialect !== format) return named(dialect) ?? dialect;
  return named(format) ?? format;
}
