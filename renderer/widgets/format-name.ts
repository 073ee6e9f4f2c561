/** What a format and its dialect are called: `Zeek (JSON)` of `flow-csv` and `zeek-json`. */

const NAMES: Readonly<Record<string, string>> = {
  zeek: 'Zeek',
  eve: 'Suricata EVE',
  nfdump: 'nfdump',
  silk: 'SiLK',
  argus: 'Argus',
  cic: 'CICFlowMeter',
  unsw: 'UNSW-NB15',
  'aws-vpc': 'AWS VPC',
  'aws-vpc-flow': 'AWS VPC flow log',
  csv: 'CSV',
  json: 'JSON',
  ndjson: 'JSON lines',
  'json-lines': 'JSON lines',
  text: 'plain text',
  access: 'web access log',
  pcap: 'pcap',
  pcapng: 'pcapng',
  syslog: 'syslog',
  snoop: 'snoop',
  cef: 'CEF',
  rfc3164: 'syslog (RFC 3164)',
  rfc5424: 'syslog (RFC 5424)',
  iso8601: 'text with ISO 8601 times',
  journald: 'systemd journal',
  journal: 'systemd journal (binary)',
  'bash-history': 'Bash history',
  'zsh-history': 'zsh history',
  'fish-history': 'fish history',
  'powershell-transcript': 'PowerShell transcript',
};
const FORMS: Readonly<Record<string, string>> = {
  json: 'JSON',
  tsv: 'TSV',
  csv: 'CSV',
  text: 'text',
};

/** Undefined for a format that is not known by another name. */
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
