/**
 * Values of the truth of fields that contradict another truth, or what the product documents: each kind with its reason,
 * which docs/fields.md repeats. They are counted apart, never as right.
 */
interface Doubt {
  /** Beginnings of the paths of the evidence. */
  readonly paths: readonly string[];
  readonly fields: readonly string[];
  /** Whether the value is one of this kind. */
  readonly holds: (value: string, found: string | undefined, line: string) => boolean;
  readonly why: string;
}

const M365 = ['cloud/elastic/o365/', 'cloud/beats/o365/'];

/** Whether an account is found with the mail domain that another parser cuts off. */
function isWithDomain(value: string, found: string | undefined): boolean {
  return found?.toLowerCase().startsWith(`${value.toLowerCase()}@`) === true;
}

/** Words for nobody, and for no address, port or status. */
const NOTHING =
  /^(?:n\/a|unknown|not found|no authentication required|none|-|0\.0\.0\.0|0|\{object\})$/i;
/** An identifier of one event. */
const IDENTIFIER = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^\{0x[0-9a-fx,]+\}$/i;

export const DOUBTS: readonly Doubt[] = [
  {
    paths: [''],
    fields: ['user', 'src_ip', 'dst_ip', 'src_port', 'dst_port', 'http_status'],
    holds: (value) => NOTHING.test(value),
    why: 'Words for nobody and zeros for no address, port or status (`N/A`, `Not Found`, `No Authentication Required`, `0.0.0.0`): some parsers keep them; here they are no value.',
  },
  {
    paths: [''],
    fields: ['event_code'],
    holds: (value) => IDENTIFIER.test(value),
    why: 'Identifiers of one event (Kubernetes `auditID`, Check Point `loguid`): they are not the code of a type of event.',
  },
  {
    paths: ['windows/sekoia/', 'windows/otrf/'],
    fields: ['user'],
    holds: (value, found) =>
      found !== undefined && (`${value}$` === found || value.endsWith(`\\${found}`)),
    why: 'Windows: in some records `$` is cut off the name of a computer, or its domain kept; in others, and here, it is the other way around.',
  },
  {
    paths: ['device/', 'web/sekoia/', 'cloud/', 'host/sekoia/'],
    fields: ['user'],
    holds: isWithDomain,
    why: 'Accounts that are written with a domain (`alice@example.com`; Microsoft 365, Okta): some parsers cut it off; here the whole stays, which tells guests from members.',
  },
  {
    paths: ['device/elastic/cisco_asa/', 'device/beats/cisco/', 'device/sekoia/Cisco/'],
    fields: ['src_port', 'dst_port'],
    holds: (_value, _found, line) => /-3(?:0202[01]|13009)\b/.test(line),
    why: 'Cisco ASA, ICMP (302020, 302021, 313009): the number after an address is the identifier of ICMP, and no port.',
  },
  {
    paths: ['device/sekoia/BIND/', 'device/sekoia/EfficientIP/', 'device/elastic/infoblox_nios/'],
    fields: ['src_ip', 'src_port'],
    holds: (_value, _found, line) => /resolving '|transfer of '/.test(line),
    why: 'BIND, failures of a resolver and transfers: the server that was asked is the side that answered here, and the source to other parsers.',
  },
  {
    paths: ['service/crowdsec/', 'web/elastic/citrix_waf/', 'cloud/sekoia/Trend_Micro/'],
    fields: ['url', 'user'],
    holds: (value, found) =>
      found !== undefined &&
      (found.startsWith(`${value}?`) ||
        value === `'${found}'` ||
        found === `https:${value}` ||
        value.replaceAll('\\=', '=') === found),
    why: 'Values with quotes or escapes of their format left on, and URLs without their query or scheme: here they are as they were asked for.',
  },
  {
    paths: ['host/sekoia/VMWare/'],
    fields: ['user'],
    holds: (_value, found, line) => found !== undefined && /logged in as |A ticket for /.test(line),
    why: "VMware: `User root@127.0.0.1 logged in as pyvmomi` names the client's program, not an account; of a ticket the account is the one that asked for it.",
  },
  {
    paths: ['device/beats/microsoft/', 'cloud/elastic/m365_defender/log/'],
    fields: ['host'],
    holds: (value) => value.startsWith('Microsoft'),
    why: 'Microsoft 365 Defender: the older parser calls the service that raised an alert (`MicrosoftDefenderATP`) the host.',
  },
  {
    paths: ['device/beats/cisco/'],
    fields: ['src_ip', 'src_port', 'dst_ip', 'dst_port'],
    holds: (_value, _found, line) => /-30201[35]: Built outbound/.test(line),
    why: 'Cisco ASA, outbound connections (302013, 302015): the older parser takes the side that is named first for the source, the newer one that which began it, as here.',
  },
  {
    paths: M365,
    fields: ['event_code'],
    holds: (value) => !/^\d+$/.test(value),
    why: "Microsoft 365: the record states a number as its `RecordType`; Elastic's parsers put a name in its place, the others and Daybook keep the number.",
  },
  {
    paths: M365,
    fields: ['host'],
    holds: () => true,
    why: "Microsoft 365: Elastic's parsers call the tenant (`OrganizationName`) the host. No host wrote these records.",
  },
  {
    paths: M365,
    fields: ['dst_ip', 'dst_port'],
    holds: (value, _found, line) => line.includes(`(${value})`),
    why: "Microsoft 365: Elastic's parser takes the version of Exchange in `OriginatingServer` for an address.",
  },
  {
    paths: ['device/beats/sophos/'],
    fields: ['event_code'],
    holds: (value) => value.length === 12,
    why: 'Sophos Firewall: of `log_id`, 12 digits, the last five are the message; the older parser takes the whole, which holds severity and component, too.',
  },
];
