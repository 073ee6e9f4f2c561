/**
 * Values of the truth of fields that are not what the line states, contradict what the vendor documents, or contradict
 * another truth of the same format: each kind with its reason, which docs/fields.md repeats. They are counted apart,
 * never as right. Another choice among what a line states is no doubt about the truth: it is counted as wrong or missing.
 */

/** A value where the product differs from the truth. */
export interface Difference {
  /** The path of the evidence. */
  readonly path: string;
  readonly field: string;
  readonly value: string;
  readonly line: string;
  /** The product's value of a field of the event. */
  readonly found: (field: string) => string | undefined;
}

interface Doubt {
  /** Beginnings of the paths of the evidence. */
  readonly paths: readonly string[];
  readonly fields: readonly string[];
  /** Whether a difference in one of the fields is of this kind. */
  readonly holds: (difference: Difference) => boolean;
  readonly why: string;
}

const M365 = ['cloud/elastic/o365/', 'cloud/beats/o365/'];
const SIDES = ['src_ip', 'dst_ip', 'src_port', 'dst_port'];

/** `text` as a regular expression that matches it. */
function literal(text: string): string {
  return text.replaceAll(/[^\w ]/g, String.raw`\$&`);
}

function isMember(line: string, names: string, value: string): boolean {
  return new RegExp(`"(?:${names})": ?"${literal(value)}"`, 'i').test(line);
}

/** The field of the other side: `dst_ip` for `src_ip`. */
function opposite(field: string): string {
  return field.startsWith('src_') ? `dst_${field.slice(4)}` : `src_${field.slice(4)}`;
}

/** Whether the line states the account with its domain only, and the truth has cut it off. */
function isWithoutDomain({ value, line, found }: Difference): boolean {
  const whole = found('user');
  if (whole?.toLowerCase().startsWith(`${value.toLowerCase()}@`) !== true) return false;
  const isAlone = new RegExp(String.raw`(?<![\w.@$\\-])${literal(value)}(?![\w.@$\\-])`, 'i');
  return line.includes(whole) && !isAlone.test(line);
}

/** Placeholders for no value, by field. */
const NOTHING: Readonly<Record<string, RegExp>> = {
  user: /^(?:n\/a|unknown|not found|no authentication required|\{object\})$/i,
  ...{ src_ip: /^0\.0\.0\.0$/, dst_ip: /^0\.0\.0\.0$/ },
  ...{ src_port: /^0$/, dst_port: /^0$/, http_status: /^0$/ },
};

/** Record types of the Office 365 Management Activity API. */
const RECORD_TYPES: Readonly<Record<string, string>> = {
  ...{ 4: 'SharePoint', 8: 'AzureActiveDirectory', 22: 'Yammer' },
  ...{ 25: 'MicrosoftTeams', 40: 'SecurityComplianceAlerts' },
};

/** `for IFC:ADDRESS/PORT (…) to IFC:ADDRESS/PORT`, of a connection that began on the side named second. */
const OUTBOUND =
  /-30201[35]: Built outbound \w+ connection \d+ for [^:]+:([^/ ]+)\/(\d+) .*? to [^:]+:([^/ ]+)\/(\d+)/;

export const DOUBTS: readonly Doubt[] = [
  {
    paths: [''],
    fields: Object.keys(NOTHING),
    holds: ({ field, value, found }) =>
      found(field) === undefined && NOTHING[field]?.test(value) === true,
    why: 'Placeholders (`N/A`, `Unknown`, `Not Found`, `No Authentication Required`), the unspecified address (`0.0.0.0`), port 0 and status 0: some parsers keep them; Daybook has no value.',
  },
  {
    paths: [
      ...['cloud/sekoia/Kubernetes/', 'cloud/sekoia/NucleonSecurity/'],
      'device/sekoia/Checkpoint/',
    ],
    fields: ['event_code'],
    holds: ({ value }) =>
      /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^\{0x[0-9a-fx,]+\}$/i.test(value),
    why: 'Identifiers of one event (Kubernetes `auditID`, Nucleon, Check Point `loguid`), which are not the code of a type of event.',
  },
  {
    paths: ['windows/sekoia/Beats/'],
    fields: ['user'],
    holds: ({ value, line, found }) => {
      const names = '(?:Subject|Target)UserName';
      return (
        found('user') === `${value}$` &&
        isMember(line, names, `${value}$`) &&
        !isMember(line, names, value)
      );
    },
    why: "Windows: another parser removes the `$`, which is part of the name of a computer's account.",
  },
  {
    paths: ['device/', 'web/sekoia/', 'cloud/', 'host/sekoia/'],
    fields: ['user'],
    holds: isWithoutDomain,
    why: 'Accounts that a line states only with their domain (`alice@example.com`; Microsoft 365, Okta): some parsers remove it; Daybook keeps it, because it distinguishes guests from members.',
  },
  {
    paths: ['device/sekoia/Cisco/'],
    fields: ['src_port', 'dst_port'],
    holds: ({ field, value, line, found }) =>
      found(field) === undefined &&
      new RegExp(String.raw`-30202[01]: .* [fgl]addr [^/ ]+/${value}(?!\d)`).test(line),
    why: 'Cisco ASA, ICMP (302020, 302021): according to its documentation, the number after an address belongs to ICMP and is not a port.',
  },
  {
    paths: ['device/sekoia/BIND/', 'device/sekoia/EfficientIP/', 'device/elastic/infoblox_nios/'],
    fields: ['src_ip', 'src_port'],
    holds: ({ field, value, line, found }) => {
      const [, ip, port] =
        /(?: resolving '[^']+'(?: \(in '[^']+'\?\))?: |^(?!.*client ).*transfer of '[^']+' from )([\da-f.:]+)#(\d+)/.exec(
          line,
        ) ?? [];
      const isServer = value === (field === 'src_ip' ? ip : port);
      return isServer && found(field) === undefined && found(opposite(field)) === value;
    },
    why: 'BIND: the server that `named` queried, or fetched a zone from, is the responding side and so the destination; another parser uses it as the source.',
  },
  {
    paths: ['service/crowdsec/', 'web/elastic/citrix_waf/', 'cloud/sekoia/Trend_Micro/'],
    fields: ['url', 'user'],
    holds: ({ field, value, line, found }) => {
      const own = found(field);
      if (own === undefined || !line.includes(value)) return false;
      return (
        own.startsWith(`${value}?`) ||
        value === `'${own}'` ||
        own === `https:${value}` ||
        value.replaceAll('\\=', '=') === own
      );
    },
    why: 'Values with quotes or escapes of their format, and URLs without their query or scheme: Daybook has them as requested.',
  },
  {
    paths: ['host/sekoia/VMWare/'],
    fields: ['user'],
    holds: ({ value, line, found }) =>
      (line.includes(` logged in as ${value}`) && line.includes(`User ${found('user')}@`)) ||
      (line.includes(`[A ticket for ${value} of type `) && line.includes(`\\${found('user')}]`)),
    why: "VMware: according to its documentation, `User root@127.0.0.1 logged in as pyvmomi` names the client's program, and `A ticket for NAME` a virtual machine: neither is an account.",
  },
  {
    paths: ['device/beats/microsoft/', 'cloud/elastic/m365_defender/log/'],
    fields: ['host'],
    holds: ({ value, line, found }) =>
      found('host') === undefined && isMember(line, 'serviceSource', value),
    why: 'Microsoft 365 Defender: the older parser uses the service that raised an alert (`MicrosoftDefenderATP`) as the host.',
  },
  {
    paths: ['device/beats/cisco/'],
    fields: SIDES,
    holds: ({ value, field, line, found }) => {
      const [, ...named] = OUTBOUND.exec(line) ?? [];
      // The order of the sides in the line, and that of a connection which the second began.
      const stated = ['src_ip', 'src_port', 'dst_ip', 'dst_port'];
      const began = stated.map(opposite);
      return (
        named[stated.indexOf(field)] === value && began.every((side, i) => found(side) === named[i])
      );
    },
    why: 'Cisco ASA, outbound connections (302013, 302015): according to its documentation, they begin inside, on the side that is named second; the older parser uses the first as the source.',
  },
  {
    paths: ['cloud/sekoia/AWS/'],
    fields: SIDES,
    holds: ({ value, field, line, found }) =>
      /"connectionDirection": ?"OUTBOUND"/.test(line) && found(opposite(field)) === value,
    why: 'Amazon GuardDuty: according to its documentation, the instance initiated an `OUTBOUND` connection; another parser always uses the remote side as the source.',
  },
  {
    paths: ['web/elastic/citrix_waf/'],
    fields: ['src_ip'],
    holds: ({ value, line }) => line.includes(`<local0.info> ${value} `),
    why: "Citrix: another parser uses the address of the syslog header, which is the appliance's, as the source; Daybook has that of the client, which the message states.",
  },
  {
    paths: M365,
    fields: ['event_code'],
    holds: ({ value, line, found }) => {
      const code = found('event_code') ?? '';
      return RECORD_TYPES[code] === value && new RegExp(`"RecordType": ?${code}\\b`).test(line);
    },
    why: "Microsoft 365: `RecordType` of the record is a number; Elastic's parsers replace it with a name.",
  },
  {
    paths: M365,
    fields: ['host'],
    holds: ({ value, line, found }) =>
      found('host') === undefined &&
      (isMember(line, 'OrganizationName', value) ||
        new RegExp(`"UserId": ?"[^"@]+@${literal(value)}"`, 'i').test(line)),
    why: "Microsoft 365: Elastic's parsers use the tenant (`OrganizationName`) or the domain of the account (`UserId`) as the host. Neither is the name of a host.",
  },
  {
    paths: ['cloud/elastic/o365/'],
    fields: ['dst_ip'],
    holds: ({ value, line, found }) =>
      found('dst_ip') === undefined &&
      new RegExp(String.raw`"OriginatingServer": ?"[^"(]+\(${literal(value)}\)`).test(line),
    why: "Microsoft 365: Elastic's parser reads the version of Exchange in `OriginatingServer` as an address.",
  },
  {
    paths: ['device/beats/sophos/'],
    fields: ['event_code'],
    holds: ({ value, line, found }) =>
      /^\d{12}$/.test(value) &&
      found('event_code') === value.slice(-5) &&
      line.includes(`log_id=${value}`),
    why: 'Sophos Firewall: the last 5 of the 12 digits of `log_id` are the message; the older parser uses all 12, which include severity and component, the newer one the message.',
  },
];

/** The number of the kind of doubt that a difference is of, or -1. */
export function doubtOf(difference: Difference): number {
  return DOUBTS.findIndex(
    ({ paths, fields, holds }) =>
      paths.some((one) => difference.path.startsWith(one)) &&
      fields.includes(difference.field) &&
      holds(difference),
  );
}
