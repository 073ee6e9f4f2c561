/**
 * A Sigma rule (https://sigmahq.io/docs/basics/rules.html) for Windows as a query of Daybook, for the comparison with
 * another converter: its fields by their own names, its values by the language's own operators.
 */

/** The parts of a rule that no query here can express. */
export class Untranslated extends Error {}

export interface SigmaRule {
  readonly logsource: { readonly category?: string; readonly service?: string };
  readonly detection: Readonly<Record<string, unknown>> & { condition: string | string[] };
}

const SYSMON = 'Channel:"Microsoft-Windows-Sysmon/Operational"';
const POWERSHELL =
  'Channel:("Microsoft-Windows-PowerShell/Operational" OR "PowerShellCore/Operational")';
/** Event numbers of Sysmon by category. */
const SYSMON_EVENTS: Readonly<Record<string, readonly number[]>> = {
  ...{ process_creation: [1], file_change: [2], network_connection: [3], sysmon_status: [4, 16] },
  ...{ driver_load: [6], image_load: [7], create_remote_thread: [8], raw_access_thread: [9] },
  ...{ process_access: [10], file_event: [11], registry_add: [12], registry_delete: [12] },
  ...{ registry_set: [13], registry_event: [12, 13, 14], create_stream_hash: [15] },
  ...{ pipe_created: [17, 18], wmi_event: [19, 20, 21], dns_query: [22], file_delete: [23, 26] },
  ...{ process_tampering: [25], file_block_executable: [27], file_executable_detected: [29] },
  ...{ sysmon_error: [255], process_termination: [5], clipboard_capture: [24] },
};
const POWERSHELL_EVENTS: Readonly<Record<string, string>> = {
  ps_script: `${POWERSHELL} EventID:4104`,
  ps_module: `${POWERSHELL} EventID:4103`,
  ps_classic_start: 'Channel:"Windows PowerShell" EventID:400',
  ps_classic_provider_start: 'Channel:"Windows PowerShell" EventID:600',
  ps_classic_script: 'Channel:"Windows PowerShell" EventID:800',
};
const APPLOCKER = [
  'MSI and Script',
  'EXE and DLL',
  'Packaged app-Deployment',
  'Packaged app-Execution',
];
const CHANNELS: Readonly<Record<string, readonly string[]>> = {
  ...{ security: ['Security'], system: ['System'], application: ['Application'] },
  sysmon: ['Microsoft-Windows-Sysmon/Operational'],
  powershell: ['Microsoft-Windows-PowerShell/Operational', 'PowerShellCore/Operational'],
  'powershell-classic': ['Windows PowerShell'],
  taskscheduler: ['Microsoft-Windows-TaskScheduler/Operational'],
  windefend: ['Microsoft-Windows-Windows Defender/Operational'],
  wmi: ['Microsoft-Windows-WMI-Activity/Operational'],
  'firewall-as': ['Microsoft-Windows-Windows Firewall With Advanced Security/Firewall'],
  'bits-client': ['Microsoft-Windows-Bits-Client/Operational'],
  'terminalservices-localsessionmanager': [
    'Microsoft-Windows-TerminalServices-LocalSessionManager/Operational',
  ],
  'dns-server': ['DNS Server'],
  'dns-client': ['Microsoft-Windows-DNS Client Events/Operational'],
  applocker: APPLOCKER.map((name) => `Microsoft-Windows-AppLocker/${name}`),
  'codeintegrity-operational': ['Microsoft-Windows-CodeIntegrity/Operational'],
  'smbclient-security': ['Microsoft-Windows-SmbClient/Security'],
  ntlm: ['Microsoft-Windows-NTLM/Operational'],
  'appxdeployment-server': ['Microsoft-Windows-AppXDeploymentServer/Operational'],
  'driver-framework': ['Microsoft-Windows-DriverFrameworks-UserMode/Operational'],
  openssh: ['OpenSSH/Operational'],
  ldap: ['Microsoft-Windows-LDAP-Client/Debug'],
  'msexchange-management': ['MSExchange Management'],
  'printservice-admin': ['Microsoft-Windows-PrintService/Admin'],
  'printservice-operational': ['Microsoft-Windows-PrintService/Operational'],
  'security-mitigations': [
    'Microsoft-Windows-Security-Mitigations/Kernel Mode',
    'Microsoft-Windows-Security-Mitigations/User Mode',
  ],
  'shell-core': ['Microsoft-Windows-Shell-Core/Operational'],
  capi2: ['Microsoft-Windows-CAPI2/Operational'],
  'certificateservicesclient-lifecycle-system': [
    'Microsoft-Windows-CertificateServicesClient-Lifecycle-System/Operational',
  ],
  vhdmp: ['Microsoft-Windows-VHDMP/Operational'],
  'diagnosis-scripted': ['Microsoft-Windows-Diagnosis-Scripted/Operational'],
  'lsa-server': ['Microsoft-Windows-LSA/Operational'],
  'smbserver-connectivity': ['Microsoft-Windows-SMBServer/Connectivity'],
  bitlocker: ['Microsoft-Windows-BitLocker/BitLocker Management'],
  'appmodel-runtime': ['Microsoft-Windows-AppModel-Runtime/Admin'],
};
const EVERYTHING = '*';
const NOTHING = '(NOT *)';
const OPERATORS = ['contains', 'startswith', 'endswith'] as const;
const COMPARED = new Map([
  ['gte', '>='],
  ['lte', '<='],
  ['gt', '>'],
  ['lt', '<'],
]);
/** Signs that `windash` takes for each other. */
const DASHES = ['-', '/', '–', '—', '―'];

/** @param missing names that no event has, in lower case @throws Untranslated */
export function queryOfRule(
  { logsource, detection }: SigmaRule,
  missing: ReadonlySet<string>,
): string {
  const conditions = [detection.condition].flat();
  const each = conditions.map((text) => new Condition(text, detection, missing).read());
  return `${sourceOf(logsource)} (${each.join(' OR ')})`;
}

function sourceOf({ category, service }: SigmaRule['logsource']): string {
  if (category !== undefined) {
    const events = SYSMON_EVENTS[category];
    const found =
      events === undefined
        ? POWERSHELL_EVENTS[category]
        : `${SYSMON} EventID:(${events.join(' OR ')})`;
    if (found === undefined) throw new Untranslated(`category ${category}`);
    return found;
  }
  const channels = CHANNELS[service ?? ''];
  if (channels === undefined) throw new Untranslated(`service ${service}`);
  return `Channel:(${channels.map(quoted).join(' OR ')})`;
}

/** `1 of selection* and not (filter or all of them)` */
class Condition {
  private readonly tokens: readonly string[];
  private readonly detection: SigmaRule['detection'];
  private readonly missing: ReadonlySet<string>;
  private at = 0;

  constructor(text: string, detection: SigmaRule['detection'], missing: ReadonlySet<string>) {
    this.tokens = text.match(/\(|\)|[^\s()]+/g) ?? [];
    this.detection = detection;
    this.missing = missing;
  }

  read(): string {
    let left = this.both();
    while (this.takes('or')) left = `(${left} OR ${this.both()})`;
    return left;
  }

  private both(): string {
    let left = this.negated();
    while (this.takes('and')) left = `(${left} AND ${this.negated()})`;
    return left;
  }

  private negated(): string {
    return this.takes('not') ? `(NOT ${this.negated()})` : this.one();
  }

  private one(): string {
    const token = this.tokens[this.at++] ?? '';
    if (token === '(') {
      const inner = this.read();
      this.at++;
      return inner;
    }
    if (/^(?:1|all|any)$/.test(token) && this.takes('of'))
      return this.some(token, this.tokens[this.at++] ?? '');
    const found = this.detection[token];
    if (found === undefined) throw new Untranslated(`the selection ${token}`);
    return this.selection(found);
  }

  private some(quantity: string, pattern: string): string {
    const wanted = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
    const names = Object.keys(this.detection).filter(
      (name) =>
        name !== 'condition' && (pattern === 'them' ? !name.startsWith('_') : wanted.test(name)),
    );
    const each = names.map((name) => this.selection(this.detection[name]));
    return `(${each.join(quantity === 'all' ? ' AND ' : ' OR ')})`;
  }

  private takes(word: string): boolean {
    const isNext = this.tokens[this.at]?.toLowerCase() === word;
    if (isNext) this.at++;
    return isNext;
  }

  private selection(given: unknown): string {
    if (Array.isArray(given)) return `(${given.map((one) => this.selection(one)).join(' OR ')})`;
    if (typeof given !== 'object' || given === null) throw new Untranslated('keywords');
    const tests = Object.entries(given).map(([key, value]) => {
      const [field = '', ...modifiers] = key.split('|');
      if (field === '') throw new Untranslated('keywords');
      const each = [value].flat().map((one: unknown) => this.test(field, modifiers, one));
      return `(${each.join(modifiers.includes('all') ? ' AND ' : ' OR ')})`;
    });
    return `(${tests.join(' AND ')})`;
  }

  private test(field: string, modifiers: readonly string[], value: unknown): string {
    if (!this.missing.has(field.toLowerCase())) return testOf(field, modifiers, value);
    const isAbsent =
      value === null || value === '' || (modifiers.includes('exists') && value === false);
    return isAbsent ? EVERYTHING : NOTHING;
  }
}

/** @throws Untranslated */
function testOf(field: string, modifiers: readonly string[], value: unknown): string {
  const name = /^[A-Za-z_][\w.@-]*$/.test(field) ? field : quoted(field);
  const text = String(value);
  // Every text contains the empty one; as a value Daybook leaves it out.
  if (value === '' && modifiers.length > 0) return `${name}:*`;
  if (value === null || value === '' || modifiers.includes('exists'))
    return value === true ? `${name}:*` : `(NOT ${name}:*)`;
  if (modifiers.includes('re')) return `${name}:/${text.replaceAll('/', '\\x{2f}')}/`;
  if (modifiers.includes('fieldref')) return `${name} = ${text}`;
  if (modifiers.includes('cidr')) return `${name}:${text}`;
  if (modifiers.includes('windash')) {
    const others = modifiers.filter((one) => one !== 'windash');
    const spellings = DASHES.map((dash) => text.replace(/\B[-/]\b/g, dash));
    return `(${[...new Set(spellings)].map((one) => testOf(field, others, one)).join(' OR ')})`;
  }
  const compared = modifiers.map((one) => COMPARED.get(one)).find((one) => one !== undefined);
  if (compared !== undefined) return `${name}:${compared}${text}`;
  const other = modifiers.find((one) => one !== 'all' && !OPERATORS.some((known) => known === one));
  if (other !== undefined) throw new Untranslated(`modifier ${other}`);
  if (typeof value !== 'string') return `${name}:${text}`;
  return textTest(
    name,
    OPERATORS.find((one) => modifiers.includes(one)),
    piecesOf(value),
  );
}

/** Text, and the wildcards `*` and `?`. */
type Piece = { readonly text: string } | { readonly wildcard: string };

/** A backslash stands before a wildcard, or another backslash, that is meant as such. */
function piecesOf(value: string): Piece[] {
  return [...value.matchAll(/(?:\\[*?\\]|[^*?])+|[*?]/gs)].map(([piece]) =>
    piece === '*' || piece === '?'
      ? { wildcard: piece }
      : { text: piece.replace(/\\([*?\\])/g, '$1') },
  );
}

function textTest(name: string, operator: string | undefined, pieces: readonly Piece[]): string {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined && 'text' in only)
    return operator === undefined
      ? `${name}:${quoted(only.text)}`
      : `${name} ${operator} ${quoted(only.text)}`;
  const any = '[\\x{0}-\\x{10ffff}]';
  const body = pieces
    .map((piece) =>
      'text' in piece ? escaped(piece.text) : piece.wildcard === '*' ? `${any}*` : any,
    )
    .join('');
  const start = operator === undefined || operator === 'startswith' ? '^' : '';
  const end = operator === undefined || operator === 'endswith' ? '$' : '';
  return `${name}:/(?i)${start}${body}${end}/`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function escaped(text: string): string {
  return text.replace(/[^\w ]/gu, (char) => `\\x{${char.codePointAt(0)?.toString(16) ?? ''}}`);
}
